"""Which objects of a level are certain: found out before any of them is given, as one wrong size moves all that follow it.

Headers and entries follow each other without marks. Only if both lead to their end, and are as many as the level says, do they
belong to each other. Where they do not, this is certain:

| objects | if |
|---|---|
| from the start of the level | all before it are; it can be read whole, with nothing left over; the next entry is one |
| from the end of the level | all entries from it on lead to the end: `resync_scan` |

Where entries lead to the end and are more or fewer than headers, any of them may be the one too many. Then nothing is certain,
unless the object can be found whose size covers the next ones, or falls short.
"""

from __future__ import annotations

from streamsave._native import i64
from streamsave.decode.cursor import Cursor
from streamsave.formats.satisfactory.both_ends import BothEnds, Break, Resume
from streamsave.formats.satisfactory.level_chains import MANY, LevelChains
from streamsave.formats.satisfactory.object_matching import Matching
from streamsave.formats.satisfactory.objects import BROKEN, UNREADABLE, WHOLE

__all__ = ["LevelProof"]


class LevelProof(LevelChains):
    """What is certain of one level; the arguments are those of `LevelChains`."""

    #: All is certain.
    is_proven: bool

    def prove(self) -> None:
        """Find out what is certain; nothing else may be asked before."""
        if self._headers_hold and self._entries_hold:
            self._find_stretches()
        else:
            self._examine()
        self.is_proven = self._headers_hold and self._entries_hold and not self.gaps

    def holds(self, toc: Cursor, data: Cursor, left: i64) -> bool:
        """Return whether the next object is certain, if all before it are; also if the walk meets its fault anyway.

        Args:
            toc: at its header.
            data: at its entry.
            left: how many objects are left, that one included.
        """
        index = self.count - left
        self.is_in_headers = False
        if index < self.anchored:
            return True
        if self.is_hopeless:
            return False
        if self.is_known:
            self.is_in_headers = not self._headers_hold
            return self.is_paired or index < self.front
        if index >= self._sure_headers or self._entries_hold:
            return True
        if index >= self._entries_read:
            return self._is_torn_entry
        headers = toc.fork()
        entries = data.fork()
        state = self._level.state(headers, entries)
        if state == UNREADABLE:
            return True
        if self._is_torn_entry:
            return state != BROKEN  # no size is wrong, as far as chunks can be read
        # Where any bytes may be the end of an object, the next object has to be one, too.
        if index + 1 >= self._entries_read or state != WHOLE or self._level.is_small(entries):
            return False
        return self._level.state(headers, entries) != BROKEN

    def gap(self, left: i64) -> tuple[int, int]:
        """Return how many headers and entries are passed over before the next object that is certain, if sizes lead there."""
        index = self.count - left
        for first, headers, entries in self.gaps:
            if first == index:
                return headers, entries
        return 0, 0

    def close_gap(self, left: i64) -> None:
        """Note that the next stretch was passed over, of which nothing is certain."""
        index = self.count - left
        self.gaps = [gap for gap in self.gaps if gap[0] != index]

    @property
    def is_known(self) -> bool:
        """Whether what is certain is known: no chunk is missing."""
        return not (self._is_torn_header or self._is_torn_entry)

    @property
    def gives_any(self) -> bool:
        """Whether any object is certain, though not all are."""
        return bool(self.gaps) or self.anchored > 0 or self.front > 0 or self.resume.left > 0

    @property
    def is_paired(self) -> bool:
        """Whether all sizes lead to the ends."""
        return self._headers_hold and self._entries_hold

    @property
    def is_torn(self) -> bool:
        """Whether a chunk cannot be read; not if the stream ends too early, though no chunk is missing."""
        return self._is_torn_header or (self._is_torn_entry and not (self._is_cut and self._reader.windows.ends_short()))

    def trust_no_sizes(self) -> None:
        """Assume that bytes are missing, or too many, that no size counts: only what is bound is certain."""
        self.is_hopeless = True
        self.anchored = self._level.anchored(self.count)
        self.resume = self._bound_after(self.resume)
        if not self.is_paired:  # as many are certain, and one more is damaged, whatever the level says
            self.count = max(self.count, self.anchored + self.resume.left + 1)

    def _bound_after(self, resume: Resume) -> Resume:
        """Return where objects are certain again if the end that they lead to is not: from the first one on that is bound."""
        if resume.left == 0:
            return resume
        toc, data = self._level.at_start()
        toc.seek(resume.toc_offset)
        data.seek(resume.data_offset)
        left, toc_offset, data_offset = self._level.bound_to_end(toc, data, resume.left, knows_names=self._headers_hold)
        return Resume(toc_offset, data_offset, left) if left else Resume()

    def doubt_end_of_headers(self) -> None:
        """Assume that the headers need not end where they do: the last one is not certain."""
        self.is_proven = False
        if self._headers_hold:
            self._headers_hold = False
            self.front = self.count - 1

    def doubt_start(self) -> None:
        """Assume that the first object need not belong to its header: those up to the first that is bound are not certain."""
        if not self.is_paired:
            self.is_hopeless = True
            return
        first = self._matching.first_bound if self._matching.first_bound >= 0 else self.count
        self.gaps = [(0, int(first), int(first)), *[gap for gap in self.gaps if gap[0] >= first]] if first else self.gaps
        self.is_proven = not self.gaps

    def doubt_end(self) -> None:
        """Assume that the entries need not end where they do: the last object is not certain, unless no other size fits it."""
        entry_count = self.count
        for first, headers, entries in self.gaps:
            entry_count += entries - headers
            if first + headers >= self.count:
                return
        if self.is_paired and self.count and not self._level.is_exact_at(self.count - 1, entry_count - 1):
            self.gaps.append((int(self.count) - 1, 1, 1))
            self.is_proven = False

    def doubt_pairs(self) -> None:
        """Assume that more than the end is damaged: what does not end as its class does may not belong to its header."""
        if self.is_paired and all(headers == entries for _, headers, entries in self.gaps):
            self._find_stretches(is_damaged=True)
            self.is_proven = not self.gaps

    def _find_stretches(self, *, is_damaged: bool = False) -> None:
        """Find what is doubtful where all sizes lead to the ends; `is_damaged` if something of the level is known to be."""
        matching = self._matching
        if matching.first_doubt >= 0:
            matching = self._level.settle(matching, self._toc_start, self._data_start, self.count)
        stretches = matching.stretches()
        misfits = self._misfits() if is_damaged or stretches else frozenset()
        if misfits:
            matching = self._level.settle(self._matching, self._toc_start, self._data_start, self.count, misfits=misfits)
            stretches = matching.stretches()
        if not self._layout.entry_versions:
            stretches = joined([*stretches, *self._shifted()])
        self.gaps = [(start, end - start, end - start) for start, end in stretches]

    # --- numbers that differ ---

    def _examine(self) -> None:
        """Find out what is certain where sizes or numbers are wrong."""
        header_count = self.count
        if not self._headers_hold:
            header_count = self._header_scanner(MANY).count(self._toc_start)
        entry_count = self.count
        if not self._entries_hold:
            entry_count = self._entry_scanner(MANY).count(self._data_start)
        if self._stated >= 0 and header_count >= 0 and entry_count >= 0:
            self._compare(header_count, entry_count)
            return
        is_counted = self._stated in {-1, self.count}
        headers = Break(self.count, self._toc_start, self.count, is_through=True)
        if not self._headers_hold:
            headers = self._break_of_headers(header_count)
        entries = Break(self.count, self._data_start, self.count, is_through=True)
        if not self._entries_hold:
            entries = self._break_of_entries(entry_count)
        if self._is_torn_header or self._is_torn_entry:
            self.is_hopeless = not is_counted
            if self.is_hopeless:
                self.anchored = self._level.anchored(self.count)
            return
        if is_counted and self._headers_hold and entry_count >= 0 and self._find_miscounted(entry_count - self.count):
            return
        ends = BothEnds(
            self._level,
            self.count,
            headers,
            entries,
            is_counted=is_counted,
            entry_versions=self._layout.entry_versions,
        )
        self.front = ends.front
        self.resume = ends.resume
        # One more than these is damaged, whatever the level says.
        self.count = max(self.count, self.front + self.resume.left + 1)

    def _compare(self, header_count: i64, entry_count: i64) -> None:
        """Find out what is certain where headers and entries lead to their ends, and there are so many."""
        is_as_stated = header_count == self.count == self._stated
        self._level.count = header_count
        if header_count == entry_count:
            self.count = header_count
            self._headers_hold = True
            self._matching = Matching(self._level.pairs)
            self._data.seek(self._data_start)
            self._entries_hold = self._try_entries()
            if self._entries_hold:
                self._find_stretches(is_damaged=True)
            else:
                self.is_hopeless = True
        elif not is_as_stated or not self._find_miscounted(entry_count - header_count):
            self.count = header_count
            first, last = self._level.pair_ends(header_count, entry_count)
            self.gaps = [(first, int(header_count) - first - last, int(entry_count) - first - last)]
            self._headers_hold = True
            self._entries_hold = True


def joined(stretches: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return stretches in their order, and those that overlap as one."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(stretches):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found
