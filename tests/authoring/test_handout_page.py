"""The page of a handout: text, tables, formulas, pictures, questions and numbers."""

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest
from asked import ask
from colours import contrast
from hypothesis import given
from hypothesis import strategies as st
from wording import to_authors

from autograder.course.schema import CourseError
from autograder.handouts.figures import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PAPER,
    QUIET,
    Box,
    Path,
    Picture,
    Text,
    bars,
    grid,
    heading,
    heat,
    labelled_box,
    note,
    svg,
)
from autograder.handouts.numbers import (
    Matrix,
    code_lines,
    html_tables,
    listed,
    printed,
    text_tables,
    whole_numbers,
)
from autograder.handouts.page import handout_files, mathml, page
from autograder.handouts.text import MARKDOWN, PAGE, Example, fill_handout, line_up_pipes, question_list

TABLE = "| symbol | shape |\n| --- | ---: |\n| `Q` | (n, d) |\n| `K` | (m, d) |\n"
DISPLAY, INLINE = {"display_mode": True}, {"display_mode": False}


def test_a_page_has_a_language_a_title_and_fits_a_phone():
    html = page("Scores & weights", "# Scores\n")
    assert '<html lang="en">' in html
    assert "<title>Scores &amp; weights</title>" in html
    assert 'name="viewport" content="width=device-width' in html
    assert "<main>\n<h1>Scores</h1>" in html


def test_a_page_needs_no_other_file():
    html = page("t", f"# T\n\n$$x^2$$\n\n{TABLE}\n```python\nx = 1 < 2\n```\n")
    assert not re.search(
        r"<(script .|link|img|iframe)|@import|url\((?!#|\"data:)|https?://(?!www\.w3\.org)", html
    )


def test_sections_are_listed_at_the_top_and_reached_by_their_names():
    html = page("t", "# T\n\nstart\n\n## One `step`\n\n### With `d_k`\n\n## Two\n")
    assert re.findall(r'<a href="#([^"]+)">', html) == ["one-step", "with-d_k", "two"]
    assert re.findall(r'<h[23] id="([^"]+)"', html) == ["one-step", "with-d_k", "two"]
    assert html.index("start") < html.index("<nav") < html.index("<h2")
    assert "<nav" not in page("t", "# T\n\nwithout sections\n")


def test_a_table_names_its_headers_and_scrolls_by_keyboard():
    html = page("t", TABLE)
    assert '<th scope="col">symbol</th>' in html
    assert '<th scope="row"><code>Q</code></th>' in html
    assert html.count('<th scope="row"') == 2
    assert to_authors["handout_page.role-group-aria-label-table"] in html
    assert html.count("<table>") == html.count("</table></div>") == 1


def test_code_is_escaped_and_reached_by_keyboard():
    assert '<pre tabindex="0" role="group" aria-label="Code"><code>x = 1 &lt; 2\n</code></pre>' in page(
        "t", "```python\nx = 1 < 2\n```\n"
    )


def test_a_formula_becomes_mathml():
    html = page("t", "$$\\frac{QK^\\top}{\\sqrt{d_k}}$$\n\nand $x_1$ inside\n")
    assert 'display="block"' in html
    assert "<mfrac>" in html
    assert '<span class="math inline"><math' in html
    assert "$" not in html.partition("<main>")[2].partition("</main>")[0]


def test_a_function_is_set_off_from_what_it_is_of():
    assert '<mi>ln</mi><mspace width="0.17em" /><mn>2</mn>' in mathml(r"\ln 2", INLINE)


def test_a_function_keeps_its_index():
    assert "<msub><mi>Norm</mi><mn>1</mn></msub>" in mathml(r"\operatorname{Norm}_1(x)", INLINE)


@pytest.mark.parametrize("text", ["| a |\n| --- |\n| $n$, each 1 |\n", "$n$ is 1", "1$n$2"])
def test_a_formula_may_stand_beside_digits(text):
    assert page("t", text).count("<math") == 1


def test_a_name_stays_in_one_piece():
    assert "<code>qk_scores</code>" in page("t", "`qk_scores`")


