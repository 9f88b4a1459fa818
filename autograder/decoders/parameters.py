"""The parameters of a decoder: how many numbers a layer learns, and which of them the logits depend on.

The worker moves each parameter of a model by itself and notes the logits before and after
(``ModuleCall.probed``), in the student's process, so that its reply may be forged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from autograder.course.cases import Group
from autograder.decoders.faults import ModelFault
from autograder.decoders.logits import have_moved, logits_or_none
from autograder.decoders.replies import (
    LONGEST_NAME,
    MOST_NUMBERS,
    as_mapping,
    texts_in,
)
from autograder.decoders.sizes import Sizes
from autograder.untrusted_text import name_for_report
from autograder.verdict.known import KnownCase

MOST_NAMED = 3
"""How many idle parameters are named."""
FIRST_NUMBER = re.compile(r"(\D*)(\d+)")
"""In the name of a parameter: what stands before the first number, such as ``blocks.``, and the number."""

CUT_OFF = (
    "For example, do `detach()`, `no_grad`, a conversion, `requires_grad=False` or a change in place cut them off, "
    "or are they never used?"
)
SMALL_LAYERS: Mapping[float, str] = {
    4: "The matrices of a layer have 4 d_model²: is there no feed-forward network in each layer, "
    "or a single one for all?",
    6: "The matrices of a layer have 6 d_model², as where this network has d_model hidden units.",
    8: "The matrices of a layer have 8 d_model², as where its attention has no matrices, or where the feed-forward "
    "network has 2 d_model hidden units.",
    11: "The matrices of a layer have 11 d_model², as where one matrix of attention is missing, such as that of "
    "the output.",
}
"""What the numbers in the matrices of a layer, as multiples of d_model², suggest."""
SMALLER_PART = (
    "Is a part missing in each layer, smaller, or made once for all layers or heads?"
)

Counts: TypeAlias = tuple[int, int, int]
"""Of a parameter: its size, the number of its axes, and how many of its numbers gradients reach."""


@dataclass
class Probe:
    """What moving the parameters of a model showed, each by itself.

    Attributes:
        arriving: how many numbers gradients arrive at.
        in_matrices: how many numbers are in matrices.
        used: how many of these also change the logits.
        still: names of the matrices that do not change the logits.
        cut_off: names of the matrices that do, but no gradient arrives at them.
        shared: how many numbers layers have in common with layers before them.
    """

    arriving: int = 0
    in_matrices: int = 0
    used: int = 0
    still: list[str] = field(default_factory=list)
    cut_off: list[str] = field(default_factory=list)
    shared: int = 0

    def limited(self) -> Probe:
        """Return the same with numbers of a few digits: a forged one may be longer."""
        return Probe(
            arriving=min(self.arriving, MOST_NUMBERS),
            in_matrices=min(self.in_matrices, MOST_NUMBERS),
            used=min(self.used, MOST_NUMBERS),
            still=self.still,
            cut_off=self.cut_off,
            shared=min(self.shared, MOST_NUMBERS),
        )


def read_probe(probes: Any, sizes: Sizes, n_tokens: int) -> Probe:
    """Read what the worker found when it moved the parameters.

    Args:
        probes: its reply, of which nothing has to be as the worker writes it.
        sizes: those of the model.
        n_tokens: how many tokens a sequence has.
    """
    probes = as_mapping(probes)
    moved = as_mapping(probes.get("moved"))
    names = as_mapping(probes.get("names"))
    shape = (1, n_tokens, sizes.vocab_size)
    logits_before = logits_or_none(probes.get("before"), shape)

    probe = Probe()
    for name, value in as_mapping(probes.get("gradients")).items():
        counts = _read_counts(value)
        if counts is None:
            continue
        size, axes, reached = counts
        all_names = [name, *texts_in(names.get(name))]
        probe.arriving += reached
        probe.shared += size * layers_beyond_one(all_names)

        # Vectors are left out: a bias of the keys changes no weight, and a norm removes common summands.
        if axes < 2 and size < sizes.d_model**2:
            continue
        probe.in_matrices += size
        logits_after = logits_or_none(moved.get(name), shape)
        stops_the_model = name in moved and moved[name] is None
        if not stops_the_model and not have_moved(logits_before, logits_after):
            probe.still.append(name_for_report(name, LONGEST_NAME))
        elif reached == 0:
            probe.cut_off.append(name_for_report(name, LONGEST_NAME))
        else:
            probe.used += reached
    return probe.limited()


def _read_counts(value: Any) -> Counts | None:
    """Return what was counted of a parameter; None if it is forged."""
    if not isinstance(value, list) or len(value) != 3:
        return None
    size, axes, reached = value
    if not type(size) is type(axes) is type(reached) is int:
        return None
    if not 0 <= reached <= size <= MOST_NUMBERS:
        return None
    return size, axes, reached


def layers_beyond_one(names: Sequence[object]) -> int:
    """Count the layers that have one parameter, without the first: names such as `blocks.1.up.weight` tell them."""
    numbers_by_prefix: dict[str, set[str]] = {}
    for name in names:
        match = FIRST_NUMBER.match(str(name))
        if match is not None:
            prefix, number = match.groups()
            numbers_by_prefix.setdefault(prefix, set()).add(number)
    # A list of the same layers under another name is no further layer.
    most_layers = max(map(len, numbers_by_prefix.values()), default=1)
    return most_layers - 1


def why_layers_add_nothing(sizes: Sizes, numbers: int) -> ModelFault:
    """Say why a model of three layers learns as many numbers as one of a single layer."""
    text = f"A model of three layers learns {numbers} numbers, as many as one of a single layer: "
    if numbers < sizes.layer:
        text += "PyTorch overlooks layers in a plain list or dictionary (use nn.ModuleList), and plain "
        text += "tensors (use nn.Parameter)."
        return ModelFault(text, "layers-unregistered")
    text += "each layer needs parameters of its own, so make each by itself."
    return ModelFault(text, "layers-shared")


def why_layers_are_small(
    sizes: Sizes, learned: float, probe: Probe, probe_of_three: Probe
) -> ModelFault:
    """Say why a layer learns too few numbers: they are shared, overlooked by PyTorch, or a part is missing.

    Args:
        sizes: those of the model.
        learned: how many numbers a layer learns.
        probe: of the model with one layer.
        probe_of_three: of the same model with three.
    """
    in_matrices = (probe_of_three.in_matrices - probe.in_matrices) / 2
    shared = (probe_of_three.shared - probe.shared) / 2
    text = f"With d_model = {sizes.d_model}, each layer learns {learned:.0f} numbers of its own; "
    text += f"12 d_model² are {sizes.layer}. "
    if shared > 0:
        text += f"It shares {shared:.0f} numbers with the layers before: is a part, such as the feed-forward "
        text += "network, made once and given to all layers? Make one for each."
        return ModelFault(text, "layers-shared")
    if in_matrices > learned:
        text += f"Its matrices hold {in_matrices:.0f}, some of which PyTorch overlooks, as they are in a plain "
        text += "list or dictionary: use nn.ModuleList or nn.ModuleDict."
        return ModelFault(text, "layers-unregistered")
    squares = in_matrices / sizes.d_model**2
    text += "Attention has 4 d_model², a feed-forward network with 4 d_model hidden units 8 d_model². "
    text += SMALL_LAYERS.get(squares, SMALLER_PART)
    return ModelFault(text)


def why_unused(known: KnownCase, probe: Probe, layers: str) -> ModelFault:
    """Say which matrices the logits do not depend on; a student's names only from what was public.

    Args:
        known: the case that calls the model.
        probe: what moving its parameters showed.
        layers: how many layers it has, in words.
    """
    return ModelFault(_idle_in_words(known, probe, layers), "layers-unused")


def _idle_in_words(known: KnownCase, probe: Probe, layers: str) -> str:
    counts = f"{probe.used} of the {probe.in_matrices} numbers in matrices"
    text = f"In a model of {layers}, the logits depend on {counts}"
    idle_names = (*probe.still, *probe.cut_off)
    # What a hidden model calls its layers might tell its sizes.
    if known.case.group is not Group.PUBLISHED or not idle_names:
        return f"{text}: is the output of every part used?"
    names = ", ".join(f"`{name}`" for name in idle_names[:MOST_NAMED])
    further = len(idle_names) - MOST_NAMED
    if further > 0:
        names += f" and {further} more"
    if probe.still:
        return f"{text}. They stay as they are when the numbers in {names} change: is what comes of these used?"
    return f"{text}. No gradient arrives at {names}. {CUT_OFF}"
