"""The archive ``public_checks.pyz`` of a homework: the engine, the homework's data, and its public checks.

Before a release the reference solution proves that it passes them.
"""

from __future__ import annotations

import ast
import functools
import io
import json
import zipfile
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

import autograder
from autograder.archives import EPOCH, read_below, zipped
from autograder.authoring.statements import texts_in, used_statements
from autograder.course.calls import Call
from autograder.course.course import Course
from autograder.course.course_files import errors_named
from autograder.course.homework import ANSWERS, CourseError, Homework
from autograder.course.statements import defined_names, text_of
from autograder.intake.notebook import read_script
from autograder.intake.submission import SourceFile
from autograder.language import ENGLISH, TABLES, Language, language_of
from autograder.reasons.agreement import written_variant
from autograder.reasons.catalogue import read_catalogue
from autograder.reasons.mutation import read_singles
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer
from autograder.student.bootstrap import ARCHIVE
from autograder.student.find import bytes_digest, digest
from autograder.student.homework import ARRAYS, CHECKS, DATA, FILES, HOMEWORK
from autograder.verdict.checks import (
    PREFIX,
    Check,
    Outcome,
    checks_file,
    load_checks,
    read_checks,
    run_checks,
)
from autograder.verdict.fixtures import Cases, Compare, Fixtures, SubmissionProxy
from autograder.verdict.interface import Restored
from autograder.verdict.known import OPEN, KnownCase
from autograder.verdict.reference import run_calls
from autograder.verdict.store import open_store
from autograder.worker.inert import PLOTS
from autograder.worker.wire import Array, Bag

KIT = Path(autograder.__file__).parent
ENGINE = (
    "__init__.py",
    "archives.py",
    "errors.py",
    "language.py",
    "safe_path.py",
    "untrusted_text.py",
    "worker",
    "sandbox",
    "course",
    "intake",
    "verdict",
    "decoders",
    "reasons",
    "exhibits",
    "examples",
    "student",
)
"""What the archive for students holds of the kit."""
BOOTSTRAP = KIT / "student" / "bootstrap.py"
MODULE = f"{Path(ARCHIVE).stem}.py"
"""The module ``public_checks``, which is the bootstrap."""
PROGRAM = f"import sys\n\nfrom {Path(ARCHIVE).stem} import main\n\nsys.exit(main())\n"
OF_HOMEWORK = (
    "id",
    "title",
    "stub",
    "library",
    "hints",
    "further",
    "allowed_modules",
    "celebration",
    "data",
)
OF_TASKS = (
    "name",
    "points",
    "summary",
    "returns",
    "value",
    "chained",
    "dtype",
    "call_seconds",
)
"""The fields of a homework and its tasks that students receive."""
NEVER_PUBLIC = "cases.fresh("


def checks_package(
    course: Course,
    homework: Homework,
    handed_out: Mapping[str, bytes],
    checks: str = "",
) -> dict[str, bytes]:
    """Return the archive, and the module ``public_checks`` that unpacks it, by their names.

    Args:
        course: the course that the homework is from.
        homework: the homework.
        handed_out: the files that students receive, by name; the one that draws pictures goes into the
            archive as well.
        checks: the text of the module of checks, if it is not to be made from the hidden checks.
    """
    # Students work on code at the top of their folder. Its digests say whether they have changed it.
    text_digests = {}
    byte_digests = {}
    for name, data in handed_out.items():
        if name.endswith((".py", ".ipynb")) and "/" not in name:
            text_digests[name] = digest(read_script(SourceFile(name, data)).text)
            byte_digests[name] = bytes_digest(data)
    digests = {
        "handed_out": text_digests,
        "handed_out_bytes": byte_digests,
    }
    if not checks:
        checks = checks_text(homework, public_checks(homework))
    data_files = homework_files(course, homework, checks, digests)
    data_files[CHECKS] = checks.encode()
    for name, content in homework.data_files.files.items():
        data_files[f"{FILES}/{name}"] = content

    bootstrap = BOOTSTRAP.read_bytes()
    files = {}
    for name, code in _engine().items():
        files[f"{KIT.name}/{name}"] = code
    files["__main__.py"] = PROGRAM.encode()
    files[MODULE] = bootstrap
    for plots in PLOTS:
        name = f"{plots}.py"
        if name in handed_out:
            files[name] = handed_out[name]
    for name, content in data_files.items():
        files[f"{DATA}/{name}"] = content
    archive = zipped(files, ending=what_is_asked(homework))
    return {ARCHIVE: archive, MODULE: bootstrap}


