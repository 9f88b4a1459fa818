import contextlib
import json
import struct
import sys
import tracemalloc
import types

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save

from autograder.worker.wire import (
    MAX_DEPTH,
    MOST_CONTAINERS,
    Bag,
    Packer,
    Tensor,
    Unsendable,
    WireError,
    encode,
    pack,
    unpack,
)

DTYPES = [np.dtype(code) for code in "?bBhHiIlLqQefdF"]


def same(value, right):
    """Whether two trees are equal in kind and in every bit, NaN included."""
    if type(value) is not type(right):
        return False
    if isinstance(value, Tensor):
        return value.requires_grad == right.requires_grad and same(value.array, right.array)
    if isinstance(value, np.ndarray):
        native = value.astype(value.dtype.newbyteorder("="))
        return (native.dtype, value.shape, native.tobytes()) == (right.dtype, right.shape, right.tobytes())
    if isinstance(value, list | tuple):
        return len(value) == len(right) and all(map(same, value, right))
    if isinstance(value, dict):
        return list(value) == list(right) and all(same(value[key], right[key]) for key in value)
    return bool(value == right or (value != value and right != right))


@st.composite
def arrays(draw):
    """Arrays of every numeric dtype in both byte orders: 0-d, empty, reversed, transposed, strided."""
    dtype = draw(st.sampled_from(DTYPES)).newbyteorder(draw(st.sampled_from("<>")))
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
    array = draw(hnp.arrays(dtype, shape))
    view = draw(st.sampled_from([np.copy, np.transpose, np.flip]))
    array = np.asarray(view(array))
    return array[::2] if array.ndim and draw(st.booleans()) else array


def tensors():
    return st.builds(Tensor, arrays(), st.booleans())


def scalars():
    numbers = st.integers(-(2**70), 2**70) | st.floats(allow_nan=True)
    return st.none() | st.booleans() | numbers | st.text(max_size=5)


def trees(leaves):
    return st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.lists(inner, max_size=4).map(tuple)
            | st.dictionaries(st.text(max_size=4), inner, max_size=3)
        ),
        max_leaves=8,
    )


@given(st.lists(arrays(), max_size=12))
def test_the_arrays_of_a_message_are_the_bytes_that_safetensors_writes(values):
    bag = Bag()
    for value in values:
        encode(value, bag)
    _, _, blob = pack(values).partition(b"\n")
    assert blob == save(bag)


@given(trees(scalars() | arrays() | tensors()))
@settings(deadline=None)
def test_a_tree_arrives_as_it_was_sent(tree):
    assert same(tree, unpack(pack(tree)))


@pytest.mark.parametrize("array", [np.float64(1.5), np.int32(3), np.bool_(True), np.float16(0.1)])
def test_a_numpy_scalar_arrives_as_an_array_without_dimensions(array):
    arrived = unpack(pack(array))
    assert arrived.shape == ()
    assert arrived.dtype == array.dtype


def test_an_array_arrives_writable_so_that_changing_an_argument_can_be_seen():
    arrived = unpack(pack({"x": np.zeros(3)}))["x"]
    arrived += 1
    assert arrived.tolist() == [1, 1, 1]


def test_extended_precision_arrives_as_float64():
    assert unpack(pack(np.ones(2, np.longdouble))).dtype == np.float64


@pytest.mark.parametrize(
    ("value", "description"),
    [
        (np.array(b"a", object), "an array of dtype object"),
        (np.ones(2, np.complex128), "an array of dtype complex128"),
        (np.array("text"), "an array of dtype <U4"),
        (np.array("2020-01-01", "M8[D]"), "an array of dtype datetime64"),
        ((i for i in range(3)), "an object of type generator"),
        (set(range(20_000)), "an object of type set"),
        (object(), "an object of type object"),
        (2j, "an object of type complex"),
        (b"raw", "an object of type bytes"),
        pytest.param(10**5000, "an integer too large", id="huge integer"),
        (np.ones((1,) * 20), "an array of 20 dimensions"),
        (np.ones((0, 2**40)), "an array of shape"),
    ],
)
def test_what_is_no_plain_data_arrives_as_its_description(value, description):
    arrived = unpack(pack([value]))[0]
    assert isinstance(arrived, Unsendable)
    assert description in arrived.description


