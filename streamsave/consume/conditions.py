"""Tests of objects, which combine as `a & b`, `a | b`, `~a`. `streamsave.consume.parser` makes them from text.

A reader asks a selection as soon as it knows part of an object: its class, its names, its header, its content. The answer is
True, False, or None: not decided yet. So the reader can skip most objects before it has read much of them.

The module is long because it has a class for each kind of test.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import ClassVar, Final, TypeAlias

from attrs import define, field, frozen

from streamsave.consume.expressions import Matcher, compile_expression, compile_wildcards
from streamsave.consume.selected_object import SelectedObject, header_values, select_object
from streamsave.decode.json_values import number_text, shortest_text, to_single
from streamsave.decode.leaves import leaves
from streamsave.decode.paths import Path
from streamsave.events import ObjectHeader
from streamsave.values import ObjectReference

__all__ = [
    "EVERYTHING",
    "And",
    "Asked",
    "Compare",
    "Facts",
    "Has",
    "HeaderText",
    "InBox",
    "Not",
    "OneOf",
    "Or",
    "Pattern",
    "SelectedObject",
    "Selection",
    "Size",
]

#: Characters of a path, and of a literal, in a warning.
SHOWN: Final = 100
#: The texts of a header that a selection compares.
TEXTS: Final = ("class_name", "instance_name", "level", "kind", "outer")

#: Those of them that are paths, whose last part is a name, too.
PATHS: Final = frozenset({"class_name", "instance_name", "outer"})

OPERATORS: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

#: The texts of a bool.
BOOL_TEXTS: Final[Mapping[bool, tuple[str, ...]]] = {True: ("true", "True", "TRUE"), False: ("false", "False", "FALSE")}
#: What messages call values of a kind.
NUMBERS: Final = "numbers"
BOOLS: Final = "bools"
TEXT_VALUES: Final = "texts"
KINDS: Final = ((bool, BOOLS), ((int, float), NUMBERS), (bytes, "bytes"))
NO_KIND: Final = (type(None), list, dict)

Literal: TypeAlias = "Pattern | OneOf | float | bool"
#: Takes an object with the fields that were asked for.
Function: TypeAlias = Callable[[SelectedObject], bool]
Corner: TypeAlias = tuple[float, ...]


@define
class Facts:
    """What is known about an object so far; None: not known yet."""

    #: Texts of the header that are known before it is: attribute -> text.
    texts: Mapping[str, str] = field(factory=dict)
    header: ObjectHeader | None = None
    #: Properties and fields by name: at least all that the selections test.
    members: Mapping[str, object] | None = None
    #: Tests of the content that fail for certain, though the content was not read.
    failed: Sequence[Selection] = ()
    #: The fields that were asked for, and the name of the save, for functions.
    fields: Sequence[Path] = ()
    source: str = ""
    #: Functions get each object with its size, which its end may have to show.
    sizes: bool = False


@frozen
class Pattern:
    """A text to compare with.

    Args:
        text: the text or the expression.
        kind: `"exact"`: the whole text. `"glob"`: the whole text, with the wildcards `*`, `?`, `[...]`. `"regex"`: a regular
            expression that matches anywhere.
        ignore_case: treat upper and lower case as the same; not of an exact text.

    Raises:
        re.error: `text` is not a regular expression in the syntax of RE2, or a pattern is too large.
    """

    text: str
    kind: str = "exact"
    ignore_case: bool = False
    _matches: Matcher | None = field(default=None, init=False, eq=False, repr=False)
    #: A text may match whose start is cut off, though the whole text does not.
    _looks_at_start: bool = field(init=False, eq=False, repr=False)

    @_looks_at_start.default
    def _find_start(self) -> bool:
        if self.kind == "regex":
            return "^" in self.text or r"\A" in self.text
        return self.kind != "glob" or not self.text.startswith("*")

    def __attrs_post_init__(self) -> None:
        if self.kind != "exact":
            make = compile_expression if self.kind == "regex" else compile_wildcards
            object.__setattr__(self, "_matches", make(self.text, ignore_case=self.ignore_case))

    def matches(self, text: str) -> bool:
        """Return whether a text is the one, or one of those, that this pattern describes."""
        if text == self.text and self.kind != "regex":
            return True
        return self._matches is not None and bool(self._matches(text))

    def matches_path(self, path: str) -> bool:
        """Return whether the path of a class or an object matches, or its last part: the name that commands print."""
        return self.matches(path) or (self._looks_at_start and self.matches(path[path.rfind(".") + 1 :]))


@frozen
class OneOf:
    """Values to compare with, without wildcards.

    Args:
        texts: texts.
        numbers: numbers.
        bools: bools.
    """

    texts: frozenset[str]
    numbers: frozenset[float] = frozenset()
    bools: frozenset[bool] = frozenset()
    _singles: frozenset[float] = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "_singles", frozenset(map(to_single, self.numbers)))

    @property
    def text(self) -> str:
        """How messages show them."""
        return ", ".join([*sorted(self.texts), *map(str, sorted(self.numbers)), *(str(each).lower() for each in self.bools)])

    def matches(self, text: str) -> bool:
        """Return whether a text is one of these."""
        return text in self.texts

    def matches_path(self, path: str) -> bool:
        """Return whether the path of a class or an object is one of these, or its last part."""
        return path in self.texts or path[path.rfind(".") + 1 :] in self.texts

    def has(self, leaf: object) -> bool:
        """Return whether a number or a bool is one of these, or a text is the word of such a bool.

        A number of single precision is, if one of these rounds to it.
        """
        if isinstance(leaf, bool):
            return leaf in self.bools
        if isinstance(leaf, str):
            return bool(self.bools) and leaf.lower() in {str(each).lower() for each in self.bools}
        return isinstance(leaf, (int, float)) and (leaf in self.numbers or (isinstance(leaf, float) and leaf in self._singles))


class Selection:
    """A test of objects, or a combination of tests. A function is a test, too: `selection & (lambda found: ...)`."""

    #: The caller says by itself why nothing matches.
    _is_explained: ClassVar[bool] = False

    def _verdict(self, facts: Facts) -> bool | None:
        """Return whether an object is wanted; None if the facts do not decide. With all facts it is never None."""
        raise NotImplementedError

    def _tests(self) -> Iterator[Selection]:
        """Yield the single tests that this selection consists of."""
        yield self

    def __and__(self, other: Selection | Function) -> Selection:
        return And((self, as_selection(other)))

    def __rand__(self, other: Function) -> Selection:
        return And((as_selection(other), self))

    def __or__(self, other: Selection | Function) -> Selection:
        return Or((self, as_selection(other)))

    def __ror__(self, other: Function) -> Selection:
        return Or((as_selection(other), self))

    def __invert__(self) -> Selection:
        return Not(self)


@frozen
class Parts(Selection):
    """What `And` and `Or` share: several parts, of which each one can decide with one of the two verdicts."""

    parts: tuple[Selection, ...]
    _decides: ClassVar[bool]

    def _verdict(self, facts: Facts) -> bool | None:
        """Return the deciding verdict if one part has it."""
        answer: bool | None = not self._decides
        for part in self.parts:
            says = part._verdict(facts)
            if says is self._decides:
                return says
            if says is None:
                answer = None
        return answer

    def _tests(self) -> Iterator[Selection]:
        """Yield the tests of all parts."""
        for part in self.parts:
            yield from part._tests()


@frozen
class And(Parts):
    """Wants an object if all its parts do."""

    _decides = False


#: All objects: nothing has to hold.
EVERYTHING: Final = And(())


@frozen
class Or(Parts):
    """Wants an object if at least one of its parts does."""

    _decides = True


@frozen
class Not(Selection):
    """Wants an object if its part does not."""

    part: Selection

    def _verdict(self, facts: Facts) -> bool | None:
        """Return the opposite of the part's verdict."""
        answer = self.part._verdict(facts)
        return None if answer is None else not answer

    def _tests(self) -> Iterator[Selection]:
        """Yield the tests of the part."""
        return self.part._tests()


