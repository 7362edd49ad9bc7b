"""The table of formats: which options each takes, and what opening a save imports."""

import subprocess
import sys

import pytest
from cli_runs import ROOT, environment, printed, run

import streamsave
from streamsave.errors import TruncatedSave, UnsupportedOption
from streamsave.formats import FORMATS, METRES, TILES, Reader, is_text_save, load, save_extensions

VALID = ROOT / "corpora" / "valid"
#: A save of each format.
SAVES = {
    "Astroneer save": VALID / "astroneer" / "full.savegame",
    "Satisfactory save": VALID / "satisfactory" / "sv46.sav",
    "Satisfactory blueprint": VALID / "satisfactory" / "sv46.sbp",
    "Unreal save game": VALID / "gvas" / "ue5-1018.sav",
    "shapez 2 save": VALID / "shapez2" / "small.spz2",
    "shapez 2 blueprint code": VALID / "shapez2" / "no-icons.spz2bp",
    "Unreal save game in zlib or gzip": VALID / "gvas" / "wrapper-gzip.sav",
    "Satisfactory blueprint configuration": VALID / "satisfactory" / "v6.sbpcfg",
    "Arx save": VALID / "arx" / "v2.1.sav",
}
GIVEN = {"sparse": True, "type_hints": {"a.b": "Vector"}}
TAKEN = {
    "Astroneer save": {"type_hints"},
    "Unreal save game": {"type_hints"},
    "Unreal save game in zlib or gzip": {"type_hints"},
    "Arx save": {"sparse"},
}
NAMES = [row.name for row in FORMATS]


def test_an_empty_file():
    with pytest.raises(TruncatedSave, match="the file is empty"), streamsave.open(b""):
        pass


def test_there_is_a_save_of_each():
    assert list(SAVES) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_save_gets_its_row(name):
    with streamsave.open(SAVES[name]) as events:
        assert events.format.name == name
        assert isinstance(load(events.format.reader), type)
        assert issubclass(load(events.format.reader), Reader)


@pytest.mark.parametrize("option", GIVEN)
@pytest.mark.parametrize("name", NAMES)
def test_an_option_is_taken_or_refused(name, option):
    given = {option: GIVEN[option]}
    if option in TAKEN.get(name, ()):
        with streamsave.open(SAVES[name], **given) as events:
            next(events)
        return
    with pytest.raises(UnsupportedOption, match=f"^{name} takes no {option}$") as caught:
        streamsave.open(SAVES[name], **given)
    assert isinstance(caught.value, TypeError)
    assert (caught.value.option, caught.value.format_name) == (option, name)
    if option == "type_hints":
        with pytest.raises(UnsupportedOption):
            next(streamsave.objects(SAVES[name], **given))


@pytest.mark.parametrize("given", [{"sparse": False}, {"type_hints": {}}, {"type_hints": None}])
@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_given_is_not_refused(name, given):
    with streamsave.open(SAVES[name], **given) as events:
        next(events)


def test_extensions():
    assert save_extensions() == (".sav", ".savegame", ".sbp", ".sbpcfg", ".spz2", ".spz2bp")


def test_a_save_that_is_text():
    assert is_text_save("SHAPEZ2-4-AAAA$")
    assert is_text_save("SHAPEZ2-4-AAAA$\n")
    assert not is_text_save("SHAPEZ2-4-AAAA")
    assert not is_text_save("$")
    assert not is_text_save("")


def test_units():
    assert {row.name for row in FORMATS if row.place_unit == TILES} == {"shapez 2 save", "shapez 2 blueprint code"}
    assert all(row.place_unit in {METRES, TILES} for row in FORMATS)


@pytest.mark.parametrize("name", NAMES)
def test_only_its_own_reader_is_imported(name):
    readers = {row.reader.partition(":")[0] for row in FORMATS}
    code = f"""
import sys, streamsave
before = {readers!r} & set(sys.modules)
with streamsave.open({str(SAVES[name])!r}) as events:
    print(sorted(before), sorted({readers!r} & set(sys.modules)), "importlib.metadata" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment())
    own = dict(zip(NAMES, (row.reader.partition(":")[0] for row in FORMATS), strict=True))[name]
    assert done.stdout.strip() == f"[] ['{own}'] False"


@pytest.mark.parametrize("family", ["arx", "astroneer", "gvas", "satisfactory", "shapez2"])
def test_a_sniffer_imports_nothing_else_of_its_family(family):
    """Opening a save of another format must not cost the import of this one."""
    code = f"""
import sys, streamsave.formats.{family}.sniff
found = {{name.rpartition(".")[2] for name in sys.modules if name.startswith("streamsave.formats.{family}.")}}
print(found - {{"versions"}})
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment())
    assert done.stdout == "{'sniff'}\n"


@pytest.mark.parametrize("command", [["json"], ["cat"], ["get"], ["export"]])
def test_commands_refuse_an_option_for_each_save_that_does_not_take_it(command, tmp_path):
    option = ("--type-hint", "a=Vector") if command[0] in {"json", "export"} else ("--sparse",)
    refused, read = (SAVES["Satisfactory save"], SAVES["Unreal save game" if len(option) > 1 else "Arx save"])
    rest = ("-o", tmp_path / "table.csv") if command == ["export"] else ("pld",) if command == ["get"] else ()
    for jobs in ("-j1", "-j2"):
        result = run(*command, jobs, refused, read, *rest, *option)
        assert result.exit_code == 2
        assert result.stderr == f"streamsave: {refused}: Satisfactory save takes no {option[0]}\n"
        assert command == ["export"] or str(read.name) in result.stdout or len(result.stdout) > 500
    printed(*command, read, *rest, *option)
