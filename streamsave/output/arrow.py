"""Rows -> Arrow record batches of one schema, and files of them: Arrow, Parquet. Needs the extra `arrow`.

The type of a column is that of a sample of its values:

| values of the sample | type in Arrow |
|---|---|
| bool | bool |
| int | int64; uint64 if one is too large for that and none is negative |
| float; also with ints from -2**53 to 2**53, which a float holds exactly | double |
| str; `Guid`, as Unreal prints it | string |
| bytes | binary |
| `DateTime`, of whole microseconds in the years 1 to 9999 | timestamp[us] without zone |
| list, tuple | list of one type |
| map, which is a list of (key, value) | list of a struct of `key` and `value` |
| dict, other attrs classes | struct of the members of all of them |
| of several kinds, or none; too many or too deeply nested members, or names that differ in case only | JSON, in a string |

The field of such a string has the metadata `content: json`. None becomes null in every column, and so does a member that a dict
lacks. JSON is written as by `json_values`. A later value may not conform to the type of its column: then the column has a null,
and the last column, `misfits`, has the value as JSON. So a table has one schema from its first row to its last, and loses
nothing.

Memory holds the rows of one batch: at most `batch_size`, and about 8 MiB of objects whose fields were built; of a file, 4 MiB
of batches too.

The module is long because types are found, values converted and tables written by one list of types.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, BinaryIO, Final, Literal, TypeAlias

from streamsave._fields import names_of_fields
from streamsave.decode.json_values import is_sound
from streamsave.output.json_text import value_bytes
from streamsave.output.rows import FIXED_COLUMNS, HEADER_COLUMNS, MISFITS, SAVE_ERRORS, TICKS_PER_MICROSECOND, Row, column_names
from streamsave.values import DateTime, Guid

if TYPE_CHECKING:
    import pyarrow.parquet as pq

try:
    import pyarrow as pa
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        'Arrow and Parquet need the extra `arrow`: pip install "streamsave[arrow]"', name=missing.name
    ) from None

__all__ = ["ArrowFormat", "ArrowRows", "ArrowTable", "batch_reader", "learn_schema", "record_batches"]

#: An IPC file, an IPC stream, or Parquet.
ArrowFormat: TypeAlias = Literal["arrow", "arrows", "parquet"]

#: Rows of one batch, if the caller does not say.
BATCH_ROWS: Final = 16_384
#: Bytes of object data that make a batch: the values built from them take a few times as much memory.
BATCH_SIZE: Final = 8 * 1024 * 1024
#: Bytes of batches that are written at once: a row group of Parquet. Writing one takes three times as much memory. Tests set it.
ROW_GROUP_SIZE: int = 4 * 1024 * 1024
#: Values of a field that are enough to find its type.
ENOUGH_VALUES: Final = 4096
SIZE: Final = FIXED_COLUMNS.index("size")

BOOL, INT64, UINT64, DOUBLE, STRING, BINARY = pa.bool_(), pa.int64(), pa.uint64(), pa.float64(), pa.string(), pa.binary()
MOMENT: Final = pa.timestamp("us")
JSON_METADATA: Final = {b"content": b"json"}
#: Columns that are no text.
TYPES: Final = {"x": DOUBLE, "y": DOUBLE, "z": DOUBLE, "size": INT64, "offset": INT64, "saved": MOMENT, "play_time": DOUBLE}

INT64_RANGE: Final = range(-(1 << 63), 1 << 63)
UINT64_RANGE: Final = range(1 << 64)
#: The largest range of ints in which a float holds each one exactly.
FLOAT_INTS: Final = range(-(1 << 53), (1 << 53) + 1)
#: Most members of a struct, and most levels of nesting; a value with more is JSON.
MOST_MEMBERS: Final = 100
MOST_DEPTH: Final = 8
#: The members of a map's entry in a table; `build()` gives a tuple of two.
MAP_ENTRY: Final = ("key", "value")

#: A type of Arrow; `list` and `dict` stand for those that contain others.
Kind: TypeAlias = "pa.DataType | type"
#: The type of all values of a class.
PLAIN: Final[dict[type, pa.DataType]] = {float: DOUBLE, bool: BOOL, bytes: BINARY}
#: The types of ints, the best one first, and which ints conform to each.
INTS: Final = ((INT64, INT64_RANGE), (UINT64, UINT64_RANGE), (DOUBLE, FLOAT_INTS))


class Misfit(Exception):
    """A value does not conform to the type of its column."""


def json_field(name: str) -> pa.Field:
    """Return the field of a column of JSON."""
    return pa.field(name, STRING, metadata=JSON_METADATA)


# --- a value -> what pyarrow takes ---


def plain(value: object) -> tuple[tuple[Kind, ...], object]:
    """Return the types that a value conforms to, the best one first, and what pyarrow takes for it.

    That is a list for what has items, and a dict for all else that contains values. Without a type, it is only JSON.
    """
    kind = PLAIN.get(type(value))
    if kind is not None:
        return (kind,), value
    if isinstance(value, int):
        return tuple([kind for kind, ints in INTS if value in ints]), value
    if isinstance(value, str):
        return (STRING,) if is_sound(value) else (), value
    if isinstance(value, Guid):
        return (STRING,), str(value)
    if isinstance(value, DateTime):
        moment = None if value.ticks % TICKS_PER_MICROSECOND else value.to_datetime()
        return () if moment is None else (MOMENT,), moment
    if isinstance(value, tuple) and len(value) == len(MAP_ENTRY):
        return (dict,), dict(zip(MAP_ENTRY, value, strict=True))
    if isinstance(value, (list, tuple)):
        return (list,), value
    if isinstance(value, dict):
        return (dict,), value
    names = names_of_fields(type(value))
    return ((), value) if names is None else ((dict,), {name: getattr(value, name) for name in names})


def json_text(value: object) -> str:
    """Return a value as JSON text."""
    return value_bytes(value).decode("utf-8")


class Converter:
    """Converts values to the type of a field.

    Raises:
        TypeError: built values never have such a type.
    """

    def __init__(self, field: pa.Field) -> None:
        kind = field.type
        self._item: Converter | None = None
        self._members: dict[str, Converter] = {}
        self._kind: Kind | None = kind
        if field.metadata == JSON_METADATA and kind == STRING:
            self._kind = None
        elif pa.types.is_list(kind):
            self._kind, self._item = list, Converter(kind.value_field)
        elif pa.types.is_struct(kind):
            self._kind, self._members = dict, {member.name: Converter(member) for member in kind}
        elif kind not in {BOOL, INT64, UINT64, DOUBLE, STRING, BINARY, MOMENT}:
            raise TypeError(f"column {field.name}: built values never have the type {kind}")

    def convert(self, value: object) -> object:
        """Return what pyarrow takes for a value.

        Raises:
            Misfit: it does not conform to the type.
        """
        if value is None:
            return None
        if self._kind is None:
            return json_text(value)
        kinds, content = plain(value)
        if self._kind not in kinds:
            raise Misfit
        if self._item is not None and isinstance(content, (list, tuple)):
            return [self._item.convert(each) for each in content]
        if isinstance(content, dict):
            if not content.keys() <= self._members.keys():
                raise Misfit
            return {name: self._members[name].convert(each) for name, each in content.items()}
        return content


# --- values -> their type ---


class Sample:
    """What is known about the values of a column, or about one part of them."""

    def __init__(self) -> None:
        #: How many values there were, and the types that all of them conform to.
        self.count = 0
        self.kinds: tuple[Kind, ...] = ()
        self.item: Sample | None = None
        self.members: dict[str, Sample] = {}

    def see(self, value: object, depth: int = 0) -> None:
        """Add one more value; `depth` is that of this part in the values of the column."""
        if value is None:
            return
        kinds, content = plain(value) if depth <= MOST_DEPTH else ((), None)
        self.kinds = tuple([kind for kind in self.kinds if kind in kinds]) if self.count else kinds
        self.count += 1
        if isinstance(content, (list, tuple)):
            self.item = self.item or Sample()
            for each in content:
                self.item.see(each, depth + 1)
        elif isinstance(content, dict):
            for name, member in content.items():
                if name in self.members or len(self.members) <= MOST_MEMBERS:
                    self.members.setdefault(name, Sample()).see(member, depth + 1)

    def field(self, name: str) -> pa.Field:
        """Return the field of a type that all values so far conform to."""
        kind = self.kinds[0] if self.kinds else None
        if kind is list and self.item is not None and self.item.count:
            return pa.field(name, pa.list_(self.item.field("item")))
        if kind is dict and are_distinct(self.members):
            return pa.field(name, pa.struct([member.field(each) for each, member in self.members.items()]))
        return json_field(name) if kind in {None, list, dict} else pa.field(name, kind)


def are_distinct(names: Iterable[str]) -> bool:
    """Return whether every reader of tables can distinguish members of these names; False for no names, or too many."""
    names = list(names)
    sound = all(name.strip() and is_sound(name) for name in names)
    return sound and 0 < len({name.casefold() for name in names}) == len(names) <= MOST_MEMBERS


def learn_schema(
    rows: Iterable[Row], names: Sequence[str], fixed: int = len(FIXED_COLUMNS), enough: int = ENOUGH_VALUES
) -> pa.Schema | None:
    """Return the schema that rows need, or None if there is no row. No row is kept. So many columns are those of no field.

    Rows are taken until each field has had enough values. An error of the save ends the search, but is not raised: reading the
    rows raises it again.
    """
    samples = [Sample() for _ in names[fixed:]]
    row: Row | None = None
    try:
        for row in rows:
            for sample, value in zip(samples, row[fixed:], strict=True):
                sample.see(value)
            if all(sample.count >= enough for sample in samples):
                break
    except SAVE_ERRORS:
        pass
    if row is None:
        return None
    fields = [pa.field(name, TYPES.get(name, STRING)) for name in names[:fixed]]
    return pa.schema([*fields, *map(Sample.field, samples, names[fixed:]), json_field(MISFITS)])


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
        self._fixed = len(FIXED_COLUMNS) + (len(HEADER_COLUMNS) if with_header else 0)
        self._schema = schema
        self._converters: list[Converter] = [] if schema is None else self._check(schema)
        self._batch_size = BATCH_ROWS if batch_size is None else batch_size
        #: The rows of the batch so far, and how many bytes have the objects whose fields were built.
        self._rows: list[Row] = []
        self._size = 0
        if self._batch_size < 1:
            raise ValueError(f"batch_size has to be at least 1, not {batch_size}")

    def _check(self, schema: pa.Schema) -> list[Converter]:
        """Return what converts the values of each column.

        Raises:
            ValueError, TypeError: as for the class.
        """
        if schema.names != [*self._names, MISFITS]:
            raise ValueError(f"the columns of the schema are {schema.names}, not {[*self._names, MISFITS]}")
        return [Converter(field) for field in schema][:-1]

    def learn(self, rows: Iterable[Row], enough: int = ENOUGH_VALUES) -> bool:
        """Find the types of columns from these rows, unless they are known; return whether they are known now.

        No row is kept. So many values of each field are enough.
        """
        if self._schema is None:
            self._schema = learn_schema(rows, self._names, self._fixed, enough)
        return self._schema is not None

    def schema(self) -> pa.Schema:
        """Return the schema of all batches; if it is not known yet, it is found from the rows so far."""
        if not self.learn(self._rows):
            self.learn([(None,) * len(self._names)])
        return self._schema

    def add(self, row: Row) -> bool:
        """Add one more row; return whether it is time to `take` the batch."""
        self._rows.append(row)
        if any(cell is not None for cell in row[self._fixed :]):
            size = row[SIZE]
            self._size += size if isinstance(size, int) else BATCH_SIZE
        return len(self._rows) >= self._batch_size or self._size >= BATCH_SIZE

    def take(self) -> pa.RecordBatch:
        """Return the rows since the last call as a batch."""
        schema = self.schema()
        self._converters = self._converters or self._check(schema)
        misfits: list[dict[str, object]] = [{} for _ in self._rows]
        arrays = []
        for index, (name, converter) in enumerate(zip(self._names, self._converters, strict=True)):
            cells: list[object] = []
            for row, misfit in zip(self._rows, misfits, strict=True):
                cell = row[index]
                try:
                    cells.append(converter.convert(cell))
                except Misfit:
                    cells.append(None)
                    misfit[name] = cell
            arrays.append(pa.array(cells, schema.types[index]))
        arrays.append(pa.array([json_text(misfit) if misfit else None for misfit in misfits], STRING))
        self._rows = []
        self._size = 0
        return pa.RecordBatch.from_arrays(arrays, schema=schema)


def record_batches(rows: Iterable[Row], collected: ArrowRows) -> Iterator[pa.RecordBatch]:
    """Yield all rows in batches.

    Raises:
        SaveError, OSError, UnsupportedOption: a save cannot be read to its end; after the rows before that.
    """
    fault: Exception | None = None
    try:
        for row in rows:
            if collected.add(row):
                yield collected.take()
    except SAVE_ERRORS as error:
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
    first = [] if collected.learn([]) else list(islice(batches, 1))
    return pa.RecordBatchReader.from_batches(collected.schema(), chain(first, batches))


# --- batches -> files ---


class ArrowTable:
    """Writes rows as Parquet (compressed with zstd), or as an Arrow file or stream. Several batches are one row group."""

    def __init__(self, file: BinaryIO, kind: ArrowFormat, collected: ArrowRows) -> None:
        self._file = file
        self._kind = kind
        self._collected = collected
        self._writer: pa.ipc.RecordBatchFileWriter | pq.ParquetWriter | None = None
        #: Batches that are not written yet.
        self._batches: list[pa.RecordBatch] = []

    def add(self, row: Row) -> None:
        """Add one more row."""
        if self._collected.add(row):
            self._batches.append(self._collected.take())
            if sum(batch.nbytes for batch in self._batches) >= ROW_GROUP_SIZE:
                self._write()

    def close(self) -> None:
        """Write all that is not written yet; the file stays open."""
        self._batches.append(self._collected.take())
        self._write().close()

    def _write(self) -> pa.ipc.RecordBatchFileWriter | pq.ParquetWriter:
        table = pa.Table.from_batches(self._batches)
        self._batches.clear()
        if self._writer is None:
            self._writer = self._open(table.schema)
        self._writer.write_table(table)
        return self._writer

    def _open(self, schema: pa.Schema) -> pa.ipc.RecordBatchFileWriter | pq.ParquetWriter:
        if self._kind != "parquet":
            return (pa.ipc.new_file if self._kind == "arrow" else pa.ipc.new_stream)(self._file, schema)
        import pyarrow.parquet as pq  # noqa: PLC0415 - other files do not need it

        return pq.ParquetWriter(self._file, schema, compression="zstd")
