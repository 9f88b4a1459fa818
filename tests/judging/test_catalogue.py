from dataclasses import replace

import pytest
from wording import to_authors

from autograder.course.schema import CourseError
from autograder.reasons.catalogue import CATALOGUE, Misconception, read_catalogue
from autograder.reasons.mutation import mutants
from autograder.reasons.source_text import Edit

from .mistakes import write_mistakes

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
