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
    ("expression", "stored", "integers"),
    [
        ("Iron", b"Iron", False),
        ("^Iron$", b"Iron", False),
        ("Desc_Iron(Plate|Rod)_C", b"", True),
        ("Iron?", b"Iro", False),
        ("Iron*", b"Iro", False),
        ("Iron+Plate", b"Plate", False),
        ("Iron{0,2}Plate", b"Plate", False),
        ("Iron|Copper", b"", True),
        ("[I]ron", b"ron", False),
        ("[^]]Iron", b"Iron", False),
        ("[[:alpha:]]Iron", b"", True),
        ("Ir.n_Plate", b"n_Plate", False),
        (r"Desc_Iron\.C", b"Desc_Iron", False),
        (r"\x41Iron", b"", True),
        (r"\QIron", b"", True),
        (r"\bIron\b", b"Iron", False),
        ("(?i)Copper", b"copper", False),
        ("(?i)Iron", b"ron", False),
        ("(?i:Copper)", b"", True),
        ("4[.]25", b"", True),
        ("425", b"", True),
        ("-4", b"", True),
        (".", b"", True),
        ("", b"", True),
        # Words that are not stored, digits of GUIDs.
        ("infinit", b"", False),
        ("orma", b"", False),
        ("DEADBEEF", b"", False),
        ("Größe", b"Gr", False),
    ],
)
def test_needed(expression, stored, integers):
    needed = NeededText(expression)
    assert (needed.stored, needed.integers) == (stored, integers)


@pytest.mark.parametrize(
    ("expression", "floats", "words"),
    [
        ("true", False, True),
        ("(?i)TRUE", False, True),
        ("0.5", True, False),
        ("e", True, True),
        ("NaN", True, False),
        ("x", False, False),
    ],
)
def test_numbers_and_words(expression, floats, words):
    needed = NeededText(expression)
    assert (needed.floats, needed.words) == (floats, words)


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
        needed = NeededText(expression)
        if number is None or isinstance(number, bool):
            assert needed.words
        else:
            assert needed.integers if isinstance(number, int) else needed.floats


def test_words_of_texts_are_known():
    """Those that the reader of texts adds."""
    assert set(HISTORIES.values()) <= set(ADDED)
    assert NeededText("^named_format$").stored == b""
