"""The search through the values of an object, for `grep`.

A small value is built whole and searched as Python values; a bigger one is walked event by event, in constant memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

from attrs import frozen

from streamsave.cli.text import show
from streamsave.errors import PathStep
from streamsave.events import Field, ObjectEnd, ObjectHeader, PropertyTag, StructEnter, StructExit
from streamsave.stream.stream import EventStream
from streamsave.values import DynamicStruct, InventoryItem, Text

__all__ = ["Found", "Predicate", "find_objects", "find_values"]

#: Values of more bytes are walked, not built.
LARGEST_BUILT: Final = 256 * 1024
#: Characters of a value that a pattern is matched against.
LONGEST_TEXT: Final = 64 * 1024

#: Values with named values inside.
NESTING: Final = (DynamicStruct, InventoryItem, Text)


@frozen
class Found:
    """A value in an object, and its path from the object."""

    path: tuple[PathStep, ...]
    value: object
    #: Size in bytes of a value that is too large to build; then `value` is None.
    size: int | None = None


Predicate: TypeAlias = Callable[[str], bool]


def find_values(events: EventStream, named: Predicate | None, says: Predicate | None) -> Iterator[Found | ObjectHeader]:
    """Search the object whose header is the stream's last event, up to its end, or to where the caller stops.

    Args:
        events: the stream.
        named: whether a name is wanted; all, if None.
        says: whether the text of a value is wanted. If None, each field with a wanted name is found, with all that is in it;
            otherwise the innermost values with such a text that are, or are in, a field with a wanted name.

    Yields:
        What was found, and the header of each object in the object. The caller goes to the end of such an object before it asks
        for more.
    """
    #: The open nestings, and how many of them are around the innermost wanted name.
    path: list[PathStep] = []
    wanted_below = 0 if named is None else -1
    tag: PropertyTag | None = None
    for event in events:
        if isinstance(event, ObjectEnd):
            return
        if isinstance(event, ObjectHeader):
            yield event
        elif isinstance(event, StructExit):
            path.pop()
            if named is not None and len(path) < wanted_below:
                wanted_below = -1
        elif isinstance(event, StructEnter):
            of_tag = tag is not None and event.offset == tag.value_offset
            path.append(_step(event))
            is_wanted = event.index < 0 and named is not None and bool(event.name) and named(event.name)
            if is_wanted and says is None and not of_tag:
                yield Found(tuple(path), None, max(event.size, 0))
            if is_wanted and wanted_below < 0:
                wanted_below = len(path)
        elif isinstance(event, (PropertyTag, Field)):
            tag = event if isinstance(event, PropertyTag) else None
            is_element = tag is None and event.index >= 0  # it has the name of the container
            is_wanted = named is None or (not is_element and named(event.name))
            if not is_wanted and (says is None or wanted_below < 0):
                continue
            yield from _search(events, event, (*path, *_steps(event)), says)


def find_objects(events: EventStream) -> Iterator[ObjectHeader]:
    """Yield the headers of the objects in the object whose header is the stream's last event, as `find_values` does."""
    for event in events:
        if isinstance(event, ObjectEnd):
            return
        if isinstance(event, ObjectHeader):
            yield event


def _search(
    events: EventStream, event: PropertyTag | Field, path: tuple[PathStep, ...], says: Predicate | None
) -> Iterator[Found]:
    """Yield what is found in the value of one field, if it is small enough to build."""
    if event.size > LARGEST_BUILT:
        if says is None:
            yield Found(path, None, event.size)
        return
    value = events.build()
    if says is None:
        yield Found(path, value)
        return
    for where, leaf in _leaves(path, value):
        if says(show(leaf, LONGEST_TEXT)):
            yield Found(where, leaf)


def _step(event: StructEnter) -> PathStep:
    return event.index if event.index >= 0 else event.name


def _steps(event: PropertyTag | Field) -> tuple[PathStep, ...]:
    if isinstance(event, PropertyTag):
        return (event.name, event.index) if event.index else (event.name,)
    return (event.index,) if event.index >= 0 else (event.name,)


def _leaves(path: tuple[PathStep, ...], value: object) -> Iterator[tuple[tuple[PathStep, ...], object]]:
    """Yield path and value of the innermost values."""
    waiting = [(path, value)]
    while waiting:
        where, part = waiting.pop()
        members: Iterable[tuple[PathStep, object]]
        if isinstance(part, dict):
            members = part.items()
        elif isinstance(part, tuple) and len(part) == 2:  # of a map
            members = zip(("key", "value"), part, strict=True)
        elif isinstance(part, (list, tuple)):
            members = enumerate(part)
        elif isinstance(part, NESTING):
            members = [(name, getattr(part, name)) for name in type(part).__match_args__]
        else:
            yield where, part
            continue
        waiting.extend(reversed([((*where, step), member) for step, member in members]))
