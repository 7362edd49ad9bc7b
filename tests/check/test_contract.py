"""What `check_reader` finds: each fault that is planted in the reader of the page on plug-ins, and nothing in others."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from box_format import CODE, box_save
from saves import VALID
from toy_format import READER, toy_save

from streamsave import DamagedSave, LimitExceeded, StructEnter
from streamsave.check import check_reader
from streamsave.check.contract import error_faults
from streamsave.check.foreign_reader import Seen
from streamsave.formats import FORMATS


def planted() -> Iterator[tuple[str, set[str], str, str, str]]:
    """Yield the faults in `planted.txt`: what each is, the kinds of findings, a part of the first message, old and new text."""
    for fault in (Path(__file__).parent / "planted.txt").read_text(encoding="utf-8").split("\n\n## ")[1:]:
        head, *lines = fault.splitlines()
        name, kinds, message = head.split(": ", 2)
        old, new = ("\n".join(line[1:] for line in lines if line[0] == sign) for sign in "-+")
        yield name, set(kinds.split()), message, old, new


PLANTED = list(planted())
WHOLE = """
def whole(source):
    from zlib import decompress
    from streamsave.input.windows import BytesWindows
    return BytesWindows(decompress(source.read_at(HEAD.size, 1 << 30)))
"""


def reader_of(text: str) -> type:
    names: dict[str, object] = {"__name__": "box_format"}
    exec(compile(text, "box_format.py", "exec"), names)  # noqa: S102 - ours
    return names["BoxReader"]


@pytest.mark.slow
@pytest.mark.parametrize(("kinds", "message", "old", "new"), [row[1:] for row in PLANTED], ids=[row[0] for row in PLANTED])
def test_a_planted_fault_is_found(kinds, message, old, new):
    assert old in CODE
    found = list(check_reader(box_save(), reader_of(CODE.replace(old, new) + WHOLE)))
    assert {each.kind for each in found} == kinds
    assert message in (found[0].message if found else "")


@pytest.mark.slow
def test_a_sound_reader():
    names: dict[str, object] = {"__name__": "toy_reader"}
    exec(READER, names)  # noqa: S102 - ours
    assert list(check_reader(toy_save(), names["ToyReader"])) == []


def test_our_own_readers_are_only_checked():
    """Their contract is tried on all samples, by other tests."""
    row = next(row for row in FORMATS if row.name == "Unreal save game")
    assert {each.severity for each in check_reader(VALID / "gvas" / "ue5-1012.sav", row)} == {"note"}


def test_a_save_that_cannot_be_read():
    (finding,) = check_reader(b"no box", reader_of(CODE))
    assert (finding.severity, finding.kind) == ("fatal", "undecodable")


def test_a_source_that_fails():
    def fails() -> Iterator[bytes]:
        yield b"BO"
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        list(check_reader(fails(), reader_of(CODE)))


def test_what_an_error_has_to_say():
    seen = Seen()
    seen.note(StructEnter(0, "outer", "", 0, -1, -1, -1))
    error = DamagedSave("", -1, chunk=3, path=(1.5,), expected=1)
    assert [text.split(":")[0] for text in error_faults(error, seen)] == [
        "has no message",
        "is at offset -1",
        "has only some of chunk, chunk_offset and compressed_offset",
        "has a path of something else than names and indices",
        "says what was expected, but not what is there",
    ]
    assert list(error_faults(LimitExceeded("x", limit="depth", value=3, allowed=3), seen)) == ["is above no limit: depth = 3"]
