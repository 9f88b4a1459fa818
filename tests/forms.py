"""Right answers in other forms: what each task's function returns instead. They cost its published check."""

import functools
from collections.abc import Iterator
from dataclasses import dataclass

from autograder.course.course import Course, find_course

HW1, HW2, HW3 = "hw1_attention_scores", "hw2_self_attention", "hw3_scaled_dot_product_attention"
HW4, HW5 = "hw4_self_attention_columns", "hw5_multihead_attention"
HW7, HW8, HW9 = "hw7_masked_attention", "hw8_batched_multihead_attention", "hw9_positions_and_cache"
ARRAY = {
    "transposed": "r.T",
    "in a tuple": "(r,)",
    "in a list": "[r]",
    "with another": "(r, 7)",
    "axis before": "r[None]",
    "axis behind": "r[..., None]",
}
ROW = {name: ARRAY[name] for name in ("in a tuple", "with another", "axis before", "axis behind")}
TUPLE = {
    "exchanged": "r[::-1]",
    "exchanged in a list": "list(r[::-1])",
    "in a dictionary": "dict(enumerate(r))",
    "exchanged in a dictionary": "dict(enumerate(r[::-1]))",
    "with another": "(*r, 7)",
    "axes before": "tuple(one[None] for one in r)",
}
OUTPUT_ALONE = {"output alone": "r[-1]", "output alone in a tuple": "(r[-1],)"}
COLUMNS = {
    "one array": "np.hstack(r)",
    "one array of rows": "np.hstack(r).T",
    "rows": "[one.T for one in r]",
    "flat": "[one.ravel() for one in r]",
    "lists of numbers": "[one.ravel().tolist() for one in r]",
    "each in a list": "[[one] for one in r]",
    "in a tuple": "(r,)",
    "with another": "(r, 7)",
}
FORMS = {
    (HW1, "qk_scores"): ARRAY,
    (HW1, "scale_scores"): ARRAY,
    (HW1, "softmax"): ARRAY,
    (HW1, "attention_output"): ARRAY,
    (HW1, "attention_flow"): TUPLE | OUTPUT_ALONE,
    (HW2, "project_qkv"): TUPLE,
    (HW2, "self_attention_numpy"): TUPLE | OUTPUT_ALONE,
    (HW2, "self_attention_torch"): ARRAY,
    (HW3, "softmax"): ARRAY,
    (HW3, "scaled_dot_product_attention"): TUPLE | OUTPUT_ALONE,
    (HW4, "softmax"): ROW,
    (HW4, "self_attention_per_token"): COLUMNS,
    (HW4, "self_attention"): ARRAY,
    (HW4, "scaled_dot_product_self_attention"): ARRAY,
    (HW5, "softmax_cols"): ARRAY,
    (HW5, "multihead_scaled_self_attention"): ARRAY,
}
GUESSES = {
    (HW1, "softmax"): ("(2 * r, r)", "[3 * r, 2 * r, r, 0 * r]"),
    (HW2, "project_qkv"): ("(*r, 2 * r[2])",),
    (HW3, "scaled_dot_product_attention"): ("(*r, 3 * r[0], 2 * r[1])",),
    (HW5, "multihead_scaled_self_attention"): ("(2 * r, r)",),
    (HW7, "masked_softmax"): ("[guess * r for guess in range(8)]",),
    (HW8, "split_heads"): ("tuple(guess * r for guess in range(10))",),
    (HW9, "apply_rope"): ("[guess * r for guess in range(8)]",),
}
"""Several arrays of one shape, of which another is right than the order says: only the answer could tell."""
AS_ASKED = {
    (HW1, "softmax"): ["r.tolist()", "np.matrix(r)", "np.float32(r)"],
    (HW3, "scaled_dot_product_attention"): [
        "list(r)",
        "tuple(map(np.matrix, r))",
        "[one.tolist() for one in r]",
    ],
    (HW4, "softmax"): ["r.tolist()", "tuple(r)", "list(r)"],
    (HW4, "self_attention_per_token"): ["tuple(r)", "np.array(r)", "[one.tolist() for one in r]"],
}
"""Ways to return what is asked that cost nothing."""


@dataclass(frozen=True)
class Changed:
    """A text in which one function of a solution, and it alone, returns its right result in another form."""

    homework_id: str
    task: str
    name: str
    text: str

    @property
    def id(self) -> str:
        return f"{self.homework_id[:3]}-{self.task}-{self.name}".replace(" ", "-")


@functools.cache
def _course() -> Course:
    """Return the course, which is found once: each process of tests makes some 200 forms of its solutions."""
    return find_course()


def changed(homework_id: str, task: str, name: str, returned: str, text: str | None = None) -> Changed:
    """The solution, or another text, with this function's result ``r`` returned as the expression says."""
    homework = _course().homework(homework_id)
    if text is None:
        text = homework.solution.read_text("utf-8")
    names = [task.name for task in homework.tasks]
    frame = f"""
import numpy as np

_as_they_are = {{}}  # where all functions go on calling each other as they are
exec({text!r}, _as_they_are)
globals().update({{name: _as_they_are[name] for name in {names}}})


def {task}(*arguments):
    r = _as_they_are[{task!r}](*arguments)
    return {returned}
"""
    return Changed(homework_id, task, name, frame)


def all_changed() -> Iterator[Changed]:
    for (homework_id, task), forms in FORMS.items():
        for name, returned in forms.items():
            yield changed(homework_id, task, name, returned)
