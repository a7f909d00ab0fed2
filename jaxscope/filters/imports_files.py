"""Files of numbers: MATLAB's ``.mat``, NumPy's ``.npy`` and ``.npz``, JSON of other programs, pyfda's filters.

Nothing is unpacked beyond ``MAX_BYTES``, whatever a file claims, and nothing is ever unpickled. pyfda keeps a filter as
``sos``, ``ba`` and ``zpk`` with its rate ``f_S`` (JSON, or NPZ of which the plain arrays are read) and exports a table
called ``ba`` or ``zpk``.
"""

from __future__ import annotations

import io
import json
import math
import struct
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from jaxscope.errors import ChainError
from jaxscope.filters.chain_file import chain_from_dict, stage_from_dict
from jaxscope.filters.imports_numbers import MAX_NUMBERS, RATELESS, Imported, NothingFoundError, numbers_of, stages_of
from jaxscope.filters.values import shown

MAX_BYTES = 64 * 1024 * 1024
#: where a file says for which rate its numbers were made
_RATE_KEYS = ("rate_hz", "f_S", "fs", "Fs", "FS", "sampling_rate")
#: of MAT-files of version 5: bytes before the first element, the type of one that is compressed
_MAT_HEADER, _COMPRESSED = 128, 15
_AT_ONCE_BYTES = 1 << 20
_MATRIX_KINDS = ("double", "single", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "struct")


def import_json(text: str, *, rate_hz: float | None = None) -> Imported:
    """Return the filters of JSON: a chain or stage of ours, ``{"b": …, "a": …}``, ``{"sos": …}``, a filter of pyfda.

    Raises
    ------
    ChainError
        It is not JSON, or holds no filter.
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ChainError(f"this is not JSON: {error}", hint="check it near that place") from error
    return from_object(content, rate_hz=rate_hz)


def from_object(content: Any, *, rate_hz: float | None = None) -> Imported:
    """Return the filters of an object that was read from JSON."""
    if isinstance(content, list):
        if content and all(isinstance(item, dict) and "family" in item for item in content):
            return Imported(stages=tuple(stage_from_dict(item) for item in content))
        return stages_of({"the list": content})
    if not isinstance(content, dict):
        raise NothingFoundError(f"{shown(content)} is no filter", hint='give {"sos": [[…]]} or {"b": […], "a": […]}')
    if isinstance(content.get("chain"), dict):
        content = content["chain"]
    if "format" in content:
        chain = chain_from_dict(content)
        return Imported(stages=chain.stages, chain=chain)
    if "family" in content:
        return Imported(stages=(stage_from_dict(content),))
    return from_names(content, rate_hz=rate_hz)


def from_names(content: Mapping[str, Any], *, rate_hz: float | None = None) -> Imported:
    """Return the filters of values with names, and what is to be said of the rate they were made for."""
    named = {name: value for name, value in content.items() if isinstance(value, list | np.ndarray | int | float)}
    found = _pyfda_or_named(named)
    told_hz = _rate_of(content)
    if told_hz is None:
        return found
    notes = tuple(note for note in found.notes if note != RATELESS)
    if rate_hz is not None and told_hz != rate_hz:
        notes = (*notes, f"made for {shown(told_hz)} Hz: at {shown(rate_hz)} Hz its edges lie elsewhere")
    return Imported(stages=found.stages, notes=notes)


def _pyfda_or_named(named: dict[str, Any]) -> Imported:
    if "sos" in named and np.size(named["sos"]):
        return stages_of(
            {"sos": named["sos"], **{name: named[name] for name in ("g", "G", "ScaleValues") if name in named}}
        )
    if "sections" in named or "taps" in named:  # what jaxscope design --json prints
        kept = {name: named[name] for name in ("sections", "taps") if np.size(named.get(name, ()))}
        if kept:
            return stages_of(kept)
    if "ba" in named:
        b, a = _pair("ba", named["ba"])
        return stages_of({"b": b, "a": np.trim_zeros(a, "b")})
    if "zpk" in named:
        return stages_of(_roots(named["zpk"]))
    return stages_of({name: _complex_words(value) for name, value in named.items()})


def _pair(name: str, value: Any) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the two rows or columns of a table."""
    array = numbers_of(name, value)
    if array.ndim == 2 and array.shape[0] == 2:
        return array[0], array[1]
    if array.ndim == 2 and array.shape[1] == 2:
        return array[:, 0], array[:, 1]
    if array.ndim == 1:
        return array, np.ones(1)
    raise ChainError(f"{name} has the shape {' × '.join(map(str, array.shape))}", hint="give two rows, b and a")


def _roots(value: Any) -> dict[str, Any]:
    """Return z, p and k of pyfda's table: three rows of one length, the gain in front of zeros."""
    rows = [numbers_of("zpk", _complex_words(row)).ravel() for row in value]
    if len(rows) != 3:
        raise ChainError(f"zpk has {len(rows)} rows", hint="give zeros, poles and gain")
    return {"z": rows[0], "p": rows[1], "k": rows[2][:1].real}


def _complex_words(value: Any) -> Any:
    """Return a list with texts such as ``0.5+0.2j`` as numbers."""
    if isinstance(value, list) and any(isinstance(item, str) for item in value):
        try:
            return [complex(item.replace(" ", "")) if isinstance(item, str) else item for item in value]
        except ValueError:
            raise ChainError(f"{shown(value)} holds a text that is not a number", hint="give numbers") from None
    return value


