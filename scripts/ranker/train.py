#!/usr/bin/env python3
"""Trains which statement answers a question, and whether any does. README.md says on what.

    weir-bench weigh --streams STREAMS --encoder ENCODER > DATA.jsonl      (for each encoder and corpus)
    python3 -m venv venv && venv/bin/pip install numpy lightgbm torch safetensors tokenizers
    venv/bin/python scripts/ranker/train.py DATA.jsonl ... --minilm MINILM [--without STREAM] \
        --out engine/core/src/recall

A line of DATA is a question with its best statements and their features, also without those of its
gold utterances. A statement of a gold utterance that shares most words with question and answer
answers; adversarial questions have no answer, and neither has a question without its gold
utterances. Each stream is a fold. MINILM is the folder of all-MiniLM-L6-v2: of data found by it, the
network of pairs (pair.py) is trained first, out of fold for the trees. With the models, `--out` gets
golden values for the engine's tests, `ranker.json` and `pair.json`, which belong in fixtures/golden.
"""

import argparse
import collections
import json
import pathlib
import re

import lightgbm
import numpy as np

import change
import pair

TREES = 200
QUESTION_TREES = 120
SETTINGS = dict(
    objective="binary", num_leaves=15, learning_rate=0.04, min_child_samples=30,
    feature_fraction=0.5, bagging_fraction=0.7, bagging_freq=1, lambda_l2=10,
    verbose=-1, seed=1, deterministic=True, num_threads=2,
)
QUESTION_SETTINGS = SETTINGS | dict(num_leaves=7, min_child_samples=60)
# Features of a question by those of its statements, as `question_names` in ranker.rs has them.
FIRST = "own concerns others people known_share fits".split()
OWN_AND_OTHERS = ("dense sparse lexical score cosine terms covered utterance_covered "
                  "utterance pair").split()
SUPPORT_MIN = 0.4  # as in answer/quote.rs
SHORT = 1.0  # weight of a statement in a short talk, and of a question in one
SHORT_QUESTION = 0.3
SHORT_ANSWERED = 6.0
MEANING = 0.4  # as in ranker.rs
UNSAID = 0.1  # weight of a question whose evidence was taken away
DECLINED = 0.02  # of the answerable questions, out of fold
STOP = set(
    "a an the of to in on at for and or but is are was were be been am i you he she it we they me my "
    "your his her our their its this that these those do does did have has had with as by from not "
    "no so what which who when where why how will would can could should just there here about "
    "into over up out if than then them us very really too also s t m re ve ll d".split()
)


def stems(text):
    """Rough stems of content words: labels alone depend on them, no feature does."""
    words = (word for word in re.findall(r"[a-z0-9']+", text.lower()) if word not in STOP)
    return {re.sub(r"(ing|ed|es|s|'s)$", "", w) if len(w) > 4 else w for w in words}


class Question:
    """A question's statements: their features, and whether they answer (2: the whole answer)."""

    def __init__(self, line, head):
        self.text, self.names = line["question"], head["features"]
        self.paired = head["encoder"] == pair.ENCODER
        # short talks of one group share their topics
        self.short = line["stream"].startswith("short-")
        self.fold = line["stream"].rsplit("-", 1)[0] if self.short else line["stream"]
        self.adversarial = line["category"] == "adversarial"
        self.number = int(line["stream"].rsplit("-", 1)[1]) if self.short else 0
        self.meaning = "sparse" if head["projected"] else "dense"
        statements, unsaid = line["statements"], line["without_evidence"]
        if self.adversarial or len(unsaid) == len(statements):
            unsaid = []
        read = lambda of: np.array([one["features"] for one in of], np.float32)
        texts = lambda of: [(one["speaker"], one["text"]) for one in of]
        self.rows, self.texts = read(statements), texts(statements)
        self.unsaid, self.unsaid_texts = read(unsaid), texts(unsaid)
        self.turns = np.array([one["turn"] for one in statements])
        self.gold = np.array([one["utterance"] in line["evidence"] for one in statements])
        self.label = np.zeros(len(statements))
        if not self.adversarial:
            self.mark(line, statements)

    def set_pairs(self, network, vectors):
        """Sets what the network of pairs says, as `of_all` in features.rs does."""
        at, below = self.names.index("pair"), self.names.index("pair_below")
        for rows, texts in ((self.rows, self.texts), (self.unsaid, self.unsaid_texts)):
            if texts:
                rows[:, at] = pair.odds(network, vectors, self, texts)
                rows[:, below] = rows[:, at] - rows[:, at].max()

    def mark(self, line, statements):
        answer, question = stems(line["answer"] or ""), stems(line["question"])
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


