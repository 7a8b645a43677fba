"""From the entries of a clause to log-odds of positive and negative against neutral.

The features and their order are those of engine/core/src/text/affect/score.rs.
"""

import math

import numpy
from sklearn.linear_model import LogisticRegression

from lexicon import unrolled

# Sums of the weight pairs of some of the entries; each is two features.
SUMS = ["plain", "negated", "earlier", "asked", "exclaimed"]
MARKS = ["question", "exclamations", "negators", "words", "nothing"]
FEATURES = [f"{name}_{side}" for name in SUMS for side in ("p", "n")] + MARKS
EXCLAMATIONS_MAX = 3
NEGATORS_MAX = 2
LOGIT_MAX = 6.0
# What a modifier does to the weights of a word. Free coefficients came out at 1.21 and 1.24 for
# boosters; for downtoners they came out above 1, since annotators name a side where anything is
# said of it. Figure 5 of DAM-LLM wants a weak remark balanced, so that one is set by hand.
BOOST = 1.25
LOWER = 0.6
# Constants of engine/core/src/text/affect/{mod,score}.rs, with their reasons there.
UNFOUNDED = 1.5
BOOST_INTENSITY, LOWER_INTENSITY, NEGATED_INTENSITY, EXCLAIMED_INTENSITY = 1.3, 0.6, 0.7, 1.15
OTHERS = 0.2
INTENSITY_MIN, STRENGTH_MAX = 0.8, 3.0


def features(vocabulary, weights, item):
    """The features of a clause."""
    sums = numpy.zeros((len(SUMS), 2))
    nothing = 1.0
    for entry, hit, negated in vocabulary.found(item):
        pair = weights[vocabulary.entries[entry]]
        if hit.boosted:
            pair = pair * BOOST
        if hit.lowered:
            pair = pair * LOWER
        nothing = 0.0
        if negated:
            sums[1] += pair
            continue
        sums[0] += pair
        for row, holds in (
            (2, hit.part < item.parts),
            (3, item.question),
            (4, item.exclamations > 0),
        ):
            if holds:
                sums[row] += pair
    marks = [
        float(item.question),
        float(min(item.exclamations, EXCLAMATIONS_MAX)),
        float(min(item.negators, NEGATORS_MAX)),
        math.log1p(item.words),
        nothing,
    ]
    return numpy.concatenate([sums.ravel(), marks])


def fit(rows, sentences, weights, penalty=1.0):
    """Coefficients, one row for each feature and the intercept last; columns positive, negative."""
    at, labels, shares = unrolled(sentences, weights)
    model = LogisticRegression(C=penalty, max_iter=2000)
    model.fit(rows[at], labels, sample_weight=shares)
    odds = numpy.vstack([model.coef_.T, model.intercept_])
    return odds[:, :2] - odds[:, 2:]


def confidences(logits):
    """Positive, negative and neutral, which sum to 1."""
    unfounded = numpy.clip(-logits.max(axis=1, keepdims=True), 0.0, 1.0)
    logits = logits - UNFOUNDED * unfounded
    powers = numpy.exp(numpy.hstack([logits, numpy.zeros((len(logits), 1))]))
    return powers / powers.sum(axis=1, keepdims=True)


def logits(rows, coefficients):
    """The log-odds of rows of features."""
    return numpy.clip(rows @ coefficients[:-1] + coefficients[-1], -LOGIT_MAX, LOGIT_MAX)


def intensity(vocabulary, intensities, item):
    """How intense the words of a clause are, 0.8 to 3."""
    found = []
    for entry, hit, negated in vocabulary.found(item):
        value = intensities[vocabulary.entries[entry]]
        value *= BOOST_INTENSITY if hit.boosted else 1.0
        value *= LOWER_INTENSITY if hit.lowered else 1.0
        found.append(value * (NEGATED_INTENSITY if negated else 1.0))
    most = max(found, default=0.0)
    total = most + OTHERS * (sum(found) - most)
    total *= EXCLAIMED_INTENSITY if item.exclamations else 1.0
    return min(max(total, INTENSITY_MIN), STRENGTH_MAX)
