#!/usr/bin/env python3
"""Trains which statement answers a question, and whether any does.

    weir-bench weigh --streams STREAMS --encoder ENCODER > DATA.jsonl      (for each encoder and corpus)
    python3 -m venv venv && venv/bin/pip install numpy lightgbm scikit-learn
    venv/bin/python scripts/ranker/train.py DATA.jsonl ...      (says what it finds out of fold)
    venv/bin/python scripts/ranker/train.py --write DATA.jsonl ...

A line of DATA is a question with its best statements and what `engine/core/src/recall/features.rs`
looks at in them. A statement of a gold utterance that shares most words with question and answer
answers; adversarial questions have no answer, and neither has a question from whose statements
those of its gold utterances are taken. Each stream is a fold. `--write` replaces
`engine/core/src/recall/ranker_trees.txt`, `ranker_answerable.txt` and `fixtures/golden/ranker.json`.
"""

import argparse
import collections
import json
import pathlib
import re

import lightgbm
import numpy as np
from sklearn.linear_model import LogisticRegression

ROOT = pathlib.Path(__file__).resolve().parents[2]
TREES = 200
SETTINGS = dict(
    objective="binary", num_leaves=15, learning_rate=0.04, min_child_samples=30,
    feature_fraction=0.5, bagging_fraction=0.7, bagging_freq=1, lambda_l2=10,
    verbose=-1, seed=1, deterministic=True, num_threads=2,
)
# places in a row, as in features.rs
DENSE, TERMS, WORDS, UTTERANCE, SCORE, COSINE, SPARSE = 0, 1, 2, 3, 5, 8, 9
COVERED, AROUND, PEOPLE, OWN, CONCERNS, OTHERS, FITS, KNOWN = 10, 11, 14, 15, 16, 17, 33, 38
KINDS = slice(40, 48)
RANK, BEHIND, ALONE, RANKED = 7, 6, 56, 6
COMPARED = (DENSE, TERMS, WORDS, UTTERANCE, COSINE, SPARSE, SCORE, COVERED)
OWN_AND_OTHERS = (DENSE, TERMS, WORDS, SCORE, COSINE, SPARSE, COVERED, AROUND, UTTERANCE)
SUPPORT_MIN = 0.4  # as in answer/quote.rs
UNSAID = 0.1  # weight of a question whose evidence was taken away
DECLINED = 0.02  # of the answerable questions, out of fold
STOP = set(
    "a an the of to in on at for and or but is are was were be been am i you he she it we they me my "
    "your his her our their its this that these those do does did have has had with as by from not "
    "no so what which who when where why how will would can could should just there here about "
    "into over up out if than then them us very really too also s t m re ve ll d".split()
)


def stems(text):
    words = (word for word in re.findall(r"[a-z0-9']+", text.lower()) if word not in STOP)
    return {re.sub(r"(ing|ed|es|s|'s)$", "", w) if len(w) > 4 else w for w in words}


class Question:
    def __init__(self, line):
        self.fold, self.gold = line["stream"], line["answer"] or ""
        self.adversarial = line["category"] == "adversarial"
        statements = line["statements"]
        self.rows = np.array([one["features"] for one in statements], np.float32)
        self.label = np.zeros(len(statements))
        self.gold_rows = np.array([one["utterance"] in line["evidence"] for one in statements])
        if not self.adversarial:
            self.mark(line, statements)

    def mark(self, line, statements):
        answer, question = stems(self.gold), stems(line["question"])
        words = [stems(one["text"]) for one in statements]
        shared = [2 * len(w & answer) + 0.5 * len(w & question) for w in words]
        by_utterance = collections.defaultdict(list)
        for at, one in enumerate(statements):
            if one["utterance"] in line["evidence"]:
                by_utterance[one["utterance"]].append(at)
        for places in by_utterance.values():
            most = max(shared[at] for at in places)
            for at in places:
                whole = 0 < len(answer) <= 6 and answer <= words[at]
                if whole or shared[at] == most:
                    self.label[at] = 2 if whole else 1


def unsaid(rows):
    """What is left of a question's statements, compared with each other anew."""
    rows = rows.copy()
    rows[:, RANK] = np.log1p(np.arange(len(rows)))
    rows[:, BEHIND] = rows[:, SCORE] - rows[0, SCORE]
    for at, of in enumerate(COMPARED):
        rows[:, ALONE + at] = rows[:, of] - rows[:, of].max()
        if at < RANKED:
            order = np.argsort(-rows[:, of], kind="stable")
            rows[order, ALONE + len(COMPARED) + at] = np.arange(len(rows))
    return rows


def fitted(questions):
    told = [q for q in questions if not q.adversarial]
    rows = np.concatenate([q.rows for q in told])
    label = np.concatenate([q.label for q in told])
    data = lightgbm.Dataset(rows, label=(label > 0).astype(int), weight=np.where(label == 2, 2, 1))
    return lightgbm.train(SETTINGS, data, TREES)


