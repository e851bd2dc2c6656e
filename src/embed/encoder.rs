//! A text through the network: tokens -> hidden states -> one vector of length one.
//!
//! Invariant: a vector depends on its text and the model alone. The graph quantises activations with one scale
//! per run, so texts that ran together would change each other (to a cosine of 0.99 at worst); each runs alone.
//! There is therefore no padding, and every mask is full. Nothing here knows which models exist.

use std::thread;

use super::EmbedError;
use super::lanes::{Lanes, finish};
use super::network::{Graph, Network, Pooling, Threads};
use super::tokens::WindowedTokenizer;

/// Names that exporters give to the hidden states.
const HIDDEN_STATES: [&str; 2] = ["last_hidden_state", "token_embeddings"];

/// A tokenizer, the network that reads its tokens, and the threads to run it on.
pub(super) struct SentenceEncoder {
    tokenizer: WindowedTokenizer,
    network: Network,
    pooling: Pooling,
    lanes: Lanes,
}

impl SentenceEncoder {
    /// Unpacks a `tokenizer.json` and an ONNX graph. The error is what the runtime said.
    pub(super) fn load(
        tokenizer: &[u8],
        graph: Graph,
        window_tokens: usize,
        pooling: Pooling,
    ) -> Result<Self, String> {
        let (tokenizer, network) = load_both(tokenizer, window_tokens, graph, &HIDDEN_STATES)?;
        Ok(Self { tokenizer, network, pooling, lanes: Lanes::new() })
    }

    /// The unit vector of one text, computed on all cores.
    pub(super) fn encode(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.encode_on(self.lanes.wide(), text)
    }

    /// One unit vector per text, in order; as many texts at a time as there are cores.
    pub(super) fn encode_all(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.lanes.map(texts.len(), |threads, number| self.encode_on(threads, &texts[number]))
    }

    fn encode_on(&self, threads: &Threads, text: &str) -> Result<Vec<f32>, EmbedError> {
        let tokens = self.tokenizer.single(text)?;
        self.network.state(tokens, self.pooling, threads).map(unit).map_err(EmbedError::Run)
    }

    /// Length of a text in tokens, special ones included, however long it is.
    pub(super) fn count_tokens(&self, text: &str) -> Result<usize, EmbedError> {
        self.tokenizer.count(text)
    }
}

/// Unpacks both at the same time.
///
/// On plain threads: a work-stealing one could pick up, while it waits, a task that waits for this load.
pub(super) fn load_both(
    tokenizer: &[u8],
    window_tokens: usize,
    graph: Graph,
    outputs: &[&str],
) -> Result<(WindowedTokenizer, Network), String> {
    let (tokenizer, network) = thread::scope(|scope| {
        let tokenizer = scope.spawn(|| WindowedTokenizer::load(tokenizer, window_tokens));
        let network = scope.spawn(|| Network::load(graph, outputs));
        (finish(tokenizer), finish(network))
    });
    Ok((tokenizer?, network?))
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
