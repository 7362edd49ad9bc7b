"""A frame, as it is when a nesting opens: what its kind does not use has a value that changes nothing."""

from __future__ import annotations

import pytest

from streamsave._build import is_compiled
from streamsave.formats.unreal.frames import ARRAY, DELTA, ELEMENTS, LIST, MAP, MEMBERS, Frame


def test_kinds_differ():
    assert len({LIST, ELEMENTS, ARRAY, MAP, MEMBERS, DELTA}) == 6


def test_a_new_frame():
    frame = Frame(MAP, "m", 20, -1)
    assert (frame.kind, frame.name, frame.end, frame.outer_limit) == (MAP, "m", 20, -1)
    assert (frame.index, frame.count, frame.at, frame.claim) == (-1, 0, 0, -1)
    assert (frame.skipped, frame.inline, frame.last_tag, frame.added) == (False, False, None, None)
    assert (frame.codec, frame.struct, frame.key, frame.value) == (None, None, None, None)
    assert (frame.type_name, frame.key_type, frame.value_type) == ("", "", "")
    assert (frame.key_peeks, frame.value_peeks, frame.key_known, frame.value_known) == (False,) * 4
    assert frame.rest == "bytes after the last element"


@pytest.mark.parametrize("name", ["index", "count", "at", "claim"])
def test_frames_do_not_share_what_is_set(name):
    """Their values start at the class: one that is set must stay with its frame."""
    outer, inner = Frame(LIST, "outer", -1, -1), Frame(LIST, "inner", -1, -1)
    before = getattr(inner, name)
    setattr(outer, name, 7)
    assert (getattr(outer, name), getattr(inner, name)) == (7, before)
    assert getattr(Frame(LIST, "later", -1, -1), name) == before


@pytest.mark.skipif(is_compiled(), reason="a compiled class does not list its attributes")
def test_a_copy_has_all_but_that_it_is_an_object():
    names = {*Frame.__annotations__, *(name for name in vars(Frame) if not name.startswith("_") and name != "copy")}
    frame = Frame(MAP, "m", 20, 7)
    for at, name in enumerate(sorted(names - {"added"})):
        value = getattr(frame, name)
        if isinstance(value, bool):
            setattr(frame, name, not value)
        elif isinstance(value, int):
            setattr(frame, name, 100 + at)
        elif isinstance(value, str):
            setattr(frame, name, name)
    frame.skipped = frame.inline = True
    frame.added = Frame(MAP, "added", 3, -1)
    copy = frame.copy()
    different = {name for name in names | set(vars(frame)) if getattr(copy, name) != getattr(frame, name)}
    assert different == {"added", "is_object", "object_name"}
    assert copy.added is not None
    assert (copy.added.name, copy.added.end) == ("added", 3)
