"""Rows as Arrow batches, and as files of them."""

import io

import pytest

from streamsave.consume.selected_object import SelectedObject
from streamsave.errors import TruncatedSave
from streamsave.output.rows import column_names, row_of
from streamsave.values import DateTime, ObjectReference, Vector

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from pyarrow import parquet  # noqa: E402 - not where there is no pyarrow

from streamsave.output import arrow  # noqa: E402
from streamsave.output.arrow import ArrowRows, ArrowTable, learn_schema, record_batches  # noqa: E402

TICKS_2024 = 638_501_637_000_000_000  # 2024-05-01 12:35:00
FIXED = [
    ("file", pa.string()),
    ("class_name", pa.string()),
    ("instance_name", pa.string()),
    ("level", pa.string()),
    ("x", pa.float64()),
    ("y", pa.float64()),
    ("z", pa.float64()),
    ("size", pa.int64()),
    ("offset", pa.int64()),
]


def row(value=None, *, size=10, number=0):
    return row_of("f", SelectedObject("", "C", f"N_{number}", "", (1.0, 2.0, 3.0), size, number, {"v": value}), ["v"])


def rows(*values):
    return [row(value, number=number) for number, value in enumerate(values)]


def batches_of(given, **options):
    return list(record_batches(given, ArrowRows(["v"], **options)))


def test_columns():
    """`test_column_types.py` has each type of `v`."""
    (batch,) = batches_of(rows(1, None))
    assert [(field.name, field.type) for field in batch.schema] == [*FIXED, ("v", pa.int64()), ("misfits", pa.string())]
    assert (batch.column("v").to_pylist(), batch.column("misfits").null_count) == ([1, None], 2)


@pytest.mark.parametrize("count", [1, 7, 8, 9, 64, 100])
@pytest.mark.parametrize(
    "value",
    [True, -5, (1 << 64) - 1, 0.5, "Größe", b"\0\xff", DateTime(TICKS_2024), [1, None], {"a": "x", "b": None, "c": [True]}],
)
def test_nulls_are_where_they_are_in_the_rows(value, count):
    """The first value, and then each third one, is not null."""
    (batch,) = batches_of(rows(*[None if at % 3 else value for at in range(count)]))
    batch.validate(full=True)
    column = batch.column("v")
    assert [at for at, cell in enumerate(column.to_pylist()) if cell is not None] == list(range(0, count, 3))
    assert {repr(cell) for cell in column.to_pylist() if cell is not None} == {repr(column[0].as_py())}
    assert column.null_count == sum(1 for at in range(count) if at % 3)


def test_schema_of_another_table():
    with pytest.raises(ValueError, match=r"the columns of the schema are \['v'\], not \['file', .*'misfits'\]"):
        ArrowRows(["v"], pa.schema([("v", pa.int64())]))
    (batch,) = batches_of(rows(1))
    schema = batch.schema
    strange = schema.set(schema.get_field_index("v"), pa.field("v", pa.int8()))
    with pytest.raises(TypeError, match="column v: built values never have the type int8"):
        ArrowRows(["v"], strange)


def test_rows_are_given_in_batches():
    batches = batches_of(rows(*range(7)), batch_size=3)
    assert [batch.column("v").to_pylist() for batch in batches] == [[0, 1, 2], [3, 4, 5], [6]]
    with pytest.raises(ValueError, match="batch_size has to be at least 1, not 0"):
        ArrowRows([], batch_size=0)


@pytest.mark.parametrize(
    ("count", "sizes"), [(arrow.BATCH_ROWS, [arrow.BATCH_ROWS]), (arrow.BATCH_ROWS + 1, [arrow.BATCH_ROWS, 1])]
)
def test_rows_of_a_batch(count, sizes):
    given = [row(number=number) for number in range(count)]
    assert [batch.num_rows for batch in batches_of(given, schema=learn_schema(given[:1], column_names(["v"])))] == sizes


