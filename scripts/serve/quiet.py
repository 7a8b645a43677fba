"""The lines of `fixtures/voices` with their quiet places, found by loudness.

A pause is 200 ms of quiet or more. The end of a line is an end where its text ends a sentence; pauses in a line without an end of a
sentence inside, and ends of lines in the middle of one, are the others.
"""

import json
import re
from pathlib import Path

import numpy as np
import soundfile

RATE, FRAME = 16_000, 160
PAUSE_FRAMES = 20
voices = Path(__file__).parents[2] / "fixtures/voices"


def speech(sound):
    """Which frames are loud: above a third of the way from the quiet ones to the loud ones."""
    frames = sound[: len(sound) // FRAME * FRAME].reshape(-1, FRAME)
    decibels = 10 * np.log10(np.mean(frames**2, axis=1) + 1e-10)
    quiet, loud = np.percentile(decibels, [5, 90])
    return decibels > quiet + 0.35 * (loud - quiet)


def pauses(loud, last):
    """Starts and ends of pauses inside a line, in frames, not beside its ends."""
    start = None
    for at in range(last):
        if loud[at]:
            if start is not None and at - start >= PAUSE_FRAMES and 30 < start and at < last - 20:
                yield start, at
            start = None
        elif start is None:
            start = at


def lines():
    """For each line: its recording, its sound, where it begins in ms, its last loud frame, whether it ends a sentence, its pauses."""
    for line in open(voices / "voices.stream.jsonl"):
        said = json.loads(line).get("utterance")
        if not said:
            continue
        sound = soundfile.read(voices / said["audio"], dtype="float32")[0]
        start_ms = said["audio_start_ms"]
        start = start_ms * RATE // 1000
        loud = speech(sound[start : start + (said["end_ms"] - said["start_ms"]) * RATE // 1000])
        last = int(np.nonzero(loud)[0][-1])
        is_end = bool(re.search(r"[.?!]['\"]?$", said["text"]))
        inside = [] if re.search(r"[.?!] ", said["text"]) else list(pauses(loud, last))
        yield said["audio"], sound, start_ms, last, is_end, inside
