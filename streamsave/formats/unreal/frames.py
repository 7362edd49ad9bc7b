"""One open nesting of a walk over property lists.

| frame | walks | events |
|---|---|---|
| list | property tags up to `None` | `PropertyTag`, then what its value opens |
| elements | structs of an array or set that are property lists | `StructEnter` ... `StructExit` each |
| array | other values of an array | `Field` each, or `StructEnter` ... `StructExit` where they have much inside |
| map | pairs of which key or value is a property list | `StructEnter("MapEntry")`, `key`, `value`, `StructExit` |
| delta | what a set or map removes, then what it adds | `StructEnter` ... `StructExit` each |
| members | the named values of a binary struct | `Field` each, or nested as above |
"""

from __future__ import annotations

from typing import Final, final

from streamsave._native import i64
from streamsave.decode.build import MAP_ENTRY
from streamsave.decode.codecs import Codec, Struct
from streamsave.decode.cursor import NO_LIMIT, Cursor
from streamsave.errors import PathStep
from streamsave.events import BlobSkip, Event, ObjectEnd, StructEnter, StructExit
from streamsave.formats.unreal.object_rows import ObjectRow
from streamsave.formats.unreal.tags import Tag
from streamsave.limits import Limits

__all__ = [
    "AFTER_ELEMENTS",
    "AFTER_LIST",
    "AFTER_MEMBERS",
    "ARRAY",
    "DELTA",
    "ELEMENTS",
    "LEFT_OVER",
    "LIST",
    "MAP",
    "MEMBERS",
    "DeltaFrame",
    "Frame",
    "MapFrame",
    "Nestings",
    "PairPart",
]

LIST: Final = 0
ELEMENTS: Final = 1
ARRAY: Final = 2
MAP: Final = 3
MEMBERS: Final = 4
DELTA: Final = 5

#: Reasons of a `BlobSkip`: a nesting has ended before its size does. No known game writes such a save.
AFTER_ELEMENTS: Final = "bytes after the last element"
AFTER_LIST: Final = "bytes after the end of a property list"
AFTER_MEMBERS: Final = "bytes after the last member"
LEFT_OVER: Final = frozenset((AFTER_ELEMENTS, AFTER_LIST, AFTER_MEMBERS))


class Frame:
    """One open nesting. Most values start as the class says, so that an instance is cheap to make.

    Those that each step reads are set in each instance: plain Python finds them sooner there.
    """

    #: The next member of a binary struct, or the next part of a pair or delta.
    at: i64 = 0
    #: Why the rest of a container is passed over after all its elements were walked.
    rest = AFTER_ELEMENTS
    #: Of the games that have it: the value that says what a blob in here is (`BlobLayouts`).
    noted = ""
    #: Where an inline property list ended whose terminator no event has claimed yet, or -1.
    claim: i64 = -1
    #: Of a container whose elements are objects: which ones.
    row: ObjectRow | None = None
    #: It is an object, or the pair that is open is one; and the name of that.
    is_object = False
    object_name = ""

    def __init__(
        self,
        kind: i64,
        name: str,
        end: i64,
        outer_limit: i64,
        *,
        index: i64 = -1,
        count: i64 = 0,
        codec: Codec | None = None,
        struct: Struct | None = None,
        type_name: str = "",
        inline: bool = False,
        last_tag: Tag | None = None,
    ) -> None:
        self.kind: i64 = kind
        self.name = name
        #: Where it ends, or -1 where only its content shows that.
        self.end: i64 = end
        #: The limit to go back to, or -1 if the frame has set none.
        self.outer_limit: i64 = outer_limit
        #: The consumer went to the end of it.
        self.skipped = False
        #: Position in the container, -1 if it is in none. For a container: position of the element that is open.
        self.index: i64 = index
        #: Elements of a container (of a delta: those to remove).
        self.count: i64 = count
        #: Element of an array; members of a binary struct.
        self.codec = codec
        self.struct = struct
        #: Name of the struct type of elements.
        self.type_name = type_name
        #: A property list without a nesting of its own: the struct around it claims its terminator.
        self.inline = inline
        #: Of a property list: its last tag, or the stand-in for its start. Old tags only.
        self.last_tag = last_tag

    def copy(self) -> Frame:
        """Return another frame in the same state. Its elements are no objects."""
        other = Frame(
            self.kind,
            self.name,
            self.end,
            self.outer_limit,
            index=self.index,
            count=self.count,
            codec=self.codec,
            struct=self.struct,
            type_name=self.type_name,
            inline=self.inline,
            last_tag=self.last_tag,
        )
        other.follow(self)
        return other

    def follow(self, other: Frame) -> None:
        """Take over how far another frame of the same nesting is."""
        self.index = other.index
        self.skipped = other.skipped
        self.at = other.at
        self.rest = other.rest
        self.noted = other.noted
        self.claim = other.claim

    def advance(self) -> bool:
        """Go to the next element of a container; return False if there is none, or the rest is passed over."""
        self.index += 1
        return not self.skipped and self.index < self.count

    def resume(self, index: i64) -> None:
        """Go on in it; in a container, at the element with this position."""
        self.skipped = False
        if self.kind != LIST:
            self.index = index - 1
            self.at = 0

    def pass_over(self) -> None:
        """Note that the consumer went to the end of it."""
        self.skipped = True

    def leave_element(self) -> None:
        """Note that the consumer went to the end of the element that it is."""
        self.pass_over()

    def become_object(self, name: str) -> None:
        """Note that it is an object, or the pair that is open is one."""
        self.is_object = True
        self.object_name = name

    def give_objects(self, row: ObjectRow) -> None:
        """Note that its elements are objects."""
        self.row = row

    def become_added(self) -> None:
        """Become the frame of what a delta adds."""
        self.name = "added"
        self.outer_limit = -1

    def set_count(self, count: i64) -> None:
        """Set how many elements there are."""
        self.count = count

    def refuse(self, reason: str) -> None:
        """Let all elements be passed over, for this reason."""
        self.count = 0
        self.rest = reason


