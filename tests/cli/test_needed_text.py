"""What a text needs so that an expression can match it."""

from __future__ import annotations

import ast
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from saves import ROOT

from streamsave.cli.needed_text import NeededText, added_words
from streamsave.cli.text import show
from streamsave.query.expressions import compile_expression


@pytest.mark.parametrize(
    ("expression", "stored", "integers"),
    [
        ("Iron", b"Iron", False),
        ("^Iron$", b"Iron", False),
        ("Desc_Iron(Plate|Rod)_C", b"sc_Iron", False),
        ("x(Iron)y", b"Iron", False),
        ("(?:Iron)+Plate", b"Plate", False),
        ("Iron?", b"Iro", False),
        ("Iron*", b"Iro", False),
        ("(Iron)?", b"", True),
        ("Iron|Copper", b"", True),
        ("[I]ron", b"Iron", False),
        ("Ir.n_Plate", b"_Plate", False),
        ("(?i)Copper", b"opper", False),
        ("(?i)Iron", b"ron", False),
        ("(?i)Desc_Iron", b"ron", False),
        ("(?i:Copper)", b"", True),
        ("4[.]25", b"", False),
        ("425", b"", True),
        ("-4", b"", True),
        (".", b"", True),
        ("", b"", True),
        # Words that are not stored, digits of GUIDs, the end of what is written for a control character.
        ("Vector", b"", False),
        ("unknown struct", b"", False),
        ("translat", b"", False),
        ("DEADBEEF", b"", False),
        ("nIron", b"Iron", False),
        ("Größe", b"Gr", False),
        # What RE2 and `re` read otherwise, or RE2 alone can read.
        ("[a[:alpha:]xIron]", b"", True),
        ("[[:alpha:]Iron]", b"", True),
        (r"\QIron\E", b"", True),
        ("(?U)Iron", b"", True),
        ("(" * 3000 + "Iron" + ")" * 3000, b"", True),
    ],
)
def test_needed(expression, stored, integers):
    needed = NeededText(expression)
    assert (needed.stored, needed.integers) == (stored, integers)


LETTERS = st.text(st.sampled_from("abIronKks_.4-\x1b\n\u017f\u212aö"), max_size=12)
PARTS = st.sampled_from(
    ["a", "Iron", "k", "s", "_", r"\.", ".", "4", "[ab]", "o+", "o*", "(Iron)", "(Iron)?", "(?:ab|r)", "^", "$", "ö"]
)


@given(st.lists(PARTS, max_size=5).map("".join), LETTERS, st.sampled_from([0, re.IGNORECASE]))
def test_a_text_that_matches_has_what_is_needed(expression, text, flags):
    """As it is stored: in Latin-1 where that has all characters, else in UTF-16."""
    shown = show(text)
    if not compile_expression(expression, ignore_case=flags != 0)(shown):
        return
    needed = NeededText(expression, flags)
    for stored in ("latin-1", "utf-16-le"):
        try:
            data = text.encode(stored)
        except UnicodeEncodeError:
            continue
        assert needed.may_be_in(data)


@given(st.lists(PARTS, max_size=5).map("".join), st.integers(-(10**12), 10**12))
def test_an_integer_that_matches(expression, number):
    if compile_expression(expression)(show(number)):
        assert NeededText(expression).integers


def reasons():
    """The texts of errors that become the reason of bytes of unknown layout."""
    for folder in ("decode", "formats/unreal", "formats/satisfactory"):
        for path in (ROOT / "streamsave" / folder).glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, (ast.Attribute, ast.Name)):
                    name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
                    if name in {"unsupported", "_unknown", "Opaque", "BlobSkip"}:
                        for part in node.args:
                            for each in ast.walk(part):
                                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                                    yield each.value


def test_words_of_reasons_are_known():
    words = {word.lower() for text in reasons() for word in re.findall("[A-Za-z_/]+", text)}
    assert len(words) > 10
    assert words <= added_words()
