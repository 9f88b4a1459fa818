"""Stand-ins for modules that draw, download or show: they import, accept every call, and do nothing.

Plots go nowhere and cost nothing, and a notebook whose first line imports matplotlib or mounts a drive
still runs. numpy, torch and the standard library are never replaced.
"""

from __future__ import annotations

import builtins
import dis
import importlib
import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

INERT_PACKAGES = frozenset(
    {
        "IPython",
        "attention_plots",  # what the handed-out notebooks draw with
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
    }
)


class Inert:
    """Absorbs attribute access, calls, indexing, arithmetic and iteration; it never holds a value."""

    __array_ufunc__ = None  # `array * inert` is ours to answer, not numpy's

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *args: object, **kwargs: object) -> Any:
        return self

    def __getitem__(self, key: object) -> Any:
        return self

    def __setitem__(self, key: object, value: object) -> None:
        """Forget the value."""

    def __iter__(self) -> Iterator[Any]:
        return iter([self] * _names_to_fill(sys._getframe(1)))

    def __len__(self) -> int:
        return 0

    def __float__(self) -> float:
        return 0.0

    def __int__(self) -> int:
        return 0

    def __format__(self, specification: str) -> str:
        return ""

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *exc_info: object) -> None:
        """Let exceptions of the block through."""

    def __repr__(self) -> str:
        return "<inert>"


def _names_to_fill(frame: types.FrameType) -> int:
    """How many names the running line unpacks into: 2 in ``left, right = figure.axes``, 0 in a loop."""
    code = frame.f_code.co_code
    operation = dis.opname[code[frame.f_lasti]]
    return code[frame.f_lasti + 1] if operation == "UNPACK_SEQUENCE" else 0


def _absorb(self: Inert, *others: object) -> Inert:
    return self


def _false(self: Inert, other: object) -> bool:
    return False


for _name in ("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor"):
    setattr(Inert, f"__{_name}__", _absorb)
    setattr(Inert, f"__r{_name}__", _absorb)
for _name in ("neg", "pos", "abs", "invert"):
    setattr(Inert, f"__{_name}__", _absorb)
for _name in ("lt", "le", "gt", "ge"):
    setattr(Inert, f"__{_name}__", _false)


class InertModule(types.ModuleType):
    """A module all of whose attributes are inert."""

    __version__ = "0"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if (self.__name__, name) == ("matplotlib", "pyplot"):
            return importlib.import_module("matplotlib.pyplot")
        return _SPECIAL.get((self.__name__, name), Inert())


class Progress(Inert):
    """A progress bar that shows nothing and runs its loop."""

    write = staticmethod(print)

    def __init__(self, iterable: Iterable[object] = (), *args: object, **kwargs: object) -> None:
        self._iterable = iterable

    def __iter__(self) -> Iterator[object]:
        return iter(self._iterable)

    def __len__(self) -> int:
        return len(self._iterable)  # type: ignore[arg-type]

    def __bool__(self) -> bool:
        return True


def _count_up(*args: int, **kwargs: object) -> Progress:
    return Progress(range(*args))


def _subplots(nrows: int = 1, ncols: int = 1, *, squeeze: bool = True, **kwargs: object) -> tuple[Inert, Any]:
    """A figure and its axes in an array of the shape that the real function gives."""
    axes = np.empty((nrows, ncols), object)
    for place in np.ndindex(nrows, ncols):
        axes[place] = Inert()
    if not squeeze:
        return Inert(), axes
    return Inert(), axes.item() if axes.size == 1 else axes.squeeze()


def _get_shell() -> Any:
    return vars(builtins)["get_ipython"]()


_BARS = ("tqdm", "tqdm.auto", "tqdm.notebook", "tqdm.autonotebook", "tqdm.std")
_SPECIAL: dict[tuple[str, str], object] = {
    ("IPython", "get_ipython"): _get_shell,
    ("matplotlib.pyplot", "subplots"): _subplots,
    ("pylab", "subplots"): _subplots,
    **{(module, name): Progress for module in _BARS for name in ("tqdm", "tqdm_notebook")},
    **{(module, name): _count_up for module in _BARS for name in ("trange", "tnrange")},
}


class InertFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds every module of the inert packages, whether or not the real one is installed."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname.partition(".")[0] not in INERT_PACKAGES:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return InertModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """There is nothing to run."""


def install_inert_modules() -> None:
    """Put the stand-ins before every other finder of this process."""
    sys.meta_path.insert(0, InertFinder())
