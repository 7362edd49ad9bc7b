"""Which formats there are: a look at the first bytes picks the reader.

A format is imported when its turn comes, so that a save costs the import of few besides its own. Looks that take more than the
first bytes come last.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from streamsave.decode.reader import Reader
from streamsave.errors import TruncatedSave, UnsupportedSave
from streamsave.input.source import Source
from streamsave.limits import Limits

__all__ = ["SAVE_SUFFIXES", "make_reader"]

#: How the files end that games write saves to, in lower case; other names are not looked at where a folder is searched.
SAVE_SUFFIXES: Final = (".sav", ".savegame", ".sbp", ".sbpcfg", ".spz2", ".spz2bp")

#: How many bytes at the start of a file the formats look at.
HEAD_SIZE: Final = 64

Make = Callable[[Source, Limits], Reader]


def _astroneer(head: bytes, source: Source) -> Make | None:
    # Its wrappers start like other saves' files, but the first bytes rule out most saves without an import.
    if head[:4] not in {b"\xbe\x40\x37\x4a", b"GVAS", b"PK\3\4", b"\4\0\0\0"}:
        return None
    from streamsave.formats.astroneer.reader import AstroneerReader
    from streamsave.formats.astroneer.wrappers import sniff_astroneer

    return AstroneerReader if sniff_astroneer(head, source) else None


def _satisfactory_save(head: bytes, source: Source) -> Make | None:
    from streamsave.formats.satisfactory.reader import SatisfactoryReader, sniff_save

    return SatisfactoryReader if sniff_save(head) else None


def _satisfactory_blueprint(head: bytes, source: Source) -> Make | None:
    from streamsave.formats.satisfactory.reader import BlueprintReader, sniff_blueprint

    return BlueprintReader if sniff_blueprint(head) else None


def _gvas(head: bytes, source: Source) -> Make | None:
    from streamsave.formats.gvas.reader import GvasReader
    from streamsave.formats.gvas.wrappers import sniff_gvas

    return GvasReader if sniff_gvas(head) else None


def _shapez2_save(head: bytes, source: Source) -> Make | None:
    from streamsave.formats.shapez2.reader import SaveReader, sniff_save

    return SaveReader if sniff_save(head) else None


def _shapez2_code(head: bytes, source: Source) -> Make | None:
    from streamsave.formats.shapez2.code import CodeReader
    from streamsave.formats.shapez2.envelope import sniff_code

    return CodeReader if sniff_code(head) else None


def _gvas_compressed(head: bytes, source: Source) -> Make | None:
    from streamsave.formats.gvas.reader import GvasReader
    from streamsave.formats.gvas.wrappers import sniff_compressed

    return GvasReader if sniff_compressed(head, source) else None


def _satisfactory_config(head: bytes, source: Source) -> Make | None:
    from streamsave.formats.satisfactory.config import ConfigReader, sniff_config

    return ConfigReader if sniff_config(head, source) else None


def _arx(head: bytes, source: Source) -> Make | None:
    from streamsave.formats.arx.container import sniff_container
    from streamsave.formats.arx.reader import ArxReader

    return ArxReader if sniff_container(head, source) else None


#: Name, look. The first whose look is content reads the file.
FORMATS: Final[list[tuple[str, Callable[[bytes, Source], Make | None]]]] = [
    ("Astroneer save", _astroneer),
    ("Satisfactory save", _satisfactory_save),
    ("Satisfactory blueprint", _satisfactory_blueprint),
    ("Unreal save game", _gvas),
    ("shapez 2 save", _shapez2_save),
    ("shapez 2 blueprint code", _shapez2_code),
    ("Unreal save game in zlib or gzip", _gvas_compressed),
    ("Satisfactory blueprint configuration", _satisfactory_config),
    ("Arx save", _arx),
]


def make_reader(source: Source, limits: Limits) -> Reader:
    """Make the reader for a file.

    Raises:
        TruncatedSave: the file is too short to tell.
        UnsupportedSave: no format that is known here starts like this.
    """
    head = source.read_at(0, HEAD_SIZE)
    for _name, look in FORMATS:
        make = look(head, source)
        if make is not None:
            return make(source, limits)
    names = ", ".join([name for name, _look in FORMATS])
    if len(head) < 12:
        raise TruncatedSave("too short to tell what it is", expected=names, actual=head)
    raise UnsupportedSave("no known format starts like this", expected=names, actual=head[:12])
