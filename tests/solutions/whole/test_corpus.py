"""Whole submissions: right ones in many styles earn everything, mistaken ones lose exactly what they name."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.verdict.results import HomeworkResult

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
Grade = Callable[[str, str], HomeworkResult]
TRAINS = "capstone_tiny_transformer"
"""Its right answers train for seconds each; the audit of `make check` grades them too, and does for them."""


def submissions(kind: str) -> list[object]:
    paths = sorted(path for path in CORPUS.glob(f"*/{kind}/*.py") if path.parts[-3] != TRAINS)
    return [pytest.param(path, id=f"{path.parts[-3]}-{path.stem}") for path in paths]


def not_passed(result: HomeworkResult) -> dict[str, str]:
    return {check.check: f"{check.reason} {check.staff}" for check in result.checks if check.reason}


@pytest.mark.parametrize("path", submissions("correct"))
def test_a_correct_answer_in_any_style_earns_full_marks(path: Path, grade_text: Grade) -> None:
    result = grade_text(path.parts[-3], path.read_text("utf-8"))
    assert not_passed(result) == {}
    assert result.earned == result.points


@pytest.mark.parametrize("path", submissions("mistaken"))
def test_a_mistake_loses_exactly_the_checks_it_names(path: Path, grade_text: Grade) -> None:
    text = path.read_text("utf-8")
    named = (ast.get_docstring(ast.parse(text)) or "").removeprefix("loses:")
    result = grade_text(path.parts[-3], text)
    assert set(not_passed(result)) == {name.strip() for name in named.split(",")}
    assert result.earned < result.points
