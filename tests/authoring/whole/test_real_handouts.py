"""The handouts that students of this course get: readable by everyone, and with numbers that are right."""

import itertools
import math
import re
from xml.etree import ElementTree

import pytest
from colours import contrast
from homeworks import TEN
from wording import to_authors

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