def test_a_price_is_no_formula():
    assert "<math" not in page("t", "It costs 5$ or 6$ a month.\n")


def test_a_name_in_a_formula_is_no_operator_set_apart():
    assert "<mi>softmax</mi>" in mathml(r"\operatorname{softmax}(x)", DISPLAY)


@pytest.mark.parametrize(
    "latex", [r"\begin{aligned} a &= b \end{aligned}", r"\notacommand{x}", r"\left( x", "x_"]
)
def test_latex_that_cannot_be_shown_is_refused(latex):
    with pytest.raises(ValueError, check=to_authors["handout_page.formula-in-html"]):
        mathml(latex, INLINE)


def palettes():
    """The colours of the style sheet by name, for the light and the dark scheme."""
    css = re.findall(r":root \{([^}]*)\}", page("t", ""))
    return [dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block)) for block in css[:2]]


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_words_can_be_read_in_both_schemes(scheme):
    colours = palettes()[scheme]
    assert contrast(colours["ink"], colours["paper"]) >= 7
    for ink in ("ink", "quiet", "accent"):
        for ground in ("paper", "panel"):
            assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
    assert contrast(colours["line"], colours["paper"]) >= 3


EASY = 4.5


def test_contrast_is_that_of_the_guidelines():
    assert contrast("#000000", PAPER) == pytest.approx(21)
    assert contrast(PAPER, "#000000") == pytest.approx(21)
    assert contrast("#777777", PAPER) == pytest.approx(4.48, abs=0.005)
    assert contrast("#336699", "#336699") == 1


@given(st.floats(0, 1))
def test_a_number_can_be_read_on_every_shade(share):
    assert contrast(INK, heat(0, 0, share)) >= EASY


@pytest.mark.parametrize("ground", [BLUE, ORANGE, GREEN, GREY])
def test_words_can_be_read_in_every_box(ground):
    assert contrast(INK, ground) >= EASY


@pytest.mark.parametrize("ink", [INK, QUIET])
def test_words_can_be_read_on_paper(ink):
    assert contrast(ink, PAPER) >= EASY


def test_a_share_out_of_range_takes_the_nearest_shade():
    assert heat(0, 0, -0.2) == heat(0, 0, 0) == PAPER
    assert heat(0, 0, 1.5) == heat(0, 0, 1)


def test_the_source_of_a_pipe_table_is_made_to_line_up():
    text = (
        "words\n\n| task | points |\n|---|---:|\n| `softmax` | 5 |\n| **total** | **20** |\n\nmore | words\n"
    )
    assert line_up_pipes(text) == (
        "words\n\n"
        "| task      | points |\n| --------- | -----: |\n| `softmax` |      5 |\n| **total** | **20** |\n"
        "\nmore | words\n"
    )
    assert line_up_pipes(line_up_pipes(text)) == line_up_pipes(text)


def test_a_pipe_inside_a_cell_does_not_end_it():
    assert line_up_pipes("| a |\n| --- |\n| b \\| c |\n") == "| a      |\n| ------ |\n| b \\| c |\n"


def test_a_pipe_table_that_lacks_a_cell_is_refused():
    with pytest.raises(ValueError, check=to_authors["handout_pipes.different-numbers-of-cells"]):
        line_up_pipes("| a | b |\n| --- | --- |\n| c |\n")


def test_the_alignment_of_columns_is_kept():
    text = "| one | two | three | four |\n|:--|:-:|--:|---|\n"
    assert line_up_pipes(text) == "| one | two | three | four |\n| :-- | :-: | ----: | ---- |\n"


def test_a_table_at_the_end_of_a_text_is_found():
    assert line_up_pipes("| a |\n|---|\n| long |") == "| a    |\n| ---- |\n| long |\n"


LISTED = """\
Put your answers into the dictionary `answers` at the end of `doubles.py`. They are a bonus of up to 3.5 \
points beyond the 5.5 of the code; right code is enough for full marks. A wrong answer costs nothing.

1. **The shape of twice as much** (`shape`: "a", "b" or "c"; 1 point)

   What shape does `double(x)` have?

   - `a`: Twice that of x.
   - `b`: That of x.
   - `c`: None.

2. **A total** (`total`: a number (apples); 0.5 points)

   What is the sum of 2 and -4.5?

3. **Why twice** (`why`: two or three sentences; 2 points)

   Say why."""


