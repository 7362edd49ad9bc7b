"""Why no object matches `--where`."""

import random

import pytest
from cli_runs import SAMPLES, run
from saves import VALID

import streamsave
from streamsave.cli import nothing_found, save
from streamsave.cli.nothing_found import Watched, explain
from streamsave.consume.conditions import Facts
from streamsave.consume.parser import parse_selection
from streamsave.consume.stream import open_save
from streamsave.consume.values import Part, Walk, leaves
from streamsave.output.flat_text import path_text

SAMPLE = SAMPLES[-1]


def test_no_reason_where_there_are_too_many_names(monkeypatch):
    monkeypatch.setattr(nothing_found, "MOST_NAMES", 2)
    for where in ("class_name = Zzzz", "has(zzzz)"):
        with streamsave.open(SAMPLE) as events:
            assert explain(events, parse_selection(where)) == ""


def test_no_reason_in_a_damaged_save():
    with streamsave.open(SAMPLE.read_bytes()[:-100]) as events:
        assert explain(events, parse_selection("class_name = Zzzz")) == ""


def test_a_watched_selection_remembers():
    watched = Watched(parse_selection("class_name = a and size = 3"))
    assert watched._verdict(Facts({"class_name": "a"})) is None
    assert not watched.has_matched
    assert len(list(watched._tests())) == 2
    watched = Watched(parse_selection("class_name = a"))
    assert watched._verdict(Facts({"class_name": "b"})) is False
    assert not watched.has_matched
    assert watched._verdict(Facts({"class_name": "a"})) is True
    assert watched._verdict(Facts({"class_name": "b"})) is False
    assert watched.has_matched


@pytest.mark.slow
def test_each_save_has_its_own_message():
    """Read one after the other or side by side, whichever has matched before."""
    others = SAMPLES[0].parent / "sv25.sav"
    for jobs in ("1", "2"):
        result = run("ls", SAMPLE, others, SAMPLE, "--where", "mSpawnData[*].NumTimesKilled > 5", "-j", jobs)
        assert [line.partition(": no")[0] for line in result.stderr.splitlines()] == [f"streamsave: {others}"]


@pytest.mark.parametrize(
    "words",
    [
        ("diff", SAMPLE, SAMPLE),
        ("sql", "select count(mSpawnData) from objects", SAMPLE),
        ("export", SAMPLE, "--field", "mSpawnData", "-o", "table.parquet"),
    ],
    ids=lambda words: words[0],
)
def test_commands_that_read_more_than_once_say_so_once(tmp_path, monkeypatch, words):
    pytest.importorskip("duckdb" if words[0] == "sql" else "pyarrow")
    monkeypatch.chdir(tmp_path)
    result = run(*words, "--where", "NumTimesKilled > 5")
    nothing = f"streamsave: {SAMPLE}: no object matches --where"
    ends = "no object has 'NumTimesKilled'; this ends so: mSpawnData[*]/NumTimesKilled"
    assert (result.exit_code, result.stderr) == (0, f"{nothing}: {ends}\n")
    warning, *rest = run(*words, "--where", 'mSpawnData[*].NumTimesKilled = "x"').stderr.splitlines()
    assert warning.endswith("mSpawnData[*].NumTimesKilled: all values are numbers, and none has the text 'x'")
    assert rest == [nothing]


def test_a_test_of_the_query_is_not_taken_for_where():
    pytest.importorskip("duckdb")
    query = "select count(*) from objects where class_name = 'Nobody'"
    assert run("sql", query, SAMPLE, "--where", "class_name = *Spawner*").output == "0\n"


SAVES = sorted(str(path.relative_to(VALID)) for path in VALID.rglob("*.s*") if path.is_file())
REAL = ["arx/v2.0-mixed.sav", "gvas/palworld-level-unicode.sav", "satisfactory/hv14-sv52-pep-modtest-1.sav"]
#: Names that are looked for in each save.
MANY = 7


def ends_of(path):
    """Names inside of members that are no member of an object -> the paths that end so, with `[*]` for the elements of lists."""
    members = set()
    found = {}
    with streamsave.open(path) as events:
        for step in Walk(events, loose=False):
            if isinstance(step, Part):
                for whole, _ in leaves(step):
                    steps = whole[step.base :]
                    members |= set(steps[:1])
                    for number, name in enumerate(steps[1:], 1):
                        if isinstance(name, str):
                            named = [each if isinstance(each, str) or getattr(each, "text", None) else 0 for each in steps]
                            place = tuple(named[: number + 1])
                            found.setdefault(name, set()).add(path_text(place).replace("[0]", "[*]"))
    return {name: paths for name, paths in found.items() if name not in members}


@pytest.mark.slow
@pytest.mark.parametrize("save_name", [*SAVES, *REAL])
def test_the_end_of_a_path_lists_whole_paths(any_save, save_name):
    """Those that the walk over all values finds; each of them, pasted, finds objects."""
    path = any_save(save_name)
    found = ends_of(path)
    names = sorted(found)
    pasted = []
    for name in random.Random(path.name).sample(names, min(MANY, len(names))):
        with streamsave.open(path) as events:
            reason = explain(events, parse_selection(f"has(.{path_text((name,))})"))
        assert reason.startswith(f"no object has '{name}'; ")
        listed = [each for each in found[name] if each in reason.partition(" so: ")[2]]
        assert len(listed) >= min(len(found[name]), nothing_found.SHOWN), (name, reason, found[name])
        pasted += listed
    with streamsave.open(path) as events:
        matched = {number for number, _ in events.select(*[f"has(.{each})" for each in pasted])}
    assert [each for number, each in enumerate(pasted) if number not in matched] == []


@pytest.mark.parametrize(("words", "opened"), [(("ls",), 2), (("grep", "Museum"), 3)])
def test_only_a_pattern_has_the_save_opened_a_third_time(monkeypatch, words, opened):
    """To open one in Oodle is to inflate it."""
    opens = []
    monkeypatch.setattr(save, "open_save", lambda *args, **options: opens.append(args) or open_save(*args, **options))
    assert run(*words, SAMPLE, "--where", "mStatic = 99").stderr
    assert len(opens) == opened
