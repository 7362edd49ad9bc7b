"""Each test of a selection: what it wants, and when it can say so.

The file is long because each kind of test has its own cases.
"""

from __future__ import annotations

import math
import re

import pytest

from streamsave import parse_selection
from streamsave.consume.conditions import (
    EVERYTHING,
    And,
    Compare,
    Facts,
    Has,
    HeaderText,
    InBox,
    Not,
    OneOf,
    Or,
    Pattern,
    Size,
    compare,
    to_single,
)
from streamsave.events import ObjectHeader
from streamsave.values import DateTime, ObjectReference, SoftObjectPath, Transform

PLACE = Transform((0.0, 0.0, 0.0, 1.0), (10.0, -20.0, 5.0), (1.0, 1.0, 1.0))
MEMBERS = {
    "mCount": 3,
    "mShare": 0.10000000149011612,  # 0.1 in single precision
    "mIsOn": True,
    "mName": "Iron Plate",
    "mOwner": ObjectReference("L", "Owner_1"),
    "mTarget": ObjectReference("L", "L:Main.Target_1"),
    "mPath": "L:Main.Target_1",
    "mList": [{"n": 1}, {"n": 5}],
    "mEmpty": [],
    "mMoment": DateTime(638_000_000_000_000_000),
    "mNothing": None,
    "mLargest": 2**64 - 1,
    "mSoft": SoftObjectPath("/Game/A", "B", ""),
    "mNan": math.nan,
    "mStars": "[x]*",
    "mQuoted": 'a " \\ b',
    "mLines": "\n\b",
    "m3": "3x",
    "mWord": "True",
    "size": [7],
    "has": 3,
    "classes": 3,
}


def header(size: int = 100, transform: Transform | None = PLACE) -> ObjectHeader:
    class_name = "/Game/BP_Miner.BP_Miner_C"
    return ObjectHeader(1, "actor", class_name, "Main.Miner_1", "Level", "L:Main.Outer", transform, 8, 46, 10, 4, 20, size)


def facts(size: int = 100, transform: Transform | None = PLACE) -> Facts:
    return Facts(header=header(size, transform), members=MEMBERS)


