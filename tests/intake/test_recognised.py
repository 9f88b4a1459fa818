"""A file whose name tells nothing, or plainly the wrong homework, is what its definitions fit."""

import pytest

from autograder.intake.matching import UNCLEAR
from autograder.intake.text import Script

from .makers import notebook_of, task, tasks_of
from .test_matching import HEADS, SCORES, SHARED, STUB, TASKS, matched, only, origins

ATTEND = "def self_attention(X, W, B):\n    return softmax(X)\n"
REFERENCES = {"hw4": Script("self_attention_columns.py", ATTEND)}


@pytest.mark.parametrize("name", ["notes.py", "12_2_Multihead_Self_Attention (3).ipynb", "a/b c.py"])
def test_a_file_that_fits_one_homework_is_graded_as_that_with_a_note(name):
    handin = only(matched({name: notebook_of(HEADS) if "ipynb" in name else HEADS}))
    assert (handin.homework, handin.origin, handin.recognised) == ("hw5", name, True)
    assert "multihead_scaled_self_attention" in handin.notes[0]


def test_a_file_with_the_stubs_name_is_not_called_recognised():
    for name in ("multihead_attention.py", "Copy of Multihead Attention (1).py"):
        assert not only(matched({name: HEADS})).recognised


def test_a_value_tells_as_much_as_the_function_that_it_stands_for():
    cells = ["N = 3", "all_x_prime = []", "for n in range(N):\n  all_x_prime.append(n)"]
    assert origins(matched({"12_1.ipynb": notebook_of(*cells)})) == {"hw4": "12_1.ipynb"}
    assert matched({"12_1.ipynb": notebook_of("print(all_x_prime == [])")}).handins == ()


def test_two_homeworks_in_one_file_are_both_graded():
    both = notebook_of(SHARED, ATTEND, HEADS)
    for name in ("week 12.ipynb", "multihead_attention.ipynb", "12_2_Multihead_Self_Attention.ipynb"):
        assert origins(matched({name: both})) == {"hw4": name, "hw5": name}


def test_names_that_several_homeworks_ask_for_tell_nothing():
    result = matched({"work.py": SHARED})
    assert result.handins == ()
    assert result.problems[0].cause == UNCLEAR


@pytest.mark.parametrize(
    "text",
    [
        "def self_attention(X, W_q, W_k, W_v): ...\n",
        "def self_attention(X): ...\n",
        "def self_attention(X, *, omega=None): ...\n",
        "class MultiHead:\n    def self_attention(X, W, B): ...\n",
    ],
)
def test_a_function_with_other_arguments_is_another_one(text):
    assert matched({"work.py": text}, references=REFERENCES).handins == ()
    assert origins(matched({"my_self_attention.py": text}, references=REFERENCES)) == {
        "hw2": "my_self_attention.py"
    }


@pytest.mark.parametrize(
    "text",
    [
        "def self_attention(X, W, B): ...\n",
        "def self_attention(X, W=f((2, 2)),  # )\n  B: set[int] = (1, 2), more=None) -> int:\n  ...\n",
        "def self_attention(*all_of_them): ...\n",
        "async def self_attention(X, /, W, B): ...\n",
        "def self_attention(X): ...\ndef self_attention(X, W, B): ...\n",
        "def self_attention(X, W, B:\n",
    ],
)
def test_arguments_are_counted_as_the_grader_passes_them(text):
    assert origins(matched({"work.py": text}, references=REFERENCES)) == {"hw4": "work.py"}


def test_what_another_homeworks_task_calls_is_a_helper_of_it():
    block = f"{HEADS}    return head(X)\n\ndef head(X):\n    return self_attention(X, 1, 2)\n"
    assert origins(matched({"work.py": ATTEND + SHARED + block})) == {"hw5": "work.py"}
    shown = "def main():\n    print(self_attention(1, 2, 3))\n    print(multihead_scaled_self_attention(1))\n"
    assert set(origins(matched({"work.py": ATTEND + SHARED + HEADS + shown}))) == {"hw4", "hw5"}


def test_of_several_homeworks_those_count_that_much_is_there_of():
    tasks = {**TASKS, "hw1": tasks_of({"hw1": ["qk_scores", "scale_scores", "softmax", "flow"]})["hw1"]}
    assert origins(matched({"work.py": SCORES + HEADS}, tasks=tasks)) == {"hw5": "work.py"}
    alike = "def flow(): ...\ndef project_qkv(): ...\n"
    three = tasks_of({"hw2": ["project_qkv", "numpy_one", "torch_one", "more"]})["hw2"]
    result = matched({"work.py": alike}, tasks={**tasks, "hw2": three})
    assert result.handins == ()
    assert result.problems[0].cause == UNCLEAR


