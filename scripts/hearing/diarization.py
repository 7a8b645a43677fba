#!/usr/bin/env python3
"""Errors of who is said to speak when, as pyannote.metrics counts them: RTTM against RTTM.

    python3 -m venv venv && venv/bin/pip install pyannote.metrics==4.2.0
    weir-bench diarize --audio CLIP... --segmentation DIR --speaker-encoder DIR --out HEARD.rttm
    venv/bin/python scripts/hearing/diarization.py SAID.rttm HEARD.rttm --uem PARTS.uem

Prints a JSON object per collar and recording, with sums of several recordings. Times are in seconds
and summed over speakers, so that overlapping speech counts for each; `der` is all errors as a share
of the speech. A collar is what is left out on *each* side of an edge of a reference turn, as in
NIST's md-eval.pl; pyannote.metrics itself names the sum of both sides.

A recording without a turn in HEARD.rttm is missed as a whole. A UEM says what is evaluated,
`RECORDING CHANNEL START END` in seconds: recordings that it does not name are left out. Without one
it is all from the first to the last turn of both files. `cat` makes one RTTM or UEM of several.
"""

import argparse
import json
import sys
from collections import defaultdict

from pyannote.core import Annotation, Segment, Timeline
from pyannote.metrics.diarization import DiarizationErrorRate

TIMES = {
    "speech_s": "total",
    "missed_s": "missed detection",
    "false_alarm_s": "false alarm",
    "confusion_s": "confusion",
}


def fields(path):
    """Place and words of each line that is not a remark."""
    with open(path, encoding="utf-8-sig") as lines:
        for n, line in enumerate(lines, 1):
            if line.strip() and not line.startswith(";;"):
                yield f"{path}, line {n}: found `{line.strip()}`; expected", line.split()


def turns(path):
    """Who speaks when in each recording. Turns of one speaker that overlap are one."""
    found = defaultdict(lambda: defaultdict(list))
    for place, words in fields(path):
        if words[0] == "SPEAKER":
            try:
                _, recording, _, onset, duration, _, _, name, *_ = words
                start, end = float(onset), float(onset) + float(duration)
                if not 0 <= start <= end:
                    raise ValueError
            except ValueError:
                sys.exit(f"{place} SPEAKER FILE CHANNEL ONSET DURATION <NA> <NA> NAME <NA> <NA>")
            found[recording][name].append((start, end))
    recordings = {}
    for recording, speakers in found.items():
        recordings[recording] = made = Annotation()
        for name, parts in speakers.items():
            joined = []
            for start, end in sorted(parts):
                if joined and start < joined[-1].end:
                    start, end = joined[-1].start, max(joined.pop().end, end)
                joined.append(Segment(start, end))
            for part in filter(None, joined):
                made[part, name] = name
    return recordings


def evaluated(path):
    """The parts of each recording that a UEM names."""
    parts = defaultdict(Timeline)
    for place, words in fields(path):
        try:
            recording, _, start, end = words
            part = Segment(float(start), float(end))
            if not part:
                raise ValueError
            parts[recording].add(part)
        except ValueError:
            sys.exit(f"{place} RECORDING CHANNEL START END in seconds")
    return {recording: part.support() for recording, part in parts.items()}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("said", metavar="SAID.rttm")
    parser.add_argument("heard", metavar="HEARD.rttm")
    parser.add_argument("--uem", metavar="PARTS.uem")
    parser.add_argument("--collars", type=float, nargs="+", default=[0.0, 0.25], metavar="SECONDS")
    parser.add_argument(
        "--skip-overlap", action="store_true", help="leave out where several really speak"
    )
    args = parser.parse_args()
    said, heard = turns(args.said), turns(args.heard)
    if strange := [name for name in heard if name not in said]:
        sys.exit(f"{args.heard}: recording `{strange[0]}` is not in {args.said}")
    parts = evaluated(args.uem) if args.uem else None
    names = [name for name in sorted(said) if parts is None or name in parts]
    if out := [name for name in said if name not in names]:
        print(f"{args.uem} does not name, so left out: {', '.join(out)}", file=sys.stderr)
    if not names:
        sys.exit(f"{args.said}: nothing to score; expected SPEAKER lines, of what the UEM names")
    for collar in args.collars:
        metric = DiarizationErrorRate(collar=2 * collar, skip_overlap=args.skip_overlap)

        def tell(recording, times, counts=(None, None)):
            times = {key: round(times[part], 6) for key, part in TIMES.items()}
            speech, *errors = times.values()
            row = {"recording": recording, "collar_s": collar}
            row |= {"overlap_scored": not args.skip_overlap, **times}
            row["der"] = sum(errors) / speech if speech else None
            row["speakers"], row["speakers_found"] = counts
            print(json.dumps(row))

        for name in names:
            pair = said[name], heard.get(name, Annotation())
            spans = Timeline(part for it in pair for part in it.itersegments())
            uem = parts[name] if parts else Timeline([spans.extent()])
            times = metric(*pair, uem=uem, detailed=True)
            tell(name, times, [len(it.crop(uem).labels()) for it in pair])
        if len(names) > 1:
            tell("all", metric[:])


if __name__ == "__main__":
    main()
