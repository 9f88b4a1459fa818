"""What the parts of a result are called within sentences."""

from __future__ import annotations

import re

from autograder.language import say

SYMBOL = re.compile(r"[A-Za-z]\d?(_\w{1,3})?")
"""A name that is a symbol of a formula, such as `Q` or `W_q`, and no word."""


def title_of(name: str) -> str:
    """Return the name of a returned part as sentences have it: "attention weights", or a symbol as code."""
    if SYMBOL.fullmatch(name):
        return f"`{name}`"
    return name.replace("_", " ")


def with_article(name: str) -> str:
    """Return the name with its article; a symbol has none."""
    title = title_of(name)
    if title.startswith("`"):
        return title
    return say("the {title}", title=title)
