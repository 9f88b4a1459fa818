"""The handouts of this course: readable by everyone, their numbers and worked examples computed once more."""

import itertools
import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from colours import contrast
from homeworks import SIX, TEN
from wording import to_authors

from autograder.handouts.text import read_example

HOMEWORKS = TEN
NAMESPACE = "http://www.w3.org/2000/svg"
WIDTH_OF_A_LETTER = 0.56  # of a font's size, on average, in a wide plain font
Box = tuple[float, float, float, float]

pytestmark = pytest.mark.parametrize("homework_id", HOMEWORKS)


@pytest.fixture
def handed_out(course, homework_id):
    return lambda name: (course.assignments / homework_id / name).read_text("utf-8")


def shapes(svg):
    yield from ElementTree.fromstring(svg)


def box_of(shape):
    """Left, top, right and bottom of a rectangle or, estimated, of a text."""
    x, y = float(shape.get("x", 0)), float(shape.get("y", 0))
    if shape.tag == f"{{{NAMESPACE}}}rect":
        return x, y, x + float(shape.get("width", 0)), y + float(shape.get("height", 0))
    size = float(shape.get("font-size", 0))
    width = WIDTH_OF_A_LETTER * size * len("".join(shape.itertext()))
    left_edge = x - {"start": 0, "middle": 0.5, "end": 1}[shape.get("text-anchor", "start")] * width
    return left_edge, y - 0.75 * size, left_edge + width, y + 0.25 * size


def within(inner, outer):
    return all(a >= b for a, b in zip(inner[:2], outer[:2], strict=True)) and all(
        a <= b for a, b in zip(inner[2:], outer[2:], strict=True)
    )


def overlap(box, other):
    return all(box[i] < other[i + 2] and other[i] < box[i + 2] for i in (0, 1))


def texts(svg):
    return [shape for shape in shapes(svg) if shape.tag == f"{{{NAMESPACE}}}text"]


def test_every_text_of_the_picture_can_be_read_on_what_lies_under_it(handed_out):
    under = []
    count = 0
    for shape in shapes(handed_out("handout.svg")):
        if shape.tag == f"{{{NAMESPACE}}}rect":
            under.append((box_of(shape), shape.get("fill", "")))
        elif shape.tag == f"{{{NAMESPACE}}}text":
            x, y = float(shape.get("x", 0)), float(shape.get("y", 0)) - 3
            ground = next(fill for box, fill in reversed(under) if overlap((x, y, x + 0.1, y + 0.1), box))
            assert contrast(shape.get("fill", ""), ground) >= 4.5, shape.text
            count += 1
    assert count > 10


def test_the_words_of_the_picture_neither_leave_it_nor_overlap(handed_out):
    svg = handed_out("handout.svg")
    ground = next(box_of(shape) for shape in shapes(svg) if shape.tag == f"{{{NAMESPACE}}}rect")
    boxes = [(text.text, box_of(text)) for text in texts(svg)]
    assert [words for words, box in boxes if not within(box, ground)] == []
    pairs = [(a, b) for i, (a, box) in enumerate(boxes) for b, other in boxes[:i] if overlap(box, other)]
    assert pairs == []


def test_the_picture_is_told_in_words_in_both_files(handed_out):
    description = next(
        shape.text for shape in shapes(handed_out("handout.svg")) if shape.tag.endswith("desc")
    )
    assert description is not None
    assert len(description) > 150
    assert description in handed_out("handout.md").replace("\\_", "_")
    assert to_authors["real_handouts.role-img-aria-labelledby"] in handed_out("handout.html")


