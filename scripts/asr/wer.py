"""Word error rate: edit distance in words, summed over clips by any number of keys."""

from texts import normalised


def edits(reference, heard):
    """Smallest number of word insertions, deletions and replacements from one list to another."""
    row = list(range(len(heard) + 1))
    for i, wanted in enumerate(reference, 1):
        diagonal, row[0] = row[0], i
        for j, word in enumerate(heard, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (wanted != word))
    return row[-1]


class Tally:
    """Errors, words, exact clips and clips under each key."""

    def __init__(self):
        self.counts = {}

    def add(self, reference, heard, keys):
        """Counts one clip under every key."""
        wanted = normalised(reference)
        wrong = edits(wanted, normalised(heard))
        for key in keys:
            count = self.counts.setdefault(key, [0, 0, 0, 0])
            for i, value in enumerate((wrong, len(wanted), wrong == 0, 1)):
                count[i] += value

    def table(self):
        """By key: word error rate and word-exact clips in percent, number of clips."""
        return {
            key: {
                "wer": round(100 * wrong / max(words, 1), 1),
                "exact": round(100 * exact / clips),
                "clips": clips,
            }
            for key, (wrong, words, exact, clips) in self.counts.items()
        }
