"""The shared libraries that Qt loads from the system on Linux, and how to get the ones that are missing.

Qt's wheels bring Qt itself, but not the drawing, font, keyboard and X11 libraries that every desktop has and a bare
server lacks. The tables are what ``libQt6Gui``, ``libQt6DBus`` and the platform plugins ask for; each row also says
which Debian package brings the file.
"""

import ctypes
import os
import shlex
import shutil
import subprocess
import sys

# What any Qt program needs, with or without a screen.
ALWAYS = {
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libX11.so.6": "libx11-6",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libz.so.1": "zlib1g",
    "libzstd.so.1": "libzstd1",
    "libstdc++.so.6": "libstdc++6",
}
# What the X11 and Wayland plugins need: only with a screen.
WITH_A_SCREEN = {
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb.so.1": "libxcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-glx.so.0": "libxcb-glx0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
}
DEBIAN_PACKAGES = sorted(set(ALWAYS.values()) | set(WITH_A_SCREEN.values()))


def is_missing(library):
    """Tell whether the dynamic loader cannot find a library such as ``libGL.so.1``."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return True
    return False


def missing(table):
    """Return the libraries of a table that cannot be loaded."""
    return [library for library in table if is_missing(library)]


def install_command(libraries):
    """Return the command that installs libraries with this system's package manager, or None if it has none we know."""
    table = dict(ALWAYS, **WITH_A_SCREEN)
    packages = sorted({table[library] for library in libraries})
    if shutil.which("apt-get"):
        return ["apt-get", "install", "--yes", "--no-install-recommends", *packages]
    provided = [library + "()(64bit)" for library in sorted(libraries)]
    for manager in ("dnf", "zypper"):
        if shutil.which(manager):
            return [manager, "install", *provided]
    return None


def apt_get(packages, say):
    """Install Debian packages as root, refreshing the list of packages first; say so; return whether it worked."""
    say("installing with apt-get: " + " ".join(packages))
    quiet = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    update = subprocess.run(["apt-get", "update", "-qq"], env=quiet, stdout=subprocess.DEVNULL)
    if update.returncode != 0:
        say("apt-get update failed; trying with the list of packages that is there")
    command = ["apt-get", "install", "-qq", "--yes", "--no-install-recommends", *packages]
    return subprocess.run(command, env=quiet, stdout=subprocess.DEVNULL).returncode == 0


def ensure(say):
    """Make sure that Qt's libraries are there, as far as this may be done.

    Parameters
    ----------
    say : callable
        Takes one line of text for the user.

    Returns
    -------
    bool
        False if the app cannot start, even without a screen; what to do has then been said.
    """
    if not sys.platform.startswith("linux"):
        return True
    absent = missing(ALWAYS) + missing(WITH_A_SCREEN)
    if not absent:
        return True
    say("Qt needs system libraries that are missing here: " + ", ".join(absent))
    command = install_command(absent)
    if command is not None and command[0] == "apt-get" and os.geteuid() == 0:
        if apt_get(command[4:], say):
            absent = missing(ALWAYS) + missing(WITH_A_SCREEN)
            if not absent:
                say("they are installed")
                return True
        say("apt-get could not install all of them; still missing: " + ", ".join(absent))
    elif command is not None:
        sudo = [] if os.geteuid() == 0 else ["sudo"]
        say("install them with: " + " ".join(shlex.quote(word) for word in [*sudo, *command]))
    else:
        say("install them with this system's package manager")
    if any(library in ALWAYS for library in absent):
        return False
    say("going on without them: enough to work without a screen")
    return True
