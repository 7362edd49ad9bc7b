"""The containers of a save whose elements can be objects: those with events inside."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from streamsave.decode.container import Container
from streamsave.decode.paths import BARE_NAME
from streamsave.decode.reader import Reader
from streamsave.errors import SaveError, UnsupportedSave
from streamsave.events import Event, Field, PropertyTag, StructEnter
from streamsave.formats.unreal.object_rows import ADDED, ObjectProfile, path_names

__all__ = ["check_containers", "container_path", "find_containers"]

CONTAINERS: Final = frozenset({"ArrayProperty", "SetProperty", "MapProperty"})
#: Types of properties that may have containers in them.
NESTING: Final = frozenset({*CONTAINERS, "StructProperty", "OptionalProperty"})
#: Most containers with paths of their own; a save has some hundreds at most.
MOST_LISTED: Final = 4096
#: How many an error names.
MOST_NAMED: Final = 30


def container_path(steps: Collection[str | int]) -> str:
    """Return the path of a container as text, with `[*]` for each position in it, and after it."""
    parts = []
    for step in steps:
        if isinstance(step, int):
            parts.append("[*]")
        else:
            quoted = step if BARE_NAME.fullmatch(step) else '"' + step.replace("\\", "\\\\").replace('"', '\\"') + '"'
            parts.append(f".{quoted}")
    return "".join(parts).removeprefix(".") + "[*]"


def find_containers(reader: Reader, until: Collection[tuple[str, ...]] = ()) -> dict[tuple[str, ...], Container]:
    """Read a save, and return its containers by the names in their paths, in the order of the save.

    Args:
        reader: a reader of which nothing was read yet.
        until: reading stops when these were found; empty: it goes on to the end.

    Raises:
        SaveError: the save is damaged.
    """
    reader.objects_at = []
    found: dict[tuple[str, ...], Container] = {}
    missing = set(until)
    event = reader.next_event()
    while event is not None:
        reader.allowance.spend(reader.cursor)
        reader.windows.entered.clear()
        if _holds_no_container(event):
            reader.skip(event)
        elif isinstance(event, StructEnter) and event.count >= 0 and event.type_name in CONTAINERS:
            steps = [step for step in reader.path() if step != ADDED]
            names = path_names(tuple(steps))
            container = found.get(names)
            if container is None and len(found) < MOST_LISTED:
                container = found[names] = Container(container_path(steps))
                missing.discard(names)
                if until and not missing:
                    break
            if container is not None:
                container.count += 1
                container.elements += event.count
                container.size += event.size
        event = reader.next_event()
    return found


def _holds_no_container(event: Event) -> bool:
    if isinstance(event, PropertyTag):
        return event.type not in NESTING or event.inner_type == "ByteProperty"
    return isinstance(event, Field)


def check_containers(reader: Reader, texts: list[str]) -> None:
    """Read a save up to the last of the containers that rows of a profile name.

    A fault before that is no answer: who reads the save meets it, too.

    Raises:
        SelectError: a row has a fault.
        UnsupportedSave: a container is not there.
    """
    rows = ObjectProfile(texts).rows
    try:
        found = find_containers(reader, rows)
    except SaveError:
        return
    for names, row in rows.items():
        if names not in found:
            paths = [container.path for container in found.values()]
            listed = ", ".join(paths[:MOST_NAMED]) + (f" and {len(paths) - MOST_NAMED} more" if len(paths) > MOST_NAMED else "")
            raise UnsupportedSave(f"no container is at {row.text}", expected=f"one of {listed}" if paths else "a container")
