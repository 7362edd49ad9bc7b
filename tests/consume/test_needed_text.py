"""What a text needs so that an expression can match it, and an object so that a test can pass; none that matches is rejected."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import examples
from saves import deflate
from selections import all_objects, wanted
from strategies import worlds
from writer.satisfactory import World, save_bytes

import streamsave
from streamsave import Limits, parse_selection
from streamsave.consume.conditions import Compare, Has
from streamsave.consume.expressions import compile_expression
from streamsave.consume.needed_text import ADDED, NeededText, encodings, literal_parts, name_encodings, required_texts
from streamsave.decode.cursor import Cursor
from streamsave.decode.leaves import leaves, text_of
from streamsave.formats.unreal.text import HISTORIES
from streamsave.input.chunk_table import ChunkTable
from streamsave.input.source import open_source
from streamsave.output.json_text import value_bytes


@pytest.mark.parametrize(
    ("expression", "stored"),
    [
        ("Iron", b"Iron"),
        ("^Iron$", b"Iron"),
        ("Desc_Iron(Plate|Rod)_C", b""),
        ("Iron?", b"Iro"),
        ("Iron*", b"Iro"),
        ("Iron+Plate", b"Plate"),
        ("Iron{0,2}Plate", b"Plate"),
        ("Iron|Copper", b""),
        ("[I]ron", b"ron"),
        ("[^]]Iron", b"Iron"),
        ("[[:alpha:]]Iron", b""),
        ("Ir.n_Plate", b"n_Plate"),
        (r"Desc_Iron\.C", b"Desc_Iron"),
        (r"\x41Iron", b""),
        (r"\QIron", b""),
        (r"\bIron\b", b"Iron"),
        ("(?i)Copper", b"copper"),
        ("(?i)Iron", b"ron"),
        ("(?i:Copper)", b""),
        ("4[.]25", b""),
        ("425", b""),
        ("-4", b""),
        (".", b""),
        ("", b""),
        # Words that are not stored, digits of GUIDs.
        ("true", b""),
        ("(?i)TRUE", b""),
        ("e", b""),
        ("NaN", b""),
        ("x", b"x"),
        ("infinit", b""),
        ("orma", b""),
        ("DEADBEEF", b""),
        ("Größe", b"Gr"),
    ],
)
def test_needed(expression, stored):
    assert NeededText(expression).stored == stored


def test_parts_in_their_order():
    assert literal_parts(r"^a\.b+c[de]f?g{2}h$") == ["a.b", "c", "h"]


LETTERS = st.text(st.sampled_from("abIronKks_.4-\x1b\n\u017f\u212aö"), max_size=12)
PARTS = st.sampled_from(
    ["a", "Iron", "k", "s", "_", r"\.", ".", "4", "[ab]", "o+", "o*", "(Iron)", "(Iron)?", "(?:ab|r)", "^", "$", "ö"]
)


@given(st.lists(PARTS, max_size=5).map("".join), LETTERS, st.sampled_from([0, re.IGNORECASE]))
def test_a_text_that_matches_has_what_is_needed(expression, text, flags):
    """As it is stored: in Latin-1 where that has all characters, else in UTF-16."""
    if not compile_expression(expression, ignore_case=flags != 0)(text):
        return
    needed = NeededText(expression, ignore_case=flags != 0)
    for stored in ("latin-1", "utf-16-le"):
        try:
            data = text.encode(stored)
        except UnicodeEncodeError:
            continue
        assert needed.may_be_in(data)


NUMBERS = st.one_of(st.integers(-(10**12), 10**12), st.floats(), st.booleans(), st.none())


@given(st.lists(st.sampled_from([*"0123456789.-eEnNaIftrul", "[.]", ".*", "^", "$", "+", "?"]), max_size=4).map("".join), NUMBERS)
def test_a_number_that_matches(expression, number):
    """Whose text is JSON's."""
    try:
        matches = compile_expression(expression)
    except re.error:
        return
    if matches(value_bytes(number).decode().strip('"')):
        assert NeededText(expression).stored == b""


def test_words_of_texts_are_known():
    """Those that the reader of texts adds."""
    assert {name for name, _ in HISTORIES.values()} <= set(ADDED)
    assert NeededText("^named_format$").stored == b""


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
    assert name_encodings("x" * 100)[0] == b"\0\0\0" + encodings("x" * 100)[0]
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
@examples(60)
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
