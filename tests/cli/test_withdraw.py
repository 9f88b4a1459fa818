"""A withdrawn submission counts nowhere, nothing of it is lost, and it can be brought back."""

import json
from dataclasses import replace

import pytest
from tiny import HOMEWORK
from wording import to_staff

from autograder.feedback.rendering import page_of
from autograder.gradebook.opening import read_gradebook
from autograder.similar.similar import find_similar, write_similar

from .classroom import files_of, read_rows
from .conftest import RIGHT, TRIPLES
from .running import grade, rows, run, totals

FULL, HALF = "5.5", "2.5"


@pytest.fixture(name="kit")
def _kit(kit):
    """A class of four, graded: bob and cyd triple where they should double."""
    for name, text in {"ada": RIGHT, "bob": TRIPLES, "cyd": TRIPLES, "dan": RIGHT}.items():
        kit.submit(name, text)
    assert grade(kit.submissions, "--out", kit.out, "--seed", 3).exit == 0
    return kit


def withdraw(kit, name="bob", *arguments):
    return run("withdraw", kit.out, name, *(arguments or ("--reason", "left the course")))


def exported(kit, *arguments):
    """The points that an export for Moodle gives to each student."""
    assert run("export", kit.out, "--to", "moodle", *arguments).exit == 0
    return {row["ID number"]: row["Grade"] for row in read_rows(kit.out / "moodle.csv")}


def test_it_is_in_no_table_and_no_page_but_where_it_says_so(kit):
    result = withdraw(kit)
    assert (result.exit, result.err) == (0, "")
    assert result.out.splitlines()[0] == to_staff["withdraw.done"]
    assert totals(kit.out) == {"ada": FULL, "cyd": HALF, "dan": FULL}
    assert [path.name for path in sorted((kit.out / "submissions").iterdir())] == ["ada", "cyd", "dan"]
    assert len(list((kit.out / "report").glob("*.html"))) == 3
    report = (kit.out / "report.html").read_text("utf-8")
    assert report.count("bob") == 1
    assert to_staff["withdraw.in-report"] in report
    [group] = json.loads(run("groups", kit.out, "--json").out)
    assert group["submissions"] == ["cyd"]


def test_its_code_is_still_compared_without_a_link_to_its_page(kit):
    withdraw(kit)
    assert run("similar", kit.out).exit == 0
    with read_gradebook(kit.out) as book:
        homeworks = kit.tiny.course.homeworks()
        [alike] = find_similar(book, homeworks)
    assert alike.submissions == 4
    path = kit.root / "similar.html"
    write_similar(path, [replace(alike, sources={"ada": "x", "bob": "y"})], {"bob"})
    text = path.read_text("utf-8")
    assert '"bob":["","y"]' in text
    assert f'"ada":["{page_of("ada")}","x"]' in text


def test_brought_back_it_is_as_if_it_had_never_been_withdrawn(kit):
    where = ("--homework", HOMEWORK, "--points", 4, "--reason", "oral exam")
    run("policy", kit.out, "--override", "bob", *where)
    before = files_of(kit.out)
    withdraw(kit)
    assert files_of(kit.out) != before
    assert withdraw(kit, "bob", "--back").exit == 0
    assert files_of(kit.out) == before


@pytest.mark.parametrize("how", [(), ("--fresh",)])
def test_graded_again_it_stays_withdrawn(kit, how):
    withdraw(kit)
    kit.submit("bob", RIGHT)
    result = grade(kit.submissions, "--out", kit.out, *how)
    assert result.exit == 0
    assert to_staff["withdraw.stays"] in result.err
    assert "bob" not in totals(kit.out)
    result = run("regrade", kit.out, "bob", "--unsafe", "--fresh", "--jobs", 1)
    assert to_staff["withdraw.stays"] in result.err
    assert "bob" not in totals(kit.out)
    withdraw(kit, "bob", "--back")
    assert totals(kit.out)["bob"] == FULL


def test_an_export_leaves_its_student_blank_and_not_missing(kit):
    table = "student_id,name\nada,Ada\nbob,Bob\ncyd,Cyd\neve,Eve\n"
    (kit.root / "roster.csv").write_text(table, "utf-8")
    withdraw(kit)
    roster = ("--roster", kit.root / "roster.csv", "--missing-zero")
    assert exported(kit, *roster) == {"ada": FULL, "bob": "", "cyd": HALF, "eve": "0"}
    assert to_staff["withdraw.exported"] in run("export", kit.out, "--to", "moodle", *roster).err
    assert "bob" not in (kit.out / "unmatched.csv").read_text("utf-8")


def test_with_one_of_two_withdrawn_the_other_one_is_the_students(kit):
    (kit.root / "roster.csv").write_text("student_id,login,name\nada,bob,Ada\ncyd,,Cyd\n", "utf-8")
    roster = ("--roster", kit.root / "roster.csv")
    assert exported(kit, *roster) == {"ada": "", "cyd": HALF}
    withdraw(kit)
    assert exported(kit, *roster) == {"ada": FULL, "cyd": HALF}


def test_all_of_a_class_may_be_withdrawn(kit):
    for name in ("ada", "bob", "cyd", "dan"):
        assert withdraw(kit, name).exit == 0
    assert rows(kit.out) == []
    assert run("report", kit.out).exit == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("bob",),
        ("bob", "--reason", " "),
        ("bob", "--back"),
        ("eve", "--reason", "x"),
        ("bob", "--back", "--reason", "x"),
    ],
)
def test_what_is_wrong_changes_nothing(kit, arguments):
    assert run("withdraw", kit.out, *arguments).exit == 2
    with read_gradebook(kit.out) as book:
        assert book.decisions.withdrawn() == {}


def test_decisions_on_a_withdrawn_submission_stay(kit, tmp_path):
    withdraw(kit)
    where = ("--homework", HOMEWORK, "--points", 4, "--reason", "oral exam")
    assert run("policy", kit.out, "--override", "bob", *where).exit == 0
    assert "bob" not in totals(kit.out)
    withdraw(kit, "bob", "--back")
    assert totals(kit.out)["bob"] == "4"
