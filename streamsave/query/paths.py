"""Property paths: text such as `mSpawnData[0].Count`, and how to follow it into built values.

| path | names |
|---|---|
| `mOwner` | the property, or the field, of that name |
| `mSpawnData[0]` | the first element of a list or of a static array; the first byte of a byte array |
| `mSpawnData[*]` | all elements: a list |
| `mSpawnData[*].Actor.pathName` | this part of each element: a list, with None for an element that lacks it |
| `mCounts["Iron"].Total` | the value of this key in a map |
| `mCounts[*].key`, `mCounts[*].value` | all keys, all values of a map |
| `mPlace/x`, `mStacks[2]/Count` | a slash is as good as a dot: `cat --flat` prints paths so |
| `."odd name"[2]` | a path may start with a dot; quote a name that has other characters than letters, digits, `_ $ # : -` |

The parts of a class of `streamsave.values` are its fields, in lower or upper case: `mPlace.x`, `mPlace.X`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from streamsave._lazy_attrs import names_of_fields
from streamsave.errors import SelectError
from streamsave.values import ObjectReference, SoftObjectPath, Text

if TYPE_CHECKING:
    from attrs import frozen
else:
    from streamsave._lazy_attrs import frozen

__all__ = [
    "EACH",
    "MISSING",
    "Each",
    "Key",
    "Path",
    "Step",
    "follow",
    "leaves",
    "parse_path",
    "parse_steps",
    "read_path",
    "text_of",
]


class Missing:
    """The result of a path that leads to nothing."""


MISSING: Final = Missing()


@frozen
class Key:
    """A step into a map: to the value whose key has this text."""

    text: str


@frozen
class Each:
    """A step into every element of a list."""


EACH: Final = Each()

#: A name, a position, a key of a map, or every element.
Step: TypeAlias = str | int | Key | Each

BARE_NAME: Final = re.compile(r"[\w$#:-]+")
#: What comes between two names: both mean the same. Commands print paths with slashes.
SEPARATORS: Final = (".", "/")
INDEX: Final = re.compile(r"\[\s*(?:(?P<number>\d{1,9})|(?P<each>\*))\s*\]")
#: In double quotes, a backslash escapes a quote or a backslash; in single quotes, nothing is escaped.
QUOTED: Final = re.compile(r'"(?P<double>(?:[^"\\]|\\.)*)"|' + r"'(?P<single>[^']*)'", re.DOTALL)
#: The suffixes that `build` adds: to a name that repeats, and to the name of a static array's element.
REPEATED: Final = re.compile(r"#\d+$")
POSITION: Final = re.compile(r"\[\d+\]$")
#: Most steps of a path: `Limits.depth` allows no deeper values.
LONGEST: Final = 256
ESCAPED: Final = re.compile(r'\\(["\\])')


@frozen
class Path:
    """A path as the user wrote it, and its steps; the first step is a name."""

    text: str
    steps: tuple[Step, ...]

    @property
    def root(self) -> str:
        """Return the name of the property or field that the path starts with."""
        return str(self.steps[0])

    def stored_roots(self) -> set[str]:
        """Return the names that the root may have in the save: without the suffixes that `build` adds to names that repeat."""
        root = self.root
        once = REPEATED.sub("", root)
        return {root, once, POSITION.sub("", once)}

    def find(self, members: Mapping[str, object]) -> object:
        """Return the part of an object that this path names, or `MISSING`.

        Args:
            members: the object's properties and fields by name, as `EventStream.build()` makes them.
        """
        return follow(members, self.steps)

    def __str__(self) -> str:
        return self.text


def parse_path(text: str) -> Path:
    """Return the path that a text says.

    Raises:
        SelectError: the text is not a path.
    """
    return Path(text, parse_steps(text))


def parse_steps(text: str) -> tuple[Step, ...]:
    """Return the steps of the path that a text says; a `Path` takes much longer to make.

    Raises:
        SelectError: the text is not a path.
    """
    steps, end = _read_steps(text, 0)
    if end != len(text):
        raise SelectError("expected '.', '[' or the end of the path", text, end)
    return steps


def read_path(text: str, start: int) -> tuple[Path, int]:
    """Return the path that starts at a position of a text, and the position where it ends.

    Raises:
        SelectError: no path starts there.
    """
    steps, end = _read_steps(text, start)
    return Path(text[start:end], steps), end


def _read_steps(text: str, start: int) -> tuple[tuple[Step, ...], int]:
    at = start + 1 if text.startswith(".", start) else start
    name, at = _read_name(text, at)
    steps: list[Step] = [name]
    while True:
        if text.startswith("[", at):
            step, at = _read_index(text, at)
            steps.append(step)
        elif text.startswith(SEPARATORS, at) and not text.startswith("..", at):
            name, at = _read_name(text, at + 1)
            steps.append(name)
        else:
            return tuple(steps), at
        if len(steps) >= LONGEST and text.startswith((*SEPARATORS, "["), at) and not text.startswith("..", at):
            raise SelectError(f"more than {LONGEST} steps", text, at)


def unquote(match: re.Match[str]) -> str:
    """Return the text inside the quotes that `QUOTED` matched."""
    double = match["double"]
    return str(match["single"]) if double is None else ESCAPED.sub(r"\1", double)


def _read_name(text: str, at: int) -> tuple[str, int]:
    found = BARE_NAME.match(text, at)
    if found is not None:
        return found[0], found.end()
    found = QUOTED.match(text, at)
    if found is None:
        if text[at : at + 1] in {'"', "'"}:
            raise SelectError("the quote is not closed", text, at)
        raise SelectError("expected the name of a property", text, at)
    return unquote(found), found.end()


def _read_index(text: str, at: int) -> tuple[Step, int]:
    found = INDEX.match(text, at)
    if found is not None:
        return (EACH if found["each"] else int(found["number"])), found.end()
    found = QUOTED.match(text, at + 1)
    if found is None or not text.startswith("]", found.end()):
        raise SelectError("expected a number, '*' or a quoted key, then ']'", text, at + 1)
    return Key(unquote(found)), found.end() + 1


# --- in built values ---


def follow(value: object, steps: tuple[Step, ...]) -> object:
    """Return the part of a value that steps lead to, or `MISSING`."""
    if not steps:
        return value
    step, rest = steps[0], steps[1:]
    if isinstance(step, str):
        elements = _static_array(value, step) if rest and isinstance(rest[0], (int, Each)) else None
        if elements is None:
            return _follow_name(value, step, rest)
        if isinstance(rest[0], int):
            return follow(elements[rest[0]], rest[1:]) if rest[0] in elements else MISSING
        return [_or_none(follow(element, rest[1:])) for element in elements.values()]
    if isinstance(step, Key):
        for entry in value if isinstance(value, list) else ():
            if isinstance(entry, tuple) and len(entry) == 2 and text_of(entry[0]) == step.text:
                return follow(entry[1], rest)
        return MISSING
    if not isinstance(value, (list, tuple, bytes)):
        return MISSING
    elements_of: Sequence[object] = value
    if isinstance(step, int):
        return follow(elements_of[step], rest) if step < len(elements_of) else MISSING
    return [_or_none(follow(element, rest)) for element in elements_of]


def _follow_name(value: object, name: str, rest: tuple[Step, ...]) -> object:
    if isinstance(value, Mapping):
        return follow(value[name], rest) if name in value else MISSING
    if isinstance(value, tuple):
        if len(value) == 2 and name in {"key", "value"}:  # an entry of a map
            return follow(value[name == "value"], rest)
        return MISSING
    for field_name in names_of_fields(type(value)) or ():
        if field_name in {name, name.lower()}:
            return follow(getattr(value, field_name), rest)
    return MISSING


def _static_array(value: object, name: str) -> dict[int, object] | None:
    """Return the elements of a static array by position; None if the name is not a static array.

    A static array is a property that repeats with other positions: `build` calls them `name[1]`, `name[2]`, ...
    """
    if not isinstance(value, Mapping) or not any(key.startswith(f"{name}[") for key in value):
        return None
    elements = {0: value[name]} if name in value else {}
    for key, element in value.items():
        if key.startswith(f"{name}[") and key.endswith("]") and key[len(name) + 1 : -1].isdecimal():
            elements[int(key[len(name) + 1 : -1])] = element
    return elements


def _or_none(value: object) -> object:
    return None if value is MISSING else value


def leaves(value: object) -> Iterator[object]:
    """Yield the innermost values: texts, numbers, references, ... but not None."""
    if isinstance(value, bytes) or text_of(value) is not None:
        yield value
        return
    if isinstance(value, (list, tuple, Mapping)):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from leaves(part)
        return
    for name in names_of_fields(type(value)) or ():
        yield from leaves(getattr(value, name))


def text_of(value: object) -> str | None:
    """Return the text of an innermost value; None for bytes, for None and for values with parts.

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
