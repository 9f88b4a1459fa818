"""Drills: what students receive, what it earns untouched and mended, and where both drills are graded."""

import ast
import csv
import datetime as dt
import tokenize
import zipfile
from dataclasses import replace
from io import BytesIO
from types import SimpleNamespace

import pytest
from cli.running import run as autograder
from homeworks import NINE, PAIR, TEN
from released import CHECK_HERE, HW1, engine_in, inside, released, run
from typer.testing import CliRunner
from wording import to_authors

from autograder.cli import release as command
from autograder.cli.app import app
from autograder.course.homework import ANSWERS, DRILL, EXAMPLES
from autograder.course.schema import CourseError
from autograder.drills.drills import Drill, examples_drill, mending_drill
from autograder.examples.telling import NoExamplesError
from autograder.policy.policy import parse_policy

IDS = NINE


@pytest.fixture(scope="module", params=IDS)
def drill(request, course, pool):
    """The drill of each homework, with the mistake that its homework.toml names."""
    return mending_drill(course, course.homework(request.param), (), pool)


def laid_out(drill, folder):
    for name, data in drill.files.items():
        (folder / name).write_bytes(data)
    return folder


def check(folder, *words):
    return run(CHECK_HERE, "check.py", *words, cwd=folder, engine_of=HW1)


def test_as_it_is_it_loses_points_for_its_mistake_in_grading(drill, grade_text):
    text = drill.files[drill.homework.stub].decode()
    result = grade_text(drill.homework.id, text)
    assert result.points == drill.homework.points
    assert 0 < drill.earned == result.earned < result.points
    assert set(drill.mistakes) in [set(check.misconceptions) for check in result.checks]


def test_mended_it_earns_everything(drill, grade_text):
    result = grade_text(drill.homework.id, drill.homework.solution.read_text(encoding="utf-8"))
    assert result.earned == result.points == drill.homework.points


def test_students_see_the_reason_when_they_ask_and_all_pass_once_mended(drill, tmp_path):
    folder = laid_out(drill, tmp_path)
    assert engine_in(drill.files) == engine_in(released(HW1))  # which is loaded already
    if drill.homework.base.id == PAIR[0]:  # what is held back until they ask is the same code for all
        at_first = check(folder).stdout
        assert " ".join(drill.reason.split()[:6]) not in " ".join(at_first.split())
        assert "yours" in at_first
    before = check(folder, "--all").stdout
    assert " ".join(drill.reason.split()[:6]) in " ".join(before.split())
    assert "✗" in before
    assert "not written yet" not in before
    (folder / drill.homework.stub).write_bytes(drill.homework.solution.read_bytes())
    after = check(folder)
    assert (after.returncode, "✗" in after.stdout) == (0, False)


def test_nothing_in_it_gives_the_mistake_away(drill):
    text = drill.files[drill.homework.stub]
    assert tokenize.COMMENT not in [token.type for token in tokenize.tokenize(BytesIO(text).readline)]
    names = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    assert ANSWERS not in names
    handouts = drill.files["handout.md"] + drill.files["handout.html"] + drill.files["START_HERE.md"]
    assert not any(mistake.encode() in handouts for mistake in drill.mistakes)


def test_its_handout_shows_what_comes_out_beside_what_should(drill):
    handout = drill.files["handout.md"].decode()
    assert "yours" in handout
    assert "expected" in handout
    assert "from public_checks import case" in handout


def test_two_mistakes_are_one_drill(course, pool, grade_text):
    drill = mending_drill(course, course.homework("hw3"), ["no-scaling", "softmax-over-queries"], pool)
    single = mending_drill(course, course.homework("hw3"), ["no-scaling"], pool)
    assert drill.earned < single.earned
    assert "are wrong" in drill.files["handout.md"].decode()


@pytest.mark.parametrize(
    ("mistakes", "why"),
    [
        (["no-scale"], to_authors["drills.unknown"]),
        (["no-scaling", "scale-inverted"], to_authors["drills.not-together"]),
        (["scores-elementwise"], to_authors["drills.not-public"]),
    ],
)
def test_a_mistake_that_makes_no_drill_is_refused(course, pool, mistakes, why):
    with pytest.raises(CourseError, check=why):
        mending_drill(course, course.homework("hw3"), mistakes, pool)


