"""Explain calls that returned no value: the error and its remedy, in words for the student."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence

from autograder.course.calls import Call
from autograder.language import ENGLISH, say, speaking
from autograder.reasons.general_errors import GENERAL_ERRORS
from autograder.reasons.meant import what_is_meant
from autograder.reasons.remedies import HABITS, KnownError, remedy_for
from autograder.reasons.shape_errors import (
    ON_AXES,
    in_words,
    typed_in,
    what_would_fit,
)
from autograder.sandbox.report import Stop, StudentError
from autograder.sandbox.request import Limits
from autograder.untrusted_text import for_one_line
from autograder.verdict.failure import (
    BROUGHT_DOWN,
    NO_FORWARD,
    WAITED,
    WAITED_IN_GRADING,
    Failure,
    FailureKind,
    called,
    is_unwritten,
    joined,
)
from autograder.verdict.misfits import misfit_of
from autograder.verdict.names import DefinedNames
from autograder.worker.load import LARGEST_PART
from autograder.worker.wire import Shape

BUSY = (
    "It used little of the processor meanwhile, so this is no sign of a loop: the "
    "machine is busy with other programs, or the code itself waits. Close other "
    "programs, or give it more time: `python check.py --time 4`."
)
"""What to do where a call was cut that hardly ran, on a student's machine."""
BUSY_IN_GRADING = (
    "It used little of the processor, even when it was run again with more time, so "
    "this is no sign of a loop: either the code itself waits, as `time.sleep` and "
    "`input` do, or the machine that grades was busy. If yours does not wait, tell your "
    "course's staff, who can have it graded again."
)
"""The same in grading."""
ADVICE_ON_WAITING = {WAITED: BUSY, WAITED_IN_GRADING: BUSY_IN_GRADING}
LONGEST_MESSAGE = 200
"""Letters of a message that are quoted."""
MOST_ALIKE = 2
"""So many names are suggested for one that is missing."""
LEAST_ALIKE = 0.7
"""How alike a suggested name is at least, by ``difflib``."""
MOST_STOPS = 20
"""So many lines or cells that stopped are listed one by one."""
LAST_TWO = "`.swapaxes(-1, -2)` exchanges the last two only."

PATH_OF_A_MODULE = re.compile(r" \((/|[A-Z]:\\)[^()]*\)$")
"""Where the grader's libraries are; Python says it of a name that cannot be imported."""

