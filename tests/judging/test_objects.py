"""Objects used step by step, modules, and arguments of every kind: made in the worker, judged and shown."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from wording import to_authors, to_students

from autograder.course.arguments import function, generator, tensor
from autograder.course.calls import FunctionCall, ModuleCall, ObjectCall, object_call, read_call
from autograder.course.cases import Case, Group, stored_cases
from autograder.course.homework import CourseError
from autograder.exhibits.exhibits import exhibit
from autograder.language import language_of, speaking
from autograder.sandbox.report import Answer, StudentError, read_answer
from autograder.student.answers import Copies
from autograder.verdict.comparison import compare_case
from autograder.verdict.failure import CheckFailed, FailureKind, called
from autograder.verdict.fixtures import Cases, Compare, SubmissionProxy
from autograder.verdict.for_checks.modules import ModuleAnswers, finite_output, layers_of, numbers_by_part
from autograder.verdict.interface import Restored
from autograder.verdict.known import FailedCase, KnownCase, exception_as_value, read_known
from autograder.verdict.reference import know
from autograder.worker.calls import make_call
from autograder.worker.composites import Composite, put_together
from autograder.worker.runner import attempt
from autograder.worker.wire import Bag, Unsendable, WireError

SOLUTION = """
import numpy as np


class Stack:
    def __init__(self, size):
        self.items = np.zeros(size)
        self.count = 0

    def push(self, number):
        self.items[self.count] = number
        self.count += 1

    def pop(self):
        if not self.count:
            raise IndexError("empty")
        self.count -= 1
        return self.items[self.count]
