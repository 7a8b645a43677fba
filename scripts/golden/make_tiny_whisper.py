#!/usr/bin/env python3
"""Writes fixtures/golden/tiny-whisper/: two Whispers of random weights, each in the layouts of
Hugging Face and CTranslate2 (zipped, since the embedding has to be as long as a real one), and
golden.json with the checksums of the ggml files that this script, an implementation in numpy of its
own, makes of the models that were saved, and with logits of transformers for one of them. Follows convert-h5-to-ggml.py and quantize of whisper.cpp
1.8. The CTranslate2 files are written by CTranslate2's own converter. The vocabulary is made up; the
test makes the same one (`words`) and puts it into each folder."""

import copy
import hashlib
import json
import pathlib
import struct
import sys
import tempfile
import zipfile

import numpy as np
import torch
from ctranslate2.converters import transformers
from transformers import WhisperConfig, WhisperForConditionalGeneration

GOLDEN = pathlib.Path(__file__).parents[2] / "fixtures" / "golden" / "tiny-whisper"
SIZES = {
    "d_model": 32, "encoder_ffn_dim": 128, "decoder_ffn_dim": 128, "encoder_attention_heads": 2,
    "decoder_attention_heads": 2, "max_source_positions": 64, "max_target_positions": 32,
}
# An English one; one like large-v3, distilled to one decoder layer.
KINDS = {
    "english": {"vocab_size": 51864, "num_mel_bins": 80, "encoder_layers": 1, "decoder_layers": 2},
    "large-v3": {"vocab_size": 51866, "num_mel_bins": 128, "encoder_layers": 2, "decoder_layers": 1},
}
# Rows of the embedding repeat, so that it packs well.
ROWS = 97
# Tokens behind which logits are kept.
SAID = [50257, 50362, 3, 96, 17, 50, 81, 24]
# ggml_ftype with 1000 times the version of the layout, and ggml_type.
QUANTISED = {"q4_0": (2002, 2), "q4_1": (2003, 3), "q5_0": (1008, 6), "q5_1": (1009, 7), "q8_0": (2007, 8)}


def words(english):
    """50,257 tokens as bytes: every byte, then numbers behind a blank, or behind bytes of no text."""
    listed = [bytes([byte]) for byte in range(256)]
    listed += [b" %d" % at if at % 3 else b"\xff\n%d" % at for at in range(50_256 - 256)]
    return listed + [b"<|endoftext|>" if english else b""]


