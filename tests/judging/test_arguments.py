"""Arguments of every kind: functions of the course, random generators, sets, tables. All others are refused."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from autograder.course.cases import FunctionCall, function, generator, stored_cases
from autograder.course.homework import CourseError
from autograder.exhibits.exhibits import exhibit
from autograder.sandbox.report import Answer
from autograder.student.answers import Copies
from autograder.verdict.known import JudgedCase, KnownCase, read_known
from autograder.verdict.reference import know
from autograder.worker.calls import make_call
from autograder.worker.composites import put_together
from autograder.worker.wire import Bag

CASES = """
import math

import numpy as np

from autograder.course.cases import Case, FunctionCall, function, generator


def slope(table, x):
    return table[0] * math.floor(x)


{more}


def published():
    x = np.array([0.5, 1.25, 4.0])
    yield Case("double/printed", FunctionCall("double", ({argument},)))
    yield Case("totals/printed", FunctionCall("totals", (x,)))


def public(rng):
    yield from ()


def hidden(rng):
    yield from ()


def fresh(rng):
    yield from ()
"""
# What cases.py writes, the solution's return value, and that value.
ROWS = {
    "function": ("function(slope, np.array([3.0]))", "x(2.5)", 6.0),
    "function without first arguments": ("function(slope)", "x([3.0], 2.5)", 6.0),
    "generator": ("generator(5)", "x.random()", np.random.default_rng(5).random()),
    "set": ("{1, 2, 5}", "len(x) + (type(x) is set)", 4),
    "text": ('"one\\ntwo"', "x.splitlines()", ["one", "two"]),
    "None in a list": ("[None, 'a', 3]", "x[2] * (x[0] is None)", 3),
    "keys that are numbers": ("{1: 'a', (2, 3): 'b'}", "x[1] + x[2, 3]", "ab"),
    "array of texts": ("np.array(['a', 'b'])", "[x.dtype.kind, *x.tolist()]", ["U", "a", "b"]),
    "a function in a dictionary": ("{'step': function(slope)}", "x['step']([1.0], 7.9)", 7.0),
}


def course_with(tiny, argument, more=""):
    text = CASES.replace("{argument}", argument).replace("{more}", more)
    (tiny.folder / "cases.py").write_text(text, encoding="utf-8")
    return tiny


def of_double(tiny):
    return stored_cases(tiny.homework)[0]


@pytest.mark.parametrize("name", ROWS)
def test_an_argument_reaches_the_function_in_grading_and_on_a_students_machine(name, tiny, pool):
    argument, body, right = ROWS[name]
    course_with(tiny, argument)
    tiny.edit("doubles.py", "return factor * x", f"return {body}")
    known, _ = know(tiny.homework, stored_cases(tiny.homework), pool)
    assert known.is_right(Answer(right))

    # Stored and read again, as in a release, the same call gives the same.
    inputs, outputs = Bag(), Bag()
    again = read_known(known.written(inputs, outputs), inputs, outputs)
    request = Copies().freeze(dict(again.case.call.as_mapping()))
    namespace = {"double": eval(f"lambda x: {body}", {"np": np})}
    for _ in range(2):  # a generator is new in each call
        outcome = make_call(request, namespace, Copies())
        assert again.is_right(Answer(outcome["value"]))


def test_a_table_reaches_the_function(tiny, pool):
    pytest.importorskip("pandas")
    course_with(tiny, "pandas.DataFrame({'n': [1.0, 2.0], 'who': ['a', 'b']})", "import pandas")
    tiny.edit("doubles.py", "return factor * x", "return x[x.who == 'b'].n.sum()")
    known, _ = know(tiny.homework, stored_cases(tiny.homework), pool)
    assert known.is_right(Answer(2.0))


@pytest.mark.parametrize(
    ("argument", "says"),
    [
        (
            "lambda s: s",
            r"argument 1 is or holds a function: write `function\(<lambda>\)`; arguments are numbers",
        ),
        ("[slope]", r"holds a function: write `function\(slope\)`"),
        ("np.random.default_rng(3)", r"a random generator: write `generator\(seed\)`"),
        ("{'rng': np.random.default_rng(3)}", r"a random generator: write `generator\(seed\)`"),
        ("object()", "an object of type object; arguments are numbers, arrays, texts"),
        ("b'raw'", "an object of type bytes"),
        ("np.ones(2, complex)", "an array of dtype complex128"),
        ("function(lambda s: s)", "give a function that is defined with `def`"),
        ("function(needs_other)", "it uses `slope` of cases.py, which is not sent with it"),
        ("function(np.sum)", "give a function that is defined with `def`"),
    ],
)
def test_what_cannot_be_sent_is_refused_where_it_stands(tiny, argument, says):
    course_with(tiny, argument, "def needs_other(x):\n    return slope([1.0], x)")
    with pytest.raises(CourseError, match=says) as caught:
        stored_cases(tiny.homework)
    assert "cases.py" in str(caught.value)
    assert "Unsendable" not in str(caught.value)


def test_arguments_are_shown_in_the_call(tiny):
    course_with(tiny, "function(slope), generator(7), {1, 2}, 'word', 'long ' * 40")
    case = of_double(tiny)
    shown_case = exhibit(
        JudgedCase(KnownCase(case, 1.0, None, 1e-5), Answer(2.0)), ["f", "rng", "s", "t", "u"]
    )
    assert shown_case.call == "double(slope, np.random.default_rng(7), s, 'word', u)"
    inputs = dict(shown_case.inputs)
    assert inputs["f"].kind == "a function"
    assert inputs["f"].rows[0].startswith("def␣slope(table,␣x):")
    assert inputs["s"].rows == ("1", "2")
    assert inputs["u"].kind == "a text of 200 characters"


def test_a_call_that_is_made_many_times_says_so(tiny):
    many = replace(of_double(tiny), call=FunctionCall("double", (generator(7),), times=4000))
    shown_case = exhibit(JudgedCase(KnownCase(many, 1.0, None, 1e-5), Answer(2.0)), ["rng"])
    assert shown_case.call == "double(np.random.default_rng(7)), 4,000 times in a row"


def test_the_call_of_plain_arguments_stays_the_same_object(tiny):
    course_with(tiny, "x", "CALL = FunctionCall('totals', ([1.0, None, {'a': (np.ones(1), 2)}],))")
    tiny.edit("cases.py", 'FunctionCall("totals", (x,))', "CALL")
    _, totals = stored_cases(tiny.homework)
    assert totals.call is sys.modules["_course_hwx_cases"].CALL


def test_a_generator_is_new_in_each_call():
    argument = generator(3)
    first, second = put_together(argument), put_together(argument)
    assert first.random() == second.random()


def test_a_changed_table_or_set_counts_as_modified():
    pandas = pytest.importorskip("pandas")
    call = FunctionCall("f", (pandas.DataFrame({"n": [1.0]}), {1}, 3))
    request = Copies().freeze(dict(call.as_mapping()))

    def change(table, items, n):
        table["n"] += 1
        items.add(n)

    copies = Copies()
    assert make_call(request, {"f": change}, copies)["modified"] == [0, 1]
    assert make_call(request, {"f": lambda *args: None}, copies)["modified"] == []


def test_a_function_with_a_name_of_its_own_needs_a_definition():
    with pytest.raises(CourseError, match="top level"):
        function(len)
