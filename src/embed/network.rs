//! The neural network: token ids in, hidden states out. The only file that names rten.
//!
//! Invariant: one text per run, so that there is no padding and every mask is full. Knows no text.

use std::error::Error;
use std::sync::Arc;

use rten::{Model, ModelOptions, NodeId, RunOptions, ThreadPool, ValueOrView};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, NdTensorView};

/// A transformer and the names of its ends.
pub(super) struct Network {
    model: Model,
    token_ids: NodeId,
    mask: NodeId,
    token_types: Option<NodeId>,
    hidden_states: NodeId,
}

impl Network {
    /// Reads an ONNX graph. The error is what the runtime said.
    pub(super) fn load(onnx: &'static [u8]) -> Result<Self, String> {
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
            model,
        })
    }

    /// The mean over the vectors of all tokens. The error is what the runtime said.
    pub(super) fn mean_state(&self, tokens: Vec<i32>, threads: &Threads) -> Result<Vec<f32>, String> {
        let states = self.run(tokens, threads).map_err(|error| error.to_string())?;
        Ok(mean_of_rows(&states.slice(0)))
    }

    /// One vector per token: [1, tokens, dimensions].
    fn run(&self, tokens: Vec<i32>, threads: &Threads) -> Result<NdTensor<f32, 3>, Box<dyn Error>> {
        let shape = [1, tokens.len()];
        let mut inputs: Vec<(NodeId, ValueOrView)> = vec![
            (self.mask, NdTensor::full(shape, 1).into()),
            (self.token_ids, NdTensor::from_data(shape, tokens).into()),
        ];
        inputs.extend(self.token_types.map(|types| (types, NdTensor::full(shape, 0).into())));
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(&threads.0)));
        let [states] = self.model.run_n(inputs, [self.hidden_states], Some(options))?;
        Ok(states.try_into()?)
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
