"""How long may a regular expression take? Refuses those whose time grows out of all proportion to the text.

`re` tries one way after the other to match a text. `(a+)+$` has a way for each division of a run of `a` into parts, which doubles
with each character: 40 of them take hours. Nothing stops `re` on the way, so this looks at the tree of the expression first:

| part | ways to match |
|---|---|
| a character, a set, a place | one |
| parts in a row | the product |
| alternatives | the most that can start with the same character, added up |
| a few repeats | the sum over all their numbers |
| repeats without an end | up to one for each character of the text, multiplied for those in a row (`MOST_REPEATS`) |
| the same of what has several ways, or is such a repeat itself | no bound: refused |

It errs on the safe side: it refuses some that are harmless because of what follows in them, such as `(a+b)+`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from attrs import frozen
else:
    from streamsave._lazy_attrs import frozen

__all__ = ["check_expression"]

#: The parser of `re` has no public name.
_parser: Final[Any] = import_module("re._parser")
_codes: Final[Any] = import_module("re._constants")

#: Most repeats without an end in a row; the time grows with the length of the text to this power.
MOST_REPEATS: Final = 4
#: Most other ways to match a text.
MOST_WAYS: Final = 1 << 16

#: How often two ways may double.
MOST_DOUBLINGS: Final = 16
#: A repeat with more numbers than so many counts as one without an end.
FEW: Final = 16

#: Ranges of characters that a part may start with, by their numbers.
Ranges: TypeAlias = list[tuple[int, int]]
EVERY: Final[Ranges] = [(0, 0x10FFFF)]
LAST_ASCII: Final = 0x7F

UNBOUNDED: Final = frozenset((_codes.MAX_REPEAT, _codes.MIN_REPEAT))
#: Once they have matched, no other way is tried.
FINAL: Final = frozenset((_codes.POSSESSIVE_REPEAT, _codes.ATOMIC_GROUP))
LOOKS: Final = frozenset((_codes.ASSERT, _codes.ASSERT_NOT))


@frozen
class Cost:
    """In how many ways a part of an expression may match."""

    #: Repeats without an end that may be in a row.
    repeats: int = 0
    #: Ways besides those; never more than one above `MOST_WAYS`.
    ways: int = 1


ONE: Final = Cost()


def check_expression(text: str, flags: int) -> None:
    """Check that matching an expression has a bound. `re` has compiled it already.

    Raises:
        re.error: it has none.
    """
    tree = _parser.parse(text, flags)
    _checked(_row(tree, ignore_case=bool(tree.state.flags & re.IGNORECASE)))


def _checked(cost: Cost) -> Cost:
    if cost.repeats > MOST_REPEATS:
        raise re.error(f"it may take very long: more than {MOST_REPEATS} repeats such as '.*'")
    if cost.ways > MOST_WAYS:
        raise re.error("it may take very long: parts of it can match the same text in too many ways")
    return cost


def _row(parts: Iterable[Any], *, ignore_case: bool) -> Cost:
    """Return the cost of parts in a row."""
    repeats, ways = 0, 1
    for code, argument in parts:
        cost = _part(code, argument, ignore_case=ignore_case)
        repeats += cost.repeats
        ways = min(ways * cost.ways, MOST_WAYS + 1)
    return Cost(repeats, ways)


def _part(code: Any, argument: Any, *, ignore_case: bool) -> Cost:  # noqa: ANN401 - the parser of `re` has no types
    if code in UNBOUNDED:
        least, most, body = argument
        return _repeat(least, most, _row(body, ignore_case=ignore_case))
    if code in FINAL:
        body = argument[2] if code is _codes.POSSESSIVE_REPEAT else argument
        _checked(_row(body, ignore_case=ignore_case))
        return ONE
    if code is _codes.BRANCH:
        return _branch(argument[1], ignore_case=ignore_case)
    if code is _codes.SUBPATTERN:
        return _row(argument[3], ignore_case=_ignores_case(argument, ignore_case=ignore_case))
    if code in LOOKS:
        return _row(argument[1], ignore_case=ignore_case)
    if code is _codes.GROUPREF_EXISTS:
        _, then, otherwise = argument
        costs = [_row(each, ignore_case=ignore_case) for each in (then, otherwise) if each is not None]
        return Cost(max(cost.repeats for cost in costs), max(cost.ways for cost in costs))
    return ONE


def _repeat(least: int, most: Any, body: Cost) -> Cost:  # noqa: ANN401 - `most` is a number, or one that `re` has a name for
    if most is _codes.MAXREPEAT:
        if body.repeats or body.ways > 1:
            raise re.error("it may take forever: a repeat of what can match in several ways itself, such as '(a+)+'")
        return Cost(1)
    if body.ways == 1:
        ways = most - least + 1
    else:
        ways = MOST_WAYS + 1 if most > MOST_DOUBLINGS else sum(body.ways**number for number in range(least, most + 1))
    if ways > FEW and body == ONE:
        return Cost(1)
    return _checked(Cost(body.repeats * most, min(ways, MOST_WAYS + 1)))


def _branch(branches: Sequence[Any], *, ignore_case: bool) -> Cost:
    """Return the cost of alternatives: of those that can start alike, each may be tried."""
    costs = [_row(branch, ignore_case=ignore_case) for branch in branches]
    # Where a range starts, an alternative becomes possible; after its end, no longer.
    changes: list[tuple[int, int]] = []
    for branch, cost in zip(branches, costs, strict=True):
        ranges, may_be_empty = _first(branch, ignore_case=ignore_case)
        for low, high in _joined(EVERY if may_be_empty else ranges):
            changes += [(low, cost.ways), (high + 1, -cost.ways)]
    ways, most = 0, 1
    for _, change in sorted(changes):
        ways += change
        most = max(most, ways)
    return Cost(max(cost.repeats for cost in costs), min(most, MOST_WAYS + 1))


def _ignores_case(subpattern: Any, *, ignore_case: bool) -> bool:  # noqa: ANN401 - as above
    _, added, removed, _ = subpattern
    return bool((ignore_case or added & re.IGNORECASE) and not removed & re.IGNORECASE)


# --- what a part may start with ---


def _first(parts: Iterable[Any], *, ignore_case: bool) -> tuple[Ranges, bool]:
    """Return the characters that a text may start with which parts in a row match, and whether it may be empty."""
    found: Ranges = []
    for code, argument in parts:
        ranges, may_be_empty = _first_of(code, argument, ignore_case=ignore_case)
        found += ranges
        if not may_be_empty:
            return found, False
    return found, True


def _first_of(code: Any, argument: Any, *, ignore_case: bool) -> tuple[Ranges, bool]:  # noqa: ANN401 - as above
    if code is _codes.LITERAL:
        return _character(argument, ignore_case=ignore_case), False
    if code is _codes.IN:
        return _set(argument, ignore_case=ignore_case), False
    if code is _codes.SUBPATTERN:
        return _first(argument[3], ignore_case=_ignores_case(argument, ignore_case=ignore_case))
    if code is _codes.ATOMIC_GROUP:
        return _first(argument, ignore_case=ignore_case)
    if code in UNBOUNDED or code is _codes.POSSESSIVE_REPEAT:
        ranges, may_be_empty = _first(argument[2], ignore_case=ignore_case)
        return ranges, may_be_empty or argument[0] == 0
    if code is _codes.BRANCH:
        firsts = [_first(branch, ignore_case=ignore_case) for branch in argument[1]]
        return [each for ranges, _ in firsts for each in ranges], any(may_be_empty for _, may_be_empty in firsts)
    if code is _codes.AT or code in LOOKS:
        return [], True
    # A group again may be empty, and start with anything.
    return EVERY, code in {_codes.GROUPREF, _codes.GROUPREF_EXISTS}


def _set(items: Iterable[Any], *, ignore_case: bool) -> Ranges:
    ranges: Ranges = []
    for code, argument in items:
        if code is _codes.LITERAL:
            ranges += _character(argument, ignore_case=ignore_case)
        elif code is _codes.RANGE and not ignore_case:
            ranges.append(argument)
        else:
            return EVERY
    return ranges


def _character(number: int, *, ignore_case: bool) -> Ranges:
    if not ignore_case:
        return [(number, number)]
    # Some letters of ASCII are the same as others outside of it, such as the sign of Kelvin: those are taken for any character.
    return EVERY if number > LAST_ASCII else [(ord(each), ord(each)) for each in {chr(number).lower(), chr(number).upper()}]


def _joined(ranges: Ranges) -> Ranges:
    """Return the same characters, each in one range."""
    joined: Ranges = []
    for low, high in sorted(ranges):
        if joined and low <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return joined