def test_a_helper_module_is_never_taken_beside_the_file_that_imports_it():
    contents = {"multihead_attention.py": f"from heads import *\n{HEADS}", "heads.py": ATTEND + SHARED}
    result = matched(contents)
    assert origins(result) == {"hw5": "multihead_attention.py"}
    assert result.problems == ()
    assert origins(matched({"a.py": f"import heads\n{HEADS}", "heads.py": ATTEND})) == {"hw5": "a.py"}
    assert origins(matched({"demo.ipynb": notebook_of("import heads"), "heads.py": HEADS})) == {
        "hw5": "heads.py"
    }


def test_a_properly_named_file_settles_its_homework():
    contents = {"multihead_attention.py": "def other(): ...\n", "work.py": HEADS}
    assert origins(matched(contents)) == {"hw5": "multihead_attention.py"}


def test_a_stub_copied_beside_the_work_is_not_graded():
    assert origins(matched({"work.py": HEADS, "original.py": STUB})) == {"hw5": "work.py"}
    assert origins(matched({"work.py": SCORES, "original.py": STUB})) == {"hw1": "work.py"}
    assert origins(matched({"original.py": STUB})) == {"hw1": "original.py"}


def test_two_files_that_fit_the_same_homework_are_a_question():
    result = matched({"a.py": HEADS, "b.py": HEADS + "#"})
    assert result.handins == ()
    assert [one.cause for one in result.problems] == [UNCLEAR]


def test_each_file_of_a_mixed_submission_goes_to_the_homework_it_fits():
    contents = {"1.py": SCORES, "2.ipynb": notebook_of(ATTEND), "3.ipynb": notebook_of(HEADS)}
    wanted = {"hw1": "1.py", "hw4": "2.ipynb", "hw5": "3.ipynb"}
    assert origins(matched(contents)) == wanted
    assert origins(matched(contents, chosen=["hw4", "hw5"])) == {k: wanted[k] for k in ("hw4", "hw5")}


@pytest.mark.parametrize("name", ["Untitled.ipynb", "12_1_Self_Attention.ipynb", "multihead_attention.ipynb"])
@pytest.mark.parametrize("chosen", [["hw2"], ["hw1", "hw2"]])
def test_what_fits_another_homework_than_those_asked_for_is_said_and_not_graded(name, chosen):
    result = matched({name: notebook_of(HEADS)}, chosen=chosen)
    assert result.handins == ()
    [problem] = result.problems
    assert "hw5" in problem.text
    assert "--homework" not in problem.text
    assert "`autograder grade FILE --homework hw5`" in problem.staff
    assert problem.cause == "it fits hw5"


def test_a_name_nearly_that_of_a_task_asked_for_keeps_the_file_there():
    text = SHARED + "def multihed_self_attention(X): ...\n" + ATTEND
    assert origins(matched({"x.py": text}, chosen=["hw5"])) == {"hw5": "x.py"}
    assert matched({"x.py": ATTEND}, chosen=["hw2"]).handins == ()


def test_a_lone_file_that_fits_nothing_else_is_taken_for_the_one_asked_for():
    for text in ("def my_own(X): ...\n", SHARED, "def qk_scores_2(): ...\n" + SHARED):
        assert origins(matched({"x.py": text}, chosen=["hw2"])) == {"hw2": "x.py"}
    assert origins(matched({"self_attention.py": HEADS}, chosen=["hw2"])) == {"hw2": "self_attention.py"}


def doubted(text, **more):
    """Whether a file with hw1's name gets a note that it defines functions of another homework."""
    result = matched({"attention_scores.py": text}, **more)
    notes = next(handin.notes for handin in result.handins if handin.homework == "hw1")
    return any(" defines " in note for note in notes)


def test_a_file_that_holds_as_much_of_its_own_homework_as_of_another_is_not_doubted():
    assert doubted(HEADS)
    assert not doubted(SHARED + HEADS), "one of two tasks each"


def test_a_file_that_holds_little_of_another_homework_is_not_doubted():
    heads = "multihead_scaled_self_attention"
    tasks = {**TASKS, "hw5": {"softmax_cols": task("softmax_cols", 9), heads: task(heads, 1)}}
    assert not doubted(HEADS, tasks=tasks)


def test_a_file_that_fits_its_own_homework_is_not_doubted_whatever_else_it_holds():
    assert not doubted(SCORES + HEADS + "def softmax_cols(data_in):\n    return data_in\n")
