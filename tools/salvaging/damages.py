"""Kinds of damage: each takes a sound save and numbers from a seed, and damages one place."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from typing import Final

from attrs import field, frozen

from salvaging.places import Places, Size
from salvaging.wrappers import Chunk, Edit, Save, Span, apply, first_change

__all__ = ["CLASSES", "Damaged", "damage"]

#: Bytes of the stream that are damaged, missing or doubled where a file is not in chunks.
WINDOW: Final = 65536
#: A later object, where a wrong size ends, is at most so many objects away: in every other place it is a near one.
REACH: Final = (5, 200)


@frozen
class Damaged:
    """A damaged save: where, and which bytes of the sound stream are not as they were."""

    data: bytes
    place: str
    touched: list[Span] = field(factory=list)


@frozen
class Work:
    """What a kind of damage needs: a save, what is in it, and numbers from a seed."""

    save: Save
    places: Places
    rnd: random.Random
    #: The place of the damage, counted from 0: kinds with variants take them in turn.
    index: int
    of_values: bool

    def pack(self, edits: list[Edit], place: str, touched: list[Span] | None = None) -> Damaged:
        """Pack the stream with these edits; they touch what they replace, unless the caller says otherwise."""
        spans = [(start, max(end, start + 1)) for start, end, _ in edits] if touched is None else touched
        return Damaged(self.save.pack(edits), place, spans)

    def chunk(self) -> tuple[Chunk, bool]:
        """Choose a chunk of the file; or a part of the stream, where the file is not in chunks."""
        chunks = self.save.chunks
        if len(chunks) > 1:
            return self.rnd.choice(chunks), True
        size = min(WINDOW, max(1, len(self.save.stream) // 4))
        start = self.rnd.randrange(len(self.save.stream) - size + 1)
        return Chunk(start, start + size, (start, start + size)), False

    def in_file(self, start: int, end: int, new: bytes) -> Damaged:
        """Replace bytes of the file."""
        save = self.save
        data = save.data[:start] + new + save.data[end:]
        place = f"file 0x{start:x}"
        if save.stream is save.data:
            return Damaged(data, place, [(start, end)])
        if save.rows:
            names = {chunk.entry for chunk in save.chunks if chunk.start < end and start < chunk.end}
            return Damaged(data, place, [thing.entry for thing in self.places.objects if thing.key[2] in names])
        if save.verified:
            return Damaged(data, place)
        return Damaged(data, place, [(first_change(save, data), len(save.stream))])

    def size(self) -> Size | None:
        """Choose a size."""
        return self.rnd.choice(self.places.sizes) if self.places.sizes else None

    def wrong(self, size: Size) -> int:
        """Return another number for a size: a bit too large, too small, or any."""
        now = size.value(self.save.stream)
        return self.rnd.choice(
            [now + self.rnd.randint(1, 300), max(0, now - self.rnd.randint(1, max(now, 1))), self.rnd.randrange(1 << 20)]
        )

    def fitted(self, edits: list[Edit]) -> list[Edit]:
        """Add the edits that make all sizes around right, in every other place."""
        if self.index % 2 == 0:
            return edits
        more = []
        for size in self.places.around:
            grown = sum(len(new) - (end - start) for start, end, new in edits if size.start <= start and end <= size.end)
            if grown:
                more.append(size.edit(size.value(self.save.stream) + grown))
        return edits + more


def _cut(work: Work) -> Damaged:
    size = len(work.save.data)
    end = work.rnd.randrange(size // 20, size)
    return Damaged(work.save.data[:end], f"file 0x{end:x}")


def _chunk_flipped(work: Work) -> Damaged:
    chunk, in_file = work.chunk()
    source = work.save.data if in_file else work.save.stream
    first = chunk.start + (50 if in_file and chunk.end - chunk.start > 100 else 0)
    flipped = sorted({work.rnd.randrange(first, chunk.end) for _ in range(8)})
    edits = [(at, at + 1, bytes([source[at] ^ work.rnd.randrange(1, 256)])) for at in flipped]
    if not in_file:
        return work.pack(edits, f"stream 0x{chunk.start:x}")
    made = work.in_file(chunk.start, chunk.end, apply(source, edits)[chunk.start : chunk.end])
    return Damaged(made.data, f"chunk 0x{chunk.start:x}", made.touched)


def _zeros(work: Work) -> Damaged:
    size = len(work.save.data)
    start = work.rnd.randrange(min(600, size // 2), size)
    end = min(start + 4096, size)
    return work.in_file(start, end, bytes(end - start))


def _junk(work: Work) -> Damaged:
    size = len(work.save.data)
    start = work.rnd.randrange(min(600, size // 2), size)
    end = min(start + 512, size)
    return work.in_file(start, end, work.rnd.randbytes(end - start))


def _chunk_missing(work: Work) -> Damaged:
    chunk, in_file = work.chunk()
    if not in_file:
        return work.pack([(chunk.start, chunk.end, b"")], f"stream 0x{chunk.start:x}")
    made = work.in_file(chunk.start, chunk.end, b"")
    return Damaged(made.data, f"chunk 0x{chunk.start:x}", made.touched)


def _chunk_doubled(work: Work) -> Damaged:
    chunk, in_file = work.chunk()
    source = work.save.data if in_file else work.save.stream
    part = source[chunk.start : chunk.end]
    if not in_file:
        return work.pack([(chunk.end, chunk.end, part)], f"stream 0x{chunk.start:x}", [chunk.stream])
    made = work.in_file(chunk.end, chunk.end, part)
    return Damaged(made.data, f"chunk 0x{chunk.start:x}", made.touched)


def _body(work: Work) -> Span | None:
    bodies = work.places.bodies(of_values=work.of_values)
    return work.rnd.choice(bodies) if bodies else None


def _inner(work: Work) -> Damaged | None:
    body = _body(work)
    if body is None:
        return None
    at = work.rnd.randrange(body[0], body[1] - 8)
    return work.pack([(at, at + 8, work.rnd.randbytes(8))], f"stream 0x{at:x}")


def _gap(work: Work) -> Damaged | None:
    body = _body(work)
    if body is None:
        return None
    size = work.rnd.randint(1, min(40, body[1] - body[0]))
    at = work.rnd.randrange(body[0], body[1] - size + 1)
    return work.pack([(at, at + size, b"")], f"stream 0x{at:x}, {size} bytes")


def _inserted(work: Work) -> Damaged | None:
    body = _body(work)
    if body is None:
        return None
    size = work.rnd.randint(1, 40)
    at = work.rnd.randrange(body[0] + 1, body[1])
    return work.pack([(at, at, work.rnd.randbytes(size))], f"stream 0x{at:x}, {size} bytes")


def _wrong_size(work: Work) -> Damaged | None:
    size = work.size()
    if size is None:
        return None
    wrong = work.wrong(size)
    return work.pack([size.edit(wrong)], f"stream 0x{size.at:x}: {wrong}", [size.owner.entry])


def _count(work: Work) -> Damaged | None:
    if not work.places.counts:
        return None
    at, count = work.rnd.choice(work.places.counts)
    wrong = count + work.rnd.choice([-1, 1])
    return work.pack([(at, at + 4, struct.pack("<i", wrong))], f"stream 0x{at:x}: {wrong}")


def _size_to_later(work: Work) -> Damaged | None:
    sizes = work.places.sizes
    if len(sizes) < 2:
        return None
    first = work.rnd.randrange(len(sizes) - 1)
    later = [size.end for size in sizes[first + 1 : first + 1 + REACH[work.index % 2]] if size.end > sizes[first].end]
    if not later:
        return None
    size = sizes[first]
    wrong = size.value(work.save.stream) + work.rnd.choice(later) - size.end
    return work.pack([size.edit(wrong)], f"stream 0x{size.at:x}: {wrong}", [size.owner.entry])


def _entry_missing(work: Work) -> Damaged | None:
    if not work.places.elements:
        return None
    start, end = work.rnd.choice(work.places.elements)
    return work.pack(work.fitted([(start, end, b"")]), f"stream 0x{start:x}", [])


def _entry_twice(work: Work) -> Damaged | None:
    if not work.places.elements:
        return None
    start, end = work.rnd.choice(work.places.elements)
    return work.pack(work.fitted([(end, end, work.save.stream[start:end])]), f"stream 0x{start:x}", [])


def _two_sizes(work: Work) -> Damaged | None:
    """Make two sizes wrong: by the same number in both directions, or each by another one."""
    sizes = work.places.sizes
    if work.save.format != "satisfactory-blueprint" or len(sizes) < 2:
        return None
    first = work.rnd.randrange(len(sizes) - 1)
    second = work.rnd.randrange(first + 1, min(len(sizes), first + 1 + 20))
    now = [sizes[index].value(work.save.stream) for index in (first, second)]
    if work.index % 2 == 0:
        moved = work.rnd.randint(1, max(1, min(300, now[1])))
        wrong = [now[0] + moved, now[1] - moved]
    else:
        wrong = [work.wrong(sizes[first]), work.wrong(sizes[second])]
    edits = [sizes[index].edit(value) for index, value in zip((first, second), wrong, strict=True)]
    return work.pack(edits, f"stream 0x{edits[0][0]:x}, 0x{edits[1][0]:x}", [sizes[first].owner.entry, sizes[second].owner.entry])


def _size_and_cut(work: Work) -> Damaged | None:
    made = _wrong_size(work)
    if made is None:
        return None
    end = work.rnd.randrange(len(made.data) * 2 // 5, len(made.data))
    return Damaged(made.data[:end], f"{made.place}; file 0x{end:x}", made.touched)


#: Kinds of damage, in the order of the table. None: the save has nothing that this could damage.
CLASSES: Final[dict[str, Callable[[Work], Damaged | None]]] = {
    "cut": _cut,
    "chunk-flipped": _chunk_flipped,
    "zeros": _zeros,
    "junk": _junk,
    "chunk-missing": _chunk_missing,
    "chunk-doubled": _chunk_doubled,
    "object-bytes": _inner,
    "size-wrong": _wrong_size,
    "bytes-missing": _gap,
    "bytes-inserted": _inserted,
    "count": _count,
    "size-to-later": _size_to_later,
    "entry-missing": _entry_missing,
    "entry-twice": _entry_twice,
    "two-sizes": _two_sizes,
    "size-and-cut": _size_and_cut,
}


def damage(save: Save, places: Places, kind: str, index: int, *, name: str, of_values: bool) -> Damaged | None:
    """Damage a save; return None if it has nothing that this kind could damage.

    Args:
        save: a sound save.
        places: what is in it.
        kind: one of `CLASSES`.
        index: the number of the place, from 0. The same name, kind and number give the same damage.
        name: that of the save.
        of_values: values are counted, not objects: properties are damaged inside.
    """
    rnd = random.Random(f"{name} {kind} {index}")
    return CLASSES[kind](Work(save, places, rnd, index, of_values))
