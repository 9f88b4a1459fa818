import pytest
from asked import MARK, TEXT, ask
from wording import to_authors

from autograder.course.homework import ANSWERS
from autograder.course.schema import CourseError
from autograder.course.stub import strip_solution, stub_text
from autograder.intake.handed_out import untouched_in

BLOCK = """
# Theory questions: the handout has them in full. Replace None with your answers.
answers = {
    # The shape of twice as much: "a", "b" or "c"
    "shape": None,
    # A total: a number (apples)
    "total": None,
    # Why twice: two or three sentences
    "why": None,
}
"""


def test_the_stub_ends_with_a_dictionary_to_fill_in(tiny):
    before = stub_text(tiny.homework)
    ask(tiny)
    assert stub_text(tiny.homework) == f"{before}\n{BLOCK}"


def test_the_stub_loads_up_to_its_answers(tiny):
    ask(tiny)
    namespace = {}
    exec(stub_text(tiny.homework), namespace)
    assert namespace[ANSWERS] == {"shape": None, "total": None, "why": None}


def test_the_solutions_answers_lie_in_a_region_that_leaves_nothing(tiny):
    ask(tiny)
    before = stub_text(tiny.homework)
    tiny.edit("doubles.py", MARK, f'{MARK}\n# BEGIN SOLUTION\nanswers = {{"shape": "b"}}\n# END SOLUTION')
    assert stub_text(tiny.homework) == before


def test_a_region_of_a_function_beside_one_of_the_module_is_still_raised():
    inside = "def f():\n    # BEGIN SOLUTION\n    return 1\n    # END SOLUTION\n"
    source = f"{inside}# BEGIN SOLUTION\nx = 1\n# END SOLUTION\n"
    assert strip_solution(source, "f.py") == "def f():\n    raise NotImplementedError\n"


def test_questions_without_a_place_in_the_solution_are_refused(tiny):
    ask(tiny)
    tiny.edit("doubles.py", MARK, "")
    with pytest.raises(CourseError, check=to_authors["stub_answers.needs-one-line-answers"]):
        stub_text(tiny.homework)


def test_a_place_in_the_solution_without_questions_is_refused(tiny):
    ask(tiny).unlink()
    with pytest.raises(CourseError, check=to_authors["stub_answers.needs-no-line-answers"]):
        stub_text(tiny.homework)


def test_a_stub_with_one_answer_filled_in_is_no_longer_untouched(tiny):
    ask(tiny)
    stub = stub_text(tiny.homework)
    assert untouched_in(tiny.homework)(stub)
    assert not untouched_in(tiny.homework)(stub.replace('"shape": None', '"shape": "b"'))


def test_the_block_names_every_question_and_no_answer(tiny):
    ask(tiny, TEXT.replace("number = -2.5", "number = 98765"))
    assert stub_text(tiny.homework).endswith(BLOCK)
