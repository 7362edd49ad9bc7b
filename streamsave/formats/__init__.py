"""Which formats there are: a look at the first bytes picks the reader."""

from __future__ import annotations

from typing import Final

from streamsave.errors import TruncatedSave, UnsupportedSave
from streamsave.reader import Reader
from streamsave.formats.satisfactory.reader import SatisfactoryReader
from streamsave.formats.satisfactory.reader import sniff as sniff_satisfactory
from streamsave.limits import Limits
from streamsave.source import Source

__all__ = ["make_reader"]

#: How many bytes at the start of a file the formats look at.
HEAD_SIZE: Final = 64


def make_reader(source: Source, limits: Limits) -> Reader:
    """Make the reader for a file.

    Raises:
        TruncatedSave: the file is empty, or too short to tell.
        UnsupportedSave: no format that is known here starts like this.
    """
    head = source.read_at(0, HEAD_SIZE)
    if sniff_satisfactory(head):
        return SatisfactoryReader(source, limits)
    if len(head) < 12:
        raise TruncatedSave("too short for a save", expected="at least 12 bytes", actual=len(head))
    raise UnsupportedSave("no known save format starts like this", expected="a Satisfactory save", actual=head[:12])
