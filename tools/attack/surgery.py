"""Cuts through a save that know where its objects are, and what may be given of it afterwards.

Each operation makes one thing wrong and leaves the rest as it was, byte for byte. The lengths around a change are made to fit up
to a random depth: none, the innermost, ... up to the size of the whole stream.

The module is long because it is a list of operations.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final

from attrs import define, field, frozen

from attack.edited import Edited, Piece
from attack.spans import Blobs, Span, Spans

Key = tuple[str, str, str, str]

#: How often there is one more operation.
MORE_SHARE: Final = 0.2
TRIES: Final = 20
#: The depth from which on the numbers and sizes of headers and entries fit; that of the stream may not.
FITTING: Final = 2
#: So many have to fit that the number of entries does.
COUNTED: Final = 1
#: Bytes that are put in or taken out.
SIZES: Final = (1, 1, 2, 3, 4, 4, 8, 16, 29, 64, 300)


@frozen
class Answer:
    """What an object may be given as: with one of these headers and one of these data, or not at all."""

    #: None: the header itself was changed, so any.
    keys: tuple[Key, ...] | None
    #: None: so much of it was changed that these may be any, too.
    data: tuple[bytes, ...] | None
    #: The bytes under its header, some of them put in. If its size is the old one, what it encloses of them is its own.
    longer: bytes = b""
    #: It has to be given or reported as lost.
    is_due: bool = True
    #: Nothing is left of its entry: one that came in whole in its place is under its header.
    is_gone: bool = False


@frozen
class Truth:
    """What may be given of a damaged save."""

    operations: tuple[str, ...]
    #: The damaged stream.
    body: bytes = field(repr=False)
    #: By the offset of an object's header in the damaged stream.
    answers: dict[int, Answer] = field(repr=False)
    #: Where the stream is as it was, if that is not known to be everywhere: headers may be elsewhere, too.
    kept: tuple[Piece, ...] | None = field(default=None, repr=False)
    #: Gives the same for other changes of which the same bytes come.
    others: Callable[[], Iterable[Truth]] = field(default=tuple, repr=False, eq=False)

    def may_start(self, offset: int) -> bool:
        """Return whether the header of an object that is none of the answers may start at an offset."""
        return self.kept is not None and not any(piece.now <= offset < piece.now + piece.size for piece in self.kept)

    def is_new(self, start: int, end: int) -> bool:
        """Return whether none of the bytes in a stretch are known to be as they were."""
        return self.kept is not None and not any(piece.now < end and start < piece.now + piece.size for piece in self.kept)

    @property
    def name(self) -> str:
        """What was done, in a word."""
        return self.operations[0] if len(self.operations) == 1 else "several"


@frozen
class Donor:
    """A save to take objects from."""

    body: bytes
    spans: Spans


@define
class Patient:
    """A save that is being changed."""

    body: bytes
    spans: Spans
    draw: random.Random
    donors: Sequence[Donor]
    operations: list[str] = field(factory=list)
    steps: list[str] = field(factory=list)
    #: Start, end, new bytes: they neither overlap nor touch numbers that are changed.
    edits: list[tuple[int, int, bytes]] = field(factory=list)
    #: New values by offset and width.
    numbers: dict[tuple[int, int], int] = field(factory=dict)
    #: Answers that are not the plain ones; None for objects that are no more.
    answers: dict[Span, Answer | None] = field(factory=dict)
    #: Objects whose header or data was changed in place.
    new_headers: set[Span] = field(factory=set)
    used: set[Span] = field(factory=set)
    #: Inserted before an object: its own key and data, and how far its header is from the end of the insertion.
    guests: list[tuple[Span, Span, bytes]] = field(factory=list)
    #: What was taken out of each level: the object, and of how many kinds the numbers around it were made to fit.
    headers_out: list[tuple[Blobs, Span, int]] = field(factory=list)
    entries_out: list[tuple[Blobs, Span, int]] = field(factory=list)

    def level(self) -> Blobs | None:
        """Choose a level, the bigger the more often."""
        levels = [level for level in self.spans.levels if level.objects]
        return self.draw.choices(levels, [len(level.objects) for level in levels])[0] if levels else None

    def objects(self, count: int, *, with_data: bool = False) -> tuple[Blobs, list[Span]] | None:
        """Choose objects of one level that nothing was done to."""
        for _ in range(TRIES):
            level = self.level()
            if level is None:
                return None
            free = [one for one in level.objects if one not in self.used and (not with_data or one.data[1] - one.data[0] > 1)]
            if len(free) >= count:
                first = self.draw.randrange(len(free) - count + 1) if self.draw.random() < 0.4 else -1
                chosen = free[first : first + count] if first >= 0 else self.draw.sample(free, count)
                chosen.sort(key=lambda one: one.header)
                return level, chosen
        return None

    def value(self, place: tuple[int, int]) -> int:
        """Read a number as it is now."""
        at, width = place
        return self.numbers.get(place, int.from_bytes(self.body[at : at + width], "little", signed=True))

    def grow(self, places: Sequence[tuple[tuple[int, int] | None, int]], depth: int) -> None:
        """Add to so many of the numbers that enclose a change."""
        for place, delta in places[:depth]:
            if place is not None:
                self.numbers[place] = self.value(place) + delta

    def moved(self, offset: int, *, is_end: bool = False) -> int:
        """Return where an offset is now: a start comes after what was put in there, an end before it."""
        return offset + sum(
            len(new) - (end - start) for start, end, new in self.edits if end <= offset and not (is_end and start >= offset)
        )

    def edited(self) -> Edited:
        """Return the changed stream."""
        edits = list(self.edits)
        for (at, width), value in self.numbers.items():
            edits.append((at, at + width, (value & ((1 << 8 * width) - 1)).to_bytes(width, "little")))
        edits.sort(key=lambda edit: edit[:2])
        stream = Edited(self.body)
        for start, end, new in reversed(edits):
            stream[start:end] = new
        return stream

    def result(self) -> tuple[bytes, Truth]:
        """Put it together."""
        body = bytes(self.edited())
        answers: dict[int, Answer] = {}
        for level in self.spans.levels:
            for one in level.objects:
                answer = self._answer(one, body)
                if answer is not None:
                    answers[self.moved(one.header[0])] = answer
        for guest, place, data in self.guests:
            size = guest.header[1] - guest.header[0]
            answers[self.moved(place.header[0]) - size] = Answer((guest.key,), (data,))
        others = [self._closed_up(answers, body)] if self.headers_out and self.entries_out and not self.guests else []
        # A finding goes from process to process, which a function that is made here cannot.
        return body, Truth(tuple(self.operations), body, answers, others=partial(iter, tuple(filter(None, others))))

    def _closed_up(self, answers: dict[int, Answer], body: bytes) -> Truth | None:
        """Return what may be given if the headers and entries that are gone never were: as many of both, and numbers that fit.

        These are the bytes of a save in which other entries belong to the headers between them. Nothing shows that they do not,
        unless the classes differ or an entry names its header. The size of all entries may be wrong: what follows them says where
        they end.
        """
        found = dict(answers)
        for level in self.spans.levels:
            outs = [[one for one in out if one[0] is level] for out in (self.headers_out, self.entries_out)]
            if len({one for _, one, _ in outs[0]} ^ {one for _, one, _ in outs[1]}) == 0:
                continue
            if len(outs[0]) != len(outs[1]):
                return None
            if any(depth < FITTING for _, _, depth in outs[0]) or any(depth < COUNTED for _, _, depth in outs[1]):
                return None
            headers, entries = ([one for one in level.objects if one not in {gone for _, gone, _ in out}] for out in outs)
            for header, entry in zip(headers, entries, strict=True):
                if header is entry:
                    continue
                old = self.body[slice(*entry.data)]
                is_changed = any(one in self.answers and self.answers[one] not in self._plain(one) for one in (header, entry))
                if is_changed or header.key[:2] != entry.key[:2] or f"{entry.name}.".encode("latin-1", "replace") in old:
                    return None
                now = body[self.moved(entry.data[0]) : self.moved(entry.data[1], is_end=True)]
                keys = None if header in self.new_headers else (header.key,)
                found[self.moved(header.header[0])] = Answer(keys, (old, now), now if len(now) > len(old) else b"")
        return Truth(tuple(self.operations), body, found)

    def _plain(self, one: Span) -> tuple[Answer | None, ...]:
        """Return the answers that come of taking out the header or the entry of an object, and nothing else."""
        return None, Answer((one.key,), ())

    def _answer(self, one: Span, body: bytes) -> Answer | None:
        if one in self.answers:
            return self.answers[one]
        now = body[self.moved(one.data[0]) : self.moved(one.data[1], is_end=True)]
        old = self.body[slice(*one.data)]
        return Answer(None if one in self.new_headers else (one.key,), (old, now), now if len(now) > len(old) else b"")


def wrong_size(patient: Patient) -> bool:
    """Let one object's size lie."""
    found = patient.objects(1)
    if found is None:
        return False
    (one,) = found[1]
    place = (one.size_at, 4)
    value = patient.value(place)
    draw = patient.draw
    new = draw.choice((value + draw.choice((-1, 1)) * draw.randrange(1, 40), draw.randrange(2 * value + 2), 0, value * 2 + 1))
    patient.numbers[place] = new
    patient.used.add(one)
    patient.steps.append(f"size at {one.size_at:#x}: {value} -> {new}")
    return True


