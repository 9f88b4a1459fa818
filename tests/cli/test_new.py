"""A course from an empty folder and a homework that was just begun are whole."""

import re
from pathlib import Path

import pytest
from wording import to_authors

from autograder.authoring import new_course
from autograder.authoring.new_course import BEGUN, begin_course, course_to_begin
from autograder.authoring.new_homework import new_files, write_homework
from autograder.course.course import Course, find_course
from autograder.course.homework import CourseError
from autograder.verdict.checks import load_checks

from .running import run

ID, TASKS = "hw7_masked_attention", ("causal_mask", "masked_softmax")
MARK = "REPLACE"


def begin(root, library):
    """A course that was an empty folder, and what the command said."""
    words = ("--tasks", ",".join(TASKS), "--points", "4,10", "--library", library)
    return Course(root), run("new", ID, *words, "--course", root)


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    return begin(tmp_path_factory.mktemp("own"), "numpy")


def test_points_add_up_and_each_task_has_the_usual_checks(begun):
    homework = begun[0].homework(ID)
    assert {task.name: task.points for task in homework.tasks} == {"causal_mask": 4, "masked_softmax": 10}
    points = {check.name: check.points for check in load_checks(homework)}
    kinds = ("published", "sizes", "large", "unchanged")
    assert [points[f"causal_mask_{kind}"] for kind in kinds] == [1, 1, 1, 1]
    assert [points[f"masked_softmax_{kind}"] for kind in kinds] == [2, 4, 2, 2]


def test_every_file_of_the_author_but_the_readme_says_what_to_replace_and_no_file_of_students_does(begun):
    course, _ = begun
    solution_files = [*course.solutions.glob(f"{ID}/*.*"), *course.root.glob(f"tests/corpus/{ID}/*.py")]
    assert len(solution_files) == 14
    assert [path.name for path in solution_files if MARK not in path.read_text("utf-8")] == ["README.md"]
    assignment_files = [path for path in course.assignments.rglob("*") if path.is_file()]
    assert len(assignment_files) >= 6
    assert [path.name for path in assignment_files if MARK in path.read_text("utf-8")] == []


def test_its_readme_names_each_file_of_the_homework_and_no_other(begun):
    course, _ = begun
    folder = course.homework(ID).folder
    readme = (folder / "README.md").read_text("utf-8")
    files = {path.name for path in folder.iterdir() if path.is_file()} - {"README.md"}
    assert set(re.findall(r"`(\w+\.\w+)`", readme)) == files
    assert f"`tests/corpus/{ID}/`" in readme
    assert readme.startswith("# hw7: Masked attention\n\n- **What decides a grade:** ")
    assert readme.endswith("`autograder assignments build hw7`,\n  `autograder check hw7`.\n")


def test_the_next_homework_of_a_course_leaves_its_files_alone(begun):
    course, _ = begun
    files = new_files(course, "hw8_next_words", ["only"], [5], "numpy", "")
    folders = {path.relative_to(course.root).parts[:3] for path in files}
    assert {folder[0] for folder in folders} == {"solutions", "tests"}
    assert all("hw8_next_words" in str(path) for path in files)


def test_a_dry_run_lists_the_files_and_writes_none(tmp_path):
    result = run("new", ID, "--tasks", "causal_mask", "--course", tmp_path, "--dry-run")
    assert result.exit == 0
    assert f"solutions/{ID}/masked_attention.py" in result.out.splitlines()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("homework_id", "tasks", "points", "entry"),
    [
        ("hw99", ["a"], [5], to_authors["new.id"]),
        ("hw99_Words", ["a"], [5], to_authors["new.id"]),
        ("hw99_words_drill", ["a"], [5], to_authors["new.id"]),
        ("hw99_numpy", ["a"], [5], to_authors["new.hides-a-module"]),
        ("hw1_words", ["a"], [5], to_authors["new.number-taken"]),
        ("hw1_attention_scores", ["a"], [5], to_authors["new.there-already"]),
        ("hw99_attention_scores", ["a"], [5], to_authors["new.stub-taken"]),
        ("hw99_words", [], [5], to_authors["new.no-function"]),
        ("hw99_words", ["class"], [5], to_authors["new.no-function"]),
        ("hw99_words", ["max"], [5], to_authors["new.means-something"]),
        ("hw99_words", ["a", "a"], [5], to_authors["new.twins"]),
        ("hw99_words", ["a"], [3], to_authors["new.too-few-points"]),
        ("hw99_words", ["a", "b"], [4, 3], to_authors["new.too-few-points-of-one"]),
        ("hw99_words", ["a"], [5, 5], to_authors["new.too-many-points"]),
    ],
)
def test_a_name_that_cannot_be_taken_is_refused_with_the_remedy(homework_id, tasks, points, entry):
    with pytest.raises(CourseError, check=entry):
        new_files(find_course(), homework_id, tasks, points, "numpy", "")


