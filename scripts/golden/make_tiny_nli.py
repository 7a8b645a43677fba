#!/usr/bin/env python3
"""Writes fixtures/golden/tiny-nli/: a DeBERTa-v3 with random weights and a classifier for
natural-language inference, and golden.json with the chances of transformers' own
DebertaV2ForSequenceClassification for pairs of texts, among them pairs that are cut."""

import json
import pathlib
import shutil

import texts
import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import DebertaV2Config, DebertaV2ForSequenceClassification, PreTrainedTokenizerFast

FOLDER = pathlib.Path(__file__).parents[2] / "fixtures" / "golden" / "tiny-nli"
SEED = 43
TOKENS_MAX = 48
# An order that no published checkpoint shares with the alphabet: it must be read from the file.
LABELS = {0: "contradiction", 1: "entailment", 2: "neutral"}


def tokenizer():
    """A Unigram tokenizer as DeBERTa's, for pairs."""
    special = ["[PAD]", "[CLS]", "[SEP]", "[UNK]"]
    unigram = Tokenizer(models.Unigram())
    unigram.normalizer = normalizers.NFKC()
    unigram.pre_tokenizer = pre_tokenizers.Metaspace()
    unigram.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=200, special_tokens=special, unk_token="[UNK]", show_progress=False)
    unigram.train_from_iterator(texts.SPEECH, trainer)
    unigram.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=unigram, pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]", unk_token="[UNK]"
    )


def build(vocab_size):
    config = DebertaV2Config(
        vocab_size=vocab_size, hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
        max_position_embeddings=TOKENS_MAX, position_buckets=8, relative_attention=True, max_relative_positions=-1,
        pos_att_type=["p2c", "c2p"], share_att_key=True, norm_rel_ebd="layer_norm", position_biased_input=False,
        type_vocab_size=0, pooler_hidden_size=48, pooler_hidden_act="gelu", id2label=LABELS,
        label2id={label: at for at, label in LABELS.items()}, pad_token_id=0,
    )
    torch.manual_seed(SEED)
    model = DebertaV2ForSequenceClassification(config).eval()
    with torch.no_grad():
        # Large, and no bias or scale left at its neutral value: each must show in the result.
        for name, value in model.named_parameters():
            centre = 1.0 if name.endswith("LayerNorm.weight") else 0.0
            value.copy_(centre + 0.2 * torch.randn_like(value))
    return model


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    fast = tokenizer()
    model = build(len(fast))
    model.save_pretrained(FOLDER)
    fast.save_pretrained(FOLDER)
    said = texts.SPEECH[:6] + [texts.ODD[4], " ".join(texts.SPEECH)]
    items = []
    for premise in said:
        for hypothesis in said:
            pair = fast(premise, hypothesis, truncation="longest_first", max_length=TOKENS_MAX, return_tensors="pt")
            with torch.no_grad():
                logits = model(input_ids=pair["input_ids"], attention_mask=pair["attention_mask"]).logits[0]
            chances = {LABELS[at]: round(float(chance), 7) for at, chance in enumerate(torch.softmax(logits, 0))}
            items.append({"premise": premise, "hypothesis": hypothesis} | chances)
    lines = ",\n".join(json.dumps(item) for item in items)
    (FOLDER / "golden.json").write_text(f'{{"items": [\n{lines}\n]}}\n')
    first = [max(LABELS.values(), key=item.get) for item in items]
    print(f"{len(items)} pairs: " + ", ".join(f"{label} {first.count(label)}" for label in LABELS.values()))


if __name__ == "__main__":
    main()