def data_bytes(patient: Patient) -> bool:
    """Put bytes into an object's data, or take some out."""
    found = patient.objects(1, with_data=True)
    if found is None:
        return False
    level, (one,) = found
    at = patient.draw.randrange(one.data[0] + 1, one.data[1])
    delta = _change(patient, at, one.data[1])
    depth = patient.draw.randrange(4)
    patient.grow([((one.size_at, 4), delta), (level.data_size, delta), (patient.spans.size, delta)], depth)
    patient.used.add(one)
    patient.steps.append(f"{delta:+} bytes of data at {at:#x}, lengths fit to depth {depth}")
    return True


def header_bytes(patient: Patient) -> bool:
    """Put bytes into an object's header, or take some out."""
    found = patient.objects(1)
    if found is None:
        return False
    level, (one,) = found
    at = patient.draw.randrange(one.header[0] + 1, one.header[1])
    delta = _change(patient, at, one.header[1])
    depth = patient.draw.randrange(3)
    patient.grow([(level.toc_size, delta), (patient.spans.size, delta)], depth)
    patient.used.add(one)
    patient.new_headers.add(one)
    patient.steps.append(f"{delta:+} bytes of a header at {at:#x}, lengths fit to depth {depth}")
    return True


def other_bytes(patient: Patient) -> bool:
    """Change bytes of an object in place."""
    found = patient.objects(1, with_data=True)
    if found is None:
        return False
    (one,) = found[1]
    draw = patient.draw
    in_header = draw.random() < 0.3
    start, end = one.header if in_header else one.data
    at = draw.randrange(start, end)
    size = min(draw.choice(SIZES), end - at)
    patient.edits.append((at, at + size, draw.choice((bytes(size), draw.randbytes(size)))))
    patient.used.add(one)
    if in_header:
        patient.new_headers.add(one)
    patient.steps.append(f"{size} other bytes at {at:#x}")
    return True


