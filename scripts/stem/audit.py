#!/usr/bin/env python3
"""Audits planted streams by their words alone: is each probe's gold label the only right one?

    scripts/stem/audit.py STREAM.jsonl...

It shares no code and no world with `plant.py`. It reads each turn with a small grammar, answers
each question from the turns above the probe, and compares answer, evidence and category. Prints one
line a fault, `FILE: PROBE: what is wrong`, and a count a category; exit status 1 on faults.
"""

import collections
import datetime
import functools
import itertools
import json
import re
import sys
from pathlib import Path

# what everybody knows, for questions that do not name the thing
CAPITALS = """Portugal Lisbon, Norway Oslo, Austria Vienna, Czechia Prague, Poland Warsaw,
Greece Athens, Italy Rome, Spain Madrid, France Paris, Germany Berlin, Ireland Dublin,
Finland Helsinki, Sweden Stockholm, Denmark Copenhagen, Hungary Budapest, Romania Bucharest,
Bulgaria Sofia, Croatia Zagreb, Latvia Riga, Lithuania Vilnius, Estonia Tallinn, Egypt Cairo,
Japan Tokyo, Canada Ottawa, Peru Lima, Kenya Nairobi, Iceland Reykjavik, Tunisia Tunis"""
CAPITALS = dict(pair.split() for pair in CAPITALS.split(","))
ANIMALS = {
    "barks": "dog", "purrs": "cat", "has feathers": "parrot", "lives under water": "goldfish",
    "carries a shell": "tortoise", "eats hay and can be ridden": "pony",
}
THINGS = {
    "play music on": "guitar", "paddle on a river with": "kayak",
    "look at the stars with": "telescope", "sleep in outdoors": "tent",
    "put letters on paper with": "printer", "keep food ice cold in": "freezer",
    "move soil in the garden with": "wheelbarrow", "record a voice with": "microphone",
}
CATEGORIES = ("single-hop", "adversarial", "open-domain", "multi-hop", "comparative",
              "aggregative", "temporal")

WHO = "(?P<who>I|[A-Z][a-z]+)"
WHOSE = "(?:[Mm]y (?P<a>[a-z]+)|[Tt]he (?P<of>[a-z]+) of (?P<who>[A-Z][a-z]+))"
CITY, NAME, DAY = "(?P<a>[A-Z][a-z]+)", "(?P<b>[A-Z][a-z]+)", r"(?P<b>\d+ [A-Z][a-z]+ \d{4})"
THING, COUNT = "(?P<a>[a-z]+)", r"(?P<b>\d+)"
GRAMMAR = [(kind, re.compile(rf"(?:[A-Z][a-z ]+[,:] )?{text}\.")) for kind, text in [
    ("lives", f"{WHO} lives? in {CITY}"),
    ("lives", f"{CITY} is where {WHO} lives?"),
    ("moved", f"{WHO} moved to {CITY} on {DAY}"),
    ("moved", f"[Oo]n {DAY} {WHO} moved to {CITY}"),
    ("pet", f"{WHOSE} is called {NAME}"),
    ("pet", f"{NAME} is the name of {WHOSE}"),
    ("knows", f"{WHOSE} is {NAME}"),
    ("knows", f"{NAME} is {WHOSE}"),
    ("bought", f"{WHO} bought an? {THING} for {COUNT} euros"),
    ("bought", f"{WHO} paid {COUNT} euros for an? {THING}"),
    ("visited", f"{WHO} visited {CITY} on {DAY}"),
    ("visited", f"[Oo]n {DAY} {WHO} went to visit {CITY}"),
    ("read", f"{WHO} read {COUNT} books in {CITY}"),
    ("read", f"[Ii]n {CITY} {WHO} read {COUNT} books"),
]]

Fact = collections.namedtuple("Fact", "kind who a b turn")


@functools.cache
def day(text):
    return datetime.datetime.strptime(text, "%d %B %Y").date()


@functools.cache
def parsed(text):
    """The kind of fact that a text tells and its parts, or None."""
    found = ((kind, form.fullmatch(text)) for kind, form in GRAMMAR)
    return next(((kind, match.groupdict()) for kind, match in found if match), None)


