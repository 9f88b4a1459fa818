"""The hidden graders as pytest tests, run the way a teacher runs them, in every order of arguments."""

import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import SEED
from forking import run_forked
from released import IMPORTED, IMPORTED_WITH_PYTEST
from submissions import mistaken_text, right_text
from wording import to_staff

HW4 = "hw4_self_attention_columns"
HW1 = "hw1_attention_scores"
PROGRAM = "import pytest, sys; sys.exit(pytest.main(sys.argv[1:]))"
PREPARED = (
    f"{IMPORTED}{IMPORTED_WITH_PYTEST}import concurrent.futures, msgspec, unittest, xml.etree.ElementTree"
)
"""What pytest and the kit import for most of a short run, and nothing of the kit itself."""


@dataclass(frozen=True)
class Run:
    """One run of pytest: its exit status, its output, and the outcome and message of each test."""

    exit: int
    output: str
    outcomes: dict[str, str]
    messages: dict[str, str]


@pytest.fixture
def run(course, tmp_path):
    def run(homework, *arguments):
        report = tmp_path / "report.xml"
        graders = course.root / "solutions" / homework
        words = [
            graders,
            "-p",
            "no:cacheprovider",
            "-p",
            "no:hypothesispytest",
            "--junitxml",
            report,
            *arguments,
        ]
        process = run_forked(PREPARED, PROGRAM, [str(word) for word in words], course.root, os.environ)
        cases = list(ET.parse(report).iter("testcase")) if report.exists() else []
        outcomes = {case.attrib["name"].removeprefix("test_"): _outcome(case) for case in cases}
        messages = {
            case.attrib["name"].removeprefix("test_"): "".join(
                part.attrib.get("message", "") for part in case
            )
            for case in cases
        }
        output = (process.stdout + process.stderr).decode()
        return Run(process.returncode, output, outcomes, messages)

    return run


def _outcome(case):
    kinds = {"failure": "failed", "skipped": "not_run", "error": "error"}
    return next((kinds[part.tag] for part in case if part.tag in kinds), "passed")


@pytest.fixture
def softmax_over_queries(tmp_path):
    """A file with this mistake."""
    path = tmp_path / "ada.py"
    path.write_text(mistaken_text(HW1, "softmax-over-queries"), "utf-8")
    return path


@pytest.mark.parametrize(
    ("homework", "text"),
    [
        pytest.param(HW1, right_text(HW1, "einsum"), id="right"),
        pytest.param(HW1, mistaken_text(HW1, "softmax-over-queries"), id="softmax-over-queries"),
        pytest.param(HW1, mistaken_text(HW1, "depends-on-global"), id="depends-on-global"),
        pytest.param(
            HW4, f"{mistaken_text(HW4, 'numpy-float-of-array')}\n\ndel answers\n", id="numpy-float-of-array"
        ),
    ],
)
def test_outcomes_and_reasons_are_those_of_autograder_grade(
    homework, text, run, grade_text, tmp_path, course
):
    graded = grade_text(homework, text)
    path = tmp_path / course.homework(homework).stub
    path.write_text(text, "utf-8")
    result = run(homework, "--submission", path, "--seed", SEED)
    assert result.outcomes == {check.check: str(check.outcome) for check in graded.checks}
    for check in graded.checks:
        if check.outcome == "failed":
            assert check.reason in result.messages[check.check]
    assert result.exit == (0 if graded.earned == graded.points else 1)


def test_a_failed_check_shows_its_line_its_reason_and_what_the_staff_may_know(run, softmax_over_queries):
    result = run(HW1, "--submission", softmax_over_queries, "--homework", HW1, "-k", "softmax")
    assert ">       compare(cases.other_sizes(SOFTMAX))" in result.output
    assert "_raise_first" not in result.output, "the engine's own lines help no teacher"
    assert to_staff["pytest_plugin.staff"] in result.output
    assert to_staff["pytest_plugin.failed-cases-public-softmax"] in result.output
    assert "misconceptions: softmax-over-queries" in result.output
    assert result.messages["softmax_large"] == to_staff["pytest_plugin.not-run-because"]


