"""Examples of the two tasks, from public sets, hand labels and planted talk."""
import csv
import json
import pathlib
import random
import re
import xml.etree.ElementTree as ET

import lines_of_facts
import lines_of_opinions
import planted
from trunk import WRITTEN

HERE = pathlib.Path(__file__).resolve().parent
IGNORE = -100
POLARITIES = ["positive", "negative", "neutral"]
SIGNS = {"+": 0, "-": 1, "0": 2}
SLOTS = ["home", "work", "employer", "age", "phone", "partner"]
LABELLED_SLOTS = {"residence": "home", "job": "work", "employer": "employer", "age": "age", "phone": "phone",
                  "partner": "partner"}
KINDS = ["person", "place", "organisation", "thing", "date"]
RELATIONS = set(planted.LISTS["spouse"].split("|")) | {"bf", "gf", "fiancée", "fiancé"}
# words that name nothing by themselves
NAMELESS = set("it this that them they he she him her these those one ones you i me picture pic thing things stuff "
               "something everything movie show game song book idea".split())
# GoEmotions' 27 emotions by their place in labels.txt
GLAD = {0, 1, 4, 5, 8, 13, 15, 17, 18, 20, 21, 23}
SAD = {2, 3, 9, 10, 11, 12, 14, 16, 19, 24, 25}
PLAIN = 27
# every fourth dialogue of DiaASQ is left out of training
LEFT_OUT = 4


def written(words):
    """How each word is written: with a capital where a sentence begins, with one elsewhere, all in capitals,
    with a digit; and whether the words beside it have a capital."""
    capital = [word[0].isupper() for word in words]
    made = []
    for at, word in enumerate(words):
        begins = at == 0 or words[at - 1] in (".", "!", "?")
        made.append([float(it) for it in (
            capital[at] and begins, capital[at] and not begins, len(word) > 1 and word.isupper(),
            any(it.isdigit() for it in word), at > 0 and capital[at - 1], at + 1 < len(words) and capital[at + 1])])
    return made


class Reader:
    """Texts to tokens with labels on the first piece of each word."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def of(self, text, previous=None, **labels):
        read = self.tokenizer.encode(text, previous) if previous else self.tokenizer.encode(text)
        words = []
        last = None
        for at, (word, kind, special) in enumerate(zip(read.word_ids, read.type_ids, read.special_tokens_mask)):
            if special or kind == 1 or word is None:
                continue
            if word == last:
                words[-1][2] = read.offsets[at][1]
            else:
                words.append([at, read.offsets[at][0], read.offsets[at][1]])
            last = word
        marks = [[0.0] * WRITTEN for _ in read.ids]
        for (at, _, _), mark in zip(words, written([text[start:end] for _, start, end in words])):
            marks[at] = mark
        return {"text": text, "previous": previous, "ids": read.ids, "kinds": read.type_ids, "words": words,
                "written": marks, **labels}

    def tagged(self, text, spans, head, marks, rest=0, previous=None, **labels):
        """`spans` of (start, end, label): `head` gets B and I of the label's number, `marks` other heads."""
        example = self.of(text, previous, **labels)
        count = len(example["ids"])
        tags = [IGNORE] * count
        extra = {name: [IGNORE] * count for name in marks}
        for at, start, end in example["words"]:
            tags[at] = rest
            for from_, to, label, *more in spans:
                if start < to and end > from_:
                    if label is None:
                        tags[at] = IGNORE
                    else:
                        tags[at] = 1 + 2 * label + (start > from_)
                    for name, value in zip(marks, more):
                        extra[name][at] = value
        example[head] = tags
        example.update(extra)
        return example


def mams(part, data):
    for sentence in ET.parse(data / f"mams/ATSA/{part}.xml").getroot():
        terms = [(int(term.get("from")), int(term.get("to")), POLARITIES.index(term.get("polarity")))
                 for term in sentence.iter("aspectTerm")]
        yield sentence.find("text").text, terms


def diaasq(data):
    """Dialogues with, for each utterance, its text and spans: start, end, role, polarity."""
    for dialogue in json.load(open(data / "diaasq/valid.json")):
        feeling = {}
        for triplet in dialogue["triplets"]:
            if triplet[2] >= 0:
                sign = {"pos": 0, "neg": 1}.get(triplet[6], 2)
                feeling.setdefault(triplet[2], []).append(sign)
        starts, utterances, at = [], [], 0
        for sentence in dialogue["sentences"]:
            words = sentence.split()
            places, place = [], 0
            for word in words:
                place = sentence.index(word, place)
                places.append((place, place + len(word)))
                place += len(word)
            spans = []
            for role, name in ((0, "targets"), (1, "aspects")):
                for start, end, *_ in dialogue[name]:
                    if at <= start and end <= at + len(words):
                        felt = feeling.get(start) if role else None
                        sign = max(set(felt), key=felt.count) if felt else (IGNORE if role == 0 else 2)
                        spans.append((places[start - at][0], places[end - 1 - at][1], role, sign))
            utterances.append((sentence, spans))
            at += len(words)
        yield dialogue, utterances


