"""`streamsave.to_arrow`: real objects as a table, for pyarrow, DuckDB, pandas and Polars."""

import gc
import warnings
from base64 import b64encode
from datetime import datetime

import orjson
import pytest
import structlog
from cli_runs import SAMPLES, python, thing, write
from damage_satisfactory import broken_list
from saves import SATISFACTORY, VALID, read, start_of
from writer.tags import INT, Prop

import streamsave
from streamsave import PropertyTag, SelectError
from streamsave.decode.json_values import to_jsonable
from streamsave.errors import UnsupportedOption
from streamsave.output.to_arrow import save_rows

SAVES = [str(path) for path in SAMPLES]
SPAWNERS = "class_name = *CreatureSpawner*"
FIELDS = ["mSpawnData", "mSpawnData[0].NumTimesKilled"]


@pytest.fixture(autouse=True)
def _arrow(request):
    if request.node.name != "test_without_pyarrow":
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")


@pytest.mark.slow
def test_without_pyarrow():
    """The name is there, and says what it needs."""
    done = python("import sys; sys.modules['pyarrow'] = None; from streamsave import *; to_arrow(b'')")
    assert done.stderr.splitlines()[-1] == (
        'ModuleNotFoundError: Arrow and Parquet need the extra `arrow`: pip install "streamsave[arrow]"'
    )


def cell_value(cell):
    """Return a cell as `to_jsonable` writes it: without members that are `None`, and with pairs for the entries of maps."""
    if isinstance(cell, dict):
        if cell.keys() == {"key", "value"}:
            return [cell_value(cell["key"]), cell_value(cell["value"])]
        if cell.keys() == {"data", "reason"}:
            return {"base64": b64encode(cell["data"]).decode(), "reason": cell["reason"]}
        return {name: cell_value(item) for name, item in cell.items() if item is not None}
    if isinstance(cell, list):
        return [cell_value(item) for item in cell]
    if isinstance(cell, bytes):
        return {"base64": b64encode(cell).decode()}
    if isinstance(cell, datetime):
        return to_jsonable(cell.isoformat())
    return to_jsonable(cell)


def unpacked(cell, field):
    """A cell of a column of JSON text as what the text says; in structs and lists, too."""
    if cell is None:
        return None
    if field.metadata == {b"content": b"json"}:
        return orjson.loads(cell)
    if isinstance(cell, dict):
        return {member.name: unpacked(cell[member.name], member) for member in field.type}
    if isinstance(cell, list):
        return [unpacked(item, field.type.value_field) for item in cell]
    return cell


