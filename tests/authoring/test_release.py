"""What a released folder is made of, with data files and limits, and that it holds nothing of the solutions."""

import io
import json
import re
import zipfile
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from attacks.pools import LevelPool
from homeworks import SIX
from released import HW1, inside, released, repository_of
from tiny import CHECKS_FILE, HOMEWORK, write_tiny
from wording import to_authors

import autograder.authoring.checks_package as checks_package_module
from autograder.archives import zipped
from autograder.authoring.assignments import build_assignments, verify_assignments
from autograder.authoring.checks_package import (
    checks_package,
    checks_text,
    failing_checks,
    homework_files,
    public_checks,
)
from autograder.authoring.reference import build_outputs
from autograder.authoring.release import course_folder, homework_folder
from autograder.authoring.rules import Subject, _limits
from autograder.course.cases import Group
from autograder.course.course import Course, find_course
from autograder.course.homework import EXAMPLES, Homework
from autograder.course.schema import CourseError
from autograder.course.stub import BEGIN, END
from autograder.gradebook.fingerprint import fingerprint_graders
from autograder.grading.grade import grade_handin
from autograder.grading.stale import check_current
from autograder.grading.suite import prepare_suite
from autograder.language import language_of
from autograder.platforms.gradescope_bundle import gradescope_zip
from autograder.sandbox.levels import FULL, NO_NAMESPACES, strongest_level
from autograder.sandbox.report import Answer
from autograder.sandbox.request import Code, Limits
from autograder.student.find import bytes_digest, find_work
from autograder.student.homework import open_homework
from autograder.student.load import check_work
from autograder.verdict.checks import Check, load_checks
from autograder.verdict.store import open_store

HW6 = "hw6_encoder_block"


def test_a_folder_holds_all_that_a_student_needs(course):
    files = released(HW1)
    generated = {path.name for path in (course.assignments / HW1).iterdir() if path.is_file()}
    assert generated <= set(files)
    start = {"START_HERE.md", "requirements.txt", "check.py", "conftest.py", "pytest.ini"}
    assert start <= set(files)
    assert b"python -m pip install -r requirements.txt" in files["START_HERE.md"]
    assert b"python3 -m venv .venv && source .venv/bin/activate" in files["START_HERE.md"]
    assert b"py -m venv .venv; .venv\\Scripts\\Activate.ps1" in files["START_HERE.md"]


def test_only_a_torch_homework_asks_for_torch():
    assert b"torch" not in released(HW1)["requirements.txt"]
    assert b"torch>=" in released(HW6)["requirements.txt"]
    assert all(b"--torch-backend=cpu" in text for text in how_to_install(HW6))
    assert not any(b"torch" in text for text in how_to_install(HW1))


def how_to_install(homework_id):
    """The texts that tell a student what to install: the start, and the notebook's cell."""
    files = released(homework_id)
    [notebook] = [data for name, data in files.items() if name.endswith(".ipynb")]
    [cell] = [cell for cell in json.loads(notebook)["cells"] if "Before you start" in str(cell["source"])]
    return [files["START_HERE.md"], json.dumps(cell).encode()]


def test_requirements_for_notebooks_add_only_what_shows_and_draws_them():
    lines = [
        line for line in released(HW1)["requirements-notebook.txt"].decode().splitlines() if line[0] != "#"
    ]
    assert [re.split("[>=]", line)[0] for line in lines] == ["-r requirements.txt", "matplotlib", "notebook"]


def test_a_zip_has_the_same_bytes_each_time(course):
    again = homework_folder(course, course.homework(HW1))
    digest = bytes_digest(zipped(again, HW1))  # pytest would compare different zips for minutes
    assert bytes_digest(zipped(released(HW1), HW1)) == digest
    reordered = dict(reversed(list(again.items())))
    assert bytes_digest(zipped(reordered, HW1)) == digest


def test_a_zip_unpacks_into_one_folder():
    with zipfile.ZipFile(io.BytesIO(zipped({"a/b.txt": b"1", "ü.md": b"2"}, "top"))) as archive:
        assert archive.namelist() == ["top/a/b.txt", "top/ü.md"]


def test_the_course_holds_each_homework_and_one_place_to_start(course):
    homework = course.homework(HW1)
    files = course_folder([homework], {HW1: released(HW1)})
    assert files[f"{HW1}/check.py"] == released(HW1)["check.py"]
    assert homework.title.encode() in files["START_HERE.md"]


