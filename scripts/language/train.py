#!/usr/bin/env python3
"""Trains the heads of `models/src/language` and writes weights, figures and golden values; see README.md.

usage: train.py opinions DATA LABELS
       train.py facts DATA LABELS --teacher all-MiniLM-L6-v2
       train.py opinions DATA LABELS --over all-MiniLM-L6-v2 --frozen 2 --seed 35
       train.py facts DATA LABELS --over all-MiniLM-L6-v2 --frozen 2 --teacher all-MiniLM-L6-v2
       train.py names DATA LABELS --teacher all-MiniLM-L6-v2
"""
import argparse
import hashlib
import json
import pathlib
import random
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
from safetensors.torch import save, save_file

import data as sets
import lines_of_facts
import lines_of_opinions
import measure
import planted
from trunk import DATA, MINILM, Language, as_bytes, from_bytes, tokenizer

VERSION = "2"
SEED = 34
# sentences that the teacher of `facts` reads
TALK = 30000
TOKENS_MAX = 1200
GOLDEN = DATA.parents[1] / "fixtures" / "golden"
# texts whose names are recorded beside those of the other tasks
NAMING = ["My sister Carla moved to Porto last week.", "I went to the library with Tom.", "Anna works for Siemens in Berlin.",
          "we watched star wars at my house on friday", "Dr. Smith's dog bit our postman, J. R. Lee!"]
TASKS = {
    # heads of tokens, heads of texts, how often an epoch takes each source, examples of it at most
    "opinions": ({"tag": 3, "role": 2, "polarity": 3}, {},
                 {"mams": (2, 9999), "diaasq": (3, 9999), "planted": (1, 2500), "labelled": (2, 9999),
                  "goemotions": (1, 4000)}, 8),
    "facts": ({"slot": 1 + 2 * len(sets.SLOTS), "felt": 2}, {"lasting": 2, "keep": 2},
              {"planted": (1, 8000), "labelled": (3, 9999), "talk": (1, 20000)}, 5),
    "names": ({"name": 1 + 2 * len(sets.KINDS), "relation": 3}, {},
              {"labelled": (2, 9999), "small": (1, 600), "talk": (1, 20000)}, 5),
}
# heads of tokens that see how words are written
CASED = {"names": ["name", "relation"]}
# the same over MiniLM, which learns in fewer readings
OVER = {
    "opinions": ({"mams": (1, 9999), "diaasq": (3, 9999), "planted": (1, 2500), "labelled": (2, 9999),
                  "goemotions": (1, 4000)}, 6),
    "facts": ({"planted": (1, 5000), "labelled": (2, 9999), "talk": (1, 12000)}, 4),
    "names": ({"labelled": (1, 9999), "small": (1, 600)}, 8),
}
# `--device` names another: training is the same and takes minutes less
DEVICE = torch.device("cpu")
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
    return torch.tensor([list(row) + [value] * (width - len(row)) for row in rows]).to(DEVICE)


def run(model, batch):
    ids = padded([it["ids"] for it in batch])
    kinds = padded([it["kinds"] for it in batch])
    mask = padded([[1] * len(it["ids"]) for it in batch])
    written = padded([it["written"] for it in batch], [0.0] * sets.WRITTEN)
    if not (model.frozen and model.training):
        return model(model.below(ids, kinds, mask), mask, written)
    # frozen layers read an example once, and not again in each epoch
    if not all("below" in it for it in batch):
        for example, states in zip(batch, model.below(ids, kinds, mask)):
            example["below"] = states[:len(example["ids"])].half()
    below = nn.utils.rnn.pad_sequence([it["below"].float() for it in batch], batch_first=True)
    return model(below, mask, written)


def wanted(example, name, labels, unknown=sets.IGNORE):
    """The chances that a head should give to each token, or to the text; all 0 where that is open."""
    if name in example.get("taught", {}):
        return example["taught"][name].float()
    own = torch.tensor(example.get(name, unknown))
    return F.one_hot(own.clamp(min=0), labels).float() * (own >= 0).unsqueeze(-1)


