from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import tiny as tiny_module
from tiny import CHECKS, GRADERS, Tiny, graders_module

import autograder.graders
from autograder.checks.mark import Check, CheckFailed, check, load_checks
from autograder.comparison.finding import Finding, Kind
from autograder.homework.course import Course
from autograder.homework.model import CourseError


def make(
    name: str,
    points: float = 3,
    task: str = "double",
    requires: tuple[str, ...] = (),
    doc: str | None = "It works.",
) -> Callable[..., None]:
    """Return a check function of one fixture."""

    def function(submission: object) -> None: ...

    function.__name__ = f"test_{name}"
    function.__doc__ = doc
    return check(task=task, points=points, requires=requires)(function)


TOTALS = make("totals", 2.5, "totals")


@pytest.fixture
def load(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Check]]:
    """Load a graders module made of some functions."""

    def load(*functions: object) -> list[Check]:
        monkeypatch.setitem(sys.modules, GRADERS, graders_module(functions))
        return load_checks(tiny.homework)

    return load


def test_checks_come_in_their_order_with_all_that_the_mark_says(load: Callable[..., list[Check]]) -> None:
    first, second, third = load(*CHECKS)
    assert [one.name for one in (first, second, third)] == ["double_published", "double_sizes", "totals"]
    assert (second.task, second.points, second.requires) == ("double", 2, ("double_published",))
    assert second.sentence == "double works for any number of numbers."
    assert second.function is tiny_module.test_double_sizes


def test_a_docstring_of_several_lines_becomes_one(load: Callable[..., list[Check]]) -> None:
    [first, _] = load(make("a", doc="It works\n\n    for any   size.\n    "), TOTALS)
    assert first.sentence == "It works for any size."


def test_helpers_beside_the_checks_are_no_checks(load: Callable[..., list[Check]]) -> None:
    def helper(anything: object) -> None: ...

    assert len(load(make("a"), helper, TOTALS)) == 2


def test_a_homework_without_a_graders_module_is_told_where_to_write_one(tiny: Tiny) -> None:
    with pytest.raises(CourseError, match=rf"no graders module {GRADERS}; write it"):
        load_checks(tiny.homework)


@pytest.fixture
def graders_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that stands for ``autograder/graders``."""
    monkeypatch.setattr(autograder.graders, "__path__", [str(tmp_path)])
    yield tmp_path
    sys.modules.pop(GRADERS, None)
    vars(autograder.graders).pop("test_hwx", None)


def test_a_graders_module_is_found_in_the_graders_folder(tiny: Tiny, graders_folder: Path) -> None:
    text = "from tiny import test_double_published, test_double_sizes, test_totals\n"
    (graders_folder / "test_hwx.py").write_text(text, "utf-8")
    assert len(load_checks(tiny.homework)) == 3


def test_a_graders_module_that_lacks_a_library_is_not_called_missing(
    tiny: Tiny, graders_folder: Path
) -> None:
    (graders_folder / "test_hwx.py").write_text("import nummpy\n", "utf-8")
    with pytest.raises(ModuleNotFoundError, match="nummpy"):
        load_checks(tiny.homework)


def unmarked(submission: object) -> None:
    """It works."""


unmarked.__name__ = "test_unmarked"


@check(task="double", points=3)
def with_own_fixture(submission: object, tmp_path: object) -> None:
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
def test_checks_that_do_not_fit_are_refused(
    load: Callable[..., list[Check]], functions: tuple[object, ...], complaint: str
) -> None:
    with pytest.raises(CourseError, match=complaint):
        load(*functions)


def test_something_else_named_like_a_check_is_refused(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    module = graders_module()
    module.test_sizes = (2, 3)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, GRADERS, module)
    with pytest.raises(CourseError, match="test_sizes needs exactly one @check"):
        load_checks(tiny.homework)


def test_fractions_of_points_may_add_up_inexactly(load: Callable[..., list[Check]], tiny: Tiny) -> None:
    tiny.edit("homework.toml", "points = 3\n", "points = 0.3\n")
    assert len(load(make("a", 0.1), make("b", 0.1), make("c", 0.1), TOTALS)) == 4


def test_a_failed_check_carries_its_finding_and_reads_as_its_reason() -> None:
    finding = Finding(Kind.SHAPE, "The shape is wrong.", "hidden/double/wide")
    failure = CheckFailed(finding)
    assert str(failure) == "The shape is wrong."
    assert failure.finding is finding
    assert isinstance(failure, AssertionError)


def test_every_real_homework_has_fitting_checks_with_a_sentence_each(course: Course) -> None:
    for homework in course.homeworks():
        checks = load_checks(homework)
        assert {one.task for one in checks} == {task.name for task in homework.tasks}
        for one in checks:
            assert one.sentence.endswith("."), f"{homework.id}: {one.name}"
