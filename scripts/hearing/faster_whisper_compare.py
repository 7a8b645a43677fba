#!/usr/bin/env python3
"""Weir's recognition against faster-whisper's: the same clips and weights, in turns, in one run.

    cargo build --release -p weir-benches
    python3 -m venv venv && venv/bin/pip install faster-whisper 'jiwer>=4,<5' 'whisper-normalizer>=0.1.12,<1'
    venv/bin/python scripts/hearing/faster_whisper_compare.py LIST --ct2 FOLDER --ggml FILE [FILE ...]

LIST is what `weir-bench hear-clips` takes: in each line a file and what is said in it, with a tab
between them. FOLDER holds a Whisper for CTranslate2, each FILE the same weights for whisper.cpp
(`weir models import FOLDER --quantise q8_0` makes them). Both sides take one thread, open and
decode the files themselves, and have loaded their model before the clock starts. Each round goes
through all of them once; the median of the rounds is told. `score.py` scores both sides alike.

Prints a table in Markdown: word error rate, processor and clock time as a share of the recordings'.
Processor time is that of all threads and hardly depends on what else runs. `--clips FILE` keeps
what was heard in each clip, one JSON object a line.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import score  # what it loads may read the environment

# Weir tells the times of words always, so the fair rows are those with times of words.
WAYS = {
    "words": {"word_timestamps": True},
    "plain": {},
    "untimed": {"without_timestamps": True},
    "vad+words": {"vad_filter": True, "word_timestamps": True},
    "vad": {"vad_filter": True},
}
SAID = {
    "words": "times of words",
    "plain": "times of segments",
    "untimed": "no times",
    "vad+words": "voice detector, times of words",
    "vad": "voice detector, times of segments",
}
TREE = pathlib.Path(__file__).resolve().parents[2]


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("list", type=pathlib.Path)
    parser.add_argument("--ct2", type=pathlib.Path, required=True, metavar="FOLDER")
    parser.add_argument("--ggml", nargs="+", required=True, metavar="FILE")
    parser.add_argument("--root", type=pathlib.Path, help="folder that the files are named from")
    parser.add_argument("--bench", default=TREE / "target/release/weir-bench", metavar="PROGRAM")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--beams", type=int, nargs="+", default=[5])
    parser.add_argument("--types", nargs="+", default=["int8"], help="int8, float32, ...")
    parser.add_argument("--ways", nargs="+", default=list(WAYS), choices=WAYS)
    parser.add_argument("--language", default="en")
    parser.add_argument("--clips", type=pathlib.Path, metavar="FILE")
    return parser.parse_args()


def lines(program, *words):
    """The JSON lines that the program prints; what it says beside them goes to standard error."""
    done = subprocess.run(list(map(str, (program, *words))), stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{program} {words[0]}: exit code {done.returncode}")
    return [json.loads(line) for line in done.stdout.splitlines()]


class Row:
    """One way to recognise the clips: what each round took, and what it heard."""

    def __init__(self, name):
        self.name, self.cpu, self.wall, self.wer, self.clips = name, [], [], [], []

    def round(self, clips, said, audio_ms):
        """One round: `clips` is a list of objects with `file`, `text`, `ms` and `cpu_ms`."""
        self.clips = clips
        self.cpu.append(sum(clip["cpu_ms"] or 0 for clip in clips) / audio_ms)
        self.wall.append(sum(clip["ms"] for clip in clips) / audio_ms)
        errors = [score.errors(said[clip["file"]], clip["text"]) for clip in clips]
        self.wer.append(score.total(errors)["wer"])

    def cells(self, best):
        cpu, wall, wer = map(statistics.median, (self.cpu, self.wall, self.wer))
        spread = f"{min(self.cpu):.3f} to {max(self.cpu):.3f}"
        times = f"{cpu:.3f} | {spread} | {wall:.3f} | {cpu / best:.2f}"
        return f"| {self.name} | {100 * wer:.1f} % | {times} |"


def weir(args, model, beam):
    """One round of Weir and of bare whisper.cpp: the clips of each, and the audio."""
    root = ("--root", args.root) if args.root else ()
    words = ("hear-clips", args.list, *root, "--asr-model", model, "--beam", beam)
    *rows, total = lines(args.bench, *words)

    def clip(row, side):
        return {"file": row["file"], "audio_ms": row["audio_ms"], **row[side]}

    sides = [[clip(row, side) for row in rows] for side in ("weir", "bare")]
    return sides, total["audio_ms"]


def theirs(args, files, model, beam, way):
    """One round of faster-whisper."""
    clips = []
    for file, path in files:
        wall, cpu = time.perf_counter(), time.process_time()
        found, _ = model.transcribe(
            str(path), language=args.language, beam_size=beam, **WAYS[way]
        )
        text = " ".join(segment.text.strip() for segment in found)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        clips.append({"file": file, "text": text, "ms": wall * 1e3, "cpu_ms": cpu * 1e3})
    return clips


def main():
    args = arguments()
    from faster_whisper import WhisperModel

    root = args.root or args.list.parent
    said = score.listed(args.list)
    files = [(name, root / name) for name in said]
    models = {}
    for kind in args.types:
        models[kind] = WhisperModel(
            str(args.ct2), device="cpu", compute_type=kind, cpu_threads=1, num_workers=1
        )
        for way in args.ways:
            # what is loaded with the first clip (the voice detector) is loaded here
            list(models[kind].transcribe(str(files[0][1]), **WAYS[way])[0])
    rows = {}

    def row(name):
        return rows.setdefault(name, Row(name))

    for number in range(args.rounds):
        for beam in args.beams:
            search = f"beam {beam}" if beam > 1 else "greedy"
            for file in args.ggml:
                kind = pathlib.Path(file).stem
                sides, audio_ms = weir(args, file, beam)
                for name, clips in zip(("Weir", "bare whisper.cpp"), sides):
                    row(f"{name}, {kind}, {search}").round(clips, said, audio_ms)
            for kind, model in models.items():
                for way in args.ways:
                    clips = theirs(args, files, model, beam, way)
                    name = f"faster-whisper {kind}, {search}, {SAID[way]}"
                    row(name).round(clips, said, audio_ms)
        print(f"round {number + 1} of {args.rounds}", file=sys.stderr, flush=True)
    fastest = min(rows.values(), key=lambda it: statistics.median(it.cpu))
    best = statistics.median(fastest.cpu)
    print("| | word error rate | processor time | its rounds | clock time | to the fastest |")
    print("|---|---|---|---|---|---|")
    for it in rows.values():
        print(it.cells(best))
    if args.clips:
        kept = [{"name": it.name, **clip} for it in rows.values() for clip in it.clips]
        args.clips.write_text("".join(json.dumps(it, ensure_ascii=False) + "\n" for it in kept))


if __name__ == "__main__":
    main()
