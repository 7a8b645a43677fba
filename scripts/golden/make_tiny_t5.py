#!/usr/bin/env python3
"""Writes fixtures/golden/tiny-t5/ (plain feed-forward, scaled tied head: T5 and LaMini-T5) and
fixtures/golden/tiny-t5-gated/ (gated feed-forward, head of its own: Flan-T5): summarisers of random
weights in the layout of transformers, and golden.json with the logits and texts of transformers."""

import copy
import json
import pathlib
import shutil

import texts
import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

GOLDEN = pathlib.Path(__file__).parents[2] / "fixtures" / "golden"
KEPT = ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"]
TOKENS_NEW = 24
# Decoder positions whose logits are kept: before and after each step of the position buckets.
PLACES = [0, 1, 9, 17, 39]
KINDS = {
    "tiny-t5": {
        "config": {"d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4},
        "limit": 512,
        "seed": 31,
    },
    "tiny-t5-gated": {
        "config": {
            "d_model": 32, "d_kv": 16, "d_ff": 64, "num_layers": 2, "num_decoder_layers": 3,
            "num_heads": 4, "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False,
        },
        "limit": 40,
        "seed": 34,
    },
}


def tokenizer(limit):
    """A Unigram tokenizer as T5's: a mark before each word, </s> after each text."""
    unigram = Tokenizer(models.Unigram())
    unigram.normalizer = normalizers.NFKC()
    unigram.pre_tokenizer = pre_tokenizers.Metaspace()
    unigram.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=220, special_tokens=["<pad>", "</s>", "<unk>"], unk_token="<unk>", show_progress=False
    )
    unigram.train_from_iterator(texts.SPEECH + texts.LONG[2:], trainer)
    unigram.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=unigram, pad_token="<pad>", eos_token="</s>", unk_token="<unk>", model_max_length=limit
    )


def build_model(settings, seed, vocab_size):
    torch.manual_seed(seed)
    # As in the published ones, some rows of the embedding belong to no token.
    config = T5Config(vocab_size=vocab_size + 4, decoder_start_token_id=0, **settings)
    model = T5ForConditionalGeneration(config)
    if config.scale_decoder_outputs is False:
        model.lm_head.weight = torch.nn.Parameter(torch.empty_like(model.lm_head.weight))
    with torch.no_grad():
        for name, value in model.named_parameters():
            centre = 1.0 if "layer_norm" in name else 0.0
            size = 1.0 if "shared" in name or "relative" in name else 0.25
            # T5 does not scale its products: a wide query would make attention all or nothing,
            # and rounding errors of the reference itself would show.
            size = 0.07 if ".q." in name else size
            value.copy_(centre + size * torch.randn_like(value))
        # Ends come now and then, so that beams end at different lengths.
        head = model.lm_head.weight
        head[1] *= 2.4
    if config.scale_decoder_outputs is False:
        config.tie_word_embeddings = False
    return model.eval()


def logits(model, encoded, places):
    torch.manual_seed(len(encoded))
    ids = [0] + torch.randint(3, model.config.vocab_size, (places[-1],)).tolist()
    with torch.no_grad():
        out = model(input_ids=torch.tensor([encoded]), decoder_input_ids=torch.tensor([ids])).logits[0]
    rows = [[round(float(x), 6) for x in out[place]] for place in places]
    return {"input": encoded, "decoder": ids, "places": places, "logits": rows}


def generate(model, encoded):
    # Without its cache, which transformers 5 sizes by the encoder's layers alone.
    made = model.generate(
        torch.tensor([encoded]), max_new_tokens=TOKENS_NEW, do_sample=False, use_cache=False
    )
    return made[0].tolist()


def reload(folder):
    """What transformers makes of the files, not of the objects they were written from."""
    model = T5ForConditionalGeneration.from_pretrained(folder).eval()
    return model, PreTrainedTokenizerFast.from_pretrained(folder)


def write(name, kind):
    folder = GOLDEN / name
    shutil.rmtree(folder, ignore_errors=True)
    fast = tokenizer(kind["limit"])
    fast.save_pretrained(folder)
    build_model(kind["config"], kind["seed"], len(fast)).save_pretrained(folder)
    settings = json.loads((folder / "config.json").read_text())
    settings["tie_word_embeddings"] = kind["config"].get("tie_word_embeddings", True)
    (folder / "config.json").write_text(json.dumps(settings, indent=2) + "\n")
    model, fast = reload(folder)
    prompts = texts.SPEECH[:8] + texts.ODD[:3] + ["", " ".join(texts.SPEECH), texts.LONG[2]]
    items = []
    for prompt in prompts:
        encoded = fast(prompt, truncation=True)["input_ids"]
        made = generate(model, encoded)
        greedy = {"ids": made, "text": fast.decode(made, skip_special_tokens=True)}
        items.append({"prompt": prompt, "input": encoded, "greedy": greedy})
    exact = copy.deepcopy(model).double()
    wanted = [logits(model, items[at]["input"], PLACES) for at in (0, 5, -1)]
    for path in folder.iterdir():
        if path.name not in KEPT:
            path.unlink()
    lines = ",\n".join(json.dumps(item) for item in items)
    rows = ",\n".join(json.dumps(item) for item in wanted)
    (folder / "golden.json").write_text(
        f'{{"model": "{name}", "items": [\n{lines}\n], "logits": [\n{rows}\n]}}\n'
    )
    rounding = [logits(exact, items[at]["input"], PLACES) for at in (0, 5, -1)]
    off = [torch.tensor(a["logits"]) - torch.tensor(b["logits"]) for a, b in zip(wanted, rounding)]
    print(f"{name}: the reference in f32 is off by {max(x.abs().max() for x in off):.1e} from itself in f64")
    ended = sum(item["greedy"]["ids"][-1] == 1 for item in items)
    kinds = len({tuple(item["greedy"]["ids"]) for item in items})
    print(f"{name}: {kinds} different of {len(items)}, {ended} ended")


if __name__ == "__main__":
    for name, kind in KINDS.items():
        write(name, kind)
