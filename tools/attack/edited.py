"""Bytes that are changed, and know which of them are still those of the start, and where these were."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from attrs import frozen


@frozen
class Piece:
    """Bytes that were not changed: where they are now, where they were, how many there are."""

    now: int
    before: int
    size: int

    def cut_before(self, other: Piece) -> Piece:
        """Return what of it comes before another piece."""
        return Piece(self.now, self.before, max(min(self.size, other.now - self.now, other.before - self.before), 0))

    def cut_after(self, other: Piece) -> Piece:
        """Return what of it comes after another piece."""
        by = max(other.now + other.size - self.now, other.before + other.size - self.before, 0)
        return Piece(self.now + by, self.before + by, max(self.size - by, 0))


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

    def edits(self) -> Iterator[tuple[int, int, bytes]]:
        """Yield the changes in order: where they were made, how many bytes went, and those that came."""
        now = before = 0
        for piece in (*filter(lambda piece: piece.size, self.pieces), Piece(len(self), self.size_before, 0)):
            if (piece.now, piece.before) != (now, before):
                yield before, piece.before - before, bytes(self[now : piece.now])
            now, before = piece.now + piece.size, piece.before + piece.size

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

    def after(self, offset: int) -> int:
        """Return where the first byte is now that was not before an offset; if none of these is left, the end."""
        kept = (piece.now + max(offset - piece.before, 0) for piece in self.pieces if offset < piece.before + piece.size)
        return min(kept, default=len(self))

    # --- where the changes are ---

    def slid(self, before: bytes) -> Iterator[Edited]:
        """Yield these bytes with what was put in or taken out at other places of which the same bytes come.

        `abab` may be `ab` with `ab` put in before it, after it, or in its middle: nothing in the bytes shows which. No byte that
        is kept now is not kept there.
        """
        for pieces in self._slid(before, [Piece(0, 0, 0)], [*self.pieces, Piece(len(self), self.size_before, 0)]):
            other = Edited(bytes(self))
            other.size_before = self.size_before
            other.pieces = _joined(pieces)
            if other.pieces != self.pieces:
                yield other

    def _slid(self, before: bytes, left: Sequence[Piece], right: Sequence[Piece]) -> Iterator[Sequence[Piece]]:
        """Yield all pieces, those on the right with boundaries that have slid."""
        if not right:
            yield left
            return
        one, other = left[-1], right[0]
        now, then = one.now + one.size, one.before + one.size
        if now - then == other.now - other.before:
            yield from self._slid(before, [*left, other], right[1:])
            return
        most = min(other.now, other.before)
        to_left = self._reach(before, left, [(other.now - by, other.before - by) for by in range(1, most + 1)])
        most = min(len(self) - now, self.size_before - then)
        to_right = self._reach(before, right, [(now + by, then + by) for by in range(most)])
        for by in sorted(range(-to_left, to_right + 1), key=lambda by: min(by + to_left, to_right - by)):
            if by <= 0:
                start = Piece(other.now + by, other.before + by, -by)
                lefts = [piece.cut_before(start) for piece in left]
                yield from self._slid(before, [*lefts, *self._alike(before, start), other], right[1:])
            else:
                end = Piece(now, then, by)
                rights = [piece.cut_after(end) for piece in right]
                yield from self._slid(before, [*left, *self._alike(before, end), rights[0]], rights[1:])

    def _reach(self, before: bytes, kept: Sequence[Piece], places: Iterable[tuple[int, int]]) -> int:
        """Count the places, now and before, at which a byte is as it was, or none was kept anyway."""
        count = 0
        for now, then in places:
            if self[now] != before[then] and any(
                piece.before <= then < piece.before + piece.size or piece.now <= now < piece.now + piece.size for piece in kept
            ):
                break
            count += 1
        return count

    def _alike(self, before: bytes, piece: Piece) -> Iterator[Piece]:
        """Yield those parts of a piece that are as they were."""
        for is_same, group in groupby(range(piece.size), lambda at: self[piece.now + at] == before[piece.before + at]):
            run = list(group)
            if is_same:
                yield Piece(piece.now + run[0], piece.before + run[0], len(run))


def _joined(pieces: Iterable[Piece]) -> list[Piece]:
    """Return pieces without empty ones, and those that follow each other as one."""
    found: list[Piece] = []
    for piece in pieces:
        last = found[-1] if found else Piece(0, 0, 0)
        if piece.size and (last.now + last.size, last.before + last.size) == (piece.now, piece.before):
            piece = Piece(last.now, last.before, last.size + piece.size)
            del found[-1:]
        if piece.size:
            found.append(piece)
    return found
