"""Write a picture as SVG: the same bytes each time, text as text, an opaque ground."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from autograder.handouts.colours import LINE, PAPER
from autograder.handouts.shapes import Box, Path, Picture, Shape, Text

NAMESPACE = "http://www.w3.org/2000/svg"
SANS, MONO = "system-ui, 'DejaVu Sans', Arial, sans-serif", "'DejaVu Sans Mono', Consolas, monospace"
TIP = (
    f'<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
    f'orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="{LINE}"/></marker></defs>'
)


def svg(picture: Picture) -> str:
    """Return the picture as an SVG document without an XML declaration, so that it can stand in HTML."""
    return "\n".join(_lines(picture)) + "\n"


def _lines(picture: Picture) -> Iterator[str]:
    width, height = _number(picture.width), _number(picture.height)
    yield (
        f'<svg xmlns="{NAMESPACE}" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" aria-labelledby="picture-title picture-description">'
    )
    yield f'<title id="picture-title">{escape(picture.title)}</title>'
    yield f'<desc id="picture-description">{escape(picture.description)}</desc>'
    yield TIP
    yield f'<rect width="{width}" height="{height}" fill="{PAPER}"/>'
    yield from map(_shape, picture.shapes)
    yield "</svg>"


@functools.singledispatch
def _shape(shape: Shape) -> str:
    raise TypeError(f"a {type(shape).__name__} cannot be drawn")


@_shape.register
def _text(text: Text) -> str:
    attributes = {
        "x": _number(text.x),
        "y": _number(text.y),
        "font-size": _number(text.size),
        "font-family": MONO if text.mono else SANS,
        "font-weight": "bold" if text.bold else "normal",
        "text-anchor": text.anchor,
        "fill": text.fill,
    }
    return f"<text{_written(attributes)}>{escape(text.words)}</text>"


@_shape.register
def _box(box: Box) -> str:
    place = {"x": box.x, "y": box.y, "width": box.width, "height": box.height, "rx": box.radius}
    attributes = {name: _number(value) for name, value in place.items()}
    return f"<rect{_written(attributes | {'fill': box.fill, 'stroke': box.stroke})}/>"


@_shape.register
def _path(path: Path) -> str:
    points = " L".join(f"{_number(x)} {_number(y)}" for x, y in path.points)
    attributes = {"d": f"M{points}", "fill": "none", "stroke": path.stroke, "stroke-width": "1.5"}
    attributes |= {"stroke-dasharray": "5 4"} if path.dashed else {}
    attributes |= {"marker-end": "url(#tip)"} if path.arrow else {}
    return f"<path{_written(attributes)}/>"


def _written(attributes: dict[str, str]) -> str:
    return "".join(f" {name}={quoteattr(value)}" for name, value in attributes.items())


def _number(value: float) -> str:
    """A length to a tenth, so that the last bits of a computation are not drawn."""
    return f"{value:.1f}".removesuffix(".0")
