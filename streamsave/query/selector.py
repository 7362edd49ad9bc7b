"""Selections at work in a reader: objects and properties that are not wanted are skipped by their length.

An object is whatever starts with an `ObjectHeader`: an actor or a component of Satisfactory, the one object of an Unreal save
game, an entry of an Arx save, an instance of Astroneer, an island, a building or the state of one in shapez 2. A building is
inside an island, so it ends, and comes, before its island; a foundation of Satisfactory is inside a subsystem.
"""

from __future__ import annotations

import warnings
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from streamsave.decode.build import add_member
from streamsave.decode.object_filter import ObjectFilter
from streamsave.decode.reader import BuiltObject, Reader
from streamsave.errors import SelectWarning
from streamsave.events import BlobSkip, Damage, Event, Field, ObjectEnd, ObjectHeader, PropertyTag, StructEnter, StructExit
from streamsave.limits import DEEP, too_deep
from streamsave.query.conditions import (
    EVERYTHING,
    Asked,
    Compare,
    Facts,
    Function,
    Has,
    HeaderText,
    InBox,
    Selection,
    Size,
    as_selection,
)
from streamsave.query.parser import parse_selection
from streamsave.query.paths import MISSING, Path, parse_path
from streamsave.query.prefilter import encodings, name_encodings, required_texts
from streamsave.query.selected_object import SelectedObject, select_object

__all__ = ["Plan", "make_filter", "run"]

NOTHING: Final[frozenset[str]] = frozenset()
#: Most classes whose verdict is kept; a heavily modded save has a few thousand.
KEPT_CLASSES: Final = 65_536
#: Most bytes of data that are searched for texts: in larger objects, skipping from tag to tag inflates less.
LARGEST_SEARCHED: Final = 256 * 1024


class Plan:
    """What the caller asks for: selections, and the fields of the objects that they want.

    Raises:
        SelectError: a selection or a path does not follow the grammar.
        TypeError: a selection is neither a text nor a `Selection` nor a function.
    """

    def __init__(
        self, selections: Sequence[str | Selection | Function | None], fields: Sequence[str] = (), *, sizes: bool = True
    ) -> None:
        self.selections: list[Selection] = [_selection_of(selection) for selection in selections]
        self.fields: list[Path] = [parse_path(field) for field in fields]
        tests = [test for selection in self.selections for test in selection._tests()]
        #: Tests of properties and fields.
        self.content_tests: list[Compare | Has] = [
            test for test in tests if isinstance(test, (Compare, Has)) and not test.path.is_of_header
        ]
        texts = {test.attribute for test in tests if isinstance(test, HeaderText)}
        #: What the selections test besides the class and the content.
        self.looks_at_names = not texts.isdisjoint({"name", "level"})
        of_header = [isinstance(test, (Compare, Has)) and test.path.is_of_header for test in tests]
        self.looks_at_header = (
            not texts.isdisjoint({"kind", "outer"})
            or True in of_header
            or any(isinstance(test, (Size, InBox, Asked)) for test in tests)
        )
        presence_only: set[str] = set()
        built: set[str] = set()
        for path in self.fields:
            built |= path.stored_roots()
        for test in self.content_tests:
            names = test.path.stored_roots()
            if isinstance(test, Has) and len(test.path.steps) == 1 and len(names) == 1:
                presence_only |= names
            else:
                built |= names
        #: Names of all properties and fields that a path starts with.
        self.roots: frozenset[str] = frozenset(presence_only | built)
        #: Those of them whose presence is tested, but not their value: they are not built.
        self.presence_only: frozenset[str] = frozenset(presence_only - built)
        #: Whether the data of objects is needed, or at least its size.
        self.needs_data = sizes or bool(self.roots) or any(isinstance(test, Size) for test in tests)


def _selection_of(selection: str | Selection | Function | None) -> Selection:
    if selection is None:
        return EVERYTHING
    return parse_selection(selection) if isinstance(selection, str) else as_selection(selection)


def _stored_texts(test: Compare | Has) -> list[frozenset[bytes]]:
    """Return what each text that a test needs may be stored as; the first one is the name of the property."""
    texts = required_texts(test)
    return [frozenset(encodings(text) if number else name_encodings(text)) for number, text in enumerate(texts)]


def _may_want(verdicts: list[bool | None]) -> bool:
    return True in verdicts or None in verdicts


class OpenObject:
    """An object that is being read."""

    def __init__(self, header: ObjectHeader, verdicts: list[bool | None], depth: int) -> None:
        self.header = header
        #: Those of its header.
        self.verdicts = verdicts
        #: Depth of its members.
        self.depth = depth
        self.properties: dict[str, object] = {}
        self.others: dict[str, object] = {}
        #: How often each of their names came, for `add_member`.
        self.property_repeats: dict[str, int] = {}
        self.other_repeats: dict[str, int] = {}


