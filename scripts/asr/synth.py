"""Turns a text list into speech: espeak-ng and flite voices, in varied rooms, noise and tempo.

Writes shards of log-mel features (`NNNN.npy`, float16 frames of all clips) with their index
(`NNNN.json`); a shard appears whole or not at all, so that training may start while synthesis goes
on. Each clip depends on the seed and its line number alone, never on which worker made it.
"""

import argparse
import json
import multiprocessing
import os
import pathlib
import random
import subprocess
import tempfile

import numpy as np
from scipy.signal import fftconvolve, lfilter, resample_poly

import ggml
from features import HOP, SAMPLE_RATE, log_mel

# Voices that are measured, with their share of the training clips; the rest is spread over
# VARIANTS.
MEASURED = {
    "flite:slt": 0.14,
    "flite:rms": 0.14,
    "flite:awb": 0.08,
    "flite:kal16": 0.09,
    "espeak:en-us": 0.13,
    "espeak:en-us+f2": 0.07,
    "espeak:en-us+f4": 0.08,
    "espeak:en-gb": 0.07,
    "espeak:en-gb-scotland+m6": 0.10,
}
ACCENTS = ["en-us", "en-us", "en-gb", "en-gb-x-rp", "en-us-nyc"]
VARIANTS = """m1 m2 m3 m4 m5 m7 f1 f2 f3 f5 Annie belinda adam Alex linda steph max john Andy david
Michael rob""".split()
FLITE_PITCH_HZ = {"slt": 165, "rms": 100, "awb": 125, "kal16": 105}
CLIP_SECONDS_MAX = 9.5
# True silence after a clip, so that its last frames are padding's neighbours.
TAIL_SAMPLES = SAMPLE_RATE // 10
SILENT_SHARE = 0.035  # clips with no word in them
SHARD_LINES = 250


def pick_voice(rng, voices=()):
    """One of `voices`; without any, a measured one by its share or an accent with a variant."""
    if voices:
        return rng.choice(voices)
    draw = rng.random()
    for voice, share in MEASURED.items():
        draw -= share
        if draw < 0:
            return voice
    return f"espeak:{rng.choice(ACCENTS)}+{rng.choice(VARIANTS)}"


