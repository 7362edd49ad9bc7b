"""What a format is to the rest of the package: one row of the registry.

A row costs nothing to import: it names its reader by a path, and its sniffer needs no reader.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Final, NamedTuple

from streamsave.decode.reader import Reader
from streamsave.errors import UnsupportedOption
from streamsave.input.source import Source
from streamsave.limits import Limits

__all__ = ["METRES", "OPTIONS", "Format", "Label", "MakeReader", "PlaceUnit", "Sniffer", "as_format", "check_options", "load"]

#: Returns whether a file is of a format. It gets the first `HEAD_SIZE` bytes and the file, where it may read on with `read_at`.
Sniffer = Callable[[bytes, Source], bool]
#: Makes a reader of a file: the class of the reader.
MakeReader = Callable[[Source, Limits], Reader]

#: The options of `streamsave.open` that a format takes or refuses.
OPTIONS: Final = ("sparse", "type_hints", "objects_at")


class PlaceUnit(NamedTuple):
    """The unit in which commands write the places of objects."""

    #: After a number: `12.5 m`.
    symbol: str
    #: In the plural, as in the key `position_metres`.
    name: str
    #: How many units of `ObjectHeader.position` are one of it.
    scale: float


#: Unreal's unit is the centimetre.
METRES: Final = PlaceUnit("m", "metres", 100)


class Label(NamedTuple):
    """What `streamsave info` calls a field of a header."""

    text: str
    #: It is written as `"text"`, `"seconds"`, `"moment"`, `"bytes"` (a number of them), `"hex"`, `"version"` (numbers), or
    #: `"mods"` (JSON that lists mods).
    kind: str = "text"


class Format(NamedTuple):
    """A format that `streamsave` reads.

    Only the first three are needed. The others say how the commands treat saves of the format.
    """

    #: What messages call it: `"Arx save"`.
    name: str
    #: Returns whether a file is of this format. It imports no reader, and reads little.
    sniffer: Sniffer
    #: The class of the reader, or where to import it from when a save is opened: `"package.module:Name"`.
    reader: str | MakeReader
    #: How the names of its files end, in lower case. Commands that search a folder read files with these names.
    extensions: tuple[str, ...] = ()
    #: Which of `OPTIONS` it takes; others are refused.
    options: frozenset[str] = frozenset()
    #: What `info` calls fields of `SaveStart.header`. A field that is not here keeps its name.
    labels: Mapping[str, Label] = {}
    #: The unit in which `ls` and `map` give places.
    place_unit: PlaceUnit = METRES
    #: How a save starts and ends that is text, so that it can be an argument of a command itself; ("", "") where it is none.
    text_marks: tuple[str, str] = ("", "")
    #: Where commands find a subclass of `streamsave.cli.view.View`, if `info`, `ls` and `map` show more of this format than any
    #: reader says: `"package.module:Name"`. Only commands import it.
    view: str = ""
    #: Values refer to names or objects by their number in the save: bytes that are equal in two saves may be other values.
    by_number: bool = False


def as_format(reader: Format | MakeReader) -> Format:
    """Return the row of a reader that the caller has chosen; a reader without a row takes no options.

    Raises:
        TypeError: it is neither a row nor something that makes a reader.
    """
    if isinstance(reader, Format):
        return reader
    if not callable(reader):
        raise TypeError(f"reader is a Format or makes a Reader, not a {type(reader).__name__}")
    name = getattr(reader, "__name__", type(reader).__name__)
    return Format(name, lambda _head, _source: True, reader)


def load(path: str) -> object:
    """Import what a path such as `"package.module:Name"` names.

    Raises:
        ImportError: there is no such module, or it cannot be imported.
        AttributeError: it has no such name.
    """
    module, _, name = path.partition(":")
    found: object = getattr(import_module(module), name)
    return found


def check_options(row: Format, given: Mapping[str, object]) -> None:
    """Refuse options that a format does not take.

    Args:
        row: the format.
        given: the options and their values; an empty or false value is none.

    Raises:
        UnsupportedOption: one of them is given, and the format does not take it.
    """
    for option, value in given.items():
        if value and option not in row.options:
            raise UnsupportedOption(option, row.name)
