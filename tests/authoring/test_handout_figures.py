from xml.etree import ElementTree

import numpy as np
import pytest
from wording import to_authors

from autograder.handouts.figures import (
    INK,
    Box,
    Path,
    Picture,
    Text,
    bars,
    grid,
    heat,
    labelled_box,
    svg,
)
from autograder.handouts.numbers import Matrix

NAMESPACE = "http://www.w3.org/2000/svg"
WEIGHTS = Matrix("A", np.array([[0.25, 0.75], [1.0, 0.0]]), rows=("a", "b"), columns=("c", "d"))


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


def test_only_an_arrow_has_a_tip():
    arrow, line = elements(drawn(Path([(0, 0), (5, 5)]), Path([(0, 0), (5, 5)], arrow=False)), "path")
    assert arrow.get("marker-end") == "url(#tip)"
    assert line.get("marker-end") is None
    assert arrow.get("d") == "M0 0 L5 5"


def test_a_picture_gives_the_same_bytes_each_time():
    picture = Picture(
        100, 50, "t", "d", [*grid(WEIGHTS, 1, 2, heat), *labelled_box(1, 1, 9, 9, ("a", "b"), "#ffffff")]
    )
    assert svg(picture) == svg(picture)
    assert "\n\n" not in svg(picture)


def test_a_grid_shows_the_printed_numbers_and_labels():
    words = [shape.words for shape in grid(WEIGHTS, 0, 0) if isinstance(shape, Text)]
    assert words == ["0.25", "0.75", "1.00", "0.00", "c", "d", "a", "b"]


def test_a_heavier_weight_is_darker_and_its_number_stays_dark():
    shapes = list(grid(WEIGHTS, 0, 0, heat))
    fills = {shape.words: shape.fill for shape in shapes if isinstance(shape, Text)}
    boxes = [shape.fill for shape in shapes if isinstance(shape, Box)]
    assert sorted(boxes, reverse=True) == [boxes[3], boxes[0], boxes[1], boxes[2]]
    assert (fills["0.00"], fills["1.00"]) == (INK, INK)


def test_a_bar_is_as_tall_as_its_number():
    boxes = [shape for shape in bars(["0.25", "1.00"], ["a", "b"], 0, 100, 40, 80) if isinstance(shape, Box)]
    heights = [box.height for box in boxes if box.fill != boxes[0].fill]
    assert heights == [20, 80]
    assert {box.y + box.height for box in boxes} == {100}
