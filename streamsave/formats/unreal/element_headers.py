"""Objects in the containers of a save: the headers of the elements that a profile names (`object_rows`).

An element has no header of its own in the save: kind, class and name are members, perhaps inside of a value with a layout, and
only walking shows its size. So the header is made by looking ahead, with a reader of its own: it steps into the members that are
needed, and passes over all others by their size.

Where a fault comes before all was found that the header says, there is no header; after that, its size is unknown.
"""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.decode.build import MAP_ENTRY, build_opened
from streamsave.decode.leaves import text_of
from streamsave.decode.reader import EventAllowance, Selecting
from streamsave.errors import SaveError, TruncatedSave
from streamsave.events import BlobSkip, Event, Field, ObjectHeader, PropertyTag, StructEnter, StructExit
from streamsave.formats.unreal.containers import FITTING_SIZE, MembersFrame
from streamsave.formats.unreal.frames import FrameReader, ListFrame
from streamsave.formats.unreal.maps import DeltaFrame
from streamsave.formats.unreal.object_rows import MemberNode, ObjectProfile, ObjectRow
from streamsave.formats.unreal.pool import NONE
from streamsave.formats.unreal.tags import ZERO_GUID
from streamsave.frequent_values import Transform
from streamsave.values import Guid, SoftObjectPath, Vector

__all__ = ["ElementHeaders"]

#: Members are looked for in so many bytes of an element; its end in `FITTING_SIZE`.
SEARCHED_SIZE: Final = 192 * 1024
#: What the translation is called in structs that have one.
TRANSLATIONS: Final = ("translation", "Translation", "location", "Location")


