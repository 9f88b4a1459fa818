"""Slow tests of the same subject as ``test_new``, for CI and `make test WHOLE=1`."""

from ..running import run
from ..test_new import begun

__all__ = ["begun"]  # the fixtures


def test_a_new_homework_passes_at_once(begun):
    course, result = begun
    assert (result.exit, result.err) == (0, "")
    for command in (("check",), ("reference", "verify"), ("audit",)):
        ending = run(*command, "--course", course.root)
        assert ending.exit == 0, command
        assert [line for line in ending.err.splitlines() if "15 name most" not in line] == [], command
