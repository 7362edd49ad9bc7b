"""What a selection gives for each object that it wants. There may be a million of these, so they are `FrequentValue`s."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from streamsave._fields import html_table, name_fields
from streamsave.decode.build import header_members
from streamsave.decode.paths import MISSING, Path
from streamsave.errors import PathStep
from streamsave.events import Event, ObjectHeader
from streamsave.frequent_values import FrequentValue, Transform

__all__ = ["SelectedObject", "header_values", "select_object", "sized"]


class SelectedObject(FrequentValue):
    """An object that a selection wants, with the fields that were asked for.

    Attributes:
        kind (str): the kind of object, in the words of the format: `"actor"`, `"object"`, `"pal"`, ...
        class_name (str): its class; "" if the save has none.
        instance_name (str): its name.
        level (str): the level of the object, as its own header says; "" if it has none.
        position (tuple[float, float, float] | None): x, y, z in the world, in the unit of the save (Unreal: centimetres; shapez
            2: tiles); None if the save does not say.
        size (int): bytes of its data; -1 if the save does not say.
        offset (int): where its header starts in the inflated stream, in bytes.
        fields (dict[str, Any]): the values that were asked for, by path as the caller wrote it. A path that leads to nothing is
            left out.
        source (str): the path or URL of its save; of another source, what messages call it.
        path (tuple[PathStep, ...]): names and indices from the outermost nesting of the save to the object:
            `EventStream.path` at its header.
    """

    __match_args__: ClassVar[tuple[str, ...]] = (
        "kind",
        "class_name",
        "instance_name",
        "level",
        "position",
        "size",
        "offset",
        "fields",
        "source",
        "path",
    )
    __slots__ = __match_args__

    def __init__(
        self,
        kind: str,
        class_name: str,
        instance_name: str,
        level: str,
        position: tuple[float, float, float] | None,
        size: int,
        offset: int,
        fields: dict[str, Any],
        source: str = "",
        path: tuple[PathStep, ...] = (),
    ) -> None:
        self.kind: Final = kind
        self.class_name: Final = class_name
        self.instance_name: Final = instance_name
        self.level: Final = level
        self.position: Final = position
        self.size: Final = size
        self.offset: Final = offset
        self.fields: Final = fields
        self.source: Final = source
        self.path: Final = path

    def _repr_html_(self) -> str:
        """Return the object as a table, for notebooks."""
        about = [
            ("class_name", self.class_name),
            ("level", self.level),
            ("position", self.position),
            ("size", self.size),
        ]
        return html_table(self.instance_name, [*about, *self.fields.items()])


name_fields(SelectedObject, SelectedObject.__match_args__)


def sized(header: ObjectHeader, end: Event) -> ObjectHeader:
    """Return the header of an object with its size, which only its end shows."""
    values = {name: getattr(header, name) for name in ObjectHeader.__match_args__}
    return ObjectHeader(**{**values, "size": end.offset - header.data_offset})


def header_values(header: ObjectHeader) -> dict[str, object]:
    """Return what paths can name of the header of an object."""
    values: dict[str, object] = {f"@{name}": value for name, value in header_members(header).items()}
    place = values.pop("@transform")
    if isinstance(place, Transform):
        values = {"@position": place.translation, "@rotation": place.rotation, "@scale": place.scale} | values
    return values


def select_object(
    header: ObjectHeader,
    members: Mapping[str, object],
    fields: Sequence[Path],
    source: str = "",
    place: tuple[PathStep, ...] = (),
) -> SelectedObject:
    """Return an object with those of these fields that it has."""
    found: dict[str, object] = {}
    for path in fields:
        if members or path.is_of_header:
            value = path.find(header_values(header) if path.is_of_header else members)
            if value is not MISSING:
                found[path.text] = value
    return SelectedObject(
        header.kind,
        header.class_name,
        header.instance_name,
        header.level,
        header.position,
        header.size,
        header.offset,
        found,
        source,
        place,
    )
