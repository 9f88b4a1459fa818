"""Wrong answers that are no known mistake get the name of what they show, or none: a wrong one is worse."""

import pytest

HW1, HW3, HW5 = "hw1_attention_scores", "hw3_scaled_dot_product_attention", "hw5_multihead_attention"

SCORES, SCALED = "return Q @ K.T", "return scores / np.sqrt(d_k)"
SHARES = "return exponentials / total"
NORMALISED = "return p / p.sum(axis=-1, keepdims=True)"
OUTPUT, BOTH = "return attention_weights @ V", "return attention_weights, attention_weights @ V"
STACKED = "return omega_c @ np.vstack((head_1, head_2))"
MIXED = "return V @ weights"

ODD = {
    "constant noise": (HW1, SCORES, "return Q @ K.T + 0.01"),
    "one wrong entry": (HW1, SCORES, "s = Q @ K.T\n    s[0, 0] += 1\n    return s"),
    "another sign": (HW1, SCORES, "return -(Q @ K.T)"),
    "shuffled rows": (HW1, SCORES, "return np.random.default_rng(3).permutation(Q @ K.T)"),
    "random numbers": (HW1, SCORES, "return np.random.normal(size=(len(Q), len(K)))"),
    "cube root": (HW1, SCALED, "return scores / d_k ** (1 / 3)"),
    "too few digits of some": (
        HW1,
        SCALED,
        "s = scores / np.sqrt(d_k)\n    s[0] = np.round(s[0], 2) + 1\n    return s",
    ),
    "base two": (HW1, SHARES, f"p = 2.0 ** (x - x.max())\n    {NORMALISED}"),
    "temperature": (HW1, SHARES, f"p = exponentials ** 0.9\n    {NORMALISED}"),
    "no negative scores": (
        HW1,
        SHARES,
        f"p = np.maximum(x, 0) + 1e-9\n    {NORMALISED}",
    ),
    "values upside down": (HW1, OUTPUT, "return attention_weights @ V[::-1]"),
    "sorted weights": (HW3, BOTH, "w = np.sort(attention_weights)\n    return w, w @ V"),
    "no look ahead": (
        HW3,
        BOTH,
        "w = np.tril(attention_weights)\n    return w, w @ V",
    ),
    "three mistakes": (
        HW3,
        "scores = Q @ K.T / scale\n    attention_weights = softmax(scores)",
        "scores = K @ Q.T / K.shape[-1]\n    attention_weights = softmax(softmax(scores).T)[:, ::-1]",
    ),
    "heads subtracted": (HW5, STACKED, "return omega_c @ np.vstack((head_1 - head_2, head_2))"),
    "tokens averaged": (
        HW5,
        STACKED,
        "return 0 * X + (omega_c @ np.vstack((head_1, head_2))).mean(axis=1)[:, None]",
    ),
    "values added": (HW5, MIXED, "return V + V @ weights"),
}


SHOWN = {
    "constant noise": "constant-offset",
    "another sign": "sign-flipped",
    "random numbers": "differs-from-call-to-call",
    "cube root": "constant-factor",
    "too few digits of some": "region-wrong",
    "base two": "powers-of-two",
    "temperature": "scores-scaled",
    "no negative scores": "not-exponentials",
    "values upside down": "argument-reversed",
    "sorted weights": "sorted",
    "no look ahead": "region-wrong",
    "tokens averaged": "all-alike",
    "three mistakes": "depends-on-other-place",
    "heads subtracted": "depends-on-other-place",
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_wrong_answer_is_called_by_what_it_shows_or_has_no_name(name, grade_text, course):
    homework_id, right, wrong = ODD[name]
    source = course.homework(homework_id).solution.read_text("utf-8")
    assert source.count(right) == 1
    result = grade_text(homework_id, source.replace(right, wrong))
    failed = [check for check in result.checks if check.outcome == "failed"]
    first = failed[0].misconceptions
    assert first == ((SHOWN[name],) if name in SHOWN else ())


TWO = {
    "no scaling, wrong axis": (
        HW3,
        {" / scale": "", "axis=-1": "axis=0"},
        {"no-scaling", "softmax-over-queries"},
    ),
    "scaled by d, weights transposed": (
        HW3,
        {"np.sqrt(K.shape[-1])": "K.shape[-1]", "attention_weights @ V": "attention_weights.T @ V"},
        {"scale-by-d", "weights-transposed"},
    ),
    "heads swapped, no scaling": (
        HW5,
        {"(head_1, head_2)": "(head_2, head_1)", " / scale": ""},
        {"heads-swapped", "no-scaling"},
    ),
    "scaled by d, wrong axis, in two functions": (
        HW1,
        {"np.sqrt(d_k)": "d_k", "axis=-1": "axis=0"},
        {"scale-by-d", "softmax-over-queries"},
    ),
}


@pytest.mark.parametrize("name", TWO)
def test_two_mistakes_are_called_by_their_names_and_no_other(name, grade_text, course):
    homework_id, changes, expected = TWO[name]
    text = course.homework(homework_id).solution.read_text("utf-8")
    for right, wrong in changes.items():
        assert right in text
        text = text.replace(right, wrong)
    result = grade_text(homework_id, text)
    labels = {label for check in result.checks for label in check.misconceptions}
    assert labels
    assert labels <= expected
