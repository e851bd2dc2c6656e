//! The door that is meant to be used: the bypasses beside this file differ from it in one thing.

use obsearch::reply::Reply;
use obsearch::vault::{NotePath, Profile, Vault};

fn answer(vault: &Vault, path: &NotePath) -> Option<Reply<String>> {
    let answered = vault.request(Profile::Public, |session| {
        let note = session.open(path).ok()?;
        Some(Reply::new(session.release(&note, note.text().to_owned())))
    });
    answered.ok().flatten()
}

fn main() {
    let _ = answer;
}
