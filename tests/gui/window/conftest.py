"""Hand-made recordings and frames, and a window whose compute side is a list of what it was asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np
import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

from jaxscope.compute.design_job import design_frame
from jaxscope.compute.envelopes import Envelope
from jaxscope.compute.frames import Frame, Opened, TraceBlock
from jaxscope.data.annotations import Annotation, Gap
from jaxscope.data.recording import Channel, RecordingInfo
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.gui.main_window import MainWindow
from jaxscope.gui.painting.painter_thread import paint_scene
from jaxscope.gui.painting.scene import TraceScene
from jaxscope.session.settings import Settings
from jaxscope.session.state import Document, SessionState
from jaxscope.session.store import Store

RATE_HZ = 100.0
DURATION_S = 60.0
NAMES = ("Fp1", "Fp2", "O1", "O2", "VEOG", "ECG")
KINDS = ("eeg", "eeg", "eeg", "eeg", "eog", "ecg")
CHAINS = (
    FilterChain(name="EEG", channels=("Fp*", "O*"), phase="zero", stages=(Stage(spec=Butterworth(cutoff_hz=20.0)),)),
    FilterChain(name="ECG", channels=("ECG",), stages=(Stage(spec=Butterworth(cutoff_hz=30.0)),)),
)


@pytest.fixture
def info() -> RecordingInfo:
    """Return six channels of a minute with a gap and two events."""
    return RecordingInfo(
        format="edf",
        start=datetime(2026, 1, 1, 9, 30, 0),
        duration_s=DURATION_S,
        channels=tuple(
            Channel(name=name, unit="mV" if kind == "ecg" else "uV", kind=kind, rate_hz=RATE_HZ, n_samples=5800)
            for name, kind in zip(NAMES, KINDS, strict=True)
        ),
        annotations=(Annotation(onset_s=5.0, text="start"), Annotation(onset_s=30.0, duration_s=2.0, text="later")),
        gaps=(Gap(start_s=20.0, stop_s=22.0),),
    )


@pytest.fixture
def state(info: RecordingInfo) -> SessionState:
    """Return two chains, four channels for the first and one for the second."""
    return SessionState(document=Document(chains=CHAINS, annotations=info.annotations))


MakeFrame = Callable[..., Frame]


@pytest.fixture
def make_frame() -> MakeFrame:
    """Return a function that makes a frame: sines of 20 units, Before with an offset, After half as large."""

    def make(*, revision: int = 1, start_s: float = 0.0, stop_s: float = 10.0, bins: int = 1) -> Frame:
        times_s = np.arange(start_s, stop_s, bins / RATE_HZ)
        wave = 20.0 * np.sin(2 * np.pi * times_s)
        before = np.tile(wave, (len(NAMES), 1)) + 100.0
        low, high = before - 1.0, before + 1.0
        after = np.tile(wave, (len(NAMES), 1)) * 0.5
        same = Envelope(low=before, high=before)
        block = TraceBlock(
            rate_hz=RATE_HZ,
            channels=tuple(range(len(NAMES))),
            bin_samples=bins,
            times_s=times_s,
            before=same if bins == 1 else Envelope(low=low, high=high),
            after=Envelope(low=after, high=after),
            difference=Envelope(low=before - after, high=before - after),
            filtered=(True, True, True, True, False, True),
            before_offset=np.full(len(NAMES), 100.0),
            after_offset=np.zeros(len(NAMES)),
            removed_rms=np.array([7.0, 8.0, 9.0, 10.0, np.nan, 0.5]),
        )
        return Frame(
            revision=revision,
            recording_id="r",
            start_s=start_s,
            stop_s=stop_s,
            blocks=(block,),
            settled=True,
            compute_ms=3.1,
            method="block",
            method_reason="measured",
            device="cpu:0",
            precision="float64",
            n_channels=5,
            n_samples=len(times_s),
            scales={"eeg": 50.0, "eog": 200.0, "ecg": 2.0},
            settling_99_s=0.25,
            settling_9999_s=1.0,
        )

    return make


@dataclass
class FakeFolders:
    """Notes which folder the window asks for, and what it wants filtered."""

    asked: list[tuple]

    def list(self, folder: str, target: str) -> None:
        self.asked.append(("list", folder, target))

    def begin(self, request: object) -> None:
        self.asked.append(("filter folder", request))

    def stop(self) -> None:
        self.asked.append(("stop folder",))

    def hold(self, held: bool) -> None:
        self.asked.append(("hold folder", held))

    def skip(self, number: int) -> None:
        self.asked.append(("skip", number))

    def take_again(self, number: int) -> None:
        self.asked.append(("again", number))


@dataclass
class FakeSweeps:
    """Notes which sweeps the window asks for."""

    asked: list[tuple]

    def ask(self, request: object) -> None:
        self.asked.append(("sweep", request))


@dataclass
class FakeFits:
    """Notes which fits the window asks for."""

    asked: list[tuple]

    def begin(self, request: object) -> None:
        self.asked.append(("fit", request))

    def prepare(self, request: object) -> None:
        self.asked.append(("fit ahead", request))

    def stop(self) -> None:
        self.asked.append(("stop fit",))


@dataclass
class FakeConductor:
    """Notes what the window asks for."""

    asked: list[tuple] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.folders = FakeFolders(self.asked)
        self.sweeps = FakeSweeps(self.asked)
        self.fits = FakeFits(self.asked)

    def open(self, path: str, *, rate_hz: float | None = None, known: object = None, options: object = ()) -> None:
        self.asked.append(("open", path))

    def is_open(self, recording_id: str) -> bool:
        return True

    def close_recording(self) -> None:
        self.asked.append(("close",))

    def set_width_px(self, traces_px: int, overview_px: int) -> None:
        self.asked.append(("width", traces_px, overview_px))

    def export(self, request: object) -> int:
        self.asked.append(("export", request))
        return 1

    def cancel(self, job: int) -> None:
        self.asked.append(("cancel", job))

    def stop_measuring(self) -> None:
        self.asked.append(("stop measuring",))

    def take_up(self) -> None:
        self.asked.append(("take up",))

    def run_on(self) -> None:
        self.asked.append(("run on",))

    def give_up_reading(self) -> None:
        self.asked.append(("give up reading",))

    def give_up_computing(self) -> None:
        self.asked.append(("give up computing",))

    def ask_devices(self, *, measure: bool) -> None:
        self.asked.append(("devices", measure))


@dataclass
class Desk:
    """A window with a recording, the store behind it, and the scenes it wanted painted."""

    window: MainWindow
    store: Store
    conductor: FakeConductor
    scenes: list[TraceScene]
    make_frame: MakeFrame

    def show_frame(self, **choices: float) -> Frame:
        """Hand the window a frame of the present state and paint what it asks for."""
        frame = self.make_frame(revision=self.store.revision, **choices)
        self.window.receive(frame)
        self.paint()
        return frame

    def paint(self) -> None:
        """Paint the newest scene as the painter would."""
        image = paint_scene(self.scenes[-1])
        assert image is not None
        self.window.receive(image)

    def pump(self) -> None:
        """Serve events that are waiting."""
        QApplication.processEvents()

    def scale_to(self, scale: float) -> None:
        """Show text at another size, and wait until everything has its place."""
        actions = self.window.actions_
        actions.change_settings(replace(actions.settings, text_scale=scale))
        self.window.receive(design_frame(self.store.state, self.store.revision, self.window.shell.info))
        for _ in range(3):
            self.pump()


@pytest.fixture
def desk(qapp: QApplication, state: SessionState, info: RecordingInfo, make_frame: MakeFrame) -> Iterator[Desk]:
    """Return a window of 1600 × 1000 on the hand-made recording."""
    store, conductor, scenes = Store(state), FakeConductor(), []
    window = MainWindow(store, conductor, scenes.append, Settings())  # type: ignore[arg-type]
    window.resize(1600, 1000)
    window.show()
    window.receive(Opened(recording_id="r", path="/data/six.edf", info=info))
    made = Desk(window=window, store=store, conductor=conductor, scenes=scenes, make_frame=make_frame)
    made.show_frame()
    QApplication.processEvents()
    yield made
    window.actions_.discards = True
    window.close()
    window.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
