r"""The text of a selection -> `streamsave.consume.conditions`. The API and the command line share this grammar.

    selection = all { "or" all } ;
    all       = one { "and" one } ;
    one       = "not" one | "(" selection ")" | test ;
    test      = attribute ( "=" | "==" | "!=" | "~" | "!~" ) text
              | attribute "in" "(" text { "," text } ")"
              | "size" ( "=" | "!=" | "<" | "<=" | ">" | ">=" ) number
              | "position" "in" corner ".." corner
              | "has" "(" path ")"
              | path "in" "(" value { "," value } ")"
              | path ( "=" | "==" | "!=" | "~" | "!~" | "<" | "<=" | ">" | ">=" ) value ;
    attribute = "class_name" | "instance_name" | "level" | "kind" | "outer" ;
    corner    = "(" number [ unit ] [ "," ] number [ unit ] [ [ "," ] number [ unit ] ] ")" ;
    unit      = "cm" | "m" | "km" | "tiles" ;
    path      = [ "." ] name { ( "." | "/" ) name | "[" ( integer | "*" | quoted ) "]" } ;
    name      = letters, digits and _ $ # : @ - | quoted ;
    value     = number | "true" | "false" (in any case) | text ;
    text      = quoted | word ;
    word      = characters other than space ( ) , " ' = < > ! ~ ;
    quoted    = '"' characters, with the escapes of JSON '"' | "'" characters "'" ;

| test | wants |
|---|---|
| `class_name = "*Constructor*"` | the whole text; `*`, `?` and `[...]` are wildcards, and themselves |
| `level == Wall_1` | this text, no wildcards |
| `instance_name in (Wall_1, "Wall 2")` | one of these texts, no wildcards: as fast with a thousand as with one |
| `class_name == Build_Wall_C`, `instance_name == Wall_1` | also the last part of the path of a class, an object or a reference |
| `level ~ "^Persist"` | a regular expression (syntax of RE2) that matches anywhere; start it with `(?i)` to ignore case |
| `size > 100000` | the object has more than so many bytes of data |
| `position in (0, 0)..(5e4, 5e4)` | a position in this box, in the unit of the save; corners of two numbers ignore the height |
| `position in (-1.5 km, 0 m)..(10.00 -3.00 m)` | the same in metres, for saves in centimetres; places as `ls` prints them |
| `has(mOwner)` | the object has this property or field |
| `@class_name = "*Miner*"`, `@position[2] > 0` | what `cat --flat` and `diff` print of the header |
| `mCurrentRecipe ~ Iron` | the text of a value, with the operators of texts above; the text of a reference is its path name |
| `mSpawnData[*].Count >= 2`, `mPlace/x > 0` | a number that compares so |
| `mIsOn = true`, `mIsOn = True`, `mIsOn = TRUE` | a bool, or a text of this word, in upper or lower case |
| `mRecipe in (Recipe_Cable_C, null)`, `mCount in (1, 2)` | one of these values |
| `.size = 3` | the dot marks a property that has the name of an attribute |

A unit is also that of the numbers before it in its corner that have none. `tiles` is the unit of saves of shapez 2.

Values have the texts that JSON has: a moment `2022-09-28T22:13:20` (and `2022-09-28 22:13:20`), a GUID, a number its digits,
also `NaN` and `Infinity`; a bool has the texts `true`, `True` and `TRUE`, or `false`, `False` and `FALSE`. A localised text or a
soft path has those of its parts. `null`, `[]` and `{}` are equal to what is written so, and match no wildcards. A number equals a
value of single precision if it rounds to it. In double quotes, a regular expression keeps its `\b`. A property
of one name may have values of different types: each is compared as what it is. If a test has met values in a save, but none of
the type that it compares with, and holds for none of them, there is a `SelectWarning`.

A test of a path holds if it holds for at least one innermost value there: one element of a list or of a static array, one member
of a struct.
`a != b` means `not a = b`, and `a !~ b` means `not a ~ b`: both also hold for objects without `a`. `not` binds tighter than
`and`, and `and` tighter than `or`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Final

from streamsave.consume.conditions import (
    TEXTS,
    And,
    Compare,
    Corner,
    Has,
    HeaderText,
    InBox,
    Literal,
    Not,
    OneOf,
    Or,
    Pattern,
    Selection,
    Size,
)
from streamsave.decode.paths import QUOTED, read_path, unquote
from streamsave.errors import SelectError

__all__ = ["parse_selection"]

SPACE: Final = re.compile(r"\s*")
WORD: Final = re.compile(r"""[^\s(),"'=<>!~]+""")
#: After a keyword: else it begins a path.
NO_NAME: Final = r"(?![\w$#:/.\[-])"
OPERATOR: Final = re.compile(r"==|!=|!~|<=|>=|=|~|<|>")
NUMBER: Final = re.compile(r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?")

#: How each operator compares texts.
PATTERN_KINDS: Final = {"=": "glob", "!=": "glob", "==": "exact", "~": "regex", "!~": "regex"}
#: Units of places, in those of saves: of games in metres, they are centimetres.
UNITS: Final = {"cm": 1, "m": 100, "km": 100_000, "tiles": 1}
NUMBER_OPERATORS: Final = ("=", "==", "!=", "<", "<=", ">", ">=")
ORDERS: Final = ("<", "<=", ">", ">=")
EXPECTED_TEXT: Final = "expected a text; quote it if it has spaces or one of (),=<>!~"
#: Longer integers are floats.
MOST_DIGITS: Final = 400
#: Most levels of parentheses and `not` inside each other.
DEEPEST: Final = 100


def parse_selection(text: str) -> Selection:
    """Return the selection that a text says, to use with `streamsave.objects`, `EventStream.select` and `only`.

    Raises:
        SelectError: the text does not follow the grammar; the error points at the place.
    """
    return Parser(text).parse()


class Parser:
    """Reads a selection from left to right. Each rule of the grammar is a method; it starts and ends after any spaces.

    Args:
        text: the selection.
        names: attributes that begin paths here, as if they had a dot before them.
    """

    def __init__(self, text: str, names: Collection[str] = ()) -> None:
        self.text = text
        self.names = names
        self.at = 0
        self.depth = 0
        self._pass(0)

    def parse(self) -> Selection:
        """Return the selection that the whole text says."""
        selection = self._selection()
        if self.at < len(self.text):
            raise self._error("expected 'and', 'or' or the end")
        return selection

    # --- the rules ---

    def _selection(self) -> Selection:
        return self._several("or", Or, lambda: self._several("and", And, self._one))

    def _several(self, word: str, kind: type[And | Or], part: Callable[[], Selection]) -> Selection:
        parts = [part()]
        while self._keyword(word):
            parts.append(part())
        return parts[0] if len(parts) == 1 else kind(tuple(parts))

    def _one(self) -> Selection:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self._error(f"more than {DEEPEST} nested parentheses")
        if self._keyword("not"):
            selection: Selection = Not(self._one())
        elif self._sign("("):
            selection = self._selection()
            self._need(")")
        else:
            selection = self._test()
        self.depth -= 1
        return selection

    def _test(self) -> Selection:
        for attribute in TEXTS:
            if attribute not in self.names and self._keyword(attribute):
                return self._header_text(attribute)
        if self._keyword("size"):
            return self._size()
        if self._keyword("position"):
            return self._position()
        if self._take(r"has\s*\("):
            path, end = read_path(self.text, self.at)
            self._pass(end)
            self._need(")")
            return Has(path)
        return self._compare()

    def _header_text(self, attribute: str) -> Selection:
        if self._keyword("in"):
            return HeaderText(attribute, self._one_of(only_texts=True))
        operator = self._operator(tuple(PATTERN_KINDS), f"{attribute} is a text")
        return _negated(operator, HeaderText(attribute, self._pattern(PATTERN_KINDS[operator])))

    def _size(self) -> Selection:
        operator = self._operator(NUMBER_OPERATORS, "size is a number")
        return _negated(operator, Size(_comparison(operator), self._number()))

    def _position(self) -> Selection:
        if not self._keyword("in"):
            raise self._error("expected 'in' and two corners: position in (x, y)..(x, y)")
        first = self._corner()
        self._need("..")
        start = self.at
        second = self._corner()
        if len(first) != len(second):
            raise SelectError(f"expected {len(first)} numbers, as in the first corner", self.text, start)
        return InBox(first, second)

    def _corner(self) -> Corner:
        self._need("(")
        numbers: list[float] = []
        #: How many of them have their unit.
        done = 0
        while len(numbers) < 2 or (len(numbers) < 3 and not self.text.startswith(")", self.at)):
            if numbers and NUMBER.match(self.text, self.at) is None:
                self._need(",")
            numbers.append(self._number())
            unit = next((unit for unit in UNITS if self._keyword(unit)), None)
            if unit is not None:
                numbers[done:] = [number * UNITS[unit] for number in numbers[done:]]
                done = len(numbers)
        self._need(")")
        return tuple(numbers)

    def _compare(self) -> Selection:
        start = self.at
        path, end = read_path(self.text, start)
        self._pass(end)
        if path.is_of_header and len(path.steps) == 1 and path.root[1:] in TEXTS:
            return self._header_text(path.root[1:])
        if self._keyword("in"):
            return Compare(path, "=", self._one_of())
        if not OPERATOR.match(self.text, self.at):
            raise self._error(f"expected an operator; has({path}) tests whether the object has this property")
        operator = self._operator((*PATTERN_KINDS, *ORDERS), "")
        literal: Literal
        if operator in ORDERS:
            literal = self._number()
        elif operator in {"~", "!~"}:
            literal = self._pattern("regex")
        else:
            literal = self._value(PATTERN_KINDS[operator])
        return _negated(operator, Compare(path, _comparison(operator), literal))

    # --- values ---

    def _value(self, kind: str) -> Literal:
        found = WORD.match(self.text, self.at)
        if found is not None and NUMBER.fullmatch(found[0]):
            return self._number()
        if found is not None and found[0].lower() in {"true", "false"}:
            self._take(WORD)
            return found[0].lower() == "true"
        return self._pattern(kind)

    def _one_of(self, *, only_texts: bool = False) -> OneOf:
        """Return the values of a list in parentheses."""
        values: list[Literal] = []
        self._need("(")
        while not values or self._sign(","):
            if self.text[self.at : self.at + 1] in "),":
                raise self._error("expected a value: a list has one or more, with ',' between them")
            values.append(self._pattern("exact") if only_texts else self._value("exact"))
        self._need(")")
        bools = frozenset([value for value in values if isinstance(value, bool)])
        numbers = frozenset([value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)])
        return OneOf(frozenset([value.text for value in values if isinstance(value, Pattern)]), numbers, bools)

    def _pattern(self, kind: str) -> Pattern:
        start = self.at
        quoted = self._take(QUOTED)
        found = quoted or self._take(WORD)
        if found is None:
            raise self._error("the quote is not closed" if self.text[start : start + 1] in {'"', "'"} else EXPECTED_TEXT)
        try:
            return Pattern(found[0] if quoted is None else unquote(quoted, is_expression=kind == "regex"), kind)
        except re.error as error:
            what = "not a regular expression" if kind == "regex" else "not a pattern"
            raise SelectError(f"{what}: {error}", self.text, start) from None

    def _number(self) -> float:
        found = self._take(NUMBER)
        if found is None:
            raise self._error("expected a number")
        digits = found[0].lstrip("+-")
        # Python takes ever longer to read more digits.
        return int(found[0]) if digits.isdecimal() and len(digits) < MOST_DIGITS else float(found[0])

    # --- signs and words ---

    def _operator(self, allowed: tuple[str, ...], hint: str) -> str:
        found = OPERATOR.match(self.text, self.at)
        if found is None or found[0] not in allowed:
            raise self._error(f"{hint}: expected one of {' '.join(allowed)}")
        self._pass(found.end())
        return found[0]

    def _keyword(self, word: str) -> bool:
        return self._take(word + NO_NAME) is not None

    def _sign(self, sign: str) -> bool:
        return self._take(re.escape(sign)) is not None

    def _take(self, pattern: str | re.Pattern[str]) -> re.Match[str] | None:
        """Return what is next, if a pattern matches it, and pass over it."""
        found = re.compile(pattern).match(self.text, self.at)
        if found is not None:
            self._pass(found.end())
        return found

    def _need(self, sign: str) -> None:
        if not self._sign(sign):
            raise self._error(f"expected '{sign}'")

    def _pass(self, at: int) -> None:
        """Move to the first character from this position on that is not a space."""
        found = SPACE.match(self.text, at)
        self.at = at if found is None else found.end()

    def _error(self, message: str) -> SelectError:
        return SelectError(message, self.text, self.at)


def _comparison(operator: str) -> str:
    return operator if operator in ORDERS else "="


def _negated(operator: str, selection: Selection) -> Selection:
    return Not(selection) if operator.startswith("!") else selection
