"""The features of one statement that do not depend on word rarity.

`engine/core/src/text/salience` has the same rules in Rust. `golden.py` writes the values that its
tests compare with.
"""

import math
import re
from dataclasses import dataclass

import rust
import words

FIRST, WE, SECOND, THIRD, KIN, PAST, ADVERBS, NEGATIONS, OPINIONS, PRAISE = (
    rust.words("salience", name)
    for name in ("FIRST", "WE", "SECOND", "THIRD", "KIN", "PAST", "ADVERBS", "NEGATIONS",
                 "OPINIONS", "PRAISE"))

# A preposition of place before a capital: "in Oslo", "from the Alps".
PLACE = re.compile(r"\b(in|at|from|near|to)\s+(the\s+)?[A-Z]")
# A title: in double quotation marks, or in single ones with a capital.
QUOTE = re.compile("[\"“”][^\"“”]{2,60}[\"“”]|(?:^|\\s)'[A-Z][^']{2,60}'")
# Statements of an utterance that may answer the question before it.
ANSWERS_MAX = 4
# Statements of an utterance from which it counts as long.
LONG = 8
# New terms above which more make no difference.
NEW_MAX = 6
# Shorter parts of speakers' names are ignored: many are common words.
NAME_CHARS_MIN = 3

# Features of the shipped model, in the order of the Rust table.
SAID = ("time number i_past first my we second third start_i capname place quote kin neg opin "
        "question caption utt_caption utt_q answer answer_first praise new new_share long").split()
# Features that only the eleven-feature model uses.
OTHERS = ("exclaims", "speaker")


@dataclass(frozen=True)
class Around:
    """The context of a statement."""

    utterance: str
    # The statement's place among those of the utterance, from 0, and how many there are.
    place: int
    statements: int
    # Somebody else ended with a question just before the utterance.
    answers: bool
    # Terms of all utterances before this one.
    heard: frozenset
    # Parts of the names of the speakers heard, this one's included.
    names: frozenset


def name_parts(speaker):
    """The parts of a speaker's name that count as the name, lower-cased."""
    return {part for part in speaker.lower().split() if len(part) >= NAME_CHARS_MIN}


def distinct_terms(text, names):
    """The distinct terms of a statement, sorted, without terms that equal a speaker's name.

    A name that differs from its stem ("caroline", "carolin") is not removed."""
    return sorted(set(words.terms(text)) - names)


def of(text, around):
    """The features of a statement by name."""
    plain = words.plain_words(text)
    present = set(plain)
    first = plain[0] if plain else ""
    capital, number, time, speaker = _display(text, around.names)
    own = distinct_terms(text, around.names)
    new = sum(term not in around.heard for term in own)
    captioned = text.startswith(words.CAPTION)
    answers = around.answers and around.place < ANSWERS_MAX
    found = {
        "time": time,
        "number": number,
        "i_past": _tells_what_happened(plain),
        "first": present & FIRST,
        "my": present & {"my", "mine"},
        "we": present & WE,
        "second": present & SECOND,
        "third": present & THIRD,
        "start_i": first in FIRST,
        "capname": capital,
        "place": PLACE.search(text),
        "quote": QUOTE.search(text),
        "kin": present & KIN,
        "neg": present & NEGATIONS or any(word.endswith("n't") for word in plain),
        "opin": present & OPINIONS,
        "question": words.is_question(text),
        "caption": captioned,
        "utt_caption": words.CAPTION in around.utterance and not captioned,
        "utt_q": any(words.is_question(piece) for piece in words.sentences(around.utterance)),
        "answer": answers,
        "answer_first": answers and around.place == 0,
        "praise": first in PRAISE,
        "exclaims": text.rstrip().endswith("!"),
        "speaker": speaker,
    }
    values = {name: 1.0 if holds else 0.0 for name, holds in found.items()}
    values["new"] = float(min(new, NEW_MAX))
    values["new_share"] = new / max(1, len(own))
    values["long"] = math.log(max(1.0, around.statements / LONG))
    return values


def walk(dialogue):
    """Yields, for each utterance, its index, its statements as (sentence number, text), and a
    function from a statement's place to its `Around`."""
    heard, names = frozenset(), frozenset()
    before = None
    for at, (speaker, text) in enumerate(dialogue.utterances):
        names |= name_parts(speaker)
        sentences = words.sentences(text)
        pieces = [(n, piece) for n, piece in enumerate(sentences) if words.content_words(piece)]
        answers = before is not None and before[0] != speaker and before[1]

        def around(place, text=text, count=len(pieces), answers=answers, heard=heard, names=names):
            return Around(text, place, count, answers, heard, names)

        yield at, pieces, around
        heard |= set(words.terms(text))
        before = speaker, words.is_question(sentences[-1])


def _tells_what_happened(plain):
    """Whether the words hold "I adopted" or "we finally went"."""
    def past(at):
        return at < len(plain) and (
            plain[at] in PAST or (len(plain[at]) > 2 and plain[at].endswith("ed")))

    def adverb(at):
        return at < len(plain) and plain[at] in ADVERBS

    return any(word in ("i", "we") and (past(at + 1) or (adverb(at + 1) and past(at + 2)))
               for at, word in enumerate(plain))


def _display(text, names):
    """Whether the text has a capitalised name in a sentence, a number, a time, and a speaker."""
    capital = number = time = speaker = False
    end = 0
    for nth, word in enumerate(words.display_words(text)):
        at = text.find(word, end)
        opens = nth == 0 or re.search(r'[.?!"“]', text[end:at])
        end = at + len(word)
        lower = words.straight(word.lower())
        bare = lower.removesuffix("'s")
        upper = word[0].isupper()
        if words.is_number(lower):
            number = True
        elif words.is_time(lower, upper):
            time = True
        elif bare in names:
            speaker = True
        elif upper and not opens and lower not in words.STOP and lower not in FIRST:
            capital = True
    return capital, number, time, speaker
