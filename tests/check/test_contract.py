"""What `check_reader` finds: each fault that is planted in the reader of the page on plug-ins, and nothing in others."""

from collections.abc import Iterator

import pytest
from box_format import CODE, box_save
from saves import VALID
from toy_format import READER, toy_save

from streamsave import DamagedSave, LimitExceeded, StructEnter
from streamsave.check import check_reader
from streamsave.check.contract import error_faults
from streamsave.check.foreign_reader import Seen
from streamsave.formats import FORMATS

#: What is changed in the reader -> old text, new text; the kinds of findings; a part of the message of the first one.
PLANTED = {
    "an exit is missing": (
        '        yield StructExit(cursor.tell(), "boxes", 0)\n',
        "",
        ["nesting"],
        "but the nesting boxes is open",
    ),
    "an exit has another name": (
        'StructExit(cursor.tell(), "boxes"',
        'StructExit(cursor.tell(), "box"',
        ["nesting"],
        "StructExit of 'box'",
    ),
    "the wrong kind of exit": (
        "ObjectEnd(data + size, name, 0)",
        "StructExit(data + size, name, 0)",
        ["nesting"],
        "but the object tin_1",
    ),
    "a generator in place of its events": (
        "yield from self.boxes(0)",
        "yield self.boxes(0)",
        ["fault"],
        "object expected; got generator",
    ),
    "bytes are not claimed": (
        '"BoxList", first - start,',
        '"BoxList", first - start - 1,',
        ["tiling", "skip"],
        "that no event claims",
    ),
    "skip() leads elsewhere": (
        "    def holds_objects",
        "    def skip(self, event):\n        self.cursor.skip(1)\n        return True\n\n    def holds_objects",
        ["skip"],
        "goes elsewhere than to its end",
    ),
    "what was skipped is read": ("if cursor.tell() == first:", "if True:", ["skip"], "skip() of the nesting boxes"),
    "build() depends on what was read before": (
        "    def holds_objects",
        "    seen = 0\n\n    def value(self, event):\n        self.seen += 1\n        return self.seen\n\n    def holds_objects",
        ["build"],
        "when others were skipped before it, has other values than its events",
    ),
    "depth is not bounded": (
        "if len(self.steps) > self.limits.depth:",
        "if False:",
        ["limits"],
        "Limits.depth is not kept: the save has more than",
    ),
    "what is inflated is not bounded": (
        "zlib_windows(source, limits, HEAD.size, size=size), limits)",
        "whole(source), limits)",
        ["limits", "fault"],
        "Limits.total_inflated_size is not kept",
    ),
    "a fault that is no SaveError": ("if kind not in CODECS:", "if False:", ["fault"], "KeyError: "),
    "a fault in a sound save": ("codec = CODECS[kind]", "codec = {}[kind]", ["fault"], "KeyError: 1 (box_format.py:"),
    "a value that cannot be built": (
        "    def holds_objects",
        "    def value(self, event):\n        raise self.cursor.damaged('no')\n\n    def holds_objects",
        ["undecodable"],
        "boxes/crate_1/weight: no",
    ),
    "building raises something else": (
        "    def holds_objects",
        "    def value(self, event):\n        return {}[event.name]\n\n    def holds_objects",
        ["fault"],
        "KeyError: 'weight' (box_format.py:",
    ),
    "an error without a place": (
        'cursor.unsupported("type of a property", expected="1, 2, 3 or 4", actual=kind)',
        'UnsupportedSave("type of a property", cursor.tell())',
        ["error"],
        "does not say in which chunk it is",
    ),
    "an error that says half": ('4", actual=kind)', '4")', ["error"], "says what was expected, but not what is there"),
    "no names are in the path": ("self.steps.append(", "str(", ["fault"], "IndexError: pop from empty list"),
    "names stay in the path": (
        "        self.steps.pop()\n        yield StructExit",
        "        yield StructExit",
        ["skip", "path"],
        "",
    ),
    "an object is said to hold none": (
        "ObjectHeader) -> bool:\n        return True",
        "ObjectHeader) -> bool:\n        return False",
        ["objects-inside"],
        "holds_objects()",
    ),
    "SaveEnd is too early": (
        "yield SaveEnd(cursor.tell())",
        "yield SaveEnd(cursor.tell() - 1)",
        ["tiling", "end"],
        "events claim",
    ),
}

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
@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_found(name):
    old, new, kinds, message = PLANTED[name]
    assert old in CODE
    found = list(check_reader(box_save(), reader_of(CODE.replace(old, new) + WHOLE)))
    assert {each.kind for each in found} == set(kinds)
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
