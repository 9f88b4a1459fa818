"""Parameters of a block by the names that a homework wants: layers of two names, of others, of unknown ones."""

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


def test_equal_names_get_their_values_whatever_the_order_of_registration():
    block = Block(norm2=nn.LayerNorm(D), norm1=nn.LayerNorm(D))
    expected = {
        "norm1.weight": numbers(D),
        "norm1.bias": numbers(D, first=5),
        "norm2.weight": numbers(D, first=9),
    }
    match = load_parameters(block, expected)
    assert {name: loaded(block, name) for name in expected} == {n: w.tolist() for n, w in expected.items()}
    assert list(match) == list(expected)
    assert all(match[name][0] is block.get_parameter(name) for name in expected)


def test_torchs_own_attention_is_matched_by_name():
    block = Block(self_attn=nn.MultiheadAttention(D, 1))
    expected = wanted_attention()
    load_parameters(block, expected)
    assert {name: loaded(block, name) for name in expected} == {n: w.tolist() for n, w in expected.items()}


@pytest.mark.parametrize("names", [("up", "down"), ("0", "3"), ("down", "up")])
def test_other_names_within_an_attribute_are_matched_by_shape(names):
    up, down = names
    block = Block(ff=nn.ModuleDict({up: nn.Linear(D, 3), down: nn.Linear(3, D)}))
    load_parameters(block, {"ff.0.weight": numbers(3, D), "ff.2.weight": numbers(D, 3, first=50)})
    assert loaded(block, f"ff.{up}.weight") == numbers(3, D).tolist()
    assert loaded(block, f"ff.{down}.weight") == numbers(D, 3, first=50).tolist()


def test_parameters_of_equal_shape_are_taken_in_the_order_of_registration():
    block = Block(ff=attributes("second", "first"))
    load_parameters(block, {"ff.0.weight": numbers(D, D), "ff.2.weight": numbers(D, D, first=50)})
    assert loaded(block, "ff.second.weight") == numbers(D, D).tolist()
    assert loaded(block, "ff.first.weight") == numbers(D, D, first=50).tolist()


def test_an_equal_name_of_another_shape_does_not_count():
    block = Block(ff=nn.Sequential(nn.Linear(3, D), nn.Linear(D, 3)))
    load_parameters(block, {"ff.0.weight": numbers(3, D), "ff.1.weight": numbers(D, 3, first=50)})
    assert loaded(block, "ff.1.weight") == numbers(3, D).tolist()
    assert loaded(block, "ff.0.weight") == numbers(D, 3, first=50).tolist()


def test_an_equal_name_is_never_taken_for_another_one_that_comes_first():
    block = Block(ff=nn.ModuleDict({"2": nn.Linear(D, D), "x": nn.Linear(D, D)}))
    match = load_parameters(block, {"ff.0.weight": numbers(D, D), "ff.2.weight": numbers(D, D, first=50)})
    assert loaded(block, "ff.2.weight") == numbers(D, D, first=50).tolist()
    assert loaded(block, "ff.x.weight") == numbers(D, D).tolist()
    assert list(match) == ["ff.0.weight", "ff.2.weight"]


def test_a_single_parameter_of_the_shape_is_preferred_to_several_that_share_its_rows():
    block = Block(ff=nn.ModuleDict({"a": nn.Linear(D, 1), "b": nn.Linear(D, 2), "c": nn.Linear(D, 3)}))
    match = load_parameters(block, {"ff.0.weight": numbers(3, D)})
    assert [id(p) for p in match["ff.0.weight"]] == [id(block.get_parameter("ff.c.weight"))]
    assert loaded(block, "ff.c.weight") == numbers(3, D).tolist()


@pytest.mark.parametrize("order", [*itertools.permutations(("wq", "wk", "wv", "wo"))])
def test_query_key_and_value_layers_are_found_in_any_order_of_registration(order):
    attention = attributes(*order)
    load_parameters(Block(self_attn=attention), wanted_attention())
    assert_has_roles(attention, "wq", "wk", "wv", "wo")