@final
class PairPart:
    """What is known of the keys of a map, or of its values.

    Args:
        name: `key` or `value`.
        codec: None: they are structs of unknown layout.
        type_name: their struct.
        start: the stand-in for the start of the property lists that they are. None: they are no structs.
        is_named: the type or a hint says that they are binary; the first one may still show that they are not.
    """

    def __init__(self, name: str, codec: Codec | None, type_name: str, start: Tag | None, *, is_named: bool) -> None:
        self.name = name
        self.codec = codec
        self.type_name = type_name
        self.start = start
        #: A look at each one shows whether it is a property list or binary.
        self.peeks = start is not None
        self.is_known = self.peeks and is_named and codec is not None

    def copy(self) -> PairPart:
        """Return another one in the same state."""
        return PairPart(self.name, self.codec, self.type_name, self.start if self.peeks else None, is_named=self.is_known)

    def settle(self) -> None:
        """Take them for binary from here on, if that is known."""
        if self.is_known:
            self.peeks = False


class MapFrame(Frame):
    """The pairs of a map."""

    #: Which members of its pairs were property lists, one bit each. Recovery reads it.
    listed: i64 = 0

    def __init__(self, name: str, end: i64, outer_limit: i64, count: i64, key: PairPart, value: PairPart) -> None:
        super().__init__(MAP, name, end, outer_limit, count=count)
        self.key = key
        self.value = value

    def copy(self) -> Frame:
        other = MapFrame(self.name, self.end, self.outer_limit, self.count, self.key.copy(), self.value.copy())
        other.follow(self)
        other.list_parts(self.listed)
        return other

    def enter_pair(self, offset: i64) -> Event:
        """Return the event of the pair that starts at an offset. It is no object yet."""
        self.at = 1
        self.is_object = False
        return StructEnter(offset, "", MAP_ENTRY, 0, -1, self.index, -1)

    def leave_element(self) -> None:
        self.at = 3

    def next_part(self) -> PairPart:
        """Go on to the next part of the pair that is open, and return it."""
        self.at += 1
        return self.key if self.at == 2 else self.value

    def leave_pair(self, offset: i64) -> Event:
        """Return the exit of the pair that is open."""
        self.at = 0
        return ObjectEnd(offset, self.object_name, 0) if self.is_object else StructExit(offset, "", 0)

    def list_parts(self, bits: i64) -> None:
        """Note that these members of a pair were property lists."""
        self.listed |= bits


class DeltaFrame(Frame):
    """What a set or map removes, then what it adds.

    Args:
        added: the frame of the set or map, which becomes that of what it adds.
        type_name: of the set or map.
        removed: how many it removes; their codec and struct type.
        peeks: each one is a property list or binary, as a look at it shows.
    """

    def __init__(self, added: Frame, type_name: str, removed: i64, codec: Codec | None, element: str, *, peeks: bool) -> None:
        super().__init__(DELTA, added.name, added.end, added.outer_limit, count=removed, codec=codec, type_name=type_name)
        self.element = element
        self.peeks = peeks
        self.added = added

    def next_part(self) -> i64:
        """Return the number of the next part, and go on to the one after it."""
        self.at += 1
        return self.at - 1

    def copy(self) -> Frame:
        # It has the name and the bounds of this one: those of `added` are what `become_added` has made of them.
        other = DeltaFrame(self, self.type_name, self.count, self.codec, self.element, peeks=self.peeks)
        other.added = self.added.copy()
        other.follow(self)
        return other