def test_a_stub_out_of_date_is_not_released(course, tmp_path, monkeypatch):
    monkeypatch.setattr(Course, "assignments", property(lambda self: tmp_path))
    with pytest.raises(CourseError, check=to_authors["release.not-in-sync-run-make"]):
        homework_folder(course, course.homework(HW1))


def test_without_hints_no_output_of_a_mistake_is_released(course):
    silent = replace(course.homework(HW1), hints="never")
    assert b'"mistakes":{},"sayings":{}' in homework_files(course, silent, "", {})["homework.json"]


def test_students_who_look_for_inputs_are_told_no_mistake(course):
    drill = course.homework(HW1).as_drill(EXAMPLES)
    assert b'"mistakes":{},"sayings":{}' in homework_files(course, drill, "", {})["homework.json"]


def released_texts(course, homework, *checks):
    """The translations that the archive of a homework holds, by their English texts."""
    files = inside(checks_package(course, homework, {}, *checks))
    return json.loads(files["public_checks.pyz/homework/homework.json"])["language"]["texts"]


def test_of_a_courses_translations_those_of_the_kit_and_of_public_checks_are_released(course):
    translations = {
        "see below": "weiter unten",
        "An old check.": "Eine alte Prüfung.",
        "scaled scores": "skalierte Scores",
    }
    kept_texts = {"see below", "The {gradient} is missing:"}
    translations["The {gradient} is missing:"] = "Es fehlt {gradient}:"
    for homework_id in (HW1, HW6):
        for check in load_checks(course.homework(homework_id)):
            translations[check.sentence] = f"Auf Deutsch: {check.sentence}"
            if check.public and homework_id == HW1:
                kept_texts.add(check.sentence)
    german = replace(course.homework(HW1), language=language_of("de").with_texts(translations))
    texts = released_texts(course, german)
    assert translations.keys() & texts.keys() == kept_texts
    assert texts["see below"] == "weiter unten"
    assert language_of("de").texts.keys() <= texts.keys()


def test_a_drill_of_inputs_is_released_in_another_language(course):
    homework = course.homework(HW1)
    sentences = {check.sentence: "Auf Deutsch." for check in load_checks(homework)}
    german = replace(homework, language=language_of("de").with_texts(sentences))
    drill = german.as_drill(EXAMPLES)
    assert released_texts(course, drill, '"""Inputs."""\n') == language_of("de").texts


def test_a_homework_without_public_checks_is_refused(course, hide):
    hide(lambda check: replace(check, public=False))
    with pytest.raises(CourseError, check=to_authors["release.no-check-with-public-true"]):
        public_checks(course.homework(HW1))


def test_a_public_check_may_not_require_a_hidden_one(course, hide):
    hide(lambda check: replace(check, public=check.public and not check.name.endswith("_sizes")))
    with pytest.raises(CourseError, check=to_authors["release.requires-scale_scores_sizes"]):
        public_checks(course.homework(HW1))


@pytest.fixture
def hide(monkeypatch):
    """Change every check on its way to the release."""
    load = checks_package_module.load_checks

    def hide(change):
        changed = lambda homework: [change(check) for check in load(homework)]  # noqa: E731
        monkeypatch.setattr(checks_package_module, "load_checks", changed)

    return hide


def test_a_check_of_fresh_cases_is_never_public(course, hide):
    hide(lambda check: replace(check, public=True))
    with pytest.raises(CourseError, check=to_authors["release.asks-for-cases-fresh"]):
        checks_package(course, course.homework(HW1), {})


CHECKS = '''"""Checks."""

from __future__ import annotations

import hidden_library
from autograder.verdict import Hidden, check, compare as judge

ROOM, SECRET = 3, 4
if ROOM:
    WIDE = True


class Helper:
    size = ROOM


@check(task="a", points=1, public=True)
def test_a():
    """Public."""
    judge(Helper, WIDE)


# A remark on what is hidden.
@check(task="a", points=1)
def test_b():
    """Hidden."""
    hidden_library.run(Hidden, other())


def other():
    return test_a
'''


def public_text(tmp_path, source):
    homework = cast(Homework, SimpleNamespace(id="hw", folder=tmp_path, title="Title", base=None))
    (tmp_path / "test_hw.py").write_text(source, encoding="utf-8")
    public = [cast(Check, SimpleNamespace(name="a"))]
    return checks_text(homework, public)


