//! A note of the owner's session released by the public's.

use obsearch::vault::{NotePath, Profile, Vault};

fn launder(vault: &Vault, path: &NotePath) {
    let _ = vault.request(Profile::Full, |full| {
        let note = full.open(path).ok().unwrap();
        let _ = vault.request(Profile::Public, |public| {
            let _ = public.release(&note, note.text().to_owned());
        });
    });
}

fn main() {
    let _ = launder;
}
