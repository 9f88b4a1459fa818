"""Slow tests of the same subject as ``test_our_faults``, for CI and `make test WHOLE=1`."""

from autograder.authoring.assignments import build_assignments
from autograder.verdict import wrong_numbers

from ..running import run
from ..test_our_faults import broken


def test_check_and_audit_fail_where_an_explanation_does(kit):
    with broken(wrong_numbers.describe_values.__wrapped__):
        result = run("audit", "hwx", "--jobs", "1")
    assert result.exit == 1
    assert any(
        "an explanation failed" in line and "verdict/comparison.py:" in line
        for line in result.err.splitlines()
    )
    build_assignments(kit.tiny.course)
    from autograder.reasons import errors

    with broken(errors.explain_no_value):
        result = run("check", "hwx")
    assert result.exit == 1
    assert any("an explanation failed" in line for line in result.err.splitlines())
