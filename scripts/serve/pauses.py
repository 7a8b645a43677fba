"""How often the realtime interface ends an utterance inside a sentence, and how long it waits after one, on `fixtures/voices`.

    weir serve &
    python3 -m venv venv && venv/bin/pip install websockets soundfile numpy
    venv/bin/python scripts/serve/pauses.py             # false cut-offs by silence_duration_ms: as fast as it goes
    venv/bin/python scripts/serve/pauses.py --delay     # the delay after the last word, at the pace of speech

An utterance that ends in a pause that ends no sentence (`quiet.py`) is a false cut-off. The units are those of eot-bench: false
cut-offs at a delay of 300 and of 600 ms, and the delay at which they are 5 %.
"""

import asyncio
import base64
import json
import sys
import time

import soundfile
import websockets
from quiet import RATE, lines, voices

SILENCES = [304, 400, 608, 1_008]
ADDRESS = "ws://127.0.0.1:8377/v1/realtime?intent=transcription"


def labelled():
    """The ends and the other pauses of each recording, as times in ms from which silence follows."""
    found = {}
    for recording, _, start_ms, last, is_end, inside in lines():
        ends, others = found.setdefault(recording, ([], []))
        (ends if is_end else others).append((start_ms + 10 * last, start_ms + 10 * last + 10_000))
        others += [(start_ms + 10 * a, start_ms + 10 * b) for a, b in inside]
    return found


async def heard(recording, silence, pace):
    """What was told of a recording: kind, item, its time in the sound or its words, and the second of the clock after the start."""
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
            kind = event["type"].split(".")[-1]
            told.append((kind, event.get("item_id"), event.get("audio_end_ms") or event.get("transcript"), time.monotonic() - began))
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
            told = await heard(recording, silence, False)
            # what was a noise is no utterance
            said = {item for kind, item, words, _ in told if kind == "completed" and words}
            times = [at for kind, item, at, _ in told if kind == "speech_stopped" and item in said]
            within = lambda pause: any(pause[0] - 250 < it < pause[0] + 250 for it in times[:-1])
            cut += sum(map(within, elsewhere))
            found += sum(any(it[0] - 250 < at < it[0] + 250 for at in times) for it in at_ends)
        print(f"| {silence} | {cut / others:.2f} ({cut}) | {found / ends:.2f} ({found}) |", flush=True)


async def delays():
    for silence in (640,):
        stops, waits = [], []
        for recording in labelled():
            ends, last = {}, -1.0
            for kind, item, at, second in await heard(recording, silence, True):
                if kind == "speech_stopped":
                    ends[item] = at / 1000
                    # an utterance that is told with its words did not end with a pause
                    stops += [second - at / 1000] if second - last > 0.1 else []
                if kind == "completed":
                    # what comes at once was said without a pause: its last words count
                    if second - last < 0.1:
                        waits.pop()
                    waits.append(second - ends[item])
                    last = second
            # the end of a recording is no pause
            waits.pop()
        for what, found in ("end told", stops), ("words", waits):
            found = sorted(found)
            middle, most = found[len(found) // 2], found[len(found) * 19 // 20]
            print(f"silence_duration_ms {silence}: {what} {middle:.2f} s after the last word, {most:.2f} s at most in 19 of 20 ({len(found)})")


asyncio.run(delays() if "--delay" in sys.argv else cut_offs())
