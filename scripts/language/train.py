#!/usr/bin/env python3
"""Trains the heads of `models/src/language` and writes weights, figures and golden values; see README.md.

usage: train.py opinions|facts DATA LABELS [--epochs N]
"""
import argparse
import hashlib
import json
import pathlib
import random
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from safetensors.torch import save, save_file

import data as sets
import measure
import planted
from trunk import DATA, Language, as_bytes, from_bytes, tokenizer

VERSION = "2"
SEED = 34
TOKENS_MAX = 1200
GOLDEN = DATA.parents[1] / "fixtures" / "golden"
TASKS = {
    # heads of tokens, heads of texts, how often an epoch takes each source, examples of it at most
    "opinions": ({"tag": 3, "role": 2, "polarity": 3}, {},
                 {"mams": (2, 9999), "diaasq": (3, 9999), "planted": (1, 2500), "labelled": (2, 9999),
                  "goemotions": (1, 4000)}, 8),
    "facts": ({"slot": 1 + 2 * len(sets.SLOTS), "felt": 2}, {"lasting": 2, "keep": 2},
              {"planted": (1, 3500), "labelled": (3, 9999)}, 5),
}
WEIGHT = {"keep": 0.5, "mood": 0.3, "role": 0.5}


def batches(examples, draw):
    order = list(range(len(examples)))
    draw.shuffle(order)
    for start in range(0, len(order), 512):
        part = sorted(order[start:start + 512], key=lambda at: len(examples[at]["ids"]))
        batch, widest = [], 0
        parts = []
        for at in part:
            wide = max(widest, len(examples[at]["ids"]))
            if batch and wide * (len(batch) + 1) > TOKENS_MAX:
                parts.append(batch)
                batch, wide = [], len(examples[at]["ids"])
            batch.append(examples[at])
            widest = wide
        parts.append(batch)
        draw.shuffle(parts)
        yield from parts


def padded(rows, value=0):
    width = max(map(len, rows))
    return torch.tensor([list(row) + [value] * (width - len(row)) for row in rows])


def run(model, batch):
    ids = padded([it["ids"] for it in batch])
    kinds = padded([it["kinds"] for it in batch])
    mask = padded([[1] * len(it["ids"]) for it in batch])
    return model(ids, kinds, mask)


def loss_of(model, batch):
    made = run(model, batch)
    total = torch.zeros(())
    for name in model.tokens:
        labels = padded([it.get(name, [sets.IGNORE] * len(it["ids"])) for it in batch], sets.IGNORE)
        if (labels != sets.IGNORE).any():
            total = total + WEIGHT.get(name, 1.0) * F.cross_entropy(
                made[name].flatten(0, 1), labels.flatten(), ignore_index=sets.IGNORE)
    for name in model.texts:
        labels = torch.tensor([it.get(name, sets.IGNORE) for it in batch])
        if (labels != sets.IGNORE).any():
            total = total + WEIGHT.get(name, 1.0) * F.cross_entropy(
                made[name], labels, ignore_index=sets.IGNORE)
    # of a text whose mood alone is known, the mean of its words has that polarity
    moods = [(at, it["mood"]) for at, it in enumerate(batch) if "mood" in it]
    if moods:
        means = [made["polarity"][at, [place for place, _, _ in batch[at]["words"]]].mean(0) for at, _ in moods]
        labels = torch.tensor([mood for _, mood in moods])
        total = total + WEIGHT["mood"] * F.cross_entropy(torch.stack(means), labels)
    return total


def train(model, found, shares, epochs):
    draw = random.Random(SEED)
    def epoch():
        taken = []
        for source, (times, most) in shares.items():
            for _ in range(times):
                taken += draw.sample(found[source], min(most, len(found[source])))
        return taken
    steps = epochs * sum(1 for _ in batches(epoch(), random.Random(0)))
    layers = [it for name, it in model.named_parameters() if name.startswith("encoder.")]
    heads = [it for name, it in model.named_parameters() if name.startswith(("tokens.", "texts."))]
    optimizer = torch.optim.AdamW([{"params": layers, "lr": 5e-4}, {"params": heads, "lr": 1e-3}], weight_decay=0.01)
    warm = 0.1 * steps
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda at: min((at + 1) / warm, max(0.02, (steps - at) / (steps - warm))))
    wall, cpu = time.time(), time.process_time()
    for number in range(epochs):
        model.train()
        total = count = 0
        for batch in batches(epoch(), draw):
            loss = loss_of(model, batch)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(layers + heads, 1.0)
            optimizer.step()
            schedule.step()
            total, count = total + loss.item(), count + 1
        minutes = (time.time() - wall) / 60
        print(f"epoch {number + 1}: loss {total / count:.3f}, {minutes:.1f} min", flush=True)
    return round((time.process_time() - cpu) / 60, 1)


