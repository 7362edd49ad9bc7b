"""The errors. Any other exception out of the parser, on any input, is a bug of streamsave.

| class | when |
|---|---|
| `SaveError` | root of the four below; a `ValueError` |
| `TruncatedSave` | the input ends before the save does |
| `DamagedSave` | bytes that contradict the format or each other |
| `LimitExceeded` | a value above one of `streamsave.Limits` |
| `UnsupportedSave` | a format, version or codec that streamsave cannot read |
| `StaleEvent` | misuse: a verb was used while nothing was open for it |
| `SelectError` | misuse: a selection or a property path has a fault; a `ValueError`, and no `SaveError` |
| `SelectWarning` | a test of a selection compares a text with numbers, or the like, and passes for none; a `UserWarning` |
| `EditError` | misuse: an edit that cannot be made; a `ValueError`, and no `SaveError` |
| `UnsupportedOption` | misuse: an option was given that the save's format does not take; a `TypeError` |

Errors of the *source* of the bytes, such as an `OSError`, pass through unchanged. Those of what reads a URL become an `OSError`,
whose cause they are.
"""

from __future__ import annotations

from typing import Self

__all__ = [
    "DamagedSave",
    "EditError",
    "LimitExceeded",
    "SaveError",
    "SelectError",
    "SelectWarning",
    "StaleEvent",
    "TruncatedSave",
    "UnsupportedOption",
    "UnsupportedSave",
    "format_path",
]

PathStep = str | int

#: Characters of a selection that `SelectError` shows on each side of its place.
SHOWN_BEFORE = 200
SHOWN_AFTER = 200
#: Characters that `EditError` shows of a value.
MOST_SHOWN = 300


def format_path(path: tuple[PathStep, ...]) -> str:
    """Return a path as one string: names joined by ``/``, an index in brackets after its name: ``a/b[3]``."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f"/{step}" if text else step
    return text


class SaveError(ValueError):
    """Root of all errors about the bytes of a save. The text starts with the place.

    Attributes:
        message: what is wrong, without the place.
        offset: position in the inflated stream, in bytes; in the file, if it is before the first chunk.
        chunk: index of the compressed chunk or archive member; None outside of all.
        chunk_offset: position in the inflated bytes of that chunk, or None.
        compressed_offset: where that chunk starts in the file, or None.
        path: names and indices from the outermost nesting to here, like `EventStream.path`.
        expected: what the format requires at this place, or None.
        actual: what is there, or None.
    """

    def __init__(
        self,
        message: str,
        offset: int = 0,
        *,
        chunk: int | None = None,
        chunk_offset: int | None = None,
        compressed_offset: int | None = None,
        path: tuple[PathStep, ...] = (),
        expected: object = None,
        actual: object = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.chunk = chunk
        self.chunk_offset = chunk_offset
        self.compressed_offset = compressed_offset
        self.path = path
        self.expected = expected
        self.actual = actual

    def _in_chunk(self, chunk: int, chunk_offset: int, compressed_offset: int, offset: int | None = None) -> Self:
        """Say in which chunk the fault is, and where in the stream unless that is known, and return the error."""
        self.chunk, self.chunk_offset, self.compressed_offset = chunk, chunk_offset, compressed_offset
        if offset is not None:
            self.offset = offset
        return self

    def __str__(self) -> str:
        text = f"offset {self.offset:#x}"
        if self.chunk is not None:
            text += f" (chunk {self.chunk} + {self.chunk_offset or 0:#x})"
        if self.path:
            text += f", {format_path(self.path)}"
        text += f": {self.message}"
        if self.expected is not None:
            text += f" (expected {self.expected}, found {self.actual!r})"
        return text

    def __reduce__(self) -> tuple[object, ...]:
        # Its own copy of the attributes: what `distributed` registers for all exceptions would share them with the original.
        return (_restore, (type(self), self.args, self.__dict__.copy()))


def _restore(kind: type[SaveError], args: tuple[object, ...], state: dict[str, object]) -> SaveError:
    """Return the error again in another process (`pickle`)."""
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class TruncatedSave(SaveError):
    """The input ends before the save does."""


class DamagedSave(SaveError):
    """Bytes that contradict the format or each other."""


class UnsupportedSave(SaveError):
    """Bytes of a format, version or codec that streamsave cannot read; the text says what would be needed."""


class LimitExceeded(SaveError):
    """A value above a limit.

    Attributes:
        limit: name of the field of `streamsave.Limits`.
        value: what the save asks for.
        allowed: what the limit allows.
    """

    def __init__(self, message: str, offset: int = 0, *, limit: str, value: int, allowed: int) -> None:
        super().__init__(message, offset)
        self.limit = limit
        self.value = value
        self.allowed = allowed


class StaleEvent(RuntimeError):
    """A verb was used on an event that the stream has moved past, or that opens nothing."""


class SelectWarning(UserWarning):
    """A test of a selection has met only values of another type, and has passed for none of them.

    It comes when the whole save was read. `warnings.simplefilter("error", streamsave.SelectWarning)` makes it an error.
    """


class SelectError(ValueError):
    """A selection or a property path has a fault. The text shows the place with a caret below it.

    Attributes:
        message: what is wrong.
        text: the selection or path, whole.
        position: index of the wrong character; the length of the text, if it ends too early.
    """

    def __init__(self, message: str, text: str, position: int) -> None:
        super().__init__(message, text, position)
        self.message = message
        self.text = text
        self.position = position

    def __str__(self) -> str:
        start = self.text.rfind("\n", 0, self.position) + 1
        line = self.text[start:].partition("\n")[0].replace("\t", " ")
        column = self.position - start
        # Of a long line, the part around the place.
        first = max(column - SHOWN_BEFORE, 0)
        line = ("..." if first else "") + line[first : column + SHOWN_AFTER] + ("..." if len(line) > column + SHOWN_AFTER else "")
        return f"{self.message}\n  {line}\n  {' ' * (column - first + (3 if first else 0))}^"


class EditError(ValueError):
    """An edit that cannot be made: a value of another type or out of range, a place that cannot be edited, a second edit of it.

    Attributes:
        message: what is wrong, without the place.
        actual: what was given, or None.
        expected: what would fit, or None.
        path: names and indices from the outermost nesting to the value, as far as they are known.
    """

    def __init__(self, message: str, actual: object = None, expected: object = None) -> None:
        super().__init__(message, actual, expected)
        self.message = message
        self.actual = actual
        self.expected = expected
        self.path: tuple[PathStep, ...] = ()

    def _inside(self, *steps: PathStep) -> EditError:
        """Put steps before those of the path, and return the error."""
        self.path = (*steps, *self.path)
        return self

    def __str__(self) -> str:
        text = f"{format_path(self.path)}: {self.message}" if self.path else self.message
        if self.expected is not None:
            return f"{text} (expected {self.expected}, found {shown_value(self.actual)})"
        return text if self.actual is None else f"{text}: {shown_value(self.actual)}"


def shown_value(value: object) -> str:
    """Return a value that a caller gave as text of at most `MOST_SHOWN` characters: it may be of any size and depth."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested too deep; an integer of more digits than Python writes
        text = f"a {type(value).__name__} too large to show"
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."


class UnsupportedOption(TypeError):
    """An option of `streamsave.open` was given for a save whose format does not take it.

    Attributes:
        option: the option: `"type_hints"`.
        format_name: the format: `"Arx save"`.
    """

    def __init__(self, option: str, format_name: str) -> None:
        super().__init__(option, format_name)
        self.option = option
        self.format_name = format_name

    def __str__(self) -> str:
        return f"{self.format_name} takes no {self.option}"
