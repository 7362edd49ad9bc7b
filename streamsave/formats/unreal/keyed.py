"""Sets and maps: `i32 removed; elements or keys; i32 count; elements or pairs of key and value`.

Old tags do not tell the struct of keys, values and elements: hints and a look at the bytes do.
"""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.decode.build import CONTAINER_DELTA
from streamsave.decode.codecs import NAME, U8, Codec
from streamsave.errors import DamagedSave, LimitExceeded, UnsupportedSave
from streamsave.events import BlobSkip, Event, StructEnter
from streamsave.formats.unreal.containers import ContainerWalker
from streamsave.formats.unreal.dialect import ROLES
from streamsave.formats.unreal.frames import DELTA, ELEMENTS, MAP, Frame
from streamsave.formats.unreal.tags import looks_like_list

__all__ = ["KeyedOpener"]

#: How far elements and pairs are walked to see whether they are what they are taken for: who cannot go back keeps more than that.
FITTING_SIZE: Final = 256 * 1024
#: The nestings in a set or map that removes something.
DELTA_PARTS: Final = ("removed", "added")


class KeyedOpener(ContainerWalker):
    """Steps into sets and maps."""

    def _opaque(self, reason: str) -> Event:
        """Announce the whole value as bytes."""
        return BlobSkip(self._value_start, self.leaf_end - self._value_start, reason)

    def _open_set(self) -> Event | None:
        """`i32 removed; elements; i32 count; elements`. The tag does not tell the struct, unless it is a new one."""
        cursor = self.cursor
        start = self._value_start
        end = self.leaf_end
        outer = cursor.limit()
        cursor.set_limit(end)
        codec = self._struct_codec("element", self._type_name)
        removed = self._pass_removed(codec, peeks=True)
        is_far = removed > 0 and cursor.tell() - start > FITTING_SIZE
        count: i64 = -1 if removed < 0 or is_far else self._count_distinct(codec)
        content = cursor.tell()
        if is_far or count == 0 or (count > 0 and looks_like_list(cursor)):
            frame = Frame(ELEMENTS, self.leaf_name, end, outer)
            frame.count = count
            frame.type_name = self._type_name
            frame.codec = codec
            return self._enter_delta(frame, codec, self._type_name, removed, content, peeks=True)
        cursor.set_limit(outer)
        cursor.seek(start)
        fits = codec is not None and count > 0 and self._fits(codec, count, content, end)
        return None if fits else self._opaque("set of unknown structs")

    def _struct_codec(self, role: str, type_name: str) -> Codec | None:
        """Find what structs in a set or map are where they are no property lists: by hint, by the tag's type, else a GUID."""
        dialect = self.dialect
        hint = dialect.hints.get((self.leaf_name, role), "")
        if dialect.path_hints and not hint:
            hint = self._path_hint(role)
        if not hint:
            hint = type_name or dialect.owner_hint(role)
        self._guessed = not hint
        return dialect.struct(hint or "Guid", -1)

    def _path_hint(self, role: str) -> str:
        """Find a hint that tells more names than the last one."""
        names = [step for step in self.path() if isinstance(step, str) and step not in ROLES and step not in DELTA_PARTS]
        for path, hinted_role, struct in self.dialect.path_hints:
            if hinted_role == role and names[-len(path) :] == path:
                return struct
        return ""

    def _pass_removed(self, codec: Codec | None, *, peeks: bool) -> i64:
        """Pass over the elements or keys that a set or map wants removed from what a new object has: `i32 n; n elements`.

        Gives their number, or -1 where one is of unknown layout. Stops where they go on for more than `FITTING_SIZE`.
        """
        cursor = self.cursor
        start = cursor.tell()
        count = self._count_distinct(codec)
        for _ in range(count):
            if cursor.tell() - start > FITTING_SIZE:
                break
            if peeks and looks_like_list(cursor):
                self.skip_properties(cursor)
            elif codec is not None:
                codec.measure(cursor, self)
            else:
                return -1
        return count

    def _enter_delta(
        self, added: Frame, codec: Codec | None, type_name: str, removed: i64, content: i64, *, peeks: bool
    ) -> Event:
        """Open a set or map: its elements, which start at `content`; where it removes some, these and those in a nesting each.

        What is `added` to them may have a count that is not known yet.
        """
        cursor = self.cursor
        start = self._value_start
        end = added.end
        if removed == 0:
            cursor.seek(content)
            self._push(added)
            return StructEnter(start, self.leaf_name, self._type, content - start, end - content, -1, added.count)
        frame = Frame(DELTA, self.leaf_name, end, added.outer_limit)
        added.name = "added"
        added.outer_limit = -1
        frame.added = added
        frame.count = removed
        frame.codec = codec
        frame.type_name = self._type
        frame.key_type = type_name
        frame.key_peeks = peeks
        cursor.seek(start + 4)
        self._push(frame)
        return StructEnter(start, self.leaf_name, CONTAINER_DELTA, 4, end - start - 4, -1, -1)

    def _open_map(self, byte: Codec = U8) -> Event | None:
        """`i32 removed; keys; i32 count; pairs of key and value`.

        A byte may be the name of an enum's value, which only a new tag tells: of an old one, as `byte`.
        """
        cursor = self.cursor
        start = self._value_start
        end = self.leaf_end
        key_struct = self._inner == "StructProperty"
        value_struct = self._value_type == "StructProperty"
        key = self._codec_of("key", self._inner, self._key_type_name, byte)
        key_guessed = self._guessed
        value = self._codec_of("value", self._value_type, self._type_name, byte)
        if (key is None and not key_struct) or (value is None and not value_struct):
            return self._opaque(f"map of unknown types {self._inner}, {self._value_type}")
        if not key_struct and not value_struct:
            return None
        outer = cursor.limit()
        cursor.set_limit(end)
        removed: i64 = 0
        count: i64 = -1
        is_far = False
        try:
            removed = self._pass_removed(key, peeks=key_struct)
            is_far = removed > 0 and cursor.tell() - start > FITTING_SIZE
            if removed >= 0 and not is_far:
                count = self._count_distinct(key)
        except DamagedSave as error:
            # What was taken for bytes may be names: then they are read as those, below.
            if error is cursor.fault or byte is not U8 or self._inner != "ByteProperty":
                raise
        content = cursor.tell()
        frame = Frame(MAP, self.leaf_name, end, outer)
        frame.count = count
        frame.key = key
        frame.key_type = self._key_type_name
        frame.key_peeks = key_struct
        frame.key_known = key_struct and not key_guessed and key is not None
        frame.value = value
        frame.value_type = self._type_name
        frame.value_peeks = value_struct
        frame.value_known = value_struct and not self._guessed and value is not None
        if not is_far and (count < 0 or (count > 0 and not self._pairs_fit(frame, content, end))):
            cursor.set_limit(outer)
            cursor.seek(start)
            if byte is U8 and "ByteProperty" in {self._inner, self._value_type}:
                return self._open_map(NAME)
            return self._opaque("map of unknown structs")
        return self._enter_delta(frame, key, frame.key_type, removed, content, peeks=key_struct)

    def _codec_of(self, role: str, kind: str, type_name: str, byte: Codec) -> Codec | None:
        if kind == "StructProperty":
            return self._struct_codec(role, type_name)
        if kind == "ByteProperty":
            return NAME if type_name else byte
        return self.dialect.scalar(kind)

    def _added_fit(self, added: Frame) -> bool:
        content = self.cursor.tell()
        if added.kind == MAP:
            fits = self._pairs_fit(added, content, added.end)
        else:
            codec = added.codec
            fits = looks_like_list(self.cursor) or (codec is not None and self._fits(codec, added.count, content, added.end))
        self.cursor.seek(content)
        return fits

    def _pairs_fit(self, frame: Frame, content: i64, end: i64) -> bool:
        """Look whether pairs are what they are taken for: the first ones, as far as binary values let us see."""
        cursor = self.cursor
        key = frame.key
        value = frame.value
        if frame.key_peeks and looks_like_list(cursor) and not (frame.key_known and self._is_followed_by_list(frame)):
            # Lists tell themselves; what a byte behind them is, only the size of all tells.
            return (value is not U8 and value is not NAME) or self._listed_pairs_fit(frame, content, end)
        if key is None:
            return False
        if frame.key_known:
            frame.key_peeks = False
        cursor.seek(content)
        key.measure(cursor, self)
        if frame.value_peeks and looks_like_list(cursor):
            return True
        if value is None:
            return False
        if frame.value_known:
            frame.value_peeks = False
        if key.size >= 0 and value.size >= 0:
            return frame.count * (key.size + value.size) == end - content
        cursor.seek(content)
        try:
            for _ in range(frame.count):
                key.measure(cursor, self)
                value.measure(cursor, self)
                if cursor.tell() - content > FITTING_SIZE:
                    return True
        except DamagedSave as error:
            if error is cursor.fault:
                raise
            return False
        return cursor.tell() == end

    def _listed_pairs_fit(self, frame: Frame, content: i64, end: i64) -> bool:
        """Look whether pairs whose keys are property lists fill the map, as far as that is not too far."""
        cursor = self.cursor
        key = frame.key
        value = frame.value
        spent = (self._spent_nodes, self._spent_size)
        cursor.seek(content)
        try:
            for _ in range(frame.count):
                if looks_like_list(cursor):
                    self.skip_properties(cursor)
                elif key is not None:
                    key.measure(cursor, self)
                if value is not None:
                    value.measure(cursor, self)
                if cursor.tell() - content > FITTING_SIZE:
                    return True
            return cursor.tell() == end
        except (DamagedSave, UnsupportedSave, LimitExceeded) as error:
            if error is cursor.fault:
                raise
            return False
        finally:
            self._spent_nodes, self._spent_size = spent

    def _is_followed_by_list(self, frame: Frame) -> bool:
        """Tell whether a property list stands behind a binary key: such a key may look like the start of a list itself."""
        key = frame.key
        if key is None or key.size < 0 or not frame.value_peeks:
            return False
        self.cursor.skip(key.size)
        return looks_like_list(self.cursor)

    def _fits(self, codec: Codec, count: i64, start: i64, end: i64) -> bool:
        """Tell whether so many values of a layout take the bytes from `start` to `end` exactly; does not move."""
        if codec.size >= 0:
            return count * codec.size == end - start
        cursor = self.cursor
        spent = (self._spent_nodes, self._spent_size)
        before = cursor.tell()
        outer = cursor.limit()
        cursor.seek(start)
        cursor.set_limit(end)
        try:
            codec.measure_many(cursor, self, count)
            return cursor.tell() == end
        except (DamagedSave, UnsupportedSave, LimitExceeded) as error:
            if error is cursor.fault:
                raise
            return False
        finally:
            self._spent_nodes, self._spent_size = spent
            cursor.seek(before)
            cursor.set_limit(outer)
