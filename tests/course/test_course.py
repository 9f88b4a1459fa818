"""Courses and their metadata: what is read, and what is refused with its place."""

import datetime as dt
import enum
from dataclasses import dataclass
from pathlib import Path

import pytest
from homeworks import SIX
from tiny import write_tiny
from wording import to_authors

from autograder.course import course as course_module
from autograder.course.course import find_course, id_of
from autograder.course.homework import by_number
from autograder.course.schema import (
    Amount,
    CourseError,
    Record,
    Text,
    parse_toml,
    read_json,
    read_toml,
    typed,
    wrong_value,
)
from autograder.sandbox.request import Limits


def test_the_metadata_of_a_homework_is_read_as_written(tiny):
    homework = tiny.homework
    assert (homework.id, homework.title, homework.stub) == ("hwx", "Doubles and totals", "doubles.py")
    assert (homework.library, homework.hints) == ("numpy", "after_published")
    assert homework.limits == Limits(seconds=30, call_seconds=2)
    assert homework.due == dt.datetime(2027, 2, 5, 23, 59, tzinfo=dt.UTC)
    assert homework.points == 5.5
    assert [(task.name, task.returns, task.value) for task in homework.tasks] == [
        ("double", ("doubled numbers",), "all_doubled"),
        ("totals", ("sum", "product"), None),
    ]


def test_hints_due_date_limits_and_value_may_be_left_out(tiny):
    tiny.edit("homework.toml", 'hints = "after_published"\n', "")
    tiny.edit("homework.toml", "due = 2027-02-05T23:59:00Z\n", "")
    tiny.edit("homework.toml", "[limits]\nseconds = 30\ncall_seconds = 2\n", "")
    tiny.edit("homework.toml", 'value = "all_doubled"\n', "")
    homework = tiny.homework
    assert (homework.hints, homework.due, homework.limits) == ("always", None, Limits())
    assert homework.task("double").value is None


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('title = "Doubles and totals"\n', "", "title is missing"),
        ('title = "Doubles and totals"', "title = 7", "title: expected"),
        ('title = "Doubles and totals"', 'title = " "', "title: expected"),
        ('stub = "doubles.py"\n', "", "stub is missing"),
        ('stub = "doubles.py"', 'stub = "../doubles.py"', "stub: expected"),
        ('stub = "doubles.py"', 'stub = "doubles.ipynb"', "stub: expected"),
        ('library = "numpy"', 'library = "jax"', "library: expected one of numpy, torch, got "),
        ('library = "numpy"', 'library = ["numpy"]', "library: expected"),
        ('hints = "after_published"', 'hints = "later"', "hints: expected"),
        ('hints = "after_published"', 'hint = "never"', "hint is unknown; the known keys are "),
        ("due = 2027-02-05T23:59:00Z", "due = 2027-02-05", "due: expected"),
        ("due = 2027-02-05T23:59:00Z", 'due = "tomorrow"', "due: expected"),
        ("call_seconds = 2", "call_minutes = 1", "limits.call_minutes is unknown"),
        ("call_seconds = 2", 'call_seconds = "1"', "limits.call_seconds: expected"),
        ("call_seconds = 2", "call_seconds = 0", "limits.call_seconds: expected"),
        ("call_seconds = 2", "memory_mb = 512.5", "limits.memory_mb: expected"),
        ('name = "double"\n', "", "tasks[1].name is missing"),
        ('name = "double"', 'name = "not a name"', "tasks[1].name: expected"),
        ('name = "totals"', 'name = "double"', "tasks: two have the name 'double'"),
        ("points = 2.5", 'points = "many"', 'tasks[2].points: expected a number, not negative, got "many"'),
        ("points = 2.5", "points = true", "tasks[2].points: expected"),
        ("points = 2.5", "points = -1", "tasks[2].points: expected"),
        ("points = 2.5", "points = nan", "tasks[2].points: expected"),
        ("points = 2.5\n", "", "tasks[2].points is missing"),
        (
            "points = 2.5",
            "points = 2.5\ncall_seconds = 0",
            "tasks[2].call_seconds: expected seconds, above 0 and at most 3,600, got 0",
        ),
        ("points = 2.5", "points = 2.5\ncall_seconds = -1", "tasks[2].call_seconds: expected"),
        ("points = 2.5", "points = 2.5\ncall_seconds = inf", "tasks[2].call_seconds: expected"),
        ("points = 2.5", 'points = 2.5\ncall_seconds = "20"', "tasks[2].call_seconds: expected"),
        ('returns = ["sum", "product"]', 'returns = "sum"', "tasks[2].returns: expected"),
        ('returns = ["sum", "product"]', "returns = []", "tasks[2].returns: expected"),
        ('returns = ["sum", "product"]', "returns = [1, 2]", "tasks[2].returns[1]: expected a text, got 1"),
        ('value = "all_doubled"', "value = 3", "tasks[1].value: expected"),
        ('value = "all_doubled"', 'vaule = "all_doubled"', "tasks[1].vaule is unknown"),
        ('title = "Doubles and totals"', "title = Doubles", "not valid TOML"),
    ],
)
def test_wrong_metadata_is_refused_with_its_file_and_key(tiny, old, new, complaint):
    path = tiny.edit("homework.toml", old, new)
    with pytest.raises(CourseError) as caught:
        tiny.course.homework("hwx")
    assert str(path) in str(caught.value)
    assert complaint in str(caught.value)