class ElementHeaders:
    """Makes the headers of objects that are elements.

    Args:
        profile: which containers have objects.
        version: `ObjectHeader.save_version`.
        look: the reader that looks ahead; it makes no objects.
    """

    def __init__(self, profile: ObjectProfile, version: int, look: FrameReader) -> None:
        self.profile = profile
        #: Where all was found that the last header says.
        self.found_at: i64 = 0
        self._version = version
        self._look = look
        # Of the element that is looked at: where it starts, its row, and what was found.
        self._start: i64 = 0
        self._row: ObjectRow | None = None
        self._values: list[object] = []
        self._selecting: Selecting | None = None
        #: How many events the last look ahead has taken, and how many the save might have after that.
        self._ahead: i64 = 0
        self._left: i64 = 0
        #: How many nestings are open around its members, and whether they are still looked for.
        self._depth = 0
        self._searches = False

    def mark(self, walk: FrameReader) -> None:
        """Note in the container that was just opened whether its elements are objects; pass over all if none is wanted."""
        frame = walk.top
        if frame is None or frame.name not in self.profile.last_names:
            return
        row = self.profile.find(walk.frame_path())
        if row is None:
            return
        wanted = walk.selecting
        if wanted is not None and frame.end >= 0 and not wants_any(wanted, row):
            walk.cursor.seek(frame.end)
            frame.skipped = True
        elif isinstance(frame, DeltaFrame):
            frame.added.row = row
        else:
            frame.row = row

    def announce(self, walk: FrameReader, row: ObjectRow, enter: StructEnter) -> Event:
        """Return the header of an element that was just opened; `enter` where a fault comes before all of it was found.

        Raises:
            SaveError: the stream ends before the element does, or cannot be read.
        """
        frame = walk.top
        assert frame is not None  # noqa: S101 - that of the element or, of a map, that of the container
        cursor = walk.cursor
        start = cursor.tell()
        limit = cursor.limit()
        values = row.values()
        self._start = start
        self._row = row
        self._values = values
        self._selecting = walk.selecting
        self._searches = True
        self.found_at = -1
        self._depth = len(walk.frames)
        look = self._look
        look.follow(walk, self._depth, self._depth - 1)
        look.cursor = cursor
        look.leave_leaf()
        allowance = look.allowance
        self._refund(allowance)
        before = allowance.left
        end: i64 = -1
        fault: SaveError | None = None
        try:
            if self._members(row.root):
                end = cursor.tell()
        except SaveError as error:
            # The header would say less than that of the whole save. With a driver, its size may be unknown.
            if (self._searches or not walk.is_driven) and (isinstance(error, TruncatedSave) or error is cursor.fault):
                if not error.path:
                    error.path = look.path()
                raise
            fault = error
        finally:
            look.drop(0)
            self._selecting = None  # it refers to the reader, and would keep it until the collector runs
            cursor.set_limit(limit)
            cursor.seek(start)
            self._ahead = before - allowance.left
            self._left = allowance.left
        if fault is not None and self._searches:
            return enter  # the walk comes to it next, and says what is wrong
        if self.found_at < 0:
            self.found_at = end
        kind = self._kind(row, values)
        text = first_text(values, row.slots["class_name"])
        class_name = walk.noted(self._depth - 1) if row.has_outer_class else enum_name(text)
        if not class_name:
            class_name = kind if row.has_kind or enter.type_name == MAP_ENTRY or not enter.type_name else enter.type_name
        places = row.slots["position"]
        frame.is_object = True
        frame.object_name = first_text(values, row.slots["instance_name"]) or f"{row.names[-1]}[{enter.index}]"
        return ObjectHeader(
            start,
            kind,
            class_name,
            frame.object_name,
            row.level,
            first_text(values, row.slots["outer"]),
            place_of(values[places[0]]) if places else None,
            0,
            self._version,
            0,
            0,
            start,
            end - start if end >= 0 else -1,
        )

    def _refund(self, allowance: EventAllowance) -> None:
        """Give back to the allowance what the last look ahead has counted, as far as those events have come again since."""
        again = self._left - allowance.left
        if again > self._ahead:
            again = self._ahead
        if again > 0:
            allowance.left += again

    def _kind(self, row: ObjectRow, values: list[object]) -> str:
        if row.kind_slot < 0 or enum_name(text_of(values[row.kind_slot]) or "") in row.kind_texts:
            return row.kind
        return row.other_kind

    # --- look ahead ---

    def _members(self, node: MemberNode | None) -> bool:
        """Walk to the end of the innermost nesting; return False if that is too far away."""
        look = self._look
        cursor = look.cursor
        child: MemberNode | None
        while True:
            distance = cursor.tell() - self._start
            if distance > FITTING_SIZE:
                return False
            if distance > SEARCHED_SIZE:
                self._searches = False
            if not self._searches:
                if self.found_at < 0:
                    self.found_at = cursor.tell()
                node = None
                frame = look.top
                if len(look.frames) > self._depth and isinstance(frame, (ListFrame, MembersFrame)) and frame.end >= 0:
                    look.leave_leaf()
                    cursor.seek(frame.end)
                    frame.skipped = True
            frame = look.top
            if isinstance(frame, ListFrame) and not frame.skipped and not look.is_pending:
                frame.pass_known(cursor, node)
            look.allowance.spend(cursor)
            event = look.walk()
            if event is None or isinstance(event, StructExit):
                return True
            child = None
            if node is not None and isinstance(event, (PropertyTag, Field, StructEnter)):
                child = node.child(event.name)
            if child is None:
                if isinstance(event, StructEnter):
                    look.skip(event)  # where its size is unknown this does nothing, and its events come
                    if not self._members(None):
                        return False
                elif not isinstance(event, BlobSkip):
                    look.skip(event)
            elif not self._enter(child, event):
                return False

    def _enter(self, node: MemberNode, event: Event) -> bool:
        """Decode a member that is needed, or go through what is in it; return False if its end is too far away."""
        look = self._look
        if node.slot < 0:
            inner = look.open_value() if isinstance(event, PropertyTag) else event
            if isinstance(inner, StructEnter):
                return self._members(node)
            if isinstance(inner, BlobSkip):
                return True
        look.build.begin()
        try:
            value = build_opened(look, event)
        finally:
            look.build.end()
        node.take(value, self._values)
        self._searches = self._may_match()
        return True

    def _may_match(self) -> bool:
        """Return whether more members are needed: no if all were found, or if the kind is known and not wanted."""
        row = self._row
        wanted = self._selecting
        if row is not None and wanted is not None and row.kind_slot >= 0 and self._values[row.kind_slot] is not None:
            return wanted.wants_kind(self._kind(row, self._values))
        return None in self._values


def wants_any(wanted: Selecting, row: ObjectRow) -> bool:
    """Return whether an object of a row may match."""
    return wanted.wants_kind(row.kind) or (row.other_kind != "" and wanted.wants_kind(row.other_kind))


def first_text(values: list[object], slots: list[int]) -> str:
    """Return the text of the first of these values that has one."""
    for slot in slots:
        value = values[slot]
        if isinstance(value, SoftObjectPath):
            value = ".".join(part for part in (value.package_name, value.asset_name) if part and part != NONE)
        text: str | None
        if isinstance(value, str):
            text = value
        elif isinstance(value, Guid):  # `text_of` imports attrs for one
            text = str(value) if value.data != ZERO_GUID else ""
        else:
            text = None if value is None else text_of(value)
        if text and text != NONE:
            return text
    return ""


def enum_name(text: str) -> str:
    """Return the name of an enum's value without that of the enum."""
    return text[text.rfind("::") + 2 :] if "::" in text else text


def place_of(value: object) -> Transform | None:
    """Return the place that a vector is, or that a struct has; None if there is none."""
    if isinstance(value, dict):
        for name in TRANSLATIONS:
            if name in value:
                return place_of(value[name])
        return None
    if isinstance(value, Vector):
        return Transform((0.0, 0.0, 0.0, 1.0), (value.x, value.y, value.z), (1.0, 1.0, 1.0))
    return value if isinstance(value, Transform) else None
