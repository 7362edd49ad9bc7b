"""What is open while a property list is walked.

| frame | walks | events |
|---|---|---|
| list | property tags up to `None` | `PropertyTag`, then what its value opens |
| elements | structs of an array or set that are property lists | `StructEnter` ... `StructExit` each |
| array | other values of an array | `Field` each, or `StructEnter` ... `StructExit` where they have much inside |
| map | pairs of which one is a property list | `StructEnter("MapEntry")`, `key`, `value`, `StructExit` |
| delta | what a set or map removes, then what it adds | `StructEnter` ... `StructExit` each |
| members | the named values of a binary struct | `Field` each, or nested as above |
"""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import Codec, Struct
from streamsave.formats.unreal.tag_cache import TagHead

__all__ = ["ARRAY", "DELTA", "ELEMENTS", "LIST", "MAP", "MEMBERS", "Frame"]

LIST: Final = 0
ELEMENTS: Final = 1
ARRAY: Final = 2
MAP: Final = 3
MEMBERS: Final = 4
DELTA: Final = 5


class Frame:
    """One open nesting. Most values start as the class says, so that an instance is cheap to make."""

    #: Position in the container, -1 in none. For a container: of its element that is open.
    index: i64 = -1
    #: Elements of a container (of a delta: those to remove), and the next member of a binary struct or part of a map's pair.
    count: i64 = 0
    at: i64 = 0
    #: The consumer went to the end of it.
    skipped = False
    #: What is left of a container when all its elements were walked.
    rest = "bytes behind the last element"
    #: A property list without a nesting of its own: the struct around it claims its terminator.
    inline = False
    #: Of a property list: the head of its last tag, or what stands for its start.
    head: TagHead | None = None
    #: Element of an array; members of a binary struct; key and value of a map.
    codec: Codec | None = None
    struct: Struct | None = None
    key: Codec | None = None
    value: Codec | None = None
    #: Name of the struct type of elements, of map keys and of map values.
    type_name = ""
    key_type = ""
    value_type = ""
    #: Keys and values that are structs: each is a property list or binary, as a look at it tells.
    key_peeks = False
    value_peeks = False
    #: They have a name that says that they are binary, unless the first one shows that they are not.
    key_known = False
    value_known = False
    #: The frame of what a delta adds.
    added: Frame | None = None
    #: Where an inline property list ended whose terminator nobody has claimed yet, or -1.
    claim: i64 = -1

    def __init__(self, kind: i64, name: str, end: i64, outer_limit: i64) -> None:
        self.kind: i64 = kind
        self.name = name
        #: Where it ends, or -1 where only its own content tells.
        self.end: i64 = end
        #: The limit to go back to, or -1 where it has none of its own.
        self.outer_limit: i64 = outer_limit
