import importlib.util

import matplotlib as mpl
import numpy as np
import pytest
from wording import to_authors, to_students

from autograder.authoring.notebooks import DEFAULT_PLOTS, plots_file

mpl.use("agg")
import matplotlib.pyplot as plt


@pytest.fixture
def plots(course):
    spec = importlib.util.spec_from_file_location("attention_plots", plots_file(course.solutions))
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def _no_figures():
    plt.close("all")
    yield
    plt.close("all")


def test_the_default_pictures_are_those_of_the_kit_in_other_words(course):
    kits = plots_file(course.solutions).read_text("utf-8")
    for ours, neutral in (
        ("Pictures of attention, for the notebooks", "Pictures for the notebooks"),
        ('"query"', '"row"'),
        ('"key"', '"column"'),
        ('"weight"', '"value"'),
        ("tokens", "words"),
    ):
        assert ours in kits
        kits = kits.replace(ours, neutral)
    assert kits == DEFAULT_PLOTS.read_text("utf-8")


def drawn():
    return [axes for number in plt.get_fignums() for axes in plt.figure(number).axes]


def words(axes):
    return [axes.get_title(), axes.get_xlabel(), axes.get_ylabel()]


def test_a_heatmap_has_tokens_along_both_axes_a_title_and_a_colour_bar(plots):
    plots.heatmaps([np.eye(2), np.ones((2, 2)) / 2], ["the", "cat"], ["a", "dog"], ["one", "two"])
    left_axes, right, bar = drawn()
    assert words(left_axes) == ["one", "key", "query"]
    assert right.get_title() == "two"
    assert [label.get_text() for label in left_axes.get_xticklabels()] == ["a", "dog"]
    assert [label.get_text() for label in left_axes.get_yticklabels()] == ["the", "cat"]
    assert bar.get_ylabel() == "weight"
    assert left_axes.images[0].get_clim() == right.images[0].get_clim() == (0, 1)


def test_the_numbers_in_a_heatmap_stand_out_from_their_colour(plots):
    plots.heatmaps([np.linspace(0, 1, 9).reshape(3, 3)], list("abc"), list("abc"), ["weights"])
    axes = drawn()[0]
    image, texts = axes.images[0], axes.texts
    assert [text.get_text() for text in texts[:2]] == ["0.00", "0.12"]
    for text, number in zip(texts, np.linspace(0, 1, 9), strict=True):
        behind = luminance(image.cmap(image.norm(number))[:3])
        letters = luminance(mpl.colors.to_rgb(text.get_color()))
        light, dark = max(behind, letters), min(behind, letters)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, number


def luminance(colour):
    """Relative luminance, as the accessibility guidelines of the W3C (WCAG 2) define it."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def test_lines_differ_in_more_than_their_colour(plots):
    plots.lines(
        [1, 2, 4], {"a": [1, 2, 3], "b": [3, 2, 1], "c": [2, 2, 2]}, "title", "x", "y", logarithmic=True
    )
    (axes,) = drawn()
    assert words(axes) == ["title", "x", "y"]
    assert len({(line.get_linestyle(), line.get_marker()) for line in axes.lines}) == 3
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a", "b", "c"]


def test_bars_share_one_scale(plots):
    plots.bars({"small": [0.1, 0.2], "large": [0.9, 0.1]}, "title", "key", "weight")
    small, large = drawn()
    assert small.get_ylim() == large.get_ylim()
    assert small.get_ylabel() == "weight"


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.ones((2, 3)), "needs an array of shape (2, 2), and this one is (2, 3)"),
        (None, "needs an array of shape (2, 2), and this one is ()"),
        (np.full((2, 2), np.nan), "infinite or not a number"),
    ],
)
def test_an_answer_that_cannot_be_drawn_is_explained_without_a_traceback(plots, capsys, matrix, message):
    with plots.once_written():
        plots.heatmaps([matrix], ["a", "b"], ["a", "b"], ["weights"])
    assert message in capsys.readouterr().out
    assert not drawn()


def test_a_stub_is_named_instead_of_a_traceback(plots, capsys):
    def softmax(x):
        raise NotImplementedError

    softmax.__code__ = softmax.__code__.replace(co_qualname="softmax")
    with plots.once_written():
        softmax(1)
    assert capsys.readouterr().out == to_authors["notebook_plots.softmax-is-still-a-stub"]


def test_a_students_own_mistake_keeps_its_traceback(plots):
    with pytest.raises(ZeroDivisionError), plots.once_written():
        1 / 0  # noqa: B018


def test_without_matplotlib_each_picture_is_a_sentence(plots, capsys):
    plots.plt = None
    with plots.once_written():
        plots.heatmaps([np.eye(1)], ["a"], ["a"], [""])
    with plots.once_written():
        plots.lines([1], {"a": [1]}, "", "", "")
    with plots.once_written():
        plots.bars({"a": [1]}, "", "", "")
    with plots.once_written():
        raise NotImplementedError
    *first, last = capsys.readouterr().out.splitlines(keepends=True)
    assert first == 3 * [to_students["notebook_alone.matplotlib-is-not-here"]]
    assert "is still a stub" in last
