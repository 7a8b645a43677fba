"""The training and development sentences with their polarity.

A label is a pair: the share of positive and of negative among what the annotators said; the rest is
neutral. Nothing here is copied into the repository.
"""

import csv
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from clause import STOP

# The groups of Demszky et al. 2020, GoEmotions, figure 2. The ambiguous four name no side, so here
# they count as neutral: an opinion that is held because somebody was curious would be wrong.
POSITIVE = {
    "admiration", "amusement", "approval", "caring", "desire", "excitement", "gratitude", "joy",
    "love", "optimism", "pride", "relief",
}
NEGATIVE = {
    "anger", "annoyance", "disappointment", "disapproval", "disgust", "embarrassment", "fear",
    "grief", "nervousness", "remorse", "sadness",
}
AMBIGUOUS = {"confusion", "curiosity", "realization", "surprise"}

CLAUSE_BREAK = re.compile(r"\s*(?:[,;.!?]+\s+|--+|\bbut\b|\balthough\b|\bthough\b|\bhowever\b)\s*")
CLAUSE_WORDS_MIN = 3
TERM_MIN = 3


@dataclass
class Sentence:
    """One sentence: its text, shares of positive and negative, and the emotions named, if any."""

    corpus: str
    text: str
    positive: float
    negative: float
    emotions: tuple = ()

    @property
    def polarity(self):
        """0 positive, 1 negative, 2 neutral; None where both are named."""
        if self.positive and self.negative:
            return None
        return 0 if self.positive else 1 if self.negative else 2


def goemotions(folder, part):
    """Sentences of GoEmotions; `part` is train or dev."""
    folder = Path(folder) / "goemotions"
    names = (folder / "labels.txt").read_text(encoding="utf-8").split()
    assert set(names) == POSITIVE | NEGATIVE | AMBIGUOUS | {"neutral"}, names
    found = []
    for line in (folder / f"{part}.tsv").read_text(encoding="utf-8").splitlines():
        text, labels, _ = line.split("\t")
        emotions = tuple(names[int(label)] for label in labels.split(","))
        share = [sum(e in group for e in emotions) / len(emotions) for group in (POSITIVE, NEGATIVE)]
        # a sentence that is "neutral, joy" has a side: neutral is what other raters saw
        sided = sum(share) or 1.0
        found.append(Sentence("goemotions", text, share[0] / sided, share[1] / sided, emotions))
    return found


def meld(folder, part):
    """Utterances of MELD; `part` is train or dev."""
    path = Path(folder) / "meld" / f"{part}_sent_emo.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [
        Sentence(
            "meld",
            row["Utterance"],
            float(row["Sentiment"] == "positive"),
            float(row["Sentiment"] == "negative"),
        )
        for row in rows
    ]


def meld_names(folder):
    """Lower-cased names of MELD's speakers, whom the same few people talk to all the time."""
    with (Path(folder) / "meld" / "train_sent_emo.csv").open(encoding="utf-8", newline="") as file:
        return {row["Speaker"].lower() for row in csv.DictReader(file)} - STOP


def mams_terms(folder):
    """The heads of MAMS's aspect terms ("waiter", "portions"). A clause that names one is about it;
    the word itself feels nothing."""
    tree = ElementTree.parse(Path(folder) / "mams" / "ATSA" / "train.xml")
    terms = (re.findall(r"[a-z']+", t.get("term").lower()) for t in tree.iter("aspectTerm"))
    heads = Counter(term[-1] for term in terms if term)
    return {word for word, count in heads.items() if count >= TERM_MIN} - STOP


def mams(folder, part):
    """Clauses of MAMS ATSA that name an aspect; `part` is train or val. Every sentence there holds
    opposite polarities, so only a clause whose terms agree says something about its words."""
    tree = ElementTree.parse(Path(folder) / "mams" / "ATSA" / f"{part}.xml")
    found = []
    for sentence in tree.iter("sentence"):
        text = sentence.findtext("text")
        terms = [
            (int(t.get("from")), int(t.get("to")), t.get("polarity"))
            for t in sentence.iter("aspectTerm")
        ]
        start = 0
        for match in [*CLAUSE_BREAK.finditer(text), None]:
            end = match.start() if match else len(text)
            sides = {p for begin, until, p in terms if start <= begin and until <= end}
            clause = text[start:end].strip()
            if len(sides) == 1 and len(clause.split()) >= CLAUSE_WORDS_MIN:
                side = sides.pop()
                signs = (float(side == "positive"), float(side == "negative"))
                found.append(Sentence("mams", clause, *signs))
            start = match.end() if match else end
    return found