def test_a_homework_that_names_no_mistake_needs_one(course, pool):
    with pytest.raises(CourseError, check=to_authors["drills.none"]):
        mending_drill(course, replace(course.homework("hw3"), drill=()), [], pool)


def test_without_hints_students_are_not_told_the_mistake(course, pool):
    drill = mending_drill(course, course.homework("hw3"), [], pool, hints=False)
    data = inside(dict(drill.files))["public_checks.pyz/homework/homework.json"]
    assert b'"mistakes":{},"sayings":{}' in data
    assert b"the failing call" not in drill.files["START_HERE.md"]


@pytest.fixture(scope="module")
def examples(course):
    return examples_drill(course, course.homework("hw3"))


def test_the_release_for_inputs_holds_no_solution_and_no_mistake(examples):
    files = inside(dict(examples.files))
    solution = examples.homework.solution.read_text(encoding="utf-8")
    secret = [line.strip().encode() for line in solution.splitlines() if "exponentials" in line]
    own_files = {name: data for name, data in files.items() if "/autograder/" not in name}
    assert not [name for name, data in own_files.items() if any(line in data for line in secret)]
    assert b'"mistakes":{},"sayings":{}' in files["public_checks.pyz/homework/homework.json"]


@pytest.mark.parametrize(("text", "passes"), [("[np.eye(3)]", True), ("[np.ones(3)]", False), ("[]", False)])
def test_students_check_the_form_of_their_inputs(examples, tmp_path, text, passes):
    folder = laid_out(examples, tmp_path)
    assert engine_in(examples.files) == engine_in(released(HW1))
    attention = "scaled_dot_product_attention_examples = [(np.eye(2), np.eye(2), np.eye(2))]"
    (folder / "hw3_examples.py").write_text(f"import numpy as np\nsoftmax_examples = {text}\n{attention}\n")
    process = check(folder)
    assert (process.returncode == 0, "✗" not in process.stdout) == (passes, passes), (
        process.stdout + process.stderr
    )
    assert b"the failing call" not in examples.files["START_HERE.md"]


def test_ids_of_drills_stand_beside_those_of_homeworks(course):
    hw3 = course.homework("hw3")
    assert course.ids(["hw3_drill", "hw3_examples"]) == [hw3.id + DRILL, hw3.id + EXAMPLES]
    assert course.homework("hw3_drill").base == hw3
    assert DRILL not in "".join(course.homework_ids())
    known = course.possible_homeworks(["hw3_drill", "hw1_examples"])
    assert hw3.id not in [known_case.id for known_case in known]
    assert [known_case.id for known_case in known if known_case.base] == [
        hw3.id + DRILL,
        course.homework("hw1").id + EXAMPLES,
    ]


def test_a_homework_and_its_drill_are_not_graded_in_one_go(course):
    with pytest.raises(CourseError, check=to_authors["drills.both"]):
        course.possible_homeworks(["hw3", "hw3_drill"])


def test_a_drill_has_a_column_of_its_own_beside_the_homework(tmp_path, course):
    solution = course.homework("hw3").solution
    out = tmp_path / "graded"
    for homework in ("hw3", "hw3_drill"):
        process = autograder("grade", solution, "--out", out, "--homework", homework)
        assert process.exit == 0, process.err
    (row,) = csv.DictReader((out / "grades.csv").read_text().splitlines())
    ids = [IDS[2], IDS[2] + DRILL]
    assert float(row[ids[0]]) >= 20
    assert row[ids[1]] == "20"
    assert "hw3_drill" in process.out


def due(*years):
    """A policy with a homework due in the first of these years, and extensions until the others."""
    first, *others = (dt.datetime(year, 1, 1, tzinfo=dt.UTC) for year in years)
    return SimpleNamespace(
        of=lambda homework: SimpleNamespace(due=first),
        extensions={(f"student-{place}", ""): until for place, until in enumerate(others)},
    )


def release(folder, *options):
    return CliRunner().invoke(app, ["release", "--drill", "hw3", "--out", str(folder), *options])


