"""The vectors of all-MiniLM-L6-v2, and networks over them as the engine reads them."""

import pathlib

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from tokenizers import Tokenizer

UNIT = 10_000  # as in engine/core/src/recall/network.rs


class Encoder:
    """all-MiniLM-L6-v2: vectors of unit length."""

    def __init__(self, folder):
        self.w = {name: it.float() for name, it in load_file(folder / "model.safetensors").items()}
        self.tokens = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokens.enable_truncation(256)
        self.tokens.enable_padding()

    def linear(self, x, name):
        return F.linear(x, self.w[name + ".weight"], self.w[name + ".bias"])

    def norm(self, x, name):
        return F.layer_norm(x, (384,), self.w[name + ".weight"], self.w[name + ".bias"], 1e-12)

    @torch.no_grad()
    def __call__(self, texts):
        texts = sorted(set(texts), key=lambda it: (len(it), it))
        made = [vector for at in range(0, len(texts), 64) for vector in self.batch(texts[at:at + 64])]
        return dict(zip(texts, made))

    def batch(self, texts):
        read = self.tokens.encode_batch(texts)
        ids = torch.tensor([it.ids for it in read])
        mask = torch.tensor([it.attention_mask for it in read]).float()
        embeddings = [self.w[f"embeddings.{kind}_embeddings.weight"] for kind in ("word", "position", "token_type")]
        x = self.norm(embeddings[0][ids] + embeddings[1][:ids.shape[1]] + embeddings[2][0], "embeddings.LayerNorm")
        hidden = (1 - mask)[:, None, None, :] * -1e9
        for layer in range(6):
            at = f"encoder.layer.{layer}."
            heads = [self.linear(x, f"{at}attention.self.{it}") for it in ("query", "key", "value")]
            q, k, v = [it.view(*ids.shape, 12, 32).transpose(1, 2) for it in heads]
            seen = ((q @ k.transpose(-1, -2)) / 32**0.5 + hidden).softmax(-1) @ v
            seen = seen.transpose(1, 2).reshape(x.shape)
            x = self.norm(self.linear(seen, at + "attention.output.dense") + x, at + "attention.output.LayerNorm")
            wide = F.gelu(self.linear(x, at + "intermediate.dense"))
            x = self.norm(self.linear(wide, at + "output.dense") + x, at + "output.LayerNorm")
        mean = (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return F.normalize(mean, dim=-1).numpy()


def write(file, layers):
    """Writes layers of rows of weights, the bias last: a line for each row, in whole numbers."""
    lines = [" ".join(str(round(float(it) * UNIT)) for it in row) for layer in layers for row in layer]
    pathlib.Path(file).write_text("\n".join(lines) + "\n")