def labelled(folder):
    """Rows of all files of labels of a folder."""
    files = sorted(folder.glob("train*.tsv"))
    if not files:
        raise SystemExit(f"{folder} has no train*.tsv: it labels what is lasting and worth keeping; see README.md")
    for file in files:
        with open(file, newline="") as lines:
            yield from csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)


def known(rows):
    """Sentences that are labelled, here or to measure, in lower case."""
    everyday = HERE.parents[1] / "benches/questions/everyday.tsv"
    with open(everyday, newline="") as lines:
        measured = [row["sentence"] for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)]
    return {text.lower() for text in [row["sentence"] for row in rows] + measured}


def words_in(text):
    return set(re.findall(r"\w+", text.lower()))


def target_of(row):
    """Where a sentence names what its opinion is about; 0, 0 where it names nothing."""
    target = row["target"][planted.LOOSE.match(row["target"]).end():]
    at = row["sentence"].find(target) if target else -1
    named = at >= 0 and not words_in(target) <= NAMELESS
    return (at, at + len(target)) if named else (0, 0)


def opinions(reader, data, labels, seed):
    """Training examples of the task `opinions`, by source."""
    draw = random.Random(seed)
    marks = ("role", "polarity")
    found = {}
    found["mams"] = [
        reader.tagged(text, [(a, z, 0, 1, sign) for a, z, sign in terms], "tag", marks)
        for text, terms in mams("train", data)]
    found["diaasq"] = [
        reader.tagged(text, [(a, z, 0, role, sign) for a, z, role, sign in spans], "tag", marks)
        for at, (_, said) in enumerate(diaasq(data)) if at % LEFT_OUT != LEFT_OUT - 1 for text, spans in said]
    found["planted"] = planted_opinions(reader, lines_of_opinions.OPINIONS, lines_of_opinions.PLAIN, seed)
    found["labelled"] = []
    for row in labels:
        if not row["opinion"]:
            continue
        at, end = target_of(row)
        sign = POLARITIES.index(row["polarity"]) if row["polarity"] in POLARITIES else IGNORE
        spans = [(at, end, 0, IGNORE, sign)] if end else []
        # an opinion whose target is not in the text leaves it open what names it
        rest = IGNORE if row["opinion"] == "1" and not spans else 0
        found["labelled"].append(reader.tagged(row["sentence"], spans, "tag", marks, rest))
    moods = [line.rstrip("\n").split("\t") for line in open(data / "goemotions/train.tsv")]
    found["goemotions"] = []
    for text, numbers, _ in moods:
        numbers = {int(number) for number in numbers.split(",")}
        mood = 0 if numbers <= GLAD else 1 if numbers <= SAD else 2 if numbers == {PLAIN} else IGNORE
        if mood != IGNORE and len(text) < 200:
            found["goemotions"].append(reader.of(text.replace("[NAME]", "Sam"), mood=mood))
    draw.shuffle(found["goemotions"])
    return found


def planted_opinions(reader, lines, plain, seed, held=False):
    made = []
    marks = ("role", "polarity")
    for text, spans in planted.draw_all(lines, 30, seed, held):
        spans = [(a, z, 0, 0 if mark[0] == "t" else 1, SIGNS[mark[1]]) for a, z, mark in spans]
        made.append(reader.tagged(text, spans, "tag", marks))
    for text, spans in planted.draw_all(plain, 20, seed, held):
        spans = [(a, z, None, IGNORE, 2) for a, z, _ in spans]
        made.append(reader.tagged(text, spans, "tag", marks))
    return made


def facts(reader, data, labels, seed):
    """Training examples of the task `facts`, by source."""
    made = planted_facts(reader, lines_of_facts.FACTS, lines_of_facts.PASSING, seed)
    found = {"planted": made, "labelled": []}
    for row in labels:
        text, spans = row["sentence"], []
        for slot, value in zip(row["slot"].split(";"), row["value"].split(";")):
            slot, value = LABELLED_SLOTS.get(slot), value[planted.LOOSE.match(value).end():]
            at = text.find(value) if value else -1
            # "my wife" names nobody
            if slot and at >= 0 and value.lower() not in RELATIONS:
                spans.append((at, at + len(value), SLOTS.index(slot)))
        previous = row["previous_sentence"]
        # as the memory does: an answer of few words keeps the question before it
        asked = previous if previous.endswith("?") and len(words_in(text)) <= 7 else None
        at, end = target_of(row)
        # an opinion of what is not named here is neither worth keeping nor not
        keep = IGNORE if not row["keep"] or row["keep"] == "1" and not end else int(row["keep"])
        lasting = int(row["lasting"] or IGNORE)
        example = reader.tagged(text, spans, "slot", (), previous=asked, lasting=lasting, keep=keep)
        felt = [IGNORE] * len(example["ids"])
        for token, start, stop in example["words"] if keep != IGNORE else ():
            felt[token] = int(keep == 1 and start < end and stop > at)
        found["labelled"].append({**example, "felt": felt})
    return found


