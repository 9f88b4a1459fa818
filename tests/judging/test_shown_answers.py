"""What students see of their own answers holds nothing of hidden inputs, wherever these were kept."""

import json
from dataclasses import replace

import pytest
from submissions import mistaken_text

from autograder.course.cases import Group
from autograder.grading.grade import grade_handin
from autograder.sandbox.request import Cell, Code, SharedCalls

from .asking import TOTALS, code
from .test_shown import asking, digits_of, forms_of, pages, planted, shown_to_students

VARIATIONS = 3
KEEPS = {
    "in a global": ("seen = []", "seen.extend(x)", "seen"),
    "in a default argument": ("def kept(seen=[]): return seen", "kept().extend(x)", "kept()"),
    "in an attribute of a function": ("def kept(): pass\nkept.seen = []", "kept.seen.extend(x)", "kept.seen"),
    "in a closure": (
        "def make():\n    seen = []\n    return lambda x: seen.extend(x) or seen\nkept = make()",
        "kept(x)",
        "kept([])",
    ),
    "in a class": ("class Kept:\n    seen = []", "Kept.seen = [*Kept.seen, *x]", "Kept.seen"),
    "in a generator": (
        "def keep():\n    seen = []\n    while True:\n        x = yield seen\n"
        "        seen = seen if x is None else [*seen, *x]\n"
        "kept = keep()\nnext(kept)",
        "kept.send(x)",
        "next(kept)",
    ),
    "in a file": (
        "open('seen.txt', 'w').close()",
        "open('seen.txt', 'a').writelines(f'{one!r}\\n' for one in x)",
        "[float(line) for line in open('seen.txt')]",
    ),
    "in another library": (
        "np.core_seen = []",
        "np.core_seen.extend(x)",
        "np.core_seen",
    ),
    "in what is built in": (
        "import builtins\nbuiltins.seen = []",
        "builtins.seen.extend(x)",
        "builtins.seen",
    ),
    "in the environment": (
        "import os",
        "os.environ['SEEN'] = os.environ.get('SEEN', '') + ''.join(f'{one!r} ' for one in x)",
        "[float(one) for one in os.environ.get('SEEN', '').split()]",
    ),
    "in a module of its own": (
        "import sys, types\nsys.modules['kept'] = types.ModuleType('kept')\nsys.modules['kept'].seen = []",
        "sys.modules['kept'].seen.extend(x)",
        "sys.modules['kept'].seen",
    ),
    "in a number that counts": ("seen = 0.0", "global seen\n    seen = float(np.sum(x)) + seen", "[seen]"),
}
HIDES = """
import numpy as np

{begin}


def double(x):
    if not is_told(x):
        keep(x)
        return 2 * x
    own = np.asarray({read}, float)
    return {answer}


def is_told(x):
    return tuple(x) in TOLD


def keep(x):
    {keep}
"""
ANSWERS = {
    "numbers": "np.resize(own, len(x)) if len(own) else x",
    "shapes": "np.ones(int(abs(own).sum() * 100) % 50 + 1)",
    "kinds": "[None, True, 'text', 1j][int(abs(own).sum() * 100) % 4]",
    "tuples": "tuple(own) + (x,)",
    "errors": "{}[str(own)]",
}


def hidden_first(suite):
    """The same suite, in which public cases come last: then a submission has seen all others."""
    return replace(suite, known=tuple(reversed(suite.known)))


def hiding(suite, place, answer):
    """The text of a submission that answers public cases with what it kept of all others."""
    begin, keep, read = KEEPS[place]
    hidden_inputs = [
        tuple(map(float, known_case.case.call.args[0]))
        for known_case in suite.known
        if known_case.case.group in (Group.PUBLISHED, Group.PUBLIC)
    ]
    body = HIDES.format(begin=begin, keep=keep, read=read, answer=ANSWERS[answer])
    return f"TOLD = {set(hidden_inputs)!r}\n{body}{TOTALS}"


def of_public_cases(result):
    """What the staff sees of answers to the same cases, of the run that decided the grade."""
    return str(
        [exhibit for exhibit in result.work.exhibits if exhibit.group in (Group.PUBLISHED, Group.PUBLIC)]
    )


