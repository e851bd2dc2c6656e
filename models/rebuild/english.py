"""Builds all-MiniLM-L6-v2 with 8-bit weights from its safetensors, without torch."""

import argparse
import shutil
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from bert import Shape, Weights, encoder, layer_norm, positions
from onnx_graph import OnnxGraph
from quantize import save_quantized

SHAPE = Shape(width=384, layers=6, heads=12, norm_epsilon=1e-12)
INPUTS = ["input_ids", "attention_mask", "token_type_ids"]

MATRICES = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "attention": "attention.output.dense",
    "up": "intermediate.dense",
    "down": "output.dense",
}
NORMS = {"attention": "attention.output.LayerNorm", "down": "output.LayerNorm"}


class MiniLmWeights(Weights):
    """Encoder weights by the names sentence-transformers gave them."""

    def __init__(self, tensors):
        self.tensors = tensors

    def matrix(self, layer, role):
        """See `Weights`."""
        prefix = f"encoder.layer.{layer}.{MATRICES[role]}"
        return prefix, self.tensors[prefix + ".weight"].T, self.tensors[prefix + ".bias"]

    def norm(self, layer, role):
        """See `Weights`."""
        return self.named_norm(f"encoder.layer.{layer}.{NORMS[role]}")

    def named_norm(self, prefix):
        """(prefix, scale, shift) of any norm."""
        return prefix, self.tensors[prefix + ".weight"], self.tensors[prefix + ".bias"]

    def erf_argument(self, graph, layer, x):
        """See `Weights`. A division here, where the other model multiplies: the bytes depend on it."""
        return graph.node("Div", [x, graph.float_constant(f"sq2_{layer}", np.sqrt(2))])

    def half(self, graph, layer):
        """See `Weights`."""
        return graph.float_constant(f"half_{layer}", 0.5)


def build(tensors):
    """The graph in full precision."""
    graph = OnnxGraph("minilm")
    weights = MiniLmWeights(tensors)
    words, places, types = (
        graph.constant(name, tensors[f"embeddings.{table}_embeddings.weight"])
        for name, table in (("we", "word"), ("pe", "position"), ("te", "token_type"))
    )
    word = graph.node("Gather", [words, "input_ids"])
    kind = graph.node("Gather", [types, "token_type_ids"])
    place = graph.node("Gather", [places, positions(graph)])
    x = graph.node("Add", [graph.node("Add", [word, kind]), place])
    x = layer_norm(graph, x, weights.named_norm("embeddings.LayerNorm"), SHAPE.norm_epsilon)
    encoder(graph, x, weights, SHAPE)
    return graph.model(INPUTS, "last_hidden_state", SHAPE.width)


def main():
    """Reads the arguments and writes both files."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("package", type=Path, help="the package's model folder")
    arguments.add_argument("out", type=Path, help="folder to write to")
    given = arguments.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(given.package / "tokenizer.json", given.out / "tokenizer.json")
    model = build(load_file(given.package / "model.safetensors"))
    save_quantized(model, given.out / "model_int8.onnx", ["MatMul", "Gather"])


if __name__ == "__main__":
    main()
