"""Log-mel features equal to whisper.cpp's, with the mel filters read from a ggml file.

A clip is framed without the trailing 30 s of padding that whisper.cpp adds: padding frames are all
at the clip's floor, so that `floor` stands for them wherever they are needed.
"""

import numpy as np

SAMPLE_RATE = 16_000
WINDOW = 400
HOP = 160
FLOOR_BELOW_PEAK = 8.0  # whisper.cpp clamps at eight decades under the loudest bin


def log_mel(samples, filters):
    """Log-mel of float samples in [-1, 1]: (frames, 80) float32 and the value of silence in it."""
    padded = np.pad(np.asarray(samples, np.float32), WINDOW // 2, mode="reflect")
    frames = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP][: len(samples) // HOP]
    window = (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)).astype(np.float32)
    power = np.abs(np.fft.rfft(frames * window, axis=1)).astype(np.float32) ** 2
    logs = np.log10(np.maximum(power @ filters.T, 1e-10))
    floor = max(float(logs.max(initial=-10.0)) - FLOOR_BELOW_PEAK, -10.0)
    return (np.maximum(logs, floor) + 4) / 4, (floor + 4) / 4
