"""The command line: one file per command, no logic; bad input is one line and exit code 2.

This module imports nothing heavy, so that `diptych --version` answers at once.
"""

import sys
from collections.abc import Sequence

from diptych import __version__
from diptych.errors import DiptychError


def main(args: Sequence[str] | None = None) -> None:
    """Run one command; an error in the input is one line on stderr, with exit code 2."""
    arguments = list(sys.argv[1:] if args is None else args)
    if arguments == ["--version"]:
        sys.stdout.write(f"diptych {__version__}\n")
        return
    from diptych.cli._app import run

    try:
        run(arguments)
    except DiptychError as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(2)