def test_verbosely_a_failed_check_shows_what_autograder_explain_does(run, softmax_over_queries):
    chosen = (
        HW1,
        f"--submission={softmax_over_queries}",
        "--homework",
        HW1,
        "-k",
        "softmax_published or softmax_sizes",
    )
    output = run(*chosen, "--seed", SEED, "-vv").output
    assert "case published/softmax/three-tokens: softmax(x)" in output
    assert "attention weights: rows sum to 1.119, 0.9407, 0.9407 instead of 1" in output
    assert "    *0.3333  *0.3333   0.4519    0.2741  0.2741  0.4519\n" in output
    assert "+    largest = x.max(axis=0, keepdims=True)" in output
    assert (
        f"call_again(path, '{HW1}', 'published/softmax/three-tokens', seed={SEED}, course=course)" in output
    )
    assert "*0.3333" not in run(*chosen).output


def test_each_homework_of_a_folder_is_found_by_its_name(run, course, tmp_path):
    hw3 = "hw3_scaled_dot_product_attention"
    for homework in (course.homework(HW1), course.homework(hw3)):
        shutil.copy(homework.solution, tmp_path)
    for homework_id in (HW1, hw3):
        result = run(homework_id, "--submission", tmp_path)
        assert (result.exit, set(result.outcomes.values())) == (0, {"passed"})


def test_a_single_check_can_be_run_without_its_prerequisites(run, softmax_over_queries):
    result = run(HW1, "--submission", softmax_over_queries, "--homework", HW1, "-k", "test_softmax_large")
    assert result.outcomes == {"softmax_large": "failed"}


def test_without_a_submission_the_remedy_is_told(run):
    result = run(HW1, "-k", "qk_scores_published")
    assert result.outcomes == {"qk_scores_published": "error"}
    assert to_staff["pytest_plugin.hidden-checks-need"] in result.output
    assert "Traceback" not in result.output


def test_a_submission_that_is_not_there_is_a_wrong_usage(run, tmp_path):
    result = run(HW1, "--submission", tmp_path / "ada.zip")
    assert result.exit == pytest.ExitCode.USAGE_ERROR
    assert to_staff["pytest_plugin.ada-zip-there-is-no-such"] in result.output


def test_a_submission_without_this_homework_is_skipped_with_the_reason(run, tmp_path):
    (tmp_path / "essay.py").write_text("words = 1\n", "utf-8")
    result = run(HW1, "--submission", tmp_path / "essay.py", "-k", "qk_scores_published")
    assert result.outcomes == {"qk_scores_published": "not_run"}
    assert result.messages["qk_scores_published"].startswith(f"essay.py contains nothing for {HW1}; ")
    assert "--homework" in result.messages["qk_scores_published"]
    assert f"\n1 skipped: {result.messages['qk_scores_published']}\n" in result.output


def test_another_homework_than_the_one_asked_for_is_skipped(run, course):
    solution = course.homework(HW1).solution
    result = run("hw3_scaled_dot_product_attention", "--submission", solution, "--homework", HW1)
    assert set(result.outcomes.values()) == {"not_run"}
    assert result.messages["softmax_published"] == to_staff["pytest_plugin.only-was-asked"]


def test_an_unknown_homework_is_answered_with_the_known_ones(run, course, tmp_path):
    solution = shutil.copy(course.homework(HW1).solution, tmp_path)
    result = run(HW1, "--submission", solution, "--homework", "hw0", "-k", "qk_scores_published")
    assert result.outcomes == {"qk_scores_published": "error"}
    assert f"there is no homework 'hw0'; known here: {HW1}" in result.output
    assert "Traceback" not in result.output


def test_a_file_that_does_not_load_fails_with_its_line(run, tmp_path):
    (tmp_path / "attention_scores.py").write_text("x = 1\nimport nummpy\n", "utf-8")
    result = run(HW1, "--submission", tmp_path / "attention_scores.py", "-k", "published")
    assert set(result.outcomes.values()) == {"error"}
    assert to_staff["pytest_plugin.raised-modulenotfounderror"] in result.output


