"""The statements of a dialogue as arrays: features, tokens, terms and their rarity."""

import numpy as np
from tokenizers import BertWordPieceTokenizer

import features
import rust
import words

# Rarity, in nats, above which more makes no difference.
MASS_MAX = 80.0
# Terms of a statement that are looked up.
TERMS_MAX = 64

# Features that follow from rarity and cost, in the order of `rarities`.
RARITY = ("logcost", "mass_sq", "mass_tok", "meanidf", "mass")
COLUMNS = {name: at for at, name in enumerate([*features.SAID, *features.OTHERS, *RARITY])}

_tokenizer = BertWordPieceTokenizer(str(rust.REPOSITORY / "models" / "data" / "vocab.txt"))


def count_tokens(texts):
    """Tokens of each text, as the engine counts them without a model."""
    return np.array([len(found.ids) for found in
                     _tokenizer.encode_batch(texts, add_special_tokens=False)], dtype=float)


class Statements:
    """The statements of a dialogue, in order.

    `utterance` and `sentence` say where each is from, `said` holds the features that do not change
    (columns as in `COLUMNS`), `words` the content words, `tokens` the cost with the speaker's name.
    """

    def __init__(self, dialogue):
        self.dialogue = dialogue
        self.vocabulary = {}
        # distinct terms of each utterance, as numbers
        self.utterance_terms = [self._numbered(words.terms(text))
                                for _, text in dialogue.utterances]
        self.utterance, self.sentence, self.texts = [], [], []
        rows, terms = [], []
        for at, pieces, around in features.walk(dialogue):
            for place, (sentence, text) in enumerate(pieces):
                here = around(place)
                values = features.of(text, here)
                rows.append([values[name] for name in (*features.SAID, *features.OTHERS)])
                terms.append(features.distinct_terms(text, here.names)[:TERMS_MAX])
                self.utterance.append(at)
                self.sentence.append(sentence)
                self.texts.append(text)
        self.said = np.array(rows)
        self.words = [words.content_words(text) for text in self.texts]
        self.utterance = np.array(self.utterance)
        self.tokens = count_tokens([self._spoken(n) for n in range(len(self.texts))])
        self.distinct = np.array([len(found) for found in terms])
        self.terms = np.full((len(terms), max(1, max(self.distinct))), -1)
        for row, found in enumerate(terms):
            self.terms[row, :len(found)] = [self.vocabulary[term] for term in found]

    def __len__(self):
        return len(self.texts)

    def _numbered(self, terms):
        numbers = {self.vocabulary.setdefault(term, len(self.vocabulary)) for term in terms}
        return np.array(sorted(numbers), dtype=int)

    def _spoken(self, n):
        speaker = self.dialogue.utterances[self.utterance[n]][0]
        return f"{speaker}: {self.texts[n]}" if speaker else self.texts[n]

    def no_counts(self):
        """Counts of utterances by term before anything is heard."""
        return np.zeros(len(self.vocabulary) + 1)

    def rarities(self, rows, counts, utterances):
        """The rarity features of `rows` after `utterances` utterances; `counts` says how many of
        them contain each term."""
        terms = self.terms[rows]
        rarity = np.maximum(np.log((utterances + 1) / (counts[terms] + 0.5)), 0)
        mass = np.where(terms >= 0, rarity, 0).sum(1)
        tokens = np.maximum(self.tokens[rows], 1)
        return np.column_stack([
            np.log(tokens),
            np.sqrt(np.minimum(mass, MASS_MAX)),
            mass / tokens,
            mass / np.maximum(self.distinct[rows], 1),
            np.minimum(mass, MASS_MAX) / 10,
        ])
