"""What a family of formats has for edits: what must stay as it is, what can be dropped, where bools are, how a save is packed.

And what is taken from one save to be inserted in another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import BinaryIO, ClassVar, Final, Generic, NamedTuple, TypeAlias, TypeVar, cast

from mypy_extensions import mypyc_attr

from streamsave.decode.reader import Reader
from streamsave.errors import EditError, UnsupportedSave
from streamsave.events import Event, Field, ObjectHeader, PropertyTag, StructEnter
from streamsave.formats.format import load
from streamsave.input.source import Source
from streamsave.input.windows import Windows
from streamsave.limits import Limits
from streamsave.rewriting.rows import Row

__all__ = ["Cutting", "Facts", "Family", "make_family"]


#: The reader of a family's saves.
ReaderT_co = TypeVar("ReaderT_co", bound=Reader, covariant=True)
#: Pairs of a name and what it is.
Facts: TypeAlias = tuple[tuple[str, object], ...]


class Cutting(NamedTuple):
    """An object or a property: its bytes, and what a save has to have in common with the one that it is from."""

    event: ObjectHeader | PropertyTag
    #: The header of an object that is somewhere else than before its data; else nothing.
    header: bytes
    data: bytes
    facts: Facts
    #: An object of the map: a save does not have it among its destroyed ones.
    is_of_map: bool


# Those of other packages are not compiled.
@mypyc_attr(allow_interpreted_subclasses=True)
class Family(Generic[ReaderT_co]):
    """Interface of what writes the saves of one kind of reader. Each method is about the save that the reader reads.

    Args:
        source: the save that is read.
        reader: reads it.
        limits: for reading it again.
    """

    #: A new save differs also without edits.
    converts = False
    #: Objects have headers and sizes of their own, so that those that were not edited need not be read again.
    has_sizes = False
    #: Compress in less time, to more bytes.
    fast = False
    #: The field from which on other fields count what is in its nesting; None: there is none.
    split_at: str | None = None
    #: Objects without a header are named by a table, not by their values.
    names_parts = False
    #: Names of the fields that say how other bytes are read.
    steering: ClassVar[frozenset[str]] = frozenset()
    #: Why `facts` has nothing: for messages.
    no_facts = "nothing of this kind can be taken from a save of this format, nor inserted in one"

    def __init__(self, source: Source, reader: ReaderT_co, limits: Limits) -> None:
        self._source = source
        self._reader = reader
        self._limits = limits
        #: Parts that the format packs one by one, and that were edited as a whole: their bytes; None if they are left out.
        self.parts: dict[int, bytes | None] = {}
        #: Parts of other saves that are inserted before the one of a number: names and bytes.
        self.added: dict[int, list[tuple[str, bytes]]] = {}
        #: Of a damaged save, the windows of its reader, and where what is sound of the stream ends (-1: with the stream).
        self.windows: Windows | None = None
        self.end = -1
        #: What `holds` was last asked about, and whether something says how many objects it has.
        self._counted: Event | None = None
        self._has_count = False
        #: Another name of the session for the header of the save; "": the one that it has.
        self.session_name = ""

    def choose_wrapper(self, wrapper: str) -> None:
        """Write the save in another wrapper; "": in its own.

        Raises:
            UnsupportedSave: it cannot be written in that.
        """

    def part(self, event: Event) -> int:
        """Return the number of the part that an event has opened; -1 if it is none.

        Raises:
            EditError: it is one that must stay as it is.
        """
        return -1

    def contents(self, event: Event) -> list[tuple[int, int]]:
        """Return where the data is of an object that cannot be left out, but can be left without data; nothing of all others."""
        return []

    def holds(self, around: Event, event: Event) -> bool:
        """Return whether what `event` has opened can be left out of what `around` has opened, the nesting around it.

        Of a part, too.

        Raises:
            EditError: it cannot, for a reason of the format.
        """
        if not isinstance(around, StructEnter):
            return False
        if isinstance(event, Field) and event.index < 0:
            return False
        if around.count >= 0:
            return True
        if not isinstance(event, ObjectHeader):
            return False
        if around is not self._counted:  # the same for all objects of a level
            self._counted = around
            self._has_count = any(length.counts for length in self._reader.lengths(around))
        return self._has_count

    def span(self, event: Event, start: int, end: int, edited_to: int) -> tuple[int, int]:
        """Return the bytes to leave out with what an event opened.

        Args:
            event: is left out.
            start: where it starts.
            end: where it ends, with its terminator.
            edited_to: where the last edit before it ends.
        """
        return start, end

    def facts(self, event: ObjectHeader | PropertyTag) -> Facts | None:
        """Return what two saves must have in common where the one gets what an event of the other has opened.

        They have names, for messages. None: it cannot be taken from a save, nor inserted beside it.
        """
        return None

    def insert_part(self, name: str, data: bytes, *, is_after: bool) -> bool:
        """Insert a part before the one that is walked, or after it; return False if objects are no parts."""
        return False

    def has_header(self, header: ObjectHeader) -> bool:
        """Return whether an object has a header that its values do not say."""
        return header.header_size > 0

    def before_copy(self, event: Event, start: int) -> bytes:
        """Return what a copy of an element needs before its bytes, those that `event` has opened: they start at `start`."""
        return b""

    def new_member(self, event: Event, name: str, value: object) -> bytes:
        """Return the bytes of a member that what `event` has opened does not have, to come first in it.

        Raises:
            EditError: there cannot be one of this name or value.
        """
        return b""

    def without_inserted(self, field: Field, value: object, inserted: frozenset[tuple[str, str]]) -> object:
        """Return the value of a list of destroyed objects without those that were inserted; the value itself if it is none.

        Args:
            field: any.
            value: of it.
            inserted: levels and names of the objects of the map that were inserted.
        """
        return value

    def before_value(self, event: Field) -> int:
        """Return how many bytes of the last event, a leaf, are not its value, and stay."""
        return 0

    def steers(self, event: Event) -> bool:
        """Return whether the value of an event says how other bytes are read: a count, a version, a kind."""
        return isinstance(event, Field) and event.name in self.steering

    def flag(self, tag: PropertyTag, value: bool) -> tuple[int, bytes]:
        """Return where the value of a bool that is in its tag is, and the byte that says `value`."""
        raise NotImplementedError

    def header(self, header: ObjectHeader, members: Mapping[str, object]) -> bytes:
        """Return the header of an object with other members.

        Args:
            header: of the object.
            members: by the names that `ObjectHeader` has for them.

        Raises:
            EditError: it has no header of its own, or no such member; or a value does not fit.
        """
        raise EditError("the object has no header that can be changed: set its values")

    def write(self, rows: Iterable[Row], target: BinaryIO) -> None:
        """Write the save with edits in the order of the bytes.

        Raises:
            SaveError: the save that is read is damaged.
            EditError: what is written would be too large for its format.
            OSError: the target cannot be written.
        """
        raise NotImplementedError


MakeFamily: TypeAlias = Callable[[Source, Reader, Limits], Family[Reader]]
#: What writes the saves of a reader, or of one that inherits from it. Only that of the save is imported.
FAMILIES: Final = {
    "streamsave.formats.arx.reader:ArxReader": "streamsave.rewriting.arx:ArxFamily",
    "streamsave.formats.astroneer.reader:AstroneerReader": "streamsave.rewriting.astroneer:AstroneerFamily",
    "streamsave.formats.gvas.reader:GvasReader": "streamsave.rewriting.gvas:GvasFamily",
    "streamsave.formats.satisfactory.reader:BodyReader": "streamsave.rewriting.satisfactory:SatisfactoryFamily",
    "streamsave.formats.shapez2.code:CodeReader": "streamsave.rewriting.shapez2:CodeFamily",
    "streamsave.formats.shapez2.reader:SaveReader": "streamsave.rewriting.shapez2:SpzFamily",
}


def make_family(source: Source, reader: Reader, limits: Limits, wrapper: str = "", *, fast: bool = False) -> Family[Reader]:
    """Return what writes the saves of a reader.

    Raises:
        UnsupportedSave: nothing does.
    """
    for kind in type(reader).__mro__:
        path = FAMILIES.get(f"{kind.__module__}:{kind.__qualname__}") or vars(kind).get("writer")
        if path:
            family = cast("MakeFamily", load(path))(source, reader, limits)
            family.fast = fast
            family.choose_wrapper(wrapper)
            return family
    expected = "saves of Satisfactory, Unreal, Astroneer, shapez 2 or Arx"
    raise UnsupportedSave("saves of this format cannot be written", expected=expected, actual=source.name)
