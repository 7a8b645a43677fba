#!/usr/bin/env python3
"""Writes fixtures/golden/metrics.json: BLEU by sacrebleu and ROUGE-L by rouge_score, of answers and
gold answers made up here."""

import json
import pathlib

import sacrebleu
from rouge_score import rouge_scorer

GOLDEN = pathlib.Path(__file__).parents[2] / "fixtures" / "golden"

# An answer, and the gold answer.
PAIRS = [
    ("We leave for Lisbon on Friday.", "Lisbon"),
    ("Lisbon", "Lisbon"),
    ("lisbon", "Lisbon."),
    ("", "Lisbon"),
    ("Lisbon", ""),
    ("", ""),
    ("   ", "the second of May"),
    ("?!", "..."),
    ("no", "yes"),
    ("the the the the the the the", "the cat is on the mat"),
    ("the cat the cat on the mat", "the cat is on the mat"),
    ("on the mat sat the cat", "the cat sat on the mat"),
    ("She moved to Rotterdam in 2019.", "In 2019 she moved to Rotterdam"),
    ("It costs 1,250.75 euros, not 1.100 euros.", "1,250.75 euros"),
    ("It's 7.30pm - no, 7-8 o'clock", "between 7 and 8 o'clock"),
    ("Tom's brother-in-law (Anna said) lives at 5/7 Mill Lane", "Tom's brother-in-law"),
    ("&quot;Yes&quot; &amp; no &lt;b&gt; <skipped> 5-\n6", '"Yes" & no <b> 5-6'),
    ("tabs\tand\nlines and\u00a0blanks\u3000wide\u2028sep", "tabs and lines and blanks wide sep"),
    ("a\u001cb\u001fc\u0085d e", "a b c d e"),
    ("Crème brûlée at the café in Zürich", "a crème brûlée in a Zurich café"),
    ("Привет, как дела?", "Привет! Как твои дела?"),
    ("我们明天去上海。", "我们后天去上海。"),
    ("İstanbul and ΠΡΟΣΟΧΉ 2nd K", "i̇stanbul and προσοχή 2nd k"),
    ("emoji 👍🏽 and ½ of ² ♥", "emoji 👍 and half of 2"),
    ("[SEP] is not [CLS] of a [MASK]", "[CLS] is not [SEP]"),
    ("snake_case_word under_score 3.14.15", "snake case word under score 3.14"),
    ("He is studying studies and flies", "He studied the study and flew"),
    ("green tea green tea green tea coffee", "green tea and coffee and green tea"),
    ("a b c d", "a b c d"),
    ("a b c", "a b c"),
    ("a b x c d", "a b y c d"),
    (
        "Anna said that the doctor told her to come back in three weeks, and Tom said no.",
        "The doctor told Anna to come back in three weeks because her knee still hurts.",
    ),
    (
        " ".join(f"sentence number {i} of a talk that went on" for i in range(40)),
        " ".join(f"sentence number {i} of the talk which goes on" for i in range(0, 60, 2)),
    ),
    (" ".join(["boat"] * 300), " ".join(["boat"] * 200 + ["engine"] * 100)),
]


def rouge_l():
    scorer = rouge_scorer.RougeScorer(["rougeL"], use_stemmer=False)
    return [scorer.score(gold, answer)["rougeL"].fmeasure for answer, gold in PAIRS]


def bleu():
    return [sacrebleu.sentence_bleu(answer, [gold]).score / 100 for answer, gold in PAIRS]


def main():
    columns = zip(PAIRS, bleu(), rouge_l(), strict=True)
    pairs = [
        {"answer": answer, "gold": gold, "bleu4": bleu4, "rouge_l": rouge}
        for (answer, gold), bleu4, rouge in columns
    ]
    lines = ",\n".join(json.dumps(pair) for pair in pairs)
    (GOLDEN / "metrics.json").write_text(f'{{"pairs": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
