from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.report.written import NEAR, group_similar

LONG = "the variance of a dot product grows with d_k so we divide by its root to keep the scores near one"
WORDS = st.lists(st.sampled_from(["query", "key", "value", "root", "of", "the"]), max_size=12).map(" ".join)


def test_case_spacing_and_punctuation_do_not_count():
    assert group_similar(["Divide by the root!", "something else", " divide\nby  the ROOT"]) == [[0, 2], [1]]


def test_one_word_changed_in_a_long_answer_is_still_near():
    assert group_similar([LONG, LONG.replace("keep", "hold"), LONG.replace("scores", "numbers")]) == [
        [0, 1, 2]
    ]


def test_answers_that_share_half_of_their_words_are_apart():
    half = " ".join(LONG.split()[:10]) + " and nothing of the rest is the same in this one answer here"
    assert group_similar([LONG, half]) == [[0], [1]]


def test_short_answers_are_grouped_only_when_they_are_the_same():
    assert group_similar(["yes", "no", "Yes.", "?", "…"]) == [[0, 2], [1], [3, 4]]


def test_nothing_gives_no_groups():
    assert group_similar([]) == []


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


def alike(one, other):
    """Jaccard's index of the pairs of neighbouring words, or of the whole texts where a text has no pair."""
    first, second = (set(pairwise(w)) or {tuple(w)} for w in (one.split(), other.split()))
    return len(first & second) / len(first | second)
