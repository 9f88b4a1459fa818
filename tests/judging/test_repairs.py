"""One wrong step of the solution, or one line of the student's own code, explains what nothing else does."""

import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
from submissions import edited, of_stub
from wording import to_students

from autograder.grading.grade import grade_handin
from autograder.reasons import (
    forbidden_weights,
    moved_statements,
    pitfalls,
    places,
    remembered,
    repair_search,
    repairs,
    slip_search,
    slips,
)
from autograder.reasons.agreement import diagnostic_cases
from autograder.reasons.catalogue import read_edits
from autograder.reasons.diagnosis import Diagnostician
from autograder.reasons.repairs import repairs_of
from autograder.reasons.slips import slips_of
from autograder.reasons.source_text import SourceText
from autograder.reasons.student_code import StudentCode
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer
from autograder.sandbox.request import Cell, Code
from autograder.verdict.failure import NO_REASON

HW1 = "hw1_attention_scores"


def hints(text, name="f"):
    """The question of each repair of a function, by the line that differs."""
    function = StudentCode(Code("a.py", {"a.py": text})).functions[name]
    questions = {}
    for repair in repairs_of(function):
        changed = set(repair.definition.split("\n")) - set(text.split("\n"))
        questions.setdefault(" ; ".join(sorted(line.strip() for line in changed)), repair.question)
    return questions