"""
STEPS = ((3,), ("push", 5.0), ".items", ("push", 7.0), ("pop",), ".items", ("pop",), ".count")
ONE_TOO_MANY = ((3,), ("push", 5.0), ("pop",), ("pop",), ".count")


def used(source, call):
    """The answer of a class, through everything that a worker and a grader do to it."""
    namespace = {"__name__": "stack"}
    exec(source, namespace)
    copies = Copies()
    request = copies.freeze(dict(call.as_mapping()))
    return read_answer(attempt(request, namespace, copies, 0, set()))


def known_case(steps, raises=""):
    case = Case("Stack/one", object_call("Stack", *steps), raises=raises)
    answer = exception_as_value(case, used(SOLUTION, case.call))
    assert answer.is_usable
    return KnownCase(case, answer.value, None, 1e-5)


def changed(old, new):
    assert old in SOLUTION
    return SOLUTION.replace(old, new)


def complaint(known, source):
    answer = exception_as_value(known.case, used(source, known.case.call))
    assert answer.is_usable
    failure = compare_case(known, answer.value, ["items"])
    assert known.is_right(answer) == (failure is None)
    return "" if failure is None else failure.student


def test_each_step_is_a_part_of_the_answer_as_it_was_at_that_moment():
    parts = known_case(STEPS).expected.parts
    values = dict(zip(parts["names"], parts["values"], strict=True))
    assert list(values) == [
        "the result of `push` number 1",
        "`.items` after `push` number 1",
        "the result of `push` number 2",
        "the result of `pop` number 1",
        "`.items` after `pop` number 1",
        "the result of `pop` number 2",
        "`.count` after `pop` number 2",
    ]
    assert values["`.items` after `push` number 1"].tolist() == [5, 0, 0]  # not what it holds in the end
    assert values["`.items` after `pop` number 1"].tolist() == [5, 7, 0]
    assert values["the result of `push` number 1"] is None


def test_a_method_called_once_has_no_number_and_a_new_object_has_attributes():
    names = known_case(((2,), ".count", ("push", 1.0), ".count")).expected.parts["names"]
    assert names == ["`.count` of the new object", "the result of `push`", "`.count` after `push`"]


def test_a_method_that_returns_the_object_itself_returns_nothing():
    chained = changed("self.count += 1\n", "self.count += 1\n        return self\n")
    assert complaint(known_case(STEPS), chained) == ""


@pytest.mark.parametrize(
    ("key", "old", "new"),
    [
        ("wrong-numbers", "self.items[self.count] = number", "self.items[0] = number"),
        ("without-return", "return self.items[self.count]", "pass"),
        ("returns-self", "return self.items[self.count]", "return self"),
        ("holds-self", "return self.items[self.count]", "return [self]"),
    ],
)
def test_the_first_wrong_step_is_named(key, old, new):
    assert complaint(known_case(STEPS), changed(old, new)) == to_students[f"objects.{key}"]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("en", "expected an object, used step by step."),
        ("de", "erwartet wird ein Objekt, Schritt für Schritt verwendet."),
    ],
)
def test_steps_are_expected_in_words(code, expected):
    with speaking(language_of(code)):
        failure = compare_case(known_case(STEPS), np.ones(2), ["items"])
    assert failure.student.endswith(expected)


def test_an_object_of_a_class_never_crosses():
    source = changed("self.count = 0", "self.count = 0; self.friend = [Stack, self]")
    answer = used(source, object_call("Stack", (1,), ".friend"))
    [friend] = answer.value.parts["values"]
    assert friend == [Unsendable("an object of type type"), Unsendable("an object of type Stack")]


def test_an_exception_is_a_fact_about_its_step():
    call = object_call("Stack", *STEPS)
    answer = used(changed("self.count -= 1", "self.count -= one"), call)
    assert answer.error is not None
    assert not answer.is_usable
    assert (answer.error.type, answer.error.step) == ("NameError", 3)
    assert called(call, answer.error) == "`pop` number 1 of `Stack`"
    missing = used(
        changed("self.items = ", "self.numbers = self.items = ").replace("def pop", "def pull"), call
    )
    assert (missing.error.type, called(call, missing.error)) == (
        "AttributeError",
        "`pop` number 1 of `Stack`",
    )
    in_constructor = used(changed("self.count = 0", "self.count = None + 1"), call)
    assert in_constructor.error.step is None
    assert called(call, in_constructor.error) == "`Stack`"


@pytest.mark.parametrize(
    ("key", "old", "new"),
    [
        ("raises-nothing", "raise IndexError", "return len"),
        ("raises-early", "if not self.count", "if self.count < 2"),
        ("wrong-afterwards", 'raise IndexError("empty")', "self.count = 4; raise IndexError"),
        ("raises-another-later", "self.count -= 1", "self.count -= 1; self.size = self.none"),
    ],
)
def test_an_expected_exception_is_judged_with_the_steps_around_it(key, old, new):
    if key == "raises-another-later":
        known = known_case((*ONE_TOO_MANY[:1], ("pop",), *ONE_TOO_MANY[1:3]), "IndexError")
    else:
        known = known_case(ONE_TOO_MANY, "IndexError")
    assert complaint(known, changed(old, new)) == to_students[f"objects.{key}"]


def test_a_subclass_of_the_expected_exception_is_right():
    derived = changed("raise IndexError", "class Empty(IndexError): pass\n            raise IndexError")
    assert complaint(known_case(ONE_TOO_MANY, "IndexError"), derived) == ""


def test_another_exception_than_the_expected_one_is_an_error():
    known = known_case(ONE_TOO_MANY, "LookupError")
    right = exception_as_value(known.case, used(changed("IndexError", "KeyError"), known.case.call))
    assert known.is_right(right)  # a subclass
    wrong = exception_as_value(known.case, used(changed("IndexError", "ValueError"), known.case.call))
    assert wrong.error.type == "ValueError"


def test_an_exception_of_the_constructor_is_no_answer_to_steps():
    known = known_case(ONE_TOO_MANY, "IndexError")
    answer = used(changed("self.count = 0", "self.count = [][0]"), known.case.call)
    judged = known.exception_as_value(answer)
    assert (judged.error.type, judged.error.step) == ("IndexError", None)
    assert not known.is_right(answer)


def test_a_constructor_may_be_expected_to_raise():
    source = changed("self.count = 0", "self.count = [][0]")
    case = Case("Stack/one", object_call("Stack", (1,), ".count"), raises="IndexError")
    known = KnownCase(case, exception_as_value(case, used(source, case.call)).value, None, 1e-5)
    assert known.is_right(used(source, case.call))
    assert not known.is_right(used(SOLUTION, case.call))


@pytest.mark.parametrize(
    ("old", "new", "is_named"),
    [
        ("raise IndexError", "raise KeyError", True),
        ("self.items[self.count] = number", "self.items[self.count] = numbers", False),
        ("self.count = 0", "self.count = None + 1", False),
        ("self.count = 0", "self.count = [][0]", False),
    ],
    ids=["in-its-step", "in-another-step", "in-the-constructor", "the-same-in-the-constructor"],
)
def test_the_right_exception_is_named_only_where_the_solution_raises_it(old, new, is_named, tiny):
    known = known_case(ONE_TOO_MANY, "IndexError")
    known = replace(known, case=replace(known.case, name="double/one"))
    answer = used(changed(old, new), known.case.call)
    answers = Restored({known.case.id: answer}, [known])
    submission = SubmissionProxy(answers, dict, tuple, calls=lambda calls: [])
    failure = Compare(tiny.homework, submission, Cases((known,))).judge(known)
    assert failure.kind == FailureKind.RAISED
    assert ("IndexError is right" in failure.student) == is_named
    assert failure.student.endswith(" Here IndexError is right.") == is_named


def test_a_case_with_steps_is_stored_and_read():
    for known in (known_case(STEPS), known_case(ONE_TOO_MANY, "IndexError")):
        inputs, outputs = Bag(), Bag()
        again = read_known(known.written(inputs, outputs), inputs, outputs)
        assert again.case.raises == known.case.raises
        assert again.is_right(used(SOLUTION, again.case.call))
        assert again.size == known.size


def test_arguments_that_a_method_changes_are_named():
    call = object_call("Stack", (np.ones(2),), ("push", 1.0), ("push", np.ones(1)))
    source = "class Stack:\n    def __init__(self, a): pass\n    def push(self, x): x *= 2"
    answer = used(source, call)
    assert answer.modified == (2,)
    assert call.name_of_input(2) == "argument 1 of `push` number 2"
    assert call.name_of_input(0) == "argument 1 of the constructor"
    assert call.name_of_input(9) == "an argument"


def test_a_case_is_shown_as_the_lines_of_a_program():
    case = Case(
        "Stack/one", object_call("Stack", (np.ones(2),), ("push", 1.5), ("push", np.ones(1)), ".count")
    )
    known = KnownCase(case, Composite("steps", {"names": ["a"], "values": [2]}), None, 1e-5)
    exhibit_shown = exhibit(FailedCase(known, Answer(known.expected)), ["size"])
    assert exhibit_shown.call == "s = Stack(size); s.push(1.5); s.push(x2); s.count"
    assert [name for name, _ in exhibit_shown.inputs] == ["size", "x2"]


@pytest.mark.parametrize(
    "values", [[], [1.0] * 9, [[[]]] * 7, [Composite("exception", {"name": "x" * 300})] * 7]
)
@pytest.mark.parametrize("names", [[], [1], [["a"], None], ["`.count` after `pop` number 2"] * 7])
def test_no_tampered_answer_is_right_or_ends_grading(names, values):
    for known in (known_case(STEPS), known_case(ONE_TOO_MANY, "IndexError")):
        tampered = Composite("steps", {"names": names, "values": values})
        assert not known.is_right(Answer(tampered))
        assert compare_case(known, tampered) is not None
        exhibit(FailedCase(known, Answer(tampered)), [])
        error = {"type": "IndexError", "message": "", "line": None, "step": 900}
        answer = read_answer({"error": error, "steps": tampered, "seconds": 0.1})
        assert called(known.case.call, answer.error) == "`Stack`"
        assert not known.is_right(answer)


def test_a_step_that_is_no_number_is_refused():
    error = {"type": "IndexError", "message": "", "line": None}
    for step in (-1, 10**9, "1", True):
        with pytest.raises(WireError):
            read_answer({"error": {**error, "step": step}, "seconds": 0.1})
    with pytest.raises(WireError):
        read_answer({"error": error, "steps": ["no composite"], "seconds": 0.1})


@pytest.mark.parametrize(
    ("key", "steps"),
    [
        ("arguments-no-tuple", (1, ".count")),
        ("no-step", ((1,),)),
        ("attribute-without-dot", ((1,), "count")),
        ("empty-step", ((1,), ())),
        ("method-no-text", ((1,), (2, 3))),
        ("two-dots", ((1,), ".a.b")),
        ("looks-twice", ((1,), ".count", ".count")),
        ("too-many", ((1,), *[("push", 1.0)] * 600)),
    ],
)
def test_a_step_that_is_written_wrong_is_refused(key, steps):
    with pytest.raises(ValueError, match="object_call", check=to_authors[f"objects.{key}"]):
        object_call("Stack", *steps)


CASES_OF_OBJECTS = """
from autograder.course.cases import Case, object_call


