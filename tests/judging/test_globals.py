"""A function that reads a size from outside is told which name, unless a known mistake explains it."""

from collections.abc import Callable

import pytest
from wording import to_students

from autograder.verdict.results import HomeworkResult

Grade = Callable[[str, str], HomeworkResult]
HW1 = "hw1_attention_scores"
SCALED, SHARES = "return scores / np.sqrt(d_k)", "exponentials = np.exp(x - largest)"
OUTPUT = "return attention_weights @ V"


@pytest.fixture
def changed(grade_text, course):
    """Grade the reference solution with lines at its top and one passage replaced."""
    source = course.homework(HW1).solution.read_text("utf-8")

    def grade(top, right, wrong):
        assert source.count(right) == 1
        text = source.replace(right, wrong).replace("import numpy as np\n", f"import numpy as np\n\n{top}\n")
        return grade_text(HW1, text)

    return grade


def failed(result):
    return {check.check: check.misconceptions for check in result.checks if check.outcome == "failed"}


def reasons(result):
    return " ".join(check.reason for check in result.checks)


@pytest.mark.parametrize(
    "top",
    [
        "D_K = 4",
        "N, D_K = 3, 4",
        "D_K = np.int64(4)",
        "D_K, *_ = (4, 5)",
        "import os\nD_K = int('4')",
    ],
)
def test_a_size_from_outside_is_named(changed, top):
    result = changed(top, SCALED, "return scores / np.sqrt(D_K)")
    assert failed(result) == {
        "scale_scores_sizes": ("depends-on-global",),
        "attention_flow_sizes": ("depends-on-global",),
    }
    assert to_students["globals.reads-d_k-from-outside"] in reasons(result)
    assert "`np`" not in reasons(result)


def test_equal_results_are_not_put_down_to_a_harmless_constant_from_outside(changed):
    """Whether the result is that of the name from outside is not known here: both are told as facts."""
    result = changed("EPS = np.zeros(1)", SCALED, "return np.full((2, 2), 3.0) + EPS")
    assert failed(result)["scale_scores_sizes"] == ("depends-on-global",)
    assert to_students["globals.equal-results"] in reasons(result)


def test_a_size_that_a_helper_reads_is_named(changed):
    result = changed("D_K = 4\n\ndef root():\n    return D_K**0.5", SCALED, "return scores / root()")
    assert failed(result)["scale_scores_sizes"] == ("depends-on-global",)
    assert to_students["globals.reads-d_k-from-outside"] in reasons(result)


@pytest.mark.parametrize(
    ("top", "size"), [("Keys = np.ones((3, 4))", "Keys.shape[1]"), ("Keys = np.array(4)", "Keys")]
)
def test_an_array_outside_is_mentioned_but_not_blamed_for_nothing_is_proved(changed, top, size):
    result = changed(top, SCALED, f"return scores / np.sqrt({size})")
    assert failed(result)["scale_scores_sizes"] == ("hard-coded-size",)
    assert to_students["globals.right-for-the-published"] in reasons(result)


def test_the_reason_says_which_size_the_name_stands_for(changed):
    sentences = reasons(changed("D_K = 4", SCALED, "return scores / np.sqrt(D_K)"))
    assert to_students["globals.d_k-is-there"] in sentences
    sentences = reasons(changed("N = 3", OUTPUT, "return attention_weights[:, :N] @ V[:N]"))
    assert to_students["globals.n-is-there"] in sentences


def test_two_sizes_from_outside_are_both_named(changed):
    """Also where one of the failing inputs has a size that is right by chance."""
    result = changed("N, D = 2, 3", "return Q @ K.T", "return Q.reshape(N, D) @ K.T")
    assert failed(result)["qk_scores_sizes"] == ("depends-on-global",)
    assert to_students["globals.reads-d-and-n-from-outside"] in reasons(result)


def test_a_name_that_is_wrong_for_the_published_sizes_too_is_proved(changed):
    result = changed("D_K = 9", SCALED, "return scores / np.sqrt(D_K)")
    assert failed(result)["scale_scores_published"] == ("depends-on-global",)
    assert to_students["globals.reads-d_k-from-outside-2"] in reasons(result)


def test_a_whole_number_that_is_no_size_is_not_blamed(changed):
    """No size in its place makes the answers right, so that it stays with the factor."""
    result = changed("EXTRA = 3", SCALED, "return scores / np.sqrt(d_k) * (1 if d_k == 4 else EXTRA)")
    assert failed(result)["scale_scores_sizes"] == ("constant-factor",)
    assert to_students["globals.reads-extra-from-outside"] in reasons(result)


def test_the_name_is_told_before_the_mistake_that_fixes_a_size(changed):
    """Cutting at a number of keys is a known mistake; that the number comes from outside helps more."""
    outside = changed("N = 3", OUTPUT, "return attention_weights[:, :N] @ V[:N]")
    assert failed(outside)["attention_output_sizes"] == ("depends-on-global",)
    assert "`N`" in reasons(outside)
    inside = changed("", OUTPUT, "return attention_weights[:, :3] @ V[:3]")
    assert failed(inside)["attention_output_sizes"] == ("hard-coded-size",)


@pytest.mark.parametrize("top", ["ROOT = 2.0", "ROOT = np.sqrt(4)", "ROOT = True + 1.0"])
def test_a_constant_that_is_no_size_is_not_named(changed, top):
    result = changed(top, SCALED, "return scores / ROOT")
    assert failed(result)["scale_scores_sizes"] == ("hard-coded-size",)
    assert "ROOT" not in reasons(result)


def test_a_known_mistake_keeps_its_name_beside_an_array_from_outside(changed):
    result = changed("NOTHING = np.zeros(1)", SHARES, "exponentials = np.exp(x + NOTHING)")
    assert failed(result) == {"softmax_large": ("softmax-unstable",)}
    assert "NOTHING" not in reasons(result)


def test_a_known_mistake_keeps_its_name_beside_a_size_from_outside(changed):
    result = changed("N = 3", SCALED, "N + 1\n    return scores / d_k")
    assert failed(result)["scale_scores_sizes"] == ("scale-by-d",)
    assert "`N`" not in reasons(result)


def test_a_right_answer_may_read_what_it_likes(changed):
    result = changed("N = 3", SCALED, "print(N)\n    return scores / np.sqrt(d_k)")
    assert failed(result) == {}
    assert result.earned == result.points


def test_an_unknown_mistake_at_the_published_sizes_too_blames_no_name(changed):
    result = changed("N = 3", SCALED, "return scores / np.sqrt(d_k) + N")
    assert failed(result)["scale_scores_published"] == ("constant-offset",)
    assert failed(result)["scale_scores_sizes"] == ("constant-offset",)
    assert "`N`" not in reasons(result)
