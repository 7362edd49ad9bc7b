"""`objects`: selected objects of a save, in one call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from streamsave.formats import Format, MakeReader
from streamsave.input.source import SourceLike
from streamsave.limits import Limits
from streamsave.stream.stream import open_save

if TYPE_CHECKING:
    from streamsave.query.selected_object import SelectedObject
    from streamsave.query.selector import Plan
    from streamsave.query.tests import Selection

__all__ = ["objects"]


def objects(
    source: SourceLike,
    where: str | Selection | None = None,
    fields: Sequence[str] = (),
    *,
    sizes: bool = True,
    limits: Limits | None = None,
    type_hints: Mapping[str, str] | None = None,
    objects_at: Sequence[str] | None = None,
    reader: Format | MakeReader | None = None,
) -> Iterator[SelectedObject]:
    """Return an iterator over the objects of a save that match a selection, with some of their properties built.

    The save is opened with the first object, and closed after the last one or when the iterator is closed. All else is skipped by
    its length, and so not validated; `streamsave.check.check` reads everything.

    Args:
        source: what `streamsave.open` takes.
        where: the selection, as text (`streamsave.query.parser`) or from `parse_selection`; None selects all objects.
        fields: paths of properties to build (`streamsave.query.paths`). The `fields` of an object have each one that it has,
            under the path as it is written here. `[*]` makes a list, with None for each element without such a part.
        sizes: whether the sizes of objects are needed. If not, they may be -1, and most of a Satisfactory save is not inflated
            when the selection and `fields` need only headers: to count, or to list names.
        limits: what to refuse, as for `streamsave.open`.
        type_hints: as for `streamsave.open`.
        objects_at: as for `streamsave.open`.
        reader: as for `streamsave.open`.

    Raises:
        SelectError: `where` or a path has a fault.
        SaveError: while iterating: the save is damaged.
        LimitExceeded: while iterating: a field is more than `limits` allows to build.
        UnsupportedOption: while iterating: `type_hints` or `objects_at` are given, and the format of the save takes none; a
            `TypeError`.
        OSError: while iterating: the path cannot be opened.
    """
    from streamsave.query.selector import Plan  # noqa: PLC0415 - most consumers do not select

    plan = Plan([where], fields, sizes=sizes)
    return _objects(source, plan, limits, type_hints, objects_at, reader)


def _objects(
    source: SourceLike,
    plan: Plan,
    limits: Limits | None,
    type_hints: Mapping[str, str] | None,
    objects_at: Sequence[str] | None,
    reader: Format | MakeReader | None,
) -> Iterator[SelectedObject]:
    with open_save(source, limits=limits, type_hints=type_hints, objects_at=objects_at, reader=reader) as events:
        for _number, selected in events.select_planned(plan):
            yield selected
