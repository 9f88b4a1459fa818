from __future__ import annotations

import builtins
from collections.abc import Callable

import numpy as np
import pytest
from wording import to_students

from autograder.judging.comparison import Finding, Kind
from autograder.judging.errors import KNOWN_ERRORS, explain_error, explain_no_value
from autograder.sandbox.report import Answer, Status, StudentError


def explained(type_name: str, message: str = "", line: int | None = 4, source: str = "return x") -> Finding:
    file = None if line is None else "homework.py"
    error = StudentError(type_name, message, file, line, source if line else "", "File …")
    return explain_no_value(Answer(error=error), "softmax")


def raised_by(action: Callable[[], object]) -> Finding:
    """The explanation of an exception as this very version of a library words it."""
    with pytest.raises(Exception) as raised:  # noqa: PT011
        action()
    return explained(type(raised.value).__name__, str(raised.value))


def test_an_error_names_its_type_line_file_and_source() -> None:
    finding = explained("ValueError", "secret input 4.25")
    assert finding.kind is Kind.RAISED
    assert finding.student == to_students["errors.softmax-raised-valueerror"]


def test_only_the_staff_reads_the_message_of_an_error() -> None:
    finding = explained("ValueError", "secret input 4.25")
    assert "secret" not in finding.student
    assert "secret input 4.25" in finding.staff


def test_an_error_without_a_place_names_none() -> None:
    assert explained("ValueError", line=None).student == "`softmax` raised ValueError."


def test_an_error_on_import_has_its_own_subject() -> None:
    error = StudentError("NameError", "x", "cell 3", 2, "x")
    assert explain_error(error, "Cell 3").student == to_students["errors.cell-raised-nameerror"]


def test_float_of_an_array_comes_with_its_remedy() -> None:
    k = q = np.ones((3, 1))
    for convert in (builtins.float, builtins.int):
        finding = raised_by(lambda convert=convert: convert(k.T @ q))  # type: ignore[misc]
        assert "`(k.T @ q).item()`" in finding.student
        assert finding.misconceptions == ("numpy-float-of-array",)


@pytest.mark.parametrize("name", ["float", "int", "complex"])
def test_a_removed_numpy_name_comes_with_its_remedy(name: str) -> None:
    finding = raised_by(lambda: getattr(np, name))
    assert finding.student == to_students["errors.plain-python-type"]
    assert finding.misconceptions == ("numpy-removed-name",)


def test_another_missing_name_has_no_remedy() -> None:
    finding = raised_by(lambda: np.softmax)  # type: ignore[attr-defined]
    assert finding.student.endswith("`return x`.")
    assert finding.misconceptions == ()


def test_a_missing_library_comes_with_its_remedy() -> None:
    finding = raised_by(lambda: __import__("no_such_library"))
    assert finding.student == to_students["errors.named-in-the-handout"]


@pytest.mark.parametrize(
    "wrong",
    [lambda x: x, lambda: 1, lambda a, b, c: a, lambda a, b, *, c: a],
    ids=["one", "none", "three", "keyword"],
)
def test_a_wrong_number_of_parameters_is_told_as_such(wrong: Callable[..., object]) -> None:
    with pytest.raises(TypeError) as raised:
        wrong(1, 2)
    finding = explained("TypeError", str(raised.value), line=None)
    assert "signature" in finding.student


def test_a_wrong_call_within_the_students_code_is_not_told_as_a_wrong_signature() -> None:
    """The line shows where it happened: there the student calls a helper, not we the function."""
    message = "scale() takes 1 positional argument but 2 were given"
    assert "signature" in explained("TypeError", message, line=None).student
    assert "signature" not in explained("TypeError", message, line=4).student


def test_what_is_not_written_yet_is_told_as_such() -> None:
    finding = explained("NotImplementedError")
    assert (finding.kind, finding.misconceptions) == (Kind.NOT_WRITTEN, ("returns-nothing",))
    assert finding.student == to_students["errors.softmax-is-not-written-yet"]


def test_what_takes_too_long_is_told_with_its_line() -> None:
    finding = explained("TimeLimit")
    assert finding.kind is Kind.TIME_LIMIT
    assert "line 4" in finding.student


def test_what_is_not_defined_is_told_with_the_reason_if_one_is_known() -> None:
    missing = Answer(not_defined=True)
    assert explain_no_value(missing, "softmax").student == to_students["errors.softmax-is-not-defined"]
    finding = explain_no_value(missing, "softmax", "Cell 3 stopped with NameError at line 2.")
    assert finding.kind is Kind.NOT_DEFINED
    assert finding.student == to_students["errors.softmax-is-not-defined-cell"]


def test_missing_weights_of_a_block_come_with_a_remedy_and_the_names_for_the_staff() -> None:
    finding = explained("MissingParameter", "no parameter of shape (3,) in `ff`", line=None)
    assert finding.student == to_students["errors.attribute-names"]
    assert "no parameter of shape (3,)" in finding.staff


@pytest.mark.parametrize("status", [Status.CRASHED, Status.INVALID_ANSWER])
def test_a_call_that_brought_the_process_down_is_not_told_as_an_exception(status: Status) -> None:
    answer = Answer(error=StudentError(str(status), "killed by SIGSEGV"))
    finding = explain_no_value(answer, "softmax")
    assert finding.kind is Kind.RAISED
    assert "raised" not in finding.student
    assert "killed by SIGSEGV" in finding.staff


def test_too_much_memory_is_told_as_such() -> None:
    finding = explained("MemoryError")
    assert "memory" in finding.student.lower()
    assert "line 4" in finding.student


@pytest.mark.parametrize("known", KNOWN_ERRORS, ids=lambda known: known.pattern[:20])
def test_every_remedy_is_a_sentence(known: object) -> None:
    remedy = known.remedy  # type: ignore[attr-defined]
    assert remedy.endswith(".")
    assert "  " not in remedy
