r"""Property paths: text such as `mSpawnData[0].Count`, and how to follow it into built values.

| path | names |
|---|---|
| `mOwner` | the property, or the field, of that name; of a static array, a test sees all elements, a value is the first |
| `mSpawnData[0]` | the first element of a list or of a static array; the first byte of a byte array; any other property itself |
| `mSpawnData[*]` | all elements: a list |
| `mSpawnData[*].Actor.pathName` | this part of each element: a list, with None for an element that lacks it |
| `mCounts["Iron"].Total` | the value of this key in a map; of each entry with this key, if there are several |
| `mNames["Iron"]` | the elements of a set or a list with this text |
| `mCounts[*].key`, `mCounts[3].value` | all keys of a map; the value of its fourth entry |
| `mCounts[*].Total`, `mLists[*][0]` | this part of each value of a map: as `mCounts[*].value.Total` |
| `mPlace/x`, `mStacks[2]/Count` | a slash is as good as a dot: `cat --flat` prints paths so |
| `."odd name"[2]` | a path may start with a dot; quote a name that has other characters than letters, digits, `_ $ # : @ -` |
| `mData/@bytes`, `mData/base64` | the size of bytes without a layout; other bytes as JSON has them |
| `@class_name`, `@outer`, `@position[2]` | the class of the object, what it is in, its height: members of its header |

In double quotes, the escapes of JSON have their meaning (`\"`, `\\`, `\n`, `\u00e9`, also half a character: `\ud800`); a
backslash before any other character is itself. In single quotes, nothing is escaped.

The parts of a class of `streamsave.values` are its fields, in lower or upper case: `mPlace.x`, `mPlace.X`.

The module is long because it has the grammar, and what a path leads to in events, in leaves and in built values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from attrs import frozen

from streamsave._fields import names_of_fields
from streamsave.decode.json_values import json_step
from streamsave.decode.leaves import BYTES, Key, is_key, split_name
from streamsave.decode.leaves import Step as LeafStep
from streamsave.errors import PathStep, SelectError
from streamsave.events import OBJECT_MEMBERS, STORED_MEMBERS
from streamsave.values import Opaque

__all__ = [
    "BARE_NAME",
    "BASE64",
    "EACH",
    "MISSING",
    "OF_HEADER",
    "OF_TYPE",
    "Each",
    "Path",
    "Step",
    "after_name",
    "follow",
    "into_entry",
    "leads_into",
    "parse_path",
    "parse_steps",
    "parting",
    "read_path",
]


class Missing:
    """The result of a path that leads to nothing."""


MISSING: Final = Missing()


@frozen
class Each:
    """A step into every element of a list."""


EACH: Final = Each()

#: The part of bytes that is their text.
BASE64: Final = "base64"
#: The parts of an entry of a map, which is a pair.
OF_ENTRY: Final = ("key", "value")
#: In place of the key of an entry: the place is that of a struct that follows its type.
OF_TYPE: Final = ("type", "value")
#: A name, a position, a key of a map, or every element.
Step: TypeAlias = str | int | Key | Each

BARE_NAME: Final = re.compile(r"[\w$#:@-]+")
#: What comes between two names: both mean the same. Commands print paths with slashes.
SEPARATORS: Final = (".", "/")
INDEX: Final = re.compile(r"\[\s*(?:(?P<number>\d{1,9})|(?P<each>\*))\s*\]")
QUOTED: Final = re.compile(r'"(?P<double>(?:[^"\\]|\\.)*)"|' + r"'(?P<single>[^']*)'", re.DOTALL)
#: The suffixes that `build` adds: to a name that repeats, and to the name of a static array's element.
REPEATED: Final = re.compile(r"#\d+$")
POSITION: Final = re.compile(r"\[\d+\]$")
#: Most steps of a path: `Limits.depth` allows no deeper values.
LONGEST: Final = 256
#: The paths of what the header of an object says: its members, and the parts of its transform.
OF_HEADER: Final = frozenset(f"@{name}" for name in (*OBJECT_MEMBERS, *STORED_MEMBERS, "position", "rotation", "scale")) - {
    "@transform"
}
ESCAPED: Final = re.compile(r'\\(["\\/bfnrt]|u[0-9A-Fa-f]{4})')
ESCAPES: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
SURROGATE: Final = re.compile("[\ud800-\udfff]")


@frozen
class Path:
    """A path as the user wrote it, and its steps; the first step is a name."""

    text: str
    steps: tuple[Step, ...]

    @property
    def root(self) -> str:
        """Return the name of the property or field that the path starts with."""
        return str(self.steps[0])

    @property
    def is_of_header(self) -> bool:
        """Whether the path leads to what the header of an object says."""
        return self.steps[0] in OF_HEADER

    def stored_roots(self) -> set[str]:
        """Return the names that the root may have in the save: without the suffixes that `build` adds to names that repeat."""
        once = REPEATED.sub("", self.root)
        return set() if self.is_of_header else {self.root, once, POSITION.sub("", once)}

    def find(self, members: Mapping[str, object]) -> object:
        """Return the part of an object that this path names, or `MISSING`.

        Args:
            members: the object's properties and fields by name, as `EventStream.build()` makes them.
        """
        return follow(members, self.steps)

    def find_all(self, members: Mapping[str, object]) -> Iterator[object]:
        """Yield all parts of an object that this path names: there are several for `[*]`, keys and names that repeat.

        Args:
            members: as for `find`.
        """
        return follow_all(members, self.steps)

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


def unquote(match: re.Match[str], *, is_expression: bool = False) -> str:
    r"""Return the text inside the quotes that `QUOTED` matched.

    Args:
        match: the match.
        is_expression: the text is a regular expression, so `\b` is the edge of a word.
    """
    double = match["double"]
    if double is None:
        return str(match["single"])
    text = ESCAPED.sub(_unescape_in_expression if is_expression else _unescape, double)
    if SURROGATE.search(text):  # two escapes may be one character
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text


def _unescape(match: re.Match[str]) -> str:
    escape = match[1]
    return chr(int(escape[1:], 16)) if len(escape) > 1 else ESCAPES.get(escape, escape)


def _unescape_in_expression(match: re.Match[str]) -> str:
    return match[0] if match[1] == "b" else _unescape(match)


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


# --- in maps ---


def into_entry(steps: tuple[Step, ...]) -> tuple[int, tuple[Step, ...]]:
    """Return which of `OF_ENTRY` steps lead into, the value unless they say which, and the steps from there."""
    return (OF_ENTRY.index(str(steps[0])), steps[1:]) if steps[0] in OF_ENTRY else (1, steps)


def parting(
    steps: tuple[Step, ...], place: tuple[PathStep, ...], keys: Mapping[tuple[PathStep, ...], object]
) -> tuple[tuple[Step, ...], tuple[PathStep, ...]] | None:
    """Follow steps and a place in an object as long as they lead to the same; return what is left of both. None: they part.

    The key of an entry that begins is not known yet, so a step that is a key leads there, and is left.

    Args:
        steps: those of a path.
        place: names and positions; of an entry of a map, its position, then `key` or `value`.
        keys: place of an entry -> its key, None if it is not known; of a struct that follows its type -> `OF_TYPE`.
    """
    at = 0
    while steps and at < len(place):
        step, here = steps[0], place[at]
        at += 1
        key = keys.get(place[:at])
        if isinstance(step, Key):
            if at == len(place) and key is None:
                return steps, ()
            if not is_key(key, step.text) or place[at : at + 1] == ("key",):
                return None
            at += place[at : at + 1] == ("value",)
        elif not (isinstance(here, int) if isinstance(step, Each) else step == here):
            return None
        steps = steps[1:]
        if isinstance(here, str) and at < len(place) and not isinstance(place[at], int) and place[at] != BASE64:
            steps = after_name(None, steps)
        if key == OF_TYPE and steps[:1] == ("value",):
            steps = steps[1:]  # JSON and `cat --flat` have the type beside the value
        elif place[:at] in keys and key != OF_TYPE and steps and at < len(place):
            half, steps = into_entry(steps)
            if OF_ENTRY[half] != place[at]:
                return None
            at += 1
    return steps, place[at:]


def after_name(value: object, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return the steps that are left at the value of a name. A first `[0]` or `[*]` of what is no list leads to the value itself.

    It may be the first element of a static array: only properties of the same name that come later show that.
    """
    return steps[1:] if steps[:1] in {(0,), (EACH,)} and not isinstance(value, (list, tuple, bytes)) else steps


