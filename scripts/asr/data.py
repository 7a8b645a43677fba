"""Training examples from shards: the clips, the token sequences whisper.cpp asks for, batches.

An example is one clip, or two joined; with time tokens or without; at times after a text prompt;
clips without words teach the no-speech token. Everything random comes from the generator passed in.
"""

import json
import pathlib
from dataclasses import dataclass, field

import numpy as np
import torch

import texts
import vocab

PROMPT_SHARE = 0.06
TIMES_SHARE = 0.4
JOIN_SHARE = 0.18
CUT_SHARE = 0.15  # of the joined: the second clip breaks off, as it does where a window ends
JOINED_FRAMES_MAX = 950
FRAME = 0.01
IGNORED = -100
# Padding after the longest clip of a batch; the encoder copies its stand-ins from there.
SPARE_FRAMES = 12


@dataclass
class Example:
    """One row of a batch; `guides` hold (moment, half width) of targets whose place is known."""

    mel: np.ndarray
    floor: float
    inputs: list
    targets: list
    letters: list = field(default_factory=list)
    guides: list = field(default_factory=list)
    span: tuple | None = None


class Pool:
    """All clips of a shard folder; `refresh` takes in shards that appeared since."""

    def __init__(self, folder, pairs, excluded, part=(0, 1)):
        self.folder, self.pairs, self.excluded = pathlib.Path(folder), pairs, excluded
        self.part = part
        self.clips, self.loaded = [], set()
        self.refresh()

    def refresh(self):
        """Loads new shards (those of this worker's part) and returns how many clips there are."""
        for index in sorted(self.folder.glob("*.json")):
            mine = int(index.stem) % self.part[1] == self.part[0]
            if mine and index not in self.loaded:
                self.loaded.add(index)
                self._load(index)
        return len(self.clips)

    def _load(self, index):
        frames = np.load(index.with_suffix(".npy"), mmap_mode="r")
        for clip in json.loads(index.read_text()):
            if texts.sentence_keys(clip["text"]) & self.excluded:
                raise SystemExit(
                    f"{index}: excluded sentence in the training clips: {clip['text']!r}"
                )
            clip["mel"] = np.array(frames[clip["offset"] : clip["offset"] + clip["frames"]])
            clip["tokens"] = self.pairs.encode(" " + clip["text"]) if clip["text"] else []
            self.clips.append(clip)


def token_moments(clip, pairs, shift):
    """Where each token is, were speech spread evenly: (moment, half width) in seconds."""
    lengths = [len(pairs.bytes_of[token]) for token in clip["tokens"]]
    total, duration, done, moments = sum(lengths), clip["end"] - clip["start"], 0, []
    for length in lengths:
        middle = (done + length / 2 + 0.5) / total
        moments.append((shift + clip["start"] + middle * duration, 0.12 + 0.05 * duration))
        done += length
    return moments


