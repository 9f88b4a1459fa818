"""The base class of every error that a user can fix."""


class KitError(Exception):
    """The message names what is wrong and what to do; the command line shows it without a traceback."""
