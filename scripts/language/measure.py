"""Figures of what was trained, on talk left out of training."""
import torch

import data as sets
import lines_of_facts
import lines_of_opinions

# least difference of the chances of a feeling for and against, as in the engine
LEANING_MIN = 0.2


def spans_of(tags):
    """Tags of words to (first, last, label). Words of one label that follow each other are one."""
    found = []
    for at, tag in enumerate(tags):
        kind = (tag - 1) // 2
        if tag and found and found[-1][1:] == [at - 1, kind]:
            found[-1][1] = at
        elif tag:
            found.append([at, at, kind])
    return [tuple(it) for it in found]


def values(example, made):
    """Values of slots as the engine reads them, (first, last, slot) with the least chance of their words."""
    chances = made["slot"][:, 1:].view(len(made["slot"]), -1, 2).sum(-1)
    for first, last, _ in spans_of((made["slot"].argmax(-1) > 0).int().tolist()):
        slot = int(chances[first:last + 1].sum(0).argmax())
        yield (first, last, slot), chances[first:last + 1, slot].min().item()


def by_slot(examples):
    """For each slot and least chance, how many values are right and how many of the labelled ones are found."""
    examples = [(set(spans_of([max(example["slot"][at], 0) for at, _, _ in example["words"]])),
                 list(values(example, made))) for example, made in examples]
    rows = {}
    for kind, name in enumerate(["all"] + sets.SLOTS):
        of = lambda spans: [it for it in spans if kind in (0, it[2] + 1)]
        rows[name] = {"wanted": sum(len(of(gold)) for gold, _ in examples)}
        for least in (0, 0.5, 0.6, 0.7, 0.8, 0.9):
            own = [(gold, of(span for span, chance in found if chance >= least)) for gold, found in examples]
            right = sum(span in gold for gold, spans in own for span in spans)
            rows[name][f"at {least}"] = shares(right, sum(len(it) for _, it in own), rows[name]["wanted"])
    return rows


def shares(right, found, wanted):
    precision, recall = right / max(found, 1), right / max(wanted, 1)
    return {"precision": round(precision, 3), "recall": round(recall, 3),
            "f1": round(2 * right / max(found + wanted, 1), 3)}


def chances(model, run, examples):
    model.eval()
    with torch.no_grad():
        for start in range(0, len(examples), 64):
            part = examples[start:start + 64]
            made = {name: value.softmax(-1).cpu() for name, value in run(model, part).items()}
            for at, example in enumerate(part):
                words = [it[0] for it in example["words"]]
                yield example, {name: value[at][words] if value.ndim == 3 else value[at]
                                for name, value in made.items()}


def things(example, made):
    """What is felt about: start, end, polarity's chances, chance to be a side."""
    for first, last, _ in spans_of(made["tag"].argmax(-1).tolist()):
        words = example["words"]
        yield (words[first][1], words[last][2], made["polarity"][first:last + 1].mean(0),
               made["role"][first:last + 1].mean(0)[1].item())


def is_felt(polarity):
    return abs(float(polarity[0] - polarity[1])) >= LEANING_MIN


def mams(model, reader, data, run):
    rows = list(sets.mams("val", data))
    met = wanted = found = on_term = on_polar = right = 0
    for (_, terms), (example, made) in zip(rows, chances(model, run, [reader.of(text) for text, _ in rows])):
        own = [(a, z, chance) for a, z, chance, _ in things(example, made) if is_felt(chance)]
        polar = [it for it in terms if it[2] < 2]
        wanted += len(polar)
        met += sum(any(a < to and z > start for a, z, _ in own) for start, to, _ in polar)
        for a, z, chance in own:
            hits = [sign for start, to, sign in terms if a < to and z > start]
            found += 1
            on_term += bool(hits)
            on_polar += any(sign < 2 for sign in hits)
            right += int(chance[:2].argmax()) in hits
    return {"polar terms found": round(met / wanted, 3), "on a labelled term": round(on_term / max(found, 1), 3),
            "polarity right": round(right / max(on_polar, 1), 3), "opinions": found}


def linked(dialogue, said, made):
    """Target, aspect and polarity by the rule of the engine: the nearest target of the utterance, else the
    last one of those that it answers."""
    last = []
    for at, (text, _) in enumerate(said):
        example, chance = made[at]
        own = list(things(example, chance))
        targets = [(a, z) for a, z, _, side in own if side < 0.5]
        before = last[dialogue["replies"][at]] if dialogue["replies"][at] >= 0 else None
        for a, z, polarity, side in own:
            if side < 0.5 or not is_felt(polarity):
                continue
            near = min(targets, key=lambda it: min(abs(it[0] - z), abs(a - it[1])), default=None)
            target = text[near[0]:near[1]] if near else before
            if target:
                yield target.lower(), text[a:z].lower(), int(polarity[:2].argmax())
        last.append(text[targets[-1][0]:targets[-1][1]] if targets else before)


def diaasq(model, reader, data, run):
    right = found = wanted = 0
    for at, (dialogue, said) in enumerate(sets.diaasq(data)):
        if at % sets.LEFT_OUT != sets.LEFT_OUT - 1:
            continue
        made = list(chances(model, run, [reader.of(text) for text, _ in said]))
        gold = [(it[7].lower(), it[8].lower(), {"pos": 0, "neg": 1}[it[6]]) for it in dialogue["triplets"]
                if it[0] >= 0 and it[2] >= 0 and it[6] in ("pos", "neg")]
        wanted += len(gold)
        for target, aspect, sign in linked(dialogue, said, made):
            found += 1
            fits = lambda it: (set(it[0].split()) & set(target.split()) and set(it[1].split()) & set(aspect.split())
                               and it[2] == sign)
            hit = next((it for it in gold if fits(it)), None)
            if hit:
                gold.remove(hit)
                right += 1
    return {**shares(right, found, wanted), "wanted": wanted}