def test_questions_are_listed_with_their_options_and_points_and_nothing_else(tiny):
    ask(tiny)
    assert question_list(tiny.homework, "at the end of `doubles.py`") == LISTED


def test_a_homework_without_questions_lists_none(tiny):
    assert question_list(tiny.homework, "at the end of `doubles.py`") == ""


def test_the_handout_asks_them_where_its_placeholder_stands(tiny, pool):
    ask(tiny)
    files = handout_files(tiny.homework, pool)
    assert LISTED in files["handout.md"]
    assert "Twice that of x." in files["handout.html"]


def test_a_handout_that_has_no_place_for_the_questions_is_refused(tiny, pool):
    ask(tiny)
    tiny.edit("handout.md", "{{ questions }}", "")
    with pytest.raises(CourseError, check=to_authors["handout_questions.needs-a-line-questions"]):
        handout_files(tiny.homework, pool)


def test_a_number_is_printed_to_its_decimals():
    assert printed(np.float64(2.0 / 3.0), 2) == "0.67"
    assert printed(np.float64(-1.0 / 3.0), 3) == "-0.333"
    assert printed(np.int64(8), 0) == "8"


@pytest.mark.parametrize("value", [0.0, -0.0, -1e-17, -0.001])
def test_a_zero_has_no_sign(value):
    assert printed(np.float64(value), 2) == "0.00"


@pytest.mark.parametrize("value", [0.125, -0.125, 2.5e-2 + 1e-6, 0.005, 1.0049999])
def test_a_number_near_a_tie_is_refused_with_a_remedy(value):
    with pytest.raises(ValueError, check=to_authors["handout_rounding.too-near-to-a-tie-more"]):
        printed(np.float64(value), 2)


def test_an_exact_number_is_no_tie_at_its_own_decimals():
    assert printed(np.float64(0.125), 3) == "0.125"


def test_single_precision_needs_more_distance_from_a_tie():
    """A difference that decides nothing in double precision is within the noise of single precision."""
    value = 0.1230 + 0.00005 - 5e-7
    assert printed(np.float64(value), 4) == "0.1230"
    with pytest.raises(ValueError, check=to_authors["handout_rounding.too-near"]):
        printed(np.float32(value), 4)


def test_what_is_no_number_is_refused():
    with pytest.raises(ValueError, check=to_authors["handout_rounding.not-a-number-to-print"]):
        printed(np.float64(np.nan), 2)


@given(st.floats(-1e4, 1e4), st.integers(0, 5), st.integers(-8, 8))
def test_a_result_that_differs_in_its_last_bits_prints_the_same(value, decimals, bits):
    try:
        text = printed(np.float64(value), decimals)
    except ValueError:
        return
    assert f"{value + bits * np.spacing(value) + 0.0:.{decimals}f}".lstrip("-") == text.lstrip("-")


TOKENS = ("cats", "mice")
WEIGHTS = Matrix("A", np.array([[0.25, 0.75], [0.5, 0.5]]), "weights", TOKENS, TOKENS, "query \\ key")
PLAIN = Matrix("B", np.array([[1, -20, 3]]))


def test_a_matrix_lines_up_under_its_title_and_shape():
    assert text_tables([WEIGHTS]) == (
        "weights, shape (2, 2)\nquery \\ key  cats  mice\ncats         0.25  0.75\nmice         0.50  0.50"
    )


def test_matrices_stand_side_by_side_also_when_one_has_fewer_rows():
    flat = Matrix("B", np.array([[1, -20, 3]]), decimals=0)
    assert text_tables([WEIGHTS, flat]) == (
        "weights, shape (2, 2)      B, shape (1, 3)\n"
        "query \\ key  cats  mice    1  -20  3\n"
        "cats         0.25  0.75\n"
        "mice         0.50  0.50"
    )


