"""What differs between two built values: a path, and the JSON text of both parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from streamsave.errors import PathStep
from streamsave.output.json_text import value_bytes
from streamsave.output.json_values import json_step
from streamsave.values import ObjectReference

__all__ = ["ValueDifference", "by_key", "text_of", "value_differences"]

#: Where, and both values as JSON; None: there is none.
ValueDifference: TypeAlias = tuple[tuple[PathStep, ...], str | None, str | None]

#: Values that JSON has as they are.
PLAIN = (str, int, float, type(None))
#: An entry of a map is a key and a value.
PAIR = 2


def text_of(value: object) -> str:
    """Return a value as JSON text; a reference is the path of its target."""
    return value_bytes(value.path_name if isinstance(value, ObjectReference) else value).decode("utf-8")


def by_key(value: object, type_name: str) -> object:
    """Return a map or set with its elements under their keys, so that one more does not move the others; others as they are."""
    if isinstance(value, list):
        if type_name == "MapProperty" and all(isinstance(entry, tuple) and len(entry) == PAIR for entry in value):
            keyed = {_key_text(key): member for key, member in value}
            return keyed if len(keyed) == len(value) else value
        if type_name == "SetProperty":
            members = {_key_text(member): member for member in value}
            return members if len(members) == len(value) else value
    return value


def _key_text(key: object) -> str:
    if isinstance(key, ObjectReference):
        return key.path_name
    return key if isinstance(key, str) else text_of(key)


def value_differences(path: tuple[PathStep, ...], old: object, new: object) -> Iterator[ValueDifference]:
    """Yield each innermost difference of two values. Equal lists at the start and the end of two lists are passed over."""
    if value_bytes(old) == value_bytes(new):
        return
    shown_old, shown_new = _opened(old), _opened(new)
    if isinstance(shown_old, dict) and isinstance(shown_new, dict):
        for name, member in shown_old.items():
            if name in shown_new:
                yield from value_differences((*path, name), member, shown_new[name])
            else:
                yield (*path, name), text_of(member), None
        for name, member in shown_new.items():
            if name not in shown_old:
                yield (*path, name), None, text_of(member)
    elif isinstance(shown_old, list) and isinstance(shown_new, list):
        yield from _list_differences(path, shown_old, shown_new)
    elif isinstance(old, ObjectReference) and isinstance(new, ObjectReference) and old.path_name != new.path_name:
        yield path, text_of(old), text_of(new)
    else:
        yield path, value_bytes(old).decode("utf-8"), value_bytes(new).decode("utf-8")


def _opened(value: object) -> object:
    """Return a value as dict or list if it has members."""
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, (*PLAIN, dict, list, ObjectReference)):
        return value
    return json_step(value)


def _list_differences(path: tuple[PathStep, ...], old: list[object], new: list[object]) -> Iterator[ValueDifference]:
    if len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from value_differences((*path, index), before, after)
        return
    old_texts, new_texts = [value_bytes(member) for member in old], [value_bytes(member) for member in new]
    shorter = min(len(old), len(new))
    start = 0
    while start < shorter and old_texts[start] == new_texts[start]:
        start += 1
    end = 0
    while end < shorter - start and old_texts[-1 - end] == new_texts[-1 - end]:
        end += 1
    for index in range(start, len(old) - end):
        yield (*path, index), text_of(old[index]), None
    for index in range(start, len(new) - end):
        yield (*path, index), None, text_of(new[index])
