"""Remedies for exceptions of Python, NumPy and torch that any code may raise, whatever the homework.

They are said where neither a habit (``remedies.py``) nor the shapes or names at the line
(``shape_errors.py``, ``meant.py``) explain more. Each sentence holds wherever the message can arise: it says
what the operation needs, and what such a value often comes from.
"""

from __future__ import annotations

import ast
import re

from autograder.reasons.agreement import CANNOT_HOLD_DECIMALS
from autograder.reasons.remedies import (
    LIST_OF_NUMBERS,
    READ_FROM_THE_END,
    KnownError,
    nodes_of_line,
)

ONE_LIST = "Arrays that are joined are given as one list: `np.concatenate([a, b])`, with the axis after it."
ONE_LIST_AND_NO_AXIS = (
    "`hstack`, `vstack`, `dstack` and `column_stack` take all arrays in one list, and no axis: "
    "`np.concatenate([a, b], axis=1)` takes one."
)
WHOLE_NUMBER = "Sizes and indices are whole numbers, and this one has decimals."
BOOLEANS = (
    "`~`, `&` and `|` take masks of booleans, and this one holds other numbers: compare, as in "
    "`mask == 1`, or make it of booleans at once, as `np.tril(np.ones((n, n), bool))` does."
)
BOOLEAN_MASK = "The mask has to hold booleans: compare, as in `mask == 0`, or convert it with `.bool()`."
DECIMALS_IN_PLACE = (
    "The array holds whole numbers, and in place no decimals fit into it: write `x = x / a` "
    "instead of `x /= a`, or create it with floats."
)
JOINED_ALONG_ONE_AXIS = (
    "Arrays are joined along one axis, and all their other sizes must be equal. Axis 0 puts "
    "them below each other, axis 1 side by side."
)
ENTRY_BY_ENTRY = (
    "Entry by entry, the sizes are compared from the last axis on: each two must be "
    "equal, or one of them 1."
)
FILLED = (
    "What is assigned has another shape than its place on the left: look at the sizes with "
    "which the array was created, and at what the line computes."
)
AXIS_BY_NAME = "Python's own `sum`, `max` and `min` know no axes: use NumPy's, as in `np.sum(x, axis=…)`."
NO_CHANGES = "A tuple or a text cannot be changed: make a list or an array of it first."
UNPACKED = (
    "As many names must stand on the left as values come: an array gives one for each of its "
    "rows, and a function what stands after its `return`."
)
LETTERS = (
    "Each array has one group of letters, with a letter for each of its axes, and the letters "
    "after `->` occur in a group. `...` stands for any axes in front, as in "
    "`'...ij,...kj->...ik'`."
)

NAME_OF_AN_AXIS = re.compile(r"(?i)\w*(axis|ax|dim)\d?")


def stacks_without_a_list(line: str) -> bool:
    """Return whether all arguments of a ``stack`` are arrays, as in ``np.stack(a, b, c)``, and none is an axis."""
    for node in nodes_of_line(line):
        match node:
            case ast.Call(ast.Attribute(ast.Name("np" | "numpy"), "stack"), arguments):
                if all(map(_may_be_an_array, arguments)):
                    return True
    return False


def _may_be_an_array(node: ast.expr) -> bool:
    """Return whether an argument is likely an array: calls, sums and products may give a list as well."""
    match node:
        case ast.Name(name) | ast.Attribute(attr=name):
            return NAME_OF_AN_AXIS.fullmatch(name) is None
    return isinstance(node, ast.Subscript)


