"""Whether a later statement answers the question that an earlier one answers: talks of the topics of
topics.txt, their pairs, and the network. `train.py` trains it on them, and `scripts/ranker` out of fold."""

import pathlib
import random
import re

import numpy as np
import torch
import torch.nn.functional as F

from topics import told

FILLER = (pathlib.Path(__file__).parent / "filler.txt").read_text().splitlines()
TOLD = 12  # times that each topic is told
PROJECTED, HIDDEN, COMPARED = 24, 16, 5  # as in same_question.rs
SPEAKERS = ["User", "Maya"]
STOP = set(
    "a an the of to in on at for and or but is are was were be been am i you he she it we they me my "
    "your his her our their its this that these those do does did have has had with as by from not no "
    "so what which who when where why how will would can could should just there here about into over "
    "up out if than then them us very really too also s t m re ve ll d".split()
)


def talks(by_topic, number, rng):
    """Pairs of talks in which a thing is told, and changed in three of four: `(speaker, question,
    earlier, later, answers, talk)`, where `later` is everything that is said after it."""
    pairs, all_told = [], [it for of in by_topic for it in of]
    for talk in range(number):
        first, *others = rng.sample(all_told, min(19, len(all_told)))
        speaker = rng.choice(SPEAKERS)
        later = [(it, 0) for it in first["beside"] + rng.sample(FILLER, 5)]
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


def of_topics(of, rng):
    """Each topic told some times."""
    return [[told(topic, rng) for _ in range(TOLD)] for topic in of]


def said(by_topic, encoder):
    """The vectors of all that may be said and asked of topics."""
    flat = [it for of in by_topic for it in of]
    texts = {text for it in flat for text in (it["says"], it["changes"], *it["beside"])} | set(FILLER)
    return encoder([f"{speaker}: {text}" for speaker in SPEAKERS for text in texts] + [it["asks"] for it in flat])
