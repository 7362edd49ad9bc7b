"""`ls --where E` lists the objects for which E, written in Python, holds in `json --ndjson`. Hypothesis makes E."""

import json
import math
import re
import struct
from functools import lru_cache

import pytest
from equations import Subject, key_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from profiles import scaled

import streamsave

SAMPLES = ["satisfactory/sv58.sav", "satisfactory/sv46.sav", "gvas/palworld-1.0.sav", "gvas/ue5-1018.sav", "arx/v2.1.sav"]
REAL = ["satisfactory/hv14-sv52-pep-modtest-1.sav", "gvas/palworld-level-unicode.sav"]
#: Members of JSON that come from the header of an object.
HEADER = {"kind", "class_name", "instance_name", "level", "outer", "transform", "flags", "save_version", "properties", "path"}
HEADER |= {"need_transform", "was_placed_in_level", "migrate_references", "ucs_modified_properties", "position", "size"}
TEXTS = ("class_name", "instance_name", "level", "kind")


@lru_cache(maxsize=4)
def subject_of(path, folder):
    return Subject(path, None, 1, folder)


def members_of(row):
    return {**{name: value for name, value in row.items() if name not in HEADER}, **row.get("properties", {})}


def leaves(value):
    """The innermost values of JSON; a reference is its path name."""
    if isinstance(value, dict):
        if value.keys() == {"level_name", "path_name"}:
            yield ("path", value["path_name"])
        elif value.keys() in ({"escaped"}, {"base64"}, {"base64", "reason"}, {"zeros", "reason"}):
            return  # bytes, and half characters, which JSON has in another way
        else:
            for part in value.values():
                yield from leaves(part)
    elif isinstance(value, list):
        for part in value:
            yield from leaves(part)
    elif value is not None:
        yield ("value", value)


def texts(kind, value, *, is_name=False):
    """The texts that a text is known by: of a path, the last part."""
    last = kind == "path" and (not is_name or ":" in value)
    return [value, value.rpartition(".")[2]] if last else [value]


def single(number):
    try:
        return struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        return math.nan


def shortest(value):
    """Return a number of single precision with the fewest digits, as `cat` prints it."""
    if not isinstance(value, float) or single(value) != value:
        return repr(value)
    return next(text for digits in range(1, 10) if single(float(text := repr(float(f"{value:.{digits}g}")))) == value)


def equal(leaf, literal):
    kind, value = leaf
    if isinstance(literal, bool) or isinstance(value, bool):
        if isinstance(value, str):
            return isinstance(literal, bool) and value.lower() == str(literal).lower()
        return value is literal or (isinstance(literal, str) and literal in {str(value), str(value).lower(), str(value).upper()})
    if isinstance(value, str):
        return isinstance(literal, str) and literal in texts(kind, value)
    if isinstance(literal, str):
        return literal in {repr(value), shortest(value)}
    return value == literal or (isinstance(value, float) and value == single(literal))


def quoted(text):
    return json.dumps(text)


def number(value):
    return not isinstance(value, bool) and isinstance(value, (int, float))


