"""Where the window was and what it showed, kept from one start to the next.

A place that is on no screen any more (a monitor was taken away) is not gone back to, and a window that is larger than
all screens is made to fit.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, get_args

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QGuiApplication

from jaxscope.session import actions as act
from jaxscope.session.settings import Settings
from jaxscope.session.state import Face, ResponseView

if TYPE_CHECKING:
    from jaxscope.gui.main_window import MainWindow

#: part of the window's head that must be on a screen, in pixels
_SEEN_PX = 80


def layout_of(window: MainWindow, settings: Settings) -> Settings:
    """Return the settings with where the window is and what it shows."""
    place = window.normalGeometry()
    viewport = window.shell.viewport
    return replace(
        settings,
        geometry=(place.left(), place.top(), place.width(), place.height(), int(window.isMaximized())),
        dock_width=window.parts.dock_width,
        face=viewport.face,
        response_view=viewport.response_view,
    )


def restore_layout(window: MainWindow, settings: Settings) -> None:
    """Put the window where it was, with the dock as wide and the faces that it showed."""
    if settings.geometry:
        place = QRect(*settings.geometry[:4])
        if is_on_a_screen(place):
            window.setGeometry(within_a_screen(place))
        if settings.geometry[4]:
            window.showMaximized()
    window.parts.set_dock_width(settings.dock_width)
    if settings.face in get_args(Face):
        window.shell.dispatch(act.ChooseFace(face=settings.face))  # type: ignore[arg-type]
    if settings.response_view in get_args(ResponseView):
        window.shell.dispatch(act.ChooseResponse(view=settings.response_view))  # type: ignore[arg-type]


def within_a_screen(place: QRect) -> QRect:
    """Return a place, one that is larger than all screens together as large as the screen that has most of it."""
    rooms = _rooms()
    whole = reduce(QRect.united, rooms)
    if place.width() <= whole.width() and place.height() <= whole.height():
        return place
    room = max(rooms, key=lambda one: _area(one.intersected(place)))
    size = place.size().boundedTo(room.size())
    left = min(max(place.left(), room.left()), room.right() + 1 - size.width())
    top = min(max(place.top(), room.top()), room.bottom() + 1 - size.height())
    return QRect(QPoint(left, top), size)


def _rooms() -> list[QRect]:
    return [screen.availableGeometry() for screen in QGuiApplication.screens()]


def _area(place: QRect) -> int:
    return max(0, place.width()) * max(0, place.height())


def is_on_a_screen(place: QRect) -> bool:
    """Whether enough of a window's head would be on a screen to take hold of it."""
    head = QRect(place.left(), place.top(), place.width(), _SEEN_PX)
    parts = (head.intersected(room) for room in _rooms())
    return any(part.width() >= _SEEN_PX and part.height() >= _SEEN_PX // 2 for part in parts)
