"""Writes fixtures/golden/affect.tsv: what the model says of sentences.txt.

The engine's tests compute the same from the tables. For the head the vector is made by a rule that
both sides follow, since the tests have no encoder.
"""

import math
from pathlib import Path

import numpy

import clause
import combine

HERE = Path(__file__).resolve().parent
GOLDEN = HERE.parents[1] / "fixtures" / "golden" / "affect.tsv"
DIMENSION = 384


def vector(row):
    """A unit vector for the golden sentence of a row."""
    values = numpy.array([math.sin((row + 1) * (at + 1)) for at in range(DIMENSION)])
    return values / numpy.linalg.norm(values)


def write(vocabulary, weights, intensities, coefficients, head):
    """The golden file: sentence, then shares and strength by words, then with the vector."""
    lines = []
    for row, text in enumerate((HERE / "sentences.txt").read_text(encoding="utf-8").split("\n")[:-1]):
        item = clause.read(text)
        odds = combine.logits(combine.features(vocabulary, weights, item)[None], coefficients)
        seen = numpy.hstack([vector(row)[None], odds]) @ head[:-1] + head[-1]
        intensity = combine.intensity(vocabulary, intensities, item)
        columns = [text]
        for each in (odds, seen):
            shares = combine.confidences(each)[0]
            columns += [f"{x:.5f}" for x in (*shares, (1 - shares[2]) * intensity)]
        lines.append("\t".join(columns))
    GOLDEN.write_text("\n".join(lines) + "\n", encoding="utf-8")
