import json
import re
import shutil
from pathlib import Path

import pytest
from submissions import mistaken_text
from wording import to_authors, to_staff

from autograder.authoring.new_mistake import TODO, append_entry
from autograder.authoring.reference import build_outputs
from autograder.course.course import Course
from autograder.course.homework import CourseError
from autograder.gradebook.opening import read_gradebook
from autograder.reasons.catalogue import CATALOGUE, read_catalogue
from autograder.report.answer_groups import groups_of

from ..conftest import TRIPLES
from ..running import grade, run

ROOT = Path(__file__).parents[3]
HW1, HW3 = "hw1_attention_scores", "hw3_scaled_dot_product_attention"
REMOVED = ("scale-inverted", "scale-by-d", "softmax-no-keepdims", "values-are-inputs")
UNFOUND = "hardmax"
CATALOGUED = frozenset(mistake.id for mistake in read_catalogue(Course(ROOT).homework(HW1)))


def forget(path, names):
    """Remove entries from a catalogue, and what others exclude of them."""
    text = path.read_text("utf-8")
    for name in names:
        text, count = re.subn(rf"^\[{name}\]\n.*?(?=^\[|^#|\Z)", "", text, flags=re.MULTILINE | re.DOTALL)
        assert count == 1
        text = re.sub(rf'"{name}",? ?', "", text)
    text = re.sub(r"^excludes = \[\].*\n", "", text, flags=re.MULTILINE)
    path.write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def unaware(tmp_path_factory, pool):
    """A course with hw1 alone that does not know some mistakes, and grades of submissions that make them."""
    root = tmp_path_factory.mktemp("unaware") / "course"
    for part in ("solutions", "reference_outputs", "assignments"):
        shutil.copytree(ROOT / part / HW1, root / part / HW1)
    shutil.copy(ROOT / "solutions/course.toml", root / "solutions")
    forget(root / "solutions" / HW1 / CATALOGUE, (*REMOVED, UNFOUND))
    course = Course(root)
    build_outputs(course, course.homework(HW1), pool, accept=True)
    (root / "class").mkdir()
    for name in (*REMOVED, UNFOUND):
        (root / "class" / f"{name}.py").write_text(mistaken_text(HW1, name), "utf-8")
    assert grade(root / "class", "--out", root / "graded", "--course", root, "--homework", HW1).exit == 0
    return root


def groups(folder):
    """The group without a mistake of the catalogue that each submission is in, that of its first task."""
    order = [task.name for task in Course(ROOT).homework(HW1).tasks]
    with read_gradebook(folder) as book:
        sorted_groups = sorted(
            groups_of(book.groups), key=lambda group: order.index(group.task), reverse=True
        )
        return {
            group.representative: group.id
            for group in sorted_groups
            if CATALOGUED.isdisjoint(group.misconceptions)
        }


def test_edits_are_found_that_give_the_values_of_groups(unaware, tmp_path, pool):
    root = tmp_path / "course"
    shutil.copytree(unaware, root)
    homework, groups_found = Course(root).homework(HW1), groups(root / "graded")
    for name in REMOVED:
        words = (groups_found[name], "--out", root / "graded", "--course", root, "--name", name)
        assert run("misconception", "new", *words).exit == 0
    known = {mistake.id: mistake for mistake in read_catalogue(Course(ROOT).homework(HW1))}
    new = {mistake.id: mistake for mistake in read_catalogue(homework) if TODO in mistake.says}
    assert {name: mistake.tasks for name, mistake in new.items()} == {
        name: known[name].tasks for name in REMOVED
    }
    build_outputs(Course(root), homework, pool, accept=True)
    assert grade(root / "class", "--out", root / "again", "--course", root, "--homework", HW1).exit == 0
    with read_gradebook(root / "again") as book:
        labels = {group.submissions: group.misconceptions for group in groups_of(book.groups)}
    catalogued = {
        group: tuple(sorted(CATALOGUED.intersection(group_labels))) for group, group_labels in labels.items()
    }
    assert catalogued == {(name,): (name,) for name in REMOVED} | {(UNFOUND,): ()}