def test_the_page_is_one_file_with_headings_in_order(handed_out):
    html = handed_out("handout.html")
    levels = [int(level) for level in re.findall(r"<h(\d)[ >]", html)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    assert not re.search(r"<(script .|link|img|iframe)|@import|url\((?!#|\"data:)", html)
    assert html.count("<math") >= 1
    assert "{{" not in html
    assert "$" not in re.sub(r"<code>.*?</code>", "", html.partition("<main>")[2].partition("</main>")[0])


def test_ids_are_there_once(handed_out):
    ids = re.findall(r' id="([^"]+)"', handed_out("handout.html"))
    assert sorted(set(ids)) == sorted(ids)


def test_the_idea_the_formula_and_the_picture_come_before_the_tasks(handed_out):
    before, _, after = handed_out("handout.md").partition("## What to write")
    assert after
    for part in ("## The idea", "## The formula", "$$", "| shape", "(handout.svg)"):
        assert part in before
    assert to_authors["real_handouts.a-small-example"] in before + after
    read = re.sub(r"!\[[^\]]*\]\(map\.svg\)", "", before)  # the same in each handout: no text to read again
    assert len(read.split()) < 700


def test_tables_line_up_in_the_source(handed_out):
    for table in re.findall(r"(?:^\|.*\|\n)+", handed_out("handout.md"), re.MULTILINE):
        places = {tuple(bar.start() for bar in re.finditer(r"\|", line)) for line in table.splitlines()}
        assert len(places) == 1, table


def test_weights_of_the_picture_are_shares(handed_out):
    """Each row (or column, where tokens are columns) of printed weights sums to 1, up to rounding."""
    for _, corner, body in re.findall(
        r"^(.*weights, shape.*)\n((?:query \\ key|key \\ query)[^\n]*)\n((?:\w+ .*\n)+)",
        handed_out("handout.md"),
        re.M,
    ):
        rows = [[float(n) for n in re.findall(r"-?\d+\.\d+", line)[:3]] for line in body.splitlines()]
        lines = rows if corner.startswith("query") else zip(*rows, strict=True)
        assert all(math.isclose(sum(line), 1, abs_tol=0.016) for line in lines)


def test_every_task_has_its_points_a_worked_example_and_a_question_with_an_answer(
    handed_out, course, homework_id
):
    text = handed_out("handout.md")
    assert "{{" not in text
    for task in course.homework(homework_id).tasks:
        heading = f"### `{task.name}` ({task.points:g} points)\n"
        assert heading in text or len(course.homework(homework_id).tasks) == 1
        section = text.partition(heading)[2].partition("\n## ")[0].partition("\n### ")[0] or text
        for part in ("| shape", "By hand", "**Pitfall.**", "Check yourself:"):
            assert part in section, (task.name, part)


def test_formulas_are_typeset_and_not_spelt_with_signs(handed_out):
    """Outside of code, pictures and printed numbers."""
    html = handed_out("handout.html").partition("<main>")[2].partition("<script>")[0]
    words = re.sub(r"(?s)<(math|code|svg|table class=.numbers).*?</(math|code|svg|table)>|<[^>]+>", " ", html)
    assert re.findall(r"√\S*|\b[A-Za-z]_[A-Za-z]\b|\S*[ᵀ₁₂]", words) == []


def test_it_links_to_what_is_worth_reading(handed_out):
    links = re.findall(r'href="(https://[^"]+)"', handed_out("handout.html"))
    assert any("d2l.ai" in link for link in links)
    assert any("arxiv.org/abs/1706.03762" in link or "udlbook" in link for link in links)
    assert any("docs.pytorch.org" in link or "numpy.org" in link for link in links)


def test_what_is_computed_by_hand_gives_what_is_printed(handed_out):
    """Formulas of numbers alone, computed from the rounded numbers that a reader has."""
    count = 0
    for formula in re.findall(r"\${1,2}([^$]+)\${1,2}", handed_out("handout.md")):
        left_side, _, right = re.sub(r"\\approx", "=", formula).rpartition("=")
        left_side = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"(\1) / (\2)", left_side.rpartition("=")[2])
        left_side = re.sub(r"\\sqrt\{(\d+)\}", r"\1 ** 0.5", left_side).replace("\\cdot", "*")
        if re.fullmatch(r"[-+*/(). \d]*[*/][-+*/(). \d]*", left_side):
            decimals = len(right.strip().partition(".")[2])
            assert f"{eval(left_side):.{decimals}f}" == right.strip(), formula
            count += 1
    assert count >= 1


HOMEWORKS_OF_SIX = SIX


def softmax(scores, axis):
    shares = np.exp(scores - scores.max(axis, keepdims=True))
    return np.asarray(shares / shares.sum(axis, keepdims=True))


def normalised(x):
    return np.asarray((x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True))


def check_hw1(n):
    assert np.allclose(n["weights"], softmax(n["Q"] @ n["K"].T / np.sqrt(2), 1))
    assert np.allclose(n["output"], n["weights"] @ n["V"])
    assert n["weights"][1, 0] == n["weights"][1, 2] > n["weights"][1, 1]


