"""The walk over all values, against what `build()` gives of the same objects."""

from collections import Counter

import pytest
from cli_runs import LEVEL, small_world, thing, write
from lightweight_worlds import world
from saves import VALID, headers_of, read, slow
from writer.tags import BYTE, INT, STR, Array, Fields, Map, Prop

import streamsave
from streamsave import ObjectEnd, ObjectHeader, PropertyTag
from streamsave.consume.values import Key, Part, Walk, key_of, leaves
from streamsave.decode.build import header_members
from streamsave.output.json_text import value_bytes
from streamsave.values import Guid, ObjectReference

SAMPLES = sorted(path.relative_to(VALID).as_posix() for path in VALID.glob("*/*"))
REAL = [
    "satisfactory/hv14-sv52-pep-modtest-1.sav",
    "satisfactory/u7-hv10-sv36-216k.sav",
    "satisfactory/v12-hv14-sv58-140k.sav",
    "satisfactory/v10-rewritten-no-destroyed.sav",
    "gvas/abiotic-world-262k-ue544.sav",
    "gvas/drg-ue427-146k.sav",
    "gvas/palworld-level-unicode.sav",
    "gvas/savage-planet-ue425.sav",
    "arx/v1.1-fresh.sav",
    "astroneer/xbox-2020-162k.savegame",
]


def text_of(leaf):
    return value_bytes(leaf.path_name if isinstance(leaf, ObjectReference) else leaf)


def walked(source, **options):
    """Path in its object and text of each leaf, by offset and name of the object."""
    found = {}
    opened = []
    with streamsave.open(source, **options) as events:
        for step in Walk(events):
            if isinstance(step, ObjectHeader):
                opened.append((step.offset, step.class_name, step.instance_name))
                found[opened[-1]] = []
            elif isinstance(step, ObjectEnd):
                opened.pop()
            elif isinstance(step, Part) and opened:
                found[opened[-1]] += [(path[step.base :], text_of(leaf)) for path, leaf in leaves(step)]
    return found


def built(source, **options):
    """The same of what `build()` gives, of objects without others in them."""
    found = {}
    with streamsave.open(source, **options) as events:
        for event in events:
            if isinstance(event, ObjectHeader) and not events.holds_objects(event):
                values = events.build()
                properties = values.pop("properties")
                others = {name: value for name, value in values.items() if name not in header_members(event)}
                every = [each for part in (others, properties) if part for each in leaves(Part((), (), 0, part))]
                others.pop("ucs_modified_properties", None)
                key = event.offset, event.class_name, event.instance_name
                found[key] = [(path, text_of(leaf)) for path, leaf in every if path != ("ucs_modified_properties",)]
    return found


@pytest.mark.parametrize("name", [*SAMPLES, *slow(REAL)])
def test_all_values(any_save, name):
    source = any_save(name)
    by_walk, by_build = walked(source), built(source)
    for key, expected in by_build.items():
        found = [row for row in by_walk[key] if row[0][-1] != "base64"]
        assert Counter(found) == Counter(row for row in expected if row[0][-1] != "base64"), key
        # Bytes come in pieces that join to the same text.
        pieces = {}
        for path, text in by_walk[key]:
            if path[-1] == "base64":
                pieces[path] = pieces.get(path, "") + text.decode()[1:-1]
        assert pieces == {path: text.decode()[1:-1] for path, text in expected if path[-1] == "base64"}
    assert by_build or name in SAMPLES


def keys_of(source, **options):
    """Path and text of each key of a map."""
    with streamsave.open(source) as events:
        found = [
            each for part in Walk(events, keys=True, **options) if isinstance(part, Part) for each in leaves(part, keys=True)
        ]
    return [(path, text_of(key)) for path, key in found if path[-1] == "key" and isinstance(path[-2], Key)]


@pytest.mark.parametrize("name", ["satisfactory/sv60.sav", "gvas/ue5-1018.sav", "gvas/palworld-1.0.sav"])
def test_each_key_comes_once(name):
    """Whether the map comes as a whole or in parts."""
    assert len(keys_of(VALID / name)) > 6
    assert keys_of(VALID / name, largest=4) == keys_of(VALID / name)


