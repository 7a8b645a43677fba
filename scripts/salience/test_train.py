"""Tests of the training, on statements made up here."""

import unittest

try:
    import numpy as np

    import train
except ImportError:
    np = None


def statement(utterance, words, rows):
    return {"utterance": utterance, "words": words.split(), "rows": rows}


@unittest.skipIf(np is None, "numpy is not there")
class Training(unittest.TestCase):
    def test_value_goes_to_the_statement_that_shares_most_words(self):
        said = [statement("u1", "we moved", [[0.0]]), statement("u1", "porto in may", [[1.0]]),
                statement("u2", "nice weather", [[0.0]])]
        asked = [{"words": ["porto", "may"], "evidence": ["u1"]}]
        self.assertEqual(list(train.value_of(said, asked)), [0, 1, 0])
        both = [{"words": ["porto"], "evidence": ["u1", "u2"]}]
        self.assertEqual(list(train.value_of(said, both)), [0, 0.5, 0.5])
        span = [{"words": ["porto", "may"], "evidence": ["u1", "u2", *"abcdefghi"]}]
        self.assertEqual([v > 0 for v in train.value_of(said, span)], [False, True, False])

    def test_a_feature_of_what_is_asked_for_gets_weight(self):
        generator = np.random.default_rng(1)
        rows = generator.integers(0, 2, (4000, 2)).astype(float)
        asked = generator.random(4000) < np.where(rows[:, 0] > 0, 0.4, 0.1)
        said = [statement(str(n), f"w{n}", [[*row, 1.0]]) for n, row in enumerate(rows)]
        questions = [{"words": [f"w{n}"], "evidence": [str(n)]} for n in np.nonzero(asked)[0]]
        dialogue = train.Dialogue(said, questions)
        weights, intercept = train.train([[dialogue]], ["time", "noise", "long"])
        self.assertGreater(weights["time"], 0.8)
        self.assertLess(abs(weights["noise"]), 0.2)
        self.assertEqual(weights["long"], train.FIXED["long"])
        self.assertLess(intercept, 0)
        scores = dialogue.rows[:, 0]
        self.assertGreater(train.area(scores, dialogue.value > 0), 0.65)


if __name__ == "__main__":
    unittest.main()
