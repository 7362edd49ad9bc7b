"""References between the entries of an Arx save: find the names that no entry has.

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
from typing import TYPE_CHECKING, Final

from streamsave.consume.stream import EventStream
from streamsave.errors import PathStep
from streamsave.events import BlobSkip, ChunkStart, Field, ObjectHeader, StructEnter
from streamsave.formats.arx.header import ArxContainer

if TYPE_CHECKING:
    from attrs import frozen
else:
    from streamsave._lazy_attrs import frozen

__all__ = ["Fault", "container_faults", "entity_name", "reference_faults"]

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

#: Events that may come between two fields of a struct.
BETWEEN_FIELDS: Final = (BlobSkip, ChunkStart)

#: Fields that only name entities which the save has to have.
CERTAIN: Final = frozenset(("id_inventory", "equiped", "slot_io"))


@frozen
class Fault:
    """A contradiction between entries, and where it is."""

    path: tuple[PathStep, ...]
    message: str
    #: Whether no sound save has it.
    serious: bool = True


def entity_name(filename: str, ident: int) -> str:
    r"""Return the name of the entry of an entity: `C:\...\GOBLIN_BASE.TEO` and 7 are `goblin_base_0007`."""
    base = filename.replace("\\", "/").rpartition("/")[2]
    stem = base.rpartition(".")[0] or base
    return f"{stem.lower()}_{ident:04}"


def container_faults(container: ArxContainer) -> Iterator[Fault]:
    """Yield what is wrong in a file table that can be read."""
    for name in container.duplicates:
        yield Fault((name,), "several entries have this name")
    for entry in container.entries:
        if entry.codec.startswith("unknown"):
            yield Fault((entry.name,), f"packed in an {entry.codec} way")
        elif entry.codec == "deflate" and entry.size < 0:
            yield Fault((entry.name,), "of unknown size, which only an imploded entry may be")


class ArxReferences:
    """Walks a save, and remembers which entities are referred to."""

    def __init__(self, events: EventStream, container: ArxContainer) -> None:
        self._events = events
        self._names = {entry.name for entry in container.entries}
        self._stubs: set[str] = set()
        #: Entity -> where it is first referred to.
        self._referred: dict[str, tuple[PathStep, ...]] = {}

    def walk(self) -> Iterator[Fault]:
        """Yield all faults; those about stubs come last."""
        entry = ""
        for event in self._events:
            if isinstance(event, ObjectHeader):
                entry = event.instance_name
            elif isinstance(event, StructEnter):
                yield from self._struct(entry, event)
        for name, path in self._referred.items():
            if name in self._stubs:
                yield Fault(path, f"{name!r} was destroyed", serious=False)

    def _struct(self, entry: str, enter: StructEnter) -> Iterator[Fault]:
        """Check the fields of one struct."""
        path = self._events.path
        if enter.name == "stub":
            self._stubs.add(entry)
            self._events.skip()
        elif enter.type_name == "PLAYER_LEVEL_DATA":
            yield from self._level(path)
        elif enter.type_name in {"IO_INDEX", "IO_SAVE"}:
            yield from self._identity(entry, enter.type_name, path)
        elif enter.type_name in REFERENCES:
            yield from self._names_in(enter.type_name)

    def _level(self, path: tuple[PathStep, ...]) -> Iterator[Fault]:
        values = self._events.build()
        level = values.get("level") if isinstance(values, dict) else None
        if isinstance(level, int) and f"lvl{level:03}" not in self._names:
            yield Fault((*path, "level"), f"there is no entry 'lvl{level:03}'")

    def _identity(self, entry: str, type_name: str, path: tuple[PathStep, ...]) -> Iterator[Fault]:
        """Check file and number, which come early in both structs, then the other fields."""
        filename = ""
        for event in self._events:
            if isinstance(event, BETWEEN_FIELDS):
                continue
            if not isinstance(event, Field):
                return
            if event.name == "filename":
                filename = str(self._events.build())
            elif event.name == "ident":
                ident = self._events.build()
                name = entity_name(filename, ident if isinstance(ident, int) else 0)
                if type_name == "IO_INDEX":
                    yield from self._refer(path, name, serious=True)
                elif name != entry:
                    yield Fault(path, f"file and number are those of {name!r}")
                break
        if type_name == "IO_SAVE":
            yield from self._names_in(type_name)

    def _names_in(self, type_name: str) -> Iterator[Fault]:
        """Check the names in the fields of a struct, to its end."""
        width = height = None
        for event in self._events:
            if isinstance(event, BETWEEN_FIELDS):
                continue
            if not isinstance(event, Field):
                return
            if event.name == "sizex":
                width = self._events.build()
            elif event.name == "sizey":
                height = self._events.build()
            elif event.name in REFERENCES[type_name]:
                path = self._events.path
                value = self._events.build()
                if event.name == "slot_io" and isinstance(value, list) and isinstance(width, int) and isinstance(height, int):
                    # The grid is always stored whole; slots outside of the inventory's size may hold anything.
                    value = [column[: max(height, 0)] for column in value[: max(width, 0)]]
                yield from self._names_of(path, value, serious=event.name in CERTAIN)

    def _names_of(self, path: tuple[PathStep, ...], value: object, *, serious: bool) -> Iterator[Fault]:
        if isinstance(value, str):
            yield from self._refer(path, value, serious=serious)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                yield from self._names_of((*path, index), item, serious=serious)

    def _refer(self, path: tuple[PathStep, ...], name: str, *, serious: bool) -> Iterator[Fault]:
        name = name.lower()
        if name in WITHOUT_ENTRY:
            return
        if name in self._names:
            self._referred.setdefault(name, path)
        else:
            yield Fault(path, f"there is no entry {name!r}", serious)


def reference_faults(events: EventStream, container: ArxContainer) -> Iterator[Fault]:
    """Walk a save to its end; yield the references that lead to no entry, and those to destroyed entities.

    Args:
        events: a stream of an Arx save, before its first entry.
        container: the header of that save.

    Raises:
        SaveError: the bytes are damaged.
    """
    yield from ArxReferences(events, container).walk()