def test_the_plugin_stays_out_of_the_way_of_other_tests(tmp_path):
    (tmp_path / "test_other.py").write_text(
        "import sys\n\ndef test_it():\n    assert 'numpy' not in sys.modules\n", "utf-8"
    )
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(tmp_path)]
    process = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "1 passed" in process.stdout, process.stdout


BREAKING = """
from autograder.reasons.explain import Explainer

def reason(self, compare, failed, failure):
    raise ZeroDivisionError("put in by a test")

Explainer.reason = reason
"""


def test_an_explanation_that_fails_changes_no_outcome_and_is_told(run, tmp_path, monkeypatch):
    folder = tmp_path / "plugins"
    folder.mkdir()
    (folder / "breaking_a_reason.py").write_text(BREAKING, "utf-8")
    submission = tmp_path / "attention_scores.py"
    solution = Path(__file__).parents[2] / "solutions" / HW1 / "attention_scores.py"
    wrong = "\n\ndef softmax(x):\n    return x * 0.5\n"
    submission.write_text(solution.read_text("utf-8") + wrong, "utf-8")
    usual = run(HW1, f"--submission={submission}")
    monkeypatch.setenv("PYTHONPATH", str(folder))
    process = run(HW1, f"--submission={submission}", "-p", "breaking_a_reason")
    assert process.outcomes == usual.outcomes
    assert "failed" in process.outcomes.values()
    assert "an explanation failed: the reason for" in process.output
    assert "ZeroDivisionError: put in by a test" in process.output
    assert "wrong" in process.messages["softmax_published"]


LOOK = "--collect-only"
QUICKLY = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest")  # a plugin that imports for half a second
PYTEST = str(Path(sys.executable).with_name("pytest"))
SETTINGS = {
    "pytest.ini": "[pytest]\n{}",
    ".pytest.ini": "[pytest]\n{}",
    "tox.ini": "[pytest]\n{}",
    "setup.cfg": "[tool:pytest]\n{}",
    "pyproject.toml": "[tool.pytest.ini_options]\n{}",
    "pytest.toml": "[pytest]\n{}",
}
LISTS = {"pyproject.toml": 'addopts = "-p evil {}"\npythonpath = ["."]\n'}
LISTS["pytest.toml"] = 'addopts = ["-p", "evil", "{}"]\npythonpath = ["."]\n'
MORE = "-p no:autograder"
MODULES = ("evil", "conftest", "test_evil", "autograder", "torch", "numpy", "setup", "sitecustomize", "math")