NOT_ONE_NUMBER = r"only (0-dimensional|length-1|size-1) arrays can be|only one element tensors can be"
OF_NUMBERS = "TypeError|ValueError|RuntimeError"
MATH = r"\bmath\."
CONVERTS = r"(\b(float|int)\(|['\"] % )"
ONLY_MATH = rf"^(?!.*{CONVERTS}).*{MATH}"
ONLY_CONVERTS = rf"^(?!.*{MATH}).*{CONVERTS}"
USE_ITEM = (
    "float(), int() and `%` take a single number, and since NumPy 2.4 no array of "
    "shape (1, 1). If it has one entry, use `.item()`, as in `(k.T @ q).item()`; an "
    "array with more is not a single number."
)
USE_ARRAYS = (
    "The functions of `math` take a single number: for a whole array use those of "
    "NumPy or torch, such as `np.exp`."
)
MISSING = r"missing \d+ required"
TOO_MANY = r"takes .* positional arguments? but .* (was|were) given"
DEFAULTS = "give every further parameter a default value, such as `mask=None`."
IN_PLACE = "is changed in place: write `x = x + a`, not `x += a` or `x[...] = a`."
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
        "An array or a list is assigned to a single element. If it has one "
        "entry, use `.item()`, as in `(k.T @ q).item()`; if it has more, make room for "
        "all of them.",
    ),
    KnownError(
        "ValueError",
        r"could not be broadcast together with shapes \((\d+),\d+\) \(\1,\)",
        "The second has one number per row: make it a column, as `keepdims=True` does "
        "for a sum over axis 1.",
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
        "`nn.MultiheadAttention(embed_dim, num_heads)` divides the width among the heads. Are these the numbers "
        "that your class is given, in this order?",
    ),
    KnownError(
        "AssertionError|RuntimeError",
        r"not compiled with CUDA|No CUDA GPUs|no NVIDIA driver",
        "The grader has no GPU: leave out `.cuda()`, `.to('cuda')` and "
        "`device='cuda'`.",
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
        "torch does not compute this for whole numbers or booleans: convert the tensor "
        "with `.float()` first.",
    ),
    KnownError(
        "NotImplementedError",
        NO_FORWARD,
        "A module computes in `forward`, and the one that is called has none. "
        "`nn.ModuleList` and `nn.ModuleDict` only hold layers: call each of them.",
    ),
    KnownError(
        "ModuleNotFoundError",
        r"No module named",
        "Import only the libraries that the handout names, and `.py` files that you "
        "hand in.",
    ),
    KnownError(
        "FileNotFoundError",
        r"No such file or directory: | not found\.$",
        "When your work is graded, no files are there but the data files of the homework, "
        "if it has any.",
    ),
    KnownError(
        "PermissionError",
        r"Operation not permitted$",
        "Other programs, the network and the system's settings are out of reach when "
        "your work is graded.",
    ),
    KnownError(
        "KeyError",
        r"",
        "Your computer's environment variables are not available when your work is graded: write the "
        "value itself.",
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
        "Your code ends the program before it returns a result: leave out `exit()`, "
        "`quit()` and `sys.exit()`.",
    ),
    KnownError(
        "MemoryError|_ArrayMemoryError|OutOfMemoryError",
        r"",
        "It asked for more memory than the grader gives: look for an array that is far "
        "larger than inputs and results, or for a list that keeps growing.",
    ),
    KnownError(
        "TypeError",
        rf"\.forward\(\) {MISSING}",
        f"`forward` asks for more than the handout's `forward`: {DEFAULTS}",
        within=False,
    ),
    KnownError(
        "TypeError",
        rf"\.__init__\(\) {MISSING}",
        f"The constructor asks for more than the handout's: {DEFAULTS}",
        within=False,
    ),
    KnownError(
        "TypeError",
        MISSING,
        f"It asks for more arguments than the stub's signature has: {DEFAULTS}",
        within=False,
    ),
    KnownError(
        "TypeError",
        r"\.forward\(\) takes 1 positional argument but 2 were given",
        "`forward` has a single parameter, and two come: first the object itself, which is "
        "called `self`, and then its input.",
        within=False,
    ),
    KnownError(
        "TypeError",
        rf"\.forward\(\) {TOO_MANY}",
        "`forward` takes fewer arguments than the handout's `forward`.",
        within=False,
    ),
    KnownError(
        "TypeError",
        rf"\.__init__\(\) {TOO_MANY}",
        "The constructor takes fewer arguments than the handout's.",
        within=False,
    ),
    KnownError(
        "TypeError",
        TOO_MANY,
        "It takes fewer arguments than the stub's signature has.",
        within=False,
    ),
)
"""The first that fits is reported; the more specific ones come first."""


def explain_missing(
    name: str,
    defined: DefinedNames,
    other_names: Sequence[str] = (),
    *,
    is_class: bool = False,
    stopped_before: str = "",
) -> Failure:
    """Return the failure for a function or class that is not defined.

    Args:
        name: its name.
        defined: the names that the submission defines.
        other_names: names that are asked for as well, so that none of them is meant by this one.
        is_class: whether a class is asked for.
        stopped_before: why the name may never have been defined, such as a cell that stopped.
    """
    if name in defined.values:
        kind = say("class") if is_class else say("function")
        text = say(
            "After your file has run, `{name}` is not a {kind}: a line gives "
            "this name to something else, such as `{name} = {name}(…)`. Use "
            "another name there.",
            name=name,
            kind=kind,
        )
        return Failure(FailureKind.NOT_DEFINED, f"{text} {stopped_before}".strip())

    # Look for names that are alike but for case, underscores and a few letters.
    candidates = (*defined.functions, *defined.classes)
    if is_class:
        candidates = (*defined.classes, *defined.functions)
    plain = _plain(name)
    name_of_plain: dict[str, str] = {}
    for candidate in candidates:
        # What other functions use is there for them, unless it has the same name but for case and underscores.
        is_theirs = candidate in defined.called and _plain(candidate) != plain
        if candidate not in other_names and not is_theirs:
            name_of_plain.setdefault(_plain(candidate), candidate)
    close_matches = difflib.get_close_matches(
        plain, name_of_plain, MOST_ALIKE, LEAST_ALIKE
    )
    alike = [name_of_plain[match] for match in close_matches]
    if is_class and not alike and len(defined.modules) == 1:
        # The only module is meant, whatever it is called.
        alike = list(set(defined.modules) - {*other_names, *defined.called})

    hint = ""
    if alike:
        also = ""
        if set(alike) & set(defined.called):
            also = say(", also where it is called")
        hint = say(
            "If you mean your {meant}, rename it{also}: the grader looks for `{name}`.",
            meant=f" {say('or')} ".join(f"`{candidate}`" for candidate in alike),
            also=also,
            name=name,
        )
    for inner_name in defined.inner:
        if inner_name.endswith(f".{name}"):
            hint = say(
                "It is defined inside `{outer_name}`, where the grader cannot find "
                "it: move it out, to the beginning of a line.",
                outer_name=inner_name.partition(".")[0],
            )
            break
    parts = (say("`{name}` is not defined.", name=name), hint, stopped_before)
    return Failure(FailureKind.NOT_DEFINED, " ".join(filter(None, parts)))


