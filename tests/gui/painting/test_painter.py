"""The painter: what it keeps between pictures, and its thread."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from dataclasses import replace

import pytest

from jaxscope.compute.envelopes import Envelope
from jaxscope.gui.painting import painter_thread
from jaxscope.gui.painting.painter_thread import (
    AheadImage,
    Painter,
    PainterThread,
    PaintFailure,
    TraceImage,
    paint_scene,
)
from jaxscope.gui.painting.scene import before_key
from jaxscope.gui.session import WindowSession, make_application
from jaxscope.session.settings import Settings


def test_before_is_painted_once_while_a_filter_is_tuned(monkeypatch, make_scene):
    painted = []
    original = painter_thread._painted

    def note(*arguments, only_before, **keywords):
        painted.append(only_before)
        return original(*arguments, only_before=only_before, **keywords)

    monkeypatch.setattr(painter_thread, "_painted", note)
    painter, scene = Painter(), make_scene()
    first = painter.paint(scene)
    block = scene.frame.blocks[0]
    tuned = replace(block, after=Envelope(low=block.after.low * 1.5, high=block.after.high * 1.5))
    second = painter.paint(replace(scene, serial=2, frame=replace(scene.frame, revision=2, blocks=(tuned,))))
    assert painted == [True, False, False]
    assert first.image != second.image
    fresh = paint_scene(second.scene)
    assert fresh.image == second.image


@pytest.mark.parametrize(
    "choices",
    [
        {"start_s": 1.0},
        {"height_px": 100},
        {"show_after": False},
        {"negative_up": True},
        {"scales": {"eeg": 5.0, "ecg": 4.0}},
        {"quality": "motion"},
    ],
)
def test_before_is_painted_anew_when_anything_of_it_changes(choices, make_scene):
    assert before_key(make_scene()) != before_key(make_scene(**choices))


def test_before_is_painted_anew_when_lanes_or_colours_change(make_scene, make_lane, colours):
    scene = make_scene()
    assert before_key(scene) != before_key(replace(scene, lanes=(make_lane(1, "ecg"), make_lane(0))))
    assert before_key(scene) != before_key(replace(scene, frame=replace(scene.frame, n_recorded=(900,))))
    assert before_key(scene) != before_key(replace(scene, colours=colours | {"before_mixed": colours["before"]}))


def test_kept_before_is_never_shown_in_another_window(make_scene):
    painter = Painter()
    painter.paint(make_scene())
    for choices in ({"start_s": 1.0, "stop_s": 11.0}, {"negative_up": True}, {"height_px": 100}):
        scene = make_scene(**choices)
        assert painter.paint(scene).image == paint_scene(scene).image


def test_painter_thread_paints_the_newest_scene_and_drops_the_rest(make_scene):
    begun, go_on = threading.Event(), threading.Event()
    delivered, done = [], threading.Event()

    def deliver(result):
        delivered.append(result)
        if len(delivered) == 1:
            begun.set()
            go_on.wait(10)
        else:
            done.set()

    painter = PainterThread(deliver)
    try:
        painter.submit(make_scene(serial=1))
        assert begun.wait(10)
        for serial in (2, 3, 4):
            painter.submit(make_scene(serial=serial))
        go_on.set()
        assert done.wait(10)
    finally:
        go_on.set()
        painter.shut_down()
    assert [result.scene.serial for result in delivered] == [1, 4]
    assert all(isinstance(result, TraceImage) for result in delivered)


def test_what_is_painted_ahead_comes_last_and_gives_way_to_other_traces(make_scene):
    begun, go_on, done = threading.Event(), threading.Event(), threading.Event()
    delivered = []

    def deliver(result):
        delivered.append(result)
        if len(delivered) == 1:
            begun.set()
            go_on.wait(10)
        elif result.scene.serial == 4:
            done.set()

    painter = PainterThread(deliver)
    try:
        painter.submit(make_scene(serial=1))
        assert begun.wait(10)
        painter.submit(make_scene(serial=4, is_ahead=True))
        painter.submit(make_scene(serial=3))
        go_on.set()
        assert done.wait(10)
    finally:
        go_on.set()
        painter.shut_down()
    assert [(result.scene.serial, isinstance(result, AheadImage)) for result in delivered] == [
        (1, False),
        (3, False),
        (4, True),
    ]


def test_a_picture_ahead_that_is_stale_is_given_up_and_leaves_what_was_painted(make_scene):
    painter = Painter()
    first = painter.paint(make_scene(serial=1))
    assert painter.paint(make_scene(serial=2, is_ahead=True), lambda: True) is None
    assert painter.paint(make_scene(serial=3)).image == first.image


@pytest.mark.parametrize(("away", "is_given_up"), [(0.0, False), (0.25, False), (9.0, True)])
def test_a_picture_ahead_is_finished_only_where_it_holds_what_is_wanted(make_scene, away, is_given_up):
    scene = make_scene(serial=1, quality="motion")
    length_s = scene.stop_s - scene.start_s
    pane = scene.panes[0]
    ahead = replace(
        scene, start_s=scene.start_s - length_s, stop_s=scene.stop_s + length_s, width_px=3 * scene.width_px,
        panes=(replace(pane, left_px=3 * pane.left_px, width_px=3 * pane.width_px),), is_ahead=True,
    )  # fmt: skip
    moved_s = away * length_s
    wanted = replace(scene, serial=2, start_s=scene.start_s + moved_s, stop_s=scene.stop_s + moved_s)
    begun, go_on = threading.Event(), threading.Event()
    delivered = []

    def deliver(result):
        delivered.append(result.scene.serial)
        if result.scene is scene:
            begun.set()
            go_on.wait(10)

    painter = PainterThread(deliver)
    try:
        painter.submit(scene)
        assert begun.wait(10)
        painter.submit(wanted)
        # what is wanted is not kept waiting until the picture ahead is finished
        assert painter._is_stale(ahead) is is_given_up
        assert delivered == ([1] if is_given_up else [1, 2])
    finally:
        go_on.set()
        painter.shut_down()


def test_a_picture_ahead_is_given_up_where_its_recording_is_closed_as_another_is_about_to_be_served(
    make_scene, monkeypatch
):
    begun, go_on = threading.Event(), threading.Event()

    def deliver(_result):
        begun.set()
        go_on.wait(10)

    painter = PainterThread(deliver)

    def closed_meanwhile(_whole, _part):
        painter.forget()
        return True

    monkeypatch.setattr(painter_thread, "holds", closed_meanwhile)
    try:
        painter.submit(make_scene(serial=1))
        assert begun.wait(10)
        painter.submit(make_scene(serial=2))
        assert painter._is_stale(make_scene(serial=1, is_ahead=True))
    finally:
        go_on.set()
        painter.shut_down()


def test_a_picture_ahead_goes_with_its_recording(make_scene):
    painter = Painter()
    scene = make_scene(serial=1, is_ahead=True)
    gone = weakref.ref(painter.paint(scene))
    other = make_scene(serial=2)
    painter.paint(replace(other, frame=replace(other.frame, recording_id="another")))
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("is_ahead", [False, True])
def test_nothing_is_kept_of_a_recording_that_was_closed_while_it_was_painted(make_scene, is_ahead):
    begun, go_on, idle = threading.Event(), threading.Event(), threading.Event()
    gone = []

    def deliver(result):
        if isinstance(result, TraceImage):
            gone.append(weakref.ref(result.image))
        begun.set()
        go_on.wait(10)

    painter = PainterThread(deliver)
    real = painter._painter.forget
    painter._painter.forget = lambda: (real(), idle.set())
    try:
        painter.submit(make_scene(serial=1, is_ahead=is_ahead))
        assert begun.wait(10)
        painter.submit(make_scene(serial=2, is_ahead=is_ahead))
        assert not painter._is_stale(make_scene(serial=1, is_ahead=True)) or not is_ahead
        painter.forget()
        assert painter._is_stale(make_scene(serial=1, is_ahead=True))
        go_on.set()
        assert idle.wait(10)
        assert len(gone) == 1, "what waited was of the recording, too"
        deadline = time.monotonic() + 10
        while gone[0]() is not None and time.monotonic() < deadline:
            gc.collect()
            time.sleep(0.01)
        assert gone[0]() is None
    finally:
        go_on.set()
        painter.shut_down()


def test_a_window_without_a_recording_has_its_painter_forget(qtbot, make_scene):
    make_application()
    session = WindowSession(Settings())
    painter = session.painter._painter
    try:
        session.painter.submit(make_scene(serial=1, is_ahead=True))
        qtbot.waitUntil(lambda: painter._last_ahead is not None, timeout=10_000)
        session.window.show_start()
        qtbot.waitUntil(lambda: painter._last_ahead is None, timeout=10_000)
    finally:
        session.shut_down()
        session.window.deleteLater()


def test_painter_lives_on_after_an_error(caplog, make_scene):
    delivered, arrived = [], threading.Semaphore(0)

    def deliver(result):
        delivered.append(result)
        arrived.release()

    painter = PainterThread(deliver)
    try:
        painter.submit(make_scene(scales={}))
        assert arrived.acquire(timeout=10)
        painter.submit(make_scene())
        assert arrived.acquire(timeout=10)
    finally:
        painter.shut_down()
    assert isinstance(delivered[0], PaintFailure)
    assert isinstance(delivered[0].error, KeyError)
    assert isinstance(delivered[1], TraceImage)
    assert "painting failed" in caplog.text


def test_shut_down_joins_and_nothing_is_delivered_afterwards(make_scene):
    delivered = []
    painter = PainterThread(delivered.append)
    painter.shut_down()
    painter.submit(make_scene())
    assert not any(thread.name == "jaxscope-painter" for thread in threading.enumerate())
    assert delivered == []
