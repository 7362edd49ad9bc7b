"""The objects of a save that selections want, with the fields that were asked for.

An object is whatever starts with an `ObjectHeader`: an actor or a component of Satisfactory, the one object of an Unreal save
game, an entry of an Arx save, an instance of Astroneer, an island, a building or the state of one in shapez 2. Some contain
others: a building is inside an island, a foundation of Satisfactory inside a subsystem. If the content of an object decides, or a
field is asked for, it comes at its end, after those inside it.

Of an object whose header decides, nothing else is read; of others, the members that the selections test. What contains objects
(a level's subsystem, an island) comes only if it matches itself.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import pairwise

from streamsave._log import warn
from streamsave._native import i64
from streamsave.consume.conditions import Selection
from streamsave.consume.selected_object import SelectedObject, select_object
from streamsave.consume.selection import HeaderFilter, Plan, Selector
from streamsave.decode.build import free_key
from streamsave.decode.reader import Selecting
from streamsave.errors import PathStep, SaveError
from streamsave.events import BlobSkip, Damage, Event, Field, ObjectEnd, ObjectHeader, PropertyTag, StructEnter, StructExit
from streamsave.stream.verbs import Verbs

__all__ = ["filter_of", "keys_of", "matches"]


class OpenObject:
    """An object whose members are read."""

    def __init__(
        self, header: ObjectHeader, path: tuple[PathStep, ...], verdicts: list[bool | None], depth: i64, *, holds: bool
    ) -> None:
        self.header = header
        self.path = path
        #: Those of its header.
        self.verdicts = verdicts
        #: How many nestings are open around its members.
        self.depth: i64 = depth
        #: There may be objects in it.
        self.holds = holds
        #: Something in it is lost: what tests of its content say is not certain.
        self.is_damaged = False
        self.properties: dict[str, object] = {}
        self.others: dict[str, object] = {}
        #: How often each of their names came, for `free_key`.
        self.property_repeats: dict[str, int] = {}
        self.other_repeats: dict[str, int] = {}

    def add(self, event: Event, name: str, value: object) -> None:
        """Add a member under the name that `build()` gives it."""
        if isinstance(event, PropertyTag):
            key = f"{name}[{event.index}]" if event.index else name
            self.properties[free_key(self.properties, self.property_repeats, key)] = value
        else:
            self.others[free_key(self.others, self.other_repeats, name)] = value

    def members(self) -> dict[str, object]:
        """Return the members by name. A property hides a field of the same name."""
        return self.others | self.properties if self.others else self.properties


def matches(events: Verbs, plan: Plan) -> Iterator[tuple[int, SelectedObject]]:
    """Yield the objects from here on that are wanted, each with the number of the selection that wants it.

    If the stream goes on after damage, so does this, and logs a warning at the end.

    Raises:
        SaveError: the bytes are damaged.
        LimitExceeded: a property is larger than `Limits` allows to build.
    """
    selector = Selector(events, plan)
    survives = events._survives()
    if not survives:
        events._ask_early(selector)
    #: The first loss, and how many there are.
    first_loss: SaveError | None = None
    losses = 0
    source = events.source_name
    has_matched = False
    #: The objects that are open; None for one that needs no member.
    opened: list[OpenObject | None] = []
    #: Streams that build members which contain objects, one for each depth of these: here, the events in them come.
    others: list[Verbs] = []
    depth: i64 = 0
    #: The last event is a tag, and its value comes as events.
    is_value = False
    for event in events:
        kind = type(event)
        if kind is PropertyTag or kind is Field or kind is StructEnter or kind is BlobSkip:
            assert isinstance(event, (PropertyTag, Field, StructEnter, BlobSkip))  # noqa: S101 - for the compiler
            around = opened[len(opened) - 1] if opened else None
            name = event.reason if isinstance(event, BlobSkip) else event.name
            leads = (
                (around is None or around.holds)
                and isinstance(event, (PropertyTag, StructEnter))
                and events._leads_to_objects(event)
            )
            wants = around is not None and around.depth == depth and not is_value and name in plan.roots
            value: object = None
            try:
                if wants and name not in plan.presence_only:
                    if leads:
                        while len(others) < len(opened):
                            others.append(events._again())
                        value = others[len(opened) - 1]._build_at(event)
                    else:
                        value = events.opaque(event) if isinstance(event, BlobSkip) else events.build()
                elif not leads and kind is not BlobSkip:
                    events._pass()
            except SaveError as error:
                if not survives:
                    raise
                wants = False
                first_loss = first_loss or error
                if around is not None:
                    around.is_damaged = True
            if wants and around is not None:
                around.add(event, name, value)
            is_value = leads and kind is PropertyTag
            if kind is StructEnter:
                depth += 1
            continue
        is_value = False
        header: ObjectHeader | None = None
        wanted_by: list[bool | None] = []
        members: dict[str, object] = {}
        path: tuple[PathStep, ...] = ()
        if isinstance(event, ObjectHeader):
            depth += 1
            header = event
            wanted_by = selector.verdicts(event)
            holds = events.holds_objects(event)
            # One that holds others comes after those in it, if it has a field or not.
            takes_fields = bool(plan.fields) and True in wanted_by and (holds or selector.may_have_fields(event))
            if plan.roots and (None in wanted_by or takes_fields):
                opened.append(OpenObject(event, events.path, wanted_by, depth, holds=holds))
                continue
            opened.append(None)
            if True in wanted_by:
                path = events.path
            if not holds:
                events._pass()
        elif isinstance(event, ObjectEnd):
            depth -= 1
            done = opened.pop() if opened else None
            if done is not None:
                header = done.header
                path = done.path
                members = done.members()
                wanted_by = done.verdicts
                if None in wanted_by and not done.is_damaged:
                    wanted_by = selector.wanting(header, members, wanted_by)
        elif kind is StructExit:
            depth -= 1
        elif isinstance(event, Damage):
            if not survives:
                raise event.error
            first_loss = first_loss or event.error
            losses += 1
            for each in opened:
                if each is not None:
                    each.is_damaged = True
        if header is not None and True in wanted_by:
            has_matched = True
            selected = select_object(header, members, plan.fields, source, path)
            for number, verdict in enumerate(wanted_by):
                if verdict:
                    yield number, selected
    if first_loss is not None:
        warn("what is damaged in a save is lost", save=source, losses=losses, error=str(first_loss))
    elif events._complete:
        selector.warn(has_matched=has_matched)


def filter_of(events: Verbs, where: str | Selection | Callable[[ObjectHeader], bool]) -> Selecting:
    """Return what lets only those objects of a stream come that a selection, or a function of their headers, wants.

    If the selection tests the content of objects, the save is read to its end by another stream.

    Raises:
        SelectError: the selection does not follow the grammar.
        SaveError: the bytes are damaged.
        LimitExceeded: a property is larger than `Limits` allows to build.
    """
    if callable(where):
        return HeaderFilter(where)
    plan = Plan([where])
    selector = Selector(events, plan)
    if not plan.content_tests:
        selector.needs_rest = True
        return selector
    keys = keys_of(events, plan)
    key_of = events._keys()

    def is_known(header: ObjectHeader) -> bool:
        key = key_of(header.offset)
        at = bisect_left(keys, key)
        return at < len(keys) and keys[at] == key

    return HeaderFilter(is_known, selector)


def keys_of(events: Verbs, plan: Plan) -> array[int]:
    """Return the sorted keys of all objects of a save that a selection wants, eight bytes each; another stream reads it.

    Raises:
        SaveError: the bytes are damaged.
        LimitExceeded: a property is larger than `Limits` allows to build.
    """
    first = events._again()
    keys = array("q")
    for _, found in matches(first, plan):
        keys.append(first._key_of(found.offset))
    # Objects that contain others end after them. Sorting takes 40 bytes for each key, so it is done only where it has to be.
    return keys if all(one <= other for one, other in pairwise(keys)) else array("q", sorted(keys))