def fact_of(turn):
    """What a turn tells, or None. "I" and "my" are its speaker."""
    if not (found := parsed(turn["text"])):
        return None
    kind, part = found
    who = turn["speaker"] if part["who"] in (None, "I") else part["who"]
    b = int(part.get("b")) if kind in ("bought", "read") else part.get("b")
    return Fact(kind, who, part["a"] or part["of"], b, turn["id"])


class Told:
    """Facts that were told, and what follows from them: pairs of an answer and its facts."""

    def __init__(self, facts):
        self.facts = facts

    def get(self, kind, **want):
        return [f for f in self.facts if f.kind == kind
                and all(getattr(f, key) == value for key, value in want.items())]

    def one(self, kind, answer="{0.b}", **want):
        return [(answer.format(f), [f]) for f in self.get(kind, **want)]

    def home(self, who):
        """A move is newer than what was told to be home."""
        return (self.one("moved", "{0.a}", who=who) or self.one("lives", "{0.a}", who=who))[-1:]

    def capital(self, country):
        homes = [(who, *home) for who in {f.who for f in self.facts} for home in self.home(who)]
        return [(who, proof) for who, city, proof in homes if city == CAPITALS.get(country)]

    def hop(self, then, of, kind, **want):
        """From a fact to what follows for the person in its field `of`."""
        return [(answer, [f, *proof]) for f in self.get(kind, **want)
                for answer, proof in then(getattr(f, of))]

    def most(self, of, kind, *two):
        """The greater or the earlier of two; two equal ones are two answers, so none is right."""
        def size(f):
            return f.b if isinstance(f.b, int) else -day(f.b).toordinal()
        both = itertools.product(*(self.get(kind, who=who, a=a) for who, a in two))
        return [(getattr(f, of), list(pair)) for pair in both
                for f in pair if size(f) == max(map(size, pair))]

    def all(self, kind, who, answer=lambda told: str(sum(f.b for f in told))):
        told = self.get(kind, who=who)
        return [(answer(told), told)] if told else []


W, DATE = r"(\w+)", r"(\d+ \w+ \d+)"
QUESTIONS = [(re.compile(text + r"\?"), category, find) for category, text, find in [
    ("single-hop", f"What is the name of {W}'s {W}", lambda t, w, a: t.one("pet", who=w, a=a)),
    ("single-hop", f"How many euros did {W} pay for the {W}",
     lambda t, w, a: t.one("bought", "{0.b} euros", who=w, a=a)),
    ("single-hop", f"Which city did {W} visit on {DATE}",
     lambda t, w, date: t.one("visited", "{0.a}", who=w, b=date)),
    ("open-domain", f"Who lives in the capital of {W} now", Told.capital),
    ("open-domain", "Who has a pet that (.+)",
     lambda t, does: t.one("pet", "{0.who}", a=ANIMALS.get(does))),
    ("open-domain", "Who bought something to (.+)",
     lambda t, use: t.one("bought", "{0.who}", a=THINGS.get(use))),
    ("multi-hop", f"In which city does {W}'s {W} live now",
     lambda t, w, a: t.hop(t.home, "b", "knows", who=w, a=a)),
    ("multi-hop", f"What is the pet of {W}'s {W} called",
     lambda t, w, a: t.hop(lambda whom: t.one("pet", who=whom), "b", "knows", who=w, a=a)),
    ("multi-hop", f"Which city did the owner of the {W} visit on {DATE}", lambda t, a, date:
     t.hop(lambda whom: t.one("visited", "{0.a}", who=whom, b=date), "who", "pet", a=a)),
    ("comparative", f"Who paid more for the {W}, {W} or {W}",
     lambda t, a, w, x: t.most("who", "bought", (w, a), (x, a))),
    ("comparative", f"Who read more books in {W}, {W} or {W}",
     lambda t, a, w, x: t.most("who", "read", (w, a), (x, a))),
    ("comparative", f"Which cost {W} more, the {W} or the {W}",
     lambda t, w, a, b: t.most("a", "bought", (w, a), (w, b))),
    ("aggregative", f"How many books did {W} read in all", lambda t, w: t.all("read", w)),
    ("aggregative", f"How many euros did {W} spend on things in all",
     lambda t, w: t.all("bought", w)),
    ("aggregative", f"Which cities did {W} visit",
     lambda t, w: t.all("visited", w, lambda told: ", ".join(f.a for f in told))),
    ("temporal", f"When did {W} visit {W}", lambda t, w, a: t.one("visited", who=w, a=a)),
    ("temporal", f"Where did {W} live before moving to {W}", lambda t, w, a: [
        (home.a, [home, f]) for f in t.get("moved", who=w, a=a) for home in t.get("lives", who=w)]),
    ("temporal", f"Which city did {W} visit first, {W} or {W}",
     lambda t, w, a, b: t.most("a", "visited", (w, a), (w, b))),
]]


