"""`PATH = VALUE`: which values of an object become others.

PATH is a property path (`streamsave.decode.paths`), or the end of one. VALUE is JSON; what is no
JSON, such as `NaN`, is text. It has to fit what is there:

| there is | VALUE |
|---|---|
| a bool, a number, a text | the same |
| a reference to an object | the path name of the target |
| a GUID | as it is printed |
| a moment | `"2022-09-28T22:13:20"`, with up to seven decimals; or ticks |
| a duration | ticks |
| a localised text without arguments | text |
| a class with fields: a vector, a colour | an object with some of its fields |
| a list | a list |
| a text, an integer, a GUID | an object: `{"old": "new", ...}` says what becomes of each; others stay |

A path that starts with `@` is a member of the object's header, if the save has headers of objects: `@position = [x, y, z]` moves
it; the others are `@instance_name`, `@class_name`, `@level`, `@outer` and `@flags`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from datetime import datetime
from math import isfinite
from typing import Final, NamedTuple

from streamsave._fields import names_of_fields
from streamsave.consume.stream import EventStream
from streamsave.consume.values import Part, Walk, leaves
from streamsave.decode.leaves import Key, is_key
from streamsave.decode.leaves import Step as WholeStep
from streamsave.decode.paths import Each, Step, read_path
from streamsave.errors import EditError, PathStep, SelectError, shown_value
from streamsave.events import ObjectEnd, ObjectHeader
from streamsave.values import DateTime, Guid, ObjectReference, Text, Timespan, Transform

__all__ = ["DROP", "MISSING", "RELINK", "SET", "UNLINK", "Assignment", "Change", "find_tails", "parse_assignment", "starts_of"]


#: `Change.verb`.
DROP: Final = "drop"
SET: Final = "set"
UNLINK: Final = "unlink"
#: References in a value, or in a header, have the new names of objects.
RELINK: Final = "relink"
#: No change: an object that was chosen has no value at the path.
MISSING: Final = "no such value"


class Change(NamedTuple):
    """One object that is dropped, or one value that becomes another: what was assigned, or one without a reference."""

    verb: str
    class_name: str
    instance_name: str
    path: str = ""
    old: object = None
    new: object = None


#: Paths that an error lists.
MOST_LISTED: Final = 10


def starts_of(path: tuple[WholeStep, ...], steps: tuple[Step, ...]) -> list[int]:
    """Return where steps begin in the path of a leaf, from the object on, but at its start."""
    starts = range(1, len(path) - len(steps) + 1)
    return [start for start in starts if all(_leads(step, path[start + number]) for number, step in enumerate(steps))]


def _leads(step: Step, into: WholeStep) -> bool:
    return isinstance(into, int) if isinstance(step, Each) else step == into


def find_tails(
    events: EventStream, assignments: Sequence[Assignment], active: Callable[[ObjectHeader], Sequence[int]]
) -> dict[tuple[int, int], Assignment]:
    """Return assignments with whole paths, by the key of the object and the number of the assignment that has only the end.

    Args:
        events: of the save; nothing was read yet.
        assignments: all.
        active: returns the numbers of those that may have an end in an object.

    Raises:
        EditError: several paths in an object end so.
        SaveError: the save is damaged.
    """
    found: dict[tuple[int, int], Assignment] = {}
    #: Of each open object, its key, and the steps before the end of each assignment that has no whole path there.
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
            for path, _ in leaves(step) if ends else ():
                inner = path[step.base :]
                for number, before in ends.items():
                    if len(before) <= MOST_LISTED:
                        for start in starts_of(inner, assignments[number].steps):
                            before[inner[:start]] = None
    return found


def _whole(assignment: Assignment, before: Sequence[tuple[WholeStep, ...]]) -> Assignment:
    """Return an assignment with the steps before its own.

    Raises:
        EditError: there are several.
    """
    from streamsave.output.flat_text import path_text  # noqa: PLC0415 - needs orjson, and only commands assign

    paths = [f"{path_text(steps)}/{assignment.text.removeprefix('.')}" for steps in before]
    if len(paths) > 1:
        listed = ", ".join(paths[:MOST_LISTED]) + (", ..." if len(paths) > MOST_LISTED else "")
        raise EditError(f"several paths end in {assignment.text}; give one of {listed}")
    return Assignment(paths[0], (*before[0], *assignment.steps), assignment.value)


GUID_SIZE: Final = 16
MOMENT: Final = re.compile(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?:\.(\d{1,7}))?", re.ASCII)
TICKS_PER_SECOND: Final = 10_000_000
DECIMALS: Final = 7
#: What members of an object's header are called, and their names in `ObjectHeader`; the place is in its transform.
POSITION: Final = "@position"
MEMBERS: Final = {
    POSITION: "transform",
    "@instance_name": "instance_name",
    "@class_name": "class_name",
    "@level": "level",
    "@outer": "outer",
    "@flags": "flags",
}
MEMBER: Final = re.compile("@[a-z_]*")


class Assignment:
    """A path and what its value becomes."""

    def __init__(self, text: str, steps: tuple[Step, ...], value: object) -> None:
        self.text = text
        self.steps = steps
        self.value = value
        #: What `ObjectHeader` calls it, if it is in the header of the object, else "".
        self.member = MEMBERS.get(text, "")
        #: A step names a key of a map.
        self.has_keys = any(isinstance(step, Key) for step in steps)

    def change(self, header: ObjectHeader, name: str, old: object, new: object) -> Change:
        """Return what this has changed in an object, in an event of a name."""
        return Change(SET, header.class_name, header.instance_name, self.text, old, new)

    def of_header(self, header: ObjectHeader) -> tuple[object, object]:
        """Return the member of a header that this is about, and what it becomes.

        Raises:
            EditError: it has no such member, or what is assigned does not fit.
        """
        if self.text != POSITION:
            old = getattr(header, self.member)
            return old, converted(old, self.value)
        transform = header.transform
        if transform is None:
            raise EditError("its header has no place: set its values")
        try:
            x, y, z = [float(number) for number in self.value] if isinstance(self.value, list) else transform.translation
        except OverflowError:
            raise EditError("out of range", self.value, "floats") from None
        return transform, Transform(transform.rotation, (x, y, z), transform.scale)

    def count(self, old: object, new: object) -> int:
        """Return how many values were set or taken out when a value became another, or stayed as it was."""
        return 1

    def match(self, place: Sequence[PathStep], keys: dict[tuple[PathStep, ...], object]) -> tuple[Step, ...] | None:
        """Return the steps that are left at a place in an object; None if the path does not lead there.

        Args:
            place: names and positions from the object on.
            keys: the keys of open maps, by the place of the entry.
        """
        if self.member:
            return None
        at = 0
        skips = False
        for number, part in enumerate(place):
            if skips:
                skips = False
                if part != "value":
                    return None
                continue
            if at >= len(self.steps):
                return None
            step = self.steps[at]
            if isinstance(step, Key):
                if not isinstance(part, int) or not is_key(keys.get(tuple(place[: number + 1])), step.text):
                    return None
                skips = True
            elif isinstance(step, Each):
                if not isinstance(part, int):
                    return None
            elif step != part:
                return None
            at += 1
        return self.steps[at:]

    def applied(self, old: object, rest: tuple[Step, ...]) -> object:
        """Return what a value becomes whose part at `rest` is assigned.

        Raises:
            EditError: there is no such part, or what is assigned does not fit there.
        """
        if not rest:
            return converted(old, self.value)
        step, inner = rest[0], rest[1:]
        if isinstance(step, str):
            names = names_of_fields(type(old)) or ()
            field = next((name for name in names if name in {step, step.lower()}), None)
            if isinstance(old, dict) and step in old:
                return {**old, step: self.applied(old[step], inner)}
            if field is None:
                raise EditError(f"there is no {step}")
            values = {name: getattr(old, name) for name in names}
            values[field] = self.applied(values[field], inner)
            return type(old)(**values)
        if not isinstance(old, list):
            raise EditError("it has no elements")
        if isinstance(step, Key):
            is_named = [isinstance(entry, tuple) and is_key(entry[0], step.text) for entry in old]
            if True not in is_named:
                raise EditError(f"it has no key {step.text}")
            parts = zip(old, is_named, strict=True)
            return [(entry[0], self.applied(entry[1], inner)) if named else entry for entry, named in parts]
        if isinstance(step, int) and step >= len(old):
            raise EditError(f"it has {len(old)} elements")
        return [self.applied(part, inner) if isinstance(step, Each) or step == place else part for place, part in enumerate(old)]


def parse_assignment(text: str) -> Assignment:
    """Return the assignment that a text says.

    Raises:
        SelectError: it is none.
    """
    start = len(text) - len(text.lstrip())
    steps: tuple[Step, ...] = ()
    member = MEMBER.match(text, start)
    if member is not None:
        name, end = member[0], member.end()
        if name not in MEMBERS:
            raise SelectError(f"expected one of {', '.join(MEMBERS)}", text, start)
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
    if name == POSITION and not is_place(parsed):
        raise SelectError("expected [x, y, z] after '='", text, len(text) - len(rest) + 1)
    return Assignment(name, steps, parsed)


def value_of(text: str) -> object:
    """Return the value that JSON says, or the text itself.

    Raises:
        UnicodeError: a text in it has a surrogate that is no pair with another one.
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
    """Return a number of JSON.

    Raises:
        ValueError: it is infinite, or no number.
    """
    number = float(text)
    if not isfinite(number):
        raise ValueError(text)
    return number


