"""What a package offers to others, loaded name by name: a command pays only for the modules that it uses.

A face lists its names under ``if TYPE_CHECKING:``, as imports that tools and readers can follow.
``on_demand`` makes the same imports come true, each when its name is first asked for; ``__all__`` is that
list. So students' checks start without the code that grades a class.
"""

from __future__ import annotations

import ast
import functools
import importlib
import sys
from collections.abc import Callable
from importlib.util import resolve_name
from typing import Any


def on_demand(package: str) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a face (PEP 562), which imports what the face lists."""

    @functools.cache
    def listed() -> dict[str, str]:
        face: Any = sys.modules[package]
        tree = ast.parse(face.__loader__.get_data(face.__file__))  # a loader may be pytest's, or a zip's
        found = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        ours = [(resolve_name("." * node.level + str(node.module), package), node) for node in found]
        return {a.name: own for own, node in ours if own.startswith(f"{package}.") for a in node.names}

    def get(name: str) -> Any:
        if name == "__all__":
            value: Any = sorted(listed())
        elif name in listed():
            value = getattr(importlib.import_module(listed()[name]), name)
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, value)
        return value

    return get
