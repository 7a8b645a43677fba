"""The word table: which entries it has, and their weights.

An entry is a word ("love"), a stem for all other words with it ("~ador"), a word under a negation
("!wait"), a pair of neighbours ("thank you") or a symbol. A weight pair is what the entry adds to the
log-odds of positive and of negative against neutral.
"""

from collections import Counter, defaultdict
from pathlib import Path

import numpy
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression

import clause
from clause import stem

OWN_MIN = 12
STEM_MIN = 8
PAIR_MIN = 15
# GoEmotions masks names and religions with these words.
MASKS = {"name", "religion"}
# Scale of the valence columns: high enough that the penalty hardly reaches them.
PRIOR_SCALE = 3.0
PENALTY = 0.15


def valences(folder):
    """Mean valence, -4 to 4, of the words and symbols of the VADER lexicon."""
    path = Path(folder) / "vader" / "vader_lexicon.txt"
    rows = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line)
    return {row[0]: float(row[1]) for row in rows}


def emoji_valences(folder, words):
    """Valence of an emoji: the sum over the words of its description, -4 to 4."""
    path = Path(folder) / "vader" / "emoji_utf8_lexicon.txt"
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        emoji, _, description = line.partition("\t")
        total = sum(words.get(word, 0.0) for word in description.split())
        if len(emoji) == 1 and total:
            found[emoji] = max(-4.0, min(4.0, total))
    return found


class Vocabulary:
    """The entries a clause can find, with their valence."""

    def __init__(self, entries, valence):
        self.entries = {entry: at for at, entry in enumerate(sorted(entries))}
        self.valence = valence

    @classmethod
    def of(cls, clauses, valence, left_out):
        """All candidates that occur often enough, and every word and stem of the lexicon, without
        the words left out that the lexicon does not have."""
        words, negated, pairs, documents = Counter(), Counter(), Counter(), Counter()
        for item in clauses:
            seen, inverted, couples = set(), set(), set()
            for hit in item.hits:
                (inverted if hit.negated else seen).add(hit.word)
                if hit.previous:
                    couples.add(f"{hit.previous} {hit.word}")
            words.update(seen)
            negated.update(inverted)
            pairs.update(couples)
            documents.update(seen | inverted)
        own = {w for w, n in words.items() if n >= OWN_MIN}
        own |= {w for w in documents if not w.isascii() or w in clause.EMOTICONS}
        stems, of_stem = Counter(), defaultdict(list)
        for word, count in words.items():
            if word not in own and word.isascii():
                stems[stem(word)] += count
        for word, value in valence.items():
            if word not in own and word.isascii() and word.isalpha():
                of_stem[stem(word)].append(value)
        own |= {w for w in valence if len(w) == 1 and not w.isascii()}
        entries = own | {f"~{s}" for s, n in stems.items() if n >= STEM_MIN}
        entries |= {f"~{s}" for s in of_stem}
        entries |= {f"!{w}" for w, n in negated.items() if n >= OWN_MIN}
        entries |= {phrase for phrase in valence if phrase.count(" ") == 1}
        left_out = (left_out | MASKS) - set(valence)
        pairs_kept = {p for p, n in pairs.items() if n >= PAIR_MIN}
        entries |= {p for p in pairs_kept if left_out.isdisjoint(p.split())}
        entries -= left_out
        held = {w: valence[w] for w in entries if w in valence}
        held |= {f"~{s}": sum(v) / len(v) for s, v in of_stem.items()}
        return cls(entries, held)

    def only(self, entries):
        """The same with these entries alone."""
        return Vocabulary(entries, {e: v for e, v in self.valence.items() if e in entries})

    def find(self, hit):
        """The entry of a hit without its pair, and whether it carries the negation itself."""
        if hit.negated and f"!{hit.word}" in self.entries:
            return f"!{hit.word}", True
        for key in (hit.word, clause.RUN_OF_TWO.sub(r"\1", hit.word) if hit.long else hit.word):
            if key in self.entries:
                return key, False
            if f"~{stem(key)}" in self.entries:
                return f"~{stem(key)}", False
        return None, False

    def found(self, item):
        """Every entry of a clause with its hit and whether the negation is still to be applied."""
        for hit in item.hits:
            pair = f"{hit.previous} {hit.word}"
            if hit.previous and pair in self.entries:
                yield pair, hit, False
            entry, inverted = self.find(hit)
            if entry is not None:
                yield entry, hit, hit.negated and not inverted


def matrix(vocabulary, clauses):
    """Counts of entries, at most two; behind them sums of valence: up, down, both under negation."""
    rows, columns, priors = [], [], numpy.zeros((len(clauses), 4), numpy.float32)
    for row, item in enumerate(clauses):
        for entry, _, negated in vocabulary.found(item):
            value = vocabulary.valence.get(entry, 0.0)
            priors[row, 2 * negated + (value < 0)] += abs(value)
            if not negated:
                rows.append(row)
                columns.append(vocabulary.entries[entry])
    counts = csr_matrix(
        (numpy.ones(len(rows), numpy.float32), (rows, columns)),
        shape=(len(clauses), len(vocabulary.entries)),
    )
    counts.data = numpy.minimum(counts.data, 2)
    return hstack([counts, csr_matrix(priors * PRIOR_SCALE)]).tocsr()


def occurrences(vocabulary, clauses):
    """Number of clauses that find each entry."""
    counts = matrix(vocabulary, clauses)[:, : len(vocabulary.entries)]
    return numpy.asarray((counts > 0).sum(axis=0)).ravel()


def fit(vocabulary, clauses, sentences, weights):
    """Weight pairs, one row an entry: trained, around what the valence alone would give."""
    # each corpus has its own share of neutral sentences
    corpora = sorted({s.corpus for s in sentences})[1:]
    own = csr_matrix([[float(s.corpus == c) for c in corpora] for s in sentences])
    features = hstack([own, matrix(vocabulary, clauses)]).tocsr()
    rows, labels, shares = unrolled(sentences, weights)
    model = LogisticRegression(C=PENALTY, max_iter=500, tol=1e-3)
    model.fit(features[rows], labels, sample_weight=shares)
    odds = model.coef_[:2] - model.coef_[2]
    own = odds[:, len(corpora) : len(corpora) + len(vocabulary.entries)].T.copy()
    prior = odds[:, -4:-2].T * PRIOR_SCALE
    for entry, value in vocabulary.valence.items():
        own[vocabulary.entries[entry]] += abs(value) * prior[int(value < 0)]
    return own


def unrolled(sentences, weights):
    """A row for each polarity of a sentence, weighted by its share."""
    rows, labels, shares = [], [], []
    for row, (sentence, weight) in enumerate(zip(sentences, weights, strict=True)):
        neutral = 1.0 - sentence.positive - sentence.negative
        for label, share in enumerate((sentence.positive, sentence.negative, neutral)):
            if share > 0.01:
                rows.append(row)
                labels.append(label)
                shares.append(share * weight)
    return numpy.array(rows), numpy.array(labels), numpy.array(shares)