class Maker:
    """Makes examples and batches from a pool."""

    def __init__(self, pool, rng, frames_per_batch):
        self.pool, self.rng, self.frames_per_batch = pool, rng, frames_per_batch
        self.frames_max = JOINED_FRAMES_MAX

    def example(self):
        """One example."""
        clip = self._pick()
        prompt = self._prompt()
        if not clip["tokens"]:
            return self._silent(clip, prompt)
        return self._spoken(clip, prompt)

    def _pick(self):
        while True:
            clip = self.rng.choice(self.pool.clips)
            if clip["frames"] <= self.frames_max:
                return clip

    def _prompt(self):
        if self.rng.random() > PROMPT_SHARE:
            return []
        earlier = self.rng.sample(self.pool.clips, self.rng.randint(1, 3))
        tokens = [token for clip in earlier for token in clip["tokens"]]
        return [vocab.C_PREVIOUS, *tokens[-40:]]

    def _silent(self, clip, prompt):
        start, quiet, end = vocab.C_START, vocab.C_NO_SPEECH, vocab.C_END
        if self.rng.random() < TIMES_SHARE:
            inputs, targets = [start, vocab.C_TIME_ZERO + self.rng.randint(0, 50)], [quiet, end]
        else:
            inputs = [start, vocab.C_NO_TIMES, self.rng.randrange(220, vocab.RANKS)]
            targets = [quiet, quiet, end]
        return Example(
            clip["mel"], clip["floor"], prompt + inputs, [IGNORED] * len(prompt) + targets
        )

    def _spoken(self, clip, prompt):
        moments = token_moments(clip, self.pool.pairs, 0.0)
        first = min(vocab.time_id(clip["start"]), vocab.C_TIME_ZERO + 50)
        timed = [
            (first, (clip["start"], 0.12)),
            *zip(clip["tokens"], moments),
            (vocab.time_id(clip["end"]), (clip["end"], 0.12)),
        ]
        row = Example(clip["mel"], clip["floor"], [], [], vocab.character_ids(clip["text"]))
        row.span = (clip["start"], clip["end"])
        cut = False
        if self.rng.random() < JOIN_SHARE:
            timed, cut = self._join(row, timed)
        if cut or self.rng.random() < TIMES_SHARE:
            tokens, places = [t for t, _ in timed], [p for _, p in timed]
            inputs, targets = [vocab.C_START, *tokens], [*tokens, vocab.C_END]
            guides = [*places, None]
        else:
            plain = [(t, p) for t, p in timed if t < vocab.RANKS]
            tokens, places = [t for t, _ in plain], [p for _, p in plain]
            inputs = [vocab.C_START, vocab.C_NO_TIMES, *tokens]
            targets, guides = [IGNORED, *tokens, vocab.C_END], [None, *places, None]
        row.inputs, row.targets = prompt + inputs, [IGNORED] * len(prompt) + targets
        row.guides = [None] * len(prompt) + guides
        return row

    def _join(self, row, timed):
        """Appends a second clip where it fits; the timed tokens, and whether it was cut off."""
        other = self._pick()
        frames = len(row.mel) + other["frames"]
        if not other["tokens"] or frames > min(self.frames_max, JOINED_FRAMES_MAX):
            return timed, False
        shift, mel, cut = len(row.mel) * FRAME, other["mel"], self.rng.random() < CUT_SHARE
        start = shift + other["start"]
        timed = [*timed, (vocab.time_id(start), (start, 0.12))]
        if cut:
            kept = other["start"] + self.rng.uniform(0.15, 0.85) * (other["end"] - other["start"])
            mel, row.letters = mel[: int(kept / FRAME)], []
        else:
            end = shift + other["end"]
            moments = token_moments(other, self.pool.pairs, shift)
            timed += [*zip(other["tokens"], moments), (vocab.time_id(end), (end, 0.12))]
            row.letters = row.letters + vocab.character_ids(" " + other["text"])
        row.floor = max(row.floor, other["floor"])
        row.mel, row.span = np.maximum(np.concatenate([row.mel, mel]), np.float16(row.floor)), None
        return timed, cut

    def batches(self):
        """Endless batches of similar lengths, at most `frames_per_batch` frames each."""
        while True:
            rows = sorted((self.example() for _ in range(200)), key=lambda row: len(row.mel))
            groups = [[]]
            for row in rows:
                frames = (len(row.mel) + 30) * (len(groups[-1]) + 1)
                if groups[-1] and frames > self.frames_per_batch:
                    groups.append([])
                groups[-1].append(row)
            self.rng.shuffle(groups)
            yield from groups


def padded(lists, value):
    """A rectangular tensor from lists of different lengths."""
    width = max(map(len, lists))
    return torch.tensor([row + [value] * (width - len(row)) for row in lists])


def masked(mel, rng):
    """SpecAugment in small: some clips lose a band of frequencies, half of those a moment too."""
    if rng.random() < 0.4:
        mean, width = mel.mean(), rng.randint(1, 10)
        band = rng.randint(0, mel.shape[1] - width)
        mel[:, band : band + width] = mean
        if rng.random() < 0.5 and len(mel) > 80:
            width = rng.randint(2, 8)
            at = rng.randint(0, len(mel) - width)
            mel[at : at + width] = mean
    return mel


def mel_batch(mels, floors, rng=None):
    """Stacks clips, each padded with its own floor, to an even number of frames; `rng` augments."""
    frames = max(map(len, mels)) + SPARE_FRAMES + (rng.randint(0, 12) if rng else 0)
    frames += frames % 2
    stacked = np.empty((len(mels), frames, mels[0].shape[1]), np.float32)
    for row, mel, floor in zip(stacked, mels, floors):
        row[:] = floor
        row[: len(mel)] = masked(mel.astype(np.float32), rng) if rng else mel
    return torch.from_numpy(stacked)
