#!/usr/bin/env python3
"""Writes fixtures/golden/tiny-decoders/: random decoders of the three families in the layout of
transformers, and golden.json with the logits that transformers computes with them.

llama is stored in f32 and in two files with an index, qwen2 in bf16, qwen3 in f16. All share one
small byte-level tokenizer. Seeds are fixed."""

import json
import pathlib
import shutil

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM
from transformers import Qwen2Config, Qwen2ForCausalLM, Qwen3Config, Qwen3ForCausalLM

OUT = pathlib.Path(__file__).parents[2] / "fixtures" / "golden" / "tiny-decoders"
SPECIALS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + "
    "message['content'] + '<|im_end|>' + '\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
WORDS = "the boat lies in the harbour and the harbour lies in the fog, said the old man to the boy"
SHARED = dict(
    hidden_size=48,
    intermediate_size=96,
    num_hidden_layers=2,
    num_attention_heads=6,
    num_key_value_heads=2,
    max_position_embeddings=128,
    initializer_range=0.35,
    eos_token_id=2,
    bos_token_id=1,
)


def tokenizer():
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=SPECIALS, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    made.train_from_iterator([WORDS] * 3, trainer)
    return made


def main():
    words = tokenizer()
    SHARED["vocab_size"] = words.get_vocab_size() + 5  # padded, as Qwen's are
    rope = {"rope_type": "llama3", "rope_theta": 5000.0, "factor": 4.0, "low_freq_factor": 1.0,
            "high_freq_factor": 4.0, "original_max_position_embeddings": 32}
    plain = {"rope_type": "default", "rope_theta": 10000.0}
    kinds = [
        ("llama", torch.float32, LlamaForCausalLM,
         LlamaConfig(**SHARED, rope_parameters=rope, tie_word_embeddings=True)),
        ("qwen2", torch.bfloat16, Qwen2ForCausalLM,
         Qwen2Config(**SHARED, rope_parameters=plain, tie_word_embeddings=False)),
        ("qwen3", torch.float16, Qwen3ForCausalLM,
         Qwen3Config(**SHARED, rope_parameters=plain, head_dim=16, tie_word_embeddings=True)),
    ]
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    golden = {}
    for seed, (name, kind, model_type, config) in enumerate(kinds):
        torch.manual_seed(seed + 40)
        model = model_type(config)
        with torch.no_grad():
            for key, value in model.named_parameters():
                if key.endswith("bias") or "norm" in key:
                    value += torch.randn_like(value) * 0.3
        model = model.to(kind)
        folder = OUT / name
        size = "60KB" if name == "llama" else "50MB"
        model.save_pretrained(folder, max_shard_size=size)
        words.save(str(folder / "tokenizer.json"))
        about = {"eos_token": "<|im_end|>", "bos_token": "<|im_start|>"}
        if name == "llama":
            (folder / "chat_template.jinja").write_text(TEMPLATE)
        else:
            about["chat_template"] = TEMPLATE
        (folder / "tokenizer_config.json").write_text(json.dumps(about))
        # Read again, since the rotation's speeds were rounded too.
        model = model_type.from_pretrained(folder, dtype=torch.float32).eval()
        generator = torch.Generator().manual_seed(seed)
        ids = torch.randint(3, words.get_vocab_size(), (1, 70), generator=generator)
        with torch.no_grad():
            logits = model(ids).logits[0]
        keep = [0, 1, 7, 8, 33, 69]
        golden[name] = {
            "ids": ids[0].tolist(),
            "top": logits.argmax(-1).tolist(),
            "logits": {str(at): [round(float(x), 5) for x in logits[at]] for at in keep},
        }
    (OUT / "golden.json").write_text(json.dumps(golden) + "\n")


if __name__ == "__main__":
    main()
