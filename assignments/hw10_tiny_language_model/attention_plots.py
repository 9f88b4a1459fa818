"""Pictures of attention, for the notebooks. Read it if you like; nothing in here is graded."""

from contextlib import contextmanager

import numpy as np

try:
    import matplotlib.pyplot as plt
except ImportError:
    plt = None

COLOURS = "cividis"  # runs evenly from dark to light, also for eyes that do not tell red from green
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#595959"
MAX_NUMBERS = 100
AGAIN = "Write it, run its cell, then run this one."


class NothingToDraw(Exception):
    """What a picture lacks, as a sentence: an answer of the right shape, or Matplotlib."""


@contextmanager
def once_written():
    """Draw what follows; where a function is still a stub, or gives the wrong shape, say so instead."""
    try:
        yield
    except NotImplementedError as stub:
        _drop()
        print(f"No picture yet: `{_where(stub)}` is still a stub. {AGAIN}")
    except NothingToDraw as problem:
        _drop()
        print(f"No picture: {problem}")


def heatmaps(
    matrices,
    rows,
    columns,
    titles,
    row_label="query",
    column_label="key",
    colour_label="weight",
):
    """Draw matrices side by side, with tokens along both axes and one colour bar for all.

    Args:
        matrices: a list of arrays, each of shape (len(rows), len(columns)).
        rows, columns: the tokens along the axes.
        titles: one for each matrix.
        row_label, column_label: what a row and a column stand for.
        colour_label: what the colour stands for.
    """
    matrices = [_checked(matrix, len(rows), len(columns)) for matrix in matrices]
    lowest, highest = (
        min(0, *(m.min() for m in matrices)),
        max(m.max() for m in matrices),
    )
    width = 1.2 + len(matrices) * max(2.6, 0.62 * len(columns))
    figure, axes = _panels(len(matrices), (width, max(2.8, 0.5 * len(rows) + 1.4)))
    for one, matrix, title in zip(axes[0], matrices, titles, strict=True):
        image = one.imshow(matrix, cmap=COLOURS, vmin=lowest, vmax=highest)
        one.set_title(title)
        one.set_xticks(
            range(len(columns)),
            columns,
            rotation=45,
            ha="right",
            rotation_mode="anchor",
        )
        one.set_yticks(range(len(rows)), rows)
        one.set_xlabel(column_label)
        _write_numbers(one, matrix, image)
    axes[0, 0].set_ylabel(row_label)
    figure.colorbar(image, ax=axes[0], label=colour_label, shrink=0.85)
    plt.show()


def lines(x, curves, title, x_label, y_label, logarithmic=False):
    """Draw curves over the same x, told apart by colour, line and marker.

    Args:
        x: the positions, a list of N numbers.
        curves: a dictionary from a curve's name to its N numbers.
        title, x_label, y_label: texts.
        logarithmic: whether x doubles from step to step.
    """
    styles = [(BLUE, "-", "o"), (ORANGE, "--", "s"), (GREY, ":", "^")]
    _, ((axes,),) = _panels(1, (6.4, 3.4))
    for (name, y), (colour, dash, marker) in zip(curves.items(), styles, strict=False):
        every = max(1, len(x) // 10)
        axes.plot(x, y, dash, color=colour, marker=marker, markevery=every, label=name)
    if logarithmic:
        axes.set_xscale("log", base=2)
        axes.set_xticks(x, [str(one) for one in x])
    axes.set(title=title, xlabel=x_label, ylabel=y_label)
    axes.grid(alpha=0.3)
    axes.legend()
    plt.show()


def bars(groups, title, x_label, y_label):
    """Draw groups of numbers as bars, one panel for each group, all on the same scale.

    Args:
        groups: a dictionary from a panel's title to its numbers.
        title, x_label, y_label: texts.
    """
    figure, axes = _panels(len(groups), (2.6 * len(groups), 3), sharey=True)
    for one, (name, numbers) in zip(axes[0], groups.items(), strict=True):
        one.bar(range(1, len(numbers) + 1), numbers, color=BLUE)
        one.set(title=name, xlabel=x_label)
    axes[0, 0].set_ylabel(y_label)
    figure.suptitle(title)
    plt.show()


def _panels(count, size, **options):
    if plt is None:
        raise NothingToDraw(
            "Matplotlib is not installed. Run `pip install matplotlib`, then restart the kernel."
        )
    return plt.subplots(
        1, count, figsize=size, squeeze=False, layout="constrained", **options
    )


def _drop():
    """Forget the figures that were begun."""
    if plt is not None:
        plt.close("all")


def _where(error):
    """The name of the function that an exception comes from."""
    trace = error.__traceback__
    while trace.tb_next:
        trace = trace.tb_next
    return trace.tb_frame.f_code.co_qualname


def _checked(matrix, rows, columns):
    matrix = np.asarray(matrix, dtype=float)
    if matrix.shape != (rows, columns):
        raise NothingToDraw(
            f"it needs an array of shape {(rows, columns)}, and this one is {matrix.shape}."
        )
    if not np.isfinite(matrix).all():
        raise NothingToDraw(
            "the array holds numbers that are infinite or not a number."
        )
    return matrix


def _write_numbers(axes, matrix, image):
    if matrix.size > MAX_NUMBERS:
        return
    for (row, column), number in np.ndenumerate(matrix):
        red, green, blue, _ = image.cmap(image.norm(number))
        colour = "black" if 0.21 * red + 0.72 * green + 0.07 * blue > 0.46 else "white"
        text = f"{round(number, 2) + 0.0:.2f}"  # without the sum, -0.001 would be -0.00
        axes.text(column, row, text, ha="center", va="center", color=colour, fontsize=8)