def read_wav(data):
    """Samples at 16 kHz of a mono 16-bit WAV whose header may not know its length."""
    at = data.find(b"data") + 8
    rate = int.from_bytes(data[24:28], "little")
    samples = np.frombuffer(data, "<i2", (len(data) - at) // 2, at).astype(np.float32) / 32768
    factors = {16000: None, 22050: (320, 441), 8000: (2, 1)}[rate]
    return samples if factors is None else resample_poly(samples, *factors).astype(np.float32)


def speak(text, voice, rng=None):
    """Speech of a text; `rng` varies tempo and pitch, without it the voice is as it comes."""
    engine, name = voice.split(":")
    if engine == "flite":
        with tempfile.NamedTemporaryFile(suffix=".wav", dir="/dev/shm") as file:
            command = ["flite", "-voice", name, "-t", text, "-o", file.name]
            command[3:3] = flite_settings(name, rng)
            subprocess.run(command, check=True, capture_output=True)
            return read_wav(pathlib.Path(file.name).read_bytes())
    command = ["espeak-ng", "-v", name, "--stdout"]
    if rng:
        command += ["-s", str(rng.randint(155, 210)), "-p", str(rng.randint(35, 68))]
    return read_wav(subprocess.run([*command, text], check=True, capture_output=True).stdout)


def flite_settings(name, rng):
    """flite options that vary tempo, and pitch half of the time."""
    if rng is None:
        return []
    options = ["--setf", f"duration_stretch={rng.choice([1.0, rng.uniform(0.85, 1.1)]):.2f}"]
    if rng.random() < 0.4:
        pitch_hz = FLITE_PITCH_HZ[name] * rng.uniform(0.88, 1.15)
        options += ["--setf", f"int_f0_target_mean={pitch_hz:.0f}"]
    return options


def trimmed(samples):
    """Speech without the engine's own silence around it, but for 10 ms before and 20 ms after."""
    loud = np.nonzero(np.abs(samples) > max(0.01 * np.abs(samples).max(), 1e-4))[0]
    return samples[max(0, loud[0] - 160) : loud[-1] + 320] if len(loud) else samples


def noise(count, rng, source):
    """Unit-power noise: white, reddish, or reddish with mains hum."""
    kind = rng.randrange(3)
    samples = source.standard_normal(count).astype(np.float32)
    if kind:
        samples = lfilter([1], [1, -0.97 if kind == 1 else -0.8], samples)
    if kind == 2:
        hum_hz = rng.choice([50, 60, 100, 120])
        samples += 0.3 * np.sin(2 * np.pi * hum_hz * np.arange(count) / SAMPLE_RATE)
    return (samples / (np.sqrt((samples**2).mean()) + 1e-9)).astype(np.float32)


def roomy(samples, rng, source):
    """Speech in a small room: convolved with a short decaying noise."""
    seconds = rng.uniform(0.08, 0.3)
    count = int(seconds * SAMPLE_RATE)
    echo = source.standard_normal(count).astype(np.float32)
    echo *= np.exp(-6.9 * np.arange(count) / count)
    echo *= rng.uniform(0.1, 0.5) / np.sqrt((echo**2).sum())
    echo[0] = 1
    return fftconvolve(samples, echo)[: len(samples)].astype(np.float32)


def varied(speech, rng, source):
    """A training clip around speech: (samples, first second of speech, last second of speech)."""
    lead = rng.choice([rng.uniform(0, 0.15), rng.uniform(0.1, 0.4), rng.uniform(0, 0.8)])
    tail = rng.choice([rng.uniform(0, 0.15), rng.uniform(0.1, 0.6)])
    if rng.random() < 0.15:
        speech = roomy(speech, rng, source)
    if rng.random() < 0.2:
        speech = lfilter([1, rng.uniform(-0.6, 0.6)], [1], speech).astype(np.float32)
    clip = np.pad(speech, (int(lead * SAMPLE_RATE), int(tail * SAMPLE_RATE)))
    if rng.random() < 0.4:
        power = np.sqrt((clip**2).mean())
        clip = clip + noise(len(clip), rng, source) * power * 10 ** (-rng.uniform(14, 45) / 20)
    clip = clip / np.abs(clip).max() * 10 ** (-rng.uniform(0, 20) / 20)
    return clip, lead, lead + len(speech) / SAMPLE_RATE


def clean(speech):
    """A measured clip around speech: fixed silence, half of full scale."""
    clip = np.pad(speech, (int(0.2 * SAMPLE_RATE), int(0.3 * SAMPLE_RATE)))
    return clip / (np.abs(clip).max() + 1e-9) * 0.5


def wordless(rng, source):
    """A clip without speech: silence, or noise at -70 to -25 dB."""
    count = int(SAMPLE_RATE * rng.uniform(0.6, 4))
    if rng.random() < 0.25:
        return np.zeros(count, np.float32)
    return noise(count, rng, source) * 10 ** (rng.uniform(-70, -25) / 20)


def quantised(samples):
    """Samples rounded to 16 bits, as a file would hold them."""
    return (np.clip(samples, -1, 1) * 32767).astype(np.int16)


def training_clip(line, kind, text, args, filters):
    """The features and index record of one line, or None when it came out too long."""
    rng = random.Random(f"{args.seed}/{line}")
    source = np.random.default_rng(rng.randrange(1 << 30))
    voice = pick_voice(rng, args.voices)
    if rng.random() < SILENT_SHARE:
        kind, text, start, end = "silent", "", 0.0, 0.0
        samples = wordless(rng, source)
    else:
        speech = trimmed(speak(text, voice, rng))
        samples, start, end = varied(speech / (np.abs(speech).max() + 1e-9), rng, source)
    if len(samples) > CLIP_SECONDS_MAX * SAMPLE_RATE:
        return None
    padded = np.pad(quantised(samples), (0, TAIL_SAMPLES)).astype(np.float32) / 32768
    mel, floor = log_mel(padded, filters)
    record = {
        "text": text,
        "kind": kind,
        "voice": voice,
        "start": round(start, 2),
        "end": round(end, 2),
        "floor": floor,
    }
    return mel.astype(np.float16), record


def make_shard(job):
    """Synthesises one shard; a shard that exists is left as it is."""
    number, rows, args = job
    target = args.out / f"{number:04}.json"
    if target.exists():
        return 0.0
    filters = ggml.read_preamble(args.tables).mel_filters
    mels, index, frames = [], [], 0
    for offset, (kind, text) in enumerate(rows):
        made = training_clip(number * SHARD_LINES + offset, kind, text, args, filters)
        if made is not None:
            mels.append(made[0])
            index.append(dict(made[1], offset=frames, frames=len(made[0])))
            frames += len(made[0])
    np.save(target.with_suffix(".npy"), np.concatenate(mels))
    partial = target.with_suffix(".part")
    partial.write_text(json.dumps(index))
    os.replace(partial, target)
    return frames * HOP / SAMPLE_RATE / 3600


def main():
    """Synthesises every shard of the list that is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("texts", type=pathlib.Path, help="tab-separated kind and text")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument(
        "--tables", required=True, help="any English-only ggml whisper file, for its mel filters"
    )
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument(
        "--voices", nargs="*", default=[], help="speak with these alone, such as espeak:en-us+f4"
    )
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    rows = [line.split("\t") for line in args.texts.read_text(encoding="utf-8").splitlines()]
    jobs = [
        (n, rows[n * SHARD_LINES :][:SHARD_LINES], args)
        for n in range(-(-len(rows) // SHARD_LINES))
    ]
    with multiprocessing.Pool(args.workers) as pool:
        hours = 0.0
        for done, made in enumerate(pool.imap(make_shard, jobs), 1):
            hours += made
            print(f"shard {done} of {len(jobs)}, {hours:.2f} h made", flush=True)


if __name__ == "__main__":
    main()