class Selector(ObjectFilter):
    """Answers which objects may be wanted, takes the reader's events, and makes the objects that are wanted."""

    def __init__(self, reader: Reader, plan: Plan) -> None:
        super().__init__()
        self.needs_data = plan.needs_data
        self.needs_rest = False
        self._reader = reader
        self._plan = plan
        self._depth = 0
        #: Collects `Reader.key_of` of the objects that are wanted; None: no keys are needed.
        self.keys: array[int] | None = None
        #: The objects that are open; None for an object that needs no member.
        self._opened: list[OpenObject | None] = []
        #: The verdicts of the selections on each class, by its name alone. The lists never change.
        self._classes: dict[str, list[bool | None]] = {}
        self._facts = Facts(fields=plan.fields)
        #: Tests that need texts in the data, and the byte strings that each text may be stored as.
        self._required = [(test, _stored_texts(test)) for test in plan.content_tests if reader.stores_name(test.path.root)]
        #: Tests of values that have met none of the type they compare with, and the kinds of those that they have met; and the
        #: classes of objects in which a test has looked for values.
        self._unlike: list[tuple[Compare, set[str]]] = [(test, set()) for test in plan.content_tests if isinstance(test, Compare)]
        self._probed: set[tuple[str, int]] = set()
        #: All these byte strings.
        self._prefilter = sorted({stored for _, texts in self._required for text in texts for stored in text})
        #: If the selections look at nothing else: class, and the tests that fail for want of a text -> verdicts.
        self._judged: dict[tuple[object, ...], list[bool | None]] | None = None
        if not plan.looks_at_names and not plan.looks_at_header:
            self._judged = {}
        #: The verdicts on the object that the reader asked about last, and its header.
        self._verdicts: list[bool | None] = []
        self._asked: ObjectHeader | None = None

    # --- the reader's questions ---

    def wants_kind(self, kind: str) -> bool:
        facts = self._facts
        facts.forget()
        facts.kind = kind
        return any(selection._verdict(facts) is not False for selection in self._plan.selections)

    def wants_class(self, class_name: str) -> bool:
        verdicts = self._classes.get(class_name)
        if verdicts is None:
            if len(self._classes) >= KEPT_CLASSES:
                self._classes.clear()
            facts = self._facts
            facts.forget()
            facts.class_name = class_name
            verdicts = [selection._verdict(facts) for selection in self._plan.selections]
            self._classes[class_name] = verdicts
        self._verdicts = verdicts
        return _may_want(verdicts)

    def wants_names(self, class_name: str, instance_name: str, level: str) -> bool:
        if self._plan.looks_at_names and None in self._verdicts:
            facts = self._facts
            facts.forget()
            facts.class_name = class_name
            facts.instance_name = instance_name
            facts.level = level
            self._verdicts = [selection._verdict(facts) for selection in self._plan.selections]
        return _may_want(self._verdicts)

    def wants_header(self, header: ObjectHeader) -> bool:
        self._asked = header
        if None in self._verdicts and (self._prefilter or self._plan.looks_at_header):
            self._judge(header)
        return _may_want(self._verdicts)

    def takes(self, header: ObjectHeader) -> bool:
        if self._asked is not header:
            self._asked = header
            self._judge(header)
        return True in self._verdicts

    def _judge(self, header: ObjectHeader) -> None:
        """Ask the selections, with all that is known before the content is read."""
        failed = self._search(header) if self._prefilter and 0 < header.size <= LARGEST_SEARCHED else []
        judged = self._judged
        if judged is None:
            self._verdicts = self._ask(header, failed)
            return
        # Most objects are judged like others, and to ask takes as long as to read a header.
        key: tuple[object, ...] = (header.class_name, *failed)
        verdicts = judged.get(key)
        if verdicts is None:
            if len(judged) >= KEPT_CLASSES:
                judged.clear()
            verdicts = judged[key] = self._ask(header, failed)
        self._verdicts = verdicts

    def _ask(self, header: ObjectHeader, failed: list[int]) -> list[bool | None]:
        facts = self._facts
        facts.forget()
        facts.add_header(header)
        facts.failed = [self._required[number][0] for number in failed]
        return [selection._verdict(facts) for selection in self._plan.selections]

    def _search(self, header: ObjectHeader) -> list[int]:
        """Return which of `_required` fail because a text that they need is missing in the data of an object, which come next."""
        absent = self._reader.cursor.absent(self._prefilter, header.size)
        failed: list[int] = []
        if not absent:
            return failed
        missing = frozenset(absent)
        for number, (test, texts) in enumerate(self._required):
            for index, text in enumerate(texts):
                if missing >= text:
                    if index == 0 or not self._is_to_probe(header.class_name, number, test):
                        failed.append(number)
                    break
        return failed

    # --- values of another type than that of the literal ---

    def _is_to_probe(self, class_name: str, number: int, test: Compare | Has) -> bool:
        """Return whether a test has to look at a value in an object of this class, though it cannot hold there."""
        if (class_name, number) in self._probed or len(self._probed) >= KEPT_CLASSES:
            return False
        return any(test is unlike for unlike, _ in self._unlike)

    def _note_kinds(self, class_name: str, members: dict[str, object]) -> None:
        """Note of which kinds the values are that tests have met."""
        for number, (test, _) in enumerate(self._required):
            if test.path.find(members) is not MISSING and len(self._probed) < KEPT_CLASSES:
                self._probed.add((class_name, number))
        unlike: list[tuple[Compare, set[str]]] = []
        for compared, kinds in self._unlike:
            met, is_alike = compared._met(members)
            if not is_alike:
                kinds |= met
                unlike.append((compared, kinds))
        self._unlike = unlike

    def warn(self) -> None:
        """Warn of each test that has met only values of another type, and held for none: the save was read to its end.

        Raises:
            SelectWarning: the application has made these warnings errors.
        """
        for test, kinds in self._unlike:
            if kinds:
                warnings.warn(test._complain(kinds), SelectWarning, stacklevel=2)

    # --- events ---

    def feed(self, event: Event) -> list[tuple[int, SelectedObject]]:
        """Take the reader's last event; return the objects that end with it, each with the number of its selection.

        Raises:
            SaveError: the bytes are damaged.
            LimitExceeded: a property is larger than `Limits` allows to build.
        """
        kind = type(event)
        if kind is ObjectHeader:
            assert isinstance(event, ObjectHeader)  # noqa: S101 - for the type checker
            return self._open(event)
        if kind is ObjectEnd:
            self._depth -= 1
            opened = self._opened.pop() if self._opened else None
            if not self._opened:
                self._reader.wanted = None
            return [] if opened is None else self._complete(opened)
        if kind is StructExit:
            self._depth -= 1
        elif isinstance(event, (PropertyTag, Field, StructEnter, BlobSkip)):
            return self._pass_or_build(event)
        elif isinstance(event, Damage):
            raise event.error
        return []

    def _open(self, header: ObjectHeader) -> list[tuple[int, SelectedObject]]:
        """Begin an object; return it at once if it is wanted and needs no member."""
        reader = self._reader
        self._depth += 1
        if self._asked is not header:
            self._judge(header)
        verdicts = self._verdicts
        if self._plan.roots and (None in verdicts or (True in verdicts and self._plan.fields)):
            reader.wanted = self._plan.roots
            self._opened.append(OpenObject(header, verdicts, self._depth))
            return []
        reader.wanted = NOTHING
        self._opened.append(None)
        if not reader.holds_objects(header):
            reader.skip(header)  # where its size is unknown this does nothing, and its events come
        wanted_by = [index for index, verdict in enumerate(verdicts) if verdict]
        return self._give(wanted_by, header, -1, {}) if wanted_by else []

    def _pass_or_build(self, event: PropertyTag | Field | StructEnter | BlobSkip) -> list[tuple[int, SelectedObject]]:
        """Build a member that is needed, and return the objects in it; pass over others, if there are no objects in them."""
        reader = self._reader
        opened = self._opened[-1] if self._opened else None
        if opened is not None and opened.depth == self._depth:
            name = event.reason if isinstance(event, BlobSkip) else event.name
            is_property = isinstance(event, PropertyTag)
            values = opened.properties if is_property else opened.others
            if name in self._plan.presence_only:
                if not isinstance(event, PropertyTag) or event.index == 0:
                    values[name] = None
            elif name in self._plan.roots:
                reader.start_budget()
                reader.building = True
                inner: list[BuiltObject] = []
                returns = False
                if reader.holds_objects(opened.header) and reader.leads_to_objects(event):
                    # The objects in the value are objects all the same.
                    returns = reader.can_return(event)
                    reader.built_objects = None if returns else inner
                try:
                    add_member(reader, values, opened.property_repeats if is_property else opened.other_repeats, event)
                except RecursionError:
                    if len(reader.path()) < DEEP:  # it is an error of the source
                        raise
                    raise reader.cursor.located(too_deep(reader.limits, reader.cursor.tell())) from None
                finally:
                    reader.building = False
                    reader.built_objects = None
                if returns:
                    reader.return_to(event)
                    self._depth += isinstance(event, StructEnter)
                return self._give_built(inner)
        if isinstance(event, StructEnter):
            self._depth += 1
            if (opened is not None and not reader.holds_objects(opened.header)) or not reader.leads_to_objects(event):
                reader.skip(event)  # as above
        elif isinstance(event, PropertyTag) and reader.leads_to_objects(event):
            pass  # its value comes
        elif not isinstance(event, BlobSkip):
            reader.skip(event)
        return []

    def _give_built(self, built: list[BuiltObject]) -> list[tuple[int, SelectedObject]]:
        """Return those of the objects that are wanted which were built as a part of a member."""
        found: list[tuple[int, SelectedObject]] = []
        for each in built:
            members = {**each.others, **each.properties}
            wanted_by = self._ask_all(each.header, members)
            if wanted_by:
                found += self._give(wanted_by, each.header, each.key, members)
        return found

    def _ask_all(self, header: ObjectHeader, members: dict[str, object]) -> list[int]:
        """Return the numbers of the selections that want an object, of which all is known."""
        facts = self._facts
        facts.forget()
        facts.add_header(header)
        facts.members = members
        if self._unlike:
            self._note_kinds(header.class_name, members)
        return [index for index, selection in enumerate(self._plan.selections) if selection._verdict(facts)]

    def _complete(self, opened: OpenObject) -> list[tuple[int, SelectedObject]]:
        """Return the object that has just ended, once for each selection that wants it."""
        # A property hides a field of the same name.
        members = {**opened.others, **opened.properties}
        verdicts = opened.verdicts
        if None in verdicts:
            wanted_by = self._ask_all(opened.header, members)
        else:
            wanted_by = [index for index, verdict in enumerate(verdicts) if verdict]
        return self._give(wanted_by, opened.header, -1, members) if wanted_by else []

    def _give(
        self, wanted_by: list[int], header: ObjectHeader, key: int, members: dict[str, object]
    ) -> list[tuple[int, SelectedObject]]:
        """Make an object for the selections with these numbers; `key` is -1 if it is the reader's last one."""
        if self.keys is not None:
            self.keys.append(self._reader.key_of(header.offset) if key < 0 else key)
        selected = select_object(header, members, self._plan.fields)
        return [(index, selected) for index in wanted_by]


