"""An object that matches comes, wherever it is and whatever else is asked; one that does not match does not come."""

import json
from collections import Counter
from pathlib import Path

import pytest
from cli_runs import run
from saves import VALID, slow

import streamsave
from streamsave import BlobSkip, ChunkStart, Field, ObjectEnd, ObjectHeader, PropertyTag, StructEnter, StructExit

#: Samples with objects in objects, and some without.
SAMPLES = (
    "arx/v2.1.sav",
    "astroneer/full.savegame",
    "astroneer/remote.savegame",
    "gvas/palworld-1.0.sav",
    "satisfactory/sv36.sav",
    "satisfactory/sv58.sav",
    "satisfactory/sv58.sbp",
    "shapez2/islands-1.spz2bp",
    "shapez2/islands-5.spz2bp",
    "shapez2/small.spz2",
)
REAL = (
    "arx/v1.1-fragmented-upper-gap.sav",
    "astroneer/xbox-2020-162k.savegame",
    "gvas/abiotic-world-15k-ue544.sav",
    "gvas/palworld-level-unicode.sav",
    "satisfactory/v12-ported-sv58-250k.sav",
    "shapez2/synthetic-checkpoints.spz2",
)
#: Objects in objects in objects.
NESTED = "gvas/palworld-level-plz-280k.sav"
GRIDS = "worldSaveData.FoliageGridSaveDataMap[*]"
NESTED_AT = [GRIDS, f"{GRIDS}.value.ModelMap[*]", f"{GRIDS}.value.ModelMap[*].value.InstanceDataMap[*]"]

#: Selection, fields that have objects in them.
ASKED = (
    (None, ("data", "trailer", "B", "value")),
    ("size > 0", ("data", "trailer", "B")),
    ("kind = island or class_name = *Subsystem", ("data", "trailer", "B")),
    ("kind = building or kind = lightweight", ("configuration", "swatch", "C")),
    ("class_name = *Foundation* or class_name = *Belt*", ()),
    ("has(data) or has(trailer) or has(B) or has(actor)", ("data.buildings", "trailer.buildables", "B")),
)


def names_in(value: object) -> list[str]:
    """The names of all objects in JSON."""
    if isinstance(value, list):
        return [name for each in value for name in names_in(each)]
    if not isinstance(value, dict):
        return []
    own = [value["instance_name"]] if "instance_name" in value and "class_name" in value else []
    return own + [name for each in value.values() for name in names_in(each)]


def lines_of(*args: object) -> list[dict[str, object]]:
    return [json.loads(line) for line in run(*args).stdout.splitlines()]


def every_way(path: Path, where: str | None, fields: tuple[str, ...]) -> dict[str, Counter[str]]:
    """The names of the objects that match, by each way to ask for them."""
    options = ["--where", where] if where else []
    asked = [each for name in fields for each in ("--field", name)]
    rows = lines_of("export", path, "-o", "-", "--format", "ndjson", *options, *asked)
    ways = {
        "objects": [each.instance_name for each in streamsave.objects(path, where)],
        "fields": [each.instance_name for each in streamsave.objects(path, where, fields)],
        "sizes": [each.instance_name for each in streamsave.objects(path, where, sizes=False)],
        "grep": [line["instance_name"] for line in lines_of("grep", "--json", "", path, *options)],
        "export": [row["instance_name"] for row in rows],
    }
    with streamsave.open(path) as events:
        ways["select"] = [found.instance_name for _, found in events.select(where, fields=fields)]
    with streamsave.open(path) as events:
        if where:
            events.only(where)
        ways["only"] = [event.instance_name for event in events if isinstance(event, ObjectHeader)]
    if where:  # without a selection, `ls` has no states, and values in JSON are as they are built
        ways["ls"] = [line["instance_name"] for line in lines_of("ls", "--json", path, *options)]
        ways["json"] = names_in(json.loads(run("json", path, *options).stdout))
        ways["ndjson"] = names_in(lines_of("json", "--ndjson", path, *options))
    return {way: Counter(names) for way, names in ways.items()}


