"""What a student reads first of one mistake: the cause that is there, and no other."""

import sys
from dataclasses import replace

import pytest
from released import HW1
from submissions import mistaken_text
from wording import to_students

from autograder.course.calls import FunctionCall
from autograder.reasons.errors import explain_no_value
from autograder.reasons.repairs import OTHER_NAME
from autograder.sandbox.report import StudentError
from autograder.sandbox.request import Limits
from autograder.student.find import find_work
from autograder.student.homework import open_homework
from autograder.student.load import check_work
from autograder.student.pack import find_traps
from autograder.student.table import first_thing_to_fix

from .conftest import libraries_as_before

HW7, HW8, HW9 = "hw7_masked_attention", "hw8_batched_multihead_attention", "hw9_positions_and_cache"
MASKED = "visible = np.where(mask, scores, -np.inf)"
LARGEST = "largest = np.where(largest == -np.inf, 0, largest)"
TILED_K = "K = np.tile(split_heads(X @ W_k, n_kv_heads), (1, group, 1, 1))"


@pytest.fixture
def message_of(students, course):
    """Return the first thing to fix in the solution with some lines changed."""

    def report_of(homework_id, *changes):
        text = course.homework(homework_id).solution.read_text("utf-8")
        for right, wrong in changes:
            assert text.count(right) == 1, right
            text = text.replace(right, wrong)
        report = students.check(homework_id, text)
        return first_thing_to_fix(report)

    return report_of


def test_a_helper_that_changes_its_argument_is_named_and_not_what_follows(message_of):
    message = message_of(HW1, ("return scores / np.sqrt(d_k)", "scores /= np.sqrt(d_k)\n    return scores"))
    assert to_students["messages.in-place"] in message


def test_half_precision_is_named(message_of):
    assert to_students["messages.float16"] in message_of(
        HW1, ("return Q @ K.T", "return (Q @ K.T).astype(np.float16)")
    )


def test_a_mask_times_infinity_is_named_also_where_empty_rows_become_nan(message_of):
    product = "visible = scores + (1 - mask) * -np.inf"
    message = message_of(HW7, (MASKED, product), (LARGEST, "largest = largest"))
    assert to_students["messages.mask-times-infinity"] in message
    assert message.startswith("masked_softmax: ")


def test_keys_and_values_repeated_differently_are_named(message_of):
    right = "K = np.repeat(split_heads(X @ W_k, n_kv_heads), group, axis=1)"
    assert to_students["messages.keys-and-values-repeated"] in message_of(HW8, (right, TILED_K))


def test_a_pair_that_is_overwritten_is_named(message_of):
    message = message_of(
        HW9,
        ("rotated = np.empty(x.shape)", "rotated = x.copy()\n    a, b = rotated[:, 0::2], rotated[:, 1::2]"),
    )
    assert to_students["messages.overwritten-pair"] in message


def test_a_table_that_is_kept_with_another_base_is_not_called_code_without_a_base(message_of):
    message = message_of(
        HW9,
        ("def apply_rope", "ANGLES = {}\n\n\ndef apply_rope"),
        ("angles = positions[:, None]", "angles = ANGLES.setdefault(x.shape, positions[:, None]"),
        ("(0, d, 2) / d)\n    a =", "(0, d, 2) / d))\n    a ="),
    )
    assert to_students["general.depends-on-earlier-calls"] in message


IMPORTED = "from tables import ANGLES\n"


@pytest.mark.parametrize(
    "imports",
    [
        ("import numpy as np\n", f"import numpy as np\n\n{IMPORTED}"),
        ("    d = x.shape[-1]\n", f"    d = x.shape[-1]\n    {IMPORTED}"),
    ],
)
def test_a_table_that_a_helper_file_keeps_is_found_as_well(message_of, students, imports):
    """The helper is loaded anew like the file that imports it, and the one before comes back."""
    modules_before = dict(sys.modules)
    helper = students.folder(HW9) / "tables.py"
    helper.write_text("ANGLES = {}\n")
    try:
        message = message_of(
            HW9,
            imports,
            ("angles = positions[:, None]", "angles = ANGLES.setdefault(x.shape, positions[:, None]"),
            ("(0, d, 2) / d)\n    a =", "(0, d, 2) / d))\n    a ="),
        )
    finally:
        helper.unlink()
    assert to_students["general.depends-on-earlier-calls"] in message
    assert "tables" not in sys.modules.keys() - modules_before.keys()