GENERAL_ERRORS: tuple[KnownError, ...] = (
    KnownError(
        "AssertionError",
        r"",
        "Your own `assert` does not hold here.",
        line=r"^assert\b",
    ),
    KnownError(
        "NameError",
        r"^name '\w+' is not defined",
        "Nothing has this name here: look for another spelling above, or for the line that "
        "should give it a value.",
    ),
    KnownError(
        "KeyError",
        r"",
        "What is read here has no such key: look at the line that makes it.",
    ),
    # values that are no arrays
    KnownError(
        "TypeError|AttributeError",
        r"NoneType",
        "None stands where a value is needed. A function gives None where it ends without a "
        "`return`, and so do `print` and the `append` of a list.",
    ),
    KnownError(
        "ValueError",
        r"does not have enough dimensions \(has 0",
        "One side of the product is no array. It may be None, from a function that ends "
        "without a `return`, a function that is not called, or a single number, which "
        "multiplies with `*`.",
    ),
    KnownError(
        "TypeError|AttributeError",
        r"'(function|method|builtin_function_or_method)' object (has no|is not subscriptable|is not iterable)"
        r"|unsupported operand type\(s\).*'(function|method|builtin_function_or_method)'",
        "This is the function itself, not its result: call it, with its arguments in parentheses.",
    ),
    KnownError(
        "AttributeError",
        r"'dict' object has no attribute",
        "An entry of a dictionary is read by its key, as in `params['W_q']`.",
    ),
    KnownError(
        "TypeError",
        r"object is not callable",
        "Parentheses right after a value call it as a function. Is an operator such as `*` or "
        "`@` missing, are square brackets meant, or has a variable the name of a function?",
    ),
    KnownError(
        "TypeError",
        r"'int' object is not iterable",
        "A loop goes through several items: `range(n)` counts from 0 up to n.",
        line=r"\bfor\b.*\bin\b",
    ),
    KnownError(
        "TypeError",
        r"object is not iterable",
        "An optimizer takes the parameters first, as in `torch.optim.Adam(model.parameters(), "
        "lr=0.01)`.",
        line=r"\boptim\.",
    ),
    KnownError(
        "TypeError",
        r"'(int|float|numpy\.float64)' object is not (iterable|subscriptable)"
        r"|cannot unpack non-iterable (int|float)|object of type '(int|float)' has no len",
        "This is a single number, with neither items nor a length.",
    ),
    KnownError(
        "TypeError",
        r"'(zip|map|filter|generator|enumerate|set|dict_\w+)' object is not subscriptable",
        "Such an object has no indices: make a list of it first, as in `list(…)[0]`.",
    ),
    KnownError(
        "TypeError",
        r"'(tuple|str)' object does not support item assignment",
        NO_CHANGES,
    ),
    KnownError(
        "AttributeError",
        r"^'tuple' object has no attribute '(append|extend|insert|pop|remove|reverse|sort)'",
        NO_CHANGES,
    ),
    KnownError(
        "AttributeError",
        r"^'tuple' object has no attribute",
        "This is a tuple and no array. If it is what a function returns, take it apart first, as in "
        "`weights, output = attention(x)`; if it holds numbers, make an array of it with `np.array(…)`.",
    ),
    KnownError("TypeError", r"bad operand type for unary -: 'list'", LIST_OF_NUMBERS),
    KnownError(
        "TypeError",
        r"unsupported operand type\(s\) for .*'tuple'",
        "A tuple does no arithmetic. If it is what a function returns, take it apart first, as "
        "in `weights, output = attention(x)`; if it holds numbers, make an array of it with "
        "`np.array(…)`.",
    ),
    KnownError(
        "TypeError",
        r"^list indices must be integers or slices, not tuple",
        "A list takes one index at a time, `items[i][j]`; an array takes several, "
        "`np.array(items)[i, j]`.",
    ),
    KnownError(
        "TypeError",
        r"^list indices must be integers or slices, not (str|list|numpy\.ndarray|Tensor)",
        "A list is read by the places of its items, `items[0]`, one at a time: names belong to "
        "a dictionary, masks and lists of places to an array, `np.array(items)`.",
    ),
    KnownError(
        "TypeError",
        r"^unhashable type",
        "Arrays, lists and dictionaries can be neither keys of a dictionary nor entries of a "
        "set: use a number, a text or a tuple.",
    ),
    KnownError(
        "UFuncTypeError|_UFuncNoLoopError|TypeError",
        r"dtype\('<U\d+'\)|^can only concatenate str|unsupported operand type\(s\) for .*'str'",
        "One side is a text, and one cannot calculate with a text.",
    ),
    KnownError(
        "TypeError",
        r"'(axis|keepdims)' is an invalid keyword argument"
        r"|^(sum|max|min)\(\) got an unexpected keyword argument '(axis|keepdims)'",
        AXIS_BY_NAME,
        line=r"(?<![\w.])(sum|max|min)\(",
    ),
    KnownError(
        "TypeError",
        r"got an unexpected keyword argument",
        "The function that is called has no parameter of that name: look at its `def` line or "
        "its documentation.",
    ),
    # whole numbers, sizes and indices
    KnownError(
        "TypeError|IndexError",
        r"'float' object cannot be interpreted as an integer|must be tuple of ints, not float"
        r"|^slice indices must be integers|^list indices must be integers or slices, not float"
        r"|^only integers, slices",
        f"{WHOLE_NUMBER} `/` always gives one with decimals, even 4 / 2: use `//`.",
        line=r"(?<!/)/(?!/)",
    ),
    KnownError(
        "TypeError",
        r"'(float|numpy\.float\d+)' object cannot be interpreted as an integer|must be tuple of ints, not float"
        r"|^list indices must be integers or slices, not float",
        f"{WHOLE_NUMBER} `/` and a root give such numbers, even where nothing is left over: use "
        "`//` for sizes.",
    ),
    KnownError(
        "IndexError",
        r"^only integers, slices|^arrays used as indices must be of integer|^tensors used as indices must be",
        "An index is a whole number, a slice, or an array of whole numbers or of booleans. For "
        "a mask of 0.0 and 1.0 compare, as in `mask == 1`; of a number with decimals make one "
        "with `//` or `int(…)`.",
    ),
    KnownError(
        "TypeError",
        r"only integer scalar arrays can be converted to a scalar index"
        r"|argument 'tensors' \(position 1\) must be tuple of Tensors, not Tensor",
        ONE_LIST,
        line=r"\b(concatenate|concat|cat|\w*stack)\((?!\s*[\[(])",
    ),
    KnownError(
        "TypeError",
        r"^stack\(\) takes .* positional arguments? but",
        ONE_LIST,
        is_line=stacks_without_a_list,
    ),
    KnownError(
        "TypeError",
        r"^(h|v|d|column_)stack\(\) takes .* positional arguments? but",
        ONE_LIST_AND_NO_AXIS,
        line=r"\b(np|numpy|torch)\.(h|v|d|column_)stack\(",
    ),
    KnownError(
        "TypeError",
        r"only integer scalar arrays can be converted|'tuple' object cannot be interpreted as an integer"
        r"|'(numpy\.ndarray|list|torch\.Size)' object cannot be interpreted",
        "`range` takes a whole number, such as one size of an array: `range(x.shape[0])`, or "
        "`range(len(x))`.",
        line=r"\brange\(",
    ),
    KnownError(
        "TypeError",
        r"Cannot interpret '\d+' as a data type|data type '?\d+'? not understood",
        "The whole shape is its first argument, in parentheses of its own: `np.zeros((n, d))`.",
        line=r"\b(zeros|ones|empty|full)\(",
    ),
    KnownError(
        "IndexError",
        r"^tuple index out of range",
        READ_FROM_THE_END,
        line=r"\.shape\[",
    ),
    KnownError(
        "IndexError",
        r"^too many indices for",
        "These are more indices than the array has axes. A mask counts for as many as it has axes itself.",
    ),
    KnownError(
        "IndexError",
        r"^(list|tuple|string) index out of range",
        "There are fewer items than that. The first has index 0, and the last `-1`, or their "
        "number less 1.",
    ),
    KnownError(
        "IndexError",
        r"out of bounds for (axis|dimension) \d+ with size 1\b",
        "This axis has one place, with the index 0. If the array is an argument, that place stands for all: "
        "broadcast it to its full shape before you index it, as `np.broadcast_to` does. An array of "
        "your own ends too early.",
    ),
    KnownError(
        "IndexError",
        r"out of bounds for (axis|dimension) \d+ with size",
        "The array has only that many places along this axis, and the first has index 0: does "
        "the index belong to another axis, or does the array end too early?",
    ),
    KnownError(
        "ValueError",
        r"number sections must be larger than 0|arg 3 must not be zero|slice step cannot be zero",
        "The number of parts, or a step, is 0 here. `//` rounds down: of fewer items than one part "
        "holds it makes 0 parts, and `-(-n // size)` rounds up.",
    ),
    KnownError(
        "ValueError",
        r"substring not found|is not in list$",
        "What is looked for is not among the items: look at what they are, and whether one, "
        "such as a separator, is an item of its own.",
    ),
    KnownError("ValueError", r"(not enough|too many) values to unpack", UNPACKED),
    # shapes
    KnownError(
        "ValueError",
        r"inhomogeneous shape",
        "The items differ in shape, so they make no array together: print the shape of each, "
        "or the length of each row.",
    ),
    KnownError(
        "ValueError|TypeError",
        r"output array (has wrong dimensions|is not acceptable)|return arrays must be of ArrayType",
        "The third argument, `out`, is where the result is stored. A product of three is `a @ b @ c`.",
        line=r"\b(dot|matmul)\(",
    ),
    KnownError(
        "ValueError|RuntimeError",
        r"mismatch in its core dimension|not aligned|shapes cannot be multiplied",
        "In `A @ B`, A has as many columns as B has rows: look at the lines that make the two.",
        line=r"@|\b(dot|matmul|mm)\(",
    ),
    KnownError(
        "ValueError",
        r"^operands could not be broadcast together with shapes \(\d+,\) \(\d+,\) *(\n|$)",
        "These are two vectors of different lengths. For a table of all pairs make the first "
        "one a column, as in `a[:, None] * b`.",
    ),
    KnownError(
        "ValueError",
        r"could not be broadcast together with shapes",
        f"{ENTRY_BY_ENTRY} If a product of matrices is meant, that is `@`.",
        line=r"(?<!\*)\*(?!\*)|\bmultiply\(",
    ),
    KnownError(
        "ValueError",
        r"^operands could not be broadcast together with shapes",
        ENTRY_BY_ENTRY,
    ),
    KnownError(
        "RuntimeError",
        r"must match the size of tensor b",
        ENTRY_BY_ENTRY,
        line=r"^[^@]*$",
    ),
    KnownError(
        "RuntimeError",
        r"^The expanded size of the tensor",
        "`expand` repeats along axes of size 1 only, and `-1` leaves a size as it is: "
        "`.unsqueeze(…)` adds an axis.",
        line=r"\bexpand\(",
    ),
    KnownError(
        "ValueError|RuntimeError",
        r"^could not broadcast input array from shape|^The expanded size of the tensor|^shape mismatch: value",
        FILLED,
        line=r"\]\s*([-+*/@%]|//|\*\*)?=(?!=)",
    ),
    KnownError(
        "ValueError|RuntimeError",
        r"^could not broadcast input array from shape|^The expanded size of the tensor",
        ENTRY_BY_ENTRY,
    ),
    KnownError(
        "ValueError|RuntimeError",
        r"^cannot reshape array|is invalid for input of size",
        "A new shape has exactly as many entries as the old one: the product of its sizes is "
        "the same.",
    ),
    KnownError(
        "ValueError|RuntimeError",
        r"except for the concatenation axis must match|must match except in dimension",
        JOINED_ALONG_ONE_AXIS,
    ),
    KnownError(
        "ValueError|RuntimeError",
        r"^all input arrays must have the same shape|^stack expects each tensor to be equal size",
        "`stack` needs arrays of one shape, and adds an axis; `concatenate` (in torch `cat`) "
        "joins along one that is there.",
    ),
    KnownError(
        "ValueError|RuntimeError",
        r"einstein sum|^einsum\(\)",
        LETTERS,
        line=r"\beinsum\(",
    ),
    KnownError(
        "TypeError",
        r"^transpose\(\) takes from 1 to 2 positional",
        "`np.transpose` takes the axes as one tuple: `np.transpose(x, (0, 2, 1))`.",
        line=r"\.transpose\(",
    ),
    KnownError(
        "TypeError",
        r"^transpose\(\) (takes 2 positional|received an invalid combination)",
        "torch's `.transpose` exchanges two axes; `.permute` takes the new order of all of them.",
        line=r"\.transpose\(",
    ),
    KnownError(
        "RuntimeError",
        r"^permute\(|desired ordering of dimensions",
        "`.permute` takes the number of each axis once, in their new order.",
    ),
    KnownError(
        "RuntimeError",
        r"^batch[12] must be a 3D tensor|^(self|mat2) must be a matrix|^matrices expected",
        "`torch.mm` is for two matrices and `torch.bmm` for two batches of them: `@` takes both.",
    ),
    KnownError(
        "RuntimeError",
        r"Number of dimensions of repeat dims",
        "`.repeat` of a tensor takes a count for each axis: `x.repeat_interleave(n, dim=0)` "
        "repeats along one.",
    ),
    KnownError(
        "ValueError",
        r"select an axis to squeeze out",
        "`squeeze` takes away axes of size 1 only.",
    ),
    KnownError(
        "RuntimeError",
        r"^Given normalized_shape=",
        "`nn.LayerNorm(n)` normalises along the last axis, so n is the size of that axis in "
        "what it is given.",
    ),
    # masks and kinds of numbers
    KnownError(
        "RuntimeError|TypeError",
        r"expected condition to be a boolean tensor|only supports boolean masks|mask.*must be bool",
        BOOLEAN_MASK,
    ),
    KnownError(
        "ValueError",
        r"either both or neither of x and y",
        "`np.where` takes three arguments: the condition, what to take where it is True, and "
        "what elsewhere.",
    ),
    KnownError(
        "TypeError|NotImplementedError|RuntimeError",
        r"ufunc '(invert|bitwise_\w+)' not supported|bitwise_\w+\" not implemented for"
        r"|only implemented on integer and Boolean-type",
        BOOLEANS,
    ),
    KnownError(
        "UFuncTypeError|_UFuncOutputCastingError|TypeError|RuntimeError",
        rf"^{CANNOT_HOLD_DECIMALS}|can't be cast to the desired output type (Long|Int)",
        DECIMALS_IN_PLACE,
    ),
    KnownError(
        "RuntimeError",
        r"(?i)same dtype, but (got|found):? .*\b(long|int|bool)",
        "torch multiplies numbers of one kind only, and whole numbers or booleans are of "
        "another kind than decimals: convert them first, as in `a.float()` or `a.to(b.dtype)`.",
    ),
    KnownError(
        "RuntimeError|IndexError",
        r"Expected dtype int64 for index|scalar types: Long, Int",
        "Rows are looked up by whole numbers: convert with `.long()`.",
    ),
    KnownError(
        "ValueError",
        r"(output array|assignment destination) is read-only",
        "This array must not be changed: write `x = x - a` instead of `x -= a`, or work on "
        "`x.copy()`.",
    ),
    # numbers
    KnownError(
        "ValueError",
        r"math domain error|expected a (nonnegative|positive) input",
        "There is no root of a negative number, and a logarithm of positive ones only: look "
        "where this one comes from.",
        line=r"sqrt|log",
    ),
    KnownError(
        "OverflowError",
        r"math range error",
        "`math.exp` overflows from 710 on: subtract the largest score first.",
        line=r"\bexp\(",
    ),
    KnownError(
        "ZeroDivisionError",
        r"negative power",
        "0 has no negative power: look where it comes from.",
    ),
    KnownError(
        "ZeroDivisionError",
        r"",
        "The divisor is 0 here: a sum or length of nothing is 0, and so is `a // b` where b is "
        "larger.",
    ),
    KnownError(
        "ValueError",
        r"(?i)^probabilities do not sum to 1",
        "Divide the probabilities by their sum as the last step, after all that makes some of "
        "them 0.",
    ),
    KnownError(
        "ValueError|RuntimeError",
        r"(?i)probabilities are not non-negative|probabilities contain NaN|probability tensor contains",
        "The probabilities contain a negative number or NaN: logits become probabilities by a softmax, and "
        "NaN often comes from a row in which all are hidden.",
    ),
    KnownError(
        "AttributeError",
        r"Generator' object has no attribute '(rand|randn|randint|random_sample|seed)'",
        "A generator of NumPy has other names: `.random()`, `.standard_normal()` and "
        "`.integers()`.",
    ),
    # gradients and training
    KnownError(
        "RuntimeError",
        r"^Trying to backward through the graph a second time",
        "`backward()` goes once through what was computed: compute the loss anew for each. "
        "What is kept between steps, such as a sum of losses, is kept as a number, "
        "`loss.item()`, or without gradients, `.detach()`.",
    ),
    KnownError(
        "RuntimeError",
        r"^grad can be implicitly created only for scalar",
        "`backward()` begins at a single number: make one of the losses, as `.mean()` does.",
    ),
    KnownError(
        "IndexError|RuntimeError",
        r"^Target -?\d+ is out of bounds",
        "A target is the number of a column of the logits, from 0 on: do the logits have a "
        "column for each symbol?",
    ),
    KnownError(
        "ValueError",
        r"optimizer got an empty parameter list",
        "The model has no parameters. torch finds layers that are attributes of the module, or "
        "in an `nn.ModuleList`; in a plain list or dictionary it does not see them.",
    ),
)
"""The first that fits is said; the more specific ones come first."""