@pytest.mark.slow
@pytest.mark.parametrize(("where", "fields"), ASKED)
@pytest.mark.parametrize("name", [*SAMPLES, *REAL])
def test_all_ways_give_the_same_objects(any_save, name, where, fields):
    ways = every_way(any_save(name), where, fields)
    assert {way: names.total() for way, names in ways.items() if names != ways["objects"]} == {}


@pytest.mark.parametrize("name", ["satisfactory/sv58.sav", "shapez2/small.spz2"])
def test_tables_have_the_same_objects(name):
    pytest.importorskip("pyarrow")
    pytest.importorskip("duckdb")
    where, fields = "size > 0", ["data", "trailer"]
    # With a field that has others in it, an object comes after them.
    expected = sorted(each.instance_name for each in streamsave.objects(VALID / name, where))
    assert sorted(streamsave.to_arrow(VALID / name, where, fields).read_all()["instance_name"].to_pylist()) == expected
    query = "select instance_name, data, trailer from objects where size > 0"
    assert sorted(line["instance_name"] for line in lines_of("sql", "--json", query, VALID / name)) == expected
    pytest.importorskip("dask")
    from streamsave.dask import objects as dask_objects

    rows = dask_objects([str(VALID / name)], where, fields, kind="bag").objects.compute(scheduler="sync")
    assert sorted(row["instance_name"] for row in rows) == expected


@pytest.mark.slow
def test_a_field_is_the_same_with_and_without_the_objects_in_it(corpus):
    path = corpus / NESTED
    levels = [
        f"worldSaveData.FoliageGridSaveDataMap{rest}" for rest in ("", ".value.ModelMap", ".value.ModelMap.value.InstanceDataMap")
    ]
    every = {(each.level, each.offset): each for each in streamsave.objects(path, fields=["value"], objects_at=NESTED_AT)}
    assert Counter(level for level, _ in every) == {levels[0]: 44, levels[1]: 162, levels[2]: 3669}
    for level in levels:
        found = list(streamsave.objects(path, f'level == "{level}"', ["value"], objects_at=NESTED_AT))
        assert found == [each for each in every.values() if each.level == level]
    alone = streamsave.objects(path, fields=["value"], objects_at=NESTED_AT[:1])
    assert [each.fields for each in alone] == [each.fields for each in every.values() if each.level == levels[0]]


EVERY = sorted(path.relative_to(VALID).as_posix() for path in VALID.glob("*/*"))


@pytest.mark.parametrize(
    ("name", "objects_at"), [*((name, None) for name in EVERY), *slow([*((name, None) for name in REAL), (NESTED, NESTED_AT)])]
)
def test_all_that_is_around_an_object_leads_to_it(any_save, name, objects_at):
    """Nothing has objects in it, though `holds_objects` or `leads_to_objects` has said False."""
    silent: set[str] = set()
    open_nestings: list[tuple[str, bool]] = []
    tag, tag_leads = None, True
    with streamsave.open(any_save(name), objects_at=objects_at) as events:
        for event in events:
            if isinstance(event, PropertyTag):
                tag, tag_leads = event, events._leads_to_objects(event)
                continue
            if isinstance(event, ChunkStart):
                continue
            if isinstance(event, ObjectHeader):
                silent |= {each for each, leads in open_nestings if not leads}
                open_nestings.append((f"{event.kind} {event.class_name}", events.holds_objects(event)))
            elif isinstance(event, StructEnter):
                is_value = tag is not None and tag.value_offset == event.offset
                open_nestings.append(
                    (f"{event.type_name} {event.name}", events._leads_to_objects(event) and (tag_leads or not is_value))
                )
            elif isinstance(event, (StructExit, ObjectEnd)):
                open_nestings.pop()
            tag = None
    assert silent == set()


#: Save, selection. All of them have objects in objects.
DROPPED = (
    ("satisfactory/sv58.sav", 'class_name = "*Foundation*"'),
    ("satisfactory/sv58.sav", "kind = lightweight"),
    ("satisfactory/sv58.sbp", "kind = lightweight"),
    ("gvas/palworld-1.0.sav", "class_name = *Wall*"),
    ("shapez2/checkpoints.spz2", "kind = building and class_name = *Belt*"),
)
DROPPED_OF_REAL = (
    ("pairs/sv52-a.sav", "class_name = *PowerPoleMk1_C"),
    ("pairs/sv52-a.sav", "class_name = *Foundation*"),
    ("satisfactory/v12-ported-sv58-250k.sav", "class_name = *Foundation* or class_name = *ConveyorBelt*"),
    ("gvas/palworld-level-plz-280k.sav", "kind = container"),
)
#: Fields that have a size or a count.
SIZES = frozenset({"body_size", "toc_blob", "data_blob", "object_count", "building_count"})


