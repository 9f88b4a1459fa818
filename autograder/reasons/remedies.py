"""Remedies for exceptions that habits from other libraries cause, such as torch's methods on NumPy arrays.

A remedy is chosen by the exception's type, by the message of the library that raised it (as NumPy 2.4 and
torch 2.13 word it; ``tests/judging/test_general_errors.py`` raises each with the installed versions), and by the
student's own line. It is a fixed sentence: nothing of an input is in it.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from autograder.language import say
from autograder.reasons.habits import (
    IMPORT_OF,
    INSTEAD_OF_LIBRARY,
    NUMPY_FOR_FUNCTION,
    NUMPY_FOR_METHOD,
    TORCH_FOR_METHOD,
)
from autograder.sandbox.report import StudentError

TORCH_ON_NUMPY = "torch-on-numpy"
NUMPY_ON_TORCH = "numpy-on-torch"
MISSING_LIBRARY = "missing-library"
NOT_IMPORTED = "not-imported"
PRODUCT_DOES_NOT_FIT = r"mismatch in its core dimension|not aligned"


@dataclass(frozen=True, eq=False)
class KnownError:
    """An exception whose cause is known from its type, its library's own message and the line that raised it.

    Attributes:
        types: the names of its types, joined by ``|``.
        pattern: pattern that occurs in its message.
        remedy: sentences for the student: what is behind it, and what to write instead.
        misconception: the label of the mistake, if it has one.
        within: whether it may also arise at a line of the student's own code, or only at our call.
        line: pattern that occurs in the line that raised it.
        is_line: what the line has to be, where a pattern cannot say it.
        values: English texts for the places of the remedy that have a name.
    """

    types: str
    pattern: str
    remedy: str
    misconception: str | None = None
    within: bool = True
    line: str = ""
    is_line: Callable[[str], bool] | None = None
    values: Mapping[str, str] = field(default_factory=dict)

    @property
    def says(self) -> str:
        """The remedy in the student's language."""
        values = {name: say(text) for name, text in self.values.items()}
        return say(self.remedy, **values)

    def fits(self, type_name: str, message: str, source: str, in_code: bool) -> bool:
        """Return whether an exception is this one; ``source`` is the line of the code that raised it.

        ``in_code`` says whether it arose in the student's own code, not at our call.
        """
        if not self.within and in_code:
            return False
        # Most errors are of another type: their patterns are not even compiled.
        if type_name not in self.types.split("|"):
            return False
        if not re.search(self.pattern, message):
            return False
        if not re.search(self.line, source):
            return False
        return self.is_line is None or self.is_line(source)


READ_FROM_THE_END = (
    "Your line expects a different number of axes, such as one for a batch or for "
    "heads. `n, d = X.shape[-2:]` reads the last two sizes with and without such axes."
)
MASK_AS_INDEX = (
    "A mask in square brackets must have the very sizes of the axes where it stands. "
    "A mask that fits by broadcasting goes into `np.where(mask, scores, …)`, which takes "
    "`scores` where the mask is True (in torch `scores.masked_fill(mask == 0, …)`)."
)
LIST_OF_NUMBERS = (
    "Python's lists do no arithmetic: make an array first, as in `x = np.array(items)`."
)
REPEATED_BY_A_WHOLE_NUMBER = (
    "Only a whole number, as `//` makes it, repeats a list, a tuple or a text. To compute with its numbers make an "
    "array first, as in `x = np.array(items)`."
)
FEWER_AXES = (
    "The array has fewer axes than that. `axis=-1` is the last one, however many there "
    "are."
)
FILLS_AN_ARRAY = (
    r"^\w+(\[[^\]=]*\])+ *[-+*/]?=(?!=)(?!.*\b(take|delete|insert)\w*\()[^\[]*$"
)
"""A line that fills an array and reads no other by an index, which may be the one that is too short."""
OF_ARRAYS = (
    "shape|ndim|dim|dtype|device|view|reshape|transpose|swapaxes|permute|squeeze|unsqueeze|flatten|mean|std|sum|"
    "softmax|masked_fill|size|expand|repeat|chunk|split|contiguous|detach|backward|to|float|clone|T|mT"
)
"""Methods and attributes that arrays or tensors have."""
OUT_OF_TORCH = (
    "`.numpy()` takes a tensor out of torch, which would cut its gradient off: stay with torch's functions, "
    "such as `torch.exp`."
)
NUMPY_REDUCTIONS = (
    "sum|max|min|mean|std|var|prod|exp|argmax|argmin|cumsum|concatenate|stack|norm|"
    "amax|amin"
)


