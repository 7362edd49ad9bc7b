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
from streamsave._new_file import Unchanged
from streamsave.consume.stream import EventStream
from streamsave.decode.build import references_in
from streamsave.errors import PathStep
from streamsave.events import Field, ObjectHeader, PropertyTag
from streamsave.rewriting.gone import Choice, Gone
from streamsave.rewriting.stream import RewriteStream
from streamsave.values import ObjectReference

__all__ = ["Relinked", "relink", "rename_references", "renamed"]


class Relinked(NamedTuple):
    """A value whose references have changed, or a header; the path of a header is that of its object."""

    header: ObjectHeader
    path: tuple[PathStep, ...]
    #: How many names have changed in it.
    names: int


def names_of_parts(events: EventStream, names: Mapping[str, str]) -> dict[str, str]:
    """Return old name -> new name of the parts of renamed objects.

    Args:
        events: a save in which the objects have their new names, and their parts the old ones; at its start.
        names: old name -> new name of the objects.

    Raises:
        SaveError: the save is damaged.
    """
    found: dict[str, str] = {}
    for _, part in events.select(None, sizes=False):
        owner = part.instance_name
        while owner := owner.rpartition(".")[0]:
            if owner in names:
                found[part.instance_name] = names[owner] + part.instance_name[len(owner) :]
                break
    return found


def rename_references(save: RewriteStream, names: Mapping[str, str], parts: Mapping[str, str]) -> Iterator[Relinked]:
    """Edit a save to its end: change old names in references to new ones, and rename parts.

    Args:
        save: at its start.
        names: old name -> new name of the objects.
        parts: the same for their parts.

    Raises:
        SaveError: the save is damaged.
    """
    names = {**names, **parts}
    gone = Gone(Choice())
    gone.set_names.update(names)
    for name in names:
        gone.add(name)
    header: ObjectHeader | None = None
    for event in save:
        if isinstance(event, ObjectHeader):
            header = event
            path = (*save.path, event.instance_name)
            new = {"outer": names[event.outer]} if event.outer in names else {}
            if event.instance_name in parts:
                new["instance_name"] = parts[event.instance_name]
            if new and save.set_header(**new):
                yield Relinked(event, path, len(new))
            if not save._may_refer(event, gone) and not save.holds_objects(event):
                save.skip()
        elif header is not None and isinstance(event, (PropertyTag, Field)) and save.is_leaf():
            old = save.build()
            count = sum([path in names for path in references_in(old)])
            if count:
                path = save._path_of(event)
                save.replace(renamed(old, names))
                yield Relinked(header, path, count)


def relink(
    read: Callable[[], EventStream], write: Callable[[], RewriteStream], names: Mapping[str, str], before: Unchanged
) -> Iterator[Relinked]:
    """Write a save with updated references and names of parts.

    Args:
        read: opens a save in which the objects have their new names.
        write: opens it to write the new save.
        names: old name -> new name of the objects.
        before: checks that the original file has not changed.

    Raises:
        SaveError: the save is damaged.
        OSError: as for `streamsave.rewrite`; or the original file has changed.
    """
    with read() as events:
        parts = names_of_parts(events, names)
    with write() as save:
        yield from rename_references(save, names, parts)
        before.check()


def renamed(value: object, names: Mapping[str, str]) -> object:
    """Return a value, as `build()` returns it, with new names in its references."""
    if isinstance(value, ObjectReference):
        new = names.get(value.path_name) if value.level_name else None
        return value if new is None else ObjectReference(value.level_name, new)
    if isinstance(value, dict):
        return {key: renamed(part, names) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        parts = [renamed(part, names) for part in value]
        return parts if isinstance(value, list) else tuple(parts)
    make: Callable[..., object] = type(value)
    fields = names_of_fields(type(value))
    return make(*[renamed(getattr(value, name), names) for name in fields]) if fields else value