def published():
    yield Case("double/printed", object_call("double", (3,), ("push", 1.0), {step}){raises})


def public(rng):
    yield from ()


hidden = fresh = public
"""


@pytest.mark.parametrize(
    ("key", "step", "raises"),
    [
        ("no-such-method", '("pull",)', ""),
        ("no-such-attribute", '".size"', ""),
        ("method-as-attribute", '".pop"', ""),
        ("raises", '("pop",), ("pop",)', ""),
        ("raises-another", '("pop",), ("pop",)', ', raises="KeyError"'),
        ("raises-nothing", '("pop",)', ', raises="IndexError"'),
        ("argument", '("push", object())', ""),
        ("written-wrong", '"pop"', ""),
    ],
)
def test_what_the_class_of_the_solution_has_not_is_refused_with_a_remedy(key, step, raises, tiny, pool):
    text = CASES_OF_OBJECTS.replace("{step}", step).replace("{raises}", raises)
    (tiny.folder / "cases.py").write_text(text, encoding="utf-8")
    (tiny.folder / "doubles.py").write_text(SOLUTION.replace("Stack", "double"), encoding="utf-8")
    with pytest.raises(CourseError, check=to_authors[f"objects.{key}-in-the-solution"]):
        know(tiny.homework, stored_cases(tiny.homework), pool)


def test_a_call_is_read_as_it_was_written():
    call = object_call("Stack", (1,), ("push", 2.0), ".count")
    again = read_call(call.as_mapping())
    assert isinstance(again, ObjectCall)
    assert (again.args, again.steps) == (call.args, call.steps)


CASES_OF_ARGUMENTS = """
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
    text = CASES_OF_ARGUMENTS.replace("{argument}", argument).replace("{more}", more)
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
        FailedCase(KnownCase(case, 1.0, None, 1e-5), Answer(2.0)), ["f", "rng", "s", "t", "u"]
    )
    assert shown_case.call == "double(slope, np.random.default_rng(7), s, 'word', u)"
    inputs = dict(shown_case.inputs)
    assert inputs["f"].kind == "a function"
    assert inputs["f"].rows[0].startswith("def␣slope(table,␣x):")
    assert inputs["s"].rows == ("1", "2")
    assert inputs["u"].kind == "a text of 200 characters"


