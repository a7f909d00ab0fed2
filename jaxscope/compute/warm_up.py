"""Compiles what the next edits are likely to need, on the file thread, before they come.

A lower cutoff needs more context, so a longer read, so another compiled shape: nearly half as much again is tried on
zeros while nobody waits. Nothing of it is shown; what fails here fails again, and is told, when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from jaxscope.compute.column_rows import compile_wanted
from jaxscope.compute.plan import GroupRequest, RenderRequest
from jaxscope.compute.render import row_groups
from jaxscope.compute.scheduler import CancelToken, Steps
from jaxscope.compute.tile_extremes import compile_extremes
from jaxscope.compute.workbench import Shown, Workbench

#: The next length, in parts of the present one: with room for edges, the engine's next one or the one after it.
NEXT_LENGTH = 1.4
#: Samples (channels times time) beyond which a program runs in chunks of one length anyway.
MOST_VALUES = 2_000_000


def warm_up_work(bench: Workbench, shown: Shown) -> Callable[[CancelToken], Steps]:
    """Return the work that compiles the next longer read of what a frame was made with."""

    def work(token: CancelToken) -> Steps:
        request = shown.request
        while compile_wanted():
            token.check()
            yield
        for group in request.groups:
            if group.is_causal:
                yield from _extremes(request, group, token)
                yield from _splits(bench, shown, group, token)
                continue  # tiles have one length
            longest = max((piece.read_stop - piece.read_first for piece in group.pieces), default=0)
            n_samples = int(longest * NEXT_LENGTH)
            for member in row_groups(
                group.designs, device=request.device, precision=request.precision, method=request.method
            ):
                program = bench.programs.get(member.key)
                key = (program.structure, program.n_channels, program.device, program.precision, n_samples)
                if key in bench.warmed or not n_samples or n_samples * program.n_channels > MOST_VALUES:
                    continue
                token.check()
                program.run(np.zeros((program.n_channels, n_samples)))
                bench.warmed.add(key)
                yield

    return work


def _extremes(request: RenderRequest, group: GroupRequest, token: CancelToken) -> Steps:
    """Compile what finds the extremes of tiles, for the bins in use and those that zooming leads to."""
    bins = group.bin_samples
    # what is recorded is float64; what is filtered has the precision that was asked for
    for dtype in dict.fromkeys(("float64", request.precision)):
        for near in (bins, bins // 2, bins * 2):
            token.check()
            if compile_extremes(len(group.channels), group.tile_samples, dtype, near):
                yield


def _splits(bench: Workbench, shown: Shown, group: GroupRequest, token: CancelToken) -> Steps:
    """Compile what filters a chain in two while one of its stages is tuned."""
    from jaxscope.compute.tuned import warm_splits

    request, length = shown.request, group.tile_samples
    for member in row_groups(group.designs, device=request.device, precision=request.precision, method=request.method):
        if len(member.rows) != len(group.channels):
            continue
        for pair in warm_splits(bench.programs.get(member.key), bench.programs):
            for program in pair:
                if not bench.programs.is_warm(program, length):
                    token.check()
                    program.step(np.zeros((program.n_channels, length)), program.start())
                    bench.programs.mark_warm(program, length)
                    yield
