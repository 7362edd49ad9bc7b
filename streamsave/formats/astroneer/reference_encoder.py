"""References to objects and actors -> indexes.

What `build()` returned has the index; what has only a path is searched for among the objects of the level.
"""

from __future__ import annotations

from collections.abc import Callable

from streamsave.decode.encoder import Encoder
from streamsave.errors import EditError
from streamsave.formats.astroneer.references import ASSET, NOTHING, ActorReference, InstanceReference
from streamsave.values import ObjectReference

__all__ = ["encode_reference", "index_of"]


def index_of(
    value: object, level_name: str, path_of: Callable[[int], str], find: Callable[[str], int], kind: type[ObjectReference]
) -> int:
    """Return the index that a reference leads to; `NOTHING` if it is an empty one.

    Args:
        value: any.
        level_name: of the level that the index is for.
        path_of: returns the full name of what has an index.
        find: returns the index of a full name; -1 if nothing has it, -2 if several have.
        kind: the references that have an index of the same sort.

    Raises:
        EditError: it is no reference, or to nothing in the level, or to one of several.
    """
    if not isinstance(value, ObjectReference):
        raise EditError("no reference", value)
    path = value.path_name
    if isinstance(value, kind) and isinstance(value, (InstanceReference, ActorReference)):
        index = value.index
        if index == NOTHING and not path:
            return NOTHING
        if index >= 0 and value.level_name == level_name and path_of(index) == path:
            return index
    if not path:
        return NOTHING
    if value.level_name not in {"", level_name}:
        raise EditError("a reference to another level", value.level_name, level_name)
    index = find(path)
    if index == -1:
        raise EditError("no object has this name", path)
    if index < 0:
        raise EditError("several objects have this name", path)
    return index


def encode_reference(value: object, encoder: Encoder, index: Callable[[], int]) -> None:
    """Write what a property refers to: an index, or `ASSET` and a name; `index` finds it if it is no asset.

    Raises:
        EditError: there is no such object, and no such name in the pool.
    """
    if isinstance(value, InstanceReference) and value.index == ASSET:
        encoder.i32(ASSET)
        encoder.name(value.path_name)
        return
    if isinstance(value, ObjectReference) and value.path_name.startswith("/"):
        encoder.i32(ASSET)  # names of objects have no slash
        encoder.name(value.path_name)
        return
    encoder.i32(index())
