"""Update references to renamed objects, and rename their parts.

| in the save | becomes |
|---|---|
| a reference to a renamed object | one to its new name |
| the name of a part, `OLD.Inventory` | `NEW.Inventory` |
| the owner (`outer`) in the header of a part | the new name |
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from streamsave._fields import names_of_fields
from streamsave.decode.build import references_in
from streamsave.errors import PathStep
from streamsave.events import Field, ObjectHeader, PropertyTag
from streamsave.rewriting.gone import Gone
from streamsave.rewriting.stream import RewriteStream
from streamsave.values import ObjectReference

__all__ = ["NewNames", "Relinked", "rename_references", "renamed"]


class Relinked(NamedTuple):
    """A value whose references have changed, or a header; the path of a header is that of its object."""

    header: ObjectHeader
    path: tuple[PathStep, ...]
    #: How many names have changed in it.
    names: int


class NewNames(Gone):
    """The new names of renamed objects, and of their parts; `Gone` has the old ones.

    Args:
        names: old name -> new name of the objects.
        parts: whether their parts are renamed, too.
    """

    def __init__(self, names: Mapping[str, str], *, parts: bool) -> None:
        super().__init__()
        self._new = names
        self._parts = parts
        for name in names:
            self.add_start(name)

    def of(self, name: str) -> str | None:
        """Return the new name of an object or of a part; None: it keeps its name."""
        return self._new[name] if name in self._new else self.of_part(name)

    def of_part(self, name: str) -> str | None:
        """Return the new name of a part, which starts with the name of its owner; None: it keeps its name."""
        owner = name
        while self._parts and (owner := owner.rpartition(".")[0]):
            if owner in self._new:
                return self._new[owner] + name[len(owner) :]
        return None

    def has(self, name: str) -> bool:
        """Return whether a name is an old one."""
        return self.of(name) is not None


def rename_references(save: RewriteStream, names: Mapping[str, str], *, parts: bool) -> Iterator[Relinked]:
    """Edit a save to its end: change old names in references to new ones, and rename parts.

    Args:
        save: at its start; in it, the objects have their new names, and their parts the old ones.
        names: as for `NewNames`.
        parts: as for `NewNames`.

    Raises:
        SaveError: the save is damaged.
    """
    new_names = NewNames(names, parts=parts)
    header: ObjectHeader | None = None
    for event in save:
        if isinstance(event, ObjectHeader):
            header = event
            path = (*save.path, event.instance_name)
            found = {"outer": new_names.of(event.outer), "instance_name": new_names.of_part(event.instance_name)}
            new = {member: name for member, name in found.items() if name is not None}
            if new and save.set_header(**new):
                yield Relinked(event, path, len(new))
            if not save._may_refer(event, new_names) and not save.holds_objects(event):
                save.skip()
        elif header is not None and isinstance(event, (PropertyTag, Field)) and save.is_leaf():
            old = save.build()
            count = sum([new_names.has(path) for path in references_in(old)])
            if count:
                path = save._path_of(event)
                save.replace(renamed(old, new_names.of))
                yield Relinked(header, path, count)


def renamed(value: object, new_name: Callable[[str], str | None]) -> object:
    """Return a value, as `build()` returns it, with new names in its references; `new_name` returns them, or None."""
    if isinstance(value, ObjectReference):
        new = new_name(value.path_name) if value.level_name else None
        return value if new is None else ObjectReference(value.level_name, new)
    if isinstance(value, dict):
        return {key: renamed(part, new_name) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        parts = [renamed(part, new_name) for part in value]
        return parts if isinstance(value, list) else tuple(parts)
    make: Callable[..., object] = type(value)
    fields = names_of_fields(type(value))
    return make(*[renamed(getattr(value, name), new_name) for name in fields]) if fields else value