def fitted(questions):
    told = [q for q in questions if not q.adversarial]
    rows = np.concatenate([q.rows for q in told])
    label = np.concatenate([q.label for q in told])
    weight = np.concatenate([np.full(len(q.label), SHORT if q.short else 1.0) for q in told])
    data = lightgbm.Dataset(rows, label=(label > 0).astype(int), weight=weight * np.where(label == 2, 2, 1))
    return lightgbm.train(SETTINGS, data, TREES)


def of_question(rows, chance, names):
    """The features of a question by name, in the order of `of_question` in ranker.rs."""
    at = {name: place for place, name in enumerate(names)}
    order = np.argsort(-chance, kind="stable")
    first = rows[order[0]]
    nth = np.concatenate([chance[order], np.zeros(5)])
    own = (rows[:, at["own"]] > 0) | (rows[:, at["people"]] == 0)
    found = {"chance_first": nth[0], "chance_second": nth[1], "chance_third": nth[2],
             "chance_sum": nth[:5].sum(), "statements": np.log(len(rows))}
    found.update((f"{name}_first", first[at[name]]) for name in FIRST)
    for name in OWN_AND_OTHERS:
        most = [rows[of, at[name]].max() if of.any() else -5.0 for of in (own, ~own)]
        found.update({f"{name}_own": most[0], f"{name}_others": most[1],
                      f"{name}_gap": most[0] - most[1], f"{name}_first": first[at[name]]})
    for name, of in (("own", own), ("others", ~own)):
        found[f"chance_{name}"] = chance[of].max() if of.any() else 0.0
    found.update((f"{name}_first", first[at[name]]) for name in names if name.startswith("asks_")
                 and f"offers_{name[5:]}" in at)
    return {name: float(value) for name, value in found.items()}


def answerable_model(rows, answerable, weight):
    told, untold = weight[answerable].sum(), weight[~answerable].sum()
    weight = weight * np.where(answerable, untold / told, 1)
    data = lightgbm.Dataset(rows, label=answerable.astype(int), weight=weight)
    return lightgbm.train(QUESTION_SETTINGS, data, QUESTION_TREES)


def say(questions, chances, support):
    """Figures out of fold, for long dialogues and for short talks."""
    adversarial = np.array([q.adversarial for q in questions])
    short = np.array([q.short for q in questions])
    low = support[: len(questions)] < SUPPORT_MIN
    paired = np.array([q.paired for q in questions])
    parts = ("long", ~short), ("short", short), ("long, MiniLM", ~short & paired), ("short, MiniLM", short & paired)
    for name, of in parts:
        told = [(q, c) for q, c, it in zip(questions, chances, of) if it and not q.adversarial]
        places = [q.label[np.argsort(-c, kind="stable")] for q, c in told]
        firsts = " ".join(f"{np.mean([p[:most].max() > 0 for p in places]):.3f}" for most in (1, 2, 4))
        print(f"{name}: an answer among the first 1, 2, 4: {firsts}; declined: answerable "
              f"{low[of & ~adversarial].mean():.3f}, unanswerable {low[of & adversarial].mean():.3f}")
    print(f"declined where the evidence was taken away: {(support[len(questions):] < SUPPORT_MIN).mean():.3f}")