class KnownObjects(ObjectFilter):
    """Wants the objects whose keys are in a sorted list: they were found when the save was read before."""

    def __init__(self, reader: Reader, keys: array[int], kinds: ObjectFilter | None = None) -> None:
        super().__init__()
        self._reader = reader
        self._keys = keys
        self._kinds = kinds

    def wants_kind(self, kind: str) -> bool:
        return self._kinds is None or self._kinds.wants_kind(kind)

    def wants_class(self, class_name: str) -> bool:
        return True

    def wants_names(self, class_name: str, instance_name: str, level: str) -> bool:
        return True

    def wants_header(self, header: ObjectHeader) -> bool:
        return self.takes(header)

    def takes(self, header: ObjectHeader) -> bool:
        key = self._reader.key_of(header.offset)
        at = bisect_left(self._keys, key)
        return at < len(self._keys) and self._keys[at] == key


def make_filter(reader: Reader, plan: Plan, first: Reader) -> ObjectFilter:
    """Return the filter that lets a reader make events of the wanted objects only.

    Args:
        reader: the reader that will use the filter.
        plan: which objects are wanted.
        first: another reader of the same save. If the plan tests the content of objects, it is read to its end.

    Raises:
        SaveError: the bytes are damaged.
        LimitExceeded: a property is larger than `Limits` allows to build.
    """
    if plan.content_tests:
        return KnownObjects(reader, _find_keys(first, plan), Selector(reader, plan))
    selector = Selector(reader, plan)
    selector.needs_rest = True
    return selector


