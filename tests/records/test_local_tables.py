"""Tables as spreadsheets of other countries write them: dates, names of columns, logins."""

import contextlib
import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from results import homework, submission
from wording import to_staff

from autograder.gradebook.opening import open_gradebook
from autograder.intake.submission import Owner
from autograder.policy.decision_input import read_times
from autograder.policy.names import Names
from autograder.policy.policy import Policy, PolicyError
from autograder.policy.tables import Row, iso_time

ZONE = dt.UTC


def times(tmp_path, text, encoding="utf-8"):
    path = tmp_path / "times.csv"
    path.write_bytes(text.encode(encoding))
    read = read_times(path, ["hwx"], Policy(zone=ZONE))
    return {name: time.isoformat() for (name, _), time in read.items()}


@pytest.mark.parametrize(
    ("cell", "iso"),
    [
        ("05.02.2027", "2027-02-05T00:00:00+00:00"),
        ("5.2.2027 23:59", "2027-02-05T23:59:00+00:00"),
        ("5. 2. 2027 9:05:30", "2027-02-05T09:05:30+00:00"),
        ("31/1/2027 8:00", "2027-01-31T08:00:00+00:00"),
        ("1/31/2027 11:59 PM", "2027-01-31T23:59:00+00:00"),
        ("1/31/2027, 12:00 am", "2027-01-31T00:00:00+00:00"),
        ("3/3/2027", "2027-03-03T00:00:00+00:00"),
        ("31-01-2027", "2027-01-31T00:00:00+00:00"),
        ("2027/2/5 7:00", "2027-02-05T07:00:00+00:00"),
        ("05.02.2027 23:59 +01:00", "2027-02-05T23:59:00+01:00"),
        ("05.02.2027 23:59 UTC", "2027-02-05T23:59:00+00:00"),
        ("2027-02-05 23:59 UTC", "2027-02-05T23:59:00+00:00"),
    ],
)
def test_a_local_date_with_its_year_is_read(tmp_path, cell, iso):
    assert times(tmp_path, f'submission,submitted_at\nada,"{cell}"\n') == {"ada": iso}


def test_what_may_be_two_days_is_as_the_other_dates_of_the_table(tmp_path):
    day_first = "submission,submitted_at\nada,2/5/2027\nbo,31/1/2027\n"
    month_first = "submission,submitted_at\nada,2/5/2027\nbo,1/31/2027\n"
    assert times(tmp_path, day_first)["ada"].startswith("2027-05-02")
    assert times(tmp_path, month_first)["ada"].startswith("2027-02-05")


@pytest.mark.parametrize("others", ["", "bo,31/1/2027\nzoe,1/31/2027\n"])
def test_what_may_be_two_days_otherwise_is_refused_with_the_remedy(tmp_path, others):
    with pytest.raises(PolicyError, check=to_staff["local.two-days"]):
        times(tmp_path, f"submission,submitted_at\nada,2/5/2027\n{others}")


@pytest.mark.parametrize(
    "cell", ["5.2.27", "5.13.2027", "32.1.2027", "1/31/2027 13:00 pm", "Feb 5, 2027", "5.2.2027x"]
)
def test_what_is_no_date_stays_an_error(tmp_path, cell):
    with pytest.raises(PolicyError, match="must be a time such as"):
        times(tmp_path, f'submission,submitted_at\nada,"{cell}"\n')


@given(st.text("0123456789./-: aAmMpPTZUC+,\u0661", max_size=24), st.sampled_from([None, True, False]))
def test_whatever_stands_in_a_cell_costs_no_more_than_a_message(text, day_first):
    assert isinstance(iso_time(text, day_first), str)
    row = Row({"due": text.strip()})
    row.day_first = day_first
    with contextlib.suppress(ValueError):
        assert row.time("due", ZONE).tzinfo is not None


def test_what_is_not_local_comes_back_as_it_was():
    for text in ("", "x", "2027-02-05T23:59:00Z", "2027-02-05"):
        assert iso_time(text, None) == text


def test_names_of_columns_count_in_any_case(tmp_path):
    text = "sep=;\r\nSubmission;Submitted At\r\nzoë;05.02.2027\r\n"
    assert list(times(tmp_path, text, "cp1252")) == ["zoë"]


def test_a_login_names_the_submission_of_its_owner(tmp_path):
    with open_gradebook(tmp_path) as book:
        for name in ("king_12", "noether_13", "noether"):
            book.keep(submission(name, homework()), "c", "g")
        ada = Owner("S12", "Ada", email="ada@x.edu", login="ada")
        emmy = Owner("S13", "Emmy", login="noether")
        book.remember_owners({"king_12": ada, "noether_13": emmy}, by_roster=["king_12", "noether_13"])
        names = Names(book)
        assert names.all("ada") == ["king_12"]
        assert names.all("login:noether") == ["noether_13"]
        assert names.all("Ada@X.edu") == names.all("email:ADA@x.edu") == ["king_12"], "in any case of letters"
        assert names.all("noether") == [], "it is a submission of somebody else, too"

        book.remember_owners({"king_12": Owner("12", "kingada"), "noether_13": Owner("13", "noetheremmy")})
        owners = book.owners()
    assert (owners["king_12"].login, owners["king_12"].student_id) == ("ada", "S12")
    assert (owners["noether_13"].login, owners["noether_13"].student_id) == ("noether", "S13")
