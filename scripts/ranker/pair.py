"""Trains whether a statement answers a question, by the vectors of both: the network of
engine/core/src/recall/pair.rs. `train.py` calls it; README.md says on what."""

import pathlib
import sys

import numpy as np
import torch
import torch.nn.functional as F

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "same_question"))
from minilm import Encoder, write  # noqa: E402, F401

ENCODER = "all-MiniLM-L6-v2"
PROJECTED, HIDDEN, EPOCHS = 24, 16, 12
ANSWERS, SHORT = 3.0, 4.0  # weight of a pair that answers, and of one of a short talk
NAMES = "User Maya Tom Lena Ana Ivo Rosa Karl Priya Sam".split()


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.asked = torch.nn.Linear(384, PROJECTED)
        self.told = torch.nn.Linear(384, PROJECTED)
        self.hidden = torch.nn.Linear(4 * PROJECTED + 1, HIDDEN)
        self.output = torch.nn.Linear(HIDDEN, 1)
        self.beside = torch.nn.Linear(1, 1)
        self.drop = torch.nn.Dropout(0.3)
        for it in (self.asked, self.told):
            it.weight.data *= 3

    def forward(self, asked, told):
        cosine = (asked * told).sum(1, keepdim=True)
        asked, told = self.asked(asked), self.told(told)
        inputs = self.drop(torch.cat([asked * told, (asked - told).abs(), asked, told], 1))
        hidden = torch.relu(self.hidden(torch.cat([inputs, cosine], 1)))
        return (self.output(hidden) + self.beside(cosine))[:, 0]

    def layers(self):
        of = (self.asked, self.told, self.hidden, self.output, self.beside)
        return [torch.cat([it.weight, it.bias[:, None]], 1).detach() for it in of]


class Vectors:
    """The vectors of questions and their statements. The one who speaks in a short talk has another
    name in each, so that the name means nothing."""

    def __init__(self, folder, questions):
        said = [told for q in questions for told in (*self.told(q, q.texts), *self.told(q, q.unsaid_texts))]
        self.encoder = Encoder(folder)
        self.of = self.encoder([q.text for q in questions] + said)

    @staticmethod
    def told(question, statements):
        name = lambda speaker: NAMES[question.number % len(NAMES)] if question.short else speaker
        return [f"{name(speaker)}: {text}" for speaker, text in statements]

    def pairs(self, question, statements):
        told = [self.of[text] for text in self.told(question, statements)]
        asked = np.broadcast_to(self.of[question.text], (len(told), 384))
        return torch.tensor(np.array(asked)), torch.tensor(np.array(told).reshape(-1, 384))


def trained(questions, vectors):
    torch.manual_seed(1)
    parts = [vectors.pairs(q, q.texts) for q in questions]
    asked, told = (torch.cat([part[at] for part in parts]) for at in (0, 1))
    answers = torch.tensor(np.concatenate([q.label > 0 for q in questions])).float()
    short = torch.tensor(np.concatenate([np.full(len(q.label), float(q.short)) for q in questions])).float()
    weight = (1 + (SHORT - 1) * short) * (1 + (ANSWERS - 1) * answers)
    network = Network()
    steps = torch.optim.AdamW(network.parameters(), 1e-3, weight_decay=0.05)
    for _ in range(EPOCHS):
        for at in torch.randperm(len(answers)).split(512):
            found = network(asked[at], told[at])
            loss = F.binary_cross_entropy_with_logits(found, answers[at], weight=weight[at])
            steps.zero_grad()
            loss.backward()
            steps.step()
    return network.eval()


@torch.no_grad()
def odds(network, vectors, question, statements):
    """The log-odds of each of a question's statements."""
    return network(*vectors.pairs(question, statements)).numpy() if statements else np.zeros(0)


def golden(network, vectors, questions):
    """Vectors of pairs with their log-odds, for the engine's tests."""
    made = []
    for q in questions:
        asked, told = (torch.tensor(np.round(it[:1].numpy(), 5)) for it in vectors.pairs(q, q.texts))
        with torch.no_grad():
            value = float(network(asked, told)[0])
        row = lambda it: [round(float(x), 5) for x in it[0]]
        made.append({"question": row(asked), "statement": row(told), "odds": round(value, 4)})
    return made
