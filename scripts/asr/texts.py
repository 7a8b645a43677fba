"""Builds the text lists: what is trained on, and what is held out to be measured on.

Own sentences come from `grammar`; text of others (GoEmotions, QMSum) is read by path when it is
given, used and never stored in the repository. Every sentence of the demo dialogue is excluded from
the training text, which is asserted here and again where training loads its clips. Held-out frames
and held-out real sentences never enter training.
"""

import argparse
import collections
import json
import pathlib
import random
import re
import tomllib

import grammar

WORDS_MAX = 18
SENTENCE_END = re.compile(r"(?<=[.?!])\s+")
SWEARING = set(
    """
    fuck fucking fucked fucker shit shitty bullshit bitch ass asshole damn hell crap cunt pussy sex
    sexual rape porn nazi kill killed killing suicide racist slut whore retarded dick penis bastard
    wtf lmao lol omg idiot idiots moron murder drugs meth cocaine naked abortion trump hitler jesus
    christ piss pissed tits die dead stupid
    """.split()
)


def normalised(text):
    """The words of a text as the error rate compares them: lower case, letters and apostrophes."""
    return re.sub(r"[^a-z' ]", "", text.lower().replace("-", " ")).split()


def sentence_keys(text):
    """One key per sentence of a text, and one for the whole."""
    parts = SENTENCE_END.split(text) + [text]
    return {" ".join(normalised(part)) for part in parts} - {""}


def dialogue_keys(path):
    """Keys of all that a spoken dialogue says and asks (`.toml` or `.stream.jsonl`)."""
    text = pathlib.Path(path).read_text(encoding="utf-8")
    if str(path).endswith(".toml"):
        records = tomllib.loads(text)
    else:
        records = [json.loads(line) for line in text.splitlines() if line.strip()]
    keys = set()
    for spoken in strings_in(records):
        keys |= sentence_keys(spoken)
    return {key for key in keys if " " in key}


