#!/usr/bin/env python3
"""Plants a small invented world in a dialogue and asks about it: streams like STEM-Bench's.

    scripts/stem/plant.py OUT [--talk FILE]... [--seed N] [--streams N] [--turns N]
                              [--per-template N]

Writes OUT/planted-SEED-N.stream.jsonl. Every fact is one turn at a random place; every question
stands inside the stream, at a random place after its last evidence. Answers are computed from the
world. `audit.py` checks them by the words alone and shares no code with this file.

Invariant: the same arguments and the same talk give the same bytes. Nothing here reads a clock.
"""

import argparse
import csv
import dataclasses
import datetime
import itertools
import json
import random
import re
import sys
from pathlib import Path

PEOPLE, TRIPS, MONTHS_READ, SITTINGS = 4, 3, 3, 6
WORD_MS, PAUSE_MS = 350, 400
START = datetime.datetime(2025, 1, 6, 18, 0, 0)  # a Monday, after all trips
YEAR = [datetime.date(year, 1, 1).toordinal() for year in (2024, 2025)]  # of the trips

NAMES = """Nora Felix Ida Marco Tessa Emil Paula Henrik Lotte Ruben Selma Viktor Astrid Bruno Carla
    Dario Greta Jonas Mila Otto""".split()
CAPITALS = dict(pair.split("/") for pair in """Lisbon/Portugal Oslo/Norway Vienna/Austria
    Prague/Czechia Warsaw/Poland Athens/Greece Rome/Italy Madrid/Spain Paris/France Berlin/Germany
    Dublin/Ireland Helsinki/Finland Stockholm/Sweden Copenhagen/Denmark Budapest/Hungary
    Bucharest/Romania Sofia/Bulgaria Zagreb/Croatia Riga/Latvia Vilnius/Lithuania Tallinn/Estonia
    Cairo/Egypt Tokyo/Japan Ottawa/Canada Lima/Peru Nairobi/Kenya Reykjavik/Iceland
    Tunis/Tunisia""".split())
RELATIONS = "boss landlord dentist tutor barber neighbour".split()
# animals and things, each with what everybody knows about it
ANIMALS = {
    "dog": "barks", "cat": "purrs", "parrot": "has feathers", "goldfish": "lives under water",
    "tortoise": "carries a shell", "pony": "eats hay and can be ridden",
}
PETS = """Biscuit Pepper Mango Ziggy Olive Waffle Pixel Hazel Rocket Clover Nugget
    Truffle""".split()
THINGS = {
    "guitar": "to play music on", "kayak": "to paddle on a river with",
    "telescope": "to look at the stars with", "tent": "to sleep in outdoors",
    "printer": "to put letters on paper with", "freezer": "to keep food ice cold in",
    "wheelbarrow": "to move soil in the garden with", "microphone": "to record a voice with",
}
SHARED = "bicycle sofa laptop lamp carpet".split()  # each is bought by two people
MONTHS = """January February March April May June July August September October November
    December""".split()

LEADS = ["", "", "By the way, ", "You know, ", "As everybody knows, ", "Funny story: ",
         "One more thing: ", "So, ", "Well, "]
# {I}, {my.. of} and {s} depend on who tells it: the person or another
SAYINGS = {
    "lives": ["{I} live{s} in {a}.", "{a} is where {I} live{s}."],
    "moved": ["{I} moved to {a} on {b}.", "on {b} {I} moved to {a}."],
    "knows": ["{my}{a}{of} is {b}.", "{b} is {my}{a}{of}."],
    "pet": ["{my}{a}{of} is called {b}.", "{b} is the name of {my}{a}{of}."],
    "bought": ["{I} bought a {a} for {b} euros.", "{I} paid {b} euros for a {a}."],
    "visited": ["{I} visited {a} on {b}.", "on {b} {I} went to visit {a}."],
    "read": ["{I} read {b} books in {a}.", "in {a} {I} read {b} books."],
}
# without a question; they resemble facts, but nobody bought, visited or lives there
BESIDE = [
    "A {thing} for {euros} euros was too much for me, so I left it there.",
    "One day I would like to see {city} with {other}.",
    "A cousin of mine lives in {city} and never writes.",
    "{other} nearly bought a {own} for {euros} euros, but put it back.",
]