def drawn_tests(subject):
    """A strategy: the text of a test, and the test as a function of a row of JSON."""
    rows = list(subject.plain.values())
    words = {"class_name", "instance_name", "level", "kind", "outer", "size", "position", "has"}
    values = [
        (name, each)
        for row in rows
        for name, member in members_of(row).items()
        if re.fullmatch(r"[A-Za-z_]\w*", name) and name not in words
        for each in leaves(member)
    ]

    def of_header(draw):
        attribute = draw(st.sampled_from(TEXTS))
        drawn = [row[attribute] for row in draw(st.lists(st.sampled_from(rows), min_size=1, max_size=3))]
        text = drawn[0]
        kind = "path" if attribute in {"class_name", "instance_name"} else "value"

        def known(row):
            return texts(kind, row[attribute], is_name=attribute == "instance_name")

        match draw(st.integers(0, 3)):
            case 0:
                last = text.rpartition(".")[2] or text
                return f"{attribute} == {quoted(last)}", lambda row: last in known(row)
            case 1:
                return f"{attribute} = {quoted(text)}", lambda row: text in known(row)
            case 2:
                listed = ", ".join(map(quoted, drawn))
                return f"{attribute} in ({listed})", lambda row: not set(drawn).isdisjoint(known(row))
            case _:
                part = text[draw(st.integers(0, max(len(text) - 1, 0))) :]
                return f"{attribute} ~ {quoted(re.escape(part))}", lambda row: any(part in each for each in known(row))

    def of_value(draw):
        name, (_, value) = draw(st.sampled_from(values))

        def elements(row):
            """The property, or the elements of a static array."""
            return [each for key, each in members_of(row).items() if re.fullmatch(rf"{name}(\[\d+\])?", key)]

        def found(row):
            return leaves(elements(row))

        match draw(st.integers(0, 4)):
            case 0:
                return f"has({name})", lambda row: elements(row) != []
            case 1 if number(value):
                return f"{name} > {value!r}", lambda row: any(number(v) and v > value for _, v in found(row))
            case 2:
                others = [value for _, (_, value) in draw(st.lists(st.sampled_from(values), max_size=5))]
                listed = ", ".join(json.dumps(each) for each in [value, *others])
                return f"{name} in ({listed})", lambda row: any(equal(v, each) for v in found(row) for each in [value, *others])
            case _:
                return f"{name} = {json.dumps(value)}", lambda row: any(equal(v, value) for v in found(row))

    @st.composite
    def test(draw, depth=2):
        kind = draw(st.integers(0, 4 if depth else 1))
        if kind < 2:
            return of_header(draw) if kind == 0 or not values else of_value(draw)
        one, holds = draw(test(depth - 1))
        if kind == 2:
            return f"not ({one})", lambda row: not holds(row)
        other, also = draw(test(depth - 1))
        if kind == 3:
            return f"({one}) and ({other})", lambda row: holds(row) and also(row)
        return f"({one}) or ({other})", lambda row: holds(row) or also(row)

    return test()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "count"), [*((name, 200) for name in SAMPLES), *((name, 80) for name in REAL)])
def test_saves(any_save, tmp_path, name, count):
    subject = subject_of(any_save(name), tmp_path)
    plain = subject.plain

    @settings(max_examples=scaled(count), suppress_health_check=list(HealthCheck))
    @given(drawn_tests(subject))
    def check(drawn):
        where, holds = drawn
        listed = {key_of(row) for row in subject.ask_json("ls", "--json", "--where", where, subject.path)} & plain.keys()
        assert listed == {key for key, row in plain.items() if holds(row)}, where

    check()


UNSIZED = ["gvas/abiotic-player-ue544.sav", "gvas/railgrade-ue427.sav", "more/ServerManager_V2.sav", "arx/v1.1-fresh.sav"]


@pytest.mark.parametrize("name", UNSIZED)
def test_sizes_that_only_the_end_of_an_object_shows(real_save, tmp_path, name):
    """Arx does not say, and nothing is unpacked: no size compares so."""
    subject = Subject(real_save(name), None, 1, tmp_path)
    rows = list(subject.ask_json("ls", "--json", subject.path))
    assert rows
    known = [row for row in rows if row["size"] is not None]
    for least in {0, *(row["size"] for row in known)}:
        expected = [row for row in known if row["size"] >= least]
        assert list(subject.ask_json("ls", "--json", "--where", f"size >= {least}", subject.path)) == expected
        found = streamsave.objects(subject.path, f"size >= {least}")
        assert [(each.instance_name, each.size) for each in found] == [(row["instance_name"], row["size"]) for row in expected]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mLastSafeGroundPositions", "mLastSafeGroundPositions[*]"])
def test_each_element_of_a_static_array_is_seen(real_save, tmp_path, name):
    subject = Subject(real_save("pairs/sv52-a.sav"), None, 1, tmp_path)
    rows = list(subject.ask_json("grep", "--json", "--property", name, "--value", "", ".", subject.path))
    assert len({row["path"] for row in rows}) == 9
    for value in {row["value"] for row in rows[-4:]}:
        found = [row["instance_name"] for row in subject.ask_json("ls", "--json", "--where", f"{name} = {value}", subject.path)]
        assert found == list(dict.fromkeys([row["instance_name"] for row in rows if row["value"] == value]))
