"""Files that were handed in again under the same name: Canvas calls the later ones ``name-1``, ``name-2``."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from autograder.submissions.naming import ending, listed, shown, stem

_NUMBERED = re.compile(r"(?P<base>.+)-(?P<number>[1-9]\d{0,8})", re.DOTALL)


@dataclass(frozen=True)
class Upload:
    """One file as the platform stores it: its name there, and its number, which grows with time."""

    name: str
    number: int


@dataclass(frozen=True)
class Standing:
    """A file that counts, the name it had for the student, and the earlier ones it stands in for."""

    upload: Upload
    name: str
    earlier: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """What to say about the files that do not count; empty where all do."""
        if not self.earlier:
            return ""
        counts = f"{shown(self.upload.name)} was handed in last and counts as {shown(self.name)}"
        return f"{counts}, not {listed(self.earlier)}"


def last_ones(uploads: Iterable[Upload], stubs: Collection[str] = ()) -> list[Standing]:
    """Return the files of one student that count, under the names that the student gave them.

    A number at the end is the platform's only where the name without it was uploaded before, or is a
    stub's; and then also for modules beside such a file, for an import needs their own name. Everywhere
    else it is the student's, and the file stays as it is.
    """
    same: defaultdict[str, list[Upload]] = defaultdict(list)
    for one in sorted(uploads, key=lambda one: one.number):
        same[one.name].append(one)
    families = _families([group[-1] for group in same.values()])
    stems = {stem(stub) for stub in stubs}
    sure = {base: family for base, family in families.items() if _is_sure(base, family, stems)}
    again = any(family[-1].name != base for base, family in sure.items())
    names = {family[-1]: base for base, family in sure.items()}
    for base in families.keys() - sure.keys():
        names |= {one: _module_name(one, families) if again else one.name for one in families[base]}
    found = [Standing(one, name, _earlier(one, families, sure, same)) for one, name in names.items()]
    return sorted(found, key=lambda one: one.upload.number)


def _earlier(
    last: Upload,
    families: Mapping[str, Sequence[Upload]],
    sure: Collection[str],
    same: Mapping[str, Sequence[Upload]],
) -> tuple[str, ...]:
    """Return the names of the uploads that another one stands in for."""
    base = _parted(last.name)[0]
    members = families[base] if base in sure else [last]
    return tuple(one.name for member in members for one in same[member.name] if one != last)


def _families(uploads: Iterable[Upload]) -> dict[str, list[Upload]]:
    """Group uploads by the name they would have without a number, in the order of time."""
    found: defaultdict[str, list[Upload]] = defaultdict(list)
    for one in sorted(uploads, key=lambda one: one.number):
        found[_parted(one.name)[0]].append(one)
    return dict(found)


def _is_sure(base: str, family: Sequence[Upload], stems: Collection[str]) -> bool:
    """Whether the numbers of a family are the platform's: they grow with time from a known name."""
    numbers = [_parted(one.name)[1] for one in family]
    return (numbers[0] == 0 or stem(base) in stems) and numbers == sorted(numbers)


def _module_name(upload: Upload, families: Mapping[str, Sequence[Upload]]) -> str:
    base, number = _parted(upload.name)
    is_module = ending(base) == ".py" and stem(base).isidentifier()
    return base if number and is_module and len(families[base]) == 1 else upload.name


def _parted(name: str) -> tuple[str, int]:
    """Return a name without its number, and the number; 0 where it has none."""
    kind = PurePosixPath(name).suffix
    found = _NUMBERED.fullmatch(name.removesuffix(kind) if kind else name)
    return (found["base"] + kind, int(found["number"])) if found else (name, 0)
