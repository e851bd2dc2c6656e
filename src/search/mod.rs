//! search

pub mod query;