def test_time_that_goes_into_printing_is_named():
    cut = StudentError("TimeLimit", line=4, file="work.py", source="print(number)")
    failure = explain_no_value(cut, FunctionCall("softmax", ()), Limits(), cut)
    assert to_students["messages.printing"] in failure.student
    assert "loop that never ends" not in failure.student


def test_the_line_in_which_one_change_sets_all_right_is_named(message_of):
    right = "    return attention_weights @ V\n"
    wrong = """
    output = np.zeros((len(attention_weights), V.shape[1]))
    for i in range(len(attention_weights)):
        for j in range(len(V)):
            print("mixing", i, j)
            output[i] += attention_weights[i, j] * V[i]
    return output
"""
    message = message_of(HW1, (right, wrong))
    assert "`output[i] += attention_weights[i, j] * V[i]`" in message
    assert OTHER_NAME.format(old="i", around="V[i]") in message


HW5 = "hw5_multihead_attention"
SUM_OF_ROWS = ("softmax-no-keepdims-copied", "softmax-no-keepdims-both")

FLATTENED = """
import numpy as np

def attend_one_step(q, k_new, v_new, cache_k, cache_v):
    cache_k = np.append(cache_k, k_new)
    cache_v = np.append(cache_v, v_new)
    scores = {} / np.sqrt(len(q))
    exponentials = np.exp(scores - scores.max())
    return exponentials / exponentials.sum() @ cache_v, cache_k, cache_v
"""


def labels_of(report):
    return {label for check in report.results for label in check.misconceptions}


@pytest.mark.parametrize("name", SUM_OF_ROWS)
def test_a_sum_along_the_rows_is_not_taken_for_code_that_expects_a_batch(name, students):
    report = students.check(HW5, mistaken_text(HW5, name))
    assert labels_of(report) == {"softmax-no-keepdims"}


@pytest.mark.parametrize("name", SUM_OF_ROWS)
def test_square_scores_are_what_tells_it_from_that(name, students):
    folder = students.folder(HW5)
    public = open_homework(folder)
    # The single column of one token tells them apart, too.
    known = []
    for known_case in public.known:
        if "head-" not in known_case.case.id and "one-token" not in known_case.case.id:
            known.append(known_case)
    assert len(known) < len(public.known)
    (folder / public.homework.stub).write_text(mistaken_text(HW5, name), encoding="utf-8")
    with libraries_as_before():
        report = check_work(replace(public, known=tuple(known)), find_work(public, folder))
    assert "batch-only" in labels_of(report)


@pytest.mark.parametrize("product", ["cache_k @ q", "q @ cache_k.T", "np.dot(cache_k, q)"])
def test_a_cache_that_is_appended_to_without_an_axis_is_named_on_either_side_of_the_product(
    product, students
):
    report = students.check(HW9, FLATTENED.format(product))
    assert labels_of(report) == {"cache-flattened"}


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ('print("%.3f" % (k.T @ q))', ".item()"),
        ("x = np.array([1], dtype=np.float)", "NumPy 1.24"),
        ("m = -np.Inf", "NumPy 2.0"),
        ("p = np.product(shape)", "np.prod"),
        ("y = np.concat([a, b])", "new in NumPy 2"),
        ("y = np.astype(a, float)", "new in NumPy 2"),
        ("X = np.matrix(X)", "np.array"),
    ],
)
def test_a_trap_is_told_with_its_line_and_what_to_write(line, remedy):
    [trap] = find_traps(f"import numpy as np\n{line}\n", "work.py")
    assert trap.startswith("work.py, line 2: ")
    assert remedy in trap


@pytest.mark.parametrize(
    "line",
    [
        "s = (k.T @ q).item()",
        "x = x.astype(np.float64)",
        "b = np.bool_(1) + np.int64(2)",
        "y = np.concatenate([a, b])",
        "# '%f' % (k.T @ q) fails since NumPy 2.4",
        "s = float(k.T @ q)",
        "m = -np.inf",
    ],
)
def test_what_every_version_takes_is_no_trap(line):
    assert list(find_traps(line, "work.py")) == []


def test_a_scaling_that_fits_the_cases_of_one_topic_by_chance_is_not_told(message_of):
    """In the cases of plain values, d_model / n_heads is as large as n_heads / n_kv_heads."""
    repeated = "    K = np.repeat(split_heads(X @ W_k, n_kv_heads), group, axis=1)\n"
    scaled = "    Q = Q * np.sqrt(X.shape[-1] / W_k.shape[1])\n"
    message = message_of(HW8, (repeated, repeated + scaled))
    assert message.startswith("grouped_query_attention")
    assert "Your result would be right if" not in message