@pytest.mark.parametrize(
    ("line", "repaired", "hint"),
    [
        ("y = V[i] @ a", "y = V[j] @ a", repairs.OTHER_NAME),
        ("y = V[i]", "y = V[(i + 1)]", repairs.ONE_OFF),
        ("y = V.sum(axis=0)", "y = V.sum(axis=-1)", repairs.OTHER_AXIS),
        ("y = a * j", "y = a / j", repairs.OTHER_OPERATION),
        ("y = a @ V", "y = V @ a", repairs.OTHER_ORDER),
        ("y = a <= j", "y = a < j", repairs.OTHER_COMPARISON),
        ("y = ~a", "y = a", repairs.OPPOSITE),
        ("y = np.where(a, V, 0)", "y = np.where(a == 0, V, 0)", repairs.OPPOSITE),
        ("y = V + a", "y = V", repairs.NOT_NEEDED),
        ("y = float(a)", "y = a", repairs.NOT_NEEDED),
        ("y = V.data + a", "y = V + a", repairs.NOT_NEEDED),
        ("y = V[0][0]", "y = V[0]", repairs.INDEX_NOT_NEEDED),
        ("y = V.T", "y = V", repairs.OTHER_TRANSPOSE),
        ("y = a @ V", "y = a @ V.swapaxes(-1, -2)", repairs.OTHER_TRANSPOSE),
        ("y = np.log2(a)", "y = np.log(a)", repairs.OTHER_FUNCTION),
        ("y = nn.GELU(approximate='tanh')", "y = nn.ReLU()", repairs.OTHER_FUNCTION),
        ("y = F.leaky_relu(a, 0.2)", "y = F.relu(a)", repairs.OTHER_FUNCTION),
        ("y = np.where(a, i, j)", "y = np.where(a, j, i)", repairs.OTHER_ARGUMENTS),
        ("y = V.reshape((i, j))", "y = V.reshape((j, i))", repairs.OTHER_ITEMS),
        ("y = V.sum()", "y = V.sum(axis=-1, keepdims=True)", repairs.NO_AXIS),
        ("y = np.average(V, 0)", "y = np.average(V, 0, keepdims=True)", repairs.NO_KEEPDIMS),
        (
            "y = np.average(V, weights=a)",
            "y = np.average(V, weights=a, axis=-1, keepdims=True)",
            repairs.NO_AXIS,
        ),
        ("y = V.max(axis=1)", "y = V.max(axis=1, keepdims=True)", repairs.NO_KEEPDIMS),
        ("y = V", "y = V.copy()", repairs.NO_COPY),
        ("y = list(V)", "y = [x.copy() for x in V]", repairs.SAME_ITEMS),
        ("y.append(V)", "y.append(V.copy())", repairs.SAME_APPENDED),
        ("y = [[0]] * a", "y = [[0] for _ in range(a)]", repairs.SAME_OBJECT),
        ("y = z = a + 1", "y = a + 1 ; z = a + 1", repairs.TWO_NAMES),
        ("y /= a", "y = y / a", repairs.CHANGED_IN_PLACE),
        ("y = a", "y += a", repairs.REPLACES),
        ("y = np.zeros_like(V)", "y = np.zeros(V.shape)", repairs.KEEPS_WHOLE_NUMBERS),
        ("y = a ** -2 * j / i", "y = a ** (-2 * j / i)", repairs.BRACKETS),
        ("y = V[-j]", "y = V[:, -j, None]", repairs.OTHER_INDEX),
        ("y = V[i:i + 3]", "y = V[3 * i:3 * i + 3]", repairs.OTHER_INDEX),
        ("y = range(len(V))", "y = range(V.shape[1])", repairs.OTHER_SIZE),
        ("y = a / max(V.shape)", "y = a / V.shape[1]", repairs.OTHER_SIZE),
        ("y = V.size", "y = V.shape[0]", repairs.OTHER_SIZE),
        ("y = shares(V)", "y = shares(V.swapaxes(0, 1)).swapaxes(0, 1)", repairs.NO_AXIS),
        ("y = a / j", "y = a / (j ** 0.5)", repairs.ROOT),
        ("y = max(V)", "y = max(V, key=len)", repairs.LONGEST),
        ("y = max(V)", "y = [max(x) for x in zip(*V)]", repairs.OF_EACH_COLUMN),
        ("y = V if len(a) else j", "y = V if len(i) else j", repairs.OTHER_NAME),
        ("y = V - a", "y = V - a - j", repairs.TERM_MISSING),
        ("return V", "return V / V.sum(-1, keepdims=True)", repairs.NO_SHARES),
        ("y = np.count_nonzero(V)", "y = np.count_nonzero(V != -1)", repairs.WHAT_COUNTS),
        ("y = 0", "y = -float('inf')", repairs.OTHER_NUMBER),
        ("y = np.where(a, V, -1000.0)", "y = np.where(a, V, -float('inf'))", repairs.OTHER_NUMBER),
        ("y = attend(V, attn_mask=a)", "y = attend(V, attn_mask=a == 0)", repairs.OPPOSITE),
        ("y = np.where(a, V, 0.5)", "y = np.where(a, V, 0)", repairs.OTHER_NUMBER),
        ("y = f(V)", "y = f(V / j)", repairs.SCALED),
        ("y = np.convolve(V, a)", "y = np.correlate(V, a)", repairs.OTHER_FUNCTION),
        ("y = np.tril(V)", "y = np.tril(V, -1)", repairs.DIAGONAL),
        ("y = np.arange(j)", "y = np.arange(1, j + 1)", repairs.OTHER_LIMITS),
        ("y = a / V.ndim", "y = a / V.shape[-1]", repairs.OTHER_SIZE),
        ("y = V.copy()", "y = type(V)((x.copy() for x in V))", repairs.SAME_ITEMS),
        ("y = np.asarray(V, dtype=float)", "y = np.asarray(V, dtype=float).copy()", repairs.NOT_CONVERTED),
        ("y = sum(V)", "y = V.sum(-1)", pitfalls.SUMS_ROWS),
        ("y = np.dot(a, V)", "y = a @ V", pitfalls.ALL_PAIRS),
        ("y = np.inner(a, V)", "y = a @ V", pitfalls.LAST_AXES),
        ("y = np.multiply(a, V)", "y = a @ V", pitfalls.NO_SUM),
        ("y = V.T", "y = V.swapaxes(-1, -2)", pitfalls.ALL_AXES),
        ("y = a ^ 2", "y = a ** 2", pitfalls.EXCLUSIVE_OR),
        ("y = set(V)", "y = sorted(set(V))", pitfalls.NO_ORDER),
        ("y = torch.max(V, dim=1)", "y = torch.max(V, dim=1)[0]", pitfalls.PAIR),
        ("y = np.linalg.norm(V, axis=1)", "y = np.sum(V, axis=1)", pitfalls.LENGTH_OF_ROWS),
        ("y = a / np.linalg.norm(V, axis=1)", "y = a / (V.shape[-1] ** 0.5)", pitfalls.ROOT_OF_SQUARES),
        ("y = V.std(-1)", "y = V.std(-1, correction=0)", pitfalls.ONE_LESS),
        ("y = V.reshape(i, j)", "y = V.swapaxes(-1, -2)", pitfalls.KEEPS_ORDER),
        ("y = V.view(i, j, 2)", "y = V.swapaxes(0, 1).reshape(i, j, 2)", pitfalls.KEEPS_ORDER),
        ("y = V.reshape(i, j, 2)", "y = V.reshape(j, i, 2).swapaxes(0, 1)", pitfalls.KEEPS_ORDER),
        ("y = a / j", "y = a / j[:, None]", pitfalls.LINED_UP),
        ("y = np.einsum('ij,jk->ik', a, V)", "y = np.einsum('ij,kj->ik', a, V)", pitfalls.LETTERS),
        ("y = np.einsum('ij->ij', V)", "y = np.einsum('ij->ji', V)", pitfalls.LETTERS),
        (
            "np.exp(V, out=V, where=a)",
            "V = np.exp(V, out=np.zeros(np.shape(V)), where=a)",
            pitfalls.LEFT_AS_IT_WAS,
        ),
        ("y = np.zeros(i, dtype=V.dtype)", "y = np.zeros(i)", pitfalls.TYPE_OF_ANOTHER),
        ("y = np.zeros(i, dtype=int)", "y = np.zeros(i)", pitfalls.WHOLE_NUMBERS),
        ("y = V.astype(a.dtype)", "y = V", pitfalls.CUTS_DECIMALS),
        ("y = F.dropout(V, p=0.1)", "y = F.dropout(V, p=0.1, training=False)", pitfalls.ALWAYS_AT_WORK),
        ("y = 2 ** V", "y = 2.718281828459045 ** V", repairs.OTHER_NUMBER),
        ("y = E ** V", "y = 2.718281828459045 ** V", repairs.OTHER_NUMBER),
        ("y = np.exp(V - a)", "y = np.exp(V - V.max(-1, keepdims=True))", repairs.LARGEST),
        ("y = np.vstack([a, V, i, j])", "y = np.vstack([a, i, V, j])", repairs.OTHER_ITEMS),
        ("y = [a, V, i, j, 1, 2]", "y = [a, j, V, 1, i, 2]", repairs.OTHER_ITEMS),
        ("V.resize((i, j))", "V = V.copy()", repairs.CHANGED_IN_PLACE),
        ("V.mul_(a)", "V = V.clone()", repairs.CHANGED_IN_PLACE),
        ("y = np.take(V, i)", "y = np.take_along_axis(V, i[..., None], -1)[..., 0]", pitfalls.TAKES_FLAT),
        ("y = V.data", "y = V.filled(0)", pitfalls.UNDER_THE_MASK),
        ("y = nn.Dropout(0.1)(V)", "y = V", pitfalls.NEW_IN_EACH_CALL),
        ("y = range(a // j)", "y = range(-(-a // j))", pitfalls.ROUNDS_DOWN),
        ("y = np.where(V == 0, i, V)", "y = V", pitfalls.CHOSEN_BY_NUMBER),
        ("y = 2.718 ** V", "y = 2.718281828459045 ** V", pitfalls.DIGITS_OF_E),
        ("y = V * 3.14", "y = V * 3.141592653589793", pitfalls.DIGITS_OF_PI),
        ("y = np.sqrt(V) / 2", "y = np.sqrt(V / 2)", repairs.BRACKETS),
        ("y = np.sqrt(V / 2)", "y = np.sqrt(V) / 2", repairs.BRACKETS),
        ("y = 2 * np.sqrt(V)", "y = np.sqrt(2 * V)", repairs.BRACKETS),
        ("y = torch.softmax(V, dim=-1) / a", "y = torch.softmax(V / a, dim=-1)", repairs.BRACKETS),
        ("np.divide(V, a, out=V)", "V = np.divide(V, a)", repairs.WRITES_OUT),
        ("y = np.exp(V, out=V)", "y = np.exp(V)", repairs.WRITES_OUT),
        ("y = map(len, V)", "y = list(map(len, V))", pitfalls.ITEMS_ONCE),
        ("y = (v + 1 for v in V)", "y = list((v + 1 for v in V))", pitfalls.ITEMS_ONCE),
        ("y = V[-j:]", "y = V[-j if j else 1000000000:]", pitfalls.MINUS_ZERO),
        ("y = V[:-j]", "y = V[:-j or None]", pitfalls.MINUS_ZERO),
        ("y = V.masked_fill(a, -10)", "y = V.masked_fill(a, -float('inf'))", repairs.OTHER_NUMBER),
        ("y = np.where(a, V, -1)", "y = np.where(a, V, -float('inf'))", repairs.OTHER_NUMBER),
        ("y = V[:i] + a[:, j]", "y = V[:, j] + a[:, j]", repairs.OTHER_INDEX),
        ("y = V + relu(V)", "y = relu(V) + relu(V)", repairs.STEP_MISSING),
        ("y = np.where(a > 0.05, V, 0)", "y = np.where(a > 0, V, 0)", repairs.OTHER_NUMBER),
        ("y = V[:]", "y = V[:] * 1.0", repairs.NO_DECIMALS),
        ("y = V.view(1, i, j, 2)", "y = V.view(1, j, i, 2).swapaxes(1, 2)", pitfalls.KEEPS_ORDER),
        ("y = a / np.sqrt((V ** 2).sum(axis=1))", "y = a / (V.shape[-1] ** 0.5)", pitfalls.ROOT_OF_SQUARES),
        ("y = np.sqrt(np.sum(V * V, axis=1))", "y = V.shape[-1] ** 0.5", pitfalls.ROOT_OF_SQUARES),
        (
            "y = F.scaled_dot_product_attention(V, a, i, dropout_p=0.1)",
            "y = F.scaled_dot_product_attention(V, a, i)",
            pitfalls.DROPS_IN_EACH_CALL,
        ),
        ("y = V.bfloat16() @ a", "y = V @ a", pitfalls.FEW_DIGITS),
        ("y = V.astype(np.float16)", "y = V", pitfalls.FEW_DIGITS),
        ("y = np.ones(i, dtype='float16')", "y = np.ones(i)", pitfalls.FEW_DIGITS),
        ("y = V.reshape(-1, a)", "y = V.reshape(-1, i.shape[0])", repairs.OTHER_SIZE),
        ("y = np.linspace(0, i, j)", "y = np.linspace(0, i, j, endpoint=False)", pitfalls.INCLUDES_ITS_END),
        ("y = np.sum(V > 0)", "y = np.sum(V >= 0)", repairs.OTHER_COMPARISON),
        ("y = range(-(-a // j))", "y = range(a // j)", pitfalls.ROUNDS_UP),
        ("y = V.to(a, dtype=torch.float16)", "y = V", pitfalls.FEW_DIGITS),
        ("V.clip(0)", "V = V.clip(0)", moved_statements.NOT_KEPT),
    ],
)
def test_each_kind_of_change_is_made_with_its_question(line, repaired, hint):
    questions = hints(f"def f(V, a, i, j):\n    {line}\n    return y\n")
    assert repaired in questions
    start = hint.partition("{")[0]
    end = hint.rpartition("}")[2]
    assert questions[repaired].startswith(start)
    assert questions[repaired].endswith(end)