def with_meaning(question, chance, names):
    """As `add_meaning` in ranker.rs, where no network of pairs judges."""
    if question.paired:
        return chance
    at = {name: place for place, name in enumerate(names)}
    open_share = 1 - question.rows[:, at["covered"]]
    z = change.odds(chance) + MEANING * (open_share * question.rows[:, at[question.meaning]] - 1)
    return 1 / (1 + np.exp(-z))


def calibrated(questions, chances, support):
    """The weights of how sure an answer is: a logistic model, out of fold, of the odds of its best
    statement and of the question. Prints how often an answer is right, by how sure it is."""
    asked = [(q, c, s) for q, c, s in zip(questions, chances, support) if s >= SUPPORT_MIN]
    rows = np.array([[1, change.odds(c.max()), change.odds(s)] for _, c, s in asked])
    right = np.array([q.label[c.argmax()] > 0 for q, c, _ in asked], float)
    short = np.array([q.short for q, *_ in asked])
    folds = np.array([q.fold for q, *_ in asked])

    def newton(rows, right):
        weights = np.zeros(rows.shape[1])
        for _ in range(20):
            p = 1 / (1 + np.exp(-rows @ weights))
            slope = rows.T @ (right - p)
            weights += np.linalg.solve((rows * (p * (1 - p))[:, None]).T @ rows + 1e-3 * np.eye(len(weights)), slope)
        return weights

    sure = np.zeros(len(rows))
    for fold in sorted(set(folds)):
        out = folds == fold
        sure[out] = 1 / (1 + np.exp(-rows[out] @ newton(rows[~out], right[~out])))
    for low, high in zip((0, 0.2, 0.4, 0.6, 0.8), (0.2, 0.4, 0.6, 0.8, 1.01)):
        within = (sure >= low) & (sure < high)
        parts = [within & of for of in (~short, short) if (within & of).any()]
        parts = [f"{right[part].mean():.2f} of {part.sum()}" for part in parts]
        print(f"sure {low:.1f} to {min(high, 1):.1f}: right in " + ", in short talks ".join(parts))
    return newton(rows, right)


def tree_line(tree, names):
    nodes = []

    def add(node):
        at = len(nodes)
        nodes.append(None)
        if "leaf_value" in node:
            nodes[at] = f"{node['leaf_value']:.6g}"
        else:
            left, right = add(node["left_child"]), add(node["right_child"])
            nodes[at] = f"{names[node['split_feature']]} {node['threshold']:.9g} {left} {right}"
        return at

    add(tree["tree_structure"])
    return ";".join(nodes)


def read(files, without):
    """The names of the features, and the questions that have statements."""
    questions, head = [], None
    for file in files:
        with file.open(encoding="utf-8") as lines:
            head = json.loads(next(lines))
            found = (json.loads(line) for line in lines)
            questions += [Question(line, head) for line in found
                          if line["statements"] and line["stream"] not in without]
    return head["features"], questions