@pytest.mark.slow
def test_each_key_of_maps_in_maps_comes_once(real_save):
    """These are so large that they always come in parts."""
    found = [path for path, _ in keys_of(real_save("more/archive-v2-ue561.sav"))]
    assert len([path for path in found if path[-3] == "PersistentActors"]) == 53
    assert len(found) == len(set(found))


def steps_of(source):
    with streamsave.open(source) as events:
        walk = Walk(events)
        return [(step, walk.place) for step in walk]


@pytest.mark.parametrize("skipped", [True, False])
def test_skip_and_keep(tmp_path, skipped):
    """What is in a passed-over subsystem comes all the same."""
    for source in (small_world(tmp_path), world(52)):
        names, values = [], []
        with streamsave.open(source) as events:
            walk = Walk(events, loose=False)
            for step in walk:
                if isinstance(step, ObjectHeader):
                    names.append(step.instance_name)
                    if skipped:
                        walk.skip()
                    else:
                        walk.keep(frozenset({"mLabel", "swatch"}))
                elif isinstance(step, Part):
                    values.append(step.path[step.base])
        assert names == [event.instance_name for event in headers_of(source)]
        assert set(values) <= (set() if skipped else {"mLabel", "swatch"})
        assert skipped or values


def parts_of(tmp_path, *properties):
    path = write(tmp_path, "a.sav", thing("A", *properties))
    return [step for step, place in steps_of(path) if isinstance(step, Part) and place[-1:] == (f"{LEVEL}A",)]


def test_what_ends_at_the_known_end_is_passed_over(tmp_path):
    path = write(tmp_path, "a.sav", thing("A", Prop("mOne", INT, 1), Prop("mTwo", INT, 2)))
    (one,) = [event for event in read(path) if isinstance(event, PropertyTag) and event.name == "mOne"]
    with streamsave.open(path) as events:
        walk = Walk(events)
        walk.known_end = one.value_offset + one.size
        names = [step.steps[0] for step in walk if isinstance(step, Part)]
    assert "mOne" not in names
    assert "mTwo" in names


def test_large_structs_and_maps_are_walked(tmp_path):
    stacks = [[Prop("Name", STR, f"n{at}"), Prop("Count", INT, at)] for at in range(5000)]
    parts = parts_of(
        tmp_path, Prop("mStacks", Array(Fields("Stack")), stacks), Prop("mMap", Map(STR, Fields("S")), [("k", stacks[0])] * 1)
    )
    found = {path[2:]: leaf for part in parts for path, leaf in leaves(part)}
    assert found["mStacks", 4999, "Count"] == 4999
    assert found["mMap", Key("k"), "Name"] == "n0"
    many = [(f"k{at}", stacks[at]) for at in range(5000)]
    parts = parts_of(tmp_path, Prop("mMap", Map(STR, Fields("S")), many))
    assert len(parts) > 5000
    found = {path[2:]: leaf for part in parts for path, leaf in leaves(part) if path[2] == "mMap"}
    assert len(found) == 10_000
    assert found["mMap", Key("k4999"), "Count"] == 4999


def test_what_is_empty_is_a_leaf(tmp_path):
    parts = parts_of(tmp_path, Prop("mNone", Array(INT), []), Prop("mBytes", Array(BYTE), b""), Prop("mMap", Map(INT, INT), []))
    assert [(path[2:], leaf) for part in parts for path, leaf in leaves(part)][-3:] == [
        (("mNone",), []),
        (("mBytes", "base64"), ""),
        (("mMap",), []),
    ]


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("a", "a"),
        (3, "3"),
        (True, "true"),
        (0.5, "0.5"),
        (ObjectReference("L", "L:A"), "L:A"),
        (Guid(bytes(15) + b"\x01"), "00000000-00000000-00000000-01000000"),
        ({"x": 1}, None),
        ((1, 2), None),
        (None, None),
    ],
)
def test_keys(key, text):
    assert key_of(key) == text
    steps = [path for path, _ in leaves(Part((), ("m",), 0, [(key, 7)]))]
    assert steps[-1] == (("m", Key(text)) if text is not None else ("m", Key(None, 0), "value"))
