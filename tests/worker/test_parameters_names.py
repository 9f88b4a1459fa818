"""Layers of two names, of other names, and of names that torch does not know."""

import itertools

import pytest
import torch
from torch import nn

from autograder.worker.parameters import (
    MissingParameter,
    joined_gradients,
    load_parameters,
    own_parameters,
    registered_shapes,
)

from .blocks import Block, D, assert_has_roles, attributes, loaded, numbers, wanted_attention


def assert_loaded(block, expected, *names, x=None):
    """Loading puts the wanted values, in their order, into the parameters of these names."""
    load_parameters(block, expected, x)
    loaded_values = [loaded(block, name) for name in names]
    assert loaded_values == [value.tolist() for value in expected.values()]


WANTED_NORMS = {
    f"{norm}.{name}": numbers(D, first=first)
    for first, (norm, name) in enumerate(itertools.product(("norm1", "norm2"), ("weight", "bias")))
}
WANTED_FF = {
    "ff.0.weight": numbers(5, D),
    "ff.0.bias": numbers(5),
    "ff.2.weight": numbers(D, 5),
    "ff.2.bias": numbers(D),
}


def test_a_layer_of_two_names_is_found_by_both():
    up, down = nn.Linear(D, 5), nn.Linear(5, D)
    block = Block(fc1=up, fc2=down, ff=nn.Sequential(up, nn.ReLU(), down))
    assert list(own_parameters(block, {}))[:4] == ["fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias"]
    assert_loaded(block, WANTED_FF, *WANTED_FF)


def test_of_one_layer_for_two_attributes_the_first_ones_values_count():
    norm = nn.LayerNorm(D)
    match = load_parameters(Block(norm2=norm, norm1=norm), WANTED_NORMS)
    assert norm.weight.tolist() == WANTED_NORMS["norm1.weight"].tolist()
    assert match["norm2.bias"][0] is match["norm1.bias"][0] is norm.bias


def test_one_parameter_of_two_names_within_an_attribute_is_used_once():
    layer = nn.Linear(D, D)
    shared = Block(self_attn=Block(q=layer, k=layer, v=layer, o=nn.Linear(D, D)))
    with pytest.raises(MissingParameter):
        load_parameters(shared, wanted_attention())


def test_a_gain_is_told_from_a_shift_that_is_registered_first():
    norm = Block(beta=nn.Parameter(torch.zeros(D)), gamma=nn.Parameter(torch.ones(D)))
    expected = {name: WANTED_NORMS[name] for name in ("norm1.weight", "norm1.bias")}
    assert_loaded(Block(norm1=norm), expected, "norm1.gamma", "norm1.beta")


@pytest.mark.parametrize("order", [*itertools.permutations(("queries", "keys", "values", "back"))])
def test_a_name_that_only_holds_a_letter_of_a_role_does_not_have_it(order):
    attention = attributes(*order)
    load_parameters(Block(self_attn=attention), wanted_attention())
    assert_has_roles(attention, "queries", "keys", "values", "back")


def test_a_convolution_of_width_one_is_a_linear_layer():
    block = Block(ff=nn.Sequential(nn.Conv1d(D, 5, 1), nn.ReLU(), nn.Conv1d(5, D, 1)))
    match = load_parameters(block, WANTED_FF)
    assert loaded(block, "ff.2.weight") == WANTED_FF["ff.2.weight"].unsqueeze(-1).tolist()
    gradients = joined_gradients(match, {id(p): torch.ones_like(p) for p in block.parameters()})
    assert [gradient.shape for gradient in gradients.values()] == [
        values.shape for values in WANTED_FF.values()
    ]
    with pytest.raises(MissingParameter):
        load_parameters(Block(ff=nn.Sequential(nn.Conv1d(D, 5, 3), nn.Conv1d(5, D, 3))), WANTED_FF)


def test_layers_of_other_names_stand_for_the_one_attribute_they_fit():
    block = Block(fc1=nn.Linear(D, 5), norm1=nn.LayerNorm(D), fc2=nn.Linear(5, D))
    names = ("fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias")
    assert_loaded(block, WANTED_FF, *names)
    assert registered_shapes(block, WANTED_FF)["fc1.weight"] == (5, D)


@pytest.mark.parametrize(
    "more",
    [{"fc3": nn.Linear(5, D)}, {"fc0": nn.Linear(D, 5)}, {"ff": nn.Linear(D, D)}],
    ids=["two for one", "another two", "the name is taken"],
)
def test_layers_of_other_names_are_not_guessed_at(more):
    with pytest.raises(MissingParameter):
        load_parameters(Block(fc1=nn.Linear(D, 5), fc2=nn.Linear(5, D), **more), WANTED_FF)


class Norms(Block):
    """A block that uses some of its norms, in this order."""

    def forward(self, x):
        for name in self.used:
            x = getattr(self, name)(x)
        return x


def norms(*used):
    return Norms(last=nn.LayerNorm(D), first=nn.LayerNorm(D), other=nn.LayerNorm(D), used=used)


def test_norms_of_other_names_are_taken_in_the_order_of_their_use():
    names = ("first.weight", "first.bias", "last.weight", "last.bias")
    assert_loaded(norms("first", "last", "first"), WANTED_NORMS, *names, x=numbers(3, D))


def test_a_norm_that_is_used_alone_stands_for_both():
    block = norms("last", "last")
    load_parameters(block, WANTED_NORMS, numbers(3, D))
    assert loaded(block, "last.bias") == WANTED_NORMS["norm1.bias"].tolist()
    assert loaded(block, "other.bias") == [0, 0]


@pytest.mark.parametrize("used", [(), ("first", "last", "other")])
def test_norms_whose_order_or_number_is_unclear_are_not_guessed_at(used):
    with pytest.raises(MissingParameter):
        load_parameters(norms(*used), WANTED_NORMS, numbers(3, D))


def test_layers_in_lists_and_dictionaries_of_inner_modules_are_found_but_not_registered():
    heads = Block(heads=[Block(q=nn.Linear(D, 1), k=nn.Linear(D, 1))], more={"v": nn.Linear(D, 1)})
    block = Block(self_attn=heads, norm1=nn.LayerNorm(D))
    names = own_parameters(block, {})
    assert [name for name in names if name.endswith("weight")] == [
        "norm1.weight",
        "self_attn.heads.0.q.weight",
        "self_attn.heads.0.k.weight",
        "self_attn.more.v.weight",
    ]
    assert registered_shapes(block, {}) == {"norm1.weight": (D,), "norm1.bias": (D,)}


def test_what_a_property_gives_is_registered_where_torch_knows_its_parameters():
    class Hidden(Block):
        @property
        def norm1(self):
            return self.parts[0]

    block = Hidden(parts=nn.ModuleList([nn.LayerNorm(D)]))
    expected = {"norm1.weight": numbers(D)}
    load_parameters(block, expected)
    assert loaded(block, "parts.0.weight") == [1, 2]
    assert registered_shapes(block, expected)["norm1.weight"] == (D,)


def test_classes_and_others_in_lists_are_no_layers():
    block = Block(norm1=nn.LayerNorm(D), kinds=[nn.Linear, 3], more={"ff": nn.ReLU, "size": D}, ff=nn.Linear)
    assert list(own_parameters(block, WANTED_FF)) == ["norm1.weight", "norm1.bias"]
