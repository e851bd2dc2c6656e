"""The encoder both models share: BERT's layers as ONNX nodes (post-norm, exact GELU).

What differs between the models (names, where weights come from, how GELU's argument is scaled) is asked
from a `Weights` object, so that this file holds the architecture and nothing else.
"""

from dataclasses import dataclass

import numpy as np
from onnx import TensorProto


@dataclass(frozen=True)
class Shape:
    """Sizes of the encoder."""

    width: int
    layers: int
    heads: int
    norm_epsilon: float


class Weights:
    """What an encoder needs to know about one model; each model's file implements it."""

    def matrix(self, layer, role):
        """(name prefix, matrix [inputs, outputs], bias) of one role.

        Roles: `query`, `key`, `value`, `attention` (its output), `up`, `down`.
        """
        raise NotImplementedError

    def norm(self, layer, role):
        """(name prefix, scale, shift) of the norm after `attention` or `down`."""
        raise NotImplementedError

    def erf_argument(self, graph, layer, x):
        """x / sqrt(2)."""
        raise NotImplementedError

    def half(self, graph, layer):
        """The constant one half."""
        raise NotImplementedError


def layer_norm(graph, x, named_norm, epsilon):
    """Layer normalisation over the last axis."""
    prefix, scale, shift = named_norm
    inputs = [x, graph.constant(prefix + ".w", scale), graph.constant(prefix + ".b", shift)]
    return graph.node("LayerNormalization", inputs, axis=-1, epsilon=epsilon)


def positions(graph):
    """0, 1, 2, … up to the length of the sequence."""
    shape = graph.node("Shape", ["input_ids"])
    length = graph.node("Gather", [shape, graph.int_constant("one_i", 1)], axis=0)
    return graph.node("Range", [graph.int_constant("zero", 0), length, graph.int_constant("one", 1)])


def encoder(graph, x, weights, shape):
    """All layers over the embedded tokens `x` [batch, seq, width]."""
    bias = attention_bias(graph)
    graph.int_constant("shp", [0, 0, shape.heads, shape.width // shape.heads])
    graph.int_constant("shp2", [0, 0, shape.width])
    graph.float_constant("scale", 1 / np.sqrt(shape.width // shape.heads))
    for layer in range(shape.layers):
        attended = graph.node("Add", [attention(graph, x, bias, weights, layer), x])
        x = layer_norm(graph, attended, weights.norm(layer, "attention"), shape.norm_epsilon)
        transformed = graph.node("Add", [feed_forward(graph, x, weights, layer), x])
        x = layer_norm(graph, transformed, weights.norm(layer, "down"), shape.norm_epsilon)
    return x


def attention_bias(graph):
    """0 where the mask is 1, and -1e9 where it is 0: added to the attention scores."""
    mask = graph.node("Unsqueeze", ["attention_mask", graph.int_constant("ax12", [1, 2])])
    mask = graph.node("Cast", [mask], to=TensorProto.FLOAT)
    hidden = graph.node("Sub", [graph.float_constant("onef", 1), mask])
    return graph.node("Mul", [hidden, graph.float_constant("neg", -1e9)])


def linear(graph, x, named_matrix):
    """x W + b."""
    prefix, matrix, bias = named_matrix
    product = graph.node("MatMul", [x, graph.constant(prefix + ".wt", matrix)])
    return graph.node("Add", [product, graph.constant(prefix + ".bb", bias)])


def attention(graph, x, bias, weights, layer):
    """Scaled dot-product attention over all heads, and its output projection."""
    heads = [
        graph.node("Reshape", [linear(graph, x, weights.matrix(layer, role)), "shp"])
        for role in ("query", "key", "value")
    ]
    query = graph.node("Transpose", [heads[0]], perm=[0, 2, 1, 3])
    key = graph.node("Transpose", [heads[1]], perm=[0, 2, 3, 1])
    value = graph.node("Transpose", [heads[2]], perm=[0, 2, 1, 3])
    scores = graph.node("Mul", [graph.node("MatMul", [query, key]), "scale"])
    shares = graph.node("Softmax", [graph.node("Add", [scores, bias])], axis=-1)
    mixed = graph.node("Transpose", [graph.node("MatMul", [shares, value])], perm=[0, 2, 1, 3])
    joined = graph.node("Reshape", [mixed, "shp2"])
    return linear(graph, joined, weights.matrix(layer, "attention"))


def feed_forward(graph, x, weights, layer):
    """Up, GELU by the error function, down."""
    raised = linear(graph, x, weights.matrix(layer, "up"))
    erf = graph.node("Erf", [weights.erf_argument(graph, layer, raised)])
    gated = graph.node("Mul", [raised, graph.node("Add", [erf, "onef"])])
    activated = graph.node("Mul", [gated, weights.half(graph, layer)])
    return linear(graph, activated, weights.matrix(layer, "down"))
