"""An object in both saves, and what differs in it, or in two built values: a path, and the JSON text of both parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from streamsave.consume.selected_object import header_values
from streamsave.decode.json_values import json_step
from streamsave.decode.leaves import BYTES, Key, Step, key_of, split_name
from streamsave.events import STORED_MEMBERS, ObjectHeader
from streamsave.output.flat_text import path_text
from streamsave.output.json_text import value_bytes
from streamsave.values import ObjectReference, Opaque, Quat, Rotator, Vector

__all__ = [
    "KNOWN_BY",
    "LOOSE",
    "Pair",
    "Report",
    "ValueDifference",
    "header_differences",
    "header_members",
    "text_of",
    "value_differences",
]

#: What an object is known by; and the paths of the flags that not all saves store.
KNOWN_BY: Final = frozenset(("class_name", "instance_name", "level"))
FLAGS: Final = [f"@{name}" for name in STORED_MEMBERS]
#: Where, and both values as JSON; None: there is none.
ValueDifference: TypeAlias = "tuple[tuple[Step, ...], str | None, str | None]"

#: Entries of a map by their keys, as text or, of keys with parts, as JSON: the steps to the value, it, and what is shown of an
#: entry that only one map has.
Keyed: TypeAlias = "dict[str | bytes, tuple[tuple[Step, ...], object, object]]"

#: Values that JSON has as they are, or that are shown whole.
AS_THEY_ARE: Final = (str, int, float, type(None), dict, list, ObjectReference)
#: Types of which two equal values are one in JSON, too, or two zeros.
COMPARABLE: Final = frozenset((str, int, float, bool, type(None), ObjectReference, Vector, Rotator, Quat))
NUMBERS: Final = frozenset((int, float))
#: Most pairs of elements that are compared to find the longest runs that two lists share.
MOST_PAIRS: Final = 1 << 20
#: Elements of a list that are compared one by one; a longer one is first compared as a whole.
SHORT: Final = 64
#: More differences than there may be.
UNLIMITED: Final = 1 << 60


def text_of(value: object) -> str:
    """Return a value as JSON text; a reference is the path of its target."""
    return value_bytes(value.path_name if isinstance(value, ObjectReference) else value).decode("utf-8")


def value_differences(
    path: tuple[Step, ...], old: object, new: object, first: int = 0, most: int | None = None
) -> list[ValueDifference]:
    """Return each innermost difference of two values.

    Elements of maps belong together by their key, of lists by the runs that both have in common.

    Args:
        path: of both.
        old: the old value.
        new: the new one.
        first: the index of the first element of two lists.
        most: stop when there are more elements that differ; None: find all.
    """
    found: list[ValueDifference] = []
    _add(found, path, old, new, first, UNLIMITED if most is None else most)
    return found


def _add(
    found: list[ValueDifference], path: tuple[Step, ...], old: object, new: object, first: int = 0, most: int = UNLIMITED
) -> None:
    """Add the differences of two values to those that were found."""
    if _is_same(old, new):
        return
    old, new = _opened(old), _opened(new)
    if isinstance(old, dict) and isinstance(new, dict):
        _add_members(found, path, old, new)
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) > SHORT and value_bytes(old) == value_bytes(new):
            return
        keyed_old, keyed_new = _keyed(old, first), _keyed(new, first)
        if keyed_old is not None and keyed_new is not None:
            _add_entries(found, path, keyed_old, keyed_new)
        else:
            _add_elements(found, path, old, new, first, most)
    else:
        if isinstance(old, ObjectReference) and isinstance(new, ObjectReference) and old.path_name != new.path_name:
            old, new = old.path_name, new.path_name  # references to one path in two levels are shown whole
        before, after = value_bytes(old).decode("utf-8"), value_bytes(new).decode("utf-8")
        if before != after:
            found.append((path, before, after))


def _is_same(old: object, new: object) -> bool:
    """Return whether two values are certainly the same. A number may be stored as an integer and as a float."""
    kind, other = type(old), type(new)
    if kind is other:
        return kind in COMPARABLE and old == new
    return kind in NUMBERS and other in NUMBERS and old == new


def _opened(value: object) -> object:
    """Return a value as dict or list if it has members."""
    if isinstance(value, tuple):
        return list(value)
    stepped = value if isinstance(value, AS_THEY_ARE) else json_step(value)
    if isinstance(value, Opaque) and isinstance(stepped, dict) and "zeros" in stepped:  # as `cat --flat` has padding
        return {BYTES: len(value.data)}
    return stepped


def _keyed(entries: list[object], first: int) -> Keyed | None:
    """Return the entries of a map by their keys; None of a list, or if keys repeat."""
    keyed: Keyed = {}
    for index, entry in enumerate(entries):
        if not isinstance(entry, tuple) or len(entry) != 2:
            return None
        key, value = entry
        text = key_of(key)
        known = value_bytes(key) if text is None else text
        if known in keyed:
            return None
        keyed[known] = ((first + index, "value"), value, entry) if text is None else ((Key(text),), value, value)
    return keyed


def _entry(element: object) -> object:
    """Return an entry of a map with the names of its parts in a path; any other element as it is."""
    return {"key": element[0], "value": element[1]} if isinstance(element, tuple) and len(element) == 2 else element


def _add_entries(found: list[ValueDifference], path: tuple[Step, ...], old: Keyed, new: Keyed) -> None:
    come = {steps: shown for key, (steps, _, shown) in new.items() if key not in old}
    for key, (steps, value, shown) in old.items():
        if key in new:
            if not _is_same(value, new[key][1]):
                _add(found, (*path, *new[key][0]), value, new[key][1])
            continue
        before, after = _entry(shown), _entry(come.get(steps))
        if isinstance(before, dict) and isinstance(after, dict) and value_bytes(before["value"]) == value_bytes(after["value"]):
            del come[steps]
            _add(found, (*path, steps[0]), before, after)  # its key alone has changed
        else:
            found.append(((*path, steps[0]), text_of(shown), None))
    found += [((*path, steps[0]), None, text_of(shown)) for steps, shown in come.items()]


def _add_members(found: list[ValueDifference], path: tuple[Step, ...], old: dict[str, object], new: dict[str, object]) -> None:
    for name, member in old.items():
        if name not in new:
            found.append(((*path, *split_name(name)), text_of(member), None))
        elif not _is_same(member, new[name]):
            _add(found, (*path, *split_name(name)), member, new[name])
    for name, member in new.items():
        if name not in old:
            found.append(((*path, *split_name(name)), None, text_of(member)))


def _add_elements(
    found: list[ValueDifference], path: tuple[Step, ...], old: list[object], new: list[object], first: int, most: int
) -> None:
    runs = [("replace", 0, len(old), 0, len(new))]
    if len(old) != len(new):
        runs = _runs([*map(value_bytes, old)], [*map(value_bytes, new)])
    for tag, old_start, old_end, new_start, new_end in runs:
        if tag == "equal":
            continue
        pairs = min(old_end - old_start, new_end - new_start)
        for index in range(pairs):
            before, after = _entry(old[old_start + index]), _entry(new[new_start + index])
            if not _is_same(before, after):
                _add(found, (*path, first + new_start + index), before, after)
                if len(found) > most:
                    return
        found += [((*path, first + index), text_of(old[index]), None) for index in range(old_start + pairs, old_end)]
        found += [((*path, first + index), None, text_of(new[index])) for index in range(new_start + pairs, new_end)]


def _runs(old: list[bytes], new: list[bytes]) -> list[tuple[str, int, int, int, int]]:
    """Return what became of each run of elements, as `difflib` has it; of very long lists, only start and end are compared."""
    start = _shared_count(old, new)
    end = _shared_count(old[start:][::-1], new[start:][::-1])
    middle_old, middle_new = old[start : len(old) - end], new[start : len(new) - end]
    if len(middle_old) * len(middle_new) > MOST_PAIRS or not middle_old or not middle_new:
        return [("replace", start, len(old) - end, start, len(new) - end)]
    from difflib import SequenceMatcher  # noqa: PLC0415 - few lists need it

    matcher = SequenceMatcher(None, middle_old, middle_new, autojunk=False)
    return [(tag, start + one, start + two, start + three, start + four) for tag, one, two, three, four in matcher.get_opcodes()]


def _shared_count(old: list[bytes], new: list[bytes]) -> int:
    """Return how many elements two lists begin with alike."""
    differs = (at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other)
    return next(differs, min(len(old), len(new)))


class Pair:
    """An object in both saves, or in one of them; or no object: values that are in none.

    Attributes:
        old: the object in the old save.
        new: in the new one.
        key: what the values in it are known by, besides their paths, if they are items.
    """

    def __init__(self, old: ObjectHeader | None, new: ObjectHeader | None, key: int = 0) -> None:
        self.old = old
        self.new = new
        self.key: Final = key
        #: A summary has it already: differences of the objects inside may come between those of its own.
        self.is_summed = False


#: In place of an object, for values that are in none.
LOOSE: Final = Pair(None, None)

#: Takes a difference: the object, the path in it, and the values as JSON. "": the object itself was added or removed.
Report = Callable[[Pair, str, str | None, str | None], None]


def header_members(header: ObjectHeader) -> dict[str, object]:
    """Return what the header of an object says, besides what it is known by. Flags that its save does not store are false."""
    values = header_values(header)
    return {name: values.get(name, False) for name in (*values, *FLAGS) if name.removeprefix("@") not in KNOWN_BY}


def header_differences(old: ObjectHeader, new: ObjectHeader) -> list[tuple[str, str | None, str | None]]:
    """Return what differs between the headers of two objects: path, and both values as JSON."""
    members, others = header_members(old), header_members(new)
    if old.transform is None or new.transform is None:  # then the place says it all
        for each in (members, others):
            each.pop("@rotation", None)
            each.pop("@scale", None)
    return [(path_text(path), one, other) for path, one, other in value_differences((), members, others)]
