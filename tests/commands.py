"""The command line, run in this process."""

from diptych.cli import main


def run(*args: object) -> int:
    """The exit code of `diptych ARGS`."""
    try:
        main(list(map(str, args)))
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0
