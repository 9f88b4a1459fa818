from __future__ import annotations

from autograder.judging.comparison import Finding, Kind


def test_the_kinds_stand_in_the_order_of_comparison() -> None:
    order = [Kind.NOT_DEFINED, Kind.RAISED, Kind.ARITY, Kind.SHAPE, Kind.DTYPE, Kind.NOT_FINITE, Kind.VALUES]
    assert [kind for kind in Kind if kind in order] == order


def test_a_finding_has_nothing_for_the_staff_and_no_label_unless_given() -> None:
    finding = Finding(Kind.VALUES, "wrong")
    assert (finding.staff, finding.misconceptions) == ("", ())
