"""What may be told of a topic of topics.txt: a question, a statement, one that changes it, two beside it."""

import pathlib
import re

HERE = pathlib.Path(__file__).parent
NAMES = "Sara Ben Lena Otto Priya Tom Nadia Ivo Ruth Karim Elsa Viktor June Pablo Mona Felix Tess Hugo".split()


def topics():
    """The topics of topics.txt: what a `{}` of their lines may be, and the lines by their letter."""
    shared, all_topics = {}, []
    for line in (HERE / "topics.txt").read_text().splitlines():
        if line.startswith("# "):
            all_topics.append({"name": line[2:], "words": {}})
        elif line[:1] == "{":
            name, words = line[1:].split("} ", 1)
            of = all_topics[-1]["words"] if all_topics else shared
            of[name] = words.split(" ; ")
        elif line:
            all_topics[-1][line[0]] = [it.strip() for it in line[2:].split(" ; " if line[0] == "V" else " | ")]
    for topic in all_topics:
        topic["words"] = shared | topic["words"] | {"p": NAMES}
    return all_topics


def told(topic, rng):
    """One thing told of a topic: a question, a statement, the one that changes it, two beside it."""
    words = {name: rng.choice(of) for name, of in topic["words"].items()}
    words["o"], words["v"] = rng.sample(topic["V"], 2)
    before = words | {"v": words["o"]}
    filled = lambda line, by: re.sub(r"\{(\w+)\}", lambda it: by[it[1]], line)
    written = lambda line, by: (lambda it: it[0].upper() + it[1:])(filled(line, by))
    return {
        "topic": topic["name"], "person": words["p"],
        "asks": written(rng.choice(topic["Q"]), words),
        "says": written(rng.choice(topic["E"]), before),
        "changes": written(rng.choice(topic["C"]), words),
        "beside": [written(it, rng.choice([words, before])) for it in rng.sample(topic["N"], 2)],
    }
