"""Objects of many saves through Dask, on two worker processes."""

import os
from pathlib import Path

import pytest
from cli_runs import SAMPLES
from saves import VALID
from served import Served, serving

import streamsave
from streamsave import SelectError

dask = pytest.importorskip("dask", reason="dask is not installed")
distributed = pytest.importorskip("distributed", reason="dask's distributed is not installed")

import streamsave.dask  # noqa: E402 - not where there is no dask
from streamsave.dask import MOST_LOOKED_THROUGH, objects  # noqa: E402

SAVES = [str(path) for path in SAMPLES]
SPAWNERS = "class_name = *CreatureSpawner*"
FIELDS = ["mSpawnData", "mSpawnData[0].NumTimesKilled"]


@pytest.fixture(scope="module")
def workers():
    """Two processes that compute all that is asked for."""
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def broken(tmp_path):
    """A save that is cut, and one that is not there."""
    cut = tmp_path / "cut.sav"
    cut.write_bytes(SAMPLES[0].read_bytes()[:-100])
    return [str(cut), str(tmp_path / "missing.sav")]


def records_of(found, **options):
    """What was found, and the errors, as rows."""
    return [part if isinstance(part, list) else part.to_dict("records") for part in dask.compute(*found, **options)]


@pytest.mark.slow
@pytest.mark.usefixtures("workers")
def test_frame():
    found = objects(SAVES, SPAWNERS, FIELDS)
    assert found.objects.npartitions == len(SAVES)
    frame, errors = dask.compute(found.objects, found.errors)
    expected = streamsave.to_arrow(SAVES, SPAWNERS, FIELDS).read_all()
    assert frame.to_dict("records") == expected.to_pandas(types_mapper=streamsave.dask.pd.ArrowDtype).to_dict("records")
    assert len(errors) == 0
    killed = found.objects.groupby("file")["mSpawnData[0].NumTimesKilled"].sum().compute()
    assert killed.to_dict() == dict(zip(SAVES, (15, 28, 28), strict=True))


@pytest.mark.usefixtures("workers")
@pytest.mark.parametrize("of", [str, Path])
def test_one_text_or_path_is_one(of):
    found = objects(of(SAVES[0]), SPAWNERS, "mSpawnData", kind="bag")
    assert found.objects.compute() == objects(SAVES[:1], SPAWNERS, ["mSpawnData"], kind="bag").objects.compute() != []


@pytest.mark.usefixtures("workers")
def test_bag():
    found = objects(SAVES, SPAWNERS, FIELDS, kind="bag")
    assert found.objects.npartitions == len(SAVES)
    rows, errors = dask.compute(found.objects, found.errors)
    expected = [(path, each) for path in SAVES for each in streamsave.objects(path, SPAWNERS, FIELDS)]
    assert [(row["file"], row["instance_name"], row["mSpawnData"]) for row in rows] == [
        (path, each.instance_name, each.fields["mSpawnData"]) for path, each in expected
    ]
    assert errors == []


@pytest.mark.usefixtures("workers")
@pytest.mark.parametrize("kind", ["dataframe", "bag"])
def test_a_damaged_save_costs_only_itself(broken, kind):
    cut, missing = broken
    rows, errors = records_of(objects([cut, *SAVES, missing], SPAWNERS, FIELDS, kind=kind))
    assert {row["file"] for row in rows} >= set(SAVES)
    assert [error.pop("message").partition(": ")[2] != "" for error in errors] == [True, True]
    with pytest.raises(streamsave.TruncatedSave) as fault:
        list(streamsave.objects(cut, SPAWNERS, FIELDS))
    assert errors == [
        {"file": cut, "error": "TruncatedSave", "offset": fault.value.offset},
        {"file": missing, "error": "FileNotFoundError", "offset": None},
    ]


@pytest.mark.parametrize("kind", ["dataframe", "bag"])
def test_what_becomes_of_damage(kind):
    """The objects that `streamsave.objects` gives; a row in the errors only for what is skipped."""
    damaged = str(VALID.parent / "howto" / "damaged.sav")
    counts = {}
    for on_damage, faults in (("skip", 1), ("resync", 0)):
        found = objects(damaged, None, ["mInventoryStacks"], kind=kind, on_damage=on_damage)
        rows, errors = dask.compute(found.objects, found.errors, scheduler="sync")
        expected = list(streamsave.objects(damaged, None, ["mInventoryStacks"], on_damage=on_damage))
        assert (len(rows), len(errors)) == (len(expected), faults)
        counts[on_damage] = len(rows)
    assert counts["skip"] < counts["resync"]
    found = objects(damaged, None, ["mInventoryStacks"], kind=kind, on_damage="raise")
    with pytest.raises(streamsave.DamagedSave):
        found.objects.compute(scheduler="sync")
    with pytest.raises(ValueError, match="on_damage is"):
        objects(damaged, kind=kind, on_damage="ignore")