def contents(path: Path) -> tuple[Counter[tuple[str, bytes]], Counter[str]]:
    """The bytes of all that a save has, but for sizes and counts, under class or name; and how many objects of each class."""
    data: Counter[tuple[str, bytes]] = Counter()
    counts: Counter[str] = Counter()
    with streamsave.open(path) as events:
        for event in events:
            if isinstance(event, ObjectHeader):
                counts[event.class_name] += 1
                if not events.holds_objects(event):
                    data[event.class_name, events.raw()] += 1
            elif isinstance(event, Field) and event.name in SIZES:
                events.skip()
            elif isinstance(event, Field) or (isinstance(event, PropertyTag) and not events._leads_to_objects(event)):
                data[event.name, events.raw()] += 1
            elif isinstance(event, BlobSkip):
                data[event.reason, events.opaque(event).data] += 1
    return data, counts


@pytest.mark.parametrize(("name", "where"), [*DROPPED, *slow(DROPPED_OF_REAL)])
def test_what_is_dropped_is_what_ls_lists(any_save, name, where, tmp_path):
    path, new, edited = any_save(name), tmp_path / "new.sav", tmp_path / "edited.sav"
    listed = Counter(line["class_name"] for line in lines_of("ls", "--json", path, "--where", where))
    with streamsave.rewrite(path, new) as save:
        save.only(where)
        gone = Counter()
        lost: Counter[tuple[str, bytes]] = Counter()
        for event in save:
            if isinstance(event, ObjectHeader):
                assert save.takes(event)
                gone[event.class_name] += 1
                lost[event.class_name, save.raw()] += 1
                save.drop()
    assert gone == listed
    assert gone
    old_data, old_counts = contents(path)
    new_data, new_counts = contents(new)
    assert old_counts - new_counts == gone
    assert new_counts - old_counts == Counter()
    assert old_data - new_data == lost
    assert new_data - old_data == Counter()
    run("edit", path, "--drop", where, "--keep-parts", "--keep-references", "-o", edited)
    assert edited.read_bytes() == new.read_bytes()


def test_what_is_taken_is_what_ls_lists(corpus):
    path, where = corpus / "pairs" / "sv52-a.sav", "class_name = *PowerPoleMk1_C"
    with streamsave.cut(path) as save:
        save.only(where)
        taken = [save.take().event for event in save if isinstance(event, ObjectHeader)]
    assert [event.instance_name for event in taken] == [
        line["instance_name"] for line in lines_of("ls", "--json", path, "--where", where)
    ]
    assert len(taken) == 40


@pytest.mark.slow
def test_an_object_is_built_whole(corpus):
    """With `only`, too, though what is in it does not come as events."""
    path = corpus / NESTED
    for where in (f'level == "{GRIDS.removesuffix("[*]")}"', "kind = *"):
        with streamsave.open(path, objects_at=NESTED_AT) as events:
            events.only(where)
            found = [events.build() for event in events if isinstance(event, ObjectHeader)]
        with streamsave.open(path, objects_at=NESTED_AT) as events:
            assert found == [events.build() for event in events if isinstance(event, ObjectHeader)]
        assert len(found) == 44


def test_depth_counts_what_has_come(corpus):
    """What is around an object that is left out is none of it, but is in the path."""
    with streamsave.open(corpus / NESTED, objects_at=NESTED_AT) as events:
        events.only(f'level == "{NESTED_AT[2].replace("[*]", "")}"')
        depth = 0
        for event in events:
            depth += isinstance(event, (StructEnter, ObjectHeader)) - isinstance(event, (StructExit, ObjectEnd))
            assert events.depth == depth
            if isinstance(event, ObjectHeader):
                assert "InstanceDataMap" in events.path
                assert len(events.path) > depth
    assert depth == 0
