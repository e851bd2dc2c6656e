"""A small writer of ONNX graphs: constants by name, nodes by number.

Names and order of everything written are part of the result: a rebuild must give the same bytes, so
nodes are numbered in the order of the calls and a constant is stored where it is first used.
"""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
IR_VERSION = 8


class OnnxGraph:
    """Collects the nodes and constants of one graph."""

    def __init__(self, name, node_domain=None):
        """`node_domain` is written into every node; None leaves the field out."""
        self.name = name
        self.node_domain = node_domain
        self.nodes = []
        self.constants = []
        self.constant_names = set()

    def constant(self, name, value):
        """Stores `value` under `name` unless the name is known already. Returns the name."""
        if name not in self.constant_names:
            self.constant_names.add(name)
            self.constants.append(numpy_helper.from_array(np.array(value, order="C"), name))
        return name

    def float_constant(self, name, value):
        """A scalar of 32 bits."""
        return self.constant(name, np.array(value, np.float32))

    def int_constant(self, name, value):
        """A scalar or a list of 64-bit integers, as shapes and axes are given."""
        return self.constant(name, np.array(value, np.int64))

    def node(self, operator, inputs, **attributes):
        """Adds one operator. Returns the name of its output."""
        output = f"{operator}_{len(self.nodes) + 1}"
        self.nodes.append(
            helper.make_node(operator, inputs, [output], name=output, domain=self.node_domain, **attributes)
        )
        return output

    def model(self, inputs, output, output_width):
        """The finished model. Inputs are [batch, seq] integers, the last node is `output`."""
        self.nodes[-1].output[0] = output
        graph = helper.make_graph(
            self.nodes,
            self.name,
            [helper.make_tensor_value_info(i, TensorProto.INT64, ["batch", "seq"]) for i in inputs],
            [helper.make_tensor_value_info(output, TensorProto.FLOAT, ["batch", "seq", output_width])],
            self.constants,
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