def leads_into(steps: tuple[Step, ...], path: Sequence[LeafStep], leaf: object) -> bool:
    """Return whether steps lead to a leaf, or to what it is in.

    Args:
        steps: those of a path.
        path: those to the leaf, as `streamsave.decode.leaves` has them.
        leaf: the leaf, or a value with parts.
    """
    last = steps[-1]
    if isinstance(last, str) and last not in OF_ENTRY and last not in path and last.lower() not in path:
        return False  # as for most leaves: quicker than what follows
    # `mPlace.X` is `mPlace.x`, as in built values.
    steps = tuple([step.lower() if isinstance(step, str) and at and step not in path else step for at, step in enumerate(steps)])
    place: tuple[PathStep, ...] = ()
    keys: dict[tuple[PathStep, ...], object] = {}
    for step in path:
        if isinstance(step, Key):
            place = (*place, step.index)
            keys[place] = step.key
            place = place if step.text is None else (*place, "value")
        else:
            place = (*place, step)
    left = parting(steps, place, keys)
    if left is None:
        return False
    rest = after_name(leaf, left[0]) if isinstance(path[-1], str) and place[:-1] not in keys else left[0]
    return all(isinstance(step, Key) and is_key(leaf, step.text) for step in rest)  # it may be the text of an element


# --- in built values ---


