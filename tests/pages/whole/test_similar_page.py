from homeworks import SIX

from autograder.similar.similar import SimilarSubmissions, similar_pairs, write_similar

from ..browsing import open_page

PARTS = (
    "import math",
    "def odd(x, y):",
    "    for one in zip(x, y):",
    "        if one[0] > 3 * len(one):",
    "            break",
)
OWN = "\n".join([*PARTS, "    return [math.floor(z) for z, _ in zip(y, x) if z is not None] or {'a': x}"])


def test_a_pair_unfolds_into_both_sources_with_what_is_alike_marked(page, course, tmp_path):
    homework = course.homework(SIX[0])
    sources = {f"other{number}": f"x = {number} * [{number}]" for number in range(30)}
    sources |= {"<b>ada": OWN, "bo": "print('<i>', 0)\n\n" + OWN.replace("one", "item")}
    pairs = list(similar_pairs(homework, sources, {}))
    path = tmp_path / "report" / "similar.html"
    write_similar(path, [SimilarSubmissions(homework, len(sources), pairs, sources)])
    open_page(page, path)
    assert page.locator(".source").count() == 0
    page.locator(".pair summary").focus()
    page.keyboard.press("Enter")
    assert page.locator(".sides h3").all_inner_texts() == ["<b>ada", "bo"]
    assert page.locator(".source").first.locator("li").all_inner_texts() == OWN.split("\n")
    assert page.locator(".source").last.locator("li").first.inner_text() == "print('<i>', 0)"
    alike = [side.locator(".alike").all_inner_texts() for side in page.locator(".source").all()]
    assert alike[0] == OWN.split("\n")
    assert alike[1] == OWN.replace("one", "item").split("\n")
    page.set_viewport_size({"width": 400, "height": 900})
    boxes = [section.bounding_box() or {} for section in page.locator(".sides section").all()]
    assert boxes[1]["y"] >= boxes[0]["y"] + boxes[0]["height"]
