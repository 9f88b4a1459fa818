import builtins
import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from wording import to_students

from autograder.course.calls import FunctionCall
from autograder.reasons.errors import (
    KNOWN_ERRORS,
    LONGEST_MESSAGE,
    explain_import,
    explain_missing,
    explain_no_value,
    note_stops,
)
from autograder.reasons.general_errors import GENERAL_ERRORS
from autograder.sandbox.report import Answer, Operand, Status, Stop, StudentError
from autograder.sandbox.request import Limits
from autograder.verdict.failure import FailureKind
from autograder.verdict.names import DefinedNames, read_names

LIMITS = Limits(seconds=12, call_seconds=3)


def explained(type_name, message="", line=4, source="return x", shown_error=None):
    file = None if line is None else "homework.py"
    error = StudentError(type_name, message, file, line, source if line else "", "File …")
    return explain_no_value(error, FunctionCall("softmax", ()), LIMITS, shown_error)


def raised_by(action, source="return x"):
    """The explanation of an exception as this very version of a library words it."""
    with pytest.raises(Exception) as raised:  # noqa: PT011
        action()
    return explained(type(raised.value).__name__, str(raised.value), source=source)


def test_an_error_names_its_type_line_file_and_source():
    finding = explained("ValueError", "secret input 4.25")
    assert finding.kind is FailureKind.RAISED
    assert finding.student == to_students["errors.softmax-raised-valueerror"]


def test_only_the_staff_reads_the_message_of_an_error():
    finding = explained("ValueError", "secret input 4.25")
    assert "secret" not in finding.student
    assert "secret input 4.25" in finding.staff


def test_an_error_without_a_place_names_none():
    assert explained("ValueError", line=None).student == "`softmax` raised ValueError."


def test_an_error_on_import_has_its_own_subject():
    error = StudentError("NameError", "name 'x' is not defined", "cell 3", 2, "x")
    assert note_stops([Stop(3, error)], [], LIMITS) == [to_students["errors.cell-raised-nameerror"]]


def test_a_message_is_shown_where_it_was_raised_without_hidden_inputs():
    shown_error = StudentError("ValueError", "size 3 is different\n  from 5", "homework.py", 4, "return x")
    finding = explained("ValueError", "secret input 4.25", shown_error=shown_error)
    assert finding.student == to_students["errors.softmax-raised-valueerror-it-says"]
    assert "secret" not in finding.student


@pytest.mark.parametrize("odd", ["\x1b[31m", "\r", "\u202e", "\u200b", "\x00", "\x07", "\u2028", "\n\n"])
def test_a_message_is_one_line_in_which_nothing_but_letters_has_an_effect(odd):
    finding = explained("ValueError", shown_error=StudentError("ValueError", f"a{odd}b" * 500))
    message = finding.student.partition("“")[2]
    assert message.isprintable()
    assert len(message) <= LONGEST_MESSAGE + len("”.")


@pytest.mark.parametrize("odd", ["", " ", "\n\t"])
def test_an_exception_without_a_message_says_nothing(odd):
    assert "“" not in explained("ValueError", shown_error=StudentError("ValueError", odd)).student


MATMUL = (
    "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
    "(n?,k),(k,m?)->(n?,m?) (size {} is different from {})"
)


@pytest.mark.parametrize(
    ("first", "second", "change"),
    [
        ((7, 6), (5, 6), "with the second one transposed"),
        ((7, 6), (7, 5), "with the first one transposed"),
        ((7, 6), (5, 7), "with their places exchanged"),
        ((2, 7, 6), (2, 5, 6), "with the second one transposed"),
        ((3, 2, 7, 6), (3, 7, 2, 6), ""),
        ((7, 6), (7, 7), ""),
        ((7, 6), (5, 8), ""),
        ((7, 6), (5,), ""),
        ((7, 6), None, ""),
    ],
)
def test_of_a_product_the_one_change_is_told_after_which_it_fits(first, second, change):
    inner = 5 if second is None else second[-2] if len(second) > 1 else second[0]
    message = MATMUL.format(inner, first[-1])
    shown_error = StudentError("ValueError", message, operands=(Operand(first, 0), Operand(second, 1)))
    sentence = explained("ValueError", "of a hidden case", shown_error=shown_error, source="Q @ K").student
    assert f"the inner sizes {first[-1]} and {inner} of a product differ" in sentence
    assert ("They would fit" in sentence) is bool(change)
    assert change in sentence


