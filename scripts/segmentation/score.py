#!/usr/bin/env python3
"""How well block and scene boundaries agree with the topics of meetings, by nltk and scikit-learn.

    python3 -m venv venv && venv/bin/pip install 'nltk>=3.9,<4' scikit-learn
    weir-bench segment qmsum/train --encoder DIR > FOUND.jsonl
    venv/bin/python scripts/segmentation/score.py FOUND.jsonl

Prints a JSON object for each rule and half, with means over its meetings: Pk (Beeferman et al.
1999) and WindowDiff (Pevzner and Hearst 2002), both lower for better boundaries, and the numbers of
boundaries. Both slide a window of k turns over found and true boundaries; k is half the mean length
of a topic in turns, of each meeting by itself, rounded, halves up, at least 2. Of scenes also
their number and the adjusted Rand index of topics and scenes over the turns that have a topic: 1
for the same division, 0 for agreement by chance.

The first rules are trivial: no boundary, and as many as there are topics, evenly or at random.
"""

import json
import random
import sys
from collections import defaultdict
from statistics import fmean

from nltk.metrics.segmentation import pk, windowdiff
from sklearn.metrics import adjusted_rand_score


def trivial(topics):
    """Rows with boundaries that know nothing of what is said."""
    turns, many = len(topics["begins"]), topics["begins"].count("1")
    chance = random.Random(topics["meeting"])
    for rule, at in {
        "no boundary": [],
        "uniform at the true mean length": [n * turns // (many + 1) for n in range(1, many + 1)],
        "random, as many as true": chance.sample(range(1, turns), many),
    }.items():
        yield {"rule": rule, "begins": "".join(str(int(n in at)) for n in range(turns))}


def scores(topics, row):
    """Of one rule in one meeting."""
    true, scenes = topics["begins"], row.get("scenes")
    more = {}
    if scenes:
        changes = (str(int(a != b)) for a, b in zip(scenes, scenes[1:]))
        row["begins"] = "0" + "".join(changes)
        pairs = [it for it in zip(topics["topic"], scenes) if it[0] is not None]
        agreement = float(adjusted_rand_score(*zip(*pairs))) if pairs else None
        more = {"scenes_mean": len(set(scenes)), "topic_agreement": agreement}
    found = row["begins"]
    k = max(2, int(len(true) / (2 * (true.count("1") + 1)) + 0.5))
    measured = {"pk": pk(true, found, k), "window_diff": windowdiff(true, found, k)}
    return measured | {"found_mean": found.count("1"), "true_mean": true.count("1")} | more


def mean(values):
    """Of those that there are; none where there is none."""
    there = [value for value in values if value is not None]
    return fmean(there) if there else None


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    meetings, rules = {}, defaultdict(list)
    with open(sys.argv[1], encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            rows = [row]
            if "rule" not in row:
                meetings[row["meeting"]], rows = row, trivial(row)
            topics = meetings[row["meeting"]]
            for it in rows:
                rules[it["rule"], topics["half"]].append(scores(topics, it))
    for (rule, half), found in sorted(rules.items(), key=lambda it: it[0][1]):
        means = {name: mean(it[name] for it in found) for name in found[0]}
        print(json.dumps({"half": half, "meetings": len(found), "rule": rule, **means}))


if __name__ == "__main__":
    main()
