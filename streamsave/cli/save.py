"""The saves that a command reads: how one is opened, how its faults are reported; and the loop over many.

The module is long because it has all that commands share to read saves.
"""

from __future__ import annotations

import errno
import sys
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO, TypeAlias, TypeVar, cast

from attrs import frozen

from streamsave._new_file import temporary_folder
from streamsave.cli.options import Saves, current_limits, current_options, current_reader, keep, kept, limit_hint
from streamsave.cli.output import FAILED, Failed, report
from streamsave.cli.save_names import STDIN, is_read_once, label_of, source_of
from streamsave.consume.stream import EventStream, OnDamage, open_save
from streamsave.errors import EditError, SaveError, SelectWarning, UnsupportedOption
from streamsave.events import SaveStart
from streamsave.formats import is_text_save
from streamsave.formats.plugins import plugin_fault
from streamsave.input.source import PIECE_SIZE, open_source
from streamsave.input.urls import is_url
from streamsave.limits import check_limit

if TYPE_CHECKING:
    from streamsave.cli.nothing_found import Watched

__all__ = [
    "OPTION_NAMES",
    "Save",
    "Visit",
    "Work",
    "attempt",
    "check_usable",
    "copied",
    "failing",
    "fault_of",
    "gather",
    "open_input",
    "read_saves",
    "report_fault",
    "reporting",
    "sampled",
    "selecting",
    "visit_saves",
]

T = TypeVar("T")

#: Options of `streamsave.open` -> their names on the command line.
OPTION_NAMES: Final = {"sparse": "--sparse", "type_hints": "--type-hint", "objects_at": "--objects"}


@frozen
class Save:
    """One save that is open."""

    #: Its name in output.
    label: str
    #: Bytes of the file; None if they are unknown before the end.
    size: int | None
    events: EventStream

    def start(self) -> SaveStart:
        """Read the first event, if no event was read yet: that of every save."""
        return cast("SaveStart", next(self.events))


#: What a command does with an open save. Returns the exit code of that save, None for 0.
Work: TypeAlias = Callable[[Save], int | None]
#: The same, with the name of a save that is not open yet.
Visit: TypeAlias = Callable[[str], int | None]


def attempt(name: str | OSError, visit: Visit) -> int:
    """Do the work for one save. Return its exit code; if it cannot be read, write why to standard error."""
    if isinstance(name, OSError):
        return report_fault(name, name)
    try:
        with reporting(label_of(name)):
            return visit(name) or 0
    except Exception as error:  # noqa: BLE001 - a bug is raised again
        return report_fault(error, name)


def report_fault(error: Exception, name: str | OSError) -> int:
    """Write to standard error why a save cannot be read, and return the exit code; raise an error that is a bug."""
    known = str(name.filename) if isinstance(name, OSError) else name
    fault = fault_of(error, known)
    if not fault:
        raise error
    report(label_of(known), fault)
    return FAILED


def fault_of(error: Exception, name: str = "") -> str:
    """Return what to say of an error while a save was read or written; "" if it is a bug, or not about a save."""
    if isinstance(error, (SaveError, EditError)):
        return f"{error}{limit_hint(error)}"
    if isinstance(error, UnsupportedOption):
        return f"{error.format_name} takes no {OPTION_NAMES[error.option]}"
    if isinstance(error, OSError):
        where = "" if error.filename in {None, name} else f"{error.filename}: "  # what is written
        return f"{where}{error.strerror or error}"
    return plugin_fault(error, current_reader())


@contextmanager
def failing(name: str) -> Iterator[None]:
    """End the command if a save cannot be read.

    Raises:
        Failed: it cannot; the text says why.
    """
    try:
        yield
    except Exception as error:
        fault = fault_of(error, name)
        if not fault:
            raise
        raise Failed(label_of(name), fault) from None


def check_usable(name: str, target: Path | None, *, several: bool = False, in_place: bool = False) -> None:
    """Find out before anything is read whether a save can be made of a save, at that target.

    Raises:
        OSError: it cannot; the text says why.
    """
    if name == STDIN:
        raise OSError(errno.EINVAL, "standard input can be read only once: name a file")
    if is_text_save(name):
        raise OSError(errno.EINVAL, "a code that is no file can only be read: write it to a file, and name that")
    if in_place and is_url(name):
        raise OSError(errno.EINVAL, "a URL cannot be replaced")
    if target is None:
        return
    from streamsave._new_file import check_target

    check_target(target, is_save=True)
    if in_place or not target.exists():
        return
    if not is_url(name) and target.samefile(name):
        raise OSError(errno.EINVAL, "the new save would be the save itself")
    if several:
        raise OSError(errno.EEXIST, f"{target} is there already")


@contextmanager
def open_input(
    name: str,
    *,
    sparse: bool = False,
    on_damage: OnDamage = "raise",
) -> Iterator[Save]:
    """Open one save, with the options of the command.

    Raises:
        SaveError: it is no save.
        UnsupportedOption: its format does not take an option.
        OSError: it cannot be opened, or, while it is open, not read.
    """
    copies: dict[str, str] = kept("copies", {})
    source = open_source(source_of(copies.get(name, name)), current_limits())
    with open_save(source, sparse=sparse, on_damage=on_damage, **current_options()) as events:
        yield Save(label_of(name), None if name == STDIN else source.size(), events)