def nodes_of_line(line: str) -> list[ast.AST]:
    """Return what a line of code consists of; nothing of one that is only a part of a statement."""
    # Alone, a branch cannot be parsed, and neither can what begins a block.
    statement = re.sub(r"^(el(?=if\b)|else *:)", "", line.strip()).strip()
    if statement.endswith(":"):
        statement += " pass"
    try:
        return list(ast.walk(ast.parse(statement)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


TUPLE_MEETS_TENSOR = (
    r"'Tensor' and 'tuple'|not \"Tensor\".* to tuple|must be Tensor, not tuple"
)
TUPLE_FOR_TENSOR = (
    "A tuple stands where a single tensor is expected. If a function returns it, take it apart first, as "
    "in `attended, _ = self.self_attn(x, x, x)` (nn.MultiheadAttention returns output and weights)."
)
NO_RESULTS = re.compile(r"(?i)\w*(shape|size|sizes|dim|dims|args)|tuple|list")
"""Names of tuples that no function returns by mistake."""


def uses_result_as_array(line: str) -> bool:
    """Return whether what a line uses as an array may be what a function returned, and no tuple of sizes."""
    nodes = nodes_of_line(line)
    names_of_others = set()
    for node in nodes:
        match node:
            case ast.Assign(targets, value) if not isinstance(value, ast.Call):
                for target in targets:
                    if isinstance(target, ast.Name):
                        names_of_others.add(target.id)
    has_result = False
    for node in nodes:
        match node:
            case ast.Attribute(owner, name) if name in OF_ARRAYS.split("|"):
                match _root_of_result(owner):
                    case ast.Tuple():
                        return False
                    case ast.Name(name) if name in names_of_others:
                        return False
                    case ast.Name(name) | ast.Attribute(attr=name):
                        if NO_RESULTS.fullmatch(name):
                            return False
                        has_result = True
    return has_result


def _root_of_result(node: ast.expr) -> ast.expr:
    """Return what has the value of which an expression may be a part: ``halves`` of ``halves(x)[0]``."""
    while isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Call):
        return node.func
    return node


def computes_without_sizes(line: str) -> bool:
    """Return whether a line neither computes with a tuple of sizes nor gives one to a function of torch."""
    nodes = nodes_of_line(line)
    for node in nodes:
        match node:
            case ast.BinOp(left, right=right):
                values = [left, right]
            case ast.Call(ast.Attribute(ast.Name("torch" | "F" | "functional"))):
                values = [*node.args, *(keyword.value for keyword in node.keywords)]
            case _:
                continue
        if any(map(_is_of_sizes, values)):
            return False
    return bool(nodes)


def _is_of_sizes(node: ast.expr) -> bool:
    """Return whether an expression is called as a tuple of sizes is, or a part of such a tuple."""
    while isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        node = node.value
    match node:
        case ast.Name(name) | ast.Attribute(attr=name):
            return NO_RESULTS.fullmatch(name) is not None
    return False


def unpacks_shapes(line: str) -> bool:
    """Return whether all that a line takes apart are sizes of arrays, and not what a function returns.

    Of a statement that has several lines, one line cannot tell.
    """
    takes_shapes = False
    for node in nodes_of_line(line):
        match node:
            case ast.Assign(targets, value):
                for target in targets:
                    if isinstance(target, NAMES):
                        takes_shapes = True
                        if not _is_shape(value, target.elts):
                            return False
            case ast.For(target) | ast.comprehension(target):
                if isinstance(target, NAMES):
                    return False
    return takes_shapes


NAMES = ast.Tuple | ast.List
"""Several names on the left side of an assignment."""


def _is_shape(value: ast.expr, names: list[ast.expr]) -> bool:
    """Return whether an expression is the shape of an array, or as many of its sizes as there are names.

    A slice such as ``[:3]`` does not give two sizes, however many axes the array has.
    """
    while True:
        match value:
            case ast.Attribute(_, "shape") | ast.Call(ast.Attribute(_, "size"), [], []):
                return True
            case ast.Call(ast.Attribute(ast.Name("np" | "numpy"), "shape"), [_], []):
                return True
            case ast.Call(ast.Name("list" | "tuple" | "reversed"), [shape], []):
                value = shape
            case ast.Subscript(shape, ast.Slice() as part):
                if not _may_give(part, names):
                    return False
                value = shape
            case _:
                return False


def _may_give(part: ast.Slice, names: list[ast.expr]) -> bool:
    """Return whether a slice of an array's sizes gives one for each name, if there are enough."""
    if part.lower is None and part.upper is None:
        return part.step is None or _whole(part.step) == -1
    # Where a variable stands, nothing is known.
    start = 0 if part.lower is None else _whole(part.lower)
    end = 0 if part.upper is None else _whole(part.upper)
    if part.step is not None or start is None or end is None:
        return False
    is_counted_from_the_end = start < 0
    if part.upper is None and not is_counted_from_the_end:
        return True  # all but the first sizes
    if end < 0 and not is_counted_from_the_end:
        return True  # all but the last ones
    if end > 0 and is_counted_from_the_end:
        return False
    length = end - start
    single_names = [name for name in names if not isinstance(name, ast.Starred)]
    if len(single_names) < len(names):
        return length >= len(single_names)
    return length == len(names)


def _whole(node: ast.expr) -> int | None:
    """Return the whole number that is typed in, or None."""
    match node:
        case ast.Constant(int() as number):
            return number
        case ast.UnaryOp(ast.USub(), ast.Constant(int() as number)):
            return -number
    return None


def _known_errors_of_tables() -> Iterator[KnownError]:
    """Yield one known error for each entry of the tables in ``habits.py``."""
    for name, advice in NUMPY_FOR_METHOD.items():
        yield KnownError(
            "AttributeError",
            rf"'numpy\.ndarray' object has no attribute '{name}'",
            "`.{name}` is a method of torch's tensors, and this is a NumPy array: "
            "{advice}.",
            TORCH_ON_NUMPY,
            values={"name": name, "advice": advice},
        )
    for name, advice in NUMPY_FOR_FUNCTION.items():
        yield KnownError(
            "AttributeError",
            rf"module 'numpy' has no attribute '{name}'",
            "{advice}.",
            TORCH_ON_NUMPY,
            values={"advice": advice},
        )
    for name, advice in TORCH_FOR_METHOD.items():
        yield KnownError(
            "AttributeError",
            rf"'Tensor' object has no attribute '{name}'",
            "`.{name}` is a method of NumPy's arrays, and this is a tensor: {advice}.",
            NUMPY_ON_TORCH,
            values={"name": name, "advice": advice},
        )
    for name, advice in IMPORT_OF.items():
        yield KnownError(
            "NameError",
            rf"^name '{name}' is not defined",
            "{advice}.",
            NOT_IMPORTED,
            values={"advice": advice},
        )
    for library, advice in INSTEAD_OF_LIBRARY.items():
        yield KnownError(
            "ModuleNotFoundError",
            rf"^No module named '{library}\b",
            "The library `{library}` is not there when your work is graded. {advice}.",
            MISSING_LIBRARY,
            values={"library": library, "advice": advice},
        )


HABITS: tuple[KnownError, ...] = (
    *_known_errors_of_tables(),
    # torch's ways with a NumPy array
    KnownError(
        "ValueError",
        r"all the input arrays? must have same number of dimensions",
        "Arrays that are joined need the same number of axes. Add an axis in front of the "
        "one that lacks it, as in `k[None]`, which makes a vector one row.",
        line=r"\b(concatenate|concat|hstack|vstack|append|insert|stack)\(",
    ),
    KnownError(
        "TypeError",
        r"'int' object is not subscriptable",
        "`.size` of a NumPy array is one number, the count of its entries. The sizes "
        "of its axes are in `.shape`, as in `X.shape[-1]`.",
        TORCH_ON_NUMPY,
        line=r"(?<!\bself)\.size\s*\[",
    ),
    KnownError(
        "TypeError",
        r"'builtin_function_or_method' object is not subscriptable",
        "`.size` of a tensor is a method: write `X.size(-1)`, or `X.shape[-1]`.",
        NUMPY_ON_TORCH,
        line=r"\.size\s*\[",
    ),
    KnownError(
        "ValueError",
        PRODUCT_DOES_NOT_FIT,
        "For a NumPy matrix, `.transpose(-2, -1)` and `.transpose(0, 1)` list the axes in "
        "the order they already have, so nothing changes. Write `.T`, or "
        "`.swapaxes(-1, -2)` for any number of axes.",
        TORCH_ON_NUMPY,
        line=r"\.transpose\(\s*(-2\s*,\s*-1|0\s*,\s*1)\s*\)",
    ),
    KnownError(
        "ValueError|AxisError",
        r"axes don't match array|out of bounds for array of dimension",
        "torch's `.transpose` takes the two axes to exchange, and NumPy's takes the new order "
        "of all axes. Write `.swapaxes(-1, -2)`, which exchanges the last two of any "
        "array, or `.T` of a matrix.",
        TORCH_ON_NUMPY,
        line=r"\.transpose\(\s*-?\d\s*,\s*-?\d\s*\)",
    ),
    KnownError(
        "ValueError|AxisError",
        r"axes don't match array|out of bounds for array of dimension",
        "The array has a different number of axes. `.swapaxes(-1, -2)` exchanges "
        "the last two of any array.",
        line=r"\b(transpose|swapaxes|moveaxis)\(",
    ),
    KnownError(
        "TypeError",
        rf"^(_\w+|{NUMPY_REDUCTIONS})\(\) got an unexpected keyword argument '(dim|keepdim)'",
        "NumPy calls them `axis` and `keepdims`, where torch has `dim` and `keepdim`.",
        TORCH_ON_NUMPY,
        line=rf"^(?!.*(?<![\w.])({NUMPY_REDUCTIONS})\().*(\b(np|numpy|linalg)\.|\.({NUMPY_REDUCTIONS})\()",
    ),
    KnownError(
        "TypeError",
        r"'int' object is not callable",
        "`.size` of a NumPy array is its number of entries, not a function: write "
        "`.shape[-1]` for the last size.",
        TORCH_ON_NUMPY,
        line=r"(?<!\bself)\.size\(",
    ),
    KnownError(
        "TypeError|ValueError",
        r"Type must be a sub-type of ndarray type|Cannot interpret '.*' as a data type",
        "NumPy's `.view` is about data types: use `.reshape(…)`.",
        TORCH_ON_NUMPY,
        line=r"\.view\(",
    ),
    KnownError(
        "TypeError",
        r"must be Tensor, not numpy\.ndarray|expected Tensor as element \d+ .*got numpy\.ndarray"
        r"|invalid combination of arguments - got \([^)]*numpy\.ndarray",
        "torch's functions take tensors, and this is a NumPy array: use NumPy's own, "
        "such as `np.exp` or `@`.",
        TORCH_ON_NUMPY,
    ),
    KnownError(
        "TypeError",
        r"must be Tensor, not (int|float)",
        "torch's functions take tensors: for the root of a plain number use "
        "`math.sqrt(…)` or `** 0.5`.",
    ),
    # NumPy's ways with a tensor
    KnownError(
        "RuntimeError",
        r"Can't call numpy\(\) on Tensor that requires grad",
        OUT_OF_TORCH,
        NUMPY_ON_TORCH,
        line=r"\b(np|numpy)\.[\w.]+\(.*\.numpy\(\)",
    ),
    KnownError(
        "RuntimeError",
        r"Can't call numpy\(\) on Tensor that requires grad",
        OUT_OF_TORCH,
        line=r"\.numpy\(\)",
    ),
    KnownError(
        "RuntimeError",
        r"Can't call numpy\(\) on Tensor that requires grad",
        "A function of NumPy is given a tensor whose gradient is needed: use torch's "
        "function of that name, such as `torch.exp`.",
        NUMPY_ON_TORCH,
    ),
    KnownError(
        "TypeError",
        r"unsupported operand type\(s\) for .*: '(numpy\.ndarray' and 'Tensor|Tensor' and 'numpy\.ndarray)'",
        "A NumPy array and a tensor are mixed here: use one of the two libraries "
        "throughout the function.",
    ),
    KnownError(
        "TypeError",
        r"torch\.return_types\.(max|min)",
        "torch's `max` and `min` along an axis return values and their places: take "
        "`.values`, or use `torch.amax` and `torch.amin`.",
        NUMPY_ON_TORCH,
    ),
    KnownError(
        "TypeError",
        r"^softmax\(\) (got an unexpected keyword argument 'axis'|missing 1 required positional .*\"dim\")",
        "torch's softmax asks for the axis by the name `dim`, as in `dim=-1`.",
        NUMPY_ON_TORCH,
        line=r"\b(F|functional|torch)\.softmax\(|\.softmax\(\)",
    ),
    KnownError(
        "RuntimeError",
        r"does not require grad and does not have a grad_fn",
        "No gradients are recorded on the way to this line: look for `torch.no_grad()`, "
        "`torch.set_grad_enabled(False)`, `.detach()` or `.item()` around the code that "
        "computes the loss.",
    ),
    KnownError(
        "RuntimeError",
        r"(?i)same dtype, but (got|found):? (double|float)( !=| and) (double|float)",
        "float32 and float64 do not mix in a product: make both alike, as in "
        "`a.to(b.dtype)`. Tensors made of NumPy arrays are float64.",
    ),
    KnownError(
        "IndexError",
        r"^Dimension out of range",
        "The tensor has fewer axes than that. `-1` is the last one and `-2` the one "
        "before it, however many there are.",
    ),
    KnownError(
        "TypeError",
        r"'builtin_function_or_method'",
        "`.size` of a tensor is a function: write `.shape[-1]` for the last size.",
        NUMPY_ON_TORCH,
        line=r"\.size\b(?!\()",
    ),
    # torch's layers
    KnownError(
        "TypeError|AttributeError",
        TUPLE_MEETS_TENSOR,
        TUPLE_FOR_TENSOR,
        "tuple-not-unpacked",
        is_line=computes_without_sizes,
    ),
    KnownError(
        "TypeError|AttributeError",
        TUPLE_MEETS_TENSOR,
        TUPLE_FOR_TENSOR,
    ),
    KnownError(
        "AttributeError",
        rf"^'tuple' object has no attribute '({OF_ARRAYS})'",
        "This is a tuple. If a function returns it, take it apart first, as in `weights, output = attention(x)`; "
        "nn.MultiheadAttention returns output and weights, as in `attended, _ = self.self_attn(x, x, x)`.",
        "tuple-not-unpacked",
        is_line=uses_result_as_array,
    ),
    KnownError(
        "IndexError",
        r"^index out of range in self",
        "An index reaches beyond the rows of what it is looked up in. In an `nn.Embedding` that is a position "
        "from `max_length` on, or a token from `vocab_size` on. With a cache, only new tokens go in.",
    ),
    KnownError(
        "NotImplementedError|RuntimeError",
        r"log_softmax\w*\" not implemented for|^Expected floating point type for target|multi-target not supported",
        "`cross_entropy(logits, targets)` takes the logits first, as they are, without "
        "softmax or argmax. The targets are whole numbers.",
        line=r"cross_entropy\(|CrossEntropyLoss",
    ),
    KnownError(
        "RuntimeError|ValueError",
        r"^Expected target size",
        "`cross_entropy` looks for the symbols along axis 1. Make one axis of sequences "
        "and tokens before: `logits.flatten(0, 1)` and `targets.flatten()`.",
        line=r"cross_entropy\(|CrossEntropyLoss",
    ),
    KnownError(
        "RuntimeError",
        r"expected target dtype to be Long|expected scalar type Long",
        "The targets of `cross_entropy` are whole numbers: `targets.long()`.",
        line=r"cross_entropy\(|CrossEntropyLoss",
    ),
    KnownError(
        "TypeError",
        r"MultiheadAttention\.forward\(\) missing",
        "nn.MultiheadAttention takes queries, keys and values: in self-attention, the "
        "same tokens three times.",
    ),
    KnownError(
        "TypeError",
        r"is not a Module subclass",
        "Layers are built from modules: write `nn.ReLU()` with its parentheses, "
        "not `nn.ReLU` or a function such as `F.relu`.",
    ),
    KnownError(
        "RuntimeError",
        r"must match the size of tensor|Expected size for first two dimensions|shapes cannot be multiplied",
        "With an axis for heads, `.transpose(1, 2)` exchanges heads and tokens: "
        "`.transpose(-2, -1)` exchanges the last two axes, however many there are.",
        line=r"(@|matmul|bmm).*\.transpose\(1, ?2\)|\.transpose\(1, ?2\).*@",
    ),
    KnownError(
        "TypeError",
        r"descriptor '__init__' of 'super' object needs an argument",
        "`super` is a function: write `super().__init__()`.",
    ),
    KnownError(
        "RuntimeError",
        r"^view size is not compatible",
        "The numbers are not in the order that `.view` needs, as after a `.transpose`: use "
        "`.reshape(…)`.",
    ),
    KnownError(
        "RuntimeError",
        r"mat1 and mat2 shapes cannot be multiplied",
        "`nn.Linear(a, b)` takes a columns and returns b: the second size of a layer "
        "is the first one of the next.",
        line=r"^[^@]*\bself\.\w+\([^@]*$",
    ),
    # shapes, axes and masks
    KnownError(
        "ValueError",
        r"^array split does not result in an equal division",
        "`np.hsplit` cuts along axis 1 and `np.vsplit` along axis 0, whatever these "
        "axes are here: `np.split(…, axis=-1)` cuts along the last one.",
        line=r"\b(hsplit|vsplit|dsplit)\(",
    ),
    KnownError(
        "ValueError",
        r"^array split does not result in an equal division",
        "`np.split` cuts into a number of equal parts, and this size is not a multiple of "
        "that number: slices, as in `K[start : start + size]`, may end with a smaller "
        "one.",
    ),
    KnownError(
        "ValueError|IndexError",
        r"^zero-size array to reduction operation|out of bounds for axis \d+ with size 0$",
        "An array without entries has no largest, smallest or first one. Look where it "
        "becomes empty: a slice may begin behind the end, or a loop take one step too many.",
    ),
    KnownError(
        "IndexError",
        r"^index [1-9]\d* is out of bounds for (axis|dimension) \d+ with size [1-9]",
        "The array that this line fills has too few places along this axis, or the line counts one too far: the "
        "first index is 0. Is the array as large as the longest item needs, and not only the first?",
        line=FILLS_AN_ARRAY,
    ),
    KnownError(
        "IndexError",
        r"^index ([1-9]\d*) is out of bounds for axis \d+ with size \1$",
        "Indices begin at 0, so the last one is a size less 1. The loop may take its "
        "end from another axis, or go one step too far.",
    ),
    KnownError(
        "ValueError",
        r"(not enough|too many) values to unpack",
        READ_FROM_THE_END,
        is_line=unpacks_shapes,
    ),
    KnownError(
        "IndexError",
        r"boolean index did not match|shape of the mask .* does not match",
        MASK_AS_INDEX,
        "mask-as-index",
    ),
    KnownError(
        "IndexError",
        r"too many indices for array",
        MASK_AS_INDEX,
        "mask-as-index",
        line=r"\[(?!\s*(:|\.\.\.|\w+\s*,))[^\[\]]*(mask\b|==|~)[^\[\]]*\]",
    ),
    KnownError("AxisError", r"out of bounds for array of dimension", FEWER_AXES),
    KnownError(
        "TypeError",
        r"'(tuple|torch\.Size)' object is not callable",
        "`.shape` is not a function: read a size with square brackets, as in "
        "`x.shape[-1]`.",
        line=r"\.shape\(",
    ),
    KnownError(
        "TypeError",
        r"'(numpy\.ndarray|Tensor)' object is not callable",
        "`.T` is not a function: leave out the parentheses after it.",
        line=r"\.(T|mT)\(",
    ),
    KnownError(
        "ValueError",
        r"could not be broadcast together with shapes \((\d+),1\) \(\1,\d+,1\)",
        "The first has one number for each item of the second, but one axis fewer: give "
        "it as many, as in `w[:, None, None]`.",
    ),
    KnownError(
        "ValueError",
        r"shapes \((\d+),\) and \(\1,\d+,1\) not aligned",
        "The second array has three axes, as a list of columns has when it becomes an array. Put columns side by "
        "side first, as `np.hstack` does, and look at what then fits.",
    ),
    KnownError(
        "ValueError|RuntimeError",
        r"only convert an array of size 1 to a Python scalar|Tensor with \d+ elements cannot be converted",
        "Only an array with a single entry becomes a plain number, with `.item()` or `float(…)`, and this one has "
        "more: look at the shapes of the arrays it is computed from.",
    ),
    # plain Python with arrays
    KnownError(
        "ValueError|RuntimeError",
        r"truth value of an array|Boolean value of Tensor with more than one value",
        "Python's `max`, `min` and `sorted` compare the rows of a matrix as a whole: "
        "use `np.max`, `np.min` or `np.sort`, and say along which axis.",
        line=r"^(?!.*\b(if|while|and|or|not)\b).*(?<![\w.])(max|min|sorted)\(",
    ),
    KnownError(
        "ValueError|RuntimeError",
        r"truth value of an array|Boolean value of Tensor with more than one value",
        "Of an array, `== None` and `!= None` compare each entry. Ask `is None` or "
        "`is not None`, as in `if mask is None:`.",
        line=r"[!=]= *None\b|\bNone *[!=]=",
    ),
    KnownError(
        "ValueError|RuntimeError",
        r"truth value of an array|Boolean value of Tensor with more than one value",
        "Whether an argument was given at all is asked with `is not None`, as in "
        "`if mask is not None:`.",
        line=r"\b(if|and|or|not) (not )?(\w*mask|cache|top_k)\b *(:|else|and|or|$)"
        r"|= *(\w*mask|cache|top_k) or\b",
    ),
    KnownError(
        "ValueError|RuntimeError",
        r"truth value of an array|Boolean value of Tensor with more than one value",
        "A condition takes a single True or False, and this is an array of them: "
        "`np.where(condition, a, b)` chooses entry by entry.",
        line=r"\b(if|while|and|or|not)\b",
    ),
    KnownError(
        "TypeError",
        r"unsupported operand type\(s\) for [-*/]+: ('list' and|.* and 'list')",
        LIST_OF_NUMBERS,
    ),
    KnownError(
        "TypeError",
        r"can't multiply sequence by non-int of type",
        REPEATED_BY_A_WHOLE_NUMBER,
    ),
    KnownError(
        "AttributeError",
        r"'list' object has no attribute '(shape|T|max|sum|min|mean|dot|reshape)'",
        LIST_OF_NUMBERS,
    ),
    KnownError(
        "AttributeError",
        r"'numpy\.ndarray' object has no attribute 'append'",
        "An array does not grow: collect the parts in a list, and make an array of it "
        "at the end, as in `np.vstack(rows)`.",
    ),
    KnownError(
        "AttributeError",
        r"'(int|float)' object has no attribute '(shape|T)'",
        "This is a plain number, not an array: use it as it is.",
    ),
    KnownError(
        "RecursionError",
        r"",
        "The function calls itself too often, perhaps without end or under a second name: give a helper "
        "a name of its own, and let each call come closer to a case that returns at once.",
    ),
    KnownError(
        "TabError",
        r"",
        "Some lines are indented with tabs and others with spaces: use four spaces for each "
        "level everywhere (editors have a command that converts tabs).",
    ),
    KnownError(
        "UnboundLocalError",
        r"cannot access local variable|referenced before assignment",
        "The function gives this name a value somewhere, but not before this line, "
        "or only in a branch or loop that was not entered.",
    ),
)
"""The first that fits is reported; the more specific ones come first."""


def remedy_for(
    error: StudentError, known_errors: tuple[KnownError, ...]
) -> KnownError | None:
    """Return the first known error that an exception is, or None."""
    in_code = error.line is not None
    return _remedy_for(error.type, error.message, error.source, in_code, known_errors)


# A class makes the same mistakes, and one submission raises the same exception in many cases.
@functools.lru_cache(maxsize=1024)
def _remedy_for(
    type_name: str,
    message: str,
    source: str,
    in_code: bool,
    known_errors: tuple[KnownError, ...],
) -> KnownError | None:
    for known_error in known_errors:
        if known_error.fits(type_name, message, source, in_code):
            return known_error
    return None
