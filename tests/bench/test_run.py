from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from autograder.bench import run as run_module
from autograder.bench.contestants import Setting
from autograder.bench.records import ContestantUnavailable, Measured
from autograder.bench.run import Plan, run_bench
from autograder.homework.course import Course

HOMEWORK = "hw3_scaled_dot_product_attention"


class Counting:
    """A contestant that only writes down what it was given."""

    name = "counting"
    graded: list[int]

    def __init__(self) -> None:
        type(self).graded = []

    def prepare(self, setting: Setting) -> None:
        pass

    def grade(self, setting: Setting, files: Sequence[Path]) -> Measured:
        self.graded.append(len(files))
        return Measured(len(files), 1.0, 1.0, 1.0)


class Missing(Counting):
    name = "missing"

    def prepare(self, setting: Setting) -> None:
        raise ContestantUnavailable("not on this machine")


def test_every_contestant_grades_in_every_round_and_a_missing_one_says_why(
    course: Course, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(run_module, "PEERS", {"counting": Counting, "missing": Missing})
    monkeypatch.setattr(run_module, "_ours", lambda jobs, level: _Named(f"ours, {jobs} job"))
    plan = Plan(("counting", "missing"), 6, 2, rounds=3, sizes=(4, 200), venvs=tmp_path)
    report = run_bench(course, [course.homework(HOMEWORK)], plan, lambda text: None)
    rows = {row.contestant: row for row in report.rows}
    assert rows["missing"].unavailable == "not on this machine"
    assert [one.submissions for one in rows["counting"].rounds] == [2, 2, 2]
    assert [one.submissions for one in rows["ours, 2 job"].rounds] == [6, 6, 6]
    sizes = [[one.submissions for one in scale.classes] for scale in report.scales]
    assert sizes == [[4, 4, 4], [200]]
    assert all([one.submissions for one in scale.alone] == [1, 1, 1] for scale in report.scales)


class _Named(Counting):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


def test_our_own_command_grades_the_class_it_is_given(course: Course, tmp_path: Path) -> None:
    plan = Plan((), 4, 1, rounds=1, sizes=(), venvs=tmp_path)
    report = run_bench(course, [course.homework(HOMEWORK)], plan, lambda text: None)
    assert [row.contestant for row in report.rows] == ["ours, 1 job", "ours, 2 jobs"]
    assert all(row.rounds[0].submissions == 4 and row.rounds[0].cpu_seconds > 0 for row in report.rows)
