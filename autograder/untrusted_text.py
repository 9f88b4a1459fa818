"""Text that submissions and platforms bring along, made safe for the place where it goes.

After each function, no name and no word of a submission moves a cursor or turns the direction of reading:

===================== ============================================== ====================================
function              for                                            who calls it
===================== ============================================== ====================================
``for_report``        texts in a run's report, from untrusted code   ``sandbox``, ``verdict.theory``
``name_for_report``   names in a run's report, from untrusted code   ``sandbox``, ``verdict``, ``decoders``
``for_screen``        the terminal, and pages                        ``cli``, ``report``, ``feedback`` …
``for_one_line``      a message that has to stay one line            ``reasons``, ``verdict``
``name_in_message``   file names in notes and problems               ``intake``, ``platforms``
``name_to_store``     file names, and people's names, that are kept  ``intake``, ``platforms``
===================== ============================================== ====================================

A cell of a table is made safe for spreadsheets by ``csv_table``.
"""

from __future__ import annotations

import re

LONGEST_SHOWN = 120
# Control characters, halves of surrogate pairs, and marks that change the direction of writing.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_NOT_IN_A_NAME = re.compile(r"[^\w .,:()\[\]'-]")


def for_report(text: object, length: int) -> str:
    """Return a text from untrusted code, cut, with invisible characters but tabs and line ends replaced."""
    return _INVISIBLE.sub("?", str(text)[:length].replace("\r\n", "\n"))


def name_for_report(name: object, length: int) -> str:
    """Return a short name from untrusted code, cut, with all but letters, digits and a few signs replaced."""
    return _NOT_IN_A_NAME.sub("?", str(name)[:length])


def for_screen(text: str, keep: str = "") -> str:
    """Return a text whose unprintable characters, except those to keep, are written as Python escapes."""
    if text.isprintable():
        return text
    characters = []
    for character in text:
        if character.isprintable() or character in keep:
            characters.append(character)
        else:
            characters.append(repr(character)[1:-1])
    return "".join(characters)


def for_one_line(text: str) -> str:
    """Return a text as one line: its line ends and runs of blanks are single blanks, the rest is escaped."""
    return for_screen(" ".join(text.split()))


def name_in_message(name: str) -> str:
    """Return a name fit for a one-line message: odd ones quoted and escaped, long ones cut."""
    if len(name) > LONGEST_SHOWN:
        half = LONGEST_SHOWN // 2
        name = f"{name[:half]}…{name[-half:]}"
    if name and name.isprintable() and " " not in name:
        return name
    return repr(name)


def name_to_store(name: str) -> str:
    """Return the name with every unprintable character (also bytes that are not UTF-8) as an underscore."""
    characters = []
    for character in name:
        if character.isprintable():
            characters.append(character)
        else:
            characters.append("_")
    return "".join(characters)
