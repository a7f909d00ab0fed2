"""How many samples a filter made infinite where the recording was not: an output channel at a time, block by block."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jaxscope.compute.batch_plan import BatchGroup
from jaxscope.compute.stream import Block


class InfiniteCounts:
    """Counts the samples of each output channel that the filter made infinite."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)
        self._counts = np.zeros(len(names), dtype=np.int64)

    def count(self, group: BatchGroup, block: Block) -> None:
        """Take in a block."""
        made = np.isinf(block.after)
        if made.any():
            self._counts[list(group.outputs)] += (made & np.isfinite(block.before)).sum(axis=1)

    def words(self) -> list[str]:
        """Return a sentence for each channel that has some."""
        return [
            f"{count:,} samples of {name} are infinite after the filter: they are larger than a number can be"
            for name, count in zip(self._names, self._counts.tolist(), strict=True)
            if count
        ]
