//! Breaks the wall on purpose, one layer at a time, so that a test can tell whether the other tests
//! would notice (`tests/it/mutation.rs`). Compiled in with the feature `failpoints` only, which no
//! release has and which refuses to be built without debug assertions; otherwise every question is
//! answered "no" at compile time.

/// A layer that can be broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "failpoints"), expect(dead_code, reason = "named where the layers are"))]
pub(crate) enum Failpoint {
    /// Notes are not judged when they are opened.
    SkipRevalidation,
    /// Ranks are given before notes are judged.
    FilterAfterRanking,
    /// Symbolic links are followed.
    FollowLinks,
    /// A verdict holds while the time of a file stays the same.
    CacheVerdicts,
    /// The public server looks into the full tree.
    OpenFullTree,
    /// Failures repeat what was asked.
    EchoNames,
    /// Counts include what is hidden.
    CountHidden,
    /// Texts come from an earlier reading.
    ServeOldText,
}

/// Is this layer broken in this process?
#[cfg(not(feature = "failpoints"))]
pub(crate) const fn is_on(_: Failpoint) -> bool {
    false
}

#[cfg(feature = "failpoints")]
pub(crate) use switched::{environment, is_on, old_text, was_public};

#[cfg(feature = "failpoints")]
mod switched {
    #[cfg(not(debug_assertions))]
    compile_error!("the feature `failpoints` breaks the privacy of notes; it is for tests only");

    use std::collections::HashMap;
    use std::sync::{LazyLock, Mutex, PoisonError};

    use super::Failpoint;

    /// Names the layer that is broken.
    const VARIABLE: &str = "OBSEARCH_FAILPOINT";
    static ACTIVE: LazyLock<String> = LazyLock::new(active);

    #[expect(clippy::disallowed_methods, reason = "a test switches a layer off by the environment")]
    fn active() -> String {
        std::env::var(VARIABLE).unwrap_or_default()
    }

    /// What breaks the same layer in a process that this one starts.
    pub(crate) fn environment() -> [(&'static str, &'static str); 1] {
        [(VARIABLE, ACTIVE.as_str())]
    }

    /// Is this layer broken in this process?
    pub(crate) fn is_on(point: Failpoint) -> bool {
        *ACTIVE == format!("{point:?}")
    }

    /// Was the file with these times public before? Remembers that it is, when told so.
    pub(crate) fn was_public(path: &str, modified_ns: i64, is_public: Option<bool>) -> bool {
        static SEEN: LazyLock<Mutex<HashMap<String, i64>>> = LazyLock::new(Mutex::default);
        let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
        if is_public == Some(true) {
            seen.insert(path.to_owned(), modified_ns);
        }
        seen.get(path) == Some(&modified_ns)
    }

    /// The text that the note had when it was first read.
    pub(crate) fn old_text(path: &str, text: Option<&str>) -> Option<String> {
        static SEEN: LazyLock<Mutex<HashMap<String, String>>> = LazyLock::new(Mutex::default);
        let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = text {
            seen.entry(path.to_owned()).or_insert_with(|| text.to_owned());
        }
        seen.get(path).cloned()
    }
}
