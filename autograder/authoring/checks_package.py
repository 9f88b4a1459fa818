"""The archive ``public_checks.pyz`` of a homework: the engine, the homework's data, and its public checks.

Before a release the reference solution proves that it passes them.
"""

from __future__ import annotations

import ast
import io
import json
import zipfile
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from symtable import SymbolTable, symtable
from typing import Any

import numpy as np

import autograder
from autograder.course.cases import Group, errors_named
from autograder.course.course import Course
from autograder.course.homework import ANSWERS, CourseError, Homework
from autograder.intake.notebook import read_script
from autograder.intake.submission import SourceFile
from autograder.intake.zips import EPOCH, read_below, zipped
from autograder.reasons.agreement import Variant, written_variant
from autograder.reasons.catalogue import read_catalogue
from autograder.reasons.mutation import read_singles
from autograder.sandbox.pool import SandboxPool
from autograder.student.bootstrap import ARCHIVE
from autograder.student.find import bytes_digest, digest
from autograder.student.homework import ARRAYS, CHECKS, DATA, HOMEWORK
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
from autograder.verdict.known import KnownCase
from autograder.verdict.reference import run_calls
from autograder.verdict.store import open_store
from autograder.worker.wire import Array, Bag

KIT = Path(autograder.__file__).parent
ENGINE = (
    "__init__.py",
    "errors.py",
    "safe_path.py",
    "worker",
    "sandbox",
    "course",
    "intake",
    "verdict",
    "reasons",
    "exhibits",
    "student",
)
"""What the archive for students holds of the kit."""
BOOTSTRAP, MODULE = KIT / "student" / "bootstrap.py", f"{Path(ARCHIVE).stem}.py"
PROGRAM = f"import sys\n\nfrom {Path(ARCHIVE).stem} import main\n\nsys.exit(main())\n"
PLOTS = "attention_plots.py"
PUBLIC = (Group.PUBLISHED, Group.PUBLIC)
OF_HOMEWORK = ("id", "title", "stub", "library", "hints", "further", "libraries")
OF_TASKS = ("name", "points", "summary", "returns", "value", "chained", "dtype")
NEVER_PUBLIC = "cases.fresh("


def checks_package(
    course: Course, homework: Homework, given: Mapping[str, bytes], checks: str = ""
) -> dict[str, bytes]:
    """Return the archive, and the module ``public_checks`` that unpacks it, by their names.

    ``given`` are the files that students receive; the one that draws pictures goes into the archive as well.
    ``checks`` replaces the module that is otherwise made from the hidden checks.
    """
    work = {
        name: data
        for name, data in given.items()
        if name.endswith((".py", ".ipynb")) and "/" not in name
    }
    texts = {
        name: read_script(SourceFile(name, data)).text for name, data in work.items()
    }
    handed_out = {
        "handed_out": {name: digest(text) for name, text in texts.items()},
        "handed_out_bytes": {name: bytes_digest(data) for name, data in work.items()},
    }
    data = homework_files(course, homework, handed_out)
    data[CHECKS] = (checks or checks_text(homework, public_checks(homework))).encode()
    bootstrap = BOOTSTRAP.read_bytes()
    engine = {
        name: code
        for name, code in read_below(KIT).items()
        if name.partition("/")[0] in ENGINE
    }
    files = {
        f"{KIT.name}/{name}": code
        for name, code in engine.items()
        if name.endswith(".py")
    }
    files |= {"__main__.py": PROGRAM.encode(), MODULE: bootstrap}
    files |= {name: given[name] for name in given if name == PLOTS}
    files |= {f"{DATA}/{name}": content for name, content in data.items()}
    return {ARCHIVE: zipped(files, ending=what_is_asked(homework)), MODULE: bootstrap}


def what_is_asked(homework: Homework) -> str:
    """Return what tells the archive for a notebook: the id, and a number for tasks, points and signatures."""
    told = json.dumps(_told_by(homework), sort_keys=True)
    return f"{homework.id} {zlib.crc32(told.encode()):08x}"


