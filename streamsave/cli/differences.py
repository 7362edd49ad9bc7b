"""What `diff` writes: a line for each difference, JSON, or sums by class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

import orjson
from mypy_extensions import mypyc_attr

from streamsave.cli.options import for_people
from streamsave.cli.output import on_terminal, styled, write_json, write_line, write_rows
from streamsave.cli.text import classes_text, clean, short_class
from streamsave.compare.ignored import ignored_by
from streamsave.compare.pair import Pair
from streamsave.events import ObjectHeader
from streamsave.report.categories import NATURE, classify_for

__all__ = ["ADDED", "BYTES", "CHANGED", "REMOVED", "Differences"]

#: Characters of a value that are shown.
SHOWN: Final = 160
#: In place of a value that there is not.
NOTHING: Final = "(none)"
#: In place of the names of an object, for a value that is in none.
NO_OBJECT: Final = "-"

ADDED: Final = "+"
REMOVED: Final = "-"
CHANGED: Final = "~"
BYTES: Final = "bytes"
WORDS: Final = {ADDED: "added", REMOVED: "removed", CHANGED: "changed"}


@mypyc_attr(allow_interpreted_subclasses=True)
class Differences:
    """Takes the differences that are not ignored, and writes them, or their sums by class at the end.

    In a pipe, a line is `+`, `-` or `~`, level, class, name and `path: old -> new`, with tabs between them. On a terminal, an
    object is a line of its own, and its values are below it.
    """

    def __init__(self, *, summary: bool, long: bool, as_json: bool, hides_nature: bool = False) -> None:
        self._long = long
        self.hides_nature = hides_nature
        #: The categories of the game.
        self.classify = classify_for("")
        self._as_json = as_json
        self._is_summary = summary
        self._add = self._sum if summary else self._write_json if as_json else self._write_text
        self.ignores = ignored_by(())
        #: How many there were.
        self.count = 0
        #: What differed last.
        self._last: Pair | None = None
        #: By how many bytes the objects of each class have grown; "": what is in no object.
        self.growth: dict[str, int] = {}
        #: How many objects of a class differ.
        self._sums: dict[str, Counter[str]] = {}
        #: The classes that are nature.
        self._nature: set[str] = set()

    def add(self, pair: Pair, path: str, old: str | None, new: str | None) -> None:
        """Take one more difference: a `Report`."""
        header = pair.new or pair.old
        if path and self.ignores("" if header is None else short_class(header.class_name), path):
            return
        self.count += 1
        self._add(CHANGED if path else ADDED if pair.old is None else REMOVED, pair, header, path, old, new)

    def _write_text(
        self, kind: str, pair: Pair, header: ObjectHeader | None, path: str, old: str | None, new: str | None
    ) -> None:
        values = [clean(f"{path}: {self._shown(old)} -> {self._shown(new)}")] if path else []
        names = [NO_OBJECT] * 3
        if header is not None:
            names = [clean(header.level), clean(self._name(header.class_name)), clean(header.instance_name)]
        if not on_terminal():
            write_line("\t".join([kind, *names, *values]))
        elif header is None:
            write_line(f"{styled(kind, kind)} {values[0]}")
        else:
            if pair is not self._last:
                write_line(f"{styled(kind, kind)} {styled(names[1], 'class')} {names[2]}")
            for value in values:
                write_line(f"    {value}")
        self._last = pair

    def _shown(self, value: str | None) -> str:
        if value is None:
            return NOTHING
        return value if self._long or len(value) <= SHOWN else f"{value[:SHOWN]}... ({len(value)} characters)"

    def _name(self, class_name: str) -> str:
        return class_name if self._long else short_class(class_name)

    def _write_json(
        self, kind: str, pair: Pair, header: ObjectHeader | None, path: str, old: str | None, new: str | None
    ) -> None:
        record: dict[str, object] = {"change": WORDS[kind]}
        if header is not None:
            record |= {name: getattr(header, name) for name in ("kind", "class_name", "instance_name", "level")}
        if path:
            record |= {"path": path, "old": orjson.loads(old or "null"), "new": orjson.loads(new or "null")}
        sides = ("old_size", pair.old), ("new_size", pair.new)
        write_json(record | {name: side.size for name, side in sides if side is not None})

    def _sum(self, kind: str, pair: Pair, header: ObjectHeader | None, _path: str, _old: str | None, _new: str | None) -> None:
        if header is not None and pair.is_summed:
            return  # one more value of the same object
        pair.is_summed = True
        if header is not None and self.hides_nature and self.classify(header.kind, header.class_name) is NATURE:
            self._nature.add(header.class_name)
        self._sums.setdefault("" if header is None else header.class_name, Counter())[kind] += 1

    def sums(self) -> list[tuple[str, Counter[str]]]:
        """Return what a summary says of each class ("": of what is in no object), the one that grew most first."""
        if self._is_summary and self.count:
            for name, size in self.growth.items():
                if size or name in self._sums:
                    self._sums.setdefault(name, Counter())[BYTES] = size
        return sorted(self._sums.items(), key=lambda item: (-item[1][BYTES], item[0]))

    def close(self) -> None:
        """Write the lines of a summary: how many objects of each class were added, removed and changed, and the bytes."""
        rows = self.sums()
        if self._as_json:
            for name, one in rows:
                counts = {word: one[kind] for kind, word in WORDS.items()}
                write_json({"class_name": name or None, **counts, BYTES: one[BYTES]})
            return
        shown = [(self._name(name) or "(in no object)", one) for name, one in rows if name not in self._nature]
        if rows and on_terminal():
            shown = [(name if self._long else for_people(name), one) for name, one in shown]
            if self._nature:
                shown.append(
                    (f"(nature: {classes_text(len(self._nature))}; --all)", summed(self._sums[name] for name in self._nature))
                )
            shown.append(("total", summed(self._sums.values())))
        columns = (*WORDS.values(), BYTES)
        cells = [
            (name, one[ADDED], one[REMOVED], one[CHANGED], f"{one[BYTES]:+,}" if on_terminal() else f"{one[BYTES]:+}")
            for name, one in shown
        ]
        if cells:
            write_rows("differences", ("class_name", *columns), cells, right=columns)


def summed(sums: Iterable[Counter[str]]) -> Counter[str]:
    """Return the sum of what differs in several classes."""
    total = Counter[str]()
    for one in sums:
        total.update(one)
    return total
