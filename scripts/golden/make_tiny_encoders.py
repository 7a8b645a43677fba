#!/usr/bin/env python3
"""Writes fixtures/golden/tiny-{bge,e5,roberta,roberta-pickle,cross,cross-roberta}/: encoders and
rerankers of a few hundred kilobytes with random weights, and golden.json with what sentence-transformers makes
of each text. They mean nothing; they prove that pooling, prompts, positions, activations, dense
layers and heads are what the reference takes them for."""

import collections
import io
import json
import pathlib
import pickle
import shutil
import tempfile
import zipfile

import make_tiny_bert as tiny
import texts
import torch
from safetensors.torch import load_file
from sentence_transformers import CrossEncoder, SentenceTransformer
from sentence_transformers.models import Dense, Normalize, Pooling, Transformer
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    BertModel,
    PreTrainedTokenizerFast,
    XLMRobertaConfig,
    XLMRobertaForSequenceClassification,
    XLMRobertaModel,
)

GOLDEN = tiny.OUT.parent
SEQ_LENGTH_MAX = 24
POOLINGS = ["mean", "cls", "max", "mean_sqrt_len_tokens", "weightedmean", "lasttoken"]
INPUTS = texts.SPEECH + texts.ODD + texts.EDGE + texts.LONG[2:]
QUERIES = ["Who feeds the cat?", "boat", "", "the engine of the boat " * 6]


def loud(model, seed, spread=0.35):
    """No weight is left at a neutral value: each must show in the result."""
    torch.manual_seed(seed)
    with torch.no_grad():
        for name, value in model.named_parameters():
            centre = 1.0 if name.endswith("LayerNorm.weight") else 0.0
            value.copy_(centre + spread * torch.randn_like(value))
    return model.eval()


def sizes(vocab_size, **more):
    return dict(
        vocab_size=vocab_size, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=80, **more,
    )


def bert_tokenizer(folder):
    tiny.write_checkpoint(folder)
    return len(tiny.vocabulary())


def unigram_tokenizer(folder):
    """SentencePiece's unigrams in the shape of XLM-RoBERTa's tokenizer.json."""
    words = ["\u2581" + word for word in tiny.WORDS.split()]
    letters = sorted({letter for text in INPUTS + QUERIES for letter in text.lower()})
    letters = ["\u2581"] + [letter for letter in letters if not letter.isspace()][:150]
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    pieces = [(piece, 0.0) for piece in special]
    pieces += [(word, -2.0 - 0.1 * i) for i, word in enumerate(words)]
    pieces += [(letter, -8.0 - 0.01 * i) for i, letter in enumerate(letters)]
    pieces += [("<mask>", 0.0)]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=3))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", 0), ("</s>", 2)],
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", cls_token="<s>", eos_token="</s>",
        sep_token="</s>", pad_token="<pad>", unk_token="<unk>", mask_token="<mask>",
    ).save_pretrained(folder)
    return len(pieces)


def keep(source, out, names):
    shutil.rmtree(out, ignore_errors=True)
    for name in names:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / name, out / name)


def write(out, document):
    items = ",\n".join(json.dumps(item) for item in document.pop("items"))
    head = json.dumps(document)[:-1]
    (out / "golden.json").write_text(f'{head}, "items": [\n{items}\n]}}\n')


def rounded(values):
    return [round(float(x), 7) for x in values]


def encoder(name, base, pooling, place, prompts=None, dense=None, modes=()):
    """Saves an encoder around the checkpoint in `base` and records its vectors."""
    body = Transformer(str(base), max_seq_length=SEQ_LENGTH_MAX)
    size = body.get_embedding_dimension()
    modules = [body, Pooling(size, pooling)] + ([dense] if dense else []) + [Normalize()]
    model = SentenceTransformer(modules=modules, device="cpu", prompts=prompts)
    whole = place / name
    model.save(str(whole))
    kept = ["config.json", "model.safetensors", "modules.json", "sentence_bert_config.json",
            "tokenizer.json", "tokenizer_config.json", "1_Pooling/config.json",
            "config_sentence_transformers.json"]
    kept += ["2_Dense/config.json", "2_Dense/model.safetensors"] if dense else []
    keep(whole, GOLDEN / name, kept)
    items = []
    for text in INPUTS:
        # Not encode_document: it takes an empty "document", which every saved file has, before a
        # "passage" that says something.
        passage = model.encode(text, prompt_name="passage" if prompts else None)
        item = {"text": text, "vector": rounded(passage)}
        if prompts:
            item["query"] = rounded(model.encode_query(text))
        for mode in modes:
            again = [body, Pooling(size, mode), Normalize()]
            again = SentenceTransformer(modules=again, device="cpu")
            item[mode] = rounded(again.encode(text))
        items.append(item)
    write(GOLDEN / name, {"model": name, "items": items})