def _rate_of(content: Mapping[str, Any]) -> float | None:
    """Return the rate that numbers were made for; 1 or below is a normalised one and tells nothing."""
    told = next((content[key] for key in _RATE_KEYS if key in content), None)
    if told is None or np.size(told) != 1 or np.asarray(told).dtype.kind not in "iuf":
        return None
    value = float(np.ravel(told)[0])
    return value if value > 1 and math.isfinite(value) else None


def import_numpy(content: bytes, name: str, *, rate_hz: float | None = None) -> Imported:
    """Return the filters of an NPY or NPZ file.

    Raises
    ------
    ChainError
        It is damaged, too large, or holds no filter. What is pickled in it is not read.
    """
    if content[:4] == b"PK\x03\x04":
        return from_names(_members(content, name), rate_hz=rate_hz)
    return stages_of({name: _npy(content, name)})


def _members(content: bytes, name: str) -> dict[str, Any]:
    named: dict[str, Any] = {}
    left = MAX_BYTES  # for all members together: a small archive of zeros may hold any number of them
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in archive.infolist():
                with archive.open(member) as stream:
                    part = stream.read(left + 1)
                left -= len(part)
                if left < 0:
                    raise ChainError(f"{member.filename} in {name} is too large", hint="give coefficients alone")
                if b"'|O'" not in part[:256]:  # what is pickled may run code when it is read
                    named[member.filename.removesuffix(".npy")] = _npy(part, member.filename)
    except (zipfile.BadZipFile, OSError, zlib.error, NotImplementedError, RuntimeError) as error:
        raise ChainError(f"{name} is damaged: {error}", hint="save it again") from error
    return named


def _npy(content: bytes, name: str) -> np.ndarray[Any, Any]:
    try:
        array: np.ndarray[Any, Any] = np.load(io.BytesIO(content), allow_pickle=False)
    except (ValueError, OSError, EOFError, MemoryError) as error:
        raise ChainError(f"{name} is no array of numbers: {error}", hint="save it with numpy.save") from error
    return array


def import_mat(content: bytes, name: str, *, rate_hz: float | None = None) -> Imported:
    """Return the filters of a MATLAB file up to version 7: ``sos`` with ``g``, ``b`` and ``a``, ``Hd.sosMatrix``, taps.

    Raises
    ------
    ChainError
        It is of version 7.3, damaged, too large, or holds no filter.
    """
    from scipy.io import loadmat, whosmat
    from scipy.io.matlab import MatReadError

    if b"HDF" in content[512:520]:
        raise ChainError(f"{name} is a MATLAB file of version 7.3", hint="save it with save(…, '-v7')")
    _check_unpacked(content, name)
    try:
        listed = whosmat(io.BytesIO(content))  # type: ignore[arg-type]  # SciPy takes open files too
        small = [one for one, shape, kind in listed if kind in _MATRIX_KINDS and math.prod(shape) <= MAX_NUMBERS]
        variables = loadmat(io.BytesIO(content), variable_names=small)  # type: ignore[arg-type]
    except (
        MatReadError,
        ValueError,
        TypeError,
        OSError,
        KeyError,
        IndexError,
        EOFError,
        MemoryError,
        zlib.error,
    ) as error:
        raise ChainError(f"{name} is not a MATLAB file that can be read: {error}", hint="save it again") from error
    named = dict(_flattened(variables))
    if not named:
        raise NothingFoundError(f"{name} holds no matrix of numbers", hint="save sos, or b and a")
    return from_names(named, rate_hz=rate_hz)


def _check_unpacked(content: bytes, name: str) -> None:
    """Refuse a file of version 5 to 7 whose compressed variables are larger than a filter ever is, unpacking no more.

    SciPy unpacks a struct as a whole, whatever it holds, and the size of what is in it stands nowhere before it.
    """
    order = {b"IM": "<", b"MI": ">"}.get(content[126:128])
    if order is None:
        return  # of version 4, which compresses nothing
    left, at = MAX_BYTES, _MAT_HEADER
    while at + 8 <= len(content):
        kind, size = struct.unpack(f"{order}II", content[at : at + 8])
        if kind == _COMPRESSED:
            machine, packed = zlib.decompressobj(), content[at + 8 : at + 8 + size]
            while packed and left >= 0:
                try:
                    left -= len(machine.decompress(packed, _AT_ONCE_BYTES))
                except zlib.error as error:
                    raise ChainError(f"{name} is damaged: {error}", hint="save it again") from error
                packed = machine.unconsumed_tail
            if left < 0:
                raise ChainError(f"{name} is too large once it is unpacked", hint="save coefficients alone")
        at += 8 + size


def _flattened(variables: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """Return matrices by name, those of structures as ``Hd.sosMatrix``."""
    found: list[tuple[str, Any]] = []
    for name, value in variables.items():
        if name.startswith("__") or not isinstance(value, np.ndarray):
            continue
        if value.dtype.names and value.size == 1:
            record = value.ravel()[0]
            found += _flattened({field: np.asarray(record[field]) for field in value.dtype.names}, f"{prefix}{name}.")
        elif value.dtype.kind in "iufc":
            found.append((f"{prefix}{name}", value.ravel() if 1 in value.shape and value.shape[-1] != 6 else value))
    return found