def build(name, seed):
    torch.manual_seed(seed)
    config = WhisperConfig(**SIZES, **KINDS[name], pad_token_id=50_256, bos_token_id=50_256, eos_token_id=50_256)
    model = WhisperForConditionalGeneration(config)
    with torch.no_grad():
        for key, value in model.named_parameters():
            value.copy_((1.0 if "layer_norm" in key and "weight" in key else 0.0) + 0.3 * torch.randn_like(value))
        embedding = model.model.decoder.embed_tokens.weight
        embedding.copy_(embedding[:ROWS].repeat(embedding.shape[0] // ROWS + 1, 1)[: embedding.shape[0]])
        # A row of one value, one of zeros, and one whose largest magnitude occurs twice.
        bias = model.model.decoder.layers[0].fc1.weight
        bias[0], bias[1] = 0.25, 0.0
        bias[2, 3], bias[2, 7] = 2.0, -2.0
    return model.eval()


def blocks(values, kind):
    """Blocks of 32 values, as `quantize_row_*_ref` of ggml makes them."""
    values = values.astype(np.float32).reshape(-1, 32)

    def over(scale):
        with np.errstate(divide="ignore"):
            return np.where(scale != 0, np.float32(1) / scale, np.float32(0)).astype(np.float32)[:, None]

    def packed(array, kind):
        return np.ascontiguousarray(array.astype(kind)).view(np.uint8).reshape(len(array), -1)

    if kind == "q8_0":
        scale = np.abs(values).max(1) / np.float32(127)
        scaled = values * over(scale)
        codes = np.trunc(np.abs(scaled).astype(np.float64) + 0.5) * np.sign(scaled)
        return np.concatenate([packed(scale, "<f2"), packed(codes, "i1")], 1).tobytes()
    bits = int(kind[1])
    if kind.endswith("_0"):
        extreme = np.take_along_axis(values, np.abs(values).argmax(1)[:, None], 1)[:, 0]
        head = [extreme / np.float32(-(1 << (bits - 1)))]
        scaled = values * over(head[0]) + np.float32((1 << (bits - 1)) + 0.5)
    else:
        low = values.min(1)
        head = [(values.max(1) - low) / np.float32((1 << bits) - 1), low]
        scaled = (values - low[:, None]) * over(head[0]) + np.float32(0.5)
    codes = np.minimum(scaled.astype(np.int32), (1 << bits) - 1)
    parts = [packed(number, "<f2") for number in head]
    if bits == 5:
        parts.append(packed(((codes >> 4) << np.arange(32)).sum(1), "<u4"))
    parts.append(((codes[:, :16] & 15) | ((codes[:, 16:] & 15) << 4)).astype(np.uint8))
    return np.concatenate(parts, 1).tobytes()


def filters(bands):
    """Slaney's mel filter bank as librosa computes it: 16 kHz, 400 samples."""
    step = np.log(6.4) / 27
    edges = np.linspace(0, 15 + np.log(8.0) / step, bands + 2)
    hz = np.where(edges >= 15, 1000 * np.exp(step * (edges - 15)), edges * (200 / 3))
    ramps, widths = np.subtract.outer(hz, np.fft.rfftfreq(400, 1 / 16000)), np.diff(hz)
    bank = np.zeros((bands, 201), np.float32)
    for band in range(bands):
        rise, fall = -ramps[band] / widths[band], ramps[band + 2] / widths[band + 1]
        bank[band] = np.maximum(0, np.minimum(rise, fall))
    bank *= (2 / (hz[2:] - hz[:-2]))[:, None]
    return bank + np.float32(0)  # no negative zero


def order(config):
    """The tensors of the published files in their order, by their names in transformers."""
    yield "decoder.positional_embedding", "decoder.embed_positions.weight"
    yield "encoder.positional_embedding", "encoder.embed_positions.weight"
    yield "decoder.token_embedding.weight", "decoder.embed_tokens.weight"
    for side, count in (("decoder", config.decoder_layers), ("encoder", config.encoder_layers)):
        if side == "encoder":
            yield from both("decoder.ln", "decoder.layer_norm")
            yield from both("encoder.conv1", "encoder.conv1")
            yield from both("encoder.conv2", "encoder.conv2")
        for at in range(count):
            to, of = f"{side}.blocks.{at}.", f"{side}.layers.{at}."
            yield from both(to + "mlp_ln", of + "final_layer_norm")
            yield from both(to + "mlp.0", of + "fc1")
            yield from both(to + "mlp.2", of + "fc2")
            kinds = [("attn", "self_attn"), ("cross_attn", "encoder_attn")]
            for ours, theirs in kinds[: 2 if side == "decoder" else 1]:
                yield from both(f"{to}{ours}_ln", f"{of}{theirs}_layer_norm")
                yield from both(f"{to}{ours}.query", f"{of}{theirs}.q_proj")
                yield f"{to}{ours}.key.weight", f"{of}{theirs}.k_proj.weight"
                yield from both(f"{to}{ours}.value", f"{of}{theirs}.v_proj")
                yield from both(f"{to}{ours}.out", f"{of}{theirs}.out_proj")
    yield from both("encoder.ln_post", "encoder.layer_norm")


def both(to, of):
    yield f"{to}.weight", f"{of}.weight"
    yield f"{to}.bias", f"{of}.bias"


def ggml(model, quantised=None):
    config = model.config
    state = {name.removeprefix("model."): value.detach().numpy() for name, value in model.state_dict().items()}
    header = [
        config.vocab_size, config.max_source_positions, config.d_model, config.encoder_attention_heads,
        config.encoder_layers, config.max_target_positions, config.d_model, config.decoder_attention_heads,
        config.decoder_layers, config.num_mel_bins, QUANTISED[quantised][0] if quantised else 1,
    ]
    bank = filters(config.num_mel_bins)
    out = [struct.pack("<I11i2i", 0x67676D6C, *header, *bank.shape), bank.astype("<f4").tobytes()]
    listed = words(config.vocab_size == 51864)
    out.append(struct.pack("<i", len(listed)))
    for word in listed:
        out += [struct.pack("<i", len(word)), word]
    for name, theirs in order(config):
        value = state[theirs]
        if name in ("encoder.conv1.bias", "encoder.conv2.bias"):
            value = value.reshape(-1, 1)
        is_plain = value.ndim < 2 or name.endswith((".bias", "positional_embedding"))
        if is_plain:
            kind, data = 0, value.astype("<f4").tobytes()
        elif quantised and value.ndim == 2:
            kind, data = QUANTISED[quantised][1], blocks(value.astype(np.float16), quantised)
        else:
            kind, data = 1, value.astype("<f2").tobytes()
        sizes = struct.pack(f"<3i{value.ndim}i", value.ndim, len(name), kind, *reversed(value.shape))
        out += [sizes, name.encode(), data]
    return b"".join(out)


def sound(bands, frames):
    """A made-up spectrogram between -1 and 1, which the test makes again."""
    noise = (np.arange(bands * frames, dtype=np.uint64) * 2_654_435_761) % 2**32 >> 24
    return (noise.astype(np.float32) / 128 - 1).reshape(bands, frames)


def logits(model):
    """The logits of the first tokens, those with embeddings of their own, after each of some."""
    features = torch.from_numpy(sound(model.config.num_mel_bins, 2 * model.config.max_source_positions))
    with torch.no_grad():
        out = model(input_features=features[None], decoder_input_ids=torch.tensor([SAID])).logits[0]
    return {"tokens": SAID, "logits": [[round(float(x), 5) for x in row[:ROWS]] for row in out]}


def zipped(folder, name):
    with zipfile.ZipFile(GOLDEN / f"{name}.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
        for file in sorted(folder.iterdir()):
            # A date of its own would change the file each time.
            made.writestr(zipfile.ZipInfo(file.name), file.read_bytes(), zipfile.ZIP_DEFLATED, 9)


def write_hugging_face(model, name, shards):
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        model.save_pretrained(folder, max_shard_size=shards)
        (folder / "generation_config.json").unlink(missing_ok=True)
        zipped(folder, name)


def write_ctranslate2(model, name, dtype):
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        # The loader takes a model in memory; it is made without its tokenizer.
        spec = object.__new__(transformers.WhisperLoader).get_model_spec(model)
        spec.register_vocabulary([f"t{at}" for at in range(model.config.vocab_size)])
        spec.config.suppress_ids, spec.config.suppress_ids_begin, spec.config.lang_ids = [], [], []
        spec.config.alignment_heads = [(0, 0)]
        spec.validate()
        spec.optimize(quantization=dtype)
        spec.save(str(folder))
        (folder / "vocabulary.json").unlink()
        zipped(folder, name)


def main():
    GOLDEN.mkdir(parents=True, exist_ok=True)
    # Weights as float32 in several files, as rounded float32, as bfloat16, as float16.
    english, large = build("english", 61), build("large-v3", 62)
    rounded = copy.deepcopy(english).half().float()
    brief, half = copy.deepcopy(large).bfloat16(), copy.deepcopy(large).half().float()
    write_hugging_face(english, "english-hugging-face", "200KB")
    write_ctranslate2(rounded, "english-ctranslate2", None)
    write_hugging_face(brief, "large-v3-hugging-face", "1GB")
    write_ctranslate2(half, "large-v3-ctranslate2", "float16")
    golden = {}
    for name, model in (
        ("english-hugging-face", english), ("english-ctranslate2", rounded),
        ("large-v3-hugging-face", brief.float()), ("large-v3-ctranslate2", half),
    ):
        golden[name] = {}
        for quantised in (None, *QUANTISED):
            made = ggml(model, quantised)
            about = {"bytes": len(made), "sha256": hashlib.sha256(made).hexdigest()}
            golden[name][quantised or "f16"] = about
    golden["english-hugging-face"]["whole"] = logits(english)
    (GOLDEN / "golden.json").write_text(json.dumps(golden) + "\n")
    for file in sorted(GOLDEN.iterdir()):
        print(file.name, file.stat().st_size, file=sys.stderr)


if __name__ == "__main__":
    main()