def reranker(name, base):
    model = CrossEncoder(str(base), device="cpu", activation_fn=torch.nn.Identity())
    assert model.max_seq_length == SEQ_LENGTH_MAX, model.max_seq_length
    keep(base, GOLDEN / name,
         ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"])
    items = [
        {"query": query, "text": text, "score": float(model.predict([(query, text)])[0])}
        for query in QUERIES for text in INPUTS
    ]
    write(GOLDEN / name, {"model": name, "items": items})


def pickled(name):
    """The same weights as older repositories have them, as they would be without the other file."""
    out = GOLDEN / f"{name}-pickle"
    out.mkdir(exist_ok=True)
    tensors = load_file(GOLDEN / name / "model.safetensors")
    torch.save(tensors, out / "pytorch_model.bin")


class Promise:
    """A tensor of 2^35 numbers in a storage of one."""

    def __reduce__(self):
        sizes, strides = (1 << 30, 32), (32, 1)
        hooks = collections.OrderedDict()
        return torch._utils._rebuild_tensor_v2, (Storage(), 0, sizes, strides, False, hooks)


class Storage:
    pass


class Promiser(pickle.Pickler):
    def persistent_id(self, what):
        is_storage = isinstance(what, Storage)
        return ("storage", torch.FloatStorage, "0", "cpu", 1) if is_storage else None


def promise(name):
    """A file that says it holds more than it does."""
    data = io.BytesIO()
    Promiser(data, protocol=2).dump({"embeddings.word_embeddings.weight": Promise()})
    with zipfile.ZipFile(GOLDEN / f"{name}-pickle" / "promise.bin", "w") as out:
        for path, content in [("data.pkl", data.getvalue()), ("version", b"3\n"),
                              ("data/0", bytes(4))]:
            about = zipfile.ZipInfo(f"archive/{path}", (1980, 1, 1, 0, 0, 0))
            out.writestr(about, content)


def limit(folder):
    file = folder / "tokenizer_config.json"
    settings = json.loads(file.read_text())
    settings["model_max_length"] = SEQ_LENGTH_MAX
    file.write_text(json.dumps(settings, indent=2) + "\n")


def make(place):
    def base(name, tokenizer, config, kind, **more):
        folder = place / f"{name}-base"
        folder.mkdir()
        vocab_size = tokenizer(folder)
        model = kind(config(**sizes(vocab_size, **more)))
        loud(model, len(name)).save_pretrained(folder, safe_serialization=True)
        limit(folder)
        return folder

    folder = base("tiny-bge", bert_tokenizer, BertConfig, BertModel,
                  max_position_embeddings=40, hidden_act="gelu_new")
    encoder("tiny-bge", folder, "cls", place, modes=POOLINGS)
    folder = base("tiny-e5", bert_tokenizer, BertConfig, BertModel,
                  max_position_embeddings=40, hidden_act="relu")
    torch.manual_seed(5)
    dense = Dense(32, 20, activation_function=torch.nn.Tanh())
    prompts = {"query": "query: ", "passage": "passage: "}
    encoder("tiny-e5", folder, "mean", place, prompts=prompts, dense=dense)
    roberta = dict(max_position_embeddings=34, type_vocab_size=1, pad_token_id=1,
                   layer_norm_eps=1e-5)
    folder = base("tiny-roberta", unigram_tokenizer, XLMRobertaConfig, XLMRobertaModel, **roberta)
    encoder("tiny-roberta", folder, "cls", place)
    pickled("tiny-roberta")
    promise("tiny-roberta")
    folder = base("tiny-cross", bert_tokenizer, BertConfig, BertForSequenceClassification,
                  max_position_embeddings=40, num_labels=1)
    reranker("tiny-cross", folder)
    folder = base("tiny-cross-roberta", unigram_tokenizer, XLMRobertaConfig,
                  XLMRobertaForSequenceClassification, num_labels=1, **roberta)
    reranker("tiny-cross-roberta", folder)


def main():
    with tempfile.TemporaryDirectory() as place:
        make(pathlib.Path(place))


if __name__ == "__main__":
    main()
