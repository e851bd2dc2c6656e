//! A cross-encoder: a network that reads a question and a passage together and says how well they go together.

use super::EmbedError;
use super::encoder::load_both;
use super::lanes::Lanes;
use super::network::{Graph, Network};
use super::tokens::WindowedTokenizer;

/// The name that exporters give to the score.
const SCORES: [&str; 1] = ["logits"];

/// A tokenizer and the network that reads its tokens.
pub(super) struct CrossEncoder {
    tokenizer: WindowedTokenizer,
    network: Network,
    lanes: Lanes,
}

impl CrossEncoder {
    /// Unpacks a `tokenizer.json` and an ONNX graph. The error is what the runtime said.
    pub(super) fn load(tokenizer: &[u8], graph: Graph, window_tokens: usize) -> Result<Self, String> {
        let (tokenizer, network) = load_both(tokenizer, window_tokens, graph, &SCORES)?;
        Ok(Self { tokenizer, network, lanes: Lanes::new() })
    }

    /// One score per passage, in order; as many passages at a time as there are cores.
    pub(super) fn score(&self, query: &str, passages: &[String]) -> Result<Vec<f64>, EmbedError> {
        self.lanes.map(passages.len(), |threads, number| {
            let tokens = self.tokenizer.pair(query, &passages[number])?;
            self.network.score(tokens, threads).map_err(EmbedError::Run)
        })
    }
}
