"""The text lists: same seed, same text; the demo dialogue and the held-out sentences stay out of
training."""

import argparse
import pathlib
import random
import tempfile
import unittest

import grammar
import texts
import vocab
import wer

FIXTURES = pathlib.Path(__file__).resolve().parents[3] / "fixtures/spoken"


def built(folder, seed=4):
    """Small text lists in a folder."""
    args = argparse.Namespace(
        out=pathlib.Path(folder),
        seed=seed,
        grammar_count=800,
        extra_text=[],
        extra_count=0,
        count_min=1,
        held_each=30,
        exclude_list=[],
        exclude_dialogue=sorted(FIXTURES.glob("*.toml")) + sorted(FIXTURES.glob("*.stream.jsonl")),
    )
    texts.build(args)
    return [(args.out / name).read_text() for name in ("train.tsv", "held.tsv", "excluded.txt")]


class Grammar(unittest.TestCase):
    def test_one_seed_gives_one_corpus(self):
        first, second, other = (random.Random(seed) for seed in (9, 9, 10))
        turns = [grammar.turn(first) for _ in range(200)]
        self.assertEqual(turns, [grammar.turn(second) for _ in range(200)])
        self.assertNotEqual(turns, [grammar.turn(other) for _ in range(200)])

    def test_every_frame_fills_and_is_speakable(self):
        rng = random.Random(2)
        for frame in grammar.HELD_APART + [f for block in grammar.TRAINED.values() for f in block]:
            for _ in range(20):
                sentence = grammar.expand(frame, rng)
                self.assertRegex(sentence, r"^[A-Z][A-Za-z' ,]*[.?]$", frame)
                self.assertNotIn("  ", sentence, frame)

    def test_frames_held_apart_are_not_trained(self):
        trained = {frame for block in grammar.TRAINED.values() for frame in block}
        self.assertFalse(trained & set(grammar.HELD_APART))


class Exclusion(unittest.TestCase):
    def test_dialogue_and_held_out_sentences_are_not_trained(self):
        with tempfile.TemporaryDirectory() as folder:
            train, held, excluded = built(folder)
        trained = {
            key for line in train.splitlines() for key in texts.sentence_keys(line.split("\t")[1])
        }
        kept_out = {
            key for line in held.splitlines() for key in texts.sentence_keys(line.split("\t")[1])
        }
        for path in FIXTURES.glob("*.toml"):
            kept_out |= texts.dialogue_keys(path)
        self.assertFalse(trained & kept_out)
        self.assertLessEqual(kept_out, set(excluded.splitlines()))

    def test_an_overlap_stops_the_build(self):
        keys = texts.sentence_keys("I like tea. My dog is old.")
        with self.assertRaises(SystemExit):
            texts.assert_apart([("chat", "Well, so. My dog, is old!")], keys)

    def test_a_dialogue_is_read_sentence_by_sentence(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "talk.stream.jsonl"
            path.write_text('{"utterance": {"id": "u1", "text": "We met Ann. She was late."}}\n')
            keys = texts.dialogue_keys(path)
        self.assertEqual(keys, {"we met ann", "she was late", "we met ann she was late"})

    def test_the_same_seed_builds_the_same_lists(self):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
            self.assertEqual(built(one), built(two))


class Words(unittest.TestCase):
    def test_error_rate_counts_edits(self):
        self.assertEqual(wer.edits("a b c d".split(), "a x c".split()), 2)
        self.assertEqual(wer.edits([], ["a"]), 1)

    def test_byte_pairs_come_back_as_text(self):
        tokens = [bytes([byte]) for byte in range(256)] + [b" t", b"he", b" the"]
        pairs = vocab.BytePairs(tokens)
        self.assertEqual(pairs.encode(" the"), [258])
        self.assertEqual(pairs.decode(pairs.encode(" the hut's")), " the hut's")


if __name__ == "__main__":
    unittest.main()
