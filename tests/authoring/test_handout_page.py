import re

import pytest
from colours import contrast
from wording import to_authors

from autograder.handouts.page import mathml, page

TABLE = "| symbol | shape |\n| --- | ---: |\n| `Q` | (n, d) |\n| `K` | (m, d) |\n"
DISPLAY, INLINE = {"display_mode": True}, {"display_mode": False}


def test_a_page_has_a_language_a_title_and_fits_a_phone():
    html = page("Scores & weights", "# Scores\n")
    assert '<html lang="en">' in html
    assert "<title>Scores &amp; weights</title>" in html
    assert 'name="viewport" content="width=device-width' in html
    assert "<main>\n<h1>Scores</h1>" in html


def test_a_page_needs_no_other_file():
    html = page("t", f"# T\n\n$$x^2$$\n\n{TABLE}\n```python\nx = 1 < 2\n```\n")
    assert not re.search(
        r"<(script .|link|img|iframe)|@import|url\((?!#|\"data:)|https?://(?!www\.w3\.org)", html
    )


def test_sections_are_listed_at_the_top_and_reached_by_their_names():
    html = page("t", "# T\n\nstart\n\n## One `step`\n\n### With `d_k`\n\n## Two\n")
    assert re.findall(r'<a href="#([^"]+)">', html) == ["one-step", "with-d_k", "two"]
    assert re.findall(r'<h[23] id="([^"]+)"', html) == ["one-step", "with-d_k", "two"]
    assert html.index("start") < html.index("<nav") < html.index("<h2")
    assert "<nav" not in page("t", "# T\n\nwithout sections\n")


def test_a_table_names_its_headers_and_scrolls_by_keyboard():
    html = page("t", TABLE)
    assert '<th scope="col">symbol</th>' in html
    assert '<th scope="row"><code>Q</code></th>' in html
    assert html.count('<th scope="row"') == 2
    assert to_authors["handout_page.role-group-aria-label-table"] in html
    assert html.count("<table>") == html.count("</table></div>") == 1


def test_code_is_escaped_and_reached_by_keyboard():
    assert '<pre tabindex="0" role="group" aria-label="Code"><code>x = 1 &lt; 2\n</code></pre>' in page(
        "t", "```python\nx = 1 < 2\n```\n"
    )


def test_a_formula_becomes_mathml():
    html = page("t", "$$\\frac{QK^\\top}{\\sqrt{d_k}}$$\n\nand $x_1$ inside\n")
    assert 'display="block"' in html
    assert "<mfrac>" in html
    assert '<span class="math inline"><math' in html
    assert "$" not in html.partition("<main>")[2].partition("</main>")[0]


def test_a_function_is_set_off_from_what_it_is_of():
    assert '<mi>ln</mi><mspace width="0.17em" /><mn>2</mn>' in mathml(r"\ln 2", INLINE)


def test_a_function_keeps_its_index():
    assert "<msub><mi>Norm</mi><mn>1</mn></msub>" in mathml(r"\operatorname{Norm}_1(x)", INLINE)


@pytest.mark.parametrize("text", ["| a |\n| --- |\n| $n$, each 1 |\n", "$n$ is 1", "1$n$2"])
def test_a_formula_may_stand_beside_digits(text):
    assert page("t", text).count("<math") == 1


def test_a_name_stays_in_one_piece():
    assert "<code>qk_scores</code>" in page("t", "`qk_scores`")


def test_a_price_is_no_formula():
    assert "<math" not in page("t", "It costs 5$ or 6$ a month.\n")


def test_a_name_in_a_formula_is_no_operator_set_apart():
    assert "<mi>softmax</mi>" in mathml(r"\operatorname{softmax}(x)", DISPLAY)


@pytest.mark.parametrize(
    "latex", [r"\begin{aligned} a &= b \end{aligned}", r"\notacommand{x}", r"\left( x", "x_"]
)
def test_latex_that_cannot_be_shown_is_refused(latex):
    with pytest.raises(ValueError, check=to_authors["handout_page.formula-in-html"]):
        mathml(latex, INLINE)


def palettes():
    """The colours of the style sheet by name, for the light and the dark scheme."""
    css = re.findall(r":root \{([^}]*)\}", page("t", ""))
    return [dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block)) for block in css[:2]]


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_words_can_be_read_in_both_schemes(scheme):
    colours = palettes()[scheme]
    assert contrast(colours["ink"], colours["paper"]) >= 7
    for ink in ("ink", "quiet", "accent"):
        for ground in ("paper", "panel"):
            assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
    assert contrast(colours["line"], colours["paper"]) >= 3
