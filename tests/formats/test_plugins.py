"""Formats of other packages: found by their entry point, or passed as `reader=`; and broken ones.

The file is long because a package can be broken at each step from its entry point to its reader.
"""

import io
import os
import pickle
import struct
import sys
import zipfile
import zlib
from functools import cache

import orjson
import pytest
from cli_runs import PACKAGE_FOLDER, ROOT, process, run
from saves import SATISFACTORY, VALID
from toy_format import OBJECTS, READER, install, toy_save

import streamsave
from streamsave import Limits, UnsupportedSave
from streamsave.check.check import check
from streamsave.errors import UnsupportedOption
from streamsave.formats import Format, make_reader
from streamsave.formats.plugins import plugins
from streamsave.input.source import BytesSource

SOUND = SATISFACTORY / "sv46.sav"
ARX = ROOT / "corpora" / "valid" / "arx" / "v2.1.sav"


def zipped(name: str) -> bytes:
    """A zip archive with one member."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, "content")
    return file.getvalue()


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Install packages into a folder of this process: a function like `toy_format.install`, without the folder."""
    folder = tmp_path / "packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", f"{folder}{os.pathsep}{PACKAGE_FOLDER}")
    plugins.cache_clear()
    yield lambda *args, **options: install(folder, *args, **options)
    plugins.cache_clear()
    for path in folder.glob("*.py"):
        sys.modules.pop(path.stem, None)


@pytest.fixture
def save(tmp_path):
    path = tmp_path / "saves" / "one.toy"
    path.parent.mkdir()
    path.write_bytes(toy_save())
    return path


def names(events):
    return [found.instance_name for _, found in events.select(None)]


def test_a_format_of_another_package_is_read(installed, save):
    installed()
    with streamsave.open(save) as events:
        assert events.format.name == "Toy save"
        assert names(events) == list(OBJECTS)
    (doll,) = streamsave.objects(save, "class_name = doll", ["hits"])
    assert (doll.fields, doll.position) == ({"hits": 5}, (4.0, -8.0, 0.0))


def test_a_reader_is_passed(installed, save):
    installed()
    from toy_format_rows import TOY
    from toy_reader import ToyReader

    plugins.cache_clear()
    data = b"????" + save.read_bytes()[4:]
    for reader in ToyReader, TOY:
        with streamsave.open(data, reader=reader) as events:
            assert names(events) == list(OBJECTS)
        assert [each.instance_name for each in streamsave.objects(data, reader=reader)] == list(OBJECTS)
        with streamsave.open(data, reader=reader) as events:
            events.only("hits = 5")  # reads the save twice
            assert [event.instance_name for event in events if isinstance(event, streamsave.ObjectHeader)] == ["doll_1"]
    assert plugins.cache_info().currsize == 0  # no sniffing


@pytest.mark.slow
def test_a_reader_is_passed_to_what_reads_whole_saves(installed, save):
    installed()
    from toy_format_rows import TOY
    from toy_reader import ToyReader

    data = b"????" + save.read_bytes()[4:]
    unknown = save.with_name("unknown.toy")
    unknown.write_bytes(data)
    assert [finding.kind for finding in check(data)] == ["undecodable"]
    for reader in ToyReader, TOY:
        assert "undecodable" not in [finding.kind for finding in check(data, reader=reader)]
    pytest.importorskip("pyarrow")
    for reader in ToyReader, TOY:
        assert streamsave.to_arrow(data, reader=reader).read_all()["instance_name"].to_pylist() == list(OBJECTS)
    dask = pytest.importorskip("dask")
    pytest.importorskip("dask.dataframe")
    from streamsave.dask import objects as dask_objects

    for reader in ToyReader, TOY:
        found = dask_objects([str(unknown)], kind="bag", reader=pickle.loads(pickle.dumps(reader)))  # noqa: S301 - made here
        rows, errors = dask.compute(found.objects, found.errors, scheduler="sync")
        assert ([row["instance_name"] for row in rows], errors) == (list(OBJECTS), [])


def test_an_option_that_the_reader_does_not_take(installed, save):
    pytest.importorskip("pyarrow")
    installed()
    from toy_reader import ToyReader

    with pytest.raises(UnsupportedOption, match=r"^ToyReader takes no type_hints$"):
        streamsave.to_arrow(save, type_hints={"a": "Vector"}, reader=ToyReader).read_all()


@pytest.mark.parametrize("option", [{"sparse": True}, {"type_hints": {"a": "Vector"}}])
def test_a_reader_without_a_row_takes_no_options(installed, save, option):
    installed()
    from toy_reader import ToyReader

    (name,) = option
    for reader, format_name in (ToyReader, "ToyReader"), (None, "Toy save"):
        with pytest.raises(UnsupportedOption, match=rf"^{format_name} takes no {name}$"):
            streamsave.open(save, reader=reader, **option)
    with streamsave.open(save, reader=Format("x", lambda *_: True, ToyReader, options=frozenset(option)), **option) as events:
        assert names(events) == list(OBJECTS)


