"""Build the app as a folder with PyInstaller, run its self-test, and pack it as a .deb where Debian's tools are.

Run by ``make package`` in the environment of ``requirements-package.txt``. Results: ``dist/jaxscope/`` and
``dist/jaxscope_<version>_<architecture>.deb``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from PyInstaller.archive.readers import CArchiveReader
from system_libraries import DEBIAN_PACKAGES

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
BUNDLE = DIST / "jaxscope"
STAGE = ROOT / "build" / "deb"

sys.path.insert(0, str(ROOT))
from jaxscope import __version__  # noqa: E402

CONTROL = """\
Package: jaxscope
Version: {version}
Architecture: {architecture}
Maintainer: The jaxscope developers <developers@jaxscope.invalid>
Installed-Size: {kilobytes}
Depends: {depends}
Section: science
Priority: optional
Description: see multichannel recordings before and after a filter, while you tune it
 jaxscope opens recordings of many channels (EDF, BDF, WAV, FLAC, NPY, CSV), shows each trace before and
 after a filter, and redraws both while a cutoff or a coefficient is being dragged. What was tuned is
 exported with the same numbers from the window or from the command line.
"""


def check_tools() -> None:
    """Stop with a sentence if PyInstaller would fail for want of a tool of the system."""
    if sys.platform.startswith("linux") and not shutil.which("objdump"):
        raise SystemExit("objdump is missing, which PyInstaller needs; install it with: apt-get install binutils")
    if os.name == "posix" and not sysconfig.get_config_var("Py_ENABLE_SHARED"):
        raise SystemExit("this Python has no shared library to pack; name another: make package PYTHON=...")


def bundle() -> None:
    """Make ``dist/jaxscope`` from the recipe."""
    folders = ["--distpath", str(DIST), "--workpath", str(ROOT / "build" / "pyinstaller")]
    recipe = str(ROOT / "packaging" / "jaxscope.spec")
    subprocess.run(
        [sys.executable, "-m", "PyInstaller", "--noconfirm", "--clean", "--log-level", "WARN", *folders, recipe],
        cwd=ROOT,
        check=True,
    )
    print(f"{BUNDLE.relative_to(ROOT)}: {size_mb(BUNDLE):.0f} MB")


def size_mb(folder: Path) -> float:
    """Return the size of all files below a folder in megabytes."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir()) / 1e6


def real_files(folder: Path) -> list[Path]:
    """Return the files below a folder that are no links."""
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]


def neutralise(folder: Path) -> None:
    """Overwrite the folder of the Python that builds, which its libraries name as a place to search.

    A place below ``/usr`` is everybody's and stays. Another one would tell of this machine, and the app would look for
    libraries there. Lengths must not change, so it becomes a name of the same length that no system has. Its last part
    stays: where that is the version, the linker has let "3.11.7" itself share these bytes.
    """
    if sys.base_prefix.startswith("/usr"):
        return
    place = os.fsencode(sys.base_prefix)
    last = place[place.rindex(b"/") :]
    nowhere = b"/nowhere".ljust(len(place) - len(last), b"_")[: len(place) - len(last)] + last
    for path in real_files(folder):
        content = path.read_bytes()
        if place in content:
            path.write_bytes(content.replace(place, nowhere))


def check_that_no_path_leaks(folder: Path) -> None:
    """Stop if the bundle names the folder that it was built in, be it in a file or in a packed module."""
    places = [str(ROOT), sys.prefix, sys.base_prefix]
    tell_tales = [os.fsencode(place) for place in places if not place.startswith("/usr")]
    told = [path.name for path in real_files(folder) if any(tale in path.read_bytes() for tale in tell_tales)]
    packed = CArchiveReader(str(folder / "jaxscope")).open_embedded_archive("PYZ.pyz")
    told += [name for name in packed.toc if any(tale in (packed.extract(name, raw=True) or b"") for tale in tell_tales)]
    if told:
        raise SystemExit(f"these parts of the bundle name a folder of this machine: {', '.join(told[:9])}")


def self_test() -> None:
    """Run the self-test and draw the window inside the bundle, away from the checkout."""
    for words in (["selftest"], ["demo", "--screenshot", "jaxscope-demo.png"]):
        subprocess.run([str(BUNDLE / "jaxscope"), *words], cwd=DIST, check=True)


def architecture() -> str:
    """Return Debian's name of this machine's architecture."""
    done = subprocess.run(["dpkg", "--print-architecture"], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def glibc() -> str:
    """Return the version of the C library here: the oldest that the bundle is sure to run with."""
    return (os.confstr("CS_GNU_LIBC_VERSION") or "glibc 2.36").split()[1]


def debian_package() -> Path:
    """Pack the bundle as a .deb and return its path."""
    shutil.rmtree(STAGE, ignore_errors=True)
    shutil.copytree(BUNDLE, STAGE / "opt" / "jaxscope", symlinks=True)
    (STAGE / "usr" / "bin").mkdir(parents=True)
    (STAGE / "usr" / "bin" / "jaxscope").symlink_to("/opt/jaxscope/jaxscope")
    for source, target in {
        "packaging/jaxscope.desktop": "usr/share/applications/jaxscope.desktop",
        "resources/icons/jaxscope.svg": "usr/share/icons/hicolor/scalable/apps/jaxscope.svg",
        "LICENSE": "usr/share/doc/jaxscope/copyright",
        "THIRD_PARTY_LICENSES": "usr/share/doc/jaxscope/THIRD_PARTY_LICENSES",
    }.items():
        (STAGE / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / source, STAGE / target)
    text = CONTROL.format(
        version=__version__,
        architecture=architecture(),
        kilobytes=int(size_mb(STAGE) * 1000),
        depends=", ".join([f"libc6 (>= {glibc()})", *DEBIAN_PACKAGES]),
    )
    (STAGE / "DEBIAN").mkdir()
    (STAGE / "DEBIAN" / "control").write_text(text, encoding="utf-8")
    for path in [STAGE, *STAGE.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
    target = DIST / f"jaxscope_{__version__}_{architecture()}.deb"
    pack = ["dpkg-deb", "--root-owner-group", "-Zzstd", "-z6", "--build", str(STAGE), str(target)]
    subprocess.run(pack, check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(STAGE)
    return target


def main() -> None:
    """Build everything that can be built on this system."""
    check_tools()
    bundle()
    neutralise(BUNDLE)
    check_that_no_path_leaks(BUNDLE)
    self_test()
    if shutil.which("dpkg-deb"):
        target = debian_package()
        print(f"{target.relative_to(ROOT)}: {target.stat().st_size / 1e6:.0f} MB")
    else:
        print("no dpkg-deb here, so no .deb")


if __name__ == "__main__":
    main()
