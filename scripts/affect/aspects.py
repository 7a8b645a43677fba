#!/usr/bin/env python3
"""Learns which words name which aspect of a restaurant, from the training parts of MAMS.

A word of an aspect term (ATSA) belongs to the category (ACSA) of the sentences it stands in, where
that category is the most frequent beside it, and more frequent than elsewhere. Only `train.xml` of both is read.

    aspects.py MAMS_FOLDER > engine/core/src/text/opinions/aspects.txt
"""

import collections
import re
import sys
import xml.etree.ElementTree as ElementTree

# Sentences a word must stand in, share of them with the category, and how many times that share
# must exceed the category's share of all sentences.
COUNT_MIN, SHARE_MIN = 5, 0.7
LIFT_MIN = {"food": 1.25, "service": 1.3, "atmosphere": 2.5, "price": 2.5}
NAMES = {"staff": "service", "ambience": "atmosphere"}
LEFT_OUT = {"miscellaneous", "place", "menu"}
# Learned, and wrong outside of these reviews: read and left out by hand.
WRONG = set(
    "air check delivery fried fry gentleman gra guy lemon man martinis menus oil option order patio "
    "potatoe seated served serving stuff tag tomatoe treat wait waiting water wrap".split()
)


def words(text):
    return re.findall(r"[a-z]+", text.lower())


def singular(word):
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if re.search(r"(sses|ches|shes|xes|zes)$", word):
        return word[:-2]
    return word[:-1] if re.search(r"[^sui]s$", word) and len(word) > 3 else word


def main(folder):
    terms = ElementTree.parse(f"{folder}/ATSA/train.xml").getroot().iter("aspectTerm")
    heads = collections.Counter(
        singular(found[-1]) for term in terms if (found := words(term.get("term")))
    )
    all_of, beside, sentences = collections.Counter(), collections.defaultdict(collections.Counter), 0
    for sentence in ElementTree.parse(f"{folder}/ACSA/train.xml").getroot():
        found = [c.get("category") for c in sentence.iter("aspectCategory")]
        found = {NAMES.get(category, category) for category in found}
        sentences += 1
        all_of.update(found)
        for word in {singular(word) for word in words(sentence.find("text").text)}:
            beside[word].update(found | {None})
    for word in sorted(heads):
        count = beside[word][None]
        if heads[word] < 3 or count < COUNT_MIN or len(word) < 3 or word in WRONG:
            continue
        shares = {c: n / count for c, n in beside[word].items() if c and c not in LEFT_OUT}
        lifts = {c: share / (all_of[c] / sentences) for c, share in shares.items()}
        best = max(shares, key=lambda category: (shares[category], category), default=None)
        if best and shares[best] >= SHARE_MIN and lifts[best] >= LIFT_MIN[best]:
            print(word, best)


if __name__ == "__main__":
    main(sys.argv[1])
