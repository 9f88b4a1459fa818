"""The catalogue of known mistakes: its file, its edits, and the mutants that they make."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from homeworks import SIX
from wording import to_authors

from autograder.course.calls import FunctionCall
from autograder.course.cases import Case, Group
from autograder.course.schema import CourseError
from autograder.reasons.agreement import LARGEST_CASE, diagnostic_cases
from autograder.reasons.catalogue import CATALOGUE, Misconception, read_catalogue
from autograder.reasons.mutation import as_diffs, mutants, pair_labels, run_variants, single_labels
from autograder.reasons.source_text import Edit, SourceText

from .mistakes import PAIRS, SINGLES, write_mistakes

ENTRY = """
[triples]
says = "Three times as large."
edits.double = [["factor = 2", "factor = 3"]]
"""


def mistake_named(name, excludes=(), alone=False):
    edits = frozenset({Edit(ord(name), ord(name) + 1, "")})
    return Misconception(name, ("double",), "Something.", edits, frozenset(excludes), alone)


def test_every_entry_is_read_in_its_order_with_all_it_says(tiny):
    catalogue = read_catalogue(write_mistakes(tiny).homework)
    names = ["triples", "squares", "adds-one", "first-only", "mean-for-sum", "sum-for-product"]
    assert [misconception.id for misconception in catalogue] == names
    assert catalogue[2].tasks == ("double", "totals")
    assert (catalogue[1].excludes, catalogue[1].alone, catalogue[1].about_size) == (
        {"first-only"},
        False,
        False,
    )
    assert (catalogue[3].excludes, catalogue[3].alone, catalogue[3].about_size) == (frozenset(), True, True)


def test_a_sentence_over_several_lines_becomes_one_line(tiny):
    squares = read_catalogue(write_mistakes(tiny).homework)[1]
    assert squares.says == to_authors["catalogue.numbers-are-multiplied"]


def test_a_homework_without_a_catalogue_has_no_misconceptions(tiny):
    assert read_catalogue(tiny.homework) == ()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[triples", ": Expected"),
        ("triples = 3", ", line 1: triples: expected a table, got 3"),
        ("helpers = 3", ": helpers: expected a text"),
        (ENTRY.replace('says = "Three times as large."', ""), ", line 2: triples.says is missing"),
        (ENTRY.replace('"Three times as large."', '" "'), "says"),
        (ENTRY + 'tasks = ["halve"]', "halve"),
        (ENTRY + 'tasks = ["totals"]', "its edits change double"),
        (ENTRY + "tasks = []", "tasks"),
        (ENTRY + 'exclude = ["squares"]', "exclude"),
        (ENTRY + 'excludes = "squares"', "excludes"),
        (ENTRY + 'excludes = ["squares"]', "squares"),
        (ENTRY + 'alone = "no"', "alone"),
        (ENTRY + "about_size = 1", "about_size"),
        (ENTRY + ENTRY, "Cannot declare ('triples',) twice"),
        (ENTRY.replace("edits.double", "edits.halve"), "doubles.py has no halve; it has double, totals"),
        (
            ENTRY.replace('"factor = 2", ', '"factor = 4", '),
            "'factor = 4' occurs 0 times in the code of",
        ),
        (ENTRY.replace('"factor = 2", ', '"factor", '), "'factor' occurs 2 times in the code of double"),
        (ENTRY.replace('"factor = 2", ', '"multiply by two", '), "'multiply by two' occurs 0 times"),
        (ENTRY.replace('"factor = 2", ', '"Return every", '), "'Return every' occurs 0 times"),
        (ENTRY.replace('"factor = 2", ', '"", '), "'' occurs 52 times in the code of double"),
        (ENTRY.replace('"factor = 2", ', ""), "triples.edits: expected for each function a list of ["),
        (ENTRY.replace('[["factor = 2", "factor = 3"]]', '"factor = 3"'), 'got {"double": "factor = 3"}'),
        (ENTRY.replace('edits.double = [["factor = 2", "factor = 3"]]', ""), "its edits change nothing"),
        (ENTRY.replace("edits.double", "body.double"), "triples.body: expected for each function a text"),
    ],
)
def test_a_mistake_in_the_file_is_refused_with_the_file_and_the_word(tiny, text, complaint):
    path = tiny.folder / CATALOGUE
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CourseError) as caught:
        read_catalogue(tiny.homework)
    assert str(caught.value).startswith(f"{path}")
    assert complaint in str(caught.value).removeprefix(f"{path}")


def test_a_file_that_is_no_text_is_refused_with_its_name(tiny):
    path = tiny.folder / CATALOGUE
    path.write_bytes(b'[triples]\nsays = "\xff"')
    with pytest.raises(CourseError, match=CATALOGUE):
        read_catalogue(tiny.homework)


def test_two_mistakes_go_together_unless_one_of_them_forbids_it():
    assert mistake_named("a").goes_with(mistake_named("b"))
    assert not mistake_named("a", excludes=("b",)).goes_with(mistake_named("b"))
    assert not mistake_named("b").goes_with(mistake_named("a", excludes=("b",)))
    assert not mistake_named("a", alone=True).goes_with(mistake_named("b"))
    assert not mistake_named("a").goes_with(mistake_named("b", alone=True))


def test_two_mistakes_that_change_the_same_characters_do_not_go_together():
    def edited(*edits):
        return replace(mistake_named("a"), edits=frozenset(edits))

    first, beside, over = Edit(3, 6, "x"), Edit(6, 9, "y"), Edit(5, 7, "z")
    assert edited(first).goes_with(edited(beside))
    assert not edited(first).goes_with(edited(over))
    assert not edited(first).goes_with(edited(first, beside)), "the second makes all edits of the first"
    assert edited(first, beside).goes_with(edited(first, Edit(20, 21, ""))), "one edit is the same in both"


def test_the_tasks_of_a_mistake_are_those_that_use_what_it_changes(course):
    by_id = {mistake.id: mistake for mistake in read_catalogue(course.homework("hw1_attention_scores"))}
    assert by_id["no-scaling"].tasks == ("scale_scores", "attention_flow")
    assert by_id["scale-by-d-v"].tasks == ("attention_flow",)
    assert by_id["softmax-unstable"].tasks == ("softmax",), "which the file says"


def test_an_edit_may_be_made_in_all_functions_of_a_pattern(tiny):
    toml = '[lists]\nsays = "Lists."\nedits."*" = [["return ", "return list, "]]'
    (catalogue,) = read_catalogue(write_mistakes(tiny, toml).homework)
    assert (catalogue.tasks, len(catalogue.edits)) == (("double", "totals"), 2)


HELPERS = """
helpers = \"\"\"
def times(factor, x):
    return factor * x