@pytest.mark.parametrize(
    ("line", "repaired"),
    [
        ("y = np.exp(V, where=a)", "y = np.where(a, np.exp(V, where=a), 0)"),
        ("y = np.empty((i, j))", "y = np.zeros((i, j))"),
        ("y = torch.empty_like(V)", "y = torch.zeros_like(V)"),
        ("y = V.sum(axis=-1, where=a)", None),
        ("y = np.exp(V, where=a, out=i)", None),
        ("y = np.where(a, V, 0)", None),
    ],
)
def test_memory_that_nothing_is_written_into_gets_zeros(line, repaired):
    text = f"def f(V, a, i, j):\n    {line}\n    return y\n"
    function = StudentCode(Code("a.py", {"a.py": text})).functions["f"]
    definitions = [repair.definition for repair in repairs_of(function, pitfalls.OF_MEMORY)]
    expected = [] if repaired is None else [text.replace(line, repaired).rstrip("\n")]
    assert definitions == expected


EXP_OF_ALLOWED = (
    ("exponentials = np.exp(visible - largest)", "exponentials = np.exp(scores - largest, where=mask)"),
    ("largest = visible", "mask = np.broadcast_to(mask, scores.shape)\n    largest = visible"),
)


def test_an_exponential_that_leaves_places_unset_is_named_in_all_that_use_it(grade_text):
    result = grade_text("hw7_masked_attention", edited("hw7_masked_attention", *EXP_OF_ALLOWED))
    failed_checks = [check for check in result.checks if check.misconceptions]
    assert {check.task for check in failed_checks} >= {"masked_softmax", "masked_attention"}
    for check in failed_checks:
        assert "`np.exp(scores - largest, where=mask)` sets nothing" in check.reason
        assert check.misconceptions == ("differs-from-call-to-call",)


def test_a_sequence_that_is_left_out_is_not_called_dropout(grade_text):
    loop = (
        "attended = torch.zeros_like(x)\n        for i in range(len(x) - 1):\n"
        "            attended[i] = self.self_attn(x[i], x[i], x[i])[0]"
    )
    attention = "attended, _ = self.self_attn(x, x, x, need_weights=False)"
    result = grade_text("hw6_encoder_block", edited("hw6_encoder_block", (attention, loop)))
    [check] = [check for check in result.checks if check.check == "encoder_block_repeatable"]
    assert check.misconceptions == ()
    assert "no dropout is at work" in check.reason


KEPT_TABLE = (
    ("def sinusoidal_positions", "TABLES = {}\n\n\ndef sinusoidal_positions"),
    ("even = np", "if d_model in TABLES:\n        return TABLES[d_model][:n].copy()\n    even = np"),
    ("return table", "TABLES[d_model] = table\n    return table.copy()"),
)


def test_where_a_table_is_kept_from_call_to_call_no_line_is_blamed(grade_text):
    """Alone, each call is right, with any change of the code and with none."""
    result = grade_text("hw9_positions_and_cache", edited("hw9_positions_and_cache", *KEPT_TABLE))
    [check] = [check for check in result.checks if check.check == "sinusoidal_positions_sizes"]
    assert check.misconceptions == ("differs-from-call-to-call",)
    assert "something is kept from one call to the next" in check.reason
    assert "With one change" not in check.reason


def test_dropout_in_evaluation_is_told_with_its_lines(grade_text):
    edits = [
        ("self.norm1(x + attended)", "self.norm1(x + nn.functional.dropout(attended, p=0.1))"),
        ("self.ff(x)", "nn.functional.dropout(self.ff(x), 0.1)"),
    ]
    result = grade_text("hw6_encoder_block", edited("hw6_encoder_block", *edits))
    [check] = [check for check in result.checks if check.check == "encoder_block_repeatable"]
    assert check.misconceptions == ("dropout-at-eval",)
    assert "With the same change in lines" in check.reason
    assert "drops numbers in evaluation, too" in check.reason


