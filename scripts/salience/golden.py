#!/usr/bin/env python3
"""Writes fixtures/golden/salience.tsv: statements, their context, and the value of each feature.

The engine's tests compare their own features with this file. Run this again when a rule or a word
list changes:

    python3 scripts/salience/golden.py

Each row is one statement. `names` has the parts of the speakers' names, `new` the words of the
utterance that nobody used before, both separated by spaces. The other columns are features.
"""

import features
import rust
import words
from corpora import dialogue, one_line

OUT = rust.REPOSITORY / "fixtures" / "golden" / "salience.tsv"
AROUND = ("statement", "utterance", "place", "statements", "answers", "names", "new")

# Each dialogue is a list of turns, "- Speaker: words".
DIALOGUES = [
    # kin, titles, places, captions, praise
    """
    - Petra Lindqvist: Hello Omar! Did you get the boat into the water?
    - Omar Haddad: Hi Petra! Yes, we finally launched her last Saturday near the Old
      Lighthouse. My brother and my two nephews helped. [shares a photo of a blue boat with
      three people on deck]
    - Petra Lindqvist: Wow, she looks great! What did you call her in the end?
    - Omar Haddad: We called her "Second Wind", after the song. I think my wife wanted
      'Marigold' instead.
    - Petra Lindqvist: [shares a picture of a cake with twelve candles] I baked this for
      Omar's birthday. It wasn't easy without an oven!
    - Omar Haddad: Thanks. Nobody in Malta had ever done that for me. You're so kind, Petra;
      is it true that you sold the café?""",
    # numbers, months, curly apostrophes, negation, short names
    """
    - Jo: I’ve got news. They didn’t renew my contract at the Harbour Museum, so I quit in
      May.
    - Ade Bello: Oh no! That’s hard. How long were you there?
    - Jo: 7 years. It may rain, but today’s the first day I don't mind. We’d better celebrate!
    - Ade Bello: Absolutely, Jo! Next week’s exam is my third; I also failed the one in
      Spring. It's “The Long Walk” tonight.
    - Jo: Ade's sister never told me. She has twenty-one cats? Who is feeding them on Sunday.
    - Ade Bello: I just said that. OK. Well... I OK'ed the built-in Bosch oven and re-did it.
    - Jo: I recently read "Dune" to Ade’s kids from the Dublin library.""",
    # three speakers, a question without its mark, other scripts
    """
    - Marguerite: Where is the key to room 4B
    - Viktor: It hangs at the Porter's desk, Marguerite. I said so in the morning… Doctor Sand
      did not tell you; she was late.
    - Ingrid: Neither of us knew! Cannot say I mind. Viktor and I were hiking from Ålesund to
      the Trollstigen pass.
    - Marguerite: Hardly a surprise, Ingrid. Ask Viktor's cousin Émile, he speaks русский.
      Zürich was never on our list.
    - Viktor: "Never" is a long time!""",
    # a long answer
    """
    - user: Can you plan my week in Porto?
    - assistant: Sure! Here is a plan for five days. On Monday you visit the cathedral. On
      Tuesday you walk along the river to Foz. Do you like fish? On Wednesday we suggest the
      market. On Thursday you rest. On Friday you take the 9:15 train to Braga. Bring shoes
      that you have worn before. You are done!
    - user: I booked it. My mum and I went there in 1998.""",
]


def main():
    """Writes the file."""
    OUT.write_text(text(), encoding="utf-8")


def text():
    """The file's contents."""
    return "".join("\t".join(found) + "\n" for found in rows())


def rows():
    """The head of the table and its rows, as texts."""
    found = [[*AROUND, *features.SAID]]
    for script in DIALOGUES:
        turns = [one_line(turn).split(": ", 1) for turn in script.split("\n    - ")[1:]]
        talk = dialogue("golden", "", [(n, *turn) for n, turn in enumerate(turns)], [])
        for _, pieces, around in features.walk(talk):
            for place, (_, piece) in enumerate(pieces):
                found.append(row(piece, around(place)))
    return found


def row(statement, around):
    """A row of the table."""
    values = features.of(statement, around)
    return [statement, around.utterance, str(around.place), str(around.statements),
            "yes" if around.answers else "no", " ".join(sorted(around.names)),
            " ".join(new_words(around)), *(f"{values[name]:.6g}" for name in features.SAID)]


def new_words(around):
    """The words of the utterance whose terms were not used before."""
    parts = (part for word in words.display_words(around.utterance) for part in word.split("-"))
    return [part for part in parts
            if (found := words.terms(part)) and not around.heard.issuperset(found)]


if __name__ == "__main__":
    main()
