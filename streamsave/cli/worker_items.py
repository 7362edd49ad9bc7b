"""Items that other processes read from saves. Each is its size (u64) and its pickle, in a temporary file."""

from __future__ import annotations

import pickle
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import redirect_stderr
from pathlib import Path
from typing import Final, Generic, TypeVar

import click

from streamsave.cli.inputs import Saves
from streamsave.cli.jobs import Here, current_meta, run_side_by_side
from streamsave.cli.output import FAILED, OutputFailed, prepare, write_bytes
from streamsave.cli.save import Save, attempt, open_input, selecting
from streamsave.cli.worker import Answer, Spool

__all__ = ["items_side_by_side"]

T = TypeVar("T")
SIZE: Final = struct.Struct("<Q")


def items_side_by_side(
    saves: Saves, read: Callable[[Save], Iterable[T]], take: Callable[[T], None], type_hints: Mapping[str, str] | None, here: Here
) -> Iterator[int]:
    """Let other processes read saves, and take their items here, in the order of the saves; yield the exit codes.

    Args:
        saves: the saves, and how many at a time.
        read: yields the items of a save; it and the items have to be picklable.
        take: gets each item.
        type_hints: as for `streamsave.open`.
        here: does both in this process, for standard input and for errors.
    """
    return run_side_by_side(saves, Reading(read, type_hints, current_meta()), lambda: Items(take).feed, here)


class Reading(Generic[T]):
    """What a worker does with each save."""

    def __init__(
        self, read: Callable[[Save], Iterable[T]], type_hints: Mapping[str, str] | None, meta: Mapping[str, object]
    ) -> None:
        self.read = read
        self.type_hints = type_hints
        self.meta = meta

    def __call__(self, name: str, paths: tuple[Path, Path]) -> Answer:
        """Read one save."""
        output, errors = paths
        try:
            with (
                output.open("wb") as file,
                Spool(errors, "utf-8", is_terminal=False) as err,
                redirect_stderr(err),
                click.Context(click.Command(None)) as context,
            ):
                prepare()
                context.meta.update(self.meta)

                def visit(name: str) -> None:
                    with selecting(name, type_hints=self.type_hints), open_input(name, type_hints=self.type_hints) as save:
                        for item in self.read(save):
                            data = pickle.dumps(item, pickle.HIGHEST_PROTOCOL)
                            write_bytes(file, SIZE.pack(len(data)) + data)

                return Answer(attempt(name, visit))
        except OutputFailed as failed:
            return Answer(FAILED, failed.message)
        except OSError as error:  # those of the save were reported
            return Answer(FAILED, error.strerror or str(error))


class Items(Generic[T]):
    """Makes items from the bytes that a worker has written."""

    def __init__(self, take: Callable[[T], None]) -> None:
        self._take = take
        self._bytes = bytearray()

    def feed(self, data: bytes) -> None:
        """Take some more bytes. The incomplete item of a worker that died is left out."""
        self._bytes += data
        at = 0
        while len(self._bytes) - at >= SIZE.size:
            start = at + SIZE.size
            (size,) = SIZE.unpack_from(self._bytes, at)
            if len(self._bytes) - start < size:
                break
            self._take(pickle.loads(memoryview(self._bytes)[start : start + size]))  # noqa: S301 - our own worker has written it
            at = start + size
        del self._bytes[:at]
