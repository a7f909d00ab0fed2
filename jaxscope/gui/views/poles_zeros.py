"""The Poles & zeros face: the plane of the selected stage, and the numbers of the root that is selected.

Every move of the hand is one action with the merge key of the drag, so a drag is one undo step and the traces follow.
Invariant: the plane shows the roots of the state where the state holds them, else those of the newest design frame.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from jaxscope.compute.frames import DesignFrame, Outcome, StageCurve
from jaxscope.errors import SpecError, capitalised
from jaxscope.filters.roots import Roots
from jaxscope.filters.spec import Stage
from jaxscope.gui.components.buttons import Button, IconButton
from jaxscope.gui.components.labels import Label, Paragraph
from jaxscope.gui.components.painting import begin, draw_text
from jaxscope.gui.components.segmented import Segment, SegmentedControl
from jaxscope.gui.components.switch import Switch
from jaxscope.gui.key_tips import KeyTip
from jaxscope.gui.theme import font, scaled
from jaxscope.gui.views.base import AbstractView, Dispatch
from jaxscope.gui.views.chain_list_model import title_of
from jaxscope.gui.views.poles_zeros_fields import RootFields
from jaxscope.gui.views.poles_zeros_model import (
    PlaneRoots,
    can_leave_axis,
    edit_of,
    explicit,
    gain_kept,
    reference_of,
    rings_words,
    roots_in_use,
)
from jaxscope.gui.views.poles_zeros_plane import PolesZerosPlane
from jaxscope.gui.views.running_edit import RunningEdit
from jaxscope.session.actions import RevertToDesign
from jaxscope.session.roots import rooted_spec
from jaxscope.session.state import SessionState

_PICTURES = (
    Segment(key="plane", label="Plane", tip="The z-plane"),
    Segment(key="ringing", label="Hz × ringing", tip="Frequency against decay time, better for low frequencies"),
)
#: height of the face with the smallest plane, and sides of the plane
_LEAST_HEIGHT = 266
_SMALLEST, _LARGEST = 174, 244
#: sides of the plane under which the mirror is not told
_TERSE_BELOW = 236
_SIDE_WIDTH = 110


class _Words(QWidget):
    """A caption over a value, twice."""

    def __init__(self) -> None:
        super().__init__()
        self._pairs: tuple[tuple[str, str, str], ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_pairs(self, pairs: tuple[tuple[str, str, str], ...]) -> None:
        """Show (caption, value, token)."""
        if pairs != self._pairs:
            self._pairs = pairs
            self.setAccessibleName("; ".join(f"{caption}: {value}" for caption, value, _ in pairs))
            self.updateGeometry()
            self.update()

    def words(self) -> dict[str, str]:
        """Return what is shown."""
        return {caption: value for caption, value, _ in self._pairs}

    def sizeHint(self) -> QSize:
        return QSize(scaled(100), len(self._pairs) * scaled(38))

    def minimumSizeHint(self) -> QSize:
        return QSize(60, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            right = Qt.TextElideMode.ElideRight
            for number, (caption, value, token) in enumerate(self._pairs):
                top = number * scaled(38)
                draw_text(painter, QRectF(0, top, self.width(), scaled(16)), caption, font(11), "text3", elide=right)
                box = QRectF(0, top + scaled(15), self.width(), scaled(18))
                draw_text(painter, box, value, font(13, 500), token, elide=right)


class PolesZerosFace(QWidget, AbstractView):
    """Poles and zeros of the selected stage.

    Parameters
    ----------
    dispatch : callable
        Takes the actions of the user.
    """

    escaped = Signal()
    #: a drag began (True) or ended (False)
    dragging = Signal(bool)
    #: what a drag does and which keys change it; empty when it is over
    hinted = Signal(str)

    def __init__(self, dispatch: Dispatch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._dispatch = dispatch
        self._at = (0, 0)
        self._stages: tuple[Stage, ...] = ()
        self._frame: DesignFrame | None = None
        self._rate_hz = 1000.0
        self._in_use = PlaneRoots()
        self._running = RunningEdit()
        #: the roots of the stage when the running edit began: their gain is kept
        self._before = Roots((), (), 1.0)
        self.plane = PolesZerosPlane()
        self.fields = RootFields()
        self._words = _Words()
        self._side = QWidget()
        self.pictures = SegmentedControl(_PICTURES, name="Picture", height=28, padding=8)
        self.zoom_in = IconButton("zoom-in", "Closer", size=28, icon_size=16)
        KeyTip(self.zoom_in, "Closer", ("plane", "closer"), write=self.zoom_in.set_tip)
        self.add_pole = Button("Pole", "plain", icon="x", height=28, padding=8)
        self.add_zero = Button("Zero", "plain", icon="circle", height=28, padding=8)
        self.keep_gain = Switch("Keep the gain", width=28, height=16, label="Keep the gain at 0 Hz")
        self.revert = Button("Revert to design", "link", height=28, padding=0)
        self.message = Paragraph("", 11, "danger")
        self.note = Label("", 11, 400, "text3", shrink=True)
        self._lay_out()
        self._connect()

    # --- what the dock asks

    def least_height(self) -> int:
        """Return the height that the face should have without scrolling."""
        return scaled(_LEAST_HEIGHT)

    def fit(self, room: int) -> None:
        """Make the plane as large as a height leaves it, within limits; what does not fit is scrolled to."""
        rows = self._tools.sizeHint().height() + self._bottom.sizeHint().height() + 10 + 8 + 2 * 8
        rows += sum(part.sizeHint().height() + 8 for part in (self.message, self.note) if part.isVisibleTo(self))
        side = min(max(room - rows, scaled(_SMALLEST)), scaled(_LARGEST))
        if side != self.plane.maximumHeight():
            self.plane.setFixedHeight(side)
            self._show_numbers()

    def focus_first(self) -> None:
        """Give the focus to the plane."""
        self.plane.setFocus(Qt.FocusReason.OtherFocusReason)

    def focus_stops(self) -> list[QWidget]:
        """Return what the Tab key reaches, in order."""
        tail = [self.zoom_in, self.add_pole, self.add_zero, self.keep_gain, self.revert]
        return [self.plane, *self.fields.stops(), *tail]

    def words(self) -> dict[str, str]:
        """Return the captions and values beside the plane."""
        return self._words.words()

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        chain, at = state.viewport.active_chain, state.viewport.selected_stage
        chains = state.document.chains
        stages = chains[chain].stages if chain < len(chains) else ()
        if (chain, at) != self._at:
            self.plane.selected = None
        if chain != self._at[0] or chain >= len(chains):
            self._frame = None
        self._at, self._stages = (chain, at), stages
        stage = self._stage()
        self.revert.setVisible(stage is not None and stage.origin is not None)
        if stage is not None and stage.origin is not None:
            self.revert.setToolTip(f"Back to {stage.origin.title}. Your roots stay in the undo list")
        self._show()

    def show_frame(self, outcome: Outcome) -> None:
        if isinstance(outcome, DesignFrame) and outcome.chain == self._at[0]:
            self._frame = outcome
            self._rate_hz = outcome.rate_hz
            self._show()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._side.setFixedWidth(scaled(_SIDE_WIDTH))
            self._show_numbers()

    # --- inside

    def _lay_out(self) -> None:
        side = QVBoxLayout()
        side.setContentsMargins(0, 0, 0, 0)
        side.setSpacing(0)
        side.addWidget(self.fields)
        side.addWidget(self._words)
        side.addStretch(1)
        self._side.setLayout(side)
        self._side.setFixedWidth(scaled(_SIDE_WIDTH))
        body, self._tools, self._bottom = QHBoxLayout(), QHBoxLayout(), QHBoxLayout()
        rows: tuple[tuple[QHBoxLayout, int, tuple[QWidget | None, ...]], ...] = (
            (body, 14, (self.plane, self._side)),
            (self._tools, 6, (self.pictures, None, self.zoom_in, self.add_pole, self.add_zero)),
            (self._bottom, 6, (self.keep_gain, None, self.revert)),
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 10, 0, 8)
        column.setSpacing(8)
        for row, spacing, parts in rows:
            row.setContentsMargins(0, 0, 0, 0)
            row.setSpacing(spacing)
            for part in parts:
                if part is None:
                    row.addStretch(1)
                else:
                    top = Qt.AlignmentFlag.AlignTop if row is body else Qt.AlignmentFlag.AlignVCenter
                    row.addWidget(part, 1 if part is self.plane else 0, top)
            column.addLayout(row)
            if row is body:
                column.addWidget(self.message)
                column.addWidget(self.note)
        column.addStretch(1)
        policy = self.revert.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # its coming must not move the plane under the hand
        self.revert.setSizePolicy(policy)
        self.keep_gain.setChecked(True)
        self.keep_gain.setToolTip("Scales the gain while roots move, so that this frequency keeps its size")
        KeyTip(self.add_pole, "Add a pole pair", ("plane", "add a pole pair"))
        KeyTip(self.add_zero, "Add a zero pair", ("plane", "add a zero pair"))
        self.message.hide()

    def _connect(self) -> None:
        self.plane.changed.connect(self._edit)
        self.plane.given_up.connect(self._put_back)
        self.plane.moved.connect(self._show_numbers)
        self.plane.numbers_wanted.connect(self.fields.focus_first)
        self.plane.dragging.connect(self._on_dragging)
        self.plane.escaped.connect(self.escaped)
        self.fields.escaped.connect(self.escaped)
        self.fields.placed.connect(self.plane.move_selected)
        self.fields.complained.connect(self._complain)
        self.pictures.set_current("plane")
        self.pictures.chosen.connect(self._on_picture)
        self.zoom_in.clicked.connect(lambda: self.plane.zoom(1.6))
        self.add_pole.clicked.connect(lambda: self.plane.add("pole"))
        self.add_zero.clicked.connect(lambda: self.plane.add("zero"))
        self.revert.clicked.connect(lambda: self._dispatch(RevertToDesign(chain=self._at[0], stage=self._at[1])))

    def _stage(self) -> Stage | None:
        return self._stages[self._at[1]] if self._at[1] < len(self._stages) else None

    def _curve(self) -> StageCurve | None:
        frame, at = self._frame, self._at[1]
        fits = frame is not None and len(frame.stages) == len(self._stages) and at < len(frame.stages)
        return frame.stages[at] if fits and frame is not None else None

    def _others(self) -> tuple[tuple[str, complex], ...]:
        frame = self._frame
        if frame is None or len(frame.stages) != len(self._stages):
            return ()
        found: list[tuple[str, complex]] = []
        for number, (stage, curve) in enumerate(zip(self._stages, frame.stages, strict=True)):
            if number != self._at[1] and stage.enabled and curve.plane is not None:
                for kind, roots in (("zero", curve.plane.zeros or ()), ("pole", curve.plane.poles)):
                    found.extend((kind, root) for root in dict.fromkeys(roots) if root != 0)
        return tuple(found)

    def _show(self) -> None:
        stage = self._stage()
        self._in_use = roots_in_use(stage, self._curve())
        roots, reason = self._in_use.roots, self._in_use.reason
        self.plane.show_roots(roots, self._others(), self._rate_hz, can_edit=not reason)
        for part in (self.add_pole, self.add_zero, self.keep_gain):
            part.setEnabled(not reason)
        self.note.setText(capitalised(reason))
        self.note.setVisible(bool(reason))
        if stage is not None:
            words = reference_of(stage, roots, self._rate_hz)[1]
            self.keep_gain.set_label(f"Keep the gain at {words}")
        self._show_numbers()

    def _show_numbers(self) -> None:
        grip = self.plane.selected_grip()
        if grip is None or self.plane.selected is None:
            self.fields.show_root(None, "pole", self._rate_hz, can_leave_axis=False, can_edit=False)
            self._words.show_pairs(())
            return
        kind, place = self.plane.selected
        free = can_leave_axis(self.plane.roots, grip)
        self.fields.show_root(place, kind, self._rate_hz, can_leave_axis=free, can_edit=not self._in_use.reason)
        wrong = "danger" if kind == "pole" and abs(place) >= 1 else "text"
        mirror = (f"Mirror {kind}", "Moves along") if place.imag > 0 else (f"Real {kind}", "No mirror")
        pairs = ((*rings_words(place, kind, self._rate_hz), wrong), (*mirror, "text"))
        terse = self.plane.maximumHeight() < scaled(_TERSE_BELOW)
        self.fields.set_tight(tight=terse)
        self._words.show_pairs(pairs[:1] if terse else pairs)

    def _edit(self, roots: Roots, _place: complex | None, merge_key: str) -> None:
        stage = self._stage()
        if stage is None or self._in_use.reason:
            return
        if self._running.begin(merge_key, self._at, stage):
            self._before = self._in_use.roots
        before = self._before
        new = explicit(Roots(roots.zeros, roots.poles, before.gain))
        if self.keep_gain.isChecked():
            designed = self._running.stage_before or stage
            new = gain_kept(explicit(before), new, reference_of(designed, before, self._rate_hz)[0])
        action = edit_of(new, chain=self._at[0], stage=self._at[1], merge_key=merge_key)
        try:
            rooted_spec(action)
        except SpecError as error:
            self._complain(f"{capitalised(error.message)}. The roots from before are kept.")
            return
        self._dispatch(action)

    def _put_back(self, merge_key: str) -> None:
        self._running.give_up(merge_key, self._dispatch)

    def _on_dragging(self, on: bool) -> None:  # noqa: FBT001
        stage = self._stage()
        if on and stage is not None and self.plane.selected is not None:
            kind, place = self.plane.selected
            what = f"a {kind} pair" if place.imag > 0 else f"a real {kind}"
            self.hinted.emit(
                f"Moving {what} of {title_of(stage)}.  Shift: radius only,  Alt: angle only,  Ctrl: fine,  "
                "release to keep"
            )
        else:
            self.hinted.emit("")
        self.dragging.emit(on)

    def _on_picture(self, key: str) -> None:
        self.plane.set_ringing(on=key == "ringing")
        self.zoom_in.setEnabled(key == "plane")

    def _complain(self, sentence: str) -> None:
        self.message.setText(sentence)
        self.message.setVisible(bool(sentence))
