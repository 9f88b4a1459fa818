"""How wrong numbers relate to the right ones: by one factor, in another order, in one row only.

Whatever is told holds in every wrong array that a function returned, exactly, and for more numbers than can
agree by chance.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from autograder.judging.agreement import Diagnosis
from autograder.worker import Array

LEAST_SPARE = 5
"""So many numbers more than are fitted must agree: a line fits any two points."""
LEAST_RIGHT, LEAST_FILLED = 4, 0.7
"""How many numbers are right beside a wrong region, and which share of the region is wrong, at least."""
NEARLY = 1e-3
WITHOUT_NEGATIVES = "right, but negative ones come back as 0"
LEAST_SHOWN, LARGEST_SHOWN = 1e-9, 1e9
AXES = {1: ("entry",), 2: ("row", "column"), 3: ("item", "row", "column")}
LIST_OF_VECTORS = ("item", "row")
Change = Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class Wrong:
    """A wrong array, what it should be, and which of its entries are wrong.

    ``named`` holds those arguments that are matrices, ``sizes`` the sizes of all, by what they are called.
    ``rounding`` is how far equal numbers may lie apart, as a share of the largest, and ``words`` are what the
    axes are called.
    """

    got: Array
    wanted: Array
    marked: Array
    named: Mapping[str, Array]
    sizes: Mapping[str, int]
    rounding: float
    words: Sequence[str]

    def came_as(self, made: Array) -> bool:
        """Whether these are the numbers that came."""
        return self.are_equal(self.got, made)

    def are_equal(self, one: Array, other: Array) -> bool:
        """Whether two arrays are equal but for rounding; NaN is equal to nothing."""
        if one.shape != other.shape:
            return False
        return bool(np.abs(one - other).max() <= self.rounding * np.abs(other).max())


Wrongs = Sequence[Wrong]
Look = Callable[[Wrongs], Diagnosis | None]


def related(wrongs: Wrongs, *, are_all: bool, is_last: bool = False) -> Diagnosis | None:
    """Return what the first relation says that holds for all wrong arrays; the last ones say least.

    ``are_all`` says that no other case is right: only then a part of the array can be what is wrong.
    """
    axes = {one.got.ndim for one in wrongs if one.got.size}
    if len(axes) != 1 or not axes <= AXES.keys():
        return None
    if sum(one.got.size for one in wrongs) < LEAST_SPARE:
        return None
    region: list[Look] = [partial(_region, is_last=is_last)] if are_all else []
    looks: list[Look] = [_alike, _off_in_groups, *region]
    if not is_last:
        looks = [_is_cut, *region, _made, _off_by_one, _shares]
    with np.errstate(all="ignore"):  # a student's numbers may be as large as they like
        return next(filter(None, (look(wrongs) for look in looks)), None)


def _told(label: str, says: str) -> Diagnosis:
    return Diagnosis((label,), f"{says}{'' if says[-1] in '.?' else '.'}")


def _all_came_as(wrongs: Wrongs, made: Iterable[Array]) -> bool:
    """Whether all came as what is made; arrays that do not fit together make nothing."""
    try:
        return all(one.came_as(numbers) for one, numbers in zip(wrongs, made, strict=True))
    except (ValueError, IndexError):
        return False


def _axes(wrongs: Wrongs) -> list[tuple[int, str]]:
    return list(enumerate(wrongs[0].words))


def _named(wrongs: Wrongs) -> list[str]:
    return [name for name in wrongs[0].named if all(name in one.named for one in wrongs)]


def _is_cut(wrongs: Wrongs) -> Diagnosis | None:
    """The right numbers without their decimals, cut towards 0 or downwards."""

    def is_cut(one: Wrong, cut: Change) -> bool:
        edges = (cut(one.wanted - one.rounding), cut(one.wanted + one.rounding))
        return bool(((one.got == edges[0]) | (one.got == edges[1])).all())

    if not any(all(is_cut(one, cut) for one in wrongs) for cut in (np.trunc, np.floor)):
        return None
    look = "look for `//`, `int(…)`, `astype(int)`, or an array of whole numbers that is filled"
    if any(one.got.any() for one in wrongs):
        return _told("cut-to-integers", f"The right numbers come back without their decimals: {look}")
    says = "All your numbers are 0. Either nothing is written into the array, or all is cut"
    return _told("all-zeros", f"{says}: {look}")


def _regions(shape: tuple[int, ...], words: Sequence[str]) -> Iterator[tuple[str, Array]]:
    """Parts of an array by name; a single row or column, or one side of the diagonal, comes first."""
    index, ends = np.indices(shape), dict[str, Array]()
    for word, at, size in zip(words, index, shape, strict=True):
        ends |= {f"the first {word}": at == 0, f"the last {word}": at == size - 1}
    yield from ((f"only {name}", part) for name, part in ends.items())
    if len(shape) == 2:
        yield "only the diagonal", index[0] == index[1]
        yield "only the part below the diagonal", index[0] > index[1]
        yield "only the part above the diagonal", index[0] < index[1]
    yield from ((f"all but {name}", ~part) for name, part in ends.items())


def _region(wrongs: Wrongs, *, is_last: bool) -> Diagnosis | None:
    """All that is wrong lies in one row, one column, the diagonal or one side of it; or one row is right."""
    found = [dict(_regions(one.got.shape, one.words)) for one in wrongs]
    marked = [one.marked for one in wrongs]
    wrong, size = sum(int(mark.sum()) for mark in marked), sum(mark.size for mark in marked)
    is_zero = not any(one.got[one.marked].any() for one in wrongs)
    for name in found[0]:
        parts = [regions[name] for regions in found]
        total = sum(int(part.sum()) for part in parts)
        is_inside = not any((mark & ~part).any() for mark, part in zip(marked, parts, strict=True))
        is_sure = size - total >= LEAST_RIGHT and wrong >= max(2, LEAST_FILLED * total)
        if is_inside and is_sure and (name.startswith("only") or is_zero or is_last):
            ends = is_zero and name.startswith("all but the first")
            look = "Does the `return` stand inside the loop? " if ends else ""
            look += "Look at where loops, ranges and slices begin and end."
            if name.startswith("all but") and not is_zero:
                look = "Look for a mask, a loop or a slice that treats it in another way."
            what = f"{name} is {'0, which is wrong' if is_zero else 'wrong'}, and everything else is right"
            return _told("region-wrong", f"In your result {what}. {look}")
    return None


EACH: Sequence[tuple[str, str, Change]] = (
    ("sign-flipped", "right but for their sign: look for a minus", np.negative),
    ("squared", "the squares of the right ones: is a result multiplied by itself?", np.square),
    ("absolute-values", "right, but negative ones come back as positive ones: look for `abs`", np.abs),
    ("negatives-cut", f"{WITHOUT_NEGATIVES}: look for a ReLU, `maximum` or `clip`", lambda a: a.clip(0)),
    ("exponentials", "the exponentials of the right ones: one `exp` is too many", np.exp),
    ("logarithms", "the logarithms of the right ones: leave the `log` out", np.log),
    ("reciprocals", "1 divided by the right ones: what should divide what?", np.reciprocal),
)
ALONG: Sequence[tuple[str, str, Callable[[Array, int], Array]]] = (
    ("reversed", "the right {0}s in reverse order: look for `[::-1]` or a loop that runs backwards", np.flip),
    ("shifted", "the right {0}s, each one place too late", lambda a, axis: np.roll(a, 1, axis)),
    ("shifted", "the right {0}s, each one place too early", lambda a, axis: np.roll(a, -1, axis)),
    ("running-sums", "sums, each {0} of the right ones so far: set the sum back to 0", np.cumsum),
    ("sorted", "right, but sorted along each {1}: look for a `sort`", np.sort),
    ("sorted", "right, but sorted along each {1}: look for a `sort`", lambda a, axis: -np.sort(-a, axis)),
    ("reshaped", "right, but a `reshape` has moved them: use `.T`", lambda a, axis: a.T.reshape(a.shape)),
)
FORMS: Mapping[str, Change] = {
    "": lambda a: a,
    " transposed": lambda a: a.T,
    "'s first row": lambda a: a[:1],
    "'s mean over the rows": lambda a: a.sum(0, keepdims=True) / max(1, len(a)),
    "'s sum over the rows": lambda a: a.sum(0, keepdims=True),
}
WAYS: Mapping[str, Callable[[Array, Array], Array]] = {
    "{0} is added to it": lambda right, a: right + a,
    "{0} is subtracted from it, or never added": lambda right, a: right - a,
    "it is multiplied by {0} once too often (`@`)": lambda right, a: a @ right,
    "it is multiplied by {0} from the right, once too often (`@`)": lambda right, a: right @ a,
}
NOT_EXP: Mapping[str, Change] = {
    "x ** 2": np.square,
    "abs(x)": np.abs,
    "exp(abs(x))": lambda x: np.exp(np.abs(x)),
    "max(x, 0)": lambda x: x.clip(0),
}


def _made(wrongs: Wrongs) -> Diagnosis | None:
    """The same was done to all right numbers, to each by itself or along an axis, or with an argument."""
    words = _axes(wrongs)
    for label, says, change in EACH:
        if _all_came_as(wrongs, (change(one.wanted) for one in wrongs)):
            return _told(label, f"Your numbers are {says}")
    for (label, says, along), (axis, word) in itertools.product(ALONG, words):
        if _all_came_as(wrongs, (along(one.wanted, axis) for one in wrongs)):
            return _told(label, f"Your numbers are {says.format(word, words[axis - 1][1])}")
    for name, (said, form), (text, way) in itertools.product(_named(wrongs), FORMS.items(), WAYS.items()):
        if _all_came_as(wrongs, (way(one.wanted, form(one.named[name])) for one in wrongs)):
            says = f"Your result is the right one, but {text.format(name + said)}"
            return _told("argument-too-often", says)
    return None


def _shares_of_others(wrongs: Wrongs, axis: int) -> Diagnosis | None:
    """Weights that are shares of something else than the exponentials of an argument's numbers."""

    def shares(one: Wrong, name: str, change: Change, less: int) -> Array:
        x = one.named[name]
        return _shared(change(x - less * x.max(axis, keepdims=True)), axis)

    for name, (text, change), less in itertools.product(_named(wrongs), NOT_EXP.items(), (0, 1)):
        if _all_came_as(wrongs, (shares(one, name, change, less) for one in wrongs)):
            scores = f"the scores{' less their maximum' if less else ''}"
            says = f"Your weights are shares of `{text}`, not of `exp(x)`, x being {scores}"
            return _told("not-exponentials", says)
    return None


