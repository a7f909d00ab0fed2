"""Set up the virtual environment that the commands of the Makefile run in.

Needs nothing but a plain Python: makes ``.venv``, installs the locked requirements by their hashes and the package
itself in editable form, and leaves a stamp, so that the next call only compares the stamp and returns. Invariant: a
stamp is written last and removed first, so an interrupted set-up is done again. Nothing outside the checkout is
touched, but for Debian's missing libraries (``system_libraries``). The syntax is kept old on purpose: an old Python
must get as far as being told that it is too old.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

OLDEST = (3, 11)
if sys.version_info < OLDEST:
    sys.exit(
        "jaxscope needs Python {}.{} or newer, and this is Python {}.{}; ".format(*OLDEST, *sys.version_info[:2])
        + "name a newer one, for example: make run PYTHON=python3.12"
    )

import system_libraries  # noqa: E402  (beside this file; only after the check above)

ROOT = Path(__file__).resolve().parent.parent
STAMP = "jaxscope-setup.json"
# What is set up for each purpose: where, from which lock, and which purposes that covers.
PURPOSES = {
    "run": (".venv", "requirements.txt", ["run"]),
    "test": (".venv", "requirements-dev.txt", ["run", "test"]),
    "package": ("build/venv", "requirements-package.txt", ["package"]),
}
# A change in any of these makes a set-up out of date, beside its lock.
INPUTS = ["pyproject.toml", "setup.py", "packaging/bootstrap.py"]


def say(text):
    """Print one line for the user."""
    print("jaxscope: " + text, flush=True)


class SetupError(Exception):
    """Something that stops the set-up and is told in one line."""


def python_of(folder):
    """Return the path of the interpreter in a virtual environment."""
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def fingerprint(lock, root=ROOT):
    """Return a hash of everything that decides what is installed for a lock."""
    digest = hashlib.sha256()
    for name in ["packaging/" + lock, *INPUTS]:
        digest.update(name.encode() + b"\0" + (root / name).read_bytes() + b"\0")
    return digest.hexdigest()


def read_stamp(folder):
    """Return what the stamp of a virtual environment says; empty if there is none or it is damaged."""
    try:
        stamp = json.loads((folder / STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def environment_version(folder):
    """Return ``"3.11"`` and the like for a virtual environment that works, else None."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        answer = subprocess.run([str(python_of(folder)), "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except OSError:
        return None
    return answer.stdout.decode().strip() if answer.returncode == 0 else None


def why_not_usable(folder, root=ROOT):
    """Return why an existing virtual environment has to be made again, or None if it can be kept."""
    wanted = "{}.{}".format(*sys.version_info[:2])
    found = environment_version(folder)
    if found is None:
        return "it does not work"
    if found != wanted:
        return f"it is for Python {found}, and this is Python {wanted}"
    if read_stamp(folder).get("root", str(root)) != str(root):
        return "the checkout has moved"
    return None


def clean_environment():
    """Return the environment for pip: without what would send its work elsewhere or cap the locked versions."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONHOME", "PYTHONPATH", "PIP_TARGET", "PIP_PREFIX", "PIP_BUILD_CONSTRAINT")
    }
    return dict(
        kept,
        PIP_CONSTRAINT=os.devnull,
        PIP_USER="0",
        PIP_DISABLE_PIP_VERSION_CHECK="1",
    )


def call(command, what):
    """Run a command quietly; on failure show what it printed and stop."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=str(ROOT),
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    if done.returncode != 0:
        sys.stderr.write(done.stdout.decode(errors="replace"))
        raise SetupError(what + " failed; what it printed is above")


def has_ensurepip():
    """Tell whether this Python can put pip into a virtual environment (Debian splits that off)."""
    code = "import ensurepip, sys; sys.exit(not ensurepip.version())"
    return (
        subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
        == 0
    )


def ensure_venv_module():
    """Make sure that ``python -m venv`` works; on Debian as root by installing the package that it lies in."""
    if has_ensurepip():
        return
    package = "python{}.{}-venv".format(*sys.version_info[:2])
    if not shutil.which("apt-get"):
        raise SetupError(
            "this Python lacks ensurepip, so it cannot make a virtual environment; name another: make run PYTHON=…"
        )
    if os.geteuid() != 0:
        raise SetupError(
            "Debian keeps a part of Python in a package of its own; install it with: sudo apt-get install --yes "
            + package
        )
    if not (system_libraries.apt_get([package], say) and has_ensurepip()):
        raise SetupError(f"apt-get could not install {package}; install it by hand, then try again")


def make_environment(folder):
    """Make a virtual environment, in place of one that cannot be used any more."""
    if folder.exists():
        reason = why_not_usable(folder)
        if reason is None:
            return
        if not (folder / "pyvenv.cfg").is_file() and any(folder.iterdir()):
            raise SetupError(f"{folder} is there and is no virtual environment; move it away")
        say(f"making {folder.relative_to(ROOT)} again: {reason}")
        shutil.rmtree(str(folder))
    else:
        say(f"making the virtual environment {folder.relative_to(ROOT)} with Python {sys.version.split()[0]}")
    ensure_venv_module()
    call([sys.executable, "-m", "venv", folder], "making the virtual environment")


def install(folder, lock):
    """Install a lock, exactly, and the package itself, editable."""
    pip = [python_of(folder), "-m", "pip", "--quiet"]
    say("installing the locked dependencies (the first time this loads some 300 MB)")
    call(
        [*pip, "install", "--require-hashes", "--no-deps", "--only-binary", ":all:", "-r", ROOT / "packaging" / lock],
        "installing the dependencies",
    )
    # setuptools is in the lock, so building the package needs no network.
    call([*pip, "install", "--no-deps", "--no-build-isolation", "--editable", ROOT], "installing jaxscope itself")


def set_up(purpose):
    """Set up one purpose, or find that it is set up already."""
    place, lock, covered = PURPOSES[purpose]
    folder = ROOT / place
    if read_stamp(folder).get(purpose) == fingerprint(lock) and why_not_usable(folder) is None:
        return
    make_environment(folder)
    (folder / STAMP).unlink(missing_ok=True)
    install(folder, lock)
    stamp = {name: fingerprint(PURPOSES[name][1]) for name in covered}
    (folder / STAMP).write_text(json.dumps(dict(stamp, root=str(ROOT)), indent=1) + "\n", encoding="utf-8")
    say(f"{place} is ready")


def main(arguments):
    """Set up for the purpose that is named and return the exit code."""
    if len(arguments) != 1 or arguments[0] not in PURPOSES:
        say("usage: python3 packaging/bootstrap.py " + "|".join(PURPOSES))
        return 2
    try:
        if not system_libraries.ensure(say):
            return 1
        set_up(arguments[0])
    except SetupError as error:
        say(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
