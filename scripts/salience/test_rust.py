"""Reading the engine's source, and comparing weights with it."""

import unittest

import features
import rust

SOURCE = """
const INTERCEPT: f32 = -4.5;
    vec![("time", 1.25, flag(true)),
        (
            "utt_q",
            -0.5,
            flag(false),
        )]
    + 0.25 * cost.ln()
    + 0.125 * mass.min(MASS_MAX).sqrt()
    + 0.5 * mass / cost
    + 0.75 * mass / distinct.max(1) as f32;
"""


class Rust(unittest.TestCase):
    def test_weights_are_read_however_they_are_laid_out(self):
        intercept, weights = rust.weights(SOURCE)
        self.assertEqual(intercept, -4.5)
        self.assertEqual(weights, {"time": 1.25, "utt_q": -0.5, "logcost": 0.25,
                                   "mass_sq": 0.125, "mass_tok": 0.5, "meanidf": 0.75})

    def test_a_printed_table_reads_as_it_was(self):
        intercept, weights = rust.weights(SOURCE)
        self.assertEqual(rust.weights(rust.table(intercept, weights)), (intercept, weights))

    def test_the_engine_has_every_feature_in_this_order(self):
        _, weights = rust.weights(rust.source("salience"))
        self.assertEqual(list(weights), [*features.SAID, *rust.RARITY_TERMS])

    def test_a_list_that_is_not_there_is_named(self):
        with self.assertRaises(SystemExit) as error:
            rust.words("claim_features", "NONE_SUCH")
        self.assertIn("NONE_SUCH", str(error.exception))


if __name__ == "__main__":
    unittest.main()
