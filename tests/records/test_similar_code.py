"""Groups of similar submissions: how code is compared, and what the page shows."""

import random
import re
from dataclasses import replace
from itertools import pairwise
from time import process_time

import pytest
from homeworks import SIX
from hypothesis import given, settings
from hypothesis import strategies as st
from results import homework, submission
from submissions import right

from autograder.gradebook.opening import open_gradebook
from autograder.intake.handed_out import handed_out_texts
from autograder.intake.submission import Owner
from autograder.report.written import NEAR, group_similar
from autograder.similar.similar import (
    SimilarSubmissions,
    clusters_of,
    find_similar,
    similar_pairs,
    write_similar,
)
from autograder.verdict.work import Work

from .odd_styles import styles

HW3 = "hw3_scaled_dot_product_attention"


@pytest.fixture(scope="module")
def hw3(course):
    return course.homework(HW3)


def pairs_shown(homework, sources, owners=None):
    return {frozenset(pair.submissions) for pair in similar_pairs(homework, sources, owners or {})}


def disguised(text):
    """A copy with other names, functions in another order, and without its comments; indented otherwise."""
    head, *functions = re.split(r"^(?=def )", text, flags=re.MULTILINE)
    text = head + "\n\n".join(reversed(functions))
    text = re.sub(r" *#.*\n", "", text)
    names = {
        name for names in re.findall(r"^\s+(\w+)(?=,| =)|\bfor (\w+)", text, re.MULTILINE) for name in names
    }
    for number, name in enumerate(sorted(names - {"", "Q", "K", "V"})):
        text = re.sub(rf"(?<![.\w]){name}\b(?!=)", f"var_{number}", text)
    return re.sub(r"^ +", lambda margin: 2 * margin[0], text, flags=re.MULTILINE).replace(", ", ",")


def test_copies_are_found_in_a_class_of_sixty_and_nobody_else_is(hw3):
    sources = styles(60)
    copied = random.Random(5).sample(sorted(sources), 3)
    copies = {f"copy of {name}": disguised(sources[name]) for name in copied}
    assert pairs_shown(hw3, sources | copies) == {frozenset({name, f"copy of {name}"}) for name in copied}


@pytest.mark.parametrize("count", [2, 3, 10, 20, 60])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_students_who_have_not_seen_each_other_are_not_shown(hw3, count, seed):
    assert pairs_shown(hw3, styles(count, seed)) == set()


def test_in_the_corpus_of_right_answers_only_true_copies_are_shown(course):
    pairs = set()
    for course_homework in course.homeworks(SIX):
        pairs |= pairs_shown(course_homework, right(course_homework.id))
    assert pairs == {frozenset({"float-of-array", "notebook-export"})}


def test_what_many_have_or_everybody_was_given_shows_nobody(hw3):
    sources = styles(40, seed=3)
    usual = {f"usual{number}": sources["student0000"] for number in range(10)}
    stub, notebook = handed_out_texts(hw3)
    others = [notebook, hw3.solution.read_text("utf-8")]
    sources_of_course = {"a stub": stub, "another": stub} | {
        f"given{number}": text for number, text in enumerate(others)
    }
    assert pairs_shown(hw3, sources | usual | sources_of_course | {"same solution": others[-1]}) == set()


def test_two_names_of_one_person_are_no_pair(hw3):
    sources = styles(30) | {"again": styles(30)["student0007"]}
    assert pairs_shown(hw3, sources) == {frozenset({"again", "student0007"})}
    assert pairs_shown(hw3, sources, {"again": "s1", "student0007": "s1"}) == set()
    assert pairs_shown(hw3, sources, {"again": "s1", "student0007": "s2"}) != set()


def test_a_pair_says_how_much_and_which_lines_and_words_are_alike(hw3):
    sources = styles(30)
    name = max(sources, key=lambda name: len(sources[name]))
    remark = "    # the one who wrote this had no coffee\n"
    lines = sources[name].splitlines(keepends=True)
    sources[name] = "".join([*lines[:6], remark, *lines[6:]])
    [pair] = similar_pairs(hw3, sources | {"copy": "print('mine')\n\n" + sources[name]}, {})
    first, second = (pair.lines[pair.submissions.index(name)] for name in (name, "copy"))
    assert (pair.homework, pair.share > 0.9, pair.rare >= pair.alone > 5) == (HW3, True, True)
    assert remark.strip() in pair.said
    assert 7 in first
    assert {line + 2 for line in first} == set(second)


