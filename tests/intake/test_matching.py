"""Which file is for which homework, by its name or, where that tells nothing, by its definitions."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import to_staff

from autograder.intake.matching import UNCLEAR, HomeworkProfile
from autograder.intake.submission import ReadResult
from autograder.intake.text import Script
from autograder.sandbox.request import Cell, Code

from .makers import is_one_clean_line, match_read, notebook_of, read_of, task, tasks_of

STUBS = {
    "hw1": "attention_scores.py",
    "hw2": "self_attention.py",
    "hw4": "self_attention_columns.py",
    "hw5": "multihead_attention.py",
}
TASKS = tasks_of(
    {
        "hw1": ["qk_scores", "softmax"],
        "hw2": ["project_qkv", "self_attention_numpy"],
        "hw4": ["softmax", "self_attention_per_token", "self_attention"],
        "hw5": ["softmax_cols", "multihead_scaled_self_attention"],
    }
)
TASKS["hw4"]["self_attention_per_token"] = task("self_attention_per_token", value="all_x_prime")
SCORES = "def qk_scores(Q, K):\n    return Q @ K.T\n"
SHARED = "def softmax(x):\n    return x\n"
HEADS = "def multihead_scaled_self_attention(X):\n    return X\n"
STUB = "def qk_scores(Q, K):\n    raise NotImplementedError\n"


def is_untouched(_homework, text):
    return text.split() == STUB.split()


def matched(contents, **more):
    options = {"tasks": TASKS, "untouched": is_untouched, **more}
    result = match_read("alice", read_of(contents), STUBS, **options)
    assert all(map(is_one_clean_line, result.problems))
    assert all(is_one_clean_line(note) for handin in result.handins for note in handin.notes)
    return result


def origins(result):
    return {handin.homework: handin.origin for handin in result.handins}


def only(result):
    [handin] = result.handins
    return handin


def test_files_are_found_by_their_stub_names_wherever_they_lie():
    contents = {
        "attention_scores.py": SCORES,
        "part 2/Copy of Multihead Attention (1).ipynb": notebook_of(HEADS),
    }
    result = matched(contents)
    assert origins(result) == {
        "hw1": "attention_scores.py",
        "hw5": "part 2/Copy of Multihead Attention (1).ipynb",
    }
    assert result.problems == ()


LONE = "Untitled7.ipynb"
NAMESAKE = {"attention_scores.py": SCORES, "test_attention_scores.py": "def test_it(): ...\n"}
THREE = {"attention_scores.py": SCORES, "multihead_attention.py": HEADS, "self_attention.py": "x"}
ORIGINS = {
    "the longest stub name decides":
        ({"my_self_attention_columns.py": "def self_attention(X): ...\n"}, "hw4=my_self_attention_columns.py"),
    "two that differ leave the other homeworks handed in":
        ({"attention_scores.py": "1", "attention_scores-1.py": "2", "multihead_attention.py": HEADS},
         "hw5=multihead_attention.py"),
    "copies are one":
        ({"b/attention_scores.py": SCORES, "attention_scores.py": SCORES.replace("\n", "\r\n")},
         "hw1=attention_scores.py"),
    "of copies the one with its modules beside it is kept":
        ({"attention_scores.py": SCORES, "b/attention_scores.py": SCORES, "b/helper.py": ""},
         "hw1=b/attention_scores.py"),
    "of copies with nothing beside them the one on top is kept":
        ({"a/attention_scores.py": SCORES, "attention_scores.py": SCORES}, "hw1=attention_scores.py"),
    "an untouched stub gives way":
        ({"attention_scores.py": STUB, "Copy_of_attention_scores.ipynb": notebook_of(SCORES)},
         "hw1=Copy_of_attention_scores.ipynb"),
    "a namesake that defines nothing of the homework gives way": (NAMESAKE, "hw1=attention_scores.py"),
    "without the names of tasks a namesake is a candidate": (NAMESAKE, "", {"tasks": None}),
    "a name that several homeworks ask for tells nothing against a file":
        ({"my_self_attention.py": "def softmax(x): ...\n"}, "hw2=my_self_attention.py"),
    "a helper of a homework that is there is not pointed out":
        ({"attention_scores.py": "from utils import softmax", "utils.py": "def softmax(x): ...\n"},
         "hw1=attention_scores.py"),
    "a lone file is taken whatever its name":
        ({LONE: notebook_of(HEADS)}, f"hw5={LONE}", {"chosen": ["hw5"]}),
    "a lone file is taken although its name is another's":
        ({"attention_scores.ipynb": notebook_of(HEADS)}, "hw5=attention_scores.ipynb", {"chosen": ["hw5"]}),
    "only the chosen homeworks are handed in":
        (THREE, "hw1=attention_scores.py hw5=multihead_attention.py", {"chosen": ["hw1", "hw5"]}),
    "of several files the stub name comes first":
        ({"notes.py": HEADS, "multihead_attention.py": HEADS + "#"}, "hw5=multihead_attention.py",
         {"chosen": ["hw5"]}),
    "a longer stub name of a homework not chosen still counts":
        ({"self_attention_columns.py": "def project_qkv(X): ...\n", "attention_scores.py": ""}, "",
         {"chosen": ["hw2"]}),
    "with two chosen a lone file that tells nothing is not taken":
        ({LONE: notebook_of("x = 1")}, "", {"chosen": ["hw1", "hw5"]}),
    "with two chosen a lone file needs telling definitions":
        ({LONE: notebook_of(SCORES)}, f"hw1={LONE}", {"chosen": ["hw1", "hw5"]}),
}  # fmt: skip


@pytest.mark.parametrize("case", ORIGINS)
def test_which_file_is_taken_for_which_homework(case):
    contents, expected, *more = ORIGINS[case]
    result = matched(contents, **dict(*more))
    assert " ".join(f"{homework}={origin}" for homework, origin in origins(result).items()) == expected
    assert bool(result.problems) == ("differ" in case or not expected)


def test_a_scripts_code_holds_the_modules_beside_it():
    contents = {
        "hw/attention_scores.py": SCORES,
        "hw/helper.py": "h = 1\r\n",
        "hw/deeper/other.py": "",
        "top.py": "",
        "hw/x.ipynb": notebook_of("x = 1"),
    }
    assert only(matched(contents)).code == Code(
        "attention_scores.py", {"attention_scores.py": SCORES, "helper.py": "h = 1\n"}
    )


def test_a_notebooks_code_holds_its_cells_and_the_modules_beside_it():
    contents = {"attention_scores.ipynb": notebook_of("%pylab", SCORES), "helper.py": "h = 1"}
    code = only(matched(contents)).code
    assert (code.entry, code.files) == ("attention_scores.ipynb", {"helper.py": "h = 1"})
    assert code.cells == (Cell(1, "get_ipython().run_line_magic('pylab', '')\n"), Cell(2, SCORES))


def test_modules_named_like_pythons_own_are_left_out_with_a_note():
    contents = {
        "attention_scores.py": SCORES,
        "numpy.py": "",
        "random.py": "",
        "conftest.py": "",
        "torch.py": "",
    }
    handin = only(matched(contents))
    assert sorted(handin.code.files) == ["attention_scores.py", "conftest.py"]
    assert handin.notes == (to_staff["match.left-out-being-named-like"],)


def test_notes_of_the_encoding_come_with_the_handin():
    handin = only(matched({"attention_scores.py": b"# caf\xe9\n" + SCORES.encode()}))
    assert handin.notes[0] == to_staff["match.read-as-latin"]


def test_nul_bytes_are_a_problem_and_the_file_is_still_handed_on():
    result = matched({"attention_scores.py": b"\0\0"})
    assert only(result).code.files == {"attention_scores.py": "\0\0"}
    assert result.problems[0] == to_staff["match.holds-nul-bytes"]


def test_a_notebook_saved_as_py_is_read_as_a_notebook():
    handin = only(matched({"attention_scores.py": notebook_of(SCORES)}))
    assert handin.code.cells == (Cell(1, SCORES),)
    assert handin.notes == (to_staff["match.a-notebook-by-its-contents"],)


def test_a_script_with_notebook_commands_runs_without_them():
    handin = only(matched({"attention_scores.py": f"!pip install numpy\n{SCORES}"}))
    assert to_staff["match.get_ipython-system-pip"] in handin.code.files["attention_scores.py"]
    assert handin.notes == (to_staff["match.holds-notebook-commands"],)


def test_of_many_problems_the_first_are_told_and_how_many_more_there_are():
    *problems, last = matched({f"{n:02}.ipynb": b"no json" for n in range(25)}).problems
    assert (len(problems), last.text) == (20, "and 5 more problems of its files")


def test_problems_of_reading_come_first():
    read = ReadResult(problems=("x.zip cannot be opened",))
    assert match_read("alice", read, STUBS).problems == (to_staff["match.x-zip-cannot-be-opened"],)


class TestTwoCandidates:
    def test_different_ones_are_a_problem_that_names_both_and_the_remedy(self):
        contents = {"attention_scores.py": SCORES, "old/attention_scores (1).py": SCORES + "# later\n"}
        result = matched(contents)
        assert result.handins == ()
        assert result.problems == (to_staff["match.old-attention_scores-py"],)

    def test_a_script_and_a_notebook_are_two(self):
        result = matched({"attention_scores.py": SCORES, "attention_scores.ipynb": notebook_of(SCORES)})
        assert result.handins == ()
        assert result.problems[0] == to_staff["match.differ"]

    @pytest.mark.parametrize(("count", "taken"), [(20, ["19/attention_scores.py"]), (21, [])])
    def test_of_twenty_the_one_with_work_in_it_is_taken_and_more_are_not_compared(self, count, taken):
        contents = {f"{n}/attention_scores.py": STUB + "\n" * n for n in range(count)}
        contents["19/attention_scores.py"] = SCORES
        assert list(origins(matched(contents)).values()) == taken

    def test_notebooks_that_differ_only_in_outputs_are_copies(self):
        cell = {"cell_type": "code", "source": SCORES}
        contents = {
            "attention_scores.ipynb": notebook_of({**cell, "outputs": []}),
            "attention_scores (1).ipynb": notebook_of({**cell, "outputs": [{"text": "1"}]}),
        }
        assert len(matched(contents).handins) == 1

    def test_untouched_stubs_alone_are_handed_on(self):
        contents = {"attention_scores.py": STUB, "attention_scores.ipynb": notebook_of(STUB)}
        result = matched(contents)
        assert len(result.handins) == 1
        assert result.problems == ()

    def test_an_unreadable_notebook_is_no_candidate(self):
        result = matched({"attention_scores.py": SCORES, "attention_scores.ipynb": "no json"})
        assert origins(result) == {"hw1": "attention_scores.py"}
        assert result.problems[0] == to_staff["match.not-a-notebook"]


class TestHints:
    def test_a_misnamed_notebook_keeps_its_kind(self):
        [problem] = matched({"Untitled7.ipynb": notebook_of("x = 1", SHARED)}).problems
        assert problem == to_staff["match.misnamed-notebook"]
        assert problem.cause == UNCLEAR

    def test_that_file_is_pointed_out_though_the_other_homework_is_there(self):
        contents = {"multihead_attention.py": HEADS, "my_self_attention.py": HEADS}
        assert matched(contents).problems[0] == to_staff["match.named-like"]

    def test_an_exact_stub_name_is_taken_at_its_word_with_a_note(self):
        handin = only(matched({"self_attention.py": HEADS}))
        assert handin.notes == (to_staff["match.defines"],)

    def test_names_of_several_homeworks_are_all_offered(self):
        [problem] = matched({"utils.py": "def softmax(x): ...\n"}).problems
        assert problem == to_staff["match.rename"]

    def test_names_inside_of_functions_and_comments_are_no_definitions(self):
        text = "# def qk_scores(Q, K)\ndef main():\n    def qk_scores(): ...\n"
        assert "matches no stub name" not in matched({"notes.py": text}).problems[0].text

    def test_nothing_found_lists_what_is_there_and_what_was_looked_for(self):
        read = ReadResult(read_of({"a b.py": "x = 1"}).files, others=9, other_names=("report.pdf",))
        [problem] = match_read("alice", read, STUBS).problems
        assert problem == (to_staff["match.alice-holds-no-homework-only"])

    def test_an_empty_submission_says_so(self):
        [problem] = matched({}).problems
        assert problem.staff.startswith("alice is empty; looked for attention_scores.py")
        assert problem.cause == "it is empty"


class TestChosenHomework:
    def test_a_lone_file_that_cannot_be_read_is_a_problem(self):
        result = matched({"x.ipynb": "no json"}, chosen=["hw5"])
        assert result.handins == ()
        assert len(result.problems) == 1

    @pytest.mark.parametrize(
        "others",
        [
            {"utils.py": "u = 1"},
            {"attention_scores.py": SCORES},
            {"attention_scores.py": SCORES, "self_attention.py": "x"},
        ],
    )
    def test_of_several_files_the_one_candidate_is_taken_with_a_note(self, others):
        handin = only(matched({"Untitled7.ipynb": notebook_of(HEADS), **others}, chosen=["hw5"]))
        assert handin.origin == "Untitled7.ipynb"
        assert handin.notes == (to_staff["match.graded-as-hw5"],)

    def test_without_task_names_the_one_notebook_is_taken(self):
        contents = {"Untitled7.ipynb": notebook_of("x = 1"), "utils.py": "u = 1", "more.py": "m = 1"}
        handin = only(matched(contents, chosen=["hw5"], tasks=None))
        assert (handin.homework, handin.origin) == ("hw5", "Untitled7.ipynb")
        assert handin.notes == (to_staff["match.taken-for-hw5-no-file"],)

    def test_several_candidates_are_a_problem(self):
        result = matched({"a.py": HEADS, "b.py": HEADS + "#"}, chosen=["hw5"])
        assert result.handins == ()
        assert result.problems[0] == to_staff["match.differ-and-may-each"]

    def test_a_file_named_like_a_module_of_python_is_read_under_the_stubs_name(self):
        handin = only(matched({"statistics.py": HEADS}, chosen=["hw5"]))
        assert handin.code == Code("multihead_attention.py", {"multihead_attention.py": HEADS})
        assert handin.origin == "statistics.py"
        assert handin.notes == (to_staff["match.named-like-a-module"],)


def test_a_homework_without_its_solution_is_recognised_by_names_alone(tiny):
    assert HomeworkProfile.of(tiny.homework).reference is not None
    tiny.homework.solution.unlink()
    assert HomeworkProfile.of(tiny.homework).reference is None


PATHS = st.sampled_from(
    [
        "attention_scores.py",
        "b/attention_scores.ipynb",
        "x.py",
        "self_attention (1).py",
        "numpy.py",
        "y.ipynb",
    ]
)
TEXTS = st.binary(max_size=40) | st.sampled_from([SCORES.encode(), notebook_of(SCORES), notebook_of("%x")])


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(PATHS, TEXTS, max_size=6), st.lists(st.sampled_from(sorted(STUBS)), max_size=2))
def test_arbitrary_contents_never_raise_and_silence_is_never_all(contents, chosen):
    result = matched(contents, chosen=chosen)
    assert result.handins or result.problems
    assert len(origins(result)) == len(result.handins)
    for handin in result.handins:
        assert handin.code.cells is not None or handin.code.entry in handin.code.files


def test_a_file_with_a_stubs_name_says_which_other_homework_it_holds():
    result = matched({"attention_scores.py": HEADS, "multihead_attention.py": SCORES + SHARED})
    assert {handin.homework: handin.fits for handin in result.handins} == {"hw1": ("hw5",), "hw5": ("hw1",)}
    assert only(matched({"attention_scores.py": SCORES})).fits == ()


def test_a_file_recognised_against_its_name_says_what_it_is_named_for():
    against = only(matched({"multihead_attention_final.py": SCORES + SHARED}))
    assert (against.homework, against.recognised, against.named_for) == ("hw1", True, ("hw5",))
    assert only(matched({"ada.py": SCORES})).named_for == ()


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
