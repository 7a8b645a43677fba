#!/usr/bin/env python3
"""Trains the salience model: which statements are asked for later. README.md says on what.

    weir-bench features --streams streams/locomo > locomo.jsonl          (and for each other corpus)
    python3 -m venv venv && venv/bin/pip install -r scripts/salience/requirements.txt
    venv/bin/python scripts/salience/train.py locomo.jsonl friendsqa.jsonl ... --out weights.txt

The model has the intercept of the first file. `--without STREAM` leaves a dialogue out of the
training. The area under the curve is printed for each dialogue of the first file, trained without
it.
"""

import argparse
import json
from pathlib import Path

import numpy as np

# Penalty of the squared weights of standardised features.
PENALTY = 300.0
# A statement that is asked for is weighted by the square root of its value, in this range.
VALUE_RANGE = (0.2, 2.0)
# Total weight of each file after the first, in statements; a statement of the first has weight one.
OTHERS_WEIGHT = 300.0
# A question with more labelled utterances has spans for evidence: of these, only utterances with a
# statement that shares this many words with it count.
SPAN, SHARED_MIN = 10, 2
# Weights that are set by hand, with the reason in README.md.
FIXED = {"long": -1.0}
STEPS_MAX, STEP_MIN = 60, 1e-7


class Dialogue:
    """The statements of a dialogue: a row of features for each moment, and each row's value."""

    def __init__(self, statements, questions):
        values = value_of(statements, questions)
        self.rows = np.array([row for one in statements for row in one["rows"]])
        repeats = [len(one["rows"]) for one in statements]
        self.value = np.repeat(values, repeats)
        self.weight = np.repeat([1 / max(1, n) for n in repeats], repeats)


def value_of(statements, questions):
    """What each statement is worth. A question is worth 1, split evenly over its utterances. Of an
    utterance, the statements count that share most words with the question and its answer."""
    of = {}
    for at, one in enumerate(statements):
        of.setdefault(one["utterance"], []).append(at)
    value = np.zeros(len(statements))
    for question in questions:
        wanted = set(question["words"])
        for places in (of.get(utterance, []) for utterance in question["evidence"]):
            shared = [len(wanted & set(statements[at]["words"])) for at in places]
            most = max(shared, default=0)
            if not places or len(question["evidence"]) > SPAN and most < SHARED_MIN:
                continue
            best = [at for at, many in zip(places, shared) if many == most]
            value[best] += 1 / len(question["evidence"]) / len(best)
    return value


def read(file):
    """The names of the features, and the dialogues of a file by name."""
    with file.open(encoding="utf-8") as lines:
        names = json.loads(next(lines))["features"]
        statements, questions = {}, {}
        for line in map(json.loads, lines):
            kind = statements if "rows" in line else questions
            kind.setdefault(line["stream"], []).append(line)
    return names, {name: Dialogue(said, questions.get(name, []))
                   for name, said in statements.items()}


def train(corpora, names):
    """Weights of the features, and the intercept of the first corpus."""
    kept = [at for at, name in enumerate(names) if name not in FIXED]
    rows, value, weight, corpus = [], [], [], []
    for number, dialogues in enumerate(corpora):
        own = np.concatenate([one.weight for one in dialogues])
        if number:
            own = own * OTHERS_WEIGHT / own.sum()
        weight.append(own)
        rows += [one.rows for one in dialogues]
        value += [one.value for one in dialogues]
        corpus.append(np.full(len(own), number))
    value, corpus = np.concatenate(value), np.concatenate(corpus)
    asked = np.where(value > 0, np.sqrt(np.clip(value, *VALUE_RANGE)), 1)
    marks = [(corpus == number).astype(float) for number in range(1, len(corpora))]
    found, intercept = logistic(np.column_stack([np.vstack(rows)[:, kept], *marks]),
                                (value > 0).astype(float), np.concatenate(weight) * asked)
    weights = dict(FIXED)
    weights.update((names[at], float(w)) for at, w in zip(kept, found))
    return {name: weights[name] for name in names}, intercept


def logistic(inputs, labels, weight):
    """Weights and intercept of a weighted logistic regression, by Newton's method. The penalty
    applies to the weights of standardised inputs; the intercept has almost none."""
    mean = np.average(inputs, axis=0, weights=weight)
    spread = np.sqrt(np.average((inputs - mean) ** 2, axis=0, weights=weight)) + 1e-6
    scaled = np.column_stack([(inputs - mean) / spread, np.ones(len(inputs))])
    ridge = np.eye(scaled.shape[1]) * PENALTY
    ridge[-1, -1] = 1e-6
    share = np.average(labels, weights=weight)
    found = np.zeros(scaled.shape[1])
    found[-1] = np.log(share / (1 - share))
    for _ in range(STEPS_MAX):
        chance = 1 / (1 + np.exp(-np.clip(scaled @ found, -30, 30)))
        slope = scaled.T @ (weight * (labels - chance)) - ridge @ found
        curve = (scaled * (weight * chance * (1 - chance))[:, None]).T @ scaled + ridge
        step = np.linalg.solve(curve, slope)
        step *= min(1, 1 / np.abs(step).max(initial=1e-300))
        found += step
        if np.abs(step).max() < STEP_MIN:
            break
    weights = found[:-1] / spread
    return weights, float(found[-1] - weights @ mean)


def area(scores, labels):
    """The chance that a statement that is asked for has a higher score than one that is not."""
    order = np.argsort(scores, kind="stable")
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(1, len(scores) + 1)
    asked = labels.sum()
    return (ranks[labels].sum() - asked * (asked + 1) / 2) / (asked * (len(labels) - asked))


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("features", nargs="+", type=Path)
    parser.add_argument("--without", action="append", default=[], metavar="STREAM")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    found = [read(file) for file in arguments.features]
    names = found[0][0]
    first, *others = [{name: one for name, one in dialogues.items()
                       if name not in arguments.without} for _, dialogues in found]
    beside = [list(dialogues.values()) for dialogues in others]
    for name, held in first.items():
        rest = [one for other, one in first.items() if other != name]
        weights, _ = train([rest, *beside], names)
        scores = held.rows @ np.array([weights[one] for one in names])
        print(f"{name}, left out: area under the curve {area(scores, held.value > 0):.3f}")
    weights, intercept = train([list(first.values()), *beside], names)
    text = "".join(f"{name} {weight:.4f}\n"
                   for name, weight in {"intercept": intercept, **weights}.items())
    if arguments.out:
        arguments.out.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
