//! A name that nobody parsed.

use obsearch::vault::NotePath;

fn main() {
    let _ = NotePath("../outside.md".into());
}
