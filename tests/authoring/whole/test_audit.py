"""Slow tests of the same subject as ``test_audit``, for CI and `make test WHOLE=1`."""

from __future__ import annotations

import pytest

from autograder.authoring import audit as audit_module
from autograder.authoring.audit import Kind, audit_course
from autograder.course.course import Course

from ..conftest import Audited


def test_sandboxes_and_threads_of_its_own_make_no_difference(audited: Audited) -> None:
    tiny = audited.tiny
    assert audit_course(tiny.course, [tiny.homework], 2, audited.heard.append) == audited.audit()


def test_a_real_homework_keeps_all_promises(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the pairs, which take minutes; `make audit` tries them too."""
    monkeypatch.setattr(audit_module, "pair_labels", lambda catalogue, task: [])
    homework = course.homework("hw3_scaled_dot_product_attention")
    found = audit_course(course, [homework], 2, lambda trial: None)
    assert found.violations == ()
    assert len(found.of(Kind.SINGLE)) >= 30
    assert len(found.of(Kind.CORRECT)) >= 10
    assert min(margin.tolerances for margin in found.margins) >= 10
