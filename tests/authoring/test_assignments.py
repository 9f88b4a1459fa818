import shutil

import pytest
from wording import to_authors

from autograder.authoring.assignments import build_assignments, left_behind, verify_assignments
from autograder.course.schema import CourseError
from autograder.course.stub import stub_text
from autograder.intake.handed_out import HandedOut


def relative(tiny, paths):
    return sorted(path.relative_to(tiny.course.assignments).as_posix() for path in paths)


def state(tiny):
    files = [path for path in tiny.course.assignments.rglob("*") if path.is_file()]
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


@pytest.fixture
def built(tiny):
    build_assignments(tiny.course)
    return tiny


def test_every_generated_file_is_written_and_then_in_sync(tiny):
    touched = build_assignments(tiny.course)
    assert relative(tiny, touched) == ["hwx/doubles.py", "hwx/handout.html", "hwx/handout.md"]
    assert verify_assignments(tiny.course) == []
    assert (tiny.course.assignments / "hwx" / "doubles.py").read_text("utf-8") == stub_text(tiny.homework)


def test_building_again_touches_nothing(built):
    before = state(built)
    assert build_assignments(built.course) == []
    assert state(built) == before


def test_nothing_but_stub_and_handout_reaches_the_students(built):
    names = {path.name for path in built.course.assignments.rglob("*") if path.is_file()}
    assert names == {"doubles.py", "handout.html", "handout.md"}
    text = "".join(path.read_text("utf-8") for path in built.course.assignments.rglob("*.*"))
    for secret in ("factor", "np.prod", "math.fsum", "5.75", "hidden/"):
        assert secret not in text


def test_the_handout_lists_tasks_points_and_their_total(built):
    text = (built.course.assignments / "hwx" / "handout.md").read_text("utf-8")
    assert (
        "| task      | result                  |  points |\n"
        "| --------- | ----------------------- | ------: |\n"
        "| `double`  | every number twice      |       3 |\n"
        "| `totals`  | the sum and the product |     2.5 |\n"
        "| **total** |                         | **5.5** |\n"
    ) in text
    assert text.startswith("# Doubles and totals\n\n**5.5 points**, due ")


@pytest.mark.parametrize("name", ["doubles.py", "handout.html", "handout.md"])
def test_files_end_their_lines_the_same_way_everywhere(built, name):
    data = (built.course.assignments / "hwx" / name).read_bytes()
    assert b"\r" not in data
    assert data.endswith(b"\n")


def test_a_source_with_windows_line_ends_gives_the_same_files(built):
    before = {name: data for name, (data, _) in state(built).items()}
    for path in built.folder.iterdir():
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    shutil.rmtree(built.course.assignments)
    build_assignments(built.course)
    assert {name: data for name, (data, _) in state(built).items()} == before


def test_a_checkout_with_windows_line_ends_is_in_sync(built):
    path = built.course.assignments / "hwx" / "doubles.py"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert verify_assignments(built.course) == []


def test_a_missing_file_is_reported_and_written(built):
    path = built.course.assignments / "hwx" / "doubles.py"
    path.unlink()
    assert verify_assignments(built.course) == [to_authors["assignments.assignments-hwx-is-missing"]]
    assert build_assignments(built.course) == [path]
    assert verify_assignments(built.course) == []


def test_before_the_first_build_everything_is_missing(tiny):
    assert len(verify_assignments(tiny.course)) == 3


@pytest.mark.parametrize("data", [b"print('edited by hand')\n", b"", b"\xff\xfe no text"])
def test_an_edited_file_is_reported_and_written_anew(built, data):
    path = built.course.assignments / "hwx" / "doubles.py"
    path.write_bytes(data)
    assert verify_assignments(built.course) == ["assignments/hwx/doubles.py differs"]
    assert build_assignments(built.course) == [path]
    assert verify_assignments(built.course) == []