def swap_entries(patient: Patient) -> bool:
    """Swap two objects' data, or their headers. Where both read well under the other's name, nothing can show it."""
    found = patient.objects(2)
    if found is None:
        return False
    one, other = found[1]
    headers = patient.draw.random() < 0.5
    (start, end), (other_start, other_end) = (one.header, other.header) if headers else (one.entry, other.entry)
    patient.edits += [(start, end, patient.body[other_start:other_end]), (other_start, other_end, patient.body[start:end])]
    answer = Answer((one.key, other.key), (patient.body[slice(*one.data)], patient.body[slice(*other.data)]))
    patient.answers |= {one: answer, other: answer}
    patient.used |= {one, other}
    patient.steps.append(f"{'headers' if headers else 'entries'} at {start:#x} and {other_start:#x} swapped")
    return True


def swap_sizes(patient: Patient) -> bool:
    """Swap two objects' sizes."""
    found = patient.objects(2)
    if found is None:
        return False
    one, other = ((span.size_at, 4) for span in found[1])
    patient.numbers |= {one: patient.value(other), other: patient.value(one)}
    patient.used |= set(found[1])
    patient.steps.append(f"sizes at {one[0]:#x} and {other[0]:#x} swapped")
    return True


def splice(patient: Patient) -> bool:
    """Put in an object of another save, or one of this once more."""
    found = patient.objects(1)
    donor = patient.draw.choice(patient.donors)
    levels = [level for level in donor.spans.levels if level.objects]
    if found is None or not levels:
        return False
    level, (one,) = found
    guest = patient.draw.choice(patient.draw.choice(levels).objects)
    header, entry = donor.body[slice(*guest.header)], donor.body[slice(*guest.entry)]
    patient.edits += [(one.header[0], one.header[0], header), (one.entry[0], one.entry[0], entry)]
    patient.guests.append((guest, one, donor.body[slice(*guest.data)]))
    what = f"object in at {one.header[0]:#x}"
    _fit_both(patient, level, (1, 1), (len(header), len(entry)), what, patient.draw.randrange(4))
    patient.used.add(one)
    return True