class Nestings:
    """The frames that are open, innermost last. Where one ends is a limit of the cursor."""

    def __init__(self, limits: Limits) -> None:
        self.frames: list[Frame] = []
        #: The innermost frame; None while nothing is walked.
        self.top: Frame | None = None
        #: Where the outermost list ended, once it is done, until an event claims its terminator; else -1.
        self.list_end: i64 = -1
        #: How many frames may be open: fewer than `Limits.depth` in a walk that is nested in another.
        self.most: i64 = limits.depth

    def drop(self, depth: i64) -> None:
        """Forget all but the outermost `depth` frames."""
        del self.frames[depth:]
        self.top = self.frames[-1] if self.frames else None

    def follow(self, other: Nestings, depth: i64, shared: i64 = 0) -> None:
        """Open copies of the outermost `depth` frames of another walk; the outermost `shared` of them only to be looked at."""
        self.frames = [*other.frames[:shared], *[frame.copy() for frame in other.frames[shared:depth]]]
        self.drop(depth)
        self.end_list()

    def set_most(self, most: i64) -> None:
        """Set how many frames may be open."""
        self.most = most

    def end_list(self, offset: i64 = -1) -> None:
        """Set `list_end`."""
        self.list_end = offset

    # --- open, leave ---

    def push(self, cursor: Cursor, frame: Frame) -> None:
        """Open a nesting.

        Raises:
            LimitExceeded: more than `Limits.depth` are open.
        """
        frames = self.frames
        if len(frames) >= self.most:
            raise cursor.exceeded("depth", cursor.limits.depth + 1)
        frames.append(frame)
        self.top = frame

    def pop(self, cursor: Cursor) -> Frame:
        """Leave the innermost nesting, and go back to the limit around it."""
        frames = self.frames
        frame = frames.pop()
        self.top = frames[-1] if frames else None
        if frame.outer_limit >= 0:
            cursor.set_limit(frame.outer_limit)
        return frame

    def clear(self, cursor: Cursor) -> None:
        """Leave all nestings, and go back to the limit around the outermost."""
        if self.frames:
            cursor.set_limit(self.frames[0].outer_limit)
            self.frames.clear()
            self.top = None

    # --- the last events of a nesting ---

    def exit(self, cursor: Cursor, offset: i64, size: i64) -> Event:
        """Leave the innermost nesting: return its exit, which claims `size` bytes."""
        frame = self.pop(cursor)
        if frame.is_object and frame.kind != MAP:
            return ObjectEnd(offset, frame.object_name, size)
        return StructExit(offset, frame.name, size)

    def rest(self, cursor: Cursor, frame: Frame, start: i64, reason: str) -> Event:
        """Pass over what is left of a frame, from `start` on."""
        cursor.pass_to(frame.end)
        frame.pass_over()
        return BlobSkip(start, frame.end - start, reason)

    def end_container(self, cursor: Cursor, frame: Frame) -> Event:
        """Return the next event after the last element: what is left, if it is anything, then the exit."""
        offset = cursor.tell()
        if not frame.skipped and frame.end >= 0 and offset != frame.end:
            return self.rest(cursor, frame, offset, frame.rest)
        return self.exit(cursor, offset, 0)

    # --- where ---

    def path(self, leaf: tuple[PathStep, ...]) -> tuple[PathStep, ...]:
        """Return names and positions from the outermost nesting to the last event's `leaf`."""
        steps: list[PathStep] = []
        container = ""
        for frame in self.frames:
            if frame.name and frame.name != container:
                steps.append(frame.name)
            if frame.kind == MAP:
                if frame.at > 0:
                    steps.append(int(frame.index))
            elif frame.index >= 0 and frame.kind != ELEMENTS and frame.kind != ARRAY:
                steps.append(int(frame.index))
            container = frame.name if frame.kind == ELEMENTS or frame.kind == ARRAY else ""
        if leaf and leaf[0] == container:
            leaf = leaf[1:]
        return (*steps, *leaf)

    def depth(self, frames: i64 = -1) -> i64:
        """Return how many nestings the events have entered and not left, for all frames or so many of the outermost."""
        depth: i64 = 0
        for frame in self.frames[1:] if frames < 0 else self.frames[1:frames]:
            if not frame.inline:
                depth += 1
            if frame.kind == MAP and frame.at > 0:
                depth += 1  # the pair that is open
        return depth

    def set_limits(self, cursor: Cursor) -> None:
        """Set the limit of the cursor, and those to go back to, after the ends of frames were changed."""
        limit: i64 = NO_LIMIT
        for frame in self.frames[1:]:
            if frame.outer_limit >= 0:
                frame.outer_limit = limit
            if frame.end >= 0:
                limit = frame.end
        cursor.set_limit(limit)
