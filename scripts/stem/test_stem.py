#!/usr/bin/env python3
"""What the generator writes passes the audit, and the audit finds each kind of wrong probe.

Every fault is put into each probe that it fits, and the audit must name that probe and say why.
"""

import array
import json
import random
import re
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import audit
import heard
import plant
import score
import sound

TALK = [("Zoe", "Did you see the match?"), ("Yan Li", "In Oslo I live for the snow."),
        (None, "A door opens."), ("Zoe", "[ A cat . ]"), ("Zoe", "I do n't know , ask Greta .")]


def talk_file(folder):
    lines = [{"utterance": {"speaker": speaker, "text": text}} for speaker, text in TALK]
    path = Path(folder, "talk.stream.jsonl")
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return str(path)


def of(kind, lines):
    return [line[kind] for line in lines if kind in line]


def at(lines, ident):
    kind = "probe" if ident.startswith("q") else "utterance"
    return next(n for n, line in enumerate(lines) if line.get(kind, {}).get("id") == ident)


class Generated(unittest.TestCase):
    def test_streams_pass_the_audit_and_have_every_category(self):
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "meld.csv"
            table.write_text('Sr,Utterance,Speaker\n1,"Well, no.",Joey\n', encoding="utf-8")
            self.assertEqual(plant.spoken([table]), [("Joey", "Well, no.")])
            talk = plant.spoken([talk_file(folder)])
        self.assertEqual(talk, [*TALK[:2], ("Zoe", "I don't know, ask Greta.")])
        for seed, said in ((seed, said) for seed in (1, 2, 3) for said in ([], talk)):
            lines = plant.stream(seed, 0, 300, said, 2)
            found, categories = audit.faults(lines)
            self.assertEqual(found, [])
            self.assertEqual(sorted(categories), sorted(audit.CATEGORIES * 6))
            self.assertEqual(len(of("utterance", lines)), 300)
            self.assertEqual(len(of("break", lines)), plant.SITTINGS - 1)

    def test_no_word_of_the_talk_is_a_name(self):
        cities = list(plant.CAPITALS)
        used = {word.lower() for word in plant.NAMES[4:] + cities[8:9] + cities[:7]}
        people, facts = plant.world(random.Random(1), used)
        self.assertEqual(set(people), set(plant.NAMES[:4]))
        self.assertFalse(used & set(re.findall(r"\w+", str(facts).lower())))
        for word in (plant.NAMES[0], cities[9]):
            with self.assertRaises(SystemExit):
                plant.world(random.Random(1), used | {word.lower()})

    def test_questions_stand_at_many_distances_from_their_evidence(self):
        lines = plant.stream(1, 0, 400, [], 4)
        far = [at(lines, p["id"]) - max(at(lines, turn) for turn in p["evidence"])
               for p in of("probe", lines) if p["evidence"]]
        self.assertTrue(0 < min(far) < 20 and max(far) > 150 and len(set(far)) > 30, far)

    def test_the_same_seed_gives_the_same_bytes_and_another_does_not(self):
        with tempfile.TemporaryDirectory() as folder:
            for out, seed, streams in (("a", "5", "2"), ("b", "5", "3"), ("c", "6", "2")):
                plant.main([f"{folder}/{out}", "--talk", talk_file(folder), "--seed", seed,
                            "--streams", streams, "--turns", "200"])
            a, b, c, first = (
                Path(folder, f"{name}.stream.jsonl").read_bytes() for name in
                ("a/planted-5-1", "b/planted-5-1", "c/planted-6-1", "a/planted-5-0"))
        self.assertEqual(a, b)
        self.assertEqual(len({a, c, first}), 3)


