"""`streamsave grep`."""

import re
from random import Random

import pytest
from cli_runs import LEVEL, STACK, json_lines, lines, refused, run, terminal, thing, write
from saves import VALID
from writer.tags import BYTE, INT, STR, Array, Prop


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """An array of structs, and one of bytes, that are too large to be built."""
    stacks = [[Prop("Name", STR, f"item {number}"), Prop("Count", INT, number)] for number in range(3000)]
    big = thing(
        "Big", Prop("mStacks", Array(STACK), stacks), Prop("mBytes", Array(BYTE), bytes(300_000)), Prop("mLast", INT, 2999)
    )
    return write(tmp_path_factory.mktemp("grep"), "large.sav", big)


def test_large_values_are_walked(large):
    name = LEVEL + "Big"
    assert lines("grep", "", "--value", "^item 2999$", large) == [[name, "mStacks[2999]/Name", "item 2999"]]
    assert lines("grep", "", "--value", "^2999$", large) == [[name, "mStacks[2999]/Count", "2999"], [name, "mLast", "2999"]]
    assert lines("grep", "", "--value", "^2999$", "--property", "mSt*", large) == [[name, "mStacks[2999]/Count", "2999"]]
    assert lines("grep", "", "--value", "^2999$", "--property", "Count", large) == [[name, "mStacks[2999]/Count", "2999"]]
    assert len(lines("grep", "", "--property", "Count", large)) == 3000


def test_large_values_show_their_size(large):
    (found,) = lines("grep", "", "--property", "mStacks", large)
    assert found[:2] == [LEVEL + "Big", "mStacks"]
    assert found[2].endswith(" bytes)")
    (found,) = json_lines("grep", "", "--property", "mBytes", large)
    assert (found["path"], found["value"], found["size"]) == ("mBytes", None, 300_004)


def test_without_pattern(large, small, tmp_path, monkeypatch):
    assert lines("grep", "--value", "^item 2999$", large) == lines("grep", "", "--value", "^item 2999$", large) != []
    for option in (["--value", "1"], ["--property", "*"], ["--where", "size > 0"]):
        assert lines("grep", *option, "-c", large, small) == lines("grep", "", *option, "-c", large, small) != []
    assert "Missing argument 'SAVE...'" in run("grep", large).stderr
    assert "no-such.sav: No such file" in run("grep", "--value", "1", tmp_path / "no-such.sav").stderr
    # A folder may be a pattern: `.` is both.
    monkeypatch.chdir(tmp_path)
    assert lines("grep", ".", "--value", "^2999$", "-c", large) == [["1"]]


def test_a_bad_pattern_that_is_long(small):
    errors = refused("grep", "", "--value", "(" * 5000, small)
    assert "is no regular expression" in errors
    assert len(errors) < 600


@pytest.mark.slow
@pytest.mark.parametrize("name", ["satisfactory/sv58.sav", "satisfactory/sv46.sav", "gvas/ue5-1018.sav", "gvas/palworld-1.0.sav"])
def test_a_path_as_commands_print_it(name):
    """The values at a path are those of all values whose path starts so."""
    save = VALID / name
    everything = json_lines("grep", "--json", "--value", "", ".", save)
    for row in Random(name).sample(everything, 25):
        steps = [step.start() for step in re.finditer(r"[/\[]", row["path"]) if row["path"].count('"', 0, step.start()) % 2 == 0]
        # Of a key, the entry has also the value, whose path has the text of the key.
        for path in {row["path"], row["path"][: steps[-1]] if steps and not row["path"].endswith("]/key") else row["path"]}:
            if not re.search(r'^"|[/\[]', path):  # one name is a pattern
                continue
            expected = [each for each in everything if each["path"] == path or each["path"].startswith((f"{path}/", f"{path}["))]
            assert json_lines("grep", "--json", "--property", path, ".", save) == expected, path


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("satisfactory/sv58.sav", "kind = actor"),
        ("shapez2/checkpoints.spz2", "kind = island"),
        ("shapez2/islands-5.spz2bp", "kind = island"),
        ("gvas/palworld-1.0.sav", "kind = pal"),
    ],
)
def test_two_halves_have_all_values(name, where):
    """A list of objects is not empty because none of them is selected."""
    halves = [lines("grep", "--value", "", "--where", each, VALID / name) for each in (where, f"not {where}")]
    assert sorted(halves[0] + halves[1]) == sorted(lines("grep", "--value", "", VALID / name))
    assert all(halves)
    names = [lines("grep", *options, "--where", where, VALID / name) for options in ([], ["-v"])]
    assert sorted(names[0] + names[1]) == sorted(lines("grep", "", VALID / name))
    assert names[1] == lines("grep", "--where", f"not ({where})", VALID / name) != []


def test_a_terminal_shows_what_matches(small):
    mark = "\x1b[31m\x1b[1m"
    _, text = terminal("grep", "lam[p]", small)
    assert text.startswith(f"{mark}Lamp\x1b[0m\x1b[36m (BP_\x1b[0m{mark}Lamp\x1b[0m\x1b[36m_C)\x1b[0m ")
    assert f"mLabel\x1b[0m: iron, {mark}mostly\x1b[0m" in terminal("grep", "chest", small, "--value", "mostly")[1]