@pytest.mark.parametrize("operator", ["/", "//", "-"])
def test_a_number_that_two_equal_names_give_is_no_repair(operator):
    questions = hints(f"def f(V, a, i, j):\n    y = V * (a {operator} i)\n    return y\n")
    assert f"y = V * (j {operator} i)" in questions
    assert f"y = V * (i {operator} i)" not in questions
    assert f"y = V * (a {operator} a)" not in questions


def test_a_pitfall_is_repaired_at_all_its_places_at_once():
    lines = "    y = F.dropout(V, p=0.1)\n    return y + F.dropout(a, 0.2)\n"
    function = StudentCode(Code("a.py", {"a.py": f"def f(V, a):\n{lines}"})).functions["f"]
    both_lines = [repair for repair in repairs_of(function) if repair.definition.count("training=False") == 2]
    [repair] = both_lines
    assert repair.lines == (2, 3)
    assert repair.rank == repairs.RANK_OF_PITFALLS
    assert repair.question == pitfalls.ALWAYS_AT_WORK.format(old="F.dropout(V, p=0.1)")


def test_heads_are_cut_and_merged_at_once_in_two_methods_of_a_class():
    text = (
        "class Heads:\n    def split(self, x, B, T, h, d):\n        return x.view(B, h, T, d)\n\n"
        "    def forward(self, x, B, T, D):\n        return self.split(x).reshape(B, T, D)\n"
    )
    heads = StudentCode(Code("a.py", {"a.py": text})).functions["Heads"]
    cut = "x.view(B, T, h, d).swapaxes(1, 2)"
    merged = "self.split(x).swapaxes(1, 2).reshape(B, T, D)"
    [repair] = [
        repair for repair in repairs_of(heads) if cut in repair.definition and merged in repair.definition
    ]
    assert repair.lines == (3, 6)
    assert repair.rank == repairs.RANK_OF_PITFALLS
    assert repair.question == pitfalls.KEEPS_ORDER.format(old="x.view(B, h, T, d)")


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        # The axes are exchanged already, and that may be the mistake.
        ("y = V.transpose(1, 2).reshape(a, i, j)", pitfalls.KEEPS_ORDER),
        ("y = V.transpose(1, 2).contiguous().view(a, i, j)", pitfalls.KEEPS_ORDER),
        # A helper, or a module, of the student's own.
        ("y = attend(V, a, dropout_p=0.1)", pitfalls.DROPS_IN_EACH_CALL),
        ("y = F.scaled_dot_product_attention(V, a, i, dropout_p=j)", pitfalls.DROPS_IN_EACH_CALL),
        ("y = V.norm(a)", pitfalls.ROOT_OF_SQUARES),
        ("y = np.linalg.norm(V, 1)", pitfalls.ROOT_OF_SQUARES),
        ("y = np.linalg.norm(V, ord=1)", pitfalls.LENGTH_OF_ROWS),
        ("y = norm(V)", pitfalls.ROOT_OF_SQUARES),
        ("y = norm(V)", pitfalls.LENGTH_OF_ROWS),
        ("y = F.scaled_dot_product_attention(V, a, i, dropout_p=0.0)", pitfalls.DROPS_IN_EACH_CALL),
        ("y = V.t().reshape(i, j)", pitfalls.KEEPS_ORDER),
        ("y = g(V, dtype=half)", pitfalls.FEW_DIGITS),
        ("y = g(V, dtype=np.float16)", pitfalls.FEW_DIGITS),
        ("y = torch.autocast('cpu', dtype=torch.bfloat16)", pitfalls.FEW_DIGITS),
        ("y = range(-(-a // j))", pitfalls.ROUNDS_DOWN),
        ("y = np.where(a != 0, V, 0)", pitfalls.CHOSEN_BY_NUMBER),
    ],
)
def test_a_sentence_that_would_be_untrue_is_not_said(line, wrong):
    questions = hints(f"def f(V, a, i, j):\n    {line}\n    return y\n")
    start = wrong.partition("{")[0]
    end = wrong.rpartition("}")[2]
    for question in questions.values():
        assert not (question.startswith(start) and question.endswith(end))


def test_a_key_with_a_colon_is_no_slice():
    questions = hints("def f(V, a, i):\n    y = V['a:b'] + a[i] + a[:i]\n    return y\n")
    assert "y = V['a:b'] + a[:i] + a[:i]" in questions
    assert "y = V['a:b'] + a['a:b'] + a[:i]" not in questions


def test_infinity_in_a_comparison_is_no_fraction():
    assert hints("def f(V):\n    y = V[V < 1e999]\n    return y\n")


def test_pitfalls_of_two_kinds_are_not_repaired_at_once():
    questions = hints("def f(V, a):\n    y = V.T @ sum(a)\n    return y\n")
    assert "y = V.swapaxes(-1, -2) @ a.sum(-1)" not in questions


def test_what_a_loop_assigns_to_its_variable_is_written_into_the_item():
    questions = hints("def f(V):\n    for row in V:\n        row = row - row.max()\n    return V\n")
    assert questions["row[:] = row - row.max()"] == pitfalls.NAME_OF_SOMETHING_ELSE.format(old="row")
    questions = hints("def f(a, b):\n    for p, g in zip(a, b):\n        p = p - g\n    return a\n")
    assert questions["p[:] = p - g"] == pitfalls.NAME_OF_SOMETHING_ELSE.format(old="p")


ROWS = """for row in x:
        row = row - np.max(row)
    exponentials = np.exp(x)"""


def test_a_maximum_that_a_loop_subtracts_in_vain_is_named(suite_of, pool):
    """The known mistake is the same as where no maximum is subtracted."""
    reason = first_reason(
        suite_of("hw3_scaled_dot_product_attention"),
        pool,
        ("exponentials = np.exp(x - largest)", ROWS),
    )
    assert "Assigning to `row` gives this name to something else" in reason


def test_nothing_is_raised_to_the_power_of_0():
    questions = hints("def f(V):\n    y = (V ** 2).sum(axis=1)\n    return y\n")
    assert "y = (V ** 1).sum(axis=1)" in questions
    assert "y = (V ** 0).sum(axis=1)" not in questions


def test_a_limit_that_is_a_fraction_counts_nothing():
    questions = hints("def f(V, a):\n    y = V[a > 0.05]\n    return y\n")
    assert "y = V[a > 0]" in questions
    assert "y = V[a + 1 > 0.05]" not in questions
    assert "y = V[V > 0.05]" not in questions


