//! A vault that loses its last public note. What is left of it with private notes, and what is left without
//! them, which is nothing at all, answer alike: neither may be told from a disk that is not mounted.

use std::path::Path;
use std::{fs, thread};

use super::vaults::{Object, Vault, What};
use super::{BEFORE_OWN_RUN, Game, Kind, SETTLING};
use crate::common::Home;
use crate::server::Server;

fn note(path: &str, text: &str, hidden: Option<Kind>) -> Object {
    Object { path: path.to_owned(), what: What::File(text.as_bytes().to_vec()), hidden }
}

const FERRY: &str = "See [[Harbour]] and [[Tide]].\n";

/// Two public notes, and private things of every kind that a vault's root can hold.
fn vault() -> Vault {
    let objects = vec![
        note("Harbour.md", "# Harbour\n\nThe ferry leaves at noon. #sea\n", None),
        note("Ferry.md", FERRY, None),
        note("Tide.md", "---\ntags: [private]\n---\nqzcanary ferry at dusk\n", Some(Kind::Tag)),
        note("Moor.md", "qzcanary harbour #private\n", Some(Kind::Tag)),
        note("Journal/Ferry.md", "qzcanary ferry\n", Some(Kind::Folder)),
        note("Journal/ferry.png", "qzcanary", Some(Kind::Folder)),
    ];
    Vault { objects }
}

impl Game {
    fn play_emptied(&mut self) -> Result<(), String> {
        // A plain folder of Markdown: nothing of Obsidian's tells it from an empty one.
        for home in &self.homes {
            fs::remove_dir_all(home.vault().join(".obsidian")).expect("it is there");
            // Private by those settings only.
            for folder in ["Excluded", "excluded", "archive"] {
                let _ = fs::remove_dir_all(home.vault().join(folder));
            }
        }
        self.index(&["index", "--quiet"]);
        self.phase("fresh index")?;
        for home in &self.homes {
            fs::remove_file(home.vault().join("Ferry.md")).expect("it is there");
            let harbour = home.vault().join("Harbour.md");
            // The last public note turns private, which is the same as being deleted.
            let has_private_notes = home.vault().join("Tide.md").exists();
            if has_private_notes {
                turn_private(&harbour);
            } else {
                fs::remove_file(harbour).expect("it is there");
            }
        }
        thread::sleep(SETTLING);
        self.phase("index older than the end of the last public note")?;
        self.reindex_through_the_server()?;
        // Each server brings its index up to date, or keeps it for the disk to come back.
        let mut servers = self.homes.each_ref().map(|home| Server::start(home, &[]));
        thread::sleep(BEFORE_OWN_RUN * 2);
        let asked = self.ask_servers(&mut servers);
        asked.map_err(|difference| format!("servers at work: {difference}"))?;
        for server in servers {
            server.end();
        }
        self.phase("index without the last public note")?;
        let back = |home: &Home| {
            fs::write(home.vault().join("Back.md"), "The ferry is back.\n")?;
            fs::write(home.vault().join("Ferry.md"), FERRY)
        };
        self.homes.iter().try_for_each(back).map_err(|error| error.to_string())?;
        thread::sleep(SETTLING);
        self.phase("public notes are back, one of them as it was")?;
        self.reindex_through_the_server()?;
        self.phase("a public note is back")?;
        self.assert_no_canary_in_public_trees()
    }
}

fn turn_private(note: &Path) {
    fs::write(note, "The ferry leaves at noon. #private\n").expect("it can be written");
}

#[test]
fn the_last_public_note_goes_unseen() {
    let mut game = Game::over(vault(), 7, &[]);
    game.play_emptied().unwrap_or_else(|difference| panic!("{difference}"));
}
