from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.report.written import NEAR, group_similar

LONG = "the variance of a dot product grows with d_k so we divide by its root to keep the scores near one"
WORDS = st.lists(st.sampled_from(["query", "key", "value", "root", "of", "the"]), max_size=12).map(" ".join)


@pytest.mark.parametrize(
    ("answers", "groups"),
    [
        (["Divide by the root!", "something else", " divide\nby  the ROOT"], [[0, 2], [1]]),
        ([LONG, LONG.replace("keep", "hold"), LONG.replace("scores", "numbers")], [[0, 1, 2]]),
        ([LONG, f"{LONG[:50]} and nothing of the rest is the same in this one answer here"], [[0], [1]]),
        (["yes", "no", "Yes.", "?", "…"], [[0, 2], [1], [3, 4]]),
        ([], []),
    ],
    ids=["case and punctuation", "one word changed", "half of the words", "short answers", "nothing"],
)
def test_answers_are_grouped_whose_words_are_nearly_the_same(answers, groups):
    assert group_similar(answers) == groups


@settings(max_examples=60, deadline=None)
@given(st.lists(WORDS, max_size=12))
def test_a_text_joins_the_first_group_to_whose_first_text_it_is_near(texts):
    groups = []
    for place, text in enumerate(texts):
        joined = next((group for group in groups if alike(texts[group[0]], text) >= NEAR), None)
        if joined is None:
            groups.append([place])
        else:
            joined.append(place)
    assert group_similar(texts) == groups


def alike(line, other):
    """Jaccard's index of the pairs of neighbouring words, or of the whole texts where a text has no pair."""
    first, second = (set(pairwise(w)) or {tuple(w)} for w in (line.split(), other.split()))
    return len(first & second) / len(first | second)
