"""The handouts of this course as they are handed out: formulas that browsers can set, sections, commands, sums."""

import re
from decimal import Decimal
from xml.etree import ElementTree

import pytest

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
