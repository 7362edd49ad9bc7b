"""Edits by selection: which objects are dropped, and which of their values become others.

The save is read once to choose the objects, as only their content may decide; and again to edit them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final, Literal, TypeAlias

from streamsave.check.finding import Finding
from streamsave.consume.conditions import Selection
from streamsave.consume.stream import EventStream, open_save
from streamsave.decode.codecs import list_of
from streamsave.errors import EditError, PathStep
from streamsave.events import Field, ObjectEnd, ObjectHeader, PropertyTag, SaveStart, StructEnter
from streamsave.formats.satisfactory.game import TRAILER
from streamsave.formats.satisfactory.levels import LEVEL
from streamsave.limits import Limits
from streamsave.rewriting.actors import DESTROYED, is_chain, is_copy, is_link, may_link, shortened, unlinked, with_destroyed
from streamsave.rewriting.assignments import Assignment, find_tails
from streamsave.rewriting.changes import DROP, MISSING, SET, UNLINK, Change
from streamsave.rewriting.dependents import choose_dependents
from streamsave.rewriting.gone import Choice, Gone
from streamsave.rewriting.rewrite import rewrite, unchanged
from streamsave.rewriting.session_name import check_session_name, has_name, is_name
from streamsave.rewriting.stream import RewriteStream
from streamsave.values import ObjectReference

__all__ = ["Editor"]

SATISFACTORY: Final = "satisfactory"
#: Names and positions from an object on.
Place: TypeAlias = tuple[PathStep, ...]
#: What an object may have inside.
Inner: TypeAlias = PropertyTag | Field | StructEnter | ObjectHeader


class Editor:
    """Edits one save.

    Args:
        source: the path of a save.
        limits: what to refuse.
        type_hints: as for `streamsave.open`.
        objects_at: as for `streamsave.open`.
        wrapper: as for `streamsave.rewrite`; then the new save is written in any case.
        session_name: the name of the session in the new save; "": as it is.
        fast: as for `streamsave.rewrite`.
    """

    def __init__(
        self,
        source: str,
        limits: Limits | None = None,
        type_hints: Mapping[str, str] | None = None,
        objects_at: Sequence[str] | None = None,
        wrapper: Literal["", "plz"] = "",
        session_name: str = "",
        *,
        fast: bool = False,
    ) -> None:
        self._source = source
        self._unchanged = unchanged(source)
        self._session_name = session_name
        self._format = ""
        self._wrapper = wrapper
        self._fast = fast
        self._limits = limits
        self._hints = type_hints
        self._objects_at = objects_at
        #: The objects to drop, and, for each group of assignments, those whose values are assigned; None: all.
        self._dropped = Choice()
        self._targets: list[Choice | None] = [None]
        self._links = False
        self._names_missing = False
        self._assignments: list[Assignment] = []
        #: The group of each assignment: that of `where`, or of one of `others`.
        self._groups: list[int] = []
        self._others: list[Assignment] = []
        self._other_groups: list[int] = []
        #: How many objects match each of `drops`.
        self.drop_matches: list[int] = []
        #: How many objects match what says where each assignment is made, how many of them have such a value, and how many values
        #: were set in these.
        self.match_counts: list[int] = []
        self.object_counts: list[int] = []
        self.set_counts: list[int] = []
        #: How many objects were dropped.
        self.drop_count = 0
        #: How many references to dropped objects were taken out.
        self.unlink_count = 0
        #: How many values were the name of the session.
        self.rename_count = 0
        #: How many dropped objects of the map no list of destroyed objects has.
        self.not_noted = 0
        #: What `check` has found in the new save.
        self.findings: list[Finding] = []
        # Objects of the map that were dropped from the open level.
        self._destroyed: list[ObjectReference] = []
        self._gone = Gone(self._dropped)
        # Assignments with whole paths, by the key of an object and the number of the one that has only the end of a path.
        self._tails: dict[tuple[int, int], Assignment] = {}
        # Those of the open object, by their numbers.
        self._current: dict[int, Assignment] = {}
        # The keys of open maps, by the place of the entry in the object.
        self._keys: dict[Place, object] = {}

    def choose(
        self,
        drops: Sequence[Selection],
        where: Selection | None,
        others: Sequence[tuple[Selection, Sequence[Assignment]]] = (),
        *,
        keeps_parts: bool = False,
        keeps_references: bool = False,
    ) -> None:
        """Read the save to choose objects.

        Args:
            drops: an object that matches one of them is dropped.
            where: which objects get other values; None: all.
            others: other assignments, each with the objects that they are for. They come after those that `edit` is given.
            keeps_parts: do not drop what goes with dropped objects, see `dependents`.
            keeps_references: leave references to dropped objects as they are, see `links`.

        Raises:
            SaveError: it is damaged.
            OSError: it cannot be read.
        """
        self.drop_matches = [0] * len(drops)
        self._targets = [None if where is None else Choice(), *(Choice() for _ in others)]
        self._others = [each for _, assignments in others for each in assignments]
        self._other_groups = [number for number, (_, assignments) in enumerate(others, 1) for _ in assignments]
        choices = [*([self._dropped] * len(drops)), *(choice for choice in self._targets if choice is not None)]
        selections = [*drops, *([] if where is None else [where]), *(selection for selection, _ in others)]
        if not selections:
            return
        with self._open() as events:
            for number, selected in events.select(*selections, sizes=False):
                choice = choices[number]
                choice.add(events._key_of(selected.offset), selected.instance_name)
                if choice is self._dropped:
                    self.drop_matches[number] += 1
                    self._gone.add(selected.instance_name)
        if len(self._dropped) and not keeps_parts:
            with self._open() as events:
                choose_dependents(events, self._dropped, self._gone)
        self._links = len(self._dropped) > 0 and not keeps_references

    def _open(self) -> EventStream:
        return open_save(self._source, limits=self._limits, type_hints=self._hints, objects_at=self._objects_at)

    def edit(
        self,
        target: str | os.PathLike[str] | None,
        assignments: Sequence[Assignment] = (),
        *,
        verify: bool = True,
        backup: str | os.PathLike[str] | None = None,
        names_missing: bool = False,
    ) -> Iterator[Change]:
        """Edit what was chosen; yield each change. After the last one, the new save is written, unless there was none.

        Args:
            target: the path of the new save; None: nothing is written.
            assignments: which values become others.
            verify: as for `streamsave.rewrite`.
            backup: as for `streamsave.rewrite`.
            names_missing: also yield what `where` chose and has no value that is assigned.

        Raises:
            EditError: a value does not fit.
            SaveError: as `streamsave.rewrite` does.
            OSError: the save cannot be read, or the new one not be written.
        """
        self._names_missing = names_missing
        self._assignments = [*assignments, *self._others]
        self._groups = [0] * len(assignments) + self._other_groups
        self.match_counts, self.object_counts, self.set_counts = ([0] * len(self._assignments) for _ in range(3))
        self._find_tails()
        save = rewrite(
            self._source,
            target,
            limits=self._limits,
            type_hints=self._hints,
            objects_at=self._objects_at,
            verify=verify,
            backup=backup,
            wrapper=self._wrapper,
            fast=self._fast,
        )
        save._look_for(self._gone)
        if self._session_name:
            save.rename_session(self._session_name)
        try:
            if self._unchanged is not None:
                self._unchanged.check()  # what was chosen is known by its place
            yield from self._changes(save)
            if target is not None and (self._wrapper or self._session_name or self.drop_count + sum(self.set_counts) > 0):
                if not self._gone:
                    save._look_for(None)  # nobody need look for them
                save.finish()
                self.findings = save.findings
        finally:
            save.close()

    def _find_tails(self) -> None:
        """Read the objects that were chosen once more, for assignments whose path is the end of one in them."""
        chosen = [self._targets[group] is not None for group in self._groups]
        numbers = {number for number, each in enumerate(self._assignments) if chosen[number] and each.steps}
        if not numbers:
            return
        with self._open() as events:

            def active(header: ObjectHeader) -> list[int]:
                return [number for number in self._active(events, header) if number in numbers]

            events.only(lambda header: bool(active(header)))
            self._tails = find_tails(events, self._assignments, active)

    def _changes(self, save: RewriteStream) -> Iterator[Change]:
        if not any(self._targets[group] is None for group in self._groups):
            save.only(partial(self._is_chosen, save))
        for event in save:
            if isinstance(event, Field) and event.name in DESTROYED:
                self._note_destroyed(save, event)
            elif isinstance(event, StructEnter) and event.type_name == LEVEL:
                self._destroyed.clear()
            elif isinstance(event, SaveStart):
                self._format = event.format
                if self._session_name:
                    check_session_name(self._session_name, event.format)
            elif isinstance(event, Field) and self._session_name and is_name(self._format, None, event):
                yield from self._rename(save, None)
            if not isinstance(event, ObjectHeader):
                continue
            if self._is_dropped(save, event):
                yield self._drop(save, event)
            elif self._is_target(save, event):
                yield from self._assign(save, event)
            elif self._edits_by_itself(save, event):
                yield from self._edit_by_itself(save, event)
            elif not save.holds_objects(event):
                save.skip()

    def _drop(self, save: RewriteStream, header: ObjectHeader) -> Change:
        if header.was_placed_in_level:  # the game makes it anew unless the save says that it was destroyed
            self._destroyed.append(ObjectReference(header.level, header.instance_name))
        save.drop()
        self.drop_count += 1
        return Change(DROP, header.class_name, header.instance_name)

    def _is_chosen(self, save: RewriteStream, header: ObjectHeader) -> bool:
        """Return whether there is something to edit in an object."""
        return self._is_dropped(save, header) or self._is_target(save, header) or self._edits_by_itself(save, header)

    def _is_dropped(self, save: RewriteStream, header: ObjectHeader) -> bool:
        return len(self._dropped) > 0 and self._dropped.has(save._key_of(header.offset))

    def _is_target(self, save: RewriteStream, header: ObjectHeader) -> bool:
        return bool(self._active(save, header))

    def _active(self, save: EventStream | RewriteStream, header: ObjectHeader) -> list[int]:
        """Return the numbers of the assignments that are made in an object."""
        if not self._assignments:
            return []
        key = save._key_of(header.offset)
        has = [choice is None or choice.has(key) for choice in self._targets]
        return [number for number, group in enumerate(self._groups) if has[group]]

    # --- what nobody has assigned: references to dropped objects, the name of the session ---

    def _edits_by_itself(self, save: RewriteStream, header: ObjectHeader) -> bool:
        if self._session_name != "" and has_name(self._format, header):
            return True
        if not self._links or not (may_link(header.class_name) or self._loses(save, header)):
            return False
        return self._format != SATISFACTORY or save._may_refer(header, self._gone)

    def _loses(self, save: RewriteStream, header: ObjectHeader) -> bool:
        """Return whether an object is a chain that loses some of its belts."""
        losing = self._dropped.losing
        return len(losing) > 0 and is_chain(header) and losing.has(save._key_of(header.offset))

    def _edit_by_itself(self, save: RewriteStream, header: ObjectHeader) -> Iterator[Change]:
        """Edit one object, up to its end."""
        for event in save:
            if isinstance(event, ObjectEnd):
                return
            if isinstance(event, (PropertyTag, Field)):
                yield from self._edit_member(save, header, event)
            elif isinstance(event, StructEnter) and self._format == SATISFACTORY:
                save.skip()

    def _edit_member(self, save: RewriteStream, header: ObjectHeader, event: PropertyTag | Field) -> Iterator[Change]:
        if self._session_name and is_name(self._format, header, event):
            yield from self._rename(save, header)
        elif self._links and isinstance(event, PropertyTag) and is_link(event) and may_link(header.class_name):
            yield from self._unlink_tag(save, header, event)
        elif event.name == TRAILER and self._links and self._loses(save, header):
            yield from self._shorten(save, header)
        else:
            save.skip()

    def _rename(self, save: RewriteStream, header: ObjectHeader | None) -> Iterator[Change]:
        """Replace the value of the last event by the name of the session."""
        old = save.build()
        save.replace(self._session_name)
        self.rename_count += 1
        names = ("", "") if header is None else (header.class_name, header.instance_name)
        yield Change(SET, *names, "session name", old, self._session_name)

    def _unlink_tag(self, save: RewriteStream, header: ObjectHeader, tag: PropertyTag) -> Iterator[Change]:
        old = save.build()
        new, count = unlinked(old, self._dropped.has_name)
        if count:
            self.unlink_count += count
            save.replace(new)
            yield Change(UNLINK, header.class_name, header.instance_name, tag.name, old, new)

    def _shorten(self, save: RewriteStream, header: ObjectHeader) -> Iterator[Change]:
        """Take dropped belts out of the trailer of a chain, the last event."""
        old = save.build()
        new = shortened(old, self._dropped.has_name)
        if isinstance(old, dict) and new is not None:
            before, after = (len(list_of(each["chain_spline_segments"])) for each in (old, new))
            self.unlink_count += before - after
            save.replace(new)
            yield Change(UNLINK, header.class_name, header.instance_name, "trailer.chain_spline_segments", before, after)

    def _note_destroyed(self, save: RewriteStream, event: Field) -> None:
        """Add the dropped objects of the map to the list of the last event, which has those that were destroyed."""
        if not self._destroyed:
            return
        new = with_destroyed(save.build(), event, self._destroyed)
        if new is not None:
            save.replace(new)
        elif not is_copy(event):
            self.not_noted += len(self._destroyed)

    # --- values ---

    def _assign(self, save: RewriteStream, header: ObjectHeader) -> Iterator[Change]:
        """Assign in one object, up to its end."""
        depth = save.depth
        base = -1
        self._keys.clear()
        active = self._active(save, header)
        before = [self.set_counts[number] for number in active]
        key = save._key_of(header.offset)
        around = self._current
        self._current = {number: self._tails.get((key, number), self._assignments[number]) for number in active}
        for number in active:
            self.match_counts[number] += 1
            each = self._assignments[number]
            if each.moves and isinstance(each.value, list):
                save.move(each.value)
                self.set_counts[number] += 1
                old = None if header.transform is None else list(header.transform.translation)
                yield Change(SET, header.class_name, header.instance_name, each.text, old, each.value)
        for event in save:
            if isinstance(event, ObjectEnd) and save.depth < depth:
                self._current = around
                yield from self._count(header, active, before)
                return
            if isinstance(event, ObjectHeader) and self._is_dropped(save, event):
                yield self._drop(save, event)
                continue
            if isinstance(event, ObjectHeader) and self._is_target(save, event):
                held = [self.set_counts[number] for number in active]
                yield from self._assign(save, event)
                # What was set in an object inside was not set in this one.
                before = [count + self.set_counts[number] - old for number, count, old in zip(active, before, held, strict=True)]
                continue
            if not isinstance(event, (PropertyTag, Field, StructEnter, ObjectHeader)):
                continue
            path = save.path
            if base < 0:
                base = len(path) - 1
            place = path[base:]
            if isinstance(event, PropertyTag) and event.index:
                place = (*place, event.index)
            yield from self._assign_at(save, header, event, active, place, path)

    def _count(self, header: ObjectHeader, active: Sequence[int], before: Sequence[int]) -> Iterator[Change]:
        """Note which assignments have set something in an object; yield the others, if they are wanted."""
        for number, count in zip(active, before, strict=True):
            if self.set_counts[number] > count:
                self.object_counts[number] += 1
            elif self._names_missing and self._targets[self._groups[number]] is not None:
                yield Change(MISSING, header.class_name, header.instance_name, self._assignments[number].text)

    def _assign_at(
        self, save: RewriteStream, header: ObjectHeader, event: Inner, active: Sequence[int], place: Place, path: Place
    ) -> Iterator[Change]:
        """Assign the value of one event, or skip it if no assignment is about something in it."""
        if isinstance(event, Field) and event.name == "key" and any(self._current[number].has_keys for number in active):
            self._keys[place[:-1]] = save.build()
            return
        rests = [(number, self._current[number].match(place, self._keys)) for number in active]
        found = [(number, rest) for number, rest in rests if rest is not None]
        if not found:
            if len(place) == 1 and isinstance(event, (PropertyTag, Field)) and self._edits_by_itself(save, header):
                yield from self._edit_member(save, header, event)
            elif not may_hold_objects(save, event):
                save.skip()
            return
        if isinstance(event, ObjectHeader):
            return
        if isinstance(event, StructEnter) or not save.is_leaf():
            whole = next((self._current[number] for number, rest in found if not rest), None)
            if whole is not None:
                raise EditError(f"{whole.text} has parts: set one of them")._inside(*path)
            return
        old = save.build()
        new = old
        for number, rest in found:
            try:
                new = self._current[number].applied(new, rest)
            except EditError as error:
                raise error._inside(*path) from None
            self.set_counts[number] += 1
        if new != old:
            save.replace(new)
            if isinstance(new, ObjectReference):
                self._gone.set_names.add(new.path_name)
            yield Change(SET, header.class_name, header.instance_name, self._current[found[0][0]].text, old, new)


def may_hold_objects(save: RewriteStream, event: Inner) -> bool:
    """Return whether there may be objects in what an event has opened."""
    if isinstance(event, ObjectHeader):
        return save.holds_objects(event)
    return isinstance(event, (PropertyTag, StructEnter)) and save._leads_to_objects(event)