def talk(reader, data, known, count, seed):
    """Sentences that nobody labelled, half of them with a word of the first person, none in `known`."""
    own = re.compile(r"\b(i|i'm|im|my|me|we|our)\b", re.I)
    said = [[], []]
    for conversation in json.load(open(data / "chitchat/dataset.json")).values():
        before = ""
        for message in (it for turn in conversation["messages"] for it in turn):
            clean = " ".join(message["text"].replace("’", "'").split())
            for sentence in re.split(r"(?<=[.!?])\s+", clean):
                if 2 <= len(sentence.split()) and len(sentence) < 300 and sentence.lower() not in known:
                    said[own.search(sentence) is not None].append((sentence, before))
                before = sentence
    for line in open(data / "goemotions/train.tsv"):
        text = line.split("\t")[0].replace("[NAME]", "Sam")
        if own.search(text) and text.lower() not in known:
            said[1].append((text, ""))
    draw = random.Random(seed)
    taken = [it for part in said for it in draw.sample(part, count // 2)]
    asks = lambda text, before: before if before.endswith("?") and len(words_in(text)) <= 7 else None
    return [reader.of(text, asks(text, before)) for text, before in taken]


def planted_facts(reader, lasting, passing, seed, held=False):
    made = []
    for lines, label in ((lasting, 1), (passing, 0)):
        for text, spans in planted.draw_all(lines, 25, seed, held):
            spans = [(a, z, SLOTS.index(mark)) for a, z, mark in spans]
            # whether a lasting line is an opinion too is left open
            made.append(reader.tagged(text, spans, "slot", (), lasting=label, keep=IGNORE if label else 0))
    if held:
        return made
    for lines, label in ((lines_of_facts.NEWS, 1), (lines_of_facts.PASSING_NEWS, 0)):
        # a value in it may fill a slot or not
        made += [reader.of(text, lasting=label, keep=IGNORE if label else 0) for text, _ in planted.told(lines, 20, seed)]
    for text, _ in planted.draw_all(lines_of_facts.PASSING_OPINIONS, 12, seed):
        made.append(reader.tagged(text, [], "slot", (), lasting=0, keep=0))
    for text, spans in planted.draw_all(lines_of_facts.KEPT, 25, seed):
        example = reader.of(text, keep=1)
        felt = [IGNORE] * len(example["ids"])
        for token, start, stop in example["words"]:
            felt[token] = int(any(start < z and stop > a for a, z, _ in spans))
        made.append({**example, "felt": felt})
    return made


def said_in(data, source, dialogue, place):
    """A sentence of a public set, by its place: the text of these is not in the labels."""
    clean = lambda text: " ".join(text.replace("’", "'").split())
    parts = lambda text: [it for it in re.split(r"(?<=[.!?])\s+", clean(text)) if 3 <= len(it.split()) <= 45]
    turn, _, sentence = place.rpartition(".")
    if source == "qmsum":
        meeting = json.load(open(data / f"qmsum/train/{dialogue}.json"))
        text = re.sub(r"\{[^}]*\}", "", meeting["meeting_transcripts"][int(turn)]["content"])
    elif source == "locomo":
        talks = json.load(open(data / "locomo/locomo_dev.json"))
        talk = next(it["conversation"] for it in talks if it["sample_id"] == dialogue)
        said = (turns for name, turns in talk.items() if re.fullmatch(r"session_\d+", name))
        text = next(it["text"] for turns in said for it in turns if it["dia_id"] == turn)
    return parts(text)[int(sentence)]


def named(folder, part, data):
    """Sentences with labelled names and relations: the text, spans (start, end, kind), spans of relations."""
    with open(folder / f"names_{part}.tsv", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            text = row["sentence"] or said_in(data, row["source"], row["dialogue"], row["place"])
            spans = [it.split(":") for it in row["names"].split()]
            names = [(int(start), int(end), KINDS.index(kind)) for start, end, kind in spans]
            spans = [it.split(":") for it in row["relations"].split()]
            yield row, text, names, [(int(start), int(end)) for start, end, *_ in spans]


def names(reader, data, labels, seed):
    """Training examples of the task `names`: the labelled sentences as they are, and in small letters."""
    found = {"labelled": [], "small": []}
    for _, text, spans, relations in named(labels, "train", data):
        for source, form in (("labelled", text), ("small", text.lower())):
            example = reader.tagged(form, spans, "name", ())
            of = reader.tagged(form, [(start, end, 0) for start, end in relations], "relation", ())
            found[source].append({**example, "relation": of["relation"]})
    return found
