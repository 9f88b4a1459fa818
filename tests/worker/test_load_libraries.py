"""Which libraries a submission may import, whatever else is installed where it is graded."""

from __future__ import annotations

import pytest

from autograder.sandbox.pool import Sandbox
from autograder.sandbox.report import RunReport
from autograder.sandbox.request import Code, Request

from .asking import call, module, notebook, values

# Installed with the kit's own tests, and not with every grader.
INSTALLED = "markdown_it"
FORMS = ("import {0}", "from {0} import *", "import importlib; importlib.import_module('{0}')")


def ask(sandbox: Sandbox, code: Code, *libraries: str) -> RunReport:
    return sandbox.run(Request(code, [call("f")], sandbox.library, libraries=libraries))


@pytest.mark.parametrize("form", FORMS)
def test_what_only_this_grader_has_is_not_there_while_loading_or_calling(sandbox: Sandbox, form: str) -> None:
    line = form.format(INSTALLED)
    report = ask(sandbox, module(f"{line}\ndef f(): return 1"))
    assert [(stop.error.type, stop.error.line) for stop in report.stops] == [("ModuleNotFoundError", 1)]
    assert report.stops[0].error.message == f"No module named {INSTALLED!r}"
    assert values(report) == [1]
    if "*" not in line:
        [answer] = ask(sandbox, module(f"def f():\n    {line}")).answers
        assert answer.error
        assert (answer.error.type, answer.error.line) == ("ModuleNotFoundError", 2)


def test_what_the_course_names_is_there(sandbox: Sandbox) -> None:
    code = notebook(f"import {INSTALLED}.tree", f"def f(): return {INSTALLED}.__name__")
    assert values(ask(sandbox, code, INSTALLED)) == [INSTALLED]


def test_own_files_stand_ins_and_the_standard_library_are_there(sandbox: Sandbox) -> None:
    source = "import helpers, numpy.linalg, matplotlib.pyplot as plt, statistics, typing_extensions\n"
    code = module(source + "def f(): return helpers.x", helpers="import json\nx = 3")
    report = ask(sandbox, code)
    assert report.stops == ()
    assert values(report) == [3]


def test_a_library_imports_what_it_needs_itself(sandbox: Sandbox) -> None:
    code = module("import markdown_it\ndef f(): return len(markdown_it.MarkdownIt().parse('x'))")
    assert values(ask(sandbox, code, INSTALLED)) == [3]  # it imports mdurl