def areas(scores, labels):
    """Area under the curve."""
    order = sorted(zip(scores, labels))
    ranks = [at for at, (_, label) in enumerate(order, 1) if label]
    good, bad = len(ranks), len(order) - len(ranks)
    return round((sum(ranks) - good * (good + 1) / 2) / max(good * bad, 1), 3)


def curve(scores, labels):
    rows = {"area": areas(scores, labels)}
    for least in (0.3, 0.5, 0.7, 0.8, 0.9):
        taken = [label for score, label in zip(scores, labels) if score >= least]
        rows[f"at {least}"] = shares(sum(taken), len(taken), sum(labels))
    return rows


def opinions(model, reader, data, apart, run):
    held = sets.planted_opinions(reader, lines_of_opinions.HELD_OPINIONS, lines_of_opinions.HELD_PLAIN, 9, True)
    right = found = wanted = 0
    for example, made in chances(model, run, held):
        tags = [example["tag"][at] for at, _, _ in example["words"]]
        signs = [example["polarity"][at] for at, _, _ in example["words"]]
        gold = {(first, last, signs[first]) for first, last, _ in spans_of([max(it, 0) for it in tags])
                if signs[first] < 2}
        words = example["words"]
        own = {(first, last, int(made["polarity"][first:last + 1].mean(0).argmax()))
               for first, last, _ in spans_of(made["tag"].argmax(-1).tolist())}
        own = {it for it in own if it[2] < 2}
        right, found, wanted = right + len(own & gold), found + len(own), wanted + len(gold)
        assert words or not own
    figures = {"mams": mams(model, reader, data, run), "diaasq": diaasq(model, reader, data, run),
               "planted": shares(right, found, wanted)}
    if apart:
        named = [(row, sets.target_of(row)) for row in apart if row["keep"] == "1" and sets.target_of(row)[1]]
        met = right = 0
        for (row, (at, end)), (example, made) in zip(
                named, chances(model, run, [reader.of(row["sentence"]) for row, _ in named])):
            signs = [int(p.argmax()) for a, z, p, _ in things(example, made) if a < end and z > at]
            met += bool(signs)
            right += row["polarity"] in (sets.POLARITIES[sign] for sign in signs)
        figures["kept targets"] = {"wanted": len(named), "found": round(met / len(named), 3),
                                   "with polarity": round(right / len(named), 3)}
    return figures


def facts(model, reader, data, apart, run):
    held = sets.planted_facts(reader, lines_of_facts.HELD_FACTS, lines_of_facts.HELD_PASSING, 9, True)
    made = list(chances(model, run, held))
    lasting = [(it["lasting"][1].item(), example["lasting"]) for example, it in made]
    figures = {"planted slots": by_slot(made)["all"], "planted lasting": curve(*zip(*lasting))}
    if apart:
        rows = sets.facts(reader, data, apart, 1)["labelled"]
        made = list(chances(model, run, rows))
        for name in ("lasting", "keep"):
            known = [(it[name][1].item(), row[name]) for row, it in made if row[name] != sets.IGNORE]
            figures[name] = curve(*zip(*known))
        figures["slots"] = by_slot(made)
    return figures


def spans_by_likeliest(tags, labels):
    """Spans as the engine reads them: words that follow each other are one, of the kind likeliest for all."""
    for first, last, _ in spans_of((tags.argmax(-1) > 0).int().tolist()):
        both = tags[first:last + 1, 1:].view(last + 1 - first, labels, 2).sum(-1)
        kind = int(both.sum(0).argmax())
        yield (first, last, kind), both[:, kind].min().item()


def names(model, reader, data, folder, run):
    """Of the labelled sentences of other dialogues; the least chances are chosen by `dev`."""
    return {part: named(model, reader, data, folder, part, run) for part in ("dev", "test")}


def named(model, reader, data, folder, part, run):
    """Names and relations that are right word for word; by source and kind too."""
    rows = list(sets.named(folder, part, data))
    found = {}
    for (row, text, spans, relations), (example, made) in zip(
            rows, chances(model, run, [reader.of(text) for _, text, _, _ in rows])):
        words = example["words"]
        places = lambda spans: {(min(it), max(it), kind) for it, kind in (
            ([at for at, (_, a, z) in enumerate(words) if a < end and z > start], kind) for start, end, kind in spans)}
        own = {"names": (places(spans), list(spans_by_likeliest(made["name"], len(sets.KINDS)))),
               "relations": (places([(*it, 0) for it in relations]), list(spans_by_likeliest(made["relation"], 1)))}
        for what, (gold, made_) in own.items():
            for of in ("all", row["source"]):
                found.setdefault(f"{what}, {of}", []).append((gold, made_))
            if what == "names":
                for kind, name in enumerate(sets.KINDS):
                    found.setdefault(f"names, {name}", []).append(
                        ({it for it in gold if it[2] == kind}, [it for it in made_ if it[0][2] == kind]))
    figures = {}
    for what, each in sorted(found.items()):
        for least in (0, 0.5, 0.6, 0.7, 0.8, 0.9) if what.endswith("all") else (0,):
            own = [(gold, {span for span, chance in spans if chance >= least}) for gold, spans in each]
            right = sum(len(gold & spans) for gold, spans in own)
            figures[f"{what}, at {least}"] = shares(right, sum(len(it) for _, it in own), sum(len(it) for it, _ in own))
    return figures
