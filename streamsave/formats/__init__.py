'''The registry: which formats there are. The first bytes of a file decide which reader it gets.

A format of another package needs no change here. Its package names a `Format` in the entry point group `streamsave.formats`:

```toml
[project.entry-points."streamsave.formats"]
toy = "toy.format:TOY"
```

```python
"""toy/format.py: cheap to import."""
from streamsave.formats import Format, Source

def sniff(head: bytes, source: Source) -> bool:
    return head.startswith(b"TOY1")

TOY = Format("Toy save", sniff, "toy.reader:ToyReader", extensions=(".toy",))
```

`streamsave.open(source, reader=ToyReader)`, or `reader=TOY`, reads a save without an entry point, and without sniffing; so does
`--reader toy.reader:ToyReader` of each command. `PLUGINS.md` beside this file has a whole format, and what a reader owes.

A reader is a subclass of `Reader` with

* `__init__(source, limits)`, which passes a `Cursor` to `Reader.__init__`: `Cursor(FileWindows(source), limits)` where the file
  is not compressed. `Cursor` reads numbers and strings in bounds, and raises the right `SaveError`.
* `events()`, a generator of all events, from `SaveStart` to `SaveEnd`. `SaveStart.header` is an attrs class, a subclass of
  `streamsave.headers.Header`. `self.field(name, codec)` makes the event of one value; codecs are in `streamsave.decode.codecs`.
  Each `StructEnter` needs its `StructExit`, each `ObjectHeader` its `ObjectEnd`.

Between two events the consumer may move the cursor: `skip()` moves it to the end of what the last event opened. So after each
`yield` of a `StructEnter` or an `ObjectHeader`, the reader compares `self.cursor.tell()` with the start of the content, and
leaves the content out if the cursor is elsewhere. `self.steps` has the names of the open nestings, for paths in errors. Together
the events claim every byte of the inflated stream once, as `streamsave.events` says; `streamsave check` finds where they do not.

All other methods of `Reader` have defaults. Override `holds_objects` if objects contain objects, `leads_to_objects` if properties
do, `skip`, `value` and `open_value` if there are properties (`PropertyTag`) that `self.tag` does not make, `measure` if a header
does not have the size of its object, `stores_name` to make selections faster, and `verify` for checksums. Read nothing of a
stream in chunks before `SaveStart`. `streamsave check` reads a save of another package's format a few times more, and finds where
its reader does not do these things; with `--reader`, it also tries damage and limits (`streamsave.check.check_reader`).
'''

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Final

from streamsave.decode.cursor import Cursor
from streamsave.decode.reader import Reader
from streamsave.errors import TruncatedSave, UnsupportedSave
from streamsave.formats.arx.sniff import has_table, sniff_container
from streamsave.formats.astroneer.sniff import sniff_astroneer
from streamsave.formats.format import METRES, Format, Label, MakeReader, PlaceUnit, Sniffer, as_format, check_options, load
from streamsave.formats.gvas.sniff import sniff_compressed, sniff_gvas
from streamsave.formats.plugins import find_plugin, plugins
from streamsave.formats.satisfactory.sniff import sniff_blueprint, sniff_config, sniff_save
from streamsave.formats.shapez2.sniff import has_savegame, sniff_code
from streamsave.formats.shapez2.sniff import sniff_save as sniff_spz2
from streamsave.input.source import Source
from streamsave.input.windows import FileWindows, Windows
from streamsave.limits import Limits

__all__ = [
    "FORMATS",
    "HEAD_SIZE",
    "METRES",
    "TILES",
    "Cursor",
    "FileWindows",
    "Format",
    "Label",
    "MakeReader",
    "PlaceUnit",
    "Reader",
    "Sniffer",
    "Source",
    "Windows",
    "as_format",
    "check_options",
    "find_format",
    "is_text_save",
    "load",
    "make_reader",
    "save_extensions",
    "watcher",
    "zlib_windows",
]

#: How many bytes at the start of a file a sniffer gets.
HEAD_SIZE: Final = 64
#: A file with fewer bytes is too short for any format.
LEAST_HEAD: Final = 12

