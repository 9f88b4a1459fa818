from types import ModuleType

import pytest
from tiny import CHECKS_FILE
from wording import to_authors

from autograder.course.schema import CourseError
from autograder.verdict import checks as mark
from autograder.verdict.checks import check, load_checks, read_checks
from autograder.verdict.failure import CheckFailed, Failure, FailureKind


def make(name, points=3, task="double", requires=(), doc="It works."):
    """Return a check function of one fixture."""

    def function(submission): ...

    function.__name__ = f"test_{name}"
    function.__doc__ = doc
    return check(task=task, points=points, requires=requires)(function)


TOTALS = make("totals", 2.5, "totals")


@pytest.fixture
def load(tiny, monkeypatch):
    """Load hidden checks that are these functions."""

    def load(*functions):
        module = ModuleType("test_hwx")
        vars(module).update({function.__name__: function for function in functions})
        monkeypatch.setattr(mark, "load_module", lambda path: module)
        return load_checks(tiny.homework)

    return load


def test_checks_come_in_their_order_with_all_that_the_mark_says(tiny):
    first, second, third = load_checks(tiny.homework)
    assert [check.name for check in (first, second, third)] == ["double_published", "double_sizes", "totals"]
    assert (second.task, second.points, second.requires) == ("double", 2, ("double_published",))
    assert second.sentence == to_authors["checks.double-works-for-any-number"]
    assert second.function.__name__ == "test_double_sizes"


def test_a_docstring_of_several_lines_becomes_one(load):
    [first, _] = load(make("a", doc="It works\n\n    for any   size.\n    "), TOTALS)
    assert first.sentence == "It works for any size."


def test_helpers_beside_the_checks_are_no_checks(load):
    def helper(anything): ...

    assert len(load(make("a"), helper, TOTALS)) == 2


def test_a_homework_without_checks_is_told_where_they_belong(tiny):
    (tiny.folder / CHECKS_FILE).unlink()
    with pytest.raises(CourseError, check=to_authors["checks.missing"]):
        load_checks(tiny.homework)


def test_checks_that_do_not_run_are_told_with_their_line(tiny):
    (tiny.folder / CHECKS_FILE).write_text("\nimport nummpy\n", "utf-8")
    with pytest.raises(CourseError, match=rf"{CHECKS_FILE}, line 2: ModuleNotFoundError: .*nummpy"):
        load_checks(tiny.homework)


def unmarked(submission):
    """It works."""


unmarked.__name__ = "test_unmarked"


@check(task="double", points=3)
def with_own_fixture(submission, tmp_path):
    """It works."""


with_own_fixture.__name__ = "test_with_own_fixture"


@pytest.mark.parametrize(
    ("functions", "complaint"),
    [
        ((check(task="double", points=1)(make("twice")), TOTALS), "test_twice needs exactly one @check"),
        ((unmarked, TOTALS), "test_unmarked needs exactly one @check"),
        ((make("a", doc=None), TOTALS), "test_a needs a docstring"),
        ((make("a", doc="  \n "), TOTALS), "test_a needs a docstring"),
        ((with_own_fixture, TOTALS), "takes only cases, compare, submission"),
        ((make("a", 2), TOTALS), "the checks of double give 2 points, but homework.toml says 3"),
        ((make("a"), make("b"), TOTALS), "the checks of double give 6 points"),
        ((make("a"),), "the checks of totals give 0 points, but homework.toml says 2.5"),
        ((make("a"), TOTALS, make("b", 1, "dobule")), "hwx: homework.toml has no task named 'dobule'"),
        ((make("a", 4), make("b", -1), TOTALS), "check b has points = -1"),
        (
            (make("a", requires=("nothing",)), TOTALS),
            r"check a requires \['nothing'\], not defined before it",
        ),
        ((make("a", requires=("totals",)), TOTALS), r"check a requires \['totals'\], not defined before it"),
        ((make("a", requires=("a",)), TOTALS), r"check a requires \['a'\]"),
    ],
)
def test_checks_that_do_not_fit_are_refused(load, functions, complaint):
    with pytest.raises(CourseError, match=complaint):
        load(*functions)


def test_something_else_named_like_a_check_is_refused():
    with pytest.raises(CourseError, check=to_authors["checks.test_sizes-needs-exactly-one"]):
        read_checks("test_hwx", {"test_sizes": (2, 3)})


def test_fractions_of_points_may_add_up_inexactly(load, tiny):
    tiny.edit("homework.toml", "points = 3\n", "points = 0.3\n")
    assert len(load(make("a", 0.1), make("b", 0.1), make("c", 0.1), TOTALS)) == 4


def test_a_failed_check_carries_its_finding_and_reads_as_its_reason():
    finding = Failure(FailureKind.SHAPE, "The shape is wrong.", "hidden/double/wide")
    failure = CheckFailed(finding)
    assert str(failure) == "The shape is wrong."
    assert failure.failure is finding
    assert isinstance(failure, AssertionError)
