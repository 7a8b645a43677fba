"""Words, sentences and questions, as the engine's own tests state them."""

import unittest

import words


class Words(unittest.TestCase):
    def test_forms_of_one_word_share_a_stem(self):
        for forms in (["play", "plays", "played", "playing"], ["stop", "stopped", "stopping"],
                      ["go", "went", "going"], ["study", "studied", "studies"], ["7", "seven"],
                      ["box", "boxes"], ["anna", "anna's"]):
            self.assertEqual(len({words.stem(form) for form in forms}), 1, forms)
        self.assertEqual(words.stem("cafés"), "cafés")

    def test_terms_leave_out_stop_words(self):
        self.assertEqual(words.terms("We’d walked the twenty-one steps."),
                         ["we'd", "walk", "20", "1", "step"])
        self.assertEqual(words.content_words("It is what we did."), set())

    def test_sentences_end_at_marks_and_before_captions(self):
        self.assertEqual(words.sentences("Look! It's 3.5 m long. [shares a boat]"),
                         ["Look!", "It's 3.5 m long.", "[shares a boat]"])
        self.assertEqual(words.sentences("Look"), ["Look"])

    def test_questions_are_told_from_statements(self):
        for text in ("Where do you live?", "where do you live", "Did you meet her.",
                     "Who is playing the piano on Saturday."):
            self.assertTrue(words.is_question(text), text)
        for text in ("What a day.", "Have some tea.", "I know where you live.", "..."):
            self.assertFalse(words.is_question(text), text)

    def test_may_is_a_month_with_its_capital(self):
        self.assertTrue(words.is_time("may", True))
        self.assertFalse(words.is_time("may", False))
        self.assertTrue(words.is_time("monday's", True))


if __name__ == "__main__":
    unittest.main()
