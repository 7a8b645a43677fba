"""How often the realtime interface ends an utterance inside a sentence, and how long it waits after one, on `fixtures/voices`.

    weir serve &
    python3 -m venv venv && venv/bin/pip install websockets soundfile numpy
    venv/bin/python scripts/serve/pauses.py             # false cut-offs by silence_duration_ms: as fast as it goes
    venv/bin/python scripts/serve/pauses.py --delay     # the delay after the last word, at the pace of speech

A pause is 200 ms of quiet or more, found by loudness. It is an end where a labelled line ends with the end of a sentence; pauses
in a line without an end of a sentence inside, and ends of lines in the middle of one, are the others. An utterance that ends in
one of the others is a false cut-off. The units are those of eot-bench: false cut-offs at a delay of 300 and of 600 ms, and the
delay at which they are 5 %.
"""

import asyncio
import base64
import json
import re
import sys
import time
from pathlib import Path

import numpy as np
import soundfile
import websockets

RATE, FRAME = 16_000, 160
PAUSE_FRAMES = 20
SILENCES = [208, 304, 400, 496, 608, 1_008]
ADDRESS = "ws://127.0.0.1:8377/v1/realtime?intent=transcription"
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


def labelled():
    """The ends and the other pauses of each recording, as times in ms from which silence follows."""
    found = {}
    for line in open(voices / "voices.stream.jsonl"):
        said = json.loads(line).get("utterance")
        if not said:
            continue
        ends, others = found.setdefault(said["audio"], ([], []))
        sound = soundfile.read(voices / said["audio"], dtype="float32")[0]
        start_ms = said["audio_start_ms"]
        start = start_ms * RATE // 1000
        part = sound[start : start + (said["end_ms"] - said["start_ms"]) * RATE // 1000]
        loud = speech(part)
        last = int(np.nonzero(loud)[0][-1])
        is_end = re.search(r"[.?!]['\"]?$", said["text"])
        (ends if is_end else others).append((start_ms + 10 * last, start_ms + 10 * last + 10_000))
        if not re.search(r"[.?!] ", said["text"]):
            others += [(start_ms + 10 * a, start_ms + 10 * b) for a, b in pauses(loud, last)]
    return found


async def heard(recording, silence, pace):
    """What was told of a recording: kind, its time in the sound or None, and the second of the clock after the start."""
    sound = soundfile.read(voices / recording, dtype="int16")[0].tobytes()
    told, began = [], time.monotonic()
    async with websockets.connect(ADDRESS, max_size=1 << 24) as live:
        turns = {"type": "server_vad", "silence_duration_ms": silence}
        settings = {"format": {"type": "audio/pcm", "rate": RATE}, "turn_detection": turns}
        await live.send(json.dumps({"type": "session.update", "session": {"type": "transcription", "audio": {"input": settings}}}))

        async def say():
            nonlocal began
            began = time.monotonic()
            for at in range(0, len(sound), RATE // 5):
                piece = base64.b64encode(sound[at : at + RATE // 5]).decode()
                await live.send(json.dumps({"type": "input_audio_buffer.append", "audio": piece}))
                if pace:
                    await asyncio.sleep(max(0, began + (at + RATE // 5) / (2 * RATE) - time.monotonic()))
            await live.send(json.dumps({"type": "input_audio_buffer.commit"}))
            await live.send(json.dumps({"type": "the.end"}))

        saying = asyncio.create_task(say())
        async for event in live:
            event = json.loads(event)
            if event["type"] == "error" and "the.end" in event["error"]["message"]:
                break
            assert event["type"] != "error", event
            told.append((event["type"].split(".")[-1], event.get("audio_end_ms"), time.monotonic() - began))
        await saying
    return told


async def cut_offs():
    all_pauses = labelled()
    ends, others = (sum(len(it[at]) for it in all_pauses.values()) for at in (0, 1))
    print(f"{ends} ends, {others} other pauses")
    print("| silence_duration_ms | other pauses that end an utterance | ends found |\n|---|---|---|")
    for silence in SILENCES:
        cut, found = 0, 0
        for recording, (at_ends, elsewhere) in all_pauses.items():
            times = [at for kind, at, _ in await heard(recording, silence, False) if kind == "speech_stopped"]
            within = lambda pause: any(pause[0] - 250 < it < pause[0] + 250 for it in times[:-1])
            cut += sum(map(within, elsewhere))
            found += sum(any(it[0] - 250 < at < it[0] + 250 for at in times) for it in at_ends)
        print(f"| {silence} | {cut / others:.2f} ({cut}) | {found / ends:.2f} ({found}) |", flush=True)


async def delays():
    for silence in (640,):
        waits = []
        for recording in labelled():
            stopped, last = None, -1.0
            for kind, at, second in await heard(recording, silence, True):
                stopped = at if kind == "speech_stopped" else stopped
                if kind == "completed" and stopped is not None:
                    # what comes at once was said without a pause: its last words count
                    if second - last < 0.1:
                        waits.pop()
                    waits.append(second - stopped / 1000)
                    last = second
        waits = sorted(waits)[:-1]
        middle, most = waits[len(waits) // 2], waits[len(waits) * 19 // 20]
        print(f"silence_duration_ms {silence}: words {middle:.2f} s after the last one, {most:.2f} s at most in 19 of 20 ({len(waits)} utterances)")


asyncio.run(delays() if "--delay" in sys.argv else cut_offs())
