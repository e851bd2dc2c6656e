//! A released value kept in a cache for other requests.

use obsearch::vault::{NotePath, Profile, Released, Vault};

struct Server {
    cache: Vec<Released<'static, String>>,
}

fn keep(server: &mut Server, vault: &'static Vault, path: &NotePath) {
    let _ = vault.request(Profile::Public, |session| {
        let note = session.open(path).ok().unwrap();
        server.cache.push(session.release(&note, note.text().to_owned()));
    });
}

fn main() {
    let _ = keep;
}
