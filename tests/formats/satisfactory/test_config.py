"""Reading a configuration: what follows it, and what does not fit."""

from __future__ import annotations

import pytest
from satisfactory_layouts import reader_over
from saves import ROOT
from writer.blueprint import BlueprintConfig
from writer.primitives import fstring, i32

import streamsave
from streamsave import DamagedSave, SaveError, TruncatedSave, UnsupportedSave
from streamsave.decode.codecs import Struct
from streamsave.events import Event
from streamsave.formats.satisfactory.config import ConfigReader, config_layout
from streamsave.formats.satisfactory.versions import CONFIG_NEWEST
from streamsave.input.source import BytesSource
from streamsave.limits import Limits


def events_of(data: bytes) -> list[Event]:
    """All events, without sniffing first."""
    reader = ConfigReader(BytesSource(data), Limits())
    events = []
    event = reader.next_event()
    while event is not None:
        events.append(event)
        event = reader.next_event()
    return events


def test_bytes_after_it():
    data = BlueprintConfig(3, "text").encode()
    with pytest.raises(DamagedSave, match="bytes after the configuration") as error:
        events_of(data + b"x")
    assert (error.value.offset, error.value.actual) == (len(data), 1)


def test_an_unknown_version():
    with pytest.raises(UnsupportedSave):
        events_of(i32(7) + bytes(60))


@pytest.mark.parametrize("name", ["v0", "v2", "v3", "v4", "v6", "v6-short"])
def test_a_cut_configuration_says_so(name):
    """From the colour on, which has no other form. The handle of a player has 5 bytes or 2: cut down to 2 it is whole."""
    data = (ROOT / "corpora" / "valid" / "satisfactory" / f"{name}.sbpcfg").read_bytes()
    opaque = data.index(b"\0\0\x80?") + 4
    for size in range(opaque, len(data)):
        if name == "v6" and size == len(data) - 3:
            continue
        with pytest.raises(TruncatedSave), streamsave.open(data[:size]) as events:
            list(events)


@pytest.mark.parametrize(("red", "is_known"), [(0.0, True), (1.0, True), (-0.01, False), (1.01, False)])
def test_a_cut_configuration_is_known_by_its_colour(red, is_known):
    data = BlueprintConfig(6, "text", color=(red, 0.0, 1.0, 1.0)).encode()
    with pytest.raises(TruncatedSave if is_known else UnsupportedSave), streamsave.open(data[:60]) as events:
        list(events)


@pytest.mark.parametrize("data", [bytes(28), bytes(4) + bytes(20) + b"\0\0\x80?" + b"x", b"\6\0\0\0" + b"\xff" * 60])
def test_what_only_starts_alike_is_no_cut_configuration(data):
    try:
        with streamsave.open(data) as events:
            list(events)
    except TruncatedSave:
        pytest.fail("taken for a configuration that was cut off")
    except SaveError:
        pass


START = ["config_version", "description", "icon_id", "color"]
LIBRARY = [*START, "icon_package", "icon_asset"]


def layout_of(version: int, rest: bytes = b"") -> Struct:
    """The layout of a configuration with an empty description."""
    reader = reader_over(b"skip" + i32(version) + fstring("") + i32(7) + bytes(16) + rest)
    reader.cursor.seek(4)
    layout = config_layout(reader.cursor, reader)
    assert reader.cursor.tell() == 4
    return layout


@pytest.mark.parametrize(
    ("version", "names"),
    [
        (0, START),
        (1, START),
        (2, START),
        (3, LIBRARY),
        (4, [*LIBRARY, "editors"]),
        (5, LIBRARY),
        (6, [*LIBRARY, "last_edited_by"]),
    ],
)
def test_versions(version, names):
    assert layout_of(version, fstring("a") * 2).names == names


@pytest.mark.parametrize(("left", "size"), [(1, 5), (2, 2), (3, 5), (5, 5)])
def test_the_bytes_left_show_the_handle(left, size):
    layout = layout_of(6, fstring("a") * 2 + bytes(left))
    assert (layout.names[-1], layout.members[-1].size) == ("last_edited_by", size)


@pytest.mark.parametrize("version", [-1, CONFIG_NEWEST + 1])
def test_unknown_versions(version):
    with pytest.raises(UnsupportedSave) as error:
        layout_of(version)
    assert (error.value.offset, error.value.actual) == (4, version)
