"""Each command says what another way to the same answer says: of samples, and of real saves."""

import functools
import random
from importlib.util import find_spec

import profiles
import pytest
from attrs import evolve
from cli_runs import thing, write
from click.testing import CliRunner
from equations import EQUATIONS, FACTORY, Equation, Subject, judge, main
from lightweight_worlds import world
from saves import VALID, file_with, needs_oodle
from writer.primitives import Ref
from writer.tags import INT, OBJECT, UINT64, Array, Fields, Prop

#: One of each layout; the others are of the same code.
SAMPLES = [
    "arx/v1.0.sav",
    "arx/v2.1.sav",
    "astroneer/full.savegame",
    "astroneer/later-unverified.savegame",
    "astroneer/remote.savegame",
    "gvas/palworld-0.3.sav",
    "gvas/palworld-1.0.sav",
    "gvas/ue4-502.sav",
    "gvas/ue5-1018.sav",
    "gvas/wrapper-plz-32.sav",
    "satisfactory/sv25.sav",
    "satisfactory/sv46.sav",
    "satisfactory/sv46.sbp",
    "satisfactory/sv58.sav",
    "satisfactory/v6.sbpcfg",
    "shapez2/checkpoints.spz2",
    "shapez2/islands-5.spz2bp",
]
#: Small ones.
REAL = [
    "arx/v2.0-mixed.sav",
    "gvas/abiotic-world-15k-ue544.sav",
    "gvas/drg-mod-ue425.sav",
    "gvas/palworld-level-unicode.sav",
    "gvas/palworld-player-plm-1.0.sav",
    "satisfactory/hv14-sv52-pep-modtest-1.sav",
    "satisfactory/blueprints/blueprintwithheaderv1.sbp",
    "shapez2/synthetic-nocheckpoints.spz2",
]
by_equation = pytest.mark.parametrize("equation", EQUATIONS, ids=lambda each: f"{each.command}: {each.text}")


@functools.lru_cache(maxsize=1)
def subject_of(path, later):
    """The equations of one save follow one another: what they ask of it, they ask once."""
    return Subject(path, later, 1, path.parent)


def assert_held(equation, path, folder, later=None):
    subject = subject_of(path, later)
    subject.folder, subject.chance = folder, random.Random(1)
    verdict, reason = judge(equation, subject)
    if verdict == "-":
        pytest.skip(reason)
    assert verdict == "held", reason


@pytest.mark.slow
@by_equation
@pytest.mark.parametrize("name", [*SAMPLES, *REAL])
def test_saves(any_save, tmp_path, name, equation):
    path = any_save(name)
    assert_held(equation, path, tmp_path, path if name in SAMPLES else None)


@pytest.mark.skipif(profiles.PROFILE != "thorough", reason="takes minutes: with HYPOTHESIS_PROFILE=thorough")
@by_equation
@pytest.mark.parametrize("name", ["sv52", "sv53"])
def test_real_pairs(real_save, tmp_path, name, equation):
    """Worlds of 1 MB."""
    assert_held(equation, real_save(f"pairs/{name}-a.sav"), tmp_path, real_save(f"pairs/{name}-b.sav"))


@by_equation
def test_foundations(tmp_path, equation):
    assert_held(equation, file_with(tmp_path / "lightweight.sav", world(52)), tmp_path)


def equation_of(command):
    return next(each for each in EQUATIONS if each.command == command)


@pytest.mark.slow
def test_a_large_array(tmp_path):
    path = write(tmp_path, "large-array.sav", thing("Large", Prop("mNumbers", Array(INT), list(range(70_000)))))
    assert_held(equation_of("grep --value"), path, tmp_path)


