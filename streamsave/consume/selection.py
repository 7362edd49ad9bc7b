"""What a caller selects, compiled: which objects may match, and which of their members decide; and those that match.

A reader may ask a `Selector` before it makes the event of an object (`streamsave.decode.reader`), and `matches` asks it about
each object that comes.

An object is whatever starts with an `ObjectHeader`: an actor or a component of Satisfactory, the one object of an Unreal save
game, an entry of an Arx save, an instance of Astroneer, an island, a building or the state of one in shapez 2. Some contain
others: a building is inside an island, a foundation of Satisfactory inside a subsystem. If the content of an object decides, or a
field is asked for, it comes at its end, after those inside it.

Of an object whose header decides, nothing else is read; of others, the members that the selections test. What contains objects
(a level's subsystem, an island) comes only if it matches itself.

The module is long because `matches` asks all that a `Selector` answers, event by event.
"""

from __future__ import annotations

import warnings
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import pairwise
from typing import Final

from streamsave._fields import each_of
from streamsave._log import warn
from streamsave._native import i64
from streamsave.consume.conditions import (
    EVERYTHING,
    SHOWN,
    TEXTS,
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
from streamsave.consume.needed_text import encodings, name_encodings, required_texts
from streamsave.consume.parser import parse_selection
from streamsave.consume.selected_object import SelectedObject, select_object, sized
from streamsave.decode.build import Members
from streamsave.decode.paths import MISSING, Path, parse_path
from streamsave.decode.reader import Selecting
from streamsave.errors import PathStep, SaveError, SelectWarning
from streamsave.events import BlobSkip, Damage, Event, Field, ObjectEnd, ObjectHeader, PropertyTag, StructEnter, StructExit
from streamsave.stream.verbs import Verbs

__all__ = [
    "HeaderFilter",
    "OpenObject",
    "Plan",
    "Selector",
    "filter_of",
    "is_in",
    "keys_of",
    "looks_at_header",
    "matches",
    "selection_of",
]

#: What a test of the header may have been called -> its name.
ATTRIBUTES: Final = {"class": "class_name", "name": "instance_name", **{name: name for name in (*TEXTS, "size", "position")}}
#: Most classes whose verdict is kept; a heavily modded save has a few thousand.
KEPT_CLASSES: Final = 65_536
#: Most sets of tests of a class whose verdicts are kept: each object of it may lack other texts.
KEPT_JUDGED: Final = 64
#: Most bytes of data that are searched for texts: in larger objects, skipping from tag to tag inflates less.
LARGEST_SEARCHED: Final = 256 * 1024


class Plan:
    """What the caller asks for: selections, and the fields of the objects that they want.

    Raises:
        SelectError: a selection or a path does not follow the grammar.
        TypeError: a selection is neither a text nor a `Selection` nor a function.
    """

    def __init__(
        self, selections: Sequence[str | Selection | Function | None], fields: str | Sequence[str] = (), *, sizes: bool = True
    ) -> None:
        self.selections: list[Selection] = [selection_of(selection) for selection in selections]
        self.fields: list[Path] = [parse_path(field) for field in each_of(fields)]
        tests = [test for selection in self.selections for test in selection._tests()]
        #: Tests of properties and fields.
        self.content_tests: list[Compare | Has] = [
            test for test in tests if isinstance(test, (Compare, Has)) and not test.path.is_of_header
        ]
        #: Whether the selections test the name or the level.
        self.looks_at_names = any(isinstance(test, HeaderText) and test.attribute in {"instance_name", "level"} for test in tests)
        #: Tests of nothing but the presence of a property.
        alone = [
            test
            for test in self.content_tests
            if isinstance(test, Has) and len(test.path.steps) == 1 and len(test.path.stored_roots()) == 1
        ]
        present = {test.path.root for test in alone}
        built_paths = [*self.fields, *[test.path for test in self.content_tests if test not in alone]]
        built = {name for path in built_paths for name in path.stored_roots()}
        #: Names of all properties and fields that a path starts with.
        self.roots: frozenset[str] = frozenset(present | built)
        #: Those of them whose presence is tested, but not their value: they are not built.
        self.presence_only: frozenset[str] = frozenset(present - built)
        #: Whether the data of objects is needed, or at least its size.
        self.needs_data = sizes or bool(self.roots) or any(isinstance(test, Size) for test in tests)
        #: Whether the size of an object may decide.
        self.asks_size = any(isinstance(test, (Size, Asked)) for test in tests)


def selection_of(selection: str | Selection | Function | None) -> Selection:
    """Return what a caller means by a text, a selection, a function, or None: all objects.

    Raises:
        SelectError, TypeError: as for `Plan`.
    """
    if selection is None:
        return EVERYTHING
    return parse_selection(selection) if isinstance(selection, str) else as_selection(selection)


def looks_at_header(test: Selection) -> bool:
    """Return whether a test needs anything of the header besides the class."""
    if isinstance(test, (Compare, Has)):
        return test.path.is_of_header
    return test.attribute != "class_name" if isinstance(test, HeaderText) else isinstance(test, (Size, InBox, Asked))


class ContentTest:
    """A test of the content of objects, and what it has met.

    Args:
        test: the test.
        is_stored: the name of its property, and texts in its value, are in the data of objects as they are.
    """

    def __init__(self, test: Compare | Has, *, is_stored: bool) -> None:
        self.test: Final = test
        #: What each text that the test needs may be stored as; the first one is the name of the property.
        self.texts: list[frozenset[bytes]] = [
            frozenset(encodings(text) if number else name_encodings(text))
            for number, text in enumerate(required_texts(test) if is_stored else ())
        ]
        #: The kinds of the values that a comparison has met; None: one of them was of the kind of its literal.
        self.kinds: set[str] | None = set() if isinstance(test, Compare) else None
        #: The classes of objects in which it has met values.
        self.probed: set[str] = set()

    def fails(self, class_name: str, missing: frozenset[bytes]) -> bool:
        """Return whether the test cannot hold in an object of this class without these texts, nor meet a value of a new kind."""
        lacks = [missing >= text for text in self.texts]
        if True not in lacks:
            return False
        return lacks[0] or self.kinds is None or class_name in self.probed or len(self.probed) >= KEPT_CLASSES

    def meet(self, class_name: str, members: dict[str, object]) -> None:
        """Note of which kinds the values in an object are."""
        test, kinds = self.test, self.kinds
        if kinds is None or not isinstance(test, Compare) or test.path.find(members) is MISSING:
            return
        self.probed.add(class_name)
        met, is_alike = test._met(members)
        self.kinds = None if is_alike else kinds | met


class OfClass:
    """What is known of the objects of a class by its name alone.

    Args:
        verdicts: one for each selection; the list never changes.
        numbers: which tests of the content the selections without a verdict have.
        texts: all byte strings that these tests need.
        looks_at_header: these selections need anything of the header besides the class.
    """

    def __init__(self, verdicts: list[bool | None], numbers: list[int], texts: list[bytes], *, looks_at_header: bool) -> None:
        self.verdicts = verdicts
        self.numbers = numbers
        self.texts = texts
        self.looks_at_header = looks_at_header
        #: If not, and for each set of tests that fail for want of a text: the verdicts. Most objects are judged like others, and
        #: to ask takes as long as to read a header.
        self.judged: dict[tuple[int, ...], list[bool | None]] = {}


def _may_want(verdicts: list[bool | None]) -> bool:
    for verdict in verdicts:  # noqa: SIM110 - three times for each object: a generator takes longer
        if verdict is not False:
            return True
    return False


class Selector(Selecting):
    """Answers which objects a plan wants: of each, one verdict for each selection. None: its content decides.

    Args:
        events: the stream; the object that is asked about is the next or the last one in it.
        plan: the plan.
        settle: says of an object, if its header does not decide, whether it matches. None: its content decides.
    """

    def __init__(self, events: Verbs, plan: Plan, settle: Callable[[ObjectHeader], bool] | None = None) -> None:
        super().__init__()
        self.needs_data = plan.needs_data
        self.needs_rest = False
        self._absent = events._finder()
        self._plan = plan
        self._source = events.source_name
        #: Class name -> what the selections say of it.
        self._classes: dict[str, OfClass] = {}
        # What is damaged is not searched for names.
        is_searched = settle is None and not events._survives()
        self._tests = [
            ContentTest(test, is_stored=is_searched and events._stores_name(test.path.root)) for test in plan.content_tests
        ]
        #: What the names of the fields may be stored as, if all names are in the data.
        self._names: list[bytes] = []
        names = [required_texts(Has(path)) for path in plan.fields if not path.is_of_header]
        if is_searched and all(names) and all(map(events._stores_name, plan.roots)):
            self._names = sorted({stored for (name,) in names for stored in name_encodings(name)})
        #: The verdicts on the object that the reader asked about last, and its header.
        self._verdicts: list[bool | None] = []
        self._asked: ObjectHeader | None = None
        self._settle = settle

    # --- the reader's questions ---

    def wants_kind(self, kind: str) -> bool:
        """Return whether an object of this kind may match."""
        return _may_want(self._verdicts_on(Facts({"kind": kind})))

    def wants_class(self, class_name: str) -> bool:
        """Return whether an object of this class may match."""
        self._verdicts = self._of_class(class_name).verdicts
        return _may_want(self._verdicts)

    def wants_names(self, class_name: str, instance_name: str, level: str) -> bool:
        """Return whether an object with these names may match."""
        if self._plan.looks_at_names and None in self._verdicts:
            self._verdicts = self._verdicts_on(Facts({"class_name": class_name, "instance_name": instance_name, "level": level}))
        return _may_want(self._verdicts)

    def wants_header(self, header: ObjectHeader) -> bool:
        """Return whether an object with this header may match."""
        self._asked = header
        if None in self._verdicts:
            self._judge(header)
        return _may_want(self._verdicts)

    def takes(self, header: ObjectHeader) -> bool:
        """Return whether the header of an object shows that it matches."""
        if self._asked is not header:
            self._asked = header
            self._judge(header)
        return True in self._verdicts

    def verdicts(self, header: ObjectHeader) -> list[bool | None]:
        """Return the verdicts on an object whose header comes as an event."""
        self.takes(header)
        return self._verdicts

    def may_have_fields(self, header: ObjectHeader) -> bool:
        """Return whether an object, whose data come next, may have one of the fields: of most classes, none has."""
        if not self._names or not 0 < header.size <= LARGEST_SEARCHED:
            return True
        return len(self._absent(self._names, header.size)) < len(self._names)

    def wanting(self, header: ObjectHeader, members: dict[str, object], known: list[bool | None]) -> list[bool | None]:
        """Return the verdicts on an object, of which all is known; some may have been given before."""
        for test in self._tests:
            test.meet(header.class_name, members)
        return self._verdicts_on(Facts(header=header, members=members, fields=self._plan.fields, source=self._source), known)

    def _judge(self, header: ObjectHeader) -> None:
        """Ask the selections, with all that is known before the content is read."""
        of_class = self._of_class(header.class_name)
        failed: tuple[int, ...] = ()
        if of_class.texts and 0 < header.size <= LARGEST_SEARCHED:
            missing = frozenset(self._absent(of_class.texts, header.size))
            if missing:
                failed = tuple([number for number in of_class.numbers if self._tests[number].fails(header.class_name, missing)])
        verdicts = of_class.judged.get(failed)
        if verdicts is None:
            failing = [self._tests[number].test for number in failed]
            plan = self._plan
            facts = Facts(header=header, failed=failing, fields=plan.fields, source=self._source, sizes=plan.needs_data)
            verdicts = self._verdicts_on(facts, of_class.verdicts)
            if not of_class.looks_at_header:
                if len(of_class.judged) >= KEPT_JUDGED:
                    of_class.judged.clear()
                of_class.judged[failed] = verdicts
        self._verdicts = [self._settle(header)] if self._settle is not None and None in verdicts else verdicts

    def _of_class(self, class_name: str) -> OfClass:
        """Return what the selections say of a class."""
        found = self._classes.get(class_name)
        if found is None:
            if len(self._classes) >= KEPT_CLASSES:
                self._classes.clear()
            verdicts = self._verdicts_on(Facts({"class_name": class_name}))
            undecided = [each for each, verdict in zip(self._plan.selections, verdicts, strict=True) if verdict is None]
            tests = [test for selection in undecided for test in selection._tests()]
            numbers = [number for number, each in enumerate(self._tests) if any(each.test is test for test in tests)]
            texts = sorted({stored for number in numbers for text in self._tests[number].texts for stored in text})
            at_header = any(map(looks_at_header, tests))
            found = self._classes[class_name] = OfClass(verdicts, numbers, texts, looks_at_header=at_header)
        return found

    def _verdicts_on(self, facts: Facts, known: list[bool | None] | None = None) -> list[bool | None]:
        """Return the verdicts; those that are known are not asked for again."""
        selections = self._plan.selections
        if known is None:
            return [selection._verdict(facts) for selection in selections]
        return [selections[at]._verdict(facts) if verdict is None else verdict for at, verdict in enumerate(known)]

    def warn(self, *, has_matched: bool) -> None:
        """Warn of each test that has met only values of another type, and held for none: the save was read to its end.

        If no object has matched, warn also of properties that are called nearly like what each object has: `klass`, `class`.

        Raises:
            SelectWarning: the application has made these warnings errors.
        """
        for each in self._tests:
            if each.kinds and isinstance(each.test, Compare):
                warnings.warn(each.test._complain(each.kinds), SelectWarning, stacklevel=2)
        if has_matched or any(selection._is_explained for selection in self._plan.selections):
            return
        from difflib import get_close_matches  # noqa: PLC0415 - few selections match nothing

        for each in self._tests:
            root = each.test.path.root
            meant = get_close_matches(root.lower(), ATTRIBUTES, 1)
            name = ATTRIBUTES[meant[0]] if meant else root
            if name != root and isinstance(each.test, Compare) and not each.probed:
                text = f"no object matches, and no property {root[:SHOWN]!r} was met: did you mean {name!r}?"
                warnings.warn(text, SelectWarning, stacklevel=2)


class HeaderFilter(Selecting):
    """Wants the objects of which a function says so, when it gets their headers.

    Args:
        ask: the function; it is asked once for each object.
    """

    def __init__(self, ask: Callable[[ObjectHeader], bool]) -> None:
        super().__init__()
        self._ask = ask
        #: The header it was asked about last, and what it said.
        self._asked: ObjectHeader | None = None
        self._answer = False

    def takes(self, header: ObjectHeader) -> bool:
        """Return whether the header of an object shows that it matches."""
        if header is not self._asked:
            self._asked = header
            self._answer = self._ask(header)
        return self._answer


class OpenObject:
    """An object whose members are read."""

    def __init__(
        self, header: ObjectHeader, path: tuple[PathStep, ...], verdicts: list[bool | None], depth: i64, *, holds: bool
    ) -> None:
        self.header = header
        self.path = path
        #: Those of its header.
        self.verdicts = verdicts
        #: How many nestings are open around its members.
        self.depth: i64 = depth
        #: There may be objects in it.
        self.holds = holds
        #: Its end shows its size.
        self.is_sized = False
        #: Something in it is lost: what tests of its content say is not certain.
        self.is_damaged = False
        self.properties = Members()
        self.others = Members()

    def add(self, event: Event, name: str, value: object) -> None:
        """Add a member under the name that `build()` gives it."""
        if isinstance(event, PropertyTag):
            self.properties.put(f"{name}[{event.index}]" if event.index else name, value)
        else:
            self.others.put(name, value)

    def members(self) -> dict[str, object]:
        """Return the members by name. A property hides a field of the same name."""
        others, properties = self.others.values, self.properties.values
        return others | properties if others else properties


def matches(events: Verbs, plan: Plan) -> Iterator[tuple[int, SelectedObject]]:
    """Yield the objects from here on that are wanted, each with the number of the selection that wants it.

    If the stream goes on after damage, so does this, and logs a warning at the end.

    Raises:
        SaveError: the bytes are damaged.
        LimitExceeded: a property is larger than `Limits` allows to build.
    """
    selector = Selector(events, plan)
    survives = events._survives()
    if not survives:
        events._ask_early(selector)
    #: The first loss, and how many there are.
    first_loss: SaveError | None = None
    losses = 0
    source = events.source_name
    has_matched = False
    #: The objects that are open; None for one that needs no member.
    opened: list[OpenObject | None] = []
    again = events._opener()
    #: Streams that build members which contain objects, one for each depth of these: here, the events in them come.
    others: list[Verbs] = []
    depth: i64 = 0
    #: The last event is a tag, and its value comes as events.
    is_value = False
    for event in events:
        kind = type(event)
        if kind is PropertyTag or kind is Field or kind is StructEnter or kind is BlobSkip:
            assert isinstance(event, (PropertyTag, Field, StructEnter, BlobSkip))  # noqa: S101 - for the compiler
            around = opened[len(opened) - 1] if opened else None
            name = event.reason if isinstance(event, BlobSkip) else event.name
            leads = (
                (around is None or around.holds)
                and isinstance(event, (PropertyTag, StructEnter))
                and events._leads_to_objects(event)
            )
            wants = around is not None and around.depth == depth and not is_value and name in plan.roots
            value: object = None
            try:
                if wants and name not in plan.presence_only:
                    if leads:
                        while len(others) < len(opened):
                            others.append(again())
                        value = others[len(opened) - 1]._build_at(event)
                    else:
                        value = events.opaque(event) if isinstance(event, BlobSkip) else events.build()
                elif not leads and kind is not BlobSkip:
                    events._pass()
            except SaveError as error:
                if not survives:
                    raise
                wants = False
                first_loss = first_loss or error
                if around is not None:
                    around.is_damaged = True
            if wants and around is not None:
                around.add(event, name, value)
            is_value = leads and kind is PropertyTag
            if kind is StructEnter:
                depth += 1
            continue
        is_value = False
        header: ObjectHeader | None = None
        wanted_by: list[bool | None] = []
        members: dict[str, object] = {}
        path: tuple[PathStep, ...] = ()
        if isinstance(event, ObjectHeader):
            depth += 1
            header = event
            wanted_by = selector.verdicts(event)
            holds = events.holds_objects(event)
            # One that holds others comes after those in it, if it has a field or not.
            takes_fields = bool(plan.fields) and True in wanted_by and (holds or selector.may_have_fields(event))
            reads = bool(plan.roots) and (None in wanted_by or takes_fields)
            is_sized = plan.needs_data and events._end_shows_size(event)
            around = None
            if reads or None in wanted_by or (is_sized and True in wanted_by):
                around = OpenObject(event, events.path, wanted_by, depth, holds=holds)
                around.is_sized = is_sized
            opened.append(around)
            if not holds and not reads:
                events._pass()
            if around is not None:
                continue
            if True in wanted_by:
                path = events.path
        elif isinstance(event, ObjectEnd):
            depth -= 1
            done = opened.pop() if opened else None
            if done is not None:
                header = sized(done.header, event) if done.is_sized else done.header
                path = done.path
                members = done.members()
                wanted_by = done.verdicts
                if None in wanted_by and not done.is_damaged:
                    wanted_by = selector.wanting(header, members, wanted_by)
        elif kind is StructExit:
            depth -= 1
        elif isinstance(event, Damage):
            if not survives:
                raise event.error
            first_loss = first_loss or event.error
            losses += 1
            for each in opened:
                if each is not None:
                    each.is_damaged = True
        if header is not None and True in wanted_by:
            has_matched = True
            selected = select_object(header, members, plan.fields, source, path)
            for number, verdict in enumerate(wanted_by):
                if verdict:
                    yield number, selected
    if first_loss is not None:
        warn("what is damaged in a save is lost", save=source, losses=losses, error=str(first_loss))
    elif events._complete:
        selector.warn(has_matched=has_matched)


def filter_of(events: Verbs, where: str | Selection | Callable[[ObjectHeader], bool]) -> Selecting:
    """Return what lets only those objects of a stream come that a selection, or a function of their headers, wants.

    If the selection tests the content of objects, the save is read to its end by another stream.

    Raises:
        SelectError: the selection does not follow the grammar.
        SaveError: the bytes are damaged.
        LimitExceeded: a property is larger than `Limits` allows to build.
    """
    if callable(where):
        return HeaderFilter(where)
    plan = Plan([where])
    again, key_of = events._opener(is_used=bool(plan.content_tests) or plan.asks_size), events._keys()
    keys = cache(partial(keys_of, again, plan))  # a lambda, compiled, would refer to what refers to it
    if plan.content_tests:
        keys()
    selector = Selector(events, plan, lambda header: is_in(keys(), key_of(header.offset)))
    selector.needs_rest = True
    return selector


def is_in(numbers: array[int], number: int) -> bool:
    """Return whether a number is in a sorted array."""
    at = bisect_left(numbers, number)
    return at < len(numbers) and numbers[at] == number


def keys_of(again: Callable[[], Verbs], plan: Plan) -> array[int]:
    """Return the sorted keys of all objects of a save that a selection wants, eight bytes each.

    Args:
        again: opens a stream of the save.
        plan: the selection.

    Raises:
        SaveError: the bytes are damaged.
        LimitExceeded: a property is larger than `Limits` allows to build.
    """
    first = again()
    keys = array("q")
    for _, found in matches(first, plan):
        keys.append(first._key_of(found.offset))
    # Objects that contain others end after them. Sorting takes 40 bytes for each key, so it is done only where it has to be.
    return keys if all(one <= other for one, other in pairwise(keys)) else array("q", sorted(keys))
