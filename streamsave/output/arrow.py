"""Rows -> Arrow record batches of one schema, and files of them: Arrow, Parquet. Needs the extra `arrow`.

| type of a column | in Arrow |
|---|---|
| `BOOL`, `INT64`, `UINT64` | bool, int64, uint64 |
| `FLOAT`, `TEXT`, `BYTES` | double, string, binary |
| `MOMENT` | timestamp[us] without zone |
| `JSON` | string; its field has the metadata `content: json` |
| `ListOf`, `StructOf` | list, struct |

`column_types` says which values have which type, and where values go that do not conform. Memory holds the columns of one batch:
at most `batch_size` rows, and about 8 MiB of objects whose fields were built; of Parquet, those of one row group.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias

from streamsave.errors import SaveError, UnsupportedOption
from streamsave.output.column_builders import Cells, ColumnBuilder, Lists, RowColumns, Structs
from streamsave.output.column_types import NONCONFORMING, Column, ColumnType, ListOf, Plain, Sample, StructOf
from streamsave.output.rows import FIXED_COLUMNS, HEADER_COLUMNS, Row, column_names, fixed_columns, save_errors

if TYPE_CHECKING:
    from typing import BinaryIO

try:
    import pyarrow as pa
except ModuleNotFoundError as missing:
    message = "Arrow and Parquet need the extra `arrow`: pip install 'streamsave[arrow]'"
    raise ModuleNotFoundError(message, name=missing.name) from None

__all__ = ["ArrowFormat", "ArrowRows", "ArrowTable", "batch_reader", "learn_schema", "record_batches"]

#: An IPC file, an IPC stream, or Parquet.
ArrowFormat: TypeAlias = Literal["arrow", "arrows", "parquet"]

#: Rows of one batch, if the caller does not say.
BATCH_ROWS: Final = 16_384
#: Bytes of object data that make a batch: the values built from them take a few times as much memory.
BATCH_SIZE: Final = 8 * 1024 * 1024
#: Bytes of record batches that make a row group of Parquet. Writing one takes three times as much memory.
ROW_GROUP_SIZE: Final = 4 * 1024 * 1024
#: Values of a field that are enough to find its type.
ENOUGH_VALUES: Final = 4096

NO_ROW: Final = (None,)
SIZE: Final = [column.name for column in FIXED_COLUMNS].index("size")

PLAIN: Final = {
    Plain.BOOL: pa.bool_(),
    Plain.INT64: pa.int64(),
    Plain.UINT64: pa.uint64(),
    Plain.FLOAT: pa.float64(),
    Plain.TEXT: pa.string(),
    Plain.BYTES: pa.binary(),
    Plain.MOMENT: pa.timestamp("us"),
    Plain.JSON: pa.string(),
}
JSON_METADATA: Final = {b"content": b"json"}
#: Numbers -> their code in `array`.
TYPE_CODES: Final = {pa.int64(): "q", pa.uint64(): "Q", pa.float64(): "d"}
EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - the save states no zone
MICROSECOND: Final = timedelta(microseconds=1)


# --- columns <-> schema ---


def arrow_field(name: str, column_type: ColumnType) -> pa.Field:
    """Return the Arrow field of a column."""
    if isinstance(column_type, ListOf):
        return pa.field(name, pa.list_(arrow_field("item", column_type.item)))
    if isinstance(column_type, StructOf):
        return pa.field(name, pa.struct([arrow_field(*member) for member in column_type.members.items()]))
    return pa.field(name, PLAIN[column_type], metadata=JSON_METADATA if column_type is Plain.JSON else None)


def column_type_of(field: pa.Field) -> ColumnType:
    """Return the column type that `arrow_field` made a field from.

    Raises:
        TypeError: `arrow_field` makes no such field.
    """
    kind = field.type
    if field.metadata == JSON_METADATA and kind == pa.string():
        return Plain.JSON
    if pa.types.is_list(kind):
        return ListOf(column_type_of(kind.value_field))
    if pa.types.is_struct(kind):
        return StructOf({member.name: column_type_of(member) for member in kind})
    for plain, arrow_type in PLAIN.items():
        if kind == arrow_type:
            return plain
    raise TypeError(f"column {field.name}: built values never have the type {kind}")


def columns_of(schema: pa.Schema, names: Sequence[str]) -> list[Column]:
    """Return the columns that a schema describes, without the last one: `misfits`.

    Raises:
        ValueError: the schema has other columns than these names and `misfits`.
        TypeError: a column has a type that built values never have.
    """
    if schema.names != [*names, NONCONFORMING]:
        raise ValueError(f"the columns of the schema are {schema.names}, not {[*names, NONCONFORMING]}")
    return [Column(field.name, column_type_of(field)) for field in schema][:-1]


def has_header(names: Sequence[str]) -> bool:
    """Return whether columns are those of a table with the headers of the saves. A field never has such a name there."""
    at = len(FIXED_COLUMNS)
    return list(names[at : at + len(HEADER_COLUMNS)]) == [column.name for column in HEADER_COLUMNS]


def learn_schema(rows: Iterable[Row], names: Sequence[str]) -> pa.Schema | None:
    """Return the schema that rows need, or None if there is no row. No row is kept.

    Rows are taken until each field has had enough values. An error of the save ends the search, but is not raised: reading the
    rows raises it again.
    """
    columns = fixed_columns(with_header=has_header(names))
    fixed = len(columns)
    samples = {index: Sample() for index in range(fixed, len(names))}
    wanted = dict.fromkeys(samples, ENOUGH_VALUES)
    no_fields = (None,) * len(samples)
    row: Row | None = None
    try:
        for row in rows:
            if samples and row[fixed:] == no_fields:
                continue
            for index, sample in samples.items():
                if row[index] is not None:
                    sample.see(row[index])
                    wanted[index] -= 1
            if max(wanted.values(), default=0) <= 0:
                break
    except save_errors():
        pass
    if row is None:
        return None
    columns = (*columns, *(Column(names[index], sample.column_type()) for index, sample in samples.items()))
    return pa.schema([*(arrow_field(column.name, column.type) for column in columns), arrow_field(NONCONFORMING, Plain.JSON)])


# --- rows -> batches ---


class ArrowRows:
    """Collects rows, and makes record batches from them.

    Args:
        fields: the fields of the rows, as for `column_names`.
        schema: the schema of all batches; None: find it from the rows.
        batch_size: most rows of a batch.
        with_header: the rows have `HEADER_COLUMNS`, too.

    Raises:
        ValueError: `schema` has other columns, or `batch_size` is less than 1.
        TypeError: `schema` has a column of a type that built values never have.
    """

    def __init__(
        self,
        fields: Iterable[str],
        schema: pa.Schema | None = None,
        batch_size: int | None = None,
        *,
        with_header: bool = False,
    ) -> None:
        self._names = column_names(fields, with_header=with_header)
        #: How many columns are before those of the fields.
        self._fixed = len(fixed_columns(with_header=with_header))
        self._schema = schema
        self._batch_size = BATCH_ROWS if batch_size is None else batch_size
        #: The rows that came before the types of the columns were known.
        self._rows: list[Row] = []
        #: The columns of the batch so far; None before its first row.
        self._columns: RowColumns | None = None
        #: How many rows the batch has, and how many bytes the objects whose fields were built.
        self._count = 0
        self._size = 0
        self._no_fields = (None,) * (len(self._names) - self._fixed)
        if self._batch_size < 1:
            raise ValueError(f"batch_size has to be at least 1, not {batch_size}")
        if schema is not None:
            columns_of(schema, self._names)

    def learn(self, rows: Iterable[Row]) -> bool:
        """Find the types of columns from these rows, unless they are known; return whether they are known now.

        No row is kept.
        """
        if self._schema is None:
            self._schema = learn_schema(rows, self._names)
        return self._schema is not None

    def schema(self) -> pa.Schema:
        """Return the schema of all batches; if it is not known yet, it is found from the rows so far."""
        if not self.learn(self._rows):
            self.learn([NO_ROW * len(self._names)])
        return self._schema

    def add(self, row: Row) -> bool:
        """Add one more row; return whether it is time to `take` the batch."""
        if self._columns is not None:
            self._columns.add(row)
        elif self._schema is None:
            self._rows.append(row)
        else:
            self._start().add(row)
        self._count += 1
        if row[self._fixed :] != self._no_fields:
            size = row[SIZE]
            self._size += size if isinstance(size, int) else BATCH_SIZE
        return self._count >= self._batch_size or self._size >= BATCH_SIZE

    def _start(self) -> RowColumns:
        """Begin the columns of a batch; the rows that came before their types were known are the first."""
        columns = RowColumns(columns_of(self.schema(), self._names))
        for row in self._rows:
            columns.add(row)
        self._rows = []
        self._columns = columns
        return columns

    def take(self) -> pa.RecordBatch:
        """Return the rows since the last call as a batch."""
        columns = self._columns or self._start()
        self._columns = None
        self._count = self._size = 0
        schema = self.schema()
        arrays = [arrow_array(builder, field.type) for builder, field in zip(columns.builders, schema, strict=False)]
        return pa.RecordBatch.from_arrays([*arrays, plain_array(columns.nonconforming, pa.string())], schema=schema)


# Arrays are made from their buffers: `pyarrow.array` asks pandas about each list, if it is installed; to import it takes 80 MB
# and a third of a second.


def arrow_array(builder: ColumnBuilder, arrow_type: pa.DataType) -> pa.Array:
    """Return the values of a column as Arrow has them."""
    if isinstance(builder, Lists):
        items = arrow_array(builder.item, arrow_type.value_type)
        buffers = [validity(builder.is_null), pa.py_buffer(array("i", [0, *builder.ends]))]
        return pa.Array.from_buffers(arrow_type, builder.count(), buffers, children=[items])
    if isinstance(builder, Structs):
        members = [arrow_array(member, field.type) for member, field in zip(builder.members.values(), arrow_type, strict=True)]
        return pa.Array.from_buffers(arrow_type, builder.count(), [validity(builder.is_null)], children=members)
    assert isinstance(builder, Cells)  # noqa: S101 - there are no others
    return plain_array(builder.cells, arrow_type)


def plain_array(cells: Sequence[Any], arrow_type: pa.DataType) -> pa.Array:
    """Return values of a type that contains no other types as Arrow has them."""
    if cells.count(None) == len(cells):
        return pa.nulls(len(cells), arrow_type)
    buffers = [validity([cell is None for cell in cells])]
    if arrow_type in TYPE_CODES:
        buffers.append(pa.py_buffer(array(TYPE_CODES[arrow_type], [cell or 0 for cell in cells])))
    elif arrow_type == pa.bool_():
        buffers.append(bitmap(cells))
    elif arrow_type == pa.timestamp("us"):
        ticks = [0 if cell is None else (cell - EPOCH) // MICROSECOND for cell in cells]
        buffers.append(pa.py_buffer(array("q", ticks)))
    elif arrow_type == pa.string():
        texts = [cell or "" for cell in cells]
        whole = "".join(texts)
        sizes = map(len, texts) if whole.isascii() else [len(text.encode()) for text in texts]
        buffers += [pa.py_buffer(array("i", accumulate(sizes, initial=0))), pa.py_buffer(whole.encode())]
    else:
        pieces = [cell or b"" for cell in cells]
        buffers.append(pa.py_buffer(array("i", accumulate(map(len, pieces), initial=0))))
        buffers.append(pa.py_buffer(b"".join(pieces)))
    return pa.Array.from_buffers(arrow_type, len(cells), buffers)


def validity(is_null: Sequence[bool]) -> pa.Buffer | None:
    """Return the bits that say which values are not null; None if none is null."""
    return bitmap([not null for null in is_null]) if True in is_null else None


def bitmap(flags: Sequence[bool | None]) -> pa.Buffer:
    """Return a bit for each flag, the lowest bit of each byte first."""
    digits = "".join(["1" if flag else "0" for flag in reversed(flags)])
    return pa.py_buffer(int(digits or "0", 2).to_bytes((len(flags) + 7) // 8, "little"))


def record_batches(rows: Iterable[Row], collected: ArrowRows) -> Iterator[pa.RecordBatch]:
    """Yield all rows in batches.

    Raises:
        SaveError, OSError, UnsupportedOption: a save cannot be read to its end; after the rows before that.
    """
    fault: SaveError | OSError | UnsupportedOption | None = None
    try:
        for row in rows:
            if collected.add(row):
                yield collected.take()
    except (SaveError, OSError, UnsupportedOption) as error:
        fault = error
    last = collected.take()
    if last.num_rows:
        yield last
    if fault is not None:
        raise fault


def batch_reader(rows: Iterable[Row], collected: ArrowRows) -> pa.RecordBatchReader:
    """Return a reader of all rows in batches, which other libraries take. If no types are known, the first batch is made at once.

    Raises:
        SaveError, OSError: a save cannot be read, and the first batch needs it; else the reader raises them.
    """
    batches = record_batches(rows, collected)
    if not collected.learn([]):
        first = next(batches, None)
        batches = batches if first is None else chain([first], batches)
    return pa.RecordBatchReader.from_batches(collected.schema(), batches)


# --- batches -> files ---


class ArrowTable:
    """Writes rows as Parquet (compressed with zstd), or as an Arrow file or stream."""

    def __init__(self, file: BinaryIO, kind: ArrowFormat, collected: ArrowRows) -> None:
        self._file = file
        self._kind = kind
        self._collected = collected
        self._writer: BatchWriter | None = None

    def add(self, row: Row) -> None:
        """Add one more row."""
        if self._collected.add(row):
            self._write()

    def close(self) -> None:
        """Write all that is not written yet; the file stays open."""
        self._write().close()

    def _write(self) -> BatchWriter:
        batch = self._collected.take()
        if self._writer is None:
            make = {"arrow": pa.ipc.new_file, "arrows": pa.ipc.new_stream, "parquet": ParquetGroups}[self._kind]
            self._writer = make(self._file, batch.schema)
        self._writer.write_batch(batch)
        return self._writer


class BatchWriter(Protocol):
    """Writes batches into a file."""

    def write_batch(self, batch: pa.RecordBatch) -> None:
        """Write one more batch."""
        ...

    def close(self) -> None:
        """Write the end of the table."""
        ...


class ParquetGroups:
    """Writes several batches as one row group: a group for each batch would be small."""

    def __init__(self, file: BinaryIO, schema: pa.Schema) -> None:
        import pyarrow.parquet as pq  # noqa: PLC0415 - other files do not need it

        self._writer = pq.ParquetWriter(file, schema, compression="zstd")
        self._batches: list[pa.RecordBatch] = []
        self._size = 0

    def write_batch(self, batch: pa.RecordBatch) -> None:
        """Add one more batch."""
        self._batches.append(batch)
        self._size += batch.nbytes
        if self._size >= ROW_GROUP_SIZE:
            self._write_group()

    def close(self) -> None:
        """Write the last row group, and the end of the file."""
        self._write_group()
        self._writer.close()

    def _write_group(self) -> None:
        if self._batches:
            table = pa.Table.from_batches(self._batches)
            self._writer.write_table(table, row_group_size=max(table.num_rows, 1))
        self._batches = []
        self._size = 0