def faults_of(probe, above, whole, share):
    """What is wrong with a probe, given what stands above it and in the whole file."""
    known = [(category, find, match.groups()) for form, category, find in QUESTIONS
             if (match := form.fullmatch(probe["question"]))]
    if len(known) != 1:
        yield f"the question fits {len(known)} patterns"
        return
    category, find, asked = known[0]
    answers, later = find(Told(above), *asked), find(Told(whole), *asked)
    if probe["category"] == "adversarial":
        if later:
            yield f"{' and '.join(f.turn for f in later[0][1])} answer it: {later[0][0]}"
        if probe["answer"] is not None or probe["evidence"]:
            yield "it is adversarial, yet has an answer or evidence"
        if share < 0.5:
            yield "it is adversarial and stands in the first half"
        return
    if probe["category"] != category:
        yield f"the category is {probe['category']}, the question's is {category}"
    if len(answers) != 1:
        yield f"{len(answers)} answers follow from the turns above it"
        return
    answer, proof = answers[0]
    if probe["answer"] != answer:
        yield f"the answer is {probe['answer']}, the turns tell {answer}"
    if sorted(probe["evidence"]) != sorted(f.turn for f in proof):
        yield f"the evidence is {probe['evidence']}, told in {[f.turn for f in proof]}"
    if [a for a, _ in later] != [answer]:
        yield f"a turn below it changes the answer: {[a for a, _ in later]}"


def out_of_time(fact, today, home):
    """What is wrong with the day of a fact, told today; `home` keeps when homes were told."""
    if fact.kind == "lives":
        home[fact.who] = today
    if today and fact.kind in ("moved", "visited"):
        if day(fact.b) >= today:
            yield "it tells of a day that is still to come"
        elif fact.kind == "moved" and day(fact.b) <= home.get(fact.who, datetime.date.max):
            yield "it tells of a move before the old home was told"


def faults(lines):
    """Faults of a stream and the categories of its probes."""
    told = [fact_of(line["utterance"]) for line in lines if "utterance" in line]
    whole = list(filter(None, told))
    found, categories, heard, ids, asked = [], [], 0, set(), set()
    above, home, today = [], {}, None
    for line in lines:
        part = line.get("utterance") or line.get("probe") or {}
        started = line.get("started_at") or line.get("break", {}).get("started_at")
        today = datetime.date.fromisoformat(started[:10]) if started else today
        wrong = ["the id stands twice"] if part.get("id") in ids - {None} else []
        ids.add(part.get("id"))
        if "utterance" in line:
            heard += 1
            if fact := told[heard - 1]:
                above.append(fact)
                wrong += out_of_time(fact, today, home)
        elif "probe" in line:
            categories.append(part["category"])
            wrong += ["the question stands twice"] if part["question"] in asked else []
            asked.add(part["question"])
            wrong += faults_of(part, above, whole, heard / len(told))
        found += [f"{part['id']}: {what}" for what in wrong]
    return found, categories


def main(paths):
    counts, bad = collections.Counter(), 0
    for path in paths:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
        found, categories = faults([json.loads(line) for line in lines])
        counts.update(categories)
        bad += len(found)
        for fault in found:
            print(f"{path}: {fault}")
    for category in CATEGORIES:
        print(f"{category}: {counts[category]}")
    print(f"{counts.total()} probes in {len(paths)} streams, {bad} faults")
    return 1 if bad or not counts else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