@dataclass(frozen=True)
class Hostile:
    """A right submission among files that pytest loads from a folder of tests, in a class folder like it."""

    folder: Path
    marker: Path
    graders: Path

    def run(self, *words, cwd):
        return subprocess.run(
            [PYTEST, *QUICKLY, "-q", *map(str, words)],
            cwd=cwd,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(params=SETTINGS)
def settings(request):
    return str(request.param)


@pytest.fixture
def hostile(settings, course, tmp_path):
    marker = tmp_path / "loaded"
    folder = tmp_path / "class" / "ada"
    folder.mkdir(parents=True)
    lines = LISTS.get(settings, "addopts = -p evil {}\npythonpath = .\n").format(MORE)
    for place in (folder, folder.parent):
        (place / settings).write_text(SETTINGS[settings].format(lines), "utf-8")
        for name in MODULES:
            (place / f"{name}.py").write_text(f"open({str(marker)!r}, 'w')\n", "utf-8")
    shutil.copy(course.homework(HW1).solution, folder)
    return Hostile(folder, marker, course.root / "solutions" / HW1 / f"test_{HW1}.py")


def orders(homework, cwd):
    path = os.path.relpath(homework.folder, cwd)
    return [[f"--submission={path}", homework.graders], [homework.graders, f"--submission={path}"]]


@pytest.mark.parametrize(
    ("settings", "place"), [("pytest.ini", "."), ("pytest.toml", ".."), ("pytest.ini", "../..")]
)
def test_with_an_equals_sign_every_order_is_safe_from_every_folder(hostile, place):
    cwd = (hostile.folder / place).resolve()
    for words in orders(hostile, cwd):
        process = hostile.run(LOOK, *words, cwd=cwd)
        assert not hostile.marker.exists(), words
        assert (process.returncode, "::test_softmax" in process.stdout) == (0, True), (
            process.stdout + process.stderr
        )


def test_pytest_would_load_these_files_from_a_folder_that_it_is_given(hostile):
    hostile.run(LOOK, hostile.folder, cwd=hostile.folder.parent.parent)
    assert hostile.marker.exists()


def test_with_a_space_the_checks_come_first_and_bring_their_settings(hostile):
    process = hostile.run(LOOK, hostile.graders, "--submission", hostile.folder, cwd=hostile.folder)
    assert not hostile.marker.exists()
    assert (process.returncode, "::test_softmax" in process.stdout) == (0, True), (
        process.stdout + process.stderr
    )


@pytest.fixture
def harmless(course, tmp_path):
    folder = tmp_path / "class" / "ada"
    folder.mkdir(parents=True)
    shutil.copy(course.homework(HW1).solution, folder)
    graders = course.root / "solutions" / HW1 / f"test_{HW1}.py"
    return Hostile(folder, tmp_path / "loaded", graders)


def test_with_a_space_and_first_it_is_refused_whatever_is_handed_in(harmless):
    process = harmless.run(LOOK, "--submission", harmless.folder, harmless.graders, cwd=harmless.folder)
    assert process.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--submission=PATH" in process.stderr


def test_with_a_space_checks_without_settings_are_refused(harmless, tmp_path):
    """As in a folder of installed packages: pytest would go on to look at the submission."""
    alone = Path(shutil.copy(harmless.graders, tmp_path))
    process = harmless.run(LOOK, alone, "--submission", harmless.folder, cwd=tmp_path)
    assert process.returncode == pytest.ExitCode.USAGE_ERROR
    settings = tmp_path / "mine.ini"
    settings.write_text("[pytest]\n", "utf-8")
    assert (
        harmless.run(LOOK, "-c", settings, "--submission", harmless.folder, alone, cwd=tmp_path).returncode
        == 0
    )


@pytest.mark.parametrize("collected", [".", "test_own.py", "..", ""])
def test_tests_of_the_submission_are_never_collected(harmless, collected):
    (harmless.folder / "test_own.py").write_text(f"open({str(harmless.marker)!r}, 'w')\n", "utf-8")
    words = [harmless.graders, collected] if collected else []
    process = harmless.run(LOOK, f"--submission={harmless.folder}", *words, cwd=harmless.folder)
    assert process.returncode == pytest.ExitCode.USAGE_ERROR
    assert not harmless.marker.exists()


def test_a_conftest_of_the_submission_is_never_loaded(harmless):
    (harmless.folder / "conftest.py").write_text(f"open({str(harmless.marker)!r}, 'w')\n", "utf-8")
    for words in (
        [harmless.graders, "--submission", harmless.folder],
        ["--submission", harmless.folder, harmless.graders],
    ):
        harmless.run(LOOK, *words, cwd=harmless.folder)
        assert not harmless.marker.exists(), words


def test_what_looks_like_a_course_beside_the_submission_is_not_used(harmless, course):
    """The checks' own course counts, which is never one that a class hands in."""
    beside = harmless.folder.parent
    shutil.copytree(course.solutions / HW1, beside / "solutions" / HW1)
    shutil.copytree(course.reference_outputs / HW1, beside / "reference_outputs" / HW1)
    cases = beside / "solutions" / HW1 / "cases.py"
    cases.write_text(f"open({str(harmless.marker)!r}, 'w')\n{cases.read_text('utf-8')}", "utf-8")
    process = harmless.run(harmless.graders, f"--submission={harmless.folder}", "-k", "qk_scores", cwd=beside)
    assert process.returncode == 0, process.stdout
    assert not harmless.marker.exists()
