"""All devices give what one gives: rows dealt out, padded if they do not divide, or stretches of time with a halo."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest
import scipy.signal

from jaxscope.engines import sharding
from jaxscope.engines.program import make_program
from jaxscope.errors import DeviceError
from jaxscope.filters.coefficients import RunningMedian, Taps

SCRIPT = Path(__file__).with_name("sharded_example.py")
EXAMPLE = [0.5, 2, 4, 6, 8, 10, 12, 10]
LOW = scipy.signal.butter(3, 0.2, output="sos")
SLOW = scipy.signal.butter(2, 1e-4, output="sos")
TAPS = tuple(scipy.signal.firwin(51, 0.2).tolist())


def walk(n_channels: int, n: int = 900) -> np.ndarray:
    return np.random.default_rng(3).standard_normal((n_channels, n)).cumsum(axis=1) + 100


def both(design, n_channels: int, **wishes):
    return [make_program(design, n_channels=n_channels, device=device, **wishes) for device in ("cpu:0", "cpu:all")]


@pytest.mark.parametrize(("n_channels", "phase"), [(1, "causal"), (1, "zero"), (3, "zero")])
def test_all_devices_equal_one(n_channels: int, phase: str, chain, sections) -> None:
    for parts in ((sections(LOW),), (sections(SLOW),), (Taps(TAPS), sections(LOW), RunningMedian(5))):
        design = chain(*parts, phase=phase)
        one, everywhere = both(design, n_channels)
        assert (one.device, everywhere.device) == ("cpu:0", "cpu:all")
        assert "2 devices" in everywhere.reason
        x = walk(n_channels)
        np.testing.assert_allclose(everywhere.run(x), one.run(x), rtol=0, atol=2e-14 * np.abs(x).max())


def test_rows_that_are_dealt_out_are_equal_bit_for_bit(chain, sections) -> None:
    one, everywhere = both(chain(sections(LOW)), 3)
    x = walk(3)
    np.testing.assert_array_equal(everywhere.run(x), one.run(x))


def test_one_channel_is_cut_into_stretches_only_where_the_filter_forgets(chain, sections) -> None:
    for sos, parted in ((LOW, True), (SLOW, False)):
        _, program = both(chain(sections(sos)), 1)
        piece = program._piece(1, 900, program._halo([0]))
        assert bool(piece) == parted
        assert not program._piece(2, 900, program._halo([0]))


def test_a_halo_that_is_too_short_would_be_seen(chain, sections, monkeypatch) -> None:
    one, everywhere = both(chain(sections(LOW), initial="rest"), 1)
    x = walk(1)
    expected = one.run(x)
    monkeypatch.setattr(everywhere, "_halo", lambda numbers: 5)
    assert np.abs(everywhere.run(x) - expected).max() > 1e-3


def test_steps_gaps_and_a_chain_per_channel(chain, sections) -> None:
    designs = [chain(sections(scipy.signal.butter(3, cutoff, output="sos"))) for cutoff in (0.2, 0.1, 0.3)]
    one, everywhere = both(designs, 3)
    x = walk(3)
    x[1, 100:150] = np.nan
    np.testing.assert_allclose(everywhere.run(x), one.run(x), rtol=0, atol=1e-12)
    state, pieces = everywhere.start(), []
    for start, stop in ((0, 400), (400, 900)):
        y, state = everywhere.step(x[:, start:stop], state)
        pieces.append(y)
    np.testing.assert_allclose(np.concatenate(pieces, axis=1), one.run(x), rtol=0, atol=1e-12)


def test_a_view_equals_that_of_one_device(chain, sections) -> None:
    one, everywhere = both(chain(sections(LOW)), 3)
    x = walk(3)
    for ours, theirs in zip(*(p.view(x, 100, 7, slice(50, 800)) for p in (one, everywhere)), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


def test_buffers_are_given_away(chain, sections) -> None:
    _, program = both(chain(sections(LOW)), 4)
    x, state = (program._spread(values) for values in (np.ones((4, 1024)), np.zeros((4, 4))))
    arguments = {"kinds": program.kinds, "by_row": program.by_row, "mesh": program.mesh}
    weights = program._everywhere_weights([0], program.all_rows(), 4)
    y, after = sharding.advance_everywhere(x, (state,), np.int32(1024), weights, **arguments)
    assert x.is_deleted()
    assert state.is_deleted()
    assert y.sharding.spec == after[0].sharding.spec == jax.sharding.PartitionSpec("rows")
    np.testing.assert_allclose(y[2], scipy.signal.sosfilt(LOW, np.ones(1024)), atol=1e-13)


def test_methods_that_need_no_device_and_backends_that_are_not_there(chain, sections) -> None:
    assert make_program(chain(sections(LOW)), n_channels=2, device="cpu:all", method="scipy").device == "cpu:0"
    with pytest.raises(DeviceError, match="tpu"):
        make_program(chain(sections(LOW)), n_channels=2, device="tpu:all")


def start(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def said_by(process: subprocess.Popen[str]) -> dict:
    try:
        out, complaint = process.communicate(timeout=100)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    assert process.returncode == 0, complaint
    return json.loads(out.splitlines()[-1])  # the transport also writes here


def joined(*parts: dict[str, list]) -> np.ndarray:
    pieces = {int(first): piece for part in parts for first, piece in part.items()}
    return np.concatenate([np.array(pieces[first]) for first in sorted(pieces)])


def expected_rows() -> np.ndarray:
    x = np.random.default_rng(1).standard_normal((4, 700))
    return scipy.signal.sosfilt(LOW, x)


def test_the_example_on_one_two_and_four_devices() -> None:
    said = said_by(start("one", 4))
    assert said["devices"] == 4
    for count in ("1", "2", "4"):
        np.testing.assert_array_equal(joined(said["examples"][count]), EXAMPLE)
        assert len(said["examples"][count]) == int(count)
    np.testing.assert_allclose(joined(said["rows"]), expected_rows(), atol=1e-13)
    np.testing.assert_array_equal(said["engine example"]["cpu:all"][0][1:], EXAMPLE)
    for key in ("engine few", "engine many"):
        np.testing.assert_allclose(said[key]["cpu:all"], said[key]["cpu:0"], rtol=0, atol=1e-14)


@pytest.mark.parametrize("device", ["cpu:0", "cpu:all"])
def test_the_example_through_the_engine(device: str, chain) -> None:
    program = make_program(chain(Taps((0.5, 1.0, 0.5)), initial="rest"), n_channels=1, device=device)
    x = np.pad(np.arange(8.0), (0, 1))[np.newaxis]
    assert device == "cpu:0" or program._piece(1, 9, program._halo([0])) == 3
    np.testing.assert_array_equal(program.run(x)[0, 1:], EXAMPLE)


def test_the_example_on_two_processes() -> None:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    processes = [start("two", port, rank) for rank in range(2)]
    try:
        first, second = (said_by(process) for process in processes)
    finally:
        for process in processes:
            if process.poll() is None:
                process.kill()
                process.wait()
    assert first["devices"] == second["devices"] == 2
    assert (set(first["examples"]["2"]), set(second["examples"]["2"])) == ({"0"}, {"4"})
    np.testing.assert_array_equal(joined(first["examples"]["2"], second["examples"]["2"]), EXAMPLE)
    np.testing.assert_allclose(joined(first["rows"], second["rows"]), expected_rows(), atol=1e-13)
