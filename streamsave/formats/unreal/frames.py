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

from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import Codec, Struct
from streamsave.decode.cursor import NO_LIMIT, Cursor
from streamsave.errors import PathStep
from streamsave.events import BlobSkip, Event, ObjectEnd, StructExit
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
    "Frame",
    "Nestings",
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
    #: Of a map: the stand-ins for the starts of the property lists that its keys and values are.
    key_start: Tag | None = None
    value_start: Tag | None = None
    #: Key and value of a map.
    key: Codec | None = None
    value: Codec | None = None
    #: Name of the struct type of map keys and of map values.
    key_type = ""
    value_type = ""
    #: Keys and values that are structs: a look at each one shows whether it is a property list or binary.
    key_peeks = False
    value_peeks = False
    #: The type or a hint says that they are binary; the first one may still show that they are not.
    key_known = False
    value_known = False
    #: Of the games that have it: the value that says what a blob in here is (`BlobLayouts`).
    noted = ""
    #: The frame of what a delta adds.
    added: Frame | None = None
    #: Where an inline property list ended whose terminator no event has claimed yet, or -1.
    claim: i64 = -1
    #: Of a container whose elements are objects: which ones.
    row: ObjectRow | None = None
    #: It is an object, or the pair that is open is one; and the name of that.
    is_object = False
    object_name = ""
    #: Of a map: which members of its pairs were property lists, one bit each. Recovery reads it.
    listed: i64 = 0

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
        """Return another frame in the same state."""
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
        other.skipped = self.skipped
        other.at = self.at
        other.rest = self.rest
        other.key_start = self.key_start
        other.value_start = self.value_start
        other.key = self.key
        other.value = self.value
        other.key_type = self.key_type
        other.value_type = self.value_type
        other.key_peeks = self.key_peeks
        other.value_peeks = self.value_peeks
        other.key_known = self.key_known
        other.value_known = self.value_known
        other.noted = self.noted
        other.added = None if self.added is None else self.added.copy()
        other.claim = self.claim
        other.listed = self.listed
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
        frame.skipped = True
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
