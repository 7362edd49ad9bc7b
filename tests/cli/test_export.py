"""`streamsave export`."""

import csv
import io
import sys
from importlib.util import find_spec
from pathlib import Path

import orjson
import pytest
from cli_runs import SAMPLES, on_terminal, printed, process, python, refused, run, thing, write
from saves import deflate, file_with, head_and_body, start_of
from writer.tags import INT, STR, Prop

import streamsave
from streamsave.cli.export import FORMATS, TEXTS

SPAWNERS = 'class_name = "*CreatureSpawner*"'
FIELD = "mSpawnData[0].NumTimesKilled"
QUERY = ("--where", SPAWNERS, "--field", FIELD, "--field", "mSpawnData")
KILLED = [1, 2, 3, 4, 5]


@pytest.fixture
def cut(tmp_path):
    """A save whose last chunk is cut: all spawners are before that."""
    return file_with(tmp_path / "cut.sav", deflate(*head_and_body(SAMPLES[0].read_bytes()), 4096)[:-200])


def table_of(path):
    """What a file of a table says: rows as dicts."""
    kind = path.suffix[1:]
    if kind == "ndjson":
        return [orjson.loads(line) for line in path.read_bytes().splitlines()]
    if kind == "csv":
        return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))
    import pyarrow as pa
    from pyarrow import parquet

    with path.open("rb") as file:
        readers = {"parquet": parquet.read_table, "arrow": lambda file: pa.ipc.open_file(file).read_all()}
        return readers.get(kind, lambda file: pa.ipc.open_stream(file).read_all())(file).to_pylist()


needs_pyarrow = pytest.mark.skipif(find_spec("pyarrow") is None, reason="pyarrow is not installed")
kinds = pytest.mark.parametrize("kind", [pytest.param(kind, marks=[] if kind in TEXTS else needs_pyarrow) for kind in FORMATS])


@kinds
def test_file(tmp_path, kind):
    path = tmp_path / f"table.{kind}"
    assert printed("export", *SAMPLES[:2], *QUERY, "-o", path) == ""
    rows = table_of(path)
    expected = [(name, each) for name in SAMPLES[:2] for each in streamsave.objects(name, SPAWNERS, [FIELD])]
    assert len(rows) == len(expected) == 12
    for row, (name, found) in zip(rows, expected, strict=True):
        assert (row["file"], row["instance_name"], row["class_name"]) == (str(name), found.instance_name, found.class_name)
        assert int(row["size"]) == found.size
        assert int(row[FIELD]) == found.fields[FIELD]


@kinds
def test_a_damaged_save_gives_the_rows_before_the_damage(tmp_path, kind, cut):
    path = tmp_path / f"table.{kind}"
    missing, damaged = refused("export", tmp_path / "missing.sav", cut, SAMPLES[1], *QUERY, "-o", path).splitlines()
    assert "missing.sav: No such file" in missing
    assert f"{cut}: offset " in damaged
    files = [row["file"] for row in table_of(path)]
    assert (files.count(str(cut)), files.count(str(SAMPLES[1]))) == (5, 7)


@kinds
def test_standard_input(tmp_path, kind):
    path = tmp_path / f"table.{kind}"
    done = process("export", "-", *QUERY, "-o", path, stdin=SAMPLES[0].read_bytes())
    assert (done.returncode, done.stderr) == (0, b"")
    assert [int(row[FIELD]) for row in table_of(path)] == KILLED


def test_types_of_standard_input_are_those_of_a_file(tmp_path):
    """They come after the first batch: that is full with what is large."""
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow import parquet

    text = Prop("mText", STR, "x" * 1_000_000)
    save = write(
        tmp_path, "a.sav", *(thing(f"Large_{number}", text) for number in range(9)), thing("Last", Prop("mNumber", INT, 7))
    )
    query = ("--field", "mText", "--field", "mNumber")
    assert run("export", save, *query, "-o", tmp_path / "file.parquet").exit_code == 0
    assert process("export", "-", *query, "-o", tmp_path / "pipe.parquet", stdin=save.read_bytes()).stderr == b""
    file, pipe = (parquet.read_table(tmp_path / f"{name}.parquet").drop_columns("file") for name in ("file", "pipe"))
    assert pipe.equals(file)
    assert pipe.column("mNumber").to_pylist()[-1] == 7


def test_types_come_from_the_first_save_with_rows(tmp_path):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow import parquet

    path = tmp_path / "table.parquet"
    assert run("export", SAMPLES[0].with_suffix(".sbp"), SAMPLES[0], *QUERY, "-o", path).exit_code == 0
    assert parquet.read_schema(path).field(FIELD).type == pa.int64()


@pytest.mark.slow
@kinds
def test_side_by_side(tmp_path, kind, cut):
    """Rows, errors and exit code are those of one by one, whatever comes in between."""
    (tmp_path / "one").mkdir()
    results = []
    for jobs in ("1", "2"):
        path = tmp_path / f"{jobs}.{kind}"
        saves = (tmp_path / "one", cut, SAMPLES[0], tmp_path / "missing.sav", *SAMPLES, tmp_path / "no*thing", SAMPLES[1])
        result = run("export", *saves, *QUERY, "-o", path, "--jobs", jobs)
        results.append((result.exit_code, result.stdout, result.stderr, path.read_bytes()))
    assert results[0] == results[1]
    assert results[0][0] == 2
    assert results[0][2].count("\n") == 4
    assert len(table_of(path)) == 5 + 5 + 5 + 7 + 7 + 7


