"""A simulated memory with a budget of tokens: what it keeps, and how much evidence survives.

When the memory is over budget, it removes whatever has the lowest chance of being asked for,
divided by its tokens to the power `EXPONENT`. Three rules say what one step may remove:

- `statement`: one statement.
- `line`: all that is left of an utterance.
- `either`: one statement, if the rest still has half of the utterance's content words; otherwise
  all that is left of the utterance. The engine uses this rule.
"""

import heapq
from collections import defaultdict

import numpy as np

import words

RULES = ("statement", "either", "line")
EXPONENT = 0.6
# Share of an utterance's content words that must remain.
REST_SHARE = 0.5
# Share of a sentence's content words that must remain for the sentence to count as retained.
SENTENCE_SHARE = 0.8


def recency(statements):
    """A score that removes the oldest statements first, in the form of `Model.log_chance`."""
    count = len(statements)

    def at(rows, _counts, _utterances):
        # steep, so that the sum of several old statements stays below one new statement
        return 600.0 * (rows - count) / count

    return at


def simulate(statements, log_chance, budget, rule, exponent=EXPONENT):
    """A mask of the statements that remain after the dialogue."""
    utterances = statements.dialogue.utterances
    counts = statements.no_counts()
    alive = np.zeros(len(statements), bool)
    starts = np.searchsorted(statements.utterance, np.arange(len(utterances) + 1))
    total = 0.0
    for at, terms in enumerate(statements.utterance_terms):
        counts[terms] += 1
        new = slice(starts[at], starts[at + 1])
        alive[new] = True
        total += statements.tokens[new].sum()
        if total > budget:
            rows = np.nonzero(alive)[0]
            worth = log_chance(rows, counts, at + 1)
            gone = _REMOVALS[rule](statements, rows, worth, total - budget, exponent)
            alive[gone] = False
            total -= statements.tokens[gone].sum()
    return alive


def _statements(statements, rows, worth, excess, exponent):
    tokens = np.maximum(statements.tokens[rows], 1)
    order = np.argsort(worth - exponent * np.log(tokens), kind="stable")
    saved = np.cumsum(statements.tokens[rows][order])
    return rows[order[:np.searchsorted(saved, excess) + 1]]


def _lines(statements, rows, worth, excess, exponent):
    lines, saved = _by_line(statements, rows, worth), 0.0
    gone = []
    order = sorted(lines.values(), key=lambda line: line.worth(exponent))
    for line in order:
        if saved >= excess:
            break
        gone += line.rows
        saved += line.tokens
    return np.array(gone)


def _either(statements, rows, worth, excess, exponent):
    lines = _by_line(statements, rows, worth)
    tokens = dict(zip(rows, np.maximum(statements.tokens[rows], 1)))
    chance = dict(zip(rows, np.exp(worth)))
    # score, whether it is a line, row or utterance, version of the line when it was queued
    queue = [(chance[row] / tokens[row] ** exponent, False, row, 0) for row in rows]
    queue += [(line.worth(exponent), True, at, 0) for at, line in lines.items()]
    heapq.heapify(queue)
    gone, saved = [], 0.0
    while saved < excess and queue:
        _, is_line, at, state = heapq.heappop(queue)
        line = lines[at] if is_line else lines[statements.utterance[at]]
        if is_line:
            if state != line.state:
                continue
            leave = list(line.rows)
        elif at in line.rows and line.stands_without(at):
            leave = [at]
        else:
            continue
        for row in leave:
            line.drop(row, chance[row], tokens[row])
            saved += statements.tokens[row]
        gone += leave
        if line.rows:
            number = statements.utterance[at]
            heapq.heappush(queue, (line.worth(exponent), True, number, line.state))
    return np.array(gone)


_REMOVALS = {"statement": _statements, "line": _lines, "either": _either}


class _Line:
    """The remaining statements of one utterance; `state` counts its changes."""

    def __init__(self, statements, text):
        self.statements = statements
        self.needed = REST_SHARE * len(words.content_words(text))
        self.rows, self.chance, self.tokens, self.state = [], 0.0, 0.0, 0

    def add(self, row, chance, tokens):
        self.rows.append(row)
        self.chance += chance
        self.tokens += tokens

    def drop(self, row, chance, tokens):
        self.rows.remove(row)
        self.chance -= chance
        self.tokens -= tokens
        self.state += 1

    def worth(self, exponent):
        return self.chance / self.tokens ** exponent

    def stands_without(self, row):
        rest = [self.statements.words[other] for other in self.rows if other != row]
        return bool(rest) and len(set().union(*rest)) >= self.needed


def _by_line(statements, rows, worth):
    lines = {}
    for row, chance in zip(rows, np.exp(worth)):
        at = statements.utterance[row]
        if at not in lines:
            lines[at] = _Line(statements, statements.dialogue.utterances[at][1])
        lines[at].add(row, chance, max(statements.tokens[row], 1))
    return lines


def retention(statements, alive, found):
    """For each question, the share of its evidence that remains, by two measures.

    First: four in five content words of one sentence that counts. Second: the first, and half of
    the utterance's content words."""
    dialogue = statements.dialogue
    kept = defaultdict(set)
    for row in np.nonzero(alive)[0]:
        kept[statements.utterance[row]] |= statements.words[row]
    sentence, context = [], []
    for question in found:
        facts = [_is_retained(dialogue, item, kept) for item in question]
        sentence.append(np.mean([fact for fact, _ in facts]))
        context.append(np.mean([both for _, both in facts]))
    return sentence, context


def _is_retained(dialogue, item, kept):
    if item.utterance not in kept:
        return False, False
    speaker, text = dialogue.utterances[item.utterance]
    there = kept[item.utterance] | words.content_words(speaker)
    pieces = words.sentences(text)
    fact = max(_share(words.content_words(pieces[n]), there) for n in item.sentences)
    fact = fact >= SENTENCE_SHARE
    return fact, fact and _share(words.content_words(text), there) >= REST_SHARE


def _share(wanted, there):
    return len(wanted & there) / len(wanted) if wanted else 1.0
