"""Copy those definitions of the package that some names need, and no others, into a package of its own.

Students' checks are the kit's own functions. Copied by definition, and not by file, nothing comes along that
only grading uses: neither its code nor the libraries that it imports. Annotations need nothing, since every
module postpones them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

KIT = "autograder"
OWN_ROOM = "student"

Read = Callable[[str], str]
"""Returns the source of one of the kit's modules by its full name."""


@dataclass(frozen=True)
class Import:
    """Where a name of a module comes from; ``name`` is None for a whole module."""

    module: str
    name: str | None
    statement: str

    @property
    def is_ours(self) -> bool:
        """Whether it comes from the kit itself."""
        return self.module.partition(".")[0] == KIT


@dataclass
class _Module:
    """One module of the kit, and what of it is kept."""

    name: str
    source: str
    tree: ast.Module
    defined: dict[str, list[ast.stmt]] = field(default_factory=dict)
    imported: dict[str, list[Import]] = field(default_factory=dict)
    others: list[ast.stmt] = field(default_factory=list)
    kept: set[ast.stmt] = field(default_factory=set)
    uses: dict[str, list[Import]] = field(default_factory=dict)


class Closure:
    """The definitions that are needed, found by following names from module to module."""

    def __init__(self, read: Read, package: str) -> None:
        self._read = read
        self._package = package
        self._modules: dict[str, _Module] = {}
        self._faces: dict[str, _Module] = {}
        self._seen: set[tuple[str, str]] = set()

    def need(self, module: str, names: Iterable[str]) -> None:
        """Keep these names of a module, and all that they use.

        Raises:
            LookupError: a module defines no such name.
        """
        for name in names:
            if (module, name) not in self._seen:
                self._seen.add((module, name))
                self._need_one(self._open(module), name)

    def files(self) -> dict[str, str]:
        """The texts of the copied modules by their new file names."""
        return {f"{self.renamed(one.name)}.py": self.text(one.name) for one in self._modules.values()}

    def text(self, module: str) -> str:
        """The text of one copied module."""
        one = self._open(module)
        docstring = ast.get_docstring(one.tree, clean=False) or ""
        imports = [*_external(one.uses.values()), *self._own_imports(one)]
        parts = [f'"""{docstring}"""', "from __future__ import annotations", "\n".join(imports)]
        lines = one.source.splitlines()
        pieces = [_piece(statement, lines) for statement in one.tree.body if statement in one.kept]
        text = "\n\n".join(part for part in parts if part) + "\n\n\n" + "\n\n\n".join(pieces) + "\n"
        return self._rewritten(text)

    def renamed(self, module: str) -> str:
        """The name of a copied module in its package: ``comparison_compare``, and ``table`` of ``public``."""
        return module.removeprefix(f"{KIT}.").removeprefix(f"{OWN_ROOM}.").replace(".", "_")

    def _open(self, name: str) -> _Module:
        if name not in self._modules:
            source = self._read(name)
            self._modules[name] = _Module(name, source, ast.parse(source))
            _sort(self._modules[name])
        return self._modules[name]

    def _need_one(self, module: _Module, name: str) -> None:
        if name in module.defined:
            self._keep(module, module.defined[name])
        elif name in module.imported:
            module.uses[name] = [self._behind_face(found) for found in module.imported[name]]
            for found in module.uses[name]:
                if found.is_ours:
                    self._follow(found)
        else:
            raise LookupError(f"{module.name} defines no {name}")

    def _keep(self, module: _Module, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            if statement in module.kept:
                continue
            module.kept.add(statement)
            self._need_known(module, _names_used(statement))
            for inner in _inner_imports(statement):
                self._follow(inner)
        self._keep_others(module)

    def _keep_others(self, module: _Module) -> None:
        """Keep a loop or a call on the outermost level that works on something that is kept."""
        kept = {name for name, found in module.defined.items() if not module.kept.isdisjoint(found)}
        for statement in module.others:
            if statement not in module.kept and not kept.isdisjoint(_names_used(statement)):
                self._keep(module, [statement])

    def _need_known(self, module: _Module, names: Iterable[str]) -> None:
        own = {*module.defined, *module.imported}
        self.need(module.name, sorted(own.intersection(names)))

    def _follow(self, found: Import) -> None:
        if found.name is None:
            raise LookupError(
                f"write `from {found.module} import …`: {found.statement} takes the whole module"
            )
        real = self._behind_face(found)
        self.need(real.module, [real.name or found.name])

    def _behind_face(self, found: Import) -> Import:
        """The module that defines a name which is imported from the face of its package."""
        if not found.is_ours or found.name is None or found.module.count(".") != 1:
            return found
        if found.module not in self._faces:
            tree = ast.parse(self._read(found.module))
            listed = [one for node in tree.body if isinstance(node, ast.If) for one in node.body]
            face = _Module(found.module, "", ast.Module([*tree.body, *listed], []))
            _sort(face)
            self._faces[found.module] = face
        return self._faces[found.module].imported.get(found.name, [found])[0]

    def _own_imports(self, module: _Module) -> list[str]:
        names: dict[str, list[str]] = {}
        for local, imports in sorted(module.uses.items()):
            for found in imports:
                if found.is_ours and found.name:
                    names.setdefault(found.module, []).append(_as(found.name, local))
        return [f"from {source} import {', '.join(found)}" for source, found in sorted(names.items())]

    def _without_face(self, statement: re.Match[str]) -> str:
        """Import each name from the module that defines it."""
        found = [Import(statement[1], name.strip(), "") for name in statement[2].split(",")]
        real = [self._behind_face(one) for one in found]
        return "; ".join(f"from {one.module} import {one.name}" for one in real)

    def _rewritten(self, text: str) -> str:
        """Let every import name the copied modules; longer names first, for one may begin like another."""
        text = re.sub(rf"from ({KIT}\.\w+) import ([\w, ]+)", self._without_face, text)
        for module in sorted(self._modules, key=len, reverse=True):
            text = text.replace(
                f"from {module} import", f"from {self._package}.{self.renamed(module)} import"
            )
        return text


def _sort(module: _Module) -> None:
    for statement in module.tree.body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            for local, found in _imports(statement):  # `import a` and `import a.b` give one name
                module.imported.setdefault(local, []).append(found)
            continue
        names = _defined_by(statement)
        for name in names:
            module.defined.setdefault(name, []).append(statement)
        if not names and not _is_text(statement) and not _is_for_types(statement):
            module.others.append(statement)


def _defined_by(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return [statement.name]
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        found = (node for target in targets for node in ast.walk(target))
        return [node.id for node in found if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    return []


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_for_types(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING"


def _imports(statement: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Import]]:
    for alias in statement.names:
        if isinstance(statement, ast.ImportFrom):
            module = statement.module or ""
            text = f"from {module} import {_as(alias.name, alias.asname or alias.name)}"
            if module != "__future__":
                yield alias.asname or alias.name, Import(module, alias.name, text)
        else:
            local = alias.asname or alias.name.partition(".")[0]
            text = f"import {alias.name}" + (f" as {alias.asname}" if alias.asname else "")
            yield local, Import(alias.name, None, text)


def _inner_imports(statement: ast.stmt) -> Iterator[Import]:
    """The kit's own modules that a function imports when it is called."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (found for _, found in _imports(node) if found.is_ours)


def _names_used(statement: ast.stmt) -> set[str]:
    """The names that a statement may look up when it runs; annotations are never looked up."""
    names: set[str] = set()
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            names.add(node.id)
        skipped = {"annotation", "returns"}
        for key, value in ast.iter_fields(node):
            if key not in skipped:
                waiting += [one for one in (value if isinstance(value, list) else [value]) if _is_node(one)]
    return names


def _is_node(value: object) -> bool:
    return isinstance(value, ast.AST)


def _external(uses: Iterable[Sequence[Import]]) -> list[str]:
    return sorted({found.statement for imports in uses for found in imports if not found.is_ours})


def _as(name: str, local: str) -> str:
    return name if name == local else f"{name} as {local}"


def _piece(statement: ast.stmt, lines: Sequence[str]) -> str:
    decorators = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(one.lineno for one in decorators)])
    return "\n".join(lines[first - 1 : statement.end_lineno])