#: How the path of a built-in reader starts.
OUR_READERS: Final = "streamsave."

HEADER_SIZE: Final = Label("header size", "bytes")
GVAS_LABELS: Final = {"size": HEADER_SIZE, "engine_version": Label("engine version", "version")}
TILES: Final = PlaceUnit("tiles", "tiles", 1)
GVAS_READER: Final = "streamsave.formats.gvas.reader:GvasReader"
HINTS: Final = frozenset({"type_hints"})
GVAS_OPTIONS: Final = frozenset({"type_hints", "objects_at"})
UNREAL_VIEW: Final = "streamsave.cli.unreal_view:UnrealView"
SHAPEZ2: Final = "shapez 2 save"
ARX: Final = "Arx save"
SHAPEZ2_VIEW: Final = "streamsave.cli.view:Shapez2View"
SHAPEZ2_CODE_VIEW: Final = "streamsave.cli.view:CodeView"


def _by_head(sniff: Callable[[bytes], bool]) -> Sniffer:
    """Make a sniffer of a function that needs the first bytes only."""

    def sniff_head(head: bytes, _source: Source) -> bool:
        return sniff(head)

    return sniff_head


#: What follows how far saves are read, such as a progress bar: it is called with each new reader and what that reads. Only the
#: context that sets it has it: other threads of a program read without it.
watcher: Final[ContextVar[Callable[[Reader, Source], None] | None]] = ContextVar("watcher", default=None)

#: The first whose sniffer fits reads the file. Sniffers that read on after the first bytes come last; only the first one here may
#: do so too, for files that start like those of others.
FORMATS: Final[tuple[Format, ...]] = (
    Format(
        "Astroneer save",
        sniff_astroneer,
        "streamsave.formats.astroneer.reader:AstroneerReader",
        extensions=(".savegame",),
        options=HINTS,
        labels=GVAS_LABELS,
        by_number=True,
    ),
    Format(
        "Satisfactory save",
        _by_head(sniff_save),
        "streamsave.formats.satisfactory.reader:SatisfactoryReader",
        extensions=(".sav",),
        labels={
            "play_duration": Label("play time", "seconds"),
            "save_date_time": Label("saved", "moment"),
            "mod_metadata": Label("mods", "mods"),
            "save_data_hash": Label("MD5", "hex"),
            "size": HEADER_SIZE,
        },
    ),
    Format(
        "Satisfactory blueprint",
        _by_head(sniff_blueprint),
        "streamsave.formats.satisfactory.reader:BlueprintReader",
        extensions=(".sbp",),
        labels={"size": HEADER_SIZE},
        view="streamsave.cli.view:BlueprintView",
    ),
    Format(
        "Unreal save game",
        _by_head(sniff_gvas),
        GVAS_READER,
        extensions=(".sav",),
        options=GVAS_OPTIONS,
        labels=GVAS_LABELS,
        view=UNREAL_VIEW,
    ),
    Format(
        SHAPEZ2,
        _by_head(sniff_spz2),
        "streamsave.formats.shapez2.reader:SaveReader",
        extensions=(".spz2",),
        labels={
            "savegame_name": Label("name"),
            "scenario_id": Label("scenario"),
            "total_playtime": Label("play time", "seconds"),
            "last_saved": Label("saved", "moment"),
        },
        place_unit=TILES,
        view=SHAPEZ2_VIEW,
        by_number=True,
    ),
    Format(
        "shapez 2 blueprint code",
        _by_head(sniff_code),
        "streamsave.formats.shapez2.code:CodeReader",
        extensions=(".spz2bp",),
        place_unit=TILES,
        text_marks=("SHAPEZ2-", "$"),
        view=SHAPEZ2_CODE_VIEW,
    ),
    Format(
        "Unreal save game in zlib or gzip",
        sniff_compressed,
        GVAS_READER,
        options=GVAS_OPTIONS,
        labels=GVAS_LABELS,
        view=UNREAL_VIEW,
    ),
    Format(
        "Satisfactory blueprint configuration",
        sniff_config,
        "streamsave.formats.satisfactory.config:ConfigReader",
        extensions=(".sbpcfg",),
    ),
    Format(
        ARX,
        sniff_container,
        "streamsave.formats.arx.reader:ArxReader",
        extensions=(".sav",),
        options=frozenset({"sparse"}),
        view="streamsave.cli.view:ArxView",
    ),
)


