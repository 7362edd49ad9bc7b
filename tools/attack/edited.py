"""Bytes that are changed, and know which of them are still those of the start, and where these were."""

from __future__ import annotations

from typing import Any

from attrs import frozen


@frozen
class Piece:
    """Bytes that were not changed: where they are now, where they were, how many there are."""

    now: int
    before: int
    size: int


class Edited(bytearray):
    """A bytearray whose changes go through items and slices."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.size_before = len(data)
        self.pieces: list[Piece] = [Piece(0, 0, len(data))] if data else []

    def __setitem__(self, key: Any, value: Any) -> None:  # noqa: ANN401 - of two kinds each, which belong to each other
        size = len(self)
        start, end, _ = key.indices(size) if isinstance(key, slice) else (key % size, key % size + 1, 1)
        super().__setitem__(key, value)
        self._touch(start, max(start, end), len(self) - size)

    def within(self, before: bytes, after: bytes) -> Edited:
        """Return the same changes in a larger piece: what is before and after it is untouched."""
        whole = Edited(before + bytes(self) + after)
        shift = len(before)
        size = shift + self.size_before
        kept = [Piece(piece.now + shift, piece.before + shift, piece.size) for piece in self.pieces]
        rest = Piece(shift + len(self), size, len(after))
        whole.size_before = size + len(after)
        whole.pieces = []
        for piece in (Piece(0, 0, shift), *kept, rest):
            last = whole.pieces[-1] if whole.pieces else Piece(0, 0, 0)
            if (last.now + last.size, last.before + last.size) == (piece.now, piece.before):
                whole.pieces[-1:] = [Piece(last.now, last.before, last.size + piece.size)]
            elif piece.size:
                whole.pieces.append(piece)
        return whole

    def _touch(self, start: int, end: int, grown: int) -> None:
        """Note that bytes from `start` to `end` are new ones, and what comes after them has moved."""
        kept: list[Piece] = []
        for piece in self.pieces:
            if piece.now < start:
                kept.append(Piece(piece.now, piece.before, min(piece.size, start - piece.now)))
            cut = max(end - piece.now, 0)
            if cut < piece.size:
                kept.append(Piece(piece.now + cut + grown, piece.before + cut, piece.size - cut))
        self.pieces = kept

    # --- where things are now ---

    def now(self, start: int, end: int) -> int:
        """Return where bytes that were from `start` to `end` start now; -1 if some of them were changed or others put between."""
        for piece in self.pieces:
            if piece.before <= start and end <= piece.before + piece.size:
                return piece.now + start - piece.before
        return -1

    def before(self, at: int) -> int:
        """Return where the byte at an offset was; -1 if it is a new one."""
        for piece in self.pieces:
            if piece.now <= at < piece.now + piece.size:
                return piece.before + at - piece.now
        return -1

    def is_gone(self, start: int, end: int) -> bool:
        """Return whether nothing is left of the bytes that were from `start` to `end`."""
        return not any(piece.before < end and start < piece.before + piece.size for piece in self.pieces)

    def edges(self, offset: int) -> list[int]:
        """Return where the boundary before an offset may be now: after what was before it, before what was after it."""
        found: list[int] = []
        last, first = self.now(offset - 1, offset), self.now(offset, offset + 1)
        if last >= 0:
            found.append(last + 1)
        if first >= 0 and first not in found:
            found.append(first)
        return found