class Wrong(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lines = plant.stream(7, 0, 150, [], 2)
        cls.real = [p for p in of("probe", cls.lines) if p["evidence"]]
        cls.never = [p for p in of("probe", cls.lines) if not p["evidence"]]
        cls.facts = list(filter(None, map(audit.fact_of, of("utterance", cls.lines))))

    def expect(self, ident, why, lines):
        found = [fault for fault in audit.faults(lines)[0] if fault.startswith(f"{ident}: ")]
        self.assertTrue(any(why in fault for fault in found), f"{ident}: {why!r} in {found}")

    def each(self, probes, why, **change):
        """Changes fields of each probe in turn, to a value or to what a function of it gives."""
        self.assertGreater(len(probes), 0)
        for probe in probes:
            changed = {key: value(probe) if callable(value) else value
                       for key, value in change.items()}
            lines = list(self.lines)
            lines[at(lines, probe["id"])] = {"probe": {**probe, **changed}}
            self.assertNotEqual(lines, self.lines)
            self.expect(probe["id"], why, lines)

    def with_turn(self, place, speaker, text):
        turn = {"utterance": {"id": "new", "speaker": speaker, "text": text}}
        return self.lines[:place] + [turn] + self.lines[place:]

    def other(self, probe, fits=lambda own, f: True):
        """A turn that is no evidence of the probe and fits its last evidence."""
        own = next(f for f in self.facts if f.turn == probe["evidence"][-1])
        return next(f.turn for f in self.facts if f.turn not in probe["evidence"] and fits(own, f))

    def test_answers(self):
        answers = [p["answer"] for p in self.real]
        self.each(self.real, "the answer is",
                  answer=lambda p: next(a for a in answers if a != p["answer"]))
        self.each(self.real, "the answer is", answer=None)

    def test_evidence_missing_extra_twice_or_of_another_person(self):
        def of_another(probe):
            same = self.other(probe, lambda own, f: f.kind == own.kind and f.who != own.who)
            return probe["evidence"][:-1] + [same]
        for wrong in (lambda p: p["evidence"][1:], lambda p: p["evidence"][:-1], of_another,
                      lambda p: p["evidence"] + [self.other(p)],
                      lambda p: p["evidence"] + p["evidence"][:1]):
            self.each(self.real, "the evidence is", evidence=wrong)

    def test_a_probe_before_its_evidence(self):
        for probe, turn in ((p, turn) for p in self.real for turn in p["evidence"]):
            lines = list(self.lines)
            line = lines.pop(at(lines, probe["id"]))
            lines.insert(at(lines, turn), line)
            found = [f for f in audit.faults(lines)[0] if f.startswith(f"{probe['id']}: ")]
            self.assertTrue(found, f"{probe} before {turn}")

    def test_categories(self):
        for category in audit.CATEGORIES:
            others = [p for p in self.real if p["category"] != category]
            why = "answer it" if category == "adversarial" else "the category is"
            self.each(others, why, category=category)
        self.each(self.real, "answer it", category="adversarial", answer=None, evidence=[])

    def test_an_adversarial_probe_that_is_answered_above_or_below(self):
        self.assertEqual(len(self.never), 6)
        for probe in self.never:
            who, what = re.search(r" ([A-Z]\w+)'?.* (\w+)\?", probe["question"]).groups()
            text = (f"The {what} of {who} is called Momo." if "name" in probe["question"] else
                    f"{who} visited {what} on 3 May 2024." if "When" in probe["question"] else
                    f"{who} bought a {what} for 7 euros.")
            for place in (1, len(self.lines)):
                self.expect(probe["id"], "new answer it", self.with_turn(place, "Zoe", text))
        self.each(self.never, "answers follow", category="single-hop")
        self.each(self.never, "yet has", answer="Momo")
        first = list(self.lines)
        first.insert(1, first.pop(at(first, self.never[0]["id"])))
        self.expect(self.never[0]["id"], "first half", first)

    def test_second_answers_changes_below_and_things_that_stand_twice(self):
        pet = next(p for p in self.real if p["question"].startswith("What is the name"))
        said = self.lines[at(self.lines, pet["evidence"][0])]["utterance"]
        self.expect(pet["id"], "2 answers", self.with_turn(1, said["speaker"], said["text"]))
        books = next(p for p in self.real if p["question"].startswith("How many books"))
        said = f"{books['question'].split()[4]} read 3 books in May."
        self.expect(books["id"], "below it changes", self.with_turn(len(self.lines), "Zoe", said))
        self.each(self.real, "fits 0 patterns", question="What is this?")
        self.expect("q99", "question stands twice", self.lines + [{"probe": {**pet, "id": "q99"}}])
        self.expect(pet["id"], "id stands twice", self.lines + [{"probe": pet}])

    def test_days_to_come_and_moves_before_the_home(self):
        move = next(f for f in self.facts if f.kind == "moved")
        for text, why in (("2 May 2025", "still to come"), ("2 May 2024", "before the old home")):
            said = f"{move.who} moved to Bern on {text}."
            self.expect("new", why, self.with_turn(at(self.lines, move.turn), "Zoe", said))


class Sound(unittest.TestCase):
    def test_words_and_voices(self):
        self.assertEqual(sound.words("- [shares a cat] Hi (to Ann) you."), "Hi you.")
        self.assertEqual(sound.words("[ Scene ] ..."), "")
        self.assertEqual(len({json.dumps(sound.voice(n)) for n in range(40)}), 40)

    @mock.patch.object(sound, "TABLE_S", 2)
    def test_noise_has_its_loudness_and_is_read_round(self):
        for kind in ("room", "street"):
            noise = sound.Noise(kind, 3, 120)
            heard = noise.samples(len(noise.table) + 5)
            self.assertAlmostEqual(sound.loudness(heard), 120, delta=3)
            self.assertEqual(heard[:5], heard[-5:])

    @mock.patch.object(sound, "TABLE_S", 1)
    @mock.patch.object(sound.speak.Sitting, "write", lambda *_: None)
    @mock.patch.object(sound.speak, "synthesise")
    def test_a_spoken_stream_passes_the_audit_also_when_it_ends_early(self, synthesise):
        synthesise.return_value = array.array("h", [9000, -9000] * 400)  # 50 ms
        lines = plant.stream(4, 0, 300, [], 2)
        whole, whole_ms = sound.sound(lines, "s", None, "room", None, 1)
        early, early_ms = sound.sound(lines, "s", None, "none", 2.4, 1)
        for out, end_ms in ((whole, whole_ms), (early, early_ms)):
            said = of("utterance", out)
            self.assertEqual(audit.faults(out)[0], [])
            self.assertEqual(said[-1]["end_ms"], end_ms)
            self.assertEqual({u["end_ms"] - u["start_ms"] for u in said}, {420})
            self.assertEqual(len({u["audio"] for u in said}), len(of("break", out)) + 1)
        self.assertEqual(*([next(iter(line)) for line in out] for out in (lines, whole)))
        self.assertTrue(144_000 <= early_ms < 145_000 < whole_ms)
        self.assertTrue(10 < len(of("probe", early)) < 42)

    def test_words_that_were_heard_take_the_place_of_those_that_were_said(self):
        lines = [{"weir_stream": 1, "name": "s"}, {"break": {"started_at": None}}]
        said = {"id": "t1", "start_ms": 0, "end_ms": 9, "text": "I read.", "audio": "a.flac"}
        lines += [{"utterance": {**said, "audio_start_ms": 5}}, {"utterance": {**said, "id": "t2"}}]
        events = [{"event": "utterance", "id": "t1", "text": "A reed."}, {"event": "question"}]
        out = list(heard.heard(lines, events))
        self.assertEqual([it.get("text") for it in of("utterance", out)], ["A reed.", "..."])
        self.assertEqual(out[0]["name"], "s-heard")
        self.assertFalse(any("audio" in key for it in of("utterance", out) for key in it))
        with self.assertRaises(SystemExit):
            list(heard.heard(lines, events[1:]))


class Scored(unittest.TestCase):
    def test_answers_are_right_first_and_sure(self):
        def judged(answer, gold, kind="answer", proof=("t1",), chance=0.8):
            line = {"kind": kind, "answer": answer, "chance": chance, "gold": {"answer": gold}}
            line["scores"] = {"first_quote_is_evidence": "t1" in proof} if proof else {}
            return tuple(score.judged(line).values())

        self.assertEqual(judged("Ida: It cost 40 euros.", "40 euros"), (True, True, True))
        self.assertEqual(judged("Ida: It cost 140 euros.", "40 euros", chance=0.7),
                         (False, True, False))
        self.assertEqual(judged("word " * 40 + "Oslo", "Oslo", proof=("t2",)), (False, False, True))
        self.assertEqual(judged("Nothing.", None, "not_known", ()), (True, None, False))
        self.assertEqual(judged("Oslo.", None, "answer", ()), (False, None, True))
        self.assertEqual([score.mean([True, None, False]), score.mean([None])], ["0.50", "–"])

    def test_numbers_are_the_same_in_words_and_in_figures(self):
        for text, same in [("three hundred forty-one euros", "341 euros"),
                           ("31st of July", "31 July"),
                           ("ninety and five", "90 and 5"), ("two hundred five", "205"),
                           ("one of nineteen", "1 19"), ("seventy two, ten", "72 10"),
                           ("two hundred and five", "205"), ("a hundred euros", "100 euros"),
                           ("thirty-first of July, twenty twenty-four", "31 July 2024"),
                           ("1,205 and 20", "1205 20"), ("the third, the 3rd", "3 3")]:
            self.assertEqual(score.words(text), score.words(same), text)

    def test_groups_are_kinds_and_distances(self):
        def line(distance):
            gold = {"answer": "x", "evidence": ["t1"]}
            return {"probe": "q", "kind": "answer", "answer": "x", "category": "multi-hop",
                    "gold": gold, "distance": distance}

        groups = [next(score.rows([line(at), {"summary": {}}]))[0] for at in (71, 20)]
        self.assertEqual([it[2] for it in groups], ["distance to 100", "distance to 25"])
        for unusable in ([], [line(1)], [{"probe": "q"}, {"summary": {}}]):
            with self.assertRaises(SystemExit):
                list(score.rows(unusable))


if __name__ == "__main__":
    unittest.main()