def test_a_call_that_is_made_many_times_says_so(tiny):
    many = replace(of_double(tiny), call=FunctionCall("double", (generator(7),), times=4000))
    shown_case = exhibit(FailedCase(KnownCase(many, 1.0, None, 1e-5), Answer(2.0)), ["rng"])
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


X = np.arange(6.0).reshape(1, 2, 3)
CALL = ModuleCall("double", (3,), tensor(X), {"up.weight": tensor(np.ones((3, 3)))})
KNOWN = KnownCase(Case("double/printed", CALL, group=Group.PUBLISHED), 2 * X, None, 1e-5)
SHAPES = {
    "up.0.weight": (4, 3),
    "up.0.bias": (4,),
    "up.1.weight": (4, 3),
    "up.1.bias": (4,),
    "norm.bias": (3,),
}
NOT_LOADED = Answer(error=StudentError("MissingParameter", "no parameter"))


class Block:
    """A module that answers as told, and further calls one after another."""

    def __init__(self, tiny, answer, *further):
        self.calls = []
        self._further = iter(further)
        submission = SubmissionProxy(Restored({KNOWN.case.id: answer}), dict, tuple, self._ask)
        compare = Compare(tiny.homework, submission, Cases([KNOWN]))
        self.answers = ModuleAnswers(compare)

    def _ask(self, calls):
        self.calls += calls
        return [next(self._further) for _ in calls]


