"""Each test of a selection: what it wants, and when it can say so."""

import math
import re
from pathlib import Path

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


#: `verdicts.txt` has a line for each test: whether it takes the object, and the test as a user writes it.
LINES = (Path(__file__).parent / "verdicts.txt").read_text(encoding="utf-8").splitlines()
VERDICTS = [(line[5:], line.startswith("yes")) for line in LINES if not line.startswith("##")]
VERDICTS += [("  class_name=BP_Miner_C  ", True), ("mCount < 1" + "0" * 5000, True)]


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
