"""Calls of a submission in the worker: what they raise, print and return, and how they end."""

from dataclasses import replace

import numpy as np
import pytest

from autograder.course.calls import FunctionCall, PassThroughCall
from autograder.sandbox.report import Status
from autograder.sandbox.request import Code, Limits, Request
from autograder.worker.calls import MAX_ENTRIES, MAX_KEY, MAX_TEXT, plain_answers
from autograder.worker.wire import Unsendable, pack, unpack

from .asking import ask, call, module, notebook, values

SHORT = replace(Limits(), call_seconds=0.5)


def raised(answer):
    """The type of an answer's error and its line in the student's file."""
    return answer.error.type, answer.error.line


def test_an_error_in_a_notebook_carries_cell_and_line(sandbox):
    [answer] = ask(sandbox, notebook("x = 1", "y = 2\ndef f():\n    return y.z"), call("f")).answers
    assert (answer.error.file, answer.error.line, answer.error.source) == ("cell 2", 3, "return y.z")


def test_a_wrong_number_of_parameters_has_no_line_of_the_students(sandbox):
    [answer] = ask(sandbox, module("def f(Q): return Q"), call("f", 1, 2)).answers
    assert raised(answer) == ("TypeError", None)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("raise NotImplementedError", "NotImplementedError"),
        ("raise SystemExit(0)", "SystemExit"),
        ("exit()", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("raise GeneratorExit", "GeneratorExit"),
        ("return f()", "RecursionError"),
        ("return input()", "EOFError"),
        ("assert x == 2", "AssertionError"),
        ("return undefined", "NameError"),
        ("import numpy as np; return np.ones(10**13)", "MemoryError"),
        ("import pytest; pytest.skip('no need')", "an uncommon exception"),
    ],
)
def test_whatever_a_function_raises_is_its_answer_and_the_next_call_is_made(sandbox, body, kind):
    source = f"def f(x=1):\n    {body}\ndef g(): return 1"
    report = ask(sandbox, module(source), call("f"), call("g"))
    assert report.status is Status.GRADED
    assert raised(report.answers[0]) == (kind, 2)
    assert report.answers[1].value == 1


def test_an_endless_loop_is_interrupted_and_other_functions_still_answer(sandbox):
    source = """
    def f():
        while True:
            pass
    def g(): return 1
    """
    report = ask(sandbox, module(source), call("f"), call("g"), call("f"), limits=SHORT)
    assert report.status is Status.GRADED
    kind, line = raised(report.answers[0])
    assert kind == "TimeLimit"
    assert line in (3, 4)
    assert report.answers[1].value == 1


def test_a_function_that_ran_out_of_time_is_not_tried_again(sandbox):
    source = """
    count = []
    def f():
        count.append(1)
        while True: pass
    def g(): return len(count)
    """
    report = ask(sandbox, module(source), *[call("f")] * 50, call("g"), limits=SHORT)
    assert {raised(answer)[0] for answer in report.answers[:-1]} == {"TimeLimit"}
    assert report.answers[-1].value == 1


@pytest.mark.parametrize(
    "body",
    [
        "import time; time.sleep(99)",
        "import threading; threading.Lock().acquire() and threading.Event().wait()",
    ],
)
def test_waiting_is_interrupted_too(sandbox, body):
    report = ask(sandbox, module(f"def f(): {body}\ndef g(): return 1"), call("f"), call("g"), limits=SHORT)
    assert raised(report.answers[0]) == ("TimeLimit", 1)
    assert report.answers[1].value == 1


def test_a_result_that_never_ends_is_interrupted(sandbox):
    source = """
    class Endless(list):
        def __iter__(self):
            while True: yield 1.5
    def f(): return Endless()
    def g(): return 1
    """
    report = ask(sandbox, module(source), call("f"), call("g"), limits=SHORT)
    assert raised(report.answers[0])[0] in ("TimeLimit", "MemoryError")
    assert report.answers[1].value == 1


def test_printing_does_not_disturb_the_answers(sandbox):
    source = """
    import sys, os
    print("on import")
    def f(x):
        print("6 passed")
        print({"results": []}, file=sys.stderr)
        os.write(1, b"raw\\n")
        sys.stdout.write("no newline")
        return x
    """
    report = ask(sandbox, module(source), call("f", 1), call("f", 2))
    assert values(report) == [1, 2]
    assert report.output.startswith("on import\n6 passed\n")
    assert report.output.count("no newline") == 2


