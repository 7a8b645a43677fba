#!/usr/bin/env python3
"""Writes fixtures/golden/tiny-gliner/ (the layout of GLiNER v2.1: a projection, an LSTM, markers)
and fixtures/golden/tiny-gliner-plain/ (neither projection nor LSTM, weights as PyTorch pickles
them): extractors of random weights, and golden.json with the spans of the gliner package and the
hidden states of transformers' DeBERTa."""

import json
import pathlib
import shutil
import tempfile

import texts
import torch
from gliner import GLiNER
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

GOLDEN = pathlib.Path(__file__).parents[2] / "fixtures" / "golden"
KEPT = ["gliner_config.json", "model.safetensors", "pytorch_model.bin", "tokenizer.json", "tokenizer_config.json"]
ENCODER = {
    "model_type": "deberta-v2", "hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
    "intermediate_size": 64, "max_position_embeddings": 64, "position_buckets": 8, "relative_attention": True,
    "max_relative_positions": -1, "pos_att_type": ["p2c", "c2p"], "share_att_key": True,
    "norm_rel_ebd": "layer_norm", "position_biased_input": False, "type_vocab_size": 0,
    "layer_norm_eps": 1e-7, "hidden_act": "gelu", "pad_token_id": 0,
}
KINDS = {
    "tiny-gliner": {"seed": 41, "hidden_size": 32, "num_rnn_layers": 1, "pickled": False, "encoder": {}},
    "tiny-gliner-plain": {
        "seed": 42, "hidden_size": 48, "num_rnn_layers": 0, "pickled": True,
        "encoder": {"share_att_key": False, "type_vocab_size": 2, "norm_rel_ebd": "none"},
    },
}
LABELS = [
    ["person", "place", "animal"],
    ["drink"],
    ["person", "organisation", "date", "thing that was lost", "Tom works at"],
]
TEXTS = texts.SPEECH[:7] + texts.SPEECH[-2:] + [texts.ODD[0], texts.ODD[4], texts.ODD[7], " ".join(texts.SPEECH)]


def tokenizer():
    """A Unigram tokenizer as DeBERTa's: a mark before each word, [CLS] and [SEP] around a text."""
    special = ["[PAD]", "[CLS]", "[SEP]", "[UNK]"]
    unigram = Tokenizer(models.Unigram())
    unigram.normalizer = normalizers.NFKC()
    unigram.pre_tokenizer = pre_tokenizers.Metaspace()
    unigram.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=200, special_tokens=special, unk_token="[UNK]", show_progress=False)
    unigram.train_from_iterator(texts.SPEECH + [" ".join(labels) for labels in LABELS], trainer)
    unigram.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=unigram, pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]", unk_token="[UNK]"
    )


def build(kind, place):
    fast = tokenizer()
    fast.save_pretrained(place)
    encoder = ENCODER | kind["encoder"] | {"vocab_size": len(fast)}
    (place / "config.json").write_text(json.dumps(encoder))
    config = {
        "model_name": str(place), "name": "tiny", "max_width": 12, "hidden_size": kind["hidden_size"],
        "dropout": 0.4, "subtoken_pooling": "first", "span_mode": "markerV0", "max_types": 25, "max_len": 384,
        "num_rnn_layers": kind["num_rnn_layers"], "vocab_size": -1, "class_token_index": -1,
        "encoder_config": encoder,
    }
    torch.manual_seed(kind["seed"])
    model = GLiNER.from_config(config, backbone_from_pretrained=False)
    with torch.no_grad():
        # Large, and no bias or scale left at its neutral value: each must show in the result.
        for name, value in model.model.named_parameters():
            centre = 1.0 if name.endswith("LayerNorm.weight") else 0.0
            value.copy_(centre + 0.25 * torch.randn_like(value))
    calibrate(model.eval())
    return model


def calibrate(model):
    """Moves and scales the scores so that some spans are found and others are not."""
    seen = {}
    core = model.model
    hooks = [
        core.register_forward_hook(lambda _part, _inputs, out: seen.update(logits=out.logits[0])),
        core.span_rep_layer.register_forward_hook(lambda _part, _inputs, out: seen.update(spans=out[0])),
    ]
    for step in range(4):
        spans(model, " ".join(texts.SPEECH), LABELS[2], 0.5)
        with torch.no_grad():
            if step % 2 == 0:
                core.span_rep_layer.span_rep_layer.out_project[3].bias -= seen["spans"].mean((0, 1))
            for part in (core.prompt_rep_layer[3].weight, core.prompt_rep_layer[3].bias):
                part *= 1.5 / seen["logits"].std()
    for hook in hooks:
        hook.remove()


def spans(model, text, labels, threshold):
    with torch.no_grad():
        found = model.predict_entities(text, labels, threshold=threshold)
    found = [[x["start"], x["end"], labels.index(x["label"]), round(x["score"], 7)] for x in found]
    return {"text": text, "labels": labels, "threshold": threshold, "spans": found}


def hidden(model, count):
    """The last layer of the backbone alone, for token numbers that reach every position bucket."""
    deberta = model.model.token_rep_layer.bert_layer.model
    ids = torch.randint(4, deberta.config.vocab_size, (1, count))
    with torch.no_grad():
        out = deberta(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state[0]
    rows = [0, count // 2, count - 1]
    return {"ids": ids[0].tolist(), "rows": rows, "hidden": [[round(float(x), 7) for x in out[row]] for row in rows]}


def write(name, kind):
    folder = GOLDEN / name
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory() as place:
        model = build(kind, pathlib.Path(place))
        model.save_pretrained(folder, safe_serialization=not kind["pickled"])
    config = json.loads((folder / "gliner_config.json").read_text())
    config["model_name"] = name
    (folder / "gliner_config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")
    for path in folder.iterdir():
        if path.name not in KEPT:
            path.unlink()
    model = GLiNER.from_pretrained(str(folder), local_files_only=True).eval()
    items = [
        spans(model, text, labels, threshold)
        for text in TEXTS
        for labels in LABELS
        for threshold in (0.3, 0.5, 0.8)
    ]
    torch.manual_seed(7)
    states = [hidden(model, count) for count in (1, 7, 90)]
    lines = ",\n".join(json.dumps(item) for item in items)
    rows = ",\n".join(json.dumps(state) for state in states)
    (folder / "golden.json").write_text(
        f'{{"model": "{name}", "items": [\n{lines}\n], "hidden": [\n{rows}\n]}}\n'
    )
    counts = [len(item["spans"]) for item in items]
    scores = [span[3] for item in items for span in item["spans"]]
    print(f"{name}: {sum(counts)} spans of {len(items)} questions, {counts.count(0)} without")
    print(f"  scores {min(scores)} to {max(scores)}, {len(set(scores))} different")


if __name__ == "__main__":
    for name, kind in KINDS.items():
        write(name, kind)
