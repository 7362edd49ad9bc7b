"""What may be given of a save whose bytes were changed anywhere: what no change has touched is as it was, or lost.

| of an object | may be given as |
|---|---|
| untouched from its header to the end of its data | it was |
| its size or data touched | it was, or the bytes that are in its place |
| nothing left of its entry | it was, or an entry that is in new bytes from its start to its end |
| its header touched | anything that its data may be |
| its header begins in new bytes | anything |

Where the same bytes come of a change at another place, what may be given is that of any of these places.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Final

from attrs import evolve, frozen

from attack.edited import Edited
from attack.spans import Spans
from attack.surgery import Answer, Key, Truth

#: Other places of a change that are looked at: each costs a reading.
MOST_PLACES: Final = 500


@frozen
class Known:
    """An object of a sound save: what its header says, where that is, where its entry starts, where its data are."""

    key: Key
    header: tuple[int, int]
    entry: int
    data: tuple[int, int]


def known_of_spans(spans: Spans) -> list[Known]:
    """Return what another parser knows of a Satisfactory save."""
    return [Known(one.key, one.header, one.entry[0], one.data) for level in spans.levels for one in level.objects]


def truth_of(known: Sequence[Known], before: bytes, stream: Edited) -> Truth:
    """Return what may be given of a stream that was changed."""
    return evolve(_truth(known, before, stream), others=partial(_others, known, before, stream))


def exact(truth: Truth, *, is_moving: bool) -> Truth:
    """Return what may be given if the changes were made where they are: nothing under a header whose entry is gone.

    Args:
        truth: what may be given else.
        is_moving: an object may have come in, or taken the place of another: that one may be given.
    """
    if is_moving:
        return evolve(truth, others=tuple)
    answers = {at: evolve(answer, data=()) if answer.is_gone else answer for at, answer in truth.answers.items()}
    return evolve(truth, answers=answers, kept=None, others=tuple)


def _others(known: Sequence[Known], before: bytes, stream: Edited) -> Iterator[Truth]:
    for other in islice(stream.slid(before), MOST_PLACES):
        yield _truth(known, before, other)


def _truth(known: Iterable[Known], before: bytes, stream: Edited) -> Truth:
    body = bytes(stream)
    answers: dict[int, Answer] = {}
    for one in known:
        start = stream.now(one.header[0], one.header[0] + 1)
        if start >= 0:
            answers[start] = _answer(one, before, stream, body)
    return Truth(("any",), body, answers, tuple(stream.pieces))


def _answer(one: Known, before: bytes, stream: Edited, body: bytes) -> Answer:
    keys = None if stream.now(*one.header) < 0 else (one.key,)
    old = before[slice(*one.data)]
    if stream.now(one.entry, one.data[1]) >= 0:
        return Answer(keys, (old,))
    starts, ends = stream.edges(one.data[0]), stream.edges(one.data[1])
    places = [(start, end) for start in starts for end in (*ends, stream.after(one.data[1]))]
    if not starts or not ends:
        is_gone = stream.is_gone(one.entry, one.data[1])
        return Answer(keys, (old,) if is_gone else None, is_gone=is_gone)
    there = tuple(body[start:end] for start, end in places if start <= end)
    longest = max(there, key=len, default=b"")
    return Answer(keys, (old, *there), longest if len(longest) > len(old) else b"")
