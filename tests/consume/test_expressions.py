"""Regular expressions and wildcards: those that are refused, and what bounds the time of all others."""

import pickle
import re
import subprocess
import sys
from fnmatch import fnmatchcase

import pytest
from cli_runs import environment, process, thing, write
from hypothesis import given
from hypothesis import strategies as st
from writer.tags import STR, Prop

import streamsave
from streamsave import SelectError
from streamsave.compare.ignored import ignored_by
from streamsave.consume.expressions import LONGEST, MOST_INSTRUCTIONS, PLAIN, Expression, compile_expression, compile_wildcards
from streamsave.consume.parser import parse_selection

REFUSED = {
    "repeats": "a{99999999999999}",
    "largest repeat": "a{4294967295}",
    "many repeats": "a{1001}",
    "repeats without a least": "a{,3}",
    "alternatives": "|".join(["ab"] * 100_000),
    "long": "a" * (LONGEST + 1),
    "instructions": "[^a]{999}[^b]{999}",
    "backreference": r"(a+)\1+x",
    "named backreference": "(?P<a>x)(?P=a)",
    "condition": "(a)?(?(1)b|c)",
    "lookahead": "a(?=b)",
    "lookbehind": "(?<!a)b",
    "possessive": "a++b",
    "atomic": "(?>a+)b",
    "open": "(",
    "open set": "[a",
    "open set in a long text": "[" + "a" * 1000,
    "nothing to repeat": "*a",
}
SLOW = [
    "a*a*a*x",
    ".*.*.*x",
    "(a+)+$",
    "(a*)*x",
    "(a|a)*x",
    "(a|aa)+$",
    "(?:a?){100}x",
    "a.*a.*a.*a.*x",
    "(.*a){9}x",
    "Iron.*Plate",
]


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    with pytest.raises(re.error) as caught:
        compile_expression(REFUSED[name])
    assert len(str(caught.value)) < 100


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("test", ["class_name ~ ", "mName !~ ", "size > 5 and (kind ~ "])
def test_refused_in_a_selection(name, test):
    text = f'{test}"{REFUSED[name]}"' if "\\" not in REFUSED[name] else f"{test}'{REFUSED[name]}'"
    with pytest.raises(SelectError, match="not a regular expression") as caught:
        parse_selection(text)
    assert caught.value.position == len(test)
    assert str(caught.value).endswith(f"\n  {' ' * len(test)}^")
    assert len(str(caught.value)) < 500


def test_refused_before_the_save_is_opened(tmp_path):
    with pytest.raises(SelectError, match="no backreferences"):
        streamsave.objects(tmp_path / "missing", r"class_name ~ '(a+)\1'")


@pytest.mark.parametrize("expression", SLOW)
def test_the_work_has_a_bound(expression):
    """No way to match is tried again: RE2 looks at no more than all its instructions for each character."""
    compiled = compile_expression(expression)
    assert isinstance(compiled, Expression)
    assert compiled.instructions < 1000
    assert not compiled("a" * 100_000 + "Plate")


PROGRAM = """
import sys
from streamsave.consume.expressions import compile_expression, compile_wildcards
from streamsave.compare.ignored import ignored_by
from streamsave.consume.conditions import Pattern
text = "aIron" * 200_000
for expression in sys.argv[1:]:
    assert not compile_expression(expression)(text + "Plat")
    assert not compile_expression("(?i)" + expression)(text + "Plat")
for wildcards in ("*a*a*a*x", "*Iron*Iron*Iron*?lace", "*[ab]*[ab]*[ab]*y"):
    assert not compile_wildcards(wildcards)(text)
    assert not Pattern(wildcards, "glob", True).matches(text)
    assert not ignored_by([wildcards.replace("[ab]", "a").replace("?", "p")])("", text)
    assert not ignored_by([wildcards.replace("[ab]", "a").replace("?", "p") + ":z"])(text, "z")
print("done")
"""


@pytest.mark.slow
def test_long_texts_end_soon():
    """A text of 1 MB: a way to match for each division of it would take years."""
    command = [sys.executable, "-c", PROGRAM, *SLOW[:6], "Iron.*Plate", "a*I.*I.*x"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment(), timeout=60)
    assert (done.stdout, done.stderr) == ("done\n", "")


@pytest.mark.slow
def test_a_small_save_with_a_long_text(tmp_path):
    """It is small in the file, and `re` would take a minute for it."""
    save = write(tmp_path, "slow.sav", thing("BP_Chest_C_1", Prop("mLabel", STR, "Iron" * 150_000)))
    assert save.stat().st_size < 3000
    assert process("ls", save, "--where", 'mLabel ~ "Iron.*Plate"').stdout == b""
    assert b"BP_Chest_C_1" in process("ls", save, "--where", 'mLabel ~ "Iron.*Iron$"').stdout
    assert process("grep", "", save, "--value", "Iron.*Plate").returncode == 1
    assert process("grep", "", save, "--value", "Iron.*Iron$").returncode == 0


