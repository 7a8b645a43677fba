"""Whether Smart-Turn knows the end of a turn: its chance 200 ms into the pauses of `fixtures/voices`.

    python3 -m venv venv && venv/bin/pip install pipecat-ai onnxruntime soundfile numpy
    venv/bin/python scripts/serve/smart_turn.py

Ends of lines whose text ends a sentence are ends; other ends of lines, and pauses inside a line without a sentence's end, are
not. The model (Smart-Turn v3.2, int8) and its features are those of the package pipecat-ai (BSD-2-Clause).
"""

import json
import re
import time
from pathlib import Path

import numpy as np
import onnxruntime
import pipecat.audio.turn.smart_turn as smart_turn
import soundfile
from pipecat.audio.turn.smart_turn._whisper_features import compute_whisper_log_mel_features

RATE, FRAME = 16_000, 160
PAUSE_FRAMES = 20
WINDOW = 8 * RATE

voices = Path(__file__).parents[2] / "fixtures/voices"
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
weights = Path(smart_turn.__file__).parent / "data/smart-turn-v3.2-cpu.onnx"
model = onnxruntime.InferenceSession(str(weights), options)
took = []


def chance(sound):
    sound = np.pad(sound[-WINDOW:], (max(0, WINDOW - len(sound)), 0))
    features = compute_whisper_log_mel_features(sound, do_normalize=True)[None].astype(np.float32)
    began = time.process_time()
    found = model.run(None, {"input_features": features})[0][0].item()
    took.append(time.process_time() - began)
    return found


def speech(sound):
    """Which frames are loud: above a third of the way from the quiet ones to the loud ones."""
    frames = sound[: len(sound) // FRAME * FRAME].reshape(-1, FRAME)
    decibels = 10 * np.log10(np.mean(frames**2, axis=1) + 1e-10)
    quiet, loud = np.percentile(decibels, [5, 90])
    return decibels > quiet + 0.35 * (loud - quiet)


def pauses(loud, last):
    """Starts of pauses inside a line, not beside its ends."""
    start = None
    for at in range(last):
        if loud[at]:
            if start is not None and at - start >= PAUSE_FRAMES and 30 < start and at < last - 20:
                yield start
            start = None
        elif start is None:
            start = at


ends, others = [], []
for line in open(voices / "voices.stream.jsonl"):
    said = json.loads(line).get("utterance")
    if not said:
        continue
    sound = soundfile.read(voices / said["audio"], dtype="float32")[0]
    start = said["audio_start_ms"] * RATE // 1000
    part = sound[start : start + (said["end_ms"] - said["start_ms"]) * RATE // 1000]
    loud = speech(part)
    last = np.nonzero(loud)[0][-1]
    is_end = re.search(r"[.?!]['\"]?$", said["text"])
    after = lambda frame: chance(sound[: start + (frame + PAUSE_FRAMES) * FRAME])
    (ends if is_end else others).append(after(last))
    if not re.search(r"[.?!] ", said["text"]):
        others += [after(at) for at in pauses(loud, last)]

auc = np.mean([(end > other) + 0.5 * (end == other) for end in ends for other in others])
print(f"{len(ends)} ends, {len(others)} other pauses: AUC {auc:.2f}; above 0.5 {np.mean(np.array(ends) > 0.5):.2f} of the ends")
print(f"and {np.mean(np.array(others) > 0.5):.2f} of the others; {1000 * np.mean(took):.0f} ms of one core each")