def test_large_objects_make_small_batches():
    """Of what was built, not more is held than of 8 MiB of a save; an object of unknown size may be as large."""
    half = arrow.BATCH_SIZE // 2
    given = [row(1, size=half), row(2, size=half), row(3, size=-1), row(None, size=half), row(None, size=-1), row(4)]
    assert [batch.num_rows for batch in batches_of(given)] == [2, 1, 3]


def test_the_types_come_from_the_first_batch():
    gathered = ArrowRows(["v"], batch_size=2)
    first, second = record_batches(rows(1, 2, "late", {"a": 5}), gathered)
    assert first.schema == second.schema == gathered.schema()
    assert second.column("v").to_pylist() == [None, None]
    assert second.column("misfits").to_pylist() == ['{"v":"late"}', '{"v":{"a":5}}']


def test_types_from_other_rows():
    schema = learn_schema(iter(rows(None, 1, 0.5)), column_names(["v"]))
    (batch,) = batches_of(rows(3), schema=schema)
    assert batch.column("v").to_pylist() == [3.0]
    assert learn_schema(iter([]), column_names(["v"])) is None


def test_learning_ends_early():
    """After enough values of each field, or at the fault: the rest is not asked for."""
    given = iter(rows(*range(arrow.ENOUGH_VALUES + 10)))
    learn_schema(given, column_names(["v"]))
    assert len(list(given)) == 10

    def broken():
        yield row(1)
        raise TruncatedSave("cut")

    assert learn_schema(broken(), column_names(["v"])).field("v").type == pa.int64()


def test_rows_before_a_fault():
    def broken():
        yield from rows(1, 2, 3)
        raise TruncatedSave("cut")

    batches = record_batches(broken(), ArrowRows(["v"], batch_size=2))
    assert next(batches).num_rows == 2
    assert next(batches).num_rows == 1
    with pytest.raises(TruncatedSave):
        next(batches)


READERS = {
    "arrow": lambda file: pa.ipc.open_file(file).read_all(),
    "arrows": lambda file: pa.ipc.open_stream(file).read_all(),
    "parquet": parquet.read_table,
}
GIVEN = [
    {"place": Vector(1.0, 2.0, 3.0), "at": DateTime(0), "data": b"\0", "map": [("k", 1)]},
    {"place": None, "at": DateTime(TICKS_2024), "owner": ObjectReference("l", "p"), "mixed": 1},
    {"mixed": "x", "many": 1 << 63},
]


@pytest.mark.parametrize("kind", READERS)
def test_file(kind):
    file = io.BytesIO()
    table = ArrowTable(file, kind, ArrowRows(["v"]))
    for each in rows(*GIVEN):
        table.add(each)
    table.close()
    assert not file.closed
    (expected,) = batches_of(rows(*GIVEN))
    read = READERS[kind](io.BytesIO(file.getvalue()))
    assert read.schema == expected.schema
    assert read.to_pylist() == expected.to_pylist()


@pytest.mark.parametrize("kind", READERS)
def test_file_without_rows(kind):
    file = io.BytesIO()
    ArrowTable(file, kind, ArrowRows(["v"])).close()
    read = READERS[kind](io.BytesIO(file.getvalue()))
    assert (read.num_rows, read.schema.names) == (0, [*column_names(["v"]), "misfits"])


def test_batches_are_joined_into_row_groups(monkeypatch):
    monkeypatch.setattr(arrow, "ROW_GROUP_SIZE", 2000)
    file = io.BytesIO()
    table = ArrowTable(file, "parquet", ArrowRows(["v"], batch_size=10))
    for each in rows(*range(100)):
        table.add(each)
    table.close()
    about = parquet.ParquetFile(io.BytesIO(file.getvalue())).metadata
    groups = [about.row_group(number).num_rows for number in range(about.num_row_groups)]
    assert sum(groups) == 100
    assert 10 < groups[0] < 100