@contextmanager
def copied(saves: Saves) -> Iterator[None]:
    """Let `open_input` read pipes more than once: it gets copies of them.

    Raises:
        Failed: a pipe cannot be opened, or the copies cannot be written, or have more bytes than `Limits.spool_size`.
    """
    with ExitStack() as opened:
        copies: dict[str, str] = {}
        try:
            for name in filter(is_read_once, saves.arguments):
                copy = Path(opened.enter_context(temporary_folder()), "save")
                with nullcontext(sys.stdin.buffer) if name == STDIN else open(name, "rb") as pipe, copy.open("wb") as file:  # noqa: PTH123 - errors have the name as it was written
                    size = 0
                    while piece := pipe.read(PIECE_SIZE):
                        size += file.write(piece)
                        with failing(name):
                            check_limit(
                                current_limits(), "spool_size", size, size, subject="bytes to keep of input that cannot seek"
                            )
                copies[name] = str(copy)
        except OSError as error:
            subject = error.filename if error.filename in saves.arguments else "temporary files"
            raise Failed(str(subject), error.strerror or str(error)) from None
        keep("copies", copies)
        yield


@contextmanager
def reporting(label: str) -> Iterator[None]:
    """Write the warnings about a selection to standard error as what is wrong with a save, each of them once."""
    told: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("always", SelectWarning)
        show = warnings.showwarning

        def show_one(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if not issubclass(category, SelectWarning):
                show(message, category, filename, lineno, file, line)
            elif str(message) not in told:
                told.add(str(message))
                report(label, str(message))

        warnings.showwarning = show_one
        yield


@contextmanager
def selecting(name: str) -> Iterator[None]:
    """Say so, at the end, if no object of a save has matched `--where`, and why: a file is read again for that."""
    watched: Watched | None = kept("where", None)
    if watched is not None:
        watched.has_matched = False
    yield
    if watched is None or watched.has_matched:
        return
    from streamsave.cli.nothing_found import explain

    reason = ""
    if not is_read_once(name) and not is_url(name):
        with open_input(name) as save:
            reason = explain(save.events, watched.selection)
        # The PATTERN of `grep` may have ruled out an object before its values were read, which --where asks for.
        if not reason and kept("has_pattern", default=False):
            with suppress(SaveError), open_input(name) as save:
                if any(True for _ in save.events.select(watched, sizes=False)):
                    return
    report(label_of(name), f"no object matches --where{reason and f': {reason}'}")


# --- many saves: one after the other, or side by side in processes ---


def read_saves(
    saves: Saves,
    work: Work,
    *,
    sparse: bool = False,
    on_damage: OnDamage = "raise",
    combine: Callable[[Sequence[int]], int] = max,
    until: Callable[[int], bool] | None = None,
    items: tuple[Visit, Callable[[Any], None]] | None = None,
) -> int:
    """Do the work for each save. One that cannot be read is reported, and the next one is read.

    Args:
        saves: the saves.
        work: what to do.
        sparse: as for `streamsave.open`.
        on_damage: as for `streamsave.open`.
        combine: makes one exit code of those of the saves.
        until: returns whether to stop after a save with this exit code.
        items: what other processes do with `--jobs`, and what takes each item that they write; without it, they run the command.

    Returns:
        The exit code.
    """

    def visit(name: str) -> int | None:
        with (
            selecting(name),
            open_input(name, sparse=sparse, on_damage=on_damage) as save,
        ):
            return work(save)

    return visit_saves(saves, visit, combine=combine, until=until, items=items)


def gather(
    saves: Saves,
    read: Callable[[Save], Iterable[T]],
    take: Callable[[T], None],
) -> int:
    """Read saves, and pass what is read to `take` in the order of the saves, whichever process reads them.

    Args:
        saves: the saves.
        read: yields items of a save. With `--jobs`, it runs in another process: it and its items have to be picklable, and it
            may write nothing.
        take: gets each item. What it raises ends the reading.

    Returns:
        The exit code.
    """

    def work(save: Save) -> None:
        for each in read(save):
            take(each)

    return read_saves(saves, work, items=(partial(_write_items, read), take))


def _write_items(read: Callable[[Save], Iterable[object]], name: str) -> int:
    """Write the items of a save for another process."""
    from streamsave.cli.jobs import write_item

    return gather(Saves((name,), several=True), read, write_item)


def sampled(name: str, sample: Callable[[str], Iterable[T]]) -> Iterator[T]:
    """Yield rows of a save, up to its end or a fault, which the reading that follows meets again, and says so; so of warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SelectWarning)
        try:
            yield from sample(name)
        except Exception as error:
            if not fault_of(error, name):
                raise


def visit_saves(
    saves: Saves,
    visit: Visit,
    *,
    combine: Callable[[Sequence[int]], int] = max,
    until: Callable[[int], bool] | None = None,
    items: tuple[Visit, Callable[[Any], None]] | None = None,
) -> int:
    """Do what `read_saves` does, for work that opens the saves itself."""
    here = partial(attempt, visit=visit)
    each: Generator[int] = (here(name) for name in saves)
    if saves.several and saves.jobs > 1:
        from streamsave.cli.jobs import side_by_side

        each = side_by_side(saves, here, items)
    codes: list[int] = []
    with closing(each):
        for code in each:
            codes.append(code)
            if until is not None and until(code):
                break
    return combine(codes)
