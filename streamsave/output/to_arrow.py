"""The objects of saves as a table that other libraries read: the extra `arrow`, in one call."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final

from streamsave.input.source import SourceLike
from streamsave.limits import Limits

if TYPE_CHECKING:
    import pyarrow as pa

    from streamsave.output.rows import Row
    from streamsave.query.tests import Selection

__all__ = ["to_arrow"]

#: Sources that can be read twice.
READ_AGAIN: Final = (str, os.PathLike, bytes, bytearray, memoryview)


def to_arrow(
    sources: SourceLike | list[SourceLike] | tuple[SourceLike, ...],
    where: str | Selection | None = None,
    fields: Sequence[str] = (),
    *,
    batch_size: int | None = None,
    schema: pa.Schema | None = None,
    limits: Limits | None = None,
    type_hints: Mapping[str, str] | None = None,
) -> pa.RecordBatchReader:
    """Give the objects of saves as a table that is read as it is asked for: DuckDB, Polars, pandas and others take it.

    The columns are `file`, `class`, `name`, `level`, `x`, `y`, `z`, `size`, `offset`, one for each field, and `misfits`: JSON of
    the values that do not have the type of their column. The types are found in the first save that has such objects: it is
    looked through before anything is given, but for a pipe or the like, whose first batch has to do.

    Args:
        sources: what `streamsave.open` takes, or a list or tuple of that; they are read one after the other.
        where: which objects, as for `streamsave.objects`.
        fields: paths of the fields, as for `streamsave.objects`.
        batch_size: rows of a batch at the most; 16,384 if left out. Batches of large objects are smaller.
        schema: that of another such table with these fields, where both shall have the same; nothing is looked through then.
        limits: as for `streamsave.open`.
        type_hints: as for `streamsave.open`.

    Raises:
        ValueError: `where` or a field cannot be understood, or `schema` has other columns.
        TypeError: `schema` has a column of a type that no such table has.
        ModuleNotFoundError: pyarrow is not installed.
        SaveError, OSError: a save cannot be read; from the reader, where there are rows before that.
    """
    from streamsave.output.arrow import ArrowRows, batch_reader  # noqa: PLC0415 - the extra `arrow`; it takes long
    from streamsave.output.rows import save_rows  # noqa: PLC0415 - not needed to read

    each = sources if isinstance(sources, (list, tuple)) else [sources]

    def rows_of(source: SourceLike) -> Iterator[Row]:
        return save_rows(source, where, fields, limits=limits, type_hints=type_hints)

    gathered = ArrowRows(fields, schema, batch_size)
    for source in each:
        if not isinstance(source, READ_AGAIN) or gathered.learn(rows_of(source)):
            break
    return batch_reader(chain.from_iterable(map(rows_of, each)), gathered)
