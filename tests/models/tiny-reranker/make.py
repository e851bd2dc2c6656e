"""Makes the model beside this file: `python make.py` with the packages onnx, numpy and tokenizers.

A cross-encoder as small as one can be: its score is how many tokens of the second text are in the first.
"""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
WORDS = SPECIAL + ["the", "ferry", "to", "island", "bread", "and", "dough"]

tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer.post_processor = processors.TemplateProcessing(
    single="[CLS] $A [SEP]",
    pair="[CLS] $A [SEP] $B:1 [SEP]:1",
    special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
)
tokenizer.save("tokenizer.json")

one_hot = np.eye(len(WORDS), dtype=np.float32)
one_hot[: len(SPECIAL)] = 0  # special tokens are in no text


def constant(name, value):
    return numpy_helper.from_array(np.array(value), name)


nodes = [
    helper.make_node("Gather", ["words", "input_ids"], ["tokens"]),
    helper.make_node("Cast", ["token_type_ids"], ["flags"], to=TensorProto.FLOAT),
    helper.make_node("Unsqueeze", ["flags", "last"], ["second"]),
    helper.make_node("Sub", ["one", "second"], ["first"]),
    helper.make_node("Mul", ["tokens", "first"], ["question_tokens"]),
    helper.make_node("ReduceMax", ["question_tokens", "middle"], ["question"], keepdims=1),
    helper.make_node("Mul", ["tokens", "second"], ["passage_tokens"]),
    helper.make_node("Mul", ["passage_tokens", "question"], ["shared"]),
    helper.make_node("ReduceSum", ["shared", "both"], ["counts"], keepdims=0),
    helper.make_node("Unsqueeze", ["counts", "last"], ["logits"]),
]
integers = [("input_ids", TensorProto.INT64), ("attention_mask", TensorProto.INT64), ("token_type_ids", TensorProto.INT64)]
graph = helper.make_graph(
    nodes,
    "tiny",
    [helper.make_tensor_value_info(name, kind, ["batch", "sequence"]) for name, kind in integers],
    [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 1])],
    [
        constant("words", one_hot),
        constant("one", np.float32(1)),
        constant("last", np.array([-1], dtype=np.int64)),
        constant("middle", np.array([1], dtype=np.int64)),
        constant("both", np.array([1, 2], dtype=np.int64)),
    ],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
onnx.checker.check_model(model)
onnx.save(model, "model.onnx")
