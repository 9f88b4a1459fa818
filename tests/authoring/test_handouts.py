"""Handouts of a small course and of this one: example.py, picture.py, formulas, and what is refused."""

import re
from decimal import Decimal
from xml.etree import ElementTree

import pytest
from tiny import CHECKS_FILE

from autograder.course.schema import CourseError
from autograder.handouts.page import handout_files
from autograder.verdict.checks import load_checks

EXAMPLE = """
import numpy as np

from autograder.handouts.numbers import Matrix
from autograder.course.calls import FunctionCall


def example(reference):
    x = np.array([1.0, 2.0])
    yield Matrix("x", x)
    yield Matrix("twice", reference(FunctionCall("double", (x,))))
    yield Matrix("total", np.array(reference.published("totals/printed")[0]))
    yield Matrix("inputs", reference.case("totals/printed").call.args[0])
"""
PICTURE = """
from autograder.handouts.figures import Picture, Text


def picture(matrices):
    return Picture(50, 20, "Twice", "Two numbers.", [Text(5, 9, matrices["twice"].texts()[1])])
"""


@pytest.fixture
def handout(tiny):
    (tiny.folder / "example.py").write_text(EXAMPLE, "utf-8")
    (tiny.folder / "picture.py").write_text(PICTURE, "utf-8")
    text = "# Doubles\n\n{{ tasks }}\n\n{{ picture }}\n\n{{ table(twice) }}\n\nIt is {{ total }}.\n"
    (tiny.folder / "handout.md").write_text(text, "utf-8")
    return tiny


def files(tiny, pool):
    return handout_files(tiny.homework, pool)


def test_numbers_come_from_the_reference_solution(handout, pool):
    text = files(handout, pool)["handout.md"]
    assert "twice, shape (2,)\n2.00  4.00" in text
    assert "It is 5.75." in text
    handout.edit("doubles.py", "factor = 2", "factor = 3")
    assert "3.00  6.00" in files(handout, pool)["handout.md"]


def test_every_handout_says_how_the_file_is_used(handout, pool):
    handout_files = files(handout, pool)
    for name in ("handout.md", "handout.html"):
        assert "Do not round results" in handout_files[name]


def test_the_picture_is_drawn_from_the_same_numbers(handout, pool):
    handout_files = files(handout, pool)
    assert list(handout_files) == ["handout.md", "handout.html", "handout.svg"]
    assert ">4.00</text>" in handout_files["handout.svg"]
    assert handout_files["handout.svg"] in handout_files["handout.html"]


def test_a_homework_without_an_example_has_no_picture(tiny, pool):
    assert list(files(tiny, pool)) == ["handout.md", "handout.html"]


@pytest.mark.parametrize(
    ("name", "old", "new", "complaint"),
    [
        ("example.py", "def example", "def other", r"example\.py defines no function example\(\)"),
        ("example.py", 'yield Matrix("x", x)', "yield x", r"example\(\) yields a ndarray, not a Matrix"),
        ("example.py", '"twice"', '"x"', "two matrices are named 'x'"),
        (
            "example.py",
            "[1.0, 2.0]",
            "[1.005, 2.0]",
            r"example\.py, line 10: ValueError: x: .*too close to a tie",
        ),
        ("example.py", '"double"', '"treble"', r"doubles\.py: case public/treble/handout: not defined"),
        (
            "example.py",
            '.published("totals/printed"',
            '.published("totals/x"',
            "no published case 'totals/x'",
        ),
        ("picture.py", "return Picture", "Picture", r"picture\(\) returns a NoneType, not a Picture"),
        ("picture.py", 'matrices["twice"]', 'matrices["no"]', r"picture\.py, line 6: KeyError"),
        ("handout.md", "{{ total }}", "{{ sum }}", r"handout\.md: 'sum' is undefined"),
        ("handout.md", "# Doubles", "$$\\nope$$", r"handout\.md: the formula .* cannot be shown"),
    ],
)
def test_what_is_wrong_is_named_with_its_file(handout, pool, name, old, new, complaint):
    handout.edit(name, old, new)
    with pytest.raises(CourseError, match=complaint):
        files(handout, pool)


def test_it_says_when_it_is_due_what_it_is_worth_and_how_to_check(handout, pool):
    for text in files(handout, pool).values():
        for fact in ("5.5 points", "5 February 2027, 23:59 UTC", "doubles.py"):
            assert fact in text or "<svg" in text[:5]
    text = files(handout, pool)["handout.md"]
    assert "```console\npython -m pip install -r requirements.txt\n```" in text
    assert "```console\npytest\n```" in text
    assert re.search(r"^\| \*\*total\*\* \| +\*\*0\*\* \| +\*\*5.5\*\* \|$", text, re.M)


