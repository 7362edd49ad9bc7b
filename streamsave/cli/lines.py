"""Lines on standard output, many at a time."""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.cli.output import is_unbuffered, on_terminal, write_line

__all__ = ["Lines"]

#: Lines that are written at once: to write each by itself takes up to half of the time of making it.
MOST_LINES: Final = 100
#: Characters of them: lines with the names of a hostile save are long.
MOST_CHARACTERS: Final = 64 * 1024


class Lines:
    """Collects lines and writes many at a time, or each at once if standard output is a terminal or unbuffered.

    Call `flush` after the last one.
    """

    def __init__(self) -> None:
        self._most: i64 = 1 if on_terminal() or is_unbuffered() else MOST_LINES
        self._lines: list[str] = []
        self._size: i64 = 0

    def put(self, text: str) -> None:
        """Write one line, at once or later.

        Raises:
            OutputFailed: standard output cannot be written.
        """
        self._lines.append(text)
        self._size += len(text)
        if len(self._lines) >= self._most or self._size > MOST_CHARACTERS:
            self.flush()

    def flush(self) -> None:
        """Write the lines that wait; raise as `put`."""
        if self._lines:
            lines, self._lines = self._lines, []
            self._size = 0
            write_line("\n".join(lines))
