from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wording import to_authors

from autograder.handouts.numbers import Matrix, code_lines, html_tables, listed, text_tables

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