def is_place(value: object) -> bool:
    """Return whether a value is a place: three numbers."""
    is_number = (
        [isinstance(part, (int, float)) and not isinstance(part, bool) for part in value] if isinstance(value, list) else []
    )
    return is_number == [True] * 3


def converted(old: object, new: object) -> object:
    """Return a value of the type of another one.

    Raises:
        EditError: it does not fit.
    """
    if isinstance(new, dict) and isinstance(old, (int, str, Guid)) and not isinstance(old, bool):
        return converted(old, new[str(old)]) if str(old) in new else old
    if isinstance(old, bool) or isinstance(new, bool):
        fits = isinstance(old, bool) and isinstance(new, bool)
    elif isinstance(old, float):
        fits = isinstance(new, (int, float))
        try:
            new = float(new) if isinstance(new, int) else new
        except OverflowError:
            raise EditError("out of range", new, "a float") from None
    elif isinstance(old, (int, str)):
        fits = isinstance(new, int if isinstance(old, int) else str)
    elif isinstance(old, list):
        fits = isinstance(new, list)
        if isinstance(new, list) and old:
            new = [converted(old[0], part) for part in new]
    else:
        return converted_class(old, new)
    if not fits:
        raise EditError("another kind of value", new, f"one like {shown_value(old)}")
    return new


