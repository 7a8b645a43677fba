"""Trains the model from scratch, or onwards from a checkpoint, on shards that `synth` makes.

Several workers of one thread each train side by side on their own part of the shards and average
their weights every few steps: on few and busy cores this keeps every idle moment in use. The length
is a number of steps, or of minutes where the clock decides. Losses: next token; characters by CTC,
for the encoder's sake; and, early when from scratch, an even spelling over time and a pull of the
cross attention to where its token is, which break the long plateau at the start.
"""

import argparse
import json
import pathlib
import random
import time

import torch
import torch.multiprocessing as processes
from torch.nn import functional

import data
import ggml
import vocab
from model import Tiny
from optim import Optimisers

CONTEXTS = [512, 512, 512, 1500, None]  # audio contexts to train for; None is the clip alone
STAND_INS = 12
REPORT_SECONDS = 30
SECONDS_PER_POSITION = 0.02


def even_spelling_loss(log_probs, rows, true):
    """Cross entropy of the character head against letters spread evenly over the speech."""
    wanted = torch.full((len(rows), true), data.IGNORED)
    moments = torch.arange(true) * SECONDS_PER_POSITION + 0.01
    for i, row in enumerate(rows):
        if row.span and row.letters:
            start, end = row.span
            place = ((moments - start) / (end - start) * len(row.letters)).floor().long()
            inside = (place >= 0) & (place < len(row.letters))
            letters = torch.tensor(row.letters)[place.clamp(0, len(row.letters) - 1)]
            wanted[i] = torch.where(inside, letters, 0)
            wanted[i, len(row.mel) // 2 + 10 :] = data.IGNORED
    if (wanted == data.IGNORED).all():
        return 0.0
    return functional.nll_loss(log_probs.flatten(0, 1), wanted.flatten())


def guiding_loss(model, rows, true, positions):
    """How little of each decoder layer's cross attention is near its token's place in the audio."""
    places = [
        (i, j, *place) for i, row in enumerate(rows) for j, place in enumerate(row.guides) if place
    ]
    if not places:
        return 0.0
    row, column, moment, half_width = (torch.tensor(values) for values in zip(*places))
    times = torch.arange(positions) * SECONDS_PER_POSITION + 0.01
    window = ((times[None] - moment[:, None]).abs() < half_width[:, None]).float()
    window[:, true:] = 0
    blocks = model.decoder.blocks
    near = [(block.cross_attn.weights[row, column] * window).sum(-1) for block in blocks]
    return sum(-(share + 1e-3).log().mean() for share in near) / len(blocks)


def character_loss(log_probs, rows, true):
    """CTC over the rows whose whole text is known."""
    chosen = [i for i, row in enumerate(rows) if row.letters]
    if not chosen:
        return torch.zeros(())
    letters = data.padded([rows[i].letters for i in chosen], 0)
    lengths = torch.tensor([len(rows[i].letters) for i in chosen])
    frames = torch.tensor([min(true, len(rows[i].mel) // 2 + 4) for i in chosen])
    return functional.ctc_loss(
        log_probs[chosen].transpose(0, 1), letters, frames, lengths, zero_infinity=True
    )


def losses(model, rows, rng, weights):
    """The total loss of a batch, and its token and character parts for the log."""
    mel = data.mel_batch([row.mel for row in rows], [row.floor for row in rows], rng)
    audio, true, mask = model.encoder(mel, rng.choice(CONTEXTS), STAND_INS)
    for block in model.decoder.blocks:
        block.cross_attn.keep = weights["guide"] > 0
    targets = data.padded([row.targets for row in rows], data.IGNORED)
    states = model.decoder(data.padded([row.inputs for row in rows], vocab.C_END), audio, mask)
    asked = targets != data.IGNORED
    token = functional.cross_entropy(model.decoder.logits(states[asked]), targets[asked])
    log_probs = model.ctc(audio[:, :true]).log_softmax(-1)
    letters = character_loss(log_probs, rows, true)
    total = token + weights["letters"] * letters
    if weights["even"] > 0:
        total = total + weights["even"] * even_spelling_loss(log_probs, rows, true)
    if weights["guide"] > 0:
        total = total + 0.7 * weights["guide"] * guiding_loss(model, rows, true, audio.shape[1])
    return total, token.item(), letters.item()


def schedule(progress, args):
    """Learning-rate factor, loss weights and longest clip at a share of the whole training."""
    warm = min(1.0, progress / args.warm_share + 0.02)
    factor = warm * min(1.0, max(0.01, (1 - progress) / args.decay_share))
    if args.init:
        return factor, {"letters": 0.3, "even": 0.0, "guide": 0.0}, data.JOINED_FRAMES_MAX
    weights = {
        "letters": 1.0 if progress < 0.3 else 0.5,
        "even": max(0.0, 1 - progress / 0.15),
        "guide": max(0.0, 1 - progress / 0.3),
    }
    longest = 230 if progress < 0.06 else 320 if progress < 0.12 else data.JOINED_FRAMES_MAX
    return factor, weights, longest


class Averager:
    """Workers' weights in shared memory: each leaves its own there and takes the mean."""

    def __init__(self, model, workers):
        flat = torch.nn.utils.parameters_to_vector(model.parameters()).detach()
        self.slots = flat.repeat(workers, 1).share_memory_()

    @torch.no_grad()
    def exchange(self, model, worker):
        """Averages `model` with what the others left; a slot half written does no harm."""
        self.slots[worker].copy_(torch.nn.utils.parameters_to_vector(model.parameters()))
        torch.nn.utils.vector_to_parameters(self.slots.mean(0), model.parameters())


def load(model, path):
    """Fills a model from a checkpoint of the same shape."""
    model.load_state_dict(torch.load(path, map_location="cpu")["m"])


def work(worker, args, averager):
    """One worker's training loop; worker 0 reports and keeps the checkpoints."""
    torch.set_num_threads(1)
    torch.manual_seed(args.seed + worker)
    rng = random.Random(args.seed * 1000 + worker)
    pairs = vocab.BytePairs(ggml.read_preamble(args.tables).tokens)
    excluded = set(args.excluded.read_text().splitlines())
    pool = data.Pool(args.shards, pairs, excluded, (worker, args.workers))
    if not pool.clips:
        raise SystemExit(
            f"{args.shards}: no clips for worker {worker} of {args.workers}; "
            "synthesise at least one shard for each worker, or lower --workers"
        )
    maker = data.Maker(pool, rng, args.frames)
    model = Tiny()
    torch.nn.utils.vector_to_parameters(averager.slots[0].clone(), model.parameters())
    optimisers, log = Optimisers(model, args.muon_lr, args.adam_lr), Log(args, worker)
    begun, step, batches = time.time(), 0, maker.batches()
    while (progress := progress_of(step, begun, args)) < 1:
        factor, weights, maker.frames_max = schedule(progress, args)
        rows = next(batches)
        total, token, letters = losses(model, rows, rng, weights)
        total.backward()
        optimisers.step(factor)
        step += 1
        log.add(len(rows), sum(len(row.mel) for row in rows) * data.FRAME, token, letters)
        if step % args.exchange_steps == 0:
            averager.exchange(model, worker)
        if log.due():
            log.report(step, factor, pool.refresh())
            if worker == 0:
                save(averager, args.out / "last.pt")
    averager.exchange(model, worker)


def progress_of(step, begun, args):
    """How much of the training is done, from 0 to 1."""
    return (time.time() - begun) / (60 * args.minutes) if args.minutes else step / args.steps


class Log:
    """Counts and mean losses since the last report, a JSON object a line."""

    def __init__(self, args, worker):
        self.path, self.worker, self.begun = args.out / f"log-{worker}.jsonl", worker, time.time()
        self.clips = self.seconds = 0
        self.last, self.sums = self.begun, [0.0, 0.0, 0]

    def add(self, clips, seconds, token, letters):
        """Counts a step."""
        self.clips, self.seconds = self.clips + clips, self.seconds + seconds
        self.sums = [self.sums[0] + token, self.sums[1] + letters, self.sums[2] + 1]

    def due(self):
        """Whether it is time for a report."""
        return time.time() - self.last > REPORT_SECONDS

    def report(self, step, factor, pool):
        """Writes and prints a line, and starts counting anew."""
        token, letters, steps = self.sums
        line = json.dumps(
            {
                "worker": self.worker,
                "seconds": round(time.time() - self.begun),
                "step": step,
                "clips": self.clips,
                "hours": round(self.seconds / 3600, 2),
                "pool": pool,
                "token_loss": round(token / steps, 4),
                "letter_loss": round(letters / steps, 4),
                "lr_factor": round(factor, 3),
                "cpu_s": round(time.process_time()),
            }
        )
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(line + "\n")
        print(line, flush=True)
        self.last, self.sums = time.time(), [0.0, 0.0, 0]


def save(averager, path):
    """Writes the mean of the workers' weights as a checkpoint, whole or not at all."""
    model = Tiny()
    torch.nn.utils.vector_to_parameters(averager.slots.mean(0), model.parameters())
    torch.save({"m": model.state_dict()}, path.with_suffix(".part"))
    path.with_suffix(".part").rename(path)


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shards", type=pathlib.Path, required=True)
    parser.add_argument(
        "--excluded", type=pathlib.Path, required=True, help="excluded.txt of texts.py"
    )
    parser.add_argument("--tables", required=True, help="ggml whisper file, for its vocabulary")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--init", help="checkpoint to train onwards from; default: from scratch")
    parser.add_argument("--steps", type=int, default=8000, help="steps of each worker")
    parser.add_argument("--minutes", type=float, help="train for so long instead of --steps")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--exchange-steps", type=int, default=10)
    parser.add_argument("--frames", type=int, default=4500, help="frames of 10 ms in a batch")
    parser.add_argument("--muon-lr", type=float, default=0.02)
    parser.add_argument("--adam-lr", type=float, default=2e-3)
    parser.add_argument("--warm-share", type=float, default=0.02)
    parser.add_argument("--decay-share", type=float, default=0.45)
    parser.add_argument("--seed", type=int, default=3)
    return parser.parse_args()


def main():
    """Starts the workers, waits, and writes `final.pt`."""
    args = arguments()
    args.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(args.seed)
    model = Tiny()
    if args.init:
        load(model, args.init)
    averager = Averager(model, args.workers)
    processes.spawn(work, (args, averager), nprocs=args.workers)
    save(averager, args.out / "final.pt")


if __name__ == "__main__":
    main()
