"""Reading many saves: one after the other, or side by side in processes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from typing import TypeAlias, TypeVar

from streamsave.cli.options import Saves
from streamsave.cli.save import Save, Visit, Work, attempt, open_input, selecting
from streamsave.consume.stream import OnDamage

__all__ = ["gather", "read_saves", "visit_saves"]

T = TypeVar("T")
#: Does in this process what a worker does; for standard input, and for what is an error already. Returns the exit code.
Here: TypeAlias = Callable[[str | OSError], int]


def read_saves(
    saves: Saves,
    work: Work,
    *,
    summary: bool = False,
    sparse: bool = False,
    type_hints: Mapping[str, str] | None = None,
    on_damage: OnDamage = "raise",
    combine: Callable[[Collection[int]], int] = max,
    until: Callable[[int], bool] | None = None,
    elsewhere: Callable[[Here], Iterator[int]] | None = None,
) -> int:
    """Do the work for each save. One that cannot be read is reported, and the next one is read.

    Args:
        saves: the saves.
        work: what to do.
        summary: the work writes nothing before a save is read to its end, so a progress bar is possible.
        sparse: as for `streamsave.open`.
        type_hints: as for `streamsave.open`.
        on_damage: as for `streamsave.open`.
        combine: makes one exit code of those of the saves.
        until: returns whether to stop after a save with this exit code.
        elsewhere: yields the exit codes of work in other processes; without it, they run the command.

    Returns:
        The exit code.
    """

    def visit(name: str) -> int | None:
        with (
            selecting(name, type_hints=type_hints),
            open_input(name, summary=summary, sparse=sparse, type_hints=type_hints, on_damage=on_damage) as save,
        ):
            return work(save)

    return visit_saves(saves, visit, combine=combine, until=until, elsewhere=elsewhere)


def gather(
    saves: Saves,
    read: Callable[[Save], Iterable[T]],
    take: Callable[[T], None],
    *,
    summary: bool = False,
    type_hints: Mapping[str, str] | None = None,
) -> int:
    """Read saves, and pass what is read to `take` in the order of the saves, whichever process reads them.

    Args:
        saves: the saves.
        read: yields items of a save. With `--jobs`, it runs in another process: it and its items have to be picklable, and it
            may write nothing.
        take: gets each item. What it raises ends the reading.
        summary: as for `read_saves`.
        type_hints: as for `streamsave.open`.

    Returns:
        The exit code.
    """

    def work(save: Save) -> None:
        for each in read(save):
            take(each)

    def elsewhere(here: Here) -> Iterator[int]:
        from streamsave.cli.jobs import items_side_by_side

        return items_side_by_side(saves, read, take, type_hints, here)

    return read_saves(saves, work, summary=summary, type_hints=type_hints, elsewhere=elsewhere)


def visit_saves(
    saves: Saves,
    visit: Visit,
    *,
    combine: Callable[[Collection[int]], int] = max,
    until: Callable[[int], bool] | None = None,
    elsewhere: Callable[[Here], Iterator[int]] | None = None,
) -> int:
    """Do what `read_saves` does, for work that opens the saves itself."""

    def here(name: str | OSError) -> int:
        return attempt(name, visit)

    def codes_of() -> Generator[int]:
        if saves.several and saves.jobs > 1:
            from streamsave.cli.jobs import side_by_side

            yield from side_by_side(saves, here) if elsewhere is None else elsewhere(here)
        else:
            yield from map(here, saves)

    codes = set()
    with closing(codes_of()) as each:
        for code in each:
            codes.add(code)
            if until is not None and until(code):
                break
    return combine(codes)