def _plain(name: str) -> str:
    """Return a name without case and underscores."""
    return name.replace("_", "").casefold()


def explain_no_value(
    error: StudentError,
    call: Call,
    limits: Limits,
    quoted: StudentError | None,
    stopped_before: str = "",
) -> Failure:
    """Return the failure for a call that returned no value.

    Args:
        error: the exception that the call raised.
        call: the call.
        limits: the limits of time.
        quoted: the same exception, raised where no hidden input was; see ``explain_error``.
        stopped_before: why a name may never have been defined, such as a cell that stopped.
    """
    name = called(call, error)
    if is_unwritten(error):
        # The line may stand in another function that this one calls, or be left below finished code.
        place = _place(error) or " " + say("at `raise NotImplementedError`")
        cause = " " + say(
            "stops{place}. Write what is missing there, or delete the line if "
            "that code is done.",
            place=place,
        )
        return Failure(
            FailureKind.NOT_WRITTEN,
            f"{name}{cause}",
            misconceptions=("returns-nothing",),
            cause=cause,
        )
    if error.type == "MissingParameter":
        which = ""
        if quoted is not None and quoted.message:
            which = say(
                ": there is {message} (`nn.Linear(a, b)` has (b, a))",
                message=quoted.message,
            )
        text = say(
            "{name} has no parameter with the expected shape{which}. Keep the attribute "
            "names of the handout and the layers' biases, and take every size from the "
            "constructor's arguments.",
            name=name,
            which=which,
        )
        return Failure(FailureKind.SHAPE, text, error.message)
    if error.type in BROUGHT_DOWN:
        text = f"{name} {say(BROUGHT_DOWN[error.type])}."
        return Failure(FailureKind.RAISED, text, error.message)

    seconds = limits.of_call(call.name)
    too_slow = say(
        "One call may take {seconds:g} s, and all calls of a homework {all_seconds:g} s: "
        "look for a loop that never ends, or that takes far more steps than the inputs "
        "have entries.",
        seconds=seconds,
        all_seconds=limits.seconds,
    )
    if call.name in limits.of_functions:
        too_slow = say(
            "One call of `{function}` may take {seconds:g} s: look for a loop that never "
            "ends, or that takes far more steps than the task needs.",
            function=call.name,
            seconds=seconds,
        )
    waiting = ADVICE_ON_WAITING.get(error.message)
    if waiting:
        too_slow = say(
            "One call may take {seconds:g} s. {waiting}",
            seconds=seconds,
            waiting=say(waiting),
        )
    if re.match(r"print\(", error.source):
        too_slow = say(
            "One call may take {seconds:g} s, and it was printing when they were over: "
            "printing takes the time. Leave the `print` out of the loop.",
            seconds=seconds,
        )
    failure = explain_error(error, name, too_slow, quoted)
    if error.type != "NameError":
        return failure
    return failure.followed_by(stopped_before)


