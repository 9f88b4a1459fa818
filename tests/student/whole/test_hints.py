"""Which hints public checks give: the frequent mistakes by their names, and never another than grading."""

import sys

import pytest
from released import HW1, HW4
from submissions import mistaken as mistaken_of
from submissions import right, right_text

SCREEN = 24
HW5 = "hw5_multihead_attention"
NUMPY = (HW1, "hw3_scaled_dot_product_attention", HW4, HW5)
# The fifteen mistakes that real classes made most often, where they were seen, and the hint's words.
FREQUENT = {
    "depends-on-global": (HW5, "from outside the function"),
    "softmax-over-queries": (HW1, "normalised over the queries"),
    "projection-transposed": (HW4, "weight matrices act on the tokens transposed"),
    "returns-transposed": (HW4, "right but transposed"),
    "returns-nothing": (HW1, "returned nothing (None)"),
    "returns-zeros": (HW4, "result is all zeros"),
    "returns-tuple": (HW1, "item 0 of a tuple of 1"),
    "returns-extra": (HW1, "item 0 of a tuple of 2"),
    "stale-query": (HW4, "gets the output of the last one"),
    "feature-attention": (HW1, "compares the columns of Q and K"),
    "no-scaling": (HW1, "scaled scores equal the plain ones"),
    "scores-elementwise": (HW1, "multiply Q and K entry by entry"),
    "softmax-global": (HW1, "sum of the whole matrix"),
    "softmax-no-exp": (HW1, "without the exponential"),
    "scaled-when-unscaled-asked": (HW4, "asks for the plain dot products"),
}


@pytest.mark.parametrize("mistake", FREQUENT)
def test_a_frequent_mistake_is_named_on_the_first_screen(mistake, students, mistaken):
    homework_id, hint = FREQUENT[mistake]
    screen = students.screen(students.check(homework_id, mistaken(homework_id, mistake))).splitlines()
    assert len(screen) <= SCREEN
    assert hint in " ".join(" ".join(screen).split())


# What is clipped is alike in all columns of the public case, and not in those of the hidden one.
OTHERWISE_IN_PUBLIC = {"scores-clipped": {"all-alike"}}


@pytest.mark.parametrize("homework_id", NUMPY)
def test_public_checks_name_no_mistake_that_grading_does_not_name(homework_id, checked, grade_text):
    for name, text in mistaken_of(homework_id).items():
        graded = {label for check in grade_text(homework_id, text).checks for label in check.misconceptions}
        labels_told = {
            label for result in checked(homework_id, text).results for label in result.misconceptions
        }
        assert labels_told <= graded | OTHERWISE_IN_PUBLIC.get(name, set()), name


@pytest.mark.parametrize("homework_id", NUMPY)
def test_right_code_in_any_style_passes_all_public_checks(homework_id, students):
    for name, text in right(homework_id).items():
        if "torch" not in name:
            report = students.check(homework_id, text)
            assert report.passed, f"{name}: {students.screen(report)}"


def test_plots_go_nowhere_where_the_real_matplotlib_is_loaded_already(students):
    import matplotlib.pyplot

    text = right_text(HW1, "prints-everything")
    assert students.check(HW1, text).passed
    assert sys.modules["matplotlib.pyplot"] is matplotlib.pyplot
