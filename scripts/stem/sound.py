#!/usr/bin/env python3
"""Speaks a stream of text: one FLAC a sitting, and a stream file with exact spans beside them.

    scripts/stem/sound.py STREAM.jsonl OUT_FOLDER [--noise room|street|none] [--minutes N]

Each speaker has a synthetic voice; who says what is asked for has one of the clearest, the others
follow in the order in which they first speak. The words stay as reference. Breaks and probes stand
where they stood. `--minutes` ends the sound early: probes below the end whose evidence was spoken
then stand at the end, the others are left out.

Needs espeak-ng, flite and sox. The same arguments and versions give the same bytes.
"""

import argparse
import array
import json
import math
import random
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fixtures"))
import speak  # noqa: E402  (it lies in another folder)

PAUSE_MS = 300  # beside the quiet inside each span
NOISE_DB = 25  # below the mean loudness of the voices
TABLE_S = 20  # the noise repeats after so many seconds
FLITE = ("slt", "rms", "awb", "kal16")
# clearest first, by what the built-in model heard of three sentences
ESPEAK = """en-us en-us+m6 en-us+f3 en-gb en-gb+f2 en-gb-x-rp en-gb+m4 en-us+m1 en-us+m3
    en-gb-x-rp+m7 en-gb-x-gbclan+m5 en-us+f1""".split()


def voice(number):
    """The voice of the n-th speaker; beyond the sixteenth they come again at another pace."""
    kinds = [{"engine": "flite", "name": name} for name in FLITE]
    kinds += [{"engine": "espeak-ng", "name": name} for name in ESPEAK]
    again, at = divmod(number, len(kinds))
    # a flite voice, then an espeak-ng one: both engines are heard in talk of two
    at = at // 2 + at % 2 * 4 if at < 8 else at
    other = {"set": {"duration_stretch": 1 + again / 10}, "words_per_minute": 165 - 15 * again}
    return {**kinds[at], **other} if again else kinds[at]


def loudness(samples):
    return math.sqrt(sum(s * s for s in samples) / len(samples))


class Noise:
    """Background noise, for `speak.Sitting`: a table made once, read round and round."""

    def __init__(self, kind, seed, target):
        count = TABLE_S * speak.RATE_HZ
        table = array.array("h", random.Random(seed).randbytes(2 * count))
        if kind == "room":  # a fan behind a wall: steady and low
            table = lowpass(lowpass(table, 300), 900)
        elif kind == "street":  # cars pass: it swells and sinks, whole waves a table so no seam
            low = lowpass(lowpass(table, 1200), 2500)
            waves = [(2, 0.55, 0.0), (5, 0.25, 1.3), (9, 0.1, 2.1)]  # a table: count, size, phase
            turn = [2 * math.pi * i / count for i in range(0, count, 160)]
            swell = [1 + sum(a * math.sin(n * x + p) for n, a, p in waves) for x in turn]
            table = [s * swell[i // 160] for i, s in enumerate(low)]
        else:
            target = speak.ROOM_PEAK / math.sqrt(3)  # a room is never digitally silent
        gain = target / loudness(table)
        self.table, self.at = array.array("h", (round(s * gain) for s in table)), 0

    def samples(self, count):
        out = array.array("h")
        while len(out) < count:
            piece = self.table[self.at : self.at + count - len(out)]
            out.extend(piece)
            self.at = (self.at + len(piece)) % len(self.table)
        return out


def lowpass(samples, hz):
    """A one-pole filter, run in from the end of the table, so that its seam is not heard."""
    keep = math.exp(-2 * math.pi * hz / speak.RATE_HZ)
    state, out = 0.0, []
    for s in samples[-speak.RATE_HZ :]:
        state = s + keep * (state - s)
    for s in samples:
        state = s + keep * (state - s)
        out.append(state)
    return out


def words(text):
    """What a voice says: no scene notes, no captions."""
    text = re.sub(r"[\[(].*?[\])]", " ", text or "")
    text = " ".join(text.split()).lstrip("-. ")  # a program reads "-..." as an option
    return text if re.search(r"[A-Za-z]", text) else ""


def sound(lines, name, folder, noise, minutes, seed):
    """Speaks a stream into the folder; returns its new lines and its milliseconds."""
    turns = [line["utterance"] for line in lines if "utterance" in line]
    asked = {ident for line in lines if "probe" in line for ident in line["probe"]["evidence"]}
    turns.sort(key=lambda turn: turn["id"] not in asked)  # stable: else in the order said
    speakers = dict.fromkeys(turn["speaker"] for turn in turns if words(turn["text"]))
    voices = {speaker: voice(number) for number, speaker in enumerate(speakers)}
    tests = [loudness(speak.synthesise("I read nine books in the garden.", v))
             for v in list(voices.values())[:16]]
    room = Noise(noise, seed, sum(tests) / len(tests) / 10 ** (NOISE_DB / 20))
    limit_ms = (minutes or math.inf) * 60_000
    out, said, end_ms, sittings = [{**lines[0], "name": name}], set(), 0, []
    for line in lines:
        if "weir_stream" in line or "break" in line and end_ms < limit_ms:
            sittings.append(speak.Sitting(f"{name}-{len(sittings) + 1}.flac", end_ms, seed))
            sittings[-1].room = room
            out += [line] if "break" in line else []
        elif "probe" in line:
            proof = line["probe"]["evidence"]
            # below the end a question without evidence says nothing
            if said.issuperset(proof) and (proof or end_ms < limit_ms):
                out.append(line)
        elif "utterance" in line and end_ms < limit_ms and (
                text := words(line["utterance"]["text"])):
            turn, sitting = line["utterance"], sittings[-1]
            span = sitting.say(speak.synthesise(text, voices[turn["speaker"]]))
            out.append(speak.utterance(sitting, turn["id"], turn["speaker"], text, span))
            said.add(turn["id"])
            end_ms = sitting.base_ms + span[1]
            sitting.quiet(PAUSE_MS)
    for sitting in sittings:
        if sitting.audio:  # nothing may have been said in it
            sitting.write(folder)
    return out, end_ms


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("stream", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--noise", choices=("room", "street", "none"), default="room")
    parser.add_argument("--minutes", type=float, help="end after so much sound [default: all]")
    parser.add_argument("--seed", type=int, default=1, help="of the noise")
    args = parser.parse_args(argv)
    lines = [json.loads(line) for line in args.stream.read_text(encoding="utf-8").splitlines()]
    args.out.mkdir(parents=True, exist_ok=True)
    name = f"{args.stream.name.removesuffix('.stream.jsonl')}-{args.noise}"
    out, end_ms = sound(lines, name, args.out, args.noise, args.minutes, args.seed)
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in out)
    (args.out / f"{name}.stream.jsonl").write_text(text, encoding="utf-8")
    print(f"{name}: {sum('probe' in line for line in out)} probes, {end_ms / 60_000:.1f} minutes")


if __name__ == "__main__":
    main()