@frozen
class Asked(Selection):
    """Wants the objects of which a function says so. It gets each object with the fields that were asked for."""

    function: Function

    def _verdict(self, facts: Facts) -> bool | None:
        """Return what the function says."""
        header = facts.header
        if header is None:
            return None
        needs_end = (facts.sizes and header.size < 0) or not all(path.is_of_header for path in facts.fields)
        if needs_end and facts.members is None:
            return None
        return bool(self.function(select_object(header, facts.members or {}, facts.fields, facts.source)))


def as_selection(test: Selection | Function) -> Selection:
    """Return a selection as it is, and a function as one.

    Raises:
        TypeError: it is neither.
    """
    if isinstance(test, Selection):
        return test
    if not callable(test):
        raise TypeError(f"a selection is a text, a function, or comes from parse_selection, and is no {type(test).__name__}")
    return Asked(test)


@frozen
class HeaderText(Selection):
    """Compares a text of the header, one of `TEXTS`; of paths, the last part will do."""

    attribute: str
    pattern: Pattern | OneOf

    def _verdict(self, facts: Facts) -> bool | None:
        """Return whether the pattern matches the text."""
        attribute = self.attribute
        text = facts.texts.get(attribute) if facts.header is None else getattr(facts.header, attribute)
        return None if text is None else self.matches(text)

    def matches(self, text: str) -> bool:
        """Return whether the pattern matches the text of an object, or its last part if it is a path."""
        # A name without a colon is no path: a dot is that of an extension.
        is_path = self.attribute in PATHS and (self.attribute != "instance_name" or ":" in text)
        return self.pattern.matches_path(text) if is_path else self.pattern.matches(text)


@frozen
class Size(Selection):
    """Compares the bytes of an object's data; False if the save does not say how many."""

    comparison: str
    size: float

    def _verdict(self, facts: Facts) -> bool | None:
        """Return whether the size compares so. The end of an object may have to show it."""
        header = facts.header
        if header is None or (header.size < 0 and facts.members is None):
            return None
        return header.size >= 0 and compare(header.size, self.comparison, self.size)


