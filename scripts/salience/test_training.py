"""Labels, the regression, and the simulated memory, on a small dialogue."""

import unittest

from needs import packages_or_skip

packages_or_skip()

import numpy as np  # noqa: E402

import budget  # noqa: E402
import labels  # noqa: E402
import training  # noqa: E402
from corpora import dialogue  # noqa: E402
from statements import Statements  # noqa: E402

TALK = dialogue("locomo", "small", [
    ("a", "Mia", "Hello Bo! How are you doing today?"),
    ("b", "Bo", "I moved to Oslo in May. My sister Ada found the flat. Great!"),
    ("c", "Mia", "Sounds good. Thanks for telling me!"),
], [("When did Bo move to Oslo?", "in May", ["b"]), ("Who found it?", "his sister Ada", ["b"])])


class Labels(unittest.TestCase):
    def test_the_sentence_counts_that_shares_most(self):
        first, second = labels.evidence(TALK)
        self.assertEqual(first, [labels.Evidence(1, (0,), 2)])
        self.assertEqual(second, [labels.Evidence(1, (1,), 3)])
        worth = labels.values(Statements(TALK), [first, second, first])
        self.assertEqual(worth.tolist(), [0, 0, 2, 1, 0, 0, 0])

    def test_without_shared_words_all_sentences_count(self):
        talk = dialogue("locomo", "", [("a", "", "One boat. Two cars.")], [("Why?", "", ["a"])])
        self.assertEqual(labels.evidence(talk)[0][0].sentences, (0, 1))


class Training(unittest.TestCase):
    def test_a_known_regression_is_found_again(self):
        chance = np.random.default_rng(3)
        inputs = chance.normal(size=(20_000, 2))
        logit = 1.5 * inputs[:, 0] - 0.5 * inputs[:, 1] - 1
        asked = (chance.random(20_000) < 1 / (1 + np.exp(-logit))).astype(float)
        weights, intercept = training.logistic(inputs, asked, np.ones(20_000), 1.0)
        np.testing.assert_allclose([*weights, intercept], [1.5, -0.5, -1], atol=0.08)

    def test_rows_are_seen_at_each_moment(self):
        statements = Statements(TALK)
        _, rows = training.examples(statements)
        # at 0.3 nothing was heard, at 0.6 one utterance of two statements
        self.assertEqual(rows.tolist(), [0, 1, *range(7)])

    def test_chances_follow_the_weights(self):
        statements = Statements(TALK)
        model = training.Model({"time": 2.0, "mass_tok": 0.1}, -1.0)
        rows = np.arange(len(statements))
        found = model.log_chance(statements)(rows, statements.no_counts(), 3)
        self.assertGreater(found[2], found[3])
        self.assertTrue((found < 0).all())


class Budget(unittest.TestCase):
    def setUp(self):
        self.statements = Statements(TALK)
        self.wanted = lambda rows, *_: np.log(np.isin(rows, [2, 3]) * 0.8 + 0.1)

    def kept(self, rule, tokens, value=None):
        alive = budget.simulate(self.statements, value or self.wanted, tokens, rule)
        self.assertLessEqual(self.statements.tokens[alive].sum(), tokens)
        return np.nonzero(alive)[0].tolist()

    def test_statements_of_least_chance_go_first(self):
        self.assertEqual(self.kept("statement", 20), [2, 3])

    def test_lines_go_as_one(self):
        self.assertEqual(self.kept("line", 30), [2, 3, 4])

    def test_no_statement_stays_without_half_of_its_line(self):
        def moved(rows, *_):
            return np.log((rows == 2) * 0.8 + 0.1)

        self.assertEqual(self.kept("statement", 10, moved), [2])
        self.assertNotIn(2, self.kept("either", 10, moved))
        self.assertEqual(self.kept("either", 20), [2, 3])

    def test_the_oldest_go_first_by_recency(self):
        kept = self.kept("statement", 20, budget.recency(self.statements))
        self.assertEqual(kept, list(range(kept[0], 7)))

    def test_what_is_held_proves(self):
        evidence = labels.evidence(TALK)
        only = np.isin(np.arange(7), [2])
        self.assertEqual(budget.retention(self.statements, only, evidence), ([1, 0], [0, 0]))
        everything = np.ones(7, bool)
        self.assertEqual(budget.retention(self.statements, everything, evidence), ([1, 1], [1, 1]))


if __name__ == "__main__":
    unittest.main()
