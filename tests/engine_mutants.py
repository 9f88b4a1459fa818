"""Change the kit's own code, one small step at a time, and list the changes that no test notices: ``make mutants``.

These are faults in the engine (``autograder/``). ``autograder audit --mutants`` is something else: it changes the
solutions of homeworks and asks whether their checks take points off.

mutmut makes the changes and runs the tests. It works on a copy of the clone in a temporary folder, so no file
here is ever changed. ``engine_mutants.toml`` says which tests belong to which modules, and which changes are
right. Left out are

- the package ``worker``, which runs where mutmut cannot be imported;
- decorated functions (properties above all), bodies of classes and tables of modules, which mutmut never changes;
- sentences, whose wording is pinned in ``tests/wording``.

The exit status is 0 if every change is noticed or known to be right, 1 if some are not, and 2 if nothing could
be tried: an unknown package, or tests that fail without any change.
"""

import argparse
import ast
import difflib
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TABLE = Path(__file__).with_suffix(".toml")
DURATIONS = ROOT / "tests" / "durations.json"
SECONDS_PER_MUTANT = 2
MUTMUT = [sys.executable, "-c", "from mutmut.__main__ import cli; cli()"]
KILLED = ("killed", "timeout", "segfault")
"""What counts as noticed: a failed test, and also one that never ends or takes its process down."""


class CannotRun(Exception):
    """Nothing was tried; the message says why."""


@dataclass(frozen=True)
class Mutant:
    """One change of one function: where it is and the lines before and after."""

    name: str
    file: str
    line: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}  {self.before}  ->  {self.after}"

    @property
    def changes_a_sentence_only(self) -> bool:
        """Whether only letters of a text changed, or a text with spaces, which no code compares."""
        if self.before.lower() == self.after.lower():
            return True
        wrapped_text = re.search(r"XX(.*)XX", self.after)
        return bool(wrapped_text and " " in wrapped_text[1] and wrapped_text[1] in self.before)


@dataclass(frozen=True)
class Group:
    """Modules of one package and the tests that belong to them."""

    package: str
    modules: Sequence[str]
    tests: Sequence[str]

    @property
    def files(self) -> list[str]:
        return [f"autograder/{self.package}/{module}.py" for module in self.modules]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__.partition("\n")[0])
    parser.add_argument("packages", nargs="*", help="packages or modules, such as policy or policy/points")
    parser.add_argument("--sample", type=int, default=40, help="mutants tried of each module; 0 tries all")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    options = parser.parse_args(arguments)
    try:
        return try_mutants(options.packages, options.sample, options.seed)
    except CannotRun as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def try_mutants(packages: Sequence[str], sample: int, seed: int) -> int:
    """Try the mutants of the groups that are asked for, print what came of them, and return the exit status."""
    table = tomllib.loads(TABLE.read_text("utf-8"))
    groups = groups_of(table, packages)
    survivors: list[Mutant] = []
    with tempfile.TemporaryDirectory(prefix="engine-mutants-") as folder:
        copy = Path(folder) / "kit"
        copy_clone(copy)
        os.chdir(copy)  # mutmut reads its settings from the current folder when it is imported

        mutants_of = {}
        for group in groups:
            write_settings(copy, group)
            for file in group.files:
                mutants = [mutant for mutant in mutants_in(file) if not mutant.changes_a_sentence_only]
                mutants_of[file] = chosen(mutants, sample, seed, file)
        count = sum(len(mutants) for mutants in mutants_of.values())
        minutes = 1 + len(groups) + count * SECONDS_PER_MUTANT // 60
        print(
            f"Makes {count} changes to {len(mutants_of)} modules of the engine, one at a time and in a copy, "
            f"and runs their quick tests on each: about {minutes} minutes on a quiet core. "
            "Those that no test notices are listed at the end.",
            flush=True,
        )

        for group in groups:
            mutants = [mutant for file in group.files for mutant in mutants_of[file]]
            write_settings(copy, group)
            statuses = run_mutmut(copy, group, mutants)
            for file in group.files:
                survivors += report_on(file, mutants_of[file], statuses, table.get("equivalent", []))

    print(f"\nNot noticed by any test: {len(survivors)} of {count}.")
    for mutant in survivors:
        print(mutant)
    return 1 if survivors else 0


def groups_of(table: Mapping[str, Any], packages: Sequence[str]) -> list[Group]:
    """Return the groups of the table, or the parts of them that belong to the packages or modules named."""
    groups = []
    unknown = set(packages)
    for entry in table["group"]:
        package = entry["package"]
        modules = []
        for module in entry["modules"]:
            names = {package, f"{package}/{module}"}
            if not packages or names.intersection(packages):
                modules.append(module)
                unknown -= names
        if modules:
            groups.append(Group(package, modules, entry["tests"]))
    if unknown:
        raise CannotRun(f"{TABLE.name} has no tests for {', '.join(sorted(unknown))}.")
    return groups


