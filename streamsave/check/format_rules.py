"""What `check` looks for beyond events in saves of Arx, shapez 2 and Astroneer; the table in `check` has the rules.

`arx_references` finds the names in the entries of an Arx save that no entry has.

| in | refers to |
|---|---|
| `pld` | the level of the player |
| level index | its entities, by the file of their class and a number |
| paths of a level, inventories, equipment, targets, linked parts | entities, by name |
| entity | itself: file and number make the name of its entry |

The game keeps some of these in step: the index of a level, inventories, equipment, an entity's own name. A wrong one is serious.
A target may be in a level that the player has not visited yet. An empty name, `none`, `self` and the names of the player refer to
no entry. A stub is left of a destroyed entity; references to it are reported, too. Memory holds one name for each entity that is
referred to.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from streamsave.check.finding import FINDING, NOTE, Finding
from streamsave.consume.stream import EventStream
from streamsave.decode.cursor import Cursor
from streamsave.errors import PathStep
from streamsave.events import Damage, ObjectHeader, StructEnter
from streamsave.formats import Format, MakeReader, find_format, make_reader
from streamsave.formats.arx.container import read_container
from streamsave.formats.arx.header import ArxContainer, ArxEntry
from streamsave.formats.arx.lost_entries import lost_entries
from streamsave.formats.astroneer.header import AstroneerHeader
from streamsave.formats.astroneer.wrappers import Wrapping
from streamsave.formats.gvas.header import GvasHeader
from streamsave.formats.shapez2.header import SaveHeader as Shapez2Header
from streamsave.headers import Header
from streamsave.input.source import Source
from streamsave.input.zip_archive import Archive
from streamsave.limits import Limits

__all__ = ["arx_references", "container_findings", "entity_name", "format_findings"]

#: Names that need no entry.
WITHOUT_ENTRY: Final = frozenset(("", "none", "self", "player", "player_-001"))

#: Struct -> its fields that hold names of entities.
REFERENCES: Final[dict[str, tuple[str, ...]]] = {
    "PLAYER": ("curtorch", "id_inventory", "equiped", "dragged_entity"),
    "IO_SAVE": ("id_targetinfo",),
    "NPC_IO_SAVE": ("id_weapon", "weapon", "stackedtarget"),
    "INVENTORY_DATA_SAVE": ("slot_io", "weapon", "targetinfo", "linked_id", "stackedtarget"),
    "PATH": ("controled",),
}

#: Structs with the level of the player, and with file and number of an entity.
PLAYER_LEVEL: Final = "PLAYER_LEVEL_DATA"
INDEX: Final = "IO_INDEX"
KINDS: Final = frozenset((PLAYER_LEVEL, INDEX, *REFERENCES))

#: Fields that only name entities which the save has to have.
CERTAIN: Final = frozenset(("id_inventory", "equiped", "slot_io"))


def entity_name(filename: str, ident: int) -> str:
    r"""Return the name of the entry of an entity: `C:\...\GOBLIN_BASE.TEO` and 7 are `goblin_base_0007`."""
    base = filename.replace("\\", "/").rpartition("/")[2]
    stem = base.rpartition(".")[0] or base
    return f"{stem.lower()}_{ident:04}"


def container_findings(container: ArxContainer) -> Iterator[Finding]:
    """Yield what is wrong in a file table that can be read."""
    faults = [(name, "several entries have this name") for name in container.duplicates]
    for entry in container.entries:
        if entry.codec.startswith("unknown"):
            faults.append((entry.name, f"packed in an {entry.codec} way"))
        elif entry.codec == "deflate" and entry.size < 0:
            faults.append((entry.name, "of unknown size, which only an imploded entry may be"))
    for name, message in faults:
        yield Finding(FINDING, "file-table", message, None, (name,))


def arx_references(events: EventStream, container: ArxContainer) -> Iterator[Finding]:
    """Find the references that lead to no entry, and those to destroyed entities, which come last.

    Args:
        events: a stream of an Arx save, before its first entry.
        container: the header of that save.

    Raises:
        SaveError: the bytes are damaged.
    """
    names = {entry.name for entry in container.entries}
    #: Entity -> where it is first referred to.
    referred: dict[str, tuple[PathStep, ...]] = {}
    entry = ""
    stubs: set[str] = set()
    for event in events:
        if isinstance(event, ObjectHeader):
            entry = event.instance_name
        elif isinstance(event, StructEnter) and event.name == "stub":
            stubs.add(entry)
            events.skip()
        elif isinstance(event, StructEnter) and event.type_name in KINDS:
            path, kind = events.path, event.type_name
            values: Any = events.build()
            own = entity_name(values["filename"], values["ident"]) if kind != INDEX and "ident" in values else entry
            if own != entry:
                yield Finding(FINDING, "dangling", f"file and number are those of {own!r}", None, path)
            for where, name, severity in names_in(kind, path, values):
                if name in names:
                    referred.setdefault(name, where)
                elif name not in WITHOUT_ENTRY:
                    yield Finding(severity, "dangling", f"there is no entry {name!r}", None, where)
    for name, path in referred.items():
        if name in stubs:
            yield Finding(NOTE, "dangling", f"{name!r} was destroyed", None, path)


def names_in(kind: str, path: tuple[PathStep, ...], values: dict[str, Any]) -> Iterator[tuple[tuple[PathStep, ...], str, str]]:
    """Yield the names in a struct: where each is, the name in small letters, and how serious it is if no entry has it."""
    level = values.get("level")
    if kind == PLAYER_LEVEL and isinstance(level, int):
        yield (*path, "level"), f"lvl{level:03}", FINDING
    elif kind == INDEX:
        yield path, entity_name(values["filename"], values["ident"]), FINDING
    for name, value in values.items():
        if name in REFERENCES.get(kind, ()):
            # The grid is always stored whole; slots outside of the inventory's size may hold anything.
            if name == "slot_io":
                value = [column[: max(values["sizey"], 0)] for column in value[: max(values["sizex"], 0)]]
            for steps, text in texts_in(value):
                yield (*path, name, *steps), text.lower(), FINDING if name in CERTAIN else NOTE


def texts_in(value: object) -> Iterator[tuple[tuple[int, ...], str]]:
    """Yield a text, or those in a list of lists, with the indices that lead to each."""
    if isinstance(value, str):
        yield (), value
    for index, item in enumerate(value if isinstance(value, list) else ()):
        for steps, text in texts_in(item):
            yield (index, *steps), text


#: Offset in the stream of an Unreal save game, first and last number that there is, of each version in its header.
SAVE_GAME_VERSION: Final = (4, 1, 255)
PACKAGE_VERSION_UE4: Final = (8, 214, 999)
#: Of an engine, the first major version, and the largest number of each part.
ENGINE_LEAST: Final = 4
ENGINE_MOST: Final = (5, 99, 999)
#: The last character that one byte has for itself.
LAST_LATIN: Final = "\xff"


def format_findings(header: Header, source: Source, limits: Limits, reader: Format | MakeReader | None) -> Iterator[Finding]:
    """Yield the findings of a save that was read to its end.

    Args:
        header: of the save.
        source: the save.
        limits: what to refuse.
        reader: as for `check`.

    Raises:
        SaveError: what events do not show cannot be decoded.
    """
    if isinstance(header, ArxContainer):
        yield from arx_findings(source, header, limits, reader)
    elif isinstance(header, Shapez2Header):
        for gap in Archive(source, limits).gaps():
            yield Finding(FINDING, "unclaimed", gap.message())
    elif isinstance(header, AstroneerHeader):  # whose header is a kind of the next one
        for left in Wrapping(source, limits).left_out():
            yield Finding(FINDING if left.is_lost else NOTE, "unclaimed", left.message)
    elif isinstance(header, GvasHeader) and reader is None:  # another reader may not read it from the same bytes
        yield from header_findings(header, make_reader(find_format(source), source, limits).cursor)


def header_findings(header: GvasHeader, cursor: Cursor) -> Iterator[Finding]:
    """Look at what no property depends on in the header of an Unreal save game, but each program that reads the save.

    Args:
        header: of the save.
        cursor: reads it.
    """
    for name, value, (offset, first, last) in (
        ("SaveGameVersion", header.save_game_version, SAVE_GAME_VERSION),
        ("package version of UE4", header.package_version_ue4, PACKAGE_VERSION_UE4),
    ):
        if not first <= value <= last:
            yield Finding(FINDING, "header", f"{name} of no engine: {value}", offset)
    engine = header.engine_version
    if engine[0] < ENGINE_LEAST or any(part > most for part, most in zip(engine, ENGINE_MOST, strict=True)):
        offset = 12 if header.package_version_ue5 is None else 16
        yield Finding(FINDING, "header", f"there is no such version of the engine: {'.'.join(map(str, engine))}", offset)
    cursor.seek(0)
    stored = bytes(cursor.peek(header.size))
    for name in (header.branch, header.save_game_class):
        # One with other characters is stored in two bytes for each.
        at = stored.find(name.encode("latin-1") + b"\0") if name and max(name) <= LAST_LATIN and not name.isascii() else -1
        if at >= 0:
            yield Finding(FINDING, "header", f"a name in the header is not ASCII: {name!r}", at)


def arx_findings(
    source: Source, container: ArxContainer, limits: Limits, reader: Format | MakeReader | None
) -> Iterator[Finding]:
    """Compare the entries of an Arx save with each other."""
    yield from container_findings(container)
    emptied: list[ArxEntry] = []
    read_container(source, limits, emptied)
    in_no_row = lost_entries(source, container, emptied, limits)
    messages = {lost.message for lost in in_no_row}
    for event in EventStream(source, limits, resyncs=True, reader=reader):
        if isinstance(event, Damage) and event.error.message not in messages:
            yield Finding(FINDING, "other-entry", event.error.message, event.error.offset, (event.lost.name,))
    for lost in in_no_row:
        yield Finding(NOTE if lost.may_be_gone else FINDING, "unclaimed", lost.message, None, (lost.name,) if lost.name else ())
    if container.gaps:
        size = sum(size for _, size in container.gaps)
        places = f"in {len(container.gaps)} places, the first at {container.gaps[0][0]:#x} of the file"
        yield Finding(NOTE, "unclaimed", f"{size} bytes {places}, belong to no entry")
    if container.stale_size:
        yield Finding(NOTE, "unclaimed", f"{container.stale_size} bytes after the file table, perhaps of a longer one")
    yield from arx_references(EventStream(source, limits, reader=reader), container)
