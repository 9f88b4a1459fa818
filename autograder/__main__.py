"""``python -m autograder`` is the ``autograder`` command."""

from autograder.safe_path import WithoutCurrentFolder

if __name__ == "__main__":
    with WithoutCurrentFolder():  # before anything else is imported
        from autograder.cli.app import main

        main()
