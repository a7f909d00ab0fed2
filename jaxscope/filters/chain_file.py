"""Chains as JSON: strict for the command line, tolerant for the window, written whole or not at all.

The invariant: ``chain_from_dict(chain_to_dict(chain)) == chain`` for every chain, to the last digit. Nothing in a file
is passed over: what is not known is named, with the nearest thing that is. In the tolerant mode a stage of an unknown
family is kept, off, with its data.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, ClassVar

from jaxscope.errors import ChainError, SpecError
from jaxscope.filters import FAMILIES
from jaxscope.filters.coefficients import Realisation
from jaxscope.filters.json_file import read_json, write_json
from jaxscope.filters.spec import AbstractFilterSpec, FilterChain, Padding, Stage
from jaxscope.filters.values import shown

FORMAT = "jaxscope-chain"
VERSION = 1
MAX_STAGES = 1000

_CHAIN_KEYS = ("format", "version", "name", "channels", "phase", "initial", "padding", "gaps", "stages")
_STAGE_KEYS = ("family", "enabled", "name", "origin")


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownSpec(AbstractFilterSpec):
    """A stage of a family that this version does not know: kept as it is, never run."""

    family: ClassVar[str] = "unknown"
    title: ClassVar[str] = "Not known here"
    summary: ClassVar[str] = "A stage of a newer version or another program: off, and kept as it is"

    family_name: str = ""
    #: the stage as JSON text
    data: str = "{}"

    def check(self, rate_hz: float) -> None:
        raise SpecError("family", f'stage "{self.family_name}" is not known here', hint="it is off and kept as it is")

    def design(self, rate_hz: float) -> Realisation:
        self.check(rate_hz)
        raise AssertionError("check always raises")


def spec_to_dict(spec: AbstractFilterSpec) -> dict[str, Any]:
    """Return a spec as plain JSON values; fields that are None are left out."""
    if isinstance(spec, UnknownSpec):
        return dict(json.loads(spec.data))
    result: dict[str, Any] = {"family": spec.family}
    for item in spec.knobs():
        value = getattr(spec, item.name)
        if value is not None:
            result[item.name] = _plain(value)
    return result


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def stage_to_dict(stage: Stage) -> dict[str, Any]:
    """Return a stage as it stands in a chain file."""
    result = spec_to_dict(stage.spec)
    if isinstance(stage.spec, UnknownSpec):
        return result
    if not stage.enabled:
        result["enabled"] = False
    if stage.name:
        result["name"] = stage.name
    if stage.origin is not None:
        result["origin"] = spec_to_dict(stage.origin)
    return result


def chain_to_dict(chain: FilterChain) -> dict[str, Any]:
    """Return a chain as the JSON object of a chain file."""
    result: dict[str, Any] = {"format": FORMAT, "version": VERSION, "name": chain.name}
    if chain.channels is not None:
        result["channels"] = list(chain.channels)
    result |= {
        "phase": chain.phase,
        "initial": chain.initial,
        "padding": {"kind": chain.padding.kind, "samples": chain.padding.samples},
        "gaps": chain.gaps,
        "stages": [stage_to_dict(stage) for stage in chain.stages],
    }
    return result


def _nearest(name: str, known: Iterable[str]) -> str:
    matches = get_close_matches(name, list(known), n=1, cutoff=0.4)
    return matches[0] if matches else ""


def _refuse_unknown(data: Mapping[str, Any], known: tuple[str, ...], what: str) -> None:
    for key in data:
        if key not in known:
            near = _nearest(key, known)
            hint = f'did you mean "{near}"?' if near else f"{what} has {', '.join(known)}"
            raise SpecError(str(key), f"{what} has no field {shown(key)}", hint=hint)


def _object(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ChainError(f"{what} is {shown(value)}, which is not an object", hint="write { … }")
    return value


def _text(field: str, value: Any) -> str:
    if not isinstance(value, str):
        raise SpecError(field, f"{field} is {shown(value)}, which is not a text", hint="write it in quotes")
    return value


def spec_from_dict(data: Mapping[str, Any], *, tolerant: bool = False) -> AbstractFilterSpec:
    """Return the spec that an object with ``family`` and its fields describes.

    Raises
    ------
    ChainError
        Family or field not known (the nearest is named), or a value that cannot be.
    """
    if "family" not in data:
        raise SpecError("family", "a stage has no family", hint=f"give one of {', '.join(FAMILIES)}")
    name = _text("family", data["family"])
    if name not in FAMILIES:
        if tolerant:
            return UnknownSpec(family_name=name, data=json.dumps(data))
        near = FAMILIES.nearest(name)
        hint = f'did you mean "{near}"?' if near else f"known are {', '.join(FAMILIES)}"
        raise SpecError("family", f"family {shown(name)} is not known", hint=hint)
    family = FAMILIES[name]
    fields = tuple(item.name for item in family.knobs())
    values = {key: value for key, value in data.items() if key != "family"}
    _refuse_unknown(values, fields, name)
    spec: AbstractFilterSpec = family(**values)
    return spec


def stage_from_dict(data: Any, *, tolerant: bool = False) -> Stage:
    """Return a stage; in the tolerant mode one of an unknown family is off and keeps its data."""
    data = _object(data, "a stage")
    fields = {key: value for key, value in data.items() if key not in _STAGE_KEYS or key == "family"}
    spec = spec_from_dict(data if tolerant and data.get("family") not in FAMILIES else fields, tolerant=tolerant)
    enabled = data.get("enabled", True)
    if not isinstance(enabled, bool):
        raise SpecError("enabled", f"enabled is {shown(enabled)}", hint="give true or false")
    name = _text("name", data.get("name", ""))
    if isinstance(spec, UnknownSpec):
        return Stage(spec=spec, enabled=False, name=name)
    origin = data.get("origin")
    return Stage(
        spec=spec,
        enabled=enabled,
        name=name,
        origin=None if origin is None else spec_from_dict(_object(origin, "origin"), tolerant=tolerant),
    )


def _padding_from(value: Any) -> Padding:
    data = _object(value, "padding")
    _refuse_unknown(data, ("kind", "samples"), "padding")
    return Padding(kind=data.get("kind", "odd"), samples=data.get("samples"))


def _channels_from(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise SpecError("channels", f"channels is {shown(value)}, which is not a list", hint='write ["EEG*", "Fp1"]')
    return tuple(_text("channels", item) for item in value)


def _check_header(data: Mapping[str, Any]) -> None:
    format_, version = data.get("format"), data.get("version")
    if format_ != FORMAT:
        hint = (
            "open it with --project" if format_ == "jaxscope-project" else f'it should begin with "format": "{FORMAT}"'
        )
        raise ChainError(f"this is not a filter chain: format is {shown(format_)}", hint=hint)
    if isinstance(version, float) and version.is_integer():
        version = int(version)  # other languages write whole numbers so
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise ChainError(
            f"version is {shown(version)}, which is not a version", hint=f"version {VERSION} is known here"
        )
    if version > VERSION:
        raise ChainError(
            f"the chain is of version {version}, from a newer jaxscope",
            hint=f"version {VERSION} is known here; update jaxscope",
        )


def chain_from_dict(data: Any, *, tolerant: bool = False) -> FilterChain:
    """Return the chain that the JSON object of a chain file describes.

    Parameters
    ----------
    data : dict
        As ``json.load`` gives it.
    tolerant : bool
        Keep stages of unknown families, off, instead of refusing them.

    Raises
    ------
    ChainError
        Something in it is not known, or cannot be.
    """
    data = _object(data, "a chain")
    _check_header(data)
    _refuse_unknown(data, _CHAIN_KEYS, "a chain")
    stages = data.get("stages", [])
    if not isinstance(stages, list):
        raise SpecError("stages", f"stages is {shown(stages)}, which is not a list", hint="write [ … ]")
    if len(stages) > MAX_STAGES:
        raise SpecError("stages", f"there are {len(stages)} stages", hint=f"give {MAX_STAGES} or fewer")
    return FilterChain(
        name=_text("name", data.get("name", "")),
        channels=_channels_from(data["channels"]) if data.get("channels") is not None else None,
        phase=data.get("phase", "causal"),
        initial=data.get("initial", "steady"),
        padding=_padding_from(data.get("padding", {})),
        gaps=data.get("gaps", "segment"),
        stages=tuple(_numbered(number, stage, tolerant=tolerant) for number, stage in enumerate(stages, start=1)),
    )


@contextmanager
def placed(place: str) -> Iterator[None]:
    """Put the place where something is wrong, a file or a stage, before the sentence of an error from inside."""
    try:
        yield
    except ChainError as error:
        error.message = f"{place}: {error.message}"
        error.args = (error.message,)
        raise


def _numbered(number: int, data: Any, *, tolerant: bool) -> Stage:
    with placed(f"stage {number}"):
        return stage_from_dict(data, tolerant=tolerant)


def load_chain(path: str | Path, *, tolerant: bool = False) -> FilterChain:
    """Read a chain file.

    Raises
    ------
    ChainError
        The file is missing, too large, not JSON, or not a chain; the sentence names the file.
    """
    path = Path(path)
    data = read_json(path, "chain file")
    with placed(path.name):
        return chain_from_dict(data, tolerant=tolerant)


def save_chain(chain: FilterChain, path: str | Path) -> None:
    """Write a chain file; what was there before stays whole until the new one is complete.

    Raises
    ------
    ChainError
        The file cannot be written.
    """
    path = Path(path)
    try:
        write_json(path, chain_to_dict(chain), ascii_only=False)
    except OSError as error:
        raise ChainError(f"{path} cannot be written: {error.strerror}", hint="choose another folder") from error
