r"""Patterns that users write, compiled so that matching any text has a bound, or refused with one kind of error.

| pattern | is matched by | time grows with |
|---|---|---|
| an expression of literal characters, perhaps after a `^` and before a `$` | `re` | the length of the text |
| any other regular expression | RE2 (the package `google-re2`) | the length of the text, times the size of the expression |
| wildcards | `re`: what a `*` has taken is never tried again | the same |

The syntax of expressions is that of RE2, https://github.com/google/re2/wiki/Syntax: that of `re` without what cannot be bounded
(lookaround, backreferences, possessive repeats). `\d`, `\w`, `\s` and `\b` know ASCII only, and `$` is the end of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fnmatch import translate
from typing import Any, Final, TypeAlias, cast

__all__ = ["Expression", "Matcher", "compile_expression", "compile_wildcards", "ignores_case", "spans_of"]

#: Returns something true if a text matches.
Matcher: TypeAlias = Callable[[str], object]

#: Most characters of a pattern: the time and memory to compile it grow with them.
LONGEST: Final = 1 << 16
#: Most instructions that RE2 makes of an expression. For each character of a text it may look at all of them, in 4 ns each.
MOST_INSTRUCTIONS: Final = 10_000
#: An expression of literal characters, some of them escaped (`\.`) or in brackets (`[.]`). `re` takes a tenth of the time of RE2.
PLAIN: Final = re.compile(r"(\^?(?:[^\\^$.|?*+()\[\]{}]|\\[!-/:-@\[-^{-~]|\[[!-/:-@{-~]\])*)(\$?)")
#: Repeats that RE2 would take for literal text.
NO_REPEAT: Final = re.compile(r"(?<!\\)\{(?:,\d+|\d{5,}|\d+,\d{5,})\}")
#: An escape of an expression.
ESCAPE: Final = re.compile(r"\\(?:[pP](?:\{[^}]*\}|.)|.)", re.DOTALL)
#: Characters that are shown of what is wrong.
SHOWN: Final = 50
SYNTAX: Final = "(syntax: RE2; no lookaround, no backreferences)"


class Expression:
    """A regular expression that RE2 has compiled: call it with a text.

    Attributes:
        text, ignore_case: what it was made of.
        instructions: how many RE2 has made of it; for each character of a text, it looks at each of them once at most.

    Raises:
        re.error: it is none, or too large; or RE2 is not installed.
    """

    def __init__(self, text: str, ignore_case: bool = False) -> None:
        self.text: Final = text
        self.ignore_case: Final = ignore_case
        try:
            import re2  # noqa: PLC0415 - takes 3 MB, and few programs have such an expression
        except ImportError:
            raise re.error("it needs the package google-re2, which is not installed") from None
        options = re2.Options()
        options.case_sensitive = not ignore_case
        options.never_capture = True
        options.log_errors = False
        try:
            compiled = re2.compile(text.encode("utf-8", "surrogatepass"), options)
        except re2.error as error:
            reason = error.args[0] if error.args else b""
            shown = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
            raise re.error(f"{shown[:SHOWN]} {SYNTAX}") from None
        self.instructions: Final[int] = compiled.programsize
        if self.instructions > MOST_INSTRUCTIONS:
            raise re.error(f"it is too large: {self.instructions} instructions; {MOST_INSTRUCTIONS} are allowed")
        self._compiled: Final[Any] = compiled
        self._search: Final[Callable[[bytes], object]] = compiled.search

    def __call__(self, text: str) -> bool:
        """Return whether it matches anywhere in a text."""
        # As bytes: RE2 takes lone surrogates, which a string with them would not be encoded with.
        return self._search(text.encode("utf-8", "surrogatepass")) is not None

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where it matches in a text: the start and the end of each place."""
        data = text.encode("utf-8", "surrogatepass")
        ends = [match.span() for match in self._compiled.finditer(data)]
        return [(len(data[:start].decode("utf-8", "replace")), len(data[:end].decode("utf-8", "replace"))) for start, end in ends]

    def __reduce__(self) -> tuple[object, ...]:
        return Expression, (self.text, self.ignore_case)


def compile_expression(text: str, *, ignore_case: bool = False) -> Matcher:
    """Return what says whether a regular expression matches anywhere in a text.

    Raises:
        re.error: it is none; it is longer than `LONGEST`, or larger than `MOST_INSTRUCTIONS`; or RE2 is needed and not installed.
    """
    plain = PLAIN.fullmatch(text)
    if plain:
        return _matched_by_re(plain[1] + (r"\Z" if plain[2] else ""), ignore_case=ignore_case).search
    _check_length(text)
    if NO_REPEAT.search(text):
        raise re.error("a repeat is {m}, {m,} or {m,n}, of at most 1000 times")
    return Expression(text, ignore_case=ignore_case)


def spans_of(matcher: Matcher, text: str) -> list[tuple[int, int]]:
    """Return where what `compile_expression` has made matches in a text: the start and the end of each place."""
    if isinstance(matcher, Expression):
        return matcher.spans(text)
    pattern: re.Pattern[str] = cast("Any", matcher).__self__
    return [match.span() for match in pattern.finditer(text)]


def ignores_case(pattern: str) -> bool:
    """Return whether letters of a pattern are all small, so that a person who writes it does not mean their case.

    Escapes, such as that for what is no space, are no letters.
    """
    return ESCAPE.sub("", pattern).islower()


def compile_wildcards(text: str, *, ignore_case: bool = False) -> Matcher:
    """Return what says whether a whole text is one that a pattern with the wildcards `*`, `?` and `[...]` describes.

    Raises:
        re.error: it is longer than `LONGEST`.
    """
    return _matched_by_re(translate(text), ignore_case=ignore_case).match


def _check_length(text: str) -> None:
    if len(text) > LONGEST:
        raise re.error(f"{len(text)} characters are too many; {LONGEST} are allowed")


def _matched_by_re(text: str, *, ignore_case: bool) -> re.Pattern[str]:
    _check_length(text)
    try:
        return re.compile(text, re.IGNORECASE if ignore_case else 0)
    except (OverflowError, RecursionError, MemoryError) as error:
        reason = str(error) or "it needs too much memory"
    raise re.error(reason)