def test_what_stands_in_the_courses_file_holds_where_a_homework_says_nothing_else(tiny):
    tiny.course.defaults.write_text('hints = "never"\n[limits]\nseconds = 20\nmemory_mb = 512\n', "utf-8")
    assert (tiny.homework.hints, tiny.homework.limits) == (
        "after_published",
        Limits(seconds=30, call_seconds=2, memory_mb=512),
    )
    tiny.edit("homework.toml", 'hints = "after_published"\n', "")
    tiny.edit("homework.toml", "[limits]\nseconds = 30\ncall_seconds = 2\n", "")
    assert (tiny.homework.hints, tiny.homework.limits) == ("never", Limits(seconds=20, memory_mb=512))
    tiny.course.defaults.unlink()
    assert (tiny.homework.hints, tiny.homework.limits) == ("always", Limits())


def test_a_course_has_the_title_that_its_file_gives_it(tiny):
    assert tiny.course.title == ""
    tiny.course.defaults.write_text('title = "Attention for beginners"\n', "utf-8")
    assert tiny.course.title == "Attention for beginners"
    assert tiny.homework.title == "Doubles and totals"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('hints = "later"', "hints: expected one of after_published, always, never, got "),
        ("[limits]\nminutes = 2", "limits.minutes is unknown; the known keys are seconds, call_seconds,"),
        ("[limits]\nseconds = 0", "limits.seconds: expected a number above 0, got 0"),
        ('name = "Attention"', "name is unknown; the known keys are limits, hints"),
        ('title = " "', "title: expected a text that is not blank"),
        ("hints =", "not valid TOML"),
    ],
)
def test_wrong_defaults_are_refused_with_their_file_and_key(tiny, text, complaint):
    tiny.course.defaults.write_text(text, "utf-8")
    with pytest.raises(CourseError) as caught:
        tiny.course.homework("hwx")
    assert str(caught.value).startswith(f"{tiny.course.defaults}: {complaint}")


def test_defaults_that_cannot_be_read_are_refused(tiny):
    tiny.course.defaults.mkdir()
    with pytest.raises(CourseError, match=r"course\.toml cannot be read"):
        tiny.course.homework("hwx")


@pytest.mark.parametrize("tasks", ["", "tasks = []\n", "[tasks]\nname = 1\n", 'tasks = ["double"]\n'])
def test_metadata_without_a_list_of_tasks_is_refused(tiny, tasks):
    path = tiny.folder / "homework.toml"
    head = path.read_text("utf-8").partition("[limits]")[0]
    path.write_text(head + tasks, "utf-8")
    with pytest.raises(CourseError, match="tasks"):
        tiny.course.homework("hwx")


def test_metadata_that_is_no_text_is_refused(tiny):
    path = tiny.folder / "homework.toml"
    path.write_bytes(b'title = "\xff"')
    with pytest.raises(CourseError, match=r"homework\.toml"):
        tiny.course.homework("hwx")


def test_an_unknown_homework_is_answered_with_the_known_ones(tiny):
    with pytest.raises(CourseError, check=to_authors["course.no-homework-hw7-this-course"]):
        tiny.course.homework("hw7")


