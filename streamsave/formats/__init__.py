"""Which formats there are: a look at the first bytes picks the reader."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from streamsave.errors import TruncatedSave, UnsupportedSave
from streamsave.formats.arx.container import sniff_container
from streamsave.formats.arx.reader import ArxReader
from streamsave.formats.gvas.reader import GvasReader
from streamsave.formats.gvas.wrappers import sniff_compressed, sniff_gvas
from streamsave.formats.satisfactory.config import ConfigReader, sniff_config
from streamsave.formats.satisfactory.reader import BlueprintReader, SatisfactoryReader, sniff_blueprint, sniff_save
from streamsave.formats.shapez2.code import CodeReader
from streamsave.formats.shapez2.envelope import sniff_code
from streamsave.formats.shapez2.reader import SaveReader as Shapez2Reader
from streamsave.formats.shapez2.reader import sniff_save as sniff_shapez2
from streamsave.limits import Limits
from streamsave.reader import Reader
from streamsave.source import Source

__all__ = ["make_reader"]

#: How many bytes at the start of a file the formats look at.
HEAD_SIZE: Final = 64

#: Name, look at the head, reader. The first whose look is content reads the file, so the surest looks come first.
FORMATS: Final[list[tuple[str, Callable[[bytes], bool], Callable[[Source, Limits], Reader]]]] = [
    ("Unreal save game", sniff_gvas, GvasReader),
    ("shapez 2 save", sniff_shapez2, Shapez2Reader),
    ("shapez 2 blueprint code", sniff_code, CodeReader),
    ("Satisfactory save", sniff_save, SatisfactoryReader),
    ("Satisfactory blueprint", sniff_blueprint, BlueprintReader),
]

#: Formats without a mark at the start: they are looked for last, and may look anywhere in the file.
UNMARKED_FORMATS: Final[list[tuple[str, Callable[[bytes, Source], bool], Callable[[Source, Limits], Reader]]]] = [
    ("Unreal save game in zlib or gzip", sniff_compressed, GvasReader),
    ("Satisfactory blueprint configuration", sniff_config, ConfigReader),
    ("Arx save", sniff_container, ArxReader),
]


def make_reader(source: Source, limits: Limits) -> Reader:
    """Make the reader for a file.

    Raises:
        TruncatedSave: the file is too short to tell.
        UnsupportedSave: no format that is known here starts like this.
    """
    head = source.read_at(0, HEAD_SIZE)
    for _name, sniff, make in FORMATS:
        if sniff(head):
            return make(source, limits)
    for _name, look, make in UNMARKED_FORMATS:
        if look(head, source):
            return make(source, limits)
    names = ", ".join([name for name, _sniff, _make in FORMATS] + [name for name, _look, _make in UNMARKED_FORMATS])
    if len(head) < 12:
        raise TruncatedSave("too short to tell what it is", expected=names, actual=head)
    raise UnsupportedSave("no known format starts like this", expected=names, actual=head[:12])
