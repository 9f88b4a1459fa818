"""What students download holds nothing of the solutions, of hidden checks, or of hidden cases."""

import json
import re

import pytest
from homeworks import SIX
from released import inside, released, repository_of

from autograder.course.cases import Group
from autograder.course.course import find_course
from autograder.course.stub import BEGIN, END
from autograder.verdict.checks import load_checks
from autograder.verdict.store import open_store

IDS = find_course().homework_ids()
TELLING = 12  # shorter lines, such as `return x`, are anybody's
WORD = re.compile(r"\s+")


def given(homework_id):
    """All that students are given of a homework: in its zip, and in its repository on GitHub."""
    return inside(released(homework_id) | repository_of(homework_id))


def normal(text):
    return WORD.sub(" ", text)


def texts(files):
    """The files as text with single blanks; a notebook as the text of its cells and outputs."""
    found = {}
    for name, data in files.items():
        if name.endswith(".ipynb"):
            strings = "\n".join(_strings(json.loads(data)))
            found[name] = normal(strings)
        elif not name.endswith(".npz"):
            found[name] = normal(data.decode("utf-8"))
    return found


def _strings(tree):
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, dict | list):
        for one in tree.values() if isinstance(tree, dict) else tree:
            yield from _strings(one)


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
    hidden = [one for one in checks if not one.public]
    assert hidden
    assert any(one.public for one in checks)
    for name, text in texts(given(homework_id)).items():
        assert [one.name for one in hidden if f"test_{one.name}(" in text or one.sentence in text] == [], name


@pytest.mark.parametrize("homework_id", IDS)
def test_a_hidden_case_is_not_even_named(course, homework_id):
    stored = open_store(course, course.homework(homework_id)).read()
    hidden = {one.case.id for one in stored if one.case.group is Group.HIDDEN}
    data = json.loads(inside(released(homework_id))["public_checks.pyz/homework/homework.json"])
    assert {one["group"] for one in data["cases"]} == {"published", "public"}
    assert not any(case in json.dumps(data) for case in hidden)


def test_the_search_itself_finds_what_is_there(course):
    homework = course.homework("hw1_attention_scores")
    leaky = {"notes.md": homework.solution.read_bytes()}
    lines = solution_lines(course)
    assert any(line in text for text in texts(leaky).values() for line in lines)
