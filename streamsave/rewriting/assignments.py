"""`PATH = VALUE`: set values of objects.

PATH is a property path (`streamsave.decode.paths`), or the end of one. VALUE is JSON; anything else, such as `NaN`, is text. It
must fit the type of the old value:

| old value | VALUE |
|---|---|
| a bool, a number, a text | the same |
| a reference to an object | the path name of the target |
| a GUID | its text, as `cat` prints it |
| a moment | `"2022-09-28T22:13:20"`, with up to seven decimals; or ticks |
| a duration | ticks |
| a localised text without arguments | text |
| a class with fields: a vector, a colour | an object with some of its fields |
| a list | a list |
| bytes | as JSON has them, with another text in `base64`; or that text for the path `mData/base64` |
| a text, an integer, a GUID | an object `{"old": "new", ...}`: replace each old value; keep all others |

A path that starts with `@` is a member of the object's header, in formats with headers: `@position = [x, y, z]` and
`@position[2] = z` move the object, `@rotation` and `@scale` turn and stretch it. The others are in `MEMBERS`.

The module is long because each type of value is converted in its own way.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from math import isfinite
from typing import Any, Final, NamedTuple, TypeAlias

from streamsave._fields import names_of_fields
from streamsave.consume.conditions import BOOL_TEXTS
from streamsave.consume.stream import EventStream
from streamsave.consume.values import Part, Walk, leaves
from streamsave.decode.json_values import json_step, to_jsonable
from streamsave.decode.leaves import BYTES, Key, is_key
from streamsave.decode.leaves import Step as WholeStep
from streamsave.decode.paths import (
    BASE64,
    Each,
    Step,
    after_name,
    follow,
    into_entry,
    leads_into,
    parse_steps,
    parting,
    read_path,
)
from streamsave.errors import EditError, PathStep, SelectError, shown_value
from streamsave.events import STORED_MEMBERS, ObjectEnd, ObjectHeader
from streamsave.formats.unreal.tags import GUID_SIZE
from streamsave.values import DateTime, Guid, ObjectReference, Opaque, Text, Timespan

__all__ = ["DROP", "MISSING", "RELINK", "SET", "UNLINK", "Assignment", "Change", "find_tails", "parse_assignment", "starts_of"]


#: `Change.verb`.
DROP: Final = "drop"
SET: Final = "set"
UNLINK: Final = "unlink"
#: References in a value, or in a header, were changed to new names.
RELINK: Final = "relink"
#: No change: a chosen object has no value at the path.
MISSING: Final = "no such value"


class Change(NamedTuple):
    """A dropped object, or a changed value."""

    verb: str
    class_name: str
    instance_name: str
    path: str = ""
    old: object = None
    new: object = None


#: Most paths that an error lists.
MOST_LISTED: Final = 10


def starts_of(path: tuple[WholeStep, ...], leaf: object, steps: tuple[Step, ...]) -> list[int]:
    """Return the positions, except 0, at which steps occur in the path of a leaf inside its object."""
    return [start for start in range(1, len(path)) if path[start] == steps[0] and leads_into(steps, path[start:], leaf)]


def find_tails(
    events: EventStream, assignments: Sequence[Assignment], active: Callable[[ObjectHeader], Sequence[int]]
) -> dict[tuple[int, int], Assignment]:
    """Complete the assignments of which only the end of a path is given.

    Args:
        events: the save, at its start.
        assignments: all assignments.
        active: returns the numbers of the assignments that are for an object.

    Returns:
        (key of an object, number of an assignment) -> the assignment with the whole path.

    Raises:
        EditError: several paths in an object have this end.
        SaveError: the save is damaged.
    """
    found: dict[tuple[int, int], Assignment] = {}
    #: Key of each open object; number of an assignment without a whole path there -> the steps found before its own.
    opened: list[tuple[int, dict[int, dict[tuple[WholeStep, ...], None]]]] = []
    walk = Walk(events, loose=False)
    for step in walk:
        if isinstance(step, ObjectHeader):
            opened.append((events._key_of(step.offset), {number: {} for number in active(step)}))
            if not opened[-1][1]:
                walk.skip()
        elif isinstance(step, ObjectEnd):
            key, ends = opened.pop()
            for number, before in ends.items():
                if before:
                    found[key, number] = _whole(assignments[number], list(before))
        elif isinstance(step, Part):
            ends = opened[-1][1]
            first = step.path[step.base : step.base + 1]
            for number in [number for number in ends if first == assignments[number].steps[:1]]:
                del ends[number]  # the object has a member of this name
            for path, leaf in leaves(step) if ends else ():
                inner = path[step.base :]
                if inner[-1:] == (BYTES,):  # of bytes without a layout, there is the size; what can be set is their text
                    inner = (*inner[:-1], BASE64)
                for number, before in ends.items():
                    if len(before) <= MOST_LISTED:
                        for start in starts_of(inner, leaf, assignments[number].steps):
                            before[inner[:start]] = None
    return found


def _whole(assignment: Assignment, before: Sequence[tuple[WholeStep, ...]]) -> Assignment:
    """Return an assignment with its whole path.

    Raises:
        EditError: several paths are possible.
    """
    from streamsave.output.flat_text import path_text  # noqa: PLC0415 - needs orjson, and only commands assign

    paths = [f"{path_text(steps)}/{assignment.text.removeprefix('.')}" for steps in before]
    if len(paths) > 1:
        listed = ", ".join(paths[:MOST_LISTED]) + (", ..." if len(paths) > MOST_LISTED else "")
        raise EditError(f"several paths end in {assignment.text}; give one of {listed}")
    return Assignment(paths[0], parse_steps(paths[0]), assignment.value)


MOMENT: Final = re.compile(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?:\.(\d{1,7}))?", re.ASCII)
TICKS_PER_SECOND: Final = 10_000_000
DECIMALS: Final = 7
#: The parts of a transform: name in a path -> name in `Transform`, and what its numbers are called.
PARTS: Final = {
    "@position": ("translation", "[x, y, z]"),
    "@rotation": ("rotation", "[x, y, z, w]"),
    "@scale": ("scale", "[x, y, z]"),
}
#: Name of a header member in a path -> its name in `ObjectHeader`.
MEMBERS: Final = {
    **dict.fromkeys(PARTS, "transform"),
    **{f"@{name}": name for name in ("instance_name", "class_name", "level", "outer", "flags", *STORED_MEMBERS)},
}
MEMBER: Final = re.compile("@[a-z_]*")


class Assignment:
    """A path and a new value.

    Args:
        text: the path.
        steps: those to a value of the object; none to a member of its header.
        value: the new one.
        inner: the steps from a member of the header to a part of it.
    """

    def __init__(self, text: str, steps: tuple[Step, ...], value: object, inner: tuple[Step, ...] = ()) -> None:
        self.text = text
        self.steps = steps
        self.value = value
        self._inner = inner
        found = MEMBER.match(text)
        name = found[0] if found else ""
        self._part = PARTS.get(name, ("", ""))[0]
        #: The name in `ObjectHeader` of a member of the header; "" for values.
        self.member = MEMBERS.get(name, "")

    def change(self, header: ObjectHeader, name: str, old: object, new: object) -> Change:
        """Return the change of an object; `name` is that of the event."""
        return Change(SET, header.class_name, header.instance_name, self.text, old, new)

    def of_header(self, header: ObjectHeader, members: dict[str, object]) -> tuple[object, object, int]:
        """Set a member of the header, or parts of it, in the members that are new; return old, new, and how many were set.

        Raises:
            EditError: the header has no such member, or the value does not fit.
        """
        whole = members.get(self.member, getattr(header, self.member))
        if whole is None:
            raise EditError("its header has no place: set its values" if self._part else f"its header has no {self.text}")
        if not self._part:
            members[self.member] = converted(whole, self.value)
            return whole, members[self.member], 1
        old: list[float] = list(getattr(whole, self._part))
        new, count = self.applied(old, self._inner)
        assert isinstance(new, list)  # noqa: S101 - as the old one
        if not count:
            raise EditError(f"its header has no {self.text}")
        members[self.member] = with_fields(whole, {self._part: tuple(new)})
        return follow(old, self._inner), follow(new, self._inner), count

    def match(self, place: tuple[PathStep, ...], keys: dict[tuple[PathStep, ...], object]) -> tuple[Step, ...] | None:
        """Return the steps of the path after a place in an object; None if the path does not lead there.

        Args:
            place: path in the object.
            keys: as for `parting`.
        """
        left = None if self.member else parting(self.steps, place, keys)
        return None if left is None or left[1] else left[0]

    def applied(self, old: object, rest: tuple[Step, ...]) -> tuple[object, int]:
        """Return a value with its parts at `rest` set to the new value, and how many were set or removed.

        Raises:
            EditError: the new value does not fit.
        """
        parts: list[object] = []
        return self._applied(old, rest, parts), len(parts)

    def _applied(self, old: object, rest: tuple[Step, ...], parts: list[object]) -> object:
        """Do as `applied` to a value, or to a part of it; add what is set to `parts`. A value without such a part stays."""
        is_data = isinstance(old, (bytes, Opaque))
        is_base64 = is_data and rest == (BASE64,)
        if not rest or is_base64:
            parts.append(old)
            words = BOOL_TEXTS if isinstance(old, bool) else {}
            value = next((meant for meant, texts in words.items() if self.value in texts), self.value)
            members = json_step(old) if is_base64 else None
            return converted(old, members | {"base64": value} if isinstance(members, dict) else value)
        step, inner = rest[0], rest[1:]
        if isinstance(step, str):
            if isinstance(old, dict):
                return {**old, step: self._applied(old[step], after_name(old[step], inner), parts)} if step in old else old
            fields = () if is_data else names_of_fields(type(old)) or ()
            field = next((name for name in fields if name in {step, step.lower()}), None)
            part = None if field is None else getattr(old, field)
            return old if field is None else with_fields(old, {field: self._applied(part, after_name(part, inner), parts)})
        if not isinstance(old, (list, tuple)):
            return old
        new: list[object] = []
        for place, each in enumerate(old):
            pair = each if isinstance(each, tuple) and len(each) == 2 else None
            is_named = isinstance(step, Key) and is_key(each if pair is None else pair[0], step.text)
            after = ("value", *inner) if is_named and pair else inner
            if not (is_named or isinstance(step, Each) or step == place):
                new.append(each)
            elif pair is None or not after:
                new.append(self._applied(each, after, parts))
            else:
                half, after = into_entry(after)
                new.append(tuple([self._applied(part, after, parts) if at == half else part for at, part in enumerate(pair)]))
        return tuple(new) if isinstance(old, tuple) else new


def with_fields(old: object, new: Mapping[str, object]) -> object:
    """Return a value of a class with other fields. The source of a localised text is also in its history.

    Raises:
        EditError: the source of a text with arguments is to be another.
    """
    if isinstance(old, Text) and new.get("source", old.source) != old.source:
        old = with_text(old, str(new["source"]))
    return type(old)(**{name: new.get(name, getattr(old, name)) for name in names_of_fields(type(old)) or ()})


def parse_assignment(text: str) -> Assignment:
    """Parse an assignment.

    Raises:
        SelectError: the text is no assignment.
    """
    start = len(text) - len(text.lstrip())
    steps: tuple[Step, ...] = ()
    inner: tuple[Step, ...] = ()
    member = MEMBER.match(text, start)
    if member is not None:
        name, end = member[0], member.end()
        if name not in MEMBERS:
            raise SelectError(f"expected one of {', '.join(MEMBERS)}", text, start)
        if name in PARTS:
            path, end = read_path(text, start)
            name, inner = path.text, path.steps[1:]
    else:
        path, end = read_path(text, start)
        name, steps = path.text, path.steps
    rest = text[end:].lstrip()
    if not rest.startswith("="):
        raise SelectError("expected '=' after the path", text, end)
    value = rest[1:].strip()
    if not value:
        raise SelectError("expected a value after '='", text, len(text))
    at = len(text) - len(value)
    try:
        parsed = value_of(value)
    except RecursionError:
        raise SelectError("the value is nested too deep", text, at) from None
    except UnicodeError:
        raise SelectError("the value has half a character: a lone surrogate, or bytes that are no text", text, at) from None
    if name in PARTS and not is_like(parsed, PARTS[name][1]):
        raise SelectError(f"expected {PARTS[name][1]} after '='", text, len(text) - len(rest) + 1)
    return Assignment(name, steps, parsed, inner)


def value_of(text: str) -> object:
    """Return the value of a JSON text; for any other text, the text itself.

    Raises:
        UnicodeError: it has a lone surrogate.
        RecursionError: it is nested too deep.
    """
    value: object
    try:
        value = json.loads(text, parse_float=finite, parse_constant=finite)
    except ValueError:
        value = text
    json.dumps(value, ensure_ascii=False).encode()
    return value


def finite(text: str) -> float:
    """Parse a finite number.

    Raises:
        ValueError: it is infinite or NaN.
    """
    number = float(text)
    if not isfinite(number):
        raise ValueError(text)
    return number


def is_like(value: object, names: str) -> bool:
    """Return whether a value is a list of as many numbers as there are names."""
    return (
        isinstance(value, list)
        and len(value) == names.count(",") + 1
        and all(isinstance(part, (int, float)) and not isinstance(part, bool) for part in value)
    )


def converted(old: object, new: object) -> object:
    """Return `new` with the type of `old`; NaN, infinities, None and what is empty may only stay, as JSON has them.

    Raises:
        EditError: it does not fit.
    """
    if isinstance(old, bool) == isinstance(new, bool):  # a bool of Python is an int
        if isinstance(old, (float, dict, type(None))) and new == to_jsonable(old):
            return old
        for old_type, new_type, convert in CONVERSIONS:
            if isinstance(old, old_type) and isinstance(new, new_type):
                return convert(old, new)
    raise unlike(old, new)


def unlike(old: object, new: object) -> EditError:
    """Return the error for a value that is not like the old one."""
    return EditError("another kind of value", new, f"one like {shown_value(old)}")


def float_of(new: float) -> float:
    """Return a number as a float.

    Raises:
        EditError: it is too large.
    """
    try:
        return float(new)
    except OverflowError:
        raise EditError("out of range", new, "a float") from None


def numbers_of(
    old: tuple[object, ...], new: list[object], convert: Callable[[object, object], object] = converted
) -> tuple[object, ...]:
    """Return as many values as there are, such as the numbers of a place.

    Raises:
        EditError: they do not fit.
    """
    if len(old) != len(new):
        raise EditError("wrong number of elements", len(new), f"{len(old)}")
    return tuple(map(convert, old, new))


def reference_to(old: ObjectReference, path_name: str) -> ObjectReference:
    """Return a reference to another object in the level of the old one, to an asset, or to nothing; the last two have no level.

    Raises:
        EditError: it is to an object, and the old one has no level.
    """
    if not path_name or path_name.startswith("/"):
        return ObjectReference("", path_name)
    if not old.level_name:
        raise EditError("a reference without a level", path_name, '{"level_name": "LEVEL", "path_name": "NAME"}')
    return ObjectReference(old.level_name, path_name)


#: The members of a reference with an object number.
REFERENCE: Final = frozenset({"level_name", "path_name", "index"})


def referring(new: object) -> object:
    """Return a value of JSON with the references in it, for a list that has no element whose type it could get."""
    if isinstance(new, list):
        return [referring(part) for part in new]
    if not isinstance(new, dict):
        return new
    level, path = new.get("level_name"), new.get("path_name")
    if new.keys() | {"index"} == REFERENCE and isinstance(level, str) and isinstance(path, str):
        return ObjectReference(level, path)
    return {name: referring(part) for name, part in new.items()}


def with_text(old: Text, new: str) -> Text:
    """Return a localised text with another text.

    Raises:
        EditError: it has arguments.
    """
    for name in ("source", "culture_invariant"):
        if name in old.fields:
            return Text(old.flags, old.history, new, {**old.fields, name: new})
    raise unlike(old, new)


def with_members(old: object, new: dict[str, object]) -> object:
    """Return a value of a class with some other fields.

    Raises:
        EditError: it has no such fields, or they do not fit.
    """
    names = names_of_fields(type(old))
    if not names or not new.keys() <= set(names):
        raise unlike(old, new)
    return with_fields(old, {name: converted(getattr(old, name), part) for name, part in new.items()})


def data_of(old: bytes | Opaque, new: dict[str, object]) -> bytes | Opaque:
    """Return the bytes that JSON shows as Base64.

    Raises:
        EditError: `new` is not of that form.
    """
    text, members = new.get("base64"), json_step(old)
    if not isinstance(text, str) or not isinstance(members, dict) or members | {"base64": text} != new:
        raise EditError("no such bytes", new, "those of the save, with another text in base64")
    try:
        data = b64decode(text, validate=True)
    except ValueError:
        raise EditError("no Base64", text) from None
    return Opaque(data, old.reason) if isinstance(old, Opaque) else data


def moment_of(text: str) -> DateTime:
    """Parse a moment: `2022-09-28T22:13:20`, with up to seven decimals.

    Raises:
        EditError: the text is no moment.
    """
    found = MOMENT.fullmatch(text)
    if found is not None:
        with suppress(ValueError):
            seconds = (datetime.fromisoformat(found[1]) - datetime(1, 1, 1)) // timedelta(seconds=1)  # noqa: DTZ001 - it has no zone
            return DateTime(seconds * TICKS_PER_SECOND + int((found[2] or "").ljust(DECIMALS, "0")))
    raise EditError("no moment", text, "one like 2022-09-28T22:13:20")


def guid_of(text: str) -> Guid:
    """Parse a GUID in the form that `str` of a `Guid` has.

    Raises:
        EditError: the text is no GUID.
    """
    try:
        data = bytes.fromhex(text.replace("-", ""))
    except ValueError:
        data = b""
    if len(data) != GUID_SIZE:
        raise EditError("no GUID", text)
    return Guid(b"".join([data[at : at + 4][::-1] for at in range(0, GUID_SIZE, 4)]))


Types: TypeAlias = "type | tuple[type, ...]"
#: Type of the old value, type of the new one, conversion; the first row that fits counts.
CONVERSIONS: Final[tuple[tuple[Types, Types, Callable[[Any, Any], object]], ...]] = (
    ((int, str, Guid), dict, lambda old, new: converted(old, new[str(old)]) if str(old) in new else old),
    (float, (int, float), lambda _, new: float_of(new)),
    (int, int, lambda _, new: new),
    (str, str, lambda _, new: new),
    (list, list, lambda old, new: [converted(old[0], part) for part in new] if old else referring(new)),
    (tuple, list, numbers_of),
    (ObjectReference, str, reference_to),
    (Guid, str, lambda _, new: guid_of(new)),
    (DateTime, str, lambda _, new: moment_of(new)),
    ((DateTime, Timespan), int, lambda old, new: type(old)(new)),
    (Text, str, with_text),
    ((bytes, Opaque), dict, data_of),
    (object, dict, with_members),
)
