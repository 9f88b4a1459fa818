"""Learning platforms: Canvas, Moodle, Gradescope and GitHub Classroom, their downloads and their uploads."""