def follow(value: object, steps: tuple[Step, ...]) -> object:
    """Return the part of a value that steps lead to, the first one if there are several; a list for `EACH`; or `MISSING`."""
    last = len(steps) - 1
    for number, step in enumerate(steps):
        if isinstance(value, dict) and isinstance(step, str) and (number == last or isinstance(steps[number + 1], str)):
            # The usual step; `_parts` takes longer.
            if step not in value:
                return MISSING
            if f"{step}#2" not in value:
                value = value[step]
                continue
        for part, rest in _parts(value, steps[number:]):
            if isinstance(part, _Elements):
                return [
                    None if found is MISSING else found for found in [follow(*_element(each, rest)) for each in part.elements]
                ]
            found = follow(part, rest)
            if found is not MISSING:
                return found
        return MISSING
    return value


def follow_all(value: object, steps: tuple[Step, ...]) -> Iterator[object]:
    """Yield all parts of a value that steps lead to."""
    last = len(steps) - 1
    for number, step in enumerate(steps):
        if isinstance(value, dict) and isinstance(step, str) and (number == last or isinstance(steps[number + 1], str)):
            if step in value:
                if f"{step}#2" not in value and (number < last or f"{step}[1]" not in value):
                    value = value[step]
                    continue
            elif number < last:
                return
        for part, rest in _parts(value, steps[number:]):
            for each in [_element(each, rest) for each in part.elements] if isinstance(part, _Elements) else ((part, rest),):
                yield from follow_all(*each)
        return
    yield value


class _Elements:
    """All elements of a list or a static array."""

    def __init__(self, elements: Iterable[object]) -> None:
        self.elements = elements


def _parts(value: object, steps: tuple[Step, ...]) -> Iterator[tuple[object, tuple[Step, ...]]]:
    """Yield what the first of some steps leads to, and the steps that are left: one less, or two in a static array."""
    step, rest = steps[0], steps[1:]
    if isinstance(step, str):
        if isinstance(value, dict):
            yield from _parts_of_dict(value, step, rest)
        else:
            part = _member(value, step)
            if part is not MISSING:
                yield _named(part, rest)
    elif not isinstance(value, (list, tuple, bytes)):
        return
    elif isinstance(step, int):
        if step < len(value):
            yield _element(value[step], rest)
    elif isinstance(step, Key):
        for entry in () if isinstance(value, bytes) else value:
            key, part = entry if isinstance(entry, tuple) and len(entry) == 2 else (entry, entry)
            if is_key(key, step.text):
                yield part, rest
    else:
        yield _Elements(value), rest


def _element(element: object, steps: tuple[Step, ...]) -> tuple[object, tuple[Step, ...]]:
    """Return an element of a list, or the part of an entry of a map that steps lead into, and the steps from there."""
    if not steps or not isinstance(element, tuple) or len(element) != 2:
        return element, steps
    half, rest = into_entry(steps)
    return element[half], rest


def _parts_of_dict(value: dict[str, object], name: str, rest: tuple[Step, ...]) -> Iterator[tuple[object, tuple[Step, ...]]]:
    """Do as `_parts`. A static array is a property that repeats with other positions: `name[1]`, `name[2]`, ..."""
    step = rest[0] if rest else EACH
    if isinstance(step, int):
        at = f"{name}[{step}]"
        if at in value:
            yield value[at], rest[1:]
    elif isinstance(step, Each):
        elements = [element for key, element in value.items() if key != name and split_name(key)[0] == name]
        if elements:
            elements[:0] = [value[name]] if name in value else []
            yield from ((_Elements(elements), rest[1:]),) if rest else [(element, rest) for element in elements]
            return
    if name in value:
        yield _named(value[name], rest)
        if f"{name}#2" in value:
            again = f"{name}#"
            for key, part in value.items():
                if key.startswith(again) and key[len(again) :].isdecimal():
                    yield _named(part, rest)


def _named(part: object, steps: tuple[Step, ...]) -> tuple[object, tuple[Step, ...]]:
    """Return what a name leads to, as a list if all elements are asked for, and the steps from there."""
    rest = after_name(part, steps)
    return (_Elements([part]) if steps[:1] == (EACH,) and rest != steps else part), rest


def _member(value: object, name: str) -> object:
    """Return a member of a value that is no dict, or `MISSING`."""
    if isinstance(value, Opaque) and name == BYTES:
        return len(value.data)
    if isinstance(value, (bytes, Opaque)):
        stepped = json_step(value)
        return stepped.get(name, MISSING) if isinstance(stepped, dict) else MISSING
    for field_name in names_of_fields(type(value)) or ():
        if field_name in {name, name.lower()}:
            part: object = getattr(value, field_name)
            return part
    return MISSING
