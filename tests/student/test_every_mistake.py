"""One wrong step costs as much on a student's machine as in grading.

`whole/test_every_mistake.py` compares all mistakes with the losses that are recorded; this sample is graded.
"""

import pytest

from .mistakes_promised import broken_promises, losses_of, mistaken_texts

HW4, HW5 = "hw4_self_attention_columns", "hw5_multihead_attention"
HW7, HW8 = "hw7_masked_attention", "hw8_batched_multihead_attention"
HW9 = "hw9_positions_and_cache"
SAMPLE = [
    (HW4, "hardmax"),
    (HW4, "double-softmax"),
    (HW5, "softmax-over-queries"),
    (HW7, "masked_softmax__mask_after_softmax_loops"),
    (HW7, "masked_softmax__softmax_twice_two_softmaxes"),
    (HW7, "masked_softmax__empty_rows_nan_additive"),
    (HW7, "masked_softmax__sums_transposed_T_trick"),
    (HW7, "masked_softmax__an_empty_row_by_its_maximum_of_0"),
    (HW7, "scores-doubled"),
    (HW7, "padding-on-queries"),
    (HW7, "mask-with-more-axes"),
    (HW8, "mask-meets-heads-first"),
    (HW9, "apply_rope__one_row_squeezed"),
    (HW9, "blockwise-unstable/first-block"),
    (HW9, "blockwise-unstable/of-each-block"),
    (HW9, "exponent-cut/powers"),
    (HW9, "sinusoidal_positions__transposed_where_square"),
    (HW9, "scores-clipped"),
    (HW9, "softmax-unstable/maximum-from-zero"),
]


@pytest.mark.parametrize(("homework_id", "name"), SAMPLE)
def test_what_is_promised_of_a_mistake_is_what_grading_gives(homework_id, name, students, judge_text):
    text = mistaken_texts(homework_id)[name]
    report = students.check(homework_id, text)
    assert broken_promises(report, losses_of(judge_text(homework_id, text))) == []
