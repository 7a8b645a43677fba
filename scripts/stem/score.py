#!/usr/bin/env python3
"""Scores answers of `weir replay --results` by category and by the distance of the evidence.

    scripts/stem/score.py RESULTS.jsonl...

right: all content words of the gold answer stand among the first 40 of the answer (numbers below a
thousand, days and years by their value, in words or figures; words by their first six letters); of
adversarial questions, those that are declined. first: the first citation is gold evidence, where
there is any. sure and wrong: those that are not right though Weir calls them sure, which it does
from a chance of 0.8 on. distance: utterances from the last evidence to the question, 1 right below
it.
"""

import json
import re
import sys
from collections import defaultdict

FIRST_WORDS = 40
SURE = 0.8
DISTANCES = [25, 100, 400, 1_000_000]
SMALL = set("a an the of to in on at for and or is was".split())


ONES = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
    fifteen sixteen seventeen eighteen nineteen""".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
VALUES = {word: n for n, word in enumerate(ONES)}
VALUES |= {word: 20 + 10 * n for n, word in enumerate(TENS)}


ORDINALS = """zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh
    twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth""".split()
VALUES |= {word: n for n, word in enumerate(ORDINALS)}
VALUES |= {word[:-1] + "ieth": n for word, n in list(VALUES.items()) if word in TENS}


def words(text):
    """Content words; a recogniser may write 341 as three hundred forty-one, and 31 as 31st."""
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text.lower())
    out, number, said = [], None, re.findall(r"[a-z]+|\d+", text)
    for at, word in enumerate([*said, ""]):
        value, after = VALUES.get(word), said[at + 1] if at + 1 < len(said) else ""
        if word == "hundred" and (number or said[at - 1] == "a") and (number or 1) < 100:
            number = (number or 1) * 100
        elif word == "and" and number and number % 100 == 0 and after in VALUES:
            continue
        elif value is not None and number and number % 100 == 0 and number < 1000:
            number += value
        elif value is not None and number and number % 10 == 0 and number % 100 > 10 > value:
            number += value
        elif value is not None and value > 9 and number in (19, 20):
            number = number * 100 + value  # twenty twenty-four
        else:
            out += [] if number is None else [str(number)]
            number = value
            is_ending = word in ("st", "nd", "rd", "th") and said[at - 1].isdigit()
            if value is None and word not in {"", *SMALL} and not is_ending:
                out.append(word[:6])
    return out


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def judged(line):
    """Whether an answer is right, cites its evidence first, and claims to be sure."""
    declined, gold = line["kind"] in ("not_known", "false_premise"), line["gold"]["answer"]
    if gold is None:
        right = declined
    else:
        said = words(line["answer"])[:FIRST_WORDS]
        right = not declined and all(word in said for word in words(gold))
    sure = not declined and line.get("chance", 0) >= SURE
    first = line.get("scores", {}).get("first_quote_is_evidence")
    return {"right": right, "first": first, "sure": sure}


def rows(results):
    """The group names of each question, and how its answer is judged."""
    if not results or "summary" not in results[-1]:
        sys.exit("the results have no summary: the replay did not end; run it again")
    for line in results[:-1]:
        if "gold" not in line:
            sys.exit(f"probe {line['probe']} has no gold labels: its stream has none, or an older "
                     "Weir wrote the line; replay a stream with labels")
        groups = [line.get("category"), "all"]
        if distance := line.get("distance"):
            within = next(most for most in DISTANCES if distance <= most)
            groups.append(f"distance to {within}" if within < DISTANCES[-1] else "farther")
        yield groups, judged(line)


def mean(values):
    known = [value for value in values if value is not None]
    return f"{sum(known) / len(known):.2f}" if known else "–"


def main():
    if not sys.argv[1:]:
        sys.exit(__doc__)
    sums = defaultdict(list)
    for results in sys.argv[1:]:
        for groups, it in rows(lines(results)):
            for group in groups:
                sums[group].append(it)
    print("| questions | | right | first citation is evidence | sure and wrong |")
    print("|---|--:|--:|--:|--:|")
    for group, all_of in sums.items():
        cells = mean([it["right"] for it in all_of]), mean([it["first"] for it in all_of]), mean(
            [it["sure"] and not it["right"] for it in all_of])
        print(f"| {group} | {len(all_of)} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
