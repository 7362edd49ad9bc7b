"""What is read of saves of Arx, in the terms of the writer."""

from typing import Any

from writer.arx import NO_EXTENSION, STORED, Container, Entry

import streamsave
from streamsave import ObjectHeader, SaveError
from streamsave.input.source import SourceLike
from streamsave.values import Opaque, Vector

HEADER_KEYS = {"kind", "class_name", "instance_name", "level", "outer", "transform", "flags", "save_version", "properties"}
#: In the place of what cannot be read.
LOST = object()


def one(name: bytes, data: bytes, codec: int = STORED, version: int = NO_EXTENSION, **more: Any) -> bytes:
    return Container(version, [Entry(name, data, codec, **more)]).encode()


def raws(source: SourceLike, **options: Any) -> dict[str, Any]:
    """The bytes of all entries, by name; with damage that is survived, of those that are there."""
    return dict(_each(source, "raw", options))


def built(source: SourceLike, **options: Any) -> dict[str, Any]:
    """The values of all entries, by name, without what the header says."""
    found = {}
    for name, value in _each(source, "build", options):
        assert value is LOST or set(value) >= HEADER_KEYS
        found[name] = value if value is LOST else {key: item for key, item in value.items() if key not in HEADER_KEYS}
    return found


def _each(source: SourceLike, verb: str, options: dict[str, Any]) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    with streamsave.open(source, **options) as events:
        for event in events:
            if isinstance(event, ObjectHeader):
                try:
                    value = getattr(events, verb)()
                except SaveError:
                    if "on_damage" not in options:
                        raise
                    value = LOST
                found.append((event.instance_name, value))
    return found


def plain(value: Any) -> Any:
    if isinstance(value, Vector):
        return value.x, value.y, value.z
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def sections(value: Any) -> Any:
    """Values without padding, and vectors as tuples."""
    if isinstance(value, dict):
        return {name: sections(item) for name, item in value.items() if not isinstance(item, Opaque)}
    return [sections(item) for item in value] if isinstance(value, list) else plain(value)