def of_question(rows, chance):
    """What `of_question` of ranker.rs makes of them, in the same order."""
    order = np.argsort(-chance, kind="stable")
    first = rows[order[0]]
    nth = np.concatenate([chance[order], np.zeros(5)])
    own = (rows[:, OWN] > 0) | (rows[:, PEOPLE] == 0)
    found = [nth[0], nth[1], nth[2], nth[:5].sum()]
    found += [first[at] for at in (OWN, CONCERNS, OTHERS, PEOPLE, KNOWN, FITS)]
    for at in OWN_AND_OTHERS:
        most = [rows[of, at].max() if of.any() else -5.0 for of in (own, ~own)]
        found += [most[0], most[1], most[0] - most[1], first[at]]
    found += [chance[of].max() if of.any() else 0.0 for of in (own, ~own)]
    return np.array(found + list(first[KINDS]), np.float64)


def logistic(rows, answerable, weight):
    mean, deviation = rows.mean(0), rows.std(0) + 1e-9
    model = LogisticRegression(C=0.05, max_iter=2000, class_weight="balanced")
    model.fit((rows - mean) / deviation, answerable, weight)
    return mean, model.coef_[0] / deviation, model.intercept_[0]


def say(questions, chances, support):
    places = [q.label[np.argsort(-c, kind="stable")] for q, c in zip(questions, chances)]
    told = [p for q, p in zip(questions, places) if not q.adversarial]
    for most in (1, 2, 4):
        print(f"an answer among the first {most}: {np.mean([p[:most].max() > 0 for p in told]):.3f}")
    adversarial = np.array([q.adversarial for q in questions])
    if adversarial.any():
        low = support < SUPPORT_MIN
        print(f"declined: answerable {low[~adversarial].mean():.3f}, "
              f"adversarial {low[adversarial].mean():.3f} (out of fold)")


def tree_line(tree):
    nodes = []

    def add(node):
        at = len(nodes)
        nodes.append(None)
        if "leaf_value" in node:
            nodes[at] = f"{node['leaf_value']:.6g}"
        else:
            left, right = add(node["left_child"]), add(node["right_child"])
            nodes[at] = f"{node['split_feature']} {node['threshold']:.9g} {left} {right}"
        return at

    add(tree["tree_structure"])
    return ";".join(nodes)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("data", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    questions = []
    for file in arguments.data:
        with file.open() as lines:
            found = (json.loads(line) for line in lines)
            questions += [Question(line) for line in found if line["statements"]]
    folds = sorted({q.fold for q in questions})
    print(f"{len(questions)} questions in {len(folds)} folds")
    removed = [
        unsaid(q.rows[~q.gold_rows])
        if not q.adversarial and q.gold_rows.any() and not q.gold_rows.all()
        else None
        for q in questions
    ]
    chances = [None] * len(questions)
    chances_removed = [None] * len(questions)
    groups = [folds[at::5] for at in range(5)] if len(folds) > 12 else [[fold] for fold in folds]
    for group in groups:
        model = fitted([q for q in questions if q.fold not in group])
        for at, q in enumerate(questions):
            if q.fold in group:
                chances[at] = model.predict(q.rows)
                if removed[at] is not None:
                    chances_removed[at] = model.predict(removed[at])
    pairs = [(q.rows, c, q.fold, not q.adversarial) for q, c in zip(questions, chances)]
    pairs += [
        (r, c, q.fold, False)
        for q, r, c in zip(questions, removed, chances_removed)
        if r is not None
    ]
    rows = np.array([of_question(r, c) for r, c, _, _ in pairs])
    answerable = np.array([yes for *_, yes in pairs])
    fold = np.array([fold for _, _, fold, _ in pairs])
    counts = np.where(np.arange(len(pairs)) < len(questions), 1.0, UNSAID)
    score = np.zeros(len(pairs))
    for group in groups:
        out = np.isin(fold, group)
        mean, weight, bias = logistic(rows[~out], answerable[~out], counts[~out])
        score[out] = (rows[out] - mean) @ weight + bias
    shift = np.log(SUPPORT_MIN / (1 - SUPPORT_MIN)) - np.quantile(score[answerable], DECLINED)
    support = 1 / (1 + np.exp(-(score + shift)))
    say(questions, chances, support[: len(questions)])
    low = support[len(questions) :] < SUPPORT_MIN
    print(f"declined of those whose evidence was taken away: {low.mean():.3f} (out of fold)")
    if not arguments.write:
        return
    mean, weight, bias = logistic(rows, answerable, counts)
    model = fitted(questions)
    trees = model.dump_model()["tree_info"]
    source = ROOT / "engine" / "core" / "src" / "recall"
    (source / "ranker_trees.txt").write_text("\n".join(map(tree_line, trees)) + "\n")
    lines = [f"{bias + shift:.8g}"] + [f"{m:.8g} {w:.8g}" for m, w in zip(mean, weight)]
    (source / "ranker_answerable.txt").write_text("\n".join(lines) + "\n")
    golden = []
    for q in questions[:: len(questions) // 6][:6]:
        chance = model.predict(q.rows)
        z = (of_question(q.rows, chance) - mean) @ weight + bias + shift
        golden.append({
            "rows": [[round(float(x), 5) for x in row] for row in q.rows[:12]],
        })
        kept = np.array(golden[-1]["rows"], np.float32)
        chance = model.predict(kept)
        z = (of_question(kept, chance) - mean) @ weight + bias + shift
        golden[-1]["chances"] = [round(float(c), 6) for c in chance]
        golden[-1]["support"] = round(float(1 / (1 + np.exp(-z))), 6)
    file = ROOT / "fixtures" / "golden" / "ranker.json"
    file.write_text("[" + ",\n".join(json.dumps(one) for one in golden) + "]\n")


if __name__ == "__main__":
    main()