def write(task, model):
    kept = as_bytes(model.trained())
    file = DATA / f"language-{task}.safetensors"
    kept = {name: value.contiguous() for name, value in kept.items()}
    raw = save(kept)
    tensors = raw[8 + int.from_bytes(raw[:8], "little"):]
    save_file(kept, file, {"format": "weir-language", "version": VERSION, "task": task,
                           "sha256": hashlib.sha256(tensors).hexdigest()})
    file.chmod(0o644)
    model.load_state_dict(from_bytes(kept), strict=False)
    return file.stat().st_size


def rounded(chances):
    return [round(chance, 6) for chance in chances.flatten().tolist()]


def golden(task, model, reader):
    felt = planted.draw_all(planted.HELD_OPINIONS, 2, 5, True)[:12]
    facts = planted.draw_all(planted.HELD_FACTS, 2, 5, True)[:30]
    texts = [(text, None) for text, _ in (felt if task == "opinions" else facts + felt)]
    texts += [("Portland", "Where do you live?" if task == "facts" else None), ("", None), ("...", None),
              ("Ça va, naïve café ☕ 東京!", None), ("I like long walks. " * 60, None)]
    items = []
    model.eval()
    with torch.no_grad():
        for text, previous in texts:
            example = reader.of(text, previous)
            made = run(model, [example])
            words = [at for at, _, _ in example["words"]]
            read = text.encode()
            places = [[len(text[:start].encode()), len(text[:end].encode())] for _, start, end in example["words"]]
            items.append({
                "text": text, "previous": previous, "words": places,
                "tokens": {name: rounded(made[name][0][words].softmax(-1)) for name in model.tokens},
                "texts": {name: rounded(made[name][0].softmax(-1)) for name in model.texts},
            })
            assert all(0 <= a <= z <= len(read) for a, z in places)
    (GOLDEN / f"language-{task}.json").write_text(json.dumps({"items": items}, ensure_ascii=False) + "\n")


def main():
    asked = argparse.ArgumentParser()
    asked.add_argument("task", choices=TASKS)
    asked.add_argument("data", type=pathlib.Path)
    asked.add_argument("labels", type=pathlib.Path)
    asked.add_argument("--epochs", type=int)
    asked.add_argument("--trial", action="store_true", help="measure on labels left out, write nothing")
    asked = asked.parse_args()
    torch.manual_seed(SEED)
    np.random.seed(SEED)
    torch.set_num_threads(1)
    for name in ("mams/ATSA/train.xml", "diaasq/valid.json", "goemotions/train.tsv"):
        if asked.task == "opinions" and not (asked.data / name).exists():
            raise SystemExit(f"{asked.data / name} is missing: it trains the opinions; see README.md")
    tokens, texts, shares, epochs = TASKS[asked.task]
    reader = sets.Reader(tokenizer())
    rows = list(sets.labelled(asked.labels))
    # every fifth hand label checks the chances, where the others train
    apart = rows[4::5] if asked.trial else []
    own = [row for at, row in enumerate(rows) if at % 5 != 4] if asked.trial else rows
    model = Language(tokens, texts)
    found = getattr(sets, asked.task)(reader, asked.data, own, SEED)
    print({name: len(it) for name, it in found.items()}, flush=True)
    minutes = train(model, found, shares, asked.epochs or epochs)
    size = None if asked.trial else write(asked.task, model)
    figures = {"task": asked.task, "minutes": minutes, "bytes": size,
               "examples": {name: len(it) for name, it in found.items()},
               **getattr(measure, asked.task)(model, reader, asked.data, apart, run)}
    print(json.dumps(figures, indent=1))
    if not asked.trial:
        golden(asked.task, model, reader)
        here = pathlib.Path(__file__).resolve().parent
        (here / f"{asked.task}.json").write_text(json.dumps(figures, indent=1) + "\n")
    torch.save(model.state_dict(), f"/tmp/language-{asked.task}.pt") if asked.trial else None


if __name__ == "__main__":
    main()