def without_nulls(value):
    if isinstance(value, dict):
        return {name: without_nulls(item) for name, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


FULL = [
    SATISFACTORY / "sv46.sav",
    SATISFACTORY / "sv58.sav",
    VALID / "gvas" / "ue5-1012.sav",
    VALID / "gvas" / "custom-enums.sav",
    VALID / "astroneer" / "full.savegame",
]


@pytest.mark.slow
@pytest.mark.parametrize("path", FULL, ids=lambda path: path.name)
def test_nothing_is_lost(path):
    """All properties of all objects: each value is in the table, and of the type that the game gave it where all have one."""
    names = {event.name for event in read(path) if isinstance(event, PropertyTag)}
    fields = sorted(name for name in names if name.isidentifier())
    table = streamsave.to_arrow(path, None, fields, batch_size=5)
    rows = [(batch.schema, row) for batch in table for row in batch.to_pylist()]
    count = 0
    for (schema, row), found in zip(rows, streamsave.objects(path, None, fields), strict=True):
        assert row["misfits"] is None
        for name, column in zip(fields, list(schema)[9:], strict=False):
            expected = without_nulls(to_jsonable(found.fields.get(name)))
            assert without_nulls(cell_value(unpacked(row[column.name], column))) == expected, name
            count += expected is not None
    assert count > 1


@pytest.mark.parametrize("kind", ["bytes", "file", "iterable"])
def test_sources(kind):
    data = SAMPLES[0].read_bytes()
    with SAMPLES[0].open("rb") as file:
        source = {"bytes": data, "file": file, "iterable": iter([data])}[kind]
        table = streamsave.to_arrow(source, SPAWNERS, FIELDS).read_all()
    expected = streamsave.to_arrow(SAVES[0], SPAWNERS, FIELDS).read_all()
    assert table.drop_columns("file").equals(expected.drop_columns("file"))
    names = {"bytes": f"<{len(data)} bytes>", "file": SAVES[0], "iterable": "<list_iterator>"}
    assert set(table["file"].to_pylist()) == {names[kind]}


def test_types_come_from_the_first_save_with_rows(tmp_path):
    table = streamsave.to_arrow([VALID / "gvas" / "empty.sav", tmp_path / "missing.sav", SAMPLES[0]], SPAWNERS, FIELDS)
    assert str(table.schema.field("mSpawnData[0].NumTimesKilled").type) == "int64"
    with pytest.raises(FileNotFoundError):
        table.read_all()


def test_lists_without_elements_have_a_type(real_save):
    """It is that of a list: also where no element of any object has the field."""
    slots = "CharacterSaveData.Inventory_8_758B207A48BE5E12B0022C91938F32BD[*]"
    field = f"{slots}.ChangeableData_12_2B90E1F74F648135579D39A49F5A2313.GameplayTags_45_1A018E824E25CC7BA608A6B2835209A1[*].x"
    table = streamsave.to_arrow(real_save("gvas/abiotic-player-ue544.sav"), None, [field])
    assert str(table.schema.field(field).type) == "list<item: string>"


def test_with_a_schema_nothing_is_read_before_it_is_asked_for():
    schema = streamsave.to_arrow(SAVES[0], SPAWNERS, FIELDS).schema
    table = streamsave.to_arrow("missing.sav", SPAWNERS, FIELDS, schema=schema)
    assert table.schema == schema
    with pytest.raises(FileNotFoundError):
        table.read_next_batch()


@pytest.mark.parametrize(
    ("args", "error"),
    [
        (("missing.sav",), FileNotFoundError),
        ((b"no save at all, of no format",), streamsave.SaveError),
        ((SAVES, "class_name ="), SelectError),
        ((SAVES, None, ["mSpawnData["]), SelectError),
    ],
)
def test_what_is_refused_at_once(args, error):
    with pytest.raises(error):
        streamsave.to_arrow(*args)


def test_options_that_a_format_does_not_take():
    """The rows of the saves before come first."""
    table = streamsave.to_arrow([VALID / "gvas" / "ue5-1012.sav", SAVES[0]], type_hints={"ByVector.Value": "Vector"})
    assert table.read_next_batch().num_rows == 1
    with pytest.raises(UnsupportedOption):
        table.read_next_batch()
    with pytest.raises(UnsupportedOption):
        streamsave.to_arrow(SAVES[0], type_hints={"ByVector.Value": "Vector"})


def killed():
    return streamsave.to_arrow(SAVES, SPAWNERS, FIELDS)


@pytest.mark.slow
def test_duckdb():
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    table = killed()
    with duckdb.connect() as connection:
        connection.register("spawners", table)
        query = "SELECT file, count(*), sum(mSpawnData[1].NumTimesKilled) FROM spawners GROUP BY file ORDER BY file"
        assert connection.sql(query).fetchall() == [(SAVES[0], 5, 15), (SAVES[1], 7, 28), (SAVES[2], 7, 28)]


@pytest.mark.slow
def test_polars():
    polars = pytest.importorskip("polars", reason="polars is not installed")
    frame = polars.from_arrow(killed())
    assert frame.schema["mSpawnData[0].NumTimesKilled"] == polars.Int64
    assert frame.group_by("file").len().sort("file")["len"].to_list() == [5, 7, 7]


def test_pandas():
    pytest.importorskip("pandas", reason="pandas is not installed")
    assert killed().read_pandas().groupby("file")["mSpawnData[0].NumTimesKilled"].sum().tolist() == [15, 28, 28]


def test_with_header():
    table = streamsave.to_arrow(SAVES, SPAWNERS, ["mSpawnData"], with_header=True).read_all()
    types = {name: str(table.schema.field(name).type) for name in table.column_names[9:13]}
    assert types == {"session": "string", "saved": "timestamp[us]", "play_time": "double", "save_name": "string"}
    assert [*types] == ["session", "saved", "play_time", "save_name"]
    assert table["misfits"].null_count == table.num_rows
    plain = streamsave.to_arrow(SAVES, SPAWNERS, ["mSpawnData"]).read_all()
    assert table.select(plain.column_names) == plain
    for row in table.to_pylist():
        header = start_of(row["file"]).header
        said = (header.session_name, header.play_duration, header.save_name)
        assert (row["session"], row["play_time"], row["save_name"]) == said
        assert row["saved"] == header.save_date_time.to_datetime().replace(microsecond=row["saved"].microsecond)


def test_a_save_that_is_skipped():
    whole = SAMPLES[1].read_bytes()
    expected = streamsave.to_arrow([SAVES[0], SAVES[2]]).read_all().num_rows
    for damaged in (whole[:-500], b"no save, but longer than a header is", "/no/such/file.sav"):
        table = streamsave.to_arrow([SAVES[0], damaged, SAVES[2]], on_damage="skip")
        with structlog.testing.capture_logs() as logs:
            rows = table.read_all()
        assert [each["event"] for each in logs if each["log_level"] == "warning"] == ["save is not read to its end"]
        assert rows.num_rows >= expected
        assert set(rows["file"].to_pylist()) >= {SAVES[0], SAVES[2]}
    with pytest.raises(streamsave.SaveError) as caught:
        streamsave.to_arrow([SAVES[0], whole[:-500]]).read_all()
    assert caught.value.__notes__ == [f"in <{len(whole) - 500} bytes>"]
    damaged = VALID.parent / "howto" / "damaged.sav"
    table = streamsave.to_arrow(damaged, None, ["mInventoryStacks"], on_damage="resync").read_all()
    found = list(streamsave.objects(damaged, None, ["mInventoryStacks"], on_damage="resync"))
    assert table["instance_name"].to_pylist() == [each.instance_name for each in found]
    with pytest.raises(ValueError, match="on_damage is 'raise', 'resync', 'skip'"):
        streamsave.to_arrow(SAVES, on_damage="ignore")


def test_types_are_those_of_objects_after_damage(tmp_path):
    count = Prop("mCount", INT, 5)
    save = write(tmp_path, "a.sav", thing("First"), thing("Second", count), thing("Third", count))
    damaged, _ = broken_list(save.read_bytes(), 0)
    table = streamsave.to_arrow(damaged, None, ["mCount"], on_damage="resync").read_all()
    assert table["mCount"].to_pylist() == [None, None, 5]


# --- the rows of one save, which is opened for them ---

SAVE = SAMPLES[-1]


def test_a_fault_in_the_selection_is_raised_before_anything_is_read():
    with pytest.raises(SelectError):
        save_rows("no such file", "class_name =", [])


@pytest.mark.slow
@pytest.mark.parametrize("ends", ["closed", "dropped", "a table is dropped"])
def test_half_read_it_closes_the_save(ends):
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", ResourceWarning)
        if ends == "a table is dropped":
            rows = streamsave.to_arrow([SAVE, SAVE], batch_size=1)
            rows.read_next_batch()
        else:
            rows = save_rows(SAVE, None, [])
            next(rows)
        if ends == "closed":
            rows.close()
        del rows
        gc.collect()
    assert [str(warning.message) for warning in warned] == []