def _engine() -> dict[str, bytes]:
    """Return the kit's code that students receive, by its path in the kit."""
    engine = {}
    for name, code in read_below(KIT).items():
        if name.partition("/")[0] in ENGINE and name.endswith(".py"):
            engine[name] = code
    return engine


def what_is_asked(homework: Homework) -> str:
    """Return a notebook's key of its archive: the id, and a checksum of tasks, points and signatures."""
    traits = json.dumps(_traits(homework), sort_keys=True)
    number = zlib.crc32(traits.encode())
    return f"{homework.id} {number:08x}"


def public_checks(homework: Homework) -> list[Check]:
    """Return the checks of a homework that students receive.

    Raises:
        CourseError: there are none, or one requires a check that is not public.
    """
    checks = []
    for check in load_checks(homework):
        if check.public:
            checks.append(check)
    if not checks:
        raise CourseError(
            f"{checks_file(homework)} has no check with public=True; students need at least one"
        )
    names = {check.name for check in checks}
    for check in checks:
        hidden = check.missing_requirements(names)
        if hidden:
            raise CourseError(
                f"{homework.id}: public check {check.name} requires {hidden}, not public itself"
            )
    return checks


def checks_text(homework: Homework, public: Collection[Check]) -> str:
    """Return the module of a homework's checks with only the public ones, and what these use.

    Raises:
        CourseError: a public check uses another check, or asks for fresh cases.
    """
    path = checks_file(homework)
    source = path.read_text("utf-8")
    tree = ast.parse(source)
    names = {"annotations"}
    for check in public:
        names.add(PREFIX + check.name)
    hidden = set()
    for statement in tree.body:
        for name in defined_names(statement):
            if name.startswith(PREFIX) and name not in names:
                hidden.add(name)
    # Of imports only the names that are used, of other statements all lines with their comments.
    imports, statements = used_statements(tree.body, names)
    if hidden & names:
        leaked = ", ".join(sorted(hidden & names))
        raise CourseError(f"{path}: a public check uses {leaked}, not public itself")

    definitions = [text_of(source, statement) for statement in statements]
    docstring = ast.get_docstring(tree, clean=False) or homework.title
    head = f'"""{docstring}"""\n\n' + "\n".join(imports)
    text = "\n\n\n".join([head, *definitions]) + "\n"
    if NEVER_PUBLIC in text:
        raise CourseError(
            f"{homework.id}: a public check asks for {NEVER_PUBLIC}…), which students never have"
        )
    return text


def homework_files(
    course: Course,
    homework: Homework,
    checks: str,
    digests: Mapping[str, Mapping[str, str]],
) -> dict[str, bytes]:
    """Return the data files of a homework by name.

    Args:
        course: the course that the homework is from.
        homework: the homework.
        checks: the text of its module of public checks.
        digests: digests of each file that students work on, as they receive it, by kind and name.
    """
    store = open_store(course, homework)
    stored: list[KnownCase] = []
    if not homework.wants_examples:
        stored = store.read()
    known_cases = []
    for known in stored:
        if known.case.group in OPEN:
            known_cases.append(known)
    arrays = Bag()

    # What each known mistake returns on public cases, and the explanation of each one that shows there.
    mistakes: dict[str, list[dict[str, Any]]] = {}
    labels = set()
    if stored and homework.hints != "never":
        for task, variants in read_singles(store.folder, stored).items():
            mistakes[task] = []
            for variant in variants:
                answered = []
                for known in known_cases:
                    if known.case.id in variant.answers:
                        answered.append(known)
                answers = written_variant(variant, answered, arrays)
                if answers:
                    label = variant.labels[0]
                    labels.add(label)
                    mistakes[task].append({"id": label, "answers": answers})
    compared_tasks = set()
    for known in stored:
        if known.case.expects:
            compared_tasks.add(known.case.task)
    # Students who look for inputs are told no mistake: the mistakes are what their inputs have to show.
    is_secret = homework.wants_examples or homework.hints == "never"
    sayings = {}
    for misconception in read_catalogue(homework):
        # Where nothing is compared, checks prove a mistake by themselves.
        is_proved = compared_tasks.isdisjoint(misconception.tasks)
        if misconception.id in labels or (is_proved and not is_secret):
            sayings[misconception.id] = {
                "says": misconception.says,
                "about_size": misconception.about_size,
                "by_exception": misconception.by_exception,
            }

    fields: dict[str, Any] = {}
    for name in OF_HOMEWORK:
        fields[name] = getattr(homework, name)
    # Limits of functions are read from the tasks and the cases.
    fields["limits"] = dict(vars(homework.limits))
    del fields["limits"]["of_functions"]
    fields["tasks"] = []
    for homework_task in homework.tasks:
        task_fields = {}
        for name in OF_TASKS:
            value = getattr(homework_task, name)
            if value is not None:
                task_fields[name] = value
        fields["tasks"].append(task_fields)

    possible = course.possible_homeworks([homework.id])
    tree = {
        "homework": fields,
        "questions": [asdict(question.form) for question in homework.questions],
        "cases": [known.written(arrays, arrays) for known in known_cases],
        "mistakes": mistakes,
        "sayings": sayings,
        "course": {other.id: _traits(other) for other in possible},
        **digests,
    }
    array_file, places = _in_rows(arrays)
    tree["arrays"] = places
    if homework.language is not ENGLISH:
        tree["language"] = _released_language(homework.language, checks)
    text = json.dumps(tree, ensure_ascii=False, separators=(",", ":"))
    return {HOMEWORK: f"{text}\n".encode(), ARRAYS: array_file}