def test_a_tensor_of_unsendable_numbers_arrives_as_its_description():
    assert isinstance(unpack(pack(Tensor(np.ones(1, np.complex128)))), Unsendable)


class Impostor(np.ndarray):
    """What a cheat returns: equal to everything, whatever its numbers."""

    def __eq__(self, other):
        return True

    def __array_ufunc__(self, *args, **kwargs):
        return np.True_


def test_a_subclass_of_ndarray_loses_its_class_and_keeps_its_numbers():
    arrived = unpack(pack(np.arange(3.0).view(Impostor)))
    assert type(arrived) is np.ndarray
    assert arrived.tolist() == [0, 1, 2]


def test_a_matrix_and_a_masked_array_become_plain_arrays():
    matrix, masked = unpack(pack([np.ones((2, 2)).view(np.matrix), np.ma.ones(3)]))
    assert type(matrix) is type(masked) is np.ndarray


def test_a_named_tuple_arrives_as_a_tuple():
    assert unpack(pack(np.linalg.slogdet(np.eye(2)))) == (1.0, 0.0)


def test_a_frozen_value_is_copied_at_once():
    array, packer = np.ones(3), Packer()
    frozen = packer.freeze([array, array.T])
    array[:] = 0
    first, second = unpack(packer.finish({"value": frozen}))["value"]
    assert first.tolist() == second.tolist() == [1, 1, 1]


def test_a_frozen_list_is_copied_at_once():
    items, packer = [1, [2]], Packer()
    frozen = packer.freeze(items)
    items[1].append(3)
    assert unpack(packer.finish([frozen])) == [[1, [2]]]


@pytest.mark.parametrize("depth", range(MAX_DEPTH - 8, MAX_DEPTH + 8))
def test_a_deeply_nested_result_never_spoils_the_message_around_it(depth):
    value = 1
    for _ in range(depth):
        value = [value]
    packer = Packer()
    frozen = packer.freeze(value)
    message = unpack(packer.finish({"results": [{"gradients": {"0": frozen}}, {"value": 7}]}))
    assert message["results"][1] == {"value": 7}


def test_a_list_that_holds_itself_ends_as_a_description():
    value = []
    value.append(value)
    assert "nested too deeply" in str(unpack(pack(value)))


def test_a_list_that_holds_itself_twice_is_cut_and_costs_only_its_own_answer():
    value = []
    value.extend([value, value])
    packer = Packer()
    arrays = packer._arrays
    frozen = packer.freeze(value)
    assert "too many lists" in str(frozen.tree)
    assert -MOST_CONTAINERS - 100 < arrays.containers_left < 0
    later = packer.freeze([[1], [2]])
    message = unpack(packer.finish({"results": [{"value": frozen}, {"value": later}]}))
    assert message["results"][1] == {"value": [[1], [2]]}


def test_what_the_kit_packs_itself_is_never_cut():
    lists = [[] for _ in range(MOST_CONTAINERS + 1)]
    assert unpack(pack(lists)) == lists


def parse(raw):
    """Unpack, and let through the one exception that a malformed message may raise."""
    with contextlib.suppress(WireError):
        unpack(raw)


@given(st.binary(max_size=300))
@settings(deadline=None, max_examples=150)
def test_arbitrary_bytes_are_no_message(raw):
    with pytest.raises(WireError):
        unpack(raw)


@given(trees(scalars() | arrays()), st.data())
@settings(deadline=None, max_examples=150)
def test_a_damaged_message_is_refused_or_read_but_never_breaks_the_reader(tree, data):
    raw = bytearray(pack(tree))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(raw)))
        cut = data.draw(st.integers(0, 4))
        raw[at : at + cut] = data.draw(st.binary(max_size=4))
    parse(bytes(raw))


