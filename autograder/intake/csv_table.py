"""Names of ``autograder.csv_table`` at the path from which platforms that schools have added import them."""

from autograder.csv_table import (
    Cell,
    Table,
    TableError,
    as_read_back,
    escape_formulas,
    parse_decimal,
    parse_not_negative,
    parse_table,
    points_cell,
    read_bytes,
    read_table,
    unescape_formulas,
    write_table,
)

__all__ = [
    "Cell",
    "Table",
    "TableError",
    "as_read_back",
    "escape_formulas",
    "parse_decimal",
    "parse_not_negative",
    "parse_table",
    "points_cell",
    "read_bytes",
    "read_table",
    "unescape_formulas",
    "write_table",
]
