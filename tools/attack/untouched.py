"""What may be given of a save whose bytes were changed anywhere: what no change has touched is as it was, or lost.

| of an object | may be given as |
|---|---|
| untouched from its header to the end of its data | it was |
| its size or data touched | it was, or the bytes that are in its place |
| its header touched | anything that its data may be |
| its header begins in new bytes | anything |
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from attack.edited import Edited
from attack.spans import Spans
from attack.surgery import Answer, Key, Truth


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


def truth_of(known: Iterable[Known], before: bytes, stream: Edited) -> Truth:
    """Return what may be given of a stream that was changed."""
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
    places = [(start, end) for start in stream.edges(one.data[0]) for end in stream.edges(one.data[1])]
    if not places:
        return Answer(keys, (old,) if stream.is_gone(one.entry, one.data[1]) else None)
    there = tuple(body[start:end] for start, end in places if start <= end)
    return Answer(keys, (old, *there), max(there, key=len, default=b""))
