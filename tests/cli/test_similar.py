import json

from results import homework, submission
from wording import to_staff

from autograder.gradebook.opening import open_gradebook
from autograder.verdict.work import Work

from .running import grade, run

ODD = """
def double(x):
    for place, number in zip(range(len(x)), reversed([*x][::-1])):
        x[place] += number
    while any(one is None for one in x):
        x = [one or 0 for one in x if one != 3]
    return x
"""


def test_groups_are_printed_and_shown_on_a_page(kit):
    kit.submit("ada")
    assert grade(kit.submissions, "--out", kit.out).exit == 0
    with open_gradebook(kit.out) as book:
        texts = {"bo": ODD, "cy": ODD.replace("place", "i")}
        texts |= {f"other{number}": f"x = {number} * [{number}]" for number in range(20)}
        for name, text in texts.items():
            book.keep(submission(name, homework(homework="hwx", work=Work("x.py", text))), "c", "g")
    result = run("similar", kit.out)
    assert result.exit == 0
    assert to_staff["similar.one-group"] in result.out
    assert "bo" in (kit.out / "report/similar.html").read_text("utf-8")
    [pair] = json.loads(run("similar", kit.out, "--json").out)
    assert (pair["homework"], pair["submissions"]) == ("hwx", ["bo", "cy"])
    assert pair["share"] > 0.9
    assert run("report", kit.out).exit == 0
    assert "report/similar.html" in (kit.out / "report.html").read_text("utf-8")


def test_a_small_class_has_no_pairs(kit):
    kit.submit("ada")
    kit.submit("bo")
    grade(kit.submissions, "--out", kit.out)
    assert json.loads(run("similar", kit.out, "--json").out) == []
    assert run("similar", kit.root / "nowhere").exit == 2
