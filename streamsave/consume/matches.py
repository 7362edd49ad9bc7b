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

from streamsave.consume.conditions import Selection
from streamsave.consume.selected_object import SelectedObject, select_object
from streamsave.consume.selection import HeaderFilter, Plan, Selector
from streamsave.consume.values import Part, Walk
from streamsave.decode.build import free_key
from streamsave.decode.selecting import Selecting
from streamsave.events import Damage, ObjectEnd, ObjectHeader
from streamsave.stream.verbs import Verbs

__all__ = ["filter_of", "keys_of", "matches"]


class OpenObject:
    """An object whose members are read."""

    def __init__(self, header: ObjectHeader, verdicts: list[bool | None]) -> None:
        self.header = header
        #: Those of its header.
        self.verdicts = verdicts
        #: Its properties, and other members.
        self.properties: list[Part] = []
        self.others: list[Part] = []

    def members(self) -> dict[str, object]:
        """Return the members by name. A property hides a field of the same name."""
        return by_name(self.others) | by_name(self.properties) if self.others else by_name(self.properties)


def by_name(parts: list[Part]) -> dict[str, object]:
    """Return values under the names that `build()` gives them."""
    found: dict[str, object] = {}
    repeats: dict[str, int] = {}
    for part in parts:
        name = str(part.steps[0])
        if len(part.steps) > 1:
            name = f"{name}[{part.steps[1]}]"
        found[free_key(found, repeats, name)] = part.value
    return found


def matches(events: Verbs, plan: Plan) -> Iterator[tuple[int, SelectedObject]]:
    """Yield the objects from here on that are wanted, each with the number of the selection that wants it.

    Raises:
        SaveError: the bytes are damaged.
        LimitExceeded: a property is larger than `Limits` allows to build.
    """
    selector = Selector(events, plan)
    events._ask_early(selector)
    walk = Walk(events, loose=False, whole=True)
    #: The objects that are open; None for one that needs no member.
    opened: list[OpenObject | None] = []
    for step in walk:
        if isinstance(step, ObjectHeader):
            verdicts = selector.verdicts(step)
            takes_fields = bool(plan.fields) and True in verdicts
            if takes_fields and not events.holds_objects(step):  # it comes after those in it, if it has a field or not
                takes_fields = selector.may_have_fields(step)
            if plan.roots and (None in verdicts or takes_fields):
                walk.keep(plan.roots, plan.presence_only)
                opened.append(OpenObject(step, verdicts))
                continue
            walk.skip()
            opened.append(None)
            if True in verdicts:
                selected = select_object(step, {}, plan.fields)
                for number, verdict in enumerate(verdicts):
                    if verdict:
                        yield number, selected
        elif isinstance(step, Part):
            around = opened[-1]
            if around is not None:
                (around.properties if walk.is_property else around.others).append(step)
        elif isinstance(step, ObjectEnd):
            done = opened.pop() if opened else None
            if done is None:
                continue
            members = done.members()
            wanted_by = [number for number, verdict in enumerate(done.verdicts) if verdict]
            if None in done.verdicts:
                wanted_by = selector.wanting(done.header, members)
            if wanted_by:
                selected = select_object(done.header, members, plan.fields)
                for number in wanted_by:
                    yield number, selected
        elif isinstance(step, Damage):
            raise step.error
    selector.warn()


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
