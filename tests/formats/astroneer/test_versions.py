"""Versions that Astroneer states: those that are known, and the ones beside them."""

import pytest
from tiling import assert_tiled
from writer.astroneer import Instance, Level, Save
from writer.primitives import i32, u32

import streamsave
from streamsave import UnsupportedSave
from streamsave.formats.astroneer.versions import INDEX_VERSION, WRAPPER_VERSION
from streamsave.formats.astroneer.wrappers import ENTRY_SIZE, is_index
from streamsave.input.source import BytesSource

SAVE = Save(Level([Instance("/Script/Game.Thing", "Thing")]))


@pytest.mark.parametrize("version", [WRAPPER_VERSION - 1, WRAPPER_VERSION, WRAPPER_VERSION + 1])
def test_wrapper(version):
    data = SAVE.encode()
    data = data[:8] + u32(version) + data[12:]
    if version == WRAPPER_VERSION:
        with streamsave.open(data) as events:
            assert_tiled(events, len(SAVE.gvas()))
        return
    with pytest.raises(UnsupportedSave, match="version of the wrapper") as caught:
        streamsave.open(data)
    assert caught.value.offset == 8


def entry(name: str) -> bytes:
    return name.encode("utf-16-le").ljust(128, b"\0") + bytes(32)


@pytest.mark.parametrize("version", [INDEX_VERSION - 1, INDEX_VERSION, INDEX_VERSION + 1])
def test_index(version):
    data = i32(version) + i32(1) + entry("SAVE$2020.06.14-17.40.07")
    assert len(data) == 8 + ENTRY_SIZE
    assert is_index(data[:64], BytesSource(data)) is (version == INDEX_VERSION)


@pytest.mark.parametrize(("count", "name"), [(0, "SAVE$2020.06.14-17.40.07"), (1, "SAVE"), (65_537, "SAVE$2020.06.14-17.40.07")])
def test_what_is_no_index(count, name):
    data = i32(INDEX_VERSION) + i32(count) + entry(name)
    assert not is_index(data[:64], BytesSource(data))
