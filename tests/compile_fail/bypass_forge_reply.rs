//! A reply made without its constructor.

use obsearch::reply::Reply;

fn main() {
    let _ = Reply { value: String::from("forged") };
}
