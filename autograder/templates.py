"""Fill in jinja2 templates; a missing value is an error and never a blank."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import jinja2
from jinja2.bccache import Bucket
from markupsafe import Markup

from autograder.language import spoken


class CompiledTemplates(jinja2.FileSystemBytecodeCache):
    """Compiled templates beside their sources, as Python keeps compiled modules.

    Compiling takes longer than grading a submission. A compiled template is used only while its source has the
    same hash. Where the folder is not writable, or Python is told to write no bytecode, each process compiles
    its own.
    """

    def __init__(self, folder: Path) -> None:
        versions = f"{sys.implementation.cache_tag}.jinja2-{jinja2.__version__}"
        super().__init__(str(folder / "__pycache__"), f"%s.{versions}.pyc")

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Write a compiled template, if that is wanted and possible."""
        if sys.dont_write_bytecode:
            return
        with contextlib.suppress(OSError):
            Path(self.directory).mkdir(exist_ok=True)
            super().dump_bytecode(bucket)


@functools.cache
def environment(
    package: str = "", finalize: Callable[[object], object] | None = None
) -> jinja2.Environment:
    """Return jinja2's environment for a package's folder ``templates``, made once; HTML is escaped."""
    loader = None
    compiled = None
    if package:
        loader = jinja2.PackageLoader(package)
        _, *folders = package.split(".")
        folder = Path(__file__).parent.joinpath(*folders)
        compiled = CompiledTemplates(folder / "templates")
    engine = jinja2.Environment(
        loader=loader,
        bytecode_cache=compiled,
        auto_reload=False,
        autoescape=jinja2.select_autoescape(["html", "svg"], default_for_string=False),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
        finalize=finalize,
    )
    engine.globals |= {"say": functools.partial(said, finalize), "language": spoken}
    return engine


def render(package: str, template: str, **values: object) -> str:
    """Return a package's template, the one in the student's language if there is one, with values filled in."""
    names = [f"{spoken().code}/{template}", template]
    return environment(package).select_template(names).render(**values)


def said(
    finalize: Callable[[object], object] | None, sentence: str, /, **values: object
) -> Markup:
    """Say a sentence in a template: it may hold HTML, and its values are treated as elsewhere in the template."""
    text = Markup(spoken().translated(sentence))
    if not values:
        return text
    if finalize is not None:
        values = {name: finalize(value) for name, value in values.items()}
    return text.format(**values)


def fill(text: str, values: Mapping[str, object]) -> str:
    """Return a text of the course with its placeholders filled in.

    Raises:
        ValueError: it is not a template, or asks for an unknown name; the message lists the known ones.
    """
    try:
        return environment().from_string(text).render(values)
    except jinja2.TemplateSyntaxError as error:
        raise ValueError(
            f"line {error.lineno}: {error.message}; a placeholder looks like {{{{ name }}}}"
        ) from error
    except (
        jinja2.UndefinedError,
        TypeError,
        SyntaxError,
    ) as error:  # jinja2 makes invalid Python of A[:, 0]
        raise ValueError(f"{error}; the known names are {', '.join(values)}") from error