@pytest.mark.parametrize(
    "message",
    [
        "too many values to unpack (expected 2)",
        "not enough values to unpack (expected 4, got 3)",
        "axes don't match array",
        "too many indices for array: array is 3-dimensional, but 4 were indexed",
    ],
)
def test_where_axes_do_not_match_it_is_told_how_many_there_are(message):
    kind = "IndexError" if "indices" in message else "ValueError"
    shown_error = StudentError(kind, message, operands=(Operand((3, 5, 6), 0),))
    finding = explained(kind, "of a hidden case", shown_error=shown_error, source="a, b = X.shape")
    assert "The array has 3 axes here: its shape is (3, 5, 6)." in finding.student
    assert "3 axes" not in explained(kind, message).student, "only what public cases show is told"


def test_float_of_an_array_comes_with_its_remedy():
    k = q = np.ones((3, 1))
    for convert in (builtins.float, builtins.int):
        finding = raised_by(lambda convert=convert: convert(k.T @ q), f"{convert.__name__}(k.T @ q)")
        assert "`(k.T @ q).item()`" in finding.student
        assert "math" not in finding.student
        assert finding.misconceptions == ("numpy-float-of-array",)


@pytest.mark.parametrize("row", [np.ones(3), np.ones((1, 1)), torch.ones(3)], ids=["row", "entry", "tensor"])
def test_a_function_of_math_is_told_to_take_one_number(row):
    finding = raised_by(lambda: math.exp(row), "e = math.exp(row)")
    assert "np.exp" in finding.student
    assert "item()" not in finding.student
    assert finding.misconceptions == ()


@pytest.mark.parametrize("source", ["e = exp(row)", "e = float(math.exp(row))"])
def test_where_the_line_does_not_tell_which_both_remedies_are_given(source):
    finding = raised_by(lambda: math.exp(np.ones(3)), source)
    assert "np.exp" in finding.student
    assert "item()" in finding.student
    assert finding.misconceptions == ()


def test_an_array_where_one_number_fits_comes_with_its_remedy():
    finding = raised_by(lambda: np.zeros(3).__setitem__(0, np.ones((1, 1))))
    assert finding.student == to_students["errors.room-for-one-number"]


@pytest.mark.parametrize("name", ["float", "int", "complex"])
def test_a_removed_numpy_name_comes_with_its_remedy(name):
    finding = raised_by(lambda: getattr(np, name))
    assert finding.student == to_students["errors.plain-python-type"]
    assert finding.misconceptions == ("numpy-removed-name",)


def test_another_missing_name_has_no_remedy():
    finding = raised_by(lambda: np.softmin)
    assert finding.student.endswith("`return x`.")
    assert finding.misconceptions == ()


def test_only_an_own_raise_means_that_nothing_is_written():
    integers = torch.ones(3, dtype=torch.long)
    finding = raised_by(lambda: torch.softmax(integers, -1), "return torch.softmax(x, -1)  # raise later")
    assert finding.kind is FailureKind.RAISED
    assert finding.student == to_students["errors.whole-numbers"]
    assert (
        explained("NotImplementedError", source="if x: raise NotImplementedError").kind
        is FailureKind.NOT_WRITTEN
    )
    assert explained("NotImplementedError", line=None).kind is FailureKind.NOT_WRITTEN


