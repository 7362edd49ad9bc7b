"""Property lists: what shows that a tag is one, and where the walk goes on after a fault.

A search asks the plain reader itself: a second one, which looks ahead, is opened in the same nestings at a place that may be the
right one, and passes over values by their sizes. The place is right if the list and what is around it end where they have to:

| | |
|---|---|
| exact | the innermost nesting with a known end ends there |
| own | it ends elsewhere, but its own size alone is wrong: what is around it goes on there, and ends where it has to |
| moved | bytes are missing, or were put in: all ends around it are wrong by as many |

What ends a list is as sure as what starts one: each list has one terminator, so a place in an inner list leads to one too many.

The module is long because after a fault, lists, elements and entries of maps are looked for in one search, as each may be
inside of the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Final, NamedTuple, NoReturn

from streamsave._native import i64
from streamsave.claims import content_start
from streamsave.decode.cursor import NO_LIMIT, Cursor
from streamsave.decode.reader import EventAllowance
from streamsave.errors import LimitExceeded, SaveError, TruncatedSave
from streamsave.events import BlobSkip, Event, Field, ObjectEnd, ObjectHeader, PropertyTag, SaveStart, StructEnter, StructExit
from streamsave.formats.gvas.header import GvasHeader
from streamsave.formats.gvas.key_profiles import KEY_PROFILES_CLASS
from streamsave.formats.gvas.reader import GvasReader
from streamsave.formats.unreal.frames import Frame, ListFrame
from streamsave.formats.unreal.maps import MapFrame
from streamsave.formats.unreal.object_rows import MemberNode, ObjectRow
from streamsave.formats.unreal.pool import STORED_NONE, PoolCursor
from streamsave.formats.unreal.reader import UnrealReader
from streamsave.formats.unreal.tag_values import layout_of
from streamsave.formats.unreal.tags import GUID_SIZE, STRUCT, looks_like_list
from streamsave.input.forward import ForwardWindows
from streamsave.input.source import KeptSource
from streamsave.recovery.chains import STEP, Budget, finder, places
from streamsave.recovery.driver import Family, reaches
from streamsave.recovery.losses import OBJECT, PROPERTY, Part
from streamsave.recovery.unreal_tags import (
    MOST_SAID,
    NEAR,
    bytes_at,
    check_names,
    has_end,
    is_inner_tag,
    is_list_at,
    misfit,
    names_at,
    starts_in,
    string_before,
    tags_in,
)
from streamsave.values import Opaque

__all__ = ["LEAST", "MOST_VERSION", "TIMES", "UnrealFamily", "check_header"]

#: Custom versions of all saves that were looked at are below 300; a game may count dates (20261123).
MOST_VERSION: Final = 1 << 28
#: What a byte costs in which tags are looked for, or that is inflated again.
SCAN: Final = 0.25
#: Larger values are not built to look at them.
LARGE: Final = 256 * 1024
#: How far beyond an end that may be wrong is searched.
SLACK: Final = 64 * 1024
#: Tags and elements that lead to no contradiction: what follows is believed.
ENOUGH: Final = 4096
MANY: Final = 1 << 30
#: So many tags and elements show that they follow each other, though something after them is damaged, too.
CONVINCING: Final = 256
#: The same in the outermost list of a save that is cut off, and of elements in one.
LEAST_CUT: Final = 4
#: Searches may cost so many times what the save has, and so many bytes besides.
TIMES: Final = 6
LEAST: Final = 4 << 20
#: A save ends with fewer zeros.
AFTER: Final = 64
#: What the trailer of a save starts with.
TRAILER: Final = b"\1\0\0\0"
#: Bytes before the tag of the elements in the value of an array of structs: their number.
INNER_TAG_AT: Final = 4
#: The fewest bytes from the start of an array's tag to that of its structs, without its name; some may be missing.
LEAST_ARRAY: Final = 40
#: The number of the elements of an array that has one.
ONE: Final = b"\1\0\0\0"


#: The members of a pair, and a bit for each.
PAIR_PARTS: Final = {"key": 1, "value": 2}
#: `Frame.at` of a map after the key of a pair.
AT_VALUE: Final = 2
#: The type of a `Field` that is a name.
NAME: Final = "name"


class Place(NamedTuple):
    """Where a list or container goes on: an offset, the ends of the nestings around it, the position of an element."""

    at: int
    ends: list[int]
    number: int = 0


class Members:
    """Takes the events of an element that may be an object, and notes which members it has of those that tell its kind."""

    def __init__(self, row: ObjectRow) -> None:
        self._nodes: list[MemberNode | None] = [row.proof]
        self._due = int(row.marks)
        #: What is due and has started: its value may be lost.
        self._started = 0
        self._is_foreign = False
        self._tag: MemberNode | None = None
        self._value = -1

    def see(self, event: Event, *, opens: bool) -> None:
        """Take the next event; `opens`: it is a tag, and its value has events in it."""
        if not isinstance(event, StructEnter) or event.offset != self._value:
            self._due &= ~self._started
            self._started = 0
        if isinstance(event, (StructExit, ObjectEnd)):
            if len(self._nodes) > 1:
                self._nodes.pop()
            return
        if not isinstance(event, (PropertyTag, Field, StructEnter)):
            return
        node = self._tag
        if not isinstance(event, StructEnter) or event.offset != self._value:
            around = self._nodes[-1]
            node = None if around is None else around.child(event.name)
            if node is not None:
                self._started = int(node.mark)
                if not opens:
                    self._due &= ~self._started
                self._is_foreign = self._is_foreign or node.is_foreign
        if isinstance(event, StructEnter):
            self._nodes.append(node)
        elif isinstance(event, PropertyTag):
            self._tag, self._value = node, event.value_offset

    def are_right(self) -> bool:
        """Return whether it has all that it has to have, and nothing that none of its kind has."""
        return self._due == 0 and not self._is_foreign


class UnrealFamily(Family):
    """What is known of damage in a save that is one property list."""

    def __init__(self, reader: UnrealReader) -> None:
        super().__init__(reader)
        self.unreal = reader
        if isinstance(reader, GvasReader):
            reader.source = KeptSource(reader.source)
        self._scout: UnrealReader | None = None
        self._budget: Budget | None = None
        #: More than zeros may follow the save.
        self._has_trailer = False
        #: All before it was looked at.
        self._sound = -1
        #: The last tag that was given.
        self._before: PropertyTag | None = None
        #: The name of the property that is lost in the list that is looked at.
        self._lost_name = ""
        #: Names and positions of tags from which that list does not go on, and whether theirs has ended; the last of them.
        self._passed: dict[tuple[str, int], bool] = {}
        self._tried = ("", 0)
        #: The tag at the place that was tried last; None: there is none.
        self._tag_there: PropertyTag | None = None
        #: Where the search for it started, and where the fault is.
        self._begin = 0
        self._fault_at = -1
        #: Where the walk went on last.
        self._last = -1
        #: Why a whole element is lost, and where it ends.
        self._whole: SaveError | None = None
        self._whole_end = -1
        #: Of the last containers, by how many nestings are around them: where each ends, and what its first element starts with.
        self._starts: dict[int, tuple[int, bytes]] = {}
        #: Of the open containers, by how many nestings are around them: the name that their first element starts with.
        self._firsts: dict[int, tuple[bytes, int]] = {}

    def events(self) -> Iterator[Event | Part]:
        windows = self.unreal.windows
        if isinstance(windows, ForwardWindows):
            windows.bridges = True
        for event in self.unreal.events():
            yield event
            if isinstance(event, SaveStart) and isinstance(event.header, GvasHeader):
                check_header(self.unreal.cursor, event.header)
                self._has_trailer = event.header.save_game_class.endswith(KEY_PROFILES_CLASS)

    # --- before an event is given ---

    def check(self, event: Event) -> Event:
        if event.offset < self._sound or not self.unreal.frames:
            return event
        if isinstance(event, (ObjectHeader, StructEnter)) and event.header_size == 0:
            self._check_start(event.offset)
        if isinstance(event, ObjectHeader) and event.header_size == 0:
            return self._check_object(event)
        self._check_event(self.unreal, event)
        is_element = isinstance(event, StructEnter) and event.index >= 0 and event.header_size == 0
        if is_element and row_of(self.unreal.frames) is not None:
            depth = len(self.unreal.frames)
            fault = self._fault_inside(self._inside(event.offset, depth), depth - 1)
            if fault is not None:
                self._lose_element(fault)
        if isinstance(event, PropertyTag):
            self._check_twice(event)
        return event

    def _check_start(self, at: int) -> None:
        """Refuse an element that begins in another way than the first one if the list around its container can go on there.

        An element is missing: the next properties of that list and its end look like the last one. Of a map, which may have many
        pairs, only the last one is asked about.
        """
        frames = self.unreal.frames
        is_pair = frames[-1].is_map
        depth = len(frames) - (1 if is_pair else 2)
        container = frames[depth]
        is_list = container.is_elements and isinstance(frames[-1], ListFrame)
        if depth < 1 or container.index == 0 or not (container.index + 1 == container.count if is_pair else is_list):
            return
        end, pattern = self._starts.get(depth, (-1, b""))
        if end != container.end or bytes(self.unreal.cursor.peek(len(pattern))) == pattern:
            return
        self._passed.clear()
        self._firsts.clear()
        self._begin, self._fault_at = at, -1
        if self._leads(depth, at) is not None and self._elements_lead(depth + 1, at) is None:
            raise self.unreal.cursor.damaged("an element that begins like none before it", offset=at)

    def _check_twice(self, tag: PropertyTag) -> None:
        """Refuse the tag of the elements of an array whose own tag is damaged: it comes right after that, with its name.

        No game writes a property twice.
        """
        before = self._before
        self._before = tag
        if before is None or tag.type != STRUCT or tag.offset != before.value_offset + before.size:
            return
        if (tag.name, tag.index) == (before.name, before.index):
            raise self.unreal.cursor.damaged("a property that is there twice", offset=tag.offset, actual=tag.name[:MOST_SAID])

    def prove(self, event: Event) -> None:
        frames = self.unreal.frames
        if event.offset < self._sound or not frames or isinstance(event, Field):
            return
        depth = len(frames)
        scout = self._inside(content_start(event), depth)
        if isinstance(event, PropertyTag):
            resume(scout, depth, event.offset)
        else:
            depth -= 1
        self._walk_whole(scout, depth)

    def _check_object(self, header: ObjectHeader) -> Event:
        """Return the header of an element that is sound; of another one, what opens any element."""
        depth = len(self.unreal.frames)
        scout = self._inside(header.data_offset, depth)
        row = row_of(self.unreal.frames)
        members = None if row is None else Members(row)
        fault = self._fault_inside(scout, depth - 1, members)
        end = scout.cursor.tell()
        if fault is None and header.size in {-1, end - header.data_offset}:
            if members is not None and not members.are_right():
                what = f"an element without what each {header.kind} has"
                self._lose_element(scout.cursor.damaged(what, offset=header.offset), int(end))
            self._sound = end
            return header
        headers = self.unreal.headers
        is_certain = members is None or members.are_right()  # before the fault: what is lost may be a member that it has to have
        if fault is not None and (headers is None or not is_certain or headers.found_at > fault.offset):
            self._lose_element(fault)
        return sizeless(header)

    def _lose_element(self, fault: SaveError, end: int = -1) -> NoReturn:
        """Raise what is wrong in an element whose header is not certain: it costs all of it, up to its end, if that is known."""
        self._whole, self._whole_end = fault, end
        raise fault

    def _fault_inside(self, scout: UnrealReader, depth: int, members: Members | None = None) -> SaveError | None:
        """Return the fault that `_walk_whole` has met."""
        try:
            self._walk_whole(scout, depth, members)
        except SaveError as error:
            return error
        return None

    def _walk_whole(self, scout: UnrealReader, depth: int, members: Members | None = None) -> None:
        """Walk up to where only `depth` nestings are open, or the pair that is open is left.

        Raises:
            SaveError: something is not what it seems.
        """
        pair = scout.frames[-1] if len(scout.frames) > depth and scout.frames[-1].is_map else None
        for event in iter(scout.walk, None):
            self._check_event(scout, event)
            if members is not None:
                members.see(event, opens=isinstance(event, PropertyTag) and scout.leaf.opens)
            is_left = len(scout.frames) <= depth or (pair is not None and pair.at == 0 and scout.frames[-1] is pair)
            if is_left and not (isinstance(event, PropertyTag) and scout.leaf.opens):
                return

    def _check_event(self, reader: UnrealReader, event: Event) -> None:
        """Look at an event of a walk before anything after it is read.

        Raises:
            SaveError: it is not what it seems.
        """
        if isinstance(event, PropertyTag):
            self._check_tag(reader, event)
        elif isinstance(event, BlobSkip):
            self._check_skip(reader, event)
        elif isinstance(event, StructEnter) and event.index >= 0 and event.header_size == 0:
            frames = reader.frames
            if frames and isinstance(frames[-1], ListFrame) and not looks_like_list(reader.cursor):
                raise reader.cursor.damaged("an element that is no list of properties", offset=event.offset)
            if frames and frames[-1].is_map and self._is_end_of_two(reader.cursor, frames[-1]):
                raise reader.cursor.damaged("the ends of two lists in place of a pair", offset=event.offset)
        elif isinstance(event, StructEnter) and event.name in PAIR_PARTS:
            frames = reader.frames
            around = frames[-2] if len(frames) > 1 else None
            if isinstance(around, MapFrame):
                around.listed |= PAIR_PARTS[event.name]
        elif isinstance(event, Field) and event.name in PAIR_PARTS:
            self._check_part(reader, event)

    def _is_end_of_two(self, cursor: Cursor, pairs: Frame) -> bool:
        """Return whether the last pair of a map would be a key `None` and an empty list, but does not end where the map does."""
        size = 2 * len(STORED_NONE)
        is_last = pairs.index + 1 == pairs.count and pairs.end >= 0
        return is_last and cursor.tell() + size != pairs.end and bytes(cursor.peek(size)) == 2 * STORED_NONE

    def _check_tag(self, reader: UnrealReader, tag: PropertyTag) -> None:
        cursor = reader.cursor
        check_names(reader, tag)
        guid = tag.guid
        if guid is not None and (STORED_NONE in guid or is_list_at(cursor, tag.value_offset - GUID_SIZE + tag.size)):
            raise cursor.damaged("the GUID of a property is its value, or what follows that", offset=tag.offset)
        if self._is_of_element(reader, tag):
            raise cursor.damaged("a property of an element more than there are", offset=tag.offset, actual=tag.name[:MOST_SAID])
        leaf = reader.leaf
        end = leaf.end
        if leaf.opens and self._opens(reader, tag):
            return  # what is in it proves itself
        value: object = None
        build = reader.build
        spent = build.spent()
        build.reset()
        cursor.seek(tag.value_offset)
        try:
            if tag.size <= LARGE:
                value = reader.value(tag)
            else:
                self._measure(reader, tag)
            is_followed = is_list_at(cursor, end) or is_hidden(reader, end)
        except LimitExceeded:
            is_followed = True
        finally:
            build.restore(spent)
            reader.announce(leaf.closed())
        if not is_followed and (isinstance(value, Opaque) or self._swallows(cursor, tag, end)):
            raise misfit(cursor, tag)
        cursor.seek(tag.value_offset)

    def _is_of_element(self, reader: UnrealReader, tag: PropertyTag) -> bool:
        """Return whether the last tag is the first one of an element more than the container before it has.

        It begins like the first element does, and where it ends, the list in which it seems to be would end, too early.
        """
        depth = len(reader.frames)
        at, pattern = self._starts.get(depth, (-1, b""))
        if at != tag.offset or not pattern or bytes_at(reader.cursor, at, len(pattern)) != pattern:
            return False
        if reader is self.unreal:  # its cursor stays
            return self._ends_early(self._inside(at, depth), depth, at)
        kept = [frame.copy() for frame in reader.frames]
        found = self._ends_early(reader, depth, at)
        reader.frames[:] = kept
        resume(reader, depth, at)
        reader.walk()
        return found

    def _ends_early(self, scout: UnrealReader, depth: int, at: int) -> bool:
        """Return whether the list that is the innermost of `depth` nestings, walked from a place on, ends where it must not."""
        frames = scout.frames
        number = free(frames)
        end = int(frames[number].end)
        frames[number].end = -1
        resume(scout, depth, at)
        try:
            while len(frames) >= depth:
                if not self._search_budget().spend(STEP):
                    return False
                event = scout.walk()
                if event is None:
                    return not self._is_end_of_save(scout)
                if isinstance(event, PropertyTag):
                    scout.skip(event)
        except SaveError:  # something else is damaged
            return False
        frame = frames[-1]
        if number == depth - 1:
            return int(scout.cursor.tell()) != end
        if number < depth - 2 or not is_container(frame) or frame.at == AT_VALUE:
            return False
        if frame.index + 1 == frame.count:
            return int(scout.cursor.tell()) != end
        stated, pattern = self._starts.get(depth - 2, (-1, b""))
        return stated == end and bytes(scout.cursor.peek(len(pattern))) != pattern

    def _measure(self, reader: UnrealReader, tag: PropertyTag) -> None:
        """Look at the large value of the last tag without building it.

        Raises:
            SaveError: it is not what its type and size say.
        """
        if reader is self.unreal:  # its cursor stays
            depth = len(reader.frames)
            reader = self._inside(tag.offset, depth)
            resume(reader, depth, tag.offset)
            reader.walk()
        cursor = reader.cursor
        limit = cursor.limit()
        end = tag.value_offset + tag.size
        cursor.set_limit(end)
        try:
            codec = layout_of(reader, cursor, tag)
            cursor.seek(tag.value_offset)
            if codec is not None:
                codec.measure(cursor, reader)
                if cursor.remaining() > 0:
                    raise misfit(cursor, tag)
            cursor.set_limit(NO_LIMIT)
            cursor.check_reaches(end)
        finally:
            cursor.set_limit(limit)

    def _check_part(self, reader: UnrealReader, part: Field) -> None:
        """Look at a key or value of a map that is no list of properties."""
        cursor = reader.cursor
        frames = reader.frames
        pairs = frames[-1] if frames else None
        if not isinstance(pairs, MapFrame):
            return
        if pairs.listed & PAIR_PARTS[part.name]:
            raise cursor.damaged(f"a {part.name} that is no list of properties", offset=part.offset)
        if reader is self.unreal and part.name == "key" and reader.is_pending and pairs.value.peeks:
            scout = self._inside(int(reader.leaf.end), len(frames))
            value = scout.walk()
            if value is not None:
                self._check_event(scout, value)
        if part.type == NAME and part.size > 4 and not (isinstance(cursor, PoolCursor) and cursor.names):
            stored = bytes(cursor.peek(part.size))
            # A negative length is that of a text of two bytes a character.
            width = 1 if int.from_bytes(stored[:4], "little", signed=True) > 0 else 2
            if 0 in memoryview(stored[4 : part.size - width]).cast("B" if width == 1 else "H"):
                raise cursor.damaged("a name that goes on after its end", offset=part.offset, actual=part.size)

    def _opens(self, reader: UnrealReader, tag: PropertyTag) -> bool:
        """Return whether the value of the last tag has events in it, and stay at its start.

        Raises:
            SaveError: it cannot be opened.
        """
        leaf = reader.leaf
        limit = reader.cursor.limit()
        frames = reader.frames
        depth = len(frames)
        try:
            event = reader.open_value()
            if isinstance(event, BlobSkip):
                self._check_skip(reader, event)
            elif event is not None and not has_lists(frames[-1]) and reader is not self._scout:
                self._check_whole(tag, depth)
            if len(frames) > depth and is_container(frames[-1]):
                self._starts[depth] = (int(leaf.end), names_at(reader.cursor))
        finally:
            reader.drop(depth)
            reader.cursor.set_limit(limit)
            reader.cursor.seek(leaf.start)
            reader.announce(leaf)
        return event is not None

    def _check_whole(self, tag: PropertyTag, depth: int) -> None:
        """Look at all of a container: only that shows where its parts are, if they are no lists of properties.

        Raises:
            SaveError: it is not what its tag says.
        """
        scout = self._inside(tag.offset, depth)
        resume(scout, depth, tag.offset)
        frames = scout.frames
        fault = self._fault_inside(scout, depth)
        if fault is not None:
            opened = frames[depth] if len(frames) > depth else None
            is_listed = isinstance(opened, MapFrame) and opened.listed != 0
            if not is_listed and not any(isinstance(frame, ListFrame) for frame in frames[depth + 1 :]):
                raise fault
            return  # it shows where it goes on
        end = tag.value_offset + tag.size
        is_followed = is_list_at(scout.cursor, end) or is_hidden(scout, end)
        if not is_followed and self._swallows(scout.cursor, tag, end) and len(bytes_at(scout.cursor, end - 1, 2)) > 1:
            raise misfit(scout.cursor, tag)  # a save that is cut there contradicts nothing

    def _swallows(self, cursor: Cursor, tag: PropertyTag, end: int) -> bool:
        """Return whether the next tag starts in a value that no tag follows."""
        begin = max(tag.value_offset - (0 if tag.guid is None else GUID_SIZE), end - NEAR)
        if tag.inner_type == STRUCT:
            begin = max(begin, tag.value_offset + INNER_TAG_AT + 1)  # not at the tag of its elements
        return any(begin + at < end for at in tags_in(bytes_at(cursor, begin, end - begin + NEAR)))

    def _check_skip(self, reader: UnrealReader, skip: BlobSkip) -> None:
        """Look at bytes that are passed over: a value of unknown layout, or what is left of a nesting."""
        cursor = reader.cursor
        frames = reader.frames
        if skip.size < 0:
            raise cursor.damaged("a nesting that goes on after its end", offset=skip.offset)
        is_value = reader.is_pending
        end = skip.offset + skip.size
        has_tags = any(True for _ in tags_in(bytes_at(cursor, skip.offset, min(skip.size, LARGE))))
        limit = cursor.limit()
        cursor.set_limit(frames[-2].end if not is_value and len(frames) > 1 and frames[-2].end >= 0 else NO_LIMIT)
        tag = reader.tags.last
        if is_value and tag.type == STRUCT:
            codec = reader.dialect.structs.get(tag.type_name)
            has_tags = has_tags or (codec is not None and codec.size >= 0)  # no game writes one of another size
        is_wrong = (
            has_tags
            or not (is_list_at(cursor, end) or is_hidden(reader, end))
            or not (is_value or isinstance(frames[-1], ListFrame))
        )
        cursor.set_limit(limit)
        if is_wrong:
            raise cursor.damaged(
                "bytes that are no value" if is_value else "bytes after the end", offset=skip.offset, actual=skip.size
            )

    # --- after a fault ---

    def mend(self, error: SaveError) -> Part | None:
        reader = self.unreal
        losses = self.losses
        frames = reader.frames
        if not frames:
            return None
        in_leaf = reader.is_pending
        begin = losses.claimed_end(in_leaf=False)
        hole = int(reader.windows.hole_end(error.offset)) if error is reader.cursor.fault else -1
        begin = max(begin, hole, int(reader.leaf.end) if in_leaf and self._is_saved_object() else -1)
        name = reader.leaf.name if in_leaf else ""
        if "\0" in name or len(name) > MOST_SAID:
            name = ""
        self._fault_at = error.offset
        self._firsts.clear()
        for depth, frame in enumerate(frames):
            opened = opened_for(frames[:depth])
            if is_container(frame) and opened < len(losses.open):
                self._firsts[depth] = self._first_name(frame, content_start(losses.open[opened]))
        # First where the ends are that are known, then beyond them.
        for depth, slack in [(depth, slack) for slack in (0, SLACK) for depth in range(len(frames), 0, -1)]:
            frame = frames[depth - 1]
            is_pair = frame.is_map and frame.at > 0
            if opened_for(frames[:depth]) - is_pair > losses.most:
                continue  # no event has opened it
            if 0 <= frame.end < hole:
                continue  # it ends in the hole: nothing shows that its size is wrong
            stated = int(frames[depth].end) if depth < len(frames) else int(reader.leaf.end) if in_leaf else -1
            self._lost_name = frames[depth].name if depth < len(frames) else name
            place: Place | None = None
            if isinstance(frame, ListFrame):
                place = self._find_tag(depth, max(begin, self._last + 1), stated, slack, is_leaf=depth == len(frames))
            elif is_container(frame):
                if error is self._whole and self._whole_end >= 0:
                    place = self._elements_lead(depth, self._whole_end)
                else:
                    container = opened_for(frames[: depth - 1])
                    element = losses.open[container + 1].offset if container + 1 < len(losses.open) else -1
                    after = max(begin + (error is self._whole), self._last + 1, element + 1)
                    place = self._find_element(depth, after, slack)
            if place is None:
                continue
            was_at = int(frame.index)
            for one, end in zip(frames, place.ends, strict=False):
                one.end = end
            resume(reader, depth, place.at, place.number)
            self._last = place.at
            path = reader.path()
            kept = opened_for(frames[:depth])
            if not isinstance(frame, ListFrame):
                kind = PROPERTY if frame.row is None else OBJECT
                count = max(place.number - was_at, 1)
                name = f"{frame.name}[{was_at}]"
                return Part(iter(()), kind, name, place.at, count=count, path=(*path, was_at), depth=kept)
            name = self._lost_name
            path = (*path, name) if name else path
            return Part(iter(()), PROPERTY, name or frame.name, place.at, path=path, depth=kept)
        return None

    def _is_saved_object(self) -> bool:
        """Return whether the last value is an array of bytes that may be an object, and both of its sizes agree.

        A list inside of it belongs to that object, not to what is around the array.
        """
        leaf, blobs = self.unreal.leaf, self.unreal.dialect.blobs
        if blobs is None or blobs.is_certain or leaf.name != blobs.name:
            return False
        with suppress(SaveError):
            return self._ahead(int(leaf.start)).cursor.i32() == leaf.end - leaf.start - 4
        return False

    def _find_tag(self, depth: int, begin: int, stated: int, slack: int, *, is_leaf: bool) -> Place | None:
        """Return where a property list goes on.

        Args:
            depth: it is the innermost of so many nestings.
            begin: from where on.
            stated: where the value that is damaged ends by its size; -1 if it has none.
            slack: how far to search beyond the known end.
            is_leaf: nothing in the value was opened: its size may be what is wrong.
        """
        self._passed = {(self._lost_name, 0): False}
        self._begin = begin
        if not is_leaf and stated >= begin:
            place = self._leads(depth, stated, is_stated=True)
            if place is not None:
                return place
        ends = [int(frame.end) for frame in self.unreal.frames[1:depth] if frame.end >= 0]
        most = ends[-1] + slack if ends else NO_LIMIT if slack > 0 or is_leaf else begin
        around = [number for number in self._firsts if number < depth - 1]
        pattern = self._firsts[around[-1]][0] if around else b""
        if pattern:  # it is in an element: the next one starts there
            most = next(self._places(finder(re.compile(re.escape(pattern))), begin + 1, most), most)
        tried = not is_leaf
        passed = begin
        for at in self._places(starts_in, begin, most):
            if not tried and at >= stated >= begin:
                tried = True
                place = self._leads(depth, stated, is_stated=True)
                if place is not None:
                    return place
            if at < passed:
                continue  # in the value of a tag from which the list does not go on
            place = self._leads(depth, at, is_agreed=is_leaf and at == stated)
            if place is not None:
                return place
            if at > begin:  # not the tag that is damaged
                passed = self._value_end(at)
        return self._leads(depth, stated, is_stated=True) if not tried and stated >= begin else None

    def _value_end(self, at: int) -> int:
        """Return where the value of the tag at the place that was tried last ends, if a tag or the end of a list follows it.

        Else that place itself.
        """
        tag = self._tag_there
        scout = self._scout
        if tag is not None and scout is not None and tag.size <= LARGE and self._search_budget().spend(STEP):
            end = tag.value_offset + tag.size
            scout.cursor.set_limit(NO_LIMIT)
            if is_list_at(scout.cursor, end):
                return end
        return at

    def _leads(self, depth: int, at: int, *, is_stated: bool = False, is_agreed: bool = False) -> Place | None:
        """Return the place if the innermost of `depth` nestings, a list, may go on there.

        Args:
            depth: as for `_find_tag`.
            at: the place.
            is_stated: as a size says.
            is_agreed: a tag or terminator seems to be there, and the size of the value that is damaged says so, too.
        """
        if not reaches(self.unreal.windows, at):
            return None
        scout = self._inside(at, depth)
        frames = scout.frames
        freed = free(frames)
        end = int(frames[freed].end)
        frames[freed].end = -1
        resume(scout, depth, at)
        self._tried = ("", 0)
        self._tag_there = None
        try:
            convincing = CONVINCING if at < end or end < 0 else MANY
            is_passed = self._passes(scout, freed, depth, convincing, is_stated=is_stated, is_agreed=is_agreed)
        except SaveError:
            return None
        if is_passed:
            ends = [int(frame.end) for frame in self.unreal.frames[:depth]]
            reached = int(scout.cursor.tell())
            if freed == 0 or len(scout.frames) > freed:
                return Place(at, ends)
            around = self._go_on_around(scout, freed, reached, end, ends)
            if around is not None:
                return Place(at, around)
        self._passed[self._tried] = True
        return None

    def _go_on_around(self, scout: UnrealReader, freed: int, reached: int, end: int, ends: list[int]) -> list[int] | None:
        """Return the ends of all nestings if those around one go on where that ends, which is not where its size says."""
        around = [frame.copy() for frame in scout.frames[:freed]]
        if not isinstance(around[-1], ListFrame):
            return None
        for moved in (0, reached - end)[: 1 + (reached != end)]:
            frames = scout.frames
            frames[:] = [frame.copy() for frame in around]
            for frame in frames[1:]:
                if frame.end >= 0:
                    frame.end += moved
            resume(scout, freed, reached)
            try:
                # If all ends are moved, one of them has to be met, and what is around that has to go on.
                is_met = not moved or self._passes(scout, free(around), -1, MANY)
                if is_met and self._passes(scout, 0, -1):
                    found = [one + moved if one >= 0 and number < freed else one for number, one in enumerate(ends)]
                    found[freed] = reached
                    return found
            except SaveError:  # then it is not this
                continue
        return None

    def _passes(
        self,
        scout: UnrealReader,
        depth: int,
        whole: int,
        convincing: int = CONVINCING,
        *,
        is_stated: bool = False,
        is_agreed: bool = False,
    ) -> bool:
        """Walk out of all but `depth` nestings, or past enough. Return False at a contradiction.

        Args:
            scout: at the start of a tag, or at the end of a list.
            depth: at least 1; 0: to the end of the save.
            whole: the first tag is in so many nestings, and its value has to be whole, and one that has the fault in it, too; -1:
                no value is looked at.
            convincing: a fault after so many tags and elements contradicts nothing.
            is_stated: a size says that it is there: a hole after it contradicts nothing.
            is_agreed: a size and what is there say so: nor does an element that starts with another name than the first one, or
                the end of a save that is cut off.

        Unless a size says that the place is right, a value on the way that has the end of a list in it has to be what its tag
        says: if it is too long, that may be the end of this list, and what comes after it is in another one.

        Raises:
            SaveError: it is no way through.
        """
        budget = self._search_budget()
        has_met = False
        for count in range(max(ENOUGH, convincing)):
            if not budget.spend(STEP):
                return False
            try:
                event = scout.walk()
                if event is None:
                    return self._is_end_of_save(scout)
                if isinstance(event, PropertyTag):
                    is_first = count == 0 and whole >= 0
                    if is_first:
                        self._tag_there = event
                    if is_first and self._is_inner(scout, event, is_stated=is_stated or is_agreed):
                        return False
                    check_names(scout, event)
                    has_fault = event.value_offset <= self._fault_at < event.value_offset + event.size
                    is_whole = is_first or (whole >= 0 and has_fault)
                    if is_whole or (whole >= 0 and not (is_stated or is_agreed) and has_end(scout.cursor, event)):
                        self._check_event(scout, event)
                        if is_whole and scout.leaf.opens:
                            if not budget.spend(event.size):
                                return False
                            self._walk_whole(scout, len(scout.frames))
                            continue
                    scout.skip(event)
                elif isinstance(event, StructEnter):
                    self._check_event(scout, event)
            except SaveError as error:
                is_hole = error is scout.cursor.fault and scout.windows.hole_end(error.offset) >= 0
                is_cut = isinstance(error, TruncatedSave) and whole == len(self.unreal.frames) == 1
                if is_hole and (is_stated or not scout.frames):
                    return True  # nothing contradicts
                if is_agreed and count > 0 and isinstance(error, TruncatedSave):
                    return True
                if count < (LEAST_CUT if is_cut else convincing):
                    raise
                return True  # something else is damaged
            if isinstance(event, BlobSkip):
                return False
            if isinstance(event, StructEnter) and not has_met and not is_agreed and event.index >= 0:
                has_met = True
                pattern, before = self._firsts.get(len(scout.frames) - (not scout.frames[-1].is_map) - 1, (b"", 0))
                ahead = bytes(scout.cursor.peek(NEAR if before < 0 else before + len(pattern)))
                if pattern and (pattern not in ahead if before < 0 else ahead[before:] != pattern):
                    return False
            if len(scout.frames) <= depth:
                return True
        return True

    def _is_inner(self, scout: UnrealReader, tag: PropertyTag, *, is_stated: bool) -> bool:
        """Return whether the tag that a list may go on with is one inside of what is lost.

        A list has no property twice, so a tag is inside if one with its name was in a list that has ended since. The tag of the
        elements of an array has the name of the array, and their number comes before it. If that is 1, the elements look like the
        value of a struct; if it is more, they are longer. An empty struct is none.
        """
        self._tried = key = (tag.name, tag.index)
        is_known = key in self._passed
        if self._passed.setdefault(key, False):
            return True
        if tag.type != STRUCT or scout.dialect.new_tags or not scout.dialect.inner_tags:
            return False
        if is_known or tag.size == 0:
            return True
        if is_inner_tag(scout, tag, if_hidden=not is_stated):
            return True
        is_near = tag.offset - self._begin < LEAST_ARRAY + len(tag.name) and is_list_at(scout.cursor, self._begin)
        return not is_stated and not is_near and bytes_at(scout.cursor, tag.offset - len(ONE), len(ONE)) == ONE

    def _is_end_of_save(self, scout: UnrealReader) -> bool:
        """Return whether what follows the outermost list is what follows it in a save: few zeros, or a trailer."""
        cursor = scout.cursor
        cursor.set_limit(NO_LIMIT)
        has_trailer = False
        if isinstance(self.unreal.frames[0], ListFrame):
            has_guid = cursor.u32()
            if has_guid > 1:
                return False
            cursor.take(GUID_SIZE * has_guid)  # a cut in it shows
            has_trailer = self._has_trailer
        after = bytes(cursor.peek(AFTER))
        return (len(after) < AFTER and not after.strip(b"\0")) or (has_trailer and after.startswith(TRAILER))

    def _find_element(self, depth: int, begin: int, slack: int) -> Place | None:
        """Return where a container goes on with an element that begins like its first one, and all after it lead to its end."""
        frame = self.unreal.frames[depth - 1]
        pattern, before = self._firsts.get(depth - 1, (b"", 0))
        if frame.end < 0 or not pattern:
            return None
        number = int(frame.index) + 1
        for at in self._places(finder(re.compile(re.escape(pattern))), begin, int(frame.end) + slack):
            start = at - before if before >= 0 else self._key_start(at, begin)
            place = None if start < begin else self._elements_lead(depth, start, number)
            if place is not None:
                return place
            number += 1
        return None

    def _key_start(self, at: int, begin: int) -> int:
        """Return where the text starts, not before `begin`, that ends at an offset: the key of a pair; -1 if none does."""
        cursor = self._ahead(max(at - NEAR, begin)).cursor
        start = int(cursor.tell())
        data = bytes(cursor.peek(at - start))
        found = string_before(data, at - start)
        return start + found if found >= 0 and not data.endswith(STORED_NONE) else -1  # a list ends with that

    def _first_name(self, frame: Frame, content: int) -> tuple[bytes, int]:
        """Return name and type that the first element of a container starts with, as they are stored, and how much is before.

        The tag of the elements of an array has its name, but another type.
        """
        cursor = self._ahead(content).cursor
        try:
            if looks_like_list(cursor):
                return names_at(cursor), 0
            key = frame.key.codec if isinstance(frame, MapFrame) and frame.value.peeks else None
            if key is None:
                return b"", 0
            key.measure(cursor, self.unreal)
            return names_at(cursor), int(key.size)
        except SaveError:
            return b"", 0

    def _elements_lead(self, depth: int, at: int, number: int = -1) -> Place | None:
        """Return the place if elements follow each other from there to the end of a container, or if many do.

        Args:
            depth: it is the innermost of so many nestings.
            at: where the first of them starts.
            number: its position, if the end is not reached; -1: then it is no place.
        """
        budget = self._search_budget()
        scout = self._inside(at, depth)
        frames = scout.frames
        frame = frames[-1]
        end, count, last = int(frame.end), int(frame.count), int(frame.index)
        frame.end, frame.count = -1, MANY
        resume(scout, depth, at, 0)
        ends = [int(one.end) for one in self.unreal.frames[:depth]]
        reached, passed, due = -1, 0, -1
        fault: SaveError | None = None
        try:
            while budget.spend(STEP):
                event = scout.walk()
                if isinstance(event, StructEnter) and len(frames) == depth + (not frame.is_map) and event.index >= 0:
                    reached, passed = event.offset, event.index
                    if passed == count - number:
                        due = reached  # as many as are due
                    if reached >= end or (frame.is_map and bytes(scout.cursor.peek(2 * len(STORED_NONE))) == 2 * STORED_NONE):
                        break  # lists around it end with that
                    self._check_event(scout, event)
                elif isinstance(event, PropertyTag):
                    self._check_event(scout, event)
                    scout.skip(event)
                elif isinstance(event, BlobSkip) or event is None:
                    return None
        except SaveError as error:  # the last element before it may be the last of all
            fault = error
        if reached == end:
            return Place(at, ends, count - passed) if count - passed >= last else None
        del frames[depth - 1 :]
        around = [frame.copy() for frame in frames]
        for place, first in ((due, number), (reached, count - passed)):
            if place <= at or first < last or depth == 1:  # -1, or an element seems to start there
                continue
            frames[:] = [frame.copy() for frame in around]
            found = self._go_on_around(scout, depth - 1, place, end, ends)
            if found is not None:
                return Place(at, found, first)
        is_cut = isinstance(fault, TruncatedSave)
        if fault is not None and reached < end and 0 <= number < count and (passed >= LEAST_CUT or is_cut):
            return Place(at, ends, number)
        return None

    # --- looking ahead ---

    def _ahead(self, at: int) -> UnrealReader:
        """Return the second reader, with its cursor at an offset and without open nestings."""
        reader = self.unreal
        scout = self._scout
        if scout is None:
            cursor = reader.cursor_ahead() if isinstance(reader.windows, ForwardWindows) else reader.cursor.fork()
            scout = self._scout = UnrealReader(cursor, reader.dialect, EventAllowance(reader.limits, reader.allowance.source))
        if at < scout.cursor.tell() - LARGE and isinstance(reader.windows, ForwardWindows):
            self._search_budget().spend(int(SCAN * at))  # inflated again
        scout.tags.list_structs = set(reader.tags.list_structs)
        scout.leave_leaf()
        scout.drop(0)
        scout.cursor.set_limit(NO_LIMIT)
        scout.cursor.seek(at)
        return scout

    def _inside(self, at: int, depth: int) -> UnrealReader:
        """Return the second reader at an offset, in the outermost `depth` nestings that are open, with the limit there."""
        scout = self._ahead(at)
        scout.steps = self.unreal.steps
        scout.follow(self.unreal, depth)
        scout.most = self.unreal.most
        scout.cursor.set_limit(self.unreal.cursor.limit())
        return scout

    def _search_budget(self) -> Budget:
        budget = self._budget
        if budget is None:
            reader = self.unreal
            size = int(reader.stream_end)
            if size < 0:
                size = max(reader.windows.readable_end(reader.limits)[0], 0)
            budget = self._budget = Budget(LEAST + TIMES * size)
        return budget

    def _places(self, find: Callable[[bytes], Iterable[int]], begin: int, most: int) -> Iterator[int]:
        """Yield the offsets from `begin` to `most` that are found."""
        return places(self._ahead(begin).windows, find, begin, most, self._search_budget(), SCAN)


def sizeless(header: ObjectHeader) -> ObjectHeader:
    """Return the header of an element of which it is unknown where it ends."""
    start = header.offset
    return ObjectHeader(
        start,
        header.kind,
        header.class_name,
        header.instance_name,
        header.level,
        header.outer,
        header.transform,
        0,
        header.save_version,
        0,
        0,
        start,
        -1,
    )


def resume(reader: UnrealReader, depth: int, at: int, index: int = 0) -> None:
    """Leave all but the outermost `depth` nestings, and walk on at an offset in the innermost of them.

    Args:
        reader: walks.
        depth: at least 1.
        at: where a tag starts, the end of a list, or an element; in a pair of a map, where the next pair does.
        index: the position of that element, in a container.
    """
    reader.drop(depth)
    frame = reader.frames[-1]
    frame.skipped = False
    if not isinstance(frame, ListFrame):
        frame.index = index - 1
        frame.at = 0
    reader.leave_leaf()
    # Ends of frames were changed: so are the limits to go back to.
    limit: i64 = NO_LIMIT
    for frame in reader.frames[1:]:
        if frame.outer_limit >= 0:
            frame.outer_limit = limit
        if frame.end >= 0:
            limit = frame.end
    reader.cursor.set_limit(limit)
    reader.cursor.seek(at)


def opened_for(frames: list[Frame]) -> int:
    """Return how many nestings the events have entered for these frames, from the outermost on, and not left."""
    return 1 + sum((not frame.inline) + (frame.is_map and frame.at > 0) for frame in frames[1:])


def has_lists(frame: Frame) -> bool:
    """Return whether its parts show where they are: it is a list of properties, or has such lists."""
    return isinstance(frame, ListFrame) or (frame.is_elements and frame.peeks)


def is_container(frame: Frame) -> bool:
    """Return whether it has pairs, or elements that may be property lists."""
    return frame.is_map or (frame.is_elements and frame.peeks)


def row_of(frames: list[Frame]) -> ObjectRow | None:
    """Return which elements of the innermost container are objects; None: they are none."""
    return (frames[-1] if frames[-1].is_map or len(frames) < 2 else frames[-2]).row


def free(frames: list[Frame]) -> int:
    """Return the number of the innermost nesting whose end is known; 0 if there is none."""
    return next((number for number in range(len(frames) - 1, 0, -1) if frames[number].end >= 0), 0)


def is_hidden(reader: UnrealReader, at: int) -> bool:
    """Return whether a hole hides if a tag starts at an offset: then nothing speaks against it."""
    try:
        there = len(bytes_at(reader.cursor, at, NEAR))
    except SaveError:
        there = 0
    return there < NEAR and reader.windows.hole_end(at + there) >= 0


def check_header(cursor: Cursor, header: GvasHeader) -> None:
    """Check strings and custom versions of a header that may be damaged.

    Raises:
        DamagedSave: they have taken along what follows them: a length or a number is wrong, and so is all that follows.
    """
    for name in (header.branch, header.save_game_class):
        if "\0" in name:
            raise cursor.damaged("a name in the header", offset=0, expected="no NUL", actual=name[:MOST_SAID])
    versions = header.custom_versions
    odd = [entry.version for entry in versions if not 0 <= entry.version <= MOST_VERSION]
    if odd or len({entry.key for entry in versions}) < len(versions):
        actual = f"version {odd[0]}" if odd else "one of them twice"
        raise cursor.damaged("custom versions in the header", offset=0, expected=f"0 to {MOST_VERSION}", actual=actual)
