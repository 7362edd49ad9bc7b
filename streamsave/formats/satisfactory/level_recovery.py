"""Walk a level on after damage: what is given up, and where the walk goes on.

| what is damaged | what is lost | where the walk goes on |
|---|---|---|
| the data of an object | the object | after it: its size is known |
| an entry up to its size, or a header | objects up to the first that is certain | there (`resync_scan`) |
| the same, and nothing after it is certain | all other objects of the level | after its objects: their size is known |
| the start of a streaming level | the level | after it: the sizes of its blobs are known |
| the start of the persistent level | objects up to the first that is certain | there |

`body_recovery` has the cases in which whole levels are lost. The objects that were lost are reported one by one, as far as their
headers are sound: `level_losses` does that.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

from streamsave._native import i64
from streamsave.decode.codecs import Codec
from streamsave.errors import SaveError
from streamsave.events import Event, ObjectHeader
from streamsave.formats.satisfactory.level_end import leads_on, level_starts_between, limit_of_level
from streamsave.formats.satisfactory.level_losses import LevelLosses
from streamsave.formats.satisfactory.level_proof import LevelProof
from streamsave.formats.satisfactory.record_scanners import likely_version

__all__ = ["LevelRecovery"]


class LevelRecovery(LevelLosses):
    """Walks levels that may be damaged: each step of the plain walk, under a guard."""

    # --- the steps of the walk ---

    def streaming_level(self, version: int, ue5_version: int, index: i64) -> Iterator[Event]:
        self._reader.claimed = self._reader.cursor.tell()
        return super().streaming_level(version, ue5_version, index)

    def persistent_level(self, name: str, version: int, ue5_version: int, index: i64) -> Iterator[Event]:
        reader = self._reader
        guard = self._guard
        fault = self.lost_start
        self._is_torn_start = reader.cursor.fault is not None
        if fault is None:
            with guard:
                yield from super().persistent_level(name, version, ue5_version, index)
            fault = guard.fault
            self._is_torn_start = reader.cursor.fault is not None or self._toc.fault is not None
            if fault is None:
                return
            if reader.steps:
                raise fault
        self._begin(name, index, version, ue5_version, self.layout.persistent_tail)
        start = self._find_headers(fault, self.first_offset())
        reader.cursor.seek(start)
        yield reader.lost(fault, "levels", "", reader.claimed, start, 0, count=-1)
        self._content = start
        self._count = -1
        self._fault = fault
        yield from self._walk(start)

    def _read_versions(self, version: int, ue5_version: int) -> tuple[int, int]:
        cursor = self._reader.cursor
        guard = self._guard
        start = cursor.tell()
        versions = (version, ue5_version)
        with guard:
            versions = super()._read_versions(version, ue5_version)
        fault = guard.fault
        if fault is not None:
            cursor.seek(start)
            level_version = likely_version(cursor, self.layout, version, self._reader)
            if level_version < 0:
                raise fault
            versions = (level_version, ue5_version)
        return versions

    def _level(self, start: i64) -> Iterator[Event]:
        reader = self._reader
        guard = self._guard
        reader.claimed = start
        toc_offset = reader.cursor.tell()
        with guard:
            self._read_start()
        fault = guard.fault
        if fault is None:
            yield from self._walk(start)
        else:
            if self._tail is self.layout.persistent_tail and reader.cursor.fault is not None and self._has_headers(fault):
                raise fault  # its number of headers is in a chunk that cannot be read: objects are found without it
            end = self._after_level(fault, toc_offset)
            yield reader.lost(fault, "level", self._name, start, end)

    def _has_headers(self, fault: SaveError) -> bool:
        """Return whether certain headers of the persistent level can be found after its damaged start."""
        try:
            self._find_headers(fault, self.first_offset())
        except SaveError:
            return False
        return True

    def _find_toc_end(self) -> None:
        guard = self._guard
        with guard:
            super()._find_toc_end()
        fault = guard.fault
        if fault is not None:
            self._find_headers(fault, self._content)

    def _blobs(self) -> Iterator[Event]:
        reader = self._reader
        guard = self._guard
        reader.claimed = self._content
        self._walked = False
        with guard:
            yield from super()._blobs()
        fault = guard.fault
        if fault is not None:
            if self._data_end < 0:
                raise fault
            yield self._lose_rest(fault)
        reader.claimed = reader.cursor.tell()
        if self._is_loose_end:
            raise reader.cursor.damaged(
                "what follows the objects of a level", expected="its end, and what comes next", actual="neither"
            )

    def _read_data_start(self) -> bool:
        guard = self._guard
        data = self._data
        self._stated = -1
        self._proof = None
        self._entry_limit = self._outer_limit
        self._is_end_moved = False
        self._is_loose_end = False
        with guard:
            return super()._read_data_start()
        fault = guard.fault
        # Of a level that is not the last one, nothing else says where it ends.
        if fault is not None and (self._reader.selecting is not None or (self._data_end < 0 and self._tail is self.layout.tail)):
            raise fault
        self._fault = fault
        self._left = self._count
        width = 4 + (0 if self.layout.blob_size is None else self.layout.blob_size.size)
        if self._count >= 0 and data.fault is None and data.tell() == self._toc_end + width:
            data.seek(data.tell() - 4)
            self._stated = max(data.i32(), 0)
        elif self._count >= 0 and data.fault is None and self._data_end < 0 and data.tell() + 4 == self._toc_end + width:
            # The size of the objects does not fit. If their number does, it is in its place.
            with guard:
                if data.i32() == self._count:
                    self._stated = self._count
        data.seek(self._toc_end)
        return False

    def _all_objects(self) -> Iterator[Event]:
        guard = self._guard
        reader = self._reader
        data = self._data
        data_end = self._data_end
        fault = self._fault
        start_fault = fault
        if fault is not None and (yield from self._count_again(fault)):
            self._fault = None
        elif fault is not None:
            self._fault = None
            is_first = self._count >= 0
            self._proof = None
            self._doubts = False
            most = self._left
            # The start of the level is lost, or its objects start in a chunk that cannot be read: the first ones are missing.
            is_torn = self._is_torn_start if self._count < 0 else self._data.fault is not None or self._toc.fault is not None
            self._left = yield from self._lose_objects(
                fault, self._left, self._toc.tell(), self._data.tell(), is_first=is_first, searches=is_torn or self._stated < 0
            )
            # If fewer entries than headers lead to the end, it need not be the first ones that are missing.
            # Without a size of the headers, nothing says where they end, either.
            is_sized = self.layout.blob_size is not None
            # The objects start after one blob's size and number of objects? Then the headers end before these.
            width = 4 + (self.layout.blob_size.size if self.layout.blob_size is not None else 0)
            self._prove(
                reads_all=self._left < most and not is_torn,
                ends=is_torn or is_sized,
                doubts_end=not is_torn and self._data.tell() != self._toc_end + width,
                sure_start=is_torn,
            )
        else:
            self._prove(stated=self._left)
            if self._data_end < 0 <= data_end:
                error = data.damaged("size of objects", offset=data.tell(), expected="the end of the objects", actual=data_end)
                yield reader.lost(error, "object data", "", data.tell(), data.tell(), count=0)
        while self._left > 0:
            with guard:
                yield from super()._all_objects()
            fault = guard.fault
            header = self._open
            if fault is None:
                continue
            if header is None and self._in_gap:
                yield from self._pass_gap(fault)
            elif header is None:
                self._left = yield from self._lose_objects(fault, self._left, self._header_offset, self._entry_offset)
                self._prove()
            else:
                yield from self._lose_object(fault, header)
                self._left -= 1
        proof = self._proof
        if proof is not None and proof.gap(0) != (0, 0):
            at_end = data.damaged("objects without headers", offset=data.tell())
            yield from self._pass_gap(at_end if start_fault is None else start_fault)

    def _count_again(self, fault: SaveError) -> Generator[Event, None, bool]:
        """Go on where the numbers of headers and of objects differ, and one of them or another one is right.

        Returns:
            Whether any object is certain; else both cursors are where they were.
        """
        if self._stated < 0:
            return False
        reader = self._reader
        data = self._data
        start = data.tell()
        data.seek(start + 4 + (0 if self.layout.blob_size is None else self.layout.blob_size.size))
        self._left = self._count
        self._prove(stated=self._stated)
        proof = self._proof
        if proof is not None and not proof.gives_any:
            data.seek(start)
            self._proof = None
            return False
        del reader.steps[1:]
        yield reader.lost(fault, "object data", "", start, data.tell(), count=0)
        return True

    def _prove(
        self,
        *,
        reads_all: bool = False,
        ends: bool = True,
        doubts_end: bool = False,
        sure_start: bool = True,
        stated: i64 = -1,
    ) -> None:
        """Find out which of the objects that are left are certain, before any of them is given.

        Args:
            reads_all: none of them is, unless all can be read.
            ends: where the headers end is known; else none of them is.
            doubts_end: the last header is not.
            sure_start: the first one belongs to its header; else those up to the first that is bound may not.
            stated: as for `LevelProof`.
        """
        self._doubts = False
        proof = self._make_proof(stated)
        if stated >= 0:
            self._is_loose_end = proof.is_paired and not self._leads_on()
            if not proof.is_torn and (self._is_loose_end or not proof.is_paired):
                proof = self._prove_to_end(proof, stated)
                self._is_loose_end = self._is_loose_end and not self._is_end_moved
            self._left = proof.count
        if not ends or (reads_all and not proof.reads_all()):
            proof.is_hopeless = True
        elif doubts_end:
            proof.doubt_end_of_headers()
        if not sure_start:
            proof.doubt_start()
        if self._is_end_moved or self._is_loose_end:
            proof.doubt_pairs()
            proof.doubt_end()
        if self._is_end_moved and 0 <= stated != self._count:
            proof.trust_no_sizes()  # the number of objects is wrong, too: one of them may be missing
            self._left = proof.count
        self._proof = None if proof.is_proven and not proof.is_hopeless else proof

    def _leads_on(self) -> bool:
        """Return whether what should follow the objects of this level follows them indeed."""
        cursor = self._data.fork()
        cursor.set_limit(self._outer_limit)
        return leads_on(self._reader, self.layout, self._tail, cursor, self._data_end)

    def _prove_to_end(self, proof: LevelProof, stated: i64) -> LevelProof:
        """Return what is certain if the size of all objects is wrong, too, and what follows them says where they end."""
        reader = self._reader
        levels_after = self.level_count - self._index - 1
        data = self._data
        limit, may_be_right = limit_of_level(reader, self.layout, self._tail, data, self._data_end, levels_after)
        if limit >= 0:
            outer = data.limit()
            data_end = self._data_end
            data.set_limit(limit)
            self._data_end = -1
            other = self._make_proof(stated)
            # Sizes that only lead to a few zeros would do without a suffix; a stream of another size speaks against them.
            is_better = other.resume.left > 0 and not (may_be_right and limit == reader.stream_end)
            if other.is_paired or (is_better and not proof.is_paired):
                if not other.is_paired and self._has_more_faults(limit, data_end, other.data_end):
                    other.trust_no_sizes()
                self._entry_limit = limit
                if self._tail is self.layout.persistent_tail:
                    reader.stream_end = limit
                    self._outer_limit = limit
                self._is_end_moved = True
                return other
            self._data_end = data_end
            data.set_limit(outer)
        if not may_be_right and not proof.is_paired:
            proof.trust_no_sizes()
        return proof

    def _has_more_faults(self, limit: i64, data_end: i64, found: i64) -> bool:
        """Return whether the sizes of the body and of the objects are wrong by different numbers: no single change does that.

        Args:
            limit: where the last level ends.
            data_end: where its objects end, as their size says; -1 if that size does not fit.
            found: where they do.
        """
        body_end = self._reader.stream_end
        if self.layout.blob_size is None or self._tail is not self.layout.persistent_tail or limit == body_end:
            return False
        return data_end < 0 or (data_end != found and found - data_end != limit - body_end)

    def _make_proof(self, stated: i64) -> LevelProof:
        proof = LevelProof(
            self._reader,
            self.layout,
            self._build_version,
            self._version,
            self._ue5_version,
            self._tail,
            self._toc,
            self._data,
            self._left,
            is_sized=self._data_end >= 0,
            stated=stated,
        )
        proof.prove()
        return proof

    def _after_blobs(self) -> Iterator[Event]:
        """Walk the tail; not if it cannot be read, and the next level starts in what would be given of it."""
        cursor = self._reader.cursor
        if self._tail is self.layout.tail:
            self.check_ahead(self._tail, cursor.tell())
        yield from super()._after_blobs()

    def check_ahead(self, codec: Codec, start: i64, *, is_counted: bool = False) -> None:
        """Check that no level starts in what can be read of a damaged value at the cursor, from `start` on.

        Args:
            codec: of the value.
            start: up to there, events have claimed the stream.
            is_counted: the number of levels follows the value.

        Raises:
            SaveError: one does; what is wrong with the value.
        """
        reader = self._reader
        cursor = reader.cursor.fork()
        error: SaveError | None = None
        try:
            codec.measure(cursor, reader)
            if is_counted:
                cursor.count(4)
        except SaveError as fault:
            error = fault
        self.least_start = -1
        if error is not None:
            self.least_start = start
            if level_starts_between(reader, self.layout, start, cursor.tell()):
                raise error
            self.least_start = cursor.tell()

    def _read_header(self) -> ObjectHeader:
        proof = self._proof
        toc = self._toc
        data = self._data
        self._in_gap = False
        if proof is not None and proof.gap(self._left) != (0, 0):
            self._in_gap = True
            self._header_offset = toc.tell()
            self._entry_offset = data.tell()
            raise data.damaged("objects may be in another order than their headers", offset=data.tell())
        if proof is not None and not proof.holds(toc, data, self._left):
            self._doubts = True
            self._header_offset = toc.tell()
            self._entry_offset = data.tell()
            what, offset = ("headers", toc.tell()) if proof.is_in_headers else ("sizes of objects", data.tell())
            raise data.damaged(f"{what} do not lead to the end of the level", offset=offset)
        return super()._read_header()

    def _after_headers(self) -> Iterator[Event]:
        self._walked = True
        self._toc_at = self._toc.tell()
        yield from super()._after_headers()
        self._reader.headers_end = -1
