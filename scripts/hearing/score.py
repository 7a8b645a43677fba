#!/usr/bin/env python3
"""Word errors of recognisers, as published figures count them.

    python3 -m venv venv && venv/bin/pip install 'jiwer>=4,<5' 'whisper-normalizer>=0.1.12,<1'
    weir-bench hear-clips LIST --asr-model FILE > HEARD
    venv/bin/python scripts/hearing/score.py HEARD [--list LIST]

HEARD is JSON Lines: what `weir-bench hear-clips` prints, or what another recogniser heard, objects
with `file` and `text`. What was said is in `said`; where that lacks, LIST has it, as `hear-clips`
takes it: in each line a file and what is said in it, with a tab between them.

Prints a JSON line for each clip and recogniser, and one for all clips of each. Errors are the
fewest words substituted, deleted and inserted, counted by jiwer over texts that Whisper's English
normaliser made alike. Its list of British spellings is left out: `colour` for `color` is an error.
"""

import argparse
import json
import pathlib
import sys
from importlib.metadata import version

import jiwer
from whisper_normalizer.english import EnglishTextNormalizer

KINDS = ("substitutions", "deletions", "insertions")
LIBRARIES = ", ".join(f"{name} {version(name)}" for name in ("jiwer", "whisper-normalizer"))
normal = EnglishTextNormalizer()
normal.standardize_spellings.mapping = {}


def errors(said, heard):
    """Words of what was said, and errors of what was heard, by kind."""
    found = jiwer.process_words(normal(said), normal(heard))
    kinds = {kind: getattr(found, kind) for kind in KINDS}
    return {"words": found.hits + found.substitutions + found.deletions, **kinds}


def total(clips):
    """Sums of clips, and errors per word that was said: none where no word was; may exceed 1."""
    sums = {key: sum(clip[key] for clip in clips) for key in ("words", *KINDS)}
    wrong = sum(sums[kind] for kind in KINDS)
    return {"clips": len(clips), **sums, "wer": wrong / sums["words"] if sums["words"] else None}


def listed(path):
    """What is said in each file of a list of clips."""
    clips = {}
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            file, tab, said = line.rstrip("\n").partition("\t")
            if not tab or file in clips:
                sys.exit(f"{path}, line {number}: no tab in it, or a file that was named before")
            clips[file] = said
    return clips


def scored(lines, said):
    """Each clip's recogniser and errors; what is about no file, such as a total, is left out."""
    for line in (it for it in lines if "file" in it):
        reference = line.get("said", said.get(line["file"]))
        if reference is None:
            sys.exit(f"nothing tells what is said in {line['file']}; name the list with --list")
        sides = {"": line} if "text" in line else line
        for name, side in sides.items():
            if isinstance(side, dict):
                yield name, {"file": line["file"], **errors(reference, side["text"])}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("heard", type=pathlib.Path)
    parser.add_argument("--list", type=pathlib.Path)
    args = parser.parse_args()
    said, clips = listed(args.list) if args.list else {}, {}
    with args.heard.open(encoding="utf-8") as lines:
        for name, clip in scored(map(json.loads, lines), said):
            clips.setdefault(name or args.heard.name, []).append(clip)
            print(json.dumps({"by": name or args.heard.name, **clip}))
    if not clips:
        sys.exit(f"{args.heard}: no clips")
    for name, all_of in clips.items():
        if missing := said.keys() - {clip["file"] for clip in all_of}:
            sys.exit(f"{args.heard} has no line about {min(missing)}")
        print(json.dumps({"by": name, **total(all_of), "counted_by": LIBRARIES}))


if __name__ == "__main__":
    main()
