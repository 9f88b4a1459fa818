"""An exhibit as text, and what grading keeps of a submission: true facts, no more than there is room for."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from homeworks import SIX

from autograder.course.arguments import tensor
from autograder.course.calls import FunctionCall, ModuleCall
from autograder.course.cases import Case, Group
from autograder.course.course import find_course
from autograder.exhibits.exhibits import (
    LONGEST_EXHIBITS,
    MOST_EXHIBITS,
    exhibit,
    exhibits,
    grid,
    wrong_public_answers,
)
from autograder.exhibits.side_by_side import grids, sentence
from autograder.grading.grade import grade_handin
from autograder.grading.suite import prepare_suite
from autograder.language import language_of, speaking
from autograder.sandbox.report import Answer, Operand, StudentError
from autograder.sandbox.request import Limits
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.known import FailedCase, KnownCase
from autograder.verdict.store import open_store
from autograder.verdict.work import Exhibit, Work, unpacked
from autograder.worker.wire import Masked, Unsendable

from .asking import DOUBLE, TOTALS, code

WEIGHTS = np.array([[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]])
LARGE = np.arange(400.0).reshape(20, 20)


def exhibit_of(value, expected, *args, names=("result",)):
    call = FunctionCall("double", args or (np.ones(2),))
    known = KnownCase(Case("double/small", call, group=Group.PUBLIC), expected, None, 1e-5)
    return exhibit(
        FailedCase(known, Answer(value=value), names), ["x", "y"][: len(call.args)], public=[known]
    )


def says(value, expected, name="weights"):
    return next((part.says for part in exhibit_of(value, expected, names=(name,)).parts if part.says), "")


def changed(array, *places, to=7.25):
    array = array.copy()
    for place in places:
        array[place] = to
    return array


# The fact that tells most


@pytest.mark.parametrize(
    ("value", "expected", "fact"),
    [
        (np.zeros((2, 2)), LARGE[:2, :2], "all entries are 0"),
        (np.full((3, 2), 0.5), WEIGHTS, "all entries are 0.5"),
        (changed(LARGE, (0, 2), (3, 1)), LARGE, "2 of 400 differ, first at [0, 2]"),
        (LARGE + 1, LARGE, "all 400 differ"),
        (changed(LARGE, (4, 0), to=math.nan), LARGE, "1 of 400 are NaN, first at [4, 0]"),
        (changed(LARGE, (4, 0), to=math.inf), LARGE, "1 of 400 are NaN or infinite, first at [4, 0]"),
        (np.array([1.0, 3, 3]), np.array([1.0, 2, 3]), "1 of 3 differ, first at [1]"),
        (np.float64(2), np.float64(3), ""),
        (
            [np.ones((2, 1)), np.ones((2, 1)) * [[1], [2]]],
            [np.ones((2, 1))] * 2,
            "1 of 4 differ, first at [1][1, 0]",
        ),
        (tensor(LARGE + 1), tensor(LARGE), "all 400 differ"),
        (np.ones((2, 2), int) + 1, np.arange(4.0).reshape(2, 2), "all entries are 2"),
    ],
)
def test_one_fact_is_told(value, expected, fact):
    assert says(value, expected) == fact


@pytest.mark.parametrize(
    ("value", "expected", "fact"),
    [
        (WEIGHTS * [[2], [1], [3]], WEIGHTS, "rows sum to 2, 1, 3 instead of 1"),
        ((WEIGHTS * [[2], [1], [3]]).T, WEIGHTS.T, "columns sum to 2, 1, 3 instead of 1"),
        (WEIGHTS[0] * 2, WEIGHTS[0], "entries sum to 2 instead of 1"),
        (
            np.tile(WEIGHTS, (3, 1)) * 3,
            np.tile(WEIGHTS, (3, 1)),
            "9 of 9 rows sum to 3, 3, 3, 3, 3, … instead of 1",
        ),
        (
            np.tile(WEIGHTS, (3, 1)) * np.r_[[2], [1] * 8][:, None],
            np.tile(WEIGHTS, (3, 1)),
            "1 of 9 rows sum to 2 instead of 1",
        ),
        (WEIGHTS + 0.001, WEIGHTS, "rows sum to 1.002, 1.002, 1.002 instead of 1"),
        (WEIGHTS[:, ::-1], WEIGHTS, "4 of 6 differ, first at [0, 0]"),
        (LARGE[:3, :2], LARGE[1:4, :2], "all 6 differ"),
    ],
)
def test_sums_are_told_only_of_what_should_sum_to_1(value, expected, fact):
    assert says(value, expected) == fact


def test_where_rows_and_columns_should_sum_to_1_neither_is_told():
    remark = says(np.array([[0.5, 0.5], [0.6, 0.6]]), np.array([[0.4, 0.6], [0.6, 0.4]]))
    assert remark == "3 of 4 differ, first at [0, 0]"


def test_rows_that_sum_to_1_by_chance_are_not_told():
    assert says(WEIGHTS * 2, WEIGHTS, "context vector") == "all 6 differ"


def test_in_the_course_sums_are_told_of_weights_and_of_nothing_else():
    course, names = find_course(None), set()
    for homework in course.homeworks(SIX):
        for known in open_store(course, homework).read():
            if not known.case.expects:
                continue
            returns, expected = homework.task(known.case.task).returns, known.expected
            parts = expected if isinstance(expected, tuple) else [expected] if len(returns) == 1 else []
            for name, right in zip(returns, parts, strict=bool(parts)):
                array = np.asarray(getattr(right, "array", right))
                wrong = array + 0.01 * np.arange(1, array.size + 1).reshape(array.shape)
                names |= {name} if "sum to" in says(wrong, array, name) else set()
    assert names == {"attention weights", "softmax", "array of weights"}


# Beside each other


@pytest.mark.parametrize("code", ["en", "de"])
@pytest.mark.parametrize(
    "value",
    [
        np.ones((2, 3)),
        tensor(np.ones((2, 3))),
        Masked(np.ones((2, 3)), np.zeros((2, 3), bool)),
    ],
)
def test_the_heading_of_an_exhibit_from_before_grids_had_a_shape_is_that_of_a_new_one(value, code):
    with speaking(language_of(code)):
        inputs = (("x", grid(value)),)
        new = Exhibit("double", "double/small", "public", "double(x)", 1e-5, inputs)
        old = replace(new, inputs=(("x", replace(grid(value), shape="")),))
        assert new.heading.endswith(" x (2, 3)")
        assert old.heading == new.heading


def test_what_differs_is_marked_and_decimal_points_stand_below_each_other():
    picture = exhibit_of(np.array([[1.5, 10], [0.25, 2]]), np.array([[1.5, 2], [0.25, 2]]), np.ones((2, 2)))
    assert sentence(picture) == "double(x) with x (2, 2): 1 of 4 differ, first at [0, 1]"
    assert grids(picture, 79) == [
        "x       yours        expected",
        "1  1    1.5   *10    1.5   2",
        "1  1    0.25    2    0.25  2",
    ]
    assert grids(picture, 79, paint=lambda off: f"<{off}>")[1] == "1  1    1.5   <*10>    1.5   2"


def test_what_is_no_number_takes_no_more_room():
    picture = exhibit_of(np.array([[0.25, -math.inf], [math.nan, 1]]), np.array([[0.25, 2], [3, 1]]))
    assert grids(picture, 79) == [
        "x       yours            expected",
        "1  1    0.25    *-inf    0.25  2",
        "         *nan  1         3     1",
    ]


def test_rows_of_one_stand_below_each_other_also_where_one_is_longer():
    assert grids(exhibit_of(np.array([1.0, 5]), np.array([1.0, 2])), 79) == [
        "x         1   1",
        "yours     1  *5",
        "expected  1   2",
    ]
    assert grids(exhibit_of(np.array([1.5, 2, 3, 4]), np.array([10.25, 2])), 79)[1:] == [
        "yours, shape (4,)      1.5   2  3  4",
        "expected, shape (2,)  10.25  2",
    ]


@pytest.mark.parametrize("height", [0, 1, 2, 3, 5, 9])
@pytest.mark.parametrize("width", [30, 60, 109])
def test_it_shrinks_around_the_first_entry_that_differs(width, height):
    picture = exhibit_of(changed(LARGE, (17, 13), (19, 19)), LARGE, LARGE, LARGE)
    lines = grids(picture, width, height)
    assert len(lines) <= height
    assert all(len(line) <= width for line in lines)
    assert not lines or "*7.25" in "".join(lines)
    assert not lines or lines[0].split("  ")[0] == "yours, in part"


def test_numbers_have_the_digits_that_tell_them_apart():
    [part] = exhibit_of(np.array([0.123456789, 0.25]), np.array([0.123456789, 0.25002])).parts
    assert (part.came.rows, part.expected.rows) == (("0.123457 0.25",), ("0.123457 0.25002",))
    [huge] = exhibit_of(np.array([1e-9, 2.5e12]), np.array([1e-9, 2.6e12])).parts
    assert huge.came.rows == ("1e-09 2.5e+12",)


def test_of_several_parts_the_wrong_one_is_named_and_shown_alone():
    picture = exhibit_of((WEIGHTS, LARGE[:2, :2] + 1), (WEIGHTS, LARGE[:2, :2]), names=("weights", "output"))
    assert sentence(picture) == "double(x) with x (2,); output: all 4 differ"
    assert [line.split() for line in grids(picture, 79)[1:]] == [
        ["1", "1", "*1", "*2", "0", "1"],
        ["*21", "*22", "20", "21"],
    ]


@pytest.mark.parametrize(
    "value", [None, "text", Unsendable("an object of type <b>"), {"a": 1}, (), 1j, [[1.0], [1, 2]]]
)
def test_what_holds_no_numbers_is_named(value):
    picture = exhibit_of(value, WEIGHTS)
    assert grids(picture, 79) == []
    assert "expected an array of shape (3, 2)" in sentence(picture)


def test_other_shapes_stand_beside_each_other_without_marks():
    lines = grids(exhibit_of(WEIGHTS.T, WEIGHTS), 79)
    assert lines[0].endswith("yours, shape (2, 3)    expected, shape (3, 2)")
    assert len(lines) == 4
    assert "*" not in "".join(lines)


def test_the_fact_is_never_cut_off_however_many_arguments_there_are():
    text = sentence(exhibit_of(np.zeros(2), np.arange(2.0), *[LARGE] * 40), 100)
    assert len(text) <= 100
    assert text.endswith(" …: all entries are 0")


def test_what_to_type_gives_the_arguments_their_names_as_far_as_they_are_short():
    start = 'from public_checks import case; {} = case("double", 1)'
    assert exhibit_of(1.0, WEIGHTS).paste == start.format("x")
    assert exhibit_of(1.0, WEIGHTS, LARGE, 3).paste == start.format("x, y")
    assert exhibit_of(1.0, WEIGHTS, *[LARGE] * 7).paste == start.format("arguments")


def test_a_hidden_case_is_never_offered():
    known = KnownCase(Case("double/x", FunctionCall("double", (LARGE,))), LARGE, None, 1e-5)
    assert known.case.group is Group.HIDDEN
    assert exhibit(FailedCase(known, Answer(value=1.0)), ["x"], public=[known]).paste == ""


TRIPLES = DOUBLE.replace("2 * x", "3 * x")
DEEP = [1.0]
for _ in range(15):
    DEEP = [DEEP]
HOSTILE = [
    math.nan,
    math.inf,
    10**400,
    -(2**63),
    1j,
    np.array([1j, 2]),
    np.array([np.nan, -np.inf, 1e308]),
    np.array([True, False, True]),
    np.full((3,), 2**64 - 1, np.uint64),
    np.zeros((0, 5)),
    np.zeros((1,) * 16),
    np.float16(6e4) * np.ones(3, np.float16),
    np.ones((300, 300)),
    [[1.0] * 10] * 10**5,
    ["<script>alert(1)</script>" * 1000] * 3,
    {"<b>": "\u202e\x1b[2J"},
    DEEP,
    ("x", None, [np.ones(3)], {}, 5, 6, 7),
    tuple(np.ones(3) for _ in range(5000)),
    Unsendable("an object of type <script>"),
    "text\x00\ud800",
    None,
    True,
]


def judged(value, expected=None, *, case="double/wide", **more):
    expected = np.arange(3.0) if expected is None else expected
    known = KnownCase(Case(case, FunctionCall("double", (np.ones(3), 2)), **more), expected, None, 1e-5)
    return FailedCase(known, Answer(value=value), ["doubled numbers"])


def work_of(result):
    assert result.work is not None
    return result.work


# Grids


@pytest.mark.parametrize(
    ("value", "kind", "rows"),
    [
        (
            np.array([[1, -0.25], [1e-9, 12345.678]]),
            "an array of shape (2, 2)",
            ("1 -0.25", "1e-09 1.235e+04"),
        ),
        ([1, 2.5], "a list of 2", ("1 2.5",)),
        (np.array([np.nan, np.inf, -np.inf]), "an array of shape (3,)", ("nan inf -inf",)),
        (tensor(np.array([[[0.5]], [[2]]])), "a tensor of shape (2, 1, 1)", ("0.5 2",)),
        (7, "a value of type int", ("7",)),
        (10**400, "a value of type int", ()),
        (True, "a value of type bool", ("1",)),
        (None, "nothing (None)", ()),
        (np.ones((2, 0)), "an array of shape (2, 0)", ()),
        ([[1.0], [2.0, 3.0]], "a list of 2", ()),
    ],
)
def test_a_value_is_what_it_is_and_its_numbers(value, kind, rows):
    assert (grid(value).kind, grid(value).rows, grid(value).where) == (kind, rows, "")


def test_of_a_large_array_there_is_the_window_that_holds_an_entry():
    table = grid(np.arange(400.0).reshape(20, 20), first=20 * 12 + 3)
    assert (table.where, table.rows[0], len(table.rows)) == (
        "[12:20, 0:8]",
        "240 241 242 243 244 245 246 247",
        8,
    )


def test_of_a_long_text_there_are_the_first_lines():
    assert [grid("\n".join("x" * lines), opens=True).where for lines in (8, 9)] == ["", "the first 8"]


# Exhibits


def test_what_came_stands_beside_what_was_expected_with_signs():
    shown_case = exhibit(judged([1.5, 1.0, -math.inf]), ["x", "n"])
    assert (shown_case.task, shown_case.case, shown_case.group) == ("double", "hidden/double/wide", "hidden")
    assert (shown_case.call, shown_case.tolerance) == ("double(x, 2)", 1e-5)
    [(name, table)] = shown_case.inputs
    assert (name, table.rows) == ("x", ("1 1 1",))
    [part] = shown_case.parts
    assert part.difference is not None
    assert (part.name, part.came.rows, part.expected.rows) == ("doubled numbers", ("1.5 1 -inf",), ("0 1 2",))
    assert (part.difference.kind, part.difference.rows) == ("2 of 3 wrong", ("+1.5 · −inf",))


def test_all_three_show_the_window_of_the_first_wrong_entry():
    expected = np.zeros((30, 30))
    answer = expected.copy()
    answer[17, 25] = -2e-3
    [part] = exhibit(judged(answer, expected), []).parts
    assert part.difference is not None
    assert {table.where for table in (part.came, part.expected, part.difference)} == {"[17:25, 25:30]"}
    assert part.difference.rows[0] == "−0.002 · · · ·"


def test_a_right_part_says_so_without_its_numbers():
    expected = (np.ones(2), np.zeros((2, 2)))
    right, wrong = exhibit(judged((np.ones(2), np.ones((2, 2))), expected), []).parts
    assert (right.difference.kind, right.came.rows, right.expected.rows) == ("right", (), ())
    assert (right.name, wrong.name) == ("doubled numbers", "result")
    assert wrong.difference.rows == ("+1 +1", "+1 +1")


@pytest.mark.parametrize("kind", [np.asarray, tensor])
def test_one_value_for_several_stands_where_it_fits(kind):
    expected = (kind(np.ones((2, 2))), kind(np.zeros((2, 3))))
    first, last = exhibit(judged(np.zeros((2, 3)), expected), []).parts
    assert (first.came.kind, first.difference) == ("nothing (None)", None)
    assert last.difference.kind == "right"


def test_a_tuple_for_one_array_is_shown_item_by_item():
    whole, first, second = exhibit(judged((np.arange(3.0), np.ones((2, 2)))), []).parts
    assert (whole.came.kind, whole.came.rows, whole.expected.rows) == ("a tuple of 2", (), ("0 1 2",))
    assert (first.name, first.came.rows, first.expected.kind) == ("item 0", ("0 1 2",), "")
    assert second.came.rows == ("1 1", "1 1")


def test_a_module_is_called_with_its_sizes_and_then_its_input():
    call = ModuleCall("Block", (8, 2), tensor(np.ones((2, 8))))
    known = KnownCase(Case("Block/one", call), np.zeros((2, 8)), None, 1e-4)
    shown_case = exhibit(FailedCase(known, Answer(np.ones((2, 8)))), ["width", "heads", "x"])
    assert (shown_case.call, [name for name, _ in shown_case.inputs]) == ("Block(8, 2)(x)", ["x"])
    assert exhibit(FailedCase(known, Answer()), []).call == "Block(8, 2)(input)"


@pytest.mark.parametrize("expected", [np.arange(3.0), (np.arange(3.0), np.ones((2, 2)))], ids=["one", "two"])
@pytest.mark.parametrize("value", HOSTILE, ids=range(len(HOSTILE)))
def test_whatever_comes_stays_small_and_inert(value, expected):
    [shown_case] = exhibits([("a", judged(value, expected))], Limits(), {"double": ["x", "n"]})
    work = Work("f.py", "x", exhibits=(shown_case,) * MOST_EXHIBITS)
    assert unpacked(work.packed()) == work
    assert len(str(shown_case)) < 12_000
    assert not {"<", "\u202e", "\x1b", "\x00", "\ud800"} & set(str(shown_case))
    assert all(len(row.split(" ")) <= 8 for part in shown_case.parts for row in part.came.rows)


@pytest.mark.parametrize(
    ("value", "expected", "answer"),
    [
        ("a\nb", "a\nc", ("a text of 3 characters", ("'b'",))),
        ({"a": 1.0}, "x", ("a dictionary of 1", ("'a'",))),
        ("x", 3.0, ("a value of type str", ())),
    ],
)
def test_what_is_no_array_is_opened_where_something_like_it_was_expected(value, expected, answer):
    [part] = exhibit(judged(value, expected), []).parts
    assert (part.came.kind, part.came.rows) == answer


def test_shapes_that_do_not_fit_come_with_the_exception():
    message = "shapes (7,6) and (5,8) not aligned: 6 (dim 1) != 5 (dim 0)"
    error = StudentError("ValueError", message, operands=(Operand((7, 6), 0), Operand((5, 8), 1)))
    misfit = exhibit(replace(judged(None), answer=Answer(error=error)), []).misfit
    assert misfit.sizes == (6, 5)


def test_an_exception_stands_in_the_place_of_a_value():
    error = StudentError("ValueError", "\x1b[2J" + "odd " * 500, "f.py", 3, "raise ValueError(<b>)")
    [shown_case] = exhibits([("a", replace(judged(None), answer=Answer(error=error)))], Limits(), {})
    assert (shown_case.parts, len(shown_case.error) < 400) == ((), True)
    assert (
        "ValueError at line 3 of f.py: `raise ValueError(<b>)`. It says: “\\x1b[2Jodd odd" in shown_case.error
    )


def test_checks_that_failed_on_one_case_share_its_exhibit_and_what_is_missing_has_none():
    first, other = judged(1.0), judged(2.0, case="double/other")
    missing = replace(judged(None), answer=Answer(not_defined=True))
    stub = replace(judged(None), answer=Answer(error=StudentError("NotImplementedError")))
    shown_cases = exhibits(
        [("d", missing), ("a", first), ("b", other), ("e", stub), ("c", first)], Limits(), {}
    )
    assert [(each.case, each.checks, each.error) for each in shown_cases] == [
        ("hidden/double/wide", ("a", "c"), ""),
        ("hidden/double/other", ("b",), ""),
    ]


def test_there_are_so_many_exhibits_and_so_much_text_at_most():
    small = [("a", judged(1.0, case=f"double/{number}")) for number in range(30)]
    assert len(exhibits(small, Limits(), {})) == MOST_EXHIBITS
    parts = tuple(np.full((8, 8), -1.2345e-100) for _ in range(10))
    wrong = tuple(np.full((8, 8), 1.2345e100) for _ in range(10))
    large = [("a", judged(wrong, parts, case=f"double/{number}")) for number in range(12)]
    shown_cases = exhibits(large, Limits(), {})
    assert 1 <= len(shown_cases) < MOST_EXHIBITS
    assert sum(len(str(shown_case)) for shown_case in shown_cases) < 2 * LONGEST_EXHIBITS


# What grading keeps


def test_each_failed_check_has_the_case_that_it_was_judged_on(grade):
    work = work_of(grade(DOUBLE.replace("2 * x", "2 * x if len(x) != 4 else -x") + TOTALS))
    [shown_case] = work.exhibits
    assert (shown_case.case, shown_case.checks, shown_case.call) == (
        "fresh/double/drawn",
        ("double_sizes",),
        "double(x)",
    )
    assert work.shown == (), "nothing is wrong where a student may look"
    assert work_of(grade(DOUBLE + TOTALS)).exhibits == ()


def test_a_student_sees_the_wrong_answers_to_public_cases_of_the_tasks_that_failed(grade):
    work = work_of(grade(TRIPLES.replace("(x)", "(numbers)").replace("* x", "* numbers") + TOTALS))
    assert [exhibit.case for exhibit in work.shown] == ["published/double/printed", "public/double/small"]
    first = work.shown[0]
    assert (first.call, first.checks) == ("double(x)", ("double_published",)), "the course's own names"
    [part] = first.parts
    assert part.difference is not None
    assert (part.came.rows, part.expected.rows) == (("1.5 3.75 12",), ("1 2.5 8",))
    assert part.difference.rows == ("+0.5 +1.2 +4",)


def test_where_students_have_checks_and_pass_them_they_see_no_answers():
    def result(name, *, failed, public):
        outcome = Outcome.FAILED if failed else Outcome.PASSED
        return CheckResult(name, "double", "", 1, outcome, kind="values", public=public)

    call = FunctionCall("double", ())
    cases = [Case(f"double/{number}", call, group=Group.PUBLIC) for number in range(3)]
    known = [replace(judged(1.0).known, case=case) for case in cases]
    opened = {case.id: Answer(value=1.0) for case in cases}

    def wrong_names(*checks):
        task = SimpleNamespace(task=lambda name: SimpleNamespace(returns=()))
        exhibits_shown = list(wrong_public_answers(checks, known, opened, task))
        assert len(exhibits_shown) == 2 * len({name for name, _ in exhibits_shown}), (
            "of each check the first two cases"
        )
        return [name for name, _ in exhibits_shown[:1]]

    public_check, hidden = (
        result("own", failed=True, public=True),
        result("hidden", failed=True, public=False),
    )
    assert wrong_names(replace(public_check, outcome=Outcome.PASSED), hidden) == []
    assert wrong_names(public_check, hidden) == ["own"], "a hidden check's name is not among them"
    assert wrong_names(hidden) == ["hidden"], "of a task that students have no check of"
    for kind in ("not_defined", "not_written", "time_limit", "modified", "gradient"):
        assert wrong_names(replace(hidden, kind=kind)) == [], "no wrong value came out"


def test_what_came_in_another_form_is_shown_as_it_came(grade):
    exhibits_shown = work_of(grade(DOUBLE.replace("2 * x", "(2 * x,)") + TOTALS)).shown
    assert [part.came.kind for part in exhibits_shown[0].parts] == ["a tuple of 1", "an array of shape (3,)"]


def test_an_exception_is_shown_with_what_it_says_where_only_public_inputs_are(grade):
    text = DOUBLE.replace(
        "return 2 * x", "raise ValueError(f'{len(seen)} seen') if seen.append(x) is None else 0"
    )
    exhibits_shown = work_of(grade("seen = []\n" + text + TOTALS)).shown
    assert exhibits_shown[0].error.endswith("It says: “1 seen”.")


@pytest.mark.parametrize(
    "text", ["x = 1 +", TOTALS, TOTALS + "\ndef double(x):\n    raise NotImplementedError\n"]
)
def test_what_is_not_there_has_nothing_to_show(text, grade):
    work = work_of(grade("import numpy as np\n" + text))
    assert (work.exhibits, work.shown) == ((), ())
    assert work.source.startswith("import numpy")


def test_what_reached_a_limit_is_not_run_once_more(suite, pool):
    limits = replace(Limits(), call_seconds=0.5)
    short = replace(suite, homework=replace(suite.homework, limits=limits))
    text = DOUBLE.replace("return 2 * x", "while True: pass") + TOTALS
    result = grade_handin(code(text), short, pool)
    assert (result.status, work_of(result).shown) == ("time_limit", ())
    assert [shown_case.case for shown_case in work_of(result).exhibits] == ["published/double/printed"]


def test_the_parameters_are_those_of_the_reference_solution(built, pool):
    assert prepare_suite(built.course, built.homework, 1, pool).parameters == {
        "double": ("x",),
        "totals": ("x",),
    }
