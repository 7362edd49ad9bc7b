"""Property lists as bytes -> events and values, without a save around them."""

from typing import Any

from cursors import cursor_over

from streamsave import Event, Limits
from streamsave.decode.codecs import F32, F64
from streamsave.formats.unreal.dialect import Dialect, engine_structs
from streamsave.formats.unreal.reader import UnrealReader

NONE = b"\5\0\0\0None\0"


def dialect(**attributes: Any) -> Dialect:
    """A dialect with the structs of the engine and these attributes."""
    made = Dialect()
    made.structs = engine_structs(F32)
    made.other_structs = engine_structs(F64)
    for name, value in attributes.items():
        assert hasattr(made, name)
        setattr(made, name, value)
    return made


def reader_over(data: bytes, spoken: Dialect | None = None, limits: Limits | None = None, window: int = 1000) -> UnrealReader:
    limits = Limits() if limits is None else limits
    return UnrealReader(cursor_over(data, window, limits), dialect() if spoken is None else spoken)


def walk(data: bytes, spoken: Dialect | None = None, *, skips: bool = False) -> list[Event]:
    """The events of a property list without its terminator; `skips`: the values are skipped."""
    data += NONE
    reader = reader_over(data, spoken)
    reader.begin_list(len(data))
    events = []
    for event in iter(reader.walk, None):
        events.append(event)
        if skips:
            reader.skip(event)
    assert reader.list_end == len(data) - len(NONE)
    return events


def build(data: bytes, spoken: Dialect | None = None, limits: Limits | None = None) -> dict[str, Any]:
    """The values of a property list without its terminator."""
    reader = reader_over(data + NONE, spoken, limits)
    values: dict[str, Any] = reader.properties(reader.cursor)
    assert reader.cursor.remaining() == 0
    return values
