"""The only format that crosses the trust boundary: one line of JSON (a tree) and one safetensors blob (its arrays).

Nothing here unpickles or evaluates. The trusted side applies ``unpack`` to bytes written by a student's process,
so each way in which it can fail ends in one exception, ``WireError``.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from autograder.worker.composites import (
    NUMERIC,
    OBJECTS_OR_TEXTS,
    PARTS,
    SEQUENCES,
    Composite,
    Keyed,
    take_apart,
)

Array = npt.NDArray[Any]
Shape = tuple[int, ...]
WireCall = Mapping[str, Any]
"""One call as the worker reads it: ``op``, ``name``, and the fields of that operation (``calls``)."""

MAX_CONTROL_BYTES = 65536
"""The most bytes of one message between the grader and a warm process (``zygote``)."""
MAX_DEPTH = 20
"""How deep a value may be nested."""
ENVELOPE_DEPTH = 5
"""How deep in its message a frozen value may be, on top of its own depth."""
MOST_CONTAINERS = 200_000
"""So many lists, tuples and dictionaries may be in one value that submitted code returns."""
MAX_HEADER_BYTES = 64 << 20
MAX_DIMENSIONS = 16
MAX_EXTENT = 1 << 36
"""The largest product of an array's dimensions other than 0: an empty array costs nothing to send."""
MAX_INTEGER_BITS = 1024
MAX_ITEM_BYTES = 8
MAX_DESCRIPTION = 200
MAX_SHOWN_TAG = 40
ALIGNMENT = 8
SAFETENSORS_NAMES = {
    "bool": "BOOL",
    "uint8": "U8",
    "int8": "I8",
    "int16": "I16",
    "uint16": "U16",
    "float16": "F16",
    "int32": "I32",
    "uint32": "U32",
    "float32": "F32",
    "complex64": "C64",
    "float64": "F64",
    "int64": "I64",
    "uint64": "U64",
}
"""What safetensors calls NumPy's dtypes; a file holds its arrays from the last of these to the first."""
NAMES_BY_DTYPE = {np.dtype(name): short for name, short in SAFETENSORS_NAMES.items()}
PLACES_BY_DTYPE = {dtype: -place for place, dtype in enumerate(NAMES_BY_DTYPE)}
LEAVES = frozenset({type(None), bool, int, float, str})
"""Types whose values are nodes of a tree themselves."""
SHORT_LEAVES = LEAVES - {int}
"""Those among them of which every value can be sent."""


class WireError(ValueError):
    """The bytes are not a message: cut short, malformed, nested too deeply or inconsistent."""


@dataclass(frozen=True, eq=False)
class Tensor:
    """An array that is a torch tensor on the worker's side; the trusted side never imports torch for it."""

    array: Array
    requires_grad: bool = False


@dataclass(frozen=True, eq=False)
class Masked:
    """An array of `np.ma`: the values of all its entries, and which entries are masked."""

    array: Array
    mask: Array


@dataclass(frozen=True)
class Unsendable:
    """Stands for an object that is not plain data, such as a generator or an object array."""

    description: str


@dataclass(frozen=True)
class Frozen:
    """A value already encoded by a ``Packer``, which the student's code can no longer change."""

    tree: object


class Bag(dict[str, Array]):
    """The arrays of one message or file; new ones are keyed by ``prefix`` and a running number.

    Attributes:
        prefix: what the key of a new array begins with.
        containers_left: how many further lists, tuples and dictionaries are encoded.
    """

    prefix = ""
    containers_left = math.inf

    def put(self, array: Array) -> str:
        """Add a contiguous copy in native byte order and return its key."""
        number = len(self)
        key = f"{self.prefix}{number}"
        dtype = array.dtype
        if not dtype.isnative:
            dtype = dtype.newbyteorder("=")
        self[key] = array.astype(dtype, order="C", copy=True, subok=False)
        return key


class Freezer(Protocol):
    """Keeps a value as it is at this moment; the student's code cannot change it later."""

    def freeze(self, value: object) -> object: ...


class Packer:
    """Encodes one message; ``freeze`` copies a value now, ``finish`` writes the whole message."""

    def __init__(self) -> None:
        self._arrays = Bag()

    def freeze(self, value: object) -> Frozen:
        """Copy a value into the message as it is at this moment."""
        self._arrays.containers_left = MOST_CONTAINERS
        return Frozen(encode(value, self._arrays, ENVELOPE_DEPTH))

    def finish(self, value: object) -> bytes:
        """Encode the message's tree, which may hold frozen values, and return all of its bytes.

        Raises:
            MemoryError: the message does not fit into this process's memory.
        """
        self._arrays.containers_left = (
            math.inf
        )  # the rest of the message is the worker's own
        tree = encode(value, self._arrays)
        header = json.dumps(tree).encode()
        return header + b"\n" + _as_safetensors(self._arrays)