def test_a_helper_is_left_out_before_anything_in_it_is_changed():
    text = "def f(V):\n    return unit(V) @ V\n\n\ndef unit(V):\n    return V / np.where(V, 1, V)\n"
    code = StudentCode(Code("a.py", {"a.py": text}))
    [left_out] = [repair for repair in repairs_of(code.functions["f"]) if "return V @ V" in repair.definition]
    exchanged = [
        repair for repair in repairs_of(code.functions["unit"]) if "np.where(V, V, 1)" in repair.definition
    ]
    assert left_out.rank < exchanged[0].rank
    assert left_out.question == repairs.NOT_NEEDED.format(old="unit")


def test_a_change_within_a_condition_asks_for_the_condition():
    questions = hints("def f(V, a):\n    if len(V) == 0:\n        return a\n    return V\n")
    assert questions["if len(a) == 0:"] == repairs.CONDITION.format(old="len(V) == 0")
    assert questions["if True:"] == repairs.CONDITION.format(old="len(V) == 0")
    assert questions["if len(V) == 1:"] == repairs.CONDITION.format(old="len(V) == 0")


LOOP = """def f(V, n):
    total = 0
    for i in range(n):
        for v in V:
            total = total + v
        row = total / 2
    return row
"""


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ("for i in range(n):\n    total = 0\n    for v in V:", moved_statements.WITHIN_THE_LOOP),
        ("total = total + v\nrow = total / 2", moved_statements.AFTER_THE_LOOP),
    ],
)
def test_statements_are_moved_into_loops_and_out_of_them(body, hint):
    function = StudentCode(Code("a.py", {"a.py": LOOP})).functions["f"]
    moved = {}
    for repair in repairs_of(function):
        flat = "\n".join(line.strip() for line in repair.definition.split("\n"))
        moved.setdefault(flat, repair.question)
    flat_body = "\n".join(line.strip() for line in body.split("\n"))
    assert any(flat_body in flat and question == hint for flat, question in moved.items())


@pytest.mark.parametrize(
    ("text", "repaired"),
    [
        (
            "for q in Q:\n        for K in K:\n            a.append(q @ K)",
            "for q in Q:\n        for K_of_this_round in K:\n            a.append(q @ K_of_this_round)",
        ),
        (
            "for W in Q:\n        K = K @ W\n        a.append(K)",
            "for W in Q:\n        K_of_this_round = K\n        K_of_this_round = K_of_this_round @ W\n"
            "        a.append(K_of_this_round)",
        ),
    ],
)
def test_a_name_that_a_loop_overwrites_is_kept_for_the_next_round(text, repaired):
    code = StudentCode(Code("a.py", {"a.py": f"def f(Q, K, a):\n    {text}\n    return a\n"}))
    questions = {repair.definition: repair.question for repair in repairs_of(code.functions["f"])}
    definition = f"def f(Q, K, a):\n    {repaired}\n    return a"
    assert questions[definition] == moved_statements.OVERWRITTEN.format(old="K")


def test_a_name_that_each_round_binds_anew_is_no_overwritten_one():
    questions = hints("def f(Q, a):\n    for q in Q:\n        s = q + 1\n        a.append(s)\n    return a\n")
    assert not any("another value afterwards" in question for question in questions.values())


def test_a_sum_within_a_call_is_read_from_before_the_loop():
    questions = hints("def f(V, a):\n    for v in V:\n        a.append(sum(V))\n    return a\n")
    repaired = "a.append(computed_before) ; computed_before = sum(V)"
    assert questions[repaired] == moved_statements.TAKEN_ANEW.format(old="sum(V)")


def test_a_repair_of_a_method_keeps_the_rest_of_its_class():
    text = (
        "class Block:\n    def __init__(self, n):\n        self.a = n\n        self.b = n + 1\n\n"
        "    def forward(self, x):\n        return self.a * x\n"
    )
    function = StudentCode(Code("a.py", {"a.py": text})).functions["Block"]
    repaired = [repair for repair in repairs_of(function) if "self.b * x" in repair.definition]
    assert len(repaired) == 1
    assert repaired[0].lines == (7,)
    assert "def __init__(self, n):" in repaired[0].definition


def test_a_name_alone_is_quoted_with_its_line():
    assert "Is `y` the right name in `return y`?" in hints("def f(V, y):\n    return y\n").values()


def test_a_notebooks_line_is_named_with_its_cell():
    cells = [Cell(1, "%matplotlib inline\nimport numpy as np"), Cell(3, "\ndef f(x):\n    return x")]
    function = StudentCode(Code("a.ipynb", cells=cells)).functions["f"]
    assert function.place(3) == "line 3 of cell 3"
    assert function.line(3) == "return x"


@pytest.mark.parametrize(
    "text", ["def f(:", "x = " + "-" * 50_000 + "1", "x = 1\0", "#" * 300_000 + "\ndef f(): pass"]
)
def test_what_cannot_be_read_as_python_has_no_functions(text):
    assert StudentCode(Code("a.py", {"a.py": text})).functions == {}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("scaled = scores", True),
        ("scaled = scores  # a copy", True),
        ("rows = x[:]", True),
        ("new = list(parameters)", True),
        ("a = b = np.zeros(3)", True),
        ("rows.append(row)", True),
        ("y = x + 1", False),
        ("y = f(x)", False),
        ("return x == y", False),
        ("x += y", False),
    ],
)
def test_a_quick_look_finds_second_names(line, expected):
    code = StudentCode(Code("a.py", {"a.py": f"def f(x):\n    {line}\n"}))
    assert code.may_share_objects is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TABLES = {}\ndef f(x):\n    return x\n", True),
        ("kept: dict = {}\ndef f(x):\n    return x\n", True),
        ("@lru_cache\ndef f(x):\n    return x\n", True),
        ("def f(x, seen=[]):\n    return x\n", True),
        ("def f(\n    x,\n    seen=list(),\n):\n    return x\n", True),
        ("def f(x):\n    f.last = x\n", True),
        ("def f(x):\n    f.calls += 1\n", True),
        ("def f(x):\n    return x\nf.cache = {}\n", True),
        ("try:\n    kept\nexcept NameError:\n    kept = {}\n", True),
        ("def f(\n    x,\n    seen: dict = {},\n):\n    return x\n", True),
        ("def f(x):\n    global last\n    last = x\n", True),
        ("import numpy as np\n\ndef f(x, base=10.0, mask=None):\n    y = x\n    return y == x\n", False),
        ('answers = {"a": 1}\ndef f(x):\n    y = x\n    y[0] = 1\n    return y\n', False),
    ],
)
def test_a_quick_look_finds_what_may_be_kept_from_call_to_call(text, expected):
    assert StudentCode(Code("a.py", {"a.py": text})).may_keep_something is expected


