"""Where the files of ``resources/`` are: in the source tree, in an installed wheel and in the frozen app.

A wheel and the frozen app carry the folder inside the package, as ``jaxscope/resources``; the source tree and an
editable installation have it beside the package. The one inside wins, so a stranger's folder called ``resources`` in
``site-packages`` is never taken for ours. Invariant: a path that is returned exists.
"""

from __future__ import annotations

from pathlib import Path

from jaxscope.errors import JaxscopeError

_PACKAGE = Path(__file__).resolve().parent


def resource_folder() -> Path:
    """Return the folder that holds the tokens, the keymap, icons, licences and the demonstration recording."""
    inside = _PACKAGE / "resources"
    return inside if inside.is_dir() else _PACKAGE.parent / "resources"


def resource_path(name: str) -> Path:
    """Return the path of one resource.

    Parameters
    ----------
    name : str
        Path below ``resources/`` with forward slashes, such as ``"tokens.json"`` or ``"icons/jaxscope.svg"``.

    Returns
    -------
    Path
        Absolute path of an existing file or folder.

    Raises
    ------
    JaxscopeError
        If the installation lacks it.
    """
    path = resource_folder().joinpath(*name.split("/"))
    if not path.exists():
        raise JaxscopeError(f"the resource {name!r} is missing from this installation", hint="install jaxscope again")
    return path