@pytest.mark.parametrize(
    ("text", "homework_id"),
    [
        ("hw1_attention_scores", "hw1_attention_scores"),
        ("hw1", "hw1_attention_scores"),
        ("hw10", "hw10_masks"),
        ("hw10_", "hw10_masks"),
        ("hw2_se", "hw2_self_attention"),
        ("exam", "exam"),
    ],
)
def test_a_beginning_that_only_one_id_has_stands_for_it(text, homework_id):
    assert id_of(text, [*SIX, "hw10_masks", "exam", "exam_resit"]) == homework_id


@pytest.mark.parametrize("text", ["hw", "", "attention", "hw7", "../hw1", "hw1*", "Hw1"])
def test_a_beginning_that_several_ids_have_or_none_is_refused_with_the_ids(text):
    with pytest.raises(CourseError) as refused:
        id_of(text, SIX)
    assert all(homework in str(refused.value) for homework in [repr(text), *SIX])


def test_homeworks_are_asked_for_by_short_names_each_once(course):
    assert [homework.id for homework in course.homeworks(["hw3", "hw1", SIX[2]])] == [SIX[2], SIX[0]]
    assert course.homework("hw6").folder.name == SIX[5]


def test_a_task_is_found_by_name_and_an_unknown_one_refused(tiny):
    assert tiny.homework.task("totals").points == 2.5
    with pytest.raises(CourseError, check=to_authors["course.no-task-named-halve"]):
        tiny.homework.task("halve")


def test_a_folder_without_metadata_is_no_homework(tiny):
    (tiny.course.solutions / "drafts").mkdir()
    assert tiny.course.homework_ids() == ["hwx"]


def test_ids_are_sorted_by_their_numbers_and_those_without_come_last():
    ids = ["hw2_a", "hw2_b", "hw10_a", "final"]
    assert sorted({*ids}, key=by_number) == ids


def test_homeworks_come_all_and_sorted_or_as_asked_for(course):
    ids = course.homework_ids()
    assert set(ids) >= set(SIX)
    assert ids == sorted(ids, key=by_number) == [homework.id for homework in course.homeworks()]
    assert [homework.id for homework in course.homeworks(SIX[3:1:-1])] == list(SIX[3:1:-1])


def test_every_stub_of_the_course_has_a_name_of_its_own(course):
    stubs = [homework.stub for homework in course.homeworks()]
    assert len(set(stubs)) == len(stubs)


def test_the_course_is_found_from_any_folder_inside_it(tiny, monkeypatch):
    inside = tiny.folder / "notes" / "old"
    inside.mkdir(parents=True)
    assert find_course(inside).root == tiny.course.root
    monkeypatch.chdir(inside)
    assert find_course().root == tiny.course.root


def test_a_course_within_a_course_is_taken_before_the_outer_one(tiny):
    inner = write_tiny(tiny.course.root / "last-year")
    assert find_course(inner.folder).root == inner.course.root