@pytest.mark.parametrize(
    "names",
    [
        ("query", "key", "value", "out"),
        ("W_Q", "W_K", "W_V", "W_O"),
        ("q_proj", "k_proj", "v_proj", "out_proj"),
        ("to_queries", "to_keys", "to_values", "unify"),
        ("q", "k", "v", "fc"),
    ],
)
def test_usual_names_tell_query_key_and_value(names):
    query, key, value, output = names
    attention = attributes(output, value, key, query)
    load_parameters(Block(self_attn=attention), wanted_attention())
    assert_has_roles(attention, *names)


def test_the_name_of_the_attribute_tells_nothing_about_its_layers():
    attention = attributes("v", "k", "q")
    load_parameters(Block(my_qkv=attention), {"my_qkv.in_proj_weight": numbers(3 * D, D)})
    rows = [row for name in "qkv" for row in loaded(attention, f"{name}.weight")]
    assert rows == numbers(3 * D, D).tolist()


def test_layers_whose_names_tell_nothing_are_taken_in_the_order_of_registration():
    attention = Block(maps=nn.ModuleList(nn.Linear(D, D) for _ in range(4)))
    load_parameters(Block(self_attn=attention), wanted_attention())
    assert_has_roles(attention, "maps.0", "maps.1", "maps.2", "maps.3")


def test_the_rows_of_a_projection_go_to_the_heads_one_after_another():
    heads = nn.ModuleList(attributes("key", "query", "value", size=1) for _ in range(D))
    attention = Block(heads=heads, projection=nn.Linear(D, D))
    expected = wanted_attention()
    load_parameters(Block(self_attn=attention), expected)
    rows = iter(expected["self_attn.in_proj_weight"].chunk(3 * D))
    for role, head in itertools.product(("query", "key", "value"), range(D)):
        assert loaded(attention, f"heads.{head}.{role}.weight") == next(rows).tolist(), (role, head)
    assert loaded(attention, "projection.weight") == expected["self_attn.out_proj.weight"].tolist()


def test_one_layer_for_query_key_and_value_takes_all_rows():
    attention = Block(proj=nn.Linear(D, D), qkv=nn.Linear(D, 3 * D))
    expected = wanted_attention()
    load_parameters(Block(self_attn=attention), expected)
    assert loaded(attention, "qkv.weight") == expected["self_attn.in_proj_weight"].tolist()
    assert loaded(attention, "qkv.bias") == expected["self_attn.in_proj_bias"].tolist()
    assert loaded(attention, "proj.bias") == expected["self_attn.out_proj.bias"].tolist()


@pytest.mark.parametrize("kind", [list, tuple])
def test_layers_in_a_plain_list_are_loaded_although_torch_overlooks_them(kind):
    layers = kind([nn.Linear(D, 3), nn.ReLU(), nn.Linear(3, D)])
    block = Block(ff=layers)
    assert dict(block.named_parameters()) == {}
    load_parameters(block, {"ff.0.weight": numbers(3, D), "ff.2.bias": numbers(D, first=50)})
    assert loaded(layers[0], "weight") == numbers(3, D).tolist()
    assert loaded(layers[2], "bias") == numbers(D, first=50).tolist()


def test_other_things_in_plain_lists_are_no_layers():
    block = Block(sizes=[1, 2, "three", None, torch.ones(2)], norm=nn.LayerNorm(D))
    load_parameters(block, {"norm.weight": numbers(D)})
    assert loaded(block, "norm.weight") == [1, 2]


def test_a_layer_of_another_attribute_is_no_counterpart():
    block = Block(feed_forward=nn.Linear(D, 3), ff=nn.ReLU())
    with pytest.raises(MissingParameter):
        load_parameters(block, {"ff.0.weight": numbers(3, D)})


def test_one_parameter_is_the_counterpart_of_one_wanted_only():
    block = Block(ff=nn.Sequential(nn.Linear(D, D)))
    with pytest.raises(MissingParameter, match=r"ff\.2\.weight"):
        load_parameters(block, {"ff.0.weight": numbers(D, D), "ff.2.weight": numbers(D, D)})


