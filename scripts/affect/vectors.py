"""Sentence vectors of all-MiniLM-L6-v2: mean of the token vectors, unit length.

The same numbers as the engine's encoder gives (fixtures/golden/minilm.json; `python3 vectors.py MODEL`
compares), in plain numpy, so that training needs no framework. Sentences of equal length are encoded
together: without padding a vector depends on its sentence alone.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

import numpy
from safetensors.numpy import load_file
from scipy.special import erf
from tokenizers import Tokenizer

TOKENS_MAX = 256
BATCH_TOKENS = 4096
HEADS = 12
GOLDEN = Path(__file__).resolve().parents[2] / "fixtures" / "golden" / "minilm.json"


class Encoder:
    """The model of a folder with model.safetensors and tokenizer.json."""

    def __init__(self, folder):
        folder = Path(folder)
        self.weights = load_file(folder / "model.safetensors")
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(TOKENS_MAX)

    def encode(self, texts):
        """One row a text."""
        by_length = defaultdict(list)
        for at, encoding in enumerate(self.tokenizer.encode_batch(texts)):
            by_length[len(encoding.ids)].append((at, encoding.ids))
        rows = numpy.zeros((len(texts), 384), numpy.float32)
        for length, items in sorted(by_length.items()):
            size = max(1, BATCH_TOKENS // length)
            for start in range(0, len(items), size):
                batch = items[start : start + size]
                rows[[at for at, _ in batch]] = self._forward(numpy.array([i for _, i in batch]))
        return rows

    def _forward(self, ids):
        w = self.weights
        x = w["embeddings.word_embeddings.weight"][ids]
        x = x + w["embeddings.position_embeddings.weight"][: ids.shape[1]]
        x = x + w["embeddings.token_type_embeddings.weight"][0]
        x = self._norm(x, "embeddings.LayerNorm")
        for layer in range(6):
            name = f"encoder.layer.{layer}"
            x = self._norm(x + self._attention(x, f"{name}.attention"), f"{name}.attention.output.LayerNorm")
            h = self._linear(x, f"{name}.intermediate.dense")
            h = h * 0.5 * (1.0 + erf(h / numpy.float32(2**0.5)))
            x = self._norm(x + self._linear(h, f"{name}.output.dense"), f"{name}.output.LayerNorm")
        mean = x.mean(axis=1)
        return mean / numpy.linalg.norm(mean, axis=1, keepdims=True)

    def _attention(self, x, name):
        batch, length, width = x.shape

        def heads(part):
            y = self._linear(x, f"{name}.self.{part}")
            return y.reshape(batch, length, HEADS, width // HEADS).transpose(0, 2, 1, 3)

        scores = heads("query") @ heads("key").transpose(0, 1, 3, 2) / (width // HEADS) ** 0.5
        scores = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        mixed = (scores @ heads("value")).transpose(0, 2, 1, 3).reshape(batch, length, width)
        return self._linear(mixed, f"{name}.output.dense")

    def _linear(self, x, name):
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def _norm(self, x, name):
        x = x - x.mean(axis=-1, keepdims=True)
        x = x / numpy.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-12)
        return x * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]


def main():
    """Compares with the golden vectors."""
    items = json.loads(GOLDEN.read_text(encoding="utf-8"))["items"]
    rows = Encoder(sys.argv[1]).encode([item["text"] for item in items])
    worst = max(1 - row @ numpy.array(item["vector"]) for row, item in zip(rows, items, strict=True))
    print(f"{len(items)} texts, largest 1 - cosine {worst:.1e}")
    assert worst < 1e-5


if __name__ == "__main__":
    main()