VERDICTS = [
    ('class_name = "*Miner*"', True),
    ("class_name = Miner", False),
    ("class_name == BP_Miner_C", True),
    ("class_name == /Game/BP_Miner.BP_Miner_C", True),
    ("class_name == Miner_C", False),
    ("class_name == BP_*", False),
    ("class_name = BP_*_C", True),
    ("class_name = /Game*", True),
    ("class_name ~ ^BP_Miner_C$", True),
    ("class_name ~ ^/Game", True),
    ("class_name != BP_*", False),
    ("class_name ~ iner", True),
    ("class_name ~ ^iner", False),
    ("class_name ~ '(?i)MINER'", True),
    ("class_name !~ iner", False),
    ("instance_name = *Miner_1", True),
    ("level = Level", True),
    ("kind = actor", True),
    ("outer = Outer", True),
    ("outer == L:Main.Outer", True),
    ("outer == Main", False),
    ("instance_name == Miner_1", False),
    ("instance_name in (Main.Miner_1, x)", True),
    ("instance_name in (Miner_1, x)", False),
    ("class_name in (x, BP_Miner_C)", True),
    ("class_name in ('*')", False),
    ("@class_name = *Miner*", True),
    ("@position[0] = 10", True),
    ("@position[2] > 5", False),
    ("has(@position)", True),
    ("@flags = 8 and @kind = actor and @level = Level", True),
    ("@outer == Outer", True),
    ("@instance_name = Other", False),
    ("has(@need_transform)", False),
    ("mCount in (1, 3)", True),
    ("mCount in (1, '3')", True),
    ("mCount in (true)", False),
    ("mShare in (0.1)", True),
    ("mShare ~ ^0.1$", True),
    ("mShare = 0.1000*", True),
    ("mShare in ('0.1')", True),
    ("mShare ~ ^0.2$", False),
    ("mIsOn in (true, 5)", True),
    ("mIsOn in (TRUE)", True),
    ("mName in (x, 'Iron Plate')", True),
    ("mTarget in (Target_1)", True),
    ("mOther in (1, x)", False),
    ("mMoment = 2022-09-28T22:13:20", True),
    ("mMoment = '2022-09-28 22:13:20'", True),
    ("mMoment > 3", False),
    ("mNothing = null", True),
    ("mNothing = *", False),
    ("mNothing != null", False),
    ("mEmpty = []", True),
    ("mEmpty ~ .", False),
    ("mLargest = 18446744073709551615", True),
    ("mLargest = 18446744073709551614", False),
    ("mSoft = B", True),
    ("mSoft = /Game/A:B", True),
    ("mSoft/package_name = /Game/A", True),
    ("mNan = NaN", True),
    ("mNan = Infinity", False),
    ("mStars = '[x]*'", True),
    ("size = 100", True),
    ("size != 100", False),
    ("size > 99", True),
    ("size > 100", False),
    ("size >= 100", True),
    ("size >= 101", False),
    ("size < 101", True),
    ("size < 100", False),
    ("size <= 100", True),
    ("size <= 99", False),
    ("position in (10, -20)..(11, -19)", True),
    ("position in (11, -19)..(10, -20)", True),
    ("position in (0, -20)..(9.9, -19)", False),
    ("position in (10, -20, 5)..(11, -19, 6)", True),
    ("position in (10, -20, 5.1)..(11, -19, 6)", False),
    ("has(mOwner)", True),
    ("has(mOwner.path_name)", True),
    ("has(mOther)", False),
    ("has(mList[*])", True),
    ("has(mList[*].n)", True),
    ("has(mList[*].other)", False),
    ("has(mEmpty)", True),
    ("has(mEmpty[*])", False),
    ("mCount = 3", True),
    ("mCount == 3", True),
    ("mCount != 3", False),
    ("mCount > 2", True),
    ("mCount < 3", False),
    ("mCount <= 3", True),
    ("mCount >= 4", False),
    ("mCount = true", False),
    ("mCount ~ 3", True),
    ("mShare = 0.1", True),
    ("mShare < 0.1", False),
    ("mShare <= 0.1", True),
    ("mIsOn = true", True),
    ("mIsOn = false", False),
    ("mIsOn = 1", False),
    ("mIsOn ~ true", True),
    ("mName = 'Iron*'", True),
    ("mName == 'Iron*'", False),
    ("mName ~ Plate$", True),
    ("mName > 3", False),
    ("mOwner ~ Owner", True),
    ("mOwner ~ L", False),
    ("mTarget == Target_1", True),
    ("mTarget == L:Main.Target_1", True),
    ("mTarget = Main*", False),
    ("mPath == Target_1", False),
    ("mList[*].n = 5", True),
    ("mList[*].n = 4", False),
    ("mList[*].n != 5", False),
    ("mEmpty = 3", False),
    ("mOther = 3", False),
    ("mOther != 3", True),
    ("mOther !~ x", True),
    ("not has(mOther)", True),
    # How it is written: numbers and units, quotes and escapes, names that look like words of the grammar, what binds.
    ("position in (0.1 m, -0.2 m)..(11 cm, -19 tiles)", True),
    ("position in (0.11 m, -20)..(1 km, 0)", False),
    ("position in (9, -21)..(0.0001km, 0)", True),
    ("position in (0, -21)..(0.00009km, 0)", False),
    ("position in (0.09, -0.21 m, 4)..(0.11 -0.19 0.06 m)", True),
    ("position in (0.09, -0.21 m, 4)..(0.11 -0.19 0.04 m)", False),
    ("position in(9,-21,.4e1)..(+11,-19,6E0)", True),
    ("position in (9-21)..(11 0)", True),
    ("  class_name=BP_Miner_C  ", True),
    ("kind = 12", False),
    (r'mQuoted = "a \" \\ b"', True),
    ("mName = 'Iron Plate'", True),
    (r'mLines = "\n\b"', True),
    (r'mName ~ "^Iron\x20Plate\b"', True),
    (r'mLines ~ "^\n"', True),
    ("m3 = 3x", True),
    ("m3 !~ ^3", False),
    ("mCount = '3'", True),
    ("mCount = -3.5", False),
    ("mCount < 1" + "0" * 400, True),
    ("mLargest > 18446744073709551614", True),
    ("mIsOn = 'true'", True),
    ("mNothing in (null)", True),
    ("mWord = true", True),
    ("mWord in (true)", True),
    ("mList[0].n in (true)", False),
    ("size == 100", True),
    (".size[0] = 7", True),
    ("size[0] = 7", True),
    ("classes = 3", True),
    ("has = 3", True),
    ("has(mOther) or mCount = 3 and size = 100", True),
    ("(has(mOther) or mCount = 3) and size = 99", False),
    ("mCount = 3 or has(mOther) and has(mOther)", True),
    ("not has(mOther) and size = 99", False),
    ("not (mCount = 3 and size = 99)", True),
    ("mCount = 3 and size = 100 and has(mOther)", False),
]


@pytest.mark.parametrize(("where", "wanted"), VERDICTS)
def test_verdict(where, wanted):
    selection = parse_selection(where)
    assert selection._verdict(facts()) is wanted
    assert (~selection)._verdict(facts()) is not wanted


def test_names_as_printed():
    """The last part of a name in a level; a dot elsewhere is that of an extension."""
    known = Facts({"instance_name": "Persistent_Level:PersistentLevel.Build_X_123"})
    for test in ("== Build_X_123", "= Build_*", "in (y, Build_X_123)", "~ ^Build_X"):
        assert parse_selection(f"instance_name {test}")._verdict(known) is True
    assert parse_selection("instance_name in (3)")._verdict(Facts({"instance_name": "3"})) is True
    assert parse_selection("instance_name == fts")._verdict(Facts({"instance_name": "level10.fts"})) is False


