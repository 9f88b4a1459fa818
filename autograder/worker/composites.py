"""Values of kinds that neither JSON nor arrays have, taken apart into named parts of plain data, and put together.

A worker takes apart what a student's function returns, and puts together what it is called with. The trusted
side only ever sees the parts: no class of pandas or SciPy is made there.
"""

from __future__ import annotations

import functools
import json
import math
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

MOST_ITEMS = 10_000
"""Items of a set, an array of objects or a column of texts; more are not sent."""
MOST_ENTRIES = 100_000
"""Entries of a sparse array; more are not sent."""
NEGLIGIBLE = 1e-12
"""Entries of a sparse array that are smaller than this share of the largest one count as 0."""
NUMERIC = "biufc"
"""NumPy's kinds of numbers: booleans, integers, unsigned, floating point and complex ones."""
OBJECTS_OR_TEXTS = "OU"
"""NumPy's kinds of objects of Python and of texts."""
PLAIN = (bool, int, float, str, type(None))
SEQUENCES = (list, tuple)

PARTS: dict[str, dict[str, type]] = {
    "set": {"items": list},
    "objects": {"dtype": str, "items": list},
    "table": {"columns": list, "values": list, "index": object},
    "series": {"values": object, "index": object},
    "sparse": {"shape": list, "places": np.ndarray, "values": np.ndarray},
    "nothing": {},
    "exception": {"name": str},
    "steps": {"names": list, "values": list},
    "generator": {"seed": int},
    "function": {"name": str, "source": str, "first": list},
}
"""The parts of each kind, and their types.

``nothing``: the reference solution returned None (a bare None means that there is no expected answer).
``exception``: it raised, as it should. ``steps``: the results of using an object (``steps.py``). Random generators
and functions are arguments only.
"""
FUNCTION_FILE = "<cases.py>"
"""The file name of a function that a case hands over: its lines are not the student's."""


@dataclass(frozen=True, eq=False)
class Composite:
    """A value taken apart: the name of its kind in ``PARTS``, and its parts as plain data and arrays."""

    kind: str
    parts: dict[str, Any]


class Keyed(dict[str, Any]):
    """A dictionary with keys that are not texts: its keys as texts, and ``sent``, the keys themselves."""

    sent: tuple[Any, ...] = ()


NOTHING = Composite("nothing", {})


def take_apart(value: object) -> Composite | None:
    """Return a value's kind and parts; None where ``PARTS`` has no such kind, or the value is too large."""
    if isinstance(value, set | frozenset):
        return _of_set(value)
    if isinstance(value, np.ndarray) and value.dtype.kind in OBJECTS_OR_TEXTS:
        if value.ndim and value.size <= MOST_ITEMS:
            dtype = str(value.dtype)
            return _of_objects(dtype, value.tolist())
    if isinstance(value, _class("pandas", "DataFrame")):
        return _of_table(value)
    if isinstance(value, _class("pandas", "Series")):
        values = _column(value)
        index = _column(value.index)
        series = Composite("series", {"values": values, "index": index})
        return _if_small(series)
    if isinstance(value, _class("pandas", "Index")):
        items = np.asarray(_column(value))
        objects = _of_objects("object", items.tolist())
        return _if_small(objects)
    if isinstance(value, _class("torch", "Tensor")):
        entries = value.detach().to_sparse().coalesce()
        places = list(entries.indices().numpy())
        return _of_entries(value.shape, places, entries.values().numpy())
    for name in ("spmatrix", "sparray"):
        if isinstance(value, _class("scipy.sparse", name)):
            entries = value.tocoo()
            return _of_entries(value.shape, entries.coords, entries.data)
    return None


def put_together(value: Any, leaf: Callable[[Any], Any] = lambda value: value) -> Any:
    """Return an argument with every composite in it as the object that it stands for.

    Args:
        value: a decoded argument.
        leaf: called with arrays, tensors and all else that has no parts.
    """
    kind = type(value)
    if kind is list:
        return [put_together(item, leaf) for item in value]
    if kind is tuple:
        return tuple(put_together(item, leaf) for item in value)
    if kind is dict:
        return {key: put_together(item, leaf) for key, item in value.items()}
    if kind is Keyed:
        keys = map(put_together, value.sent)
        items = map(put_together, value.values())
        return dict(zip(keys, items, strict=True))
    if kind is Composite:
        return MAKERS[value.kind](**value.parts)
    return leaf(value)


def _class(module: str, name: str) -> Any:
    """Return a class of a module that is imported already; no class where it is not."""
    imported = sys.modules.get(module)
    attribute = getattr(imported, name, None)
    if isinstance(attribute, type):
        return attribute
    return ()


# Taking apart


def _of_set(value: set[Any] | frozenset[Any]) -> Composite | None:
    if len(value) > MOST_ITEMS:
        return None
    items = []
    for item in value:
        if isinstance(item, np.generic):
            item = item.item()
        items.append(item)
    items.sort(key=canonical)
    return Composite("set", {"items": items})


def _of_objects(dtype: str, items: list[Any]) -> Composite:
    return Composite("objects", {"dtype": dtype, "items": items})