def reasons(suite, pool, old, new):
    """The reason of each failed check, by its name, of the solution with one text in place of another."""
    result = grade_handin(of_stub(suite, edited(HW1, (old, new))), suite, pool)
    assert result.explanation_faults == ()
    return {check.check: check.reason for check in result.checks if check.reason}


OUTPUT = "    return attention_weights @ V\n"
SCALED = "    return scores / np.sqrt(d_k)\n"
LOOPS = """
    output = np.zeros((len(attention_weights), V.shape[1]))
    for i in range(len(attention_weights)):
        for j in range(len(V)):
            output[i] += attention_weights[i, j] * V[{index}]
    return output
"""


def test_the_line_and_the_name_are_told_where_nothing_else_explains_a_result(suite_of, pool):
    reason = reasons(suite_of(HW1), pool, OUTPUT, LOOPS.format(index="i"))["attention_output_sizes"]
    assert "`output[i] += attention_weights[i, j] * V[i]`" in reason
    assert repairs.OTHER_NAME.format(old="i", around="V[i]") in reason


OVERWRITING = """
    rows = []
    for weights in attention_weights:
        V = weights[:, None] * V
        rows.append(V.sum(axis=0))
    return np.array(rows)
"""


def test_a_loop_that_overwrites_its_input_is_told_although_a_single_query_is_right(suite_of, pool):
    reason = reasons(suite_of(HW1), pool, OUTPUT, OVERWRITING)["attention_output_sizes"]
    assert "In your result the first row is right, and the others are not." in reason
    assert "`V = weights[:, None] * V`" in reason
    assert moved_statements.OVERWRITTEN.format(old="V") in reason


def test_a_later_task_names_the_line_of_the_function_that_it_uses(suite_of, pool):
    reason = reasons(suite_of(HW1), pool, OUTPUT, LOOPS.format(index="i"))["attention_flow_sizes"]
    assert "in `attention_output`" in reason


SOFTMAX_BY_ROWS = """    largest = x.max(axis=-1, keepdims=True)
    exponentials = np.exp(x - largest)
    total = exponentials.sum(axis=-1, keepdims=True)
    return exponentials / total
"""
KEPT_MAXIMUM = """    shares = np.empty(x.shape)
    largest = -np.inf
    for i in range(x.shape[0]):
        for score in x[i]:
            if score > largest:
                largest = score
        exponentials = np.exp(x[i] - largest)
        shares[i] = exponentials / exponentials.sum()
    return shares
"""
HEADS = """    head_1 = attention_head(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1)
    head_2 = attention_head(X, omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2)
    return omega_c @ np.vstack((head_1, head_2))
"""
STACKED_HEADS = """    V = np.stack([omega_v1, omega_v2]) @ X + np.stack([beta_v1, beta_v2])
    Q = np.stack([omega_q1, omega_q2]) @ X + np.stack([beta_q1, beta_q2])
    K = np.stack([omega_k1, omega_k2]) @ X + np.stack([beta_k1, beta_k2])
    weights = softmax_cols(K.swapaxes(1, 2) @ Q / np.sqrt(Q.shape[1]))
    return omega_c @ (V @ weights).reshape(X.shape)
"""


def first_reason(suite, pool, *edits):
    """The reason of the first failed check of a homework whose solution has other texts."""
    homework = suite.homework.id
    result = grade_handin(of_stub(suite, edited(homework, *edits)), suite, pool)
    assert result.explanation_faults == ()
    return next(check.reason for check in result.checks if check.reason)


def test_a_check_with_large_arrays_names_the_line_that_sets_smaller_ones_right(suite_of, pool):
    twice = ("self.self_attn(x, x, x,", "self.self_attn(x / 4**0.5, x, x,")
    assert "`4 ** 0.5`" in first_reason(suite_of("hw6_encoder_block"), pool, twice)


def test_a_maximum_that_is_kept_from_row_to_row_is_named(suite_of, pool):
    reason = first_reason(suite_of("hw3_scaled_dot_product_attention"), pool, (SOFTMAX_BY_ROWS, KEPT_MAXIMUM))
    assert "`exponentials = np.exp(x[i] - largest)`" in reason
    assert repairs.LARGEST.format(old="largest") in reason


def test_a_function_along_another_axis_of_stacked_heads_is_named(suite_of, pool):
    reason = first_reason(suite_of("hw5_multihead_attention"), pool, (HEADS, STACKED_HEADS))
    call = "softmax_cols(K.swapaxes(1, 2) @ Q / np.sqrt(Q.shape[1]))"
    assert repairs.NO_AXIS.format(old=call) in reason


def test_weights_at_forbidden_places_are_told_where_no_change_is_found(suite_of, pool, monkeypatch):
    monkeypatch.setattr(repair_search, "MOST_REPAIRS", 0)
    exponentials = "np.where(mask, np.exp(visible - largest), np.cosh(scores))"
    others = ("np.exp(visible - largest)", exponentials)
    reason = first_reason(suite_of("hw7_masked_attention"), pool, others)
    assert forbidden_weights.NOT_ZERO.format(mask="`mask`") in reason


@pytest.mark.parametrize(
    ("exponentials", "fact"),
    [
        ("np.exp(scores - largest, out=scores - largest, where=mask)", pitfalls.LEFT_AS_IT_WAS),
        ("np.exp(scores - largest, where=mask)", pitfalls.UNSET),
    ],
)
def test_what_stands_where_nothing_is_computed_is_told(suite_of, pool, exponentials, fact):
    edit = ("np.exp(visible - largest)", exponentials)
    reason = first_reason(suite_of("hw7_masked_attention"), pool, edit)
    assert fact.format(old=exponentials) in reason


def test_what_is_looked_up_at_negative_positions_is_told(suite_of, pool):
    table = (
        "angles = positions[:, None] * base ** (-np.arange(0, d, 2) / d)",
        "angles = (np.arange(99)[:, None] * base ** (-np.arange(0, d, 2) / d))[positions]",
    )
    reason = first_reason(suite_of("hw9_positions_and_cache"), pool, table)
    assert places.NEGATIVE_INDEX.format(name="`positions`") in reason


