"""Writes a checkpoint as a whisper.cpp model file, f16 or quantised to q5_0 or q8_0.

The mel filters and the vocabulary block are copied from an existing ggml file. Rows of tokens that
are never produced all hold one shared row, which packs to almost nothing.
"""

import argparse

import numpy as np
import torch

import ggml
import model
import vocab


def full_embedding(compact):
    """The embedding over all 51,864 tokens from the compact one."""
    full = np.repeat(compact[vocab.UNUSED_ROW : vocab.UNUSED_ROW + 1], vocab.TOKENS_TOTAL, 0)
    full[vocab.USED] = compact[: vocab.UNUSED_ROW]
    return full


def tensors(state):
    """Tensors by whisper.cpp's names, without the character head of training."""
    named = {}
    for name, value in state.items():
        array = value.float().numpy()
        if name.startswith("ctc."):
            continue
        if name == "decoder.token_embedding.weight":
            array = full_embedding(array)
        if name in ("encoder.conv1.bias", "encoder.conv2.bias"):
            array = array.reshape(-1, 1)
        named[name] = array
    return named


def header(state):
    """Header values of a checkpoint."""
    width = state["decoder.ln.weight"].shape[0]
    heads = width // model.HEAD_DIM
    return {
        "vocab": vocab.TOKENS_TOTAL,
        "audio_ctx": model.AUDIO_CTX,
        "audio_state": width,
        "audio_head": heads,
        "audio_layer": model.ENCODER_LAYERS,
        "text_ctx": model.TEXT_CTX,
        "text_state": width,
        "text_head": heads,
        "text_layer": model.DECODER_LAYERS,
        "mels": model.MELS,
    }


def main():
    """Exports one checkpoint."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkpoint")
    parser.add_argument("out")
    parser.add_argument(
        "--tables", required=True, help="ggml whisper file, for mel filters and vocabulary"
    )
    parser.add_argument("--type", choices=sorted(ggml.FILE_TYPES), default="q5_0")
    args = parser.parse_args()
    state = torch.load(args.checkpoint, map_location="cpu")["m"]
    preamble = ggml.read_preamble(args.tables)
    ggml.write_model(args.out, header(state), preamble.tables, tensors(state), args.type)
    print(
        f"{args.out}: {args.type}, {sum(array.size for array in tensors(state).values()):,} values"
    )


if __name__ == "__main__":
    main()