def json_trees():
    tags = st.sampled_from(["array", "tensor", "grad", "list", "tuple", "dict", "other", "x"])
    keys = st.sampled_from(["0", "1", "2"])
    return st.recursive(
        keys | st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(tags, inner, max_size=2),
        max_leaves=10,
    )


@given(json_trees())
@settings(deadline=None, max_examples=150)
def test_any_json_before_valid_arrays_is_refused_or_read(tree):
    parse(json.dumps(tree).encode() + b"\n" + save({"0": np.ones(2), "1": np.ones((0, 3))}))


@pytest.mark.parametrize("opening", ["[", '{"list":[', '{"dict":{"a":'])
def test_deep_json_is_refused(opening):
    with pytest.raises(WireError):
        unpack(opening.encode() * 200_000 + b"\n" + save({}))


def test_json_deeper_than_allowed_but_complete_is_refused():
    depth = MAX_DEPTH + 10
    with pytest.raises(WireError, match="nested too deeply"):
        unpack(b'{"list":[' * depth + b"1" + b"]}" * depth + b"\n" + save({}))


@pytest.mark.parametrize(
    "header",
    ['{"array": "9"}', '{"array": 0}', '{"array": ["0"]}', '{"tensor": "0", "list": []}', "[1]", "{}", ""],
)
def test_a_header_that_pack_never_writes_is_refused(header):
    with pytest.raises(WireError):
        unpack(header.encode() + b"\n" + save({"0": np.ones(1)}))


def blob(entries, data):
    """A hand-made safetensors file: dtype, shape and offsets by name."""
    header = json.dumps(
        {name: {"dtype": d, "shape": s, "data_offsets": [a, b]} for name, (d, s, a, b) in entries.items()}
    ).encode()
    return struct.pack("<Q", len(header)) + header + data


@pytest.mark.parametrize(
    "arrays",
    [
        blob({"0": ("F64", [2**40], 0, 8)}, bytes(8)),
        blob({"0": ("F64", [2**63, 2], 0, 8)}, bytes(8)),
        blob({"0": ("F64", [0, 2**62], 0, 0)}, b""),
        blob({"0": ("F64", [0, 2**38], 0, 0)}, b""),
        blob({"0": ("F64", [1] * 20, 0, 8)}, bytes(8)),
        blob({"0": ("BF16", [1], 0, 2)}, bytes(2)),
        blob({"0": ("U8", [4], 0, 4), "1": ("U8", [4], 2, 6)}, bytes(6)),
        blob({"0": ("U8", [4], 8, 12)}, bytes(4)),
        struct.pack("<Q", 2**62),
        b"",
    ],
    ids=[
        "huge",
        "overflow",
        "empty-huge",
        "empty-wide",
        "dims",
        "bf16",
        "overlap",
        "dangling",
        "cut",
        "none",
    ],
)
def test_forged_arrays_are_refused(arrays):
    with pytest.raises(WireError):
        unpack(b'{"array": "0"}\n' + arrays)


def test_one_array_cannot_stand_for_many():
    """Else a message of megabytes could be stacked into terabytes by whoever reads it."""
    with pytest.raises(WireError, match="twice"):
        unpack(b'{"list": [{"array": "0"}, {"array": "0"}]}\n' + save({"0": np.ones(2)}))


def test_a_header_longer_than_the_cap_is_refused():
    raw = pack(list(range(1000)))
    with pytest.raises(WireError):
        unpack(raw, max_header=1000)
    assert len(unpack(raw, max_header=10_000)) == 1000


def test_reading_a_message_takes_no_more_than_a_few_times_its_size():
    raw = pack([np.zeros(1 << 20), np.zeros(1 << 18, np.float32)])
    tracemalloc.start()
    try:
        unpack(raw)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 * len(raw)


@pytest.mark.parametrize("name", ["numpy.ma", "torch"])
def test_a_library_that_another_thread_is_importing_stops_no_answer(name, monkeypatch):
    monkeypatch.setitem(sys.modules, name, types.ModuleType(name))  # without its classes
    assert encode(np.ones(2), Bag()).keys() == {"array"}
