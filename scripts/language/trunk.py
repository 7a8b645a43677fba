"""The trunk of the built-in sparse encoder, or of MiniLM, with heads, and its tokenizer, as `models/src/language` has them."""
import pathlib
import typing

import torch
import torch.nn as nn
import torch.nn.functional as F
from safetensors.numpy import load_file
from tokenizers import BertWordPieceTokenizer

DATA = pathlib.Path(__file__).resolve().parents[2] / "models" / "data"
EPS = 1e-12
TOKENS_MAX = 256
PREFIX = "bert."
# how a word is written, as `data.written` has it
WRITTEN = 6


class Shape(typing.NamedTuple):
    size: int
    heads: int
    wide: int
    layers: int


BUILT_IN = Shape(128, 2, 512, 2)
# all-MiniLM-L6-v2
MINILM = Shape(384, 12, 1536, 6)


def tokenizer():
    made = BertWordPieceTokenizer(str(DATA / "vocab.txt"), lowercase=True)
    made.enable_truncation(TOKENS_MAX)
    return made


def stored(file):
    """The tensors of a BERT, the sparse encoder's or another, as floats."""
    raw = load_file(file)
    floats = {}
    for name, value in raw.items():
        if name.endswith(".scale"):
            continue
        scale = raw.get(f"{name}.scale")
        value = torch.tensor(value).float()
        floats[name] = value if scale is None else value * torch.tensor(scale)[:, None]
    return {name.removeprefix(PREFIX): value for name, value in floats.items()}


class Layer(nn.Module):
    """Named as in checkpoints of BERT, so that the weights are stored under these names."""

    def __init__(self, shape):
        super().__init__()
        self.heads = shape.heads
        self.attention = nn.ModuleDict({
            "self": nn.ModuleDict({part: nn.Linear(shape.size, shape.size) for part in ("query", "key", "value")}),
            "output": nn.ModuleDict({"dense": nn.Linear(shape.size, shape.size), "LayerNorm": nn.LayerNorm(shape.size, EPS)}),
        })
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(shape.size, shape.wide)})
        self.output = nn.ModuleDict({"dense": nn.Linear(shape.wide, shape.size), "LayerNorm": nn.LayerNorm(shape.size, EPS)})

    def forward(self, x, mask):
        batch, tokens, size = x.shape
        own = self.attention["self"]
        split = lambda part: own[part](x).view(batch, tokens, self.heads, -1).transpose(1, 2)
        drop = 0.1 if self.training else 0.0
        seen = F.scaled_dot_product_attention(split("query"), split("key"), split("value"), mask, drop)
        seen = self.attention["output"]["dense"](seen.transpose(1, 2).reshape(batch, tokens, size))
        x = self.attention["output"]["LayerNorm"](x + F.dropout(seen, drop))
        wide = F.gelu(self.intermediate["dense"](x))
        return self.output["LayerNorm"](x + F.dropout(self.output["dense"](wide), drop))


class Language(nn.Module):
    """Layers of our own over the frozen embeddings and first `frozen` layers of an encoder, and heads.

    `tokens` heads read each token, `texts` heads the mean of the tokens beside the first token; `cased` heads
    of tokens how their words are written too, which the encoder does not see.
    """

    def __init__(self, tokens, texts, shape=BUILT_IN, file=DATA / "splade-tiny.safetensors", frozen=0, cased=()):
        super().__init__()
        self.frozen = frozen
        base = stored(file)
        self.words, self.places, self.kinds = [
            nn.Embedding.from_pretrained(base[f"embeddings.{name}_embeddings.weight"])
            for name in ("word", "position", "token_type")
        ]
        self.norm = nn.LayerNorm(shape.size, EPS)
        self.norm.load_state_dict({part: base[f"embeddings.LayerNorm.{part}"] for part in ("weight", "bias")})
        self.norm.requires_grad_(False)
        self.encoder = nn.ModuleDict({"layer": nn.ModuleList([Layer(shape) for _ in range(shape.layers)])})
        known = sum(name.endswith("query.weight") for name in base)
        for at, layer in enumerate(self.encoder["layer"]):
            # a layer more than the encoder has begins as its last one
            own = f"encoder.layer.{min(at, known - 1)}."
            layer.load_state_dict({
                name.removeprefix(own): value for name, value in base.items() if name.startswith(own)
            })
            layer.requires_grad_(at >= frozen)
        self.tokens = nn.ModuleDict({name: nn.Linear(shape.size, count) for name, count in tokens.items()})
        self.texts = nn.ModuleDict({name: nn.Linear(2 * shape.size, count) for name, count in texts.items()})
        self.case = nn.ModuleDict({name: nn.Linear(WRITTEN, tokens[name]) for name in cased})

    @torch.no_grad()
    def below(self, ids, kinds, mask):
        """What does not change in training: the embeddings after the frozen layers."""
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.norm(self.words(ids) + self.kinds(kinds) + self.places(places)[None])
        for layer in self.encoder["layer"][:self.frozen]:
            x = layer.eval()(x, mask[:, None, None, :].bool())
        return x

    def forward(self, x, mask, written):
        x = F.dropout(x, 0.1, self.training)
        for layer in self.encoder["layer"][self.frozen:]:
            x = layer(x, mask[:, None, None, :].bool())
        x = F.dropout(x, 0.1, self.training)
        weights = mask[:, :, None].float()
        mean = (x * weights).sum(1) / weights.sum(1)
        whole = torch.cat([x[:, 0], mean], -1)
        case = lambda name: self.case[name](written) if name in self.case else 0.0
        return {
            **{name: head(x) + case(name) for name, head in self.tokens.items()},
            **{name: head(whole) for name, head in self.texts.items()},
        }

    def trained(self):
        """What is stored: layers and heads, without what the encoder has."""
        return {name: value for name, value in self.named_parameters() if value.requires_grad}


def as_bytes(tensors):
    """Matrices as int8 with a scale for each row, in place of floats; the file's form."""
    kept = {}
    for name, value in tensors.items():
        value = value.detach().float()
        if value.ndim != 2:
            kept[name] = value
            continue
        most = value.abs().amax(1)
        scale = torch.where(most > 0, most / 127, torch.ones_like(most))
        kept[name] = (value / scale[:, None]).round().to(torch.int8)
        kept[f"{name}.scale"] = scale
    return kept


def from_bytes(kept):
    """The floats that the program computes with."""
    scaled = lambda name: kept[name].float() * kept[f"{name}.scale"][:, None]
    names = [name for name in kept if not name.endswith(".scale")]
    return {name: scaled(name) if f"{name}.scale" in kept else kept[name] for name in names}
