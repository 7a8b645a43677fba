#!/usr/bin/env python3
"""Turns a stream with sound into one of the words that were heard in it.

    weir replay SOUND.stream.jsonl --json | scripts/stem/heard.py SOUND.stream.jsonl > HEARD

Every method can then be asked from sound: times, speakers, breaks and probes stay, an utterance has
the words that the product recognised for it. One in which nothing was heard keeps its place with
three dots, so that evidence still names an utterance.
"""

import json
import sys
from pathlib import Path

NOTHING = "..."


def heard(stream, events):
    """The lines of the stream with the words of the events in them."""
    words = {it["id"]: it["text"] for it in events if it.get("event") == "utterance"}
    if not words:
        sys.exit("standard input has no utterance; give it the output of `weir replay --json`")
    for line in stream:
        if "weir_stream" in line:
            line = {**line, "name": line["name"] + "-heard"}
        if said := line.get("utterance"):
            kept = {key: it for key, it in said.items() if not key.startswith("audio")}
            line = {"utterance": {**kept, "text": words.get(said["id"], NOTHING)}}
        yield line


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    stream = map(json.loads, Path(sys.argv[1]).read_text(encoding="utf-8").splitlines())
    for line in heard(stream, (json.loads(event) for event in sys.stdin if event.strip())):
        print(json.dumps(line))


if __name__ == "__main__":
    main()
