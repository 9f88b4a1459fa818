"""The words that every renderer shares."""

import pytest

from autograder.feedback.pages import as_sentence


@pytest.mark.parametrize(
    ("reason", "shown"),
    [("not run because …", "Not run because …"), ("omega_c acts …", "omega_c acts …"), ("", "")],
)
def test_a_reason_begins_like_a_sentence_but_a_name_keeps_its_letters(reason, shown):
    assert as_sentence(reason) == shown
