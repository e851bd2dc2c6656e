//! The obsearch binary.

fn main() {}
