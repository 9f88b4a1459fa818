"""The map of a course: a picture with a part for each homework, which fills in as homeworks turn green.

Its SVG is made with the course's handouts; here only its state is written anew, on a student's machine.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path

from autograder.course.homework import by_number
from autograder.language import say

MAP_FILE = "map.svg"
NONE = "none yet"
STATE = re.compile(r"/\* state: (?P<green>.*?) \*/.*?/\* end \*/", re.DOTALL)
IN_WORDS = re.compile(r"(?<=Filled in: ).*?(?=\.</desc>)")
PART = re.compile(r'<g class="map-part" data-homework="([^"]+)">')
GREEN, DARK_GREEN = "#cdebd2", "#1f4d2b"
BLUE, DARK_BLUE = "#d6e6f5", "#1d3a57"
EDGE, DARK_EDGE = "#08488a", "#9cc7f2"


def state_of(green: Sequence[str], here: str = "") -> str:
    """Return the style rules of a map's state.

    Args:
        green: the ids of the homeworks that are done; their parts are filled and have a tick.
        here: the id of a homework whose part is marked, in a handout.
    """
    rules = [f"/* state: {' '.join(green)} */"]
    if green:
        boxes = ", ".join(_selector(homework_id, "> rect") for homework_id in green)
        ticks = ", ".join(
            _selector(homework_id, "> .map-tick") for homework_id in green
        )
        rules += [
            f"{boxes} {{ fill: {GREEN}; }}",
            f"{ticks} {{ display: inline; }}",
            f"@media (prefers-color-scheme: dark) {{ {boxes} {{ fill: {DARK_GREEN}; }} }}",
        ]
    if here:
        box = _selector(here, "> rect")
        rules += [
            f"{box} {{ fill: {BLUE}; stroke: {EDGE}; stroke-width: 3; }}",
            f"@media (prefers-color-scheme: dark) {{ {box} {{ fill: {DARK_BLUE}; stroke: {DARK_EDGE}; }} }}",
        ]
    rules.append("/* end */")
    return "\n".join(rules)


def _selector(homework_id: str, child: str) -> str:
    return f'.course-map [data-homework="{homework_id}"] {child}'


def in_words(green: Sequence[str]) -> str:
    """Return the ids of the homeworks that are done, for readers who cannot see the picture."""
    return ", ".join(green) or NONE


def redraw(folder: Path, passed: Collection[str], here: Collection[str]) -> str:
    """Fill in the map of a course's folder; return a sentence if that has changed it.

    Args:
        folder: the course's folder; without a map nothing happens.
        passed: the ids of the homeworks that are green.
        here: the ids of all homeworks that were checked; others keep their state.
    """
    path = folder / MAP_FILE
    if not path.is_file():
        return ""
    try:
        svg = path.read_text("utf-8")
        state = STATE.search(svg)
        if state is None:
            return ""
        parts = sorted(set(PART.findall(svg)), key=by_number)
        before = state["green"].split()
        green = []
        for part in parts:
            if part in passed or (part in before and part not in here):
                green.append(part)
        if green == before:
            return ""
        svg = STATE.sub(lambda match: state_of(green), svg)
        svg = IN_WORDS.sub(lambda match: in_words(green), svg)
        path.write_text(svg, "utf-8", newline="\n")
    except (OSError, UnicodeDecodeError) as error:
        return say(
            "{map_file} could not be redrawn: {error}", map_file=MAP_FILE, error=error
        )
    return say(
        "{map_file} has changed: {count} of {total} parts are filled in.",
        map_file=MAP_FILE,
        count=len(green),
        total=len(parts),
    )
