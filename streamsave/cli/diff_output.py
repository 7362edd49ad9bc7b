"""What `streamsave diff` writes: a line for each difference, JSON, or sums by class."""

from __future__ import annotations

from typing import Final

from streamsave.cli.lines import Lines
from streamsave.cli.output import on_terminal, write_json, write_row, write_table
from streamsave.cli.text import clean, count_text, short_class
from streamsave.compare.ignored import Ignored
from streamsave.compare.pair import Pair
from streamsave.decode.json_values import Json, json_value
from streamsave.events import ObjectHeader

__all__ = ["Differences", "JsonDifferences", "Summary", "TextDifferences"]

#: Characters of a value that are shown.
SHOWN: Final = 160
#: In place of a value that there is not.
NOTHING: Final = "(none)"
#: In place of the names of an object, for a value that is in none.
NO_OBJECT: Final = "-"

ADDED: Final = "+"
REMOVED: Final = "-"
CHANGED: Final = "~"
WORDS: Final = {ADDED: "added", REMOVED: "removed", CHANGED: "changed"}


class Differences:
    """Takes the differences that are not ignored. Subclasses write them."""

    def __init__(self) -> None:
        self.ignored = Ignored(())
        #: How many there were.
        self.count = 0

    def add(self, pair: Pair, path: str, old: str | None, new: str | None) -> None:
        """Take one more difference: a `Report`."""
        header = pair.new or pair.old
        if path and self.ignored.matches("" if header is None else short_class(header.class_name), path):
            return
        self.count += 1
        kind = CHANGED if path else ADDED if pair.old is None else REMOVED
        self._write(kind, pair, path, old, new)

    def _write(self, kind: str, pair: Pair, path: str, old: str | None, new: str | None) -> None:
        raise NotImplementedError

    def close(self) -> None:
        """Write what is not written yet."""


class TextDifferences(Differences):
    """Lines of `+`, `-` or `~`, level, class, name and `path: old -> new`, with tabs between them.

    On a terminal, an object is a line of its own, and its values are below it.
    """

    def __init__(self, *, long: bool) -> None:
        super().__init__()
        self._long = long
        self._lines = Lines()
        self._is_grouped = on_terminal()
        self._last: Pair | None = None

    def _write(self, kind: str, pair: Pair, path: str, old: str | None, new: str | None) -> None:
        value = clean(f"{path}: {self._shown(old)} -> {self._shown(new)}") if path else ""
        header = pair.new or pair.old
        if header is None:
            names = (NO_OBJECT,) * 3
        else:
            class_name = header.class_name if self._long else short_class(header.class_name)
            names = (clean(header.level), clean(class_name), clean(header.instance_name))
        if not self._is_grouped:
            self._lines.put("\t".join([kind, *names, value] if value else [kind, *names]))
            return
        if header is None:
            self._lines.put(f"{kind} {value}")
        elif pair is not self._last or not path:
            self._lines.put(f"{kind} {names[1]} {names[2]}")
        if header is not None and path:
            self._lines.put(f"    {value}")
        self._last = pair

    def _shown(self, value: str | None) -> str:
        if value is None:
            return NOTHING
        return value if self._long or len(value) <= SHOWN else f"{value[:SHOWN]}... ({len(value)} characters)"

    def close(self) -> None:
        """Write the last lines."""
        self._lines.flush()


class JsonDifferences(Differences):
    """A JSON object a line for each difference."""

    def _write(self, kind: str, pair: Pair, path: str, old: str | None, new: str | None) -> None:
        record: dict[str, Json] = {"change": WORDS[kind]}
        header = pair.new or pair.old
        if header is not None:
            record |= {
                "kind": header.kind,
                "class_name": json_value(header.class_name),
                "instance_name": json_value(header.instance_name),
                "level": json_value(header.level),
            }
        if path:
            record |= {"path": json_value(path), "old": _loaded(old), "new": _loaded(new)}
        if pair.old is not None:
            record["old_size"] = pair.old.size
        if pair.new is not None:
            record["new_size"] = pair.new.size
        write_json(record)


def _loaded(text: str | None) -> Json:
    import orjson

    if text is None:
        return None
    loaded: Json = orjson.loads(text)
    return loaded


class Sum:
    """What differs in the objects of one class."""

    def __init__(self) -> None:
        self.counts = {ADDED: 0, REMOVED: 0, CHANGED: 0}
        self.size = 0


class Summary(Differences):
    """A line for each class: how many were added, removed and changed, and how many bytes that makes."""

    def __init__(self, *, long: bool, as_json: bool) -> None:
        super().__init__()
        self._long = long
        self._as_json = as_json
        self._sums: dict[str, Sum] = {}

    def _write(self, kind: str, pair: Pair, path: str, old: str | None, new: str | None) -> None:
        header = pair.new or pair.old
        if header is not None and pair.is_summed:
            return  # one more value of the same object
        pair.is_summed = True
        one = self._sums.setdefault("" if header is None else header.class_name, Sum())
        one.counts[kind] += 1
        one.size += _size(pair.new) - _size(pair.old)

    def close(self) -> None:
        """Write the sums."""
        rows = sorted(self._sums.items(), key=lambda item: (-item[1].size, item[0]))
        if self._as_json:
            for name, one in rows:
                counts: dict[str, Json] = {WORDS[kind]: count for kind, count in one.counts.items()}
                write_json({"class_name": json_value(name) if name else None, **counts, "bytes": one.size})
            return
        if not rows:
            return
        total = Sum()
        for _, one in rows:
            total.size += one.size
            for kind, count in one.counts.items():
                total.counts[kind] += count
        shown = [(self._name(name), *_numbers(one)) for name, one in rows]
        if on_terminal():
            numbers = ("added", "removed", "changed", "bytes")
            write_table("differences", ("class", *numbers), [*shown, ("total", *_numbers(total))], right=numbers)
            return
        for row in shown:
            write_row(row)

    def _name(self, class_name: str) -> str:
        if not class_name:
            return "(in no object)"
        return clean(class_name if self._long else short_class(class_name))


def _numbers(one: Sum) -> tuple[str, str, str, str]:
    text = count_text if on_terminal() else str
    return text(one.counts[ADDED]), text(one.counts[REMOVED]), text(one.counts[CHANGED]), f"{one.size:+}"


def _size(header: ObjectHeader | None) -> int:
    return 0 if header is None else max(header.size, 0)
