"""The front door: one file a command.

May import compute, session, filters and gui.app, inside functions. Must never load Qt or jax at import time.
"""

from jaxscope.cli.run import run

__all__ = ["run"]
