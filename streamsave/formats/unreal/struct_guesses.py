"""Which struct is in a set or map, whose old tags do not say it: hints and a look at the bytes do."""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import NAME, U8, Codec
from streamsave.decode.cursor import Cursor
from streamsave.decode.reader import Reader
from streamsave.errors import DamagedSave, LimitExceeded, UnsupportedSave
from streamsave.formats.unreal.dialect import ROLES
from streamsave.formats.unreal.frames import Frame, MapFrame
from streamsave.formats.unreal.tag_reader import TagReader
from streamsave.formats.unreal.tags import BYTE_TYPE, STRUCT, looks_like_list

__all__ = ["DELTA_PARTS", "FITTING_SIZE", "StructGuesses"]

#: How many bytes of elements and pairs are tried before the guess is believed. A source that cannot go back keeps more than that.
FITTING_SIZE: Final = 256 * 1024
#: The nestings in a set or map that removes something.
DELTA_PARTS: Final = ("removed", "added")


class StructGuesses:
    """Finds the codecs of what is in a set or map, and tries whether they fit. The cursor stays where it is unless said."""

    def __init__(self, tags: TagReader) -> None:
        self._tags = tags
        #: Neither a type nor a hint says what the last struct is.
        self.guessed = False

    # --- which codec ---

    def codec_of(self, reader: Reader, role: str, kind: str, type_name: str, byte: Codec) -> Codec | None:
        """Return the codec of the keys or values of a map, None if it is unknown.

        Args:
            reader: whose last tag it is: hints may be for its path.
            role: one of `ROLES`.
            kind: their type.
            type_name: their struct or enum, "" if the tag does not say.
            byte: the codec of bytes whose enum is not known.
        """
        if kind == STRUCT:
            return self.struct_codec(reader, role, type_name)
        if kind == BYTE_TYPE:
            return NAME if type_name else byte
        return self._tags.dialect.scalar(kind)

    def struct_codec(self, reader: Reader, role: str, type_name: str) -> Codec | None:
        """Return the codec of structs that are no property lists: by hint, by the tag's type, else a GUID."""
        dialect = self._tags.dialect
        hint = dialect.hints.get((reader.leaf.name, role), "")
        if dialect.path_hints and not hint:
            hint = self._path_hint(reader, role)
        if not hint:
            hint = type_name or dialect.owner_hint(role)
        self.guessed = not hint
        return dialect.struct(hint or "Guid", -1)

    def _path_hint(self, reader: Reader, role: str) -> str:
        """Return the hint for a path of several names, "" if there is none."""
        names = [step for step in reader.path() if isinstance(step, str) and step not in ROLES and step not in DELTA_PARTS]
        for path, hinted_role, struct in self._tags.dialect.path_hints:
            if hinted_role == role and names[-len(path) :] == path:
                return struct
        return ""

    # --- does it fit ---

    def fits(self, reader: Reader, codec: Codec, count: i64, start: i64, end: i64) -> bool:
        """Return whether `count` values take exactly the bytes from `start` to `end`."""
        if codec.size >= 0:
            return count * codec.size == end - start
        cursor = reader.cursor
        spent = reader.build.spent()
        before = cursor.tell()
        outer = cursor.limit()
        cursor.seek(start)
        cursor.set_limit(end)
        try:
            codec.measure_many(cursor, reader, count)
            return cursor.tell() == end
        except (DamagedSave, UnsupportedSave, LimitExceeded) as error:
            if error is cursor.fault:
                raise
            return False
        finally:
            reader.build.restore(spent)
            cursor.seek(before)
            cursor.set_limit(outer)

    def added_fit(self, reader: Reader, added: Frame) -> bool:
        """Return whether what a delta adds, from the cursor on, fits."""
        cursor = reader.cursor
        content = cursor.tell()
        if isinstance(added, MapFrame):
            fits = self.pairs_fit(reader, added, content, added.end)
        else:
            codec = added.codec
            fits = looks_like_list(cursor) or (codec is not None and self.fits(reader, codec, added.count, content, added.end))
        cursor.seek(content)
        return fits

    def pairs_fit(self, reader: Reader, frame: MapFrame, content: i64, end: i64) -> bool:
        """Return whether pairs fit the bytes from `content` to `end`. Moves.

        Property lists are recognised by the first pair; of binary values the size of all must be right.
        """
        cursor = reader.cursor
        key = frame.key.codec
        value = frame.value.codec
        if frame.key.peeks and looks_like_list(cursor) and not (frame.key.is_known and self._is_followed_by_list(cursor, frame)):
            # Lists can be recognised; only the size of all shows what a byte after them is.
            return (value is not U8 and value is not NAME) or self._pairs_fill(reader, frame, content, end)
        if key is None:
            return False
        frame.key.settle()
        cursor.seek(content)
        key.measure(cursor, reader)
        if frame.value.peeks and looks_like_list(cursor):
            return True
        if value is None:
            return False
        frame.value.settle()
        if key.size >= 0 and value.size >= 0:
            return frame.count * (key.size + value.size) == end - content
        return self._pairs_fill(reader, frame, content, end)

    def _pairs_fill(self, reader: Reader, frame: MapFrame, content: i64, end: i64) -> bool:
        """Return whether pairs fill the map, up to `FITTING_SIZE`. Moves."""
        cursor = reader.cursor
        key = frame.key.codec
        value = frame.value.codec
        spent = reader.build.spent()
        cursor.seek(content)
        try:
            for _ in range(frame.count):
                if frame.key.peeks and looks_like_list(cursor):
                    reader.skip_properties(cursor)
                elif key is not None:
                    key.measure(cursor, reader)
                if value is not None:
                    value.measure(cursor, reader)
                if cursor.tell() - content > FITTING_SIZE:
                    return True
            return cursor.tell() == end
        except (DamagedSave, UnsupportedSave, LimitExceeded) as error:
            if error is cursor.fault:
                raise
            return False
        finally:
            reader.build.restore(spent)

    def _is_followed_by_list(self, cursor: Cursor, frame: MapFrame) -> bool:
        """Return whether a property list follows a binary key, which may look like the start of a list itself. Moves."""
        key = frame.key.codec
        if key is None or key.size < 0 or not frame.value.peeks:
            return False
        cursor.skip(key.size)
        return looks_like_list(cursor)