CHATTER = """The {a} in the {b} made that {c} noise again.
Did you hear the {c} song about the {a} on the radio?
I could not find the {a} anywhere, not even in the {b}.
Somebody left the {b} open, and the {a} got wet.
My grandmother used to say a {c} {a} brings luck.
Can you hand me the {a}? It is behind the door of the {b}.
This {c} weather makes me want to stay in the {b}.
I dreamt of a {c} {a} that talked to the {b}.
We should clean the {b} before that {c} {a} falls over.""".splitlines()
OBJECTS = "kettle ladder umbrella clock bucket drawer curtain pillow toaster broom candle".split()
PLACES = "kitchen cellar attic garage hallway balcony office shed cupboard yard workshop".split()
KINDS = "strange quiet dreadful lovely long silly gentle rusty famous sleepy crooked".split()


@dataclasses.dataclass
class Fact:
    """What a turn tells of `who`: a kind of SAYINGS with its values, or a text beside."""

    who: str
    kind: str
    a: object
    b: object = None
    turn: int = -1
    teller: str = ""


def date(day):
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def world(rng, used):
    """The people and their facts, in no order yet. No name or city stands among the used words."""
    free = [[w for w in words if w.lower() not in used] for words in (NAMES, CAPITALS, PETS)]
    names, cities, pets = (rng.sample(words, len(words)) for words in free)
    needed = PEOPLE + PEOPLE // 2 + PEOPLE * TRIPS + 2  # two for the turns beside
    if len(names) < PEOPLE or len(cities) < needed or len(pets) < PEOPLE:
        sys.exit(f"the talk uses too many names: {PEOPLE} of {len(NAMES)} people, {needed} of "
                 f"{len(CAPITALS)} capitals and {PEOPLE} pets must be free; take other talk")
    people = names[:PEOPLE]
    city = iter(cities[2:])
    days = map(datetime.date.fromordinal, rng.sample(range(*YEAR), PEOPLE * TRIPS))
    price = iter(rng.sample(range(21, 400), 3 * PEOPLE))
    relations, animals, own, shared = (
        rng.sample(list(words), len(words)) for words in (RELATIONS, ANIMALS, THINGS, SHARED))
    facts = []
    for n, who in enumerate(people):
        facts += [
            Fact(who, "knows", relations[n], people[(n + 1) % PEOPLE]),
            Fact(who, "pet", animals[n], pets[n]),
            Fact(who, "lives", next(city)),
            Fact(who, "bought", own[n], next(price)),
            Fact(who, "bought", shared[n // 2], next(price)),
        ]
        facts += [Fact(who, "visited", next(city), next(days)) for _ in range(TRIPS)]
        if n % 2:  # the day is known only once its turn has a place
            facts.append(Fact(who, "moved", next(city)))
        for text in rng.sample(BESIDE, 2):
            fill = {"thing": rng.choice(SHARED), "euros": rng.randrange(400, 900), "own": own[n],
                    "city": cities[n % 2], "other": people[(n + 1) % PEOPLE]}
            facts.append(Fact(who, "beside", text.format(**fill)))
    for month in rng.sample(MONTHS[1:11], MONTHS_READ):
        # different numbers, so that one always read more
        counts = rng.sample(range(2, 12), PEOPLE)
        facts += [Fact(who, "read", month, n) for who, n in zip(people, counts)]
    return people, facts


def place(rng, people, facts, turns, sitting):
    """Gives each fact a turn and a teller. A home is told weeks before the move."""
    slots = rng.sample(range(turns), len(facts))
    rng.shuffle(facts)
    moved = {fact.who for fact in facts if fact.kind == "moved"}

    def take(fits):
        return slots.pop(next(n for n, slot in enumerate(slots) if fits(slot // sitting)))

    # the two that have a rule choose first
    for fact in sorted(facts, key=lambda f: f.kind not in ("lives", "moved")):
        early = fact.kind == "lives" and fact.who in moved
        fact.turn = take(lambda n: n < 2 if early else n >= 3 or fact.kind != "moved")
        if fact.kind == "moved":
            days = 7 * (fact.turn // sitting) - rng.randrange(1, 7)
            fact.b = START.date() + datetime.timedelta(days)
        # nobody tells that they are somebody's boss by their own name
        others = [name for name in people if name not in (fact.who, fact.b)]
        own = fact.kind == "beside" or rng.random() < 0.7
        fact.teller = fact.who if own else rng.choice(others)
    return sorted(facts, key=lambda f: f.turn)


def sentence(rng, fact):
    """What the teller says: of themself, or of another by name."""
    if fact.kind == "beside":
        return fact.a
    own = fact.teller == fact.who
    b = date(fact.b) if isinstance(fact.b, datetime.date) else fact.b
    text = rng.choice(SAYINGS[fact.kind]).format(
        a=fact.a, b=b, I="I" if own else fact.who, s="" if own else "s",
        my="my " if own else "the ", of="" if own else f" of {fact.who}")
    lead = rng.choice(LEADS)
    return lead + text if lead else text[0].upper() + text[1:]


def questions(people, facts):
    """For each template its questions: (category, question, answer, facts that are evidence)."""
    of = {kind: [f for f in facts if f.kind == kind] for kind in SAYINGS}
    pet, bought, trips, read, knows = map(of.get, "pet bought visited read knows".split())
    # a move replaces the home that was told before
    home = {f.who: f for f in of["lives"] + of["moved"]}
    first = {f.who: f for f in of["lives"]}
    pet_of = {f.who: f for f in pet}
    # these three are asked about facts and about what was never said
    name = "What is the name of {}'s {}?".format
    paid = "How many euros did {} pay for the {}?".format
    when = "When did {} visit {}?".format

    def pairs(same, by):
        both = itertools.combinations(same, 2)
        return [(a, b, a if a.b > b.b else b) for a, b in both if by(a) == by(b)]

    def of_others(told, ask):
        """The same question about everyone of whom nothing of the kind is told."""
        has = {(f.who, f.a) for f in told}
        lacks = [(who, a) for who in people for a in dict.fromkeys(f.a for f in told)]
        return [("adversarial", ask(*x), None, []) for x in lacks if x not in has]

    def in_all(told, ask, answer):
        own = [(who, [f for f in told if f.who == who]) for who in people]
        return [("aggregative", ask(who), answer(f), f) for who, f in own]

    def total(told):
        return str(sum(f.b for f in told))

    return [
        [("single-hop", name(f.who, f.a), f.b, [f]) for f in pet],
        [("single-hop", paid(f.who, f.a), f"{f.b} euros", [f]) for f in bought],
        [("single-hop", f"Which city did {f.who} visit on {date(f.b)}?", f.a, [f]) for f in trips],
        of_others(pet, name),
        of_others(bought, paid),
        of_others(trips, when),
        [("open-domain", f"Who lives in the capital of {CAPITALS[f.a]} now?", f.who, [f])
         for f in home.values()],
        [("open-domain", f"Who has a pet that {ANIMALS[f.a]}?", f.who, [f]) for f in pet],
        [("open-domain", f"Who bought something {THINGS[f.a]}?", f.who, [f])
         for f in bought if f.a in THINGS],
        [("multi-hop", f"In which city does {f.who}'s {f.a} live now?", home[f.b].a,
          [f, home[f.b]]) for f in knows],
        [("multi-hop", f"What is the pet of {f.who}'s {f.a} called?", pet_of[f.b].b,
          [f, pet_of[f.b]]) for f in knows],
        [("multi-hop", f"Which city did the owner of the {pet_of[f.who].a} visit on {date(f.b)}?",
          f.a, [pet_of[f.who], f]) for f in trips],
        [("comparative", f"Who paid more for the {a.a}, {a.who} or {b.who}?", more.who, [a, b])
         for a, b, more in pairs(bought, lambda f: f.a)],
        [("comparative", f"Who read more books in {a.a}, {a.who} or {b.who}?", more.who, [a, b])
         for a, b, more in pairs(read, lambda f: f.a)],
        [("comparative", f"Which cost {a.who} more, the {a.a} or the {b.a}?", more.a, [a, b])
         for a, b, more in pairs(bought, lambda f: f.who)],
        in_all(read, lambda who: f"How many books did {who} read in all?", total),
        in_all(trips, lambda who: f"Which cities did {who} visit?",
               lambda told: ", ".join(f.a for f in told)),
        in_all(bought, lambda who: f"How many euros did {who} spend on things in all?", total),
        [("temporal", when(f.who, f.a), date(f.b), [f]) for f in trips],
        [("temporal", f"Where did {f.who} live before moving to {f.a}?", first[f.who].a,
          [first[f.who], f]) for f in of["moved"]],
        [("temporal", f"Which city did {a.who} visit first, {a.a} or {b.a}?",
          (b if late is a else a).a, [a, b]) for a, b, late in pairs(trips, lambda f: f.who)],
    ]


def asked(rng, ways, turns, per_template):
    """Picks questions and a turn for each, after which it stands; in the order of the stream."""
    picked = []
    for way in ways:
        for probe in rng.sample(way, min(per_template, len(way))):
            # a question that nothing answers may stand anywhere in the second half
            first = max((f.turn for f in probe[3]), default=turns // 2)
            picked.append((rng.randrange(first, turns), probe))
    return sorted(picked, key=lambda at: at[0])


def told(path):
    """Speaker and text of each line of a stream file, or of a table in MELD's form."""
    with Path(path).open(encoding="utf-8", newline="") as lines:
        if Path(path).suffix == ".csv":
            return [(row["Speaker"], row["Utterance"]) for row in csv.DictReader(lines)]
        said = [json.loads(line).get("utterance", {}) for line in lines if line.strip()]
        return [(it.get("speaker"), it.get("text") or "") for it in said]


def spoken(paths):
    """Speakers and texts of the turns that say a word; scene notes have no speaker."""
    turns = []
    for speaker, text in itertools.chain(*map(told, paths)):
        # token by token in some sets: "it 's late ."
        text = re.sub(r" (n't|'\w+|[.,!?;:])", r"\1", text)
        if speaker and re.search(r"[A-Za-z]", re.sub(r"[\[(].*?[\])]", "", text)):
            turns.append((speaker, text))
    if paths and not turns:
        sys.exit("the talk has no turn with a speaker and a word; give a stream of text")
    return turns


def stream(seed, number, turns, talk, per_template):
    """The lines of one stream; each has its own generator, so more streams change none."""
    rng = random.Random(f"{seed}-{number}")
    words = " ".join(f"{speaker} {text}" for speaker, text in talk).lower()
    people, facts = world(rng, set(re.findall(r"\w+", words)))
    sitting = -(-turns // SITTINGS)
    facts = place(rng, people, facts, turns, sitting)
    planted = {fact.turn: (fact.teller, sentence(rng, fact)) for fact in facts}
    probes = asked(rng, questions(people, facts), turns, per_template)
    weeks = [(START + datetime.timedelta(weeks=n)).isoformat() + "Z" for n in range(SITTINGS)]
    lines = [{"weir_stream": 1, "name": f"planted-{seed}-{number}", "started_at": weeks[0]}]
    talked, now, count = rng.randrange(max(1, len(talk))), 0, 0
    for turn in range(turns):
        if turn and turn % sitting == 0:
            lines.append({"break": {"started_at": weeks[turn // sitting]}})
        if turn in planted:
            speaker, text = planted[turn]
        elif talk:
            speaker, text = talk[talked % len(talk)]
            talked += 1
        else:
            speaker = rng.choice(people)
            text = rng.choice(CHATTER).format(
                a=rng.choice(OBJECTS), b=rng.choice(PLACES), c=rng.choice(KINDS))
        end = now + WORD_MS * len(text.split())
        lines.append({"utterance": {"id": f"t{turn}", "speaker": speaker, "start_ms": now,
                                    "end_ms": end, "text": text}})
        now = end + PAUSE_MS
        while count < len(probes) and probes[count][0] == turn:
            category, question, answer, evidence = probes[count][1]
            count += 1
            lines.append({"probe": {
                "id": f"q{count}", "question": question, "answer": answer,
                "evidence": [f"t{fact.turn}" for fact in evidence], "category": category,
                "asked_by": None}})
    return lines


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("out", type=Path, help="folder for planted-SEED-N.stream.jsonl")
    parser.add_argument("--talk", action="append", default=[],
                        help="a stream, or MELD's table (.csv), whose turns are the small talk; "
                             "may be given again")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--streams", type=int, default=1)
    parser.add_argument("--turns", type=int, default=400, help="facts included, at least 120")
    parser.add_argument("--per-template", type=int, default=2, help="questions of a template")
    args = parser.parse_args(argv)
    if not 120 <= args.turns <= 200_000:
        parser.error("--turns: expected 120 to 200000")
    talk = spoken(args.talk)
    args.out.mkdir(parents=True, exist_ok=True)
    for number in range(args.streams):
        lines = stream(args.seed, number, args.turns, talk, args.per_template)
        path = args.out / f"planted-{args.seed}-{number}.stream.jsonl"
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