def test_an_empty_list_has_a_text(tmp_path):
    path = write(tmp_path, "empty.sav", thing("Empty", Prop("mNumbers", Array(INT), [])))
    subject = Subject(path, None, 1, tmp_path)
    found = [row["path"] for row in subject.ask_json("grep", "--json", "--value", r"^\[\]$", "--", "", path)]
    assert "mNumbers" in found
    assert [row["path"] for row in subject.ask_json("grep", "--json", "--property", "mNumbers", "--", "", path)] == ["mNumbers"]


def test_the_largest_integer(tmp_path):
    number = 2**64 - 1
    path = write(tmp_path, "large.sav", thing("Large", Prop("mNumber", UINT64, number)))
    subject = Subject(path, None, 1, tmp_path)
    assert subject.objects[0]["properties"] == {"mNumber": number}
    assert subject.ask("ls", "--where", f"mNumber = {number}", path)


def test_paths_of_one_object_start_alike():
    lines = Subject(VALID / "astroneer" / "remote.savegame", None, 1, VALID).flat
    assert len({line.rpartition("/Rover_C_9/")[0] for line in lines if "/Rover_C_9/" in line}) == 1


@pytest.mark.slow
def test_pals_outside_of_a_world(real_save, tmp_path):
    assert_held(equation_of("palworld"), real_save("more/palworld-GlobalPalStorage.sav"), tmp_path)


SECOND_PALWORLD = next(each for each in EQUATIONS if "palworld-save-tools" in each.text)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["plz-280k", "plz-0.5", "plm-oodle"])
def test_palworld_has_a_second_reader(real_save, tmp_path, name):
    """Worlds of three ages; those of 0.1 and 1.0 with a hundred pals and more take minutes."""
    assert_held(SECOND_PALWORLD, real_save(f"gvas/palworld-level-{name}.sav"), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["players", "pals", "guilds", "bases", "items"])
def test_the_second_reader_finds_a_lie(real_save, tmp_path, monkeypatch, command):
    pytest.importorskip("palworld_save_tools", reason="palworld-save-tools is not installed")
    monkeypatch.setattr(Liar, "command", f"palworld {command}")
    lying = Liar(real_save("gvas/palworld-level-plz-280k.sav"), None, 1, tmp_path)
    assert SECOND_PALWORLD.first_wrong(lying).startswith(command)


