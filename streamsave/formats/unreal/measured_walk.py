"""The walk that is taken twice over what has parts without sizes: arrays, sets, maps, binary structs.

A second reader walks them to their end, before their tag is given, and passes over what is lost as the first will. Where a
container ends at its size, all in it is certain but for what has a doubt of its own. Where it does not, only those elements are
that are property lists and end before the fault: a list ends with its terminator, and each property in it is proven. If there are
none, the container is lost, with its tag.

For what is large, the second reader has windows of its own: it goes forward only, too, so all is inflated twice at most.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from streamsave._native import i64
from streamsave.decode.cursor import NO_LIMIT, Cursor
from streamsave.decode.reader import FINAL_LIMITS, Reader
from streamsave.errors import LimitExceeded, SaveError, TruncatedSave
from streamsave.events import BlobSkip, Damage, Event, Field, PropertyTag, StructEnter
from streamsave.formats.unreal.frames import LIST, MAP, Frame
from streamsave.formats.unreal.list_chain import PAIR_READ, ends_well
from streamsave.formats.unreal.pool import PoolCursor
from streamsave.formats.unreal.property_walker import PropertyWalker
from streamsave.formats.unreal.proven_tags import LARGE, Doubt, ProvenWalker
from streamsave.input.forward import has_bytes_after
from streamsave.limits import Limits

if TYPE_CHECKING:
    from streamsave.formats.unreal.dialect import Dialect

__all__ = ["KnownWalker", "MeasuredWalker"]


#: The type of a `Field` that is a name.
NAME: Final = "name"


class MeasuredWalker(ProvenWalker):
    """Walks like `walker`, and gives no container before `ahead`, a second reader with a `ProvenWalker`, was at its end."""

    def __init__(self, limits: Limits, walker: PropertyWalker, ahead: Reader, ahead_walker: ProvenWalker) -> None:
        super().__init__(limits, walker, ahead_walker.doubts)
        self._ahead = ahead
        self._walker = ahead_walker
        #: For large values: on windows of its own.
        self._far: Cursor | None = None
        #: The dialect that `ahead` has a copy of.
        self._dialect: Dialect | None = None
        #: Up to where all tags are known that are read inside of containers.
        self._known_to: i64 = -1
        #: The limit around what is measured, and how many nestings are.
        self._limit: i64 = NO_LIMIT
        self._base: i64 = 0

    def expect_full(self, names: frozenset[str]) -> None:
        """Expect no empty elements in containers of these names."""
        self.chain.full = names
        self._walker.chain.full = names

    def knows(self, tag: PropertyTag) -> bool:
        return tag.offset < self._known_to and tag.offset not in self.doubts

    def open(self, reader: Reader) -> Event | None:
        event = super().open(reader)
        _cut(event, self.nestings.top, self.doubts)
        return event

    def large_fits(self, reader: Reader, tag: PropertyTag) -> bool:
        ahead = self._ahead
        self._begin(reader, tag)
        try:
            return self._walker.measures(ahead, tag)
        finally:
            self._walker.nestings.frames.clear()

    def nesting_doubt(self, reader: Reader, tag: PropertyTag) -> Doubt | None:
        if tag.offset < self._known_to:
            return self.doubts.get(tag.offset)
        self.doubts.clear()
        self._walker.is_hopeless = False
        end = reader.leaf_end
        self._begin(reader, tag)
        try:
            known_to = self._measure(tag, end)
        finally:
            frames = self._walker.nestings.frames
            frames.clear()
            self._walker.nestings.top = None
        doubt = self.doubts.get(tag.offset)
        if self._walker.is_hopeless and doubt is None:
            doubt = Doubt(self.misfit(reader, tag), 0)
        if doubt is None or doubt.sound > 0:
            self._known_to = known_to
        return doubt

    def _begin(self, reader: Reader, tag: PropertyTag) -> None:
        """Move the second reader to the value of a tag, with all nestings around it."""
        ahead, walker = self._ahead, self._walker
        cursor = reader.cursor
        if tag.size > LARGE:
            if self._far is None:
                self._far = reader.cursor_ahead()
            ahead.cursor = self._far
        else:
            ahead.cursor = cursor.fork()
        ahead.windows = ahead.cursor.windows
        ahead.cursor.seek(tag.value_offset)
        ahead.cursor.set_limit(cursor.limit())
        ahead.steps = reader.steps
        ahead.leaf_name = reader.leaf_name
        ahead.leaf_index = reader.leaf_index
        ahead.leaf_end = reader.leaf_end
        ahead.resyncs = True
        dialect = self.tags.dialect
        if self._dialect is not dialect:
            self._dialect = dialect
            walker.tags.dialect = dialect.fork()
        elif walker.tags.dialect.list_structs != dialect.list_structs:
            walker.tags.dialect.list_structs = set(dialect.list_structs)
        walker.tags.take_over(self.tags)
        walker.tag = tag
        nestings = walker.nestings
        nestings.frames.clear()
        nestings.frames.extend(self.nestings.frames)
        nestings.top = self.nestings.top
        nestings.most = self.nestings.most
        walker.chain.root_end = self.chain.root_end
        self._limit = cursor.limit()
        self._base = len(nestings.frames)

    def _measure(self, tag: PropertyTag, end: i64) -> i64:
        """Walk through the value of a tag, and note what does not have its size. Return up to where all is known."""
        ahead, walker = self._ahead, self._walker
        frames = walker.nestings.frames
        is_first = True
        while is_first or len(frames) > self._base:
            try:
                if not is_first:
                    self._check_end()
                event = walker.open(ahead) if is_first else walker.walk(ahead)
                if is_first and event is None:
                    ahead.leaf_end = end
                    if not walker.is_whole(ahead, tag, end):
                        walker.note(tag.offset, Doubt(walker.misfit(ahead, tag), 0))
                    return tag.offset + 1
                is_first = False
                top = walker.nestings.top
                if isinstance(event, Damage):
                    self._tear()
                elif isinstance(event, BlobSkip):
                    self._check_passed(event, top)
                elif isinstance(event, Field) and event.type == NAME and top is not None and top.kind == MAP:
                    self._check_name(event)
                elif len(frames) > self._base and top is not None:
                    if len(frames) == self._base + 1 and top.kind == LIST and top.end >= 0:
                        return ahead.cursor.tell()  # a struct of properties: each is measured when it comes
                    if isinstance(event, StructEnter) and top.kind == LIST:
                        _count_list(frames)
                ahead.allowance.spend(ahead.cursor)
            except SaveError as error:
                is_first = False
                if not self._survives(error):
                    return ahead.cursor.tell()
        return end

    def _check_end(self) -> None:
        """Look at what follows a container or binary struct without tags in it, at its end.

        Raises:
            SaveError: it has swallowed the start of the next tag.
        """
        ahead, walker = self._ahead, self._walker
        top = walker.nestings.top
        tag = walker.tag
        if top is None or tag is None or top.kind == LIST or top.skipped or top.tag_offset != tag.offset:
            return
        cursor = ahead.cursor
        leaf_end = ahead.leaf_end
        at = leaf_end if leaf_end >= 0 else cursor.tell()
        if at != top.end:
            return
        limit = cursor.limit()
        cursor.set_limit(NO_LIMIT if top.outer_limit < 0 else top.outer_limit)
        ahead.leaf_end = -1
        if walker.swallows(ahead, tag, at):
            raise walker.misfit(ahead, tag)
        cursor.seek(at)
        cursor.set_limit(limit)

    def _check_passed(self, skip: BlobSkip, top: Frame | None) -> None:
        """Look at bytes that are passed over: those of a whole value have to be followed by a tag, others are too many.

        Raises:
            SaveError: that is not so.
        """
        ahead, walker = self._ahead, self._walker
        tag = walker.tag
        if ahead.leaf_end >= 0 and tag is not None and skip.offset == tag.value_offset:
            end = ahead.leaf_end
            if is_designed(tag):
                raise ahead.cursor.damaged("a struct made in the editor is no property list", offset=tag.value_offset)
            if (
                not walker.is_followed(ahead, end)
                or not walker.leads(ahead, len(walker.nestings.frames), end, is_lost=False)
                or walker.struct_end(ahead, tag, end) >= 0
            ):
                raise walker.misfit(ahead, tag)
            ahead.cursor.seek(end)
            ahead.leaf_end = -1
        elif top is not None and top.skipped and top.kind != LIST and top.end >= 0:
            top.skipped = False
            raise ahead.cursor.damaged("elements do not have the size of all", offset=skip.offset, actual=skip.size)

    def _check_name(self, event: Field) -> None:
        """Look at a name in a map, which is stored as text.

        Raises:
            DamagedSave: it goes on after its NUL: its length is wrong.
        """
        cursor = self._ahead.cursor
        cursor.seek(event.offset)
        stored = cursor.peek(event.size)
        # An empty name is a length of 0 and nothing else.
        if len(stored) < event.size or event.size <= 4 or (isinstance(cursor, PoolCursor) and cursor.names):
            return
        # A negative length is that of a text of two bytes a character.
        width = 1 if int.from_bytes(stored[:4], "little", signed=True) > 0 else 2
        if 0 in memoryview(stored[4 : event.size - width]).cast("B" if width == 1 else "H"):
            raise cursor.damaged("a name that goes on after its end", offset=event.offset, actual=event.size)

    def _survives(self, error: SaveError) -> bool:
        """Go past what is lost by a fault, as the walk will do that comes after. Return whether there is anything to read."""
        ahead, walker = self._ahead, self._walker
        cursor = ahead.cursor
        nestings = walker.nestings
        frames = nestings.frames
        if isinstance(error, LimitExceeded) and error.limit in FINAL_LIMITS:
            return False
        is_cut = isinstance(error, TruncatedSave)
        if not (ends_well(ahead.cursor, ahead.limits) if is_cut else has_bytes_after(error, ahead.windows)):
            return False
        self._tear()
        ahead.survives(error)
        error.__traceback__ = None  # it would keep the bytes that it was found in
        least = ahead.hole_end(error)
        loses = ahead.loses_values and not is_cut
        tag = walker.tag
        fault: i64 = error.offset
        if ahead.leaf_end >= 0 and tag is not None:
            walker.note(tag.offset, Doubt(error, 0))
            at: i64 = -1
            if loses and self._is_end(ahead.leaf_end, least):
                cursor.set_limit(self._innermost())
                at = walker.resume(ahead, walker.struct_end(ahead, tag, ahead.leaf_end), ahead.leaf_end, fault)
            if at >= 0:
                self._go_on(at)
                return True
        while len(frames) > self._base:
            frame = frames[-1]
            end = frame.end
            if frame.kind == LIST:
                if (
                    loses
                    and not frame.skipped
                    and self._is_end(end, least)
                    and walker.leads(ahead, len(frames) - 1, end, fault=fault)
                ):
                    frame.skipped = True
                    self._go_on(end)
                    return True
                frames.pop()
            elif frame.tag_offset >= 0:
                sound = _sound_elements(frame)
                frames.pop()
                at = -1
                nestings.top = frames[-1]
                cursor.set_limit(self._innermost())
                if loses and self._is_end(end, least):
                    at = walker.resume(ahead, -1, end, fault, frame)
                    is_inner = walker.is_inner_tag(ahead, frame, end)
                    if at < 0 and sound > 0 and not is_inner and walker.leads(ahead, len(frames), end, fault=fault):
                        at = end
                walker.note(frame.tag_offset, Doubt(error, sound))
                if at >= 0:
                    self._go_on(at)
                    return True
            else:
                frames.pop()
        return True

    def _tear(self) -> None:
        """Note in all that is open that something was lost: if a container has not its size, where that ended is not certain."""
        for frame in self._walker.nestings.frames[self._base :]:
            if frame.torn < 0:
                frame.torn = frame.index

    def _is_end(self, end: i64, least: i64) -> bool:
        """Return whether the walk may go on at the end of a value."""
        try:
            return end >= 0 and end >= least and self._ahead.windows.reaches(end)
        except SaveError:
            return False

    def _innermost(self) -> i64:
        """Return the end of the innermost nesting whose end is known."""
        for frame in reversed(self._walker.nestings.frames[self._base :]):
            if frame.end >= 0:
                return frame.end
        return self._limit

    def _go_on(self, offset: i64) -> None:
        """Continue at an offset, in the innermost nesting."""
        ahead, walker = self._ahead, self._walker
        frames = walker.nestings.frames
        walker.nestings.top = frames[-1]
        walker.leave_leaf(ahead)
        ahead.cursor.set_limit(self._innermost())
        ahead.cursor.seek(offset)


class KnownWalker(ProvenWalker):
    """Walks again through containers that a `MeasuredWalker` has measured: what that has found is lost, and no more."""

    def knows(self, tag: PropertyTag) -> bool:
        return tag.offset not in self.doubts

    def open(self, reader: Reader) -> Event | None:
        event = super().open(reader)
        _cut(event, self.nestings.top, self.doubts)
        return event

    def large_fits(self, reader: Reader, tag: PropertyTag) -> bool:
        return False

    def nesting_doubt(self, reader: Reader, tag: PropertyTag) -> Doubt | None:
        return self.doubts.get(tag.offset)


def is_designed(tag: PropertyTag) -> bool:
    """Return whether a struct was made in the editor: it has a GUID then, and is a property list, whatever it looks like."""
    return tag.struct_guid is not None and any(tag.struct_guid)


def _cut(event: Event | None, top: Frame | None, doubts: dict[int, Doubt]) -> None:
    """Let a container that was just opened end after the last element that is certain."""
    if isinstance(event, StructEnter) and top is not None:
        doubt = doubts.get(top.tag_offset)
        if doubt is not None and doubt.sound > 0:
            top.count = doubt.sound
            top.fault = doubt.error


def _count_list(frames: list[Frame]) -> None:
    """Note that the element or pair that is open is, or ends with, a property list, if all before it do.

    Where only the keys of a map are lists, one shows that the pair before it is certain.
    """
    outer = frames[-2]
    certain = outer.index
    if outer.kind == MAP and outer.at < PAIR_READ:
        certain -= 1
    if outer.listed == certain:
        outer.listed += 1


def _sound_elements(frame: Frame) -> i64:
    """Return how many elements are certain: they are whole, have property lists, and nothing was lost in or before them."""
    sound = min(frame.index, frame.listed)
    if frame.torn >= 0:
        sound = min(sound, frame.torn)
    return max(sound, 0)