def note_stops(
    stops: Sequence[Stop], missing: Sequence[str], limits: Limits
) -> list[str]:
    """Return notes to the student about lines and cells that stopped while the code was loaded.

    Stopping costs nothing in itself, and ending the program does not count as stopping.

    Args:
        stops: the lines and cells, from a run that was given no inputs.
        missing: the tasks that were never defined.
        limits: the limits of time.
    """
    error_stops = []
    for stop in stops:
        if stop.error.type != "SystemExit":
            error_stops.append(stop)
    loading_seconds = limits.loading[0]
    too_slow = say(
        "Loading may take {seconds:g} s in all, and a single line or cell at most "
        "{part_seconds:g} s: leave training and long demonstrations out of what you hand "
        "in, and look for a loop that never ends.",
        seconds=loading_seconds,
        part_seconds=loading_seconds * LARGEST_PART,
    )
    notes = []
    for stop in error_stops[:MOST_STOPS]:
        advice = say(ADVICE_ON_WAITING.get(stop.error.message, too_slow))
        failure = explain_error(stop.error, stop.subject, advice, stop.error)
        notes.append(say("{fact} Grading goes on after it.", fact=failure.student))
    if len(error_stops) > MOST_STOPS:
        notes.append(
            say("{count} more stopped as well.", count=len(error_stops) - MOST_STOPS)
        )
    if notes and missing:
        names = ", ".join(f"`{name}`" for name in missing)
        notes.append(say("Never defined: {names}.", names=names))
    return notes


def name_stop(stop: Stop) -> str:
    """Say which line or cell stopped while the code was loaded; a missing library comes with its remedy."""
    where = ""
    if stop.error.line:
        where = " " + say("at line {line}", line=stop.error.line)
        if stop.cell is None:
            where += " " + say("of {file}", file=stop.error.file)
    says = say(
        "{subject} stopped with {error_type}{where}.",
        subject=stop.subject,
        error_type=stop.error.type,
        where=where,
    )
    if stop.error.type == "ModuleNotFoundError":
        known_error = remedy_for(stop.error, HABITS)
        if known_error is not None:
            says += f" {known_error.says}"
    return says


def explain_import(
    error: StudentError, file: str, limits: Limits, quoted: StudentError | None
) -> Failure:
    """Return the failure for a file that does not load; see ``explain_error``."""
    too_slow = say(
        "Loading it may take {seconds:g} s: leave training and demonstrations out of "
        "what you hand in, and look for a loop that never ends.",
        seconds=limits.loading[0],
    )
    too_slow = say(ADVICE_ON_WAITING.get(error.message, too_slow))
    return explain_error(error, say("Importing `{file}`", file=file), too_slow, quoted)


def explain_error(
    error: StudentError, subject: str, too_slow: str, quoted: StudentError | None
) -> Failure:
    """Return the failure for an exception: type and line for the student, the message for the staff.

    Args:
        error: the exception.
        subject: what raised it, as the sentence begins.
        too_slow: sentences about the time limit, if that is what was reached.
        quoted: the same exception, raised where no hidden input was, so that its message may be shown.
    """
    place = _place(error, subject)
    texts = {"subject": subject, "place": place}
    if error.type == "TimeLimit":
        text = say(
            "{subject} did not finish in time{place}. {too_slow}",
            too_slow=too_slow,
            **texts,
        )
        return Failure(FailureKind.TIME_LIMIT, text)
    text = say("{subject} raised {error}{place}.", error=error.type, **texts)
    # One line may fail below several functions.
    cause = text.removeprefix(subject) if place else text

    # What the exception says, and what it is about: arrays whose shapes do not fit
    shapes: Mapping[str, Shape | str] = {}
    advice = ""
    meant = ""
    is_fact = False
    message = what_it_says(quoted) if quoted is not None else ""
    if quoted is not None:
        meant = what_is_meant(quoted.hint)
    if quoted is not None and message:
        shapes = quoted.shapes
        text += " " + say("It says: {message}.", message=message)
        values = _values_in_words(quoted)
        if values:
            text += " " + say("Here {shapes}.", shapes=values)
        reversed_axes = ""
        for name, shape in shapes.items():
            if name.endswith(".T") and _has_many_axes(shape):
                reversed_axes = name
                break
        transposition = _transposes_many_axes(error.source, shapes)
        misfit = misfit_of(quoted)
        remedy = say(LAST_TWO)
        if reversed_axes:
            advice = say(
                "`{reversed_axes}` has all axes in reverse order: {remedy}",
                reversed_axes=reversed_axes,
                remedy=remedy,
            )
        elif transposition:
            advice = say(
                "`{transposition}` puts all axes into reverse order: {remedy}",
                transposition=transposition,
                remedy=remedy,
            )
        elif misfit is not None:
            hard_coded = typed_in(misfit, error.source)
            advice = f"{what_would_fit(misfit, error.source)} {hard_coded}".strip()
            is_fact = misfit.operation in ON_AXES  # how many axes there are
    # What to do about it
    facts = text
    labels: tuple[str, ...] = ()
    known_error = remedy_for(error, KNOWN_ERRORS)
    column = _column_taken_for_a_list(error.source, shapes)
    remedy = ""
    if known_error is not None:
        remedy = known_error.says
        if known_error.misconception:
            labels = (known_error.misconception,)
    elif column:
        remedy = say(
            "`{column}` is a single column, so an index takes one of its "
            "numbers: is a list of all columns meant, of which this is the "
            "last?",
            column=column,
        )
    elif meant:
        remedy = meant
    elif error.line is not None and (is_fact or not advice):
        general_error = remedy_for(error, GENERAL_ERRORS)
        remedy = general_error.says if general_error is not None else ""
    with speaking(ENGLISH):
        values = _values_in_words(error)
    values_for_staff = f"\nHere {values}" if values else ""
    staff = f"{error.type}: {error.message}{values_for_staff}\n{error.trace}".strip()
    hint = joined(advice, remedy)
    return Failure(FailureKind.RAISED, facts, staff, labels, cause, hint)


