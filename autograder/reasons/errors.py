"""Explain calls that returned no value: what the student reads about the error and its remedy."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import replace

from autograder.reasons.remedies import HABITS, KnownError, remedy_for
from autograder.reasons.shape_errors import in_words, typed_in, what_would_fit
from autograder.sandbox.report import Stop, StudentError, escaped
from autograder.sandbox.request import Limits
from autograder.verdict.failure import (
    BROUGHT_DOWN,
    NO_FORWARD,
    Failure,
    FailureKind,
    is_unwritten,
)
from autograder.verdict.misfits import misfit_of
from autograder.verdict.names import DefinedNames
from autograder.worker.errors import SHAPES_ARE
from autograder.worker.load import LARGEST_PART

LONGEST_MESSAGE = 200
MOST_ALIKE, LEAST_ALIKE = 2, 0.7
"""How many names are suggested for one that is missing, and how alike they are at least."""
LAST_TWO = "`.swapaxes(-1, -2)` exchanges the last two only."


NOT_ONE_NUMBER = r"only (0-dimensional|length-1|size-1) arrays can be|only one element tensors can be"
OF_NUMBERS = "TypeError|ValueError|RuntimeError"
MATH, CONVERTS = r"\bmath\.", r"(\b(float|int)\(|['\"] % )"
USE_ITEM = (
    "float(), int() and `%` take a single number, and since NumPy 2.4 no array of shape (1, 1). If it has "
    "one entry, use `.item()`, as in `(k.T @ q).item()`; an array with more is not a single number."
)
USE_ARRAYS = (
    "The functions of `math` take a single number: for a whole array use those of NumPy or torch, such as "
    "`np.exp`."
)
MISSING, TOO_MANY = (
    r"missing \d+ required",
    r"takes .* positional arguments? but .* (was|were) given",
)
DEFAULTS = "give every further parameter a default value, such as `mask=None`."
IN_PLACE = "is changed in place: write `x = x + a`, not `x += a` or `x[...] = a`."
ONLY_MATH, ONLY_CONVERTS = rf"^(?!.*{CONVERTS}).*{MATH}", rf"^(?!.*{MATH}).*{CONVERTS}"
KNOWN_ERRORS = (
    *HABITS,
    KnownError(OF_NUMBERS, NOT_ONE_NUMBER, USE_ARRAYS, line=ONLY_MATH),
    KnownError(
        "TypeError",
        r"must be real number, not (list|tuple|torch\.Size)",
        USE_ARRAYS,
        line=ONLY_MATH,
    ),
    KnownError(
        OF_NUMBERS, NOT_ONE_NUMBER, USE_ITEM, "numpy-float-of-array", line=ONLY_CONVERTS
    ),
    KnownError(OF_NUMBERS, NOT_ONE_NUMBER, f"{USE_ITEM} {USE_ARRAYS}"),
    KnownError(
        "ValueError",
        r"setting an array element with a sequence\.$",
        "An array or a list is put where there is room for one number. If it has one entry, use `.item()`, "
        "as in `(k.T @ q).item()`; if it has more, make room for all of them.",
    ),
    KnownError(
        "ValueError",
        r"could not be broadcast together with shapes \((\d+),\d+\) \(\1,\)",
        "The second has one number per row: make it a column, as `keepdims=True` does for a sum over axis 1.",
    ),
    KnownError(
        "AttributeError",
        r"module 'numpy' has no attribute '(float|int|bool|object|complex)'",
        "This alias was removed in NumPy 1.24: use the plain Python type of that name.",
        "numpy-removed-name",
    ),
    KnownError(
        "AttributeError",
        r"has no attribute '(named_parameters|train)'",
        "It must be a class that inherits from `nn.Module`.",
        within=False,
    ),
    KnownError(
        "AttributeError",
        r"before Module.__init__\(\) call",
        "Call `super().__init__()` first in `__init__`, before layers are assigned.",
    ),
    KnownError(
        "AssertionError",
        r"embed_dim must be divisible by num_heads",
        "The grader's embed_dim is always divisible by its num_heads, so other numbers reach this line. "
        "The arguments come in the order embed_dim, num_heads, ff_dim.",
    ),
    KnownError(
        "AssertionError|RuntimeError",
        r"not compiled with CUDA|No CUDA GPUs|no NVIDIA driver",
        "The grader has no GPU: leave out `.cuda()`, `.to('cuda')` and `device='cuda'`.",
    ),
    KnownError(
        "RuntimeError",
        r"leaf Variable.* in-?place operation",
        f"A tensor that gets a gradient {IN_PLACE}",
        "modifies-input",
    ),
    KnownError(
        "RuntimeError",
        r"in-?place operation",
        f"A tensor that gradients still need {IN_PLACE}",
    ),
    KnownError(
        "NotImplementedError|RuntimeError",
        r"not implemented for '(Long|Int|Short|Char|Byte|Bool)'",
        "torch does not compute this for whole numbers or booleans: convert the tensor with "
        "`.float()` first.",
    ),
    KnownError(
        "NotImplementedError",
        NO_FORWARD,
        "A module computes in `forward`, and the one that is called has none. `nn.ModuleList` and "
        "`nn.ModuleDict` only hold layers: call each of these.",
    ),
    KnownError(
        "ModuleNotFoundError",
        r"No module named",
        "Import only the libraries that the handout names, and `.py` files that you hand in.",
    ),
    KnownError(
        "FileNotFoundError",
        r"No such file or directory: ",
        "Data files are not there when your work is graded, and none are needed.",
    ),
    KnownError(
        "PermissionError",
        r"Operation not permitted$",
        "Other programs, the network and the system's settings are out of reach when your work is graded.",
    ),
    KnownError(
        "KeyError",
        r"",
        "Variables of your computer's environment are not there in grading: write the value itself.",
        line=r"\benviron\b",
    ),
    KnownError(
        "EOFError",
        r"EOF when reading a line",
        "Nobody is there to type when your work is graded: leave out `input()`.",
    ),
    KnownError(
        "SystemExit",
        r"",
        "Your code ends the program before it returns a result: leave out `exit()`, `quit()` and "
        "`sys.exit()`.",
    ),
    KnownError(
        "MemoryError|_ArrayMemoryError|OutOfMemoryError",
        r"",
        "It asked for more memory than the grader gives: look for an array that is far larger than inputs "
        "and results, or for a list that keeps growing.",
    ),
    *(
        KnownError("TypeError", f"{where}{what}", remedy, within=False)
        for what, where, remedy in (
            (
                MISSING,
                r"\.forward\(\) ",
                f"`forward` asks for more than the handout's `forward`: {DEFAULTS}",
            ),
            (
                MISSING,
                r"\.__init__\(\) ",
                f"The constructor asks for more than the handout's: {DEFAULTS}",
            ),
            (
                MISSING,
                "",
                f"It asks for more arguments than the stub's signature has: {DEFAULTS}",
            ),
            (
                TOO_MANY,
                r"\.forward\(\) ",
                "`forward` takes fewer arguments than the handout's `forward`.",
            ),
            (
                TOO_MANY,
                r"\.__init__\(\) ",
                "The constructor takes fewer arguments than the handout's.",
            ),
            (TOO_MANY, "", "It takes fewer arguments than the stub's signature has."),
        )
    ),
)

MOST_TOLD = 20  # so many lines or cells that stopped are told one by one


def explain_missing(
    name: str,
    own: DefinedNames,
    others: Sequence[str] = (),
    *,
    is_class: bool = False,
    stopped_before: str = "",
) -> Failure:
    """Return the finding for a function or class that is not there.

    ``others`` are names that are asked for as well, so that none of them is meant by this one.
    ``stopped_before`` is what is known of why the name was never defined, such as a failed cell.
    """
    if name in own.values:
        text = (
            f"After your file has run, `{name}` is not a {'class' if is_class else 'function'}: a line gives "
            f"this name to something else, such as `{name} = {name}(…)`. Use another name there."
        )
        return Failure(FailureKind.NOT_DEFINED, f"{text} {stopped_before}".strip())
    candidates = (
        (*own.classes, *own.functions) if is_class else (*own.functions, *own.classes)
    )

    def plain(one: str) -> str:
        return one.replace("_", "").casefold()

    outer = [one.partition(".")[0] for one in own.inner if one.endswith(f".{name}")]
    near = {plain(one): one for one in reversed(candidates) if one not in others}
    # What other functions use is there for them, unless it has the same name but for case and underscores.
    near = {
        key: one
        for key, one in near.items()
        if one not in own.called or key == plain(name)
    }
    alike = [
        near[one]
        for one in difflib.get_close_matches(plain(name), near, MOST_ALIKE, LEAST_ALIKE)
    ]
    if (
        is_class
        and not alike
        and len(own.modules) == 1
        and own.modules[0] not in others
    ):
        alike = [one for one in own.modules if one not in own.called]
    meant = " or ".join(f"`{one}`" for one in alike)
    also = ", also where it is called" if set(alike) & set(own.called) else ""
    hint = (
        f"If your {meant} is meant to be it, rename it{also}: the grader looks for `{name}`."
        if meant
        else ""
    )
    if outer:
        place = f"within `{outer[0]}`, where it is not found"
        hint = f"There is one {place}: move it out, to the beginning of a line."
    parts = (f"`{name}` is not defined.", hint, stopped_before)
    return Failure(FailureKind.NOT_DEFINED, " ".join(filter(None, parts)))


def explain_no_value(
    error: StudentError,
    name: str,
    limits: Limits,
    shown: StudentError | None,
    stopped_before: str = "",
) -> Failure:
    """Return the finding for a call that returned no value; ``shown`` as in ``explain_error``.

    ``stopped_before`` is what is known of why a name was never defined, such as a cell that stopped.
    """
    if is_unwritten(error):
        # the line may stand in another function that this one calls, or be left below finished code
        place = _place(error) or " at `raise NotImplementedError`"
        cause = f" stops{place}. Write what is missing there, or delete the line if that code is done."
        return Failure(
            FailureKind.NOT_WRITTEN, f"`{name}`{cause}", "", ("returns-nothing",), cause
        )
    if error.type == "MissingParameter":
        found = shown.message if shown else ""
        which = f": there is {found} (`nn.Linear(a, b)` has (b, a))" if found else ""
        text = (
            f"`{name}` lacks weights of an expected shape{which}. Keep the attribute names of the handout "
            "and the layers' biases, and take every size from the constructor's arguments."
        )
        return Failure(FailureKind.SHAPE, text, error.message)
    if error.type in BROUGHT_DOWN:
        return Failure(
            FailureKind.RAISED, f"`{name}` {BROUGHT_DOWN[error.type]}.", error.message
        )
    too_slow = (
        f"One call may take {limits.call_seconds:g} s, and all calls of a homework {limits.seconds:g} s: "
        "look for a loop that does not end, or that takes far more steps than the inputs have entries."
    )
    finding = explain_error(error, f"`{name}`", too_slow, shown)
    hint = stopped_before if error.type == "NameError" else ""
    return replace(finding, student=f"{finding.student} {hint}".strip())


def note_stops(
    stops: Sequence[Stop], missing: Sequence[str], limits: Limits
) -> list[str]:
    """Return what a student reads about lines and cells that stopped; ending the program is none of these.

    ``stops`` are from a run that was given no inputs, ``missing`` the tasks that were never defined. What
    stopped costs nothing by itself.
    """
    told = [stop for stop in stops if stop.error.type != "SystemExit"]
    too_slow = (
        f"Loading may take {limits.loading[0]:g} s in all, and a single line or cell at most "
        f"{limits.loading[0] * LARGEST_PART:g} s: leave training and long demonstrations out of what "
        "is handed in, and look for a loop that does not end."
    )
    findings = (
        explain_error(one.error, one.subject, too_slow, one.error)
        for one in told[:MOST_TOLD]
    )
    notes = [f"{finding.student} Grading goes on after it." for finding in findings]
    if len(told) > MOST_TOLD:
        notes.append(f"{len(told) - MOST_TOLD} more stopped as well.")
    if notes and missing:
        notes.append(f"Never defined: {', '.join(f'`{name}`' for name in missing)}.")
    return notes


def name_stop(stop: Stop) -> str:
    """Say which line or cell stopped while the code was loaded; a missing library comes with its remedy."""
    where = f" at line {stop.error.line}" if stop.error.line else ""
    where += f" of {stop.error.file}" if where and stop.cell is None else ""
    is_library = stop.error.type == "ModuleNotFoundError"
    known = remedy_for(stop.error, HABITS) if is_library else None
    remedy = f" {known.remedy}" if known else ""
    return f"{stop.subject} stopped with {stop.error.type}{where}.{remedy}"


def explain_import(
    error: StudentError, file: str, limits: Limits, shown: StudentError | None
) -> Failure:
    """Return the finding for a file that does not load; ``shown`` as in ``explain_error``."""
    too_slow = (
        f"Loading it may take {limits.loading[0]:g} s: leave training and demonstrations out of what "
        "is handed in, and look for a loop that does not end."
    )
    return explain_error(error, f"Importing `{file}`", too_slow, shown)


def explain_error(
    error: StudentError, subject: str, too_slow: str, shown: StudentError | None
) -> Failure:
    """Return the finding for an exception: type and line for the student, the message for the staff.

    ``shown`` is the same exception as it was raised where no hidden input was, so that its message may be
    shown; ``too_slow`` is what to say of the time limit.
    """
    at = _place(error, subject)
    if error.type == "TimeLimit":
        return Failure(
            FailureKind.TIME_LIMIT, f"{subject} did not finish in time{at}. {too_slow}"
        )
    text = f"{subject} raised {error.type}{at}."
    cause = (
        text.removeprefix(subject) if at else text
    )  # one line may fail below several functions
    shapes = ""
    if shown is not None and what_it_says(shown):
        shapes = escaped(" ".join(shown.message.partition(SHAPES_ARE)[2].split()))[
            :LONGEST_MESSAGE
        ]
        misfit = misfit_of(shown)
        text += f" It says: {what_it_says(shown)}."
        text += f" Here {shapes}." if shapes else ""
        if reversed_axes := re.search(r"`([^`]+\.T)` is \(\d+(, \d+){2,}\)", shapes):
            text += f" `{reversed_axes[1]}` has all axes in reverse order: {LAST_TWO}"
        elif reversing := _transposes_many_axes(error.source, shapes):
            text += f" `{reversing}` puts all axes into reverse order: {LAST_TWO}"
        elif misfit is not None:
            text = f"{text} {what_would_fit(misfit)}".rstrip()
            text = f"{text} {typed_in(misfit, error.source)}".rstrip()
    staff = f"{error.type}: {error.message}\n{error.trace}".strip()
    labels: tuple[str, ...] = ()
    if known := remedy_for(error, KNOWN_ERRORS):
        text, labels = (
            f"{text} {known.remedy}",
            (known.misconception,) if known.misconception else (),
        )
    elif column := _column_taken_for_a_list(error.source, shapes):
        text += (
            f" `{column}` is a single column, so an index takes one of its numbers: is a list of all columns "
            "meant, of which this is the last?"
        )
    return Failure(FailureKind.RAISED, text, staff, labels, cause)


def _transposes_many_axes(source: str, shapes: str) -> str | None:
    """Name a transposition without axes of an array that has more than two."""
    for call in re.finditer(r"\b(\w+)\.transpose\(\)|\w+\.transpose\((\w+)\)", source):
        name = call[1] or call[2]
        if re.search(rf"`{name}` is \(\d+(, \d+){{2,}}\)", shapes):
            return call[0]
    return None


def _column_taken_for_a_list(source: str, shapes: str) -> str | None:
    """Name an array of shape (D, 1) that a line indexes once, as it would a list of columns."""
    for name in re.findall(r"`(\w+)` is \(\d+, 1\)", shapes):
        if re.search(rf"(?<![\w.]){name}\[\w+\]", source):
            return str(name)
    return None


def what_it_says(error: StudentError) -> str:
    """Return what an exception says, on one line: in words of ours where shapes did not fit, else quoted."""
    message = escaped(" ".join(error.message.partition(SHAPES_ARE)[0].split()))
    if not message:
        return ""
    misfit = misfit_of(error)
    cut = (
        message
        if len(message) <= LONGEST_MESSAGE
        else f"{message[: LONGEST_MESSAGE - 1]}…"
    )
    return (in_words(misfit) if misfit else "") or f"“{cut.removesuffix('.')}”"


def _place(error: StudentError, subject: str = "") -> str:
    """Where an error arose, in words; nothing where that is not known. The subject may be the cell itself."""
    if error.line is None:
        return ""
    file = error.file or "your code"
    within = "" if file == subject.lower() else f" of {file}"
    return (
        f" at line {error.line}{within}{f': `{error.source}`' if error.source else ''}"
    )
