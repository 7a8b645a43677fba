#!/usr/bin/env python3
"""Trains the model of engine/core/src/text/affect and writes its tables and golden file.

README.md says with what data, what was tuned on what, and how long it takes.
"""

import argparse
from pathlib import Path

import numpy
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

import clause
import combine
import corpora
import golden
import lexicon

SEED = 1
FOLDS = 5
# A clause of MAMS names one side of a mixed sentence; the cut is by rule and sometimes wrong.
CORPUS_WEIGHTS = {"goemotions": 1.0, "meld": 1.0, "mams": 0.7}
ENTRIES_MAX = 5000
WORD_WEIGHT_MIN = 0.3
PAIR_WEIGHT_MIN = 0.5
# Of the head: stronger for the vector, whose 384 floats say much of the topic.
HEAD_PENALTY = 1.0
# An entry without a valence of its own is given an intensity if it speaks for a side.
SPEAKS_MIN = 0.8
RATED_MIN = 30
UNRATED_MAX = 2.2
VALENCE_MAX = 4.0


def pruned(vocabulary, weights, clauses):
    """The vocabulary without entries that say little or stand in few sentences."""
    counts = lexicon.occurrences(vocabulary, clauses)
    names = sorted(vocabulary.entries)
    largest = numpy.abs(weights).max(axis=1)
    least = numpy.array([PAIR_WEIGHT_MIN if " " in n else WORD_WEIGHT_MIN for n in names])
    kept = numpy.nonzero(largest >= least)[0]
    worth = largest[kept] * numpy.sqrt(counts[kept] + 1)
    # emoji are few, and each says what it means
    worth[[not names[at].isascii() for at in kept]] = numpy.inf
    kept = kept[numpy.argsort(-worth, kind="stable")][:ENTRIES_MAX]
    return vocabulary.only({names[at] for at in kept})


def intensities(vocabulary, weights, clauses):
    """From 0 to 3: raters' mean valence by its size. An entry that no rater saw gets what rated
    entries with such weights have (least squares)."""
    counts = lexicon.occurrences(vocabulary, clauses)
    names = sorted(vocabulary.entries)
    scale = combine.STRENGTH_MAX / VALENCE_MAX
    rated = numpy.array([abs(vocabulary.valence.get(name, 0.0)) * scale for name in names])
    side = weights.max(axis=1)
    sure = (rated > 0) & (counts >= RATED_MIN) & (side > 0)
    slope, start = numpy.polyfit(side[sure], rated[sure], 1)
    print(f"intensity of unrated entries: {start:.2f} + {slope:.2f} x weight")
    guess = numpy.clip(start + slope * side, 0, UNRATED_MAX) * (side >= SPEAKS_MIN)
    return numpy.round(numpy.where(rated > 0, rated, guess), 1)


def report(title, sentences, shares):
    """Accuracy and macro F1 over the three polarities, per corpus."""
    labels = numpy.array([-1 if s.polarity is None else s.polarity for s in sentences])
    names = numpy.array([s.corpus for s in sentences])
    for name in CORPUS_WEIGHTS:
        at = (names == name) & (labels >= 0)
        found = shares[at].argmax(axis=1)
        macro = f1_score(labels[at], found, average="macro")
        print(f"{title:24} {name:12} accuracy {(found == labels[at]).mean():.4f} macro F1 {macro:.4f}")


def apart(count):
    """Pairs of rows to train on and rows held apart."""
    folds = numpy.random.default_rng(SEED).integers(0, FOLDS, count)
    for fold in range(FOLDS):
        yield numpy.nonzero(folds != fold)[0], numpy.nonzero(folds == fold)[0]