@pytest.mark.parametrize("is_new", [True, False])
def test_a_homework_whose_solution_does_not_run_leaves_nothing_behind(tmp_path, pool, is_new):
    course = course_to_begin(tmp_path / "own")
    if not is_new:
        course.solutions.mkdir(parents=True)
        course.defaults.write_text('title = "Mine"\n', "utf-8")
    files = new_files(course, ID, ["causal_mask"], [5], "numpy", "")
    solution = course.solutions / ID / "masked_attention.py"
    before = sorted(tmp_path.rglob("*"))
    broken = {**files, solution: "import no_such_module\n" + files[solution]}
    with pytest.raises(CourseError, check=to_authors["new.nothing-written"]):
        write_homework(course, ID, broken, pool)
    assert sorted(tmp_path.rglob("*")) == before


def test_generated_files_of_an_earlier_homework_of_the_same_id_are_replaced(tmp_path, pool):
    course = course_to_begin(tmp_path)
    old = course.reference_outputs / ID / "manifest.json"
    old.parent.mkdir(parents=True)
    old.write_text("{}", "utf-8")
    files = new_files(course, ID, ["causal_mask"], [5], "numpy", "")
    assert write_homework(course, ID, files, pool).written
    assert old.read_text("utf-8") != "{}"


def test_a_folder_with_other_files_does_not_become_a_course(tmp_path):
    (tmp_path / ".git").mkdir()
    assert course_to_begin(tmp_path).root == tmp_path
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(CourseError, check=to_authors["new.neither"]):
        course_to_begin(tmp_path)


CHOSEN = ["hw1_attention_scores", "hw9_positions_and_cache"]
OWN = {"README.md", "constraints.txt", ".gitignore", "solutions/course.toml"}


def files(root):
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def test_an_empty_folder_becomes_a_course_without_homeworks(tmp_path):
    (tmp_path / ".git").mkdir()
    result = run("init", tmp_path)
    assert (result.exit, result.err, files(tmp_path)) == (0, "", OWN)
    command = run("check", "--course", tmp_path)
    assert (command.exit, command.err) == (2, to_authors["course.no-homework-yet"])
    assert run("new", "hw1_words", "--tasks", "count", "--dry-run", "--course", tmp_path).exit == 0


@pytest.mark.parametrize(("homeworks", "unknown"), [("hw1,hw99", "hw99"), ("all,hw1", "all")])
def test_a_homework_that_the_kit_does_not_have_is_refused_before_anything_is_written(
    homeworks, unknown, tmp_path
):
    result = run("init", tmp_path / "own", "--homeworks", homeworks)
    assert (result.exit, (tmp_path / "own").exists()) == (2, False)
    assert f"no homework '{unknown}'" in result.err


@pytest.mark.parametrize("name", ["notes.txt", "own"])
def test_a_folder_with_files_and_a_file_are_refused(name, tmp_path):
    (tmp_path / "notes.txt").write_text("mine", "utf-8")
    place = tmp_path / "notes.txt" if name == "notes.txt" else tmp_path
    with pytest.raises(CourseError, check=to_authors["init.not-empty"]):
        begin_course(place, [])
    assert files(tmp_path) == {"notes.txt"}


@pytest.mark.parametrize("moves", range(7))
def test_after_an_interruption_at_any_time_the_next_attempt_begins_again(moves, tmp_path, monkeypatch):
    moves_left = iter(range(moves))
    real = Path.rename

    def rename(path, target):
        if next(moves_left, None) is None:
            raise KeyboardInterrupt
        return real(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", rename)
        with pytest.raises(KeyboardInterrupt):
            begin_course(tmp_path, [CHOSEN[0]])
    with pytest.raises(CourseError):
        find_course(tmp_path)

    begin_course(tmp_path, [CHOSEN[1]])
    assert Course(tmp_path).homework_ids() == CHOSEN[1:]
    assert not [name for name in files(tmp_path) if CHOSEN[0] in name or BEGUN in name]
    with pytest.raises(CourseError, check=to_authors["init.not-empty"]):
        begin_course(tmp_path, [])


def test_the_files_for_students_are_what_the_new_course_makes_of_its_homeworks(tmp_path):
    begin_course(tmp_path, CHOSEN)
    assert run("assignments", "verify", "--course", tmp_path).exit == 0


def test_an_installation_without_homeworks_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(new_course, "PACKAGE_HOME", tmp_path)
    monkeypatch.setattr(new_course.importlib.metadata, "files", lambda name: None)
    with pytest.raises(CourseError, check=to_authors["init.none-installed"]):
        begin_course(tmp_path / "own", ["hw1"])
