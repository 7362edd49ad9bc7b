"""The tables of FORMAT.md have the ids and numbers of the code."""

import re

from saves import ROOT

from streamsave.formats.shapez2.game_reader import CHECKPOINTS
from streamsave.formats.shapez2.members import MEMBERS, STATES
from streamsave.formats.shapez2.versions import ENVELOPE_NEWEST, SAVE_LAYOUTS, SAVE_NEWEST

PAGE = (ROOT / "streamsave" / "formats" / "shapez2" / "FORMAT.md").read_text(encoding="utf-8")


def test_checkpoints():
    rows = re.findall(r"^\| `([^`]+)` \| 0x([0-9a-f]{8}) \| ([0-9A-F ]+) \|$", PAGE, re.MULTILINE)
    assert {name: int(number, 16) for name, number, _ in rows} == CHECKPOINTS
    assert all(bytes.fromhex(data) == int(number, 16).to_bytes(4, "little") for _, number, data in rows)


def test_states():
    table = PAGE.partition("| serialization id |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| (\w+State) \|", table, re.MULTILINE) == list(STATES)
    for name, content in re.findall(r"^\| (\w+State) \| (.*) \|$", table, re.MULTILINE):
        members = [member for member in STATES[name].names if member not in {"content", "converters"}]
        assert re.findall(r"(\w+): ", content) == members, name


def test_members_and_versions():
    for name in MEMBERS:
        assert f"| {name} |" in PAGE
    versions = [int(number) for number in re.findall(r"^\| (1\d{3}) \|", PAGE, re.MULTILINE)]
    assert {SAVE_LAYOUTS, SAVE_NEWEST} < set(versions)
    assert versions[-1] == SAVE_NEWEST
    assert re.findall(r"^\| (\d) \|", PAGE, re.MULTILINE) == [str(number) for number in range(1, ENVELOPE_NEWEST + 1)]
