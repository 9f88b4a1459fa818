"""What a student's page can carry out of the inputs that a submission was given: a budget of bits.

Each submission here has its whole reply in its own hands and sees the hidden and fresh inputs. The same code
is graded with many inputs: where all pages are the same, no page holds anything of the inputs, in any form.
"""

import base64
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from asked import questions
from wording import to_students

from autograder.course.calls import FunctionCall
from autograder.course.cases import Group
from autograder.feedback.pages import feedback_page
from autograder.feedback.results_json import results_mapping
from autograder.gradebook.decisions import PolicyLine
from autograder.grading.grade import grade_handin
from autograder.policy.grade import SubmissionGrade
from autograder.reasons.outside import LARGEST_TRY
from autograder.reasons.relations import LARGEST_SHOWN
from autograder.report.exports import GradeRow, write_grades, write_policy
from autograder.sandbox.claims import KNOWN_TYPES, checked_report
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Ending, read_answer_to_calls, read_report
from autograder.sandbox.request import Cell, Code, SharedCalls
from autograder.verdict.describe import MOST_AXES, MOST_ENTRIES, MOST_ITEMS
from autograder.verdict.results import SubmissionResult
from autograder.worker.wire import pack

VARIATIONS = 12
BITS = 64
"""The most that one failed check may tell of the inputs; docs/security.md says it too."""
LINES, FILES = 1 << 20, 1 << 10  # of a submission as long as one may be

CODEBOOK = "\n".join(f"class E{digit}(Exception): x_{digit} = {digit}" for digit in range(100))
CODE = Code(
    "work.ipynb",
    {"helpers.py": CODEBOOK},
    [Cell(number, f"def double(a, b): pass\n{number} / 0\n" * 30) for number in range(1, 40)],
)
ERROR = {"type": "ValueError", "message": "", "file": "cell 3", "line": 2, "source": "", "trace": ""}


@pytest.fixture
def asking(suite, tmp_path):
    return replace(suite, homework=replace(suite.homework, questions=questions(tmp_path)))


def planted(suite, number):
    """The same suite with other hidden and fresh inputs."""
    chance = np.random.default_rng([4967, number])
    return replace(suite, known=tuple(_drawn_anew(known, chance) for known in suite.known))


def _drawn_anew(known, chance):
    call = known.case.call
    if known.case.group in (Group.PUBLISHED, Group.PUBLIC) or not isinstance(call, FunctionCall):
        return known
    x = chance.normal(size=call.args[0].shape)
    expected = 2 * x if call.name == "double" else (x.sum(), np.prod(x))
    return replace(known, case=replace(known.case, call=replace(call, args=(x,))), expected=expected)


def digits_of(calls):
    """The digits of the hidden inputs among the arguments of calls; none where there are none."""
    arrays = [argument for call in calls for argument in call.get("args", ())]
    hidden = [array for array in arrays if array.size > 3]
    return "".join(f"{abs(number):.7f}".replace(".", "") for array in hidden for number in array.ravel())


class Forger(SandboxPool):
    """Answers each request as a process would that writes its whole reply itself.

    It forges what it writes while it has hidden inputs: in the second stage of a run, and in further calls.
    """

    def __init__(self, forge):
        super().__init__()
        self._forge = forge

    def run(self, request):
        first = None
        calls = request.calls.calls if isinstance(request.calls, SharedCalls) else request.calls
        if request.later_calls is not None:
            first = read_answer_to_calls(self._reply_to(calls), request)
            calls = request.later_calls.calls
        printed = digits_of(calls).encode()
        report = read_report(self._reply_to(calls), printed, Ending(), request, first)
        return checked_report(report, request.code)

    def _reply_to(self, calls):
        tree = {
            "error": None,
            "stops": [{"cell": 1, **ERROR}],
            "functions": {"double": {"parameters": ["a"], "globals_read": ["D"], "sizes": {"D": 4}}},
            "results": [_reply(call) for call in calls],
        }
        digits = digits_of(calls)
        raw = self._forge(digits, tree) if digits else None
        return raw if isinstance(raw, bytes) else pack(tree)


