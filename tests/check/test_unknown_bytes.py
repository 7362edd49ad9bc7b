"""Bytes of unknown layout are counted by reason."""

from __future__ import annotations

import pytest

from streamsave.check.finding import FINDING, NOTE
from streamsave.check.unknown_bytes import UnknownBytes
from streamsave.events import BlobSkip


@pytest.mark.parametrize(
    ("reason", "severity"),
    [
        ("unknown trailing data of /Mod/A.B", NOTE),
        ("unknown trailing data of /Script/FactoryGame.B", FINDING),
        ("unknown trailing data of /Game/FactoryGame/B", FINDING),
        ("/Game/FactoryGame/B", NOTE),
    ],
)
def test_the_games_own_classes_have_none(reason, severity):
    unknown = UnknownBytes()
    for offset in (5, 9):
        unknown.add(BlobSkip(offset, 3, reason), ("a", offset), bytes(3))
    unknown.add(BlobSkip(1, 3, "padding"), (), bytes(3))
    (finding,) = unknown.findings()
    assert (finding.severity, finding.kind, finding.offset, finding.path) == (severity, "unknown-bytes", 5, ("a", 5))
    assert finding.message == f"{reason} (2 times, here first)"


@pytest.mark.parametrize(
    ("size", "data", "severity"),
    [(4, bytes(4), NOTE), (4, b"\0\0\0\1", FINDING), (3, bytes(3), FINDING), (8, b"", FINDING)],
)
def test_an_empty_list_of_another_tool_is_a_note(size, data, severity):
    unknown = UnknownBytes()
    unknown.add(BlobSkip(5, size, "unknown trailing data of /Script/FactoryGame.B"), ("a",), data)
    (finding,) = unknown.findings()
    assert (finding.severity, "empty list" in finding.message) == (severity, severity == NOTE)
    assert finding.message.endswith("/Script/FactoryGame.B (1 times, here first)")