#: Formats without a mark of their own, whose sniffers take files of other formats -> what proves that a file is theirs. Where
#: nothing does, plugins are asked first.
PROOFS: Final[dict[str, Sniffer]] = {SHAPEZ2: has_savegame, ARX: has_table}


def find_format(source: Source, reader: Format | MakeReader | None = None) -> Format:
    """Return the format of a file: what the caller has chosen, a built-in one, or else that of a plugin.

    A plugin's comes before a built-in one that has no mark, and of which the file has no proof (`PROOFS`).

    Raises:
        TruncatedSave: the file is empty, or too short to recognise.
        UnsupportedSave: no known format starts like this.
        OSError: the source cannot be read.
        TypeError: `reader` is neither a row nor something that makes a reader.
    """
    if reader is not None:
        return as_format(reader)
    head = source.read_at(0, HEAD_SIZE)
    if not head:
        raise TruncatedSave("the file is empty")
    for row in FORMATS:
        if row.sniffer(head, source):
            proof = PROOFS.get(row.name)
            if proof is not None and not proof(head, source):
                return find_plugin(head, source) or row
            return row
    found = find_plugin(head, source)
    if found is not None:
        return found
    names = ", ".join([row.name for row in (*FORMATS, *plugins().values())])
    if len(head) < LEAST_HEAD:
        raise TruncatedSave("too short to recognise the format", expected=names, actual=head)
    raise UnsupportedSave("no known format starts like this", expected=names, actual=head[:LEAST_HEAD])


def make_reader(row: Format, source: Source, limits: Limits) -> Reader:
    """Make the reader of a file.

    Raises:
        UnsupportedSave: the reader of a plugin cannot be imported.
        TypeError: what the row names as its reader makes something else.
    """
    make: object = row.reader
    if isinstance(make, str):
        try:
            make = load(make)
        except Exception as error:
            if str(row.reader).startswith(OUR_READERS):
                raise
            text = f"the reader of {row.name} cannot be imported from {row.reader}: {type(error).__name__}: {error}"
            raise UnsupportedSave(text) from error
    reader = make(source, limits) if callable(make) else None
    if not isinstance(reader, Reader):
        raise TypeError(f"the reader of {row.name} is a {type(reader).__name__}, not a streamsave.formats.Reader")
    reader.allowance.source = source
    watch = watcher.get()
    if watch is not None:
        watch(reader, source)
    return reader


def zlib_windows(source: Source, limits: Limits, offset: int = 0, *, size: int = -1) -> Windows:
    """Return the inflated bytes of a zlib stream that goes from an offset to the end of a file, for `Cursor`.

    They are inflated as they are needed, within `limits`. The cursor raises a `SaveError` where they are damaged.

    Args:
        source: the file.
        limits: what to refuse.
        offset: where the stream starts in the file.
        size: how many bytes it inflates to, as the file says elsewhere; -1: it does not.

    Raises:
        LimitExceeded: `size` is above `Limits.total_inflated_size`.
    """
    from streamsave.input.forward import ForwardWindows
    from streamsave.input.stages import FileStage, InflateStage

    return ForwardWindows(lambda: InflateStage(FileStage(source, offset), size), limits, "zlib", size, offset)


def save_extensions() -> tuple[str, ...]:
    """Return how the names of saves end, in lower case, plugins included; a search of a folder passes over other files."""
    return tuple(sorted({ending for row in (*FORMATS, *plugins().values()) for ending in row.extensions}))


def is_text_save(text: str) -> bool:
    """Return whether a text is a save itself, not the name of one: a blueprint code."""
    # Codes are copied out of chats, where back-ticks mark them, and out of files that start with a byte order mark.
    bare = text.strip(" \t\r\n`\ufeff")
    marks = [row.text_marks for row in FORMATS]
    return any(start and bare.startswith(start) and bare.endswith(end) for start, end in marks)