Line = tuple[Array, Array]


def _fit(one: Wrong, axis: int | None, kind: str) -> Line:
    """Slope and offset of the line over the right numbers on which those of each group lie."""
    got, wanted = one.got, one.wanted
    spread = wanted - wanted.mean(axis, keepdims=True) * (kind == "both")
    slope = (spread * got).sum(axis, keepdims=True) / (spread**2).sum(axis, keepdims=True)
    slope = np.ones_like(slope) if kind == "offset" else slope
    return slope, (got - slope * wanted).mean(axis, keepdims=True) * (kind != "factor")


def _lines(wrongs: Wrongs, axis: int | None, kind: str) -> list[Line] | None:
    """The lines of all arrays, where all numbers lie on them and nothing is multiplied by 0."""
    lines = [_fit(one, axis, kind) for one in wrongs]
    fitted = sum((1 + (kind == "both")) * slope.size for slope, _ in lines)
    are_on = all(one.came_as(a * one.wanted + b) for one, (a, b) in zip(wrongs, lines, strict=True))
    is_shown = all(np.abs(a).min() > LEAST_SHOWN and np.abs(a).max() < LARGEST_SHOWN for a, _ in lines)
    is_sure = sum(one.got.size for one in wrongs) - fitted >= LEAST_SPARE
    return lines if are_on and is_shown and is_sure else None


