"""Tokens: GPT-2's byte-pair encoding stopped early, and the compact numbering that training uses.

whisper.cpp's English models have 51,864 tokens; this model produces the first 2,048 byte-pair
ranks, the special tokens and the time tokens to 10.24 s. Training numbers only those ("compact
ids"), plus one row that stands for all the others. The vocabulary comes from a ggml file, so
nothing is downloaded.
"""

import re

TOKENS_TOTAL = 51_864
END, START, PREVIOUS, NO_SPEECH, NO_TIMES, TIME_ZERO = 50256, 50257, 50360, 50361, 50362, 50363
RANKS = 2048
TIME_TOKENS = 513  # 0.00 to 10.24 s
TIME_STEP = 0.02
USED = [
    *range(RANKS),
    END,
    START,
    PREVIOUS,
    NO_SPEECH,
    NO_TIMES,
    *range(TIME_ZERO, TIME_ZERO + TIME_TOKENS),
]
UNUSED_ROW = len(USED)
COMPACT = {token: index for index, token in enumerate(USED)}
C_END, C_START, C_PREVIOUS, C_NO_SPEECH, C_NO_TIMES, C_TIME_ZERO = (
    COMPACT[token] for token in (END, START, PREVIOUS, NO_SPEECH, NO_TIMES, TIME_ZERO)
)

# Characters of the auxiliary loss; index 0 is its blank.
CHARACTERS = "_abcdefghijklmnopqrstuvwxyz' "
_PIECES = re.compile(r"'(?:[sdmt]|ll|ve|re)| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+")


def character_ids(text):
    """The characters of a text that the auxiliary loss spells."""
    return [CHARACTERS.index(letter) for letter in text.lower() if letter in CHARACTERS[1:]]


def time_id(seconds):
    """The compact time token nearest to a moment, held within range."""
    return C_TIME_ZERO + min(TIME_TOKENS - 1, max(0, round(seconds / TIME_STEP)))


class BytePairs:
    """Byte-pair encoding with the first `RANKS` tokens; token id and merge rank are one number."""

    def __init__(self, tokens):
        self.bytes_of = tokens[:RANKS]
        self.rank_of = {piece: rank for rank, piece in enumerate(self.bytes_of)}

    def encode(self, text):
        """Compact ids of an ASCII text."""
        return [token for piece in _PIECES.findall(text) for token in self._merge(piece.encode())]

    def _merge(self, piece):
        parts = [piece[i : i + 1] for i in range(len(piece))]
        while len(parts) > 1:
            ranks = [self.rank_of.get(left + right, RANKS) for left, right in zip(parts, parts[1:])]
            best = min(ranks)
            if best == RANKS:
                break
            at = ranks.index(best)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        return [self.rank_of[part] for part in parts]

    def decode(self, ids):
        """The text of compact ids; special and time tokens say nothing."""
        return b"".join(self.bytes_of[i] for i in ids if i < RANKS).decode("utf-8", "replace")