@pytest.mark.parametrize("reader", ["ToyReader", 3])
def test_what_makes_no_reader(save, reader):
    with pytest.raises(TypeError, match=r"reader is a Format or makes a Reader, not a (str|int)"):
        streamsave.open(save, reader=reader)


def test_what_makes_something_else(save):
    with pytest.raises(TypeError, match=r"the reader of <lambda> is a list, not a streamsave.formats.Reader"):
        streamsave.open(save, reader=lambda source, limits: [source, limits])


def test_commands(installed, save):
    installed()
    rows = dict(line.split("\t") for line in run("info", save).stdout.splitlines())
    assert (rows["format"], rows["play time"]) == ("toy", "1:01:01")
    assert orjson.loads(run("info", "--json", save).stdout)["header"] == {"played": 3661}
    assert run("ls", save).stdout == "ball\tball_1\t\t8\t1.50 2.00 0.00 bl\ndoll\tdoll_1\t\t8\t4.00 -8.00 0.00 bl\n"
    first, _ = map(orjson.loads, run("ls", "--json", save).stdout.splitlines())
    assert first["position_blocks"] == [1.5, 2.0, 0.0]
    assert run("grep", "doll", save, "--property", "hits").stdout == "doll_1\thits\t5\n"
    assert "\n    lives: i32 = 9\n" in run("cat", save).stdout
    assert orjson.loads(run("get", save, "doll_1").stdout).items() >= {"hits": 5, "lives": 9}.items()
    assert run("check", save).stdout == f"{save}: sound\n"
    assert len(orjson.loads(run("json", save).stdout)["objects"]) == 2


def test_a_folder_is_searched_for_its_saves(installed, save):
    installed()
    assert run("grep", "-c", "", save.parent).stdout == f"{save}\t2\n"


#: Files of another package that a built-in sniffer takes for its own -> the sniffer of the package's row.
MISTAKEN = {
    "four letters and a zlib stream": (b"LIFE" + zlib.compress(bytes(100)), "head.startswith(b'LIFE')"),
    "a size and a zlib stream": (struct.pack("<I", 5000) + zlib.compress(bytes(100)), "head[4:6] == b'\\x78\\x9c'"),
    "pieces of zlib": (struct.pack("<I", 8) + b"\x78\x9c......" + struct.pack("<I", 0x10000), "head[4:6] == b'\\x78\\x9c'"),
    "a zip archive": (zipped("world.xml"), "head.startswith(b'PK')"),
}


@pytest.mark.parametrize(("data", "sniff"), MISTAKEN.values(), ids=MISTAKEN)
def test_a_plugin_is_asked_before_a_format_without_proof(installed, data, sniff):
    row = f"from streamsave.formats import Format\nTOY = Format('Toy save', lambda head, _: {sniff}, 'toy_reader:ToyReader')"
    installed(toy_format_rows=row)
    with streamsave.open(data) as events:
        assert events.format.name == "Toy save"
    # It takes none of those that prove what they are.
    for name in ("arx/v1.0.sav", "arx/v1.1.sav", "arx/v2.0.sav", "arx/v2.1.sav", "shapez2/small.spz2"):
        with streamsave.open(VALID / name) as events:
            assert events.format.name != "Toy save"


def test_four_letters_are_no_size():
    """Nor is there a plugin that knows them."""
    with pytest.raises(UnsupportedSave, match="no known format starts like this"):
        streamsave.open(b"LIFE" + zlib.compress(bytes(100)))


def test_in_other_processes(installed, save):
    installed()
    save.with_name("two.toy").write_bytes(toy_save({"cube_1": (0.0, 0.0, 1, 1)}))
    done = process("ls", "--by-class", "-j2", save.parent, PYTHONPATH=os.environ["PYTHONPATH"])
    assert done.stderr == b""
    assert [line.split(b"\t")[1] for line in done.stdout.splitlines()] == [b"ball", b"doll", b"cube"]


@pytest.mark.slow
def test_a_place_on_the_map(installed, save, tmp_path):
    pytest.importorskip("matplotlib")
    installed()
    assert run("map", save, "-o", tmp_path / "map.svg").exit_code == 0
    assert "x in blocks, to the east" in (tmp_path / "map.svg").read_text()


BROKEN = {
    "import": ({"toy_format_rows": "import no_such_module"}, "cannot be imported", "no_such_module"),
    "syntax": ({"toy_format_rows": "def"}, "cannot be imported", "SyntaxError"),
    "name": ({"toy_format_rows": ""}, "cannot be imported", "TOY"),
    "row": ({"toy_format_rows": "TOY = 'toy'"}, "is not a streamsave.formats.Format", "str"),
    "sniffer": (
        {"toy_format_rows": "from streamsave.formats import Format\nTOY = Format('Toy', lambda head, source: 1 / 0, 'x:y')"},
        "sniffer of a format plugin failed",
        "ZeroDivisionError",
    ),
}