def _off_by_one(wrongs: Wrongs) -> Diagnosis | None:
    """All numbers are off by one factor, or by one summand."""
    if lines := _lines(wrongs, None, "factor"):
        times = _times([float(slope.item()) for slope, _ in lines], wrongs)
        are_shares = all(abs(one.wanted.sum() - 1) <= NEARLY for one in wrongs)
        times = "but for a factor: divide by the sum" if are_shares else times
        return _told("constant-factor", f"Every number is the right one {times}.")
    if lines := _lines(wrongs, None, "offset"):
        offsets = [float(offset.item()) for _, offset in lines]
        is_shown = _is_one(offsets) and LEAST_SHOWN < abs(offsets[0]) < LARGEST_SHOWN
        off = f"{abs(offsets[0]):.4g} too {'large' if offsets[0] > 0 else 'small'}"
        off = off if is_shown else "off by one number"
        return _told("constant-offset", f"Every number is {off}: look at what is added or subtracted")
    return None


def _is_one(numbers: Sequence[float]) -> bool:
    return max(numbers) - min(numbers) <= NEARLY * abs(numbers[0])


def _times(factors: Sequence[float], wrongs: Wrongs) -> str:
    """Say what the factors of all cases are: one number, made of a size, or another in each case."""
    if _is_one(factors):
        return f"times {factors[0]:.4g}: look for that factor, or for a division that is missing or too many"
    roots = {0.5: "the square root of {}", 1.0: "{}", 1.5: "{} ** 1.5", 2.0: "the square of {}"}
    for name in wrongs[0].sizes:
        sizes = [float(one.sizes.get(name) or math.nan) for one in wrongs]
        for power, share, sign in itertools.product(roots, (1.0, 2.0, 0.5), (1, -1)):
            due = [share * size ** (sign * power) for size in sizes]
            if all(abs(a - b) <= NEARLY * b for a, b in zip(factors, due, strict=True)):
                how = f"{'multiplied' if sign > 0 else 'divided'} by {roots[power].format(name)}"
                also = {1.0: "", 2.0: " and doubled", 0.5: " and halved"}[share]
                why = "`d ** 1/2` is `(d ** 1) / 2`, `d ** 0.5` the root" if also and power == 0.5 else ""
                return f"{how}{also}: {why or 'look at what you scale with'}"
    return "times a number that changes from input to input: look at what you multiply with or divide by"


