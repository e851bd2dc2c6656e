//! Does the best passage answer the question at all? Told from two numbers that every search has: how much of the
//! question's words the best passage by words holds, and how near the nearest passage is in meaning.
//! The bounds are chosen on questions of other sets, which a vault cannot answer: see `evals/README.md`.

/// Below this coverage words alone tell little,
const LITTLE: f64 = 0.25;
/// and below this, where there are only words, nothing.
const NEXT_TO_NOTHING: f64 = 0.15;

/// How near in meaning the nearest passage is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nearness {
    /// Its cosine.
    pub(super) similarity: f64,
    /// What passages that answer a question seldom fall below, with this model.
    pub(super) seldom_below: f64,
}

/// Is what was found likely no answer? `coverage` is none where no words were looked for.
pub(super) fn is_doubtful(coverage: Option<f64>, nearest: Option<Nearness>) -> bool {
    match (coverage, nearest) {
        (Some(coverage), Some(nearest)) => coverage < LITTLE && nearest.similarity < nearest.seldom_below,
        (Some(coverage), None) => coverage < NEXT_TO_NOTHING,
        // Nearness alone tells too little.
        (None, _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_far_by_words_and_meaning_is_doubted() {
        let near = |similarity| Some(Nearness { similarity, seldom_below: 0.3 });
        let table = [
            (Some(0.1), near(0.2), true),
            (Some(0.1), near(0.4), false),
            (Some(0.3), near(0.2), false),
            (Some(0.2), None, false),
            (Some(0.1), None, true),
            (Some(0.0), None, true),
            (None, near(0.1), false),
            (None, None, false),
        ];
        for (coverage, nearest, expected) in table {
            assert_eq!(is_doubtful(coverage, nearest), expected, "{coverage:?} {nearest:?}");
        }
    }
}
