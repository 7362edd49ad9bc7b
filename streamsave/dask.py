"""The objects of many saves as a Dask collection, with one partition for each save. Needs the extra `dask`.

```python
from streamsave.dask import objects

found = objects(["s3://saves/a.sav", "s3://saves/b.sav"], "class_name = *Constructor*", ["mCurrentRecipe"])
found.objects.groupby("file").size().compute()
```
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from functools import partial
from os import PathLike
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

try:
    import dask
    import dask.bag as db
    import dask.dataframe as dd
    import pandas as pd
    import pyarrow as pa
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError('Dask needs the extra `dask`: pip install "streamsave[dask]"', name=missing.name) from None

from streamsave._fields import each_of
from streamsave.consume.conditions import Function, Selection
from streamsave.consume.expand import expand
from streamsave.consume.stream import RAISE, RESYNC, OnDamage, check_on_damage
from streamsave.errors import SaveError
from streamsave.formats import Format, MakeReader
from streamsave.limits import Limits
from streamsave.output.arrow import ArrowRows, record_batches
from streamsave.output.rows import SAVE_ERRORS, Row, column_names
from streamsave.output.to_arrow import save_rows

__all__ = ["Found", "objects"]

#: Most saves that are read to find the types: until one has such objects.
MOST_LOOKED_THROUGH: Final = 10

ERRORS: Final = pa.schema([("file", pa.string()), ("error", pa.string()), ("offset", pa.int64()), ("message", pa.string())])


class Found(NamedTuple):
    """The result of `objects`: the objects, and the errors of saves.

    Attributes:
        objects (dd.DataFrame | db.Bag): a row for each object.
        errors (dd.DataFrame | db.Bag): a row for each save that could not be read to its end: `file`, `error` (the class),
            `offset` (in the inflated stream; none if the file could not be opened or read) and `message`.
    """

    objects: dd.DataFrame | db.Bag
    errors: dd.DataFrame | db.Bag


#: What `kind` may be.
Kind: TypeAlias = Literal["dataframe", "bag"]
#: Yields the rows of one save; raises as `save_rows`.
RowsOf: TypeAlias = Callable[[str], Generator[Row]]
#: The errors of a save that become rows.
Caught: TypeAlias = tuple[type[Exception], ...]


def objects(
    urls: str | PathLike[str] | Sequence[str | PathLike[str]],
    where: str | Selection | Function | None = None,
    fields: str | Sequence[str] = (),
    *,
    kind: Kind = "dataframe",
    schema: pa.Schema | None = None,
    limits: Limits | None = None,
    type_hints: Mapping[str, str] | None = None,
    objects_at: str | Sequence[str] | None = None,
    reader: Format | MakeReader | None = None,
    storage_options: Mapping[str, object] | None = None,
    with_header: bool = False,
    on_damage: OnDamage = "skip",
    saves_per_partition: int = 1,
) -> Found:
    """Return the objects of saves as Dask collections; the workers read the saves when Dask computes them.

    A partition has the objects of one save, or of so many as the caller says. A worker holds the partition, but never the save:
    it reads that in constant memory. A save that is damaged or cannot be read gives the objects before the error, and a row in
    `errors`, unless `on_damage` says otherwise. Compute both at once (`dask.compute(found.objects, found.errors)`), or each save
    is read twice.

    Args:
        urls: paths or URLs that every worker can read, or one of them; folders and patterns mean saves, as for
            `streamsave.expand`.
        where: which objects, as for `streamsave.objects`.
        fields: paths of the fields, as for `streamsave.objects`.
        kind: `"dataframe"`: the columns of `streamsave.to_arrow`, with the types of Arrow. `"bag"`: a dict for each object, with
            the same names except `misfits`, and values as `build()` returns them.
        schema: the schema of the DataFrame, from `streamsave.to_arrow(...).schema`. If left out, this call reads the first ten
            saves, up to the first one that has such objects, to find the types.
        limits: as for `streamsave.open`.
        type_hints: as for `streamsave.open`. A save whose format does not take them has a row in `errors`
            (`UnsupportedOption`).
        objects_at: the same, for the containers whose elements are objects.
        reader: as for `streamsave.open`; for all of the saves. It is pickled for the workers: they import it by its name.
        storage_options: as for `streamsave.open`.
        with_header: as for `streamsave.to_arrow`.
        on_damage: `"skip"`: as above. `"resync"`: a damaged save also gives the objects after the damage, as for
            `streamsave.objects`; the worker logs a warning. `"raise"`: the error of a save ends the computation.
        saves_per_partition: a partition costs Dask some 10 ms, as much as a small save: of hundreds of them, take 10 or more.

    Returns:
        `objects` and `errors`, both with one partition for each URL, or for each `saves_per_partition` of them.

    Raises:
        ValueError: `urls` is empty, `saves_per_partition` is less than 1, `kind` or `on_damage` is another text, or `schema` has
            other columns. `SelectError`: `where` or a field does not follow the grammar.
        TypeError: `schema` has a column of a type that built values never have.
        OSError: a folder has no save, or a pattern matches nothing.
    """
    check_on_damage(on_damage)
    given = [urls] if isinstance(urls, (str, PathLike)) else urls
    saves = [name for url in given for name in expand(url, storage_options=storage_options)]
    fields = each_of(fields)
    if not saves:
        raise ValueError("at least one URL is needed")
    if saves_per_partition < 1:
        raise ValueError(f"saves_per_partition is at least 1, not {saves_per_partition}")
    groups = [tuple(saves[at : at + saves_per_partition]) for at in range(0, len(saves), saves_per_partition)]
    rows_of = partial(
        save_rows,
        where=where,
        fields=fields,
        limits=limits,
        type_hints=type_hints,
        objects_at=objects_at,
        reader=reader,
        storage_options=storage_options,
        with_header=with_header,
        on_damage=RESYNC if on_damage == RESYNC else RAISE,  # what is skipped has a row in the errors
    )
    rows_of(saves[0])  # opens nothing, but refuses what does not follow the grammar
    caught = () if on_damage == RAISE else SAVE_ERRORS
    if kind not in get_args(Kind):
        raise ValueError(f"kind is 'dataframe' or 'bag', not {kind!r}")
    if kind == "bag":
        names = column_names(fields, with_header=with_header)
        pairs = [dask.delayed(read_dicts, nout=2)(rows_of, group, caught, names) for group in groups]
        return Found(*(db.from_delayed(parts) for parts in zip(*pairs, strict=True)))
    collected = ArrowRows(fields, schema, with_header=with_header)
    for url in saves[:MOST_LOOKED_THROUGH]:
        with closing(rows_of(url)) as rows:
            if collected.learn(rows):
                break
    schemas = collected.schema(), ERRORS
    batches = partial(ArrowRows, fields, schemas[0], with_header=with_header)
    pairs = [dask.delayed(read_frames, nout=2)(rows_of, group, caught, batches) for group in groups]
    metas = [frame_of(schema.empty_table()) for schema in schemas]
    return Found(*(dd.from_delayed(parts, meta=meta) for parts, meta in zip(zip(*pairs, strict=True), metas, strict=True)))


# --- in the workers ---


def read_frames(
    rows_of: RowsOf, urls: Sequence[str], caught: Caught, collect: Callable[[], ArrowRows]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows of some saves, and the errors of those that have one, as frames."""
    batches: list[pa.RecordBatch] = []
    errors = []
    for url in urls:
        try:
            batches.extend(record_batches(rows_of(url), collect()))
        except caught as error:
            errors.append(error_row(url, error))
    return frame_of(pa.Table.from_batches(batches, collect().schema())), frame_of(pa.Table.from_pylist(errors, ERRORS))


def read_dicts(
    rows_of: RowsOf, urls: Sequence[str], caught: Caught, names: Sequence[str]
) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """Return the rows of some saves, and the errors of those that have one, as dicts."""
    rows: list[dict[str, object]] = []
    errors = []
    for url in urls:
        try:
            rows.extend(dict(zip(names, row, strict=True)) for row in rows_of(url))
        except caught as error:
            errors.append(error_row(url, error))
    return rows, errors


def error_row(url: str, error: Exception) -> dict[str, object]:
    """Return the row of a save that could not be read to its end."""
    offset = error.offset if isinstance(error, SaveError) else None
    return {"file": url, "error": type(error).__name__, "offset": offset, "message": str(error)}


def frame_of(table: pa.Table) -> pd.DataFrame:
    """Return a DataFrame that keeps the types of Arrow."""
    return table.to_pandas(types_mapper=pd.ArrowDtype)