def test_a_public_check_brings_along_what_it_uses_and_nothing_else(tmp_path):
    text = public_text(tmp_path, CHECKS)
    assert text.startswith('"""Checks."""\n\nfrom __future__ import annotations\n')
    assert "from autograder.verdict import check, compare as judge\n" in text
    for fragment in ("ROOM, SECRET = 3, 4", "    WIDE = True", "class Helper", "public=True)\ndef test_a"):
        assert fragment in text
    for absent in ("idden", "test_b", "other", "remark"):
        assert absent not in text


def test_a_public_check_that_uses_a_hidden_one_is_refused(tmp_path):
    with pytest.raises(CourseError, match=r"test_hw\.py: a public check uses test_b, not public itself"):
        public_text(tmp_path, CHECKS.replace("judge(Helper, WIDE)", "test_b()"))


@pytest.mark.parametrize("homework_id", [HW1, "hw3_scaled_dot_product_attention"])
def test_the_solution_passes_every_public_check(course, pool, homework_id):
    assert failing_checks(course, course.homework(homework_id), pool) == []


IDS = find_course().homework_ids()
TELLING = 12  # shorter lines, such as `return x`, are anybody's
WORD = re.compile(r"\s+")


def handed_out(homework_id):
    """All that students are given of a homework: in its zip, and in its repository on GitHub."""
    return inside(released(homework_id) | repository_of(homework_id))


def normal(text):
    return WORD.sub(" ", text)


def texts(files):
    """The files as text with single blanks; a notebook as the text of its cells and outputs."""
    texts_found = {}
    for name, data in files.items():
        if name.endswith(".ipynb"):
            strings = "\n".join(_strings(json.loads(data)))
            texts_found[name] = normal(strings)
        elif not name.endswith(".npz"):
            texts_found[name] = normal(data.decode("utf-8"))
    return texts_found


def _strings(tree):
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, dict | list):
        for branch in tree.values() if isinstance(tree, dict) else tree:
            yield from _strings(branch)


def solution_lines(course, homework_id=SIX[0]):
    """Every line that says something in the solution regions of a homework and of the first six."""
    lines = set()
    for homework in course.homeworks({*SIX, homework_id}):
        inside = False
        for line in homework.solution.read_text("utf-8").splitlines():
            mark = line.strip()
            inside = (inside or mark == BEGIN) and mark != END
            tells = len(normal(mark)) >= TELLING and not re.fullmatch(r"return \w+", mark)
            if inside and mark != BEGIN and tells:
                lines.add(normal(mark))
    return lines


@pytest.mark.parametrize("homework_id", ["hw1_attention_scores", "hw6_encoder_block"])
def test_no_hidden_check_is_released(course, homework_id):
    checks = load_checks(course.homework(homework_id))
    hidden = [check for check in checks if not check.public]
    assert hidden
    assert any(check.public for check in checks)
    for name, text in texts(handed_out(homework_id)).items():
        assert [
            check.name for check in hidden if f"test_{check.name}(" in text or check.sentence in text
        ] == [], name


@pytest.mark.parametrize("homework_id", IDS)
def test_a_hidden_case_is_not_even_named(course, homework_id):
    stored = open_store(course, course.homework(homework_id)).read()
    hidden = {known_case.case.id for known_case in stored if known_case.case.group is Group.HIDDEN}
    data = json.loads(inside(released(homework_id))["public_checks.pyz/homework/homework.json"])
    assert {case["group"] for case in data["cases"]} == {"published", "public"}
    assert not any(case in json.dumps(data) for case in hidden)


def test_the_search_itself_finds_what_is_there(course):
    homework = course.homework("hw1_attention_scores")
    leaky = {"notes.md": homework.solution.read_bytes()}
    lines = solution_lines(course)
    assert any(line in text for text in texts(leaky).values() for line in lines)


STUB = "doubles.py"
SEED = 20270101
CSV = b"factor\n2\n"
READS = 'np.loadtxt("factors/all.csv", skiprows=1)'


def with_data(root):
    """The tiny course, whose factor is in a file."""
    tiny = write_tiny(root)
    (tiny.folder / "factors").mkdir()
    (tiny.folder / "factors" / "all.csv").write_bytes(CSV)
    tiny.edit("homework.toml", 'library = "numpy"\n', 'library = "numpy"\ndata = ["factors/all.csv"]\n')
    tiny.edit(STUB, "factor = 2\n", f"factor = {READS}\n")
    tiny.edit(CHECKS_FILE, 'task="double", points=1)', 'task="double", points=1, public=True)')
    return tiny


