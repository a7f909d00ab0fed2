"""The samples of miniSEED records: plain numbers, gain-ranged numbers of old stations, and Steim's differences.

Many records are decoded at once, because a record holds a few hundred samples only. Steim-compressed records carry
their last sample as a check: a record that does not come out at it is not what was written, and is told apart.

Source: SEED manual 2.4, chapter 8 and appendix B; Steim, "Steim compression" (1994).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.data.recording import FloatArray

IntArray = npt.NDArray[np.int64]

ASCII = 0
#: Encodings that are plain numbers.
PLAIN = {1: "i2", 3: "i4", 4: "f4", 5: "f8", 32: "i2"}
STEIM = (10, 11)
_THREE_BYTES = (2, 12)
_GEOSCOPE_3, _GEOSCOPE_4, _CDSN, _SRO = 13, 14, 16, 30
_GAIN_RANGED = (_GEOSCOPE_3, _GEOSCOPE_4, _CDSN, _SRO)
READABLE = frozenset({*PLAIN, *STEIM, *_THREE_BYTES, *_GAIN_RANGED})
NAMES = {15: "US National Network", 17: "Graefenberg", 18: "IPG Strasbourg", 19: "Steim 3", 31: "HGLP", 33: "RSTN"}

#: How the 32 bits of a word are split, by its two-bit code and (Steim 2) the two bits that follow: count and width.
_STEIM1 = {(1, sub): (4, 8) for sub in range(4)} | {(2, sub): (2, 16) for sub in range(4)}
_STEIM1 |= {(3, sub): (1, 32) for sub in range(4)}
_STEIM2 = {(1, sub): (4, 8) for sub in range(4)}
_STEIM2 |= {(2, 1): (1, 30), (2, 2): (2, 15), (2, 3): (3, 10), (3, 0): (5, 6), (3, 1): (6, 5), (3, 2): (7, 4)}
_WORDS_PER_FRAME = 16


def bytes_needed(encoding: int, n_samples: int) -> int:
    """Return the least number of bytes that hold so many samples; 0 where that depends on the samples."""
    if encoding in PLAIN:
        return np.dtype(PLAIN[encoding]).itemsize * n_samples
    if encoding in _THREE_BYTES:
        return 3 * n_samples
    return 2 * n_samples if encoding in _GAIN_RANGED else 0


def most_samples(encoding: int, n_bytes: int) -> int:
    """Return how many samples so many bytes can hold at most."""
    if encoding in STEIM:
        return n_bytes // 4 * 7
    return n_bytes // max(1, bytes_needed(encoding, 1))


def decode(
    encoding: int, order: str, bodies: npt.NDArray[np.uint8], n_samples: IntArray
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Decode records of one encoding and size.

    Parameters
    ----------
    encoding : int
        One of ``READABLE``.
    order : str
        ``"<"`` or ``">"``.
    bodies : ndarray of uint8, shape (n_records, n_bytes)
        The bytes after the header of each record.
    n_samples : ndarray of int, shape (n_records,)
        How many samples each header promises.

    Returns
    -------
    ndarray of float64, shape (sum of n_samples,)
        NaN for samples that are promised and not there.
    ndarray of bool, shape (n_records,)
        Whether the record agrees with the check that it carries; True where it has none.
    """
    if encoding in STEIM:
        return _decode_steim(bodies, order, n_samples, _STEIM1 if encoding == 10 else _STEIM2)
    values = _table(encoding, order, bodies)
    width = int(n_samples.max(initial=0))
    if values.shape[1] < width:
        values = np.pad(values, ((0, 0), (0, width - values.shape[1])), constant_values=np.nan)
    if (n_samples == width).all():
        values = values[:, :width].reshape(-1)
    else:
        values = values[np.arange(values.shape[1]) < n_samples[:, np.newaxis]]
    return values, np.ones(len(bodies), dtype=np.bool_)


