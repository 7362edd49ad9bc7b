"""The places of a world of Satisfactory, and the lines of its belts, pipes, rails and wires."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from streamsave.cli.view import Place
from streamsave.consume.values import Part, Walk
from streamsave.events import ObjectEnd, ObjectHeader
from streamsave.formats.satisfactory.game import SPLINE, WIRES, may_have_lines
from streamsave.query.parser import parse_selection
from streamsave.query.tests import And, Selection
from streamsave.report.categories import Category, Classify
from streamsave.report.splines import corners_of
from streamsave.stream.stream import EventStream

__all__ = ["places_with_lines"]

#: The properties with lines.
NAMES: Final = frozenset((SPLINE, WIRES))


class ClassOnMap:
    """What all objects of a class have in common."""

    def __init__(self, kind: str, name: str, classify: Classify) -> None:
        self.category: Final[Category | None] = classify(kind, name) if classify else None
        self.has_lines: Final = may_have_lines(name)


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
    walk = Walk(events, loose=False)
    for step in walk:
        if isinstance(step, ObjectHeader):
            transform = step.transform
            if transform is not None and events.takes(step):
                known = classes.get(step.class_name)
                if known is None:
                    known = classes[step.class_name] = ClassOnMap(step.kind, step.class_name, classify)
                if known.has_lines:
                    line, corners = step, []
                    walk.keep(NAMES)
                    continue
                x, y, _ = transform.translation
                yield Place(unit, step.class_name, x / scale, y / scale, step.kind, (), known.category)
            walk.skip()
        elif isinstance(step, Part):
            if line is not None:
                corners = next(corners_of(str(step.path[step.base]), step.value, line.transform), [])
        elif isinstance(step, ObjectEnd) and line is not None and line.transform is not None:
            x, y, _ = line.transform.translation
            ends = tuple([corner / scale for corner in corners])
            yield Place(unit, line.class_name, x / scale, y / scale, line.kind, ends, classes[line.class_name].category)
            line = None
