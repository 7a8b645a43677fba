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
import re

import numpy as np
import torch
import torch.nn.functional as F

from minilm import Encoder, write
from topics import told, topics

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
PROJECTED, HIDDEN, COMPARED = 24, 16, 5  # as in same_question.rs
SPEAKERS = ["User", "Maya"]
STOP = set(
    "a an the of to in on at for and or but is are was were be been am i you he she it we they me my "
    "your his her our their its this that these those do does did have has had with as by from not no "
    "so what which who when where why how will would can could should just there here about into over "
    "up out if than then them us very really too also s t m re ve ll d".split()
)


def talks(all_told, filler, number, rng):
    """Pairs of talks in which a thing is told, and changed in three of four: `(speaker, question,
    earlier, later, answers, talk)`, where `later` is everything that is said after it."""
    pairs = []
    for talk in range(number):
        first, *others = rng.sample(all_told, min(19, len(all_told)))
        speaker = rng.choice(SPEAKERS)
        later = [(it, 0) for it in first["beside"] + rng.sample(filler, 5)]
        if rng.random() < 0.75:
            later.append((first["changes"], 1))
        for it in others:
            if (it["topic"], it["person"]) != (first["topic"], first["person"]) and it["topic"] != first["topic"]:
                later.append((rng.choice([it["changes"], it["changes"], it["says"], *it["beside"]]), 0))
        pairs += [(speaker, first["asks"], first["says"], text, answers, talk) for text, answers in later]
    return pairs


def words(text):
    return {it for it in re.findall(r"[a-z0-9']+", text.lower()) if it not in STOP}


class Pairs:
    def __init__(self, pairs, vectors):
        vector = lambda speaker, text: vectors[f"{speaker}: {text}"]
        self.asked = torch.tensor(np.array([vectors[it[1]] for it in pairs]))
        self.earlier = torch.tensor(np.array([vector(it[0], it[2]) for it in pairs]))
        self.later = torch.tensor(np.array([vector(it[0], it[3]) for it in pairs]))
        shared = []
        for _, asks, earlier, later, *_ in pairs:
            asks, earlier, later = words(asks), words(earlier), words(later)
            shared.append([len(earlier & later) / max(1, len(earlier | later)), len(asks & later) / max(1, len(asks))])
        dot = lambda a, b: (a * b).sum(1, keepdim=True)
        cosines = [dot(self.earlier, self.later), dot(self.asked, self.later), dot(self.asked, self.earlier)]
        self.compared = torch.cat([*cosines, torch.tensor(shared)], 1).float()
        self.lengths = torch.tensor([[len(it[2].split()), len(it[3].split())] for it in pairs]).float()
        self.answers = torch.tensor([it[4] for it in pairs]).float()
        self.talks = [it[5] for it in pairs]


class Network(torch.nn.Module):
    def __init__(self, mean, deviation):
        super().__init__()
        self.asked = torch.nn.Linear(384, PROJECTED, bias=False)
        self.told = torch.nn.Linear(384, PROJECTED, bias=False)
        self.hidden = torch.nn.Linear(4 * PROJECTED + COMPARED, HIDDEN)
        self.output = torch.nn.Linear(HIDDEN, 1)
        self.beside = torch.nn.Linear(COMPARED, 1)
        self.drop = torch.nn.Dropout(0.3)
        self.mean, self.deviation = mean, deviation
        for it in (self.asked, self.told):
            it.weight.data *= 3

    def forward(self, asked, earlier, later, compared):
        asked, earlier, later = self.asked(asked), self.told(earlier), self.told(later)
        projected = self.drop(torch.cat([earlier * later, (earlier - later).abs(), asked * later, later], 1))
        compared = (compared - self.mean) / self.deviation
        hidden = torch.relu(self.hidden(torch.cat([projected, compared], 1)))
        return (self.output(hidden) + self.beside(compared))[:, 0]

    def rows(self):
        """Weights of each row and its bias, for features that are not standardised."""
        def raw(weights, bias, first):
            scaled = weights.clone()
            scaled[:, first:] /= self.deviation
            return scaled, bias - (scaled[:, first:] * self.mean).sum(1)
        layers = [(self.asked.weight, torch.zeros(PROJECTED)), (self.told.weight, torch.zeros(PROJECTED)),
                  raw(self.hidden.weight.data, self.hidden.bias.data, 4 * PROJECTED),
                  (self.output.weight, self.output.bias), raw(self.beside.weight.data, self.beside.bias.data, 0)]
        return [torch.cat([w, b[:, None]], 1).detach() for w, b in layers]


def trained(pairs, epochs=5):
    torch.manual_seed(1)
    network = Network(pairs.compared.mean(0), pairs.compared.std(0) + 1e-6)
    steps = torch.optim.AdamW(network.parameters(), 2e-3, weight_decay=1e-2)
    noisy = lambda it: it + 0.02 * torch.randn_like(it)
    for _ in range(epochs):
        for at in torch.randperm(len(pairs.answers)).split(256):
            told = network(noisy(pairs.asked[at]), noisy(pairs.earlier[at]), noisy(pairs.later[at]), pairs.compared[at])
            loss = F.binary_cross_entropy_with_logits(told, pairs.answers[at])
            steps.zero_grad()
            loss.backward()
            steps.step()
    return network.eval()


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
    filler = (HERE / "filler.txt").read_text().splitlines()
    by_topic = [[told(topic, rng) for _ in range(12)] for topic in all_topics]
    flat = [it for of in by_topic for it in of]
    said = {text for it in flat for text in (it["says"], it["changes"], *it["beside"])} | set(filler)
    vectors = Encoder(args.minilm)([f"{speaker}: {text}" for speaker in SPEAKERS for text in said]
                                   + [it["asks"] for it in flat])
    test_topics = len(by_topic) // 5
    part = lambda of: [it for told_of in of for it in told_of]
    train = Pairs(talks(part(by_topic[test_topics:]), filler, 1500, rng), vectors)
    test = Pairs(talks(part(by_topic[:test_topics]), filler, 400, rng), vectors)
    compare(trained(train), train, test)
    every = talks(flat, filler, 2000, rng)
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
