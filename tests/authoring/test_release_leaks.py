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


def handed_out(homework_id):
    """All that students are given of a homework: in its zip, and in its repository on GitHub."""
    return inside(released(homework_id) | repository_of(homework_id))


def normal(text):
    return WORD.sub(" ", text)


def texts(files):
    """The files as text with single blanks; a notebook as the text of its cells and outputs."""
    texts_found = {}
    for name, data in files.items():
        if name.endswith(".ipynb"):
            strings = "\n".join(_strings(json.loads(data)))
            texts_found[name] = normal(strings)
        elif not name.endswith(".npz"):
            texts_found[name] = normal(data.decode("utf-8"))
    return texts_found


def _strings(tree):
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, dict | list):
        for branch in tree.values() if isinstance(tree, dict) else tree:
            yield from _strings(branch)


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
    hidden = [check for check in checks if not check.public]
    assert hidden
    assert any(check.public for check in checks)
    for name, text in texts(handed_out(homework_id)).items():
        assert [
            check.name for check in hidden if f"test_{check.name}(" in text or check.sentence in text
        ] == [], name


@pytest.mark.parametrize("homework_id", IDS)
def test_a_hidden_case_is_not_even_named(course, homework_id):
    stored = open_store(course, course.homework(homework_id)).read()
    hidden = {known_case.case.id for known_case in stored if known_case.case.group is Group.HIDDEN}
    data = json.loads(inside(released(homework_id))["public_checks.pyz/homework/homework.json"])
    assert {case["group"] for case in data["cases"]} == {"published", "public"}
    assert not any(case in json.dumps(data) for case in hidden)


def test_the_search_itself_finds_what_is_there(course):
    homework = course.homework("hw1_attention_scores")
    leaky = {"notes.md": homework.solution.read_bytes()}
    lines = solution_lines(course)
    assert any(line in text for text in texts(leaky).values() for line in lines)
