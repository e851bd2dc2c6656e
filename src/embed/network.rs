//! The neural network: token ids in, hidden states or scores out. The only file that names rten.
//!
//! Invariant: one text per run, so that there is no padding and every mask is full. Knows no text.

use std::error::Error;
use std::sync::Arc;

use rten::{Model, ModelOptions, NodeId, RunOptions, ThreadPool, ValueOrView};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, NdTensorView, Tensor};

/// An ONNX graph.
pub(super) enum Graph {
    /// Part of the binary.
    Embedded(&'static [u8]),
    /// Read from a file.
    Read(Vec<u8>),
}

/// A text as the network reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tokens {
    pub(super) ids: Vec<i32>,
    /// 0, or 1 for the second of two texts.
    pub(super) types: Vec<i32>,
}

/// Which of the hidden states stands for the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pooling {
    /// The mean of all.
    Mean,
    /// That of the first token.
    First,
}

/// A transformer and the names of its ends.
pub(super) struct Network {
    model: Model,
    token_ids: NodeId,
    mask: Option<NodeId>,
    token_types: Option<NodeId>,
    output: NodeId,
}

impl Network {
    /// Reads a graph that has one of these outputs. The error is what the runtime said.
    pub(super) fn load(graph: Graph, outputs: &[&str]) -> Result<Self, String> {
        let mut options = ModelOptions::with_all_ops();
        let options = options.prepack_weights(true);
        let model = match graph {
            Graph::Embedded(bytes) => options.load_static_slice(bytes),
            Graph::Read(bytes) => options.load(bytes),
        };
        let model = model.map_err(|error| error.to_string())?;
        let output = outputs.iter().find_map(|name| model.find_node(name));
        Ok(Self {
            token_ids: model.node_id("input_ids").map_err(|error| error.to_string())?,
            mask: model.find_node("attention_mask"),
            token_types: model.find_node("token_type_ids"),
            output: output.ok_or_else(|| format!("it has no output named {}", outputs.join(" or ")))?,
            model,
        })
    }

    /// The vector of a text. The error is what the runtime said.
    pub(super) fn state(
        &self,
        tokens: Tokens,
        pooling: Pooling,
        threads: &Threads,
    ) -> Result<Vec<f32>, String> {
        let states = self.run(tokens, threads).map_err(|error| error.to_string())?;
        let states: NdTensor<f32, 3> =
            states.try_into().map_err(|_| "its states are no vectors of tokens")?;
        let states = states.slice(0);
        match pooling {
            _ if states.size(0) == 0 => Err("it gave no states".to_owned()),
            Pooling::Mean => Ok(mean_of_rows(&states)),
            Pooling::First => Ok(states.slice(0).iter().copied().collect()),
        }
    }

    /// The score of a text: the last number the network gives, which of two is that of "yes".
    pub(super) fn score(&self, tokens: Tokens, threads: &Threads) -> Result<f64, String> {
        let scores = self.run(tokens, threads).map_err(|error| error.to_string())?;
        scores.iter().next_back().map(|score| f64::from(*score)).ok_or_else(|| "it gave no score".to_owned())
    }

    fn run(&self, tokens: Tokens, threads: &Threads) -> Result<Tensor<f32>, Box<dyn Error>> {
        let shape = [1, tokens.ids.len()];
        let mut inputs: Vec<(NodeId, ValueOrView)> =
            vec![(self.token_ids, NdTensor::from_data(shape, tokens.ids).into())];
        inputs.extend(self.mask.map(|mask| (mask, NdTensor::full(shape, 1).into())));
        let types = self.token_types.map(|types| (types, NdTensor::from_data(shape, tokens.types).into()));
        inputs.extend(types);
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(&threads.0)));
        let [output] = self.model.run_n(inputs, [self.output], Some(options))?;
        Ok(output.try_into()?)
    }
}

/// The threads a run may use. A pool of our own: rten's counts the machine's cores, not the process's.
pub(super) struct Threads(Arc<ThreadPool>);

impl Threads {
    pub(super) fn new(count: usize) -> Self {
        Self(Arc::new(ThreadPool::with_num_threads(count)))
    }
}

/// The mean over the rows.
fn mean_of_rows(rows: &NdTensorView<f32, 2>) -> Vec<f32> {
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
