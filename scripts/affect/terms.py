#!/usr/bin/env python3
"""Trains the polarity of a term in a sentence, from the training part of MAMS (ATSA).

Words around the term are features, weaker with their distance and with each border between them
and the term; "=+" and "=-" sum the qualities of `quality.rs`. The features are those of
`engine/core/src/text/opinions/terms.rs`. Only `train.xml` is read; `--check` cross-validates, and
`--golden` prints what the committed weights say of a few sentences. Needs numpy, scipy and
scikit-learn.

    terms.py MAMS_FOLDER > engine/core/src/text/opinions/terms.txt
    terms.py --golden > fixtures/golden/terms.tsv
"""

import collections
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

import numpy
import scipy.sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import GroupKFold

WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
TURNS = set("but although though however while whereas except yet unfortunately".split())
JOINS = set("and or because so which who that when if".split())
NEGATIONS = set("not no never nothing nobody none neither nor without cannot hardly".split())
BESIDE = set(
    "a an the my our your this that these of with for at in on to from after before as was were is "
    "are be and but or had have ordered got came very so too about by some i we".split()
)
# Weight per word of distance, per comma or conjunction, per contrast.
FALL, SOFT, HARD = 0.3, 0.45, 0.3
REACH, NEGATED, COUNT_MIN, STRENGTH = 30, 3, 5, 0.9
QUALITY = pathlib.Path(__file__).parents[2] / "engine/core/src/text/opinions/quality.rs"
CLASSES = ["positive", "negative", "neutral"]


# Terms in brackets, for comparing with the engine.
SENTENCES = [
    "The [soup] was cold, but the waiter apologised.",
    "The soup was cold, but the [waiter] apologised.",
    "[Service] isn't bad; the tables are tiny - and the room's loud!",
    "We sat at the [bar] before dinner.",
    "Great screen, awful [battery life]",
    "I can't say the [camera] is good, though the screen is gorgeous.",
    "No one told us that the [kitchen] had closed (at nine).",
    "The desserts--I had the [plum cake]--go down great.",
]


def qualities():
    rows = re.findall(r"\(\s*(-?[\d.]+),\s*\"([^\"]*)\"", QUALITY.read_text())
    return {word: float(v) for v, words in rows for word in words.replace("\\", " ").split()}


VALUES = qualities()


def tokens(text):
    found = []
    for match in WORD.finditer(text):
        found.append((match.group().lower().replace("’", "'"), match.start(), match.end()))
    return found


def border(text, words, at):
    """The weight of the border before a word."""
    if words[at][0] in TURNS:
        return HARD
    gap = text[words[at - 1][2]:words[at][1]]
    if re.search(r"[.!?;]", gap):
        return HARD
    soft = bool(re.search(r"[,:()\[\]–—]| -|--", gap)) or words[at][0] in JOINS
    return SOFT if soft else 1.0


def features(text, start, end):
    words = tokens(text)
    inside = [i for i, (_, a, b) in enumerate(words) if a < end and b > start]
    if not inside:
        return {}
    first, last = inside[0], inside[-1]
    found = collections.defaultdict(float)
    negated = [
        any(w in NEGATIONS or w.endswith("n't") for w, _, _ in words[max(0, i - NEGATED):i])
        for i in range(len(words))
    ]

    def add(i, distance, weight):
        value = weight / (1.0 + FALL * (distance - 1))
        found[("!" if negated[i] else "") + words[i][0]] += value
        quality = VALUES.get(words[i][0], 0.0) * (-0.75 if negated[i] else 1.0)
        if quality:
            found["=+" if quality > 0 else "=-"] += abs(quality) * value

    weight = 1.0
    for i in range(first - 1, max(-1, first - 1 - REACH), -1):
        weight *= border(text, words, i + 1)
        add(i, first - i, weight)
    weight = 1.0
    for i in range(last + 1, min(len(words), last + 1 + REACH)):
        weight *= border(text, words, i)
        add(i, i - last, weight)
    left = words[first - 1][0] if first else "^"
    right = words[last + 1][0] if last + 1 < len(words) else "$"
    if left in BESIDE or left == "^":
        found["<" + left] = 1.0
    if right in BESIDE or right == "$":
        found[">" + right] = 1.0
    if last + 1 < len(words) and border(text, words, last + 1) < 1.0:
        found[">,"] = 1.0
    return found


def read(folder, part):
    rows, labels, groups = [], [], []
    root = ElementTree.parse(f"{folder}/ATSA/{part}.xml").getroot()
    for group, sentence in enumerate(root):
        text = sentence.find("text").text
        for term in sentence.iter("aspectTerm"):
            rows.append(features(text, int(term.get("from")), int(term.get("to"))))
            labels.append(CLASSES.index(term.get("polarity")))
            groups.append(group)
    return rows, numpy.array(labels), numpy.array(groups)


def vocabulary(rows):
    counts = collections.Counter(name for row in rows for name in row)
    return {name: i for i, name in enumerate(sorted(n for n, c in counts.items() if c >= COUNT_MIN))}


def matrix(rows, names):
    cells = [(i, names[n], v) for i, row in enumerate(rows) for n, v in row.items() if n in names]
    at, column, value = zip(*cells)
    return scipy.sparse.csr_matrix((value, (at, column)), (len(rows), len(names)))


def fit(x, y):
    return LogisticRegression(C=STRENGTH, max_iter=500).fit(x, y)


def check(rows, labels, groups):
    told = numpy.zeros_like(labels)
    for train, test in GroupKFold(5).split(rows, labels, groups):
        names = vocabulary([rows[i] for i in train])
        model = fit(matrix([rows[i] for i in train], names), labels[train])
        told[test] = model.predict(matrix([rows[i] for i in test], names))
    print(accuracy_score(labels, told), f1_score(labels, told, average="macro"), file=sys.stderr)


def golden():
    table = {}
    for line in (QUALITY.parent / "terms.txt").read_text().splitlines():
        name, *values = line.split(" ")
        table[name] = numpy.array([int(v) / 100 for v in values])
    for text in SENTENCES:
        start = text.index("[")
        bare = text.replace("[", "").replace("]", "")
        end = text.index("]") - 1
        odds = sum((v * table[n] for n, v in features(bare, start, end).items() if n in table),
                   table["^^"])
        shares = numpy.exp(odds) / numpy.exp(odds).sum()
        print(text, *(f"{share:.5f}" for share in shares), sep="\t")


def main(folder, *rest):
    if folder == "--golden":
        return golden()
    rows, labels, groups = read(folder, "train")
    if "--check" in rest:
        return check(rows, labels, groups)
    names = vocabulary(rows)
    model = fit(matrix(rows, names), labels)
    weights = model.coef_ - model.coef_.mean(axis=0)
    intercept = model.intercept_ - model.intercept_.mean()
    print("^^", *(round(100 * v) for v in intercept))
    for name, column in sorted(names.items(), key=lambda pair: pair[0].encode()):
        values = [round(100 * v) for v in weights[:, column]]
        if max(abs(v) for v in values) >= 20:
            print(name, *values)


if __name__ == "__main__":
    main(*sys.argv[1:])
