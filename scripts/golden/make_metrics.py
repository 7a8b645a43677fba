#!/usr/bin/env python3
"""Writes fixtures/golden/metrics.json: BLEU by sacrebleu, ROUGE-L by rouge_score, BERTScore by
bert_score and precision, recall and F1 by scikit-learn, of answers and gold answers made up here.

BERTScore is taken with the small random BERT of make_tiny_bert.py and with all-MiniLM-L6-v2."""

import json
import math
import pathlib
import random

import bert_score
import sacrebleu
from make_minilm import model_folder
from rouge_score import rouge_scorer
from sklearn.metrics import precision_recall_fscore_support

GOLDEN = pathlib.Path(__file__).parents[2] / "fixtures" / "golden"
SEED = 20
# Of the flags: how often a probe cannot be answered, and how often nothing is answered.
ODDS = [(0.3, 0.3), (0.1, 0.9), (0.9, 0.1), (0.0, 0.5), (0.5, 0.0), (0.0, 0.0), (1.0, 1.0)]

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
    one = [sacrebleu.sentence_bleu(answer, [gold]).score / 100 for answer, gold in PAIRS]
    groups = [PAIRS[:6], PAIRS[6:12], PAIRS[9:20], PAIRS[30:31], PAIRS]
    corpora = []
    for group in groups:
        answers, golds = zip(*group, strict=True)
        score = sacrebleu.corpus_bleu(list(answers), [list(golds)]).score / 100
        corpora.append({"first": PAIRS.index(group[0]), "count": len(group), "bleu": score})
    return one, corpora


def matched(folder, layers, tokens_max):
    """Precision, recall and F1 of each pair, one by one: padding changes the last digits."""
    scorer = bert_score.BERTScorer(
        model_type=str(folder), num_layers=layers, device="cpu", use_fast_tokenizer=True
    )
    tokenizer = scorer._tokenizer
    tokenizer.model_max_length = tokens_max
    # transformers 5 took away what bert_score calls for an empty text
    tokenizer.build_inputs_with_special_tokens = lambda ids: tokenizer.encode("")
    rows = []
    for answer, gold in PAIRS:
        scores = [float(score[0]) for score in scorer.score([answer], [gold])]
        # An empty text divides by zero; bert_score calls that 0.
        rows.append([0.0 if math.isnan(score) else round(score, 7) for score in scores])
    return rows


def abstention():
    rng = random.Random(SEED)
    cases = []
    for count, (hard, silent) in enumerate(ODDS, start=5):
        truth = [rng.random() < hard for _ in range(count * 4)]
        found = [rng.random() < silent for _ in truth]
        precision, recall, f1, _ = precision_recall_fscore_support(
            truth, found, average="binary", zero_division=0
        )
        line = {"unanswerable": "".join("01"[flag] for flag in truth)}
        line["abstained"] = "".join("01"[flag] for flag in found)
        cases.append(line | {"precision": precision, "recall": recall, "f1": f1})
    return cases


def main():
    one, corpora = bleu()
    tiny = matched(GOLDEN / "tiny-bert", 3, 24)
    minilm = matched(model_folder(), 6, 256)
    columns = zip(PAIRS, one, rouge_l(), tiny, minilm, strict=True)
    pairs = [
        {
            "answer": answer,
            "gold": gold,
            "bleu4": bleu4,
            "rouge_l": rouge,
            "tiny_bert": small,
            "minilm": large,
        }
        for (answer, gold), bleu4, rouge, small, large in columns
    ]
    lines = ",\n".join(json.dumps(pair) for pair in pairs)
    groups = ",\n".join(json.dumps(corpus) for corpus in corpora)
    flags = ",\n".join(json.dumps(case) for case in abstention())
    text = f'{{"pairs": [\n{lines}\n],\n"corpora": [\n{groups}\n],\n"abstention": [\n{flags}\n]}}\n'
    (GOLDEN / "metrics.json").write_text(text)


if __name__ == "__main__":
    main()
