"""Turn a damaged save into a sound one: edits that delete the damaged parts.

The bytes of each `Damage` are deleted. At the end of a nesting with deleted bytes:

| nesting | effect |
|---|---|
| a container with a count | it keeps the elements that were read |
| a list of properties | it keeps the properties that were read; if the damage reaches its end, it gets a new terminator |
| an island of shapez 2 | it keeps the buildings that were read |
| an entry of a map | it keeps its key and what was read of its value; without a value, it is deleted |
| anything else: a struct of fixed layout, an object | it is deleted with its tag; or, if it has none, what is around it |

Sizes and counts around it are updated. A nesting that ends elsewhere than its size says gets its true size. If the rest of the
save is lost, all open nestings end where the loss starts.
"""

from __future__ import annotations

from typing import Final

from streamsave.claims import claims_value, content_start
from streamsave.decode.build import MAP_ENTRY
from streamsave.decode.reader import Reader
from streamsave.errors import SaveError
from streamsave.events import (
    Checkpoint,
    ChunkStart,
    Damage,
    Event,
    Field,
    ObjectEnd,
    ObjectHeader,
    PropertyTag,
    SaveEnd,
    SaveStart,
    StructEnter,
    StructExit,
)
from streamsave.formats.gvas.key_profiles import KEY_PROFILES_CLASS, NO_KEY_PROFILES
from streamsave.formats.unreal.pool import NONE
from streamsave.formats.unreal.tags import BOOL_TYPE, MAP_TYPE
from streamsave.recovery.losses import OBJECT, PROPERTY, REST, Losses
from streamsave.rewriting.cutting import stored_name
from streamsave.rewriting.family import Family
from streamsave.rewriting.ledger import Ledger, Nesting
from streamsave.rewriting.shapez2 import JSON_NESTINGS

__all__ = ["Remains"]

#: Kinds of loss that cost a nesting all its content after the damage.
WHOLE: Final = frozenset((OBJECT, "member"))
#: What follows the properties of a save game: they are not those of an object with a GUID.
NO_GUID: Final = bytes(4)
BRACKETS: Final = dict(zip(JSON_NESTINGS, (b"]", b"}"), strict=True))


class Inside:
    """What was read in an open nesting.

    Args:
        event: opened the nesting; None: nothing is open.
        around: the nesting around it.
    """

    def __init__(self, event: Event | None = None, around: Inside | None = None) -> None:
        self.type_name = event.type_name if isinstance(event, StructEnter) else ""
        #: A number says how many elements it has.
        self.counts = isinstance(event, StructEnter) and event.count >= 0
        # An object that is an element of a container is as other elements are. All others have more than a list of properties.
        is_element = isinstance(event, ObjectHeader) and event.header_size == 0 and around is not None and around.counts
        self._is_struct = is_element or isinstance(event, StructEnter)
        self._is_pair = around.type_name == MAP_TYPE if is_element and around is not None else self.type_name == MAP_ENTRY
        self.children = 0
        self.fields = 0
        self.has_tags = False
        #: What must follow so that it can end; None: more than that is known of.
        self.missing: bytes | None = None
        #: The last damage inside of it; whether that reaches to its end or further.
        self.damage: Damage | None = None
        self.is_cut = False
        #: Why it is deleted at its end.
        self.error: SaveError | None = None

    def forget(self, field: Field) -> None:
        """The value of the last field was lost."""
        self.fields -= 1
        self.children -= field.index >= 0

    @property
    def is_list(self) -> bool:
        """Whether it is a list of properties."""
        return self._is_struct and self.has_tags and self.fields == 0

    @property
    def may_end(self) -> bool:
        """Whether it stays valid if it ends after what was read in it: of a pair, the key and a part of the value."""
        if self._is_pair:
            return self.fields + self.children == 2
        return self.counts or self.is_list or self.missing is not None


