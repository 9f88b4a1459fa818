"""Run one of the course's own files through a worker, exactly as a submission is run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from autograder.homework.cases import Call, Case
from autograder.homework.model import CourseError, Homework
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer
from autograder.sandbox.request import Code, Request
from autograder.sandbox.status import Status

COURSE_LIMITS: dict[str, Any] = {"seconds": 120.0, "cpu_seconds": 100.0, "memory_mb": 4096, "answer_mb": 256}


def run_course_file(homework: Homework, path: Path, cases: Sequence[Case], pool: SandboxPool) -> list[Answer]:
    """Return the file's answer to each case.

    Raises:
        CourseError: the file does not load, or a call brings no value.
    """
    answers = run_calls(homework, path, [case.call for case in cases], pool)
    for case, answer in zip(cases, answers, strict=True):
        if not answer.is_usable:
            reason = f"{answer.error.type}: {answer.error.message}" if answer.error else "not defined"
            raise CourseError(f"{path}: case {case.id}: {reason}")
    return answers


def run_calls(
    homework: Homework, path: Path, calls: Sequence[Call], pool: SandboxPool, text: str | None = None
) -> list[Answer]:
    """Return the file's answer to each call, errors included; with another text, what that answers.

    Raises:
        CourseError: the file does not load, or its process does not survive the calls.
    """
    if not path.is_file():
        raise CourseError(f"{path} is missing")
    code = Code(path.name, {path.name: path.read_text(encoding="utf-8") if text is None else text})
    limits = replace(homework.limits, **COURSE_LIMITS)
    report = pool.run(Request(code, [call.as_mapping() for call in calls], homework.library, limits))
    if report.status is not Status.GRADED:
        reason = report.load_error.message if report.load_error else report.output[-2000:]
        raise CourseError(f"{path} could not be run: {report.detail}: {reason}")
    return list(report.answers)