@pytest.mark.parametrize(
    ("expression", "texts", "others"),
    [
        ("^Persist", ["Persistent"], ["a Persist", ""]),
        ("Iron", ["an Iron plate"], ["iron"]),
        ("(?i)iron", ["IRON"], ["copper"]),
        (r"^Build_.*_C_\d+$", ["Build_Wall_C_12"], ["Build_Wall_C_1x"]),
        (r"^/Game/.*/(Iron|Copper)(Plate|Ore)?\.[A-Z]\w*$", ["/Game/x/IronOre.Iron_C"], ["/Game/Iron"]),
        (r"\bWall\b", ["a Wall."], ["Walls"]),
        ("a.c", ["aжc", "a\ud800c"], ["a\nc", "ac"]),
        ("(?s)a.c", ["a\nc"], ["ac"]),
        ("ж+", ["жж"], ["z"]),
        ("", ["", "a"], []),
        ("^", ["", "a"], []),
        ("a|b", ["b"], ["c"]),
        ("x{2,3}y", ["xxy"], ["xy"]),
        (r"\{,3}", ["{,3}"], ["aaa"]),
        (r"a\.b", ["a.b"], ["axb"]),
        ("|".join(f"name{number}" for number in range(5000)), ["a name4999"], ["name"]),
        ("(" * 50 + "a" + ")" * 50, ["a"], ["b"]),
        ("(?:foo|bar)*$", ["foobar"], []),
    ],
)
def test_what_expressions_match(expression, texts, others):
    matches = compile_expression(expression)
    assert [text for text in (*texts, *others) if matches(text)] == texts
    again = pickle.loads(pickle.dumps(matches))  # noqa: S301 - these bytes are ours
    assert [text for text in (*texts, *others) if again(text)] == texts


PARTS = st.sampled_from(["a", "b", "ж", "[ab]", ".", "a*", "b+", "(?:ab|b)", "(a|b)*", "^", "$", "[^a]", "b{2}", "a?", "x*?"])


@pytest.mark.slow
@given(st.lists(PARTS, max_size=6).map("".join), st.text("abжx.", max_size=12), st.booleans())
def test_the_same_as_re(expression, text, ignore_case):
    """Where both have the same syntax; short texts, for which `re` is fast."""
    expected = re.search(expression, text, re.IGNORECASE if ignore_case else 0) is not None
    assert bool(compile_expression(expression, ignore_case=ignore_case)(text)) == expected
    assert Expression(expression, ignore_case)(text) == expected


@pytest.mark.slow
@given(st.text("ab*?[]ж", max_size=8), st.text("abж\n", max_size=12))
def test_wildcards_match_the_same_as_fnmatch(wildcards, text):
    assert bool(compile_wildcards(wildcards)(text)) == fnmatchcase(text, wildcards)


@pytest.mark.slow
@given(st.text("ab*/[", max_size=8), st.text("ab/[]\n", max_size=10))
def test_what_is_ignored(pattern, path):
    """The same as a plain expression in which a star takes any text, and may take it in any way."""
    plain = ".*".join(map(re.escape, pattern.split("*")))
    assert ignored_by([pattern])("", path) == (re.fullmatch(f"(?:{plain})(?:[/\\[].*)?", path, re.DOTALL) is not None)
    if not set(pattern) & set("/["):  # no name of a class has these: they are in a path
        assert ignored_by([f"{pattern}:z"])(path, "z") == (re.fullmatch(plain, path, re.DOTALL) is not None)


@pytest.mark.slow
def test_without_special_characters_re_is_enough():
    """So `grep Build_` needs no other engine."""
    for expression in ("Build_Wall", "^Build_", "", "a" * LONGEST, "/Game/a:b", "^100$", "4[.]25", r"4\.25"):
        assert PLAIN.fullmatch(expression)
        assert not isinstance(compile_expression(expression), Expression)
    assert compile_expression("a" * LONGEST)("b" + "a" * LONGEST)
    assert compile_expression("build", ignore_case=True)("a BUILD")


@pytest.mark.parametrize("expression", ["^100$", "4[.]25", r"4\.25$", r"\^a\-[{]", "^$", "$"])
def test_literal_characters_mean_the_same_in_re(expression):
    for text in ("100", "100\n", "1004.25", "4.25\n", "4x25", "^a-{", "a-{", "", "\n"):
        assert bool(compile_expression(expression)(text)) == Expression(expression)(text)


def test_without_re2(monkeypatch):
    monkeypatch.setitem(sys.modules, "re2", None)
    with pytest.raises(re.error, match="needs the package google-re2"):
        compile_expression("a.b")
    assert compile_expression("ab")("cab")
    assert compile_wildcards("a*")("ab")


def test_instructions():
    assert Expression("(?:[^a]{10}){10}").instructions <= MOST_INSTRUCTIONS
    with pytest.raises(re.error, match="too large"):
        Expression("[^a]{999}[^b]{999}")


def test_long_patterns():
    with pytest.raises(re.error, match="too many"):
        compile_wildcards("?" * (LONGEST + 1))
    with pytest.raises(SelectError, match=r"not a pattern: .* too many"):
        parse_selection(f"class_name = {'?' * LONGEST}")