class Remains:
    """Take the events of a save, or of one object, and record what to delete.

    Args:
        family: of the save, whose reader makes the events.
        losses: of the stream: what its last damage has left open.
        outside: number of nestings around the first event.
    """

    def __init__(self, family: Family[Reader], losses: Losses, outside: int = 0) -> None:
        self._losses = losses
        self._outside = outside
        self._family = family
        self.ledger = Ledger(family)
        self._inside: list[Inside] = []
        self._last: Event | None = None
        #: Number of sound values.
        self.count = 0
        #: Where the new stream ends, if the rest is lost; -1: at the old end.
        self.end = -1

    def feed(self, event: Event) -> None:
        """Take the next event.

        Raises:
            SaveError: the damage cannot be deleted there.
        """
        if isinstance(event, ChunkStart) or self.end >= 0:
            return
        top = self._inside[-1] if self._inside else Inside()
        self.count += isinstance(event, (PropertyTag, Field))
        self.ledger.note(event)
        if isinstance(event, PropertyTag):
            top.has_tags = True
        elif isinstance(event, (SaveStart, StructEnter, ObjectHeader)):
            top.children += 1
            if isinstance(event, StructEnter):
                top.missing = self._family.after(event)
            self._inside.append(Inside(event, top if self._inside else None))
        elif isinstance(event, (StructExit, ObjectEnd)):
            self._close(event.offset, event.size)
        elif isinstance(event, SaveEnd):
            self._close(event.offset, 0)
        elif isinstance(event, Field):
            top.children += event.index >= 0
            top.fields += 1
            if self._family.is_count(event):
                top.counts = True
                top.children = 0  # those after this count
                top.missing = self._family.after(event)
        elif isinstance(event, Checkpoint) and top.missing is not None:
            top.missing = b""
        elif isinstance(event, Damage):
            if event.lost.kind == REST:
                self._end(event)
            else:
                self._lose(event, event.offset + event.size)
        self._last = event

    def _lose(self, damage: Damage, end: int) -> None:
        """Delete the bytes of a damage."""
        nestings = self.ledger.nestings
        if self._goes:
            return
        kept = self._losses.depth - self._outside + isinstance(nestings[0].event, SaveStart)
        for inside in self._inside[kept:]:
            inside.damage = damage
            inside.is_cut = True
            inside.error = None if inside.may_end else damage.error
        around = nestings[kept - 1].event if kept > 0 else None
        if around is not None and (kept == len(nestings) or self._inside[kept - 1].counts):
            self._inside[kept - 1].damage = damage
        # After a loss, the driver leaves the nesting, except an object whose end is known.
        if damage.lost.kind in WHOLE and isinstance(around, ObjectHeader) and around.instance_name == damage.lost.name:
            self._inside[kept - 1].error = damage.error
            return
        start = damage.offset
        top = self._inside[-1]
        last = self._last
        if last is not None and not has_value(last, damage):
            start = last.offset
            self.count -= 1
            if isinstance(last, Field):
                top.forget(last)
                top.error = None if self._family.holds(nestings[-1].event, last) else damage.error
        elif len(nestings) == kept and not may_lose(top, nestings[-1].event, damage):
            top.error = damage.error
        elif isinstance(last, Checkpoint) and top.counts:  # that of an element
            start = last.offset
        if not self._goes:
            self.ledger.edit(start, end, b"")

    @property
    def _goes(self) -> bool:
        """Whether an open nesting is deleted at its end."""
        return any(inside.error is not None for inside in self._inside)

    def _close(self, at: int, size: int) -> None:
        """Leave a nesting; `at` and `size` are those of its terminator."""
        nesting = self.ledger.nestings[-1]
        event = nesting.event
        goes = self._goes
        inside = self._inside.pop()
        error = inside.error
        damage = inside.damage
        if damage is not None and not goes:
            if inside.missing:
                self.ledger.edit(at, at, inside.missing)
            if inside.counts:
                self.ledger.settle(at + size, inside.children)
            elif inside.is_list:
                if size == 0:
                    self.ledger.edit(at, at, stored_name(NONE, self._family))
                if inside.is_cut:
                    self.ledger.settle(at + size, 0)
            elif not inside.is_cut and isinstance(event, StructEnter) and size == 0:
                error = damage.error
        opened = nesting.tag or event
        stated = opened.size if isinstance(opened, (PropertyTag, StructEnter)) else -1
        if not goes and error is None and 0 <= stated != at + size - content_start(opened):
            self.ledger.settle(at + size)  # bytes are missing in it, or too many
        if error is not None and not self._goes:
            self._leave_out(nesting, error)
        self.ledger.close(at + size)

    def _leave_out(self, nesting: Nesting, error: SaveError) -> None:
        """Delete the innermost nesting; if that is not possible, the nesting around it.

        Raises:
            SaveError: there is none around it.
        """
        event = nesting.event
        nestings = self.ledger.nestings
        contents = self._family.contents(event)
        if contents:
            self.ledger.forget(nesting)
            for start, end in contents:
                self.ledger.edit(start, end, b"")
        elif not self._inside:
            raise error
        elif nesting.tag is not None or self._family.holds(nestings[-2].event, event):
            self.ledger.drop(nesting)
            self._inside[-1].children -= 1
        else:
            self._inside[-1].error = error

    def _end(self, damage: Damage) -> None:
        """End the stream, and all open nestings, before a damage."""
        nestings = self.ledger.nestings
        last = self._last
        at = damage.offset
        if isinstance(last, (PropertyTag, Field)) and not has_value(last, damage):
            at = last.offset
            self.count -= 1
            if isinstance(last, Field):
                self._inside[-1].forget(last)
        while nestings:
            nesting = nestings[-1]
            event = nesting.event
            inside = self._inside.pop()
            ending = BRACKETS.get(event.type_name) if isinstance(event, StructEnter) else None
            if ending is None and inside.has_tags:
                ending = stored_name(NONE, self._family)
                if event.offset == 0:
                    has_profiles = isinstance(event, ObjectHeader) and event.class_name.endswith(KEY_PROFILES_CLASS)
                    ending += NO_GUID + NO_KEY_PROFILES if has_profiles else NO_GUID
            if ending is None and (isinstance(event, SaveStart) or inside.may_end):
                ending = inside.missing or b""
            if ending is not None and inside.error is None:
                self.ledger.edit(at, at, ending)
                self.ledger.settle(at, inside.children)
                self.ledger.close(at)
            elif len(nestings) < 3:  # the save itself
                raise damage.error
            else:
                self.ledger.forget(nesting)
                nestings.pop()
                at = nesting.start
                self._inside[-1].children -= 1
        self.end = at


def has_value(event: Event, damage: Damage) -> bool:
    """Return whether the value of an event was read before a damage. That of a bool may be in its tag, and have no bytes."""
    return claims_value(event, damage) or (isinstance(event, PropertyTag) and event.type == BOOL_TYPE and event.size == 0)


def may_lose(inside: Inside, event: Event, damage: Damage) -> bool:
    """Return whether a nesting stays valid without a damaged part of it that is not the value of a tag; `event` opened it."""
    return isinstance(event, SaveStart) or inside.counts or (damage.lost.kind == PROPERTY and inside.type_name != MAP_ENTRY)