def test_numbers_are_counted_by_part_and_layers_by_what_they_hold():
    assert numbers_by_part(SHAPES) == {"up": 32, "norm": 3}
    linear = frozenset({("weight", (4, 3)), ("bias", (4,))})
    assert layers_of(SHAPES, "up") == {linear: 2}
    assert layers_of(SHAPES).total() == 3


def test_an_output_may_stand_in_a_tuple_and_is_finite():
    assert np.array_equal(finite_output((None, X, 2 * X), X.shape), X)
    assert finite_output(X[0], X.shape) is None
    assert finite_output(X * np.nan, X.shape) is None


def test_where_parameters_do_not_fit_the_module_is_asked_as_it_initialises_itself_once(tiny):
    block = Block(tiny, NOT_LOADED, Answer(2 * X, parameters=SHAPES))
    assert not block.answers.has_loaded(KNOWN)
    assert np.array_equal(block.answers.output(KNOWN), 2 * X)
    assert block.answers.registered(KNOWN) == SHAPES
    [call] = block.calls
    assert isinstance(call, ModuleCall)
    assert call.parameters == {}


def test_a_module_that_does_not_run_fails_with_what_it_raised(tiny):
    block = Block(tiny, Answer(error=StudentError("ValueError", "shapes")))
    for ask in (block.answers.registered, block.answers.output):
        with pytest.raises(CheckFailed) as failed:
            ask(KNOWN)
        assert failed.value.failure.kind is FailureKind.RAISED


def test_an_output_is_judged_as_it_was_returned(tiny):
    assert Block(tiny, Answer(2 * X)).answers.judge(KNOWN) is None
    wrong = Block(tiny, Answer((2 * X, None))).answers.judge(KNOWN)
    assert wrong.kind is FailureKind.ARITY


def test_another_input_is_given_once_under_its_name(tiny):
    block = Block(tiny, Answer(2 * X), Answer(X), Answer(None))
    for _ in range(2):
        assert np.array_equal(block.answers.output_for(KNOWN, "reversed", X[:, ::-1]), X)
    assert block.answers.output_for(KNOWN, "zero", 0 * X) is None
    assert len(block.calls) == 2


@pytest.mark.parametrize(
    ("shapes", "has_further_run"),
    [
        ({"up.weight": (3, 3)}, False),
        ({"up.weight": (3, 3), "down.weight": (3, 2)}, True),
        ({"down.weight": (3, 2)}, False),
        ({"up.weight": (3, 3), "down.weight": (10**9, 10**9)}, False),
    ],
)
def test_parts_that_a_case_does_not_give_hold_ones_in_a_trace(tiny, shapes, has_further_run):
    first, second = Answer(X, parameters=shapes), Answer(X)
    block = Block(tiny, Answer(X), first, second)
    assert block.answers.trace(KNOWN) is (second if has_further_run else first)
    *_, last = block.calls
    assert isinstance(last, ModuleCall)
    assert last.cotangent is not None
    assert ("down.weight" in last.parameters) is has_further_run
