"""The decoder of soundfile, without its seek after every read.

``soundfile`` sets the position again after each read. On FLAC files without seek points, and at the end of any FLAC
file, libsndfile refuses that seek and a read that went well raises. Saying that the file cannot seek turns it off;
``seek`` itself works all the same.
"""

from __future__ import annotations

from soundfile import SoundFile, SoundFileError

__all__ = ["PlainSoundFile", "SoundFileError"]


class PlainSoundFile(SoundFile):  # type: ignore[misc]
    """A sound file whose reads only read."""

    def seekable(self) -> bool:
        return False
