#!/usr/bin/env python3
"""Makes models/data/splade-tiny.safetensors and .json of a checkpoint of SPLADE-tiny.

usage: build.py CHECKPOINT_FOLDER

Every matrix becomes bytes with a scale for each row (`name`, `name.scale`); everything else stays
f32. Names become those that transformers uses today. Needs numpy and safetensors.
"""
import hashlib
import json
import pathlib
import sys

import numpy
from safetensors.numpy import load_file, save_file

DATA = pathlib.Path(__file__).resolve().parents[2] / "models" / "data"
SETTINGS = (
    "model_type", "hidden_act", "vocab_size", "hidden_size", "num_hidden_layers",
    "num_attention_heads", "intermediate_size", "max_position_embeddings", "type_vocab_size",
    "layer_norm_eps", "pad_token_id",
)

folder = pathlib.Path(sys.argv[1])
tensors = {}
for name, value in sorted(load_file(folder / "model.safetensors").items()):
    name = name.replace("LayerNorm.gamma", "LayerNorm.weight")
    name = name.replace("LayerNorm.beta", "LayerNorm.bias")
    value = value.astype(numpy.float32)
    if value.ndim != 2:
        tensors[name] = value
        continue
    most = numpy.abs(value).max(axis=1)
    scale = numpy.where(most > 0, most / 127, 1).astype(numpy.float32)
    tensors[name] = numpy.round(value / scale[:, None]).astype(numpy.int8)
    tensors[f"{name}.scale"] = scale
save_file(tensors, DATA / "splade-tiny.safetensors")
config = json.loads((folder / "config.json").read_text())
settings = {key: config[key] for key in SETTINGS}
(DATA / "splade-tiny.json").write_text(json.dumps(settings, indent=2) + "\n")
weights = (DATA / "splade-tiny.safetensors").read_bytes()
print(len(weights), "bytes, SHA-256", hashlib.sha256(weights).hexdigest())
