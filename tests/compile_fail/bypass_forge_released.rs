//! A value that no session released.

use obsearch::reply::Reply;
use obsearch::vault::Released;

fn main() {
    let value = String::from("forged");
    let _ = Reply::new(Released { value, brand: std::marker::PhantomData });
}
