"""An independent implementation, with Python's own library."""

import statistics
import string
from collections import Counter


def trimmed_mean(values, cut):
    kept = list(values)
    for _ in range(cut):
        kept.remove(min(kept))
        kept.remove(max(kept))
    return statistics.fmean(kept)


def letter_counts(text):
    counts = Counter(text.casefold())
    return [counts[letter] for letter in string.ascii_lowercase]