def test_objects_without_a_size_or_a_position():
    assert parse_selection("size < 5")._verdict(facts(-1)) is False
    assert parse_selection("size >= 0")._verdict(facts(0)) is True
    assert parse_selection("position in (-9e9, -9e9)..(9e9, 9e9)")._verdict(facts(transform=None)) is False


def known_so_far() -> list[Facts]:
    """Nothing, the class, the names, the header, everything: in the order in which a reader learns it."""
    by_class = Facts({"class_name": "BP_Miner_C"})
    by_names = Facts({"class_name": "BP_Miner_C", "instance_name": "Main.Miner_1", "level": "Level"})
    by_header = Facts(header=header())
    return [Facts(), by_class, by_names, by_header, facts()]


UNDECIDED = [
    ("class_name = BP_Miner_C", [None, True, True, True, True]),
    ("@class_name = BP_Miner_C", [None, True, True, True, True]),
    ("instance_name = Main.Miner_1", [None, None, True, True, True]),
    ("level = Other", [None, None, False, False, False]),
    ("kind = actor", [None, None, None, True, True]),
    ("outer = Outer", [None, None, None, True, True]),
    ("size = 100", [None, None, None, True, True]),
    ("position in (0, 0)..(1, 1)", [None, None, None, False, False]),
    ("has(mCount)", [None, None, None, None, True]),
    ("mCount = 4", [None, None, None, None, False]),
    ("not mCount = 4", [None, None, None, None, True]),
    ("class_name = A and has(mCount)", [None, False, False, False, False]),
    ("class_name = BP_* and has(mCount)", [None, None, None, None, True]),
    ("class_name = BP_* or has(mOther)", [None, True, True, True, True]),
    ("class_name = A or has(mOther)", [None, None, None, None, False]),
]


@pytest.mark.parametrize(("where", "verdicts"), UNDECIDED)
def test_verdict_as_facts_become_known(where, verdicts):
    selection = parse_selection(where)
    assert [selection._verdict(known) for known in known_so_far()] == verdicts


def test_a_test_that_fails_for_certain():
    """The prefilter rejects a test before the content is known: this very test, not one that is equal."""
    one, other = parse_selection("has(mX)"), parse_selection("has(mX)")
    assert one == other
    known = Facts(failed=[one])
    assert (one._verdict(known), other._verdict(known)) == (False, None)
    compared = parse_selection("mX = 3")
    assert compared._verdict(Facts(failed=[compared])) is False


def test_everything():
    assert EVERYTHING._verdict(Facts()) is True
    assert list(EVERYTHING._tests()) == []


def test_combining():
    a, b = parse_selection("class_name = a"), parse_selection("size > 1")
    assert a & b == And((a, b)) == parse_selection("class_name = a and size > 1")
    assert a | b == Or((a, b)) != And((a, b))
    assert ~a == Not(a) == parse_selection("class_name != a")
    assert list((a & ~(b | a))._tests()) == [a, b, a]


PARSED = [
    ("class_name = a", HeaderText),
    ("size = 1", Size),
    ("position in (0, 0)..(1, 1)", InBox),
    ("has(a)", Has),
    ("a = 1", Compare),
]


@pytest.mark.parametrize(("where", "kind"), PARSED)
def test_a_test_consists_of_itself(where, kind):
    selection = parse_selection(where)
    assert type(selection) is kind
    assert list(selection._tests()) == [selection]


PATTERNS = [
    (Pattern("a*"), ["a*"], ["ab", "A*"]),
    (Pattern("a*", "glob"), ["a", "abc"], ["ba", "Ab"]),
    (Pattern("a?[bc]", "glob"), ["axb", "a\nc"], ["ab", "axd"]),
    (Pattern("a*", "glob", ignore_case=True), ["Abc"], ["ba"]),
    (Pattern("^a.$", "regex"), ["ab"], ["abc", "AB"]),
    (Pattern("b", "regex", ignore_case=True), ["ABC"], ["ac"]),
]


@pytest.mark.parametrize(("pattern", "matching", "others"), PATTERNS)
def test_pattern(pattern, matching, others):
    assert all(pattern.matches(text) for text in matching)
    assert not any(pattern.matches(text) for text in others)


def test_not_a_regular_expression():
    with pytest.raises(re.error):
        Pattern("(", "regex")


def test_single_precision():
    """A float of a save equals every number that rounds to it; an int has to be the number itself."""
    tenth = to_single(0.1)
    assert tenth != 0.1
    assert compare(tenth, "=", 0.1)
    assert not compare(tenth, ">", 0.1)
    assert not compare(16_777_217, "=", 16_777_216)
    assert math.isnan(to_single(1e39))
    assert compare(1e39, "=", 1e39)


@pytest.mark.parametrize("digits", [40, 309, 310, 399])
def test_an_integer_of_any_length_compares_with_floats(digits):
    """A float holds none of these integers in single precision; most are too large for any float."""
    integer = int("9" * digits)
    assert compare(1.5, "<", integer)
    assert not compare(1.5, "=", integer)
    assert compare(math.inf, ">", integer)
    assert not OneOf(frozenset(), frozenset({integer})).has(1.5)
    parse_selection(f"mX in ({integer})")
