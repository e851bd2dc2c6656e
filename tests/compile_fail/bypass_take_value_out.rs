//! The value taken out of its envelope past the reply.

use obsearch::vault::{NotePath, Profile, Vault};

fn take(vault: &Vault, path: &NotePath) {
    let _ = vault.request(Profile::Public, |session| {
        let note = session.open(path).ok().unwrap();
        session.release(&note, note.text().to_owned()).into_reply_value()
    });
}

fn main() {
    let _ = take;
}
