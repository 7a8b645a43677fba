#!/usr/bin/env python3
"""Trains whether two statements of one person say the same. README.md says on what.

    python3 -m venv venv && venv/bin/pip install torch numpy safetensors tokenizers
    weir-bench weigh --streams STREAMS --encoder MINILM > DATA.jsonl      (for each corpus)
    venv/bin/python scripts/same_claim/train.py MINILM DATA.jsonl ...

MINILM is the folder of all-MiniLM-L6-v2 (`weir models pull minilm`). The program first prints how well
pairs of topics and dialogues are judged that the network did not see, then trains on all. It writes
`engine/core/src/recall/same_claim.txt` and `fixtures/golden/same_claim.json`.
"""

import argparse
import json
import pathlib
import random
import re
import sys

import numpy as np
import torch
import torch.nn.functional as F

ROOT = pathlib.Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts/same_question"))
from judge import words  # noqa: E402
from minilm import Encoder, write  # noqa: E402
from topics import topics  # noqa: E402

PROJECTED, HIDDEN, COMPARED = 24, 16, 3  # as in same_claim.rs
GROUPS, TIMES, OTHERS = 5, 12, 4
CERTAIN = 3.2  # log-odds of pairs for the engine's tests
NEAREST = 2  # pairs of each statement of a dialogue
WORDS_MIN = 2  # content words of a statement that can be said again
SPEAKER = "User"


def written(line, by):
    text = re.sub(r"\{(\w+)\}", lambda it: by[it[1]], line)
    return text[0].upper() + text[1:]


def pairs_of(every, rng):
    """`(text, other, same, kind, topic)`: two wordings with one value say the same; other values, changes,
    statements beside, and those of another topic do not."""
    pairs = []
    for number, topic in enumerate(every):
        for _ in range(TIMES):
            now = {name: rng.choice(of) for name, of in topic["words"].items()}
            now["o"], now["v"] = rng.sample(topic["V"], 2)
            then = now | {"v": now["o"], "o": now["v"]}
            add = lambda line, other, by, same, kind: pairs.append((written(line, now), written(other, by), same, kind, number))
            for line in topic["E"]:
                for other in topic["E"]:
                    if line != other:
                        add(line, other, now, 1, "same")
                    add(line, other, then, 0, "value")
            some = lambda: rng.choice(topic["E"])
            for other in topic["N"]:
                add(some(), other, rng.choice([now, then]), 0, "beside")
            for other in topic["C"]:
                add(some(), other, then, 0, "change")
            for other in rng.sample(every, OTHERS):
                if other is not topic:
                    by = {name: rng.choice(of) for name, of in other["words"].items()}
                    by["o"], by["v"] = rng.sample(other["V"], 2)
                    add(some(), rng.choice(other["E"]), by, 0, "other")
    return pairs


def long_talk(files, encoder):
    """Pairs of statements of dialogues, as of topics: for each the nearest of the same person with its figures.
    People hardly repeat themselves there, so all count as pairs that do not say the same."""
    pairs, vectors = [], {}
    for file in files:
        said = {}
        with file.open(encoding="utf-8") as lines:
            for line in map(json.loads, lines):
                for it in line.get("statements", []):
                    if sum("'" not in word for word in words(it["text"])) >= WORDS_MIN:
                        said.setdefault((line["stream"], it["speaker"]), {})[it["text"]] = None
        for number, ((_, speaker), texts) in enumerate(said.items()):
            found = encoder([f"{speaker}: {text}" for text in texts])
            vectors.update((f"{SPEAKER}: {key.split(': ', 1)[1]}", vector) for key, vector in found.items())
            texts = [key.split(": ", 1)[1] for key in found]
            near = np.array(list(found.values()))
            near = near @ near.T - 2 * np.eye(len(texts))
            exact = [figures(text) for text in texts]
            for at, text in enumerate(texts):
                alike = [it for it in np.argsort(-near[at]) if exact[it] == exact[at]][:NEAREST]
                pairs += [(text, texts[it], 0, "dialogue", number) for it in alike]
    return pairs, vectors


def figures(text):
    """The numbers, names and negations of a text: of statements that say the same they are equal."""
    said = re.findall(r"[A-Za-z0-9':]+", text)
    return ({it for it in said if re.search(r"\d", it)}, {it for it in said[1:] if it[0].isupper() and not re.match(r"I\b", it)},
            any(re.fullmatch(r"(?i)not|no|never|nobody|nothing|none|without|hardly|.*n't", it) for it in said))


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(384, PROJECTED)
        self.second = torch.nn.Linear(384, PROJECTED)
        self.hidden = torch.nn.Linear(4 * PROJECTED + COMPARED, HIDDEN)
        self.output = torch.nn.Linear(HIDDEN, 1)
        self.beside = torch.nn.Linear(COMPARED, 1)
        self.drop = torch.nn.Dropout(0.3)
        for it in (self.first, self.second):
            it.weight.data *= 3

    def forward(self, text, other, compared):
        made = []
        for project in (self.first, self.second):
            a, b = project(text), project(other)
            made += [a * b, (a - b).abs()]
        hidden = torch.relu(self.hidden(torch.cat([self.drop(torch.cat(made, 1)), compared], 1)))
        return (self.output(hidden) + self.beside(compared))[:, 0]

    def layers(self):
        of = (self.first, self.second, self.hidden, self.output, self.beside)
        return [torch.cat([it.weight, it.bias[:, None]], 1).detach() for it in of]


