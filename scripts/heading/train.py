"""Trains the choice of the statement that heads an event (`engine/core/src/distil/heading.rs`).

    python scripts/heading/train.py

`labels.tsv` has one line a statement that may head a block: part, corpus, number of the block, its
rank among those a reader chose (0: not chosen), and the features of `weir-bench titles`. A linear
model gives each statement of a block a worth; it is fitted so that the softmax over a block is
near the reader's choice. Prints the weights, and in how many blocks the first is one that was
chosen: by five folds, by leaving each corpus out, and on the part held apart.
"""

import pathlib
import random

import numpy as np

RANKS = {1: 1.0, 2: 0.6, 3: 0.4}
DECAY = 0.02
STEPS = 400


def read():
    blocks = {}
    lines = (pathlib.Path(__file__).parent / "labels.tsv").read_text().splitlines()[1:]
    for line in lines:
        part, corpus, block, rank, features = line.split("\t")
        row = blocks.setdefault((part, corpus, int(block)), ([], []))
        row[0].append([float(it) for it in features.split()])
        row[1].append(int(rank))
    return {key: (np.array(x), np.array(ranks)) for key, (x, ranks) in blocks.items()}


def fit(blocks):
    scale = np.concatenate([x for x, _ in blocks]).std(axis=0) + 1e-6
    weights = np.zeros(len(scale))
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        slope = np.zeros_like(weights)
        for x, ranks in blocks:
            worth = (x / scale) @ weights
            chance = np.exp(worth - worth.max())
            wanted = np.array([RANKS.get(rank, 0.0) for rank in ranks])
            slope += (x / scale).T @ (chance / chance.sum() - wanted / wanted.sum())
        slope = slope / len(blocks) + DECAY * weights
        # Adam
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope**2
        weights -= 0.05 * first / (1 - 0.9**step) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
    return weights / scale


def share(weights, blocks):
    return np.mean([ranks[np.argmax(x @ weights)] > 0 for x, ranks in blocks])


def main():
    blocks = read()
    train = [key for key in blocks if key[0] == "train"]
    test = [blocks[key] for key in blocks if key[0] == "test"]
    of = lambda keys: [blocks[key] for key in keys]
    random.Random(1).shuffle(train)
    folds = []
    for fold in range(5):
        rest = [key for at, key in enumerate(train) if at % 5 != fold]
        folds.append(share(fit(of(rest)), of(train[fold::5])))
    print(f"{len(train)} blocks, five folds: {np.mean(folds):.3f}")
    for corpus in sorted({key[1] for key in train}):
        rest = [key for key in train if key[1] != corpus]
        own = [key for key in train if key[1] == corpus]
        print(f"{corpus} left out: {share(fit(of(rest)), of(own)):.3f} of {len(own)}")
    weights = fit(of(train))
    chance = np.mean([np.mean(ranks > 0) for _, ranks in test])
    print(f"held apart: {share(weights, test):.3f} of {len(test)}, by chance {chance:.3f}")
    print("[" + ", ".join(f"{it:.2f}" for it in weights) + "]")


if __name__ == "__main__":
    main()
