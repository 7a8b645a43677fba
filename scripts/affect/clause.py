"""What the lexical model sees of a clause: the rules of engine/core/src/text/affect/clause.rs.

The lists of negators and modifiers are read from the Rust source, so that they exist once.
"""

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[1]
AFFECT = SCRIPTS.parent / "engine" / "core" / "src" / "text" / "affect"
sys.path.append(str(SCRIPTS / "salience"))
from words import STOP, stem  # noqa: E402, F401

APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "\x92": "'"})
BREAKS = ".,;:!?()…—–\"“”"
TRAILING = ".,!?"
RUN = re.compile(r"([a-z])\1\1+")
RUN_OF_TWO = re.compile(r"([a-z])\1")
NEGATED_WORDS = 4
BEFORE_WORDS = 2
AFTER_WORDS = 4


def _list(name):
    source = (AFFECT / "lists.rs").read_text(encoding="utf-8")
    found = re.search(rf"const {name}: &\[&str\] =\s*&\[(.*?)\];", source, re.S)
    items = re.findall(r'"((?:[^"\\]|\\.)*)"', found[1])
    return {item.replace("\\\\", "\\") for item in items}


NEGATORS = _list("NEGATORS")
BOOSTERS = _list("BOOSTERS")
DOWNTONERS = _list("DOWNTONERS")
BOOSTER_PAIRS = _list("BOOSTER_PAIRS")
DOWNTONER_PAIRS = _list("DOWNTONER_PAIRS")
CONTRASTS = _list("CONTRASTS")
EMOTICONS = _list("EMOTICONS")


@dataclass
class Hit:
    """A word or symbol that may carry feeling, and what stands around it."""

    word: str
    previous: str
    at: int
    segment: int
    part: int
    negated: bool = False
    boosted: bool = False
    lowered: bool = False
    long: bool = False


@dataclass
class Clause:
    """The hits of a clause with its marks."""

    hits: list = field(default_factory=list)
    words: int = 0
    negators: int = 0
    exclamations: int = 0
    question: bool = False
    parts: int = 0


def tokens(text):
    """Words as written, symbols and breaks, in order."""
    for chunk in text.translate(APOSTROPHES).split():
        if (face := emoticon(chunk)) is not None:
            yield "symbol", face
            continue
        word = ""
        for char in chunk + " ":
            if char.isalnum() or (char == "'" and word):
                word += char
                continue
            if word:
                yield "word", word.rstrip("'")
            word = ""
            if char in BREAKS:
                yield "break", char
            elif not char.isascii():
                yield "symbol", char


def emoticon(chunk):
    """The emoticon that a piece between spaces is, with or without marks after it."""
    for piece in (chunk, chunk.rstrip(TRAILING)):
        if piece in EMOTICONS:
            return piece
    return None


def is_negator(word):
    """Whether a lower-cased word negates what follows."""
    return word in NEGATORS or word.endswith("n't")


def is_loud(word):
    """Two or more letters, none of them small."""
    return sum(c.isalpha() for c in word) > 1 and word.upper() == word


def read(text):
    """The clause of a text."""
    listed = list(tokens(text))
    written = [token for kind, token in listed if kind == "word"]
    # where most words are capitals, capitals stress none
    calm = 2 * sum(map(is_loud, written)) <= len(written)
    asks = any(kind == "break" and token == "?" for kind, token in listed)
    reader = _Reader(Clause(words=len(written), question=asks))
    for kind, token in listed:
        if kind == "break":
            reader.mark(token)
        elif kind == "symbol":
            # a face ends a phrase as a full stop does
            reader.close()
            reader.hit(token, False)
        else:
            reader.word(token, calm and is_loud(token))
    reader.close()
    return reader.clause


class _Reader:
    """Reads a clause from left to right."""

    def __init__(self, clause):
        self.clause = clause
        self.at = self.segment = self.segment_from = 0
        self.negated_until = 0
        # the word before, and the word before that is no modifier
        self.previous = self.neighbour = ""
        # place and direction of the last modifier in this segment
        self.modifier = (-99, False)

    def mark(self, char):
        self.clause.exclamations += char == "!"
        self.close()

    def close(self):
        """Ends the segment, and with it the scope of negations and modifiers."""
        at, raises = self.modifier
        hits = self.clause.hits
        if hits and hits[-1].at < at and self.previous != "too":
            # "I love it so much": nothing follows, so the modifier belongs to what stands before
            for hit in hits:
                if hit.segment == self.segment and hit.at + AFTER_WORDS >= at:
                    modify(hit, raises)
        self.modifier = (-99, False)
        self.segment += 1
        self.segment_from = self.at
        self.negated_until = 0
        self.previous = self.neighbour = ""

    def word(self, written, loud):
        lower = written.lower()
        bare = RUN.sub(r"\1", lower)
        if bare in BOOSTERS:
            lower = bare
        self.at += 1
        first = self.at == self.segment_from + 1
        # "So I left" raises nothing, "sooo good" and "SO good" do
        leads_on = first and written in ("So", "so")
        pair = f"{self.previous} {lower}"
        if lower in CONTRASTS:
            self.close()
            self.clause.parts += 1
            # "but so slow": no first word
            self.segment_from -= 1
        elif is_negator(lower):
            # "Isn't it great?" denies nothing
            if not (first and self.clause.question):
                self.clause.negators += 1
                self.negated_until = self.at + NEGATED_WORDS
        elif lower == "only" and self.negated_until == self.at - 1 + NEGATED_WORDS:
            self.negated_until = 0
        elif pair in BOOSTER_PAIRS or (lower in BOOSTERS and not leads_on):
            self.modifier = (self.at, True)
        elif pair in DOWNTONER_PAIRS or lower in DOWNTONERS:
            self._drop_kind_of(lower)
            self.modifier = (self.at, False)
        else:
            self.hit(lower, loud)
        self.previous = lower
        if self.modifier[0] != self.at:
            self.neighbour = lower

    def _drop_kind_of(self, lower):
        # the "kind" of "kind of" praises nobody
        hits = self.clause.hits
        if lower == "of" and hits and hits[-1].at == self.at - 1:
            hits.pop()

    def hit(self, lower, loud):
        word = RUN.sub(r"\1\1", lower)
        hit = Hit(word, self.neighbour, self.at, self.segment, self.clause.parts)
        hit.negated = self.at <= self.negated_until
        if hit.negated and not is_negator(self.neighbour):
            # "not a great idea" is no "great idea"; "can't wait" is a pair of its own
            hit.previous = ""
        hit.long = word != lower
        hit.boosted = loud or hit.long
        at, raises = self.modifier
        if at + BEFORE_WORDS >= self.at:
            modify(hit, raises)
        self.clause.hits.append(hit)


def modify(hit, raises):
    """Applies a modifier."""
    if raises:
        hit.boosted = True
    else:
        hit.lowered = True
