"""The other contestants must do the same work: their question passes right answers and fails mistakes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from autograder.bench.classroom import texts, write_class
from autograder.bench.plain_cases import write_question
from autograder.bench.records import BenchError
from autograder.grading.suite import Suite

HOMEWORKS = ("hw3_scaled_dot_product_attention", "hw6_encoder_block")


def ask(folder: Path, submission: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_submission.py"],
        cwd=folder,
        env={**os.environ, "SUBMISSION": str(submission), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("homework_id", HOMEWORKS)
def test_plain_pytest_passes_the_reference_and_fails_a_mistake(
    homework_id: str, suite_of: Callable[[str], Suite], tmp_path: Path
) -> None:
    suite = suite_of(homework_id)
    write_question(tmp_path / "question", suite, "question.py", "test_submission.py")
    right, mistaken = write_class(suite.homework, tmp_path / "class", 2)
    passed = ask(tmp_path / "question", right)
    assert f"{len(suite.known)} passed" in passed.stdout, passed.stdout
    assert ask(tmp_path / "question", mistaken).returncode == 1


def test_a_class_is_half_right_and_no_two_submissions_are_alike(suite_of: Callable[[str], Suite]) -> None:
    homework = suite_of(HOMEWORKS[0]).homework
    first = list(islice(texts(homework), 40))
    right = homework.solution.read_text("utf-8")
    assert [text.startswith(right) for text in first] == [True, False] * 20
    assert len(set(first)) == 40


def test_a_homework_without_known_mistakes_makes_no_class(tiny: object, tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"misconceptions\.toml is missing"):
        write_class(tiny.homework, tmp_path / "class", 2)  # type: ignore[attr-defined]
