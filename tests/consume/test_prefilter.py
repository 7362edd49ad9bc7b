"""The prefilter: which texts a test requires, and that it rejects no object that passes the test."""

from __future__ import annotations

import pytest
from cli_runs import thing, write
from hypothesis import given, settings
from hypothesis import strategies as st
from saves import deflate, head_and_body
from selections import all_objects, wanted
from strategies import worlds
from writer.satisfactory import World, save_bytes
from writer.tags import BYTE, STR, Array, Prop

import streamsave
from streamsave import Limits, parse_selection
from streamsave.consume.conditions import Compare, Has
from streamsave.consume.needed_text import encodings, name_encodings, required_texts
from streamsave.decode.cursor import Cursor
from streamsave.decode.leaves import leaves, text_of
from streamsave.input.chunk_table import ChunkTable
from streamsave.input.source import open_source

REQUIRED = [
    ("has(mOwner)", ("mOwner",)),
    ("mOwner.level_name = a", ("mOwner",)),
    ('has("two words")', ()),
    ('has("mName#2")', ()),
    ("mCount > 3", ("mCount",)),
    ("mName = Iron", ("mName", "Iron")),
    ("mName == 'a*Iron'", ("mName", "Iron")),
    ("mName = 'Wall*Iron?Ingot'", ("mName", "Ingot")),
    ("mName = 'Wall[ab]'", ("mName",)),
    ("mName ~ Iron", ("mName", "Iron")),
    ("mName ~ ^Iron$", ("mName", "Iron")),
    ("mName ~ 'Iron|Copper'", ("mName",)),
    ("mName ~ '(?i)Iron'", ("mName",)),
    ("mName = Game/Iron:Path", ("mName", "Game/Iron")),
    ("mGuid = 0123ABCD-*", ("mGuid",)),
    ("mTime = '* days, 1*'", ("mTime",)),
    ("mIsOn = 'tru*'", ("mIsOn",)),
    ("mName = 'é Straße'", ("mName", "Stra")),
]


@pytest.mark.parametrize(("text", "required"), REQUIRED)
def test_required_texts(text, required):
    test = parse_selection(text)
    assert isinstance(test, (Compare, Has))
    assert required_texts(test) == required


def test_encodings():
    assert encodings("é") == (b"\xe9", b"\xe9\0")
    assert encodings("語") == (b"\x9e\x8a",)


def test_a_name_is_no_part_of_a_longer_text():
    narrow, wide = name_encodings("Item")
    assert narrow in b"\5\0\0\0Item\0"
    assert wide in b"\xfb\xff\xff\xff" + "Item\0".encode("utf-16-le")
    assert narrow not in b"\x09\0\0\0NumItems\0"
    assert name_encodings("語") == (b"\xff\xff\xff\x9e\x8a",)
    assert name_encodings("x" * 101) == encodings("x" * 101)
    assert name_encodings("") == encodings("")


@pytest.mark.slow
@given(st.binary(min_size=1, max_size=60), st.lists(st.binary(min_size=1, max_size=5), max_size=4), st.data())
def test_absent_looks_across_chunks(body: bytes, strings: list[bytes], data: st.DataObject):
    """Chunks have three bytes here. The cursor does not move."""
    chunks = deflate(b"", body, chunk_size=3)
    start = data.draw(st.integers(0, len(body)))
    size = data.draw(st.integers(0, len(body) - start))
    cut = data.draw(st.integers(0, len(body) - 1))
    strings = [*strings, body[cut : cut + 7]]
    cursor = Cursor(ChunkTable(open_source(chunks), 0, Limits()), Limits())
    cursor.set_limit(len(body))
    cursor.seek(start)
    missing = cursor.absent(strings, size)
    assert cursor.tell() == start
    assert missing == [string for string in strings if string not in body[start : start + size]]


@pytest.mark.slow
@settings(max_examples=60)
@given(worlds(), st.data())
def test_no_object_is_lost(world: World, data: st.DataObject):
    """Tests of texts that are in the world, plain and negated, give what building every object gives."""
    save = save_bytes(world)
    everything = list(all_objects(save))
    pairs = [
        (name, text)
        for known in everything
        for name, value in known.members.items()
        for text in {text_of(leaf) for leaf in leaves(value)}
        if text is not None and '"' not in name + text and "\\" not in name + text
    ]
    if not pairs:
        return
    name, text = data.draw(st.sampled_from(pairs))
    cut = data.draw(st.integers(0, len(text)))
    literal = "".join(f"[{sign}]" if sign in "*?[" else sign for sign in text)
    for where in (
        f'has(."{name}")',
        f'."{name}" == "{text}"',
        f'."{name}" = "{literal}"',
        f'not ."{name}" = "*{"".join(f"[{sign}]" if sign in "*?[" else sign for sign in text[cut:])}"',
        f'has(."{name}") and ."{name}" != "{text}" or size < 20',
    ):
        assert list(streamsave.objects(save, where)) == wanted(everything, where), where


def test_a_large_object_and_one_at_the_border_of_chunks(tmp_path):
    """One text is split between two chunks, one is in an object that is too large to be searched."""
    inside = thing("BP_A_C_1", Prop("mName", STR, "sought in the hay"))
    large = thing("BP_B_C_2", Prop("mBytes", Array(BYTE), bytes(300_000)), Prop("mName", STR, "sought after the hay"))
    path = write(tmp_path, "large.sav", inside, large, thing("BP_C_C_3", Prop("mOther", STR, "hay")))
    head, body = head_and_body(path.read_bytes())
    at = body.index(b"sought in")
    for chunk_size in (at + 3, 4096, at - 1):
        save = deflate(head, body, chunk_size)
        found = [one.instance_name[-8:] for one in streamsave.objects(save, 'mName = "sought*"')]
        assert found == ["BP_A_C_1", "BP_B_C_2"]
        assert [one.class_name for one in streamsave.objects(save, "mName = soughts")] == []
