//! The same with two vaults behind each server, both with private notes, part of the rules in the vaults' own
//! sections: what one vault hides shows in no answer about either. And a vault that is not served shows nowhere.

use serde_json::json;

use super::offers::{self, Offers};
use super::script::{self, Pools, Request, Script};
use super::vaults::{Extent, Vault};
use super::{Figures, Game, masked, parsed};
use crate::common::{Dice, Home, seeds};
use crate::server::Server;

/// Rules that hold for both vaults, and those that each adds.
const GENERAL: &str = "tags = [\"private\", \"\u{dc}ber\"]\nfrontmatter_flag = \"secret\"\nfolders = [\"journal\", \"people/*\"]";
const OWN: &str =
    "folders = [\"team-*\", \"work/*/closed\", \"Caf\u{e9}\"]\nredact_patterns = ['\\d{3}-\\d{4}']";

/// A configuration of these vaults, each with its folder.
fn configuration(vaults: &[(&str, &str)]) -> String {
    let max_note_bytes = super::notes::MAX_NOTE_BYTES;
    let section = |(name, path): &(&str, &str)| {
        format!(
            "[vaults.{name}]\npath = \"{path}\"\nmax_note_bytes = {max_note_bytes}\n\
             [vaults.{name}.privacy]\n{OWN}\n"
        )
    };
    let sections: String = vaults.iter().map(section).collect();
    format!(
        "[privacy]\n{GENERAL}\n{sections}[server]\nallow_reindex = true\n[embeddings]\nbackend = \"none\"\n"
    )
}

/// The vault of this home as `work`, that of the other as `home`.
fn configuration_of_both(other: &Home) -> String {
    let other = other.vault();
    configuration(&[("home", other.to_str().expect("it is UTF-8")), ("work", "~/Notes")])
}

/// A home whose vault is the second one of another home.
fn beside(vault: &Vault, extent: Extent) -> Home {
    let home = Home::with_vault(&[], "");
    vault.write(&home, extent);
    home
}

#[test]
fn private_notes_of_two_vaults_change_no_answer() {
    let mut total = Figures::default();
    for seed in seeds(4) {
        let second = Vault::new(seed ^ 0x7eed);
        let other = second.with_other_secrets(seed);
        let others =
            [beside(&second, Extent::Public), beside(&second, Extent::Whole), beside(&other, Extent::Whole)];
        other.shift_times_of_private_files(&others[2]);
        let mut game = Game::new(seed, &[]);
        game.names = &["home", "work"];
        for (home, other) in game.homes.iter().zip(&others) {
            home.configure(&configuration_of_both(other));
        }
        game.play().unwrap_or_else(|difference| panic!("seed {seed}, {difference}"));
        total = total + game.figures;
    }
    assert!(total.told * 5 > total.requests, "{total:?}");
}

/// One server has another vault in its configuration and does not serve it, the other has none: every answer is
/// the same, and to ask for that vault is to ask for one that does not exist.
#[test]
fn a_vault_that_is_not_served_does_not_exist() {
    let seed = 5;
    let vault = Vault::new(seed);
    let other = beside(&Vault::new(6), Extent::Whole);
    let home = |text: String| {
        let home = Home::with_vault(&[], "");
        vault.write(&home, Extent::Whole);
        home.configure(&text);
        assert_eq!(home.run(&["index", "--quiet"]).code, Some(0));
        home
    };
    let homes = [home(configuration(&[("work", "~/Notes")])), home(configuration_of_both(&other))];
    let mut servers = homes.each_ref().map(|home| {
        let mut server = Server::start(home, &["--vault-name", "work"]);
        super::await_the_end_of_background_runs(&mut server, &[]).unwrap();
        server
    });
    assert_eq!(servers[0].hello, servers[1].hello);
    let mut dice = Dice::new(seed);
    let mut pools = Pools::new(&vault, &mut dice);
    let mut ask = |requests: &[Request]| -> Vec<String> {
        let answered = |request: &Request| {
            let of = servers.each_mut().map(|server| server.request(request.method, &request.params));
            let [alone, beside] = of.map(|answer| masked(&answer.expect("an answer")));
            assert_eq!(alone, beside, "{} {}", request.method, request.params);
            beside
        };
        requests.iter().map(answered).collect()
    };
    let list = |method| Request { method, params: json!({}) };
    let lists = ask(&[list("tools/list"), list(offers::LISTS[0]), list(offers::LISTS[1])]);
    assert!(!lists.concat().contains("vaults: "), "one vault is served, and nothing tells of several");
    let script = Script::new(&parsed(&lists[0])).unwrap();
    let answers = ask(&script.calls(&script.names(true), 40, &pools, &mut dice).unwrap());
    pools.add_cursors(&answers, &mut dice);
    let offers = Offers::new(&parsed(&lists[1]), &parsed(&lists[2])).unwrap();
    ask(&offers.requests(28, &pools, &mut dice));
    ask(&script::fixed_requests());
    let named = |vault: &str| {
        let call = json!({ "name": "index_status", "arguments": { "vault": vault } });
        let read = json!({ "uri": format!("obsearch://vault/{vault}/work/Twin.md") });
        let list = json!({ "cursor": format!("{vault}/") });
        [("tools/call", call), ("resources/read", read), ("resources/list", list)]
            .map(|(method, params)| Request { method, params })
    };
    let without_ids = |answers: Vec<String>, vault: &str| -> Vec<String> {
        let text = |line: &String| {
            let mut answer = parsed(line);
            answer["id"].take();
            answer.to_string().replace(vault, "[vault]")
        };
        answers.iter().map(text).collect()
    };
    let there = without_ids(ask(&named("home")), "home");
    let nowhere = without_ids(ask(&named("nowhere")), "nowhere");
    assert_eq!(there, nowhere);
}
