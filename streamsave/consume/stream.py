"""Open a save: the stream that programs get, with the verbs of `streamsave.stream`, and selections."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, TypeVar, get_args

from streamsave.errors import StaleEvent
from streamsave.events import ObjectHeader
from streamsave.formats import Format, MakeReader
from streamsave.input.source import Source, SourceLike, open_source
from streamsave.limits import Limits
from streamsave.stream.verbs import Verbs

if TYPE_CHECKING:
    from streamsave.consume.conditions import Function, Selection
    from streamsave.consume.selected_object import SelectedObject
    from streamsave.consume.selection import Plan

__all__ = ["RAISE", "RESYNC", "SKIP", "EventStream", "OnDamage", "check_on_damage", "open", "open_save", "opened"]

T = TypeVar("T")

#: What `on_damage` may be, wherever a save is read.
OnDamage = Literal["raise", "resync", "skip"]
RAISE: Final = "raise"
RESYNC: Final = "resync"
SKIP: Final = "skip"


def check_on_damage(given: object) -> None:
    """Look at what a caller gives for `on_damage`, who may not check types.

    Raises:
        TypeError: it is no string.
        ValueError: it is another string.
    """
    expected = f"on_damage is {', '.join(map(repr, get_args(OnDamage)))}, not "
    if not isinstance(given, str):
        raise TypeError(f"{expected}a {type(given).__name__}")
    if given not in get_args(OnDamage):
        raise ValueError(f"{expected}{given!r}")


def open(  # noqa: A001 - `streamsave.open`
    source: SourceLike,
    *,
    limits: Limits | None = None,
    sparse: bool = False,
    type_hints: Mapping[str, str] | None = None,
    objects_at: str | Sequence[str] | None = None,
    on_damage: OnDamage = "raise",
    reader: Format | MakeReader | None = None,
    storage_options: Mapping[str, object] | None = None,
) -> EventStream:
    """Open a save of any known format, and return a stream for one pass over its events.

    Args:
        source: a path; a URL (a `str` that starts like one, unless a file has that name); what `fsspec.open` returns; bytes; a
            binary file object, seekable or not; or an iterable of bytes. The stream closes what it opens; the caller closes a
            file object.
        limits: what to refuse; None for the defaults of `Limits`.
        sparse: leave out values that are all zero, in formats with large structs of fixed size (Arx): one `Field` named `zeros`
            replaces each run of them, and its value is the list of their names.
        type_hints: the types of structs in maps and sets of Unreal save games that the save does not name: a path -> the name of
            the struct. A path is names of properties joined by dots; the last may be `Key`, `Value` or `Element`. An
            unknown struct is a warning.
        objects_at: which elements are objects, for Unreal save games: the paths of containers, `"World.Things[*]"`, perhaps with
            the members that are `class_name`, `instance_name`, ... after them, as `streamsave.formats.unreal.object_rows` says.
            None: those of the game, if it is known. An empty list: the save is one object.
        on_damage: what to do with damaged bytes. `"raise"`: the `SaveError` ends the stream. `"resync"`: a `Damage` event carries
            it, and the events go on with what is sound after it. `build()` and `raw()` raise on damage, `skip()` continues; the
            `Damage` is then the next event. `total_inflated_size`, `inflate_ratio`, `event_ratio` and `spool_size` end the stream
            in any case. `"skip"`: the events end before the damage, or at a limit, without `SaveEnd`, and a warning is logged.
            `build()` and `raw()` raise on damage; no event follows.
        reader: reads the save, whatever its first bytes are: the class of a reader, or a `streamsave.formats.Format`. If left
            out, the first bytes decide. `streamsave.formats` says what a reader has to provide.
        storage_options: what the file system of fsspec takes for a URL, such as keys; other sources do not need it.

    Raises:
        SaveError: the file is of no known format, or too short to know.
        OSError: the path or URL cannot be opened.
        ImportError: the source is a URL, and what reads it is not installed.
        UnsupportedOption: `sparse`, `type_hints` or `objects_at` is given, and the format of the save does not take it; a
            `TypeError`.
        SelectError: a path of `objects_at` has a fault.
        UnsupportedSave: the save has no container at a path of `objects_at`; the error names those that it has.
        TypeError: `source`, `limits` or `reader` is none of the above, or `on_damage` is no string.
        ValueError: `on_damage` is another string.
    """
    check_on_damage(on_damage)
    make = partial(
        EventStream,
        sparse=sparse,
        type_hints=type_hints,
        objects_at=objects_at,
        resyncs=on_damage == RESYNC,
        skips=on_damage == SKIP,
        reader=reader,
    )
    return opened(make, source, limits, storage_options)


def opened(
    make: Callable[[Source, Limits], T], source: SourceLike, limits: Limits | None, storage_options: Mapping[str, object] | None
) -> T:
    """Open a source, and return the stream that `make` makes of it; without one, the source is closed."""
    limits = Limits() if limits is None else limits
    if not isinstance(limits, Limits):
        raise TypeError(f"limits are Limits(...), and no {type(limits).__name__}")
    kept = open_source(source, limits, storage_options)
    try:
        return make(kept, limits)
    except BaseException:
        kept.close()
        raise


#: The same, for our own modules, which also need the builtin.
open_save = open


class EventStream(Verbs):
    """All events of a save, in order, up to `SaveEnd`. Stop iterating and reading stops.

    Iterating raises `SaveError` if the save is damaged, after all events before the damage; the next call raises the same error.
    Errors of the source, such as an `OSError`, pass through unchanged. Close the stream, or use it in a `with` statement.
    """

    # --- only some objects ---

    def only(self, where: str | Selection | Callable[[ObjectHeader], bool]) -> None:
        """Leave out all objects from here on that do not match a selection. What is in no object comes as before.

        Another call replaces the selection of the last one.

        So each `ObjectHeader` is that of an object that matches. One that contains others (an island of shapez 2) is judged like
        any other: if it does not match, those in it that match come without it, and `path` still has its name; if it matches,
        those in it that do not match are left out. `build` and `raw` give an object whole. If the selection tests what is in the
        objects, the save is read twice: first to find those that match.

        Args:
            where: the selection, as text (`streamsave.consume.parser`) or from `parse_selection`; or a function that says of a
                header whether its object matches.

        Raises:
            SelectError: the text has a fault.
            SaveError: the save is read twice, and it is damaged or above a limit.
            StaleEvent: the stream has ended, or is closed.
        """
        self._check_open("only")
        from streamsave.consume.selection import filter_of  # noqa: PLC0415 - most consumers do not select

        self._ask(filter_of(self, where))

    # --- many objects at once ---

    def select(
        self, *selections: str | Selection | Function | None, fields: str | Sequence[str] = (), sizes: bool = True
    ) -> Iterator[tuple[int, SelectedObject]]:
        """Return the objects from here on that match a selection: several selections in one pass.

        This uses the stream up: it yields no more events of its own. After `only`, an object has to match that, too.

        With `on_damage="resync"`, an object that has lost something comes without the fields that are lost. If its content
        decides whether it matches, it does not come. A warning is logged if anything is lost.

        Args:
            selections: texts (`streamsave.consume.parser`), results of `parse_selection`, or functions, which take an object with
                its `fields` and return whether it is wanted; None selects every object.
            fields: paths of the properties to build (`streamsave.decode.paths`); a text is one path.
            sizes: whether the sizes of objects are needed. If not, they may be -1, and most of a Satisfactory save is not
                inflated when the selections and `fields` need only headers.

        Returns:
            An iterator over pairs: the position of the selection in `selections`, and the object. An object that matches several
            selections comes several times.

        Raises:
            SelectError: a selection or a path has a fault.
            SaveError: while iterating: the save is damaged, and opened with `on_damage="raise"`.
            LimitExceeded: the same: a field is more than `Limits` allows to build.
            StaleEvent: the stream has ended, or is closed.
        """
        from streamsave.consume.selection import Plan  # noqa: PLC0415 - most consumers do not select

        return self._select_planned(Plan(selections, fields, sizes=sizes))

    def _select_planned(self, plan: Plan) -> Iterator[tuple[int, SelectedObject]]:
        """Return the same as `select`, for a `Plan` that was made before.

        Raises:
            StaleEvent: the stream has ended, or is closed.
        """
        self._check_open("select")
        return self._select(plan)

    def _check_open(self, verb: str) -> None:
        if self._error is not None:
            raise self._error
        if self._stopped:
            raise StaleEvent(f"{verb}(): the stream has ended")

    def _select(self, plan: Plan) -> Iterator[tuple[int, SelectedObject]]:
        from streamsave.consume.selection import matches  # noqa: PLC0415 - most consumers do not select

        try:
            for found in matches(self, plan):
                self._stopped, self._last = True, None  # the caller gets no events, and no verb acts
                yield found
                self._stopped = self._closed
        except GeneratorExit:  # the caller wants no more
            self._reader.close()
            raise
        except BaseException as error:
            if self._driver is not None:
                self._driver.close()
                self._driver = None
            if not self._remember(error):
                raise
