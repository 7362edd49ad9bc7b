"""The search through the values of objects."""

from __future__ import annotations

import re

import pytest
from cli_runs import small_world, thing
from saves import SATISFACTORY, VALID, deflate, head_and_body
from shapez2_worlds import SAMPLES
from writer.primitives import Ref
from writer.satisfactory import VersionData, World, release_header, save_bytes
from writer.tags import OBJECT, Array, Prop

import streamsave
from streamsave import ObjectHeader, SaveError
from streamsave.cli.needed_text import NeededText
from streamsave.cli.value_search import LONGEST_KEPT, ValueSearch

SAVES = sorted(path for path in VALID.glob("*/*") if path.is_file())


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return small_world(tmp_path_factory.mktemp("search"))


def found_in(path, name, named=None, says=None):
    """What is found in the object whose name ends so."""
    with streamsave.open(path) as events:
        matches = list(ValueSearch(events, named, says).matches())
    return [(match.path, match.value) for match in matches if match.header.instance_name.endswith(name)]


def test_by_name(small):
    assert found_in(small, "Chest_C_1", "mLabel".__eq__) == [(("mLabel",), "iron, mostly")]
    assert [path for path, _ in found_in(small, "Chest_C_1", "mStatic".__eq__)] == [("mStatic",), ("mStatic", 1)]


def test_by_text(small):
    assert found_in(small, "Chest_C_1", None, "gold".__eq__) == [(("mStacks", 1, "Name"), "gold")]


def test_by_name_and_text(small):
    assert found_in(small, "Chest_C_1", "mStacks".__eq__, "gold".__eq__) == [(("mStacks", 1, "Name"), "gold")]
    assert found_in(small, "Chest_C_1", "Name".__eq__, "gold".__eq__) == [(("mStacks", 1, "Name"), "gold")]
    assert found_in(small, "Chest_C_1", "mLabel".__eq__, "gold".__eq__) == []


def test_what_is_found_is_numbered(small):
    with streamsave.open(small) as events:
        matches = list(ValueSearch(events, "mStatic".__eq__, None).matches())
    assert [match.number for match in matches] == [1, 2]


def test_objects_in_an_object_are_searched_too():
    """What is found in one comes before what follows in the object around it."""
    with streamsave.open(SAMPLES / "islands-4.spz2bp") as events:
        matches = list(ValueSearch(events, None, "1137".__eq__).matches())
    island = next(match for match in matches if match.path == ("B", "BinaryVersion"))
    inner = [match.header.outer for match in matches if match is not island]
    assert set(inner) <= {"", island.header.instance_name}


@pytest.mark.parametrize("named", [None, "B".__eq__])
def test_objects_without_a_match(named):
    """All others, each once: objects in objects too."""
    path = SAMPLES / "islands-4.spz2bp"
    with streamsave.open(path) as events:
        having = {id_of(match.header) for match in ValueSearch(events, named, "1137".__eq__).matches()}
    with streamsave.open(path) as events:
        every = [id_of(event) for event in events if isinstance(event, ObjectHeader)]
    with streamsave.open(path) as events:
        search = ValueSearch(events, named, "1137".__eq__, None, lambda header: header.kind != "island")
        without = [id_of(match.header) for match in search.matches()]
    assert sorted(without) == sorted({each for each in every if each not in having or each[1] == "island"})
    assert len(without) == len(set(without))


def id_of(header):
    return header.offset, header.kind


EXPRESSIONS = [
    "Iron",
    "(?i)IRON",
    "Desc_.*_C$",
    "4.25",
    "4[.]25",
    "^-?[0-9]+$",
    "Vector",
    "none",
    "unknown",
    "Oracle",
    "true",
    "e",
    ".",
]


def found_or_raised(source, expression, needed):
    """What is found in a save, and the error that ends it."""
    found = []
    with streamsave.open(source) as events:
        try:
            for match in ValueSearch(events, None, re.compile(expression).search, needed).matches():
                found.append((match.header.instance_name, match.path, match.value, match.size, match.number))  # noqa: PERF401 - up to an error
        except SaveError as error:
            found.append((str(error), error.offset, error.path))
    return repr(found)  # NaN


@pytest.mark.parametrize("number", range(len(SAVES)), ids=lambda number: f"{SAVES[number].parent.name}/{SAVES[number].name}")
def test_what_is_not_built_would_not_match(number):
    """A third of the expressions in each save: each in about thirty saves, of all formats."""
    path = SAVES[number]
    for expression in EXPRESSIONS[number % 3 :: 3]:
        assert found_or_raised(path, expression, NeededText(expression)) == found_or_raised(path, expression, None), expression


@pytest.mark.parametrize("seed", range(60))
def test_the_same_errors_as_in_built_values(seed):
    """A byte of a save is changed: what is not built is checked all the same."""
    head, body = head_and_body((SATISFACTORY / "sv58.sav").read_bytes())
    changed = bytearray(body)
    changed[len(body) * (seed + 1) // 62] ^= 0xFF
    data = deflate(head, bytes(changed))
    for expression in ("Iron", "4[.]25"):
        assert found_or_raised(data, expression, NeededText(expression)) == found_or_raised(data, expression, None)


@pytest.mark.parametrize("seed", range(60))
def test_the_same_where_a_save_is_cut(seed):
    head, body = head_and_body((SATISFACTORY / "sv46.sav").read_bytes())
    data = deflate(head, body)[: -(seed * 7 + 1)]
    for expression in ("Iron", "4[.]25"):
        assert found_or_raised(data, expression, NeededText(expression)) == found_or_raised(data, expression, None)


def test_of_paths_only_short_ones_are_kept():
    """So a hostile save cannot fill the memory with them."""
    references = [Ref("Persistent_Level", path) for path in ("near", "x" * 5000, "near", "y" * 5000)]
    chest = thing("BP_Chest_C_1", Prop("mMany", Array(OBJECT), references))
    data = save_bytes(World(release_header(58), (), [chest], version_data=VersionData()))
    with streamsave.open(data) as events:
        search = ValueSearch(events, None, re.compile("near|y").search)
        found = [str(match.value.path_name) for match in search.matches()]
    assert found == ["near", "near", "y" * 5000]
    assert search._paths["near"]
    assert max(map(len, search._paths)) <= LONGEST_KEPT
