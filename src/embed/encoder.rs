//! A text through the network: tokens -> hidden states -> their mean, scaled to length one.
//!
//! Invariant: a vector depends on its text and the model alone. The graph quantises activations with one scale
//! per run, so texts that ran together would change each other (to a cosine of 0.99 at worst); each runs alone.
//! There is therefore no padding, and every mask is full. Nothing here knows which models exist.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, ScopedJoinHandle, available_parallelism};

use tokenizers::Tokenizer;

use super::EmbedError;
use super::network::{Network, Threads};

/// More text than this per token of the window is not read at all: ordinary text has 2 to 6 bytes per
/// token, and tokenizing a megabyte to keep its first 512 tokens would be a gift to whoever sends it.
const MAX_BYTES_PER_TOKEN: usize = 64;

/// A tokenizer, the network that reads its tokens, and the threads to run it on.
pub(super) struct SentenceEncoder {
    tokenizer: Tokenizer,
    network: Network,
    window_tokens: usize,
    /// All cores for one text.
    wide: Threads,
    /// One core each for many texts: a tenth to a fifth less work per text than splitting each one up, and
    /// no text waits inside another, as it would where pools of work-stealing threads are nested.
    lanes: Vec<Threads>,
}

impl SentenceEncoder {
    /// Unpacks a `tokenizer.json` and an ONNX graph at the same time. The error is what the runtime said.
    ///
    /// On plain threads: a work-stealing one could pick up, while it waits, a task that waits for this load.
    pub(super) fn load(tokenizer: &[u8], onnx: &'static [u8], window_tokens: usize) -> Result<Self, String> {
        let (tokenizer, network) = thread::scope(|scope| {
            let tokenizer = scope.spawn(|| load_tokenizer(tokenizer));
            let network = scope.spawn(|| Network::load(onnx));
            (finish(tokenizer), finish(network))
        });
        let cores = available_parallelism().map_or(1, usize::from);
        Ok(Self {
            tokenizer: tokenizer?,
            network: network?,
            window_tokens,
            wide: Threads::new(cores),
            lanes: (0..cores).map(|_| Threads::new(1)).collect(),
        })
    }

    /// The unit vector of one text, computed on all cores.
    pub(super) fn encode(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.encode_on(&self.wide, text)
    }

    /// One unit vector per text, in order; as many texts at a time as there are cores.
    pub(super) fn encode_all(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        if texts.len() < self.lanes.len() {
            return texts.iter().map(|text| self.encode(text)).collect();
        }
        let next = &AtomicUsize::new(0);
        let lanes: Vec<_> = thread::scope(|scope| {
            let start = |threads| scope.spawn(move || self.run_lane(threads, texts, next));
            let lanes: Vec<_> = self.lanes.iter().map(start).collect();
            lanes.into_iter().map(finish).collect()
        });
        let mut numbered = lanes.into_iter().collect::<Result<Vec<_>, _>>()?.concat();
        numbered.sort_unstable_by_key(|(number, _)| *number);
        Ok(numbered.into_iter().map(|(_, vector)| vector).collect())
    }

    /// Takes the next text until none is left. Returns vectors with the number of their text.
    fn run_lane(
        &self,
        threads: &Threads,
        texts: &[String],
        next: &AtomicUsize,
    ) -> Result<Vec<(usize, Vec<f32>)>, EmbedError> {
        let mut vectors = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(text) = texts.get(number) else { return Ok(vectors) };
            vectors.push((number, self.encode_on(threads, text)?));
        }
    }

    fn encode_on(&self, threads: &Threads, text: &str) -> Result<Vec<f32>, EmbedError> {
        let tokens = self.tokens_in_window(text)?;
        self.network.mean_state(tokens, threads).map(unit).map_err(EmbedError::Run)
    }

    /// Length of a text in tokens, special ones included, however long it is.
    pub(super) fn count_tokens(&self, text: &str) -> Result<usize, EmbedError> {
        self.tokens(text).map(|tokens| tokens.len())
    }

    /// The tokens the network sees. What the window cuts off is replaced by the closing special token.
    fn tokens_in_window(&self, text: &str) -> Result<Vec<i32>, EmbedError> {
        let text = &text[..text.floor_char_boundary(self.window_tokens * MAX_BYTES_PER_TOKEN)];
        let mut tokens = self.tokens(text)?;
        if let Some(&closing) = tokens.last()
            && tokens.len() > self.window_tokens
        {
            tokens.truncate(self.window_tokens - 1);
            tokens.push(closing);
        }
        Ok(tokens)
    }

    fn tokens(&self, text: &str) -> Result<Vec<i32>, EmbedError> {
        let encoding =
            self.tokenizer.encode_fast(text, true).map_err(|error| EmbedError::Run(error.to_string()))?;
        Ok(encoding.get_ids().iter().map(|&id| id.cast_signed()).collect())
    }
}

/// A tokenizer without the truncation and padding its file may ask for.
fn load_tokenizer(description: &[u8]) -> Result<Tokenizer, String> {
    let mut tokenizer = Tokenizer::from_bytes(description).map_err(|error| error.to_string())?;
    tokenizer.with_truncation(None).map_err(|error| error.to_string())?.with_padding(None);
    // A note that says "[SEP]" or "</s>" means these characters.
    tokenizer.set_encode_special_tokens(true);
    Ok(tokenizer)
}

/// What a thread returns; if it panicked, so does this one.
fn finish<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Scaled to length one.
pub(super) fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    for x in &mut vector {
        *x /= length;
    }
    vector
}

#[cfg(test)]
mod tests;
