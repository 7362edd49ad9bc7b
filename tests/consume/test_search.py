"""The search through the values of objects."""

import re

import pytest
from cli_runs import thing
from saves import SATISFACTORY, VALID, deflate, head_and_body, headers_of
from shapez2_worlds import SAMPLES
from writer.primitives import Ref
from writer.satisfactory import VersionData, World, release_header, save_bytes
from writer.structs import VECTOR
from writer.tags import BOOL, FLOAT, INT, OBJECT, STR, Array, Delta, Fields, Map, Prop, Set

import streamsave
from streamsave import Field, ObjectEnd, ObjectHeader, PropertyTag, SaveError
from streamsave.consume.needed_text import NeededText
from streamsave.consume.search import value_matches
from streamsave.decode.json_values import to_jsonable
from streamsave.decode.leaves import Key
from streamsave.decode.slices import SLICE_COUNT
from streamsave.values import ObjectReference, Opaque

SAVES = sorted(path for path in VALID.glob("*/*") if path.is_file())


@pytest.mark.parametrize("named", [None, "B".__eq__])
def test_objects_without_a_match(named):
    """All others, each once: objects in objects too."""
    path = SAMPLES / "islands-4.spz2bp"
    with streamsave.open(path) as events:
        having = {id_of(match.header) for match in value_matches(events, named, "1137".__eq__)}
    every = [id_of(event) for event in headers_of(path)]
    with streamsave.open(path) as events:
        search = value_matches(events, named, "1137".__eq__, None, lambda header: header.kind != "island")
        without = [id_of(match.header) for match in search]
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
            for match in value_matches(events, None, re.compile(expression).search, needed):
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
def test_damage(seed):
    """What is found in sound objects is found; an object whose bytes cannot match is not read, whatever is in it."""
    head, body = head_and_body((SATISFACTORY / "sv58.sav").read_bytes())
    changed = bytearray(body)
    changed[len(body) * (seed + 1) // 62] ^= 0xFF
    data = deflate(head, bytes(changed))
    for expression in ("Iron", "4[.]25"):
        found, every = (found_or_raised(data, expression, needed) for needed in (NeededText(expression), None))
        assert found == every or (len(found) >= len(every) and "offset" in every)


def test_of_paths_only_short_ones_are_kept():
    """So a hostile save cannot fill the memory with them."""
    asked: list[str] = []
    paths = ["near", "x" * 5000, "near", "y" * 5000, "y" * 5000]
    references = [Ref("Persistent_Level", path) for path in paths]
    chest = thing("BP_Chest_C_1", Prop("mMany", Array(OBJECT), references))
    with streamsave.open(save_bytes(World(release_header(58), (), [chest], version_data=VersionData()))) as events:
        search = value_matches(events, None, lambda text: asked.append(text) or re.search("near|y", text))
        found = [str(match.value.path_name) for match in search]
    assert found == [path for path in paths if "x" not in path]
    assert [text for text in asked if text in paths] == [paths[0], paths[1], *paths[3:]]


# --- another way to the same answer: every leaf is built whole, and all in it is looked at ---


def innermost(value):
    """The texts of the innermost values in a built value, in their order: as JSON has them. Bytes have none."""
    if isinstance(value, ObjectReference):
        yield value.path_name
    elif isinstance(value, (bytes, Opaque)):
        return
    elif value in ({}, []):
        yield str(value)
    elif isinstance(value, dict):
        for member in value.values():
            yield from innermost(member)
    elif isinstance(value, (list, tuple)):
        for member in value:
            yield from innermost(member)
    elif hasattr(type(value), "__match_args__") and isinstance(to_jsonable(value), dict):
        for name in type(value).__match_args__:
            yield from innermost(getattr(value, name))
    elif value is not None:
        yield to_jsonable(value)
    else:
        yield "null"


def by_walking(source, expression):
    """The object of each leaf that matches, and its text."""
    objects = []
    with streamsave.open(source) as events:
        for event in events:
            if isinstance(event, ObjectHeader):
                objects.append(event.instance_name)
            elif isinstance(event, ObjectEnd):
                objects.pop()
            elif objects and isinstance(event, (PropertyTag, Field)) and events.is_leaf():
                for leaf in innermost(events.build()):
                    texts = {str(leaf).lower(), str(leaf), str(leaf).upper()} if isinstance(leaf, bool) else {str(leaf)}
                    if any(map(re.compile(expression).search, texts)):
                        yield objects[-1], leaf


def by_searching(source, expression):
    with streamsave.open(source) as events:
        for match in value_matches(events, None, re.compile(expression).search, NeededText(expression)):
            value = match.value
            if isinstance(match.path[-1], Key) and not re.search(expression, str(value)):
                value = match.path[-1].text
            yield match.header.instance_name, next(innermost(value))


def compare(source, expression, least=0):
    """Compare what both find."""
    expected = list(by_walking(source, expression))
    assert list(by_searching(source, expression)) == expected
    assert len(expected) >= least


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "satisfactory/hv14-sv52-pep-modtest-1.sav",  # it has an array of more than a million bytes
        "gvas/palworld-localdata.sav",  # and so does this one
        "gvas/palworld-levelmeta.sav",
        "gvas/test-tagcontainer-ue427.sav",
        "arx/v1.1-fresh.sav",
    ],
)
def test_the_same_as_a_walk_over_a_real_save(corpus, name):
    for expression in ("Iron", "^1[0-9]$", "(?i)TRUE|none"):
        compare(corpus / name, expression)


