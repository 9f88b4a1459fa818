"""Options of ``release`` that say nothing about what it would write are refused, not ignored."""

import pytest

from .running import refusal, run


@pytest.mark.parametrize(
    ("options", "refused"),
    [
        (["--hints"], "--hints"),
        (["--no-hints"], "--hints"),
        (["--anyway"], "--anyway"),
        (["--mistakes", "triples", "--hints"], "--mistakes, --hints"),
        (["--drill", "hwx", "--homework", "hwx"], "--homework"),
        (["--drill", "hwx", "--classroom"], "--classroom"),
        (["--drill", "hwx", "--examples", "--no-hints"], "--hints"),
        (["--drill", "hwx", "--examples", "--mistakes", "triples"], "--mistakes"),
        (["--solution", "hwx", "--homework", "hwx"], "--homework"),
        (["--solution", "hwx", "--hints"], "--hints"),
        (["--solution", "hwx", "--drill", "hwx", "--classroom"], "--drill, --classroom"),
    ],
)
def test_an_option_that_would_be_ignored_is_refused(kit, options, refused):
    release = run("release", "--out", kit.out, *options)
    assert f"Invalid value for {refused}:" in " ".join(refusal(release).split())
    assert not kit.out.exists()
