"""The short way: the objects of a save that are asked for, in one call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from streamsave.formats import Format, MakeReader
from streamsave.input.source import SourceLike
from streamsave.limits import Limits
from streamsave.stream.stream import open_save

if TYPE_CHECKING:
    from streamsave.query.selector import Plan
    from streamsave.query.tests import SelectedObject, Selection

__all__ = ["objects"]


def objects(
    source: SourceLike,
    where: str | Selection | None = None,
    fields: Sequence[str] = (),
    *,
    sizes: bool = True,
    limits: Limits | None = None,
    type_hints: Mapping[str, str] | None = None,
    reader: Format | MakeReader | None = None,
) -> Iterator[SelectedObject]:
    """Give the objects of a save that a selection wants, with some of their properties built.

    The save is opened when the first object is asked for, and closed after the last one, or when the iterator is closed. What
    nobody asks for is passed over by its length, and so not validated; `streamsave.check.check` looks at everything.

    Args:
        source: what `streamsave.open` takes.
        where: the objects that are wanted, as text (`streamsave.query.parser`) or from `parse_selection`; all, if left out.
        fields: paths of properties (`query.paths`). Each that an object has is in its `fields`, under the path as it is
            written here; what it has not is not there. `[*]` gives a list, with None for each element without such a part.
        sizes: tell the sizes of the objects. If not, they may be -1, and most of a Satisfactory save is not even inflated where
            nobody asks for more than what headers say: to count, or to list names.
        limits: what to refuse, as for `streamsave.open`.
        type_hints: as for `streamsave.open`.
        reader: as for `streamsave.open`.

    Raises:
        SelectError: `where` or a path cannot be understood.
        SaveError, while iterating: the bytes are at fault.
        LimitExceeded, while iterating: a property that is asked for is more than `limits` allows to build.
        UnsupportedOption, while iterating: `type_hints` are given, and the save's format takes none; a `TypeError`.
        OSError, while iterating: the path cannot be opened.
    """
    from streamsave.query.selector import Plan  # noqa: PLC0415 - most consumers do not select

    plan = Plan([where], fields, sizes=sizes)
    return _objects(source, plan, limits, type_hints, reader)


def _objects(
    source: SourceLike,
    plan: Plan,
    limits: Limits | None,
    type_hints: Mapping[str, str] | None,
    reader: Format | MakeReader | None,
) -> Iterator[SelectedObject]:
    with open_save(source, limits=limits, type_hints=type_hints, reader=reader) as events:
        for _number, selected in events.select_planned(plan):
            yield selected