def test_it_says_how_many_points_students_can_check_themselves(handout, pool):
    text = (handout.folder / CHECKS_FILE).read_text("utf-8")
    (handout.folder / CHECKS_FILE).write_text(text.replace("points=", "public=True, points=", 1), "utf-8")
    (first, *_) = load_checks(handout.homework)
    written = files(handout, pool)["handout.md"]
    assert re.search(rf"^\| `{first.task}` +\| +{first.points:g} \|", written, re.M)


def test_how_to_check_may_stand_elsewhere(handout, pool):
    handout.edit("handout.md", "{{ tasks }}", "{{ checks }}\n\n{{ tasks }}")
    assert files(handout, pool)["handout.md"].count("pip install") == 1
    assert "## How to check" not in files(handout, pool)["handout.md"]


def test_points_of_a_task_are_those_of_the_homework(handout, pool):
    handout.edit("handout.md", "{{ tasks }}", "{{ points.totals }} for totals\n\n{{ tasks }}")
    assert "2.5 for totals" in files(handout, pool)["handout.md"]


def test_the_same_sources_give_the_same_bytes(handout, pool):
    assert files(handout, pool) == files(handout, pool)


def test_it_links_to_its_sections_where_they_are(handout, pool):
    assert "[How to check](#how-to-check)" in files(handout, pool)["handout.md"]
    handout.edit("handout.md", "{{ tasks }}", "## Try it\n\n{{ checks }}\n\n{{ tasks }}")
    assert "(#" not in files(handout, pool)["handout.md"]


MATHML = "{http://www.w3.org/1998/Math/MathML}"
CHILDREN = {
    "mfrac": 2,
    "mroot": 2,
    "mover": 2,
    "msub": 2,
    "msubsup": 3,
    "msup": 2,
    "munder": 2,
    "munderover": 3,
}
SECTIONS = ("The idea", "The formula", "A small example", "What to write", "How to check", "Read on")


@pytest.fixture(scope="module")
def handouts(course):
    texts = {}
    for homework in course.homeworks():
        folder = course.assignments / homework.id
        texts[homework.id] = {
            name: (folder / name).read_text("utf-8") for name in ("handout.html", "handout.md")
        }
    return texts


def test_every_element_of_a_formula_has_as_many_children_as_its_meaning_needs(handouts):
    wrong = []
    for homework_id, files in handouts.items():
        for formula in re.findall(r"(?s)<math.*?</math>", files["handout.html"]):
            for element in ElementTree.fromstring(formula).iter():
                name = element.tag.removeprefix(MATHML)
                if name in CHILDREN and len(element) != CHILDREN[name]:
                    wrong.append((homework_id, name, "".join(element.itertext())))
    assert wrong == []


def test_every_handout_has_the_same_sections_in_the_same_order(handouts):
    for homework_id, files in handouts.items():
        headings = re.findall(r"^## (.+)$", files["handout.md"], re.M)
        singular = [heading.replace("The formulas", "The formula") for heading in headings]
        assert set(SECTIONS) - set(singular) == set(), homework_id
        assert singular.index("How to check") > singular.index("What to write")


def test_every_task_ends_with_the_command_that_checks_it(handouts, course):
    for homework in course.homeworks():
        text = handouts[homework.id]["handout.md"]
        for task in homework.tasks:
            assert text.count(f"`python check.py {task.name}`") == 1, task.name


def test_where_rounded_shares_do_not_sum_to_one_the_handout_says_so(handouts):
    handouts_seen = 0
    for files in handouts.values():
        text = files["handout.md"]
        for corner, body in re.findall(r"^((?:query \\ key|key \\ query).*)\n((?:\w+ .*\n)+)", text, re.M):
            count = len(corner.split("    ")[0].split()) - 3
            rows = [[Decimal(number) for number in line.split()[1 : 1 + count]] for line in body.splitlines()]
            lines = rows if corner.startswith("query") else list(zip(*rows, strict=True))
            sums = [sum(line) for line in lines]
            if any(0 < abs(total - 1) < Decimal("0.02") for total in sums):
                after = text.partition(body)[2][:300]
                assert "by rounding" in after, body
                handouts_seen += 1
    assert handouts_seen
