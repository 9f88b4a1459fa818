"""Copying definitions: what is needed comes along, and nothing else."""

from __future__ import annotations

import pytest
from wording import to_authors

from autograder.authoring.closure import Closure

SOURCES = {
    "autograder.student.table": '''
"""The table."""

from __future__ import annotations

import heavy
import json
import json.decoder
from typing import TYPE_CHECKING

from autograder.judging.comparison import compare, judge

if TYPE_CHECKING:
    from autograder.sandbox.secret import Secret

WIDTH = 3
HIDDEN = 42
NAMES = {}


class Table:
    """Shows rows."""

    def rows(self, secret: Secret) -> Hidden:
        return compare(WIDTH, json.decoder)


for _name in ("a", "b"):
    setattr(Table, _name, WIDTH)


def unused():
    return heavy, judge, HIDDEN
''',
    "autograder.judging.comparison": '''
"""Comparing."""

from __future__ import annotations

from functools import cache


@cache
def compare(a, b):
    from autograder.worker.wire import pack

    return pack(a)


def judge():
    return SECRET


SECRET = 1
''',
    "autograder.worker.wire": "def pack(value):\n    return value\n",
    "autograder.student.whole": "import autograder.worker.wire as w\n\n\ndef f():\n    return w.pack\n",
}


def closure_of(module: str, *names: str) -> Closure:
    closure = Closure(SOURCES.__getitem__, "copied")
    closure.need(module, names)
    return closure


def test_what_a_name_uses_comes_along_and_the_rest_stays() -> None:
    files = closure_of("autograder.student.table", "Table").files()
    assert set(files) == {"table.py", "judging_comparison.py", "worker_wire.py"}
    assert "WIDTH = 3" in files["table.py"]
    for absent in ("unused", "HIDDEN", "heavy", "judge", "secret import", "TYPE_CHECKING"):
        assert absent not in files["table.py"]
    assert "SECRET" not in files["judging_comparison.py"]


def test_imports_name_the_copies_inside_functions_as_well() -> None:
    files = closure_of("autograder.student.table", "Table").files()
    assert "from copied.judging_comparison import compare\n" in files["table.py"]
    assert "    from copied.worker_wire import pack\n" in files["judging_comparison.py"]
    assert not any("autograder" in text for text in files.values())


def test_two_imports_of_one_name_are_both_kept() -> None:
    text = closure_of("autograder.student.table", "Table").files()["table.py"]
    assert "import json\nimport json.decoder\n" in text


def test_a_loop_that_works_on_a_kept_class_is_kept() -> None:
    assert "setattr(Table, _name, WIDTH)" in closure_of("autograder.student.table", "Table").text(
        "autograder.student.table"
    )


def test_decorators_stay_on_their_functions() -> None:
    text = closure_of("autograder.judging.comparison", "compare").text("autograder.judging.comparison")
    assert "@cache\ndef compare" in text
    assert "from functools import cache" in text


def test_a_name_that_is_not_there_is_an_error() -> None:
    with pytest.raises(LookupError, check=to_authors["closure.autograder-worker-wire"]):
        closure_of("autograder.worker.wire", "unpack")


def test_importing_a_whole_module_of_the_kit_is_refused() -> None:
    with pytest.raises(LookupError, check=to_authors["closure.takes-the-whole-module"]):
        closure_of("autograder.student.whole", "f")
