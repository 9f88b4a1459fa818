"""Small torch modules, and the values to load into them."""

from typing import Any

import torch
from torch import nn

D = 2  # size of a token's vector; a wanted in_proj_weight has the shape (3 D, D)


class Block(nn.Module):
    """A module with these attributes, registered in this order."""

    def __init__(self, **attributes: object) -> None:
        super().__init__()
        for name, value in attributes.items():
            setattr(self, name, value)


def attributes(*names: str, size: int = D) -> Block:
    """A block of one ``size`` x D layer for each name, in this order."""
    return Block(**{name: nn.Linear(D, size) for name in names})


def numbers(*shape: int, first: int = 1) -> torch.Tensor:
    """The numbers from ``first`` on in this shape."""
    return torch.arange(first, first + torch.Size(shape).numel(), dtype=torch.float32).reshape(shape)


def wanted_attention() -> dict[str, torch.Tensor]:
    """All different numbers for ``nn.MultiheadAttention``'s parameters in an attribute ``self_attn``."""
    return {
        "self_attn.in_proj_weight": numbers(3 * D, D, first=100),
        "self_attn.in_proj_bias": numbers(3 * D, first=200),
        "self_attn.out_proj.weight": numbers(D, D, first=300),
        "self_attn.out_proj.bias": numbers(D, first=400),
    }


def loaded(module: nn.Module, name: str) -> Any:
    """The numbers that a module now has under a name."""
    return module.get_parameter(name).tolist()


def assert_has_roles(attention: nn.Module, query: str, key: str, value: str, output: str) -> None:
    """The layers of these names hold their share of the wanted attention's numbers."""
    parameters = wanted_attention()
    weights = [*parameters["self_attn.in_proj_weight"].chunk(3), parameters["self_attn.out_proj.weight"]]
    biases = [*parameters["self_attn.in_proj_bias"].chunk(3), parameters["self_attn.out_proj.bias"]]
    for name, weight, bias in zip((query, key, value, output), weights, biases, strict=True):
        assert loaded(attention, f"{name}.weight") == weight.tolist(), name
        assert loaded(attention, f"{name}.bias") == bias.tolist(), name
