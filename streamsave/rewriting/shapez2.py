"""Write saves of shapez 2, which are zip archives, and blueprint codes, whose envelope is kept.

Members without edits are copied; the directory keeps its order. Bytes of the archive that belong to no member are not copied. A
member or element of JSON is dropped together with a comma.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterable, Iterator, Mapping
from math import isfinite
from typing import BinaryIO, ClassVar, Final, TypeVar

from streamsave.claims import content_start
from streamsave.decode.codecs import I16, I32, U8, Codec
from streamsave.decode.encoder import Encoder
from streamsave.decode.reader import Length
from streamsave.errors import EditError
from streamsave.events import Event, Field, ObjectHeader, StructEnter
from streamsave.formats.shapez2.code import CodeReader, Envelope
from streamsave.formats.shapez2.game_reader import BUILDING, CHECKPOINTS, ISLAND, GameEncoder, GameReader, make_transform
from streamsave.formats.shapez2.jsontext import JSON_ARRAY, JSON_COMMA, JSON_OBJECT, JsonLeaf, json_prefix_size
from streamsave.formats.shapez2.layout import BLOB_END, CHECKPOINT_SIZE, SIZE_SIZE, Tally
from streamsave.formats.shapez2.objects import BUILDINGS, ISLAND_DATA
from streamsave.formats.shapez2.primitives import TEXT
from streamsave.formats.shapez2.reader import JSON, STATE_BUNDLE, STRINGS, SaveReader
from streamsave.formats.shapez2.sniff import SAVEGAME
from streamsave.input.members import Chunk
from streamsave.input.zip_archive import Archive
from streamsave.rewriting.family import Family, is_transform
from streamsave.rewriting.packing import Piece, edited, full_chunks, grouped, gzipped
from streamsave.rewriting.rows import Row
from streamsave.rewriting.zip_archive import write_archive

__all__ = ["JSON_NESTINGS", "CodeFamily", "JsonFamily", "SpzFamily"]


#: Type names of the nestings of JSON.
JSON_NESTINGS: Final = (JSON_ARRAY, JSON_OBJECT)
#: Bytes to search for a comma after white space; no JSON writer has more white space.
COMMA_SIZE: Final = 65536
GameReaderT_co = TypeVar("GameReaderT_co", bound=GameReader, covariant=True)


class JsonFamily(Family[GameReaderT_co]):
    """A family with JSON: a member or element is dropped, copied or added together with a comma."""

    def encoder(self) -> Encoder:
        """Do as `Family.encoder`."""
        return GameEncoder(self.reader.game.table)

    def encode(self, event: Event, value: object) -> bytes:
        """Do as `Family.encode`."""
        codec = self.reader.leaf.codec
        if isinstance(event, Field) and isinstance(codec, JsonLeaf):
            return codec.replaced(self.bytes_at(event.offset, event.size), value)
        return super().encode(event, value)

    def span(self, event: Event, start: int, end: int, edited_to: int) -> tuple[int, int]:
        """Do as `Family.span`: with the comma before it; for the first one that is left, with the comma after it."""
        if start >= edited_to and JSON_COMMA.match(self.bytes_at(start, COMMA_SIZE)):
            return start, end
        after = JSON_COMMA.match(self.bytes_at(end, COMMA_SIZE))
        return max(start, edited_to), end if after is None else end + after.end()

    def before_value(self, event: Field) -> int:
        """Do as `Family.before_value`: the comma and the name of a member."""
        if isinstance(self.reader.leaf.codec, JsonLeaf):
            return json_prefix_size(self.bytes_at(event.offset, event.size))
        return 0

    def before_copy(self, event: Event, start: int) -> bytes:
        """Do as `Family.before_copy`: a comma, unless the element starts with one."""
        return b"" if JSON_COMMA.match(self.bytes_at(start, COMMA_SIZE)) else b","

    def new_member(self, event: Event, name: str, value: object) -> bytes:
        """Do as `Family.new_member`: a member with its comma. An empty object can get none."""
        if not isinstance(event, ObjectHeader) and not (isinstance(event, StructEnter) and event.type_name == JSON_OBJECT):
            return b""
        if self.bytes_at(content_start(event), COMMA_SIZE).lstrip()[:1] == b"}":
            raise EditError(f"{name} cannot be added, as nothing is here in the save")
        import orjson  # noqa: PLC0415 - programs rewrite without it

        return orjson.dumps(name) + b":" + orjson.dumps(value) + b","


#: Fields of `savegame.json` that say how other bytes are read.
STEERING_JSON: Final = frozenset(("Version", "BinaryDataCheckpoints"))
#: Members of a header that are stored, or that follow from others.
HEADER_MEMBERS: Final = frozenset(("transform", "flags", "class_name", "instance_name", "outer"))
#: What the headers of objects consist of: of those that have a rotation, by kind, and of all others.
HEADERS: Final[dict[str, dict[str, Codec]]] = {
    BUILDING: {"x": I16, "y": I16, "z": U8, "rotation": U8, "name": TEXT},
    ISLAND: {"x": I32, "y": I32, "z": I16, "name": TEXT, "rotation": U8},
}
STATE_HEADER: Final[dict[str, Codec]] = {"x": I32, "y": I32, "z": I16, "name": TEXT}
#: Fields that count objects.
COUNTS: Final = (f"{ISLAND}_count", f"{BUILDING}_count")
#: The count of no objects.
NO_OBJECTS: Final = bytes(I32.size)
#: The blobs that are the last part of what is around them, and the checkpoint after a blob.
LAST_BLOBS: Final = (ISLAND_DATA, BUILDINGS)
AFTER_BLOB: Final = CHECKPOINTS[BLOB_END].to_bytes(CHECKPOINT_SIZE, "little")


class SpzFamily(JsonFamily[SaveReader]):
    """Write saves."""

    steering: ClassVar[frozenset[str]] = frozenset((*COUNTS, "has_configuration", "serialization_id", "string_count"))
    no_facts = "objects of shapez 2 refer to the strings and members of their own save: they mean nothing in another one"

    def lengths(self, event: Event) -> list[Length]:
        """Do as `Family.lengths`."""
        for enter, length in self.reader.counted:
            if enter is event:
                return [length]
        is_blob = isinstance(event, StructEnter) and event.size >= 0 and event.header_size == SIZE_SIZE
        return [Length(event.offset, SIZE_SIZE, counts=False)] if is_blob else []

    def is_count(self, event: Field) -> bool:
        """Do as `Family.is_count`: of islands, buildings or states."""
        return event.name in COUNTS and not self._is_json()

    def after(self, event: Event) -> bytes | None:
        """Do as `Family.after`: the checkpoint of a blob; in a member of states, the count of those of buildings."""
        if isinstance(event, StructEnter):
            checkpoint = AFTER_BLOB if self.reader.game.has_checkpoints else b""
            return checkpoint if event.type_name in LAST_BLOBS else None
        member = self.reader.member
        is_of_states = member is not None and member.type_name == STATE_BUNDLE
        return NO_OBJECTS if is_of_states and isinstance(event, Field) and event.name == COUNTS[0] else b""

    # --- what can be edited ---

    def part(self, event: Event) -> int:
        """Do as `Family.part`: a member."""
        member = self.reader.member
        if member is None or event is not member:
            return -1
        if member.name == SAVEGAME:
            raise EditError(f"{SAVEGAME} says how other members are read: replace its values")
        return self.reader.member_index

    def holds(self, around: Event, event: Event) -> bool:
        """Do as `Family.holds`: members, objects, elements of a sequence with a count, and JSON."""
        if not isinstance(around, StructEnter):
            member = self.reader.member
            return member is not None and event is member and member.name != STRINGS
        if around.type_name in JSON_NESTINGS:
            return around.type_name == JSON_ARRAY or not self._is_json(SAVEGAME)
        return isinstance(event, ObjectHeader) or (around.count >= 0 and bool(self.lengths(around)))

    def span(self, event: Event, start: int, end: int, edited_to: int) -> tuple[int, int]:
        """Do as `Family.span`: JSON goes with a comma, an object with the checkpoint before it."""
        if self._is_json():
            return super().span(event, start, end, edited_to)
        return (start - CHECKPOINT_SIZE, end) if self._has_checkpoint(event) else (start, end)

    def _has_checkpoint(self, event: Event) -> bool:
        """Return whether there is a checkpoint before what an event opened."""
        return isinstance(event, ObjectHeader) and event.kind in HEADERS and self.reader.game.has_checkpoints

    def before_copy(self, event: Event, start: int) -> bytes:
        """Do as `Family.before_copy`: a comma for JSON, the checkpoint of an object."""
        if self._is_json():
            return super().before_copy(event, start)
        return self.cursor_at(start - CHECKPOINT_SIZE).take(CHECKPOINT_SIZE) if self._has_checkpoint(event) else b""

    def new_member(self, event: Event, name: str, value: object) -> bytes:
        """Do as `Family.new_member`: for JSON, except `savegame.json`."""
        return super().new_member(event, name, value) if self._is_json() and not self._is_json(SAVEGAME) else b""

    def header(self, header: ObjectHeader, members: Mapping[str, object]) -> bytes:
        """Do as `Family.header`: place, rotation and id; the name of an object is its place."""
        if unknown := sorted(members.keys() - HEADER_MEMBERS):
            raise EditError(f"{unknown[0]} cannot be changed")
        place, rotation = members.get("transform", header.transform), members.get("flags", header.flags)
        x = y = z = 0
        if is_transform(place) and all(map(isfinite, place.translation)):
            x, y, z = (int(each) for each in place.translation)
        expected = make_transform(x, y, z, rotation) if isinstance(rotation, int) else None
        if place != expected or (rotation != header.flags and header.kind not in HEADERS):
            raise EditError("no such place", place, f"whole numbers, and for the rotation that flags say: {expected}")
        name = str(members.get("instance_name", header.instance_name)).rpartition(":")[2]
        if "instance_name" in members and name != f"({x}, {y}, {z})":
            raise EditError("the name of an object is its place, as transform has it", name, f"({x}, {y}, {z})")
        encoder = self.encoder()
        values = {"x": x, "y": y, "z": z, "rotation": rotation, "name": members.get("class_name", header.class_name)}
        for part, codec in HEADERS.get(header.kind, STATE_HEADER).items():
            codec.encode(values[part], encoder)
        after = header.offset + len(encoder.data)
        return bytes(encoder.data) + self.cursor_at(after).take(header.data_offset - after)

    def steers(self, event: Event) -> bool:
        """Do as `Family.steers`."""
        if not isinstance(event, Field):
            return False
        if isinstance(self.reader.leaf.codec, Tally):
            return True
        if self._is_json():
            return self._is_json(SAVEGAME) and event.name in STEERING_JSON and len(self.reader.steps) == 2
        return super().steers(event)

    def _is_json(self, name: str = "") -> bool:
        """Return whether the current member is JSON; with `name`, also whether it has this name."""
        member = self.reader.member
        return member is not None and member.type_name == JSON and (not name or name == member.name)

    # --- the archive ---

    def write(self, rows: Iterable[Row], target: BinaryIO) -> None:
        """Do as `Family.write`."""
        archive = self.reader.windows
        assert isinstance(archive, Archive)  # noqa: S101 - since the first event
        write_archive(archive, self._members(archive, rows), target, fast=self.fast)

    def _members(self, archive: Archive, rows: Iterable[Row]) -> Iterator[tuple[Chunk, Iterable[Piece] | None]]:
        """Yield the members to keep, each with its new bytes; None: unchanged."""
        edits = grouped(rows, (chunk.offset + chunk.size for chunk in archive.chunks))
        for index, (chunk, inside) in enumerate(zip(archive.chunks, edits, strict=True)):
            if index not in self.parts:
                yield chunk, edited(archive, inside, chunk.offset, chunk.offset + chunk.size) if inside else None
            elif (part := self.parts[index]) is not None:
                yield chunk, [part]


#: Keys of an entry that are not stored if they are 0.
ENTRY_NUMBERS: Final = frozenset(("X", "Y", "Z", "L", "R"))
#: Characters of the payload that have the header of the gzip member: a multiple of 4.
HEAD_SIZE: Final = 16
#: Bytes to encode at a time: a multiple of 3, so that only the last text is padded.
BASE64_SIZE: Final = 192 * 1024


class CodeFamily(JsonFamily[CodeReader]):
    """Write blueprint codes."""

    steering: ClassVar[frozenset[str]] = frozenset(("V", "$type"))

    def holds(self, around: Event, event: Event) -> bool:
        """Do as `Family.holds`: entries, elements of an array, leaves of an entry except its class."""
        if isinstance(around, StructEnter):
            return around.type_name == JSON_ARRAY
        return isinstance(around, ObjectHeader) and isinstance(event, Field) and event.name != "T"

    def has_header(self, header: ObjectHeader) -> bool:
        """Do as `Family.has_header`: all members are among the values of an entry."""
        return False

    def new_member(self, event: Event, name: str, value: object) -> bytes:
        """Do as `Family.new_member`: the numbers of an entry that are not stored if they are 0."""
        if not isinstance(event, ObjectHeader) or name not in ENTRY_NUMBERS:
            return b""
        if not isinstance(value, int):
            raise EditError("not an integer", value)
        return super().new_member(event, name, value)

    def write(self, rows: Iterable[Row], target: BinaryIO) -> None:
        """Do as `Family.write`."""
        envelope = Envelope(self._source, self._limits)
        start, end = envelope.payload_offset, envelope.payload_end
        head = binascii.a2b_base64(self._source.read_at(start, HEAD_SIZE))
        payload = gzipped(head, edited(self.reader.windows, rows, 0, self.end), fast=self.fast)
        target.write(self._source.read_at(0, start))
        target.writelines(binascii.b2a_base64(piece, newline=False) for piece in full_chunks(payload, BASE64_SIZE))
        target.write(self._source.read_at(end, self._limits.string_size + 1))
