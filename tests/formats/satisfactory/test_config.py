"""Reading a configuration: what follows it, and what does not fit."""

import pytest
from saves import ROOT, raises
from writer.blueprint import BlueprintConfig

import streamsave
from streamsave import DamagedSave, SaveError, TruncatedSave, UnsupportedSave
from streamsave.formats.satisfactory.config import ConfigReader
from streamsave.input.source import BytesSource
from streamsave.limits import Limits


def test_bytes_after_it():
    data = BlueprintConfig(3, "text").encode()
    with raises(DamagedSave, match="bytes after the configuration", offset=len(data), actual=1):
        list(iter(ConfigReader(BytesSource(data + b"x"), Limits()).next_event, None))


@pytest.mark.parametrize("name", ["v0", "v2", "v3", "v4", "v6", "v6-short"])
def test_a_cut_configuration_says_so(name):
    """From the colour on, which has no other form. The handle of a player has 5 bytes or 2: cut down to 2 it is whole."""
    data = (ROOT / "corpora" / "valid" / "satisfactory" / f"{name}.sbpcfg").read_bytes()
    for size in range(data.index(b"\0\0\x80?") + 4, len(data)):
        if name == "v6" and size == len(data) - 3:
            continue
        with pytest.raises(TruncatedSave) as caught, streamsave.open(data[:size]) as events:
            list(events)
        assert caught.value.offset <= size


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
