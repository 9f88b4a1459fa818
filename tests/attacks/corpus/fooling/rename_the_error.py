"""fooling: raise an error whose name and text are made up for the report

score: 4
"""


class Passed(Exception):
    __module__ = "pytest"

    def __str__(self):
        return "\x1b[32mPASSED\x1b[0m <script>alert(1)</script>" * 1000


Passed.__name__ = Passed.__qualname__ = "\x1b[2J<b>all tests passed</b>\n" * 100


def softmax(x):
    raise Passed