def test_elsewhere_the_course_of_the_package_is_found(course, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert find_course().root == course.root


def test_a_named_folder_that_holds_no_course_is_refused_and_not_replaced(tmp_path):
    with pytest.raises(CourseError, check=to_authors["course.no-course-found"]) as caught:
        find_course(tmp_path)
    assert str(tmp_path.resolve()) in str(caught.value)


def test_without_any_course_the_error_names_the_remedy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(course_module, "PACKAGE_HOME", tmp_path)
    with pytest.raises(CourseError, check=to_authors["course.no-course-found"]):
        find_course()


# What is graded is no course


@pytest.fixture
def planted(tiny, monkeypatch):
    """A class whose folder is the current one, and in which two entries make up a course."""
    (tiny.course.root / "reference_outputs" / "hwx").mkdir(parents=True)
    monkeypatch.chdir(tiny.course.root)
    return tiny.course.root


@pytest.mark.parametrize("graded", [".", "..", "solutions", "solutions/hwx", "reference_outputs", "../link"])
def test_the_course_of_the_package_counts_where_the_current_folder_is_graded(graded, planted, course):
    (planted.parent / "link").symlink_to(planted)
    assert find_course(graded=[planted / "ada.zip", Path(graded)]).root == course.root


def test_a_course_whose_parts_are_links_into_what_is_graded_does_not_count(planted, course, tmp_path):
    (planted / "solutions").rename(tmp_path / "solutions")
    (planted / "solutions").symlink_to(tmp_path / "solutions")
    assert find_course().root == planted
    assert find_course(graded=[tmp_path / "solutions"]).root == course.root


@pytest.mark.parametrize("graded", ["class", "class/ada.zip", "solutions/hwx/doubles.py"])
def test_what_is_graded_may_lie_in_a_course(graded, planted):
    (planted / "class").mkdir()
    assert find_course(graded=[Path(graded)]).root == planted


@pytest.mark.parametrize("name", [".", "solutions/hwx"])
def test_a_named_course_that_is_graded_itself_is_refused(name, planted):
    with pytest.raises(CourseError, check=to_authors["course.lies-in-what-is-graded"]):
        find_course(Path(name), [planted])
    assert find_course(Path(name), [planted / "class"]).root == planted


class Colour(enum.StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Size:
    width: float
    height: float = 1.0


class Circle(Record, tag_field="shape", tag="circle"):
    radius: Amount


class Square(Record, tag_field="shape", tag="square"):
    side: Amount
    colour: Colour = Colour.RED

    def __post_init__(self):
        if self.side > 10:
            raise wrong_value("side", "at most 10", self.side)


class Drawing(Record):
    title: Text
    shapes: tuple[Circle | Square, ...] = ()
    sizes: dict[str, Size] = {}
    note: Text | None = None
    weight: Amount = 0


def test_tables_become_records_of_the_type_that_their_tag_names():
    text = 'title = "a"\nsizes.small.width = 2\n[[shapes]]\nshape = "square"\nside = 3\ncolour = "blue"\n'
    read = parse_toml(text, Drawing, "d.toml")
    assert read.shapes == (Square(side=3.0, colour=Colour.BLUE),)
    assert read.sizes == {"small": Size(2.0)}


@pytest.mark.parametrize(
    ("tree", "complaint"),
    [
        ({}, "title is missing"),
        ([], "expected a table, got []"),
        ({"title": 3}, "title: expected a text that is not blank, got 3"),
        ({"title": "a", "note": ""}, 'note: expected a text that is not blank, got ""'),
        (
            {"title": "a", "notes": ""},
            "notes is unknown; the known keys are title, shapes, sizes, note, weight",
        ),
        ({"title": "a", "shapes": "round"}, 'shapes: expected a list, got "round"'),
        ({"title": "a", "shapes": ["round"]}, 'shapes[1]: expected a table, got "round"'),
        ({"title": "a", "shapes": [{}]}, "shapes[1].shape is missing"),
        ({"title": "a", "shapes": [{"shape": ["x"]}]}, "shapes[1].shape: expected one of circle, square"),
        ({"title": "a", "shapes": [{"shape": "oval"}]}, "shapes[1].shape: expected one of circle, square"),
        ({"title": "a", "shapes": [{"shape": "circle", "radius": True}]}, "shapes[1].radius: expected a num"),
        ({"title": "a", "weight": 10**400}, "weight: expected a number, not negative, got 1000000"),
        ({"title": "a", "shapes": [{"shape": "circle", "side": 1}]}, "keys are shape, radius"),
        ({"title": "a", "shapes": [{"shape": "square", "side": 11}]}, "shapes[1].side: expected at most 10"),
        ({"title": "a", "shapes": [{"shape": "square", "side": 1, "colour": "red "}]}, "one of blue, red"),
        ({"title": "a", "sizes": {"small": {"width": "x"}}}, "sizes: expected a table, got"),
    ],
)
def test_a_complaint_names_file_key_and_what_belongs_there(tree, complaint):
    with pytest.raises(CourseError) as refused:
        typed(tree, Drawing, "d.toml")
    assert str(refused.value).startswith("d.toml: ")
    assert complaint in str(refused.value)


def test_the_place_of_a_table_may_be_given():
    with pytest.raises(CourseError, match=r"^d\.toml: drawings\.first\.title is missing$"):
        typed({}, Drawing, "d.toml", "drawings.first")


def test_a_long_value_is_shown_by_its_beginning():
    assert len(str(wrong_value("key", "a number", "x" * 10_000))) < 100


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_json_numbers_are_finite(tmp_path, number):
    path = tmp_path / "s.json"
    path.write_text(f'{{"width": {number}}}', "utf-8")
    with pytest.raises(CourseError, match=r"s\.json: width: expected a number"):
        read_json(path, Size)


@pytest.mark.parametrize("data", [None, b"\xff", b"{", b"title = "])
@pytest.mark.parametrize("read", [read_json, read_toml])
def test_a_file_that_cannot_be_read_is_named(tmp_path, read, data):
    path = tmp_path / "drawing"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(CourseError, match=r"drawing( cannot be read|: not valid)"):
        read(path, Drawing)
