"""What students can do with a handout in a browser, and what it looks like without a font for formulas."""

import base64
import re

import pytest
from colours import contrast
from homeworks import PAIR

from ..browsing import assert_soon, open_page, unfold

HOMEWORKS = PAIR
NARROWEST = 320
each_homework = pytest.mark.parametrize("homework_id", HOMEWORKS)

CHARACTERS = """
const italic = letter => {
  if (letter === "h") return "\\u210e";
  const code = letter.codePointAt(0), from = (first, start) => String.fromCodePoint(start + code - first);
  if (/^[A-Z]$/.test(letter)) return from(0x41, 0x1d434);
  if (/^[a-z]$/.test(letter)) return from(0x61, 0x1d44e);
  if (/^[\\u0391-\\u03a9]$/.test(letter)) return from(0x391, 0x1d6e2);
  if (/^[\\u03b1-\\u03c9]$/.test(letter)) return from(0x3b1, 0x1d6fc);
  return letter;
};
const found = new Set();
for (const one of document.querySelectorAll("mi, mo, mn, mtext")) {
  const words = one.textContent.trim();
  const isVariable = one.localName === "mi" && [...words].length === 1;
  for (const letter of isVariable ? [italic(words)] : words) found.add(letter);
}
[...found].filter(one => one.trim() && !/[\\u2061-\\u2064\\u00a0]/.test(one))
"""

LACKING = """
letters => letters.filter(letter => {
  const drawn = family => {
    const canvas = document.createElement("canvas"), pen = canvas.getContext("2d");
    canvas.width = canvas.height = 80;
    pen.font = `40px ${family}`;
    pen.fillText(letter, 10, 55);
    return canvas.toDataURL();
  };
  return drawn('"Handout Math", sans-serif') === drawn("sans-serif");
})
"""


def handout(course, homework_id):
    return course.assignments / homework_id / "handout.html"


@each_homework
@pytest.mark.parametrize("width", [NARROWEST, 400, 1280])
def test_formulas_fit_without_scrolling(page, course, homework_id, width):
    open_page(page, handout(course, homework_id), width)
    unfold(page)
    wide = """[...document.querySelectorAll('.math')].filter(one => one.checkVisibility()).filter(one => {
      const cell = one.closest('.scroll'), beyond = one.getBoundingClientRect().right > innerWidth + 1;
      return one.matches('.block') ? one.scrollWidth > one.clientWidth : beyond && !cell;
    }).map(one => one.textContent)"""
    assert_soon(lambda: page.evaluate(wide), [])


@each_homework
def test_every_sign_of_a_formula_is_in_the_font_that_the_page_brings(page, course, homework_id):
    """A sign that the font lacks looks as it does without the font."""
    open_page(page, handout(course, homework_id))
    assert page.evaluate("document.fonts.load('16px \"Handout Math\"').then(found => found.length)") == 1
    letters = page.evaluate(CHARACTERS)
    assert len(letters) > 10
    assert page.evaluate(LACKING, [*letters, "\u0436"]) == ["\u0436"]


@each_homework
def test_each_piece_of_code_is_copied_by_a_named_button(page, course, homework_id):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_page(page, handout(course, homework_id), 400)
    codes = page.locator("pre > code").all_text_contents()
    buttons = page.get_by_role("button", name=re.compile("^Copy the code that begins "))
    assert buttons.count() == len(codes) >= 2
    for i, code in enumerate(codes):
        buttons.nth(i).press("Enter")
        assert_soon(lambda: page.evaluate("navigator.clipboard.readText()"), code)
    assert_soon(lambda: page.get_by_role("status").text_content(), "Copied.")


def test_code_is_copied_where_there_is_no_clipboard(own_page, course):
    """As inside the frame of a learning platform; what is selected and copied goes where it is pasted."""
    own_page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    open_page(own_page, handout(course, HOMEWORKS[0]))
    own_page.evaluate(
        "document.addEventListener('copy', () => { window.copied = String(document.activeElement.value) })"
    )
    code = own_page.locator("pre > code").first.text_content()
    own_page.get_by_role("button", name=re.compile("^Copy the code")).first.click()
    assert_soon(lambda: own_page.evaluate("window.copied"), code)


@each_homework
def test_the_contents_lead_to_every_section(page, course, homework_id):
    open_page(page, handout(course, homework_id))
    links = page.get_by_role("navigation", name="Contents").get_by_role("link")
    assert links.count() == page.locator("h2, h3").count() >= 8
    assert page.locator("h1").count() == 1
    links.last.click()
    assert_soon(lambda: page.locator("h2:target, h3:target").count(), 1)


@each_homework
def test_a_picture_is_dark_in_the_dark_and_its_words_can_be_read(page, course, homework_id):
    """The contrasts are those of what is drawn, so they are taken from pixels."""
    open_page(page, handout(course, homework_id), dark=True)
    figure = page.locator("figure svg")
    assert "invert" in figure.evaluate("one => getComputedStyle(one).filter")
    colours = "one => [...one.querySelectorAll('[fill]')].map(part => part.getAttribute('fill'))"
    fills = sorted({colour for colour in figure.evaluate(colours) if colour.startswith("#")})
    dark_colours = dict(zip(fills, in_the_dark(page, fills), strict=True))
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page_colour = "#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", paper)[:3])
    assert contrast(dark_colours["#ffffff"], page_colour) < 1.05
    for words, ground in figure.evaluate(PAIRS):
        assert contrast(dark_colours[words], dark_colours[ground]) >= 4.5, (words, ground)


PAIRS = """one => {
  const seen = new Set(), boxes = [...one.querySelectorAll("rect")];
  for (const text of one.querySelectorAll("text")) {
    const box = text.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
    const under = boxes.filter(rect => {
      const at = rect.getBoundingClientRect();
      const before = rect.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING;
      return before && at.left <= x && x <= at.right && at.top <= y && y <= at.bottom;
    }).at(-1);
    seen.add(`${text.getAttribute("fill")} ${under.getAttribute("fill")}`);
  }
  return [...seen].map(pair => pair.split(" "));
}"""


def in_the_dark(page, colours):
    """Return what the page's filter makes of colours, from a picture of squares that it is applied to."""
    wide = 10 * len(colours)
    square = '<rect x="{}" width="10" height="10" fill="{}"/>'
    squares = "".join(square.format(10 * i, colour) for i, colour in enumerate(colours))
    page.evaluate(
        "squares => { document.querySelector('figure').insertAdjacentHTML('afterend', squares) }",
        f'<figure id="squares"><svg style="min-width:0;width:{wide}px" width="{wide}" height="10" '
        f'viewBox="0 0 {wide} 10">{squares}</svg></figure>',
    )
    picture = base64.b64encode(page.locator("#squares svg").screenshot()).decode()
    pixels = """async ([source, count]) => {
      const image = new Image();
      image.src = `data:image/png;base64,${source}`;
      await image.decode();
      const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
      pen.drawImage(image, 0, 0);
      return [...Array(count).keys()].map(i => [...pen.getImageData(10 * i + 5, 5, 1, 1).data].slice(0, 3));
    }"""
    rows = page.evaluate(pixels, [picture, len(colours)])
    page.evaluate("document.querySelector('#squares').remove()")
    return ["#" + bytes(pixel).hex() for pixel in rows]
