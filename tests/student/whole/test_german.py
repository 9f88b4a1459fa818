"""The first homework in German, whole: what a student receives and reads holds no English sentence."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from forms import all_changed
from submissions import mistaken

from autograder.authoring.assignments import build_assignments
from autograder.authoring.audit_answers import (
    ODD_ANSWERS,
    grade_odd,
    odd_submission,
    odd_tasks,
)
from autograder.authoring.release import homework_folder
from autograder.course.course import Course, find_course
from autograder.course.homework import Homework
from autograder.feedback.pages import feedback_page
from autograder.feedback.results_json import write_results
from autograder.grading.grade import grade_handin
from autograder.grading.suite import Suite, prepare_suite
from autograder.policy.grade import SubmissionGrade
from autograder.reasons.catalogue import read_edits
from autograder.sandbox.request import Code
from autograder.student.find import find_work
from autograder.student.homework import open_homework
from autograder.student.load import check_work
from autograder.student.table import Style, render
from autograder.verdict.results import SubmissionResult

from ..conftest import libraries_as_before, opened

HW1 = "hw1_attention_scores"
SHORT_LIMITS = {"seconds": 4, "call_seconds": 0.6, "cpu_seconds": 3}
"""Shorter limits than those of the course: what is said of an endless loop does not depend on them."""
ENGLISH = re.compile(
    r"\b(?:the|is|are|of|and|your|with|this|that|it|to|for|from|which|where|each|not|rows?|columns?|entries|"
    r"numbers?|wrong|right|shape|expected|points|other|by|what)\b",
    re.IGNORECASE,
)
"""Words that no German sentence has, and nearly every English one does."""
IS_CODE = (
    r"(?s)<style>.*?</style>|<script>.*?</script>|<math.*?</math>|<svg.*?</svg>|<code>.*?</code>|<[^>]+>",
    r"(?s)```.*?```",
    r"(?s)\$\$.*?\$\$|\$[^$\n]*\$",
    r"`[^`]*`",
    r"Meldung:\s+„[^“]*“",
    r"from public_checks import [^\n]*",
    r"\(`?[a-zA-Z_]+(?:, [a-zA-Z_]+)*\)",
    r"\]\([^)]*\)|https?://\S+|\(englisch\):[^\n]*|\*[A-Z][^*]*\*|Jay Alammar[^\n]*\n?[^\n]*",
)
"""What is in no language: code, formulas, addresses, titles of English texts, and what libraries say."""


def english_lines(text):
    """Return the lines of a page or a screen in which English words are left."""
    for pattern in IS_CODE:
        text = re.sub(pattern, " ", html.unescape(text))
    return [line.strip() for line in text.split("\n") if ENGLISH.search(line)]


@dataclass(frozen=True)
class German:
    """A copy of the course with the first homework only, in German, and its released folder."""

    course: Course
    homework: Homework
    suite: Suite
    released: Path

    def page(self, result):
        return feedback_page(self.grade(result))

    def grade(self, result):
        submission = SubmissionResult("ada", "ada", (result,))
        return SubmissionGrade.of(submission, course=self.course.title, language=self.course.language)

    def screen(self, text):
        """Return what `check.py --all` shows for the text of a file."""
        public = opened(self.released)
        (self.released / self.homework.stub).write_text(text, "utf-8")
        with libraries_as_before():
            report = check_work(public, find_work(public, self.released))
        return render(report, Style(width=110), every=True)


@pytest.fixture(scope="module")
def german(tmp_path_factory, pool):
    english = find_course()
    top = tmp_path_factory.mktemp("kurs")
    for folder in (english.solutions, english.reference_outputs):
        shutil.copytree(folder / HW1, top / folder.name / HW1)
    for path in english.solutions.glob("*.*"):
        shutil.copy(path, top / "solutions" / path.name)
    course = Course(top)
    settings = course.defaults.read_text("utf-8")
    for limit, short in SHORT_LIMITS.items():
        settings = re.sub(rf"^{limit} = [\d.]+", f"{limit} = {short}", settings, flags=re.MULTILINE)
    course.defaults.write_text(f'language = "de"\n{settings}', "utf-8")
    build_assignments(course)
    homework = course.homework(HW1)
    released = top / "released"
    for name, data in homework_folder(course, homework).items():
        (released / name).parent.mkdir(parents=True, exist_ok=True)
        (released / name).write_bytes(data)
    return German(course, homework, prepare_suite(course, homework, 1, pool), released)


def mistakes(homework):
    """Yield name and text of each known mistake, of other wrong answers, and of right ones in other forms.

    All forms of a known mistake are told in the same words: of each, one is enough.
    """
    catalogue = read_edits(homework)
    labels = [label for label in catalogue.mistakes if "/" not in label]
    for label in labels:
        yield label, catalogue.solution.edited(catalogue.edits_of([label]))
    for name, text in mistaken(HW1).items():
        if not name.startswith(tuple(labels)):
            yield name, text
    for changed in all_changed():
        if changed.homework_id == HW1:
            yield changed.id, changed.text


def special(solution, stub):
    """Return programs that stop, change their arguments, are not written, or read sizes from outside."""
    return {
        "stub": stub,
        "begun": stub.replace("raise NotImplementedError", "return Q @ K.T", 1),
        "endless": solution.replace("return Q @ K.T", "while True: pass"),
        "changes": solution.replace(
            "return scores / np.sqrt(d_k)", "scores /= np.sqrt(d_k)\n    return scores"
        ),
        "renamed": solution.replace("def softmax(", "def soft_max("),
        "syntax": f"{solution}\ndef f(:\n",
        "import": f"import nummpy\n{solution}\n1 / 0\n",
        "recursion": solution.replace("return Q @ K.T", "return qk_scores(Q, K)"),
        "outside": solution.replace("np.sqrt(d_k)", "np.sqrt(WIDTH)") + "\nWIDTH = 4\n",
        "torch": solution.replace("x.max(axis=-1, keepdims=True)", "x.unsqueeze(0)"),
        "right": solution,
    }


def test_every_known_mistake_and_every_form_is_told_in_german(german, pool):
    untranslated = {}
    for name, text in mistakes(german.homework):
        result = grade_handin(Code(german.homework.stub, {german.homework.stub: text}), german.suite, pool)
        lines = english_lines(german.page(result)) + english_lines(german.screen(text))
        if lines:
            untranslated[name] = lines
    assert untranslated == {}


def test_what_stops_or_is_not_written_is_told_in_german(german, pool):
    solution = german.homework.solution.read_text("utf-8")
    stub = (german.course.assignments / HW1 / german.homework.stub).read_text("utf-8")
    untranslated = {}
    for name, text in special(solution, stub).items():
        result = grade_handin(Code(german.homework.stub, {german.homework.stub: text}), german.suite, pool)
        lines = english_lines(german.page(result)) + english_lines(german.screen(text))
        if lines:
            untranslated[name] = lines
    assert untranslated == {}


def test_odd_answers_are_told_in_german(german, pool):
    untranslated = {}
    first, *_, last = odd_tasks(german.suite, pool)
    for task in (first, last):  # one array, and several
        for label in ODD_ANSWERS:
            code = odd_submission(german.homework, task, label)
            result = next(grade_odd(code, german.suite, task, pool))
            lines = english_lines(german.page(result))
            if lines:
                untranslated[f"{task.name}: {label}"] = lines
    assert untranslated == {}


def test_what_is_handed_out_is_german(german):
    handed_out = german.course.assignments / HW1
    untranslated = {}
    for path in (*handed_out.glob("handout.*"), handed_out / "map.svg", german.released / "START_HERE.md"):
        lines = english_lines(path.read_text("utf-8"))
        if lines:
            untranslated[path.name] = lines
    assert untranslated == {}
    assert '<html lang="de">' in (handed_out / "handout.html").read_text("utf-8")
    assert "TODO 1: Multipliziere so" in (handed_out / german.homework.stub).read_text("utf-8")
    assert "Gib das Skalarprodukt jeder Query" in (handed_out / "attention_scores.ipynb").read_text("utf-8")


def test_sentences_of_hidden_checks_are_not_released(german):
    public = open_homework(german.released)
    hidden = [check for check in german.suite.checks if not check.public]
    assert len(hidden) == 1
    assert all(check.sentence in public.language.texts.values() for check in public.checks)
    assert hidden[0].sentence not in public.language.texts.values()


def test_check_py_alone_speaks_german(german):
    """A released folder has the translations inside: the kit is not needed."""
    command = [sys.executable, "-I", "check.py"]
    (german.released / german.homework.stub).write_bytes(
        (german.course.assignments / HW1 / german.homework.stub).read_bytes()
    )
    ran = subprocess.run(command, cwd=german.released, capture_output=True, encoding="utf-8", check=False)
    assert ran.returncode == 1, ran.stderr
    assert "Als Nächstes: qk_scores ist noch nicht geschrieben: Fang dort an." in ran.stdout
    assert english_lines(ran.stdout) == []


def test_gradescope_shows_german(german, pool, tmp_path):
    text = german.homework.solution.read_text("utf-8").replace("return Q @ K.T", "return (Q @ K.T) / 2")
    result = grade_handin(Code(german.homework.stub, {german.homework.stub: text}), german.suite, pool)
    path = tmp_path / "results.json"
    write_results(path, german.grade(result))
    written = path.read_text("utf-8").encode().decode("unicode_escape")
    assert "Jede Zahl" in written
    assert "Attention-Scores" in written
