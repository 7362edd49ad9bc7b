"""`Family`: what each format provides for edits: where sizes are, what can be dropped, how values and whole saves are written.

`Cutting` is what is taken from one save to insert it into another.

The module is long because it has all that a format owes for edits, with the defaults, and what the Unreal formats share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import BinaryIO, ClassVar, Final, Generic, NamedTuple, TypeAlias, TypeGuard, TypeVar, cast

from streamsave.claims import content_start
from streamsave.decode.codecs import BOOL8, Codec
from streamsave.decode.cursor import NO_LIMIT, Cursor
from streamsave.decode.encoder import Encoder
from streamsave.decode.reader import Length, Reader
from streamsave.errors import EditError, UnsupportedSave
from streamsave.events import Event, Field, ObjectHeader, PropertyTag, StructEnter
from streamsave.formats.format import load
from streamsave.formats.unreal.dialect import Dialect
from streamsave.formats.unreal.frames import ListFrame
from streamsave.formats.unreal.reader import UnrealReader
from streamsave.formats.unreal.tag_reader import NEW_TAG, OLD_TAG, flag_offset, struct_lengths, tag_length
from streamsave.formats.unreal.tag_values import encode_value, layout_of
from streamsave.formats.unreal.tags import BOOL_TYPE, FLAG_BOOL_TRUE, MAP_TYPE
from streamsave.frequent_values import Transform
from streamsave.input.source import Source
from streamsave.limits import Limits
from streamsave.rewriting.rows import Row

__all__ = ["Cutting", "Facts", "Family", "UnrealFamily", "check_session_name", "find_family", "is_map", "make_family"]


#: The reader of a family's saves.
ReaderT_co = TypeVar("ReaderT_co", bound=Reader, covariant=True)
UnrealReaderT_co = TypeVar("UnrealReaderT_co", bound=UnrealReader, covariant=True)
#: Pairs of a name and a value.
Facts: TypeAlias = tuple[tuple[str, object], ...]


def check_session_name(name: str) -> None:
    """Check a new session name.

    Raises:
        EditError: it is empty or not printable.
    """
    if not name or not name.isprintable():
        raise EditError("the name of a session cannot be empty or have control characters", name)


def is_transform(value: object) -> TypeGuard[Transform]:
    """Return whether a value that a caller gave is a transform of 4, 3 and 3 numbers."""
    if not isinstance(value, Transform):
        return False
    parts: list[object] = [value.rotation, value.translation, value.scale]  # a caller may not check types
    numbers = [list(part) if isinstance(part, (list, tuple)) else [] for part in parts]
    return list(map(len, numbers)) == [4, 3, 3] and all(isinstance(each, (int, float)) for part in numbers for each in part)


def is_map(event: Event) -> bool:
    """Return whether a value is a map: a tag has the type of one, a field the name of a `Map` codec."""
    return isinstance(event, (PropertyTag, Field)) and (event.type == MAP_TYPE or event.type.startswith("{"))


class Cutting(NamedTuple):
    """An object or a property: its bytes, and the facts that must be the same in the save that gets it."""

    event: ObjectHeader | PropertyTag
    #: The header of an object, if it is stored apart from its data; else empty.
    header: bytes
    data: bytes
    facts: Facts
    #: It is an object of the map: a save with it must not list it as destroyed.
    is_of_map: bool


class Family(Generic[ReaderT_co]):
    """Interface of what writes the saves of one kind of reader. Each method is about the save that the reader reads.

    Args:
        source: the save that is read.
        reader: reads it.
        limits: for reading it again.
    """

    #: The new save differs from the old one even without edits, as its wrapper or header changes.
    converts = False
    #: Objects have headers and sizes, so objects without edits need not be checked again.
    has_sizes = False
    #: Compress faster, to more bytes.
    fast = False
    #: The names of objects without a header are in a table, not in their values.
    names_parts = False
    #: Names of the fields that say how other bytes are read.
    steering: ClassVar[frozenset[str]] = frozenset()
    #: Why nothing can be taken: the message of the error of `facts`.
    no_facts = "nothing of this kind can be taken from a save of this format, nor inserted in one"

    def __init__(self, source: Source, reader: ReaderT_co, limits: Limits) -> None:
        self._source = source
        self.reader: Final = reader
        self._limits = limits
        #: Parts are what the format packs one by one: members, entries. Number of an edited part -> its new bytes; None: dropped.
        self.parts: dict[int, bytes | None] = {}
        #: Number of a part -> names and bytes of the parts to insert before it.
        self.added: dict[int, list[tuple[str, bytes]]] = {}
        #: For a damaged save: where the sound part of the stream ends (-1: at its end).
        self.end = -1
        #: The nesting that `holds` was last asked about, and whether it has a count.
        self._counted: Event | None = None
        self._has_count = False
        self._again: Cursor | None = None

    def rename_session(self, name: str) -> None:
        """Let the header of the new save have this session name.

        Raises:
            UnsupportedSave: headers of this format have none.
            EditError: it cannot be one.
        """
        raise UnsupportedSave("headers of this format have no name of a session")

    # --- the bytes of the save ---

    def cursor_at(self, offset: int) -> Cursor:
        """Return a cursor to read bytes again that events have claimed, without a limit. The next call moves it."""
        if self._again is None:
            self._again = self.reader.cursor_ahead()
        self._again.set_limit(NO_LIMIT)
        self._again.seek(offset)
        return self._again

    def bytes_at(self, offset: int, size: int) -> bytes:
        """Return bytes to look at: fewer where the stream ends, or cannot be inflated. To keep bytes, `take` them at `cursor_at`.

        Raises:
            SaveError: the stream cannot be inflated up to them.
        """
        return self.cursor_at(offset).peek(size)

    def lengths(self, event: Event) -> list[Length]:
        """Return the length and count fields of the nesting that `event` opened, in the order of the bytes.

        Any open nesting will do. The bytes that hold the fields are read again.

        Raises:
            SaveError: they cannot be read again.
        """
        return []

    def is_count(self, event: Field) -> bool:
        """Return whether a field counts the elements that follow in its nesting, up to the next such field."""
        return False

    def after(self, event: Event) -> bytes | None:
        """Return the bytes that must follow a count, or what `event` opens, so that what is around can end; None: it cannot."""
        return None

    def layouts(self, event: Event) -> list[tuple[int, Codec]]:
        """Return the layouts of the data that the last event claims: where each starts, and its codec."""
        codec = self.reader.leaf.codec
        return [] if codec is None or not isinstance(event, (Field, PropertyTag)) else [(int(self.reader.leaf.start), codec)]

    def list_start(self, event: ObjectHeader | StructEnter) -> int:
        """Return where the property list starts that the last event has opened; -1 if it has opened none."""
        return -1

    def encoder(self) -> Encoder:
        """Return an encoder for the values of this save."""
        return Encoder()

    def encode(self, event: Event, value: object) -> bytes:
        """Return the bytes of a value that replaces the value of the last event, a leaf. The leaf may have been read already.

        Raises:
            TypeError: the event has no value.
            EditError: the value does not fit there, or can be replaced only as bytes.
        """
        codec = self.reader.leaf.codec
        if codec is None or not isinstance(event, (Field, PropertyTag)):
            raise TypeError(f"{type(event).__name__} has no value")
        return codec.encoded(value, self.encoder())

    # --- what can be edited ---

    def choose_wrapper(self, wrapper: str) -> None:
        """Set the wrapper of the new save; "": that of the old one.

        Raises:
            UnsupportedSave: the save cannot be written in this wrapper.
        """

    def part(self, event: Event) -> int:
        """Return the number of the part that an event opened, see `parts`; -1 if it is no part.

        Raises:
            EditError: it cannot be replaced as a whole.
        """
        return -1

    def contents(self, event: Event) -> list[tuple[int, int]]:
        """Return the start and end of each range of data to delete from an object that cannot be dropped itself; else nothing."""
        return []

    def holds(self, around: Event, event: Event) -> bool:
        """Return whether what `event` opened can be dropped from the nesting around it, which `around` opened.

        Raises:
            EditError: it cannot, and the message says why.
        """
        if not isinstance(around, StructEnter) or (isinstance(event, Field) and event.index < 0):
            return False
        if around.count >= 0:
            return True
        if not isinstance(event, ObjectHeader):
            return False
        if around is not self._counted:  # the same for all objects of a level
            self._has_count = any(length.counts for length in self.lengths(around))
            self._counted = around
        return self._has_count

    def span(self, event: Event, start: int, end: int, edited_to: int) -> tuple[int, int]:
        """Return the range to delete to drop what an event opened.

        Args:
            event: opened it.
            start: where it starts.
            end: where it ends, with its terminator.
            edited_to: where the last edit before it ends.
        """
        return start, end

    def facts(self, event: ObjectHeader | PropertyTag) -> Facts:
        """Return the facts that two saves must share for one to get what an event of the other opened: names and values.

        Raises:
            EditError: it cannot be taken from a save, and nothing can be inserted beside it.
        """
        raise EditError(self.no_facts)

    def insert_part(self, name: str, data: bytes, *, is_after: bool) -> bool:
        """Insert a part before or after the current part; return False if objects are no parts."""
        return False

    def has_header(self, header: ObjectHeader) -> bool:
        """Return whether an object has a header with members that are not among its values."""
        return header.header_size > 0

    def before_copy(self, event: Event, start: int) -> bytes:
        """Return the bytes to put before a copy of an element, such as a comma. The element was opened by `event`, at `start`."""
        return b""

    def new_member(self, event: Event, name: str, value: object) -> bytes:
        """Return the bytes of a new first member of what `event` opened; b"" if the format has no such members.

        Raises:
            EditError: the name or the value is not possible there.
        """
        return b""

    def before_value(self, event: Field) -> int:
        """Return how many bytes of a leaf, the last event, are before its value."""
        return 0

    def steers(self, event: Event) -> bool:
        """Return whether other bytes are read by the value of an event, such as a count or a version: it must not be edited."""
        return isinstance(event, Field) and event.name in self.steering

    def check(self, event: Event) -> None:
        """Raise `EditError` if other bytes are read by the value of an event."""
        if self.steers(event):
            raise EditError("it says how other bytes are read")

    def flag(self, tag: PropertyTag, value: bool) -> tuple[int, bytes]:
        """Return the offset of a bool that is stored in its tag, and the byte for `value`."""
        raise NotImplementedError

    def header(self, header: ObjectHeader, members: Mapping[str, object]) -> bytes:
        """Return the bytes of the header of an object with other members.

        Args:
            header: of the object.
            members: name in `ObjectHeader` -> new value.

        Raises:
            EditError: the object has no header, or the header has no such member, or a value does not fit.
        """
        raise EditError("the object has no header that can be changed: set its values")

    def write(self, rows: Iterable[Row], target: BinaryIO) -> None:
        """Write the save with these edits, which are sorted by offset.

        Raises:
            SaveError: the old save is damaged.
            EditError: the new save is too large for its format.
            OSError: the target cannot be written.
        """
        raise NotImplementedError


class UnrealFamily(Family[UnrealReaderT_co]):
    """What the families with properties of the Unreal engine share: their bools are stored in their tags."""

    def dialect_facts(self, dialect: Dialect) -> Facts:
        """Return the facts about tags that two saves must share."""
        flags = (dialect.new_tags, dialect.struct_guids, dialect.property_guids, dialect.container_types)
        return (("form of tags", (*flags, dialect.extensions, dialect.inner_tags, dialect.blobs is not None)),)

    def lengths(self, event: Event) -> list[Length]:
        """Do as `Family.lengths`."""
        dialect = self.reader.dialect
        if isinstance(event, PropertyTag):
            return [tag_length(dialect, event, self.cursor_at(event.offset))]
        return struct_lengths(dialect, event, self.cursor_at(event.offset)) if isinstance(event, StructEnter) else []

    def layouts(self, event: Event) -> list[tuple[int, Codec]]:
        """Do as `Family.layouts`: the start of a tag, and its value."""
        reader = self.reader
        if not isinstance(event, PropertyTag):
            return super().layouts(event)
        tag: tuple[int, Codec] = (event.offset, NEW_TAG if reader.dialect.new_tags else OLD_TAG)
        if event.type == BOOL_TYPE and event.size == 0:
            return [tag, (self.flag(event, True)[0], BOOL8)]
        if not reader.is_pending:
            return [tag]
        cursor = reader.cursor.fork()
        cursor.set_limit(reader.leaf.end)
        codec = layout_of(reader, cursor, event)
        return [tag] if codec is None else [tag, (event.value_offset, codec)]

    def list_start(self, event: ObjectHeader | StructEnter) -> int:
        """Do as `Family.list_start`."""
        start = content_start(event)
        return start if isinstance(self.reader.top, ListFrame) and self.reader.cursor.tell() == start else -1

    def encode(self, event: Event, value: object) -> bytes:
        """Do as `Family.encode`."""
        if not isinstance(event, PropertyTag):
            return super().encode(event, value)
        encoder = self.encoder()
        encode_value(self.reader, event, value, encoder)
        return bytes(encoder.data)

    def flag(self, tag: PropertyTag, value: bool) -> tuple[int, bytes]:
        """Do as `Family.flag`."""
        dialect = self.reader.dialect
        offset = flag_offset(dialect, self.lengths(tag)[0])
        if not dialect.new_tags:
            return offset, bytes([value])
        flags = int(self.cursor_at(offset).u8())
        return offset, bytes([flags | FLAG_BOOL_TRUE if value else flags & ~FLAG_BOOL_TRUE])


MakeFamily: TypeAlias = Callable[[Source, Reader, Limits], Family[Reader]]
#: Reader -> the family that writes its saves, and those of its subclasses. Imported only when needed.
FAMILIES: Final = {
    "streamsave.formats.arx.reader:ArxReader": "streamsave.rewriting.arx:ArxFamily",
    "streamsave.formats.astroneer.reader:AstroneerReader": "streamsave.rewriting.astroneer:AstroneerFamily",
    "streamsave.formats.gvas.reader:GvasReader": "streamsave.rewriting.gvas:GvasFamily",
    "streamsave.formats.satisfactory.config:ConfigReader": "streamsave.rewriting.satisfactory:ConfigFamily",
    "streamsave.formats.satisfactory.reader:BodyReader": "streamsave.rewriting.satisfactory:SatisfactoryFamily",
    "streamsave.formats.shapez2.code:CodeReader": "streamsave.rewriting.shapez2:CodeFamily",
    "streamsave.formats.shapez2.reader:SaveReader": "streamsave.rewriting.shapez2:SpzFamily",
}


def find_family(source: Source, reader: Reader, limits: Limits) -> Family[Reader]:
    """Return the family of a reader, to ask about its bytes: `Family` itself if saves of this format cannot be written."""
    for kind in type(reader).__mro__:
        path = FAMILIES.get(f"{kind.__module__}:{kind.__qualname__}") or vars(kind).get("writer")
        if path:
            return cast("MakeFamily", load(path))(source, reader, limits)
    return Family(source, reader, limits)


def make_family(
    source: Source, reader: Reader, limits: Limits, wrapper: str | None = "", *, fast: bool = False
) -> Family[Reader]:
    """Return the family that writes the saves of a reader; `wrapper` is None if this one is not written, only others of it.

    Raises:
        UnsupportedSave: saves of this format, or in this wrapper, cannot be written.
    """
    family = find_family(source, reader, limits)
    if type(family) is Family:
        raise UnsupportedSave(
            "saves of this format cannot be written", expected="a reader with a writer", actual=type(reader).__name__
        )
    family.fast = fast
    if wrapper is not None:
        family.choose_wrapper(wrapper)
    return family