def public_checks(homework: Homework) -> list[Check]:
    """Return the checks of a homework that students receive."""
    found = [one for one in load_checks(homework) if one.public]
    if not found:
        raise CourseError(
            f"{checks_file(homework)} has no check with public=True; students need at least one"
        )
    names = {one.name for one in found}
    for one in found:
        if hidden := [name for name in one.requires if name not in names]:
            raise CourseError(
                f"{homework.id}: public check {one.name} requires {hidden}, not public itself"
            )
    return found


def checks_text(homework: Homework, public: Collection[Check]) -> str:
    """Return the module of a homework's checks with the public ones alone, and what these use."""
    path = checks_file(homework)
    source = path.read_text("utf-8")
    tree = ast.parse(source)
    wanted = {"annotations", *(PREFIX + one.name for one in public)}
    hidden = {
        name for one in tree.body for name in _bound(one) if name.startswith(PREFIX)
    } - wanted
    kept = with_what_is_used(tree.body, wanted)
    if hidden & wanted:
        names = ", ".join(sorted(hidden & wanted))
        raise CourseError(f"{path}: a public check uses {names}, not public itself")
    imports, definitions = [], []
    for one in tree.body:
        if isinstance(one, ast.Import | ast.ImportFrom):
            one.names = [
                alias for alias in one.names if not wanted.isdisjoint(_bound(alias))
            ]
            imports += [ast.unparse(one)] if one.names else []
        elif one in kept:
            definitions.append(lines_of(source, one))
    docstring = ast.get_docstring(tree, clean=False) or homework.title
    text = (
        "\n\n\n".join([f'"""{docstring}"""\n\n' + "\n".join(imports), *definitions])
        + "\n"
    )
    if NEVER_PUBLIC in text:
        raise CourseError(
            f"{homework.id}: a public check asks for {NEVER_PUBLIC}…), which students never have"
        )
    return text


def homework_files(
    course: Course, homework: Homework, handed_out: Mapping[str, Mapping[str, str]]
) -> dict[str, bytes]:
    """Return the data files of a homework by name.

    ``handed_out`` are digests of each file that students work on, as they receive it, by kind and name.
    """
    store, arrays = open_store(course, homework), Bag()
    stored = [] if homework.wants_examples else store.read()
    cases = [one for one in stored if one.case.group in PUBLIC]
    singles = (
        read_singles(store.folder, stored)
        if stored and homework.hints != "never"
        else {}
    )
    mistakes = {
        task: _shown(variants, cases, arrays) for task, variants in singles.items()
    }
    labels = {one["id"] for variants in mistakes.values() for one in variants}
    tree = {
        "homework": {
            **{key: getattr(homework, key) for key in OF_HOMEWORK},
            "limits": vars(homework.limits),
            "tasks": [
                {
                    key: value
                    for key in OF_TASKS
                    if (value := getattr(task, key)) is not None
                }
                for task in homework.tasks
            ],
        },
        "questions": [asdict(one.form) for one in homework.questions],
        "cases": [one.written(arrays, arrays) for one in cases],
        "mistakes": mistakes,
        "sayings": {
            one.id: {
                "says": one.says,
                "about_size": one.about_size,
                "by_exception": one.by_exception,
            }
            for one in read_catalogue(homework)
            if one.id in labels
        },
        "course": {
            one.id: _told_by(one) for one in course.possible_homeworks([homework.id])
        },
        **handed_out,
    }
    data, tree["arrays"] = _in_rows(arrays)
    text = json.dumps(tree, ensure_ascii=False, separators=(",", ":")) + "\n"
    return {HOMEWORK: text.encode(), ARRAYS: data}


def _told_by(homework: Homework) -> dict[str, object]:
    """What files are told to be for a homework by: of its solution no more than how each task is called."""
    tasks = {task.name: (task.points, task.value) for task in homework.tasks}
    tree = ast.parse(homework.solution.read_text("utf-8"))
    functions = [
        one
        for one in tree.body
        if isinstance(one, ast.FunctionDef) and one.name in tasks
    ]
    signatures = "".join(
        f"def {one.name}({ast.unparse(one.args)}): ...\n" for one in functions
    )
    left_behind = [ANSWERS] if homework.questions else []
    return {
        "stub": homework.stub,
        "tasks": tasks,
        "signatures": signatures,
        "left_behind": left_behind,
    }


