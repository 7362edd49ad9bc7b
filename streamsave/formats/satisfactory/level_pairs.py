"""The pairs of headers and entries of one level, from any of them on: what they say of each other, and what an object is."""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.decode.cursor import Cursor
from streamsave.errors import SaveError
from streamsave.formats.satisfactory.object_entry import ObjectEntryCodec
from streamsave.formats.satisfactory.object_header import ObjectHeaderCodec
from streamsave.formats.satisfactory.object_matching import FOREIGN, MOST_CLAIMS, OTHER_KIND, Matching, PairReader
from streamsave.formats.satisfactory.objects import BROKEN, SOUND, UNREADABLE, WHOLE, ObjectReader, is_torn
from streamsave.formats.satisfactory.record_scanners import LEAST_OBJECT
from streamsave.limits import Limits

__all__ = ["LevelPairs"]

#: How many names are looked for one by one.
MOST_LOOKUPS: Final = 64


class LevelPairs:
    """Reads headers and entries of one level.

    Args:
        toc: at its first header; the limit is where the headers end.
        data: at its first entry, with their limit.
        entries: reads its entries.
        version: the SaveVersion of the level.
        count: how many headers it has.
        limits: those of the save.
        build_version: build number of the game that wrote the save.
        ue5_version: the UE5 object version of the level.
    """

    def __init__(
        self,
        toc: Cursor,
        data: Cursor,
        entries: ObjectEntryCodec,
        version: int,
        count: i64,
        limits: Limits,
        build_version: int,
        ue5_version: int,
    ) -> None:
        self.toc = toc.fork()
        self.data = data.fork()
        self.toc_start: i64 = toc.tell()
        self.data_start: i64 = data.tell()
        self.version = version
        self.count: i64 = count
        #: The header and the entry that were read last.
        self.headers = ObjectHeaderCodec(version)
        self.entries = entries
        self.pairs = PairReader(data.fork())
        #: What the object is that was read last.
        self.objects = ObjectReader(data.fork(), limits, build_version, entries, ue5_version)
        self._known_names: dict[str, bool] = {}

    # --- pairs ---

    def decodes(self, toc: Cursor) -> bool:
        """Read a header; return False if it cannot be read, though its size can: the last one, in a chunk."""
        try:
            self.headers.decode(toc)
        except SaveError:
            return False
        return True

    def match(self, toc_at: i64, data_at: i64, count: i64, *, sure_start: bool = True, knows_names: bool = True) -> Matching:
        """Look at so many pairs from these places on, as far as they can be read.

        Without `knows_names`, some headers cannot be read: any name that an entry claims may be that of an object.
        """
        matching = Matching(self.pairs, sure_start=sure_start)
        self._add_all(matching, toc_at, data_at, count)
        return self.settle(matching, toc_at, data_at, count, sure_start=sure_start) if knows_names else matching

    def settle(
        self,
        matching: Matching,
        toc_at: i64,
        data_at: i64,
        count: i64,
        *,
        sure_start: bool = True,
        misfits: frozenset[int] = frozenset(),
    ) -> Matching:
        """Look again at pairs whose entries claim other names, now that it is known which names there are.

        `misfits` are other pairs that are doubtful, by their number.
        """
        claims = matching.claims
        if not misfits and (not claims or len(claims) >= MOST_CLAIMS):
            return matching
        known: set[str] = set()
        displaced = set(misfits)
        toc = self.toc.fork()
        toc.seek(self.toc_start)
        index = -1
        for _ in range(self.count):
            if toc.tell() == toc_at:
                index = 0
            if not self.decodes(toc):
                break
            if self.headers.instance_name in claims:
                known.add(self.headers.instance_name)
                displaced.add(index)
            index += index >= 0
        settled = Matching(self.pairs, sure_start=sure_start, known=frozenset(known), displaced=frozenset(displaced))
        self._add_all(settled, toc_at, data_at, count)
        return settled

    def _add_all(self, matching: Matching, toc_at: i64, data_at: i64, count: i64) -> None:
        toc = self.toc.fork()
        toc.seek(toc_at)
        data = self.data.fork()
        data.seek(data_at)
        try:
            for _ in range(count):
                self.headers.decode(toc)
                if not self.entries.read(data, strict=True):
                    return
                matching.add(self.headers, self.entries)
                self.entries.skip_data(data)
        except SaveError:  # that ends them
            return

    def anchored(self, read: i64, *, knows_names: bool = True) -> i64:
        """Return how many of the first `read` objects are certain, as one of the next is bound; `knows_names` as for `match`.

        A size of the last one that is bound is certain only if the next one shows it, or it does itself.
        """
        front = self.match(self.toc_start, self.data_start, read, knows_names=knows_names)
        most = min(front.certain(), front.last_bound)
        toc, data = self.at_start()
        count: i64 = 0
        while count < most and self.fits(toc, data) and self.entries.size >= LEAST_OBJECT:
            count += 1
        if count == front.last_bound < front.certain() and self.fits(toc, data) and self.objects.is_exact:
            count += 1  # it shows itself where it ends
        return count

    def pair_ends(self, header_count: i64, entry_count: i64) -> tuple[int, int]:
        """Pair so many headers with so many entries from the start and from the end; return how many pairs are certain of both.

        Only what is bound shows on which side of a pair the one too many is.
        """
        least = min(header_count, entry_count)
        fitting: i64 = 0
        toc, data = self.at_start()
        while fitting < least and self.fits(toc, data):
            fitting += 1
        first = self.anchored(fitting)
        toc, data = self.at_start()
        for _ in range(header_count - least):
            self.headers.measure(toc)
        for _ in range(entry_count - least):
            self.entries.measure(data)
        last, _, _ = self.bound_to_end(toc, data, least)
        return (int(first), int(last)) if first + last <= least else (0, 0)

    def bound_to_end(self, toc: Cursor, data: Cursor, left: i64, *, knows_names: bool = True) -> tuple[int, int, int]:
        """Find the first pair that is bound, after all that do not fit; `left` pairs are left, and the cursors are at the first.

        Returns:
            How many are left from there on; where its header and its entry start. 0 and -1 if there is none.
        """
        start = (toc.tell(), data.tell())
        sure = left
        for index in range(left):
            if not self.fits(toc, data):
                start = (toc.tell(), data.tell())
                sure = left - index - 1
        matching = self.match(*start, sure, sure_start=False, knows_names=knows_names)
        if matching.count != sure or matching.first_sure < 0:
            return 0, -1, -1
        toc.seek(start[0])
        data.seek(start[1])
        for _ in range(matching.first_sure):
            self.headers.measure(toc)
            self.entries.measure(data)
        return int(sure - matching.first_sure), int(toc.tell()), int(data.tell())

    def at_start(self) -> tuple[Cursor, Cursor]:
        """Return cursors at the first header and at the first entry."""
        toc = self.toc.fork()
        toc.seek(self.toc_start)
        data = self.data.fork()
        data.seek(self.data_start)
        return toc, data

    # --- an object ---

    def is_exact_at(self, header_index: i64, entry_index: i64) -> bool:
        """Return whether the object of a header and an entry, by their numbers, is whole, and would not be with another size."""
        toc, data = self.at_start()
        try:
            for _ in range(header_index):
                self.headers.measure(toc)
            for _ in range(entry_index):
                self.entries.measure(data)
        except SaveError:
            return False
        return self.state(toc, data) == WHOLE and self.objects.is_exact

    def state(self, toc: Cursor, data: Cursor) -> int:
        """Read an object; return what it is. Both cursors are moved to the next one, if the sizes can be read."""
        headers = self.headers
        entries = self.entries
        try:
            headers.decode(toc)
            if not entries.read(data, strict=True):
                return BROKEN
            state = self.read_object()
            entries.skip_data(data)
        except SaveError as error:
            return UNREADABLE if is_torn(toc, error) or is_torn(data, error) else BROKEN
        return state

    def fits(self, toc: Cursor, data: Cursor) -> bool:
        """Read an object as `state` does; return whether it may be one, and ends as its class does, if that is known."""
        state = self.state(toc, data)
        return state == UNREADABLE or (state != BROKEN and (self.entries.size == 0 or self.objects.fits_class))

    def read_object(self) -> int:
        """Read the object whose header and entry were read last; return what it is."""
        entries = self.entries
        size = entries.size
        if size == 0:
            return SOUND
        said = self.pairs.evidence(self.headers, entries)
        if said == OTHER_KIND or (said == FOREIGN and self._has_object(self.pairs.claimed)):
            return BROKEN
        header = self.headers.event(entries.save_version, entries.prefix_size, entries.data_offset, size, entries.stored_flags)
        state = self.objects.state(header)
        # Few bytes are no proof.
        return SOUND if state == WHOLE and size < LEAST_OBJECT else state

    def _has_object(self, name: str) -> bool:
        """Return whether the level has an object of that name; of many names, only that it may have."""
        if len(self._known_names) >= MOST_LOOKUPS:
            return True
        if name not in self._known_names:
            toc = self.toc.fork()
            toc.seek(self.toc_start)
            headers = ObjectHeaderCodec(self.version)
            found = False
            try:
                for _ in range(self.count):
                    headers.decode(toc)
                    if headers.instance_name == name:
                        found = True
                        break
            except SaveError:  # it may come after that
                found = True
            self._known_names[name] = found
        return self._known_names[name]

    def is_small(self, data: Cursor) -> bool:
        """Return whether an entry is none, or too small to be told from other bytes. The cursor stays where it is."""
        start = data.tell()
        try:
            return data.remaining() == 0 or not self.entries.read(data, strict=True) or self.entries.size < LEAST_OBJECT
        except SaveError as error:
            return not is_torn(data, error)
        finally:
            data.seek(start)