@pytest.fixture(scope="module")
def stored(tmp_path_factory, pool):
    """The course with everything built; no test changes it."""
    tiny = with_data(tmp_path_factory.mktemp("course"))
    build_outputs(tiny.course, tiny.homework, pool)
    build_assignments(tiny.course)
    return tiny


def solution(tiny):
    return (tiny.folder / STUB).read_text("utf-8")


@pytest.mark.parametrize("level", [FULL, NO_NAMESPACES], ids=lambda level: level.name)
def test_graded_code_reads_them_at_their_relative_path_and_nothing_else(stored, level):
    if not set(level.layers) <= set(strongest_level().layers):
        pytest.skip(f"this machine has no level {level.name}")
    text = solution(stored)
    outside = stored.folder / "factors" / "all.csv"
    submissions = {
        text: 5.5,
        text.replace(READS, "len(open('factors/all.csv').readlines())"): 5.5,
        text.replace("factors/all.csv", str(outside)): 2.5,
        text.replace("factors/all.csv", f"../{outside}"): 2.5,
        text.replace("factors/all.csv", "homework.toml"): 2.5,
    }
    with LevelPool(level) as pool:
        suite = prepare_suite(stored.course, stored.homework, SEED, pool)
        for submitted, points in submissions.items():
            code = Code(STUB, {STUB: submitted, "factors/all.csv": "factor\n3\n"})
            assert grade_handin(code, suite, pool).earned == points, submitted


def test_they_are_released_and_read_by_the_students_own_checks(stored, tmp_path):
    released = homework_folder(stored.course, stored.homework)
    assert released["factors/all.csv"] == CSV
    for name, content in released.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    # As in grading, what a student changes in a copy does not count.
    (tmp_path / "factors" / "all.csv").write_text("factor\n3\n", encoding="utf-8")
    (tmp_path / STUB).write_text(solution(stored), encoding="utf-8")
    public = open_homework(tmp_path)
    report = check_work(public, find_work(public, tmp_path))
    assert [result.outcome.value for result in report.results] == ["passed"]


def test_no_student_is_told_that_there_are_none(stored, pool):
    handout = homework_folder(stored.course, stored.homework)["handout.html"].decode()
    assert "No data files" not in handout
    assert "The data files" in handout
    suite = prepare_suite(stored.course, stored.homework, SEED, pool)
    text = solution(stored).replace("factors/all.csv", "my_factors.csv")
    result = grade_handin(Code(STUB, {STUB: text}), suite, pool)
    assert "none are needed" not in result.checks[0].reason
    assert "the data files of the homework" in result.checks[0].reason


def test_the_zip_for_gradescope_holds_them_where_the_homework_is(stored):
    data = gradescope_zip(stored.course, [stored.homework], chosen=True, seed=SEED)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.read(f"solutions/{HOMEWORK}/factors/all.csv") == CSV


def missing(tiny):
    (tiny.folder / "factors" / "all.csv").unlink()


def large(tiny):
    (tiny.folder / "factors" / "all.csv").write_bytes(bytes(6 << 20))
    (tiny.folder / "more.npz").write_bytes(bytes(5 << 20))
    tiny.edit("homework.toml", 'all.csv"]', 'all.csv", "more.npz"]')


@pytest.mark.parametrize("spoil", [missing, large], ids=lambda spoil: spoil.__name__)
def test_the_error_names_the_file_and_the_remedy(tmp_path, spoil):
    tiny = with_data(tmp_path / "course")
    spoil(tiny)
    with pytest.raises(CourseError, check=to_authors[f"data_files.{spoil.__name__}"]):
        tiny.course.homeworks()


@pytest.mark.parametrize(
    "name",
    ["/etc/hosts", "../hwy/a.csv", "a/../../b", "cases.py", "questions.toml", "a\\b.csv", ".x", "a/", ""],
)
def test_a_path_that_leads_elsewhere_or_to_a_file_of_the_course_is_refused(tiny, name):
    tiny.edit("homework.toml", 'library = "numpy"\n', f"library = 'numpy'\ndata = ['{name}']\n")
    with pytest.raises(CourseError, match=r"data\[1\]: expected a path in the homework's folder"):
        tiny.course.homework(HOMEWORK)


def test_a_name_that_the_release_needs_is_refused(stored):
    homework = replace(stored.homework, data=("requirements.txt",))
    with pytest.raises(CourseError, match=r"data file requirements\.txt has the name"):
        homework_folder(stored.course, homework)


