//! Many runs of a network at a time, one to a core.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, ScopedJoinHandle, available_parallelism};

use super::EmbedError;
use super::network::Threads;

/// The threads that networks run on.
pub(super) struct Lanes {
    /// All cores for one text.
    wide: Threads,
    /// One core each for many texts: a tenth to a fifth less work per text than splitting each one up, and
    /// no text waits inside another, as it would where pools of work-stealing threads are nested.
    narrow: Vec<Threads>,
}

impl Lanes {
    /// As many as there are cores.
    pub(super) fn new() -> Self {
        let cores = available_parallelism().map_or(1, usize::from);
        Self { wide: Threads::new(cores), narrow: (0..cores).map(|_| Threads::new(1)).collect() }
    }

    /// All cores.
    pub(super) fn wide(&self) -> &Threads {
        &self.wide
    }

    /// What `run` makes of each number below `count`, in order; as many at a time as there are cores.
    pub(super) fn map<T: Send>(
        &self,
        count: usize,
        run: impl Fn(&Threads, usize) -> Result<T, EmbedError> + Sync,
    ) -> Result<Vec<T>, EmbedError> {
        if count < self.narrow.len() {
            return (0..count).map(|number| run(&self.wide, number)).collect();
        }
        let next = AtomicUsize::new(0);
        let take = |threads| -> Result<Vec<(usize, T)>, EmbedError> {
            let mut done = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return Ok(done);
                }
                done.push((number, run(threads, number)?));
            }
        };
        let take = &take;
        let lanes: Vec<_> = thread::scope(|scope| {
            let lanes: Vec<_> =
                self.narrow.iter().map(|threads| scope.spawn(move || take(threads))).collect();
            lanes.into_iter().map(finish).collect()
        });
        let mut numbered: Vec<(usize, T)> = Vec::with_capacity(count);
        for lane in lanes {
            numbered.extend(lane?);
        }
        numbered.sort_unstable_by_key(|(number, _)| *number);
        Ok(numbered.into_iter().map(|(_, done)| done).collect())
    }
}

/// What a thread returns; if it panicked, so does this one.
pub(super) fn finish<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
