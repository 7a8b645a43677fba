"""Labels: which statements a question asks for.

The corpora label each question with utterances. Of each such utterance, the sentence that shares
most content words with the question and its answer counts as asked for. Ties all count, and where
no sentence shares a word, all sentences count.
"""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

import words

# QMSum labels long spans of turns: turns that share fewer words are not used.
SHARED_MIN = {"qmsum": 2}


@dataclass(frozen=True)
class Evidence:
    """A labelled utterance: the sentences that count, and how many words each of them shares."""

    utterance: int
    sentences: tuple
    shared: int


def evidence(dialogue):
    """The evidence of each question of a dialogue."""
    said = [[words.content_words(piece) for piece in words.sentences(text)]
            for _, text in dialogue.utterances]
    found = []
    for question in dialogue.questions:
        wanted = words.content_words(f"{question.question} {question.answer}")
        found.append([_locate(at, said[at], wanted) for at in question.evidence])
    return found


def _locate(at, sentences, wanted):
    shared = [len(sentence & wanted) for sentence in sentences]
    most = max(shared)
    # if no sentence shares a word, `most` is 0 and all sentences tie
    return Evidence(at, tuple(n for n, many in enumerate(shared) if many == most), most)


def values(statements, found):
    """The value of each statement: the sum of its shares in questions. A question is worth 1, split
    evenly over its labelled utterances, and then over the sentences that count."""
    least = SHARED_MIN.get(statements.dialogue.corpus, 0)
    worth = defaultdict(float)
    for question in found:
        for item in question:
            if item.shared >= least:
                for sentence in item.sentences:
                    worth[item.utterance, sentence] += 1 / len(question) / len(item.sentences)
    return np.array([worth[place] for place in zip(statements.utterance, statements.sentence)])
