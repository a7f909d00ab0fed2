"""Small pictures of recordings that were opened before, with what is known of them, kept in the user's cache.

One PNG a recording: the outline of its overview as a mask that is painted in the colour of its kind, and its facts as
texts of the PNG. Whether a recording is still there is looked up on a thread of its own: a network drive that does not
answer must not keep the window from opening. Without a card a recording is listed all the same.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Literal

from platformdirs import user_cache_path
from PySide6.QtCore import QObject, QRectF, Signal
from PySide6.QtGui import QImage, QPainter

from jaxscope.compute.frames import OverviewFrame
from jaxscope.data.recording import RecordingInfo
from jaxscope.gui.theme import colour
from jaxscope.gui.views.overview import envelope_image

#: device pixels of a picture: twice its logical size
_WIDTH_PX, _RATIO = 160, 1.0
#: pictures that are kept; the oldest go first
MOST_CARDS = 40

Presence = Literal["here", "moved", "away"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Card:
    """What is shown of a recording: a mask, the token it is painted in, facts in words, when it was opened."""

    picture: QImage
    token: str
    facts: str
    opened: datetime | None


def card_path(path: str) -> Path:
    """Return where the card of a recording is kept."""
    name = sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return user_cache_path("jaxscope", appauthor=False) / "recent" / f"{name}.png"


def keep_card(path: str, info: RecordingInfo, frame: OverviewFrame, *, facts: str, token: str, now: datetime) -> bool:
    """Keep the card of a recording, in the colour of ``token``; return whether it could be kept."""
    picture = envelope_image(frame, info.duration_s or float(frame.edges_s[-1]), _WIDTH_PX, _RATIO, shows_after=False)
    picture.setText("facts", facts)
    picture.setText("token", token)
    picture.setText("opened", now.isoformat(timespec="seconds"))
    target = card_path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _forget_oldest(target.parent)
    except OSError:
        return False  # a cache that cannot be written: the recording is listed without a picture
    return picture.save(str(target), "PNG")  # type: ignore[call-overload]  # PySide takes only a str


def load_card(path: str) -> Card | None:
    """Return the card of a recording, or None where there is none."""
    picture = QImage(str(card_path(path)))
    if picture.isNull():
        return None
    try:
        opened = datetime.fromisoformat(picture.text("opened"))
    except ValueError:
        opened = None
    return Card(picture=picture, token=picture.text("token") or "after", facts=picture.text("facts"), opened=opened)


def _forget_oldest(folder: Path) -> None:
    cards = sorted(folder.glob("*.png"), key=lambda card: card.stat().st_mtime)
    for card in cards[: max(0, len(cards) - MOST_CARDS)]:
        card.unlink(missing_ok=True)


def paint_card(painter: QPainter, card: Card, rect: QRectF, *, opacity: float = 1.0) -> None:
    """Paint the picture of a card in the colour of its kind."""
    tinted = card.picture.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
    with QPainter(tinted) as inner:
        inner.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
        inner.fillRect(tinted.rect(), colour(card.token))
    painter.setOpacity(opacity)
    painter.drawImage(rect, tinted, QRectF(tinted.rect()))
    painter.setOpacity(1.0)


def when_words(moment: datetime, now: datetime) -> str:
    """Return when something was, as it is said: today, yesterday, or the day.

    Examples
    --------
    >>> when_words(datetime(2026, 11, 30, 14, 2), datetime(2026, 11, 30, 20, 0))
    'Today, 14:02'
    """
    if moment.date() == now.date():
        return f"Today, {moment:%H:%M}"
    if moment.date() == (now - timedelta(days=1)).date():
        return "Yesterday"
    day = f"{moment.day} {moment:%b}"
    return day if moment.year == now.year else f"{day} {moment.year}"


class PresenceLook(QObject):
    """Looks on a thread of its own which recordings are still there."""

    #: a path and its ``Presence``
    found = Signal(str, str)

    def look(self, paths: Sequence[str]) -> None:
        """Begin to look; ``found`` is emitted for each path, once its disk has answered."""
        for path in paths:
            # one thread a path: a disk that does not answer keeps no other from being looked at
            threading.Thread(target=self._look_at, args=(path,), name="look-at-recent", daemon=True).start()

    def _look_at(self, path: str) -> None:
        found = presence_of(path)
        try:
            self.found.emit(path, found)
        except RuntimeError:
            return  # the window is gone


def presence_of(path: str) -> Presence:
    """Return whether a recording is there, was moved, or is on a disk that is not."""
    file = Path(path)
    try:
        if file.exists():
            return "here"
        return "moved" if file.parent.exists() else "away"
    except OSError:
        return "away"
