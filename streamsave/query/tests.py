"""What is looked for, as objects that can be combined: `a & b`, `a | b`, `~a`. `streamsave.query.parser` makes them of text.

A selection is asked as soon as anything is known of an object: its class, its names, its header, its content. It answers yes, no,
or None: what is known does not tell yet. So a reader can pass over most objects before it has read much of them.
"""

from __future__ import annotations

import math
import operator
import re
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import translate
from typing import Final, TypeAlias

from attrs import define, field, frozen

from streamsave.events import ObjectHeader
from streamsave.query.paths import MISSING, Path, leaves, text_of

__all__ = [
    "EVERYTHING",
    "And",
    "Compare",
    "Everything",
    "Facts",
    "Has",
    "HeaderText",
    "InBox",
    "Not",
    "Or",
    "Pattern",
    "SelectedObject",
    "Selection",
    "Size",
]

SINGLE: Final = struct.Struct("<f")
#: The parts of a header that are texts.
TEXTS: Final[Mapping[str, str]] = {
    "class": "class_name",
    "name": "instance_name",
    "level": "level",
    "kind": "kind",
    "outer": "outer",
}

OPERATORS: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

Literal: TypeAlias = "Pattern | float | bool"
Corner: TypeAlias = tuple[float, ...]


@frozen
class SelectedObject:
    """An object that was asked for."""

    #: What the format calls it: `"actor"`, `"component"`, ...
    kind: str
    class_name: str
    instance_name: str
    #: The level that it is in, as its own reference says.
    level: str
    #: Place in the world, in the unit of the save (Unreal's centimetres, tiles of shapez 2), or None.
    position: tuple[float, float, float] | None
    #: Bytes of its data, or -1 where the save does not tell; where its header starts in the inflated stream.
    size: int
    offset: int
    #: What was asked for, by the path as it was written; what the object does not have is not there.
    fields: dict[str, object]


@define
class Facts:
    """What is known of an object so far: None is not known."""

    class_name: str | None = None
    instance_name: str | None = None
    level: str | None = None
    kind: str | None = None
    outer: str | None = None
    header: ObjectHeader | None = None
    #: Properties and fields by name: at least all those that are asked for.
    members: Mapping[str, object] | None = None
    #: Tests of the content that are known to fail.
    failed: Sequence[Selection] = ()

    def forget(self) -> None:
        """Know nothing, of the next object."""
        self.class_name = self.instance_name = self.level = self.kind = self.outer = None
        self.header = None
        self.members = None
        self.failed = ()

    def test_content(self, test: Selection) -> bool | None:
        """Tell that a test of the content fails, as far as that is known without the content."""
        return False if any(failed is test for failed in self.failed) else None

    def add_header(self, header: ObjectHeader) -> None:
        """Take what a header tells."""
        self.header = header
        self.class_name = header.class_name
        self.instance_name = header.instance_name
        self.level = header.level
        self.kind = header.kind
        self.outer = header.outer


@frozen
class Pattern:
    """A text that is looked for: as it is, with the wildcards `*`, `?`, `[...]`, or a regular expression that may match anywhere.

    Raises:
        re.error: it is no regular expression.
    """

    text: str
    kind: str = "exact"
    ignore_case: bool = False
    _matches: Callable[[str], object] | None = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        flags = re.IGNORECASE if self.ignore_case else 0
        matches: Callable[[str], object] | None = None
        if self.kind == "regex":
            matches = re.compile(self.text, flags).search
        elif self.kind == "glob":
            matches = re.compile(translate(self.text), flags).match
        elif self.ignore_case:
            matches = re.compile(re.escape(self.text), flags).fullmatch
        object.__setattr__(self, "_matches", matches)

    def says(self, text: str) -> bool:
        """Whether a text is what is looked for."""
        return text == self.text if self._matches is None else self._matches(text) is not None


class Selection:
    """Tells which objects are wanted."""

    def verdict(self, facts: Facts) -> bool | None:
        """Whether an object is wanted; None where the facts do not tell yet. With all facts, it is never None."""
        raise NotImplementedError

    def tests(self) -> Iterator[Selection]:
        """Give the tests that it is made of."""
        yield self

    def __and__(self, other: Selection) -> Selection:
        return And((self, other))

    def __or__(self, other: Selection) -> Selection:
        return Or((self, other))

    def __invert__(self) -> Selection:
        return Not(self)


