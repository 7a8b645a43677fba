"""Fits the chance that a later statement took the place of the one that is likeliest to answer: the models of
engine/core/src/recall/holds_now.rs. `train.py` calls it; README.md says on what."""

import pathlib
import random
import sys

import numpy as np
import torch

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "same_question"))
import judge  # noqa: E402
from topics import topics  # noqa: E402

GROUPS, TALKS = 5, 1500
REPLACED_MIN, CHANGED_MIN = 0.25, 0.5  # as in holds_now.rs


def odds(chance):
    chance = np.clip(chance, 1e-4, 1 - 1e-4)
    return np.log(chance / (1 - chance))


def crowd(chances):
    """Of the other chances all but the largest, summed."""
    others = [np.delete(chances, at) for at in range(len(chances))]
    return np.log1p([it.sum() - it.max(initial=0) for it in others])


class Case:
    """The statements that came after the likeliest one, by the same person. Changes are known in short talks
    alone; in long dialogues a later statement that answers too is left out."""

    def __init__(self, question, chances):
        self.question = question
        tells = np.flatnonzero(question.rows[:, question.names.index("question")] == 0)
        self.first = tells[chances[tells].argmax()]
        speaker, turn = question.texts[self.first][0], question.turns
        self.later = [at for at in tells if turn[at] > turn[self.first] and question.texts[at][0] == speaker]
        self.told = question.label[self.first] > 0
        self.chances = chances
        self.label = (question.label[self.later] > 0) & self.told & question.short
        self.counts = np.full(len(self.later), True) if question.short else ~question.gold[self.later]

    def rows(self, network=None):
        own = self.chances[self.later]
        rivals = own if network is None else 1 / (1 + np.exp(-network))
        columns = [np.ones(len(own)), odds(own), np.full(len(own), odds(self.chances[self.first])), crowd(rivals)]
        return np.stack(columns + ([] if network is None else [network]), 1)


def networks(encoder):
    """What judges pairs of short talks of each group without having seen its topics, and those of all others."""
    by_topic = judge.of_topics(topics(), random.Random(5))
    vectors = judge.said(by_topic, encoder)
    part = lambda group: [of for at, of in enumerate(by_topic) if at % GROUPS != group]
    made = [judge.trained(judge.Pairs(judge.talks(part(group), TALKS, random.Random(7)), vectors))
            for group in range(GROUPS)]
    return made, judge.trained(judge.Pairs(judge.talks(by_topic, TALKS, random.Random(7)), vectors))


def judged(cases, encoder):
    """The network's log-odds of each case's later statements, out of fold."""
    own, of_all = networks(encoder)
    named = lambda text: f"{text[0]}: {text[1]}"
    texts = {it for case in cases for it in [case.question.text, *map(named, case.question.texts)]}
    vectors = encoder(texts)
    found = []
    for case in cases:
        q = case.question
        speaker, first = q.texts[case.first]
        pairs = judge.Pairs([(speaker, q.text, first, q.texts[at][1], 0, 0) for at in case.later], vectors)
        network = own[q.number % GROUPS] if q.short else of_all
        with torch.no_grad():
            found.append(network(pairs.asked, pairs.earlier, pairs.later, pairs.compared).numpy())
    return found


def fitted(rows, labels):
    weights = np.zeros(rows.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (labels - p) - 1e-2 * weights
        weights += np.linalg.solve((rows * (p * (1 - p))[:, None]).T @ rows + 1e-2 * np.eye(len(weights)), slope)
    return weights


def figures(name, cases, rows, groups):
    """How often the latest statement from the least chance on is put first, out of fold."""
    chances = {}
    for group in groups:
        out = [at for at, case in enumerate(cases) if case.question.fold in group]
        model = fitted(*data([it for at, it in enumerate(zip(cases, rows)) if at not in set(out)]))
        chances.update((at, 1 / (1 + np.exp(-rows[at] @ model))) for at in out)
    for least in (REPLACED_MIN, CHANGED_MIN):
        chosen = [np.flatnonzero(chances[at] >= least)[-1:] for at in range(len(cases))]
        share = lambda of: f"{np.mean(of):.3f} of {len(of)}"
        asked = [(case, it) for case, it in zip(cases, chosen) if not case.question.adversarial]
        changed = [(case, it) for case, it in asked if case.label.any()]
        print(f"{name}, from {least}: changes found", share([case.label[it].any() for case, it in changed]),
              "another instead", share([len(it) and not case.label[it].any() for case, it in changed]),
              "where nothing changed", share([len(it) > 0 for case, it in asked if case.question.short and not case.label.any()]),
              "in long dialogues before an answer",
              share([(~case.question.gold[case.later][it]).any() for case, it in asked if case.told and not case.question.short]))


def data(pairs):
    rows = np.concatenate([it[case.counts] for case, it in pairs])
    return rows, np.concatenate([case.label[case.counts] for case, _ in pairs]).astype(float)


def weights(questions, chances, groups, encoder):
    """The two models, as a file for the engine; prints their figures."""
    cases = [(q, Case(q, c)) for q, c in zip(questions, chances)]
    lines = []
    for name, paired in (("words", False), ("MiniLM", True)):
        of = [case for q, case in cases if q.paired == paired and case.later]
        rows = [case.rows(it) for case, it in zip(of, judged(of, encoder))] if paired else [case.rows() for case in of]
        figures(name, of, rows, groups)
        lines.append(" ".join(f"{weight:.4f}" for weight in fitted(*data(list(zip(of, rows))))))
    return "\n".join(lines) + "\n"
