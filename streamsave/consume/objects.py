"""`objects`: selected objects of a save, in one call."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeVar, cast

from streamsave._log import warn_unread
from streamsave.consume.expand import names_in
from streamsave.consume.stream import SKIP, EventStream, OnDamage, check_on_damage, open_save
from streamsave.errors import SaveError, UnsupportedOption
from streamsave.formats import Format, MakeReader
from streamsave.input.source import SourceLike, source_name
from streamsave.limits import Limits

if TYPE_CHECKING:
    from streamsave.consume.conditions import Function, Selection
    from streamsave.consume.selected_object import SelectedObject
    from streamsave.consume.selection import Plan

__all__ = ["joined", "objects", "sources_of"]

T = TypeVar("T")


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
    storage_options: Mapping[str, object] | None = None,
    on_damage: OnDamage = "raise",
) -> Iterator[SelectedObject]:
    """Return an iterator over the objects of a save that match a selection, with some of their properties built.

    The save is opened with the first object, and closed after the last one or when the iterator is closed. All else is skipped by
    its length, and so not validated; `streamsave.check.check` reads everything.

    Args:
        source: what `streamsave.open` takes, a folder, or a pattern with wildcards (see `streamsave.expand`); or a list or tuple
            of such sources. They are read one after the other; `SelectedObject.source` says which save an object is of.
        where: the selection, as text (`streamsave.consume.parser`) or from `parse_selection`; or a function, which takes each
            object as it would come, with its `fields`, but no `path`, and returns whether it is wanted; None selects all objects.
        fields: paths of properties to build (`streamsave.decode.paths`); a text is one path. The `fields` of an object have
            each one that it has, under the path as it is written here. `[*]` makes a list, with None for each element without
            such a part.
        sizes: whether the sizes of objects are needed. If not, they may be -1, and most of a Satisfactory save is not inflated
            when the selection and `fields` need only headers: to count, or to list names.
        limits: what to refuse, as for `streamsave.open`.
        type_hints: as for `streamsave.open`.
        objects_at: as for `streamsave.open`.
        reader: as for `streamsave.open`.
        storage_options: as for `streamsave.open`.
        on_damage: what to do with a save that is damaged or cannot be read. `"raise"`: the error ends the iteration. `"skip"`: it
            gives the objects before its error, and a warning; the next save is read. `"resync"`: it also gives the objects after
            the damage, as `EventStream.select` says; a save that cannot be opened is an error.

    Raises:
        TypeError, ValueError: `on_damage` is another value.
        SelectError: `where` or a path has a fault.
        SaveError: while iterating: the save is damaged. Of several saves, a note on the error (`__notes__`) says which one.
        LimitExceeded: while iterating: a field is more than `limits` allows to build.
        UnsupportedOption: while iterating: `type_hints` or `objects_at` are given, and the format of the save takes none; a
            `TypeError`.
        OSError: while iterating: the path cannot be opened, a pattern matches nothing, a folder has no save.
    """
    from streamsave.consume.selection import Plan  # noqa: PLC0415 - most consumers do not select

    plan = Plan([where], fields, sizes=sizes)
    check_on_damage(on_damage)
    open_it = partial(
        open_save,
        limits=limits,
        type_hints=type_hints,
        objects_at=objects_at,
        on_damage=on_damage,
        reader=reader,
        storage_options=storage_options,
    )
    return _objects(source, plan, open_it, storage_options, on_damage)


def sources_of(
    source: SourceLike | Sequence[SourceLike], storage_options: Mapping[str, object] | None = None
) -> list[SourceLike | OSError]:
    """Return the saves that a caller means: those of a list or tuple, of folders and patterns; an error in place of a wrong one.

    Raises:
        ImportError: one is a URL, and what reads it is not installed.
    """
    each = source if isinstance(source, (list, tuple)) else [cast("SourceLike", source)]
    return list(
        chain.from_iterable(names_in(one, storage_options) if isinstance(one, (str, os.PathLike)) else [one] for one in each)
    )


def joined(sources: Sequence[SourceLike | OSError], parts: Iterable[Iterable[T]], on_damage: OnDamage) -> Iterator[T]:
    """Yield what is found in all saves, one after the other; what is closed closes the part that is read.

    Args:
        sources: the saves, or an error in place of one.
        parts: what is found in each of them; of an error, it is not looked at.
        on_damage: `"skip"`: after the error of a save, warn, and go on. Else, of several saves, the error gets a note that says
            which one.
    """
    for source, part in zip(sources, parts, strict=False):
        try:
            if isinstance(source, OSError):
                raise source
            yield from part
        except (SaveError, OSError, UnsupportedOption) as error:
            if on_damage == SKIP:
                warn_unread(_name(source), error)
                continue
            if len(sources) > 1 and not isinstance(error, OSError):
                error.add_note(f"in {_name(source)}")
            raise


def _name(source: SourceLike | OSError) -> str:
    return str(source.filename) if isinstance(source, OSError) else source_name(source)


def _objects(
    source: SourceLike | Sequence[SourceLike],
    plan: Plan,
    open_it: Callable[[SourceLike], EventStream],
    storage_options: Mapping[str, object] | None,
    on_damage: OnDamage,
) -> Iterator[SelectedObject]:
    each = sources_of(source, storage_options)
    yield from joined(each, (_objects_of(one, plan, open_it) for one in each), on_damage)


def _objects_of(source: Any, plan: Plan, open_it: Callable[[SourceLike], EventStream]) -> Iterator[SelectedObject]:  # noqa: ANN401
    with open_it(source) as events:
        yield from map(itemgetter(1), events._select_planned(plan))
