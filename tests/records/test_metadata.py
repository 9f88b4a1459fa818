"""What Gradescope's container says of a submission, and what follows for its points."""

import datetime as dt
import json

import pytest
from results import homework, submission

from autograder.gradebook.opening import open_gradebook
from autograder.policy.decision_input import take_metadata
from autograder.policy.policy import PolicyError
from autograder.policy.settlement import settle

DUE = dt.datetime(2027, 3, 1, 12, tzinfo=dt.timezone(-dt.timedelta(hours=8)))
OF_THE_HOMEWORK = dt.datetime(2027, 2, 5, 23, 59, tzinfo=dt.UTC)
TEN = "penalty_per_day = 10\n"
TABLE = "submission,due\nS1@x.edu,2027-03-09T12:00:00Z\nS9@x.edu,2027-04-09T12:00:00Z\n"


@pytest.fixture
def book(tmp_path):
    with open_gradebook(tmp_path / "out") as opened:
        opened.keep(submission("submission", homework()), "c", "g")
        yield opened


@pytest.fixture
def settled(book, tiny, tmp_path):
    def settled(rules, table="", hours=30, days=(0,), due=DUE):
        def date(more):
            return due and (due + dt.timedelta(hours=more)).isoformat()

        users = [
            {"email": f"s{number}@x.edu", "id": number, "assignment": {"due_date": date(more)}}
            for number, more in enumerate(days, 1)
        ]
        at = (due or OF_THE_HOMEWORK) + dt.timedelta(hours=hours)
        metadata = {"created_at": at.isoformat(), "assignment": {"due_date": date(0)}, "users": users}
        (tmp_path / "metadata.json").write_text(json.dumps(metadata), "utf-8")
        (tiny.course.root / "policy.toml").write_text(rules, "utf-8")
        if table:
            (tiny.course.root / "extensions.csv").write_text(table, "utf-8")
        take_metadata(book, tiny.course, ["submission"], tmp_path / "metadata.json")
        [result] = settle(book, tiny.course).grades()
        return result.homeworks[0]

    return settled


@pytest.mark.parametrize(
    ("earned", "rules", "more"),
    [
        (1.0, TEN, {"hours": -1}),
        (0.8, TEN, {}),
        (1.0, f"{TEN}grace_minutes = 60", {"hours": 0.9}),
        (0.7, f"{TEN}[homeworks.hwx]\ndue = 2027-02-28T18:00:00Z", {}),
        (0.9, TEN, {"hours": 1, "due": None}),
        (1.0, TEN, {"days": [48]}),
        (0.9, TEN, {"days": [0, 10]}),
        (1.0, TEN, {"table": TABLE}),
        (0.8, TEN, {"table": TABLE.replace("S1", "S2")}),
        (1.0, TEN, {"table": TABLE.replace("S1", "S2"), "days": [0, 10]}),
        (1.0, TEN, {"table": TABLE.replace("03-09", "03-02"), "days": [48]}),
    ],
)
def test_lateness_is_counted_from_the_due_date_that_holds(settled, earned, rules, more):
    """That of the policy, else Gradescope's, else the homework's; or the latest extension of a member."""
    assert settled(rules, **more).earned == pytest.approx(earned)


def test_late_days_are_counted_as_if_none_were_used_elsewhere_and_that_is_said(settled):
    result = settled(f"{TEN}late_days = 1")
    assert result.earned == pytest.approx(0.9)
    assert any("another homework" in note for note in result.notes)
    assert not settled(TEN).notes


@pytest.mark.parametrize(
    "text", ["{", "[]", "{}", '{"created_at": "2027-03-01T12:00:00", "assignment": {}, "users": []}']
)
def test_metadata_that_cannot_be_read_is_an_error(book, tiny, tmp_path, text):
    path = tmp_path / "submission_metadata.json"
    path.write_text(text, "utf-8")
    with pytest.raises(PolicyError, match=r"submission_metadata\.json"):
        take_metadata(book, tiny.course, ["submission"], path)


def test_an_address_that_nobody_gave_is_nobodys(book, tiny, tmp_path):
    path = tmp_path / "metadata.json"
    metadata = {
        "created_at": DUE.isoformat(),
        "assignment": {},
        "users": [{"email": None, "assignment": None}],
    }
    path.write_text(json.dumps(metadata), "utf-8")
    take_metadata(book, tiny.course, ["submission"], path)
    assert book.decisions.times() == {("submission", ""): DUE}
