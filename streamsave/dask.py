"""The objects of many saves as a Dask collection, one partition a save: for fleets of servers. Needs the extra `dask`.

```python
from streamsave.dask import objects

found = objects(["s3://saves/a.sav", "s3://saves/b.sav"], "class = *Constructor*", ["mCurrentRecipe"])
found.objects.groupby("file").size().compute()
```
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from attrs import frozen

from streamsave.errors import SaveError
from streamsave.limits import Limits
from streamsave.output.rows import Row, column_names, save_errors, save_rows
from streamsave.query.tests import Selection

try:
    import dask
    import dask.bag as db
    import dask.dataframe as dd
    import pandas as pd
    import pyarrow as pa
except ModuleNotFoundError as missing:
    message = "Dask needs the extra `dask`: pip install 'streamsave[dask]'"
    raise ModuleNotFoundError(message, name=missing.name) from None

from streamsave.output.arrow import ArrowRows, record_batches

__all__ = ["Found", "objects"]

#: Saves that are looked through, until one has objects that tell the types.
MOST_LOOKED_THROUGH: Final = 10

ERRORS: Final = pa.schema([("file", pa.string()), ("error", pa.string()), ("offset", pa.int64()), ("message", pa.string())])


class Found(NamedTuple):
    """What `objects` gives: the objects, and what went wrong with which save."""

    #: A row for each object.
    objects: dd.DataFrame | db.Bag
    #: A row for each save that could not be read to its end: `file`, `error` (the class), `offset` (in the inflated stream; none
    #: where the file could not be opened or read) and `message`.
    errors: dd.DataFrame | db.Bag


@frozen
class Query:
    """What is asked for of each save."""

    where: str | Selection | None
    fields: tuple[str, ...]
    limits: Limits | None
    type_hints: Mapping[str, str] | None

    def rows(self, url: str) -> Iterator[Row]:
        """Give the rows of one save."""
        return save_rows(url, self.where, self.fields, limits=self.limits, type_hints=self.type_hints)


def objects(
    urls: Sequence[str],
    where: str | Selection | None = None,
    fields: Sequence[str] = (),
    *,
    kind: Literal["dataframe", "bag"] = "dataframe",
    schema: pa.Schema | None = None,
    limits: Limits | None = None,
    type_hints: Mapping[str, str] | None = None,
) -> Found:
    """Give the objects of saves, read where and when Dask computes them.

    A partition is what one save gives; of the save itself, a worker holds no more than `streamsave.to_arrow` does. A save that is
    damaged, or cannot be read, gives the objects before the fault and a row in `errors`. Compute both at once
    (`dask.compute(found.objects, found.errors)`), or each save is read twice.

    Args:
        urls: paths or URLs, as all workers can read them.
        where: which objects, as for `streamsave.objects`.
        fields: paths of the fields, as for `streamsave.objects`.
        kind: `"dataframe"`: the columns of `streamsave.to_arrow`, with the types of Arrow. `"bag"`: a dict for each object, with
            the same names but `misfits`, and values as `build()` gives them.
        schema: of the DataFrame, from `streamsave.to_arrow(...).schema`. If left out, the first save that has such objects, of
            the first ten, is looked through at once to find the types.
        limits: as for `streamsave.open`.
        type_hints: as for `streamsave.open`.

    Raises:
        ValueError: `where` or a field cannot be understood, there is no URL, or `schema` has other columns.
        TypeError: `schema` has a column of a type that no such table has.
    """
    if not urls:
        raise ValueError("at least one URL is needed")
    query = Query(where, tuple(fields), limits, type_hints)
    query.rows(urls[0])  # opens nothing, but understands what is asked for, or not
    if kind == "bag":
        pairs = [dask.delayed(read_dicts, nout=2)(query, url) for url in urls]
        return Found(*(db.from_delayed(parts) for parts in zip(*pairs, strict=True)))
    gathered = ArrowRows(fields, schema)
    for url in urls[:MOST_LOOKED_THROUGH]:
        if gathered.learn(query.rows(url)):
            break
    schemas = gathered.schema(), ERRORS
    pairs = [dask.delayed(read_frames, nout=2)(query, url, schemas[0]) for url in urls]
    metas = [frame_of(schema.empty_table()) for schema in schemas]
    return Found(*(dd.from_delayed(parts, meta=meta) for parts, meta in zip(zip(*pairs, strict=True), metas, strict=True)))


# --- what workers do ---


def read_frames(query: Query, url: str, schema: pa.Schema) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read one save: its rows, and what is wrong with it."""
    batches: list[pa.RecordBatch] = []
    errors = []
    try:
        batches.extend(record_batches(query.rows(url), ArrowRows(query.fields, schema)))
    except save_errors() as error:
        errors.append(error_row(url, error))
    return frame_of(pa.Table.from_batches(batches, schema)), frame_of(pa.Table.from_pylist(errors, ERRORS))


def read_dicts(query: Query, url: str) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """Read one save: its rows, and what is wrong with it, all as dicts."""
    names = column_names(query.fields)
    rows: list[dict[str, object]] = []
    errors = []
    try:
        rows.extend(dict(zip(names, row, strict=True)) for row in query.rows(url))
    except save_errors() as error:
        errors.append(error_row(url, error))
    return rows, errors


def error_row(url: str, error: Exception) -> dict[str, object]:
    """Make the row of a save that could not be read to its end."""
    offset = error.offset if isinstance(error, SaveError) else None
    return {"file": url, "error": type(error).__name__, "offset": offset, "message": str(error)}


def frame_of(table: pa.Table) -> pd.DataFrame:
    """Make a DataFrame that keeps the types of Arrow."""
    return table.to_pandas(types_mapper=pd.ArrowDtype)
