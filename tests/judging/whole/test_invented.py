"""Mistakes that no catalogue holds get a message that says where to look."""

import re
import tomllib
from pathlib import Path

import pytest

INVENTED = tomllib.loads(Path(__file__).with_name("invented.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", INVENTED)
def test_a_message_says_where_to_look(name, grade_text, course):
    invented = INVENTED[name]
    text = course.homework(invented["homework"]).solution.read_text("utf-8")
    for right, wrong in invented["edits"]:
        assert right in text
        text = text.replace(right, wrong, 1)
    failed = [check for check in grade_text(invented["homework"], text).checks if check.outcome == "failed"]
    assert re.search(invented["where"], failed[0].reason)
    assert invented["where"] or not failed[0].misconceptions


def test_one_width_for_every_size_is_not_called_a_layer_too_many(grade_text, course):
    text = course.homework("hw6_encoder_block").solution.read_text("utf-8")
    for right, wrong in (("(embed_dim, ff_dim)", "(embed_dim, 512)"), ("(ff_dim, ", "(512, ")):
        text = text.replace(f"nn.Linear{right}", f"nn.Linear{wrong}")
    checks = grade_text("hw6_encoder_block", text.replace(", batch_first=True", "")).checks
    wide = next(check for check in checks if check.check == "encoder_block_128")
    assert wide.outcome == "failed"
    assert "holds more" not in wide.reason
