//! The same by meaning: vectors, the mixture of both legs and the choice of a model do not depend on a
//! private note either.

use super::terminal::answer;
use super::vaults::{Extent, Vault};
use super::{configuration, empty_home};
use crate::common::Home;

fn assert_alike(homes: &[Home; 2], script: &[&str]) {
    for line in script {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let [with, without] = homes.each_ref().map(|home| answer(home, &words));
        assert_eq!(with, without, "{line}");
    }
}

#[test]
fn private_notes_change_no_answer_by_meaning() {
    let vault = Vault::new(1);
    let homes = [Extent::Whole, Extent::Public].map(|extent| {
        let home = empty_home();
        home.configure(&configuration("[embeddings]\nmodel = \"english\""));
        vault.write(&home, extent);
        home.json(&["index", "--profile", "public"]);
        home
    });
    let script = [
        "search --json where do we keep the paper for a certificate",
        "search --json --mode semantic boil water for tea",
        "search --json --mode semantic -n 3 --folder work a walk by the water",
        "search --json private journal of jane",
        "status --json",
    ];
    assert_alike(&homes, &script);
}

/// A model is chosen by the languages of a vault: of what the public profile may see of it, even where
/// one run makes both trees.
#[test]
fn the_language_of_private_notes_chooses_no_model() {
    let homes = [true, false].map(|is_whole| {
        let home = empty_home();
        home.configure(&configuration("[embeddings]\nmodel = \"auto\""));
        for number in 0..12 {
            let text = "The kettle on the stove was boiling while we waited for the others to come home. Nobody \
                        had thought of buying bread, so we went out again and walked down to the old mill.";
            home.write_note(&format!("work/{number}.md"), &format!("# Note {number}\n\n{text}\n"));
            if is_whole {
                let text = "Když jsme přišli domů, konvice na plotně už dávno vřela a nikdo u ní nebyl. Chleba \
                            nikdo nekoupil, a tak jsme šli ještě jednou ven a dolů po cestě ke starému mlýnu.";
                home.write_note(&format!("journal/{number}.md"), &format!("# Zápis {number}\n\n{text}\n"));
            }
        }
        home.json(&["index"]);
        home
    });
    let model = |home: &Home, profile: &str| home.json(&["status", "--profile", profile])["model"].clone();
    assert_ne!(model(&homes[0], "public"), model(&homes[0], "full"), "the languages make a difference");
    assert_alike(&homes, &["status --json", "search --json the water is boiling", "search --json konvice"]);
}
