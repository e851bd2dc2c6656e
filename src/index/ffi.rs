//! Registers sqlite-vec with SQLite: the one place with `unsafe`.
#![expect(unsafe_code, reason = "an extension is registered through its C entry point")]

use std::sync::Once;

use rusqlite::auto_extension::{RawAutoExtension, register_auto_extension};

/// Makes `vec0` available to every connection that is opened afterwards.
pub(super) fn register_sqlite_vec() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: `sqlite3_vec_init` is the extension's entry point and has exactly this C
        // signature (see sqlite-vec.h); its Rust declaration omits the parameters.
        let entry = unsafe {
            std::mem::transmute::<unsafe extern "C" fn(), RawAutoExtension>(sqlite_vec::sqlite3_vec_init)
        };
        // SAFETY: the handler opens no database, closes none, and leaves the list alone.
        let registered = unsafe { register_auto_extension(entry) };
        registered.expect("registering takes a few bytes of memory only");
    });
}
