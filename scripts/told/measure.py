#!/usr/bin/env python3
"""Tells `weir chat` what people tell, and asks for it in the same talk.

    cargo build --release && scripts/told/measure.py [--weir target/release/weir] [--encoder all-MiniLM-L6-v2]

One talk has the 20 facts of facts.tsv (statement, question, what an answer must hold within its
first 40 words) between the lines of filler.txt, then their questions and the 15 of nothing.txt,
which nothing answers. A second talk has the 20 changes of changes.tsv: all first statements, the
filler, all later ones, then for each what holds now and what held before. A value is *first* if it
stands before the other one in the answer; the later statement is *quoted first* if the answer
begins with it. All were written before any answer to them was read. They are a test: no rule and no
number may be chosen by them.
"""

import argparse
import collections
import json
import pathlib
import random
import subprocess
import tempfile

HERE = pathlib.Path(__file__).parent


def rows(name):
    return [line.split("\t") for line in (HERE / name).read_text().splitlines()]


def answers(args, told, questions):
    """What is answered to each question after everything was told."""
    with tempfile.TemporaryDirectory() as folder:
        command = [args.weir, "chat", "--session", f"{folder}/s", "--encoder", args.encoder, "--offline", "--json"]
        ran = subprocess.run(command, input="\n".join(told + questions) + "\n", capture_output=True, text=True)
    if ran.returncode:
        raise SystemExit(ran.stderr)
    replies = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]
    return replies[len(told):]


def shown(args, verdict, question, reply):
    if args.answers:
        print(f"{verdict:9} {question} | {reply.get('answer')}")
    return verdict


def facts(args):
    told = rows("facts.tsv")
    nothing, filler = ([it[0] for it in rows(name)] for name in ("nothing.txt", "filler.txt"))
    rng = random.Random(1)
    places = set(rng.sample(range(len(told) + len(filler)), len(filler)))
    lines = {True: iter(filler), False: iter([it[0] for it in told])}
    talk = [next(lines[at in places]) for at in range(len(told) + len(filler))]
    replies = answers(args, talk, [it[1] for it in told] + nothing)
    counts, words = collections.Counter(), []
    for (_, question, wanted), reply in zip(told, replies):
        answer = (reply.get("answer") or "").split()
        right = wanted in " ".join(answer[:40]).lower()
        declined = reply.get("abstained", True)
        words.append(len(answer))
        counts[shown(args, "declined" if declined else "right" if right else "wrong", question, reply)] += 1
    print("facts", dict(counts), f"{sum(words) / len(words):.1f} words an answer")
    unasked = [shown(args, "declined" if it.get("abstained", True) else "answered", question, it)
               for question, it in zip(nothing, replies[len(told):])]
    print("nothing told", dict(collections.Counter(unasked)))


def changes(args):
    told, filler = rows("changes.tsv"), [it[0] for it in rows("filler.txt")]
    talk = [it[0] for it in told] + filler + [it[1] for it in told] + ["Good night then."]
    replies = answers(args, talk, [question for it in told for question in (it[2], it[4])])
    counts, quoted = {"now": collections.Counter(), "before": collections.Counter()}, 0
    for (_, later, now, new, before, old), *pair in zip(told, replies[::2], replies[1::2]):
        asked = (("now", now, new, old, pair[0]), ("before", before, old, new, pair[1]))
        for when, question, wanted, other, reply in asked:
            answer = (reply.get("answer") or "").lower()
            place, rival = answer.find(wanted), answer.find(other)
            verdict = "declined" if reply.get("abstained", True) else "absent" if place < 0 else "behind"
            if verdict == "behind" and (rival < 0 or place < rival):
                verdict = "first"
            counts[when][shown(args, verdict, question, reply)] += 1
        first = (pair[0].get("answer") or "").split(": ", 1)[-1]
        quoted += first.startswith(later[:12])
    for when, found in counts.items():
        print(f"changes, {when}", dict(found))
    print("the later statement is quoted first in", quoted)


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--weir", default="target/release/weir")
    args.add_argument("--encoder", default="all-MiniLM-L6-v2")
    args.add_argument("--answers", action="store_true", help="print each answer")
    args = args.parse_args()
    facts(args)
    changes(args)


if __name__ == "__main__":
    main()
