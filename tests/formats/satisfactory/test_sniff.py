"""What a file is, by its first bytes."""

import struct

import pytest
from writer.blueprint import BlueprintConfig
from writer.primitives import i32
from writer.structs import PlayerHandle

from streamsave import SaveError, TruncatedSave
from streamsave.formats.satisfactory.config import LARGEST_CONFIG, ConfigReader
from streamsave.formats.satisfactory.sniff import sniff_blueprint, sniff_config, sniff_save
from streamsave.input.source import BytesSource
from streamsave.limits import Limits


def head(version: int, save_version: int, build: int, *dimensions: int) -> bytes:
    return struct.pack("<3I", version, save_version, build) + b"".join(map(i32, dimensions)) + bytes(40)


@pytest.mark.parametrize(
    ("data", "save", "blueprint"),
    [
        (head(14, 60, 481836), True, False),
        (head(3, 8, 30_000), True, False),
        (head(255, 4095, 99_999_999), True, False),
        (head(256, 60, 481836), False, False),
        (head(2, 60, 481836, 4, 4, 4), False, True),
        (head(0, 60, 481836, 0, 4095, 4), False, True),
        (head(2, 60, 481836, 4, 4096, 4), False, False),
        (head(2, 60, 481836, 4, 4, -1), False, False),
        (head(14, 7, 481836), False, False),
        (head(14, 4096, 481836), False, False),
        (head(14, 60, 29_999), False, False),
        (head(14, 60, 100_000_000), False, False),
        (head(14, 60, 481836)[:12], True, False),
        (head(14, 60, 481836)[:11], False, False),
        (b"", False, False),
    ],
)
def test_saves_and_blueprints(data, save, blueprint):
    assert (sniff_save(data), sniff_blueprint(data)) == (save, blueprint)


def reads(data: bytes) -> bool:
    """Whether all of a file reads like a configuration."""
    try:
        reader = ConfigReader(BytesSource(data), Limits())
        while reader.next_event() is not None:
            pass
    except SaveError:
        return False
    return True


CONFIGS = [
    BlueprintConfig(
        version, description, player=PlayerHandle(6, 3), editors=[("a", "b", "c")] * (version == 4), save_version=save_version
    )
    for version in range(7)
    for description in ("", "x", "ä", "a longer text")
    for save_version in (53, 58)
]


@pytest.mark.parametrize(
    "config", CONFIGS, ids=lambda config: f"{config.config_version}-{config.description}-{config.save_version}"
)
def test_a_configuration_is_what_the_reader_reads(config):
    """Nothing marks one. Sniffing accepts what reads to its last byte, and of others only what ends too early."""
    data = config.encode()
    assert sniff_config(data[:64], BytesSource(data))
    variants = [data[:size] for size in range(28, len(data))]
    variants += [data + b"\0", i32(7) + data[4:], i32(-1) + data[4:]]
    variants += [data[:at] + b"\xff" + data[at + 1 :] for at in range(len(data))]
    for variant in variants:
        is_config = sniff_config(variant[:64], BytesSource(variant))
        if reads(variant) or not is_config:
            assert is_config == reads(variant), variant
        else:
            with pytest.raises(TruncatedSave):
                list(ConfigReader(BytesSource(variant), Limits()).events())


def test_large_files_are_no_configurations():
    for size, is_config in ((0, True), (1, False)):
        text = LARGEST_CONFIG - 28 - 1 + size
        data = i32(0) + i32(text + 1) + b"x" * text + b"\0" + bytes(20)
        assert len(data) == LARGEST_CONFIG + size
        assert sniff_config(data[:64], BytesSource(data)) == is_config


def test_short_files_are_no_configurations():
    data = i32(0) * 7
    assert sniff_config(data, BytesSource(data))
    assert not sniff_config(data[:27], BytesSource(data[:27]))
