"""The rows of one save, which is opened for them. Plain Python: a compiled generator that is dropped half-read closes nothing."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from functools import partial

from streamsave.consume.conditions import Function, Selection
from streamsave.consume.selection import Plan
from streamsave.consume.stream import EventStream, OnDamage, open_save
from streamsave.formats import Format, MakeReader
from streamsave.input.source import SourceLike, source_name
from streamsave.limits import Limits
from streamsave.output.rows import Row, rows_of_stream

__all__ = ["save_rows"]


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
    with open_it() as events:
        yield from rows_of_stream(name, events, plan, fields, with_header=with_header)
