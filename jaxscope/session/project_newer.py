"""Projects of a newer version: what is not known here is set aside on opening and put back on saving.

Invariant: saving a project that was opened loses nothing of it. What is set aside acts on nothing meanwhile.
"""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from jaxscope.errors import ChainError
from jaxscope.filters.montage_file import montage_from_dict
from jaxscope.filters.values import shown
from jaxscope.session.project_fields import checked
from jaxscope.session.state import ChannelLook, EngineChoice, RecordingRef, Viewport

_PARTS: dict[str, type[Any]] = {"view": Viewport, "engine": EngineChoice, "recording": RecordingRef}
#: fields of the view that are objects of their own
_OBJECTS = ("scales", "sensitivities")
_CHAIN_KEYS = ("format", "version", "name", "channels", "phase", "initial", "padding", "gaps", "stages")


def sort_out(
    content: dict[str, Any], known: tuple[str, ...], *, is_newer: bool, everywhere: bool
) -> tuple[dict[str, Any], str, list[str]]:
    """Return what is known here, the rest as JSON text (empty where there is none), and sentences about it.

    Parameters
    ----------
    content : dict
        A project as plain values.
    known : tuple of str
        Its parts.
    is_newer : bool
        A newer version has made it.
    everywhere : bool
        Set aside what is not known within the parts as well.
    """
    rest = {name: value for name, value in content.items() if name not in known}
    warnings = [f"the part {name!r} of the project is not known here: it is kept but off" for name in rest]
    content = {name: value for name, value in content.items() if name in known}
    if everywhere:
        for name, kind in _PARTS.items():
            if isinstance(content.get(name), dict):
                content[name], aside = _split(content[name], kind, name)
                rest |= {name: aside} if aside else {}
        if isinstance(content.get("looks"), dict):
            split = {name: _split(look, ChannelLook, "looks") for name, look in content["looks"].items()}
            content["looks"] = {name: look for name, (look, _) in split.items()}
            aside = {name: part for name, (_, part) in split.items() if part}
            rest |= {"looks": aside} if aside else {}
        if content.get("montage") is not None:
            try:
                montage_from_dict(content["montage"])
            except ChainError:
                rest["montage"] = content.pop("montage")
                warnings.append("the montage of the project is not known here: it is kept but off")
        if isinstance(content.get("chains"), list):
            content["chains"], aside = _without_new_keys(content["chains"], is_newer=is_newer)
            rest |= {"chains": aside} if aside else {}
    if is_newer:
        rest["version"] = content["version"]
        program = content.get("program")
        made_by = program if isinstance(program, str) and program else "a newer jaxscope"
        rest["program"] = made_by
        # one sentence for all of it: a person can do nothing about the single parts
        warnings = [f"This project was made by {shown(made_by)[1:-1]}"]
    return content, json.dumps(rest) if rest else "", warnings


def put_back(content: dict[str, Any], kept: str) -> dict[str, Any]:
    """Return a project with what was set aside; what is known here goes before it."""
    if not kept:
        return content
    rest: dict[str, Any] = json.loads(kept)
    head: dict[str, Any] = {name: rest.pop(name) for name in ("version", "program") if name in rest}
    chains = rest.pop("chains", {})
    montage = rest.pop("montage", None)
    if montage is not None and content.get("montage") is None:
        content = {**content, "montage": montage}
    merged = _merged({**content, **head}, rest)
    for number, more in chains.items():
        if int(number) < len(merged["chains"]):
            merged["chains"][int(number)] = _merged(merged["chains"][int(number)], more)
    return merged


def _merged(own: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    result = dict(own)
    for name, value in more.items():
        if name not in result:
            result[name] = value
        elif isinstance(result[name], dict) and isinstance(value, dict):
            result[name] = _merged(result[name], value)
    return result


def _split(part: Any, kind: type[Any], where: str) -> tuple[Any, dict[str, Any]]:
    """Return the fields that this version takes, and the others."""
    if not isinstance(part, dict):
        return part, {}
    items = {item.name: item for item in fields(kind)}
    aside = {name: value for name, value in part.items() if name not in items}
    for name, value in part.items():
        if name in items and name not in _OBJECTS:
            try:
                checked(value, items[name], where)
            except ChainError:
                aside[name] = value
    return {name: value for name, value in part.items() if name not in aside}, aside


def _without_new_keys(chains: list[Any], *, is_newer: bool) -> tuple[list[Any], dict[str, Any]]:
    known, aside = [], {}
    for number, chain in enumerate(chains):
        more = {name: chain[name] for name in chain if name not in _CHAIN_KEYS} if isinstance(chain, dict) else {}
        if isinstance(chain, dict):
            chain = {name: value for name, value in chain.items() if name not in more}
            if is_newer and isinstance(chain.get("version"), int):
                chain["version"] = 1
        known.append(chain)
        if more:
            aside[str(number)] = more
    return known, aside
