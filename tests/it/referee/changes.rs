//! What happens to the vaults behind the back of their index. Public notes turn private where private
//! notes exist, each by another way, and vanish where they do not; to a client this is the same.

use std::fs;
use std::os::unix::fs::symlink;

use super::notes::{KINDS_BY_TEXT, Kind};
use super::vaults::{Object, Vault, What};
use crate::common::{Dice, Home};

/// Makes the changes of a seed. The first home is the one without private notes.
pub(crate) fn make(vault: &Vault, homes: &[Home; 3], seed: u64) {
    let mut dice = Dice::new(seed ^ 0xc4a9);
    let turning: Vec<&Object> = vault
        .public_notes()
        .filter(|object| matches!(object.what, What::File(_)) && !object.path.contains("Twin"))
        .collect();
    for _ in 0..4 {
        let object = turning[dice.below(turning.len())];
        if homes[0].vault().join(&object.path).exists() {
            fs::remove_file(homes[0].vault().join(&object.path)).unwrap();
            for home in &homes[1..] {
                HIDE[dice.below(HIDE.len())](home, object);
            }
        }
    }
    move_a_paragraph(&turning, homes);
    change_private_notes(vault, &homes[1]);
}

type Hide = fn(&Home, &Object);

const HIDE: [Hide; 5] = [
    |home, object| rewrite(home, object, |text| text + "\n#private\n"),
    |home, object| rewrite(home, object, |text| text.replacen("---\n", "---\nsecret: yes\n", 1)),
    |home, object| rewrite(home, object, |text| text.replacen("tags: [", "tags: [private/x, ", 1)),
    |home, object| {
        let name = object.path.replace('/', " ");
        fs::create_dir_all(home.path("Notes/journal")).unwrap();
        fs::rename(home.vault().join(&object.path), home.path(&format!("Notes/journal/moved {name}")))
            .unwrap();
    },
    |home, object| {
        let path = home.vault().join(&object.path);
        home.write_note("people/Behind.md", "# Jane\n\nriver qzcanary900\n");
        fs::remove_file(&path).unwrap();
        symlink(home.path("Notes/people/Behind.md"), path).unwrap();
    },
];

fn rewrite(home: &Home, object: &Object, change: fn(String) -> String) {
    let text = home.read(&format!("Notes/{}", object.path));
    home.write_note(&object.path, &change(text));
}

/// A public note loses a paragraph; where private notes exist, one of them gains it.
fn move_a_paragraph(notes: &[&Object], homes: &[Home; 3]) {
    let stays = |note: &&&Object| {
        let What::File(bytes) = &note.what else { return false };
        homes.iter().all(|home| fs::read(home.vault().join(&note.path)).is_ok_and(|now| now == *bytes))
    };
    let Some(note) = notes.iter().find(stays) else { return };
    let name = format!("Notes/{}", note.path);
    let text = homes[0].read(&name);
    let Some((kept, moved)) = text.rsplit_once("## Part") else { return };
    for (number, home) in homes.iter().enumerate() {
        home.write_note(&note.path, kept);
        if number > 0 {
            home.write_note("journal/Moved paragraph.md", moved);
        }
    }
}

/// Other texts, some gone, some new. What only links make private stays as it is.
fn change_private_notes(vault: &Vault, home: &Home) {
    let is_private_alone = |kind: Kind| {
        KINDS_BY_TEXT.contains(&kind) || matches!(kind, Kind::Folder | Kind::GlobFolder | Kind::OtherForm)
    };
    let notes = vault.objects.iter().filter(|object| object.hidden.is_some_and(is_private_alone));
    for (number, note) in notes.enumerate() {
        let What::File(bytes) = &note.what else { continue };
        let path = home.vault().join(&note.path);
        match number % 3 {
            0 => fs::remove_file(path).unwrap(),
            1 => fs::write(path, [bytes, b" #private [[Jane]] river qzcanary901\n".as_slice()].concat())
                .unwrap(),
            _ => home
                .write_note(&format!("journal/new {number}.md"), "# Plan\n\n#project [[Jane]] qzcanary902\n"),
        }
    }
}