def words(sentences, clauses, shares, valence, left_out):
    """The word table, the coefficients of a clause, and the log-odds of each sentence by weights
    that did not see it."""
    everything = lexicon.Vocabulary.of(clauses, valence, left_out)

    def trained(at):
        chosen = [clauses[i] for i in at], [sentences[i] for i in at], shares[at]
        kept = pruned(everything, lexicon.fit(everything, *chosen), chosen[0])
        return kept, lexicon.fit(kept, *chosen)

    rows = numpy.zeros((len(sentences), len(combine.FEATURES)))
    for train, held in apart(len(sentences)):
        # entries are chosen anew too: chosen by labels of held sentences they would look too good
        model = trained(train)
        rows[held] = [combine.features(*model, clauses[i]) for i in held]
    odds = numpy.zeros((len(sentences), 2))
    for train, held in apart(len(sentences)):
        coefficients = combine.fit(rows[train], [sentences[i] for i in train], shares[train])
        odds[held] = combine.logits(rows[held], coefficients)
    coefficients = numpy.round(combine.fit(rows, sentences, shares), 3)
    vocabulary, weights = trained(numpy.arange(len(sentences)))
    weights = numpy.round(weights, 1)
    return vocabulary, weights, coefficients, odds


def head(vectors, odds, sentences, shares):
    """Coefficients of the linear head, and the log-odds of sentences held apart."""
    rows = numpy.hstack([vectors, odds])
    held_odds = numpy.zeros_like(odds)

    def fit(at):
        chosen, labels, weights = lexicon.unrolled([sentences[i] for i in at], shares[at])
        model = LogisticRegression(C=HEAD_PENALTY, max_iter=1000, tol=1e-3)
        model.fit(rows[at][chosen], labels, sample_weight=weights)
        found = numpy.vstack([model.coef_.T, model.intercept_])
        return found[:, :2] - found[:, 2:]

    for train, held in apart(len(sentences)):
        coefficients = fit(train)
        held_odds[held] = rows[held] @ coefficients[:-1] + coefficients[-1]
    return numpy.round(fit(numpy.arange(len(sentences))), 2), held_odds


def vectors_of(sentences, model, cache):
    """Sentence vectors, kept in a file between runs."""
    if cache and cache.exists():
        kept = numpy.load(cache)
        if len(kept) == len(sentences):
            return kept
    from vectors import Encoder

    found = Encoder(model).encode([s.text for s in sentences])
    if cache:
        numpy.save(cache, found)
    return found


def write(name, rows):
    """Writes a table beside the Rust source: a name and its numbers a line."""
    lines = ("\t".join([label, *(f"{n:g}" for n in numbers)]) for label, numbers in rows)
    (clause.AFFECT / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    """Trains and writes everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--model", type=Path, required=True, help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--cache", type=Path, help="file that keeps the vectors (.npy)")
    args = parser.parse_args()
    sentences = [s for name in CORPUS_WEIGHTS for s in getattr(corpora, name)(args.data, "train")]
    shares = numpy.array([CORPUS_WEIGHTS[s.corpus] for s in sentences])
    clauses = [clause.read(s.text) for s in sentences]
    valence = lexicon.valences(args.data)
    valence |= lexicon.emoji_valences(args.data, valence)
    names = corpora.mams_terms(args.data) | corpora.meld_names(args.data)
    vocabulary, weights, coefficients, odds = words(sentences, clauses, shares, valence, names)
    report("words, held apart", sentences, combine.confidences(odds))
    strong = intensities(vocabulary, weights, clauses)
    names = sorted(vocabulary.entries)
    tenths = numpy.hstack([weights, strong[:, None]]) * 10
    write("words.txt", zip(names, tenths.round().astype(int), strict=True))
    write("score.txt", zip([*combine.FEATURES, "intercept"], coefficients, strict=True))
    vectors = vectors_of(sentences, args.model, args.cache)
    linear, head_odds = head(vectors, odds, sentences, shares)
    report("with vectors, held apart", sentences, combine.confidences(head_odds))
    labels = [*(f"v{at}" for at in range(vectors.shape[1])), "words_p", "words_n", "intercept"]
    write("minilm.txt", zip(labels, linear, strict=True))
    golden.write(vocabulary, weights, strong, coefficients, linear)


if __name__ == "__main__":
    main()