def test_four_equal_programs_are_one_cluster_and_not_six_pairs(hw3, tmp_path):
    texts = styles(40)
    first, other, *_ = sorted(texts, key=lambda name: len(texts[name]), reverse=True)
    sources = texts | {f"copy{number}": texts[first] for number in range(3)} | {"twin": texts[other]}
    pairs = list(similar_pairs(hw3, sources, {}))
    clusters = clusters_of(pairs)
    assert {frozenset(cluster.submissions) for cluster in clusters} == {
        frozenset({first, "copy0", "copy1", "copy2"}),
        frozenset({other, "twin"}),
    }
    [four] = [cluster for cluster in clusters if len(cluster.submissions) == 4]
    assert (len(four.pairs), four.share, four.percent) == (3, (1.0, 1.0), "100")
    assert four.rare >= four.alone > 0
    assert {name for place in four.pairs for name in pairs[place].submissions} == set(four.submissions)
    assert [len([pair for pair in pairs if pair.cluster == number]) for number in (0, 1)] in ([6, 1], [1, 6])

    write_similar(
        tmp_path / "similar.html",
        [SimilarSubmissions(hw3, len(sources), pairs, sources, {"twin": "<b>Tess"})],
    )
    page = (tmp_path / "similar.html").read_text("utf-8")
    assert "2 groups in 44 submissions" in page
    assert "<strong>4</strong> programs" in page
    assert "&lt;b&gt;Tess" in page
    assert page.count('class="pair"') == 4


def test_answers_of_any_length_are_compared(hw3):
    assert pairs_shown(hw3, {str(number): " ".join("x" * number) for number in range(30)}) == set()


HOSTILE = [
    "[" * 60_000,
    '"""' * 20_000,
    '\\"""' * 15_000,
    "[1," * 20_000,
    "\ud800\x00" * 30_000,
    "'\\" * 30_000,
    "x",
]


def test_sources_that_are_no_code_cost_little(hw3):
    began = process_time()
    assert pairs_shown(hw3, {str(number): text for number, text in enumerate(HOSTILE)}) == set()
    assert process_time() - began < 60


def test_a_class_of_thousands_that_hands_in_the_same_costs_little(hw3):
    text = styles(1)["student0000"]
    began = process_time()
    assert pairs_shown(hw3, {str(number): text for number in range(2000)}) == set()
    assert process_time() - began < 60


def test_sources_and_owners_come_from_the_gradebook_and_the_page_is_inert(hw3, tmp_path):
    evil = "<script>alert(1)</script>\u202e\x1b[1m"
    sources = styles(20)
    sources[evil] = sources["student0003"] + f"# {evil} and so on and so on\n"
    with open_gradebook(tmp_path) as book:
        for name, text in sources.items():
            book.keep(submission(name, replace(homework(homework=HW3), work=Work("x.py", text))), "c", "g")
        similar = list(find_similar(book, [hw3]))
        book.remember_owners({name: Owner("s1") for name in (evil, "student0003")})
        assert not next(find_similar(book, [hw3])).pairs
    [similar_homework] = similar
    assert (similar_homework.submissions, [set(pair.submissions) for pair in similar_homework.pairs]) == (
        20 + 1,
        [{evil, "student0003"}],
    )
    write_similar(tmp_path / "report/similar.html", similar)
    page = (tmp_path / "report/similar.html").read_text("utf-8")
    assert "<script>alert" not in page
    assert not {"\u202e", "\x1b"} & set(page)
    assert page.count("student0003") == 3
    write_similar(tmp_path / "report/similar.html", [SimilarSubmissions(hw3, 3, [], {})])
    assert "student0003" not in (tmp_path / "report/similar.html").read_text("utf-8")


LONG = "the variance of a dot product grows with d_k so we divide by its root to keep the scores near one"
WORDS = st.lists(st.sampled_from(["query", "key", "value", "root", "of", "the"]), max_size=12).map(" ".join)


@pytest.mark.parametrize(
    ("answers", "groups"),
    [
        (["Divide by the root!", "something else", " divide\nby  the ROOT"], [[0, 2], [1]]),
        ([LONG, LONG.replace("keep", "hold"), LONG.replace("scores", "numbers")], [[0, 1, 2]]),
        ([LONG, f"{LONG[:50]} and nothing of the rest is the same in this one answer here"], [[0], [1]]),
        (["yes", "no", "Yes.", "?", "…"], [[0, 2], [1], [3, 4]]),
        ([], []),
    ],
    ids=["case and punctuation", "one word changed", "half of the words", "short answers", "nothing"],
)
def test_answers_are_grouped_whose_words_are_nearly_the_same(answers, groups):
    assert group_similar(answers) == groups


@settings(max_examples=60, deadline=None)
@given(st.lists(WORDS, max_size=12))
def test_a_text_joins_the_first_group_to_whose_first_text_it_is_near(texts):
    groups = []
    for place, text in enumerate(texts):
        joined = next((group for group in groups if alike(texts[group[0]], text) >= NEAR), None)
        if joined is None:
            groups.append([place])
        else:
            joined.append(place)
    assert group_similar(texts) == groups


def alike(line, other):
    """Jaccard's index of the pairs of neighbouring words, or of the whole texts where a text has no pair."""
    first, second = (set(pairwise(w)) or {tuple(w)} for w in (line.split(), other.split()))
    return len(first & second) / len(first | second)
