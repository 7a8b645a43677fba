#!/usr/bin/env python3
"""Writes fixtures/golden/vader.tsv: the compound score of the VADER authors' program for each of the
sentences of vader.txt. The scores hold for the lexicon that comes with the program."""

import pathlib

from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

HERE = pathlib.Path(__file__).parent
OUT = HERE.parents[1] / "fixtures" / "golden" / "vader.tsv"


def main():
    analyzer = SentimentIntensityAnalyzer()
    texts = (HERE / "vader.txt").read_text(encoding="utf-8").splitlines()
    rows = (f"{text}\t{analyzer.polarity_scores(text)['compound']}" for text in texts)
    OUT.write_text("\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
