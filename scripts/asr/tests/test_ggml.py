"""The quantisers against ggml's definition written out one number at a time, and the file's own
layout."""

import pathlib
import struct
import tempfile
import unittest

from tests.needs import numpy_or_skip

numpy_or_skip()

import numpy as np  # noqa: E402

import ggml  # noqa: E402

MODEL = pathlib.Path(__file__).resolve().parents[3] / "asr/models/weir-tiny-q5_0.bin"


def half(value):
    """A value as its two bytes of half precision."""
    return struct.pack("<e", float(value))


def q5_0_by_hand(block):
    """ggml's q5_0 of 32 floats, in plain loops."""
    peak = max(block, key=abs)
    scale = np.float32(peak) / np.float32(-16)
    inverse = np.float32(1) / scale if scale else np.float32(0)
    low, high = bytearray(16), 0
    for j in range(16):
        first = min(31, int(np.float32(block[j]) * inverse + np.float32(16.5)))
        second = min(31, int(np.float32(block[j + 16]) * inverse + np.float32(16.5)))
        low[j] = (first & 15) | ((second & 15) << 4)
        high |= ((first >> 4) & 1) << j | ((second >> 4) & 1) << (j + 16)
    return half(scale) + struct.pack("<I", high) + bytes(low)


class Quantisers(unittest.TestCase):
    def setUp(self):
        rng = np.random.default_rng(1)
        self.blocks = rng.standard_normal((40, 32)).astype(np.float32)
        self.blocks[0] = 0
        self.blocks[1] *= 1e-3

    def test_q5_0_is_ggmls(self):
        by_hand = b"".join(q5_0_by_hand(block) for block in self.blocks)
        self.assertEqual(ggml.quantise_q5_0(self.blocks), by_hand)

    def test_q5_0_comes_back_within_a_step(self):
        back = ggml.dequantise_q5_0(ggml.quantise_q5_0(self.blocks))
        step = np.abs(self.blocks).max(1, keepdims=True) / 16
        # The far end of the side opposite to the peak is clamped, which costs up to one whole step.
        self.assertTrue((np.abs(back - self.blocks) <= 1.01 * step + 1e-7).all())

    def test_q8_0_comes_back_within_half_a_step(self):
        back = ggml.dequantise_q8_0(ggml.quantise_q8_0(self.blocks))
        step = np.abs(self.blocks).max(1, keepdims=True) / 127
        self.assertTrue((np.abs(back - self.blocks) <= 0.6 * step + 1e-6).all())

    def test_sizes_are_those_of_ggml(self):
        self.assertEqual(len(ggml.quantise_q5_0(self.blocks)), 40 * 22)
        self.assertEqual(len(ggml.quantise_q8_0(self.blocks)), 40 * 34)


class File(unittest.TestCase):
    def test_the_committed_model_is_one_that_keeps_its_time_stamps(self):
        header = ggml.read_preamble(MODEL).header
        self.assertEqual(header["vocab"], 51864)
        self.assertNotEqual(header["text_layer"], 2)
        self.assertLess(MODEL.stat().st_size, 12_000_000)

    def test_what_is_written_is_read_back(self):
        source = ggml.read_preamble(MODEL)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "model.bin"
            ggml.write_model(
                path, source.header, source.tables, {"some.weight": np.ones((2, 32))}, "q5_0"
            )
            again = ggml.read_preamble(path)
            data = path.read_bytes()
        self.assertEqual(again.tables, source.tables)
        self.assertEqual(again.tokens, source.tokens)
        tensor = data[48 + len(source.tables) :]
        self.assertEqual(struct.unpack_from("<5i", tensor), (2, 11, ggml.Q5_0, 32, 2))
        self.assertEqual(len(tensor), 20 + 11 + 44)


if __name__ == "__main__":
    unittest.main()