def remove(patient: Patient) -> bool:
    """Take out an object, its header or its entry."""
    found = patient.objects(1)
    if found is None:
        return False
    level, (one,) = found
    kind = patient.draw.choice(("object", "header", "entry"))
    take_out(patient, level, one, kind, patient.draw.randrange(4))
    return True


def take_out(patient: Patient, level: Blobs, one: Span, kind: str, depth: int) -> None:
    """Take out an `"object"`, its `"header"` or its `"entry"`, and let so many of the numbers around it fit."""
    counts, sizes = [0, 0], [0, 0]
    if kind != "entry":
        patient.edits.append((*one.header, b""))
        counts[0], sizes[0] = -1, one.header[0] - one.header[1]
        patient.answers[one] = None
        patient.headers_out.append((level, one, depth))
    else:
        patient.answers[one] = Answer((one.key,), ())
    if kind != "header":
        patient.edits.append((*one.entry, b""))
        counts[1], sizes[1] = -1, one.entry[0] - one.entry[1]
        patient.entries_out.append((level, one, depth))
    _fit_both(patient, level, counts, sizes, f"{kind} out at {one.header[0]:#x}", depth)
    patient.used.add(one)


def wrong_length(patient: Patient) -> bool:
    """Let a count, the size of a blob or that of the stream lie."""
    level = patient.level()
    if level is None:
        return False
    places = [(level.toc_count, 4), (level.data_count, 4), patient.spans.size, level.toc_size, level.data_size]
    place = patient.draw.choice([place for place in places if place is not None])
    draw = patient.draw
    value = patient.value(place)
    new = draw.choice((value + draw.choice((-1, 1)) * draw.choice((1, 1, 4, 17, 300)), draw.randrange(2 * abs(value) + 2), 0))
    patient.numbers[place] = new
    patient.steps.append(f"length at {place[0]:#x}: {value} -> {new}")
    return True


def _change(patient: Patient, at: int, end: int) -> int:
    """Put bytes in at an offset, or take some out up to an end; return how many more there are."""
    draw = patient.draw
    size = draw.choice(SIZES)
    if draw.random() < 0.5:
        patient.edits.append((at, at, draw.choice((bytes(size), draw.randbytes(size), patient.body[at : at + size]))))
        return len(patient.edits[-1][2])
    size = min(size, end - at)
    patient.edits.append((at, at + size, b""))
    return -size


def _fit_both(patient: Patient, level: Blobs, counts: Sequence[int], sizes: Sequence[int], what: str, depth: int) -> None:
    """Fit headers and entries to an object that came or went, up to a depth."""
    places = (((level.toc_count, 4), level.toc_size), ((level.data_count, 4), level.data_size))
    for (count_at, size_at), count, size in zip(places, counts, sizes, strict=True):
        patient.grow([(count_at, count), (size_at, size), (patient.spans.size, size)], depth)
    patient.steps.append(f"{what}: {sizes[0]:+} and {sizes[1]:+} bytes of headers and entries, lengths fit to depth {depth}")


OPERATIONS: Final[Sequence[Callable[[Patient], bool]]] = (
    wrong_size, data_bytes, data_bytes, header_bytes, other_bytes, swap_entries, swap_sizes, splice, remove, wrong_length,
)  # fmt: skip


def operate(
    body: bytes, spans: Spans, donors: Sequence[Donor], draw: random.Random, *, only: str = ""
) -> tuple[Edited, Truth, list[str]] | None:
    """Make one thing wrong, now and then two; None where there is no object to do it to."""
    patient = Patient(body, spans, draw, donors)
    operations = [operation for operation in OPERATIONS if only in {"", operation.__name__}]
    while True:
        operation = draw.choice(operations)
        if operation(patient):
            patient.operations.append(operation.__name__)
        if not patient.operations:
            return None
        if draw.random() >= MORE_SHARE:
            break
    return patient.edited(), patient.result()[1], patient.steps