def canonical(item: Any) -> str:
    """Return an item as text, the same text for items that are equal in Python, such as 1, 1.0 and True."""
    if isinstance(item, SEQUENCES):
        listed_items = ", ".join(map(canonical, item))
        return f"({listed_items})"
    if isinstance(item, Composite) and item.kind == "set":
        return _canonical_set(item.parts["items"])
    if isinstance(item, set | frozenset):
        return _canonical_set(item)
    if isinstance(item, bool):
        item = int(item)
    if isinstance(item, float) and item.is_integer():
        item = int(item)
    if isinstance(item, PLAIN):
        return json.dumps(item, ensure_ascii=False)
    name_of_type = type(item).__name__
    return f"an object of type {name_of_type}"


def _canonical_set(items: Iterable[Any]) -> str:
    texts = sorted(map(canonical, items))
    listed_items = ", ".join(texts)
    return f"{{{listed_items}}}"


def _of_table(table: Any) -> Composite | None:
    columns = []
    values = []
    for place, name in enumerate(table.columns.tolist()):
        column = table.iloc[:, place]
        columns.append(name)
        values.append(_column(column))
    index = _column(table.index)
    parts = {"columns": columns, "values": values, "index": index}
    return _if_small(Composite("table", parts))


def _column(column: Any) -> Any:
    """Return a column as an array, or as a list where it is not of numbers; missing items are None."""
    array = column.to_numpy()
    if array.dtype.kind in NUMERIC:
        return array
    if array.dtype.kind in "mM":  # times have no type in Python that is plain data
        array = array.astype(str)
    items = array.tolist()
    for place, is_missing in enumerate(column.isna()):
        if is_missing:
            items[place] = None
    return items


def _if_small(composite: Composite) -> Composite | None:
    """Return the composite, unless a list of it holds too many items."""
    parts = list(composite.parts.values())
    values = composite.parts.get("values")
    if isinstance(values, list):  # the columns of a table, or one column
        parts += values
    for part in parts:
        if isinstance(part, list) and len(part) > MOST_ITEMS:
            return None
    return composite


def _of_entries(shape: Any, places: Any, values: Any) -> Composite | None:
    """Return a sparse array with its entries in the order of their places; zeros are left out.

    Args:
        shape: the shape of the whole array.
        places: for each axis, the indices of the entries along it.
        values: the entries; those of one place are added up.
    """
    if len(values) > MOST_ENTRIES:
        return None
    rows, row_of_value = np.unique(np.stack(places, 1), axis=0, return_inverse=True)
    sums = np.zeros(len(rows), values.dtype)
    np.add.at(sums, row_of_value.ravel(), values)
    magnitudes = np.abs(sums)
    # A NaN is an entry.
    least = NEGLIGIBLE * np.fmax.reduce(magnitudes, initial=0)
    is_entry = ~(magnitudes <= least)
    parts = {
        "shape": list(map(int, shape)),
        "places": rows[is_entry].astype(np.int64),
        "values": sums[is_entry],
    }
    return Composite("sparse", parts)


# Putting together


def _set(items: list[Any]) -> set[Any]:
    objects: set[Any] = set()
    for item in map(put_together, items):
        if isinstance(item, set):  # a set within a set has to be a frozen one
            item = frozenset(item)
        objects.add(item)
    return objects


def _objects(dtype: str, items: list[Any]) -> Any:
    if dtype != "object":
        return np.array(items)
    array = np.empty(len(items), object)
    for place, item in enumerate(items):
        array[place] = put_together(item)
    return array


def _table(columns: list[Any], values: list[Any], index: Any) -> Any:
    pandas = import_module("pandas")
    # Names of columns may be equal to each other, so they come after the columns.
    numbered_columns = dict(enumerate(values))
    table = pandas.DataFrame(numbered_columns, index=_index(index))
    table.columns = pandas.Index(columns)
    return table


def _series(values: Any, index: Any) -> Any:
    pandas = import_module("pandas")
    return pandas.Series(values, index=_index(index), copy=True)


def _index(index: Any) -> Any:
    """Return the index of a table; the numbers from 0 on are its usual one."""
    pandas = import_module("pandas")
    usual = np.arange(len(index))
    if isinstance(index, np.ndarray) and np.array_equal(index, usual):
        return pandas.RangeIndex(len(index))
    return pandas.Index(index, copy=True)


def _sparse(shape: list[int], places: Any, values: Any) -> Any:
    scipy_sparse = import_module("scipy.sparse")
    entries = (values, tuple(places.T))
    return scipy_sparse.coo_array(entries, shape=tuple(shape), copy=True)


def _function(name: str, source: str, first: list[Any]) -> Any:
    """Return the course's function, with its first arguments filled in; its text is the course's own."""
    namespace: dict[str, Any] = {"np": np, "math": math}
    code = compile(source, FUNCTION_FILE, "exec")
    exec(code, namespace)
    function = namespace[name]
    if not first:
        return function
    return functools.partial(function, *put_together(first))


def _steps(names: list[Any], values: list[Any]) -> dict[Any, Any]:
    objects = map(put_together, values)
    return dict(zip(names, objects, strict=True))


MAKERS: dict[str, Any] = {
    "set": _set,
    "objects": _objects,
    "table": _table,
    "series": _series,
    "sparse": _sparse,
    "nothing": lambda: None,
    "exception": str,
    "steps": _steps,
    # NumPy's random numbers are a module of their own, which few answers need.
    "generator": lambda seed: np.random.default_rng(seed),
    "function": _function,
}
"""For each kind, what puts it together from its parts."""
