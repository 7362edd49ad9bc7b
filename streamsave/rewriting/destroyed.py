"""The lists of destroyed objects of a Satisfactory level: the one after its objects, and the copy after their headers.

The game makes an object of the map anew that is in no save, unless such a list has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from streamsave.decode.codecs import list_of
from streamsave.events import Field
from streamsave.values import ObjectReference

__all__ = ["DESTROYED", "is_copy", "with_destroyed", "without"]

DESTROYED: Final = frozenset(("destroyed_actors", "toc_destroyed_actors"))
#: How the type of a map starts: the persistent level has one list for each level.
MAP: Final = "{"
#: How the name of the copy among the headers starts.
COPY: Final = "toc_"


def is_copy(field: Field) -> bool:
    """Return whether a list is the one among the headers."""
    return field.name.startswith(COPY)


def with_destroyed(old: object, field: Field, destroyed: Sequence[ObjectReference]) -> list[object] | None:
    """Return the value of a list with more objects; None if they cannot be noted there.

    Only an entry shows that a map is one: no save before SaveVersion 51 was seen with one.

    Args:
        old: the value.
        field: the list.
        destroyed: the objects.
    """
    listed = list_of(old)
    if not field.type.startswith(MAP):
        return [*listed, *destroyed]
    if not listed:
        return None
    by_level = {pair[0]: list_of(pair[1]) for pair in listed if isinstance(pair, tuple)}
    for reference in destroyed:
        by_level[reference.level_name] = [*by_level.get(reference.level_name, []), reference]
    return list(by_level.items())


def without(value: object, gone: frozenset[tuple[str, str]]) -> object:
    """Return the value of such a list without some objects: their levels and names."""
    listed = list_of(value)
    if any(isinstance(each, tuple) for each in listed):
        return [(each[0], without(each[1], gone)) if isinstance(each, tuple) else each for each in listed]
    return [each for each in listed if not (isinstance(each, ObjectReference) and (each.level_name, each.path_name) in gone)]