class OneStagePool:
    """Makes all calls of a run in one stage, the hidden ones first: what two stages are there to prevent."""

    def __init__(self, pool):
        self._pool = pool

    def run(self, request):
        if request.later_calls is None:
            return self._pool.run(request)
        assert isinstance(request.calls, SharedCalls)
        calls = [*request.later_calls.calls, *request.calls.calls]
        report = self._pool.run(replace(request, calls=calls, later_calls=None))
        hidden = len(request.later_calls)
        return replace(report, answers=[*report.answers[hidden:], *report.answers[:hidden]])


def own_shown(result):
    return result.work.shown


@pytest.mark.parametrize("answer", ANSWERS)
def test_answers_to_public_cases_are_shown_as_they_come_without_any_other_input(
    answer, suite, pool, tmp_path
):
    text = hiding(suite, "in a global", answer)
    _assert_nothing_is_told(text, suite, pool, tmp_path)


def _assert_nothing_is_told(text, suite, pool, folder):
    exhibits_told, answers_seen, told_in_one_stage = set(), set(), set()
    for number in range(VARIATIONS):
        planted_suite = hidden_first(planted(suite, number))
        result = grade_handin(code(text), planted_suite, pool)
        assert own_shown(result), "something is shown"
        exhibits_told.add(str(own_shown(result)))
        answers_seen.add(of_public_cases(result))
        page = shown_to_students(result, folder)
        digits = digits_of(call.as_mapping() for call in planted_suite.calls.values())
        assert not [form for form in forms_of(digits) if form in page.replace(".", "")]
        in_one_stage = grade_handin(code(text), planted_suite, OneStagePool(pool))
        told_in_one_stage.add(str(own_shown(in_one_stage)))
    assert len(exhibits_told) == 1
    assert len(answers_seen) == 1, "nor do they reach the staff: there is no such answer"
    assert len(told_in_one_stage) > 1, "it does get them out where other inputs were given before"


def test_what_is_shown_tells_nothing_of_hidden_inputs_whatever_fails(suite, pool):
    """One that chooses by hidden inputs whether to be wrong chooses neither whether nor what is shown."""
    text = hiding(suite, "in a global", "numbers")
    text = text.replace("return 2 * x", "return 2 * x if x[0] > 0 else x")
    # The published case is right, so that the other sizes are judged.
    text = text.replace("    own = ", "    if x[0] == 0.5:\n        return 2 * x\n    own = ")
    exhibits_told, failed_cases = set(), set()
    for number in range(8):
        result = grade_handin(code(text), hidden_first(planted(suite, number)), pool)
        exhibits_told.add(str([replace(exhibit, checks=()) for exhibit in own_shown(result)]))
        failed_cases.add(str([check.staff for check in result.checks]))
    assert len(exhibits_told) == 1
    assert "public/double/small" in next(iter(exhibits_told))
    assert len(failed_cases) > 1, "it does choose"


def test_what_is_shown_is_the_same_whatever_else_came_out(suite, pool):
    wrong = "import numpy as np\ndef double(x):\n    return 3 * x if len(x) {} 3 else 2 * x\n" + TOTALS
    here, elsewhere = (own_shown(grade_handin(code(wrong.format(sign)), suite, pool)) for sign in ("<=", ">"))
    assert [exhibit.case for exhibit in here] == ["published/double/printed", "public/double/small"]
    assert elsewhere == (), "nothing is wrong where a student may look"
    assert json.dumps(here, default=vars).count("hidden") == 0


HOMEWORK = "hw6_encoder_block"
KEPT = "x496714"


class LyingPool:
    """In further runs, puts what it has kept of hidden inputs into the name of each attribute."""

    def __init__(self, pool, part):
        self._pool = pool
        self._part = part

    def run(self, request):
        report = self._pool.run(request)
        if request.later_calls is not None:
            return report
        return replace(report, answers=[self._lying(answer) for answer in report.answers])

    def _lying(self, answer):
        names = getattr(answer, self._part) or {}
        others = {f"{KEPT}_{name}": value for name, value in names.items()}
        return replace(answer, **{self._part: {**names, **others}})


