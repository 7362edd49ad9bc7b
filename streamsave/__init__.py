"""Read game saves as a stream of events.

    import streamsave

    with streamsave.open("world.sav") as events:
        for event in events:
            if isinstance(event, streamsave.ObjectHeader):
                print(event.class_name)
                events.skip()

`open` returns an `EventStream`: iterate over its events; `skip()`, `build()`, `slices()` and `raw()` act on what the last event
opened. `objects` and `to_arrow` return selected objects of saves; `expand` lists the saves of a folder; `rewrite` writes a save
again with edits, and `cut` takes objects for that. A damaged save raises a `SaveError`. `Limits` bounds what a save may ask for.

| module | what it has |
|---|---|
| `streamsave.events` | the events, and which bytes each one claims |
| `streamsave.headers` | the classes of `SaveStart.header` |
| `streamsave.values` | the values that `build()` returns |
| `streamsave.errors` | what can be raised |
| `streamsave.limits` | what a save may ask for |
| `streamsave.check` | a check of a whole save, and of a reader |
| `streamsave.dask` | the objects of many saves as Dask collections |

What you can rely on are the names in `__all__` of this package and of these modules, and the members of their classes that have
no underscore before them. From version 1.0 on, they change only with a new major version, and the release before it warns.
Streams are made by `open`, `rewrite` and `cut`, not by calling their classes. Everything else may change at any time. What a
package needs to add a format is in `streamsave.formats`, and may still change with a minor version.
"""

import typing

from streamsave.consume.objects import objects
from streamsave.consume.stream import EventStream, open  # noqa: A004 - read as `streamsave.open`
from streamsave.errors import (
    DamagedSave,
    EditError,
    LimitExceeded,
    SaveError,
    SelectError,
    SelectWarning,
    StaleEvent,
    TruncatedSave,
    UnsupportedSave,
)
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
from streamsave.output.to_arrow import to_arrow

if typing.TYPE_CHECKING:
    from streamsave import check as check
    from streamsave import dask as dask
    from streamsave import errors as errors
    from streamsave import events as events
    from streamsave import headers as headers
    from streamsave import limits as limits
    from streamsave import values as values
    from streamsave.consume.aread import aread
    from streamsave.consume.conditions import Selection
    from streamsave.consume.expand import expand
    from streamsave.consume.parser import parse_selection
    from streamsave.consume.selected_object import SelectedObject
    from streamsave.decode.json_values import to_jsonable
    from streamsave.rewriting.cutting import CutStream, cut
    from streamsave.rewriting.rewrite import rewrite
    from streamsave.rewriting.stream import RewriteStream

__all__ = [
    "BlobSkip",
    "Checkpoint",
    "ChunkStart",
    "CutStream",
    "Damage",
    "DamagedSave",
    "EditError",
    "Event",
    "EventStream",
    "Field",
    "LimitExceeded",
    "Limits",
    "ObjectEnd",
    "ObjectHeader",
    "PropertyTag",
    "RewriteStream",
    "SaveEnd",
    "SaveError",
    "SaveStart",
    "SelectError",
    "SelectWarning",
    "SelectedObject",
    "Selection",
    "StaleEvent",
    "StructEnter",
    "StructExit",
    "TruncatedSave",
    "UnsupportedSave",
    "aread",
    "cut",
    "expand",
    "objects",
    "open",
    "parse_selection",
    "rewrite",
    "to_arrow",
    "to_jsonable",
]

#: Names whose modules are imported at their first use, because most programs do not select, and only read.
_LATER = {
    "CutStream": "rewriting.cutting",
    "RewriteStream": "rewriting.stream",
    "SelectedObject": "consume.selected_object",
    "Selection": "consume.conditions",
    "aread": "consume.aread",
    "cut": "rewriting.cutting",
    "expand": "consume.expand",
    "parse_selection": "consume.parser",
    "rewrite": "rewriting.rewrite",
    "to_jsonable": "decode.json_values",
}
#: Modules that are imported in the same way.
_MODULES = ("check", "dask", "headers", "values")


if not typing.TYPE_CHECKING:  # for type checkers, a name that is not there is an error

    def __getattr__(name: str) -> object:
        from importlib import import_module  # noqa: PLC0415 - see above

        if name in _MODULES:
            return import_module(f"{__name__}.{name}")
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
        globals()[name] = value
        return value
