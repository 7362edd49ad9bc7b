"""`objects`: selected objects of a save, in one call."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Final, Literal, TypeVar, cast

from streamsave._log import warn
from streamsave.consume.stream import open_save
from streamsave.errors import SaveError, UnsupportedOption
from streamsave.formats import Format, MakeReader
from streamsave.input.source import SourceLike
from streamsave.limits import Limits

if TYPE_CHECKING:
    from streamsave.consume.conditions import Function, Selection
    from streamsave.consume.selected_object import SelectedObject
    from streamsave.consume.selection import Plan

__all__ = ["joined", "objects", "source_name"]

T = TypeVar("T")

#: What `on_error` may be.
ON_ERROR: Final = ("raise", "skip")


def objects(
    source: SourceLike | Sequence[SourceLike],
    where: str | Selection | Function | None = None,
    fields: str | Sequence[str] = (),
    *,
    sizes: bool = True,
    limits: Limits | None = None,
    type_hints: Mapping[str, str] | None = None,
    objects_at: str | Sequence[str] | None = None,
    reader: Format | MakeReader | None = None,
    on_error: Literal["raise", "skip"] = "raise",
) -> Iterator[SelectedObject]:
    """Return an iterator over the objects of a save that match a selection, with some of their properties built.

    The save is opened with the first object, and closed after the last one or when the iterator is closed. All else is skipped by
    its length, and so not validated; `streamsave.check.check` reads everything.

    Args:
        source: what `streamsave.open` takes; or a list or tuple of such sources, read one after the other. An object does not say
            which save it is of: `streamsave.to_arrow` has a column for that.
        where: the selection, as text (`streamsave.consume.parser`) or from `parse_selection`; or a function, which takes each
            object as it would come, with its `fields`, and returns whether it is wanted; None selects all objects.
        fields: paths of properties to build (`streamsave.decode.paths`); a text is one path. The `fields` of an object have
            each one that it has, under the path as it is written here. `[*]` makes a list, with None for each element without
            such a part.
        sizes: whether the sizes of objects are needed. If not, they may be -1, and most of a Satisfactory save is not inflated
            when the selection and `fields` need only headers: to count, or to list names.
        limits: what to refuse, as for `streamsave.open`.
        type_hints: as for `streamsave.open`.
        objects_at: as for `streamsave.open`.
        reader: as for `streamsave.open`.
        on_error: `"skip"`: a save that cannot be read gives the objects before its error, and a warning; the next one is read.

    Raises:
        ValueError: `on_error` is another text.
        SelectError: `where` or a path has a fault.
        SaveError: while iterating: the save is damaged. Of several saves, a note on the error (`__notes__`) says which one.
        LimitExceeded: while iterating: a field is more than `limits` allows to build.
        UnsupportedOption: while iterating: `type_hints` or `objects_at` are given, and the format of the save takes none; a
            `TypeError`.
        OSError: while iterating: the path cannot be opened.
    """
    from streamsave.consume.selection import Plan  # noqa: PLC0415 - most consumers do not select

    plan = Plan([where], fields, sizes=sizes)
    if on_error not in ON_ERROR:
        raise ValueError(f"on_error is 'raise' or 'skip', not {on_error!r}")
    each = sources_of(source)
    parts: Iterable[Iterator[SelectedObject]] = (_objects(one, plan, limits, type_hints, objects_at, reader) for one in each)
    return joined(each, parts, on_error)


def sources_of(source: SourceLike | Sequence[SourceLike]) -> Sequence[SourceLike]:
    """Return the sources that a caller gave: those of a list or tuple, or one alone."""
    return source if isinstance(source, (list, tuple)) else [cast("SourceLike", source)]


def joined(sources: Sequence[SourceLike], parts: Iterable[Iterable[T]], on_error: str) -> Iterator[T]:
    """Yield what is found in all saves, one after the other; what is closed closes the part that is read.

    Args:
        sources: the saves.
        parts: what is found in each of them.
        on_error: `"skip"`: after the error of a save, warn, and go on. `"raise"`: of several saves, the error gets a note that
            says which one.
    """
    for source, part in zip(sources, parts, strict=False):
        try:
            yield from part
        except (SaveError, OSError, UnsupportedOption) as error:
            if on_error == "skip":
                warn("save is not read to its end", save=source_name(source), error=str(error))
                continue
            if len(sources) > 1 and not isinstance(error, OSError):
                error.add_note(f"in {source_name(source)}")
            raise


def source_name(source: SourceLike) -> str:
    """Return what messages, and the column `file`, call a source."""
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else f"<{type(source).__name__}>"


def _objects(
    source: SourceLike,
    plan: Plan,
    limits: Limits | None,
    type_hints: Mapping[str, str] | None,
    objects_at: str | Sequence[str] | None,
    reader: Format | MakeReader | None,
) -> Iterator[SelectedObject]:
    with open_save(source, limits=limits, type_hints=type_hints, objects_at=objects_at, reader=reader) as events:
        yield from map(itemgetter(1), events._select_planned(plan))
