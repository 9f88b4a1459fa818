"""Say what a missing name, key or argument may stand for, from the worker's hint."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.language import say
from autograder.untrusted_text import for_one_line
from autograder.worker.facts import near_names

LONGEST_PART = 160
NUMBER_OF_PARTS = {
    near_names.NAME: 2,
    near_names.ELSEWHERE: 3,
    near_names.CALLER: 3,
    near_names.KEYS: 2,
    near_names.HAS: 1,
    near_names.TAKES: 3,
    near_names.NO_SELF: 2,
}
"""How many values follow a kind of hint."""


def what_is_meant(hint: Sequence[str]) -> str:
    """Return a sentence about an exception's hint; "" if it has none.

    The hint comes from untrusted code, which may write any.
    """
    if not hint:
        return ""
    kind, *values = hint
    if NUMBER_OF_PARTS.get(kind) != len(values):
        return ""
    parts = [for_one_line(value)[:LONGEST_PART] for value in values]
    match kind, *parts:
        case near_names.NAME, name, "":
            return say("Do you mean `{name}`?", name=name)
        case near_names.NAME, name, line:
            return say(
                "Do you mean `{name}` of line {line}?",
                name=name,
                line=line,
            )
        case near_names.ELSEWHERE, name, function, line:
            return say(
                "`{name}` is a variable of `{function}` (line {line}), which nothing outside of it "
                "can see: return it from there, or compute it here as well.",
                name=name,
                function=function,
                line=line,
            )
        case near_names.CALLER, name, function, line:
            return say(
                "`{name}` has a value in `{function}` (line {line}), which calls this function, and not here: "
                "hand it over as an argument.",
                name=name,
                function=function,
                line=line,
            )
        case near_names.KEYS, name, "":
            return say("The dictionary `{name}` is empty here.", name=name)
        case near_names.KEYS, name, keys:
            return say("The keys of `{name}` are {keys}.", name=name, keys=keys)
        case near_names.HAS, names:
            return say("The object has the attributes {names}.", names=names)
        case near_names.TAKES, function, line, "":
            return say(
                "Your `{function}` of line {line} takes no arguments.",
                function=function,
                line=line,
            )
        case near_names.TAKES, function, line, parameters:
            return say(
                "Your `{function}` of line {line} takes ({parameters}).",
                function=function,
                line=line,
                parameters=parameters,
            )
        case near_names.NO_SELF, method, line:
            return say(
                "The first parameter of a method is its object: begin the parameters of `{method}` "
                "in line {line} with `self`.",
                method=method,
                line=line,
            )
    return ""
