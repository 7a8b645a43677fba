#!/usr/bin/env python3
"""How often the local generator and llama.cpp choose the same token, and what that is worth.

    cargo build --release -p weir-models --features candle --example generator_logits
    pip install llama-cpp-python transformers accelerate gguf torch
    python scripts/generator/agreement.py FOLDER/MODEL.gguf \\
        target/release/examples/generator_logits

Reads the texts of fixtures/golden/smollm2.json, so the model is SmolLM2-135M-Instruct. Prints the
share of positions at which two have the same likeliest token, and the mean and largest difference
of their logits. llama.cpp, reading a text at once, is held against itself under other settings of
its own, against ours, and, like ours, against the model in whole precision: the same weights as
floats and activations that are not rounded, by transformers."""

import json
import pathlib
import subprocess
import sys

import llama_cpp
import numpy
import torch
from transformers import AutoModelForCausalLM

GOLDEN = pathlib.Path(__file__).parents[2] / "fixtures/golden/smollm2.json"
SETTINGS = {
    "": {},
    "f32 cache": {"type_k": 0, "type_v": 0},
    "flash attention": {"flash_attn": True},
}


class Theirs:
    """llama.cpp, with `step` tokens at a time."""

    def __init__(self, path, step, settings):
        self.step = step
        self.model = llama_cpp.Llama(str(path), n_ctx=256, n_threads=2, logits_all=True,
                                     verbose=False, **settings)

    def __call__(self, ids):
        self.model.reset()
        for at in range(0, len(ids), self.step):
            self.model.eval(ids[at:at + self.step])
        return self.model.scores[:len(ids)].copy()


class Ours:
    """Our program, which is told all texts and gives the logits of one after the other."""

    def __init__(self, program, path, texts):
        self.run = subprocess.Popen([program, path], stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE)
        self.run.stdin.write("".join(" ".join(map(str, ids)) + "\n" for ids in texts).encode())
        self.run.stdin.close()

    def __call__(self, ids):
        vocabulary = 49152
        whole = self.run.stdout.read(len(ids) * vocabulary * 4)
        return numpy.frombuffer(whole, "<f4").reshape(len(ids), vocabulary)


class Whole:
    """transformers, with the weights of the file as f32."""

    def __init__(self, path):
        path = pathlib.Path(path)
        self.model = AutoModelForCausalLM.from_pretrained(
            str(path.parent), gguf_file=path.name, dtype=torch.float32)

    def __call__(self, ids):
        with torch.no_grad():
            return self.model(torch.tensor([ids])).logits[0].numpy()


def main():
    path, program = sys.argv[1:3]
    texts = [item["ids"] for item in json.loads(GOLDEN.read_text())["items"]]
    base = "llama.cpp"
    models = {f"{base} {name}".strip(): Theirs(path, 512, settings)
              for name, settings in SETTINGS.items()}
    models[f"{base} one token at a time"] = Theirs(path, 1, {})
    models["ours"] = Ours(program, path, texts)
    models["whole precision"] = Whole(path)
    pairs = [(name, base) for name in models if name != base]
    pairs.append(("ours", "whole precision"))
    same = {pair: [] for pair in pairs}
    apart = {pair: [] for pair in pairs}
    for ids in texts:
        logits = {name: model(ids) for name, model in models.items()}
        for pair in pairs:
            a, b = (logits[name] for name in pair)
            same[pair].append(a.argmax(axis=1) == b.argmax(axis=1))
            apart[pair].append((numpy.abs(a - b).mean(), numpy.abs(a - b).max()))
    for pair in pairs:
        means, most = zip(*apart[pair])
        share = 100 * numpy.concatenate(same[pair]).mean()
        print(f"{pair[0]} against {pair[1]}: the same token at {share:.2f} %, logits apart by "
              f"{numpy.mean(means):.3g} in the mean, {max(most):.3g} at most", flush=True)


if __name__ == "__main__":
    main()