@frozen
class Everything(Selection):
    """All objects."""

    def verdict(self, facts: Facts) -> bool | None:
        """Say yes."""
        return True


EVERYTHING: Final = Everything()


@frozen
class And(Selection):
    """What all its parts want."""

    parts: tuple[Selection, ...]

    def verdict(self, facts: Facts) -> bool | None:
        """Say no where one part says no."""
        answer: bool | None = True
        for part in self.parts:
            says = part.verdict(facts)
            if says is False:
                return False
            if says is None:
                answer = None
        return answer

    def tests(self) -> Iterator[Selection]:
        """Give those of all parts."""
        for part in self.parts:
            yield from part.tests()


@frozen
class Or(Selection):
    """What one of its parts wants."""

    parts: tuple[Selection, ...]

    def verdict(self, facts: Facts) -> bool | None:
        """Say yes where one part says yes."""
        answer: bool | None = False
        for part in self.parts:
            says = part.verdict(facts)
            if says:
                return True
            if says is None:
                answer = None
        return answer

    def tests(self) -> Iterator[Selection]:
        """Give those of all parts."""
        for part in self.parts:
            yield from part.tests()


@frozen
class Not(Selection):
    """What its part does not want."""

    part: Selection

    def verdict(self, facts: Facts) -> bool | None:
        """Say the contrary."""
        answer = self.part.verdict(facts)
        return None if answer is None else not answer

    def tests(self) -> Iterator[Selection]:
        """Give those of the part."""
        return self.part.tests()


@frozen
class HeaderText(Selection):
    """A text of the header: `class`, `name`, `level`, `kind`, `outer`."""

    attribute: str
    pattern: Pattern

    def verdict(self, facts: Facts) -> bool | None:
        """Look whether the text is what the pattern says."""
        text: str | None = getattr(facts, TEXTS[self.attribute])
        return None if text is None else self.pattern.says(text)


@frozen
class Size(Selection):
    """The number of bytes of an object's data; what the save does not tell is no size."""

    comparison: str
    size: float

    def verdict(self, facts: Facts) -> bool | None:
        """Compare the size."""
        if facts.header is None:
            return None
        return facts.header.size >= 0 and compare(facts.header.size, self.comparison, self.size)


@frozen
class InBox(Selection):
    """A place in a box along the axes, its faces included; two numbers a corner: on the map, whatever the height."""

    first: Corner
    second: Corner

    def verdict(self, facts: Facts) -> bool | None:
        """Look whether the object has a place, and whether it is in the box."""
        if facts.header is None:
            return None
        place = facts.header.transform
        if place is None:
            return False
        corners = zip(self.first, self.second, place.translation, strict=False)
        return all(min(one, other) <= at <= max(one, other) for one, other, at in corners)


@frozen
class Has(Selection):
    """The object has such a property, or part of one."""

    path: Path

    def verdict(self, facts: Facts) -> bool | None:
        """Look for it."""
        if facts.members is None:
            return facts.test_content(self)
        return self.path.find(facts.members) is not MISSING


@frozen
class Compare(Selection):
    """One of the innermost values at a path compares so: `=`, `<`, `<=`, `>`, `>=` with a number, else `=` with a pattern."""

    path: Path
    comparison: str
    literal: Literal

    def verdict(self, facts: Facts) -> bool | None:
        """Look for such a value."""
        if facts.members is None:
            return facts.test_content(self)
        value = self.path.find(facts.members)
        return value is not MISSING and any(self._holds(leaf) for leaf in leaves(value))

    def _holds(self, leaf: object) -> bool:
        literal = self.literal
        if isinstance(literal, Pattern):
            text = text_of(leaf)
            return text is not None and literal.says(text)
        if isinstance(literal, bool) or isinstance(leaf, bool):
            return leaf is literal
        return isinstance(leaf, (int, float)) and compare(leaf, self.comparison, literal)


def compare(
    value: int | float,  # noqa: PYI041 - they are told apart
    comparison: str,
    number: float,
) -> bool:
    """Compare two numbers; one of the save's may have single precision, so it equals a number that rounds to it."""
    if isinstance(value, float) and value == to_single(number):
        number = value
    return OPERATORS[comparison](value, number)


def to_single(number: float) -> float:
    """Round a number to single precision; what that cannot hold is NaN, which equals nothing."""
    try:
        rounded: float = SINGLE.unpack(SINGLE.pack(number))[0]
    except OverflowError:
        return math.nan
    return rounded
