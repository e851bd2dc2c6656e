//! A token bucket over all tool calls of the process: generous to any client, a brake for a
//! client in a loop. The MCP specification demands one of every server with tools.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Tokens that refill with time; a call takes one.
pub(super) struct TokenBucket {
    capacity: f64,
    per_second: f64,
    state: Mutex<State>,
}

struct State {
    tokens: f64,
    refilled_at: Instant,
}

impl TokenBucket {
    /// A thousand calls at once and 200 a second from then on: far above what a model can ask
    /// for, and below what would keep a machine busy.
    pub(super) fn generous() -> Self {
        TokenBucket::new(1000.0, 200.0)
    }

    /// A full bucket.
    pub(super) fn new(capacity: f64, per_second: f64) -> Self {
        let state = State { tokens: capacity, refilled_at: Instant::now() };
        TokenBucket { capacity, per_second, state: Mutex::new(state) }
    }

    /// Takes a token, if there is one.
    pub(super) fn take(&self) -> Option<Token> {
        self.take_at(Instant::now())
    }

    fn take_at(&self, now: Instant) -> Option<Token> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let seconds = now.saturating_duration_since(state.refilled_at).as_secs_f64();
        state.tokens = (state.tokens + seconds * self.per_second).min(self.capacity);
        state.refilled_at = state.refilled_at.max(now);
        if state.tokens < 1.0 {
            return None;
        }
        state.tokens -= 1.0;
        Some(Token)
    }
}

/// The right to make one call.
pub(super) struct Token;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_burst_empties_the_bucket_and_time_fills_it() {
        let bucket = TokenBucket::new(3.0, 2.0);
        let start = Instant::now();
        let taken = |milliseconds| {
            let now = start + Duration::from_millis(milliseconds);
            std::iter::from_fn(|| bucket.take_at(now)).count()
        };
        let cases = [(0, 3), (0, 0), (400, 0), (500, 1), (500, 0), (1500, 2), (60_000, 3), (30_000, 0)];
        let found: Vec<_> = cases.map(|(milliseconds, _)| (milliseconds, taken(milliseconds))).into();
        assert_eq!(found, cases);
    }
}