HITS = {0, 1, SLICE_COUNT - 1, SLICE_COUNT, SLICE_COUNT + 1, 2 * SLICE_COUNT, 29_998, 29_999, 69_998, 69_999}
LARGE = {
    "numbers": (Array(INT), [777 if number in HITS else 5 for number in range(70_000)]),
    "floats": (Array(FLOAT), [777.0 if number in HITS else 0.5 for number in range(70_000)]),
    "bools": (Array(BOOL), [number in HITS for number in range(300_000)]),
    "texts": (Array(STR), [f"_{'777' if number in HITS else 'none'}_" for number in range(30_000)]),
    "wide texts": (Array(STR), [f"ж{'777' if number in HITS else 'none'}ж" for number in range(30_000)]),
    "long texts": (Array(STR), ["x" * 100_000 + "777", "y" * 70_000, "777" + "z" * 100_000]),
    "references": (Array(OBJECT), [Ref("Level", "B.777" if number in HITS else "A.x") for number in range(30_000)]),
    "vectors": (Array(VECTOR), [(777.0 if number in HITS else 1.0, 0.0, 0.0) for number in range(30_000)]),
    "structs": (Array(Fields("Stack")), [[Prop("Name", STR, "777" if number in HITS else "-")] for number in range(30_000)]),
    "set": (Set(STR), [f"{number}_{'gold' if number in HITS else 'none'}_" for number in range(30_000)]),
    "map": (Map(INT, STR), [(-1 - number, "777" if number in HITS else "-") for number in range(30_000)]),
    "changed set": (Set(STR), Delta(["gold", "-"], [f"{number}_{'gold' if number in HITS else ''}" for number in range(30_000)])),
    "text": (STR, "x" * 300_000 + "777"),
}
SAID = {"set": "gold", "changed set": "gold", "map": "^777$", "bools": "^True$"}


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_large(name):
    """More than 256 KiB: what is found at both ends, and around the ends of slices."""
    kind, values = LARGE[name]
    hits = [number for number in sorted(HITS) if number < (30_000 if name == "changed set" else len(values))]
    objects = [thing("BP_Chest_C_1", Prop("mLarge", kind, values), Prop("mAfter", STR, "777")), thing("BP_Last_C_2")]
    data = save_bytes(World(release_header(58), (), objects, version_data=VersionData()))
    expression = SAID.get(name, "777")
    compare(data, expression, least=1 if name == "text" else 2)
    with streamsave.open(data) as events:
        named = list(value_matches(events, "mLarge".__eq__, re.compile(expression).search))
    with streamsave.open(data) as events:
        found = list(value_matches(events, None, re.compile(expression).search))
    assert [match.path for match in named] == [match.path for match in found if match.path != ("mAfter",)]
    paths = [match.path for match in found if match.path[0] == "mLarge"]
    steps = {"vectors": ("x",), "structs": ("Name",)}.get(name, ())
    if name == "changed set":
        assert paths == [("mLarge", "removed", 0), *(("mLarge", "added", number) for number in hits)]
    elif name == "long texts":
        assert paths == [("mLarge", 0), ("mLarge", 2)]
    elif name == "text":
        assert paths == [("mLarge",)]
    elif name == "map":
        assert paths == [("mLarge", Key(str(-1 - number))) for number in hits]
    else:
        assert [path[:2] for path in paths] == [("mLarge", number) for number in hits]
        assert {path[2:] for path in paths} == {steps}
    assert [match.number for match in found] == list(range(1, len(found) + 1))
    after = [match.path for match in found if match.path[0] != "mLarge"]
    assert after == ([("mAfter",)] if expression in "^777$" else [])


def test_without_a_match_in_a_large_array():
    large = Prop("mLarge", Array(INT), [5] * 70_000 + [777])
    objects = [thing("BP_Chest_C_1", large), thing("BP_Chest_C_2", Prop("mLarge", Array(INT), [5] * 70_000))]
    with streamsave.open(save_bytes(World(release_header(58), (), objects, version_data=VersionData()))) as events:
        search = value_matches(events, None, re.compile("777").search, None, lambda _: True)
        assert [match.header.instance_name[-1] for match in search] == ["2"]


@pytest.mark.parametrize(("expression", "is_read"), [(".", True), ("Desc_Iron", False), ("^7$", True)])
def test_damage_in_what_cannot_match(expression, is_read):
    """The count of an array is one too low: bytes are left after its last element."""
    objects = [thing("BP_Chest_C_1", Prop("mMany", Array(INT), [5] * 100))]
    data = save_bytes(World(release_header(58), (), objects, version_data=VersionData()))
    head, body = head_and_body(data)
    at = body.index((100).to_bytes(4, "little") + b"\5\0\0\0")
    data = deflate(head, body[:at] + (99).to_bytes(4, "little") + body[at + 4 :])
    if is_read:
        with pytest.raises(SaveError, match="bytes left after the value"):
            list(by_searching(data, expression))
    else:
        assert list(by_searching(data, expression)) == []