def test_an_edit_is_found_that_raises_for_the_same_shapes(tmp_path, pool):
    """Of code that raises at every size, the type of the exception is that of many edits."""
    homework_id, root = HW3, tmp_path / "course"
    for part in ("solutions", "reference_outputs", "assignments"):
        shutil.copytree(ROOT / part / homework_id, root / part / homework_id)
    shutil.copy(ROOT / "solutions/course.toml", root / "solutions")
    forget(root / "solutions" / homework_id / CATALOGUE, ["values-before-weights"])
    homework = Course(root).homework(homework_id)
    build_outputs(Course(root), homework, pool, accept=True)
    (root / "class").mkdir()
    right = homework.solution.read_text("utf-8")
    (root / "class" / "ada.py").write_text(
        right.replace("attention_weights @ V", "np.dot(V, attention_weights)"), "utf-8"
    )
    assert (
        grade(root / "class", "--out", root / "graded", "--course", root, "--homework", homework_id).exit == 0
    )
    with read_gradebook(root / "graded") as book:
        [group] = groups_of(book.groups)
    words = (group.id, "--out", root / "graded", "--course", root, "--name", "found")
    assert run("misconception", "new", *words).exit == 0
    [entry] = [mistake for mistake in read_catalogue(homework) if mistake.id == "found"]
    assert {edit.new for edit in entry.edits} == {"V @ attention_weights"}


def test_where_no_edit_is_found_the_evidence_is_added_as_a_comment(unaware, tmp_path):
    root = tmp_path / "course"
    shutil.copytree(unaware, root)
    path = root / "solutions" / HW1 / CATALOGUE
    before = path.read_text("utf-8")
    ids = [mistake.id for mistake in read_catalogue(Course(root).homework(HW1))]
    words = (
        "misconception",
        "new",
        groups(root / "graded")[UNFOUND],
        "--out",
        root / "graded",
        "--course",
        root,
    )
    result = run(*words, "--seconds", "1", "--print")
    assert result.exit == 0, result.err
    assert path.read_text("utf-8") == before
    assert run(*words, "--seconds", "1").exit == 0
    added = path.read_text("utf-8").removeprefix(before.rstrip())
    assert added.strip()
    assert all(line.startswith("#") for line in added.strip().splitlines())
    assert "def softmax(" in added
    assert [mistake.id for mistake in read_catalogue(Course(root).homework(HW1))] == ids


def test_a_group_with_a_known_mistake_is_left_alone_and_an_unknown_one_refused(kit):
    kit.submit("ada", TRIPLES)
    assert grade(kit.submissions, "--out", kit.out).exit == 0
    [group] = [group["group"] for group in json.loads(run("groups", kit.out, "--json").out)]
    before = (kit.tiny.folder / CATALOGUE).read_bytes()
    result = run("misconception", "new", group, "--out", kit.out)
    assert result.exit == 0
    assert to_staff["misconception.known"] in result.out
    assert run("misconception", "new", "hwx-double-none", "--out", kit.out).exit == 2
    assert (kit.tiny.folder / CATALOGUE).read_bytes() == before


def test_check_refuses_a_sentence_that_nobody_has_worded(kit):
    (kit.tiny.folder / CATALOGUE).write_text(
        "[wrong]\nsays = 'x'\nedits.double = [['return', 'return 7 -']]\n", "utf-8"
    )
    append_entry(
        kit.tiny.homework, f'[new]\nsays = "{TODO}: word this"\nedits.double = [["* x", "* x * 7"]]\n'
    )
    with pytest.raises(CourseError):
        append_entry(kit.tiny.homework, "[broken]\nsays = 'y'\nedits.double = [['nowhere', 'there']]\n")
    assert [mistake.id for mistake in read_catalogue(kit.tiny.homework)] == ["wrong", "new"]
    assert run("reference", "build").exit == 0
    result = run("check")
    assert result.exit == 1
    assert to_authors["misconception.word-it"] in result.err