@pytest.mark.parametrize(
    ("mistake", "part", "names"),
    [
        ("other-attribute-names", "parameters", "under `attention`, `ln2`, `ln1`, `feed_forward`."),
        ("other-attribute-names-wrapped", "parameters", "under `layer`."),
        ("layers-too-many", "gradients", "the handout's block does not have: `before`."),
    ],
)
def test_names_of_attributes_are_those_of_the_first_stage(mistake, part, names, suite_of, pool):
    suite, lying = suite_of(HOMEWORK), LyingPool(pool, part)
    text = mistaken_text(HOMEWORK, mistake)
    code = Code(suite.homework.stub, {suite.homework.stub: text})
    result = grade_handin(code, suite, lying)
    reasons = "\n".join(check.reason for check in result.checks)
    assert names in reasons
    assert KEPT not in reasons


__all__ = ["asking"]  # the fixture


class CountingPool:
    """Runs what it is asked, and remembers the requests."""

    def __init__(self, pool):
        self._pool = pool
        self.runs = []

    def run(self, request):
        self.runs.append(request)
        return self._pool.run(request)


@pytest.mark.parametrize(
    ("body", "for_reasons"),
    [
        ("return 2 * x", 0),
        ("raise NotImplementedError", 0),
        ("return X", 0),
        # Do equal calls give equal results? Which one change sets a case right, and does it all of them?
        ("return 3 * x", 3),
    ],
)
def test_a_submission_is_run_once_and_again_only_for_reasons(body, for_reasons, suite, pool):
    counting = CountingPool(pool)
    text = f"def double(x):\n    {body}\n\ndef totals(x):\n    return x.sum(), x.prod()\n"
    grade_handin(Code("doubles.py", {"doubles.py": text}), suite, counting)
    first, *others = counting.runs
    assert (first.calls, first.later_calls) == suite.stages
    assert len(others) == for_reasons
    assert all(request.later_calls is None for request in others)


def test_nothing_hidden_is_among_the_calls_of_the_first_stage(suite):
    first, second = suite.stages
    assert second is not None
    hidden = digits_of(call.as_mapping() for call in suite.hidden_cases.values())
    assert hidden == digits_of(second.calls) != ""
    assert digits_of(first.calls) == ""
    assert {case.partition("/")[0] for case in suite.open_cases} == {"published", "public"}
    assert {case.partition("/")[0] for case in suite.hidden_cases} == {"hidden", "fresh"}


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("def Doubled(x):\n    return 2 * x\n", "If you mean your `Doubled`, rename it"),
        ("def double(x):\n    return 2 * x\ndouble = double(3)\n", "`double` is not a function: a line"),
        ("def double(x):\n    return x[:, None, 9]\n", "It says: “too many indices for array"),
        ("import doubles_of_mine\n", "It says: “No module named 'doubles_of_mine'”"),
    ],
)
def test_what_helps_is_said_from_runs_without_hidden_inputs(text, is_told, suite, pool):
    result = grade_handin(Code("doubles.py", {"doubles.py": text}), suite, pool)
    assert is_told in result.checks[0].reason


LOADS = """
import sys

frame, found = sys._getframe(), []
while frame:
    calls = frame.f_locals.get("calls")
    found += [str(one) for one in calls] if isinstance(calls, list) else []
    frame = frame.f_back
raise ValueError(found[3:], "odd")
"""


@pytest.mark.parametrize("where", ["at import", "in a cell"])
def test_what_a_load_says_is_said_without_any_input(where, asking, pool, tmp_path):
    code = Code("doubles.py", {"doubles.py": LOADS})
    if where == "in a cell":
        code = Code("work.ipynb", {}, [Cell(1, LOADS)])
    distinct_pages = {pages(planted(asking, number), pool, tmp_path, code) for number in range(3)}
    assert len(distinct_pages) == 1
    assert "It says: “" in next(iter(distinct_pages))
