"""Stand-ins for packages that draw, download or show: they import, accept every call, and do nothing.

Plots go nowhere and cost nothing, and a notebook whose first line imports matplotlib or mounts a drive still
runs. NumPy, torch and the standard library are never replaced. IPython's shell has a stand-in too: the cells of a
notebook, and a notebook exported as ``.py``, arrive with each magic as a call of it.
"""

from __future__ import annotations

import ast
import builtins
import dis
import importlib
import importlib.abc
import re
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from importlib.machinery import ModuleSpec
from typing import Any

import numpy as np

MAGIC = " (magic)"
"""Appended to the name of a file or cell for code of its timing magics."""
PLOTS = ("notebook_plots", "attention_plots")
"""The names that the module with a course's pictures may have; released notebooks import either."""
INERT_PACKAGES = frozenset(
    {
        "IPython",
        "bokeh",
        "google",
        "ipywidgets",
        "matplotlib",
        "mpl_toolkits",
        "otter",
        "plotly",
        "pylab",
        "seaborn",
        "tqdm",
        # A course's notebooks draw and check with these.
        *PLOTS,
        "public_checks",
    }
)
_OPERATORS = (
    "add",
    "sub",
    "mul",
    "matmul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "and",
    "or",
    "xor",
)


class Inert:
    """Absorbs attribute access, calls, indexing, arithmetic and iteration; it never holds a value."""

    __array_ufunc__ = None  # `array * inert` is answered here, not by NumPy

    def __getattr__(self, name: str) -> Any:
        # Python looks for protocols, such as `__array__`, among these names.
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *args: object, **kwargs: object) -> Any:
        return self

    __getitem__ = __enter__ = __neg__ = __pos__ = __abs__ = __invert__ = __call__

    def __setitem__(self, key: object, value: object) -> None:
        """Forget the value."""

    def __exit__(self, *exc_info: object) -> None:
        """Let exceptions of the block through."""

    def __iter__(self) -> Iterator[Any]:
        """Iterate over as many items as the line unpacks: 2 in ``left, right = figure.axes``, 0 in a loop."""
        frame = sys._getframe(1)
        code = frame.f_code.co_code
        instruction = dis.opname[code[frame.f_lasti]]
        if instruction != "UNPACK_SEQUENCE":
            return iter(())
        number_of_names = code[frame.f_lasti + 1]
        return iter([self] * number_of_names)

    def __int__(self) -> int:
        return 0

    __len__ = __int__

    def __float__(self) -> float:
        return 0.0

    def __format__(self, specification: str) -> str:
        return ""

    def __lt__(self, other: object) -> bool:
        return False

    __le__ = __gt__ = __ge__ = __lt__

    def __repr__(self) -> str:
        return "<inert>"


for _operator in _OPERATORS:
    setattr(Inert, f"__{_operator}__", Inert.__call__)
    setattr(Inert, f"__r{_operator}__", Inert.__call__)


class InertProgressBar(Inert):
    """A progress bar that shows nothing and runs its loop."""

    write = staticmethod(print)

    def __init__(
        self, iterable: Iterable[object] = (), *args: object, **kwargs: object
    ) -> None:
        self._iterable = iterable

    def __iter__(self) -> Iterator[object]:
        return iter(self._iterable)

    def __len__(self) -> int:
        return len(self._iterable)  # type: ignore[arg-type]

    def __bool__(self) -> bool:
        return True


def _progress_over_range(*args: int, **kwargs: object) -> InertProgressBar:
    return InertProgressBar(range(*args))


def _subplots(
    nrows: int = 1, ncols: int = 1, *, squeeze: bool = True, **kwargs: object
) -> tuple[Inert, Any]:
    """Return a figure and its axes, in an array of the shape that the real function gives."""
    figure = Inert()
    axes = np.empty((nrows, ncols), object)
    for place in np.ndindex(nrows, ncols):
        axes[place] = Inert()
    if not squeeze:
        return figure, axes
    if axes.size == 1:
        return figure, axes.item()
    return figure, axes.squeeze()


def _current_shell() -> Any:
    return vars(builtins)["get_ipython"]()


_SPECIAL: dict[tuple[str, str], object] = {
    ("IPython", "get_ipython"): _current_shell,
    ("matplotlib.pyplot", "subplots"): _subplots,
    ("pylab", "subplots"): _subplots,
}
"""Names of modules that are not inert, because students' code depends on what they do."""
for _module in ("tqdm", "tqdm.auto", "tqdm.notebook", "tqdm.autonotebook", "tqdm.std"):
    _SPECIAL[_module, "tqdm"] = InertProgressBar
    _SPECIAL[_module, "tqdm_notebook"] = InertProgressBar
    _SPECIAL[_module, "trange"] = _progress_over_range
    _SPECIAL[_module, "tnrange"] = _progress_over_range


class InertModule(types.ModuleType):
    """A module whose attributes are all inert."""

    __version__ = "0"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        # The module and not an inert value, so that its `subplots` is the special one.
        if (self.__name__, name) == ("matplotlib", "pyplot"):
            return importlib.import_module("matplotlib.pyplot")
        return _SPECIAL.get((self.__name__, name), Inert())


class InertFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds every module of the inert packages, whether or not the real one is installed."""

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] not in INERT_PACKAGES:
            return None
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        return InertModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Run nothing."""


def install_inert_modules() -> None:
    """Put the stand-ins before every other finder of this process."""
    sys.meta_path.insert(0, InertFinder())


class InertShell:
    """The value of ``get_ipython()``: magics and shell lines do nothing, timing magics run their code.

    Args:
        namespace: the submission's top-level names.
        files: the submission's ``.py`` files by name, to which ``%%writefile`` adds.
        run: runs a source text, under a file name, among the submission's names.
    """

    RUN_THE_CELL = frozenset({"time", "timeit", "capture", "prun"})
    WRITE_THE_CELL = frozenset({"writefile", "file"})

    def __init__(
        self,
        namespace: dict[str, Any],
        files: dict[str, str],
        run: Callable[[str, str], None],
    ) -> None:
        self._namespace = namespace
        self._files = files
        self._run = run

    def run_cell_magic(self, name: str, line: str, cell: str) -> None:
        """Run the cell of a timing magic, keep the file of ``%%writefile``; ignore all other magics."""
        if name in self.WRITE_THE_CELL:
            filename = line.split()[-1]
            # Later cells may import the file, or open it.
            self._files[filename] = cell
            with open(filename, "w", encoding="utf-8") as file:
                file.write(cell)
        elif name in self.RUN_THE_CELL:
            try:
                ast.parse(cell)
            except SyntaxError:
                # IPython does not translate magics and shell lines inside the cell of a magic.
                cell = re.sub(r"(?m)^([ \t]*)[%!].*$", r"\1pass", cell)
            # The magic's own line is the first one of the cell in the notebook.
            self._run("\n" + cell, _caller() + MAGIC)

    def run_line_magic(self, name: str, line: str, *args: object) -> Any:
        """Run the statement of ``%time`` and return its value; ignore all other magics."""
        if name != "time":
            return None
        filename = _caller() + MAGIC
        try:
            code = compile(line.strip(), filename, "eval", dont_inherit=True)
        except SyntaxError:  # a statement such as an assignment, which has no value
            return self._run(line, filename)
        return eval(code, self._namespace)

    def getoutput(self, command: str, *args: object, **kwargs: object) -> list[str]:
        return []

    def __getattr__(self, name: str) -> Any:
        return Inert()


def _caller() -> str:
    """Return the file name of the code that called the method that calls this function."""
    return sys._getframe(2).f_code.co_filename
