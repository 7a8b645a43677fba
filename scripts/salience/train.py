#!/usr/bin/env python3
"""Trains the model of engine/core/src/text/salience; prints its weights and a table of results.

    python3 scripts/salience/train.py --data DIR [--check]

DIR holds the folders locomo, friendsqa, beam and qmsum. With `--check` the command only compares
the weights with the engine's, and fails if they differ.
"""

import argparse

import numpy as np

import budget
import corpora
import labels
import rust
import training
from statements import Statements

BUDGETS = (3_600, 7_600)
# Two sets of weights are the same up to this.
TOLERANCE = 1e-3


def main():
    """The command."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--data", required=True, metavar="DIR", help="folder of the corpora")
    arguments.add_argument("--check", action="store_true",
                           help="only compare the weights with those of the engine")
    arguments = arguments.parse_args()
    sources = {corpus: [prepare(dialogue) for dialogue in dialogues]
               for corpus, dialogues in corpora.load(arguments.data).items()}
    model = training.shipped([(statements, values) for corpus in sources.values()
                              for statements, values, _ in corpus])
    if arguments.check:
        check(model)
        return
    print(rust.table(model.intercept, model.weights))
    print()
    print_table(sources)


def prepare(dialogue):
    """A dialogue's statements, their values, and the evidence of its questions."""
    statements, evidence = Statements(dialogue), labels.evidence(dialogue)
    return statements, labels.values(statements, evidence), evidence


def check(model):
    """Exits with an error if the engine's weights differ."""
    intercept, weights = rust.weights(rust.source("salience"))
    differ = different({**model.weights, "intercept": model.intercept},
                       {**weights, "intercept": intercept})
    if differ:
        raise SystemExit("weights differ:\n" + "\n".join(differ))
    print(f"{len(weights)} weights and the intercept are the engine's, to {TOLERANCE}")


def different(found, expected):
    """A line for each weight that is missing on one side or differs."""
    lines = []
    for name in sorted({*found, *expected}):
        ours, theirs = found.get(name), expected.get(name)
        if ours is None or theirs is None or abs(ours - theirs) > TOLERANCE:
            lines.append(f"  {name}: trained {ours}, engine {theirs}")
    return lines


def print_table(sources):
    """Prints how much of the evidence of LoCoMo's questions remains under two budgets. Each
    dialogue is scored by models trained without it."""
    locomo = sources["locomo"]
    others = [pair[:2] for corpus, found in sources.items() if corpus != "locomo"
              for pair in found]
    ways = {"recency": [], "eleven features": [], "shipped model": []}
    for statements, _, _ in locomo:
        rest = [pair[:2] for pair in locomo if pair[0] is not statements]
        ways["recency"].append(budget.recency(statements))
        ways["eleven features"].append(training.eleven(rest).log_chance(statements))
        ways["shipped model"].append(training.shipped(rest + others).log_chance(statements))
    print("| | rule | " + " | ".join(f"{tokens:,} tokens | with half the utterance"
                                     for tokens in BUDGETS) + " |")
    print("|---|---|" + "---|---|" * len(BUDGETS))
    for way, scores in ways.items():
        for rule in budget.RULES:
            figures = [figure for tokens in BUDGETS
                       for figure in retained(locomo, scores, tokens, rule, way)]
            print(f"| {way} | {rule} | " + " | ".join(f"{x:.3f}" for x in figures) + " |",
                  flush=True)


def retained(locomo, scores, tokens, rule, way):
    """Both measures of `budget.retention`, averaged over all questions."""
    exponent = 0.0 if way == "recency" else budget.EXPONENT
    sentence, context = [], []
    for (statements, _, evidence), score in zip(locomo, scores):
        alive = budget.simulate(statements, score, tokens, rule, exponent)
        facts, both = budget.retention(statements, alive, evidence)
        sentence += facts
        context += both
    return np.mean(sentence), np.mean(context)


if __name__ == "__main__":
    main()