@pytest.mark.slow
def test_side_by_side_to_standard_output_with_standard_input():
    said = [
        process(
            "export", SAMPLES[1], "-", SAMPLES[1], *QUERY, "--format", "csv", "-o", "-", "-j", jobs, stdin=SAMPLES[0].read_bytes()
        )
        for jobs in ("1", "2")
    ]
    assert (said[0].returncode, said[0].stderr) == (0, b"")
    assert (said[1].returncode, said[1].stderr) == (0, b"")
    assert said[0].stdout == said[1].stdout
    assert said[0].stdout.count(b"\n") == 1 + 7 + 5 + 7


@pytest.mark.slow
def test_side_by_side_within_limits(tmp_path):
    errors = refused("export", *SAMPLES, "--field", "mSpawnData", "-o", tmp_path / "t.csv", "-j2", "--limit", "build_nodes=1")
    assert errors.count("above the limit build_nodes") == len(SAMPLES)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@kinds
@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
def test_a_full_disk(kind, jobs):
    """It ends the workers, too."""
    done = process("export", *SAMPLES * 4, *QUERY, "--format", kind, "-o", "/dev/full", jobs)
    assert (done.returncode, done.stderr) == (2, b"streamsave: /dev/full: No space left on device\n")


@pytest.mark.slow
def test_without_pyarrow(tmp_path):
    """Text does not need it; the other formats say how to get it."""
    code = "import sys; sys.modules['pyarrow'] = None; from streamsave.cli import main; main()"
    for kind, exit_code in (("csv", 0), ("ndjson", 0), ("parquet", 2), ("arrow", 2)):
        done = python(code, "export", SAMPLES[0], "-o", tmp_path / f"table.{kind}")
        assert done.returncode == exit_code
        assert ('pip install "streamsave[arrow]"' in done.stderr) == bool(exit_code)


EVIL = "=HYPERLINK(\x1b]0;title\x07\x9b31m, \x7f)\n\u202e"


@pytest.fixture
def evil(tmp_path):
    """A save with a text that a spreadsheet program and a terminal would run, and with a negative number."""
    return write(tmp_path, "evil.sav", thing("A", Prop("mText", STR, EVIL), Prop("mNumber", INT, -5)))


def test_csv_is_not_altered_without_being_asked(evil):
    query = ("--field", "mText", "--field", "mNumber", "--format", "csv", "-o", "-")
    for flags, text in ((), EVIL), (("--spreadsheet",), f"'{EVIL}"):
        (row,) = csv.DictReader(io.StringIO(process("export", evil, *query, *flags).stdout.decode(), newline=""))
        assert (row["mText"], row["mNumber"]) == (text, "-5")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(("kind", "flags"), [("csv", ()), ("csv", ("--spreadsheet",)), ("ndjson", ())])
def test_a_terminal_gets_no_control_characters(evil, kind, flags):
    text = on_terminal("export", evil, "--field", "mText", "--format", kind, "-o", "-", *flags)
    assert all(character == "\n" or (ord(character) >= 0x20 and not 0x7F <= ord(character) < 0xA0) for character in text)
    assert text.count("\n") == (1 if kind == "ndjson" else 2)
    assert ("'=HYPERLINK(" in text) == bool(flags)
    if kind == "csv":
        assert r"\x1b]0;title\x07\x9b31m, \x7f)\n\u202e" in text


@pytest.mark.slow
def test_in_a_program_that_has_imported_pyarrow(tmp_path):
    """It has numpy then, and looks for pandas later."""
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    pytest.importorskip("numpy", reason="numpy is not installed")
    code = f"""
import pyarrow.parquet
from streamsave.cli import main
main({["export", str(SAMPLES[0]), "-o", str(tmp_path / "table.parquet"), "--field", "mSpawnData"]}, standalone_mode=False)
"""
    ended = python(code)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert table_of(tmp_path / "table.parquet")


@pytest.mark.parametrize("kind", ["parquet", "arrow", "arrows"])
def test_pyarrow_does_without_numpy_and_takes_memory_from_the_system(tmp_path, kind):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    code = f"""
import sys
from streamsave.cli import main
main({["export", str(SAMPLES[0]), "-o", str(tmp_path / f"table.{kind}"), "--field", "mSpawnData"]}, standalone_mode=False)
print([name for name in ("pyarrow", "numpy", "pandas") if name in sys.modules])
print(sys.modules["pyarrow"].default_memory_pool().backend_name)
"""
    assert python(code).stdout == "['pyarrow']\nsystem\n"
    assert table_of(tmp_path / f"table.{kind}")


@pytest.mark.slow
@kinds
@pytest.mark.parametrize("jobs", [1, 2])
def test_with_header(tmp_path, kind, jobs):
    path = tmp_path / f"table.{kind}"
    printed("export", *SAMPLES[:2], *QUERY, "--with-header", "-o", path, "--jobs", jobs)
    rows = table_of(path)
    assert list(rows[0])[9:14] == ["session", "saved", "play_time", "save_name", FIELD]
    for name in SAMPLES[:2]:
        header = start_of(name).header
        found = {(row["session"], float(row["play_time"])) for row in rows if row["file"] == str(name)}
        assert found == {(header.session_name, header.play_duration)}
