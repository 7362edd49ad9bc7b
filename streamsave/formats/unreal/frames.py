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
from streamsave.formats.unreal.object_rows import ObjectRow
from streamsave.formats.unreal.tags import Tag

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

    #: Position in the container, -1 if it is in none. For a container: position of the element that is open.
    index: i64 = -1
    #: Elements of a container (of a delta: those to remove).
    count: i64 = 0
    #: The next member of a binary struct, or the next part of a pair or delta.
    at: i64 = 0
    #: Why the rest of a container is passed over after all its elements were walked.
    rest = AFTER_ELEMENTS
    #: Of a map: the stand-ins for the starts of the property lists that its keys and values are.
    key_start: Tag | None = None
    value_start: Tag | None = None
    #: Element of an array; members of a binary struct; key and value of a map.
    codec: Codec | None = None
    struct: Struct | None = None
    key: Codec | None = None
    value: Codec | None = None
    #: Name of the struct type of elements, of map keys and of map values.
    type_name = ""
    key_type = ""
    value_type = ""
    #: Keys and values that are structs: a look at each one shows whether it is a property list or binary.
    key_peeks = False
    value_peeks = False
    #: The type or a hint says that they are binary; the first one may still show that they are not.
    key_known = False
    value_known = False
    #: Of the games that have it: the value that says what a blob in here is (`blob_layouts`).
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
    #: Of a map: which members of its pairs were property lists, a bit each. For those who look for damage.
    listed: i64 = 0

    def __init__(self, kind: i64, name: str, end: i64, outer_limit: i64) -> None:
        self.kind: i64 = kind
        self.name = name
        #: Where it ends, or -1 where only its content shows that.
        self.end: i64 = end
        #: The limit to go back to, or -1 where it has none of its own.
        self.outer_limit: i64 = outer_limit
        #: The consumer went to the end of it.
        self.skipped = False
        #: A property list without a nesting of its own: the struct around it claims its terminator.
        self.inline = False
        #: Of a property list: its last tag, or the stand-in for its start. Old tags only.
        self.last_tag: Tag | None = None

    def copy(self) -> Frame:
        """Return another frame in the same state."""
        other = Frame(self.kind, self.name, self.end, self.outer_limit)
        other.skipped = self.skipped
        other.inline = self.inline
        other.last_tag = self.last_tag
        other.index = self.index
        other.count = self.count
        other.at = self.at
        other.rest = self.rest
        other.key_start = self.key_start
        other.value_start = self.value_start
        other.codec = self.codec
        other.struct = self.struct
        other.key = self.key
        other.value = self.value
        other.type_name = self.type_name
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