@pytest.mark.parametrize("kind", ["dataframe", "bag"])
def test_a_server_that_hangs_up_costs_only_its_save(kind):
    pytest.importorskip("aiohttp", reason="needs the extra `remote`")
    data = SAMPLES[0].read_bytes()
    with serving(Served({"x.sav": data}, cut_at=len(data) // 2)) as server:
        found = objects([f"{server.url}x.sav", SAVES[0]], SPAWNERS, FIELDS, kind=kind)
        rows, errors = records_of(found, scheduler="sync")
    assert {row["file"] for row in rows} == {SAVES[0]}
    assert [(error["file"], error["error"]) for error in errors] == [(f"{server.url}x.sav", "OSError")]


def test_files_in_memory(memory):
    """A store that only this process sees."""
    for path in SAMPLES:
        memory.pipe(f"/worlds/{path.name}", path.read_bytes())
    found = objects([f"memory://worlds/{path.name}" for path in SAMPLES], SPAWNERS, FIELDS, saves_per_partition=2)
    rows, errors = dask.compute(found.objects, found.errors, scheduler="sync")
    expected = streamsave.to_arrow(SAVES, SPAWNERS, FIELDS).read_all()
    assert rows["instance_name"].tolist() == expected["instance_name"].to_pylist()
    assert len(errors) == 0


@pytest.mark.slow
@pytest.mark.usefixtures("workers")
def test_all_partitions_have_the_same_types(broken):
    """Also those without rows, and of a save that has no such field."""
    paths = [*broken, SAVES[0], str(SAMPLES[0].parent / "sv25.sav")]
    found = objects(paths, SPAWNERS, FIELDS)
    for collection in found:
        types = [part.compute().dtypes.to_dict() for part in collection.partitions]
        assert types == [collection.dtypes.to_dict()] * len(paths)
    assert str(found.objects.dtypes["mSpawnData[0].NumTimesKilled"]) == "int64[pyarrow]"


def test_it_is_the_workers_that_read(workers):
    pids = set(objects(SAVES, SPAWNERS, kind="bag").objects.map(lambda _: os.getpid()).compute())
    assert pids <= set(workers.run(os.getpid).values())
    assert os.getpid() not in pids


def test_each_save_is_read_once_for_both_tables(monkeypatch):
    schema = streamsave.to_arrow(SAVES[0], SPAWNERS, FIELDS).schema
    read = []
    rows = streamsave.dask.save_rows

    def counted(url, *args, **options):
        yield from rows(url, *args, **options)
        read.append(url)

    monkeypatch.setattr(streamsave.dask, "save_rows", counted)
    found = objects(SAVES, SPAWNERS, FIELDS, schema=schema)
    dask.compute(found.objects, found.errors, scheduler="sync")
    assert sorted(read) == SAVES


def test_nothing_is_read_before_it_is_computed():
    schema = streamsave.to_arrow(SAVES[0], SPAWNERS, FIELDS).schema
    for found in (objects(["missing.sav"], SPAWNERS, FIELDS, schema=schema), objects(["missing.sav"], SPAWNERS, kind="bag")):
        assert len(found.errors.compute(scheduler="sync")) == 1


def test_a_save_that_takes_no_type_hints_costs_only_itself():
    gvas = str(VALID / "gvas" / "ue5-1012.sav")
    found = objects([gvas, SAVES[0]], None, type_hints={"ByVector.Value": "Vector"})
    rows, errors = dask.compute(found.objects, found.errors, scheduler="sync")
    assert set(rows["file"]) == {gvas}
    assert errors[["file", "error"]].to_dict("records") == [{"file": SAVES[0], "error": "UnsupportedOption"}]


@pytest.mark.parametrize(
    ("without", "kind"), [(MOST_LOOKED_THROUGH - 1, "int64[pyarrow]"), (MOST_LOOKED_THROUGH, "string[pyarrow]")]
)
def test_types_come_from_the_first_saves(without, kind):
    """The tenth save is still read to find the types, the eleventh is not: its values become JSON text."""
    empty = str(VALID / "gvas" / "empty.sav")
    found = objects([empty] * without + [SAVES[0]], SPAWNERS, ["mSpawnData[0].NumTimesKilled"])
    assert str(found.objects.dtypes["mSpawnData[0].NumTimesKilled"]) == kind


def test_what_cannot_be_understood():
    for kind in ("dataframe", "bag"):
        with pytest.raises(SelectError):
            objects(SAVES, "class_name =", kind=kind)
        with pytest.raises(ValueError, match="at least one URL"):
            objects([], kind=kind)
    with pytest.raises(ValueError, match="kind is 'dataframe' or 'bag', not 'bags'"):
        objects(SAVES, kind="bags")
    with pytest.raises(ValueError, match="the columns of the schema"):
        objects(SAVES, None, ["mOther"], schema=streamsave.to_arrow(SAVES[0], SPAWNERS, FIELDS).schema)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["dataframe", "bag"])
def test_with_header(kind):
    rows, _ = records_of(objects(SAVES, SPAWNERS, FIELDS, kind=kind, with_header=True))
    expected = streamsave.to_arrow(SAVES, SPAWNERS, FIELDS, with_header=True).read_all().to_pylist()
    assert [(row["session"], row["play_time"]) for row in rows] == [(row["session"], row["play_time"]) for row in expected]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["dataframe", "bag"])
def test_several_saves_a_partition(kind, broken):
    each = [SAVES[0], *broken, *SAVES[1:]]
    found = objects(each, SPAWNERS, FIELDS, kind=kind, saves_per_partition=2)
    assert found.objects.npartitions == found.errors.npartitions == (len(each) + 1) // 2
    one = objects(each, SPAWNERS, FIELDS, kind=kind)
    assert [len(part) for part in dask.compute(*found)] == [len(part) for part in dask.compute(*one)]
    with pytest.raises(ValueError, match="saves_per_partition is at least 1"):
        objects(SAVES, saves_per_partition=0)
