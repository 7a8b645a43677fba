#!/usr/bin/env python3
"""Writes short talks with questions as streams, of the topics of scripts/same_question.

    scripts/ranker/short_talks.py DIR       (then weir-bench weigh --streams DIR)

In a talk one person tells things, half of which change later, between statements beside them and
small talk; each is asked for, and so are things that nobody told. Forty talks have eleven things
and four that nobody told, two hundred have one to three and two. The topics are dealt to five
groups, and a talk has those of one: `short-GROUP-NUMBER`.
"""

import json
import pathlib
import random
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "same_question"))
from topics import told, topics  # noqa: E402

TALKS, TINY_TALKS, GROUPS = 40, 200, 5
TOLD, UNTOLD, SMALL_TALK = 11, 4, 8
TINY_TOLD, TINY_UNTOLD, TINY_SMALL_TALK = (1, 3), 2, (0, 2)


def talk(pool, filler, sizes, rng):
    """The utterances of a talk as `(id, text)`, and its questions as `(text, evidence)`; `sizes`:
    things told, things that nobody told, lines of small talk."""
    told_size, untold_size, small_talk = sizes
    rng.shuffle(pool)
    first, later, questions = [], [], []
    either = lambda: first if rng.random() < 0.5 else later
    for nth, topic in enumerate(pool[:told_size]):
        it = told(topic, rng)
        first.append((f"t{nth}", it["says"]))
        evidence = [f"t{nth}"]
        if rng.random() < 0.5:
            later.append((f"c{nth}", it["changes"]))
            evidence.append(f"c{nth}")
        for at, text in enumerate(it["beside"]):
            if rng.random() < 0.6:
                either().append((f"b{nth}.{at}", text))
        questions.append((it["asks"], evidence))
    for nth, topic in enumerate(pool[told_size:told_size + untold_size]):
        it = told(topic, rng)
        first += [(f"n{nth}.{at}", text) for at, text in enumerate(it["beside"]) if rng.random() < 0.7]
        questions.append((it["asks"], []))
    for nth, text in enumerate(rng.sample(filler, small_talk)):
        either().append((f"s{nth}", text))
    rng.shuffle(first)
    rng.shuffle(later)
    return first + later, questions


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(11)
    every = topics()
    filler = (HERE.parent / "same_question/filler.txt").read_text().splitlines()
    for number in range(TALKS + TINY_TALKS):
        name = f"short-{number % GROUPS}-{number}"
        sizes = (TOLD, UNTOLD, SMALL_TALK)
        if number >= TALKS:
            sizes = (rng.randint(*TINY_TOLD), TINY_UNTOLD, rng.randint(*TINY_SMALL_TALK))
        said, questions = talk(every[number % GROUPS::GROUPS], filler, sizes, rng)
        lines = [{"weir_stream": 1, "name": name, "started_at": "2026-01-05T10:00:00Z"}]
        for at, (key, text) in enumerate(said):
            place = {"start_ms": 5000 * at, "end_ms": 5000 * at + 3000}
            lines.append({"utterance": {"id": key, "speaker": "User", "text": text} | place})
        for nth, (question, evidence) in enumerate(questions):
            kind = {"category": "single-hop", "answer": ""} if evidence else {"category": "adversarial", "answer": None}
            probe = {"id": f"q{nth}", "question": question, "evidence": evidence, "asked_by": "User"}
            lines.append({"probe": probe | kind})
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"{name}.stream.jsonl").write_text(text)


if __name__ == "__main__":
    main()
