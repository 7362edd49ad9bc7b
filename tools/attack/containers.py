"""The table of an Arx container, read without the package, and what may be given of its entries."""

from __future__ import annotations

import struct
from typing import Final

from attrs import field, frozen
from writer.arx import DEFLATE, LEGACY, NO_EXTENSION

import streamsave
from attack.contract import Finding, crash
from streamsave import Damage, ObjectHeader, SaveError

CHUNK_SIZE: Final = 8


@frozen
class Contents:
    """What may be given of a container: the contents of each name."""

    contents: dict[str, set[bytes]] = field(repr=False)


def names_of(data: bytes) -> list[str]:
    """Return the names in the table of a sound container."""
    (table,) = struct.unpack_from("<I", data)
    version, count = struct.unpack_from("<II", data, table + 4)
    at = table + 12
    names: list[str] = []
    for _ in range(count):
        end = data.index(0, at)
        name = data[at:end].decode("latin-1")
        names.append(name.lower().removesuffix(".sav") if version < NO_EXTENSION else name)
        _, chunks, _ = struct.unpack_from("<III", data, end + 1)
        at = end + 13 + CHUNK_SIZE * (1 if version < DEFLATE and not chunks else chunks)
    return names[1:] if version == LEGACY else names


def lies_of_entries(data: bytes, truth: Contents) -> list[Finding]:
    """Read a container with sound table in resync mode: each entry comes as it is, or is reported."""
    given: list[tuple[str, bytes]] = []
    damages = 0
    try:
        with streamsave.open(data, on_damage="resync") as events:
            for event in events:
                if isinstance(event, ObjectHeader):
                    try:
                        given.append((event.instance_name, events.raw()))
                    except SaveError:
                        damages += 1
                damages += isinstance(event, Damage)
    except SaveError:
        damages += 1
    except Exception as error:  # noqa: BLE001 - which one it may be is what is looked for
        return [crash(error, "entries")]
    for name, content in given:
        if not content and damages:
            continue  # emptied, as the save says
        if content not in truth.contents.get(name, ()):
            return [Finding("lie", f"{name}: other data ({len(content)} bytes)", "lie entry")]
    missing = set(names_of(data)) - {name for name, _ in given}
    if missing and not damages:
        return [Finding("untold", f"missing: {sorted(missing)[:5]}", "untold entry")]
    return []
