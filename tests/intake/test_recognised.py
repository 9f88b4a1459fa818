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


BOTH = notebook_of(SHARED, ATTEND, HEADS)
BLOCK = f"{HEADS}    return head(X)\n\ndef head(X):\n    return self_attention(X, 1, 2)\n"
MAIN = "def main():\n    print(self_attention(1, 2, 3))\n    print(multihead_scaled_self_attention(1))\n"
MIXED = {"1.py": SCORES, "2.ipynb": notebook_of(ATTEND), "3.ipynb": notebook_of(HEADS)}
IMPORTED = {"multihead_attention.py": f"from heads import *\n{HEADS}", "heads.py": ATTEND + SHARED}
RECOGNISED = [
    # A value tells as much as the function that it stands for.
    (
        {"x.ipynb": notebook_of("N = 3", "all_x_prime = []", "for n in range(N):\n  all_x_prime.append(n)")},
        "hw4=x.ipynb",
    ),
    ({"x.ipynb": notebook_of("print(all_x_prime == [])")}, ""),
    # Two homeworks in one file are both graded.
    ({"week 12.ipynb": BOTH}, "hw4=week 12.ipynb hw5=week 12.ipynb"),
    ({"multihead_attention.ipynb": BOTH}, "hw4=multihead_attention.ipynb hw5=multihead_attention.ipynb"),
    # What another homework's task calls is a helper of it, and what a demonstration calls is not.
    ({"x.py": ATTEND + SHARED + BLOCK}, "hw5=x.py"),
    ({"x.py": ATTEND + SHARED + HEADS + MAIN}, "hw4=x.py hw5=x.py"),
    # A properly named file settles its homework.
    ({"multihead_attention.py": "def other(): ...\n", "x.py": HEADS}, "hw5=multihead_attention.py"),
    # A stub copied beside the work is not graded.
    ({"x.py": HEADS, "original.py": STUB}, "hw5=x.py"),
    ({"x.py": SCORES, "original.py": STUB}, "hw1=x.py"),
    ({"original.py": STUB}, "hw1=original.py"),
    # Each file of a mixed submission goes to the homework that it fits.
    (MIXED, "hw1=1.py hw4=2.ipynb hw5=3.ipynb"),
    (MIXED, "hw4=2.ipynb hw5=3.ipynb", "hw4", "hw5"),
    # A helper module is never taken beside the file that imports it.
    (IMPORTED, "hw5=multihead_attention.py"),
    ({"x.py": f"import heads\n{HEADS}", "heads.py": ATTEND}, "hw5=x.py"),
    ({"demo.ipynb": notebook_of("import heads"), "heads.py": HEADS}, "hw5=heads.py"),
    # A name nearly that of a task asked for keeps the file there.
    ({"x.py": SHARED + "def multihed_self_attention(X): ...\n" + ATTEND}, "hw5=x.py", "hw5"),
    ({"x.py": ATTEND}, "", "hw2"),
    # A lone file that fits nothing else is taken for the one asked for.
    ({"x.py": "def my_own(X): ...\n"}, "hw2=x.py", "hw2"),
    ({"x.py": SHARED}, "hw2=x.py", "hw2"),
    ({"x.py": "def qk_scores_2(): ...\n" + SHARED}, "hw2=x.py", "hw2"),
    ({"self_attention.py": HEADS}, "hw2=self_attention.py", "hw2"),
]


@pytest.mark.parametrize("case", RECOGNISED, ids=lambda case: f"{case[1]} of {', '.join(case[0])}")
def test_a_file_is_what_its_definitions_fit(case):
    contents, expected, *chosen = case
    found = origins(matched(contents, chosen=chosen))
    assert " ".join(f"{homework}={found[homework]}" for homework in sorted(found)) == expected


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


def test_of_several_homeworks_those_count_that_much_is_there_of():
    tasks = {**TASKS, "hw1": tasks_of({"hw1": ["qk_scores", "scale_scores", "softmax", "flow"]})["hw1"]}
    assert origins(matched({"work.py": SCORES + HEADS}, tasks=tasks)) == {"hw5": "work.py"}
    alike = "def flow(): ...\ndef project_qkv(): ...\n"
    three = tasks_of({"hw2": ["project_qkv", "numpy_one", "torch_one", "more"]})["hw2"]
    result = matched({"work.py": alike}, tasks={**tasks, "hw2": three})
    assert result.handins == ()
    assert result.problems[0].cause == UNCLEAR


def test_two_files_that_fit_the_same_homework_are_a_question():
    result = matched({"a.py": HEADS, "b.py": HEADS + "#"})
    assert result.handins == ()
    assert [problem.cause for problem in result.problems] == [UNCLEAR]


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
