//! Text that a handler read by itself.

use obsearch::reply::Reply;

fn main() {
    let text = std::fs::read_to_string("vault/journal/x.md").unwrap();
    let _ = Reply::new(text);
}
