"""``python -m jaxscope``, and the entry point of the frozen app."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line and return its exit code."""
    from jaxscope.cli import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