@frozen
class InBox(Selection):
    """Wants positions in a box along the axes, its faces included. Corners of two numbers ignore the height."""

    first: Corner
    second: Corner

    def _verdict(self, facts: Facts) -> bool | None:
        """Return whether the object has a position, and it is in the box."""
        if facts.header is None:
            return None
        place = facts.header.position
        return place is not None and all(
            min(one, other) <= at <= max(one, other) for one, other, at in zip(self.first, self.second, place, strict=False)
        )


@frozen
class OfPath(Selection):
    """What `Has` and `Compare` share: what a path leads to decides."""

    path: Path

    def _verdict(self, facts: Facts) -> bool | None:
        """Return whether what the path leads to is wanted."""
        members = facts.members
        if self.path.is_of_header:
            members = None if facts.header is None else header_values(facts.header)
        if members is None:
            return False if any(failed is self for failed in facts.failed) else None
        return self._is_in(members)

    def _is_in(self, members: Mapping[str, object]) -> bool:
        raise NotImplementedError


@frozen
class Has(OfPath):
    """Wants objects that have this property or field, or this part of one."""

    def _is_in(self, members: Mapping[str, object]) -> bool:
        """Return whether the path leads to a value: of `[*]`, one of the elements has to have it."""
        return any(True for _ in self.path.find_all(members))


@frozen
class Compare(OfPath):
    """Compares the innermost values at a path: `=`, `<`, `<=`, `>`, `>=` with a number, `=` with another literal."""

    comparison: str
    literal: Literal

    def _is_in(self, members: Mapping[str, object]) -> bool:
        """Return whether at least one of the values compares so."""
        return any(self._holds(leaf) for value in self.path.find_all(members) for leaf in leaves(value))

    def _holds(self, leaf: object) -> bool:
        literal = self.literal
        if isinstance(literal, (Pattern, OneOf)):
            return self._has_text(leaf, literal) or (isinstance(literal, OneOf) and literal.has(leaf))
        if isinstance(literal, bool):
            return leaf.lower() == str(literal).lower() if isinstance(leaf, str) else leaf is literal
        return isinstance(leaf, (int, float)) and not isinstance(leaf, bool) and compare(leaf, self.comparison, literal)

    @staticmethod
    def _has_text(leaf: object, literal: Pattern | OneOf) -> bool:
        if isinstance(leaf, str):
            return literal.matches(leaf)
        if isinstance(leaf, ObjectReference):
            return literal.matches_path(leaf.path_name)
        if isinstance(leaf, bool):
            return any(map(literal.matches, BOOL_TEXTS[leaf]))
        if isinstance(leaf, int):
            return literal.matches(repr(leaf))
        if isinstance(leaf, float):  # as Python, JSON and `cat` write it
            return any(map(literal.matches, (repr(leaf), number_text(leaf), shortest_text(leaf))))
        # What has no text, but is written so: wildcards and expressions do not match it.
        written = "null" if leaf is None else "[]" if leaf == [] else "{}" if leaf == {} else None
        return written is not None and (literal.matches(written) if isinstance(literal, OneOf) else literal.text == written)

    def _met(self, members: Mapping[str, object]) -> tuple[set[str], bool]:
        """Return the kinds of the values at the path, and whether one of them is of the kind of the literal, or compares so."""
        met = [leaf for value in self.path.find_all(members) for leaf in leaves(value) if not isinstance(leaf, NO_KIND)]
        kinds = set(map(_kind_of, met))
        return kinds, not kinds.isdisjoint(_kinds_of(self.literal)) or any(map(self._holds, met))

    def _complain(self, kinds: set[str]) -> str:
        """Return why no value of these kinds compares so."""
        literal = self.literal
        if isinstance(literal, OneOf):
            wanted = f"is one of ({literal.text[:SHOWN]})"
        elif isinstance(literal, Pattern):
            wanted = f"has the text {literal.text[:SHOWN]!r}"
        else:
            wanted = f"is {str(literal).lower()}" if self.comparison == "=" else f"is {self.comparison} {literal}"
        hint = ""
        if BOOLS in kinds and not isinstance(literal, bool):
            hint = "; compare with true or false"
        elif TEXT_VALUES in kinds and self.comparison == "=":
            hint = "; to compare with a text, quote it"
        return f"{self.path.text[:SHOWN]}: all values are {' or '.join(sorted(kinds))}, and none {wanted}{hint}"


def _kinds_of(literal: Literal) -> set[str]:
    """Return what messages call values like a literal."""
    if isinstance(literal, OneOf):
        return set(map(_kind_of, (*literal.texts, *literal.numbers, *literal.bools)))
    return {TEXT_VALUES if isinstance(literal, Pattern) else _kind_of(literal)}


def _kind_of(value: object) -> str:
    """Return what messages call values like this one."""
    return next((name for kind, name in KINDS if isinstance(value, kind)), TEXT_VALUES)


def compare(
    value: int | float,  # noqa: PYI041 - int and float compare in different ways
    comparison: str,
    number: float,
) -> bool:
    """Compare two numbers. A float of the save may have single precision: it equals every number that rounds to it."""
    if isinstance(value, float) and value == to_single(number):
        number = value
    return OPERATORS[comparison](value, number)
