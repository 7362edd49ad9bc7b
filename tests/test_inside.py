"""Where the inputs of the attack that is guided by coverage go."""

import fuzz_atheris
import pytest
from attack.inside import BLOCK_SEED, MOST_WAYS, SMALL_ENTRY, ways_into
from click.testing import CliRunner
from fuzz_atheris import unwrapped
from saves import VALID, read

from streamsave import ObjectHeader, SaveEnd


@pytest.mark.slow
@pytest.mark.parametrize("name", ["satisfactory", "gvas", "astroneer", "arx", "shapez2"])
def test_what_is_in_the_sample_makes_a_sound_save(name):
    ways = ways_into(VALID / name)
    assert 2 < len(ways) <= MOST_WAYS
    for number, way in enumerate(ways, 1):
        assert isinstance(read(unwrapped(bytes([number]) + way.seed, ways))[-1], SaveEnd), way.name


def test_an_input_is_the_file_itself_after_a_zero():
    ways = ways_into(VALID / "arx")
    assert unwrapped(b"\0whole file", ways) == b"whole file"
    assert unwrapped(b"", ways) == b""


def test_each_way_into_arx_leads_to_one_entry():
    """All others would only take time."""
    seen: set[str] = set()
    for way in ways_into(VALID / "arx"):
        (entry,) = (event for event in read(way.put(way.seed)) if isinstance(event, ObjectHeader))
        seen.add(entry.instance_name)
    assert {"player", "globals", "lvl001", "pld", "goblin_base_0007", "bread_0001"} <= seen


def test_the_rest_of_a_large_entry_stays():
    player = {way.name: way for way in ways_into(VALID / "arx")}["player.10"]
    assert len(player.seed) == BLOCK_SEED
    assert player.put(player.seed) == player.put(b"")
    changed = player.put(bytes(BLOCK_SEED))
    assert len(changed) == len(player.put(b""))
    assert {at for at, pair in enumerate(zip(changed, player.put(b""), strict=True)) if pair[0] != pair[1]} <= set(
        range(4 + 0x10, 4 + 0x10 + BLOCK_SEED)
    )


def test_small_entries_come_in_every_codec():
    ways = {way.name: way for way in ways_into(VALID / "arx")}
    assert len(ways["globals"].seed) <= SMALL_ENTRY
    made = {ways[name].put(b"one and the same content") for name in ("globals", "globals.imploded", "globals.deflated")}
    assert len(made) == 3
    assert {next(event.size for event in read(data) if isinstance(event, ObjectHeader)) for data in made} <= {24, -1}


def test_seeds_are_those_of_the_samples(tmp_path, monkeypatch):
    monkeypatch.setattr(fuzz_atheris, "SEEDS", tmp_path)
    ran = CliRunner().invoke(fuzz_atheris.main, ["--write-seeds"])
    assert (ran.exit_code, ran.exception) == (0, None)
    for made in tmp_path.rglob("*"):
        if made.is_file():
            kept = VALID.parent / "fuzz" / made.relative_to(tmp_path)
            assert kept.read_bytes() == made.read_bytes(), kept
