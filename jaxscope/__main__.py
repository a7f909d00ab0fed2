"""``python -m jaxscope``, and the entry point of the frozen app.

Nothing is imported before an interruption is taken in order: Ctrl-C while the program loads is no error either.
"""

from __future__ import annotations

import os
import signal
import sys
import threading


def main() -> int:
    """Run the command line and return its exit code."""
    try:
        code = _main()
    except KeyboardInterrupt:
        sys.stderr.write("jaxscope: interrupted; nothing was written\n")
        code = 130
    if code == 130 and threading.active_count() > 1:
        _leave(code)
    return code


def _main() -> int:
    from jaxscope.interruption import Interrupter

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, Interrupter())
    from io import TextIOWrapper

    from jaxscope.cli import run

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # a minus sign or a name that the terminal's encoding lacks is no reason to fail
            stream.reconfigure(errors="backslashreplace")
    return run(sys.argv[1:])


def _leave(code: int) -> None:
    """End at once: what another thread measures or compiles would keep an interrupted program, or crash it."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # a window of Windows has none
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    sys.exit(main())
