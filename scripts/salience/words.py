"""Words, stems, sentences and questions: the rules of engine/core/src/text in Python.

The word lists come from the Rust source. Only the sentence rule is simpler than the engine's: a
sentence ends at `.`, `!` or `?` before a space, and before a caption; there are no abbreviations.
"""

import re

import rust

STOP = rust.space_separated("words", "STOP_WORDS")
IRREGULAR = rust.pairs("words", "IRREGULAR")
NUMBERS = rust.pairs("words", "NUMBERS")
QUESTION_WORDS = rust.words("claim_features", "QUESTION_WORDS")
AUXILIARIES = rust.words("claim_features", "AUXILIARIES")
SUBJECTS = rust.words("claim_features", "SUBJECTS")
TIMES = rust.words("claim_features", "TIMES")
COUNTS = rust.words("claim_features", "COUNTS")

CAPTION = "[shares"
DISPLAY = re.compile(r"[^\W_]+(?:['’\-]+[^\W_]+)*")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?=\[shares)")
PLAIN = re.compile(r"[a-z0-9']+")

_stems = {}


def straight(text):
    """The text with straight apostrophes."""
    return text.replace("’", "'")


def plain_words(text):
    """Lower-cased runs of ASCII letters, digits and apostrophes, in order."""
    return PLAIN.findall(straight(text.lower()))


def content_words(text):
    """The distinct words that carry content, as the stream-file measures count them."""
    return {word for word in PLAIN.findall(text.lower()) if word not in STOP}


def display_words(text):
    """Words as written, with inner apostrophes and hyphens."""
    return DISPLAY.findall(text)


def terms(text):
    """The stems of a text's content words, in order, repeats included."""
    parts = (straight(part.lower()) for word in display_words(text) for part in word.split("-"))
    return [stem(part) for part in parts if part and part not in STOP]


def stem(word):
    """The stem of a lower-cased word."""
    if word not in _stems:
        _stems[word] = _stem(word)
    return _stems[word]


def _stem(word):
    word = word.removesuffix("'s").strip("'")
    if word in IRREGULAR:
        return IRREGULAR[word]
    if word in NUMBERS:
        return NUMBERS[word]
    if not word.isascii() or len(word) <= 3:
        return word
    base = _verb_base(_singular(word))
    return base[:-1] if base.endswith("e") and len(base) > 3 else base


def _singular(word):
    if word.endswith("ies") and len(word) >= 5:
        return word[:-3] + "y"
    if word.endswith(("sses", "ches", "shes", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is", "as")):
        return word[:-1]
    return word


def _verb_base(word):
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest == word or len(rest) < 3 or not re.search("[aeiouy]", rest):
            continue
        if rest[-1] == rest[-2] and rest[-1] not in "lszeo":
            rest = rest[:-1]
        return rest[:-1] + "y" if rest.endswith("i") else rest
    return word


def sentences(text):
    """The sentences of a text; the whole text where it has none."""
    pieces = (piece.strip() for piece in SENTENCE_END.split(text))
    return [piece for piece in pieces if piece] or [text]


def is_question(clause):
    """Whether a clause asks, by its mark or by its order of words."""
    clause = clause.strip()
    if clause.endswith("?"):
        return True
    first, second = ([word.lower() for word in display_words(clause)[:2]] + ["", ""])[:2]
    if first in QUESTION_WORDS:
        unfinished = not clause.endswith((".", "!"))
        if second in AUXILIARIES or first.endswith("'s") or unfinished:
            return True
    return first in AUXILIARIES and second in SUBJECTS


def is_number(lower):
    """Whether a lower-cased word holds a digit or counts."""
    return any(char in "0123456789" for char in lower) or lower in COUNTS


def is_time(lower, capital):
    """Whether a lower-cased word names a time; `may` only with its capital."""
    if lower.endswith("'s"):
        singular = lower[:-2]
    else:
        singular = lower.removesuffix("s")
    return singular in TIMES and (capital or lower != "may")