def _reply(call):
    """Right for inputs that are public, and where outside names are bound to other numbers."""
    value = [1.0]
    if call["op"] == "answers":
        value = {"shape": "z", "total": "12", "why": "x"}
    elif call["op"] == "function":
        [x] = call["args"]
        right = 2 * x if call["name"] == "double" else (x.sum(), x.prod())
        value = right if x.size <= 3 or "rebind" in call else value
    return {"value": value, "modified": [], "seconds": 0.0}


def pages(suite, pool, folder, code=CODE):
    """All that a student can be shown of one grading."""
    return shown_to_students(grade_handin(code, suite, pool, ["a note"]), folder)


def shown_to_students(result, folder):
    submission = SubmissionGrade.of(SubmissionResult("ada", "class/ada.ipynb", (result,)))
    (folder / "feedback.html").write_text(feedback_page(submission), "utf-8")
    write_grades(folder / "grades.csv", [GradeRow.of(submission)], ["hwx"], 5.5)
    line = PolicyLine("ada", "hwx", result.raw, result.earned, result.points, reasons=("a reason",))
    write_policy(folder / "policy.csv", [line])
    files = [(folder / name).read_text("utf-8") for name in ("feedback.html", "grades.csv", "policy.csv")]
    return "\n".join(
        [json.dumps(results_mapping(submission)), json.dumps(result.work.shown, default=vars), *files]
    )


def forms_of(digits):
    """Forms in which pieces of digits can stand in a text."""
    pieces = {digits[start : start + 6] for start in range(0, len(digits) - 6, 8)}
    raw = [piece.encode() for piece in pieces]
    return {
        *pieces,
        *(piece[::-1] for piece in pieces),
        *(number.hex() for number in raw),
        *(hex(int(piece))[2:] for piece in pieces if int(piece) > 1 << 16),
        *(base64.b64encode(number).decode() for number in raw),
        *("".join(chr(ord("a") + int(digit)) for digit in piece) for piece in pieces),
        *(" ".join(piece) for piece in pieces),
    }


# What a reply can say without any student being told


def _everywhere(part, value):
    def forge(digits, tree):
        for place, result in enumerate(tree["results"]):
            turned = digits[place * 5 :] + digits[: place * 5]
            if part in ("value", "modified", "parameters", "seconds"):
                tree["results"][place] = {**result, part: value(turned)}
            else:
                tree["results"][place] = {"error": {**ERROR, part: value(turned)}, "seconds": 0.0}

    return forge


# What a check tells, counted


FINDINGS = 1 << 17  # sentences without a number: at most all sets of 14 arguments, whole or in part


def _shapes():
    """How many shapes are told: up to some axes, whose sizes other than 0 have a product up to a limit."""
    products = np.zeros(MOST_ENTRIES + 1)
    products[1] = 1
    counts = [1.0]
    for _ in range(MOST_AXES):
        longer = np.zeros_like(products)
        for product in np.flatnonzero(products):
            longer[product::product] += products[product]
        products = longer
        counts.append(float(products.sum()))
    zeros = [
        sum(math.comb(axes, some) * counts[some] for some in range(axes + 1)) for axes in range(MOST_AXES + 1)
    ]
    return int(sum(zeros))


def test_no_failed_check_tells_more_than_its_budget():
    entries = 1 << 15  # of the largest answer that a homework asks for
    exponents, mantissas = 2 * math.log10(LARGEST_SHOWN) + 1, 2 * 9000
    bits_of_channel = {
        "exception and line": len(KNOWN_TYPES | {"uncommon"}) * LINES * FILES,
        "shape": _shapes() * 2,
        "item of a tuple": MOST_ITEMS**2,
        "numbers": entries * entries * 8 * (exponents * mantissas + FINDINGS),
    }
    bits = {
        name: math.log2(count * LARGEST_TRY) for name, count in bits_of_channel.items()
    }  # and what is proved of it
    assert {name: amount for name, amount in bits.items() if amount > BITS} == {}


