"""Selections at work in a reader: what nobody asked for is passed over by its length.

An object is what an `ObjectHeader` tells of: an actor or a component of Satisfactory, the one object of an Unreal save game, an
entry of an Arx save, an instance of Astroneer, an island, a building or the state of one in shapez 2. A building stands in an
island, so it is complete, and given, before its island.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from streamsave.build import add_member
from streamsave.events import BlobSkip, Damage, Event, Field, ObjectEnd, ObjectHeader, PropertyTag, StructEnter, StructExit
from streamsave.filter import ObjectFilter
from streamsave.grammar import parse_selection
from streamsave.needles import encodings, needles_of
from streamsave.paths import MISSING, Path, parse_path
from streamsave.reader import Reader
from streamsave.selection import EVERYTHING, Compare, Facts, Has, SelectedObject, Selection, Size

__all__ = ["Plan", "run"]

NOTHING: Final[frozenset[str]] = frozenset()
#: Classes whose verdict is kept; saves of heavily modded games have some thousand.
KEPT_CLASSES: Final = 65_536
#: Data of more bytes is not searched for texts: to pass over the tags in it inflates less.
LARGEST_SEARCHED: Final = 256 * 1024


class Plan:
    """What is asked for: selections, and the fields of the objects that they select.

    Raises:
        SelectError: a selection or a path cannot be understood.
    """

    def __init__(self, selections: Sequence[str | Selection | None], fields: Sequence[str] = (), *, sizes: bool = True) -> None:
        self.selections: list[Selection] = [_selection_of(selection) for selection in selections]
        self.fields: list[Path] = [parse_path(field) for field in fields]
        tests = [test for selection in self.selections for test in selection.tests()]
        #: Those of properties and fields.
        self.content_tests: list[Compare | Has] = [test for test in tests if isinstance(test, (Compare, Has))]
        roots = set()
        for path in [*self.fields, *[test.path for test in self.content_tests]]:
            roots |= path.stored_roots()
        #: Names of the properties and fields that have to be built.
        self.roots: frozenset[str] = frozenset(roots)
        #: The data of objects is looked at, or at least its size.
        self.needs_data = sizes or bool(roots) or any(isinstance(test, Size) for test in tests)


def _selection_of(selection: str | Selection | None) -> Selection:
    if selection is None:
        return EVERYTHING
    return parse_selection(selection) if isinstance(selection, str) else selection


class OpenObject:
    """An object that is being walked."""

    def __init__(self, header: ObjectHeader, depth: int) -> None:
        self.header = header
        #: Nestings that are open where its members stand.
        self.depth = depth
        #: Names of what has to be built of it.
        self.roots: frozenset[str] = NOTHING
        self.properties: dict[str, object] = {}
        self.others: dict[str, object] = {}


class Selector(ObjectFilter):
    """Tells the reader what may be wanted, looks at its events, and puts together the objects that are wanted."""

    def __init__(self, reader: Reader, plan: Plan) -> None:
        super().__init__()
        self.needs_data = plan.needs_data
        self._reader = reader
        self._plan = plan
        self._depth = 0
        self._opened: list[OpenObject] = []
        #: What the selections say of each class by its name alone.
        self._classes: dict[str, bool] = {}
        self._facts = Facts()
        #: Tests that need texts in the data; those texts, as they may be stored.
        self._texts = [
            (test, [frozenset(encodings(text)) for text in needles_of(test)])
            for test in plan.content_tests
            if reader.stores_name(test.path.root)
        ]
        self._needles = sorted({needle for _, texts in self._texts for text in texts for needle in text})
        #: What they say of the header that was asked about last.
        self._asked: ObjectHeader | None = None
        self._verdicts: list[bool | None] = []

    # --- what the reader asks ---

    def wants_class(self, class_name: str) -> bool:
        verdict = self._classes.get(class_name)
        if verdict is None:
            if len(self._classes) >= KEPT_CLASSES:
                self._classes.clear()
            facts = self._facts
            facts.forget()
            facts.class_name = class_name
            verdict = self._may_want(facts)
            self._classes[class_name] = verdict
        return verdict

    def wants_names(self, class_name: str, instance_name: str, level: str) -> bool:
        facts = self._facts
        facts.forget()
        facts.class_name = class_name
        facts.instance_name = instance_name
        facts.level = level
        return self._may_want(facts)

    def wants_header(self, header: ObjectHeader) -> bool:
        facts = self._facts
        facts.forget()
        facts.add_header(header)
        self._asked = header
        self._verdicts = [selection.verdict(facts) for selection in self._plan.selections]
        if self._needles and None in self._verdicts and 0 < header.size <= LARGEST_SEARCHED:
            facts.failed = self._search(header.size)
            if facts.failed:
                self._verdicts = [selection.verdict(facts) for selection in self._plan.selections]
        return True in self._verdicts or None in self._verdicts

    def _search(self, size: int) -> list[Selection]:
        """Tell which tests fail because a text that they need is not in the data, which starts at the reader's cursor."""
        missing = set(self._reader.cursor.absent(self._needles, size))
        return [test for test, texts in self._texts if any(missing >= text for text in texts)]

    def _may_want(self, facts: Facts) -> bool:
        for selection in self._plan.selections:  # noqa: SIM110 - compiled, a loop is faster than any()
            if selection.verdict(facts) is not False:
                return True
        return False

    # --- events ---

    def feed(self, event: Event) -> list[tuple[int, SelectedObject]]:
        """Take the reader's last event; give the objects that are complete with it."""
        kind = type(event)
        if kind is ObjectHeader:
            assert isinstance(event, ObjectHeader)  # noqa: S101 - for the type checker
            self._open(event)
        elif kind is ObjectEnd:
            self._depth -= 1
            # One that was opened before the selection began is not given.
            return self._complete(self._opened.pop()) if self._opened else []
        elif kind is StructExit:
            self._depth -= 1
        elif isinstance(event, (PropertyTag, Field, StructEnter, BlobSkip)):
            self._pass_or_build(event)
        elif isinstance(event, Damage):
            raise event.error
        return []

    def _open(self, header: ObjectHeader) -> None:
        self._depth += 1
        opened = OpenObject(header, self._depth)
        self._opened.append(opened)
        if self._asked is not header:
            self.wants_header(header)
        if None in self._verdicts or (True in self._verdicts and self._plan.fields):
            opened.roots = self._plan.roots
        self._reader.wanted = opened.roots
        if opened.roots:
            return
        if not self._reader.holds_objects(header):
            self._reader.skip(header)

    def _pass_or_build(self, event: PropertyTag | Field | StructEnter | BlobSkip) -> None:
        reader = self._reader
        opened = self._opened[-1] if self._opened else None
        is_member = opened is not None and opened.depth == self._depth
        name = event.reason if isinstance(event, BlobSkip) else event.name
        if opened is not None and is_member and name in opened.roots:
            reader.start_budget()
            reader.building = True
            try:
                add_member(reader, opened.properties if isinstance(event, PropertyTag) else opened.others, event)
            finally:
                reader.building = False
        elif isinstance(event, StructEnter):
            self._depth += 1
            if opened is not None and not reader.holds_objects(opened.header):
                reader.skip(event)  # or it is walked, where nothing tells its end
        elif not isinstance(event, BlobSkip):
            reader.skip(event)

    def _complete(self, opened: OpenObject) -> list[tuple[int, SelectedObject]]:
        """Give the object that has just ended, once for each selection that wants it."""
        self._reader.wanted = None
        facts = self._facts
        facts.forget()
        facts.add_header(opened.header)
        # Properties come before fields of the same name.
        members = {**opened.others, **opened.properties}
        facts.members = members
        wanted_by = [index for index, selection in enumerate(self._plan.selections) if selection.verdict(facts)]
        if not wanted_by:
            return []
        found = [(path.text, path.find(members)) for path in self._plan.fields]
        header = opened.header
        selected = SelectedObject(
            header.kind,
            header.class_name,
            header.instance_name,
            header.level,
            None if header.transform is None else header.transform.translation,
            header.size,
            header.offset,
            {name: value for name, value in found if value is not MISSING},
        )
        return [(index, selected) for index in wanted_by]


def run(reader: Reader, held: list[Event], plan: Plan) -> Iterator[tuple[int, SelectedObject]]:
    """Give the objects that come, each with the number of the selection that wants it.

    Args:
        reader: its events are taken from here on.
        held: events that it has made already.
        plan: what is asked for.

    Raises:
        SaveError: the bytes are at fault.
        LimitExceeded: a property that is asked for is more than `Limits` allows to build.
    """
    selector = Selector(reader, plan)
    reader.filter = selector
    while True:
        event = held.pop(0) if held else reader.next_event()
        if event is None:
            return
        reader.windows.entered.clear()
        yield from selector.feed(event)
