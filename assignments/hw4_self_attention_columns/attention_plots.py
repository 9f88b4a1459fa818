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
    n_rows = len(rows)
    n_columns = len(columns)
    matrices = [_checked(matrix, n_rows, n_columns) for matrix in matrices]
    lowest = min(0, np.min(matrices))
    highest = np.max(matrices)

    # The picture is as large as its numbers need, and no smaller than its titles do.
    width_of_panel = max(2.6, 0.62 * n_columns)
    width = 1.2 + len(matrices) * width_of_panel
    height = max(2.8, 0.5 * n_rows + 1.4)
    figure, panels = _panels(len(matrices), (width, height))
    for panel, matrix, title in zip(panels, matrices, titles, strict=True):
        image = panel.imshow(matrix, cmap=COLOURS, vmin=lowest, vmax=highest)
        panel.set_title(title)
        panel.set_xticks(
            range(n_columns),
            columns,
            rotation=45,
            ha="right",
            rotation_mode="anchor",
        )
        panel.set_yticks(range(n_rows), rows)
        panel.set_xlabel(column_label)
        _write_numbers(panel, matrix, image)
    panels[0].set_ylabel(row_label)
    figure.colorbar(image, ax=panels, label=colour_label, shrink=0.85)
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
    _, [panel] = _panels(1, (6.4, 3.4))
    every = max(1, len(x) // 10)  # about ten markers on each curve
    for name, style in zip(curves, styles, strict=False):
        colour, dash, marker = style
        panel.plot(
            x,
            curves[name],
            dash,
            color=colour,
            marker=marker,
            markevery=every,
            label=name,
        )
    if logarithmic:
        panel.set_xscale("log", base=2)
        panel.set_xticks(x, list(map(str, x)))
    panel.set(title=title, xlabel=x_label, ylabel=y_label)
    panel.grid(alpha=0.3)
    panel.legend()
    plt.show()


def bars(groups, title, x_label, y_label):
    """Draw groups of numbers as bars, one panel for each group, all on the same scale.

    Args:
        groups: a dictionary from a panel's title to its numbers.
        title, x_label, y_label: texts.
    """
    count = len(groups)
    width = 2.6 * count
    figure, panels = _panels(count, (width, 3), sharey=True)
    for panel, name in zip(panels, groups, strict=True):
        numbers = groups[name]
        positions = range(1, len(numbers) + 1)
        panel.bar(positions, numbers, color=BLUE)
        panel.set(title=name, xlabel=x_label)
    panels[0].set_ylabel(y_label)
    figure.suptitle(title)
    plt.show()


def _panels(count, size, **options):
    """Return a figure with panels side by side, and the list of its panels."""
    if plt is None:
        raise NothingToDraw(
            "Matplotlib is not installed. Run `pip install matplotlib`, then restart the kernel."
        )
    figure, rows_of_panels = plt.subplots(
        1, count, figsize=size, squeeze=False, layout="constrained", **options
    )
    [panels] = rows_of_panels
    return figure, list(panels)


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
    """Return a matrix as an array of numbers, or stop if it cannot be drawn."""
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


def _write_numbers(panel, matrix, image):
    """Write each number into its field: in black on light colours, in white on dark ones."""
    if matrix.size > MAX_NUMBERS:
        return
    for (row, column), number in np.ndenumerate(matrix):
        red, green, blue, _ = image.cmap(image.norm(number))
        brightness = 0.21 * red + 0.72 * green + 0.07 * blue
        colour = "white"
        if brightness > 0.46:
            colour = "black"
        text = f"{round(number, 2) + 0.0:.2f}"  # without the sum, -0.001 would be -0.00
        panel.text(
            column, row, text, ha="center", va="center", color=colour, fontsize=8
        )