def test_a_changed_one_outdates_grades_assignments_and_reference_outputs(tmp_path, pool):
    tiny = with_data(tmp_path)
    build_outputs(tiny.course, tiny.homework, pool)
    build_assignments(tiny.course)
    before = fingerprint_graders(tiny.course, SEED, [])
    assert verify_assignments(tiny.course) == []
    (tiny.folder / "factors" / "all.csv").write_bytes(b"factor\n3\n")
    assert fingerprint_graders(tiny.course, SEED, []) != before
    assert verify_assignments(tiny.course) == [f"assignments/{HOMEWORK}/factors/all.csv differs"]
    store = tiny.store
    with pytest.raises(CourseError, match=r"hwx: factors/all\.csv has changed since"):
        check_current(tiny.homework, store, store.read(), pool)


def test_one_that_is_no_text_is_copied_as_it_is(tmp_path):
    tiny = with_data(tmp_path)
    np.savez_compressed(tiny.folder / "small.npz", weights=np.arange(3.0))
    tiny.edit("homework.toml", 'all.csv"]', 'all.csv", "small.npz"]')
    build_assignments(tiny.course)
    copied = tiny.course.assignments / HOMEWORK / "small.npz"
    assert copied.read_bytes() == (tiny.folder / "small.npz").read_bytes()
    assert build_assignments(tiny.course) == []


SLOW = """
import time

def totals(x):
    time.sleep(0.3)
    return x.sum(), x.prod()
"""


@pytest.fixture(scope="module")
def limited(tmp_path_factory, pool):
    """The tiny course, whose calls may take 0.2 s, those of one task longer; no test changes it for good."""
    tiny = write_tiny(tmp_path_factory.mktemp("course"))
    tiny.edit("homework.toml", "call_seconds = 2\n", "call_seconds = 0.2\n")
    tiny.edit("homework.toml", "points = 2.5\n", "points = 2.5\ncall_seconds = 5\n")
    tiny.edit(CHECKS_FILE, 'task="double", points=1)', 'task="double", points=1, public=True)')
    tiny.edit(CHECKS_FILE, 'task="totals", points=2.5)', 'task="totals", points=2.5, public=True)')
    build_outputs(tiny.course, tiny.homework, pool)
    build_assignments(tiny.course)
    return tiny


def test_it_holds_for_the_calls_of_its_task(limited, pool):
    suite = prepare_suite(limited.course, limited.homework, SEED, pool)
    assert suite.homework.limits == Limits(seconds=30, call_seconds=0.2, of_functions={"totals": 5})


def test_it_holds_at_home_as_well(limited, tmp_path):
    for name, content in homework_folder(limited.course, limited.homework).items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / STUB).write_text(f"def double(x):\n    while True:\n        pass\n{SLOW}", "utf-8")
    public = open_homework(tmp_path)
    report = check_work(public, find_work(public, tmp_path))
    outcomes = {result.task: result.outcome.value for result in report.results}
    assert outcomes == {"double": "failed", "totals": "passed"}


def test_another_limit_has_everything_graded_again(limited):
    before = fingerprint_graders(limited.course, SEED, [])
    limited.edit("homework.toml", "call_seconds = 5\n", "call_seconds = 6\n")
    assert fingerprint_graders(limited.course, SEED, []) != before
    limited.edit("homework.toml", "call_seconds = 6\n", "call_seconds = 5\n")
    assert fingerprint_graders(limited.course, SEED, []) == before


@pytest.mark.parametrize(
    ("seconds", "entries"),
    [
        ({"double": 0.01, "totals": 1.0}, []),
        ({"double": 0.1, "totals": 1.0}, ["too-short"]),
        ({"double": 0.01, "totals": 0.01}, ["too-long"]),
    ],
)
def test_a_limit_that_does_not_fit_the_solution_is_told(limited, pool, seconds, entries):
    suite = prepare_suite(limited.course, limited.homework, SEED, pool)
    answers = {}
    for known in suite.known:
        answers[known.case.id] = Answer(value=1.0, seconds=seconds[known.case.task])
    fixtures = SimpleNamespace(submission=SimpleNamespace(answers=answers))
    found = list(_limits(Subject(limited.course, suite, fixtures)))
    assert [to_authors[f"limits.{entry}"] for entry in entries] == list(map(str, found))
    assert not any(finding.is_error for finding in found)