class Data:
    def __init__(self, pairs, vectors):
        of = lambda at: torch.tensor(np.array([vectors[f"{SPEAKER}: {it[at]}"] for it in pairs]))
        self.texts, self.others = of(0), of(1)
        shared = []
        for text, other, *_ in pairs:
            text, other = words(text), words(other)
            both = len(text & other)
            shared.append([both / max(1, len(text | other)), both / max(1, min(len(text), len(other)))])
        cosine = (self.texts * self.others).sum(1, keepdim=True)
        self.compared = torch.cat([cosine, torch.tensor(shared)], 1).float()
        self.same = torch.tensor([it[2] for it in pairs]).float()

    def of(self, at):
        return self.texts[at], self.others[at], self.compared[at]


def trained(data, places):
    torch.manual_seed(1)
    network = Network()
    steps = torch.optim.AdamW(network.parameters(), 2e-3, weight_decay=1e-2)
    noisy = lambda it: it + 0.02 * torch.randn_like(it)
    for _ in range(6):
        for part in torch.randperm(len(places)).split(256):
            at = places[part]
            text, other, compared = data.of(at)
            loss = F.binary_cross_entropy_with_logits(network(noisy(text), noisy(other), compared), data.same[at])
            steps.zero_grad()
            loss.backward()
            steps.step()
    return network.eval()


def say(name, scores, pairs):
    """The share of pairs that say the same that are found where so many of what is found are right."""
    same = np.array([it[2] for it in pairs])
    order = np.argsort(-scores)
    right = np.cumsum(same[order]) / np.arange(1, len(order) + 1)
    for least in (0.90, 0.95, 0.98):
        found = np.flatnonzero(right >= least)
        if not len(found):
            print(f"{name}: never {least:.2f} right")
            continue
        most = found[-1] + 1
        wrong = [pairs[at][3] for at in order[:most] if not same[at]]
        kinds = ", ".join(f"{kind} {wrong.count(kind)}" for kind in sorted(set(wrong)))
        print(f"{name}, {least:.2f} right: finds {same[order[:most]].sum() / same.sum():.3f}, from {scores[order[most - 1]]:.2f}; wrong: {kinds}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("minilm", type=pathlib.Path)
    parser.add_argument("data", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    rng = random.Random(3)
    every = topics()
    rng.shuffle(every)
    pairs = pairs_of(every, rng)
    encoder = Encoder(arguments.minilm)
    talk, vectors = long_talk(arguments.data, encoder)
    topic_pairs = len(pairs)
    pairs += talk
    vectors |= encoder({f"{SPEAKER}: {text}" for it in pairs[:topic_pairs] for text in it[:2]})
    data = Data(pairs, vectors)
    group = np.array([it[4] % GROUPS for it in pairs])
    odds = np.zeros(len(pairs))
    for out in range(GROUPS):
        network = trained(data, torch.tensor(np.flatnonzero(group != out)))
        with torch.no_grad():
            odds[group == out] = network(*data.of(torch.tensor(np.flatnonzero(group == out)))).numpy()
    agree = np.array([figures(text) == figures(other) for text, other, *_ in pairs])
    print(f"{topic_pairs} pairs of {len(every)} topics, {data.same.sum() / topic_pairs:.2f} say the same; "
          f"{len(talk)} of dialogues")
    say("cosine", data.compared[:, 0].numpy(), pairs)
    say("cosine, figures agree", np.where(agree, data.compared[:, 0].numpy(), -1), pairs)
    say("network", odds, pairs)
    say("network, figures agree", np.where(agree, odds, -99), pairs)
    network = trained(data, torch.arange(len(pairs)))
    write(ROOT / "engine/core/src/recall/same_claim.txt", network.layers())
    with torch.no_grad():
        odds = network(*data.of(torch.arange(len(pairs)))).numpy()
    # pairs of both kinds, the first ones certain
    some = [*np.flatnonzero(agree & (odds > CERTAIN) & (data.same.numpy() == 1))[::20][:3], *range(5, topic_pairs, topic_pairs // 3)]
    golden = []
    for at in map(int, some):
        text, other, compared = (torch.tensor(np.round(it[None].numpy(), 5)) for it in data.of(at))
        with torch.no_grad():
            value = float(network(text, other, compared)[0])
        row = lambda it: [round(float(x), 5) for x in it[0]]
        golden.append({"says": pairs[at][0], "then": pairs[at][1], "text": row(text), "other": row(other),
                       "compared": row(compared), "odds": round(value, 4)})
    (ROOT / "fixtures/golden/same_claim.json").write_text("[" + ",\n".join(map(json.dumps, golden)) + "]\n")


if __name__ == "__main__":
    main()