def test_a_module_without_forward_is_told_so():
    class Block(torch.nn.Module): ...

    with pytest.raises(NotImplementedError) as raised:
        Block()(3)
    finding = explained("NotImplementedError", str(raised.value), line=None)
    assert finding.kind is FailureKind.RAISED
    assert "`forward`" in finding.student


def test_an_array_changed_in_place_is_only_told_as_an_argument_where_it_can_be_one():
    x = torch.ones(3, requires_grad=True)
    assert raised_by(lambda: x.add_(1)).misconceptions == ("modifies-input",)
    y = (x * 2).exp()

    def change():
        y.add_(1)
        y.sum().backward()

    assert raised_by(change).misconceptions == ()


def test_a_missing_library_comes_with_its_remedy():
    finding = raised_by(lambda: __import__("no_such_library"))
    assert finding.student == to_students["errors.named-in-the-handout"]


@pytest.mark.parametrize(
    "wrong",
    [lambda x: x, lambda: 1, lambda a, b, c: a, lambda a, b, *, c: a],
    ids=["one", "none", "three", "keyword"],
)
def test_a_wrong_number_of_parameters_is_told_as_such(wrong):
    with pytest.raises(TypeError) as raised:
        wrong(1, 2)
    finding = explained("TypeError", str(raised.value), line=None)
    assert "signature" in finding.student


class Block:
    def __init__(self, size, extra): ...

    def forward(self, x, mask): ...


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: Block(1), "constructor"),
        (lambda: Block(1, 2, 3), "constructor"),
        (lambda: Block(1, 2).forward(3), "`forward`"),
        (lambda: Block(1, 2).forward(3, 4, 5), "`forward`"),
    ],
)
def test_an_argument_too_many_or_too_few_is_told_of_the_method_that_lacks_it(call, sentence):
    with pytest.raises(TypeError) as raised:
        call()
    finding = explained("TypeError", str(raised.value), line=None)
    assert sentence in finding.student
    assert "signature" not in finding.student


def test_a_wrong_call_within_the_students_code_is_not_told_as_a_wrong_signature():
    """The line shows where it happened: there the student calls a helper, not we the function."""
    message = "scale() takes 1 positional argument but 2 were given"
    assert "signature" in explained("TypeError", message, line=None).student
    assert "signature" not in explained("TypeError", message, line=4).student


def test_what_is_not_written_yet_is_told_as_such():
    finding = explained("NotImplementedError", source='raise NotImplementedError("TODO 1")')
    assert (finding.kind, finding.misconceptions) == (FailureKind.NOT_WRITTEN, ("returns-nothing",))
    assert finding.student == to_students["errors.softmax-is-not-written-yet"]


def test_what_takes_too_long_is_told_with_its_line():
    finding = explained("TimeLimit")
    assert finding.kind is FailureKind.TIME_LIMIT
    assert "line 4" in finding.student


def test_a_cell_or_a_file_that_takes_too_long_is_told_that_training_does_not_belong_there():
    error = StudentError("TimeLimit", "", "cell 2", 1, "for epoch in range(1000):")
    assert note_stops([Stop(2, error)], [], LIMITS) == [to_students["errors.cell-did-not-finish"]]
    finding = explain_import(error, "work.py", LIMITS, None)
    assert finding.student == to_students["errors.importing-did-not-finish"]


def test_what_is_not_defined_is_told_with_the_reason_if_one_is_known():
    assert explain_missing("softmax", DefinedNames()).student == to_students["errors.softmax-is-not-defined"]
    finding = explain_missing(
        "softmax", DefinedNames(), stopped_before="Cell 3 stopped with NameError at line 2."
    )
    assert finding.kind is FailureKind.NOT_DEFINED
    assert finding.student == to_students["errors.softmax-is-not-defined-cell"]