def _released_language(language: Language, checks: str) -> dict[str, object]:
    """Return a language with the translations that students' files ask for.

    A course's table may also have sentences of hidden checks, of this homework or another one.
    """
    asked_for = _texts_of_the_kit() | texts_in(checks)
    texts = {}
    for text, translation in language.texts.items():
        if text in asked_for:
            texts[text] = translation
    return {"code": language.code, "texts": texts}


@functools.cache
def _texts_of_the_kit() -> frozenset[str]:
    """Return what the kit says on students' machines: texts of its code, and those that it composes of them."""
    texts: set[str] = set()
    for code in _engine().values():
        texts |= texts_in(code.decode("utf-8"))
    for table in TABLES.glob("*.toml"):
        texts.update(language_of(table.stem).texts)
    return frozenset(texts)


def _traits(homework: Homework) -> dict[str, object]:
    """Return the traits by which files are matched to a homework.

    Of its solution these hold no more than how each task is called.
    """
    tasks = {task.name: (task.points, task.value) for task in homework.tasks}
    signatures = ""
    solution = homework.solution.read_text("utf-8")
    for node in ast.parse(solution).body:
        if isinstance(node, ast.FunctionDef) and node.name in tasks:
            arguments = ast.unparse(node.args)
            signatures += f"def {node.name}({arguments}): ...\n"
    return {
        "stub": homework.stub,
        "tasks": tasks,
        "signatures": signatures,
        "left_behind": [ANSWERS] if homework.questions else [],
    }


def _in_rows(arrays: Mapping[str, Array]) -> tuple[bytes, dict[str, list[Any]]]:
    """Lay the arrays of each dtype in one row; return the rows as npz, and each array's row, start and shape.

    The npz has the same bytes each time.
    """
    rows: dict[str, list[Array]] = {}
    places: dict[str, list[Any]] = {}
    for key, array in arrays.items():
        dtype = array.dtype.name
        row = rows.setdefault(dtype, [])
        start = sum(part.size for part in row)
        places[key] = [dtype, start, list(array.shape)]
        row.append(array.ravel())
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for dtype in sorted(rows):
            entry = zipfile.ZipInfo(f"{dtype}.npy", EPOCH)
            with archive.open(entry, "w") as file:
                row_array = np.concatenate(rows[dtype])
                np.lib.format.write_array(file, row_array, allow_pickle=False)
    return buffer.getvalue(), places


def failing_checks(course: Course, homework: Homework, pool: SandboxPool) -> list[str]:
    """Return a line for each public check, as students receive it, that the solution does not pass.

    Raises:
        LookupError: a public check asks for cases that students do not have.
    """
    path = checks_file(homework)
    namespace: dict[str, Any] = {"__name__": CHECKS}
    with errors_named(path):
        text = checks_text(homework, public_checks(homework))
        exec(compile(text, str(path), "exec"), namespace)
    checks = read_checks(CHECKS, namespace)

    known_cases = []
    for known in open_store(course, homework).read():
        if known.case.group in OPEN:
            known_cases.append(known)

    def ask(calls: Sequence[Call]) -> list[Answer]:
        return run_calls(homework, homework.solution, calls, pool)

    answers = ask([known.case.call for known in known_cases])
    answer_of_case = {}
    for known, answer in zip(known_cases, answers, strict=True):
        answer_of_case[known.case.id] = answer
    cases = Cases(known_cases, public_only=True)
    submission = SubmissionProxy(
        Restored(answer_of_case, known_cases), dict, tuple, ask
    )
    compare = Compare(homework, submission, cases)
    lines = []
    for result in run_checks(checks, Fixtures(submission, cases, compare)):
        if result.outcome is not Outcome.PASSED:
            lines.append(
                f"{homework.id}: the reference solution fails the public check "
                f"{result.check}: {result.reason}"
            )
    return lines