def strings_in(value):
    """Every string inside a nest of lists and tables."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings_in(item)


def tidied(text):
    """A line of transcript or chat without marks, tags and stray blanks."""
    text = re.sub(r"\{[^}]*\}|\[[^\]]*\]", " ", text)
    text = text.replace("\u2019", "'").replace("\u201c", "").replace("\u201d", "").replace('"', "")
    text = re.sub(r"\s+([.,?!;:])", r"\1", text)
    text = re.sub(r"\s+('(?:s|m|re|ve|ll|d|t)\b|n't)", r"\1", text)
    return re.sub(r"\s+", " ", text).strip()


def speakable(text):
    """Whether a sentence is plain words of a length worth training on."""
    plain = re.fullmatch(r"[A-Za-z][A-Za-z' ,]*[.?!]", text)
    odd = re.search(r"\b[b-zB-HJ-Z]\b|[A-Z]{2,}|,\s*,|''|\b(\w+)\s\1\b", text)
    return (
        bool(plain)
        and not odd
        and 2 <= len(text.split()) <= WORDS_MAX
        and not SWEARING & set(normalised(text))
    )


def read_goemotions(folder):
    """Sentences of the GoEmotions `.tsv` files in a folder."""
    for path in sorted(pathlib.Path(folder).glob("*.tsv")):
        for line in path.read_text(encoding="utf-8").splitlines():
            text = line.split("\t")[0]
            if "[" not in text:
                yield from (
                    part if part[-1] in ".?!" else part + "."
                    for part in SENTENCE_END.split(tidied(text))
                    if part
                )


def read_qmsum(folder):
    """Sentences of the meeting transcripts in a folder of QMSum `.json` files."""
    for path in sorted(pathlib.Path(folder).rglob("*.json")):
        for record in json.loads(path.read_text(encoding="utf-8"))["meeting_transcripts"]:
            yield from SENTENCE_END.split(tidied(record["content"]))


def read_plain(path):
    """Sentences of a plain text file."""
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        yield from SENTENCE_END.split(tidied(line))


READERS = {"goemotions": read_goemotions, "qmsum": read_qmsum, "plain": read_plain}


def extra_text(sources):
    """Speakable sentences of `kind=path` sources, by kind."""
    found = {}
    for source in sources:
        kind, _, path = source.partition("=")
        if kind not in READERS or not pathlib.Path(path).exists():
            raise SystemExit(
                f"--extra-text {source}: expected KIND=PATH, KIND one of {sorted(READERS)}, "
                "PATH an existing file or folder"
            )
        found[kind] = [grammar.capitalised(text) for text in READERS[kind](path) if speakable(text)]
    return found


def common_only(by_kind, known, count_min):
    """Sentences whose every word is in the grammar or frequent in the extra text."""
    seen = collections.Counter(
        word for texts in by_kind.values() for text in texts for word in set(normalised(text))
    )
    usual = known | {word for word, count in seen.items() if count >= count_min}
    return {
        kind: [text for text in texts if usual.issuperset(normalised(text))]
        for kind, texts in by_kind.items()
    }


class Picker:
    """Takes sentences once each, and none that is excluded."""

    def __init__(self, excluded):
        self.taken = set(excluded)

    def take(self, texts, count, words_min=2):
        """The first `count` fresh sentences of `texts`."""
        picked = []
        for text in texts:
            if len(picked) == count:
                break
            keys = sentence_keys(text)
            if len(text.split()) >= words_min and not keys & self.taken:
                self.taken |= keys
                picked.append(text)
        return picked


def grammar_held_out(rng, picker, count):
    """Fresh fillings of trained frames, and frames that are never trained."""
    seen = (grammar.turn(rng)[1] for _ in range(count * 20))
    apart = (grammar.sentence(grammar.HELD_APART, rng) for _ in range(count * 20))
    return {
        "frames-seen": picker.take(seen, count, 4),
        "frames-apart": picker.take(apart, count, 4),
    }


def training_turns(rng, picker, count):
    """`count` distinct turns of the grammar; a sentence may recur inside different turns."""
    blocked, turns = set(picker.taken), {}
    while len(turns) < count:
        kind, text = grammar.turn(rng)
        if not sentence_keys(text) & blocked:
            turns[text] = kind
    return [(kind, text) for text, kind in turns.items()]


def build(args):
    """Writes `held.tsv` and `train.tsv` (kind, text) under the output folder."""
    rng = random.Random(args.seed)
    excluded = set().union(*[dialogue_keys(path) for path in args.exclude_dialogue], set())
    outside = [
        line.split("\t")
        for path in args.exclude_list
        for line in pathlib.Path(path).read_text().splitlines()
    ]
    excluded |= {key for _, text in outside for key in sentence_keys(text)}
    picker = Picker(excluded)
    real = common_only(extra_text(args.extra_text), grammar.words_known(), args.count_min)
    held = grammar_held_out(rng, picker, args.held_each)
    for kind, texts in real.items():
        rng.shuffle(texts)
        held[kind] = picker.take(texts, args.held_each, 4)
    train = training_turns(rng, picker, args.grammar_count)
    for kind, texts in real.items():
        train += [(kind, text) for text in picker.take(texts, args.extra_count)]
    rng.shuffle(train)
    held_keys = {key for texts in held.values() for text in texts for key in sentence_keys(text)}
    assert_apart(train, excluded | held_keys)
    write(args.out / "held.tsv", [(kind, text) for kind, texts in held.items() for text in texts])
    write(args.out / "train.tsv", train)
    (args.out / "excluded.txt").write_text("\n".join(sorted(excluded | held_keys)) + "\n")


def assert_apart(train, keys):
    """Stops when a training sentence is one of the excluded ones."""
    for _, text in train:
        overlap = sentence_keys(text) & keys
        if overlap:
            raise SystemExit(f"training text holds an excluded sentence: {sorted(overlap)[0]!r}")


def write(path, rows):
    """Writes tab-separated rows and says how many."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{kind}\t{text}\n" for kind, text in rows), encoding="utf-8")
    print(f"{path}: {len(rows)} sentences")


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--out",
        type=pathlib.Path,
        required=True,
        help="folder for train.tsv, held.tsv, excluded.txt",
    )
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--grammar-count", type=int, default=12000, help="turns of our own grammar")
    parser.add_argument("--extra-text", nargs="*", default=[], metavar="KIND=PATH")
    parser.add_argument(
        "--extra-count", type=int, default=8000, help="sentences of each extra source"
    )
    parser.add_argument(
        "--count-min", type=int, default=10, help="extra text keeps words seen this often"
    )
    parser.add_argument("--held-each", type=int, default=60, help="held-out sentences of each kind")
    parser.add_argument(
        "--exclude-dialogue",
        nargs="*",
        default=[],
        help="spoken dialogues kept out of the training text",
    )
    parser.add_argument(
        "--exclude-list", nargs="*", default=[], help="further lists (kind, text) kept out"
    )
    return parser.parse_args()


if __name__ == "__main__":
    build(arguments())
