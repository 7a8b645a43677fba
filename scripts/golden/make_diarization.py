"""Diarization errors of made-up conversations as pyannote.metrics and md-eval.pl count them.

Writes fixtures/golden/diarization.json. Needs pyannote.metrics and NIST's md-eval.pl, which is in
Debian's package sctk; its path is the argument. See README.md.
"""

import json
import random
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

from pyannote.core import Annotation, Segment, Timeline
from pyannote.metrics.diarization import DiarizationErrorRate

SEED = 57
OUT = Path(__file__).parents[2] / "fixtures" / "golden" / "diarization.json"
PARTS = ("total", "missed detection", "false alarm", "confusion")
MD_EVAL_PARTS = ("SCORED SPEAKER", "MISSED SPEAKER", "FALARM SPEAKER", "SPEAKER ERROR")
# md-eval.pl prints hundredths of a second
MD_EVAL_STEP = 0.01


def conversation(rng, speakers, turns, overlap):
    """Turns of people who take turns, some of whom begin before the last one has ended.

    No speaker's turns overlap each other.
    """
    said, now, busy = [], rng.uniform(0.5, 3), {}
    for _ in range(turns):
        who = f"person{rng.randrange(speakers)}"
        start = now + rng.expovariate(1.5)
        if rng.random() < overlap:
            start = now - rng.uniform(0, 1.5)
        start = max(start, busy.get(who, 0) + 0.2, 0)
        end = start + rng.lognormvariate(0.5, 0.8)
        said.append((round(start, 3), round(end, 3), who))
        busy[who] = end
        now = max(now, end)
    return said


def recognised(rng, said, edge, lost, invented, confused):
    """The turns as a program may hear them: other names, edges off, some lost, some made up."""
    names = sorted({who for _, _, who in said})
    new = {who: f"S{at}" for at, who in enumerate(rng.sample(names, len(names)))}
    heard = []
    for start, end, who in said:
        if rng.random() < lost:
            continue
        who = new[who]
        if rng.random() < confused:
            who = f"S{rng.randrange(len(names) + 2)}"
        start, end = start + rng.gauss(0, edge), end + rng.gauss(0, edge)
        heard.append([max(start, 0), end, who])
        if rng.random() < invented:
            start = end + 0.3
            heard.append([start, start + rng.uniform(0.2, 2), f"S{rng.randrange(len(names))}"])
    # md-eval.pl takes no overlapping turns of one speaker
    heard.sort(key=lambda turn: (turn[2], turn[0]))
    apart = []
    for start, end, who in heard:
        if apart and apart[-1][2] == who:
            start = max(start, apart[-1][1] + 0.01)
        if end > start + 0.02:
            apart.append((round(start, 3), round(end, 3), who))
    return sorted(apart)


def conversations(rng):
    """Name, reference, hypothesis and evaluated parts (None: all) of each case."""
    two = conversation(rng, 2, 8, 0.0)
    yield "the same with other names", two, recognised(rng, two, 0, 0, 0, 0), None
    yield "nothing recognised", two, [], None
    yield "one voice for all", two, [(two[0][0], two[-1][1], "S0")], None
    four = conversation(rng, 4, 40, 0.3)
    yield "edges off", four, recognised(rng, four, 0.2, 0, 0, 0), None
    everything = recognised(rng, four, 0.15, 0.1, 0.15, 0.2)
    yield "all errors", four, everything, None
    holes = [(5.0, 21.5), (30.25, 44.0)]
    yield "evaluated in parts", four, everything, holes
    crowd = conversation(rng, 9, 60, 0.6)
    yield "much overlap", crowd, recognised(rng, crowd, 0.1, 0.1, 0.2, 0.3), None
    many = conversation(rng, 32, 150, 0.2)
    yield "many speakers", many, recognised(rng, many, 0.1, 0.05, 0.1, 0.4), None


def rttm(turns):
    lines = [
        f"SPEAKER talk 1 {start:.3f} {end - start:.3f} <NA> <NA> {who} <NA> <NA>\n"
        for start, end, who in turns
    ]
    return "".join(lines)


def pyannote(said, heard, parts, collar, skip_overlap):
    def annotation(turns):
        made = Annotation(uri="talk")
        for track, (start, end, who) in enumerate(turns):
            made[Segment(start, end), track] = who
        return made

    # pyannote names both sides of a collar together
    metric = DiarizationErrorRate(collar=2 * collar, skip_overlap=skip_overlap)
    uem = Timeline([Segment(*part) for part in parts])
    found = metric(annotation(said), annotation(heard), uem=uem, detailed=True)
    return [round(found[part], 6) for part in PARTS]


def md_eval(program, case, parts, collar, skip_overlap):
    uem = "".join(f"talk 1 {start:.3f} {end:.3f}\n" for start, end in parts)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("reference", "hypothesis"):
            Path(folder, name).write_text(case[name])
        Path(folder, "uem").write_text(uem)
        command = ["perl", program, "-r", "reference", "-s", "hypothesis", "-u", "uem"]
        command += ["-c", str(collar)] + (["-1"] if skip_overlap else [])
        ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    overall = ran.stdout.split("ALL ***")[-1]
    pattern = r"{} TIME =\s*([\d.]+) secs"
    return [float(re.search(pattern.format(part), overall)[1]) for part in MD_EVAL_PARTS]


def main():
    warnings.simplefilter("ignore")
    rng = random.Random(SEED)
    cases, apart = [], 0
    for name, said, heard, parts in conversations(rng):
        case = {"name": name, "reference": rttm(said), "hypothesis": rttm(heard)}
        turns = said + heard
        extent = [(min(start for start, _, _ in turns), max(end for _, end, _ in turns))]
        case["uem"] = "".join(f"talk 1 {a:.3f} {b:.3f}\n" for a, b in parts or [])
        scores = []
        for collar in (0, 0.25):
            for skip_overlap in (False, True):
                ours = (parts or extent, collar, skip_overlap)
                reference, other = pyannote(said, heard, *ours), None
                if heard:  # md-eval.pl refuses an empty file
                    other = md_eval(sys.argv[1], case, *ours)
                    if max(abs(a - b) for a, b in zip(reference, other)) > MD_EVAL_STEP:
                        # md-eval.pl maps speakers before it leaves anything out
                        print(name, ours[1:], "pyannote", reference, "md-eval", other)
                        apart += 1
                scores.append(
                    {
                        "collar_s": collar,
                        "skip_overlap": skip_overlap,
                        "pyannote": reference,
                        "md_eval": other,
                    }
                )
        case["scores"] = scores
        cases.append(case)
    print(f"{len(cases)} cases; the two tools differ in {apart} of {4 * len(cases)} scores")
    OUT.write_text(json.dumps(cases, indent=1) + "\n")


if __name__ == "__main__":
    main()
