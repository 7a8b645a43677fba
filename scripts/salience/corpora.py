"""Dialogues with questions from LoCoMo, FriendsQA, BEAM and QMSum.

The rules are those of `weir-bench convert`. Left out are turns without a letter or digit, evidence
that names no turn, questions without evidence, and questions that have no answer by design
(adversarial, abstention).
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

# Number of QMSum meetings to read, evenly spread over the folder.
MEETINGS = 40

PLACES = {
    "locomo": "locomo/locomo_dev.json",
    "friendsqa": "friendsqa/friendsqa_dev.json",
    "beam": "beam/100K",
    "qmsum": "qmsum/train",
}


@dataclass
class Question:
    """A question, its answer, and the indices of the utterances labelled as evidence."""

    question: str
    answer: str
    evidence: list


@dataclass
class Dialogue:
    """A dialogue: utterances as (speaker, text), the speaker empty where nobody is named."""

    corpus: str
    name: str
    utterances: list
    questions: list


def load(data):
    """The dialogues by corpus. Exits with an error that names all missing corpora."""
    missing = [f"{corpus} ({Path(data) / place})" for corpus, place in PLACES.items()
               if not (Path(data) / place).exists()]
    if missing:
        raise SystemExit(f"corpora missing: {', '.join(missing)}; give --data the folder that "
                         "holds all four")
    readers = {"locomo": _locomo, "friendsqa": _friendsqa, "beam": _beam, "qmsum": _qmsum}
    return {corpus: list(readers[corpus](Path(data) / place)) for corpus, place in PLACES.items()}


def one_line(text):
    """Text with its white space as single blanks."""
    return " ".join(text.split())


def dialogue(corpus, name, turns, asked):
    """A dialogue of turns (id, speaker, text) and questions (question, answer, ids of evidence)."""
    said = [turn for turn in turns if any(char.isalnum() for char in turn[2])]
    at = {turn[0]: place for place, turn in enumerate(said)}
    questions = []
    for question, answer, labels in asked:
        evidence = [at[label] for label in dict.fromkeys(labels) if label in at]
        if evidence:
            questions.append(Question(one_line(question), answer or "", evidence))
    utterances = [(speaker or "", text) for _, speaker, text in said]
    return Dialogue(corpus, name, utterances, questions)


def _read(path):
    return json.loads(path.read_text(encoding="utf-8-sig"))


def _locomo(path):
    for sample in _read(path):
        talk = sample["conversation"]
        turns, session = [], 1
        while f"session_{session}" in talk:
            turns += [_locomo_turn(line) for line in talk[f"session_{session}"]]
            session += 1
        asked = [(qa["question"], _answer(qa.get("answer")), qa.get("evidence", []))
                 for qa in sample["qa"] if qa["category"] != 5]
        yield dialogue("locomo", sample["sample_id"], turns, asked)


def _locomo_turn(line):
    caption = line.get("blip_caption")
    text = line["text"] if caption is None else f"{line['text']} [shares {caption}]"
    return line["dia_id"], line["speaker"], text.strip()


def _answer(value):
    return value if isinstance(value, str) or value is None else json.dumps(value)


def _friendsqa(path):
    """The scenes of an episode, in order, are one dialogue."""
    episodes = {}
    for scene in _read(path)["data"]:
        episodes.setdefault(scene["title"].rsplit("_c", 1)[0], []).append(scene)
    for name, scenes in sorted(episodes.items()):
        turns, asked = [], []
        for scene in sorted(scenes, key=lambda scene: scene["title"]):
            for part, paragraph in enumerate(scene["paragraphs"]):
                prefix = scene["title"] if part == 0 else f"{scene['title']}_{part}"
                lines = paragraph.get("utterances:", paragraph.get("utterances"))
                turns += [(f"{prefix}:{line['uid']}", _friends_speaker(line["speakers"]),
                           line["utterance"]) for line in lines]
                asked += [_friends_question(qa, prefix) for qa in paragraph["qas"]]
        yield dialogue("friendsqa", name, turns, asked)


def _friends_speaker(speakers):
    names = " and ".join(speakers)
    return {"#NOTE#": "", "#ALL#": "everybody"}.get(names, names)


def _friends_question(qa, prefix):
    """The first annotator's answer counts."""
    if not qa["answers"]:
        return qa["question"], "", []
    answer = qa["answers"][0]
    return qa["question"], answer["answer_text"], [f"{prefix}:{answer['utterance_id']}"]


def _beam(folder):
    for chat in sorted(path.parent for path in folder.glob("*/chat.json")):
        turns = [(line["id"], line["role"], one_line(_unnumbered(line["content"])))
                 for batch in _read(chat / "chat.json")
                 for group in batch["turns"] for line in group]
        abilities = _read(chat / "probing_questions" / "probing_questions.json")
        asked = [(probe["question"], _beam_answer(probe), _numbers(probe.get("source_chat_ids")))
                 for ability, probes in sorted(abilities.items()) if ability != "abstention"
                 for probe in probes]
        yield dialogue("beam", chat.name, turns, asked)


def _unnumbered(text):
    """The text without the place in a plan that ends it: `->-> 1,12`."""
    return re.sub(r"->->[ ,.0-9]*\Z", "", text)


def _beam_answer(probe):
    """The answer, or else the preference or instruction that the question is about."""
    fields = ("answer", "ideal_answer", "ideal_summary", "preference_being_tested",
              "instruction_being_tested")
    return next((probe[field] for field in fields if probe.get(field) is not None), "")


def _numbers(value):
    """The numbers of nested lists and dictionaries, ascending."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return sorted({number for item in value for number in _numbers(item)})
    return [value] if isinstance(value, int) and not isinstance(value, bool) else []


def _qmsum(folder):
    files = sorted(folder.glob("*.json"))
    for n in range(min(MEETINGS, len(files))):
        path = files[n * len(files) // min(MEETINGS, len(files))]
        meeting = _read(path)
        # marks such as {vocalsound} are not said
        turns = [(at, line["speaker"], one_line(re.sub(r"\{[A-Za-z]*\}", "", line["content"])))
                 for at, line in enumerate(meeting["meeting_transcripts"])]
        asked = [(query["query"], query["answer"],
                  _spans(query.get("relevant_text_span", []), len(turns)))
                 for query in meeting.get("specific_query_list", [])]
        yield dialogue("qmsum", path.stem, turns, asked)


def _spans(spans, turns):
    """The turns of spans (first, last), ascending; a span that is none is left out."""
    found = set()
    for span in spans:
        numbers = [int(number) for number in span if re.fullmatch(r"\s*\d+\s*", number)]
        if len(numbers) == len(span) == 2 and numbers[0] <= numbers[1] < turns:
            found.update(range(numbers[0], numbers[1] + 1))
    return sorted(found)