@given(st.integers(1, 4), st.integers(1, 5), st.randoms(use_true_random=False))
def test_every_column_ends_at_the_same_place_in_each_row(rows, columns, random):
    numbers = np.array([[random.randint(-999, 999) for _ in range(columns)] for _ in range(rows)])
    lines = text_tables([Matrix("M", numbers, decimals=0)]).splitlines()[1:]
    ends = [
        [i for i in range(len(line)) if line[i] != " " and line[i + 1 : i + 2] in ("", " ")] for line in lines
    ]
    assert all(end == ends[0] for end in ends)
    assert len(ends[0]) == columns


@pytest.mark.parametrize("side", ["rows", "columns"])
def test_labels_that_do_not_fit_are_refused(side):
    with pytest.raises(ValueError, check=to_authors["handout_tables.labels-do-not-fit"].given(side=side)):
        Matrix("W", np.zeros((3, 3)), **{side: TOKENS})


def test_each_matrix_of_a_batch_is_a_table_under_its_index():
    heads = Matrix("H", np.arange(8).reshape(2, 1, 2, 2), "heads", columns=TOKENS, decimals=0)
    assert text_tables([heads]) == (
        "heads[0, 0], shape (2, 2)    heads[1, 0], shape (2, 2)\n"
        "cats  mice                   cats  mice\n"
        "   0     1                      4     5\n"
        "   2     3                      6     7"
    )
    captions = [text for tag, _, text in Cells(html_tables([heads])).cells if tag == "caption"]
    assert captions == ["heads[0, 0], shape (2, 2)", "heads[1, 0], shape (2, 2)"]


def test_a_mask_is_printed_as_ones_and_zeros_and_written_as_booleans():
    mask = Matrix("M", np.tri(2, 3) > 0)
    assert text_tables([mask]) == "M, shape (2, 3)\n1  0  0\n1  1  0"
    assert code_lines([mask]) == "M = np.array([[True, False, False], [True, True, False]])"


def test_infinite_entries_are_printed_and_written_as_code():
    scores = Matrix("S", np.array([[0.25, -np.inf]]))
    assert text_tables([scores]) == "S, shape (1, 2)\n0.25  -inf"
    assert code_lines([scores]) == "S = np.array([[0.25, -np.inf]])"


def test_a_number_that_cannot_be_printed_is_named_with_its_matrix():
    with pytest.raises(ValueError, check=to_authors["handout_tables.w-too-near-to-a-tie"]):
        Matrix("W", np.array([0.1, 0.125]))


class Cells(HTMLParser):
    """Collects the cells of a page as (tag, scope, text)."""

    def __init__(self, html):
        super().__init__()
        self.cells = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag in ("th", "td", "caption"):
            self.cells.append((tag, dict(attrs).get("scope"), ""))

    def handle_data(self, data):
        if data.strip():
            tag, scope, text = self.cells.pop()
            self.cells.append((tag, scope, text + data))


def test_a_table_in_html_has_a_caption_and_headers_with_their_scope():
    cells = Cells(html_tables([WEIGHTS])).cells
    assert cells[0] == ("caption", None, "weights, shape (2, 2)")
    assert cells[1:4] == [("td", None, "query \\ key"), ("th", "col", "cats"), ("th", "col", "mice")]
    assert cells[4:7] == [("th", "row", "cats"), ("td", None, "0.25"), ("td", None, "0.75")]


def test_a_table_without_labels_has_only_numbers():
    assert [cell[0] for cell in Cells(html_tables([PLAIN])).cells] == ["caption", "td", "td", "td"]


def test_tables_in_html_are_escaped_and_without_blank_lines():
    html = html_tables([Matrix("A", np.zeros(1), "a < b & c", columns=("<x>",))])
    assert "a &lt; b &amp; c" in html
    assert "&lt;x&gt;" in html
    assert "" not in html.splitlines()


def test_code_gives_the_numbers_back_as_they_are_printed():
    third = Matrix("A", np.array([[1 / 3, 2.0]]))
    names = {"np": np}
    exec(code_lines([third, PLAIN]), names)
    assert np.array_equal(np.asarray(names["A"]), [[0.33, 2.0]])
    assert np.array_equal(np.asarray(names["B"]), PLAIN.numbers)
    assert "dtype" not in code_lines([PLAIN])


