//! A note that no session admitted.

use obsearch::vault::{FileStat, Note, NotePath};

fn forge(path: NotePath, stat: FileStat) {
    let _ = Note { path, text: "forged".into(), stat, brand: std::marker::PhantomData };
}

fn main() {
    let _ = forge;
}
