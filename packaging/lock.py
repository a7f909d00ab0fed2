"""Write the locked requirements from pyproject.toml: for every supported Python at once, with hashes, naming no index.

Three files: what runs the app, what also tests it, and what also packages it. The later ones are held to the versions
of the first, so that installing a wider set never changes what the narrower one runs with.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST_PYTHON = "3.11"

# In each lock: what builds the package without a network, and what some file formats need.
EVERY = ["--group", "build", "--extra", "formats"]
RUN = "packaging/requirements.txt"
LOCKS = {
    RUN: EVERY,
    "packaging/requirements-dev.txt": [*EVERY, "--extra", "dev", "--constraint", RUN],
    "packaging/requirements-package.txt": [*EVERY, "--group", "package", "--constraint", RUN],
}


def main() -> int:
    """Compile each lock; extra arguments such as ``--upgrade`` go to uv."""
    for name, chosen in LOCKS.items():
        command = [
            *(sys.executable, "-m", "uv", "pip", "compile", "pyproject.toml", *chosen),
            *("--universal", "--python-version", OLDEST_PYTHON, "--generate-hashes", "--output-file", name),
            *("--no-emit-index-url", "--no-emit-find-links", "--no-header", "--no-annotate", "--quiet"),
            *sys.argv[1:],
        ]
        subprocess.run(command, cwd=ROOT, check=True)
        print(f"{name} is written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