LOUD = {
    "types": _everywhere("type", lambda digits: sorted(KNOWN_TYPES)[int(digits[:4]) % len(KNOWN_TYPES)]),
    "lines": _everywhere("line", lambda digits: int(digits[:4]) % 60 + 1),
    "shapes": _everywhere("value", lambda digits: np.ones([int(digit) + 1 for digit in digits[:4]])),
}


@pytest.mark.parametrize("channel", LOUD)
def test_a_channel_of_the_budget_is_there(channel, asking, tmp_path):
    """The same forger gets something out here, so that the pages above are silent for the right reason."""
    distinct_pages = [
        pages(planted(asking, number), Forger(LOUD[channel]), tmp_path) for number in range(VARIATIONS)
    ]
    assert len(set(distinct_pages)) > 1


# The same in a sandbox


REAL = """
import json, os, sys


def double(x):
    digits = "".join(str(one) for one in abs(x))[:200]
    error = {"dict": {"type": "ValueError", "message": digits, "line": 1, "file": "cell 2", "source": ""}}
    cells = [{"dict": {"cell": 2, **error["dict"]}}, {"dict": {"cell": int(digits[2]), **error["dict"]}}]
    answers = {"dict": {"shape": digits[:39], digits: "b"}}
    if len(x) < 4:
        return 2 * x
    results = [{"dict": {"value": answers if number == ASKED else {"list": []}, "modified": {"list": []},
                         "seconds": 0}} for number in range(COUNT)]
    tree = {"error": None, "stops": {"list": cells}, "functions": {"dict": {}},
            "results": {"list": results}}
    raw = json.dumps({"dict": tree}).encode() + b"\\n" + (2).to_bytes(8, "little") + b"{}"
    os.ftruncate(201, 0)
    os.lseek(201, 0, 0)
    os.write(201, raw)
    os._exit(0)
"""


def test_a_forged_reply_from_a_sandbox_shows_nothing_of_the_inputs(asking, pool, tmp_path):
    head = f"COUNT, ASKED = {len(asking.hidden_cases)}, 0\nanswers = {{'shape': 'my own'}}"
    cells = [Cell(number, text) for number, text in enumerate([head, "1 / 0", "2 / 0", REAL], 1)]
    code = Code("work.ipynb", {}, cells)
    distinct_pages = {pages(planted(asking, number), pool, tmp_path, code) for number in range(4)}
    assert len(distinct_pages) == 1
    [page] = distinct_pages
    assert "my own" in page, "their own answer is quoted"
    assert page.count("Cell 2 raised ZeroDivisionError") == page.count("Cell 3 raised ZeroDivisionError") > 0


def test_answers_computed_from_inputs_are_not_read_any_more(asking, pool, tmp_path):
    text = "answers = {'shape': 'mine'}\ndef double(x):\n    answers['shape'] = str(x[0])\n    return 2 * x\n"
    code = Code("doubles.py", {"doubles.py": text})
    distinct_pages = {pages(planted(asking, number), pool, tmp_path, code) for number in range(3)}
    assert len(distinct_pages) == 1
    assert (
        json.loads(next(iter(distinct_pages)).partition("\n")[0])["tests"][3]["output"]
        == to_students["shown.mine-is-none-of-the-options"]
    )


def test_what_was_printed_is_for_the_staff(asking, pool, tmp_path):
    code = Code("doubles.py", {"doubles.py": "print('496714')\nimport sys\nsys.exit(1)\n"})
    result = grade_handin(code, asking, pool)
    assert "496714" in result.output
    assert "496714" not in shown_to_students(result, tmp_path)
