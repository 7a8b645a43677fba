"""Log-mel against a naive discrete Fourier transform."""

import unittest

from tests.needs import numpy_or_skip

numpy_or_skip()

import numpy as np  # noqa: E402

import features  # noqa: E402
import ggml  # noqa: E402
from tests.test_ggml import MODEL  # noqa: E402


def naive_log_mel(samples, filters):
    """The definition: reflected edges, Hann window, complex exponentials, mel sums, log, clamp."""
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(400) / 400)
    padded = np.concatenate([samples[200:0:-1], samples, samples[-2:-202:-1]]).astype(np.float64)
    turns = np.exp(-2j * np.pi * np.outer(np.arange(201), np.arange(400)) / 400)
    rows = []
    for frame in range(len(samples) // 160):
        power = np.abs(turns @ (padded[frame * 160 : frame * 160 + 400] * window)) ** 2
        rows.append(np.log10(np.maximum(filters @ power, 1e-10)))
    logs = np.array(rows)
    return (np.maximum(logs, logs.max() - 8) + 4) / 4


class LogMel(unittest.TestCase):
    def test_equals_the_naive_transform(self):
        filters = ggml.read_preamble(MODEL).mel_filters
        time = np.arange(4000) / 16000
        noise = np.random.default_rng(3).standard_normal(4000)
        samples = (0.3 * np.sin(2 * np.pi * 440 * time) + 0.01 * noise).astype(np.float32)
        mel, floor = features.log_mel(samples, filters)
        expected = naive_log_mel(samples, filters)
        self.assertEqual(mel.shape, (25, 80))
        self.assertLess(np.abs(mel - expected).max(), 1e-3)
        self.assertAlmostEqual(floor, (expected.max() * 4 - 4 - 8 + 4) / 4, places=3)

    def test_silence_is_all_floor(self):
        mel, floor = features.log_mel(np.zeros(3200), ggml.read_preamble(MODEL).mel_filters)
        self.assertTrue((mel == np.float32((-10 + 4) / 4)).all())
        self.assertAlmostEqual(floor, -1.5)


if __name__ == "__main__":
    unittest.main()
