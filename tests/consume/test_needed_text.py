"""What a text needs so that an expression can match it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamsave.consume.expressions import compile_expression
from streamsave.consume.needed_text import ADDED, NeededText, literal_parts
from streamsave.formats.unreal.text import HISTORIES
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
    assert set(HISTORIES.values()) <= set(ADDED)
    assert NeededText("^named_format$").stored == b""
