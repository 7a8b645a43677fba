"""What is read of each corpus."""

import json
import tempfile
import unittest
from pathlib import Path

import corpora


def write(folder, place, value):
    """Writes a value as JSON."""
    path = Path(folder) / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


LOCOMO = [{
    "sample_id": "s",
    "qa": [{"question": "Who?", "answer": 7, "evidence": ["D1:2", "D9:9"], "category": 1},
           {"question": "What?", "evidence": ["D1:1"], "category": 5}],
    "conversation": {"session_1": [
        {"speaker": "A", "dia_id": "D1:0", "text": "..."},
        {"speaker": "A", "dia_id": "D1:1", "text": "Hi"},
        {"speaker": "B", "dia_id": "D1:2", "text": "Look", "blip_caption": "a cat"}]},
}]
FRIENDS = {"data": [{"title": f"s01_e01_c0{scene}", "paragraphs": [{
    "utterances:": [{"uid": 0, "speakers": ["#NOTE#"], "utterance": f"Scene {scene}"}],
    "qas": [{"question": "Which?",
             "answers": [{"answer_text": "this", "utterance_id": 0}]}]}]} for scene in (2, 1)]}
CHAT = [{"turns": [[{"id": 4, "role": "user", "content": "Plan it\nnow ->-> 1,2"}]]}]
PROBES = {"abstention": [{"question": "Never?", "source_chat_ids": [4]}],
          "summarization": [{"question": "All?", "ideal_summary": "It.",
                             "source_chat_ids": {"first": [[4, 9]]}}]}
MEETING = {"meeting_transcripts": [{"speaker": "A", "content": "{vocalsound} So ."},
                                   {"speaker": "B", "content": "Yes ."}],
           "specific_query_list": [{"query": "So?", "answer": "Yes",
                                    "relevant_text_span": [["0", "1"], ["1", "7"]]}]}


class Corpora(unittest.TestCase):
    def test_all_four_are_read(self):
        with tempfile.TemporaryDirectory() as folder:
            write(folder, "locomo/locomo_dev.json", LOCOMO)
            write(folder, "friendsqa/friendsqa_dev.json", FRIENDS)
            write(folder, "beam/100K/1/chat.json", CHAT)
            write(folder, "beam/100K/1/probing_questions/probing_questions.json", PROBES)
            write(folder, "qmsum/train/m.json", MEETING)
            found = corpora.load(folder)
        (locomo,), (friends,), (beam,), (qmsum,) = found.values()
        self.assertEqual(locomo.utterances, [("A", "Hi"), ("B", "Look [shares a cat]")])
        self.assertEqual(locomo.questions, [corpora.Question("Who?", "7", [1])])
        self.assertEqual(friends.utterances, [("", "Scene 1"), ("", "Scene 2")])
        self.assertEqual([asked.evidence for asked in friends.questions], [[0], [1]])
        self.assertEqual(beam.utterances, [("user", "Plan it now")])
        self.assertEqual(beam.questions, [corpora.Question("All?", "It.", [0])])
        self.assertEqual(qmsum.utterances[0], ("A", "So ."))
        self.assertEqual(qmsum.questions[0].evidence, [0, 1])

    def test_missing_corpora_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            write(folder, "locomo/locomo_dev.json", LOCOMO)
            with self.assertRaises(SystemExit) as error:
                corpora.load(folder)
        self.assertIn("friendsqa", str(error.exception))
        self.assertNotIn("locomo_dev", str(error.exception))


if __name__ == "__main__":
    unittest.main()