def _off_in_groups(wrongs: Wrongs) -> Diagnosis | None:
    """The numbers of each row or column are off by a factor, by a summand, or by both, of its own."""
    if wrongs[0].got.ndim != 2:
        return None
    kinds = {"factor": "a factor", "offset": "a summand", "both": "a factor and a summand"}
    for (kind, what), (at, word) in itertools.product(kinds.items(), _axes(wrongs)):
        if _lines(wrongs, 1 - at, kind):
            are_shares = all(np.abs(one.wanted.sum(1 - at) - 1).max() <= NEARLY for one in wrongs)
            look = f"look at what each {word} is scaled or shifted by"
            look = f"divide each {word} by its own sum" if are_shares and kind != "offset" else look
            says = f"Each {word} of your result is right but for {what} of its own: {look}"
            return _told(f"{kind}-per-{word}", says)
    return None


def _alike(wrongs: Wrongs) -> Diagnosis | None:
    """All rows, or all columns, are the same, and they should not be."""
    for axis, word in _axes(wrongs)[:2] if wrongs[0].got.ndim > 1 else ():
        if all(np.ptp(one.got, axis=axis).max() <= one.rounding * np.abs(one.got).max() for one in wrongs):
            says = f"All {word}s of your result are the same, and they should differ."
            return _told("all-alike", f"{says} Is one array put in every place, or an index never changed?")
    return None


def _shares(wrongs: Wrongs) -> Diagnosis | None:
    """Weights, which sum to 1: of scores that were scaled or masked, or that never met the softmax."""
    for axis, _ in _axes(wrongs)[::-1]:
        if any(one.wanted.min() < 0 or np.abs(one.wanted.sum(axis) - 1).max() > NEARLY for one in wrongs):
            continue
        if all(one.are_equal(_shared(np.exp(one.got), axis), one.wanted) for one in wrongs):
            return _told("before-softmax", "The softmax of your numbers is right: return weights, not scores")
        if found := _powers(wrongs, axis) or _shares_of_others(wrongs, axis):
            return found
        look = "Every key counts: look for a mask, a choice of the largest, or a loop that leaves keys out."
        for is_new, rest in ((False, "are right"), (True, "share what is left")):
            if _all_came_as(wrongs, (_kept(one, axis if is_new else None) for one in wrongs)):
                return _told("weights-masked", f"Some of your weights are 0, and the others {rest}. {look}")
    return None


def _kept(one: Wrong, axis: int | None) -> Array:
    """The right weights where some came, as they are or as shares of what is left."""
    kept = np.where(one.got != 0, one.wanted, 0)
    return kept if axis is None else _shared(kept, axis)


def _shared(numbers: Array, axis: int) -> Array:
    shares: Array = numbers / numbers.sum(axis, keepdims=True)
    return shares


POWERS = (
    ("powers-of-two", math.log(2), "Your softmax takes powers of 2 (`exp2`, `2 ** x`): it should take `exp`"),
    (
        "scores-negated",
        -1,
        "The scores reach the exponential with the wrong sign: look for a minus or an `abs`",
    ),
)


def _powers(wrongs: Wrongs, axis: int) -> Diagnosis | None:
    """Softmax of the right scores times a factor: the weights' logarithms are the right ones times that."""
    factors, are_one, are_own = [], True, False
    for one in wrongs:
        got, wanted = (a - a.mean(axis, keepdims=True) for a in (np.log(one.got), np.log(one.wanted)))
        covered, spread = ((wanted * other).sum(axis, keepdims=True) for other in (got, wanted))
        factor = covered.sum() / spread.sum()
        own = np.where(spread > NEARLY**2, covered / spread, factor)  # a row of equal weights has no slope
        fits = [one.are_equal(_shared(one.got, axis), _shared(one.wanted**a, axis)) for a in (factor, own)]
        if not any(fits) or one.got.shape[axis] < 2:
            return None
        are_one, are_own = are_one and fits[0], are_own or (not fits[0] and one.got.shape[axis] > 2)
        factors.append(float(factor))
    if not are_one and not are_own:
        return None  # two weights always lie on a line
    if are_own:
        look = "Are queries or scores divided by their norm, or by a number for each row?"
        return _told("scores-scaled", f"The scores of each query are scaled by a number of its own. {look}")
    for label, due, says in POWERS:
        if all(abs(factor - due) <= NEARLY for factor in factors):
            return _told(label, says)
    # a factor of 1 is no mistake of scaling, and one of 0 stands for equal weights, whatever made them so
    if any(all(abs(factor - due) <= NEARLY for factor in factors) for due in (0, 1)):
        return None
    return _told("scores-scaled", f"Your softmax gets the right scores {_times(factors, wrongs)}")
