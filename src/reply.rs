//! The only thing that may leave. A `Reply` about notes is made from `Released` values, and only
//! the gate makes those from notes it admitted in this request.

/// An answer that has passed the wall.
#[derive(Debug)]
pub struct Reply<T> {
    value: T,
}

impl<T> Reply<T> {
    /// The answer, to be written out by a transport.
    pub fn get(&self) -> &T {
        &self.value
    }
}
