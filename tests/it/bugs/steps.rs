//! Cases that take several steps.