def loss_of(model, batch):
    made = run(model, batch)
    total = torch.zeros((), device=DEVICE)
    for name in [*model.tokens, *model.texts]:
        labels = made[name].shape[-1]
        if name in model.tokens:
            each = nn.utils.rnn.pad_sequence(
                [wanted(it, name, labels, [sets.IGNORE] * len(it["ids"])) for it in batch], batch_first=True)
        else:
            each = torch.stack([wanted(it, name, labels) for it in batch])
        each = each.to(DEVICE)
        known = each.sum()
        if known > 0:
            away = -(each * made[name].log_softmax(-1)).sum()
            total = total + WEIGHT.get(name, 1.0) * away / known
    # of a text whose mood alone is known, the mean of its words has that polarity
    moods = [(at, it["mood"]) for at, it in enumerate(batch) if "mood" in it]
    if moods:
        means = [made["polarity"][at, [place for place, _, _ in batch[at]["words"]]].mean(0) for at, _ in moods]
        labels = torch.tensor([mood for _, mood in moods], device=DEVICE)
        total = total + WEIGHT["mood"] * F.cross_entropy(torch.stack(means), labels)
    return total


def train(model, found, shares, epochs, rate=5e-4, seed=SEED):
    draw = random.Random(seed)
    def epoch():
        taken = []
        for source, (times, most) in shares.items():
            for _ in range(times):
                taken += draw.sample(found[source], min(most, len(found[source])))
        return taken
    steps = epochs * sum(1 for _ in batches(epoch(), random.Random(0)))
    layers = [it for name, it in model.named_parameters() if name.startswith("encoder.")]
    heads = [it for name, it in model.named_parameters() if name.startswith(("tokens.", "texts.", "case."))]
    optimizer = torch.optim.AdamW([{"params": layers, "lr": rate}, {"params": heads, "lr": 1e-3}], weight_decay=0.01)
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


def teach(task, folder, found, talk, seed):
    """Gives the chances of a larger model, trained on the same labels, to unlabelled talk."""
    tokens, texts, _, _ = TASKS[task]
    cased = CASED.get(task, ())
    teacher = Language(tokens, texts, MINILM, folder / "model.safetensors", cased=cased).to(DEVICE)
    shares, epochs = {name: (1, 2000 if name == "planted" else 9999) for name in found}, 3
    if task == "names":
        shares, epochs = OVER[task]
    minutes = train(teacher, found, shares, epochs, 1e-4, seed)
    teacher.eval()
    with torch.no_grad():
        order = sorted(talk, key=lambda it: len(it["ids"]))
        for start in range(0, len(order), 64):
            part = order[start:start + 64]
            made = {name: value.softmax(-1).cpu() for name, value in run(teacher, part).items()}
            for at, example in enumerate(part):
                words = torch.zeros(len(example["ids"]), 1)
                words[[token for token, _, _ in example["words"]]] = 1
                of = lambda name: made[name][at][:len(words)] * words if name in tokens else made[name][at]
                # the teacher was shown few slots, and a pupil that follows it finds too many
                example["taught"] = {name: of(name).half() for name in made if name != "slot"}
    return teacher, minutes


def write(name, task, model, over):
    kept = as_bytes({name: value.cpu() for name, value in model.trained().items()})
    file = DATA / f"language-{name}.safetensors"
    kept = {name: value.contiguous() for name, value in kept.items()}
    raw = save(kept)
    tensors = raw[8 + int.from_bytes(raw[:8], "little"):]
    save_file(kept, file, {"format": "weir-language", "version": VERSION, "task": task, **over,
                           "sha256": hashlib.sha256(tensors).hexdigest()})
    file.chmod(0o644)
    model.load_state_dict(from_bytes(kept), strict=False)
    return file.stat().st_size


def rounded(chances):
    return [round(chance, 6) for chance in chances.flatten().tolist()]


def golden(name, task, model, reader):
    felt = planted.draw_all(lines_of_opinions.HELD_OPINIONS, 2, 5, True)[:12]
    facts = planted.draw_all(lines_of_facts.HELD_FACTS, 2, 5, True)[:30]
    texts = [(text, None) for text, _ in (felt if task == "opinions" else facts + felt)]
    texts += [(text, None) for text in NAMING if task == "names"]
    texts += [("Portland", "Where do you live?" if task == "facts" else None), ("", None), ("...", None),
              ("Ça va, naïve café ☕ 東京!", None), ("I like long walks. " * 60, None)]
    items = []
    model.eval()
    with torch.no_grad():
        for text, previous in texts:
            example = reader.of(text, previous)
            made = {name: value.cpu() for name, value in run(model, [example]).items()}
            words = [at for at, _, _ in example["words"]]
            read = text.encode()
            places = [[len(text[:start].encode()), len(text[:end].encode())] for _, start, end in example["words"]]
            items.append({
                "text": text, "previous": previous, "words": places,
                "tokens": {name: rounded(made[name][0][words].softmax(-1)) for name in model.tokens},
                "texts": {name: rounded(made[name][0].softmax(-1)) for name in model.texts},
            })
            assert all(0 <= a <= z <= len(read) for a, z in places)
    (GOLDEN / f"language-{name}.json").write_text(json.dumps({"items": items}, ensure_ascii=False) + "\n")


