"""What a stream has to do, from one walk over all events: the model that its verbs are held against."""

import base64
import gzip
import io
import zipfile

from contract import SAMPLES
from saves import inflate
from writer.arx_samples import inner_files
from writer.astroneer_samples import full
from writer.gvas_samples import plain

import streamsave
from streamsave import ChunkStart, Event, EventStream, Field, ObjectEnd, ObjectHeader, PropertyTag, StructEnter, StructExit

#: Events that verbs act on.
OPENING = (ObjectHeader, PropertyTag, StructEnter, Field)


def ends(events: list[Event]) -> dict[int, int]:
    """For each event that opens something: the position of the last event inside of it, or its own."""
    last_inside: dict[int, int] = {}
    opened: list[int] = []
    for position, event in enumerate(events):
        if isinstance(event, (StructEnter, ObjectHeader)):
            opened.append(position)
        elif isinstance(event, (StructExit, ObjectEnd)):
            last_inside[opened.pop()] = position - 1
    for position, event in enumerate(events):
        if isinstance(event, Field):
            last_inside[position] = position
        elif isinstance(event, PropertyTag):
            after = events[position + 1]
            if isinstance(after, StructEnter) and after.offset == event.value_offset:
                last_inside[position] = last_inside[position + 1] + 1
            elif isinstance(after, streamsave.BlobSkip) and after.offset == event.value_offset:
                last_inside[position] = position + 1
            else:
                last_inside[position] = position
    return last_inside


def content_start(event: Event) -> int:
    """Where the content of what an event opens starts."""
    if isinstance(event, ObjectHeader):
        return event.data_offset
    if isinstance(event, PropertyTag):
        return event.value_offset
    return event.offset + (event.header_size if isinstance(event, StructEnter) else 0)


def next_of_content(events: EventStream) -> Event | None:
    """The next event that is no `ChunkStart`, None at the end."""
    return next((event for event in events if not isinstance(event, ChunkStart)), None)


class Model:
    """One save: its events without chunks, where each was, and the inflated stream, from the standard library and the writer."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.events: list[Event] = []
        self.places: list[tuple[object, ...]] = []
        with streamsave.open(SAMPLES[name]) as events:
            for event in events:
                if not isinstance(event, ChunkStart):
                    self.events.append(event)
                    self.places.append((events.path, events.depth, events.location(event)))
        self.last_inside = ends(self.events)
        self.body = body_of(name, self.events)
        self._built: dict[int, str] = {}

    def built(self, position: int) -> str:
        """What `build()` gives at an event, where nothing else was asked for; as text, in which NaN equals NaN."""
        if position not in self._built:
            with streamsave.open(SAMPLES[self.name]) as events:
                for _ in range(position + 1):
                    next_of_content(events)
                self._built[position] = repr(events.build())
        return self._built[position]


def body_of(name: str, events: list[Event]) -> bytes:
    data = SAMPLES[name]
    kind, _, file = name.partition("/")
    if kind == "satisfactory":
        return data if file.endswith(".sbpcfg") else inflate(data)
    if kind == "astroneer":
        return full().gvas()
    if kind == "gvas":
        if not file.startswith("wrapper"):
            return data
        return plain().encode() + (b"behind" if file == "wrapper-archive-2.sav" else b"")
    if kind == "arx":
        files = inner_files() | {"empty": b""}
        return b"".join(files[event.instance_name] for event in events if isinstance(event, ObjectHeader))
    if file.endswith(".spz2bp"):
        return gzip.decompress(base64.b64decode(data.split(b"-", 2)[2].split(b"[")[0].rstrip(b"$")))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        first = ["savegame.json", "strings.bin"]
        return b"".join(archive.read(member) for member in [*first, *(one for one in archive.namelist() if one not in first)])