def _as_safetensors(arrays: Bag) -> bytes:
    """Return the bytes that ``safetensors.numpy.save`` returns, which takes three times as long.

    The arrays of a message are many and small, and half of that function's time is spent on their dtypes' names.
    The format is a list of arrays in JSON, with its length before it and the numbers after it.
    """

    def place(key: str) -> tuple[int, str]:
        return PLACES_BY_DTYPE[arrays[key].dtype], key

    entries = {}
    pieces = []
    end = 0
    for key in sorted(arrays, key=place):
        array = arrays[key]
        begin = end
        end += array.nbytes
        entries[key] = {
            "dtype": NAMES_BY_DTYPE[array.dtype],
            "shape": array.shape,
            "data_offsets": (begin, end),
        }
        pieces.append(array.tobytes())
    listed = json.dumps(entries, separators=(",", ":")).encode()
    listed += b" " * (-len(listed) % ALIGNMENT)
    length = len(listed).to_bytes(ALIGNMENT, "little")
    return b"".join((length, listed, *pieces))


def pack(value: object) -> bytes:
    """Encode a tree of plain values, arrays and tensors; all else becomes ``Unsendable``."""
    return Packer().finish(value)


def unpack(
    raw: bytes, *, as_torch: bool = False, max_header: int = MAX_HEADER_BYTES
) -> Any:
    """Decode a message.

    Args:
        raw: the bytes of one message; the caller has capped their number.
        as_torch: build torch tensors (the worker's side) instead of ``Tensor`` (the trusted side).
        max_header: the most bytes that the tree may take, and also the list of arrays without their numbers.

    Raises:
        WireError: for any bytes that ``pack`` could not have written.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        end = raw.index(b"\n", 0, max_header)
        tree = json.loads(raw[:end])
        blob = raw[end + 1 :]
        # A safetensors blob begins with the length of its list of arrays.
        length = int.from_bytes(blob[:8], "little")
        if length > max_header:
            raise WireError("the list of arrays is too long")
        return decode(tree, load(blob), as_torch)
    except WireError:
        raise
    except (
        ValueError,
        KeyError,
        TypeError,
        RecursionError,
        MemoryError,
        SafetensorError,
    ) as error:
        name = type(error).__name__
        message = str(error)[:MAX_DESCRIPTION]
        raise WireError(f"{name}: {message}") from error


def encode(value: object, arrays: Bag, depth: int = 0) -> object:
    """Turn a value into a tree for JSON.

    Args:
        value: plain data; any other object becomes a description of it.
        arrays: gets a copy of each array; the tree holds its key.
        depth: how deep the value is in its message.
    """
    if depth >= MAX_DEPTH + ENVELOPE_DEPTH:
        return _other("a value nested too deeply")
    if type(value) in LEAVES:
        if type(value) is int and value.bit_length() > MAX_INTEGER_BITS:
            return _other("an integer too large to send")
        return value
    if type(value) is Frozen:
        return value.tree
    if type(value) in (dict, list, tuple):  # most values that are not plain
        return _encode_container(value, arrays, depth)
    if type(value) is np.ndarray and value.dtype.kind in NUMERIC:
        return _encode_array(value, arrays)
    if isinstance(value, Unsendable):
        return _other(value.description)

    # Arrays of the three libraries. Another thread may be importing one: as long as its class is missing, no
    # value is of that class.
    torch: Any = sys.modules.get("torch")
    if isinstance(value, getattr(torch, "Tensor", ())):
        layout = getattr(value, "layout", None)
        if layout is not torch.strided:
            return _encode_composite(value, arrays, depth)
        value = _from_torch(value, torch)
    masked_arrays = sys.modules.get("numpy.ma")
    masked_array = getattr(masked_arrays, "MaskedArray", ())
    if isinstance(value, masked_array) and value.dtype.kind in NUMERIC:
        mask = np.asarray(np.ma.getmaskarray(value))
        if mask.any():
            value = Masked(np.asarray(value), mask)
    if isinstance(value, Tensor):
        encoded = _encode_array(value.array, arrays)
        if "array" not in encoded:
            return encoded
        key = encoded["array"]
        requires_grad = bool(value.requires_grad)
        return {"tensor": key, "grad": requires_grad}
    if isinstance(value, Masked):
        encoded = _encode_array(value.array, arrays)
        if "array" not in encoded:
            return encoded
        encoded["mask"] = arrays.put(value.mask)
        return encoded
    if isinstance(value, np.str_):
        return str(value)
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        if array.dtype.kind in OBJECTS_OR_TEXTS:
            return _encode_composite(array, arrays, depth)
        return _encode_array(array, arrays)

    if isinstance(value, tuple | list | dict):
        return _encode_container(value, arrays, depth)
    return _encode_composite(value, arrays, depth)


def _encode_container(value: Any, arrays: Bag, depth: int) -> object:
    """Encode the items of a tuple, a list or a dictionary.

    A list that holds itself a few times would take longer than any limit of time, so its copies are counted.
    """
    arrays.containers_left -= 1
    if arrays.containers_left < 0:
        return _other("a value with too many lists in it")
    depth_of_items = depth + 1
    leaves = SHORT_LEAVES
    if depth_of_items >= MAX_DEPTH + ENVELOPE_DEPTH:
        leaves = frozenset()  # not even a leaf may be as deep
    if isinstance(value, SEQUENCES):
        nodes = []
        for item in value:
            # Most items are leaves, for which a call would take longer than all else.
            if type(item) in leaves:
                nodes.append(item)
            else:
                nodes.append(encode(item, arrays, depth_of_items))
        if isinstance(value, tuple):
            return {"tuple": nodes}
        return {"list": nodes}

    node_of_key = {}
    for key, item in value.items():
        text = str(key)
        if type(item) not in leaves:
            item = encode(item, arrays, depth_of_items)
        node_of_key[text] = item
    keys = tuple(value)
    if isinstance(value, Keyed):
        keys = value.sent
    are_texts = all(type(key) is str for key in keys)
    # Two keys may have one text, such as 1 and "1"; then the keys and the values would not be the same number.
    if are_texts or len(node_of_key) < len(keys):
        return {"dict": node_of_key}
    keys_node = encode(keys, arrays, depth_of_items)
    return {"dict": node_of_key, "keys": keys_node}


def _encode_composite(value: object, arrays: Bag, depth: int) -> object:
    """Encode the parts of a value that is no plain data; a value without parts becomes a description."""
    composite = value
    if not isinstance(value, Composite):
        composite = take_apart(value)
    if isinstance(composite, Composite):
        nodes = {}
        for name, part in composite.parts.items():
            nodes[name] = encode(part, arrays, depth + 1)
        return {"kind": composite.kind, "parts": nodes}
    if isinstance(value, np.ndarray):
        return _encode_array(value, arrays)
    name_of_type = type(value).__name__
    return _other(f"an object of type {name_of_type}")


def _other(description: str) -> dict[str, str]:
    """Return the node for a value that cannot be sent."""
    return {"other": description[:MAX_DESCRIPTION]}


def _from_torch(tensor: Any, torch: Any) -> Tensor:
    plain = tensor.detach().cpu()
    plain = plain.resolve_conj().resolve_neg()
    if plain.dtype == torch.bfloat16:  # NumPy has no such type
        plain = plain.float()
    array = np.asarray(plain.numpy())
    return Tensor(array, tensor.requires_grad)


def _encode_array(array: Array, arrays: Bag) -> dict[str, str]:
    dtype = array.dtype
    # Extended precision has no fixed format.
    if dtype.kind == "f" and dtype.itemsize > MAX_ITEM_BYTES:
        array = array.astype(np.float64)
        dtype = array.dtype
    if dtype.kind not in NUMERIC or dtype.itemsize > MAX_ITEM_BYTES:
        return _other(f"an array of dtype {dtype}")
    if array.ndim > MAX_DIMENSIONS:
        return _other(f"an array of {array.ndim} dimensions")
    if extent_of(array) > MAX_EXTENT:
        return _other(f"an array of shape {array.shape}")
    key = arrays.put(array)
    return {"array": key}


def decode(
    tree: Any, arrays: dict[str, Array], as_torch: bool = False, depth: int = 0
) -> Any:
    """Turn a tree and its arrays back into a value.

    Args:
        tree: one node: a plain value, or a dictionary with one tag.
        arrays: the arrays by key; each is taken out as it is used, so that no array is used twice.
        as_torch: build torch tensors instead of ``Tensor``.
        depth: how deep the node is in its message.

    Raises:
        WireError: ``encode`` could not have written this.
    """
    if depth > MAX_DEPTH + ENVELOPE_DEPTH:
        raise WireError("nested too deeply")
    if type(tree) in LEAVES:
        return tree
    if not isinstance(tree, dict):
        raise WireError("a bare list is not a node of the tree")
    if len(tree) == 2:
        return _decode_pair(tree, arrays, as_torch, depth)
    if len(tree) != 1:
        raise WireError("a node has exactly one tag")
    [(tag, body)] = tree.items()
    if tag == "array":
        return _take_array(arrays, body)
    if tag in ("list", "tuple") and isinstance(body, list):
        items = []
        for node in body:
            # Most nodes are leaves, for which a call would take longer than all else.
            if type(node) not in LEAVES:
                node = decode(node, arrays, as_torch, depth + 1)
            items.append(node)
        if tag == "tuple":
            return tuple(items)
        return items
    if tag == "dict" and isinstance(body, dict):
        dictionary = {}
        for key, node in body.items():
            if type(node) not in LEAVES:
                node = decode(node, arrays, as_torch, depth + 1)
            dictionary[key] = node
        return dictionary
    if tag == "other" and isinstance(body, str):
        description = body[:MAX_DESCRIPTION]
        return Unsendable(description)
    shown_tag = str(tag)[:MAX_SHOWN_TAG]
    raise WireError(f"unknown tag {shown_tag!r}")


def _decode_pair(
    tree: dict[str, Any], arrays: dict[str, Array], as_torch: bool, depth: int
) -> Any:
    """Decode a node of two tags: a tensor, a masked array, a composite, or a dictionary with its keys."""
    tags = tree.keys()
    if tags == {"tensor", "grad"}:
        array = _take_array(arrays, tree["tensor"])
        requires_grad = tree["grad"] is True
        if not as_torch:
            return Tensor(array, requires_grad)
        import torch

        tensor = torch.from_numpy(array.copy())
        return tensor.requires_grad_(requires_grad)
    if tags == {"array", "mask"}:
        array = _take_array(arrays, tree["array"])
        mask = _take_array(arrays, tree["mask"])
        if mask.dtype != np.bool_ or mask.shape != array.shape:
            raise WireError("a mask marks each entry of its array")
        return Masked(array, mask)
    if tags == {"kind", "parts"}:
        return _decode_composite(tree["kind"], tree["parts"], arrays, as_torch, depth)
    if tags == {"dict", "keys"}:
        node = {"dict": tree["dict"]}
        dictionary = decode(node, arrays, as_torch, depth)
        keys = decode(tree["keys"], arrays, as_torch, depth + 1)
        if type(keys) is not tuple or len(keys) != len(dictionary):
            raise WireError("a dictionary has as many keys as values")
        keyed = Keyed(dictionary)
        keyed.sent = keys
        return keyed
    raise WireError("a node has exactly one tag")


def _decode_composite(
    kind: object, nodes: Any, arrays: dict[str, Array], as_torch: bool, depth: int
) -> Composite:
    """Decode the parts of a composite, each of which must be of its type."""
    types = None
    if isinstance(kind, str):
        types = PARTS.get(kind)
    if types is None or not isinstance(nodes, dict) or nodes.keys() != types.keys():
        shown_kind = str(kind)[:MAX_SHOWN_TAG]
        raise WireError(f"no kind of value has such parts: {shown_kind!r}")
    parts = {}
    for name, node in nodes.items():
        part = decode(node, arrays, as_torch, depth + 1)
        type_of_part = types[name]
        if not isinstance(part, type_of_part):
            raise WireError(f"a part of the wrong type: {name}")
        parts[name] = part
    return Composite(str(kind), parts)


def _take_array(arrays: dict[str, Array], key: object) -> Array:
    if not isinstance(key, str):
        raise WireError("an array's key is a string")
    if key not in arrays:
        raise WireError("an array is missing, or is used twice")
    array = arrays.pop(key)
    extent = extent_of(array)
    if array.ndim > MAX_DIMENSIONS or extent > MAX_EXTENT:
        raise WireError(f"an array of {array.ndim} dimensions and extent {extent}")
    return array


def extent_of(array: Array) -> int:
    """Return the product of an array's sizes other than 0."""
    if array.size:
        return array.size
    extent = 1
    for size in array.shape:
        if size:
            extent *= size
    return extent
