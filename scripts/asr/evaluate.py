"""Measures model files through real whisper.cpp on held-out sentences in clean voices.

Every model hears the same clips in the same run. Error rates are given overall, by kind of sentence
and by voice, for greedy search and for beam search with five beams, without temperature fallback.
"""

import argparse
import hashlib
import json
import pathlib
import random
import time
import wave

import numpy as np
from pywhispercpp.model import Model

import synth
from features import SAMPLE_RATE
from wer import Tally

AUDIO_CTX = 512  # 10.24 s, as the engine runs this model
# These voices say every sentence; the others one in three.
EVERYWHERE = ["flite:slt", "flite:rms", "flite:awb", "espeak:en-us"]
SEARCHES = {
    "greedy": (0, {"greedy": {"best_of": 1}}),
    "beam5": (1, {"beam_search": {"beam_size": 5, "patience": -1.0}}),
}


def held_clips(path, limit, seed):
    """(kind, voice, text) of the clips to measure; `limit` takes a sample."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    clips = [
        (kind, voice, text)
        for i, (kind, text) in enumerate(rows)
        for voice in synth.MEASURED
        if voice in EVERYWHERE or i % 3 == 0
    ]
    return random.Random(seed).sample(clips, limit) if limit and limit < len(clips) else clips


def audio(voice, text, cache):
    """Clean speech of a text as float samples, kept as a WAV in the cache."""
    path = cache / (hashlib.sha256(f"{voice}/{text}".encode()).hexdigest()[:20] + ".wav")
    if not path.exists():
        speech = synth.trimmed(synth.speak(text, voice))
        with wave.open(str(path), "wb") as file:
            file.setparams((1, 2, SAMPLE_RATE, 0, "NONE", ""))
            file.writeframes(synth.quantised(synth.clean(speech)).tobytes())
    with wave.open(str(path), "rb") as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.float32) / 32768


def measure(model_path, search, clips, cache, times):
    """Results of one model under one search over all clips."""
    strategy, options = SEARCHES[search]
    model = Model(
        str(model_path),
        params_sampling_strategy=strategy,
        redirect_whispercpp_logs_to=None,
        n_threads=1,
        audio_ctx=AUDIO_CTX,
        no_timestamps=not times,
        temperature_inc=0.0,
        print_progress=False,
        print_timestamps=False,
        no_context=True,
        single_segment=False,
        language="en",
        **options,
    )
    tally, heard, seconds, begun = Tally(), [], 0.0, time.process_time()
    for kind, voice, text in clips:
        samples = audio(voice, text, cache)
        said = " ".join(segment.text for segment in model.transcribe(samples))
        seconds += len(samples) / SAMPLE_RATE
        tally.add(text, said, ["all", f"kind {kind}", f"voice {voice}"])
        heard.append({"kind": kind, "voice": voice, "text": text, "heard": said})
    cost = round((time.process_time() - begun) / seconds, 3)
    return {
        "model": str(model_path),
        "search": search,
        "audio_s": round(seconds),
        "cpu_per_audio": cost,
        "table": tally.table(),
        "clips": heard,
    }


def print_tables(results):
    """One line per key, one column per model and search."""
    keys = sorted({key for result in results for key in result["table"]})
    titles = [f"{pathlib.Path(r['model']).stem}/{r['search']}" for r in results]
    print("| | clips | " + " | ".join(titles) + " |\n|---" * 1 + "|---" * (len(titles) + 1) + "|")
    for key in keys:
        cells = [f"{r['table'][key]['wer']} %" for r in results]
        print(f"| {key} | {results[0]['table'][key]['clips']} | " + " | ".join(cells) + " |")


def main():
    """Measures every model named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--held", type=pathlib.Path, required=True, help="held.tsv: kind and text")
    parser.add_argument("--cache", type=pathlib.Path, required=True, help="folder for the clips")
    parser.add_argument("--searches", nargs="*", default=list(SEARCHES), choices=list(SEARCHES))
    parser.add_argument("--limit", type=int, default=0, help="a sample of so many clips")
    parser.add_argument("--times", action="store_true", help="decode with time tokens")
    parser.add_argument("--json", type=pathlib.Path, help="write everything heard")
    args = parser.parse_args()
    args.cache.mkdir(parents=True, exist_ok=True)
    clips = held_clips(args.held, args.limit, seed=5)
    results = [
        measure(model, search, clips, args.cache, args.times)
        for model in args.models
        for search in args.searches
    ]
    print_tables(results)
    if args.json:
        args.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
