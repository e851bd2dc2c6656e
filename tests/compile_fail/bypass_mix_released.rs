//! A value of one session joined to a value of another.

use obsearch::vault::{NotePath, Profile, Vault};

fn launder(vault: &Vault, path: &NotePath) {
    let _ = vault.request(Profile::Full, |full| {
        let note = full.open(path).ok().unwrap();
        let secret = full.release(&note, note.text().to_owned());
        let _ = vault.request(Profile::Public, |public| {
            let _ = public.gather(vec![secret]);
        });
    });
}

fn main() {
    let _ = launder;
}
