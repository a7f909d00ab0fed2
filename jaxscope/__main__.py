"""``python -m jaxscope``, and the entry point of the frozen app."""

from __future__ import annotations

import sys
from io import TextIOWrapper


def main() -> int:
    """Run the command line and return its exit code."""
    from jaxscope.cli import run

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # a minus sign or a name that the terminal's encoding lacks is no reason to fail
            stream.reconfigure(errors="backslashreplace")
    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
