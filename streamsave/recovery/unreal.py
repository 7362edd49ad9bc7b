"""Property lists: which properties and elements are sound, and where the walk goes on after a fault.

A second reader, the scout, walks each value before any of it is given. What is whole is given as it is. Of what is not:

| | |
|---|---|
| a list (a struct, an element), a container of lists | is opened, and each part that is certain to be in it is looked at |
| any other value | is lost |

Where a part belongs is certain if a chain of records leads from it to an end that the save states. On the way out, a nesting may
end elsewhere than its size says. Then what is around it decides:

| | |
|---|---|
| own | that ends where it should: only the one size is wrong |
| moved | that ends as many bytes later, or earlier: bytes were put in, or are missing |

Each list has one terminator. So a chain that begins in an inner list has one too many, and leads to no such end.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from streamsave.decode.cursor import NO_LIMIT, Cursor
from streamsave.decode.reader import Reader
from streamsave.errors import LimitExceeded, SaveError, TruncatedSave
from streamsave.events import BlobSkip, Event, Field, ObjectHeader, PropertyTag, SaveStart, StructEnter, StructExit
from streamsave.formats.gvas.header import GvasHeader, check_parts
from streamsave.formats.gvas.key_profiles import KEY_PROFILES_CLASS
from streamsave.formats.unreal.frames import ELEMENTS, LIST, MAP, Frame
from streamsave.formats.unreal.object_rows import MemberNode, ObjectRow
from streamsave.formats.unreal.pool import PoolCursor
from streamsave.formats.unreal.reader import UnrealReader
from streamsave.formats.unreal.tags import STRUCT, looks_like_list
from streamsave.input.forward import ForwardWindows
from streamsave.recovery.chains import STEP, Budget
from streamsave.recovery.driver import Family, Part, reaches
from streamsave.recovery.losses import OBJECT, PROPERTY, Losses, Lost
from streamsave.recovery.unreal_tags import (
    MOST_SAID,
    NEAR,
    STORED_ENDING,
    check_names,
    is_list_at,
    may_be_inner_tag,
    misfit,
    string_before,
    tags_in,
)
from streamsave.values import Opaque

__all__ = ["UnrealFamily"]

#: Bytes that are searched together.
PIECE: Final = 64 * 1024
#: Larger values are measured, not built, to look at them.
LARGE: Final = 256 * 1024
#: How far after an end that may be wrong is searched.
SLACK: Final = 64 * 1024
MANY: Final = 1 << 30
#: Elements that show where they are, though something after them is damaged, too.
CONVINCING: Final = 4
#: Searches may cost so many times what the save has, and so many bytes besides.
TIMES: Final = 6
LEAST: Final = 4 << 20
#: Bytes after the end of a save that are compared with zeros.
AFTER: Final = 64
GUID_SIZE: Final = 16
#: What the trailer of a save starts with.
TRAILER: Final = b"\1\0\0\0"
#: Bytes before the tag of the elements in the value of an array of structs.
INNER_TAG_AT: Final = 4
#: The members of a pair.
PAIR_PARTS: Final = ("key", "value")
#: The type of a `Field` that is a name.
NAME: Final = "name"

#: What a chain shows of the list or container it begins in.
LEADS: Final = 0
BREAKS: Final = 1
STRAYS: Final = 2


class Chain(NamedTuple):
    """Where records lead to: to an end that is certain, to a break in what they begin in, or to an end of something else."""

    verdict: int
    #: The ends of the nestings, outermost first; -1: unknown.
    ends: list[int]
    #: Where the last record starts.
    record: int
    #: Elements of a container that are whole.
    passed: int = 0
    #: Of a container: the position of the first element.
    number: int = 0


class Members:
    """Notes which members an element has of those that tell its kind."""

    def __init__(self, row: ObjectRow) -> None:
        self._nodes: list[MemberNode | None] = [row.proof]
        self._due = int(row.marks)
        self._is_foreign = False
        self._tag: MemberNode | None = None
        self._value = -1

    def see(self, event: Event) -> None:
        if isinstance(event, StructExit):
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
                self._due &= ~int(node.mark)
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

    def __init__(self, reader: Reader) -> None:
        super().__init__(reader)
        assert isinstance(reader, UnrealReader)  # noqa: S101 - the registry says so
        self.unreal: UnrealReader = reader
        self._scout: UnrealReader | None = None
        self._budget: Budget | None = None
        #: More than zeros may follow the save.
        self._has_trailer = False
        #: All before it is whole.
        self._sound = -1
        #: It was looked at, and is lost.
        self._refused = -1
        #: What was looked at comes after the end of the innermost list.
        self._is_over = False
        #: The save ends in what was looked at.
        self._is_cut = False
        #: The last tag that was given.
        self._before: PropertyTag | None = None
        #: Where the tags are whose values are open, outermost first.
        self._trail: list[int] = []
        #: The nestings that the scout has opened in these places: their frames, ends, outer limits and counts.
        self._opened_trail: list[int] = []
        self._opened: list[tuple[Frame, int, int, int]] = []
        #: The limit around the outermost list.
        self._limit: int = NO_LIMIT
        #: Where the walk went on last.
        self._last = -1
        #: Where what is lost begins.
        self._begin = -1
        #: Of open containers, by depth: the name that the first element starts with, as it is stored; how much is before it.
        self._firsts: dict[int, tuple[bytes, int]] = {}
        #: Of the last element that may be an object.
        self._members: Members | None = None
        #: Which members of their pairs are lists.
        self._lists: dict[int, set[str]] = {}
        #: Places in the list that is searched from which no chain leads to its end.
        self._dead: set[int] = set()

    def events(self) -> Iterator[Event | Part]:
        windows = self.unreal.windows
        if isinstance(windows, ForwardWindows):
            windows.bridges = True
        for event in self.unreal.events():
            yield event
            if isinstance(event, SaveStart) and isinstance(event.header, GvasHeader):
                check_parts(self.unreal.cursor, event.header)
                self._has_trailer = event.header.save_game_class.endswith(KEY_PROFILES_CLASS)

    # --- before an event is given ---

    def check(self, event: Event) -> Event:
        frames = self.unreal.frames()
        if event.offset < self._sound or not frames:
            return event
        self._is_over = isinstance(event, BlobSkip)
        self._refused = -1 if self._is_over else event.offset
        try:
            if isinstance(event, PropertyTag):
                self._check_property(event)
            elif isinstance(event, BlobSkip):
                self._check_skip(self.unreal, event)
            elif frames[0].kind != LIST:
                self._check_trailer(event)
            elif isinstance(event, ObjectHeader) or (
                isinstance(event, StructEnter) and event.index >= 0 and event.header_size == 0
            ):
                event = self._check_element(event)
        except SaveError as error:
            scout = self._scout
            self._is_cut = isinstance(error, TruncatedSave) and (not isinstance(event, PropertyTag) or self._is_cut)
            if scout is not None and error is scout.cursor.fault:
                self.unreal.cursor.fault = error  # the reader comes to it next
            raise
        self._refused = -1
        self._is_cut = self._is_over = False
        return event

    def prove(self, event: Event) -> None:
        reader = self.unreal
        frames = reader.frames()
        if event.offset < self._sound or not frames or frames[0].kind != LIST or isinstance(event, Field):
            return
        depth = len(frames) - (not isinstance(event, PropertyTag))
        if 0 < depth <= len(self._trail):
            scout = self._scout_at(depth, self._trail[depth - 1])
            self._walk_value(scout, tag_of(scout))

    def _check_trailer(self, event: Event) -> None:
        """Look at a member of what follows the properties of a save.

        Raises:
            DamagedSave: it has no such name, or it is a GUID where there would be a trailer.
        """
        reader = self.unreal
        frame = reader.frames()[0]
        if isinstance(event, StructEnter) and "\0" in event.name:
            raise reader.cursor.damaged("a name that goes on after its end", offset=event.offset)
        is_alone = frame.struct is not None and len(frame.struct.names) == 1
        if self._has_trailer and is_alone and isinstance(event, Field) and event.size > GUID_SIZE:
            raise reader.cursor.damaged("a GUID, but no trailer", offset=event.offset)

    def _check_property(self, tag: PropertyTag) -> None:
        """Look at a property before it is given.

        Raises:
            SaveError: it is lost.
        """
        reader = self.unreal
        before = self._before
        self._before = tag
        is_next = before is not None and tag.offset == before.value_offset + before.size
        if before is not None and is_next and tag.type == STRUCT and (tag.name, tag.index) == (before.name, before.index):
            # The tag of the elements of an array whose own tag is damaged comes right after that. No game writes one twice.
            raise reader.cursor.damaged("a property that is there twice", offset=tag.offset, actual=tag.name[:MOST_SAID])
        frames = reader.frames()
        if frames[0].kind != LIST:  # in a trailer: any list can be walked alone
            scout = self._ahead(tag.offset)
            scout.begin_list(reader.cursor.limit())
            check_names(scout, tag_of(scout))
            self._walk_value(scout, tag)
            self._sound = tag.value_offset + tag.size
            return
        depth = len(frames)
        if depth == 1:
            self._limit = reader.cursor.limit()
        self._trail[depth - 1 :] = [tag.offset]
        scout = self._scout_at(depth, tag.offset)
        check_names(scout, tag_of(scout))
        try:
            self._walk_value(scout, tag)
        except SaveError:
            if not self._is_certain(depth, tag):
                raise
        else:
            self._sound = tag.value_offset + tag.size

    def _is_certain(self, depth: int, tag: PropertyTag) -> bool:
        """Return whether the last tag opens a list or a container of lists, and what is in it belongs there up to a fault."""
        scout = self._scout_at(depth, tag.offset)
        scout.walk()
        try:
            event = scout.open_value() if scout.tags.nests else None
            if not isinstance(event, StructEnter) or len(scout.frames()) != depth + 1:
                return False
            frame = scout.frames()[-1]
            content = int(scout.cursor.tell())
            if frame.kind == ELEMENTS or frame.kind == MAP:
                self._lists[depth + 1] = set()
                first = self._firsts[depth + 1] = self._first_of(scout)
                if not first[0]:
                    return False
            elif frame.kind != LIST:
                return False
        except SaveError:
            return False
        self._dead.clear()
        chain = self._chain(depth + 1, content, is_gapless=True)
        if chain.verdict == STRAYS:
            # What comes before is in it, wherever it ends.
            self._refused = max(self._refused, min(chain.record, tag.value_offset + tag.size - 1))
        return chain.verdict != STRAYS

    def _first_of(self, scout: UnrealReader) -> tuple[bytes, int]:
        """Return the name that the first element starts with, and how much comes before it; no name if none does."""
        start = scout.cursor.tell()
        while True:
            event = scout.walk()
            if isinstance(event, PropertyTag):
                cursor = scout.cursor
                cursor.seek(event.offset)
                cursor.name()
                size = int(cursor.tell()) - event.offset
                cursor.seek(event.offset)
                return bytes(cursor.take(size)), event.offset - int(start)
            if event is None or isinstance(event, (BlobSkip, StructExit)):
                return b"", 0

    def _check_element(self, event: Event) -> Event:
        """Look at an element or pair before it is given; return it, or the header of an object whose size is unknown.

        Raises:
            SaveError: it is lost.
        """
        reader = self.unreal
        frames = reader.frames()
        depth = len(frames) - (frames[-1].kind != MAP)
        container = frames[depth - 1]
        self._trail[depth - 1 :] = [event.offset]
        scout = self._scout_at(depth, event.offset, int(container.index))
        try:
            self._walk_elements(scout, depth, container.row, 1, self._lists[depth])
        except SaveError as fault:
            headers, members = reader.openers.headers, self._members
            if container.row is not None and (
                not isinstance(event, ObjectHeader)
                or headers is None
                or members is None
                or not members.are_right()
                or headers.found_at > fault.offset
            ):
                raise  # what is wrong may be what its header says
            if not self._is_certain_element(depth, event.offset, int(container.index)):
                raise
            return sizeless(event) if isinstance(event, ObjectHeader) else event
        self._sound = int(scout.cursor.tell())
        return event

    def _is_certain_element(self, depth: int, at: int, index: int) -> bool:
        """Return whether an element, or the value of a pair, is a list, and what is in it belongs there up to a fault."""
        scout = self._scout_at(depth, at, index)
        frames = scout.frames()
        container = frames[-1]
        scout.walk()
        while container.kind == MAP and container.at > 0 and len(frames) == depth:
            event = scout.walk()
            if isinstance(event, StructEnter) and event.name == PAIR_PARTS[0]:
                self._walk_elements(scout, depth + 1, None, MANY, set())
        if len(frames) != depth + 1 or frames[-1].kind != LIST:
            return False
        self._dead.clear()
        return self._follow(scout, depth + 1, MANY, is_gapless=True).verdict != STRAYS

    # --- whole values ---

    def _walk_value(self, scout: UnrealReader, tag: PropertyTag) -> None:
        """Walk to the end of the value of the last tag.

        Raises:
            SaveError: it is not what its type and size say.
        """
        cursor = scout.cursor
        end = tag.value_offset + tag.size
        if tag.guid is not None and is_list_at(cursor, tag.value_offset - GUID_SIZE + tag.size):
            raise cursor.damaged("the GUID of a property is its value", offset=tag.offset)
        depth = len(scout.frames())
        event = scout.open_value() if scout.tags.nests else None
        is_opaque = False
        if event is None:
            scout.start_budget()
            try:
                is_opaque = self._is_opaque(scout, tag)
            except LimitExceeded:
                return
            finally:
                scout.leaf_end = end
                scout.tags.nests = False
        elif isinstance(event, BlobSkip):
            self._check_skip(scout, event)
        else:
            self._is_cut = True
            self._walk_inside(scout, depth)
            self._is_cut = False
            if cursor.tell() != end:
                raise misfit(cursor, tag)
        if not is_list_at(cursor, end) and not is_hidden(scout, end) and (is_opaque or swallows(cursor, tag, end)):
            raise misfit(cursor, tag)
        cursor.seek(end)

    def _is_opaque(self, scout: UnrealReader, tag: PropertyTag) -> bool:
        """Look at a value without events in it; return whether its layout is unknown."""
        cursor = scout.cursor
        cursor.seek(tag.value_offset)
        if tag.size <= LARGE:
            return isinstance(scout.value(tag), Opaque)
        limit = cursor.limit()
        cursor.check_reaches(tag.value_offset + tag.size)
        cursor.set_limit(tag.value_offset + tag.size)
        codec = scout.values.layout(scout, cursor, tag)
        cursor.seek(tag.value_offset)
        if codec is not None:
            codec.measure(cursor, scout)
            if cursor.remaining() > 0:
                raise misfit(cursor, tag)
        cursor.set_limit(limit)
        return False

    def _walk_inside(self, scout: UnrealReader, depth: int) -> None:
        """Walk out of the innermost nesting, which is open in `depth` others.

        Raises:
            SaveError: something is not what it seems.
        """
        frame = scout.frames()[depth]
        headers = self.unreal.openers.headers
        row = None
        if headers is not None and frame.name in headers.profile.last_names:
            row = headers.profile.find(scout.nestings.path(()))
        self._walk_elements(scout, depth + 1, row, MANY, set())

    def _walk_elements(self, scout: UnrealReader, depth: int, row: ObjectRow | None, most: int, lists: set[str]) -> None:
        """Walk through the innermost of `depth` nestings: out of it, or out of `most` elements or pairs.

        `lists` are the members of a pair that were lists so far.

        Raises:
            SaveError: something is not what it seems.
        """
        frames = scout.frames()
        container = frames[-1]
        inside = depth + (container.kind != MAP)
        members: Members | None = None
        while True:
            event = scout.walk()
            if isinstance(event, StructEnter) and event.index >= 0 and len(frames) == inside and row is not None:
                members = self._members = Members(row)
            elif members is not None and event is not None:
                members.see(event)
            if isinstance(event, PropertyTag):
                check_names(scout, event)
                self._walk_value(scout, event)
            elif isinstance(event, BlobSkip):
                self._check_skip(scout, event)
            elif isinstance(event, StructEnter):
                if event.index >= 0 and event.header_size == 0 and frames[-1].kind == LIST and not looks_like_list(scout.cursor):
                    raise scout.cursor.damaged("an element that is no list of properties", offset=event.offset)
                if event.name in PAIR_PARTS and len(frames) > 1 and frames[-2].kind == MAP:
                    lists.add(event.name)
            elif isinstance(event, Field):
                if event.name in lists and frames[-1].kind == MAP:
                    raise scout.cursor.damaged(f"a {event.name} that is no list of properties", offset=event.offset)
                check_name(scout.cursor, event)
            elif event is None or len(frames) < depth:
                return
            elif len(frames) == depth and (container.kind != MAP or container.at == 0):
                if row is not None and members is not None and not members.are_right():
                    raise scout.cursor.damaged(f"an element without what each {row.kind} has", offset=event.offset)
                most -= 1
                if most == 0:
                    return

    def _check_skip(self, reader: UnrealReader, skip: BlobSkip) -> None:
        """Look at bytes that are passed over: a value of unknown layout, or what is left of a nesting."""
        cursor = reader.cursor
        frames = reader.frames()
        if not frames:
            return
        if skip.size < 0:
            raise cursor.damaged("a nesting that goes on after its end", offset=skip.offset)
        at = cursor.tell()
        is_value = reader.leaf_end >= 0
        end = skip.offset + skip.size
        limit = cursor.limit()
        cursor.set_limit(NO_LIMIT)
        cursor.seek(skip.offset)
        has_tags = STORED_ENDING in cursor.peek(min(skip.size, LARGE))
        if not is_value:
            cursor.set_limit(frames[-2].end if len(frames) > 1 and frames[-2].end >= 0 else NO_LIMIT)
        tag = reader.tags.last
        if is_value and tag.type == STRUCT:
            codec = reader.dialect.structs.get(tag.type_name)
            has_tags = has_tags or (codec is not None and codec.size >= 0)  # no game writes one of another size
        is_wrong = has_tags or not (is_list_at(cursor, end) or is_hidden(reader, end))
        cursor.set_limit(limit)
        cursor.seek(at)
        if is_wrong or not (is_value or frames[-1].kind == LIST):
            what = "bytes that are no value" if is_value else "bytes after the end"
            raise cursor.damaged(what, offset=skip.offset, actual=skip.size)

    # --- after a fault ---

    def mend(self, error: SaveError, losses: Losses) -> Lost | None:
        reader = self.unreal
        frames = reader.frames()
        if not frames or frames[0].kind != LIST or self._is_cut:
            return None  # what is cut off has all the rest in it
        is_leaf = reader.leaf_end >= 0
        stated = int(reader.leaf_end)
        hole = hole_end(reader, error.offset) if error is reader.cursor.fault else -1
        begin = max(losses.claimed_end(in_leaf=False), hole, self._last + 1, self._refused + 1)
        self._begin = begin
        is_gapless = self._refused < 0 and hole < 0
        natural = self._natural_end() if self._refused >= 0 and is_leaf else -1
        self._refused = -1
        name = reader.leaf_name if is_leaf and "\0" not in reader.leaf_name and len(reader.leaf_name) <= MOST_SAID else ""
        # First where the ends are that are known, then after them.
        for depth, slack in [(depth, slack) for slack in (0, SLACK) for depth in range(len(frames), 0, -1)]:
            frame = frames[depth - 1]
            is_pair = frame.kind == MAP and frame.at > 0
            if 1 + reader.nesting_depth(depth) - is_pair > losses.most or 0 <= frame.end < hole:
                continue  # no event has opened it, or it ends in the hole
            self._dead.clear()
            if depth < len(frames):
                is_leaf, natural, stated = False, -1, int(frames[depth].end)
            if frame.kind == LIST:
                likely = (natural, stated)
                place, at = self._find_tag(depth, begin, -1 if is_leaf else stated, slack, likely, is_gapless=is_gapless)
            else:
                place, at = self._find_element(depth, begin, slack)
            if place is None:
                continue
            was_at = int(frame.index)
            lost_name = frames[depth].name if depth < len(frames) else name
            move_ends(frames, place.ends)
            reader.resume(depth, at, place.number)
            self._last = at
            self._sound = -1
            path = reader.path()
            kept = 1 + int(reader.nesting_depth(depth))
            if frame.kind == LIST:
                return Lost(PROPERTY, lost_name or frame.name, (*path, lost_name) if lost_name else path, at, kept)
            kind = PROPERTY if frame.row is None else OBJECT
            number = max(place.number - was_at, 1)
            return Lost(kind, f"{frame.name}[{was_at}]", (*path, was_at), at, kept, number=number)
        return None

    def _natural_end(self) -> int:
        """Return where the value of the tag that was refused ends by its type; -1 if that is unknown."""
        reader = self.unreal
        tag = self._before
        codec = None if tag is None else reader.dialect.scalar(tag.type)
        if tag is None or codec is None:
            return -1
        scout = self._ahead(tag.value_offset)
        try:
            codec.measure(scout.cursor, scout)
        except SaveError:
            return -1
        return int(scout.cursor.tell())

    def _find_tag(
        self, depth: int, begin: int, stated: int, slack: int, likely: tuple[int, int], *, is_gapless: bool
    ) -> tuple[Chain | None, int]:
        """Return the chain with which a property list goes on, and where that starts.

        Args:
            depth: it is the innermost of so many nestings.
            begin: from where on.
            stated: where the nesting that is lost ends by its size; -1: there is none.
            slack: how far to search after the known end.
            likely: where it goes on if what is lost has the size that its type says, or its tag.
            is_gapless: nothing is lost if it goes on at `begin`.
        """
        ends = [int(frame.end) for frame in self.unreal.frames()[1:depth] if frame.end >= 0]
        most = ends[-1] + slack if ends else NO_LIMIT
        if self._is_over and depth == len(self.unreal.frames()):
            most = begin + 1  # no more of it comes
        pattern, _ = self._firsts.get(depth - 1, (b"", 0))
        if depth > 1 and self.unreal.frames()[depth - 1].end < 0 and pattern:  # an element: the next one starts there
            most = next(self._occurrences(pattern, begin + 1, most), most)
        for at in [stated] if begin <= stated <= most else []:
            place = self._go_on(depth, at, likely)
            if place is not None:
                return place, at
        for at in self._starts(begin, most):
            place = self._go_on(depth, at, likely, is_gapless=is_gapless and at == begin and self._is_whole(depth, at))
            if place is not None:
                return place, at
        return None, -1

    def _is_whole(self, depth: int, at: int) -> bool:
        """Return whether a property is whole that goes on after the end of what is around it, or the end of a list."""
        try:
            scout = self._scout_at(depth, at)
            for frame in scout.frames():
                frame.end = -1
            scout.cursor.set_limit(NO_LIMIT)
            event = scout.walk()
            if isinstance(event, PropertyTag):
                check_names(scout, event)
                self._walk_value(scout, event)
        except SaveError:
            return False
        return True

    def _go_on(self, depth: int, at: int, likely: tuple[int, int], *, is_gapless: bool = False) -> Chain | None:
        """Return the chain from a tag or the end of a list, if it leads to an end that is certain, or the place is likely."""
        if at in self._dead or not reaches(self.unreal.windows, at):
            return None
        if not is_gapless and may_be_inner_tag(self._ahead(at), at, is_likely=at == likely[0]):
            return None
        chain = self._chain(depth, at, is_gapless=is_gapless)
        # Something else may be damaged after it.
        is_right = chain.verdict == LEADS or (chain.verdict == BREAKS and at in likely and chain.record > at)
        return chain if is_right else None

    def _find_element(self, depth: int, begin: int, slack: int) -> tuple[Chain | None, int]:
        """Return the chain of the first element that begins like the first one of a container, and where it starts."""
        frame = self.unreal.frames()[depth - 1]
        pattern, before = self._firsts.get(depth, (b"", 0))
        if not pattern or frame.end < 0:
            return None, -1
        last = int(frame.index)
        index = last + 1
        for found in self._occurrences(pattern, begin, int(frame.end) + slack):
            at = (
                found - before if frame.kind != MAP or frame.key is None or frame.key.size >= 0 else self._key_start(found, begin)
            )
            if at < begin:
                continue
            chain = self._chain(depth, at, index)
            is_convincing = chain.verdict == BREAKS and chain.passed >= CONVINCING
            if (chain.verdict == LEADS or is_convincing) and chain.number >= last:
                return chain, at
            index += 1
        end = int(frame.end)
        around = self._chain(depth - 1, end) if end + 1 >= begin else None  # no element may start there, but a tag
        if around is not None and around.verdict == LEADS:
            return Chain(LEADS, [*around.ends, end], end, number=int(frame.count)), end
        return None, -1

    def _key_start(self, at: int, begin: int) -> int:
        """Return where the text starts, not before `begin`, that ends at an offset: the key of a pair; -1 if none does."""
        cursor = self._ahead(max(at - NEAR, begin)).cursor
        start = int(cursor.tell())
        found = string_before(bytes(cursor.peek(at - start)), at - start)
        return start + found if found >= 0 else -1

    # --- chains ---

    def _chain(self, depth: int, at: int, index: int = 0, *, is_gapless: bool = False) -> Chain:
        """Follow the records of the innermost of `depth` nestings, and then of those around it.

        Args:
            depth: as it says.
            at: where a tag, the end of a list, or an element starts.
            index: the position of that element.
            is_gapless: nothing was lost before it.
        """
        scout = self._scout_at(depth, at, index)
        frame = scout.frames()[-1]
        count = int(frame.count)
        chain = self._follow(scout, depth, MANY, is_gapless=is_gapless)
        if frame.kind == LIST:
            return chain
        if chain.verdict == LEADS:
            return chain._replace(number=count - chain.passed)
        # Its size may be what is wrong; then it has as many elements as it says.
        counted = self._follow(self._scout_at(depth, at, index), depth, count, is_gapless=is_gapless)
        if counted.verdict == LEADS:
            return counted._replace(number=index)
        # Or both, if there are more or fewer: then all ends around it are moved, unless nothing was lost before it.
        moved = self._follow(
            self._scout_at(depth, at, index), depth, index + chain.passed, is_gapless=is_gapless, is_counted=False
        )
        if moved.verdict == LEADS:
            return moved._replace(number=count - chain.passed)
        return chain._replace(number=min(count - chain.passed, index))

    def _follow(self, scout: UnrealReader, depth: int, count: int, *, is_gapless: bool, is_counted: bool = True) -> Chain:
        """Follow records from where the scout is.

        Args:
            scout: as `_scout_at` leaves it.
            depth: so many of its nestings are followed.
            count: what the innermost one, a container, may have.
            is_gapless: as for `_chain`.
            is_counted: that count shows where the container ends.
        """
        frames = scout.frames()
        ends = [int(frame.end) for frame in frames]
        for frame in frames[1:]:
            frame.end = frame.outer_limit = -1
        first = frames[-1]
        stated = ends[-1]
        if first.kind != LIST:
            first.count = count
        scout.cursor.set_limit(self._limit if depth == 1 else NO_LIMIT)
        budget = self._search_budget()
        passed, start, shift = -1, int(scout.cursor.tell()), 0
        record, was, moved = start, -1, ends
        is_certain = is_gapless
        is_first, is_odd, has_met = False, False, False
        names: set[str] = set()
        lists: set[str] = set()
        inner = depth
        while budget.spend(STEP):
            try:
                event = scout.walk()
                if isinstance(event, PropertyTag):
                    check_names(scout, event)
                    scout.skip(event)
            except SaveError:
                event = BlobSkip(0, 0, "")
            if isinstance(event, BlobSkip) or (isinstance(event, Field) and event.name in lists and len(frames) == depth):
                is_inside = inner == depth and shift == 0 and (stated < 0 or record < stated)
                is_odd = is_odd or (first.kind == MAP and first.key_start is None and is_list_at(scout.cursor, record))
                return Chain(BREAKS if is_inside and (is_gapless or not is_odd) else STRAYS, ends, record, passed)
            if event is None:
                # What its size says is after the end of the save, or as many bytes may have been put in where some are lost.
                is_right = (
                    shift == 0 or is_certain or was > scout.cursor.tell() or (0 < shift <= start - self._begin and start < was)
                )
                return Chain(LEADS if is_right and self._is_end_of_save(scout) else STRAYS, ends, record, passed)
            if inner == depth and stated >= 0 and event.offset > stated + SLACK:
                return Chain(STRAYS, ends, record, passed)
            if isinstance(event, PropertyTag):
                if inner == depth == len(frames):
                    record = event.offset
                    if record in self._dead:
                        return Chain(STRAYS, ends, record, passed)
                    self._dead.add(record)
                elif inner == depth and len(frames) == depth + 1:
                    is_odd = is_odd or (is_first and not is_gapless and bool(names) and event.name not in names)
                    is_first = False
                    names.add(event.name)
            elif (
                isinstance(event, StructEnter)
                and inner == depth
                and event.index >= 0
                and len(frames) == depth + (first.kind != MAP)
            ):
                record = event.offset
                is_first = True
                passed += 1
                if count == MANY and record == stated and (is_list_at(scout.cursor, record) or is_hidden(scout, record)):
                    return Chain(LEADS, ends, record, passed)
                if first.kind != MAP and first.codec is None and not looks_like_list(scout.cursor):
                    return Chain(BREAKS if record < stated and (is_gapless or not is_odd) else STRAYS, ends, record, passed)
            elif isinstance(event, StructEnter) and event.name in PAIR_PARTS and frames[-2] is first:
                lists.add(event.name)
            elif isinstance(event, StructEnter) and inner == depth - 1 and event.index >= 0 and not has_met:
                has_met = True
                is_odd = not is_gapless and not self._is_like_first(scout, inner)
            while len(frames) < inner:
                inner -= 1
                if inner == depth - 1 and first.kind != LIST:
                    if is_odd or passed < 0:
                        return Chain(STRAYS, ends, record, passed)
                    is_certain = is_certain or is_counted
                end = int(scout.cursor.tell())
                if ends[inner] < 0:
                    continue
                goes_on = is_list_at(scout.cursor, end) or is_hidden(scout, end)
                if end == ends[inner]:
                    return Chain(LEADS if goes_on and (shift == 0 or is_certain) else STRAYS, ends, record, passed)
                if shift == 0:
                    was = ends[inner]
                    shift = end - was
                    moved = [one + shift if one >= 0 else one for one in ends]
                    ends[inner] = end
                else:
                    is_right = goes_on and not is_odd and end - ends[inner] == shift
                    return Chain(LEADS if is_right else STRAYS, moved, record, passed)
        return Chain(STRAYS, ends, record, passed)

    def _is_like_first(self, scout: UnrealReader, depth: int) -> bool:
        """Return whether the element or pair that was just opened starts with the same name as the first one of its container."""
        name, before = self._firsts.get(depth, (b"", 0))
        key = scout.frames()[depth - 1].key
        if key is not None and key.size < 0:
            return True  # how much comes before the name is unknown
        return bytes(scout.cursor.peek(before + len(name)))[before:] == name

    def _is_end_of_save(self, scout: UnrealReader) -> bool:
        """Return whether what follows the outermost list is what follows it in a save."""
        cursor = scout.cursor
        cursor.set_limit(NO_LIMIT)
        try:
            has_guid = cursor.u32()
            if has_guid > 1:
                return False
            cursor.take(GUID_SIZE * has_guid)  # not `skip`: the stream may end before
            after = bytes(cursor.peek(AFTER))
        except SaveError:
            return False
        return not after.strip(b"\0") or (self._has_trailer and after.startswith(TRAILER))

    # --- looking ahead ---

    def _scout_at(self, depth: int, at: int, index: int = 0) -> UnrealReader:
        """Return the scout in `depth` nestings, like those of the reader, at a record of the innermost of them."""
        trail = self._trail[: depth - 1]
        if len(self._opened) < depth or self._opened_trail[: depth - 1] != trail:
            self._open(trail)
        scout = self._ahead(at)
        frames = scout.frames()
        around = self.unreal.frames()
        for number, (frame, end, outer_limit, count) in enumerate(self._opened[:depth]):
            frame.end, frame.outer_limit, frame.count = end, outer_limit, count
            if number < len(around):
                like = around[number]
                frame.end, frame.outer_limit, frame.index, frame.at = like.end, like.outer_limit, like.index, like.at
                frame.noted = like.noted
            frame.skipped = False
            frames.append(frame)
        scout.resume(depth, at, index)
        if depth == 1:
            scout.cursor.set_limit(self._limit)
        return scout

    def _open(self, trail: list[int]) -> None:
        """Open the values of some tags, each in the one before it, with the scout."""
        around = self.unreal.frames()
        scout = self._ahead(trail[0] if trail else 0)
        scout.begin_list(self._limit)
        for depth, at in enumerate(trail, 1):
            if depth < len(around) and around[depth].kind == LIST and around[depth].end < 0:
                scout.frames().append(Frame(LIST, around[depth].name, -1, -1))  # an element
                continue
            scout.resume(depth, at)
            scout.walk()
            scout.open_value()
            if len(scout.frames()) != depth + 1:
                raise scout.cursor.damaged("a value that does not open", offset=at)
        self._opened = [(frame, int(frame.end), int(frame.outer_limit), int(frame.count)) for frame in scout.frames()]
        self._opened_trail = trail

    def _ahead(self, at: int) -> UnrealReader:
        """Return the scout with its cursor at an offset and without open nestings."""
        reader = self.unreal
        scout = self._scout
        if scout is None:
            cursor = reader.cursor_ahead() if isinstance(reader.windows, ForwardWindows) else reader.cursor.fork()
            scout = self._scout = reader.ahead(cursor)
        if at < scout.cursor.tell() - LARGE and isinstance(reader.windows, ForwardWindows):
            self._search_budget().spend(at)  # inflated again
        if isinstance(scout.cursor, PoolCursor) and isinstance(reader.cursor, PoolCursor):
            scout.cursor.names = reader.cursor.names
        scout.tags.list_structs = set(reader.tags.list_structs)
        scout.abandon()
        scout.cursor.set_limit(NO_LIMIT)
        scout.cursor.seek(at)
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

    def _pieces(self, begin: int, most: int) -> Iterator[tuple[int, bytes]]:
        """Yield the bytes that can be read from `begin` to `most`, in pieces with what comes next."""
        windows = self._ahead(begin).windows
        at = begin
        while at < most and self._search_budget().spend(PIECE // 4):
            cursor = self._ahead(at).cursor
            try:
                data = bytes(cursor.peek(PIECE + NEAR))
            except SaveError:
                data = b""
            if not data:
                at = int(windows.window_end(at))
                if at < 0:
                    return
                continue
            yield at, data[: most - at + NEAR]
            at += min(len(data), PIECE)

    def _occurrences(self, pattern: bytes, begin: int, most: int) -> Iterator[int]:
        for start, data in self._pieces(begin, most):
            at = data.find(pattern)
            while 0 <= at < PIECE and start + at < most:
                yield start + at
                at = data.find(pattern, at + 1)

    def _starts(self, begin: int, most: int) -> Iterator[int]:
        """Yield where tags and terminators may start."""
        for start, data in self._pieces(begin, most):
            for at in tags_in(data, with_ends=True):
                if at < PIECE and start + at < most:
                    yield start + at


def sizeless(header: ObjectHeader) -> ObjectHeader:
    """Return the header of an element of which it is unknown where it ends."""
    at, version = header.offset, header.save_version
    kind, class_name, level, outer, place = header.kind, header.class_name, header.level, header.outer, header.transform
    return ObjectHeader(at, kind, class_name, header.instance_name, level, outer, place, 0, version, 0, 0, at, -1)


def tag_of(scout: UnrealReader) -> PropertyTag:
    """Read the tag that starts at the scout's cursor."""
    tag = scout.walk()
    if not isinstance(tag, PropertyTag):
        raise scout.cursor.damaged("not the tag of a property", offset=int(scout.cursor.tell()))
    return tag