def test_the_line_that_changes_an_argument_by_its_second_name_is_named(suite_of, pool):
    # A copy would not do: it stops at whole numbers.
    new = "    scaled = scores\n    scaled /= np.sqrt(d_k)\n    return scaled\n"
    reason = reasons(suite_of(HW1), pool, SCALED, new)["scale_scores_unchanged"]
    assert "line 39, `scaled /= np.sqrt(d_k)`" in reason
    assert repairs.CHANGED_IN_PLACE.format(old="scaled") in reason


def test_a_change_at_two_places_names_both_lines(suite_of, pool):
    loops = """
    output = np.zeros((len(attention_weights), V.shape[1]))
    for i in range(len(attention_weights)):
        for j in range(len(V)):
            if i % 2:
                output[i] += attention_weights[i, j] * V[i]
            else:
                output[i] += attention_weights[i, j] * V[i]
    return output
"""
    reason = reasons(suite_of(HW1), pool, OUTPUT, loops)["attention_output_sizes"]
    assert "With the same change in lines 78 and 80, " in reason


def test_what_sets_only_some_cases_right_is_not_told(suite_of, pool):
    # Without the factor the published case is right, whose width is 4, and without the term only the others are.
    new = "    return scores / np.sqrt(d_k) * (1 + (d_k == 4)) + (d_k != 4) * 5\n"
    reason = reasons(suite_of(HW1), pool, SCALED, new)["scale_scores_published"]
    assert "change in line" not in reason


def test_a_block_may_be_left_empty_and_a_condition_left_out():
    text = "def f(V, a, i, j):\n    y = V\n    if a:\n        y = 0\n    return y\n"
    function = StudentCode(Code("a.py", {"a.py": text})).functions["f"]
    questions = {repair.question for repair in repairs_of(function)}
    assert moved_statements.LINE_NOT_NEEDED in questions
    assert moved_statements.LINES_NOT_NEEDED.format(condition="a") in questions


def test_two_mistakes_at_once_are_no_single_change(suite_of, pool):
    text = LOOPS.format(index="i").replace("+=", "-=")
    reason = reasons(suite_of(HW1), pool, OUTPUT, text)["attention_output_sizes"]
    assert "one change" not in reason


def test_very_long_functions_are_not_searched(suite_of, pool):
    filling = "".join(f"    x{number} = {number}\n" for number in range(500))
    loops = filling + LOOPS.format(index="i")
    reason = reasons(suite_of(HW1), pool, OUTPUT, loops)["attention_output_sizes"]
    assert "one change" not in reason


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" " * 200_000, False),
        ("a" * 200_000, False),
        ("x = a" + "]" * 100_000, False),
        ("a = " * 50_000 + "!", True),
    ],
)
def test_the_quick_look_takes_no_time_with_long_lines(text, expected):
    code = StudentCode(Code("a.py", {"a.py": text}))
    started = time.process_time()
    assert code.may_share_objects is expected
    assert time.process_time() - started < 5, "seconds; a search that goes back and forth takes hours"


def test_slow_functions_are_not_searched(suite_of, pool, monkeypatch):
    monkeypatch.setattr(repair_search, "MOST_SECONDS", 0.0)
    reason = reasons(suite_of(HW1), pool, OUTPUT, LOOPS.format(index="i"))["attention_output_sizes"]
    assert "one change" not in reason


def test_a_repair_that_never_ends_costs_its_own_time_only(suite_of, pool):
    # With another bound, or with `n -= 1` left out, the loop goes on for ever.
    loop = """
    output = np.zeros((len(attention_weights), V.shape[1]))
    n = len(V)
    while n > 0:
        n -= 1
        for i in range(len(attention_weights)):
            output[i] += attention_weights[i, n] * V[i]
    return output
"""
    reason = reasons(suite_of(HW1), pool, OUTPUT, loop)["attention_output_sizes"]
    assert repairs.OTHER_NAME.format(old="i", around="V[i]") in reason


def test_the_verdict_is_the_same_without_the_search(suite_of, pool, monkeypatch):
    suite = suite_of(HW1)
    code = of_stub(suite, edited(HW1, (OUTPUT, LOOPS.format(index="i"))))
    searched = grade_handin(code, suite, pool)
    monkeypatch.setattr(repair_search, "MOST_REPAIRS", 0)
    plain = grade_handin(code, suite, pool)
    outcomes = [(check.check, check.outcome, check.points) for check in searched.checks]
    assert outcomes == [(check.check, check.outcome, check.points) for check in plain.checks]
    assert replace(searched, seconds=0.0) != replace(plain, seconds=0.0)


HW3 = "hw3_scaled_dot_product_attention"
SOFTMAX = "softmax"
ATTENTION = "scaled_dot_product_attention"
SOLUTION = '''import numpy as np


def f(X, W_k, W_v, b_k):
    """Mix the values with the weights."""
    # BEGIN SOLUTION
    {body}
    # END SOLUTION
'''


def told(body):
    """What the slips of a function's body say, by the body with the slip."""
    solution = SourceText(Path("solution.py"), SOLUTION.format(body=body))
    definition = solution.definitions["f"]
    sayings = {}
    for slip in slips_of(solution, "f", ["f"]):
        code = solution.edited(slip.edits)[definition.code :]
        sayings[code.partition("# END")[0].strip()] = slip.phrase
    return sayings


@pytest.mark.parametrize(
    ("body", "slipped", "entry"),
    [
        ("return X @ W_v", "return X @ W_k", "other-name"),
        ("return X / math.sqrt(W_k.shape[-1])", "return X", "not-divided"),
        ("return sum(W_k)", "return sum(W_v)", "other-argument"),
        ("return X / len(W_k)", "return X / len(W_v)", "other-length"),
        ("return X @ W_k + b_k", "return X @ W_k", "not-added"),
        ("return X @ W_k + b_k", "return X @ (W_k + b_k)", "added-before"),
        ("return X @ W_k.T", "return X @ W_k", "not-transposed"),
        ("return X / np.sqrt(W_k.shape[-1])", "return X", "not-divided"),
        ("return X / np.sqrt(W_k.shape[-1])", "return X / W_k.shape[-1]", "no-root"),
        ("return X.sum(axis=1, keepdims=True)", "return X.sum(axis=0, keepdims=True)", "other-axis"),
        ("return X.transpose(0, 2, 1)", "return X.transpose(1, 2, 0)", "other-order-of-axes"),
        ("return np.vstack((X @ W_k, X @ W_v))", "return np.hstack((X @ W_k, X @ W_v))", "other-function"),
        (
            "return (X @ W_k.T + b_k) @ (X @ W_v.T)",
            "return (X @ W_k + b_k) @ (X @ W_v)",
            "same-at-both-places",
        ),
        (
            "y = X - X.max(axis=1)\n    return y.sum(axis=1)",
            "y = X - X.max(axis=0)\n    return y.sum(axis=0)",
            "one-axis-everywhere",
        ),
        ("return [x for x in X]", "return [x for x in list(X)[1:]]", "round-left-out"),
    ],
)
def test_a_slip_is_told_in_words_of_the_stub(body, slipped, entry):
    assert told(body)[slipped] == to_students[f"slips.{entry}"]


