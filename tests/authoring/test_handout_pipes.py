import pytest
from wording import to_authors

from autograder.handouts.text import line_up_pipes


def test_the_source_of_a_pipe_table_is_made_to_line_up():
    text = (
        "words\n\n| task | points |\n|---|---:|\n| `softmax` | 5 |\n| **total** | **20** |\n\nmore | words\n"
    )
    assert line_up_pipes(text) == (
        "words\n\n"
        "| task      | points |\n| --------- | -----: |\n| `softmax` |      5 |\n| **total** | **20** |\n"
        "\nmore | words\n"
    )
    assert line_up_pipes(line_up_pipes(text)) == line_up_pipes(text)


def test_a_pipe_inside_a_cell_does_not_end_it():
    assert line_up_pipes("| a |\n| --- |\n| b \\| c |\n") == "| a      |\n| ------ |\n| b \\| c |\n"


def test_a_pipe_table_that_lacks_a_cell_is_refused():
    with pytest.raises(ValueError, check=to_authors["handout_pipes.different-numbers-of-cells"]):
        line_up_pipes("| a | b |\n| --- | --- |\n| c |\n")


def test_the_alignment_of_columns_is_kept():
    text = "| one | two | three | four |\n|:--|:-:|--:|---|\n"
    assert line_up_pipes(text) == "| one | two | three | four |\n| :-- | :-: | ----: | ---- |\n"


def test_a_table_at_the_end_of_a_text_is_found():
    assert line_up_pipes("| a |\n|---|\n| long |") == "| a    |\n| ---- |\n| long |\n"
