#!/usr/bin/env python3
"""Writes fixtures/golden/tiny-bert/: a sentence encoder of a few hundred kilobytes with random
weights, in the layout of sentence-transformers, and golden.json with its vectors. It means
nothing; it proves that the arithmetic is right where the real weights cannot be had."""

import json
import pathlib
import shutil
import string
import tempfile

import texts
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.models import Normalize, Pooling, Transformer
from tokenizers import BertWordPieceTokenizer
from transformers import BertConfig, BertModel, BertTokenizerFast

OUT = pathlib.Path(__file__).parents[2] / "fixtures" / "golden" / "tiny-bert"
KEPT = [
    "config.json",
    "model.safetensors",
    "modules.json",
    "sentence_bert_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "1_Pooling/config.json",
]
# Short, so that most test texts are cut; far below max_position_embeddings, so that the two
# limits cannot be mistaken for each other.
SEQ_LENGTH_MAX = 24
WORDS = "the we boat cat friday lisbon engine coffee green tea doctor money brother no not is at in"


def vocabulary():
    letters = list(string.ascii_lowercase + string.digits + string.punctuation)
    endings = ["##" + letter for letter in string.ascii_lowercase + string.digits]
    suffixes = ["##ing", "##ed", "##er", "##s", "##tion"]
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    return list(dict.fromkeys(special + letters + endings + suffixes + WORDS.split()))


def build_model(vocab_size):
    torch.manual_seed(20)
    model = BertModel(
        BertConfig(
            vocab_size=vocab_size,
            hidden_size=48,
            num_hidden_layers=3,
            num_attention_heads=4,
            intermediate_size=112,
            max_position_embeddings=64,
        ),
        add_pooling_layer=False,
    )
    with torch.no_grad():
        # Large, and no bias or scale left at its neutral value: each must show in the result.
        for name, value in model.named_parameters():
            centre = 1.0 if name.endswith("LayerNorm.weight") else 0.0
            value.copy_(centre + 0.35 * torch.randn_like(value))
    return model.eval()


def write_checkpoint(folder):
    (folder / "vocab.txt").write_text("\n".join(vocabulary()) + "\n")
    tokenizer = BertWordPieceTokenizer(str(folder / "vocab.txt"), lowercase=True)
    tokenizer.save(str(folder / "raw-tokenizer.json"))
    fast = BertTokenizerFast(tokenizer_file=str(folder / "raw-tokenizer.json"))
    fast.save_pretrained(folder)
    build_model(len(vocabulary())).save_pretrained(folder, safe_serialization=True)


def main():
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        (place / "bert").mkdir()
        write_checkpoint(place / "bert")
        body = Transformer(str(place / "bert"), max_seq_length=SEQ_LENGTH_MAX)
        size = body.get_embedding_dimension()
        model = SentenceTransformer(modules=[body, Pooling(size, "mean"), Normalize()], device="cpu")
        model.save(str(place / "whole"))
        inputs = texts.SPEECH + texts.ODD + texts.EDGE + texts.LONG
        def item(text):
            return {"text": text, "vector": [round(float(x), 7) for x in model.encode(text)]}

        items = [item(text) for text in inputs]
        shutil.rmtree(OUT, ignore_errors=True)
        for name in KEPT:
            (OUT / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(place / "whole" / name, OUT / name)
        lines = ",\n".join(json.dumps(item) for item in items)
        (OUT / "golden.json").write_text(f'{{"model": "tiny-bert", "items": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