@pytest.mark.parametrize("years", [(2999,), (2020, 2999)])
def test_a_drill_is_refused_while_somebody_may_hand_in_its_homework(tmp_path, monkeypatch, years):
    monkeypatch.setattr(command, "course_policy", lambda course: due(*years))
    assert release(tmp_path).exit_code == 2
    assert not list(tmp_path.iterdir())
    result = release(tmp_path, "--anyway")
    assert result.exit_code == 0, result.output
    assert "2999-01-01" in result.output


def test_a_drill_after_the_due_date_says_what_it_shows_and_how_it_is_graded(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "course_policy", lambda course: due(2020, 2021))
    result = release(tmp_path)
    assert result.exit_code == 0, result.output
    [path] = tmp_path.iterdir()
    assert path.name == f"{IDS[2]}{DRILL}.zip"
    assert f"{IDS[2]}{DRILL}/check.py" in zipfile.ZipFile(path).namelist()
    assert "shows the whole solution" in result.output
    assert "--homework hw3_drill" in result.output


@pytest.mark.parametrize("options", [["--examples"], ["--anyway"]])
def test_drills_of_all_homeworks_leave_out_the_capstone_which_has_none(tmp_path, monkeypatch, options):
    def mend(course, base, *more, **options):
        """Make only the drill that no test above makes."""
        if base.id in IDS:
            return Drill(base.as_drill(DRILL), {})
        return mending_drill(course, base, *more, **options)

    monkeypatch.setattr(command, "mending_drill", mend)
    result = CliRunner().invoke(app, ["release", "--drill", "all", "--out", str(tmp_path), *options])
    assert result.exit_code == 0, result.output
    suffix = EXAMPLES if options == ["--examples"] else DRILL
    assert {path.name for path in tmp_path.iterdir()} == {
        # hw10's functions take names and tuples, which no drill of inputs asks for.
        f"{homework}{suffix}.zip"
        for homework in (NINE if suffix == EXAMPLES else TEN)
    }
    assert "capstone_tiny_transformer has no drill" in result.output


def test_the_capstone_has_no_drill_of_inputs_either(tmp_path):
    result = CliRunner().invoke(app, ["release", "--drill", "capstone", "--examples", "--out", str(tmp_path)])
    assert isinstance(result.exception, NoExamplesError)
    assert not list(tmp_path.iterdir())


def test_inputs_may_be_asked_for_at_any_time(tmp_path):
    result = release(tmp_path, "--examples")
    assert result.exit_code == 0, result.output
    assert [path.name for path in tmp_path.iterdir()] == [f"{IDS[2]}{EXAMPLES}.zip"]


@pytest.mark.parametrize(
    "more", [["--mistakes", "no-scaling"], ["--drill", "hw3", "--examples", "--mistakes", "x"]]
)
def test_options_that_do_not_fit_are_wrong_usage(tmp_path, more):
    assert CliRunner().invoke(app, ["release", "--out", str(tmp_path), *more]).exit_code == 2


def test_a_policy_may_have_rules_for_a_drill(course):
    text = '[homeworks.hw3_drill]\ndue = 2027-03-01T23:59:00Z\nall_or_nothing = ["softmax"]'
    policy = parse_policy(text, course, "policy.toml")
    assert policy.of(IDS[2] + DRILL).all_or_nothing == ("softmax",)
    assert policy.of(IDS[2]).all_or_nothing == ()
    assert policy.of(IDS[0] + DRILL).due is None


def test_what_inputs_lack_is_explained_to_the_staff(tmp_path):
    handed_in = tmp_path / "hw3_examples.py"
    handed_in.write_text("softmax_examples = [[[0, 0], [0, 0]]]", encoding="utf-8")
    graded = autograder("grade", handed_in, "--out", tmp_path / "graded", "--homework", "hw3_examples")
    assert graded.exit == 0, graded.err
    options = ("--homework", "hw3_examples", "--check", "softmax_examples_50")
    process = autograder("explain", tmp_path / "graded", "hw3_examples", *options)
    assert (process.exit, "Not yet: softmax-over-queries" in process.out) == (0, True), process.err
