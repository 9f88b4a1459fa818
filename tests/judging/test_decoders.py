"""What is read of any decoder: its norms, its cache, the names of its parameters."""

from dataclasses import replace

import numpy as np
import pytest

from autograder.course.arguments import tensor
from autograder.decoders.caches import old_part_has_changed
from autograder.decoders.indices import read_missing_row
from autograder.decoders.parameters import layers_beyond_one
from autograder.decoders.trained_models import has_untouched_norms
from autograder.sandbox.report import IndexOutOfTable, StudentError


@pytest.mark.parametrize(
    ("second_gain", "is_untouched"),
    [([1, 1, 1], True), ([1, 0.97, 1.02], False)],
    ids=["no norm has moved", "one norm has moved"],
)
def test_a_model_with_a_norm_that_moved_has_learned(second_gain, is_untouched):
    arrays = [np.ones(3), np.zeros(3), second_gain, [0.02, -0.01, 0.0], np.ones(3), np.eye(3)]
    assert has_untouched_norms(map(tensor, arrays)) is is_untouched


@pytest.mark.parametrize(
    ("old_part", "is_changed"),
    [([1, 2], False), ([1, 5], True)],
    ids=["as it was", "changed"],
)
def test_a_cache_that_grows_keeps_its_numbers(old_part, is_changed):
    old = np.array([[1.0, 2.0]])
    new_number = [[3.0]]
    grown = np.append([old_part], new_number, axis=1)
    grown_in_front = np.append(new_number, [old_part], axis=1)
    assert old_part_has_changed([(old, old)], [(grown, grown_in_front)]) is is_changed
    assert not old_part_has_changed([old], [old])
    assert not old_part_has_changed([old], [grown, grown])


@pytest.mark.parametrize(
    ("names", "further_layers"),
    [
        (["blocks.0.up.weight"], 0),
        (["blocks.0.up.weight", "blocks.1.up.weight", "blocks.2.up.weight"], 2),
        (["blocks.0.up.weight", "layers.0.up.weight"], 0),
        (["blocks.0.heads.0.weight", "blocks.0.heads.1.weight"], 0),
        (["network.0.weight", "blocks.0.network.0.weight", "blocks.1.network.0.weight"], 1),
        (["layer1.weight", "layer2.weight"], 1),
        (["embedding.weight", "logits.weight"], 0),
    ],
)
def test_the_layers_that_share_a_parameter_are_told_by_its_names(names, further_layers):
    assert layers_beyond_one(names) == further_layers


@pytest.mark.parametrize(
    ("facts", "largest"),
    [
        ({}, 9),
        ({"array": "x y"}, None),
        ({"array": "other"}, None),
        ({"which": "min"}, None),
        ({"table": ()}, None),
    ],
    ids=["honest", "no name", "an array without a shape", "the least index", "no table"],
)
def test_an_index_without_a_row_is_read_only_where_all_of_it_is_told(facts, largest):
    out = replace(IndexOutOfTable("places", "max", 9, (7, 16)), **facts)
    shapes = {"places": (2, 5), "x y": (2, 5)}
    missing = read_missing_row(StudentError("IndexError", shapes=shapes, out_of_table=out))
    assert (missing and missing.largest) == largest
    if missing:
        assert missing == ("places", True, 5, 9, 7)
    assert read_missing_row(StudentError("IndexError")) is None