def converted_class(old: object, new: object) -> object:
    """Return what a value of a class becomes, see `converted`."""
    if isinstance(old, ObjectReference) and isinstance(new, str):
        return ObjectReference(old.level_name, new)
    if isinstance(old, Guid) and isinstance(new, str):
        return guid_of(new)
    if isinstance(old, DateTime) and isinstance(new, str):
        return moment_of(new)
    if isinstance(old, (DateTime, Timespan)) and isinstance(new, int):
        return type(old)(new)
    if isinstance(old, Text) and isinstance(new, str):
        for name in ("source", "culture_invariant"):
            if name in old.fields:
                return Text(old.flags, old.history, new, {**old.fields, name: new})
    names = names_of_fields(type(old)) or ()
    if names and isinstance(new, dict) and new.keys() <= set(names):
        values = {name: getattr(old, name) for name in names}
        return type(old)(**values | {name: converted(values[name], part) for name, part in new.items()})
    raise EditError("another kind of value", new, f"one like {shown_value(old)}")


def moment_of(text: str) -> DateTime:
    """Return the moment that a text says as JSON has it.

    Raises:
        EditError: it is none.
    """
    found = MOMENT.fullmatch(text)
    try:
        moment = None if found is None else datetime.fromisoformat(found[1])
    except ValueError:
        moment = None
    if found is None or moment is None:
        raise EditError("no moment", text, "one like 2022-09-28T22:13:20")
    since = moment - datetime(1, 1, 1)  # noqa: DTZ001 - the save states no zone
    seconds = since.days * 86_400 + since.seconds
    return DateTime(seconds * TICKS_PER_SECOND + int((found[2] or "").ljust(DECIMALS, "0")))


def guid_of(text: str) -> Guid:
    """Return the GUID that a text says as `str` of one does.

    Raises:
        EditError: it is none.
    """
    digits = text.replace("-", "")
    try:
        data = bytes.fromhex(digits)
    except ValueError:
        data = b""
    if len(data) != GUID_SIZE:
        raise EditError("no GUID", text)
    return Guid(b"".join([data[at : at + 4][::-1] for at in range(0, GUID_SIZE, 4)]))
