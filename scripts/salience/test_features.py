"""The features of single statements, and what is around a statement in a dialogue."""

import math
import unittest

import features
import golden
from corpora import dialogue


def around(utterance, **given):
    """What is around the only statement of an utterance, with some of it given."""
    plain = {"place": 0, "statements": 1, "answers": False, "heard": frozenset(),
             "names": frozenset({"mia"})}
    return features.Around(utterance, **{**plain, **given})


def flags(text, **given):
    """The names of the features that are set, apart from counts."""
    values = features.of(text, around(text, **given))
    return {name for name, value in values.items()
            if value and name not in ("new", "new_share", "long")}


class OneStatement(unittest.TestCase):
    def test_what_happened_when_and_where(self):
        self.assertEqual(flags("I finally adopted a puppy in Oslo last Friday."),
                         {"time", "i_past", "first", "start_i", "capname", "place", "kin"})

    def test_speakers_names_name_nothing(self):
        self.assertEqual(flags("Thanks, Mia!"), {"praise", "exclaims", "speaker"})

    def test_titles(self):
        self.assertIn("quote", flags('She read "Dune" to them.'))
        self.assertIn("quote", flags("She read 'Dune' to them."))
        self.assertNotIn("quote", flags("The dogs' bowls weren't theirs."))

    def test_captions(self):
        self.assertEqual(flags("[shares a photo of two boats]"), {"number", "caption"})

    def test_answers_count_among_the_first_statements(self):
        self.assertTrue({"answer", "answer_first"} <= flags("Rome.", answers=True))
        self.assertIn("answer", flags("Rome.", answers=True, place=3))
        self.assertNotIn("answer", flags("Rome.", answers=True, place=4))

    def test_new_terms_are_counted_without_names(self):
        values = features.of("Mia sails boats", around("", heard=frozenset({"boat"})))
        self.assertEqual((values["new"], values["new_share"]), (1, 0.5))

    def test_long_replies(self):
        values = features.of("Rest.", around("Rest.", statements=16))
        self.assertAlmostEqual(values["long"], math.log(2))


class InADialogue(unittest.TestCase):
    def test_a_question_of_another_speaker_is_answered(self):
        talk = dialogue("golden", "", [
            ("a", "Mia", "Hello there. Where is Bo?"),
            ("b", "Bo", "In Oslo! Who asks?"),
            ("c", "Bo", "Nobody knows."),
        ], [])
        found = [(piece, turn(place)) for _, pieces, turn in features.walk(talk)
                 for place, (_, piece) in enumerate(pieces)]
        answers = [piece for piece, here in found if here.answers]
        self.assertEqual(answers, ["In Oslo!", "Who asks?"])
        self.assertEqual(found[0][1].heard, frozenset())
        # shorter names than three letters are no names
        self.assertEqual(found[-1][1].names, {"mia"})
        self.assertIn("oslo", found[-1][1].heard)


class Golden(unittest.TestCase):
    def test_every_feature_of_the_model_is_set_somewhere(self):
        head, *rows = golden.rows()
        self.assertGreaterEqual(len(rows), 40)
        for column in range(len(golden.AROUND), len(head)):
            self.assertTrue(any(float(row[column]) for row in rows), head[column])

    def test_the_file_is_what_the_script_writes(self):
        self.assertEqual(golden.OUT.read_text(encoding="utf-8"), golden.text())


if __name__ == "__main__":
    unittest.main()