@pytest.mark.parametrize(
    "line",
    [
        "sys.stdout.close()",
        "sys.stdout = None",
        "sys.stderr = sys.stdout = 3",
        "os.close(1); os.close(2)",
        "os.closerange(0, 3)",
    ],
)
def test_a_closed_output_does_not_disturb_the_answers(sandbox, line):
    source = f"import os, sys\n{line}\ndef f(): return 1"
    assert values(ask(sandbox, module(source), call("f"))) == [1]


def test_only_the_first_part_of_endless_output_is_kept(sandbox):
    source = "def f(): print('x' * 1_000_000)\ndef g(): return 1"
    report = ask(sandbox, module(source), call("f"), call("g"))
    assert report.answers[1].value == 1
    assert len(report.output) == 65536


def test_deep_but_finite_recursion_is_fine(sandbox):
    source = "def f(n): return n if n == 0 else f(n - 1)"
    assert values(ask(sandbox, module(source), call("f", 900))) == [0]


def test_each_call_starts_from_the_same_seed(sandbox):
    source = """
    import random
    import numpy as np
    def f(): return random.random(), np.random.rand()
    """
    report = ask(sandbox, module(source), call("f"), call("f"))
    assert values(report)[0] == values(report)[1]


def test_top_level_random_numbers_are_the_same_in_each_run(sandbox):
    code = module("import numpy as np\nx = np.random.rand()\ndef f(): return x")
    assert values(ask(sandbox, code, call("f"))) == values(ask(sandbox, code, call("f")))


@pytest.mark.parametrize(
    "line", ["np.random.seed = 42", "random.seed = 42", "time.perf_counter = 0", "signal.setitimer = None"]
)
def test_a_function_overwritten_by_mistake_does_not_cost_the_answers(sandbox, line):
    source = f"""
    import random, signal, time
    import numpy as np
    {line}
    def f(): return 1
    """
    assert values(ask(sandbox, module(source), call("f"), call("f"))) == [1, 1]


def test_the_seed_holds_where_the_function_that_sets_it_was_overwritten(sandbox):
    source = """
    import random
    import numpy as np
    np.random.seed = random.seed = 42
    def f(): return random.random(), np.random.rand()
    """
    first, second = values(ask(sandbox, module(source), call("f"), call("f")))
    assert first == second


def test_a_clock_that_is_taken_away_still_stops_an_endless_loop_in_time(sandbox):
    source = """
    import signal
    signal.setitimer = signal.signal = lambda *args: None
    def f():
        while True:
            pass
    def g(): return 1
    """
    report = ask(sandbox, module(source), call("f"), call("g"), limits=SHORT)
    assert raised(report.answers[0])[0] == "TimeLimit"
    assert report.answers[0].seconds < 2
    assert report.answers[1].value == 1


def test_numpys_errors_that_a_demonstration_switched_on_do_not_reach_the_calls(sandbox):
    source = """
    import numpy as np
    np.seterr(all="raise")
    def f(x): return np.exp(x)
    """
    report = ask(sandbox, module(source), call("f", np.array([-1000.0])), call("f", np.array([-1000.0])))
    assert [value.tolist() for value in values(report)] == [[0.0], [0.0]]


def test_no_calls_give_no_answers(sandbox):
    report = ask(sandbox, module("x = 1"))
    assert (report.status, list(report.answers)) == (Status.GRADED, [])


def test_the_facts_of_functions_come_with_the_answers(sandbox):
    source = """
    class Config(dict):
        __getattr__ = dict.__getitem__
    D, config = 4, Config()
    def f(Q, K): return Q * D, config
    """
    facts = ask(sandbox, module(source), call("f", 1, 2), call("g")).functions
    assert list(facts) == ["f"]
    assert facts["f"].parameters == ("Q", "K")
    assert facts["f"].globals_read == ("D",)


@pytest.mark.parametrize(
    "line",
    [
        "np.exp = lambda x: 1 / 0",
        "np.ndarray.__module__; np.asarray = None; np.array = None",
        "import builtins; builtins.isinstance = lambda *a: True",
        "import json; json.dumps = lambda *a, **k: '{}'",
        "import time; time.perf_counter = lambda: 'late'",
    ],
)
def test_what_a_submission_does_to_libraries_stays_with_it(sandbox, line):
    code = module(f"import numpy as np\n{line}\ndef f(): return 1")
    ask(sandbox, code, call("f"))
    report = ask(sandbox, module("import numpy as np\ndef f(): return np.exp(np.array([0.0]))"), call("f"))
    assert values(report)[0].tolist() == [1.0]