def _table(encoding: int, order: str, bodies: npt.NDArray[np.uint8]) -> FloatArray:
    """Return all values that the bytes hold, shape (n_records, n_values)."""
    if encoding in _THREE_BYTES:
        return _three_bytes(order, bodies).astype(np.float64)
    kind = np.dtype(order + PLAIN.get(encoding, "u2"))
    whole = np.ascontiguousarray(bodies[:, : bodies.shape[1] // kind.itemsize * kind.itemsize])
    numbers = whole.view(kind)
    with np.errstate(invalid="ignore"):
        return numbers.astype(np.float64) if encoding in PLAIN else _gain_ranged(encoding, numbers.astype(np.int64))


def _three_bytes(order: str, bodies: npt.NDArray[np.uint8]) -> IntArray:
    triples = bodies[:, : bodies.shape[1] // 3 * 3].reshape(len(bodies), -1, 3).astype(np.int64)
    low, middle, high = (2, 1, 0) if order == ">" else (0, 1, 2)
    values: IntArray = triples[..., low] | triples[..., middle] << 8 | triples[..., high] << 16
    return np.where(values >= 1 << 23, values - (1 << 24), values)


def _gain_ranged(encoding: int, words: IntArray) -> FloatArray:
    if encoding in (_GEOSCOPE_3, _GEOSCOPE_4):
        gain = words >> 12 & (7 if encoding == _GEOSCOPE_3 else 15)
        mantissa, exponent = (words & 0xFFF) - 2048, -gain
    elif encoding == _CDSN:
        mantissa, exponent = (words & 0x3FFF) - 8191, np.array([0, 2, 4, 7])[words >> 14]
    else:
        mantissa, exponent = words & 0xFFF, 10 - (words >> 12)
        mantissa = np.where(mantissa > 0x7FF, mantissa - 0x1000, mantissa)
    result: FloatArray = np.ldexp(mantissa.astype(np.float64), exponent)
    return result


def _decode_steim(
    bodies: npt.NDArray[np.uint8], order: str, n_samples: IntArray, splits: dict[tuple[int, int], tuple[int, int]]
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    n_records = len(bodies)
    n_frames = bodies.shape[1] // (4 * _WORDS_PER_FRAME)
    words = np.ascontiguousarray(bodies[:, : n_frames * 4 * _WORDS_PER_FRAME]).view(f"{order}u4").astype(np.uint32)
    words = words.reshape(n_records, n_frames, _WORDS_PER_FRAME)
    total = int(n_samples.sum())
    if not n_frames:
        return np.full(total, np.nan), n_samples == 0
    first, last = words[:, 0, 1].view(np.int32), words[:, 0, 2].view(np.int32)
    steps, counts = _differences(words, splits, is_little=order == "<")
    held = counts.reshape(n_records, -1).sum(axis=1, dtype=np.int64)
    begins = np.cumsum(held) - held
    values = _sums(steps, first, begins[held > 0], held > 0)
    sound = (held >= n_samples) & (n_samples > 0)
    sound[sound] = values[begins[sound] + n_samples[sound] - 1] == last[sound]
    sound |= n_samples == 0
    if (held == n_samples).all():
        return values.astype(np.float64), sound
    result = np.full(total, np.nan)
    starts = np.cumsum(n_samples) - n_samples
    taken = np.minimum(held, n_samples)
    within = np.arange(int(taken.sum())) - np.repeat(np.cumsum(taken) - taken, taken)
    result[np.repeat(starts, taken) + within] = values[np.repeat(begins, taken) + within]
    return result, sound


def _sums(
    steps: npt.NDArray[np.int32],
    first: npt.NDArray[np.int32],
    begins: npt.NDArray[np.int64],
    is_full: npt.NDArray[np.bool_],
) -> npt.NDArray[np.int32]:
    """Return the samples of records that follow each other: the first of each is told, the others are steps from it.

    The first difference of a record leads from the record before, and the first sample is told besides: it is put in
    its place, so that one sum goes through all records. Sums are of 32 bits and may run over, forth and back.
    """
    if not len(begins):
        return steps
    steps[begins] = first[is_full]
    ends = np.add.reduceat(steps, begins, dtype=np.int32)
    steps[begins[1:]] -= ends[:-1]
    return np.cumsum(steps, dtype=np.int32)


def _differences(
    words: npt.NDArray[np.uint32], splits: dict[tuple[int, int], tuple[int, int]], *, is_little: bool
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
    """Return all differences in order, and how many each word holds.

    Numbers of whole bytes stand in the order of the file, so in little-endian files the lowest one is the first.
    """
    shifts = np.arange(30, -2, -2, dtype=np.uint32)
    codes = (words[..., :1] >> shifts) & np.uint32(3)
    codes[..., 0] = 0
    codes[:, 0, 1:3] = 0  # first and last sample
    codes, flat = codes.reshape(-1), words.reshape(-1)
    keys = (codes * np.uint32(4) + (flat >> np.uint32(30))).astype(np.uint8)
    # The codes that split words alike follow each other, and comparing is many times quicker than looking up.
    is_split = {split: (keys >= subs[0]) & (keys <= subs[-1]) for split, subs in _by_split(splits).items()}
    counts = np.zeros(len(keys), dtype=np.uint8)
    for (count, _), is_chosen in is_split.items():
        counts += is_chosen.view(np.uint8) * np.uint8(count)
    begins = np.cumsum(counts, dtype=np.int64) - counts
    steps = np.zeros(int(counts.sum(dtype=np.int64)), dtype=np.int32)
    for (count, width), is_chosen in is_split.items():
        places = np.flatnonzero(is_chosen)
        if not len(places):
            continue
        chosen, at = flat[places].view(np.int32), begins[places]
        for number in range(count):
            place = number if is_little and width in (8, 16) else count - 1 - number
            # To the left edge and back, so that the sign is spread.
            steps[at + number] = chosen << np.int32(32 - width - place * width) >> np.int32(32 - width)
    return steps, counts


def _by_split(splits: dict[tuple[int, int], tuple[int, int]]) -> dict[tuple[int, int], list[int]]:
    """Return the codes that split words alike."""
    found: dict[tuple[int, int], list[int]] = {}
    for (code, sub), split in splits.items():
        found.setdefault(split, []).append(code * 4 + sub)
    return found


def decode_text(body: npt.NDArray[Any], n_samples: int) -> str:
    """Return the text of a log record."""
    return body[:n_samples].tobytes().decode("utf-8", "replace").replace("\0", "").strip()
