"""Samples of recorded channels to samples of derived ones: a sparse product, and a mean over what is there.

Invariants: a missing sample (NaN) of a recorded channel is missing in exactly those derived channels that have it as a
term; the mean of an average reference is over the channels that have a value at that sample, so one channel that fell
off does not take the others with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from jaxscope.filters.montage_rows import Derived

if TYPE_CHECKING:
    from scipy import sparse

FloatArray = npt.NDArray[np.float64]


class Mixing:
    """Some derived channels, of one rate and length.

    Parameters
    ----------
    channels : sequence of Derived

    Attributes
    ----------
    inputs : tuple of int
        The recorded channels to read, in the order in which ``apply`` takes them.
    """

    def __init__(self, channels: Sequence[Derived]) -> None:
        from scipy import sparse  # half a second, which the thread of a window that starts does not have

        self.inputs: tuple[int, ...] = tuple(sorted({number for one in channels for number in one.inputs}))
        place = {number: at for at, number in enumerate(self.inputs)}
        rows = [(row, place[number], weight) for row, one in enumerate(channels) for number, weight in one.terms]
        self._terms = sparse.csr_array(
            ([weight for *_, weight in rows], ([row for row, *_ in rows], [at for _, at, _ in rows])),
            shape=(len(channels), len(self.inputs)),
            dtype=np.float64,
        )
        means: dict[tuple[int, ...], list[int]] = {}
        for row, one in enumerate(channels):
            if one.mean_of:
                means.setdefault(tuple(place[number] for number in one.mean_of), []).append(row)
        self._means = [(_picked(members), _picked(own)) for members, own in means.items()]

    @property
    def matrix(self) -> sparse.csr_array:
        """The whole mixing as one matrix, (n_derived, n_inputs), where no sample is missing."""
        whole = self._terms.tolil()
        for picked, own in self._means:
            members = np.arange(len(self.inputs))[picked]
            for row in np.arange(whole.shape[0])[own]:
                for member in members:
                    whole[row, member] -= 1.0 / len(members)
        return whole.tocsr()

    def apply(self, x: FloatArray) -> FloatArray:
        """Return the derived samples.

        Parameters
        ----------
        x : ndarray, shape (n_inputs, n_samples)

        Returns
        -------
        ndarray of float64, shape (n_derived, n_samples)
        """
        result: FloatArray = np.asarray(self._terms @ x)
        for members, rows in self._means:
            result[rows] -= _mean_of_present(x[members])
        return result


def _picked(numbers: Sequence[int]) -> slice | npt.NDArray[np.intp]:
    """Return an index for rows: a slice where they follow one another, which copies nothing."""
    first, stop = numbers[0], numbers[-1] + 1
    return slice(first, stop) if list(numbers) == list(range(first, stop)) else np.array(numbers)


def _mean_of_present(x: FloatArray) -> FloatArray:
    """Return the mean over channels at each sample, of those that have a value; NaN where none has."""
    total = x.sum(axis=0)
    missing = np.isnan(total)
    if not missing.any():
        mean: FloatArray = total / len(x)
        return mean
    known = ~np.isnan(x)
    count = known.sum(axis=0)
    with np.errstate(invalid="ignore"):
        result: FloatArray = np.where(known, x, 0.0).sum(axis=0) / np.where(count, count, np.nan)
    return result