def test_code_may_be_written_through_a_function():
    logs = Matrix("K", np.log([[1, 3]]), code=("np.log", np.array([[1, 3]])))
    assert code_lines([logs]) == "K = np.log([[1, 3]])"


def test_a_long_array_is_broken_into_its_rows():
    lines = code_lines([Matrix("A", np.full((3, 9), 1234.0), decimals=0)]).splitlines()
    assert len(lines) == 5
    assert max(map(len, lines)) <= 88


def test_a_matrix_in_a_sentence_has_brackets():
    assert listed(WEIGHTS.texts()) == "[[0.25, 0.75], [0.50, 0.50]]"
    assert listed(Matrix("n", np.array(3), decimals=0).texts()) == "3"


A = Matrix("A", np.array([[0.25, 0.75], [0.5, 0.5]]))
PICTURE = Picture(10, 10, "A box [1]", "One box.", [Box(1, 1, 5, 5)])
EXAMPLE = Example({"A": A}, PICTURE)


def filled(text, example=EXAMPLE, form=MARKDOWN):
    return fill_handout(text, {"tasks": "THE <TASKS>"}, example, form)


@pytest.mark.parametrize(
    ("placeholder", "text"),
    [
        ("{{ tasks }}", "THE <TASKS>"),
        ("{{tasks}}", "THE <TASKS>"),
        ("{{ A }}", "[[0.25, 0.75], [0.50, 0.50]]"),
        ("{{ A[1] }}", "[0.50, 0.50]"),
        ("{{ A[0, 1] }}", "0.75"),
        ("{{ A[0][1] }}", "0.75"),
        ("{{ code(A) }}", "```python\nA = np.array([[0.25, 0.75], [0.5, 0.5]])\n```"),
        ("{{ table(A) }}", "```text\nA, shape (2, 2)\n0.25  0.75\n0.50  0.50\n```"),
        ("{{ picture }}", r"![A box \[1\]. One box.](handout.svg)"),
    ],
)
def test_a_placeholder_is_replaced_in_its_sentence(placeholder, text):
    assert filled(f"before {placeholder} after\n") == f"before {text} after\n"


@pytest.mark.parametrize(
    ("placeholder", "complaint"),
    [
        ("{{ task }}", "'task' is undefined; the known names are tasks, table, code, picture, A"),
        ("{{ }}", "line 2"),
        ("{{ tasks: all }}", "line 2"),
        ("{{ table(B) }}", "the example has A"),
        ("{{ table(tasks) }}", "the example has A"),
        ("{{ table(A[0]) }}", "whole matrices"),
        ("{{ table() }}", "the example has A"),
        ("{{ A[2] }}", "A has no entry 2"),
        ("{{ A[0, 0, 0] }}", "A has no entry"),
        ("{{ A[1:] }}", "A has no entry"),
        ("{{ A[:, 0] }}", "invalid syntax"),
        ("{{ A[0][0][0] }}", "A has no entry"),
        ("{{ A + 1 }}", "unsupported operand"),
    ],
)
def test_a_placeholder_that_means_nothing_is_refused(placeholder, complaint):
    with pytest.raises(ValueError, match=complaint):
        filled(f"\n{placeholder}")


def test_a_picture_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="'picture' is undefined"):
        filled("{{ picture }}", Example())


def test_a_matrix_cannot_take_the_name_of_something_else():
    with pytest.raises(ValueError, check=to_authors["handout_numbers.cannot-be-called-table"]):
        filled("", Example({"table": A}))


def test_a_page_has_the_picture_inside_and_tables_as_tables():
    text = filled("{{ picture }} {{ table(A) }}", form=PAGE)
    assert "<figure" in text
    assert "<svg" in text
    assert "handout.svg" not in text
    assert "<table" in text


NAMESPACE = "http://www.w3.org/2000/svg"
SHARES = Matrix("A", np.array([[0.25, 0.75], [1.0, 0.0]]), rows=("a", "b"), columns=("c", "d"))


def drawn(*shapes):
    return ElementTree.fromstring(svg(Picture(100, 50, "A <title>", 'It says "a & b".', shapes)))


