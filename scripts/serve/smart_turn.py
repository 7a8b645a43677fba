"""Whether Smart-Turn knows the end of a turn: its chance 200 ms into the pauses of `fixtures/voices`.

    python3 -m venv venv && venv/bin/pip install pipecat-ai onnxruntime soundfile numpy
    venv/bin/python scripts/serve/smart_turn.py

`quiet.py` says which pauses are ends. The model (Smart-Turn v3.2, int8) and its features are those of the package pipecat-ai
(BSD-2-Clause).
"""

import time
from pathlib import Path

import numpy as np
import onnxruntime
import pipecat.audio.turn.smart_turn as smart_turn
from pipecat.audio.turn.smart_turn._whisper_features import compute_whisper_log_mel_features
from quiet import FRAME, PAUSE_FRAMES, RATE, lines

WINDOW = 8 * RATE

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


ends, others = [], []
for _, sound, start_ms, last, is_end, inside in lines():
    after = lambda frame: chance(sound[: start_ms * RATE // 1000 + (frame + PAUSE_FRAMES) * FRAME])
    (ends if is_end else others).append(after(last))
    others += [after(at) for at, _ in inside]

auc = np.mean([(end > other) + 0.5 * (end == other) for end in ends for other in others])
print(f"{len(ends)} ends, {len(others)} other pauses: AUC {auc:.2f}; above 0.5 {np.mean(np.array(ends) > 0.5):.2f} of the ends")
print(f"and {np.mean(np.array(others) > 0.5):.2f} of the others; {1000 * np.mean(took):.0f} ms of one core each")