def copy_clone(copy: Path) -> None:
    """Copy the files of the clone as they are now, without those that git ignores."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in listed.stdout.split("\0"):
        source = ROOT / name
        # Without the table of durations the shortest tests come first, as mutmut orders them.
        if name and source.is_file() and source != DURATIONS:
            target = copy / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)


def write_settings(copy: Path, group: Group) -> None:
    """Write mutmut's settings for a group into the copy's ``pyproject.toml``."""
    beside = [path.name for path in sorted(copy.iterdir()) if path.name not in ("autograder", "mutants")]
    settings = {
        "source_paths": ["autograder"],
        "only_mutate": group.files,
        "also_copy": beside,
        "pytest_add_cli_args": ["-p", "no:cacheprovider"],
        "pytest_add_cli_args_test_selection": list(group.tests),
        "debug": True,  # what tests print is shown where they fail without a change
        "timeout_multiplier": 5.0,
        "process_isolation": "forkserver",  # torch has threads, which no fork survives
    }
    lines = ["", "[tool.mutmut]"]
    for key, value in settings.items():
        lines.append(f"{key} = {str(value).lower() if isinstance(value, bool) else repr(value)}")
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    (copy / "pyproject.toml").write_text(text + "\n".join(lines) + "\n", "utf-8")


def mutants_in(file: str) -> Iterator[Mutant]:
    """Yield the mutants that mutmut makes of a file in the current folder."""
    from mutmut.mutation.file_mutation import mutate_file_contents
    from mutmut.utils.format_utils import get_mutant_name, orig_function_and_class_names_from_key

    source = Path(file).read_text("utf-8")
    mutated = mutate_file_contents(file, source)
    mutated_lines = mutated.code.splitlines()
    first_lines = first_lines_of_functions(source)

    def body_of(name: str) -> list[str]:
        span = mutated.line_span_by_function_name[name]
        lines = mutated_lines[span.start - 1 : span.end]
        while not lines[0].lstrip().startswith("def "):  # comments and blank lines before the function
            del lines[0]
        return lines[1:]

    for short_name in mutated.mutant_names:
        function, class_name = orig_function_and_class_names_from_key(short_name)
        original = body_of(short_name.partition("__mutmut_")[0] + "__mutmut_orig")
        changed = body_of(short_name)
        matcher = difflib.SequenceMatcher(None, original, changed, autojunk=False)
        differences = [opcode for opcode in matcher.get_opcodes() if opcode[0] != "equal"]
        if not differences:  # a default in the line of the function's name
            continue
        _, start, end, changed_start, changed_end = differences[0]
        yield Mutant(
            name=get_mutant_name(Path(file), short_name),
            file=file,
            line=first_lines[class_name, function] + 1 + start,
            before=" ".join(line.strip() for line in original[start:end]),
            after=" ".join(line.strip() for line in changed[changed_start:changed_end]),
        )


def first_lines_of_functions(source: str) -> dict[tuple[str | None, str], int]:
    """Return the first line of each function, by the names of its class, if any, and of itself."""
    lines: dict[tuple[str | None, str], int] = {}
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.FunctionDef):
            lines[None, statement.name] = statement.lineno
        elif isinstance(statement, ast.ClassDef):
            for node in statement.body:
                if isinstance(node, ast.FunctionDef):
                    lines[statement.name, node.name] = node.lineno
    return lines


def chosen(mutants: Sequence[Mutant], sample: int, seed: int, file: str) -> list[Mutant]:
    """Return the mutants to try; those of one file do not depend on which others are tried."""
    if not sample or len(mutants) <= sample:
        return list(mutants)
    return random.Random(f"{seed} {file}").sample(mutants, sample)


def run_mutmut(copy: Path, group: Group, mutants: Sequence[Mutant]) -> dict[str, str]:
    """Let mutmut try the mutants, with its progress as ours, and return the status of each."""
    shutil.rmtree(copy / "mutants", ignore_errors=True)
    (copy / "mutants").mkdir()  # Python passes over a folder of its path that is not there at the start
    path = os.pathsep.join([str(copy / "mutants"), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    started = time.monotonic()
    print(f"{group.package}: running {len(group.tests)} files of tests once without a change", flush=True)
    process = subprocess.Popen(
        [*MUTMUT, "run", "--max-children", "1", *(mutant.name for mutant in mutants)],
        cwd=copy,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert process.stdout is not None
    output = b""
    reported = 0
    while chunk := os.read(process.stdout.fileno(), 65536):
        output += chunk
        counts = re.findall(rb"(\d+)/\d+  \xf0", output[-500:])
        if counts and int(counts[-1]) >= reported + 10:
            reported = int(counts[-1])
            seconds = time.monotonic() - started
            print(f"{group.package}: {reported} of {len(mutants)} changes tried, {seconds:.0f} s", flush=True)
    status = process.wait()
    if status:
        lines = output.decode("utf-8", "replace").splitlines()
        failures = [line for line in lines if line.startswith(("FAILED ", "ERROR "))]
        reasons = "\n".join(failures or lines[-30:])
        raise CannotRun(f"mutmut could not run the tests of {group.package} without a change:\n{reasons}")

    results = subprocess.run(
        [*MUTMUT, "results", "--all", "true"],
        cwd=copy,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return dict(line.strip().split(": ", 1) for line in results.stdout.splitlines() if ": " in line)


def report_on(
    file: str, mutants: Sequence[Mutant], statuses: Mapping[str, str], equivalent: Sequence[Mapping[str, str]]
) -> list[Mutant]:
    """Print a line about one module, and return its mutants that survive and are not known to be right."""
    known = {(entry["file"], entry["before"], entry["after"]) for entry in equivalent}
    counts = Counter[str]()
    survivors = []
    for mutant in mutants:
        if statuses[mutant.name] in KILLED:
            counts["killed"] += 1
        elif (mutant.file, mutant.before, mutant.after) in known:
            counts["equivalent"] += 1
        else:
            survivors.append(mutant)
    wrong = len(mutants) - counts["equivalent"]
    rate = 100 * counts["killed"] / wrong if wrong else 100.0
    print(
        f"{file}: {len(mutants)} mutants, {counts['killed']} killed, {counts['equivalent']} equivalent, "
        f"{len(survivors)} survivors; {rate:.0f} % killed",
        flush=True,
    )
    return survivors


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
