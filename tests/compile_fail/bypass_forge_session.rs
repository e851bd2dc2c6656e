//! A session without a request, and so without rules.

use obsearch::vault::{Profile, Session, Vault};

fn forge(vault: &Vault) {
    let _ = Session { vault, profile: Profile::Full };
}

fn main() {
    let _ = forge;
}
