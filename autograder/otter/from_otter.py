"""Bring a homework over from Otter: a master notebook becomes the files of a homework."""

from __future__ import annotations

import builtins
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from autograder.authoring.new_homework import (
    ID,
    OF_A_HOMEWORK,
    files_to_write,
    refuse_id,
    refuse_tasks,
)
from autograder.course.course import Course
from autograder.course.homework import CourseError
from autograder.course.statements import names_read
from autograder.handouts.page import page
from autograder.handouts.text import line_up_pipes
from autograder.otter.code import (
    MarkedSolution,
    authors_code,
    leave_out_broken_cells,
    rename_function,
    solution_of,
    students_code,
)
from autograder.otter.data import data_files_of
from autograder.otter.master import (
    Master,
    MasterCell,
    OtterQuestion,
    OtterTest,
    read_master,
    slug,
)
from autograder.otter.recorded_tests import (
    AGREES,
    LeftOver,
    MasterRun,
    compares_values,
    literal,
    run_tests,
)
from autograder.otter.scripted_tests import ScriptedTest
from autograder.otter.variables import asks_for_variables, with_functions
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.request import DataFiles

MOST_TEXT = 3900
HIDDEN_ONLY = "add a case to published() in cases.py and a public check: `autograder check` asks for both"
NO_FILE = "what needs it was left out; put it there and convert again."
NO_ANSWER = "REPLACE: a right answer"
BY_HAND = "ask for a text in questions.toml, or leave it out"
_OPTION = re.compile(r"^\W{0,4}([A-Za-z])[.):]\W{0,3}[ \t]+(.+)$", re.MULTILINE)
_IMPORTS = re.compile(r"^\s*(?:import|from) (\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Transfer:
    """A homework made from a master: its id, its files by path, and the parts left to people."""

    id: str
    files: Mapping[Path, str | bytes]
    left: Sequence[LeftOver]
    summary: str


@dataclass(frozen=True)
class TransferredCheck:
    """A check of the calls that one test makes to one function."""

    name: str
    task: str
    points: float
    test: OtterTest
    says: str
    is_public: bool
    requires: Sequence[str] = ()
    script: ScriptedTest | None = None


@dataclass(frozen=True)
class TransferredTask:
    """A function to write: the question that asks for it, and the names of its returned values."""

    name: str
    points: float
    question: str
    text: str
    returns: Sequence[str]


@dataclass(frozen=True)
class TransferredQuestion:
    """A theory question: a number, an option (the right one is the answer), or a text."""

    id: str
    kind: str
    question: str
    points: float
    text: str
    answer: Any
    tolerance: float = 0
    options: Mapping[str, str] = field(default_factory=dict)


def homework_from_otter(
    course: Course, path: Path, homework_id: str, title: str, pool: SandboxPool
) -> Transfer:
    """Read a master and return the files of the homework that it becomes, without writing them.

    Raises:
        CourseError: it is not a master, one of its names cannot be used, or no test compares values.
    """
    master = read_master(path)
    leave_out_broken_cells(master)
    title = title or _title(master)
    homework_id = homework_id or _id(master, title)
    refuse_id(course, homework_id)
    library = library_of(master)
    solution = solution_of(master, title, library)
    for name, cell in solution.asked.items():
        if hasattr(builtins, name):
            rename_function(master, name, f"{name}_answer", cell.number)
    solution = _solution(master, title, library)
    data, missing = data_files_of(master)
    master, solution, run = _run(master, solution, title, pool, data)
    for name in missing:
        run.notes.append(f"`{name}` does not lie next to the master: {NO_FILE}")

    # What comes over: checks of functions, theory questions, and tasks.
    checks: list[TransferredCheck] = []
    for question in master.questions.values():
        checks += _checks(question, run)
    if not checks:
        reasons = []
        for left_over in run.left[:5]:
            reasons.append(
                f"{left_over.question}, cell {left_over.cell}: {left_over.why}"
            )
        raise CourseError(
            f"{path}: no test can be judged by what a function returns, and a homework is made of such "
            f"functions ({'; '.join(reasons) or 'there are no tests'})"
        )
    theory = []
    for question in master.questions.values():
        theory_question = _question(question, master, solution, run)
        if theory_question is not None:
            theory.append(theory_question)
    tasks = list(_tasks(master, solution, checks, run))

    points = math.fsum(task.points for task in tasks)
    transferred = {check.test.question for check in checks}
    for theory_question in theory:
        transferred.add(theory_question.question)
        points += theory_question.points
    all_points = sum(question.points for question in master.questions.values())
    summary = (
        f"{len(transferred)} of {len(master.questions)} questions were transferred (functions: {len(tasks)}, "
        f"cases: {len(run.cases)}, theory questions: {len(theory)}), {points:g} of {all_points:g} points"
    )
    values = {
        "id": homework_id,
        "title": title,
        "stub": f"{homework_id.partition('_')[2]}.py",
        "tasks": tasks,
        "checks": checks,
        "questions": theory,
        "summary": summary,
        "library": library,
        "cells": list(_cells(master, solution.asked, {task.name for task in tasks})),
        "master": master,
        "solution": solution,
        "found": run,
        "data": sorted(data.files),
        "scripted": {script.function.name: script.function for script in run.scripted},
        "literal": literal,
        "toml": partial(json.dumps, ensure_ascii=False),
    }
    files: dict[Path, str | bytes] = {}
    files.update(files_to_write(course, "otter", values))
    for name, content in data.files.items():
        files[course.solutions / homework_id / name] = content
    return Transfer(homework_id, files, run.left, summary)


def _run(
    master: Master,
    solution: MarkedSolution,
    title: str,
    pool: SandboxPool,
    data: DataFiles,
) -> tuple[Master, MarkedSolution, MasterRun]:
    """Run a master, once as it is, and then with functions in place of variables where these can be judged.

    Returns:
        The master with these functions, its solution, and the outcome of its run.
    """
    library = library_of(master)
    run = run_tests(master, solution, library, pool, {}, data)
    if master.stopped:  # a solution must load without what these cells do
        solution = _solution(master, title, library)
        run = run_tests(master, solution, library, pool, {}, data)
    open_names = []
    closed_names = []
    for question in master.questions.values():
        if not asks_for_variables(question, solution):
            continue
        if _is_closed(question, master, solution, run):
            closed_names.append(question.name)
        else:
            open_names.append(question.name)
    for name in closed_names:
        if _is_read(master.questions[name], open_names, master, solution):
            open_names.append(name)

    # Numbers and options become theory questions, unless there would be no function at all.
    reasons: dict[int, str] = {}
    changed = _with_functions(master, solution, open_names, title, data, pool, reasons)
    if changed is None and not run.cases:
        changed = _with_functions(
            master, solution, closed_names, title, data, pool, reasons
        )
    if changed is not None:
        master, solution, run = changed
    left_overs = []
    for left_over in run.left:
        why = reasons.get(left_over.cell, left_over.why)
        left_overs.append(replace(left_over, why=why))
    run.left = left_overs
    return master, solution, run


def _with_functions(
    master: Master,
    solution: MarkedSolution,
    names: Sequence[str],
    title: str,
    data: DataFiles,
    pool: SandboxPool,
    reasons: dict[int, str],
) -> tuple[Master, MarkedSolution, MasterRun] | None:
    """Run a master in which some questions ask for functions; None if none of them can be judged this way.

    A question whose tests cannot be judged stays as it was, so the others run once more. The reason for each
    test that cannot be judged is added to ``reasons``, by its cell.
    """
    library = library_of(master)
    while names:
        changed, functions, why_not = with_functions(master, solution, names)
        for name, why in why_not.items():
            for test in master.questions[name].tests:
                reasons.setdefault(test.cell, why)
        if not functions:
            return None
        changed_solution = _solution(changed, title, library)
        run = run_tests(changed, changed_solution, library, pool, functions, data)
        judged = {script.test.question for script in run.scripted}
        for left_over in run.left:
            if left_over.question in functions:
                reasons[left_over.cell] = left_over.why
        if judged.issuperset(functions):
            return changed, changed_solution, run
        judged_names = []
        for name in names:
            if name in judged:
                judged_names.append(name)
        names = judged_names
    return None


def library_of(master: Master) -> str:
    """Return what the functions of a master compute with, by its imports."""
    for cell in master.cells:
        if "torch" in _IMPORTS.findall(cell.source):
            return "torch"
    return "numpy"


def _solution(master: Master, title: str, library: str) -> MarkedSolution:
    """Return the solution of a master without functions whose names a task cannot have."""
    solution = solution_of(master, title, library)
    refused = {}
    for name in solution.asked:
        try:
            refuse_tasks([name])
        except CourseError as error:
            refused[name] = str(error)
    for name, reason in refused.items():
        del solution.asked[name]
        solution.refused[name] = reason
    return solution


def _is_closed(
    question: OtterQuestion, master: Master, solution: MarkedSolution, run: MasterRun
) -> bool:
    """Return whether a question asks for one number or option, and its tests compare it with the right one."""
    names = _variables(question, solution)
    if len(names) != 1 or names[0] not in run.values:
        return False
    if not any(map(compares_values, question.tests)):
        return False
    value = run.values[names[0]]
    return bool(_closed(value, master.text(question.name)))


def _variables(question: OtterQuestion, solution: MarkedSolution) -> list[str]:
    """Return the variables that a question asks for."""
    names = []
    for name, asked_by in solution.others.items():
        if asked_by == question.name:
            names.append(name)
    return names


def _is_read(
    question: OtterQuestion,
    others: Sequence[str],
    master: Master,
    solution: MarkedSolution,
) -> bool:
    """Return whether the code of other questions reads what one question asks for."""
    names = set(_variables(question, solution))
    for other in others:
        for cell in master.of(other, "QUESTION", "SOLUTION"):
            if not names.isdisjoint(names_read(authors_code(cell))):
                return True
    return False


def _title(master: Master) -> str:
    title = master.path.stem.replace("_", " ")
    for cell in master.cells:
        match = re.match(r"\s*# +(.+)", cell.source)
        if cell.kind == "markdown" and match:
            title = match[1]
            break
    return re.sub(r'[*_`"\\${}]', "", title).strip()


def _id(master: Master, title: str) -> str:
    name = slug(str(master.config.get("name") or master.path.stem))
    if ID.fullmatch(name) and name.partition("_")[2] not in OF_A_HOMEWORK:
        return name
    first_words = re.findall(r"[a-z0-9]+", title.lower())[:3]
    words = "_".join(first_words)
    if words in OF_A_HOMEWORK:
        words = f"{words}_tasks"
    return f"{name}_{words or 'tasks'}"


def _checks(question: OtterQuestion, run: MasterRun) -> list[TransferredCheck]:
    """Return a check for each test and function of a question; they share the question's points.

    Where only all tests together earn points, these go to one more check that requires the others.
    """
    tests: dict[tuple[str, str], OtterTest] = {}
    for case in run.cases:
        if case.test.question == question.name:
            tests[case.test.label, case.task] = case.test
    scripts = {}
    for script in run.scripted:
        if script.test.question == question.name:
            key = script.test.label, script.function.name
            tests[key] = script.test
            scripts[key] = script
    if not tests:
        return []
    points = _shared_points(question, tests, run)
    checks = []
    first_checks: dict[str, TransferredCheck] = {}
    has_public: dict[str, bool] = {}
    for ((label, task), test), check_points in zip(tests.items(), points, strict=True):
        check = TransferredCheck(
            name=slug(f"{task}_{label}"),
            task=task,
            points=round(check_points, 9),
            test=test,
            says=f"{task} gives the values of {label.replace('-', ', test ')}.",
            is_public=not test.is_hidden,
            script=scripts.get((label, task)),
        )
        if check.script is not None:
            number = label.rpartition("-")[2]
            says = f"{task} returns what test {number} asks for."
            check = replace(check, says=says)
            has_public[task] = has_public.get(task, False) or check.is_public
        checks.append(check)
        first_checks.setdefault(task, check)
    for task, is_there in has_public.items():
        if not is_there:  # students get at least one check of each function
            first = first_checks[task]
            returns = f"{task} returns its variables."
            checks.append(
                TransferredCheck(f"{task}_returns", task, 0, first.test, returns, True)
            )
    if question.all_or_nothing:
        first = checks[0]
        name = slug(question.name)
        all_tests = TransferredCheck(
            name=f"{first.task}_{name}_all",
            task=first.task,
            points=question.points,
            test=first.test,
            says=f"all tests of {name} pass.",
            is_public=all(check.is_public for check in checks),
            requires=[check.name for check in checks],
            script=first.script,
        )
        checks.append(all_tests)
    return checks


def _shared_points(
    question: OtterQuestion, tests: Mapping[tuple[str, str], OtterTest], run: MasterRun
) -> list[float]:
    """Return the points of each check: as Otter gives them, in proportion where some tests are left."""
    labels = [label for label, _ in tests]
    earned = []
    for test in tests.values():
        earned.append((test.points or 0) / labels.count(test.label))
    lost = question.points - sum(earned)
    if lost > AGREES:
        run.notes.append(
            f"{question.name}: the {lost:g} points of the tests left out went to the others."
        )
    if question.all_or_nothing:
        return [0] * len(tests)
    if any(earned):
        shares = [points / sum(earned) for points in earned]
    else:
        shares = [1 / len(tests)] * len(tests)
    points = [round(share * question.points, 4) for share in shares]
    left_by_rounding = question.points - sum(points)
    points[points.index(max(points))] += left_by_rounding
    return points


def _tasks(
    master: Master,
    solution: MarkedSolution,
    checks: Sequence[TransferredCheck],
    run: MasterRun,
) -> Iterator[TransferredTask]:
    for name, cell in solution.asked.items():
        task_checks = []
        for check in checks:
            if check.task == name:
                task_checks.append(check)
        cases = []
        for case in run.cases:
            if case.task == name:
                cases.append(case)
        if not task_checks:
            continue
        variables: Sequence[str] = ()
        for script in run.scripted:
            if script.function.name == name:
                variables = script.function.variables
        if not variables and all(case.test.is_hidden for case in cases):
            reason = f"all tests of {name} are hidden"
            left_over = LeftOver(cell.question, cell.number, reason, remedy=HIDDEN_ONLY)
            run.left.append(left_over)
        parts = list(variables) or ["result"]
        if not variables and isinstance(cases[0].value, tuple):
            count = len(cases[0].value)
            parts = [f"part {number}" for number in range(1, count + 1)]
        yield TransferredTask(
            name=name,
            points=round(math.fsum(check.points for check in task_checks), 9),
            question=cell.question,
            text=_raw(_text_for_handout(master, cell.question, run)),
            returns=parts,
        )


def _question(
    question: OtterQuestion, master: Master, solution: MarkedSolution, run: MasterRun
) -> TransferredQuestion | None:
    """Return the theory question that a question without cases becomes; else leave it to people."""
    judged = [case.test for case in run.cases]
    judged += [script.test for script in run.scripted]
    if any(test.question == question.name for test in judged):
        return None
    code = []
    for cell in master.code_cells:
        if cell.is_answer and cell.question == question.name:
            code.append(cell.source)
    answers = []
    for cell in master.of(question.name, "SOLUTION", kind="markdown"):
        answers.append(cell.source)
    answer = "\n\n".join(answers)

    fields: dict[str, Any] = {}
    if question.is_manual and not code:
        text = re.sub(r"^\W*solution\W*", "", answer, flags=re.I).strip()
        text = text or answer.strip()
        fields = {"kind": "written", "answer": text[:MOST_TEXT] or NO_ANSWER}
    elif question.tests and _is_closed(question, master, solution, run):
        [name] = _variables(question, solution)
        fields = _closed(run.values[name], master.text(question.name))
    if fields:
        left_overs = []
        for left_over in run.left:
            if left_over.question != question.name:
                left_overs.append(left_over)
        run.left = left_overs
        question_id = slug(question.name)
        if not question_id[0].isalpha():
            question_id = f"q_{question_id}"
        return TransferredQuestion(
            question_id,
            question=question.name,
            points=question.points,
            text=_text_for_handout(master, question.name, run),
            **fields,
        )

    if question.points:
        run.notes.append(
            f"{question.name}: points that were not transferred: {question.points:g}."
        )
    if not any(left_over.question == question.name for left_over in run.left):
        reason = "it has no test"
        if question.is_manual:
            reason = "it is marked by hand, and its answer is code"
        left_over = LeftOver(
            question.name, question.cell, reason, "\n\n".join(code), BY_HAND
        )
        run.left.append(left_over)
    return None


def _closed(value: Any, text: str) -> dict[str, Any]:
    """Return kind, answer and options for a variable that is a number, or names an option of the text."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and math.isfinite(value):
        tolerance: float = 0
        if isinstance(value, float):
            tolerance = float(f"{1e-8 + 1e-5 * abs(value):.2g}")
        return {"kind": "numeric", "answer": value, "tolerance": tolerance}
    if isinstance(value, bool):
        options = {"a": "True", "b": "False"}
        right = "b"
        if value:
            right = "a"
    else:
        options = {}
        for letter, option in _OPTION.findall(text):
            options[letter.lower()] = option.strip()
        right = str(value).strip().lower()
    if right not in options or len(options) < 2:
        return {}
    return {"kind": "choice", "answer": right, "options": options}


def _text_for_handout(master: Master, question: str, run: MasterRun) -> str:
    """Return a question's text for the handout, as a code block where the page cannot show it."""
    text = master.text(question) or question
    try:
        page("", line_up_pipes(text))
    except ValueError as error:
        run.notes.append(
            f"{question}: the handout shows its text as it was typed: {error}."
        )
        text = f"```text\n{text}\n```"
    return text


def _cells(
    master: Master, asked_cells: Mapping[str, MasterCell], tasks: set[str]
) -> Iterator[tuple[str, str]]:
    """Yield the cells of the students' notebook: the master's, with marks where they write functions."""
    for cell in master.cells:
        names = []
        for name, asked_in in asked_cells.items():
            if asked_in is cell:
                names.append(name)
        is_given = cell.block in ("", "PROMPT") and "otter" not in cell.source
        if cell.kind == "markdown" and cell.block != "SOLUTION":
            yield "markdown", _raw(cell.source)
        elif cell.kind == "code" and (cell.is_answer or is_given):
            for name in names:
                mark = "code"
                if name in tasks:
                    mark = "question"
                yield "code", f"# {{{{ {mark}: {name} }}}}"
            code = students_code(cell, names)
            if code:
                yield "code", re.sub(r"^# %%", "#  %%", code, flags=re.M)


def _raw(text: str) -> str:
    """Escape text that a template would read as its own marks."""
    return re.sub(r"\{(?=[{%#])", '{{ "{" }}', text)
