"""Regular expressions that would take forever are refused, and those that people write are not."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import streamsave
from streamsave import SelectError
from streamsave.query.expression_cost import MOST_REPEATS, MOST_WAYS, check_expression
from streamsave.query.parser import parse_selection

FOREVER = [
    "(a+)+$",
    "(a*)*$",
    "(a+)*b",
    "(a{1,})+$",
    "(a+)+?$",
    "(a+?)+$",
    "(a|a)*$",
    "(a|aa)+$",
    "(a|a?)+$",
    "(a?)*b",
    "(a?b?)*c",
    "(ab?|a)*c",
    "(.|a)*b",
    "([ab]x|[a-c]x)*d",
    r"(\wa|\da)*!",
    "((a|b)*c|d+)*e",
    "(?:(?:a+)b?)*c",
    "(?i:kx|Kx)*x",
    "(?i:[a-z]x|Bx)*!",
    "(?i:\u212ax|kx)*x",
    r"(a)(?:\1|a)*b",
    "(?:(?:|b)a)*c",
    "(?:^|a)*b",
    "(?:a(?=b*)|c)*d",
    "(a{0,100})*b",
    "(?:a{1,20}){3,}b",
    "(?>(a+)+b)c",
    "(?:(a+)+b)*+c",
    "x(?=(a+)+$)",
    "(x)?(?(1)(a+)+$|b)",
]
VERY_LONG = [
    "a?" * 40 + "a" * 40,
    "(a?){40}a{40}",
    "(a|a)" * 40 + "b",
    "(a|ab){40}c",
    "(?:a|ab){1000000000}c",
    "(?:a{0,9}){9}b",
    ".*" * (MOST_REPEATS + 1) + "x",
    "(?:.*a){9}x",
    "(?:.{0,99}){9}x",
    "(?:.*a){0,2000000000}x",
]
ACCEPTED = [
    "^Persist",
    "Iron",
    "(?i)iron",
    "(.*)(.*)(.*)x",
    r"^Build_.*_C_\d+$",
    r"(?i)^/Game/.*/(Iron|Copper|Caterium)(Plate|Ore|Ingot)?\.[A-Z]\w*$",
    "(?:foo|bar)*",
    "(?i)(?:foo|bar)+baz",
    "(?:[ab]c|[def]g|hi)+$",
    "(?:ab){2,}c",
    "a{0,100}b",
    "a{4000000000}",
    "(?:(?!Wall).)*$",
    r"(\d+)-\1",
    r"(?P<a>x)?(?(a)y|z)",
    "(?>a+)+b",
    "(?:a++b)*c",
    r"\bBuild_(?:Constructor|Smelter)Mk[1-3]_C\b",
    "|".join(f"name{number}" for number in range(5000)),
    "",
    "^",
    "|",
    "a{0}",
]


@pytest.mark.parametrize("expression", [*FOREVER, *VERY_LONG])
def test_refused(expression):
    re.compile(expression)
    with pytest.raises(re.error, match="it may take forever" if expression in FOREVER else "it may take very long"):
        check_expression(expression, 0)


@pytest.mark.parametrize("expression", ACCEPTED)
def test_accepted(expression):
    check_expression(expression, 0)
    check_expression(expression, re.IGNORECASE)


@pytest.mark.parametrize("count", [MOST_REPEATS, MOST_REPEATS + 1])
def test_repeats_in_a_row(count):
    assert is_accepted(".*" * count) == (count == MOST_REPEATS)


@pytest.mark.parametrize("count", [16, 17])
def test_ways(count):
    assert MOST_WAYS == 2**16
    assert is_accepted("a?" * count) == is_accepted("(?:a|ab)" * count) == is_accepted(f"(?:a|ab){{{count}}}") == (count == 16)


def test_case_decides_what_starts_alike():
    assert is_accepted("(?:kx|Kx)*x")
    assert not is_accepted("(?:kx|Kx)*x", re.IGNORECASE)
    assert not is_accepted("(?i:kx|Kx)*x")
    assert is_accepted("(?-i:kx|Kx)*x", re.IGNORECASE)


def is_accepted(expression: str, flags: int = 0) -> bool:
    try:
        check_expression(expression, flags)
    except re.error:
        return False
    return True


def repeated(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(inner, st.sampled_from(["*", "+", "?", "*?", "{2}", "{0,3}", "{2,}"])).map(
        lambda pair: f"(?:{pair[0]}){pair[1]}"
    )


EXPRESSIONS = st.recursive(
    st.sampled_from(["a", "b", "[ab]", ".", "ab", "^", "$", r"\w"]),
    lambda inner: st.one_of(
        repeated(inner),
        st.lists(inner, min_size=2, max_size=4).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        inner.map(lambda part: f"(?={part})"),
    ),
    max_leaves=8,
)


@given(EXPRESSIONS)
def test_what_is_accepted_ends_soon(expression):
    """Texts that lead to all ways to match them, and none of the ways to an end."""
    if not is_accepted(expression):
        return
    compiled = re.compile(f"(?:{expression})!")
    for text in ("a" * 22, "ab" * 11):
        start = time.process_time()
        assert compiled.match(text) is None
        assert time.process_time() - start < 5


@pytest.mark.parametrize("expression", ["(a+)+$", "(a|a)*$", "(a|aa)+$"])
@pytest.mark.parametrize("test", ["class ~ ", "mName !~ ", "size > 5 and (kind ~ "])
def test_in_a_selection(expression, test):
    with pytest.raises(SelectError, match="not a regular expression: it may take forever") as caught:
        parse_selection(f'{test}"{expression}"')
    assert caught.value.position == len(test)


def test_objects_refuse_before_the_save_is_opened(tmp_path):
    with pytest.raises(SelectError, match="forever"):
        streamsave.objects(tmp_path / "missing", 'class ~ "(a+)+$"')
