"""Profiles: which elements of which containers are objects, and which of their members their headers show.

A row is text: the path of a container, and what the header of an object says, separated by spaces.

    worldSaveData.MapObjectSaveData[*] kind=map-object class_name=MapObjectId instance_name=Model.RawData.instance_id

| part | what it says |
|---|---|
| path | the container, from the top of the save. `[*]` is each element; what is in a pair of a map is after `key` or `value` |
| `kind=NAME` | the kind; if left out, the last name of the path |
| `kind=NAME?PATH=TEXT:OTHER` | the kind is NAME where the member has this text, or one of `TEXT/TEXT`, else OTHER |
| `class_name=PATH`, `instance_name=PATH`, `outer=PATH` | members of the element; of `PATH/PATH` the first that is not empty |
| `class_name=..key` | the key, a name, of the pair that the container is in; only in games with blobs (`BlobLayouts`) |
| `position=PATH` | a member that is a vector, or a struct with a translation or location |
| `has=PATH`, `lacks=PATH` | in a damaged save, it has to have all of `PATH/PATH`, and none of those before them |

Of the name of a member in a struct that was made in the editor, `Class_77_84FAE62...`, `Class` is enough. The name of an enum
is left out of its values. Where there is no class, it is the kind or, if the row says none, the struct of the element; where
there is no name, it is the key of the map, else the position.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

from streamsave._native import i64
from streamsave.decode.paths import BARE_NAME, EACH, MISSING, follow, parse_steps
from streamsave.decode.reader import Container, Options, Reader
from streamsave.errors import PathStep, SaveError, SelectError, UnsupportedSave
from streamsave.events import Event, Field, PropertyTag, StructEnter
from streamsave.formats.unreal.tags import ARRAY_TYPE, BYTE_TYPE, MAP_TYPE, OPTIONAL, SET_TYPE, STRUCT

__all__ = [
    "ADDED",
    "KEY",
    "MemberNode",
    "ObjectProfile",
    "ObjectRow",
    "check_containers",
    "container_path",
    "designed_name",
    "find_containers",
    "path_names",
]

#: The members of a pair of a map.
KEY: Final = "key"
OUTER_KEY: Final = "..key"
ADDED: Final = "added"
#: A part of a row: spaces may be in quotes.
WORD: Final = re.compile(r"""(?:[^\s"']|"(?:[^"\\]|\\.)*"|'[^']*'|["'])+""")
#: Members that an element may have to have.
MOST: Final = 16
MOST_MARKS: Final = 1 << (MOST - 1)
#: Characters of a GUID without hyphens, and the "_" before it.
SUFFIX_SIZE: Final = 33
OPTIONS: Final = ("kind", "class_name", "instance_name", "position", "outer", "has", "lacks")


class MemberNode:
    """A member that the header of an object needs, or one that has such members in it."""

    def __init__(self) -> None:
        self.children: dict[str, MemberNode] = {}
        #: What it is the value of: a position in the values of a row; -1: of nothing.
        self.slot = -1
        #: The values in it, if it is decoded whole: their positions and paths.
        self.inner: list[tuple[int, tuple[str, ...]]] = []
        #: With `has`: its bit among the members that an element has to have; 0: it is not one of them.
        self.mark: i64 = 0
        #: With `lacks`: no such element has it.
        self.is_foreign = False

    def child(self, name: str) -> MemberNode | None:
        """Return the member of that name; None if nothing in it is needed."""
        found = self.children.get(name)
        return self.children.get(designed_name(name)) if found is None and len(name) > SUFFIX_SIZE else found

    def add(self, names: tuple[str, ...], slot: int) -> None:
        """Add the path of a value."""
        for size in range(len(names)):
            self.at(names[:size]).inner.append((slot, names[size:]))
        self.at(names).slot = slot

    def at(self, names: tuple[str, ...]) -> MemberNode:
        """Return the member at a path."""
        node = self
        for name in names:
            child = node.children.get(name)
            if child is None:
                child = node.children[name] = MemberNode()
            node = child
        return node

    def take(self, value: object, values: list[object]) -> None:
        """Keep what is needed of the value of this member."""
        if self.slot >= 0:
            values[self.slot] = value
        if not isinstance(value, dict):
            return
        for slot, names in self.inner:
            found = follow(value, names)
            if found is not MISSING:
                values[slot] = found


class ObjectRow:
    """The objects of one container.

    Raises:
        SelectError: the text is not as the table in this module says.
    """

    def __init__(self, text: str) -> None:
        words = WORD.findall(text)
        path = words[0] if words else text
        steps = parse_steps(path)
        if steps[-1] is not EACH or any(not isinstance(step, str) and step is not EACH for step in steps):
            raise SelectError("expected the path of a container that ends in [*], without other positions", text, len(path))
        #: The path of the container, without `[*]`.
        self.names: tuple[str, ...] = tuple([step for step in steps if isinstance(step, str) and step != ADDED])
        #: The same as text: `ObjectHeader.level`.
        self.level = ".".join(self.names)
        self.text = path
        #: The members that are needed.
        self.root = MemberNode()
        #: The same, and what a damaged element has to have or to lack; the bits of all that it has to have.
        self.proof = MemberNode()
        self.marks: i64 = 0
        #: Path of a member -> the position of its value.
        self._known: dict[tuple[str, ...], int] = {}
        self.kind = self.names[-1]
        #: The row says the kind.
        self.has_kind = False
        #: The kind of objects for which the value of `kind_slot` is not one of `kind_texts`.
        self.other_kind = ""
        self.kind_slot = -1
        self.kind_texts: frozenset[str] = frozenset()
        #: Of `class_name`, `instance_name`, `outer` and `position`: the positions of the values that have it.
        self.slots: dict[str, list[int]] = {"class_name": [], "instance_name": [], "outer": [], "position": []}
        #: The class is the key of the pair around the container.
        self.has_outer_class = False
        for word in words[1:]:
            option, _, value = word.partition("=")
            if option not in OPTIONS or not value:
                raise SelectError(f"expected one of {', '.join(OPTIONS)}, '=' and a path", text, text.find(word))
            self._set(option, value, text)
        if not self.slots["instance_name"]:
            self.slots["instance_name"] = self._slots(KEY, text)

    def _set(self, option: str, value: str, text: str) -> None:
        if option == "kind":
            self.has_kind = True
            self.kind, is_tested, test = value.partition("?")
            if is_tested:
                path, _, rest = test.partition("=")
                texts, _, self.other_kind = rest.partition(":")
                self.kind_texts = frozenset(texts.split("/"))
                self.kind_slot = self._slots(path, text)[0]
                if not texts or not self.other_kind:
                    raise SelectError("expected kind=NAME?PATH=TEXT:OTHER", text, text.find(value))
        elif option == "class_name" and value == OUTER_KEY:
            self.has_outer_class = True
        elif option == "has":
            for names in member_paths(value, text):
                mark = self.marks + 1
                if mark > MOST_MARKS:
                    raise SelectError(f"at most {MOST} members", text, text.find(value))
                self.proof.at(names).mark = mark
                self.marks += mark
        elif option == "lacks":
            for names in member_paths(value, text):
                self.proof.at(names).is_foreign = True
        else:
            self.slots[option] = self._slots(value, text)

    def _slots(self, paths: str, text: str) -> list[int]:
        """Add the paths of values; return their positions."""
        slots = []
        for names in member_paths(paths, text):
            slot = self._known.get(names)
            if slot is None:
                slot = self._known[names] = len(self._known)
                self.root.add(names, slot)
                self.proof.add(names, slot)
            slots.append(slot)
        return slots

    def values(self) -> list[object]:
        """Return a list for the values of one object."""
        return [None] * len(self._known)


class ObjectProfile:
    """The rows of one save.

    Raises:
        SelectError: a row is not as the table in this module says.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self.rows: dict[tuple[str, ...], ObjectRow] = {}
        for text in texts:
            row = ObjectRow(text)
            self.rows[row.names] = row
        #: The last names of all paths. Most containers have another name.
        self.last_names: frozenset[str] = frozenset([names[-1] for names in self.rows])
        #: The paths, and all that they start with; the empty one is that of the save.
        self._prefixes = frozenset([names[:size] for names in self.rows for size in range(len(names) + 1)])
        #: `ObjectRow.level` of objects in which there may be objects.
        self.holders: frozenset[str] = frozenset(
            [row.level for names, row in self.rows.items() if any(other[: len(names)] == names != other for other in self.rows)]
        )

    def find(self, path: tuple[PathStep, ...]) -> ObjectRow | None:
        """Return the row of the container at a path, None if there is none."""
        return self.rows.get(path_names(path))

    def leads(self, path: tuple[PathStep, ...]) -> bool:
        """Return whether there may be objects in what is at a path."""
        return path_names(path) in self._prefixes


def designed_name(name: str) -> str:
    """Return the name of a member as the editor shows it: in structs that were made there, a number and a GUID follow it."""
    head, mark, guid = name.rpartition("_")
    if len(guid) != SUFFIX_SIZE - 1 or not mark:
        return name
    head, mark, number = head.rpartition("_")
    return head if mark and number.isdecimal() else name


def member_paths(paths: str, text: str) -> list[tuple[str, ...]]:
    """Return the names in each of the paths of members.

    Raises:
        SelectError: a path has more than names.
    """
    found = []
    for path in paths.split("/"):
        steps = parse_steps(path)
        names = tuple([step for step in steps if isinstance(step, str)])
        if len(names) != len(steps):
            raise SelectError("expected the names of members", text, text.find(path))
        found.append(names)
    return found


def path_names(path: tuple[PathStep, ...]) -> tuple[str, ...]:
    """Return the names in a path, without positions, and without the nesting of what a set or map adds."""
    return tuple([step for step in path if isinstance(step, str) and step != ADDED])


CONTAINERS: Final = frozenset({ARRAY_TYPE, SET_TYPE, MAP_TYPE})
#: Types of properties that may have containers in them.
NESTING: Final = frozenset({*CONTAINERS, STRUCT, OPTIONAL})
#: Most containers with paths of their own; a save has some hundreds at most.
MOST_LISTED: Final = 4096
#: How many an error names.
MOST_NAMED: Final = 30


def container_path(steps: Collection[str | int]) -> str:
    """Return the path of a container as text, with `[*]` for each position in it, and after it."""
    parts = []
    for step in steps:
        if isinstance(step, int):
            parts.append("[*]")
        else:
            quoted = step if BARE_NAME.fullmatch(step) else '"' + step.replace("\\", "\\\\").replace('"', '\\"') + '"'
            parts.append(f".{quoted}")
    return "".join(parts).removeprefix(".") + "[*]"


def find_containers(reader: Reader, until: Collection[tuple[str, ...]] = ()) -> dict[tuple[str, ...], Container]:
    """Read a save, and return its containers by the names in their paths, in the order of the save.

    Args:
        reader: a reader of which nothing was read yet.
        until: reading stops when these were found; empty: it goes on to the end.

    Raises:
        SaveError: the save is damaged.
    """
    reader.options = Options(type_hints=reader.options.type_hints, objects_at=[])
    found: dict[tuple[str, ...], Container] = {}
    missing = set(until)
    event = reader.next_event()
    while event is not None:
        reader.allowance.spend(reader.cursor)
        reader.windows.entered.clear()
        if _holds_no_container(event):
            reader.skip(event)
        elif isinstance(event, StructEnter) and event.count >= 0 and event.type_name in CONTAINERS:
            steps = [step for step in reader.path() if step != ADDED]
            names = path_names(tuple(steps))
            container = found.get(names)
            if container is None and len(found) < MOST_LISTED:
                container = found[names] = Container(container_path(steps))
                missing.discard(names)
                if until and not missing:
                    break
            if container is not None:
                container.count += 1
                container.elements += event.count
                container.size += event.size
        event = reader.next_event()
    return found


def _holds_no_container(event: Event) -> bool:
    if isinstance(event, PropertyTag):
        return event.type not in NESTING or event.inner_type == BYTE_TYPE
    return isinstance(event, Field)


def check_containers(reader: Reader, texts: list[str]) -> None:
    """Read a save up to the last of the containers that rows of a profile name.

    A fault before that is passed over: reading the save reports it.

    Raises:
        SelectError: a row has a fault.
        UnsupportedSave: a container is not there.
    """
    rows = ObjectProfile(texts).rows
    try:
        found = find_containers(reader, rows)
    except SaveError:
        return
    for names, row in rows.items():
        if names not in found:
            paths = [container.path for container in found.values()]
            listed = ", ".join(paths[:MOST_NAMED]) + (f" and {len(paths) - MOST_NAMED} more" if len(paths) > MOST_NAMED else "")
            raise UnsupportedSave(f"no container is at {row.text}", expected=f"one of {listed}" if paths else "a container")
