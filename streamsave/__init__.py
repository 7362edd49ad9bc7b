"""A streaming, event-based pull parser for game saves.

The rooms, in the direction of the data; a module imports only from rooms above it:

    events, errors, limits, values   nouns; import nothing else of ours
    source     a path, bytes, a file object, an iterable -> bytes at any offset
    chunks     compressed chunks -> windows of inflated bytes
    cursor     windows -> numbers and strings, in bounds
    codecs     layouts as data
    paths      which part of an object's content is meant
    selection  which objects are wanted
    needles    texts that have to be in the data of an object that is wanted
    grammar    text -> selections
    filter     what a reader asks before it makes events, if somebody selects
    reader     what the stream asks of a format
    build      events -> plain Python values
    resync     what the stream remembers to survive a fault
    formats    what the bytes mean: one room for each family of games
    select     selections at work in a reader
    iteration  the events one by one, and what comes behind a fault
    stream     that, and its verbs
    selected   the objects of a save that are asked for, in one call
    arx_references
               who refers to whom in an Arx save
    check      is a save sound?
    jsonable   values -> what JSON can say
    jsonstream events -> JSON text
    jsonlines  events -> JSON text, one object a line
    recover    what is sound of a damaged save
    columns    built values -> columns of one type each
    export     objects -> rows of a table, as text
    arrow      rows -> Arrow and Parquet (extra)
    table      objects -> a table for other libraries, in one call
    dask       objects of many saves -> Dask collections (extra)
    cli        the commands

`native`, `log`: helpers that every room may import.
"""

import typing

from streamsave.errors import DamagedSave, LimitExceeded, SaveError, SelectError, StaleEvent, TruncatedSave, UnsupportedSave
from streamsave.events import (
    BlobSkip,
    Checkpoint,
    ChunkStart,
    Damage,
    Event,
    Field,
    ObjectEnd,
    ObjectHeader,
    PropertyTag,
    SaveEnd,
    SaveStart,
    StructEnter,
    StructExit,
)
from streamsave.limits import Limits
from streamsave.selected import objects
from streamsave.stream import EventStream
from streamsave.stream import open_save as open  # noqa: A004 - read as `streamsave.open`
from streamsave.table import to_arrow

if typing.TYPE_CHECKING:
    from streamsave.grammar import parse_selection
    from streamsave.selection import SelectedObject, Selection

__all__ = [
    "BlobSkip",
    "Checkpoint",
    "ChunkStart",
    "Damage",
    "DamagedSave",
    "Event",
    "EventStream",
    "Field",
    "LimitExceeded",
    "Limits",
    "ObjectEnd",
    "ObjectHeader",
    "PropertyTag",
    "SaveEnd",
    "SaveError",
    "SaveStart",
    "SelectError",
    "SelectedObject",
    "Selection",
    "StaleEvent",
    "StructEnter",
    "StructExit",
    "TruncatedSave",
    "UnsupportedSave",
    "objects",
    "open",
    "parse_selection",
    "to_arrow",
]

#: Where the names are whose modules are imported when they are asked for: most consumers do not select.
_LATER = {"parse_selection": "grammar", "SelectedObject": "selection", "Selection": "selection"}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module  # noqa: PLC0415 - see above

    value = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    globals()[name] = value
    return value
