"""The objects of saves as rows, and as one Arrow table that other libraries read. That needs the extra `arrow`."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from streamsave._fields import each_of
from streamsave.consume.objects import joined, sources_of
from streamsave.consume.stream import EventStream, OnDamage, check_on_damage, open_save
from streamsave.formats import Format, MakeReader
from streamsave.input.source import SourceLike, source_name
from streamsave.limits import Limits

if TYPE_CHECKING:
    import pyarrow as pa

    from streamsave.consume.conditions import Function, Selection
    from streamsave.consume.selection import Plan
    from streamsave.output.rows import Row

__all__ = ["save_rows", "to_arrow"]

#: Sources that can be read twice.
READ_AGAIN: Final = (str, os.PathLike, bytes, bytearray, memoryview)


def to_arrow(
    sources: SourceLike | Sequence[SourceLike],
    where: str | Selection | Function | None = None,
    fields: str | Sequence[str] = (),
    *,
    batch_size: int | None = None,
    schema: pa.Schema | None = None,
    limits: Limits | None = None,
    type_hints: Mapping[str, str] | None = None,
    objects_at: str | Sequence[str] | None = None,
    reader: Format | MakeReader | None = None,
    storage_options: Mapping[str, object] | None = None,
    with_header: bool = False,
    on_damage: OnDamage = "raise",
) -> pa.RecordBatchReader:
    """Return the objects of saves as a table for DuckDB, Polars, pandas and others. The saves are read while the table is.

    The columns are `file`, `class_name`, `instance_name`, `level`, `x`, `y`, `z`, `size`, `offset`, one for each field, and
    `misfits`: JSON of the values that do not conform to the type of their column. The types come from the first save that has
    such objects: this call reads that save in advance. If a source can be read only once, such as a pipe, the types come from its
    first batch.

    Args:
        sources: what `streamsave.objects` takes: a source, a folder, a pattern, or a list or tuple of them; they are read one
            after the other.
        where: which objects, as for `streamsave.objects`.
        fields: paths of the fields, as for `streamsave.objects`.
        batch_size: most rows of a batch; 16,384 if left out. Batches of large objects are smaller.
        schema: the schema of another such table with these fields, to have the same types. Then no save is read in advance.
        limits: as for `streamsave.open`.
        type_hints: as for `streamsave.open`; for all of the saves.
        objects_at: as for `streamsave.open`; for all of the saves.
        reader: as for `streamsave.open`; for all of the saves.
        storage_options: as for `streamsave.open`; for all of the saves.
        with_header: add columns from the header of each save, after `offset`: `session`, `saved`, `play_time` (seconds) and
            `save_name`; null where its format has none.
        on_damage: as for `streamsave.objects`.

    Returns:
        A `pyarrow.RecordBatchReader`. It can be read once.

    Raises:
        ValueError: `schema` has other columns, `batch_size` is less than 1, or `on_damage` is another text. `SelectError`:
            `where` or a field does not follow the grammar.
        TypeError: `schema` has a column of a type that built values never have, or a source or `reader` has a type that `open`
            does not take.
        UnsupportedOption: the format of a save does not take `type_hints`; a `TypeError`. If there are rows before that, the
            reader raises it after them.
        ModuleNotFoundError: pyarrow is not installed.
        SaveError, OSError: a save cannot be read. If there are rows before that, the reader raises it after them.
    """
    from streamsave.output.arrow import ArrowRows, batch_reader  # noqa: PLC0415 - the extra `arrow`, and slow to import
    from streamsave.output.rows import sample_rows  # noqa: PLC0415 - not needed to read

    check_on_damage(on_damage)
    fields = each_of(fields)
    each = sources_of(sources, storage_options)
    rows_of = partial(
        save_rows,
        fields=fields,
        limits=limits,
        type_hints=type_hints,
        objects_at=objects_at,
        reader=reader,
        storage_options=storage_options,
        with_header=with_header,
        on_damage=on_damage,
    )
    collected = ArrowRows(fields, schema, batch_size, with_header=with_header)
    readable = [source for source in each if not isinstance(source, OSError)]
    for source in readable:
        if not isinstance(source, READ_AGAIN) or collected.learn(sample_rows(partial(rows_of, source), where, fields)):
            break
    parts = (() if isinstance(source, OSError) else rows_of(source, where) for source in each)
    return batch_reader(joined(each, parts, on_damage), collected)


def save_rows(
    source: SourceLike,
    where: str | Selection | Function | None,
    fields: Sequence[str],
    *,
    limits: Limits | None = None,
    type_hints: Mapping[str, str] | None = None,
    objects_at: str | Sequence[str] | None = None,
    reader: Format | MakeReader | None = None,
    storage_options: Mapping[str, object] | None = None,
    with_header: bool = False,
    on_damage: OnDamage = "raise",
) -> Generator[Row]:
    """Yield the rows of one save. Arguments and errors are those of `streamsave.objects`, and `with_header` adds its columns.

    Raises:
        SelectError: `where` or a path does not follow the grammar; at the call, before anything is read.
        SaveError, OSError, UnsupportedOption, while iterating: as for `streamsave.objects`.
    """
    from streamsave.consume.selection import Plan  # noqa: PLC0415 - not needed to read

    plan = Plan([where], fields)
    open_it = partial(
        open_save,
        source,
        limits=limits,
        type_hints=type_hints,
        objects_at=objects_at,
        on_damage=on_damage,
        reader=reader,
        storage_options=storage_options,
    )
    return _rows(source_name(source), open_it, plan, fields, with_header=with_header)


def _rows(
    name: str, open_it: Callable[[], EventStream], plan: Plan, fields: Sequence[str], *, with_header: bool
) -> Generator[Row]:
    # Plain Python: a compiled generator that is dropped half-read closes nothing.
    from streamsave.output.rows import rows_of_stream  # noqa: PLC0415 - needs orjson

    with open_it() as events:
        yield from rows_of_stream(name, events, plan, fields, with_header=with_header)
