"""Ridge logistic regression over the statements of several corpora.

Rarity changes during a dialogue, so each statement is an example at up to three moments. Each
corpus has its own intercept, because corpora differ in how many statements are asked for. The
shipped model uses LoCoMo's intercept.
"""

from dataclasses import dataclass

import numpy as np

import features
from statements import COLUMNS, RARITY

SHIPPED = tuple(name for name in features.SAID if name != "long") + RARITY[:4]
ELEVEN = ("logcost", "mass_tok", "mass", "question", "first", "number", "time", "caption",
          "capname", "speaker", "exclaims")

# The moments, as parts of the dialogue, at which rarities are taken.
MOMENTS = (0.3, 0.6, 1.0)
# Penalty of the squared standardised weights.
PENALTY = 300.0
PENALTY_ELEVEN = 10.0
# A statement that is asked for is weighted by the square root of its value, clipped to this range.
VALUE_RANGE = (0.2, 2.0)
# Total weight of each other corpus, in statements; each statement of LoCoMo has weight one.
OTHERS_WEIGHT = 300.0
# Weight of `long`, set by hand on BEAM, whose answers run to pages. LoCoMo has no utterance of more
# than eight statements to learn it from.
LONG_WEIGHT = -1.0

STEPS_MAX = 60
STEP_MIN = 1e-7


@dataclass(frozen=True)
class Model:
    """Weights by feature, and the intercept."""

    weights: dict
    intercept: float

    def log_chance(self, statements):
        """A function from rows, counts and number of utterances to the logarithm of the chance that
        each statement is asked for."""
        said = [name for name in self.weights if name not in RARITY]
        rare = [name for name in self.weights if name in RARITY]
        fixed = self.intercept + statements.said[:, [COLUMNS[name] for name in said]] @ np.array(
            [self.weights[name] for name in said])
        columns = [RARITY.index(name) for name in rare]
        weights = np.array([self.weights[name] for name in rare])

        def at(rows, counts, utterances):
            rarities = statements.rarities(rows, counts, utterances)[:, columns]
            return -np.logaddexp(0, -(fixed[rows] + rarities @ weights))

        return at


def shipped(sources):
    """The shipped model, trained on (statements, values) of all corpora."""
    model = _train(sources, SHIPPED, PENALTY, by_value=True)
    return Model({**model.weights, "long": LONG_WEIGHT}, model.intercept)


def eleven(sources):
    """The eleven-feature model, a baseline."""
    return _train(sources, ELEVEN, PENALTY_ELEVEN, by_value=False)


def examples(statements):
    """Rows of features at all moments, and the statement of each row."""
    found, rows = [], []
    for moment in MOMENTS:
        utterances = int(len(statements.dialogue.utterances) * moment)
        counts = statements.no_counts()
        for terms in statements.utterance_terms[:utterances]:
            counts[terms] += 1
        heard = np.nonzero(statements.utterance < utterances)[0]
        rarities = statements.rarities(heard, counts, utterances)
        found.append(np.hstack([statements.said[heard], rarities]))
        rows.append(heard)
    return np.vstack(found), np.concatenate(rows)


def _train(sources, names, penalty, by_value):
    seen = [(statements, values, *examples(statements)) for statements, values in sources]
    columns = [COLUMNS[name] for name in names]
    inputs = np.vstack([found[:, columns] for _, _, found, _ in seen])
    value = np.concatenate([values[rows] for _, values, _, rows in seen])
    corpus = np.concatenate([[statements.dialogue.corpus] * len(rows)
                             for statements, _, _, rows in seen])
    weight = np.ones(len(value))
    if by_value:
        weight = np.where(value > 0, np.sqrt(np.clip(value, *VALUE_RANGE)), 1)
    weight /= len(MOMENTS)
    others = sorted(set(corpus) - {"locomo"})
    if others:
        totals = {name: OTHERS_WEIGHT for name in others}
        totals["locomo"] = (corpus == "locomo").sum() / len(MOMENTS)
        for name, total in totals.items():
            weight[corpus == name] *= total / weight[corpus == name].sum()
    marks = [(corpus == name).astype(float) for name in others]
    weights, intercept = logistic(
        np.column_stack([inputs, *marks]), (value > 0).astype(float), weight, penalty)
    return Model(dict(zip(names, weights[:len(names)].tolist())), intercept)


def logistic(inputs, labels, weight, penalty):
    """Weights and intercept of a weighted logistic regression, by Newton's method. The penalty
    applies to the weights of standardised inputs; the intercept has almost none."""
    mean = np.average(inputs, axis=0, weights=weight)
    spread = np.sqrt(np.average((inputs - mean) ** 2, axis=0, weights=weight)) + 1e-6
    scaled = np.column_stack([(inputs - mean) / spread, np.ones(len(inputs))])
    ridge = np.eye(scaled.shape[1]) * penalty
    ridge[-1, -1] = 1e-6
    share = np.average(labels, weights=weight)
    found = np.zeros(scaled.shape[1])
    found[-1] = np.log(share / (1 - share))
    for _ in range(STEPS_MAX):
        chance = 1 / (1 + np.exp(-np.clip(scaled @ found, -30, 30)))
        slope = scaled.T @ (weight * (labels - chance)) - ridge @ found
        curve = (scaled * (weight * chance * (1 - chance))[:, None]).T @ scaled + ridge
        step = np.linalg.solve(curve, slope)
        step *= min(1, 1 / np.abs(step).max(initial=1e-300))
        found += step
        if np.abs(step).max() < STEP_MIN:
            break
    weights = found[:-1] / spread
    return weights, float(found[-1] - weights @ mean)
