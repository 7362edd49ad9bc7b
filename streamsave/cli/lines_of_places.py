"""The places of a world of Satisfactory, and the lines of its belts, pipes, rails and wires."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from streamsave.cli.view import Place
from streamsave.events import ObjectEnd, ObjectHeader, PropertyTag
from streamsave.query.parser import parse_selection
from streamsave.query.tests import And, Selection
from streamsave.report.categories import Category, Classify
from streamsave.report.splines import spline_corners, wire_corners
from streamsave.stream.stream import EventStream

__all__ = ["places_with_lines"]

#: Short names of classes that may have lines, and the properties with these.
LINES: Final = re.compile("Belt|Pipe|Hyper|Rail|Track|Monorail|PowerLine|Wire|Cable|Vine")
SPLINE: Final = "mSplineData"
WIRES: Final = "mWireInstances"


class ClassOnMap:
    """What all objects of a class have in common."""

    def __init__(self, kind: str, name: str, classify: Classify) -> None:
        self.category: Final[Category | None] = classify(kind, name) if classify else None
        self.has_lines: Final = LINES.search(name, name.rfind(".") + 1) is not None


def places_with_lines(events: EventStream, where: Selection | None, classify: Classify) -> Iterator[Place]:
    """Yield where the wanted objects are, with the corners of belts, pipes, rails and wires; y counts to the south.

    Raises:
        SaveError: the bytes are at fault.
    """
    unit = events.format.place_unit
    scale = unit.scale
    # Most objects are parts of others and have no place.
    has_place = parse_selection("kind != object")
    events.only(has_place if where is None else And((where, has_place)))
    classes: dict[str, ClassOnMap] = {}
    line: ObjectHeader | None = None
    corners: list[float] = []
    for event in events:
        if isinstance(event, ObjectHeader):
            transform = event.transform
            if transform is not None and events.takes(event):
                known = classes.get(event.class_name)
                if known is None:
                    known = classes[event.class_name] = ClassOnMap(event.kind, event.class_name, classify)
                if known.has_lines:
                    line, corners = event, []
                    continue
                x, y, _ = transform.translation
                yield Place(unit, event.class_name, x / scale, y / scale, event.kind, (), known.category)
            if not events.holds_objects(event):
                events.skip()
        elif isinstance(event, PropertyTag):
            if line is not None and line.transform is not None and event.name == SPLINE:
                corners = spline_corners(events.build(), line.transform)
            elif line is not None and event.name == WIRES:
                corners = next(wire_corners(events.build()), [])
            elif not events._leads_to_objects(event):
                events.skip()
        elif isinstance(event, ObjectEnd) and line is not None and line.transform is not None:
            x, y, _ = line.transform.translation
            ends = tuple([corner / scale for corner in corners])
            yield Place(unit, line.class_name, x / scale, y / scale, line.kind, ends, classes[line.class_name].category)
            line = None
