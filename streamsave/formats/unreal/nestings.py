"""The open nestings of a walk over property lists: a stack of frames."""

from __future__ import annotations

from streamsave._native import i64
from streamsave.decode.cursor import NO_LIMIT, Cursor
from streamsave.errors import PathStep
from streamsave.events import BlobSkip, Event, ObjectEnd, StructExit
from streamsave.formats.unreal.frames import ARRAY, ELEMENTS, MAP, Frame
from streamsave.limits import Limits

__all__ = ["Nestings"]


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

    def limit(self) -> i64:
        """Return the end of the innermost frame whose end is known."""
        limit: i64 = NO_LIMIT
        for frame in self.frames[1:]:
            if frame.end >= 0:
                limit = frame.end
        return limit
