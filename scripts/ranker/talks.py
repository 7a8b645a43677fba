#!/usr/bin/env python3
"""Makes streams of the talks that the ranker is trained on, for `weir-bench weigh`.

    python3 scripts/ranker/talks.py benches/questions/talks.jsonl STREAMS

A talk becomes a stream with its question as probe. Evidence is the utterance by which the last
fact ends; where none does, the first two utterances that hold what is right, and the question
stands twice there, since there are half as many such talks.
"""

import datetime
import json
import pathlib
import sys

BEGUN = datetime.datetime(2025, 3, 1, 12)
TURN_MS, SPOKEN_MS = 4_000, 3_500


def day(number):
    return (BEGUN + datetime.timedelta(days=number)).strftime("%Y-%m-%dT%H:%M:%SZ")


def evidence(talk):
    if talk["ends"]:
        return [max(later for _, later in talk["ends"])]
    keys = [key for group in talk["current"] for key in group]
    texts = (said["text"].lower() for said in talk["talk"])
    return [at for at, text in enumerate(texts) if any(key in text for key in keys)][:2]


def stream(talk):
    lines = [{"weir_stream": 1, "name": talk["id"], "started_at": day(0)}]
    today = 0
    for at, said in enumerate(talk["talk"]):
        if said["day"] != today:
            today = said["day"]
            lines.append({"break": {"started_at": day(today)}})
        start = at * TURN_MS
        utterance = {"id": str(at), "speaker": said["speaker"], "text": said["text"]}
        lines.append({"utterance": utterance | {"start_ms": start, "end_ms": start + SPOKEN_MS}})
    proof = [str(at) for at in evidence(talk)]
    for again in [""] if talk["ends"] else ["", "-again"]:
        probe = {"id": talk["id"] + again, "question": talk["question"], "category": None}
        answer = " ".join(group[0] for group in talk["current"])
        probe |= {"answer": answer, "evidence": proof, "asked_by": talk["asked_by"]}
        lines.append({"probe": probe})
    return lines


def main():
    talks, folder = map(pathlib.Path, sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    with talks.open() as lines:
        for talk in map(json.loads, lines):
            if evidence(talk):
                text = "".join(json.dumps(line) + "\n" for line in stream(talk))
                (folder / f"{talk['id']}.stream.jsonl").write_text(text)


if __name__ == "__main__":
    main()