def elements(root, tag):
    return root.findall(f"{{{NAMESPACE}}}{tag}")


def test_a_picture_names_and_describes_itself():
    root = drawn()
    assert root.get("role") == "img"
    texts = {element.get("id"): element.text for tag in ("title", "desc") for element in elements(root, tag)}
    assert [texts[name] for name in root.get("aria-labelledby", "").split()] == [
        "A <title>",
        'It says "a & b".',
    ]


def test_a_picture_has_an_opaque_ground_as_large_as_itself():
    ground = elements(drawn(), "rect")[0]
    assert (ground.get("width"), ground.get("height"), ground.get("fill")) == ("100", "50", "#ffffff")


@pytest.mark.parametrize(("title", "description"), [("", "words"), ("words", " ")])
def test_a_picture_without_words_is_refused(title, description):
    with pytest.raises(ValueError, check=to_authors["handout_figures.needs-a-title"]):
        Picture(10, 10, title, description, [])


def test_text_stays_text():
    text = elements(drawn(Text(5, 10, "a < b", mono=True)), "text")[0]
    assert text.text == "a < b"
    assert "monospace" in text.get("font-family", "")


def test_a_length_is_drawn_to_a_tenth():
    box = elements(drawn(Box(0.1 + 0.2, 1 / 3, 10, 20)), "rect")[1]
    assert [box.get(name) for name in ("x", "y", "width", "height")] == ["0.3", "0.3", "10", "20"]


def test_whole_numbers_are_printed_without_decimals():
    matrix = whole_numbers("X", np.array([[1.0, 20.0]]), "tokens", ("a",), columns=("c", "d"))
    assert matrix.texts() == [["1", "20"]]
    assert (matrix.caption, matrix.rows, matrix.columns) == ("tokens", ("a",), ("c", "d"))


def test_only_an_arrow_has_a_tip():
    arrow, line = elements(drawn(Path([(0, 0), (5, 5)]), Path([(0, 0), (5, 5)], arrow=False)), "path")
    assert arrow.get("marker-end") == "url(#tip)"
    assert line.get("marker-end") is None
    assert arrow.get("d") == "M0 0 L5 5"


def test_arrows_go_along_one_axis():
    assert Path.horizontal(7, 1, 4) == Path([(1, 7), (4, 7)])
    assert Path.vertical(7, 1, 4) == Path([(7, 1), (7, 4)])


def test_headings_are_bold_and_notes_small_and_quiet():
    assert heading(1, 2, "weights") == Text(1, 2, "weights", 16, INK, "middle", bold=True)
    assert note(1, 2, "softmax", "end") == Text(1, 2, "softmax", 14, QUIET, "end")


def test_a_picture_gives_the_same_bytes_each_time():
    picture = Picture(
        100, 50, "t", "d", [*grid(SHARES, 1, 2, heat), *labelled_box(1, 1, 9, 9, ("a", "b"), "#ffffff")]
    )
    assert svg(picture) == svg(picture)
    assert "\n\n" not in svg(picture)


def test_a_grid_shows_the_printed_numbers_and_labels():
    words = [shape.words for shape in grid(SHARES, 0, 0) if isinstance(shape, Text)]
    assert words == ["0.25", "0.75", "1.00", "0.00", "c", "d", "a", "b"]


def test_a_heavier_weight_is_darker_and_its_number_stays_dark():
    shapes = list(grid(SHARES, 0, 0, heat))
    fills = {shape.words: shape.fill for shape in shapes if isinstance(shape, Text)}
    boxes = [shape.fill for shape in shapes if isinstance(shape, Box)]
    assert sorted(boxes, reverse=True) == [boxes[3], boxes[0], boxes[1], boxes[2]]
    assert (fills["0.00"], fills["1.00"]) == (INK, INK)


def test_a_bar_is_as_tall_as_its_number():
    boxes = [shape for shape in bars(["0.25", "1.00"], ["a", "b"], 0, 100, 40, 80) if isinstance(shape, Box)]
    heights = [box.height for box in boxes if box.fill != boxes[0].fill]
    assert heights == [20, 80]
    assert {box.y + box.height for box in boxes} == {100}
