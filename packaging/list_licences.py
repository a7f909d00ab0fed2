"""Write the list of everything that is shipped with jaxscope, and under which terms, from what is installed.

Two files from one table: ``resources/licences.json``, which ``jaxscope licences`` and the window read, and
``THIRD_PARTY_LICENSES`` for somebody who reads the source. Every distribution of ``requirements.txt`` is in it, and the
libraries and fonts that lie inside some of them. Names come without versions: the list is the same for every Python.
"""

from __future__ import annotations

import json
import re
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "packaging" / "requirements.txt"
JSON_FILE = ROOT / "resources" / "licences.json"
TEXT_FILE = ROOT / "THIRD_PARTY_LICENSES"


class Component(NamedTuple):
    """One row: what it is, its terms (an SPDX expression), and where their text is."""

    name: str
    licence: str
    text: str


# What lies inside a distribution, or only inside the installed app, and has terms of its own.
INSIDE = [
    Component("Python (in the installed app)", "PSF-2.0", "docs.python.org/3/license.html"),
    Component(
        "PyInstaller's start-up program (in the installed app)", "GPL-2.0 with an exception", "pyinstaller.org/license"
    ),
    Component("Qt", "LGPL-3.0-only", "resources/licences/LGPL-3.0.txt and GPL-3.0.txt"),
    Component("ICU (in Qt)", "Unicode-3.0", "unicode.org/license.txt"),
    Component("libsndfile", "LGPL-2.1-or-later", "resources/licences/LGPL-2.1.txt"),
    Component("libmpg123 (in libsndfile)", "LGPL-2.1-only", "resources/licences/LGPL-2.1.txt"),
    Component("LAME (in libsndfile)", "LGPL-2.0-or-later", "resources/licences/LGPL-2.1.txt"),
    Component("libFLAC, libogg, libvorbis, libopus (in libsndfile)", "BSD-3-Clause", "resources/licences/Xiph-BSD.txt"),
    Component("Inter (font)", "OFL-1.1", "fontpkg_inter/LICENSE"),
    Component("JetBrains Mono (font)", "OFL-1.1", "fontpkg_jetbrains_mono/LICENSE"),
    Component("Phosphor (icon font)", "MIT", "resources/licences/MIT-Phosphor.txt"),
    Component("Remix Icon (icon font)", "Apache-2.0", "resources/licences/Apache-2.0.txt"),
    Component("Material Design Icons (icon font)", "Apache-2.0", "resources/licences/Apache-2.0.txt"),
    Component("Font Awesome, Elusive Icons (icon fonts)", "OFL-1.1", "resources/licences/OFL-1.1.txt"),
    Component("Codicons (icon font)", "CC-BY-4.0", "creativecommons.org/licenses/by/4.0/legalcode"),
]
# Where the metadata of a distribution says it in prose, or wrongly by omission; read from its licence file.
SAID_IN_PROSE = {
    "colorama": "BSD-3-Clause",
    "edfio": "Apache-2.0",
    "markdown-it-py": "MIT",
    "mdurl": "MIT",
    "polars": "MIT",
    "polars-runtime-32": "MIT",
    "scipy": "BSD-3-Clause",
    "soundfile": "BSD-3-Clause",
}
# Wheels without a licence file of their own.
TEXT_ELSEWHERE = {
    "fontpkg": "resources/licences/MIT-fontpkg.txt",
    "nptdms": "resources/licences/LGPL-3.0.txt and GPL-3.0.txt",
    "pyside6-essentials": "resources/licences/LGPL-3.0.txt and GPL-3.0.txt",
    "shiboken6": "resources/licences/LGPL-3.0.txt and GPL-3.0.txt",
}
ONLY_TO_BUILD = {"setuptools"}


def locked_names() -> list[str]:
    """Return the names of the distributions that the app runs with, on any system, sorted."""
    names = set(re.findall(r"^([a-z0-9][a-z0-9._-]*)==", LOCK.read_text(encoding="utf-8"), re.MULTILINE))
    return sorted(names - ONLY_TO_BUILD)


def describe(name: str) -> Component:
    """Return the row of one distribution that is installed."""
    if name == "colorama":  # only on Windows
        return Component(name, SAID_IN_PROSE[name], "colorama-*.dist-info/licenses/LICENSE.txt")
    distribution = metadata.distribution(name)
    about = distribution.metadata
    licence = SAID_IN_PROSE.get(name) or about.get("License-Expression") or about.get("License") or ""
    if not licence or "\n" in licence:
        raise SystemExit(f"{name}: its metadata names no licence; read its licence file, add a line to SAID_IN_PROSE")
    if name in TEXT_ELSEWHERE:
        return Component(name, licence, TEXT_ELSEWHERE[name])
    files = [str(path) for path in distribution.files or []]
    found = [path for path in files if re.search(r"\.dist-info/(licenses/)?LICEN[CS]E[^/]*$", path)]
    if not found:
        raise SystemExit(f"{name}: no licence file in its wheel; add a line to TEXT_ELSEWHERE")
    return Component(name, licence, re.sub(r"-[^-/]+\.dist-info", "-*.dist-info", min(found)))


def main() -> None:
    """Write both files."""
    rows = [*INSIDE, *(describe(name) for name in locked_names())]
    JSON_FILE.write_text(json.dumps([row._asdict() for row in rows], indent=1) + "\n", encoding="utf-8")
    width = max(len(row.name) for row in rows)
    lines = [f"{row.name:<{width}}  {row.licence}\n{'':<{width}}  {row.text}" for row in rows]
    TEXT_FILE.write_text(HEADER + "\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(rows)} components")


HEADER = """\
What jaxscope is shipped with, under which terms, and where their texts are. jaxscope itself is under LICENSE.

Paths under resources/ are in this project, and in the installed app below jaxscope/resources/. All other paths are
beside the packages: in site-packages, or in the folder _internal/ of the installed app.

Qt, PySide6 and shiboken6 are used under the LGPL 3: unchanged, as shared libraries, which the installed app keeps as
files of their own (_internal/PySide6/) so that they can be replaced. So is libsndfile (_internal/_soundfile_data/),
under the LGPL 2.1. Their sources are published by their projects (qtbase, qtsvg, qtwayland, pyside-setup; libsndfile),
at the versions that packaging/requirements.txt names.

"""

if __name__ == "__main__":
    main()