RULES, SECOND_FACTORY = (each for each in EQUATIONS if each.command == "satisfactory")
VEHICLES = "satisfactory/hv13-sv42-freshstartu8001-vehicles-2.sav"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("equation", "name"),
    [
        (RULES, "satisfactory/u5-hv9-sv28-1m.sav"),
        (RULES, "satisfactory/u6-hv9-sv29-3.4m.sav"),
        (RULES, "satisfactory/v11-hv14-sv52-mods-3m.sav"),
        (RULES, VEHICLES),
        (SECOND_FACTORY, VEHICLES),
        (SECOND_FACTORY, "satisfactory/v12-ported-sv58-250k.sav"),
        (SECOND_FACTORY, "pairs/sv53-a.sav"),
    ],
    ids=lambda each: each if isinstance(each, str) else each.text,
)
def test_factories(real_save, tmp_path, equation, name):
    """Worlds of Update 5 to game 1.2: with trains, grids of several circuits, mods, the Dimensional Depot."""
    assert_held(equation, real_save(name), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("command", [*FACTORY, "mods", "mods --mentions"])
def test_the_rules_find_a_lie(real_save, tmp_path, monkeypatch, command):
    monkeypatch.setattr(Liar, "command", f"satisfactory {command}")
    assert RULES.first_wrong(Liar(real_save(VEHICLES), None, 1, tmp_path)).startswith(command)


@pytest.mark.slow
@pytest.mark.parametrize(
    "pattern", ["arx/*.sav", "gvas/*.sav", "*/*.savegame", "pairs/*.sav", "satisfactory/**/*.s??", "shapez2/**/*.spz*"]
)
def test_headers_of_real_saves(corpus, tmp_path, pattern):
    """Of all that can be read with the extras that are installed; for codes of up to 100 kB, also what they place."""
    small = [path for path in sorted(corpus.glob(pattern)) if path.suffix != ".spz2bp" or path.stat().st_size < 100_000]
    paths = [path for path in small if find_spec("ooz") or not needs_oodle(path)]
    assert {judge(equation_of("info"), Subject(path, None, 1, tmp_path)) for path in paths} == {("held", "")}


def test_the_dimensional_depot(tmp_path, monkeypatch):
    stored = [Prop("ItemClass", OBJECT, Ref("", "/Game/Desc_Wire.Desc_Wire_C")), Prop("amount", INT, 449)]
    depot = thing("Depot", Prop("mStoredItems", Array(Fields("ItemAmount")), [stored]))
    depot = evolve(depot, class_name="/Script/FactoryGame.FGCentralStorageSubsystem")
    path = write(tmp_path, "depot.sav", depot)
    assert_held(RULES, path, tmp_path)
    monkeypatch.setattr(Liar, "command", "satisfactory inventory")
    assert RULES.first_wrong(Liar(path, None, 1, tmp_path)).startswith("inventory: ")


class Liar(Subject):
    """Hears less than a command says: the second half of its lines is missing."""

    #: The command that lies.
    command = ""

    def ask(self, *args, **options):
        lines = super().ask(*args, **options)
        return lines[: len(lines) // 2] if " ".join(map(str, args)).startswith(self.command) else lines


@pytest.mark.parametrize(
    ("equation", "command", "name"),
    [
        ("grep", "grep", "satisfactory/sv58.sav"),
        ("grep --value", "grep --json --value ^", "satisfactory/sv58.sav"),
        ("ls --where", "ls", "satisfactory/sv58.sav"),
        ("json", "json --ndjson", "satisfactory/sv58.sav"),
        ("export", "export", "satisfactory/sv58.sav"),
        ("sql", "sql", "satisfactory/sv58.sav"),
        ("edit --set", "diff", "satisfactory/sv58.sav"),
        ("edit --drop", "diff", "satisfactory/sv58.sav"),
        ("rewrite: only, drop", "diff", "arx/v2.1.sav"),
        ("ls --by-class --full", "ls --json", "satisfactory/sv58.sav"),
        ("check", "check --quiet", "arx/v2.1.sav"),
        ("arx", "arx extract", "arx/v2.1.sav"),
        ("info", "info", "shapez2/islands-5.spz2bp"),
        ("palworld", "palworld", "gvas/palworld-1.0.sav"),
    ],
)
def test_a_lie_is_found(tmp_path, monkeypatch, equation, command, name):
    monkeypatch.setattr(Liar, "command", command)
    if equation == "sql":
        pytest.importorskip("duckdb", reason="the extra `sql` is not installed")
    (one,) = [each for each in EQUATIONS if equation in {each.command, f"{each.command}: {each.text.partition(' =')[0]}"}][:1]
    assert one.first_wrong(Subject(VALID / name, None, 1, tmp_path)) == ""
    lying = Liar(VALID / name, None, 1, tmp_path / "lying")
    lying.folder.mkdir()
    assert one.first_wrong(lying)


def test_the_table(monkeypatch):
    """A line for each equation, and exit code 1 if one is broken."""
    path = str(VALID / "satisfactory" / "sv58.sav")
    result = CliRunner().invoke(main, [path, "--only", "grep"])
    assert result.exit_code == 0
    assert [line.split()[-1] for line in result.stdout.splitlines()] == ["held", "held"]
    monkeypatch.setattr("equations.EQUATIONS", (Equation("ls", "1 = 2", lambda _: "1, not 2"), equation_of("palworld")))
    result = CliRunner().invoke(main, [path])
    assert result.exit_code == 1
    first, second = result.stdout.splitlines()
    assert first.split() == ["ls", "1", "=", "2", "broken", "1,", "not", "2"]
    assert "  -  " in second