class Text(str):
    __slots__ = ()


class Answers(dict[str, object]):
    def items(self):
        raise RuntimeError("asked for my items")


class Number:
    def item(self):
        raise RuntimeError("asked for my item")


def test_texts_numbers_and_none_pass_as_they_are():
    answers = {"a": "b", "n": 3, "x": 0.5, "yes": True, "none": None, "long": "ä" * MAX_TEXT}
    assert plain_answers(answers) == answers


@pytest.mark.parametrize(
    ("value", "plain"),
    [(np.float32(0.5), 0.5), (np.int64(7), 7), (np.array([[4.0]]), 4.0), (np.bool_(True), True)],
)
def test_a_single_computed_number_becomes_a_plain_one(value, plain):
    [number] = plain_answers({"n": value}).values()
    assert (type(number), number) == (type(plain), plain)


@pytest.mark.parametrize(
    ("value", "described"),
    [
        (Text("b"), "a value of type Text"),
        ("x" * (MAX_TEXT + 1), f"a text of {MAX_TEXT + 1} characters"),
        ([1], "a value of type list"),
        (np.arange(2), "a value of type ndarray"),
        (Number(), "a value of type Number"),
        (1j, "a value of type complex"),
        (b"b", "a value of type bytes"),
    ],
)
def test_anything_else_is_described_in_its_place(value, described):
    assert plain_answers({"q": value, "other": 1}) == {"q": Unsendable(described), "other": 1}


@pytest.mark.parametrize("value", [Answers(a=1), [("a", 1)], "b", None, len])
def test_only_a_plain_dictionary_is_read(value):
    assert plain_answers(value) == Unsendable(f"a value of type {type(value).__name__}")


def test_too_many_entries_are_not_read():
    assert isinstance(plain_answers(dict.fromkeys(map(str, range(MAX_ENTRIES)))), dict)
    assert plain_answers(dict.fromkeys(map(str, range(10**5)))) == Unsendable(
        "a dictionary of 100000 entries"
    )


def test_keys_that_are_no_short_texts_are_told_by_their_type():
    answers = {1: "a", Text("q"): "b", "k" * (MAX_KEY + 1): "c", (2, 3): "d"}
    key_kinds = ["a key of type int", "a key of type Text", "a key of type str", "a key of type tuple"]
    assert list(plain_answers(answers)) == key_kinds


def test_the_largest_dictionary_that_is_read_fits_into_an_answer():
    largest = {f"{number:0>{MAX_KEY}}": "\U0001f600" * MAX_TEXT for number in range(MAX_ENTRIES)}
    raw = pack({"value": plain_answers(largest)})
    assert unpack(raw, max_header=4 << 20) == {"value": largest}


ATTENDS = """
def softmax(x, axis=-1):
    return x * 0

other_name = softmax

def attend(scores):
    return {call}
"""


@pytest.fixture(name="answers")
def _answers(course, pool):
    def answers(text):
        call = FunctionCall("attend", (np.ones((2, 3)),))
        calls = [PassThroughCall(call, "softmax").as_mapping(), call.as_mapping()]
        request = Request(Code("a.py", {"a.py": text}), calls, course.homework("hw3").library)
        return list(pool.run(request).answers)

    return answers


@pytest.mark.parametrize(
    "call", ["softmax(5 * scores)", "softmax(x=5 * scores, axis=0)", "other_name(5 * scores, 1)"]
)
def test_the_function_returns_its_argument_in_this_call_and_is_itself_afterwards(answers, call):
    passed, as_it_is = answers(ATTENDS.format(call=call))
    assert (passed.value == 5).all()
    assert (as_it_is.value == 0).all()


@pytest.mark.parametrize(
    "text",
    [
        "def attend(scores):\n    return scores\n",
        "softmax = max\ndef attend(scores):\n    return scores\n",
        "def make(n):\n    return lambda x: n * x\n\nsoftmax = make(0)\n"
        + ATTENDS.partition("softmax\n\n")[2].format(call="softmax(scores)"),
    ],
    ids=["missing", "built in", "within another"],
)
def test_what_is_no_plain_function_of_the_submission_is_an_error_of_this_call_alone(answers, text):
    passed, as_it_is = answers(text)
    assert not passed.is_usable
    assert as_it_is.is_usable