def test_a_name_that_is_alike_is_asked_for():
    defined = DefinedNames(functions=("soft_max", "plot", "qk_scores"), classes=("SoftMax",))
    finding = explain_missing("softmax", defined, ["qk_scores", "softmax"])
    assert finding.student == to_students["errors.did-you-mean"]
    assert "soft_max" not in explain_missing("softmax", defined, ["soft_max"]).student, (
        "it is asked for as well"
    )
    assert "mean" not in explain_missing("attention_output", defined).student


def test_a_helper_that_others_call_is_not_taken_for_what_is_missing():
    defined = DefinedNames(functions=("softmax_cols", "attention"), called=("softmax_cols",))
    assert explain_missing("softmax", defined).student == to_students["errors.softmax-is-not-defined"]
    assert "`softmax_cols`" in explain_missing("softmax", replace(defined, called=())).student
    misspelt = DefinedNames(functions=("soft_max", "attention"), called=("soft_max",))
    assert (
        explain_missing("softmax", misspelt).student == to_students["errors.rename-also-where-it-is-called"]
    )
    module = DefinedNames(classes=("Head", "Block2"), modules=("Head",), called=("Head",))
    assert "mean" not in explain_missing("Model", module, is_class=True).student


def test_the_only_class_of_a_module_is_meant_whatever_its_name():
    defined = DefinedNames(
        classes=("TransformerEncoderBlock", "Config"), modules=("TransformerEncoderBlock",)
    )
    finding = explain_missing("Model", defined, is_class=True)
    assert "`TransformerEncoderBlock`" in finding.student
    assert "mean" not in explain_missing("Model", replace(defined, modules=("A", "B")), is_class=True).student


def test_a_function_whose_name_was_given_to_its_result_is_told_so():
    finding = explain_missing("softmax", DefinedNames(values=("softmax",)))
    assert finding.student == to_students["errors.name-given-to-something-else"]


@pytest.mark.parametrize(
    "value", [None, 3, [], {"functions": 3}, {"functions": ["x" * 51, "a b", 7, None, "1x", "\x1b[31m"]}]
)
def test_what_is_no_short_name_is_not_read_as_one(value):
    assert read_names(Answer(value=value)) == DefinedNames()


def test_missing_weights_of_a_block_come_with_a_remedy_and_the_names_for_the_staff():
    message = "no parameter for `ff.0.weight` of shape (8, 2); the parameters of `ff` have (2, 8)"
    finding = explained("MissingParameter", message, line=None)
    assert finding.student == to_students["errors.attribute-names"]
    assert message in finding.staff
    shown_error = StudentError("MissingParameter", message)
    finding = explained("MissingParameter", message, line=None, shown_error=shown_error)
    assert finding.student == to_students["errors.weights-of-another-shape"]


@pytest.mark.parametrize("status", [Status.CRASHED, Status.INVALID_ANSWER])
def test_a_call_that_brought_the_process_down_is_not_told_as_an_exception(status):
    finding = explain_no_value(
        StudentError(str(status), "killed by SIGSEGV"), FunctionCall("softmax", ()), LIMITS, None
    )
    assert finding.kind is FailureKind.RAISED
    assert "raised" not in finding.student
    assert "killed by SIGSEGV" in finding.staff


def test_too_much_memory_is_told_as_such():
    finding = explained("MemoryError")
    assert "memory" in finding.student.lower()
    assert "line 4" in finding.student


@pytest.mark.parametrize("known", [*KNOWN_ERRORS, *GENERAL_ERRORS], ids=lambda known: known.pattern[:20])
def test_every_remedy_is_a_sentence(known):
    remedy = known.remedy
    assert remedy.endswith((".", "?"))
    assert "  " not in remedy


@pytest.mark.parametrize(
    "line",
    ["mask = mask or np.ones(n)", "if mask:", "if not mask:", "scores if not attention_mask else masked"],
)
def test_whether_a_mask_was_given_is_asked_with_is_none(line):
    error = raised_by(lambda: bool(np.ones(2)), line)
    assert "`if mask is not None:`" in error.student