@pytest.mark.parametrize("body", ["secret = X + 1\n    return secret - W_k", "return X - 12345 * W_k"])
def test_names_and_numbers_of_the_solution_are_no_words(body):
    assert told(body)
    assert not any(re.search(r"secret|12345", says) for says in told(body).values())


def test_what_the_stub_gives_is_left_alone():
    text = SOLUTION.format(body="return given(X)") + "\n\ndef given(X):\n    return X + 1\n"
    solution = SourceText(Path("solution.py"), text)
    start = solution.definitions["given"].start
    edits = [edit for slip in slips_of(solution, "f", ["f"]) for edit in slip.edits]
    assert edits
    assert all(edit.start < start for edit in edits)


def found(suite, task, label, pool):
    """What is told of the answers of a known mistake, as if it were not known."""
    [variant] = [one for one in suite.diagnostician.singles[task] if one.labels == (label,)]
    cases = diagnostic_cases(suite.known, task)
    return suite.diagnostician.slips.find(task, variant.answers, cases, pool)


@pytest.mark.parametrize(
    ("task", "label", "entry"),
    [
        (SOFTMAX, "softmax-sum-over-queries", "sum-along-axis-0"),
        (SOFTMAX, "softmax-no-exp/shifted", "without-exp"),
        (ATTENTION, "values-are-inputs", "keys-for-values"),
        (ATTENTION, "no-scaling", "not-divided-by-the-root"),
        (ATTENTION, "no-softmax", "without-softmax"),
    ],
)
def test_a_mistake_that_is_not_known_is_told_as_a_slip(suite_of, pool, task, label, entry):
    reason = found(suite_of(HW3), task, label, pool)
    assert reason.says == to_students[f"slips.{entry}"]
    assert reason.labels == ()


@pytest.mark.parametrize("label", ["softmax-unstable", "softmax-minimum-subtracted"])
def test_what_shows_in_infinite_numbers_alone_is_told_as_no_slip(suite_of, pool, label):
    suite = suite_of(HW3)
    if any(one.labels == (label,) for one in suite.diagnostician.singles[SOFTMAX]):
        assert found(suite, SOFTMAX, label, pool) == NO_REASON


def test_right_answers_give_no_slip(suite_of, pool):
    suite = suite_of(HW3)
    cases = diagnostic_cases(suite.known, ATTENTION)
    right = {known.case.id: Answer(known.expected) for known in cases}
    assert suite.diagnostician.slips.find(ATTENTION, right, cases, pool) == NO_REASON


@pytest.fixture
def without_catalogue(suite_of):
    suite = suite_of(HW3)
    return replace(suite, diagnostician=Diagnostician(suite.homework, (), suite.known, {}))


def first_check_with_a_reason(suite, pool, *edit):
    result = grade_handin(of_stub(suite, edited(HW3, edit)), suite, pool)
    return next(check for check in result.checks if check.reason)


def test_a_submission_is_told_its_slip_where_no_mistake_is_known(without_catalogue, pool):
    edit = ("exponentials.sum(axis=-1", "exponentials.sum(axis=0")
    first = first_check_with_a_reason(without_catalogue, pool, *edit)
    slip, _, place = first.reason.partition(" (")[0].partition(" Look at ")
    assert slip == to_students["slips.sum-along-axis-0"]
    assert place.startswith("line 24, `total = exponentials.sum(axis=0, keepdims=True)`")
    assert first.misconceptions == ()


def test_a_relation_that_names_no_cause_gives_way_to_a_slip(suite_of, pool):
    # Each row of this softmax is right except for a factor and an added number of its own.
    edit = ("exponentials / total", "exponentials - total")
    first = first_check_with_a_reason(suite_of(HW3), pool, *edit)
    slip, _, place = first.reason.partition(" (")[0].partition(" Look at ")
    assert slip == to_students["slips.subtracted-for-divided"]
    assert place.startswith("line 25, `return exponentials - total`")


def test_slips_are_run_for_the_first_submission_only(suite_of, pool, monkeypatch):
    suite = suite_of(HW3)
    monkeypatch.setattr(suite.diagnostician, "slips", slip_search.SlipSearch(suite.homework))
    runs = []
    really_run = SandboxPool.run

    def run(pool, request):
        runs.append(request)
        return really_run(pool, request)

    monkeypatch.setattr(SandboxPool, "run", run)
    assert found(suite, SOFTMAX, "softmax-sum-over-queries", pool).says
    assert len(runs) == 3, "two slips, all others, and those that agree in one case"
    assert found(suite, SOFTMAX, "softmax-sum-over-queries", pool).says
    assert len(runs) == 3


def test_answers_of_slips_are_forgotten_where_they_are_many(suite_of, pool, monkeypatch):
    monkeypatch.setattr(remembered, "MOST_NUMBERS", 100)
    suite = suite_of(HW3)
    search = slip_search.SlipSearch(suite.homework)
    monkeypatch.setattr(suite.diagnostician, "slips", search)
    for _ in range(2):
        assert found(suite, SOFTMAX, "softmax-sum-over-queries", pool).says
        assert len(search.remembered._variants) < 60, "those of the few slips that agree in one case"


def test_slips_that_would_take_too_long_are_not_run(without_catalogue, pool, monkeypatch):
    monkeypatch.setattr(slip_search, "MOST_SECONDS", 0.0)
    suite = without_catalogue
    search = suite.diagnostician.slips
    cases = diagnostic_cases(suite.known, SOFTMAX)[:1]
    all_slips = slips_of(read_edits(suite.homework).solution, SOFTMAX, [SOFTMAX, ATTENTION])
    answered = search.remembered.answering(cases, all_slips, pool)
    assert len(answered) == len(all_slips) <= slips.MOST_SLIPS
    errors = [variant.answers[cases[0].case.id].error for variant in answered.values()]
    assert [error.type for error in errors[2:] if error] == ["TimeLimit"] * (len(all_slips) - 2)
