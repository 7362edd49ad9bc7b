"""Each gate of the container at the version before it and at its own."""

import pytest
from writer.arx import STORED, Row, assemble

from streamsave.formats.arx.container import read_container
from streamsave.formats.arx.header import ArxContainer
from streamsave.formats.arx.versions import (
    CODEC_NAMES,
    VERSION_CODECS,
    VERSION_LEGACY,
    VERSION_NO_EXTENSION,
    VERSION_RELEASE,
    VERSIONS,
    is_version,
)
from streamsave.input.source import open_source
from streamsave.limits import Limits


def container(version: int, rows: list[Row]) -> ArxContainer:
    return read_container(open_source(assemble(b"abc", version, rows)), Limits())


def test_versions_are_in_order():
    assert list(VERSIONS) == sorted(VERSIONS)
    assert VERSIONS[:2] == (VERSION_LEGACY, VERSION_RELEASE)
    assert all(is_version(version) for version in VERSIONS)


@pytest.mark.parametrize(("version", "dummy"), [(VERSION_LEGACY, "dummy"), (VERSION_LEGACY + 1, None)])
def test_dummy(version, dummy):
    found = container(version, [Row(b"dummy", 1, STORED, [(1, 0)]), Row(b"a", 2, STORED, [(2, 1)])])
    assert found.dummy == dummy
    assert len(found.entries) == (1 if dummy else 2)


@pytest.mark.parametrize("version", [VERSION_CODECS - 1, VERSION_CODECS])
def test_codec_and_size(version):
    (entry,) = container(version, [Row(b"a", 3, STORED, [(3, 0)])]).entries
    assert (entry.codec, entry.size) == (("stored", 3) if version >= VERSION_CODECS else ("implode", -1))


@pytest.mark.parametrize("version", [VERSION_CODECS - 1, VERSION_CODECS])
def test_no_chunks(version):
    row = Row(b"a", 0, STORED, [(3, 0)], chunk_count=0)
    if version < VERSION_CODECS:
        assert container(version, [row]).entries[0].chunks == [(4, 3)]
    else:
        assert container(version, [Row(b"a", 0, STORED, [])]).entries[0].chunks == []


@pytest.mark.parametrize("version", [VERSION_NO_EXTENSION - 1, VERSION_NO_EXTENSION])
def test_names(version):
    (entry,) = container(version, [Row(b"A.SAV", 3, STORED, [(3, 0)])]).entries
    assert entry.name == ("A.SAV" if version >= VERSION_NO_EXTENSION else "a")


@pytest.mark.parametrize(("codec", "name"), [*CODEC_NAMES.items(), (3, "unknown (3)")])
def test_codecs(codec, name):
    (entry,) = container(VERSION_NO_EXTENSION, [Row(b"a", 3, codec, [(3, 0)])]).entries
    assert entry.codec == name