def test_a_changed_solution_shows_only_where_students_see_it(built):
    built.edit("doubles.py", "factor = 2", "factor = 3")
    assert verify_assignments(built.course) == []
    built.edit("doubles.py", "# TODO 1: multiply by two.", "# TODO 1: multiply.")
    assert verify_assignments(built.course) == ["assignments/hwx/doubles.py differs"]


def test_a_file_without_a_source_is_stale_and_removed(built):
    stale = built.course.assignments / "hwx" / "old_name.py"
    stale.write_text("left over", "utf-8")
    assert verify_assignments(built.course) == [to_authors["assignments.assignments-hwx"]]
    assert build_assignments(built.course) == [stale]
    assert not stale.exists()


def test_a_homework_that_is_gone_takes_its_folder_along(built):
    notes = built.course.assignments / "hw0_old" / "notes"
    notes.mkdir(parents=True)
    (notes / "figure.md").write_text("left over", "utf-8")
    assert verify_assignments(built.course) == [to_authors["assignments.homework-is-gone"]]
    build_assignments(built.course)
    assert [path.name for path in built.course.assignments.iterdir()] == ["hwx"]


def test_what_a_homework_that_is_gone_leaves_outside_of_assignments_is_named(built):
    root = built.course.root
    assert left_behind(built.course) == []
    for folder in ("reference_outputs", "tests/corpus"):
        for name in ("hw0_old", "hwx", "__pycache__"):
            (root / folder / name).mkdir(parents=True, exist_ok=True)
    (root / "tests/corpus/README.md").write_text("What this is.", "utf-8")
    assert left_behind(built.course) == [to_authors["assignments.left-behind"]]


@pytest.mark.parametrize(
    "name", ["__pycache__/doubles.cpython-311.pyc", ".DS_Store", ".ipynb_checkpoints/x.ipynb"]
)
def test_what_a_system_leaves_behind_is_left_alone(built, name):
    path = built.course.assignments / "hwx" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"")
    assert verify_assignments(built.course) == []
    assert build_assignments(built.course) == []
    assert path.exists()


def test_a_missing_solution_is_named(tiny):
    (tiny.folder / "doubles.py").unlink()
    with pytest.raises(CourseError, check=to_authors["assignments.missing-it-is-the-reference"]):
        build_assignments(tiny.course)


def test_a_solution_with_wrong_regions_stops_before_anything_is_written(tiny):
    path = tiny.folder / "doubles.py"
    path.write_text(path.read_text("utf-8").replace("# END SOLUTION", "", 1), "utf-8")
    with pytest.raises(CourseError, match=r"doubles\.py, line \d+"):
        build_assignments(tiny.course)
    assert not tiny.course.assignments.exists()


@pytest.mark.parametrize("text", [None, "# Doubles\n"])
def test_a_handout_without_its_place_for_tasks_is_refused(tiny, text):
    path = tiny.folder / "handout.md"
    path.unlink() if text is None else path.write_text(text, "utf-8")
    with pytest.raises(CourseError, check=to_authors["assignments.needs-a-line-tasks"]):
        verify_assignments(tiny.course)


def test_a_stub_is_untouched_whatever_its_white_space(tiny):
    stub = stub_text(tiny.homework)
    assert HandedOut(tiny.homework).is_untouched(stub)
    assert HandedOut(tiny.homework).is_untouched(stub.replace("\n", "\r\n").replace("    ", "\t") + "\n\n")
    assert HandedOut(tiny.homework).is_untouched(f"\n{stub.rstrip()}")


def test_a_stub_with_any_work_in_it_is_not_untouched(tiny):
    stub = stub_text(tiny.homework)
    assert not HandedOut(tiny.homework).is_untouched(
        stub.replace("raise NotImplementedError", "return 2 * x", 1)
    )
    assert not HandedOut(tiny.homework).is_untouched(stub + "# my thoughts\n")
    assert not HandedOut(tiny.homework).is_untouched(tiny.homework.solution.read_text("utf-8"))
    assert not HandedOut(tiny.homework).is_untouched("")