def main():
    global DEVICE
    asked = argparse.ArgumentParser()
    asked.add_argument("task", choices=TASKS)
    asked.add_argument("data", type=pathlib.Path)
    asked.add_argument("labels", type=pathlib.Path)
    asked.add_argument("--teacher", type=pathlib.Path, help="folder of all-MiniLM-L6-v2, for facts")
    asked.add_argument("--over", type=pathlib.Path, help="folder of all-MiniLM-L6-v2, in place of the built-in encoder")
    asked.add_argument("--frozen", type=int, default=0, help="how many of its layers stay as they are")
    asked.add_argument("--seed", type=int, default=SEED, help="of the training; examples are drawn by another")
    asked.add_argument("--device", type=torch.device, default=DEVICE, help="where torch computes, such as cuda")
    asked = asked.parse_args()
    torch.set_num_threads(1)
    DEVICE = asked.device
    files = {"opinions": ["mams/ATSA/train.xml", "diaasq/valid.json"], "facts": ["chitchat/dataset.json"],
             "names": ["chitchat/dataset.json", "qmsum/train", "locomo/locomo_dev.json"]}
    for name in files[asked.task] + ["goemotions/train.tsv"]:
        if not (asked.data / name).exists():
            raise SystemExit(f"{asked.data / name} is missing: it trains the {asked.task}; see README.md")
    # over MiniLM its own reading of the labels is all that a teacher of names knows
    learns = asked.task == "facts" or asked.task == "names" and not asked.over
    if learns and not (asked.teacher and (asked.teacher / "model.safetensors").exists()):
        raise SystemExit("--teacher needs a folder of all-MiniLM-L6-v2, which labels talk for facts; see README.md")
    tokens, texts, shares, epochs = TASKS[asked.task]
    reader = sets.Reader(tokenizer())
    rows = list(sets.labelled(asked.labels))
    # every fifth hand label trains nothing: by them the least chances are chosen
    apart = rows[4::5]
    own = [row for at, row in enumerate(rows) if at % 5 != 4]
    if asked.task == "names":
        # those of other dialogues train nothing
        own = apart = asked.labels
    found = getattr(sets, asked.task)(reader, asked.data, own, SEED)
    print({name: len(it) for name, it in found.items()}, flush=True)
    measured = lambda model: getattr(measure, asked.task)(model, reader, asked.data, apart, run)
    name, over, figures, taught, rate = asked.task, {}, {"task": asked.task}, 0, 5e-4
    if learns:
        talk = sets.talk(reader, asked.data, sets.known(rows), TALK, SEED)
        torch.manual_seed(asked.seed)
        teacher, taught = teach(asked.task, asked.teacher, found, talk, asked.seed)
        found["talk"] = talk
        figures["teacher"] = measured(teacher)
    torch.manual_seed(asked.seed)
    if asked.over:
        name, rate = f"{asked.task}-minilm", 2e-4 if asked.frozen else 1e-4
        shares, epochs = OVER[asked.task]
        over = {"over": "all-MiniLM-L6-v2"}
        figures |= {**over, "frozen": asked.frozen, "seed": asked.seed}
        weights = asked.over / "model.safetensors"
        model = Language(tokens, texts, MINILM, weights, asked.frozen, CASED.get(asked.task, ())).to(DEVICE)
    else:
        model = Language(tokens, texts, cased=CASED.get(asked.task, ())).to(DEVICE)
    minutes = round(taught + train(model, found, shares, epochs, rate, asked.seed), 1)
    size = write(name, asked.task, model, over)
    figures |= {"minutes": minutes, "bytes": size, "examples": {name: len(it) for name, it in found.items()},
                **measured(model)}
    print(json.dumps(figures, indent=1))
    golden(name, asked.task, model, reader)
    here = pathlib.Path(__file__).resolve().parent
    (here / f"{name}.json").write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