\"\"\"

[thrice]
says = "Three times as large."
edits.double = [["factor * x", "times(factor, x)"]]
edits.times = [["* x", "* x * 1.5"]]
"""


def test_helpers_stand_below_the_solution_where_a_mistake_edits_them(tiny):
    homework = write_mistakes(tiny, HELPERS + ENTRY).homework
    thrice, triples = mutants(homework, [("thrice",), ("triples",)])
    assert thrice.endswith("\n\n\ndef times(factor, x):\n    return factor * x * 1.5\n")
    assert "times" not in triples
    assert read_catalogue(homework)[0].tasks == ("double",)


TEXT = '''\
import functools


@functools.cache
def area(side):
    """Return the area: side * side."""
    # Multiply side * side.
    return side * side


class Box:
    """A box."""

    def volume(self, side):
        area_ = area(side)  # µm²
        return area_ * side


def unused(side):
    return side
'''
SOLUTION = SourceText(Path("boxes.py"), TEXT)


def test_only_code_is_searched_for_the_text():
    edit = SOLUTION.replace("area", "side * side", "4 * side")
    assert SOLUTION.edited([edit]) == TEXT.replace("return side * side", "return 4 * side")
    header = SOLUTION.replace("area", "(side)", "(edge, side)")
    assert "def area(edge, side):" in SOLUTION.edited([header, edit])
    with pytest.raises(ValueError, match=r"'Multiply' occurs 0 times .*area \(boxes\.py, line 5\)"):
        SOLUTION.replace("area", "Multiply", "Add")


def test_a_text_that_is_not_there_or_too_often_is_told_with_the_lines_to_look_at():
    with pytest.raises(ValueError, check=to_authors["edits.nearest-text"]):
        SOLUTION.replace("area", "return side*side", "")
    with pytest.raises(ValueError, check=to_authors["edits.too-often"]):
        SOLUTION.replace("area", "side", "edge")


def test_a_method_is_edited_by_its_whole_name_and_behind_letters_of_two_bytes():
    edit = SOLUTION.replace("Box.volume", "area_ * side", "area_")
    assert SOLUTION.edited([edit]) == TEXT.replace("return area_ * side", "return area_")


def test_a_new_body_keeps_the_docstring_and_what_stands_around_it():
    edit = SOLUTION.replace_body("area", "edge = side\nreturn edge")
    assert SOLUTION.edited([edit]) == TEXT.replace("return side * side", "edge = side\n    return edge")
    whole = SOLUTION.replace_body(
        "Box.volume",
        """
        return 0
    """,
    )
    assert SOLUTION.edited([whole]).partition("side):\n        ")[2].startswith("return 0\n\n\ndef unused")


def test_the_functions_that_change_are_given_whole_with_their_decorators():
    edit = SOLUTION.replace("area", "side * side", "4 * side")
    (part,) = SOLUTION.edited_parts([edit])
    assert part.startswith("@functools.cache\ndef area(side):\n")
    assert part.endswith("    return 4 * side")
    volume = SOLUTION.replace("Box.volume", "area_ * side", "area_")
    assert [part.split("(")[0].split(":")[0] for part in SOLUTION.edited_parts([edit, volume])] == [
        "@functools.cache\ndef area",
        "class Box",
    ]


def test_an_edit_reaches_what_uses_the_function():
    assert SOLUTION.reached_by([SOLUTION.replace("area", "side * side", "0")]) == {"area", "Box"}
    assert SOLUTION.reached_by([SOLUTION.replace("unused", "return", "return 2 *")]) == {"unused"}


def test_what_is_no_python_is_refused_with_its_file():
    with pytest.raises(CourseError, check=to_authors["edits.helpers-of-its-mistakes"]):
        SourceText(Path("boxes.py"), TEXT, "def helper(:").matching("*")


def test_each_mistake_of_a_task_is_tried_alone(mistaken):
    catalogue = read_catalogue(mistaken.homework)
    assert {task: single_labels(catalogue, task) for task in SINGLES} == SINGLES


def test_pairs_leave_out_what_is_excluded_or_stands_alone(mistaken):
    catalogue = read_catalogue(mistaken.homework)
    assert {task: pair_labels(catalogue, task) for task in PAIRS} == PAIRS


def test_no_pair_of_the_course_is_excluded_by_either_side(course):
    for homework in course.homeworks(SIX):
        catalogue = read_catalogue(homework)
        by_id = {mistake.id: mistake for mistake in catalogue}
        for task in homework.tasks:
            for labels in pair_labels(catalogue, task.name):
                mistake, other = (by_id[label] for label in labels)
                assert not {mistake.id, other.id} & (mistake.excludes | other.excludes), labels
                assert not mistake.alone, labels
                assert not other.alone, labels
                assert task.name in mistake.tasks, labels
                assert task.name in other.tasks, labels


def test_diagnosis_looks_at_stored_cases_of_moderate_size_and_without_gradients(known):
    fresh = replace(known[0], case=replace(known[0].case, group=Group.FRESH))
    with_gradients = replace(known[0], gradients={"0": np.ones(3)})
    too_large = replace(known[0], expected=np.ones(LARGEST_CASE + 1))
    large_in_parts = replace(known[0], expected=(np.ones(LARGEST_CASE), np.ones(1)))
    just_fits = replace(known[0], expected=np.ones(LARGEST_CASE))
    others = [fresh, with_gradients, too_large, large_in_parts]
    assert diagnostic_cases([*others, just_fits], "double") == [just_fits]
    of_double = [known_case.case.id for known_case in diagnostic_cases(known, "double")]
    assert of_double == [
        f"{name}" for name in (known_case.case.id for known_case in known) if "/double/" in name
    ]


def test_variants_answer_with_their_mistakes_and_no_others(mistaken, pool):
    case = Case("double/x", FunctionCall("double", (np.array([1.0, 4.0]),)))
    labels = [("triples",), ("triples", "adds-one"), ("adds-one",), ()]
    variants = run_variants(mistaken.homework, [case], labels, pool)
    assert [variant.labels for variant in variants] == labels
    values = [variant.answers[case.id].value.tolist() for variant in variants]
    assert values == [[3.0, 12.0], [4.0, 13.0], [3.0, 9.0], [2.0, 8.0]]


def test_a_variant_may_raise_without_ending_the_others(mistaken, pool):
    cases = [
        Case("double/bad", FunctionCall("double", (None,))),
        Case("double/x", FunctionCall("double", (1,))),
    ]
    (variant,) = run_variants(mistaken.homework, cases, [("squares",)], pool)
    assert [variant.answers[case.id].is_usable for case in cases] == [False, True]


def test_edits_that_make_no_python_are_refused_with_the_file_and_the_mistake(own_course, pool):
    path = own_course.edit(CATALOGUE, "return 3", "return (3")
    with pytest.raises(CourseError, check=to_authors["mutants.triples-syntaxerror"]) as caught:
        run_variants(own_course.homework, [], [("triples",)], pool)
    assert str(path) in str(caught.value)


def test_a_mistake_that_there_is_not_is_refused_with_its_name(mistaken, pool):
    with pytest.raises(CourseError, check=to_authors["mutants.no-mistake-trebles"]):
        run_variants(mistaken.homework, [], [("trebles",)], pool)


def test_a_mutant_is_the_solution_with_the_edits_and_nothing_else(mistaken):
    right = mistaken.homework.solution.read_text("utf-8")
    triples = right.replace("return factor", "return 3")
    both = triples.replace("3 * x", "3 * x + 1").replace(
        "return x.sum(), np.prod(x)", "return 1 + x.sum(), 1 + np.prod(x)"
    )
    assert list(mutants(mistaken.homework, [(), ("triples",), ("triples", "adds-one")])) == [
        right,
        triples,
        both,
    ]


def test_a_diff_shows_what_a_mistake_changes_in_the_solution(mistaken):
    diffs = as_diffs(mistaken.homework, [("triples",), ("no-such-mistake",)])
    assert list(diffs) == ["triples"]
    lines = diffs["triples"].splitlines()
    assert lines[:2] == ["--- doubles.py", "+++ doubles.py with triples"]
    changed = [line for line in lines[2:] if line.startswith(("+", "-"))]
    assert changed == ["-    return factor * x", "+    return 3 * x"]


def test_every_mistake_of_the_course_has_a_diff_that_makes_python(course):
    for homework in course.homeworks(SIX):
        every = [(mistake.id,) for mistake in read_catalogue(homework)]
        diffs = as_diffs(homework, every).values()
        for labels, text, diff in zip(every, mutants(homework, every), diffs, strict=True):
            compile(text, labels[0], "exec")
            assert diff.startswith(f"--- {homework.stub}\n+++ "), labels
