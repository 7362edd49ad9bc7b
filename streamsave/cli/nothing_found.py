"""What to say if no object matches `--where`: which of its tests nothing in the save can pass, and the nearest names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Final

from streamsave.cli.text import clean, quoted, short_class
from streamsave.consume.conditions import PATHS, TEXTS, And, Compare, Facts, Has, HeaderText, Or, Selection
from streamsave.consume.selection import ATTRIBUTES
from streamsave.consume.stream import EventStream
from streamsave.consume.values import Part, Walk, leaves
from streamsave.decode.paths import INDEX, OF_HEADER, Path
from streamsave.errors import SaveError
from streamsave.events import Field, ObjectHeader, PropertyTag, StructEnter
from streamsave.output.flat_text import step_text
from streamsave.rewriting.assignments import starts_of
from streamsave.stream.verbs import Verbs

__all__ = ["Watched", "ends_so", "explain"]

#: Most names of one sort that are looked at.
MOST_NAMES: Final = 20_000
#: Objects of one class whose values are looked at: others have the same names.
LOOKED_INTO: Final = 100
#: Names that are shown.
SHOWN: Final = 3
#: How alike names have to be, from 0 to 1.
ALIKE: Final = 0.6
#: Attributes with so few values that all are shown.
FEW: Final = frozenset({"kind"})
#: A part of a name, as a person writes it.
WORD: Final = re.compile(r"[^\W_]+")
#: What is no part of a name in a pattern.
SIGNS: Final = re.compile(r"[^\w/:.-]")


class Watched(Selection):
    """A selection that remembers whether an object has matched."""

    _is_explained = True

    def __init__(self, selection: Selection) -> None:
        self.selection = selection
        self.has_matched = False

    def _verdict(self, facts: Facts) -> bool | None:
        """Return that of the selection."""
        answer = self.selection._verdict(facts)
        if answer:
            self.has_matched = True
        return answer

    def _tests(self) -> Iterator[Selection]:
        """Yield those of the selection."""
        return self.selection._tests()


def explain(events: EventStream, selection: Selection) -> str:
    """Read a save, and return why no object matches; "" if each single test could be passed, or the save is damaged."""
    wanted = list(_wanted(selection))
    names: dict[str, set[str]] = {attribute: set() for attribute in TEXTS}
    members: set[str] | None = set() if any(isinstance(test, (Compare, Has)) for test in wanted) else None
    try:
        _collect(events, names, members)
    except SaveError:
        return ""
    reasons = [
        _header_reason(test, names[test.attribute])
        if isinstance(test, HeaderText)
        else _member_reason(test.path, members or set(), events)
        for test in wanted
    ]
    return "; ".join(dict.fromkeys(filter(None, reasons)))


def _wanted(selection: Selection) -> Iterator[HeaderText | Compare | Has]:
    """Yield the tests that objects have to pass, not those that they have to fail."""
    if isinstance(selection, (And, Or)):
        for part in selection.parts:
            yield from _wanted(part)
    elif isinstance(selection, HeaderText) or (isinstance(selection, (Compare, Has)) and not selection.path.is_of_header):
        yield selection


def _collect(events: EventStream, names: dict[str, set[str]], members: set[str] | None) -> None:
    """Add the texts of all headers, and, unless it is None, the names of all properties and fields."""
    depth = -1
    for event in events:
        if isinstance(event, ObjectHeader):
            depth = events.depth
            for attribute, found in names.items():
                _add(found, getattr(event, attribute))
            if members is None and not events.holds_objects(event):
                events.skip()
        elif isinstance(event, (PropertyTag, Field, StructEnter)):
            if members is not None and events.depth - isinstance(event, StructEnter) == depth:
                _add(members, event.name)
            if isinstance(event, Field) or (isinstance(event, PropertyTag) and not events._leads_to_objects(event)):
                events.skip()


def _add(names: set[str], name: str) -> None:
    if len(names) < MOST_NAMES:
        names.add(name)


def _header_reason(test: HeaderText, names: set[str]) -> str:
    """Return why no object passes a test of its header; "" if one may."""
    pattern = test.pattern
    if len(names) >= MOST_NAMES or any(map(test.matches, names)):
        return ""
    if test.attribute in FEW:
        return f"no {test.attribute} is {quoted(pattern.text)}: here are {_listed(sorted(names))}"
    shown = {short_class(name) for name in names} if test.attribute in PATHS else names
    return f"no {test.attribute} is {quoted(pattern.text)}{_nearest(pattern.text, shown)}"


def _member_reason(path: Path, members: set[str], events: EventStream) -> str:
    """Return why no object passes a test of a property; "" if one has it."""
    name = path.root
    if len(members) >= MOST_NAMES or name in members:
        return ""
    attributes = set(ATTRIBUTES.values())
    ends = ends_so(events._opener()(), path)
    if not ends and (name in attributes or f"@{name}" in OF_HEADER):
        at = "@" if f"@{name}" in OF_HEADER else ""
        before = "without the dot, " if name in attributes and path.text.startswith(".") else at
        return f"no object has a property {quoted(name)}: {before}{name} is what each object has"
    return f"no object has {quoted(name)}{ends or _nearest(ATTRIBUTES.get(name, name), members | attributes)}"


def ends_so(events: Verbs, path: Path) -> str:
    """Return which values in objects have a path that ends as this one does, to end a sentence; "" if none has."""
    try:
        ends = _whole_paths(events, path)
    except SaveError:
        return ""
    return f"; {'these end' if len(ends) > 1 else 'this ends'} so: {_listed(ends)}" if ends else ""


def _whole_paths(events: Verbs, path: Path) -> list[str]:
    """Return the paths of the values in objects that end as a path says, in all elements: at most `SHOWN`.

    The names of the save are not searched for in bytes: `x` of a vector is in none.
    """
    found: dict[str, None] = {}
    counts: dict[str, int] = {}
    walk = Walk(events, loose=False)
    for step in walk:
        if isinstance(step, ObjectHeader):
            counts[step.class_name] = counts.get(step.class_name, 0) + 1
            if counts[step.class_name] > LOOKED_INTO:
                walk.skip()
        elif isinstance(step, Part):
            for whole, leaf in leaves(step):
                inner = whole[step.base :]
                for start in starts_of(inner, leaf, path.steps):
                    place = "".join(["[*]" if INDEX.fullmatch(text) else text for text in map(step_text, inner[:start])])
                    found[f"{place.removeprefix('/')}/{path.text.removeprefix('.')}"] = None
            if len(found) >= SHOWN:
                break
    return list(found)[:SHOWN]


def _nearest(text: str, names: Iterable[str]) -> str:
    """Return the names that are most like a text, to end a sentence."""
    wanted = SIGNS.sub("", text).lower()
    by_lower = {name.lower(): name for name in sorted(names)}
    if wanted in by_lower:
        return f"; there is {clean(by_lower[wanted])}"
    words = WORD.findall(text.lower())
    # A belt that goes forward is a "BeltDefaultForwardInternalVariant".
    found = sorted((name for name in by_lower if words and all(word in name for word in words)), key=len)[:SHOWN]
    found += [name for name in get_close_matches(wanted, by_lower, SHOWN, ALIKE) if name not in found]
    return f"; the nearest: {_listed([by_lower[name] for name in found[:SHOWN]])}" if found else ""


def _listed(names: Iterable[str]) -> str:
    return ", ".join(clean(name) for name in names) or "none"
