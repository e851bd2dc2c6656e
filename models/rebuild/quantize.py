"""Eight-bit weights: what both models have in common after their graph is written."""

from pathlib import Path

import onnx
from onnxruntime.quantization import QuantType, quantize_dynamic


def save_quantized(model, path, operators):
    """Saves `model` at `path`, the weights of `operators` as signed bytes with one scale per channel.

    Activations are quantised when the model runs, with one scale per tensor.
    """
    onnx.checker.check_model(model)
    full = Path(path).with_suffix(".full.onnx")
    onnx.save(model, full)
    quantize_dynamic(
        full, path, weight_type=QuantType.QInt8, per_channel=True, op_types_to_quantize=operators
    )
    full.unlink()