def move_ends(frames: list[Frame], ends: list[int]) -> None:
    """Let nestings end elsewhere."""
    outer = -1
    for frame, end in zip(frames, ends, strict=False):
        if outer >= 0 and frame.outer_limit >= 0:
            frame.outer_limit = outer
        frame.end = end
        outer = end if end >= 0 else outer


def check_name(cursor: Cursor, field: Field) -> None:
    """Look at a value that is a name: a NUL is only at its end."""
    if field.type != NAME or field.size <= 4 or (isinstance(cursor, PoolCursor) and cursor.names):
        return
    stored = bytes(cursor.peek(field.size))
    # A negative length is that of a text of two bytes a character.
    width = 1 if int.from_bytes(stored[:4], "little", signed=True) > 0 else 2
    if 0 in memoryview(stored[4 : field.size - width]).cast("B" if width == 1 else "H"):
        raise cursor.damaged("a name that goes on after its end", offset=field.offset, actual=field.size)


def swallows(cursor: Cursor, tag: PropertyTag, end: int) -> bool:
    """Return whether the next tag starts in a value that no tag follows."""
    limit = cursor.limit()
    cursor.set_limit(NO_LIMIT)
    begin = max(tag.value_offset - (0 if tag.guid is None else GUID_SIZE), end - NEAR)
    if tag.inner_type == STRUCT:
        begin = max(begin, tag.value_offset + INNER_TAG_AT + 1)  # not at the tag of its elements
    cursor.seek(begin)
    data = cursor.peek(end - begin + NEAR)
    cursor.set_limit(limit)
    return any(begin + at < end for at in tags_in(data))


def is_hidden(reader: UnrealReader, at: int) -> bool:
    """Return whether a hole hides if a tag starts at an offset: then nothing speaks against it."""
    cursor = reader.cursor
    start, limit = cursor.tell(), cursor.limit()
    cursor.set_limit(NO_LIMIT)
    cursor.seek(at)
    try:
        there = len(cursor.peek(NEAR))
    except SaveError:
        there = 0
    cursor.set_limit(limit)
    cursor.seek(start)
    return there < NEAR and hole_end(reader, at + there) >= 0


def hole_end(reader: UnrealReader, offset: int) -> int:
    """Return where the stream can be read again after damaged bytes."""
    windows = reader.windows
    return int(windows.hole_end(offset)) if isinstance(windows, ForwardWindows) else -1
