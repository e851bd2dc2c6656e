//! A note that no session admitted.

use obsearch::vault::{Note, NotePath};

fn main() {
    let path = NotePath::parse("a.md").unwrap();
    let stat = unimplemented!();
    let _ = Note { path, text: "forged".into(), stat, brand: std::marker::PhantomData };
}
