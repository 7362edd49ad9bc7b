"""The innermost values (leaves) of a value, each with its path: the one notion of commands, selections and programs.

A leaf is a text, a number, a bool, None, a reference, or an empty list or dict; everything else consists of what JSON has for it
(`streamsave.decode.json_values`). The steps of its path:

| step | leads into |
|---|---|
| `str` | a member of a struct |
| `int` | an element of a list; a property of a static array |
| `Key` | the value of a map with this key; an entry whose key has parts has no text, and then comes `key` or `value` |
"""

from __future__ import annotations

from typing import Final, TypeAlias

from streamsave._fields import names_of_fields
from streamsave._native import i64
from streamsave.decode.json_values import json_step
from streamsave.values import ObjectReference, Opaque, SoftObjectPath, Text

__all__ = ["BYTES", "Key", "LeafVisitor", "Step", "is_key", "key_of", "leaves", "split_name", "text_of"]

#: The step to the size of bytes that have no layout.
BYTES: Final = "@bytes"
#: Leaves, besides references and what is empty.
PLAIN: Final = (str, int, float, type(None))
#: The same, and references.
NAMED: Final = (*PLAIN, ObjectReference)
#: Values that have no text of their own class.
TEXTLESS: Final = (*NAMED, bytes, dict, list, tuple)


class Key:
    """A step into a map: to the value whose key has this text; without one, to an entry.

    In the path of a leaf, it also knows the number of the entry, and its key.
    """

    __slots__ = ("index", "key", "text")

    def __init__(self, text: str | None, index: int = -1, key: object = None) -> None:
        self.text: Final = text
        self.index: Final = index
        self.key: Final = key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and other.text == self.text and (self.text is not None or other.index == self.index)

    def __hash__(self) -> int:
        return hash(self.text)

    def __reduce__(self) -> tuple[object, ...]:
        return Key, (self.text, self.index, self.key)

    def __repr__(self) -> str:
        return f"Key({self.text!r}, {self.index})"


#: A step of the path of a value.
Step: TypeAlias = "str | int | Key"


def key_of(key: object) -> str | None:
    """Return the text of a map's key in a path; None if the key has parts."""
    if isinstance(key, (dict, list, tuple)):
        return None
    plain = key if isinstance(key, NAMED) else json_step(key)
    return text_of(plain) if isinstance(plain, NAMED) else None


class LeafVisitor:
    """Goes through the leaves of values. A subclass says what to do with each.

    Attributes:
        path: the steps to the leaf that is visited.
    """

    def __init__(self) -> None:
        self.path: list[Step] = []

    def leaf(self, value: object) -> None:
        """Take a leaf; its path is `path`, as long as this runs."""
        raise NotImplementedError

    def member(self, name: str, value: object) -> None:
        """Go through the leaves of a member of a struct, at `path`."""
        self.value(value)

    def key(self, key: object) -> None:
        """Take the key of an entry of a map, at `path`, if it has a text. The value of the entry comes next."""

    def data(self, value: bytes) -> None:
        """Take bytes, which JSON has as a text."""
        stepped = json_step(value)
        if isinstance(stepped, dict):
            self._members(stepped)

    def value(self, value: object) -> None:
        """Go through the leaves of a value at `path`."""
        if isinstance(value, (str, int, float, ObjectReference)) or value is None:
            self.leaf(value)
        elif isinstance(value, dict):
            self._members(value)
        elif isinstance(value, (list, tuple)):
            if value:
                self._elements(value, 0)
            else:
                self.leaf([])
        elif isinstance(value, bytes):
            self.data(value)
        elif isinstance(value, Opaque):
            self._members({BYTES: len(value.data)})
        else:
            stepped = json_step(value)
            if isinstance(stepped, dict):
                self._members(stepped)
            else:
                self.leaf(stepped)

    def _members(self, members: dict[str, object]) -> None:
        if not members:
            self.leaf({})
            return
        path = self.path
        depth = len(path)
        for name, member in members.items():
            path.extend(split_name(name))
            self.member(name, member)
            del path[depth:]

    def _elements(self, elements: list[object] | tuple[object, ...], first: i64) -> None:
        path = self.path
        index = first
        for element in elements:
            if isinstance(element, tuple) and len(element) == 2:
                self._entry(element, index)
            else:
                path.append(int(index))
                self.value(element)
                path.pop()
            index += 1

    def _entry(self, entry: tuple[object, ...], index: i64) -> None:
        """Go through an entry of a map."""
        path = self.path
        depth = len(path)
        path.append(Key(None, int(index), entry[0]))
        path.append("key")
        text = key_of(entry[0])
        if text is None:
            self.value(entry[0])
            path[depth + 1] = "value"
        else:
            self.key(entry[0])
            path[depth:] = [Key(text, int(index), entry[0])]
        self.value(entry[1])
        del path[depth:]


def split_name(name: str) -> tuple[Step, ...]:
    """Return the steps of a name that `build()` gave to a member: `mStacks[1]` is one of a static array."""
    if not name.endswith("]"):
        return (name,)
    start = name.rfind("[")
    digits = name[start + 1 : len(name) - 1]
    return (name[:start], int(digits)) if start > 0 and digits.isascii() and digits.isdigit() else (name,)


def is_key(key: object, text: str | None) -> bool:
    """Return whether a key of a map, or an element of a set, has this text: as JSON has it, or as `text_of` does."""
    return text in {key_of(key), text_of(key)}


class Leaves(LeafVisitor):
    """Collects leaves; the keys of maps are leaves, too."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[object] = []

    def leaf(self, value: object) -> None:
        """Take a leaf."""
        self.found.append(value)

    def data(self, value: bytes) -> None:
        """Take bytes, which have no text."""
        self.found.append(value)

    def value(self, value: object) -> None:
        """Go through the leaves of a value, and take its own text if it is of a class that has one."""
        super().value(value)
        text = None if isinstance(value, TEXTLESS) else text_of(value)
        if text is not None:
            self.found.append(text)

    def _entry(self, entry: tuple[object, ...], index: i64) -> None:
        self.value(entry[0])
        self.value(entry[1])


def leaves(value: object) -> list[object]:
    """Return the innermost values, as this module has them, and the texts of moments, durations and soft paths."""
    if isinstance(value, (str, int, float, ObjectReference)):
        return [value]
    found = Leaves()
    found.value(value)
    return found.found


def text_of(value: object) -> str | None:
    """Return the text that names a value; None for bytes, for None and for values with parts.

    The text of a reference is the path name of its target; of a localised text, what the player sees.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, ObjectReference):
        return value.path_name
    if isinstance(value, Text):
        return value.source
    if isinstance(value, SoftObjectPath):
        return ":".join(part for part in (value.package_name, value.asset_name, value.sub_path) if part)
    kind = type(value)
    if names_of_fields(kind) is not None and kind.__str__ is not object.__str__:
        return str(value)  # its class says how to print it: a GUID, a date, a shape
    return None
