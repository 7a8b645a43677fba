#!/usr/bin/env python3
"""Scores answers of `weir replay --results` by category and by the distance of the evidence.

    scripts/stem/score.py STREAM.stream.jsonl RESULTS.jsonl [STREAM RESULTS]...

right: all words of the gold answer stand in the first 40 words of the answer (numbers by their
value, however they are written; words by their first six letters); of adversarial questions, those that are declined. first: the
first citation is gold evidence. sure and wrong: those that are not right though Weir calls them
sure, which it does from a chance of 0.8 on. distance: utterances between the last evidence and the
question.
"""

import json
import re
import sys
from collections import defaultdict

FIRST_WORDS = 40
SURE = 0.8
DISTANCES = [50, 200, 1_000_000]
SMALL = set("a an the of to in on at for and or is was".split())


ONES = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
    fifteen sixteen seventeen eighteen nineteen""".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
VALUES = {word: n for n, word in enumerate(ONES)} | {word: 20 + 10 * n for n, word in enumerate(TENS)}


def words(text):
    """Content words; a recogniser may write 341 as three hundred forty-one, and 31 as 31st."""
    out, number = [], None
    for word in [*re.findall(r"[a-z0-9]+", text.lower()), ""]:
        value = VALUES.get(word)
        if word == "hundred" and number and number < 100:
            number *= 100
        elif value is not None and number and number % 100 == 0:
            number += value
        elif value is not None and number and number % 10 == 0 and number % 100 > 10 > value:
            number += value
        else:
            out += [] if number is None else [str(number)]
            number = value
            plain = re.sub(r"(?<=\d)(st|nd|rd|th)$", "", word)
            out += [plain[:6]] if value is None and plain and plain not in SMALL else []
    return out


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def judged(probe, result):
    """Whether an answer is right, cites its evidence first, and claims to be sure."""
    declined = result["kind"] in ("not_known", "false_premise")
    if probe["answer"] is None:
        right = declined
    else:
        said = words(result["answer"] or "")[:FIRST_WORDS]
        right = not declined and all(word in said for word in words(probe["answer"]))
    cited = (result["citations"] or [{}])[0].get("utterances", [])
    sure = not declined and (result.get("chance") or 0) >= SURE
    return {"right": right, "first": bool(set(cited) & set(probe["evidence"])), "sure": sure}


def rows(stream, results):
    """The group names of each probe, and how its answer is judged."""
    results = {it["probe"]: it for it in results if "probe" in it}
    heard, places = 0, {}
    for line in stream:
        if said := line.get("utterance"):
            heard += 1
            places[said["id"]] = heard
        if probe := line.get("probe"):
            if probe["id"] not in results:
                sys.exit(f"probe {probe['id']} has no result; the replay did not end")
            groups = [probe["category"], "all"]
            if probe["evidence"]:
                distance = heard - max(places[it] for it in probe["evidence"])
                within = next(most for most in DISTANCES if distance <= most)
                groups.append(f"distance to {within}" if within < DISTANCES[-1] else "farther")
            yield groups, judged(probe, results[probe["id"]])


def main():
    files = sys.argv[1:]
    if not files or len(files) % 2:
        sys.exit(__doc__)
    sums = defaultdict(list)
    for stream, results in zip(files[::2], files[1::2]):
        for groups, it in rows(lines(stream), lines(results)):
            for group in groups:
                sums[group].append(it)
    print("| questions | | right | first citation is evidence | sure and wrong |\n|---|--:|--:|--:|--:|")
    for group, all_of in sums.items():
        share = lambda is_it: sum(map(is_it, all_of)) / len(all_of)  # noqa: E731
        wrong = share(lambda it: it["sure"] and not it["right"])
        first = "–" if group == "adversarial" else f"{share(lambda it: it['first']):.2f}"
        right = share(lambda it: it["right"])
        print(f"| {group} | {len(all_of)} | {right:.2f} | {first} | {wrong:.2f} |")


if __name__ == "__main__":
    main()
