"""What leaves the kit: one renderer per file, all made from the same records.

In this room: grades.csv, results.json, feedback pages and the class report.
Not in this room: any decision about points. Every text that came from a submission is escaped here.
"""
