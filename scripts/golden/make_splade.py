#!/usr/bin/env python3
"""Writes fixtures/golden/tiny-splade/ and tiny-splade-untied/, masked language models of a few
hundred kilobytes with random weights, each with golden.json: the weights of all words as SPLADE
reads them. And fixtures/golden/splade-tiny.json, the same of the encoder that is built in, whose
bytes are made whole again for transformers."""

import json
import pathlib
import shutil
import tempfile

import texts
import torch
from make_tiny_bert import vocabulary
from safetensors.torch import load_file, save_file
from tokenizers import BertWordPieceTokenizer
from transformers import BertConfig, BertForMaskedLM, BertTokenizerFast

ROOT = pathlib.Path(__file__).parents[2]
GOLDEN = ROOT / "fixtures" / "golden"
DATA = ROOT / "models" / "data"
WEIGHT_MIN = 0.05
KEPT = ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"]
INPUTS = texts.SPEECH + texts.ODD + texts.EDGE + texts.LONG


def weights(model, tokenizer, text, tokens_max):
    ids = tokenizer(text, truncation=True, max_length=tokens_max, return_tensors="pt")
    with torch.no_grad():
        logits = model(ids.input_ids).logits[0].amax(0)
    found = torch.log1p(torch.relu(logits))
    return {int(i): round(float(found[i]), 6) for i in (found >= WEIGHT_MIN).nonzero()[:, 0]}


def write(file, model, tokenizer, tokens_max):
    items = [{"text": t, "weights": weights(model, tokenizer, t, tokens_max)} for t in INPUTS]
    lines = ",\n".join(json.dumps(item) for item in items)
    file.write_text(f'{{"items": [\n{lines}\n]}}\n')


def random_model(words, tied):
    torch.manual_seed(31)
    model = BertForMaskedLM(
        BertConfig(
            vocab_size=words,
            hidden_size=48,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=112,
            max_position_embeddings=64,
            tie_word_embeddings=tied,
        )
    )
    with torch.no_grad():
        for name, value in model.named_parameters():
            centre = 1.0 if name.endswith("LayerNorm.weight") else 0.0
            value.copy_(centre + 0.35 * torch.randn_like(value))
        # so that about a quarter of all words have a weight
        model.cls.predictions.bias -= 4.0
    return model.eval()


def write_random(name, tied):
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        (place / "vocab.txt").write_text("\n".join(vocabulary()) + "\n")
        raw = BertWordPieceTokenizer(str(place / "vocab.txt"), lowercase=True)
        raw.save(str(place / "raw.json"))
        tokenizer = BertTokenizerFast(tokenizer_file=str(place / "raw.json"), model_max_length=64)
        tokenizer.save_pretrained(place)
        model = random_model(len(vocabulary()), tied)
        model.save_pretrained(place, safe_serialization=True)
        if not tied:
            # as checkpoints that began in TensorFlow name them
            def old(key):
                key = key.replace("LayerNorm.weight", "LayerNorm.gamma")
                return key.replace("LayerNorm.bias", "LayerNorm.beta")

            file = place / "model.safetensors"
            save_file({old(k): v for k, v in load_file(file).items()}, file)
        out = GOLDEN / name
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        for kept in KEPT:
            shutil.copy(place / kept, out / kept)
        write(out / "golden.json", model, tokenizer, 64)


def built_in():
    whole = {}
    bytes_ = load_file(DATA / "splade-tiny.safetensors")
    for name, value in bytes_.items():
        if not name.endswith(".scale"):
            scale = bytes_.get(f"{name}.scale")
            whole[name] = value if scale is None else value.float() * scale[:, None]
    whole["cls.predictions.decoder.weight"] = whole["bert.embeddings.word_embeddings.weight"]
    whole["cls.predictions.decoder.bias"] = whole["cls.predictions.bias"]
    model = BertForMaskedLM(BertConfig(**json.loads((DATA / "splade-tiny.json").read_text())))
    missing, unexpected = model.load_state_dict(whole, strict=False)
    assert not missing and not unexpected, (missing, unexpected)
    return model.eval()


def main():
    write_random("tiny-splade", tied=True)
    write_random("tiny-splade-untied", tied=False)
    raw = BertWordPieceTokenizer(str(DATA / "vocab.txt"), lowercase=True)
    with tempfile.TemporaryDirectory() as place:
        raw.save(f"{place}/raw.json")
        tokenizer = BertTokenizerFast(tokenizer_file=f"{place}/raw.json")
    write(GOLDEN / "splade-tiny.json", built_in(), tokenizer, 256)


if __name__ == "__main__":
    main()
