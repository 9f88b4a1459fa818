"""The staff's view of a class: its tables, its report, a page for each submission, written answers."""
