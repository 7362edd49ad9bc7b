"""What `info` and `ls` say of Arx saves: their container has no header; name, level and play time are in the entry `pld`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from streamsave.cli.output import write_json, write_rows
from streamsave.cli.save import Save
from streamsave.cli.text import clean, show, size_text, time_text
from streamsave.cli.view import View
from streamsave.consume.stream import EventStream
from streamsave.decode.json_values import Json, json_value
from streamsave.events import ObjectHeader, SaveStart
from streamsave.formats.arx.header import ArxContainer, ArxEntry

__all__ = ["ArxView"]

#: The cells of an inventory, each with the name of the item in it or "".
CELLS: Final = frozenset(("id_inventory", "slot_io", "initio", "linked_id"))
#: Which cell of an item shows it.
SHOWN: Final = frozenset(("inventory_show", "slot_show"))
#: How the name of an Arx Libertatis version is cut into four numbers.
VERSION_PARTS: Final = (48, 32, 16, 0)


class ArxView(View):
    """Shows the file table: entries with their packed sizes."""

    def info_rows(self, save: Save, start: SaveStart) -> Iterator[tuple[str, str]]:
        """Yield label and text of each fact: of the container, and of the entry `pld`."""
        container = container_of(start)
        yield "container version", f"{container.version:#010x}"
        chunks = sum(len(entry.chunks) for entry in container.entries)
        yield "entries", f"{len(container.entries)} ({chunks} chunks)"
        unused = sum(size for _, size in container.gaps) + container.stale_size
        if unused:
            yield "unused", size_text(unused)
        if container.duplicates:
            yield "duplicates", clean(", ".join(container.duplicates))
        data = level_data(save.events)
        if data:
            milliseconds = data["time"]
            yield "name", show(data["name"])
            yield "level", show(data["level"])
            yield "play time", time_text(milliseconds // 1000) if isinstance(milliseconds, int) else show(milliseconds)
            yield "struct version", show(data["version"])
            yield "Arx Libertatis", libertatis_version(data["last_al_version"])

    def info_json(self, save: Save, start: SaveStart) -> dict[str, Json]:
        """Return the same for `info --json`; `play_duration` is in seconds."""
        container = container_of(start)
        data = level_data(save.events)
        milliseconds = data.get("time")
        return {
            "entries": len(container.entries),
            "chunks": sum(len(entry.chunks) for entry in container.entries),
            "unused_size": sum(size for _, size in container.gaps) + container.stale_size,
            "duplicates": json_value(container.duplicates),
            "play_duration": milliseconds // 1000 if isinstance(milliseconds, int) else None,
            **{name: json_value(value) for name, value in data.items()},
        }

    def readable(self, value: Json) -> Json:
        """Return the JSON of an entry with each inventory as the list of its items, not as a grid of cells."""
        if not isinstance(value, dict):
            return value
        return {
            name: list(dict.fromkeys(items_in(part))) if name in CELLS else self.readable(part)
            for name, part in value.items()
            if name not in SHOWN
        }

    def list_objects(self, save: Save, start: SaveStart, *, several: bool, long: bool, as_json: bool) -> None:
        """List the file table; nothing is unpacked."""
        entries = wanted_entries(save.events, container_of(start))
        if as_json:
            for entry in entries:
                write_json({"file": json_value(save.label), **_json(entry)})
            return
        columns = ("class", "name", "bytes", "stored", "codec", "chunks")
        rows = (
            (each.class_name, each.name, "?" if each.size < 0 else each.size, each.stored_size, each.codec, len(each.chunks))
            for each in entries
        )
        write_rows(save.label, columns, rows, right=("bytes", "stored", "chunks"), several=several)


def container_of(start: SaveStart) -> ArxContainer:
    """Return the file table."""
    assert isinstance(start.header, ArxContainer)  # noqa: S101 - of every Arx save
    return start.header


def items_in(cells: Json) -> Iterator[Json]:
    """Yield the names in the cells of an inventory, one for each cell that has one."""
    if isinstance(cells, list):
        for cell in cells:
            yield from items_in(cell)
    elif cells:
        yield cells


def level_data(events: EventStream) -> dict[str, object]:
    """Return name, level and play time of a save; unpack no entry but `pld`."""
    for _, entry in events.select("kind = pld", fields=["level_data"], sizes=False):
        found = entry.fields.get("level_data")
        return found if isinstance(found, dict) else {}
    return {}


def libertatis_version(number: object) -> str:
    """Write a version of Arx Libertatis; `-` for 0, which is the original game."""
    if not isinstance(number, int) or number == 0:
        return "-"
    return ".".join(str(number >> shift & 0xFFFF) for shift in VERSION_PARTS)


def wanted_entries(events: EventStream, container: ArxContainer) -> Iterator[ArxEntry]:
    """Yield the entries whose objects are wanted; unpack nothing."""
    entries = iter(container.entries)
    for event in events:
        if isinstance(event, ObjectHeader):
            events.skip()
            yield next(entry for entry in entries if (entry.name, entry.size) == (event.instance_name, event.size))


def _json(entry: ArxEntry) -> dict[str, Json]:
    return {
        "kind": entry.kind,
        "class_name": json_value(entry.class_name),
        "instance_name": json_value(entry.name),
        "size": None if entry.size < 0 else entry.size,
        "stored_size": entry.stored_size,
        "codec": entry.codec,
        "chunks": [{"compressed_offset": offset, "compressed_size": size} for offset, size in entry.chunks],
    }
