"""Exceptions about shapes, whatever library and version they come from, become one misfit."""

import time

import numpy as np
import pytest

from autograder.reasons.shape_errors import typed_in, what_would_fit
from autograder.sandbox.report import Operand, StudentError
from autograder.verdict.misfits import Misfit, misfit_of, read_misfit

MATMUL = (
    "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
    "(n?,k),(k,m?)->(n?,m?) (size 5 is different from 6)"
)
REMAPPED = (
    "operands could not be broadcast together with remapped shapes [original->remapped]: "
    "(7,6)->(7,newaxis,6) (5,8)->(8,5) "
)
LEFT, RIGHT = Operand((7, 6), 0), Operand((5, 8), 1)


def of(kind, message, *operands):
    return misfit_of(StudentError(kind, message, operands=operands))


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("ValueError", MATMUL),
        ("ValueError", "shapes (7,6) and (5,8) not aligned: 6 (dim 1) != 5 (dim 0)"),
        ("ValueError", REMAPPED),
        ("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (7x6 and 5x8)"),
        (
            "RuntimeError",
            "einsum(): subscript j has size 5 for operand 1 which does not broadcast with previously "
            "seen size 6",
        ),
    ],
    ids=["@", "dot", "einsum", "torch", "torch-einsum"],
)
def test_a_product_is_one_misfit_however_it_is_written(kind, message):
    assert of(kind, message, LEFT, RIGHT) == Misfit("product", (6, 5), (LEFT, RIGHT))


@pytest.mark.parametrize(
    "message",
    [
        "boolean index did not match indexed array along dimension 1; dimension is 6 but corresponding "
        "boolean dimension is 5",
        "boolean index did not match indexed array along axis 1; size of axis is 6 but size of corresponding "
        "boolean axis is 5",
    ],
    ids=["numpy-1.26", "numpy-2"],
)
def test_a_boolean_index_is_one_misfit_in_every_version_of_numpy(message):
    assert of("IndexError", message, LEFT) == Misfit("boolean index", (1, 6, 5), (LEFT,))


@pytest.mark.parametrize(
    "message", ["(expected 2)", "(expected 2, got 3)"], ids=["python-3.11", "python-3.14"]
)
def test_too_many_values_are_one_misfit_in_every_version_of_python(message):
    misfit = of("ValueError", f"too many values to unpack {message}", LEFT)
    assert misfit == Misfit("too many to unpack", (2,), (LEFT,))


@pytest.mark.parametrize(
    ("kind", "message", "operation", "sizes"),
    [
        ("ValueError", "not enough values to unpack (expected 3, got 2)", "too few to unpack", (3,)),
        ("ValueError", "axes don't match array", "transpose", ()),
        ("AxisError", "axis2: axis -2 is out of bounds for array of dimension 1", "axis", (-2, 1)),
        (
            "IndexError",
            "Dimension out of range (expected to be in range of [-2, 1], but got 2)",
            "axis",
            (2, 2),
        ),
        ("ValueError", "cannot reshape array of size 24 into shape (5,newaxis)", "reshape", (24, 5, -1)),
        ("RuntimeError", "shape '[5, -1]' is invalid for input of size 24", "reshape", (24, 5, -1)),
        (
            "IndexError",
            "too many indices for array: array is 2-dimensional, but 3 were indexed",
            "too many indices",
            (2, 3),
        ),
        ("IndexError", "index 5 is out of bounds for axis 0 with size 4", "index", (5, 0, 4)),
        (
            "ValueError",
            "could not broadcast input array from shape (6,) into shape (5,)",
            "assignment",
            (6, 5),
        ),
        (
            "ValueError",
            "all the input array dimensions except for the concatenation axis must match exactly, but along "
            "dimension 1, the array at index 0 has size 6 and the array at index 1 has size 8",
            "join",
            (1, 6, 8),
        ),
        (
            "MissingParameter",
            "no parameter for `ff.0.weight` of shape (8, 4); the block has a",
            "parameter",
            (8, 4),
        ),
    ],
)
def test_an_operation_is_known_with_the_sizes_that_its_message_names(kind, message, operation, sizes):
    misfit = of(kind, message)
    assert (misfit.operation, misfit.sizes) == (operation, sizes)


def test_what_this_numpy_says_of_each_operation_is_known():
    first, second = np.zeros((7, 6)), np.zeros((5, 8))
    messages = []
    for operation in (
        lambda: first @ second,
        lambda: np.dot(first, second),
        lambda: np.einsum("ij,jk", first, second),
        lambda: first + second,
        lambda: first[np.zeros((7, 5)) > 0],
        lambda: first.reshape(5, 8),
        lambda: first.transpose(0, 2, 1),
        lambda: first.sum(axis=2),
        lambda: np.concatenate([first, second]),
    ):
        with pytest.raises((ValueError, IndexError)) as raised:
            operation()
        misfit = misfit_of(StudentError(type(raised.value).__name__, str(raised.value)))
        messages.append(misfit.operation if misfit else str(raised.value))
    assert messages == ["product"] * 3 + [
        "broadcast",
        "boolean index",
        "reshape",
        "transpose",
        "axis",
        "join",
    ]


