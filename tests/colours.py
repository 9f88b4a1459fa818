"""How easily colours can be told apart."""


def contrast(first: str, other: str) -> float:
    """Return the contrast of two colours ``#rrggbb``, from 1 to 21 (WCAG 2.2, "contrast ratio").

    The luminance of a colour is the linear light of its channels, weighted by what the eye sees.
    """
    luminances = []
    for colour in (first, other):
        shares = [channel / 255 for channel in bytes.fromhex(colour[1:])]
        red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares)
        luminances.append(0.2126 * red + 0.7152 * green + 0.0722 * blue)
    return float((max(luminances) + 0.05) / (min(luminances) + 0.05))
