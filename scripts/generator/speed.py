#!/usr/bin/env python3
"""Speed of the local generator against llama.cpp, in turns, so that both see the same machine.

    cargo build --release -p weir-models --features speed --example generator_speed
    pip install llama-cpp-python
    python scripts/generator/speed.py MODEL.gguf target/release/examples/generator_speed

Prints the median tokens per second of a prompt of about 256 tokens and of a reply of 64, on 1 and
2 threads, and ours as a share of llama.cpp's. llama.cpp is timed without choosing tokens, ours
with it."""

import os
import statistics
import subprocess
import sys
import time

from llama_cpp import Llama

TURNS = 4


def theirs(model):
    ids = [(i * 7919) % 40000 + 100 for i in range(256)]
    model.reset()
    begin = time.perf_counter()
    model.eval(ids)
    read = time.perf_counter()
    for i in range(64):
        model.eval([500 + i])
    return 256 / (read - begin), 64 / (time.perf_counter() - read)


def ours(program, path, threads):
    out = subprocess.run([program, path], capture_output=True, text=True, check=True,
                         env={**os.environ, "RAYON_NUM_THREADS": str(threads)})
    rows = [line.split() for line in out.stdout.splitlines()]
    return [(float(row[3]), float(row[7])) for row in rows]


def main():
    path, program = sys.argv[1:3]
    for threads in (1, 2):
        model = Llama(path, n_ctx=512, n_batch=512, n_threads=threads, n_threads_batch=threads,
                      verbose=False)
        them, us = [], []
        for _ in range(TURNS):
            them.extend(theirs(model) for _ in range(3))
            us.extend(ours(program, path, threads))
        for at, what in enumerate(("prefill", "decode")):
            a = statistics.median(row[at] for row in us)
            b = statistics.median(row[at] for row in them)
            print(f"{threads} threads, {what}: {a:.1f} tokens/s, llama.cpp {b:.1f}: {a / b:.2f}",
                  flush=True)


if __name__ == "__main__":
    main()