def pairs_out_of_fold(questions, folder, groups):
    """Sets the network's features of questions by networks that saw none of their fold; gives the
    vectors and the network of all."""
    paired = [q for q in questions if q.paired]
    vectors = pair.Vectors(folder, paired)
    for group in groups:
        network = pair.trained([q for q in paired if q.fold not in group], vectors)
        for q in paired:
            if q.fold in group:
                q.set_pairs(network, vectors)
    for name, short in (("long", False), ("short", True)):
        asked = [q for q in paired if q.short == short]
        values = [q.rows[:, q.names.index("pair")] for q in asked]
        told = [(q, it) for q, it in zip(asked, values) if not q.adversarial]
        most, untold = ([it.max() for q, it in zip(asked, values) if q.adversarial == of] for of in (False, True))
        above = (np.array(most)[:, None] > np.array(untold)[None]).mean()
        first = np.mean([q.label[it.argmax()] > 0 for q, it in told])
        print(f"{name}: the network alone: an answer first {first:.3f}; area under the curve {above:.3f}")
    return vectors, pair.trained(paired, vectors)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="+", type=pathlib.Path)
    parser.add_argument("--minilm", type=pathlib.Path, required=True, help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--without", action="append", default=[], metavar="STREAM")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder of the files")
    arguments = parser.parse_args()
    names, questions = read(arguments.data, arguments.without)
    folds = sorted({q.fold for q in questions})
    print(f"{len(questions)} questions in {len(folds)} folds")
    groups = [folds[at::5] for at in range(5)]
    vectors, network = pairs_out_of_fold(questions, arguments.minilm, groups)
    bare = [q for q in questions if len(q.unsaid)]
    chances, unsaid = {}, {}
    for group in groups:
        model = fitted([q for q in questions if q.fold not in group])
        chances.update((q, model.predict(q.rows)) for q in questions if q.fold in group)
        unsaid.update((q, model.predict(q.unsaid)) for q in bare if q.fold in group)
    of = [of_question(q.rows, chances[q], names) for q in questions]
    of += [of_question(q.unsaid, unsaid[q], names) for q in bare]
    rows = np.array([list(one.values()) for one in of])
    answerable = np.array([not q.adversarial for q in questions] + [False] * len(bare))
    fold = np.array([q.fold for q in [*questions, *bare]])
    counts = np.where(np.arange(len(rows)) < len(questions), 1.0, UNSAID)
    of_short = np.array([q.short for q in [*questions, *bare]])
    counts[of_short] *= SHORT_QUESTION
    # in a short talk hardly a word tells what is missing: a question is more likely answered
    counts[of_short & answerable] *= SHORT_ANSWERED
    score = np.zeros(len(rows))
    for group in groups:
        out = np.isin(fold, group)
        model = answerable_model(rows[~out], answerable[~out], counts[~out])
        score[out] = model.predict(rows[out], raw_score=True)
    shift = np.log(SUPPORT_MIN / (1 - SUPPORT_MIN)) - np.quantile(score[answerable], DECLINED)
    support = 1 / (1 + np.exp(-(score + shift)))
    out_of_fold = [chances[q] for q in questions]
    say(questions, out_of_fold, support)
    meant = [with_meaning(q, c, names) for q, c in zip(questions, out_of_fold)]
    sure = calibrated(questions, meant, support)
    changes = change.weights(questions, meant, groups, vectors.encoder)
    model = fitted(questions)
    lines = [tree_line(tree, names) for tree in model.dump_model()["tree_info"]]
    asked = answerable_model(rows, answerable, counts)
    asked_lines = [f"{shift:.6g}"]  # a tree of one leaf
    asked_lines += [tree_line(tree, list(of[0])) for tree in asked.dump_model()["tree_info"]]
    golden = []
    for q in questions[:: len(questions) // 6][:6]:
        kept = np.round(q.rows[:12].astype(float), 5)
        chance = model.predict(kept.astype(np.float32))
        found = np.array([list(of_question(kept, chance, names).values())])
        z = asked.predict(found, raw_score=True)[0] + shift
        golden.append({"rows": kept.tolist(), "chances": [round(float(c), 6) for c in chance],
                       "support": round(float(1 / (1 + np.exp(-z))), 6)})
    arguments.out.mkdir(parents=True, exist_ok=True)
    pair.write(arguments.out / "pair.txt", network.layers())
    some = [q for q in questions if q.paired]
    known = pair.golden(network, vectors, some[:: len(some) // 6][:6])
    for name, text in (("ranker_trees.txt", "\n".join(lines)),
                       ("ranker_answerable.txt", "\n".join(asked_lines)),
                       ("ranker_sure.txt", " ".join(f"{weight:.4f}" for weight in sure)),
                       ("change.txt", changes.rstrip()),
                       ("pair.json", "[" + ",\n".join(map(json.dumps, known)) + "]"),
                       ("ranker.json", "[" + ",\n".join(map(json.dumps, golden)) + "]")):
        (arguments.out / name).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