def check_hw2(n):
    for name in "qkv":
        assert np.array_equal(n[name.upper()], n["X"] @ n[f"W_{name}"])
    assert np.allclose(n["weights"], softmax(n["Q"] @ n["K"].T / np.sqrt(2), 1))
    assert np.allclose(n["output"], n["weights"] @ n["V"])


def check_hw3(n):
    assert np.allclose(n["weights"] * [8, 8, 8], [[1, 3, 4], [3.2, 0.8, 4]])
    assert np.allclose(n["context"], n["weights"] @ n["V"])
    assert np.allclose(n["scaled_4"], n["scaled_64"])
    assert n["entropy_raw_64"] < n["entropy_raw_4"] < n["entropy_scaled_64"]


def check_hw4(n):
    scores = (n["omega_k"] @ n["X"] + n["beta_k"]).T @ (n["omega_q"] @ n["X"] + n["beta_q"])
    assert np.allclose(n["weights"], softmax(scores, 0))
    assert np.allclose(n["output"], n["V"] @ n["weights"])
    assert np.allclose(n["scaled_output"], n["V"] @ softmax(scores / np.sqrt(2), 0))
    assert np.array_equal(n["exchanged"], n["X"][:, ::-1])


def check_hw5(n):
    heads = [n[f"omega_v{i}"] @ n["X"] @ n[f"weights{i}"] for i in (1, 2)]
    assert np.allclose(n["stacked"], np.vstack(heads))
    assert np.allclose(n["output"], n["omega_c"] @ n["stacked"])
    assert np.allclose(n["odds_weights"], n["odds"] / n["odds"].sum(0))
    assert not np.isclose(n["transposed"], n["printed"][0, 0], atol=1)


def check_hw6(n):
    assert np.allclose(n["y"], normalised(n["x"] + n["attended"]), atol=1e-4)
    assert np.allclose(n["z"], normalised(n["y"] + np.maximum(0, n["y"])), atol=1e-4)
    parts = n["count_self_attn"] + n["count_ff"] + 2 * n["count_norm1"]
    assert n["count_all"] == parts


CHECKS = (
    check_hw1,
    check_hw2,
    check_hw3,
    check_hw4,
    check_hw5,
    check_hw6,
)


PAIRS = [
    (homework, check)
    for homework in HOMEWORKS_OF_SIX
    for check in CHECKS
    if check.__name__ == f"check_{homework[:3]}"
]


@pytest.mark.parametrize(("homework_id", "check"), PAIRS, ids=[homework_id for homework_id, _ in PAIRS])
def test_an_example_says_what_its_formula_says(homework_id, check, course, pool):
    example = read_example(course.homework(homework_id), pool)
    check({name: matrix.numbers for name, matrix in example.matrices.items()})
    check_pasted(example, (course.assignments / homework_id / "handout.md").read_text("utf-8"))


def check_pasted(example, handout):
    """What a student pastes gives the arrays that were computed with."""
    names = {"np": np}
    for code in re.findall(r"```python\n(.*?)```", handout, re.DOTALL):
        if "torch" not in code:
            exec(code, names)
    pasted = {name: value for name, value in names.items() if name in example.matrices}
    assert len(pasted) >= 1
    for name, value in pasted.items():
        matrix = example.matrices[name]
        if name not in (
            "W_q",
            "W_k",
            "W_v",
        ):  # pasted once for the example and once for the notebook's numbers
            assert np.allclose(value, matrix.numbers, atol=1e-8), name
            assert np.asarray(value).dtype.kind == matrix.numbers.dtype.kind


def test_the_block_that_students_build_by_the_handout_gives_its_numbers(course):
    import torch

    homework = course.homework("hw6_encoder_block")
    handout = (course.assignments / homework.id / "handout.md").read_text("utf-8")
    names = {"np": np, "torch": torch}
    exec(homework.solution.read_text("utf-8"), names)
    for code in re.findall(r"```python\n(.*?)```", handout, re.DOTALL):
        exec(code, names)
    printed = re.findall(r"^cats .*", handout, re.MULTILINE)[1]
    assert [f"{number:.2f}" for number in names["z"][0].tolist()] == printed.split()[6:]