def _values_in_words(error: StudentError) -> str:
    """List the values that the line names, as in "`Q` is (2, 3), `K` is None", in the student's language."""
    values: dict[str, object] = {}
    for name, shape in error.shapes.items():
        values[name] = say(shape) if isinstance(shape, str) else shape
    out = error.out_of_table
    if out is not None:
        values[f"{out.array}.{out.which}()"] = out.index
        values["nn.Embedding"] = out.table
    word = say("is")
    listed = [f"`{name}` {word} {value}" for name, value in values.items()]
    return for_one_line(", ".join(listed))[:LONGEST_MESSAGE]


def _has_many_axes(shape: Shape | str) -> bool:
    """Return whether a shape has more than two axes; a kind of value has none."""
    return not isinstance(shape, str) and len(shape) > 2


def _transposes_many_axes(source: str, shapes: Mapping[str, Shape | str]) -> str | None:
    """Name a transposition without axes of an array that has more than two."""
    for call in re.finditer(r"\b(\w+)\.transpose\(\)|\w+\.transpose\((\w+)\)", source):
        name = call[1] or call[2]
        if _has_many_axes(shapes.get(name, ())):
            return call[0]
    return None


def _column_taken_for_a_list(
    source: str, shapes: Mapping[str, Shape | str]
) -> str | None:
    """Name an array of shape (D, 1) that a line indexes once, as it would a list of columns."""
    for name, shape in shapes.items():
        if isinstance(shape, str) or len(shape) != 2 or shape[1] != 1:
            continue
        if re.search(rf"(?<![\w.]){re.escape(name)}\[\w+\]", source):
            return name
    return None


def what_it_says(error: StudentError) -> str:
    """Return the message of an exception, on one line: in our own words if shapes did not fit, else quoted."""
    message = PATH_OF_A_MODULE.sub("", for_one_line(error.message))
    if not message:
        return ""
    misfit = misfit_of(error)
    words = in_words(misfit) if misfit is not None else ""
    if words:
        return words
    if len(message) > LONGEST_MESSAGE:
        message = f"{message[: LONGEST_MESSAGE - 1]}…"
    return say("“{message}”", message=message.removesuffix("."))


def _place(error: StudentError, subject: str = "") -> str:
    """Say at which line an error arose, with the line; nothing where that is not known.

    The file is left out where it is the subject itself, as a notebook's cell is.
    """
    if error.line is None:
        return ""
    place = " " + say("at line {line}", line=error.line)
    file = error.file or say("your code")
    if file.startswith("cell "):
        file = say("cell {number}", number=file.removeprefix("cell "))
    if file.lower() != subject.lower():
        place += " " + say("of {file}", file=file)
    if error.source:
        place += f": `{error.source}`"
    return place