def _shown(
    variants: Sequence[Variant], cases: Sequence[KnownCase], arrays: Bag
) -> list[dict[str, Any]]:
    """What each mistake of a task returns on its public cases; what shows nowhere is left out."""
    shown = {
        one.labels[0]: written_variant(
            one, [c for c in cases if c.case.id in one.answers], arrays
        )
        for one in variants
    }
    return [
        {"id": label, "answers": answers} for label, answers in shown.items() if answers
    ]


def _in_rows(arrays: Mapping[str, Array]) -> tuple[bytes, dict[str, list[Any]]]:
    """Lay the arrays of each dtype in one row; return the rows as npz, and each array's row, start and shape.

    The npz has the same bytes each time.
    """
    parts: dict[str, list[Array]] = {}
    places: dict[str, list[Any]] = {}
    for key, array in arrays.items():
        row = parts.setdefault(array.dtype.name, [])
        places[key] = [
            array.dtype.name,
            sum(one.size for one in row),
            list(array.shape),
        ]
        row.append(array.ravel())
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(parts):
            with archive.open(zipfile.ZipInfo(f"{name}.npy", EPOCH), "w") as file:
                np.lib.format.write_array(
                    file, np.concatenate(parts[name]), allow_pickle=False
                )
    return buffer.getvalue(), places


def failing_checks(course: Course, homework: Homework, pool: SandboxPool) -> list[str]:
    """Return a line for each public check, as students receive it, that the solution does not pass.

    Raises:
        LookupError: a public check asks for cases that students do not have.
    """
    namespace: dict[str, Any] = {"__name__": CHECKS}
    path = checks_file(homework)
    with errors_named(path):
        exec(
            compile(checks_text(homework, public_checks(homework)), str(path), "exec"),
            namespace,
        )
    known = [
        one for one in open_store(course, homework).read() if one.case.group in PUBLIC
    ]
    answers = run_calls(
        homework, homework.solution, [one.case.call for one in known], pool
    )
    by_id = {one.case.id: answer for one, answer in zip(known, answers, strict=True)}
    cases = Cases(known, public_only=True)
    submission = SubmissionProxy(
        Restored(by_id),
        dict,
        tuple,
        lambda calls: run_calls(homework, homework.solution, calls, pool),
    )
    compare = Compare(homework, submission, cases)
    results = run_checks(
        read_checks(CHECKS, namespace), Fixtures(submission, cases, compare)
    )
    return [
        f"{homework.id}: the reference solution fails the public check {one.check}: {one.reason}"
        for one in results
        if one.outcome is not Outcome.PASSED
    ]


def with_what_is_used(body: Sequence[ast.stmt], wanted: set[str]) -> set[ast.stmt]:
    """Return the statements that define these names, and what those use; all names go into ``wanted``."""
    kept: set[ast.stmt] = set()
    while found := [
        one for one in body if one not in kept and not wanted.isdisjoint(_bound(one))
    ]:
        kept.update(found)
        wanted |= {
            name
            for one in found
            for name in _used(symtable(ast.unparse(one), "", "exec"))
        }
    return kept


def _used(scope: SymbolTable) -> set[str]:
    """The names of the module that a scope of it, or one inside, reads."""
    is_module = scope.get_type() == "module"
    own = {
        one.get_name()
        for one in scope.get_symbols()
        if one.is_referenced() and (is_module or one.is_global())
    }
    return own.union(*map(_used, scope.get_children()))


def lines_of(source: str, node: ast.stmt) -> str:
    """Return the lines of a statement, decorators included."""
    first = min(
        [node.lineno, *(mark.lineno for mark in getattr(node, "decorator_list", ()))]
    )
    return "\n".join(source.splitlines()[first - 1 : node.end_lineno])


def _bound(node: ast.AST) -> set[str]:
    """The names that a statement of a module, or one alias of an import, gives a meaning."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    names = set()
    for one in ast.walk(node):
        if isinstance(one, ast.alias):
            names.add((one.asname or one.name).partition(".")[0])
        elif isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            names.add(one.id)
    return names