def test_the_order_of_a_sum_does_not_matter_and_that_of_a_product_does():
    message = "operands could not be broadcast together with shapes {} {} "
    first = of("ValueError", message.format("(5,4)", "(5,6)"))
    second = of("ValueError", message.format("(5,6)", "(5,4)"))
    assert first == second == Misfit("broadcast", (4, 6), (Operand((5, 4)), Operand((5, 6))))
    product, other = (Misfit("product", (6, 5), pair) for pair in ((LEFT, RIGHT), (RIGHT, LEFT)))
    assert not product.is_like(other)


def test_numbers_among_the_operands_of_a_selection_do_not_count():
    message = "operands could not be broadcast together with shapes (3,4) (4,3) () "
    assert of("ValueError", message) == Misfit("broadcast", (3, 4), (Operand((3, 4)), Operand((4, 3))))


@pytest.mark.parametrize(
    ("other", "alike"),
    [
        ((LEFT, RIGHT), True),
        ((LEFT, Operand((5, 8), 2)), True),
        ((LEFT, Operand()), True),
        ((Operand(), Operand()), False),
        ((), False),
        ((LEFT, Operand((5, 8))), False),
        ((LEFT, Operand((5, 9), 1)), False),
        ((Operand((2, 7, 6), 0), RIGHT), False),
    ],
    ids=[
        "same",
        "another argument",
        "one unknown",
        "unknown",
        "none",
        "computed",
        "another shape",
        "a batch",
    ],
)
def test_products_are_alike_where_known_operands_are(other, alike):
    assert Misfit("product", (6, 5), (LEFT, RIGHT)).is_like(Misfit("product", (6, 5), other)) is alike


def test_a_batch_before_a_matrix_is_the_rows_that_torch_makes_of_it():
    batch, rows = Operand((2, 7, 6), 0), Operand((14, 6), 0)
    assert Misfit("product", (6, 5), (batch, RIGHT)).is_like(Misfit("product", (6, 5), (rows, RIGHT)))


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("TypeError", MATMUL),
        ("ValueError", "the mask is missing"),
        ("NameError", "name 'x' is not defined"),
        ("TimeLimit", ""),
        ("ValueError", ""),
        ("IndexError", "list index out of range"),
    ],
)
def test_other_exceptions_are_no_misfits(kind, message):
    assert of(kind, message) is None


def test_a_misfit_is_read_as_it_was_written():
    misfit = Misfit("product", (6, 5), (LEFT, Operand()))
    assert read_misfit({"raises": "ValueError", **misfit.written()}) == misfit
    assert read_misfit({"raises": "ValueError"}) is None


@pytest.mark.parametrize(
    "message",
    [
        "remapped shapes [original->remapped]: " + "(" * 2000,
        "remapped shapes [original->remapped]: " + "(1,2)->" * 300,
        "operands could not be broadcast together with shapes " + "(1,(" * 500,
        "cannot reshape array of size 1 into shape (" + "1," * 900,
        "shapes (" + "9" * 1900 + ") not aligned: 1",
        "core dimension " + "9" * 1900,
        "axis " + "-" * 1900,
        "mat1 and mat2 shapes cannot be multiplied (" + "1x" * 900,
    ],
    ids=range(8),
)
@pytest.mark.parametrize("kind", ["ValueError", "IndexError", "RuntimeError", "AxisError"])
def test_a_message_made_to_be_slow_or_malformed_is_read_at_once(kind, message):
    started = time.process_time()
    misfit = of(kind, message)
    assert time.process_time() - started < 0.5
    assert misfit is None or len(misfit.operands) <= 4


@pytest.mark.parametrize(
    ("shape", "new_shape", "message"),
    [
        ((2, 3, 4), (2, 2, 2), "a factor of 3, which is the size of axis 1"),
        ((3, 3, 4), (3, 2, 2), ""),  # two axes have this size
        ((2, 3, 4), (5, 4), ""),
        ((2, 3, 4), (2, 2, 3, 2, 2), ""),
    ],
)
def test_the_axis_that_a_reshape_leaves_out_is_named(shape, new_shape, message):
    with pytest.raises(ValueError, match="reshape") as raised:
        np.zeros(shape).reshape(new_shape)
    misfit = of("ValueError", str(raised.value), Operand(shape, 0))
    assert misfit is not None
    text = what_would_fit(misfit)
    assert message in text
    assert bool(text) == bool(message)


@pytest.mark.parametrize(
    ("line", "new_shape", "is_named"),
    [
        ("x.reshape(-1, 10, 4)", (-1, 10, 4), True),
        ("x.reshape(-1, n, 4)", (-1, 10, 4), False),
        ("x.reshape(h2, 10, x.shape[10])", (5, 10), True),
        ("x.reshape(5, 7)", (5, 7), True),
        ("x.reshape(4, n)", (4, 7), False),
    ],
)
def test_a_size_typed_into_a_reshape_is_named(line, new_shape, is_named):
    with pytest.raises(ValueError, match="reshape") as raised:
        np.zeros((2, 3, 4)).reshape(new_shape)
    misfit = of("ValueError", str(raised.value), Operand((2, 3, 4), 0))
    assert misfit is not None
    assert ("is hard-coded" in typed_in(misfit, line)) == is_named