@pytest.mark.parametrize(("files", "message", "reason"), BROKEN.values(), ids=BROKEN)
def test_a_broken_plugin_is_named_and_costs_no_other_save(installed, save, tmp_path, monkeypatch, files, message, reason):
    warnings = []
    monkeypatch.setattr(
        sys.modules["streamsave.formats.plugins"],
        "warn",
        lambda text, **values: warnings.append(" ".join([text, *map(str, values.values())])),
    )
    installed(package="broken", name="worse", **files)
    (tmp_path / "packages" / "good_rows.py").write_text(
        "from streamsave.formats import Format\n"
        "GOOD = Format('Good save', lambda head, source: head.startswith(b'TOY1'), 'toy_reader:ToyReader')\n"
    )
    about = tmp_path / "packages" / "zgood-2.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: zgood\nVersion: 2.0\n")
    (about / "entry_points.txt").write_text("[streamsave.formats]\ngood = good_rows:GOOD\n")
    with streamsave.open(ARX):
        pass
    assert warnings == []
    with streamsave.open(save) as events:
        assert events.format.name == "Good save"
    assert all(part in "".join(warnings) for part in (message, "broken 1.0: worse", reason))


def test_a_reader_of_ours_that_cannot_be_imported_is_a_bug():
    row = Format("Ours", lambda *_: True, "streamsave.formats.nothing:Reader")
    with pytest.raises(ModuleNotFoundError):
        make_reader(row, BytesSource(b""), Limits())


def test_a_reader_that_cannot_be_imported(installed, save):
    installed(toy_reader="import no_such_module")
    with pytest.raises(UnsupportedSave, match=r"the reader of Toy save cannot be imported from toy_reader:ToyReader: .*no_such"):
        streamsave.open(save)
    result = run("info", save, ARX)
    assert result.exit_code == 2
    assert "the reader of Toy save cannot be imported" in result.stderr
    assert f"{ARX}\tformat\tarx" in result.stdout


FAULTS = {
    "made": ("def __init__(self, source, limits):", "raise LookupError('no such toy')"),
    "read": ("cursor = self.cursor", "raise LookupError('no such toy')"),
    "read on": ("start = cursor.tell()", "_ = [][7]"),
}
COMMANDS = [
    ("ls",),
    ("ls", "--jobs", "2"),
    ("info",),
    ("check",),
    ("json", "--ndjson"),
    ("grep", "."),
    ("export", "--format", "ndjson", "-o", "-"),
    ("sql", "select count(*) from objects"),
]


def broken_reader(fault):
    """The module of the reader with a fault."""
    place, statement = FAULTS[fault]
    before, _, after = READER.partition(place)
    indent = " " * (len(before) - len(before.rstrip(" ")) + (4 if place.endswith(":") else 0))
    return f"{before}{place}\n{indent}{statement}{after}"


@cache
def lines_without(command):
    """What a command prints where the save whose reader fails is not there."""
    alone = process(*command, SOUND, SOUND)
    assert (alone.returncode, alone.stderr) == (0, b"")
    return alone.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_reader_that_fails_costs_only_its_save(installed, save, command, fault):
    """It may raise anything; a save of another format is read before and after."""
    if command == ("info",) and fault == "read on":
        pytest.skip("info reads only the start")
    if command[0] == "sql":
        pytest.importorskip("duckdb")
    installed(toy_reader=broken_reader(fault))
    result = process(*command, SOUND, save, SOUND, PYTHONPATH=os.environ["PYTHONPATH"])
    assert result.returncode == 2
    (line,) = result.stderr.decode().splitlines()
    kind = "IndexError" if fault == "read on" else "LookupError"
    assert line.startswith(f"streamsave: {save}: the reader of Toy save has failed: {kind}: ")
    if command[0] != "sql":
        assert [each for each in result.stdout.splitlines() if bytes(save) not in each] == lines_without(command)


def test_a_reader_that_fails_in_a_comparison(installed, save):
    installed(toy_reader=broken_reader("read on"))
    result = process("diff", save, save, PYTHONPATH=os.environ["PYTHONPATH"])
    (line,) = result.stderr.decode().splitlines()
    assert result.returncode == 2
    assert line.startswith(f"streamsave: {save}: the reader of Toy save has failed: IndexError: ")


def test_a_source_that_fails_is_no_broken_plugin(installed):
    class Failing:
        def __init__(self):
            self.reads = 0

        def read(self, size):
            self.reads += 1
            if self.reads > 1:
                raise OSError("the disk is gone")
            return b"TOY0"

    installed(toy_format_rows="from streamsave.formats import Format\nTOY = Format('T', lambda h, s: s.read_at(100, 1), 'x:y')")
    with pytest.raises(OSError, match=r"the disk is gone"):
        streamsave.open(Failing())


def test_unknown_bytes_name_all_formats(installed):
    installed()
    with pytest.raises(UnsupportedSave, match=r"Satisfactory save, .*, Arx save, Toy save"):
        streamsave.open(b"none of all these formats")


def test_a_known_save_asks_no_plugin(installed):
    installed(toy_format_rows="1 / 0")
    done = process("info", ARX, PYTHONPATH=os.environ["PYTHONPATH"])
    assert (done.returncode, done.stderr) == (0, b"")
