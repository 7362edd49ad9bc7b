"""The places of a world of Satisfactory, and the lines of its belts, pipes, rails and wires."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from streamsave.cli.inputs import both
from streamsave.cli.view import Place
from streamsave.consume.conditions import Selection
from streamsave.consume.stream import EventStream
from streamsave.consume.values import Part, Walk
from streamsave.events import ObjectEnd, ObjectHeader
from streamsave.formats.satisfactory.game import SPLINE, WIRES, may_have_lines
from streamsave.report.categories import Classify
from streamsave.report.splines import corners_of

__all__ = ["places_with_lines"]

#: The properties with lines.
NAMES: Final = frozenset((SPLINE, WIRES))


def places_with_lines(events: EventStream, where: Selection | None, classify: Classify) -> Iterator[Place]:
    """Yield where the wanted objects are, with the corners of belts, pipes, rails and wires; y counts to the south.

    Raises:
        SaveError: the bytes are at fault.
    """
    unit = events.format.place_unit
    scale = unit.scale
    # Most objects are parts of others and have no place.
    events.only(both("kind != object", where))
    line: ObjectHeader | None = None
    ends: tuple[float, ...] = ()
    walk = Walk(events, loose=False)
    for step in walk:
        header: ObjectHeader | None = None
        if isinstance(step, ObjectHeader):
            if step.transform is None or not events.takes(step):
                walk.skip()
            elif may_have_lines(step.class_name):
                line, ends = step, ()
                walk.keep(NAMES)
            else:
                walk.skip()
                header, ends = step, ()
        elif isinstance(step, Part) and line is not None:
            lines = corners_of(str(step.path[step.base]), step.value, line.transform)
            ends = tuple([corner / scale for corner in next(lines, [])])
        elif isinstance(step, ObjectEnd):
            header, line = line, None
        if header is not None and header.transform is not None:
            x, y, _ = header.transform.translation
            category = classify(header.kind, header.class_name) if classify else None
            yield Place(unit, header.class_name, x / scale, y / scale, header.kind, ends, category)
