#!/usr/bin/env python3
"""Trains whether a later statement answers the question that an earlier one answers. README.md says on what.

    python3 -m venv venv && venv/bin/pip install torch numpy safetensors tokenizers
    venv/bin/python scripts/same_question/train.py MINILM

MINILM is the folder of all-MiniLM-L6-v2 (`weir models pull minilm`). The program first trains on
four fifths of the topics and prints how well the others are judged, then on all. It writes
`engine/core/src/recall/same_question.txt` and `fixtures/golden/same_question.json`.
"""

import argparse
import json
import pathlib
import random

import numpy as np
import torch
import torch.nn.functional as F

from judge import Pairs, of_topics, said, talks, trained
from minilm import Encoder, write
from topics import topics

ROOT = pathlib.Path(__file__).parent.parent.parent


def logistic(features, answers):
    """A logistic model of a few features; gives the function that scores others."""
    mean, deviation = features.mean(0), features.std(0) + 1e-6
    model = torch.nn.Linear(features.shape[1], 1)
    steps = torch.optim.LBFGS(model.parameters(), max_iter=40)
    def loss():
        steps.zero_grad()
        found = F.binary_cross_entropy_with_logits(model((features - mean) / deviation)[:, 0], answers)
        found.backward()
        return found
    steps.step(loss)
    return lambda others: model((others - mean) / deviation)[:, 0].detach()


def figures(scores, pairs):
    """Of the talks with a change: the change is first, and above the score that one in ten talks without
    a change has somewhere; another statement is first above it."""
    talks = {}
    for score, answers, talk in zip(scores.tolist(), pairs.answers.tolist(), pairs.talks):
        talks.setdefault(talk, []).append((score, answers))
    changed = [max(it) for it in talks.values() if any(answers for _, answers in it)]
    same = [max(it)[0] for it in talks.values() if not any(answers for _, answers in it)]
    least = float(np.quantile(same, 0.9))
    share = lambda of: round(float(np.mean(of)), 3)
    return {"first": share([answers for _, answers in changed]),
            "found": share([answers == 1 and score > least for score, answers in changed]),
            "other": share([answers == 0 and score > least for score, answers in changed])}


def compare(network, train, test):
    with torch.no_grad():
        own = network(test.asked, test.earlier, test.later, test.compared)
    of = {"length": lambda it: it.lengths, "shared words": lambda it: it.compared[:, 3:],
          "cosines": lambda it: it.compared[:, :3], "cosines, shared words": lambda it: it.compared}
    for name, features in of.items():
        print(name, figures(logistic(features(train), train.answers)(features(test)), test))
    print("network", figures(own, test))


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("minilm", type=pathlib.Path)
    args = args.parse_args()
    torch.set_num_threads(1)
    rng = random.Random(5)
    all_topics = topics()
    rng.shuffle(all_topics)
    by_topic = of_topics(all_topics, rng)
    vectors = said(by_topic, Encoder(args.minilm))
    test_topics = len(by_topic) // 5
    train = Pairs(talks(by_topic[test_topics:], 1500, rng), vectors)
    test = Pairs(talks(by_topic[:test_topics], 400, rng), vectors)
    compare(trained(train), train, test)
    every = talks(by_topic, 2000, rng)
    pairs = Pairs(every, vectors)
    network = trained(pairs)
    write(ROOT / "engine/core/src/recall/same_question.txt", network.rows())
    # pairs of both answers
    some = [*(pairs.answers == 1).nonzero()[:3, 0], *(pairs.answers == 0).nonzero()[:3, 0]]
    golden = []
    for at in map(int, some):
        one = [it[at:at + 1] for it in (pairs.asked, pairs.earlier, pairs.later, pairs.compared)]
        with torch.no_grad():
            chance = float(torch.sigmoid(network(*one))[0])
        keys = ("question", "earlier", "later", "compared")
        texts = dict(zip(("speaker", "asks", "says", "then"), every[at]))
        values = {key: [round(float(x), 5) for x in it[0]] for key, it in zip(keys, one)}
        golden.append(texts | values | {"chance": round(chance, 5)})
    (ROOT / "fixtures/golden/same_question.json").write_text(json.dumps(golden) + "\n")


if __name__ == "__main__":
    main()