@pytest.mark.parametrize(
    "layers",
    [
        {"q": nn.Linear(D, D), "k": nn.Linear(D, D)},
        {"q": nn.Linear(D, D), "k": nn.Linear(D, D), "v": nn.Linear(D, D + 1)},
        {"q": nn.Linear(D + 1, D), "k": nn.Linear(D + 1, D), "v": nn.Linear(D + 1, D)},
        {"norm": nn.LayerNorm(3 * D)},
    ],
    ids=["too few rows", "too many rows", "other columns", "a vector"],
)
def test_rows_that_do_not_make_up_the_wanted_shape_are_no_counterpart(layers):
    with pytest.raises(MissingParameter):
        load_parameters(Block(self_attn=Block(**layers)), {"self_attn.in_proj_weight": numbers(3 * D, D)})


def test_what_is_missing_is_named_together_with_what_is_there():
    with pytest.raises(MissingParameter) as caught:
        load_parameters(Block(ff=nn.Linear(3, 4)), {"ff.0.weight": numbers(D, 5)})
    message = str(caught.value)
    assert "(2, 5)" in message
    assert "`ff.0.weight`" in message
    assert message.endswith("the parameters of `ff` have (4, 3), (4,)")


def test_a_block_without_any_parameter_says_so():
    with pytest.raises(MissingParameter, match="the block has no parameters"):
        load_parameters(Block(), {"norm1.weight": numbers(D)})


def test_nothing_is_loaded_where_something_is_missing():
    block = Block(norm1=nn.LayerNorm(D))
    with pytest.raises(MissingParameter):
        load_parameters(block, {"norm1.weight": numbers(D), "norm2.weight": numbers(D)})
    assert loaded(block, "norm1.weight") == [1, 1]


def test_parameters_that_nobody_asks_for_keep_their_values():
    block = Block(norm1=nn.LayerNorm(D), unused=nn.LayerNorm(D))
    assert load_parameters(block, {}) == {}
    load_parameters(block, {"norm1.weight": numbers(D, first=7)})
    assert loaded(block, "norm1.bias") == [0, 0]
    assert loaded(block, "unused.weight") == [1, 1]


def test_loaded_parameters_are_still_leaves_that_learn():
    block = Block(self_attn=attributes("q", "k", "v", "o"))
    load_parameters(block, wanted_attention())
    assert all(p.is_leaf and p.requires_grad and p.grad_fn is None for p in block.parameters())


def test_the_wanted_values_are_copied():
    block, expected = Block(norm1=nn.LayerNorm(D)), {"norm1.weight": numbers(D)}
    load_parameters(block, expected)
    expected["norm1.weight"].zero_()
    assert loaded(block, "norm1.weight") == [1, 2]


def test_gradients_of_shared_rows_are_joined_in_the_order_of_the_rows():
    attention = attributes("wv", "wo", "wk", "wq")
    match = load_parameters(Block(self_attn=attention), wanted_attention())
    rows = {name: numbers(D, D, first=first) for name, first in (("wq", 1), ("wk", 5), ("wv", 9))}
    by_id = {id(attention.get_parameter(f"{name}.weight")): gradient for name, gradient in rows.items()}
    gradients = joined_gradients(match, by_id)
    assert gradients["self_attn.in_proj_weight"].tolist() == numbers(3 * D, D).tolist()
    assert list(gradients) == list(wanted_attention())


def test_a_joined_gradient_is_none_where_a_part_of_it_has_none():
    attention = attributes("wq", "wk", "wv", "wo")
    match = load_parameters(Block(self_attn=attention), wanted_attention())
    by_id = {id(parameter): numbers(*parameter.shape) for parameter in attention.parameters()}
    by_id[id(attention.get_parameter("wk.weight"))] = None
    del by_id[id(attention.get_parameter("wo.bias"))]
    gradients = joined_gradients(match, by_id)
    missing = [name for name, gradient in gradients.items() if gradient is None]
    assert missing == ["self_attn.in_proj_weight", "self_attn.out_proj.bias"]


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
