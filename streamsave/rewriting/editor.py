"""Edit a save by selections: drop objects, set values.

The save is read once to choose the objects, as a selection may test their values, and again to edit them.

Where a save stores the name of its session:

| format | places |
|---|---|
| Satisfactory | `session_name` and `map_options` of the header; a property of the game mode and one of the game state |
| Arx | `name` of the entry `pld` |
| shapez 2 | `SavegameName` in `savegame.json` |

The module is long because choosing, dropping and assigning share the state of one edit.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final, Literal, TypeAlias

from streamsave._new_file import temporary_folder
from streamsave.check.finding import Finding
from streamsave.consume.conditions import Selection
from streamsave.consume.stream import EventStream, open_save
from streamsave.decode.build import MAP_ENTRY
from streamsave.decode.paths import OF_TYPE, Missing, after_name, follow
from streamsave.errors import EditError, PathStep, UnsupportedSave
from streamsave.events import BlobSkip, Event, Field, ObjectEnd, ObjectHeader, PropertyTag, SaveStart, StructEnter, StructExit
from streamsave.formats import Format, MakeReader
from streamsave.formats.satisfactory.levels import LEVEL
from streamsave.limits import Limits
from streamsave.output.flat_text import path_text
from streamsave.rewriting.actors import DESTROYED, Shorten, Unlink, is_chain, is_copy, may_link, with_destroyed
from streamsave.rewriting.assignments import DROP, MISSING, RELINK, Assignment, Change, find_tails
from streamsave.rewriting.family import check_session_name
from streamsave.rewriting.gone import Gone, choose_dependents
from streamsave.rewriting.renaming import rename_references
from streamsave.rewriting.rewrite import rewrite, unchanged
from streamsave.rewriting.rows import NumberSet
from streamsave.rewriting.stream import RewriteStream
from streamsave.values import ObjectReference, Opaque

__all__ = ["Editor"]

SATISFACTORY: Final = "satisfactory"
#: In the place of an object, for the values of a save that are in none.
NO_OBJECT: Final = ObjectHeader(0, "", "", "", "", "", None, 0, 0, 0, 0, 0, -1)
#: `Change.path` of the session name.
SESSION: Final = "session name"
#: Format -> class or kind of the objects with the name of the session ("": it is in no object) -> path of the name.
OBJECTS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "satisfactory": {"BP_GameMode_C": ("mSaveSessionName",), "BP_GameState_C": ("mReplicatedSessionName",)},
    "arx": {"pld": ("level_data", "name")},
    "shapez2": {"": ("savegame.json", "value", "SavegameName")},
}
#: A path inside an object: names and positions.
Place: TypeAlias = tuple[PathStep, ...]
#: The events that may come inside an object.
Inner: TypeAlias = PropertyTag | Field | StructEnter | ObjectHeader | BlobSkip


class Task:
    """An assignment, the objects that it is for, and how often it was done.

    Args:
        assignment: the assignment.
        wants: returns whether it is for an object of the stream. None: it is for all objects, and for what is in none;
            `in_no_object`: for that alone.
    """

    def __init__(self, assignment: Assignment, wants: Callable[[EventStream, ObjectHeader], bool] | None) -> None:
        self.assignment = assignment
        self.wants = wants
        #: How many objects it is for; how many of these have the value; how many values were set or removed.
        self.match_count = 0
        self.object_count = 0
        self.set_count = 0

    def is_for(self, events: EventStream, header: ObjectHeader) -> bool:
        """Return whether it is for an object."""
        return self.wants is None or self.wants(events, header)


class Editor:
    """Edits one save.

    Args:
        source: the path of a save.
        limits: what to refuse.
        type_hints: as for `streamsave.open`.
        objects_at: as for `streamsave.open`.
        wrapper: as for `streamsave.rewrite`. With one, the new save is written even without edits.
        session_name: the new name of the session; "": keep the old one.
        fast: as for `streamsave.rewrite`.
        reader: as for `streamsave.open`.
    """

    def __init__(
        self,
        source: str,
        limits: Limits | None = None,
        type_hints: Mapping[str, str] | None = None,
        objects_at: str | Sequence[str] | None = None,
        wrapper: Literal["", "plz"] = "",
        session_name: str = "",
        *,
        fast: bool = False,
        reader: Format | MakeReader | None = None,
    ) -> None:
        self._source = source
        self._unchanged = unchanged(source)
        self._session_name = session_name
        self._format = ""
        self._wrapper = wrapper
        #: `open` and `rewrite` with the options of the user.
        self._read = partial(open_save, limits=limits, type_hints=type_hints, objects_at=objects_at, reader=reader)
        self._rewrite = partial(rewrite, limits=limits, type_hints=type_hints, objects_at=objects_at, reader=reader, fast=fast)
        #: The objects to drop; the keys of those to assign values in (None: all).
        self._gone = Gone()
        self._where: NumberSet | None = None
        self._links = False
        #: For so many of the tasks, objects without the value are reported.
        self._reported = 0
        #: All assignments of the last `edit`: first those that it is given, then those of `choose`, then our own.
        self.tasks: list[Task] = []
        self._others: list[Task] = []
        #: How many objects match each selection of `drops`.
        self.drop_matches: list[int] = []
        #: How many objects were dropped.
        self.drop_count = 0
        #: How many dropped objects of the map could not be added to a list of destroyed objects.
        self.not_noted = 0
        #: Old name -> new name of renamed objects.
        self.names: dict[str, str] = {}
        self.new_names: set[str] = set()
        #: How many references and names of parts were changed to new names.
        self.relink_count = 0
        #: What `check` has found in the new save.
        self.findings: list[Finding] = []
        # Dropped objects of the map in the current level.
        self._destroyed: list[ObjectReference] = []
        # (key of an object, number of a task whose path is only the end of one) -> the assignment with the whole path.
        self._tails: dict[tuple[int, int], Assignment] = {}

    @property
    def set_counts(self) -> list[int]:
        """How many values each assignment has set."""
        return [task.set_count for task in self.tasks if not isinstance(task.assignment, Unlink)]

    @property
    def unlink_count(self) -> int:
        """How many references to dropped objects were removed."""
        return sum(task.set_count for task in self.tasks if isinstance(task.assignment, Unlink))

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
            drops: drop each object that matches one of these.
            where: which objects the assignments of `edit` are for; None: all.
            others: more assignments, each list with the objects that it is for. They are numbered after those of `edit`.
            keeps_parts: do not drop dependent objects, see `gone`.
            keeps_references: keep references to dropped objects, see `actors`.

        Raises:
            SaveError: the save is damaged.
            OSError: the save cannot be read.
        """
        self.drop_matches = [0] * len(drops)
        wanted = [(selection, self._gone.keys) for selection in drops]
        if where is not None:
            self._where = NumberSet()
            wanted.append((where, self._where))
        for selection, assignments in others:
            wanted.append((selection, NumberSet()))
            self._others += [Task(each, partial(is_chosen, wanted[-1][1])) for each in assignments]
        if not wanted:
            return
        with self._read(self._source) as events:
            for number, selected in events.select(*[selection for selection, _ in wanted], sizes=False):
                key = events._key_of(selected.offset)
                if number < len(drops):
                    self.drop_matches[number] += 1
                    self._gone.add(key, hash(selected.instance_name))
                    self._gone.add_start(selected.instance_name)
                else:
                    wanted[number][1].add(key)
        if len(self._gone.keys) and not keeps_parts:
            with self._read(self._source) as events:
                choose_dependents(events, self._gone)
        self._links = len(self._gone.keys) > 0 and not keeps_references

    def edit(
        self,
        target: str | os.PathLike[str] | None,
        assignments: Sequence[Assignment] = (),
        *,
        verify: bool = True,
        backup: str | os.PathLike[str] | None = None,
        names_missing: bool = False,
        references: bool = False,
    ) -> Iterator[Change]:
        """Edit the chosen objects; yield each change. After the last change, the new save is written, unless nothing changed.

        Args:
            target: the path of the new save; None: write nothing.
            assignments: the values to set.
            verify: as for `streamsave.rewrite`.
            backup: as for `streamsave.rewrite`.
            names_missing: also yield a change for each object that `where` chose and that lacks an assigned value.
            references: change references to renamed objects to the new names, see `renaming`.

        Raises:
            EditError: a value does not fit its type.
            SaveError: as for `streamsave.rewrite`.
            OSError: the save cannot be read, or the new one cannot be written.
        """
        if not references:
            yield from self._edit(target, assignments, verify=verify, backup=backup, names_missing=names_missing)
            return
        with temporary_folder() as folder:
            between = Path(folder) / "renamed.sav"
            yield from self._edit(between, assignments, verify=False, backup=None, names_missing=names_missing)
            if between.exists():
                with self._rewrite(between, target, verify=verify, backup=backup) as save:
                    for header, path, count in rename_references(save, self.names, parts=True):
                        self.relink_count += count
                        yield Change(RELINK, header.class_name, header.instance_name, path_text(path))
                    self._unchanged.check()
                self.findings = save.findings

    def _edit(
        self,
        target: str | os.PathLike[str] | None,
        assignments: Sequence[Assignment],
        *,
        verify: bool,
        backup: str | os.PathLike[str] | None,
        names_missing: bool,
    ) -> Iterator[Change]:
        """Do as `edit`, without changing references."""
        wants = None if self._where is None else partial(is_chosen, self._where)
        self.tasks = [*(Task(each, wants) for each in assignments), *self._others]
        self._reported = len(self.tasks) if names_missing else 0
        self._find_tails()
        if self._links:
            self.tasks.append(Task(Unlink(self._gone.is_dropped), self._may_lose_links))
            self.tasks.append(Task(Shorten(self._gone.is_dropped), self._loses))
        save = self._rewrite(self._source, target, verify=verify, backup=backup, wrapper=self._wrapper)
        try:
            self._unchanged.check()  # the chosen objects are known by their offsets
            yield from self._changes(save)
            if target is not None and (self._wrapper or self._session_name or self.drop_count + sum(self.set_counts) > 0):
                save._gone = self._gone or None  # None: no name is gone
                save.finish()
                self.findings = save.findings
        finally:
            save.close()

    def _find_tails(self) -> None:
        """Read the chosen objects once more to complete paths of which only the end is given."""
        numbers = [number for number, task in enumerate(self.tasks) if task.wants is not None and task.assignment.steps]
        if not numbers:
            return
        with self._read(self._source) as events:

            def active(header: ObjectHeader) -> list[int]:
                return [number for number in numbers if self.tasks[number].is_for(events, header)]

            events.only(lambda header: bool(active(header)))
            self._tails = find_tails(events, [task.assignment for task in self.tasks], active)

    def _changes(self, save: RewriteStream) -> Iterator[Change]:
        if all(task.wants is not None for task in self.tasks):
            save.only(partial(self._is_chosen, save))
        start = next(save)
        assert isinstance(start, SaveStart)  # noqa: S101 - the first event
        self._begin(save, start.format)
        numbers = [
            number for number, task in enumerate(self.tasks) if task.wants in {None, in_no_object} and task.assignment.steps
        ]
        yield from self._assign(save, NO_OBJECT, numbers)  # and what is in no object; objects are edited on the way

    def _begin(self, save: RewriteStream, format_name: str) -> None:
        """Note the format of the save, and add tasks for the places of the session name.

        Raises:
            UnsupportedSave: saves of this format have no session name.
            EditError: it cannot be this one.
        """
        self._format = format_name
        if self._session_name:
            if format_name not in OBJECTS:
                raise UnsupportedSave(
                    "saves of this format have no name of a session", expected=" or ".join(sorted(OBJECTS)), actual=format_name
                )
            check_session_name(self._session_name)
            if format_name == SATISFACTORY:
                save.rename_session(self._session_name)
            for kind, steps in OBJECTS[format_name].items():
                self.tasks.append(
                    Task(Assignment(SESSION, steps, self._session_name), partial(is_named, kind) if kind else in_no_object)
                )

    def _edit_object(self, save: RewriteStream, header: ObjectHeader) -> Iterator[Change]:
        if is_chosen(self._gone.keys, save, header):
            if header.was_placed_in_level:  # the game restores it unless the save lists it as destroyed
                self._destroyed.append(ObjectReference(header.level, header.instance_name))
            save.drop()
            self.drop_count += 1
            yield Change(DROP, header.class_name, header.instance_name)
        elif numbers := self._active(save, header):
            yield from self._assign(save, header, numbers)
        elif not save.holds_objects(header):
            save.skip()

    def _is_chosen(self, save: RewriteStream, header: ObjectHeader) -> bool:
        """Return whether an object is dropped or has a task."""
        return is_chosen(self._gone.keys, save, header) or len(self._active(save, header)) > 0

    def _active(self, save: RewriteStream, header: ObjectHeader) -> list[int]:
        """Return the numbers of the tasks for an object."""
        return [number for number, task in enumerate(self.tasks) if task.is_for(save, header)]

    def _may_lose_links(self, save: EventStream, header: ObjectHeader) -> bool:
        """Return whether an object may refer to dropped ones."""
        if not may_link(header.class_name):
            return False
        return self._format != SATISFACTORY or (isinstance(save, RewriteStream) and save._may_refer(header, self._gone))

    def _loses(self, save: EventStream, header: ObjectHeader) -> bool:
        """Return whether an object is a conveyor chain that loses some of its belts."""
        return is_chain(header) and self._gone.losing.has(save._key_of(header.offset))

    def _notes_destroyed(self, event: Event) -> bool:
        """Return whether `event` is a list of destroyed objects that gets the dropped objects of the map in this level."""
        if isinstance(event, StructEnter) and event.type_name == LEVEL:
            self._destroyed.clear()
        return len(self._destroyed) > 0 and isinstance(event, Field) and event.name in DESTROYED

    def _with_destroyed(self, event: Event, name: str, old: object) -> object:
        """Return the value of such a list with them; without them if it cannot get any."""
        new = with_destroyed(old, event, self._destroyed)
        if new is None and not is_copy(name):
            self.not_noted += len(self._destroyed)
        return old if new is None else new

    # --- values ---

    def _assign(self, save: RewriteStream, header: ObjectHeader, numbers: Sequence[int]) -> Iterator[Change]:
        """Do these tasks in one object, and read it to its end."""
        depth = save.depth
        base = -1
        key = save._key_of(header.offset)
        wholes = {number: self._tails.get((key, number), self.tasks[number].assignment) for number in numbers}
        #: The numbers of the tasks that have set a value.
        done: set[int] = set()
        #: As for `parting`.
        keys: dict[Place, object] = {}
        #: Of each open nesting: how many fields came, if it is a list; -1 for others.
        counts: list[int] = []
        members: dict[str, object] = {}
        for number, each in wholes.items():
            self.tasks[number].match_count += 1
            if each.member:
                try:
                    old, new, count = each.of_header(header, members)
                except EditError as error:
                    raise error._inside(*save.path, header.instance_name) from None
                self.tasks[number].set_count += count
                done.add(number)
                yield each.change(header, each.text, old, new)
        if members:
            save.set_header(**members)
            if members.get("instance_name", header.instance_name) != header.instance_name:
                self._rename(header.instance_name, str(members["instance_name"]))
        for event in save:
            if isinstance(event, ObjectEnd) and save.depth < depth:
                break
            if isinstance(event, ObjectHeader) and self._is_chosen(save, event):
                yield from self._edit_object(save, event)
            elif isinstance(event, (PropertyTag, Field, StructEnter, ObjectHeader, BlobSkip)):
                path = save.path
                named = save._ledger.tag if isinstance(event, BlobSkip) else event
                if isinstance(named, PropertyTag) and not named.name:
                    path = (*path, "")  # as values have it
                if isinstance(event, BlobSkip) and named is None:
                    path = (*path, event.reason)
                if isinstance(event, StructEnter) and event.name and not (path and isinstance(path[-1], int)):
                    path = path if path[-1:] == (event.name,) else (*path, event.name)  # it may end before its own name
                if base < 0:
                    is_named = not isinstance(event, StructEnter) or path[-1:] == (event.name,)
                    base = len(path) - 1 if is_named else len(path)
                place = path[base:]
                if isinstance(named, PropertyTag) and named.index:
                    place = (*place, named.index)
                if isinstance(event, Field) and event.index < 0 and counts and counts[-1] >= 0:
                    place = (*place[:-1], counts[-1])  # an element with a name: a variable of Arx
                    counts[-1] += 1
                if isinstance(event, StructEnter):
                    place = place or (event.name,)
                    counts.append(0 if event.count >= 0 else -1)
                try:
                    yield from self._assign_at(save, header, event, wholes, place, keys, done)
                except EditError as error:
                    raise error if error.path else error._inside(*path) from None
            elif isinstance(event, StructExit) and counts:
                counts.pop()
        for number, each in wholes.items():
            self.tasks[number].object_count += number in done
            if number not in done and number < self._reported and self.tasks[number].wants is not None:
                yield Change(MISSING, header.class_name, header.instance_name, each.text)

    def _rename(self, old: str, new: str) -> None:
        """Record the new name of an object.

        Raises:
            EditError: another object got the same name.
        """
        if new in self.new_names:
            raise EditError("several objects would have this name", new)
        self.new_names.add(new)
        self.names[old] = new

    def _assign_at(
        self,
        save: RewriteStream,
        header: ObjectHeader,
        event: Inner,
        wholes: Mapping[int, Assignment],
        place: Place,
        keys: dict[Place, object],
        done: set[int],
    ) -> Iterator[Change]:
        """Assign to the value of one event, or skip the event if no assignment leads into it."""
        is_key = isinstance(event, Field) and event.name == "key" and place[:-1] in keys
        if is_key:
            keys[place[:-1]] = save.build()
        elif isinstance(event, StructEnter) and event.type_name == MAP_ENTRY:
            keys[place] = None
        elif isinstance(event, StructEnter) and save._script_struct(event) is not None:
            keys[place] = OF_TYPE
        rests = [(number, each, each.match(place, keys)) for number, each in wholes.items()]
        found = [(number, each, rest) for number, each, rest in rests if rest is not None]
        blob = event if isinstance(event, BlobSkip) else None
        notes = header is NO_OBJECT and self._notes_destroyed(event)
        if not (found or notes):
            if not (is_key or blob or may_hold_objects(save, event)):
                save.skip()
            return
        if isinstance(event, ObjectHeader):
            return
        has_parts = isinstance(event, StructEnter)
        wholes_here = [each for _, each, rest in found if not rest]
        if (has_parts and not wholes_here) or not (has_parts or is_key or blob or save.is_leaf()):
            return  # the event that opens its value comes next
        is_read = not has_parts or wholes_here[0].value in ([], {})
        old = new = keys[place[:-1]] if is_key else save.opaque(blob) if blob else save.build() if is_read else None
        if has_parts and (not is_read or old != wholes_here[0].value):
            raise EditError(f"{wholes_here[0].text} has parts: set one of them")
        name = event.reason if isinstance(event, BlobSkip) else event.name
        changes: list[Change] = []
        for number, each, rest in found:
            steps = after_name(new, rest) if isinstance(place[-1], str) else rest
            before = new
            new, count = each.applied(before, steps)
            self.tasks[number].set_count += count
            if count:
                done.add(number)
            if new != before:
                parts = [follow(whole, steps) for whole in (before, new)]
                is_named = not any(isinstance(part, Missing) for part in parts)  # else the step to it was set
                changes.append(each.change(header, name, *(parts if is_named else (before, new))))
        if notes:
            new = self._with_destroyed(event, name, new)
        if new != old:
            if isinstance(new, Opaque):
                save.replace_raw(new.data)
            else:
                save.replace(new)
            if isinstance(new, ObjectReference) and new.path_name:
                self._gone.set_names.add(new.path_name)
            yield from changes


def is_chosen(keys: NumberSet, events: EventStream, header: ObjectHeader) -> bool:
    """Return whether an object was chosen."""
    return len(keys) > 0 and keys.has(events._key_of(header.offset))


def in_no_object(_events: EventStream, _header: ObjectHeader) -> bool:
    """Return False for every object: the task is for what is in none."""
    return False


def may_hold_objects(save: RewriteStream, event: Inner) -> bool:
    """Return whether there may be objects inside what an event opened."""
    if isinstance(event, ObjectHeader):
        return save.holds_objects(event)
    return isinstance(event, (PropertyTag, StructEnter)) and save._leads_to_objects(event)


def is_named(kind: str, _: EventStream, header: ObjectHeader) -> bool:
    """Return whether an object is of a class (without its folder) or a kind. The stream is not used."""
    return kind in {header.class_name.rpartition(".")[2], header.kind}
