//! A text through the network: tokens -> hidden states -> their mean, scaled to length one.
//!
//! Invariant: a vector depends on its text and the model alone. The graph quantises activations with one scale
//! per run, so texts that ran together would change each other; each runs alone, and the cores are kept
//! busy by running several at once. There is therefore no padding, and every mask is full.

use std::sync::Arc;
use std::thread::available_parallelism;

use rayon::prelude::*;
use rten::{Model, ModelOptions, NodeId, RunOptions, ThreadPool, ValueOrView};
use rten_tensor::NdTensor;
use rten_tensor::prelude::*;
use tokenizers::Tokenizer;

use super::EmbedError;
use super::builtin::Recipe;

/// More text than this per token of the window is not read at all: ordinary text has 2 to 6 bytes per
/// token, and tokenizing a megabyte to keep its first 512 tokens would be a gift to whoever sends it.
const MAX_BYTES_PER_TOKEN: usize = 64;

/// A tokenizer and the network that reads its tokens.
pub(super) struct SentenceEncoder {
    tokenizer: Tokenizer,
    network: Network,
    window_tokens: usize,
}

impl SentenceEncoder {
    /// Unpacks both parts at the same time. The error is what the runtime said.
    pub(super) fn load(recipe: &'static Recipe) -> Result<Self, String> {
        let (tokenizer, network) =
            rayon::join(|| load_tokenizer(recipe.tokenizer), || Network::load(recipe.weights));
        Ok(Self { tokenizer: tokenizer?, network: network?, window_tokens: recipe.info.window_tokens })
    }

    /// The unit vector of one text, computed on all cores.
    pub(super) fn encode(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let tokens = self.tokens_in_window(text)?;
        Ok(unit(mean(&self.network.hidden_states(tokens)?)))
    }

    /// One unit vector per text, in order; as many texts at a time as there are cores.
    pub(super) fn encode_all(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.network.threads.run(|| texts.par_iter().map(|text| self.encode(text)).collect())
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
        let encoding = self.tokenizer.encode_fast(text, true).map_err(|error| run_error(&*error))?;
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

/// The graph and the names of its ends.
struct Network {
    model: Model,
    token_ids: NodeId,
    mask: NodeId,
    token_types: Option<NodeId>,
    hidden_states: NodeId,
    threads: Arc<ThreadPool>,
}

impl Network {
    fn load(onnx: &'static [u8]) -> Result<Self, String> {
        let model = ModelOptions::with_all_ops()
            .prepack_weights(true)
            .load_static_slice(onnx)
            .map_err(|error| error.to_string())?;
        let node = |name: &str| model.node_id(name).map_err(|error| error.to_string());
        Ok(Self {
            token_ids: node("input_ids")?,
            mask: node("attention_mask")?,
            token_types: model.find_node("token_type_ids"),
            hidden_states: node("last_hidden_state")?,
            threads: Arc::new(ThreadPool::with_num_threads(core_count())),
            model,
        })
    }

    /// One vector per token: [tokens, dimensions].
    fn hidden_states(&self, tokens: Vec<i32>) -> Result<NdTensor<f32, 2>, EmbedError> {
        let shape = [1, tokens.len()];
        let mut inputs: Vec<(NodeId, ValueOrView)> = vec![
            (self.mask, NdTensor::full(shape, 1).into()),
            (self.token_ids, NdTensor::from_data(shape, tokens).into()),
        ];
        inputs.extend(self.token_types.map(|types| (types, NdTensor::full(shape, 0).into())));
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(&self.threads)));
        let [output] = self
            .model
            .run_n(inputs, [self.hidden_states], Some(options))
            .map_err(|error| run_error(&error))?;
        let output: NdTensor<f32, 3> = output.try_into().map_err(|error| run_error(&error))?;
        Ok(output.slice(0).to_tensor())
    }
}

/// The cores this process may use. rten would count the machine's physical ones, or read the environment.
fn core_count() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// The mean over the rows.
fn mean(rows: &NdTensor<f32, 2>) -> Vec<f32> {
    let mut sum = vec![0.0; rows.size(1)];
    for row in 0..rows.size(0) {
        for (total, value) in sum.iter_mut().zip(rows.slice(row).iter()) {
            *total += value;
        }
    }
    let count = rows.size(0) as f32;
    for total in &mut sum {
        *total /= count;
    }
    sum
}

/// Scaled to length one.
fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    for x in &mut vector {
        *x /= length;
    }
    vector
}

fn run_error(error: &dyn std::error::Error) -> EmbedError {
    EmbedError::Run(error.to_string())
}

#[cfg(test)]
mod tests;
