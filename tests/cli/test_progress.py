"""The progress bar: when it comes, when it goes, and that whatever reads a save shows it."""

import io
import re
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from cli_runs import ROOT, Terminal, large_world, on_terminal, run, small_world

from streamsave.cli.output import report, write_line
from streamsave.cli.progress import Bar, Work, follow, is_shown, make_room, progress_bar
from streamsave.consume.stream import open_save
from streamsave.formats import watcher

#: Moves the cursor, erases, and the like.
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def set_up(monkeypatch) -> Terminal:
    """Make standard error a terminal. No fixture: pytest itself sets it between a fixture and its test."""
    made = Terminal()
    monkeypatch.setattr("sys.stderr", made)
    monkeypatch.setattr("sys.stdout", io.StringIO())
    monkeypatch.setattr("streamsave.cli.progress.DELAY", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    return made


def wait_for(text: str, errors: Terminal) -> None:
    until = time.monotonic() + 60
    while text not in errors.getvalue():
        assert time.monotonic() < until
        time.sleep(0.01)


def shown_within(seconds: float, errors: Terminal) -> str:
    """What is drawn from now on."""
    before = len(errors.getvalue())
    time.sleep(seconds)
    return errors.getvalue()[before:]


def test_bar(monkeypatch, tmp_path):
    errors = set_up(monkeypatch)
    path = large_world(tmp_path)
    with progress_bar(), open_save(path) as events:
        assert sum(1 for _ in events) > 2000
        wait_for("MiB", errors)
        size = re.search(r"(\d+\.\d) MiB", errors.getvalue())
    assert float(size[1]) > 0.7
    assert watcher.get() is None


def test_only_in_a_terminal(monkeypatch):
    monkeypatch.setattr("sys.stderr", io.StringIO())
    with progress_bar():
        assert watcher.get() is None


def test_no_bar_before_it_takes_long(monkeypatch, tmp_path):
    errors = set_up(monkeypatch)
    with closing(Bar(3600)) as bar, open_save(small_world(tmp_path)) as events:
        bar.watch(events._reader, events._source)
        assert shown_within(0.3, errors) == ""


def test_results_do_not_go_where_the_bar_is(monkeypatch, tmp_path):
    errors = set_up(monkeypatch)
    with progress_bar(), open_save(small_world(tmp_path)):
        wait_for("small.sav", errors)
        write_line("a result")
    assert sys.stdout.getvalue() == "a result\n"
    assert "a result" not in errors.getvalue()


@pytest.mark.slow
def test_it_leaves_the_terminal_to_results_until_the_next_save(monkeypatch, small):
    errors = set_up(monkeypatch)
    monkeypatch.setattr("sys.stdout", errors)
    with progress_bar(), open_save(small) as events:
        wait_for("small.sav", errors)
        write_line("a result")
        before, _, after = errors.getvalue().rpartition("a result\n")
        assert CONTROL.sub("", before).endswith(("\r", "\n"))
        assert after == ""
        for _ in events:
            assert shown_within(0.02, errors) == ""
        with open_save(small):
            assert "small.sav" in shown_within(0.5, errors)


def test_a_pager_keeps_the_screen(monkeypatch, small):
    errors = set_up(monkeypatch)
    with progress_bar():
        monkeypatch.setattr("sys.stdout", Terminal())  # as `paged` does
        write_line("a result")
        with open_save(small):
            assert shown_within(0.3, errors) == ""


@pytest.mark.slow
def test_it_comes_back_after_a_message(monkeypatch, tmp_path):
    errors = set_up(monkeypatch)
    with progress_bar(), open_save(small_world(tmp_path)):
        wait_for("small.sav", errors)
        report("x.sav", "odd")
        assert re.search(r"(^|[\r\n]|\x1b\[2K)streamsave: x.sav: odd\n$", errors.getvalue())
        assert "small.sav" in shown_within(0.5, errors)


@pytest.mark.slow
def test_it_goes_when_nothing_is_read(monkeypatch, tmp_path):
    errors = set_up(monkeypatch)
    with progress_bar(), open_save(small_world(tmp_path)):
        wait_for("small.sav", errors)
        time.sleep(2.5)
        make_room()
        assert errors.getvalue().count("\x1b[?25h") >= 1


def test_what_no_reader_reads(monkeypatch):
    errors = set_up(monkeypatch)
    with progress_bar():
        follow(Work("the work", 8, lambda: (3, 6), "{} made".format))
        wait_for("the work", errors)
        wait_for("3 made", errors)
        follow(None)
        assert is_shown()
        assert "the work" not in shown_within(0.3, errors)


def test_saves_side_by_side(monkeypatch, small):
    errors = set_up(monkeypatch)
    until = time.monotonic() + 60
    with progress_bar():
        while "3 saves" not in errors.getvalue():  # the first time, rich may take longer to import than they take to read
            assert run("ls", "-j2", small, small, small).exit_code == 0
            assert time.monotonic() < until


@pytest.mark.parametrize("words", [("extract", "a.sav", "-o", "out"), ("pack", "entries", "-o", "x.sav")])
def test_entries_of_arx(words, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    save = ROOT / "corpora/valid/arx/v1.1.sav"
    Path("a.sav").write_bytes(save.read_bytes())
    assert run("arx", "extract", "a.sav", "-o", "entries").exit_code == 0
    found: list[Work] = []
    monkeypatch.setattr(sys.modules["streamsave.cli.arx"], "follow", found.append)
    assert run("arx", *words).exit_code == 0
    assert {work.label for work in found} == {words[1]}
    made, read = zip(*[work.position() for work in found], strict=True)
    files = sum(path.stat().st_size for path in Path("entries").iterdir())
    assert (max(made), found[0].size) == (files, files if words[0] == "pack" else save.stat().st_size)
    assert max(read) <= found[0].size


def test_output_is_the_same_with_a_bar(monkeypatch, tmp_path):
    path = large_world(tmp_path)
    plain = run("ls", path).stdout
    errors = set_up(monkeypatch)
    with progress_bar():
        assert run("ls", path).stdout == plain
        wait_for(path.name, errors)


def watched(*args: object) -> list[str]:
    """Run a command; give the names of the files that it reads, in order, each once if it is read again at once."""
    names: list[str] = []

    def watch(_reader: object, source: object) -> None:
        name = Path(source.name).name
        names.extend([re.sub(r"^\.streamsave-.*", "NEW", name)] if [name] != names[-1:] else [])

    token = watcher.set(watch)
    try:
        assert run(*args).exit_code in {0, 1}
    finally:
        watcher.reset(token)
    return names


@pytest.mark.parametrize(
    ("words", "read"),
    [
        (("info",), ["a.sav"]),
        (("ls",), ["a.sav"]),
        (("cat",), ["a.sav"]),
        (("grep", "Chest"), ["a.sav"]),
        (("json",), ["a.sav"]),
        (("check",), ["a.sav"]),
        (("diff", "b.sav"), ["b.sav", "a.sav"]),
        (("export", "-o", "x.csv"), ["a.sav"]),
        (("report", "-o", "x.html"), ["a.sav"]),
        (("edit", "-o", "x.sav", "--drop", "class_name ~ Chest"), ["a.sav", "NEW"]),
        (("salvage", "-o", "x.ndjson"), ["a.sav"]),
        (("salvage", "--save", "x.sav"), ["a.sav", "NEW"]),
        (("from-json", "a.json", "-o", "x.sav", "--like"), ["a.sav", "NEW"]),
    ],
)
def test_what_reads_a_save_shows_it(words, read, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    small_world(tmp_path).rename("a.sav")
    Path("b.sav").write_bytes(Path("a.sav").read_bytes())
    assert run("json", "a.sav", "-o", "a.json").exit_code == 0
    found = watched(*words, "a.sav")
    assert set(found) == set(read)
    assert found[-1] == read[-1]


@pytest.mark.slow
def test_check_in_a_terminal(tmp_path):
    """The bar is gone when the result comes."""
    path = large_world(tmp_path, 60_000)
    text = on_terminal("check", path, delay=0.0)
    assert "large.sav" in text
    bar, _, last = text.rpartition("\x1b[2K")
    assert "MiB" in bar
    assert last == f"{path}: sound\n"
