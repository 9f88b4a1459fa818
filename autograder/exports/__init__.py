"""What leaves the kit: one renderer per file, all made from the same records.

In this room: grades.csv, results.json, feedback pages, the class report, and files for learning platforms.
Not in this room: any decision about points. Every text that came from a submission is escaped here.
"""
