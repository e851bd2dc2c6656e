//! search

pub mod excerpt;
pub mod fuse;
pub mod query;
