"""Pk and WindowDiff of small segmentations as nltk computes them.

Writes fixtures/golden/segmentation.json. Needs nltk; see README.md.
"""

import json
import random
from pathlib import Path

from nltk.metrics.segmentation import pk, windowdiff

SEED = 20
OUT = Path(__file__).parents[2] / "fixtures" / "golden" / "segmentation.json"


def boundaries(rng, turns, odds):
    """A string with 1 where a segment begins; the first turn never counts."""
    return "0" + "".join("1" if rng.random() < odds else "0" for _ in range(turns - 1))


def window(truth):
    """Half the mean true segment length, at least 2."""
    return max(2, round(len(truth) / (2 * (truth.count("1") + 1))))


def main():
    rng = random.Random(SEED)
    pairs = [
        ("0001000000", "0000100000"),
        ("0001000000", "0000000000"),
        ("0000000000", "0111111111"),
        ("0100010001", "0100010001"),
    ]
    for turns in (20, 57, 200):
        for odds in (0.02, 0.1, 0.5):
            pairs.append((boundaries(rng, turns, 0.1), boundaries(rng, turns, odds)))
    cases = []
    for truth, found in pairs:
        k = window(truth)
        cases.append(
            {
                "truth": truth,
                "found": found,
                "k": k,
                "pk": pk(truth, found, k),
                "window_diff": windowdiff(truth, found, k),
            }
        )
    OUT.write_text(json.dumps(cases, indent=1) + "\n")


if __name__ == "__main__":
    main()
