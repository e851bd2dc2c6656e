//! The same by meaning: vectors and the mixture of both legs do not depend on a private note either.

use super::terminal::answer;
use super::vaults::Vault;
use super::{configuration, empty_home};

#[test]
fn private_notes_change_no_answer_by_meaning() {
    let vault = Vault::new(1);
    let [with, without] = [true, false].map(|is_whole| {
        let home = empty_home();
        home.configure(&configuration("[embeddings]\nmodel = \"english\""));
        vault.write(&home, |object| is_whole || object.hidden.is_none());
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
    for line in script {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        assert_eq!(answer(&with, &words), answer(&without, &words), "{line}");
    }
}
