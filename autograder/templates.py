"""Fill in jinja2 templates; a missing value is an error and never a blank."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

import jinja2


@functools.cache
def environment(
    package: str = "", finalize: Callable[[object], object] | None = None
) -> jinja2.Environment:
    """Return jinja2's environment for a package's folder ``templates``, made once; HTML is escaped."""
    return jinja2.Environment(
        loader=jinja2.PackageLoader(package) if package else None,
        autoescape=jinja2.select_autoescape(["html", "svg"], default_for_string=False),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
        finalize=finalize,
    )


def render(package: str, template: str, **values: object) -> str:
    """Return a package's template with these values filled in."""
    return environment(package).get_template(template).render(**values)


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