def _find_keys(reader: Reader, plan: Plan) -> array[int]:
    """Read a save to its end; return the sorted keys of the objects that a selection wants, eight bytes each."""
    selector = Selector(reader, plan)
    keys = array("q")
    selector.keys = keys
    reader.filter = selector
    event = reader.next_event()
    while event is not None:
        reader.allowance.spend(reader.cursor)
        reader.windows.entered.clear()
        selector.feed(event)
        event = reader.next_event()
    selector.warn()
    # Objects that contain others end after them. Sorting takes 40 bytes for each key, so it is done only where it has to be.
    return keys if all(one <= other for one, other in pairwise(keys)) else array("q", sorted(keys))


def run(reader: Reader, held: list[Event], plan: Plan) -> Iterator[tuple[int, SelectedObject]]:
    """Yield the objects that are wanted, each with the number of the selection that wants it.

    Args:
        reader: the reader of the save; its events are taken from here on.
        held: events that it has made already; they are taken first.
        plan: which objects are wanted, and which of their fields.

    Raises:
        SaveError: the bytes are damaged.
        LimitExceeded: a property is larger than `Limits` allows to build.
    """
    selector = Selector(reader, plan)
    reader.filter = selector
    while True:
        event = held.pop(0) if held else reader.next_event()
        if event is None:
            selector.warn()
            return
        reader.allowance.spend(reader.cursor)
        reader.windows.entered.clear()
        found = selector.feed(event)
        if found:
            yield from found
