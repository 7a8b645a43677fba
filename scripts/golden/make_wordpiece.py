#!/usr/bin/env python3
"""Writes fixtures/golden/wordpiece.json: how many tokens each text has for the tokenizers library
with the tokenizer.json of all-MiniLM-L6-v2, special tokens not added."""

import json
import pathlib
import random

import make_minilm
import texts
from tokenizers import Tokenizer

OUT = pathlib.Path(__file__).parents[2] / "fixtures" / "golden" / "wordpiece.json"


def random_texts(count, seed):
    """Strings over all of Unicode, blanks and Latin letters more often than the rest."""
    draw = random.Random(seed)
    pick = [
        lambda: chr(draw.randrange(0x20, 0x7F)),
        lambda: draw.choice("  etaoinshrdlu"),
        lambda: chr(draw.randrange(0x80, 0x2000)),
        lambda: chr(draw.choice([*range(0x2000, 0xD800), *range(0xE000, 0x10000)])),
        lambda: chr(draw.randrange(0x10000, 0x30000)),
    ]
    for _ in range(count):
        yield "".join(draw.choice(pick)() for _ in range(draw.randrange(1, 60)))


def main():
    tokenizer = Tokenizer.from_file(str(make_minilm.model_folder() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    inputs = texts.SPEECH + texts.ODD + texts.EDGE + texts.LONG + list(random_texts(150, 7))
    items = [[text, len(tokenizer.encode(text, add_special_tokens=False).ids)] for text in inputs]
    OUT.write_text("[\n" + ",\n".join(json.dumps(item) for item in items) + "\n]\n")


if __name__ == "__main__":
    main()
