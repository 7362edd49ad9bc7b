"""What `streamsave.objects` should give, found by looking at every built object."""

from collections.abc import Iterable, Iterator

from attrs import Factory, define, evolve

import streamsave
from streamsave import Field, ObjectEnd, ObjectHeader, PropertyTag, SelectedObject, StructEnter, StructExit, parse_selection
from streamsave.consume.conditions import Facts
from streamsave.decode.paths import MISSING, parse_path
from streamsave.errors import PathStep
from streamsave.input.source import SourceLike, source_name


@define
class Known:
    """An object of which everything is known: header, and what is in it, built."""

    header: ObjectHeader
    source: str
    path: tuple[PathStep, ...]
    properties: dict[str, object] = Factory(dict)
    others: dict[str, object] = Factory(dict)

    def add(self, name: str, value: object, *, is_property: bool) -> None:
        """Keep a value; a name that comes again gets a number."""
        values = self.properties if is_property else self.others
        key, repeat = name, 1
        while key in values:
            repeat += 1
            key = f"{name}#{repeat}"
        values[key] = value

    @property
    def members(self) -> dict[str, object]:
        """What is in it by name."""
        return self.others | self.properties

    def selected(self, fields: tuple[str, ...]) -> SelectedObject:
        """How it looks when it is selected."""
        header = self.header
        found = {field: parse_path(field).find(self.members) for field in fields}
        return SelectedObject(
            header.kind,
            header.class_name,
            header.instance_name,
            header.level,
            header.transform and header.transform.translation,
            header.size,
            header.offset,
            {field: value for field, value in found.items() if value is not MISSING},
            self.source,
            self.path,
        )


#: Members of islands that hold buildings.
NESTS_OBJECTS = {"data", "B"}
#: The class of the object whose trailer holds foundations.
HOLDER = ".FGLightweightBuildableSubsystem"


def trailer_of(source: SourceLike, header: ObjectHeader) -> object:
    """The trailer of an object, which holds others, as a value."""
    with streamsave.open(source) as events:
        return next(
            events.build()
            for event in events
            if isinstance(event, StructEnter) and event.name == "trailer" and event.offset >= header.data_offset
        )


def all_objects(source: SourceLike) -> Iterator[Known]:
    """All objects, each with all that is in it, in the order of their ends: what is in an object is built on its own."""
    with streamsave.open(source) as events:
        opened: list[Known] = []
        depths: list[int] = []
        is_sized = events.format.name != "Arx save"  # there, what is skipped is not unpacked
        for event in events:
            if isinstance(event, ObjectHeader):
                opened.append(Known(event, source_name(source), events.path))
                depths.append(events.depth)
            elif isinstance(event, ObjectEnd):
                depths.pop()
                known = opened.pop()
                if is_sized and known.header.size < 0:
                    known.header = evolve(known.header, size=event.offset - known.header.data_offset)
                yield known
            elif opened and events.depth - isinstance(event, StructEnter) == depths[-1] and not isinstance(event, StructExit):
                known = opened[-1]
                if isinstance(event, StructEnter) and event.name == "trailer" and known.header.class_name.endswith(HOLDER):
                    known.add("trailer", trailer_of(source, known.header), is_property=False)
                elif isinstance(event, PropertyTag):
                    name = f"{event.name}[{event.index}]" if event.index else event.name
                    known.add(name, events.build(), is_property=True)
                elif isinstance(event, streamsave.BlobSkip):
                    known.add(event.reason, events.opaque(event), is_property=False)
                elif isinstance(event, Field) or (isinstance(event, StructEnter) and event.name not in NESTS_OBJECTS):
                    known.add(event.name, events.build(), is_property=False)


def wanted(everything: Iterable[Known], where: str, fields: tuple[str, ...] = ()) -> list[SelectedObject]:
    """What a selection gives, the long way round."""
    selection = parse_selection(where)
    chosen = []
    for known in everything:
        facts = Facts(header=known.header, members=known.members)
        if selection._verdict(facts):
            chosen.append(known.selected(fields))
    return chosen
