"""whisper.cpp's model file: header, mel filters, vocabulary, tensors and block quantisers.

Layouts are those of ggml (`block_q5_0`: f16 scale, 32 high bits, 16 bytes of low nibbles;
`block_q8_0`: f16 scale, 32 bytes), re-implemented on whole arrays. Reads and writes; it knows
nothing of training.
"""

import struct
from dataclasses import dataclass

import numpy as np

MAGIC = 0x67676D6C
BLOCK = 32
F32, F16, Q5_0, Q8_0 = 0, 1, 6, 8
# File types in the header; the quantised ones carry ggml's quantisation version 2 in thousands.
FILE_TYPES = {"f16": 1, "q5_0": 2008, "q8_0": 2007}
HEADER_FIELDS = (
    "vocab",
    "audio_ctx",
    "audio_state",
    "audio_head",
    "audio_layer",
    "text_ctx",
    "text_state",
    "text_head",
    "text_layer",
    "mels",
    "file_type",
)


@dataclass
class Preamble:
    """What precedes the tensors: header values, and the mel and vocabulary bytes as they stand."""

    header: dict
    mel_filters: np.ndarray
    tokens: list
    tables: bytes


def read_preamble(path):
    """Reads everything before the first tensor of a ggml whisper file."""
    with open(path, "rb") as file:
        data = file.read(4_000_000)
    magic, *values = struct.unpack_from("<12i", data)
    if magic != MAGIC:
        raise SystemExit(f"{path}: not a ggml file (magic {magic:#x}, expected {MAGIC:#x})")
    at = 48
    rows, columns = struct.unpack_from("<2i", data, at)
    filters = np.frombuffer(data, "<f4", rows * columns, at + 8).reshape(rows, columns).copy()
    at += 8 + 4 * rows * columns
    count = struct.unpack_from("<i", data, at)[0]
    at += 4
    tokens = []
    for _ in range(count):
        length = struct.unpack_from("<I", data, at)[0]
        tokens.append(data[at + 4 : at + 4 + length])
        at += 4 + length
    return Preamble(dict(zip(HEADER_FIELDS, values)), filters, tokens, data[48:at])


def quantise_q5_0(values):
    """f32 (..., 32n) to q5_0 bytes."""
    blocks = np.ascontiguousarray(values, np.float32).reshape(-1, BLOCK)
    peak = blocks[np.arange(len(blocks)), np.abs(blocks).argmax(1)]
    scale = peak / np.float32(-16)
    inverse = np.divide(1, scale, out=np.zeros_like(scale), where=scale != 0)
    codes = (blocks * inverse[:, None] + np.float32(16.5)).astype(np.int8)
    codes = np.minimum(31, codes).astype(np.uint32)
    low = ((codes[:, :16] & 15) | ((codes[:, 16:] & 15) << 4)).astype(np.uint8)
    high = (((codes >> 4) & 1) << np.arange(BLOCK, dtype=np.uint32)).sum(1, dtype=np.uint32)
    packed = [
        scale.astype("<f2").view(np.uint8).reshape(-1, 2),
        high.astype("<u4").view(np.uint8).reshape(-1, 4),
        low,
    ]
    return np.concatenate(packed, 1).tobytes()


def quantise_q8_0(values):
    """f32 (..., 32n) to q8_0 bytes."""
    blocks = np.ascontiguousarray(values, np.float32).reshape(-1, BLOCK)
    scale = np.abs(blocks).max(1) / np.float32(127)
    inverse = np.divide(1, scale, out=np.zeros_like(scale), where=scale != 0)
    scaled = blocks * inverse[:, None]
    codes = np.trunc(scaled + np.copysign(np.float32(0.5), scaled)).astype(np.int8)
    packed = [scale.astype("<f2").view(np.uint8).reshape(-1, 2), codes.view(np.uint8)]
    return np.concatenate(packed, 1).tobytes()


def dequantise_q5_0(data):
    """q5_0 bytes back to f32 blocks (n, 32)."""
    raw = np.frombuffer(data, np.uint8).reshape(-1, 22)
    scale = raw[:, :2].copy().view("<f2").astype(np.float32)
    high = raw[:, 2:6].copy().view("<u4")
    low = np.concatenate([raw[:, 6:] & 15, raw[:, 6:] >> 4], 1)
    codes = low | (((high >> np.arange(BLOCK, dtype=np.uint32)) & 1) << 4).astype(np.uint8)
    return (codes.astype(np.float32) - 16) * scale


def dequantise_q8_0(data):
    """q8_0 bytes back to f32 blocks (n, 32)."""
    raw = np.frombuffer(data, np.uint8).reshape(-1, 34)
    scale = raw[:, :2].copy().view("<f2").astype(np.float32)
    return raw[:, 2:].copy().view(np.int8).astype(np.float32) * scale


QUANTISERS = {"q5_0": (Q5_0, quantise_q5_0), "q8_0": (Q8_0, quantise_q8_0)}


def encoded(name, array, file_type):
    """Type number and bytes of a tensor, by whisper.cpp's own rule of which to quantise."""
    if array.ndim < 2 or name.endswith("positional_embedding") or array.shape[-1] == 1:
        return F32, array.astype("<f4").tobytes()
    if file_type in QUANTISERS and array.ndim == 2:
        number, quantise = QUANTISERS[file_type]
        return number, quantise(array)
    return F16, array.astype("<f2").tobytes()


def write_model(path, header, tables, tensors, file_type):
    """Writes a whole model file; `tensors` maps names to arrays, outermost dimension first."""
    header = dict(header, file_type=FILE_TYPES[file_type])
    with open(path, "wb") as file:
        file.write(struct.pack("<12i", MAGIC, *(header[field] for field in HEADER_FIELDS)))
        file.write(tables)
        for name, array in tensors.items():
            number, data = encoded(name, array, file_type)
            label = name.encode()
            file.write(struct.pack("<3i", array.ndim, len(label), number))
            file.write(struct.pack(f"<{array.ndim}i", *reversed(array.shape)))
            file.write(label + data)
