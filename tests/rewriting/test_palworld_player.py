"""Another name or level of a player of Palworld."""

from __future__ import annotations

import pytest
from cli_runs import SAMPLES, lines, run

import streamsave

SV58 = SAMPLES[2]
FILTERED = {"NickName", "FilteredNickName"}
WORLDS = [
    ("palworld-level-plz-280k.sav", "Deathsnacks", {"NickName"}),
    ("palworld-level-plz-0.5.sav", "LATROMMI", FILTERED),
    ("palworld-level-plm-1.0.sav", "espat", FILTERED),
]
NEW = "Neu é"


@pytest.mark.slow
@pytest.mark.parametrize(("name", "player", "of_character"), WORLDS)
def test_a_player_gets_another_name(real_save, tmp_path, name, player, of_character):
    """The character has it, and the member of the guild; nothing else differs."""
    old, new = real_save(f"gvas/{name}"), tmp_path / "Level.sav"
    row = next(row for row in lines("palworld", "players", old) if row[0] == player)
    result = run("edit", old, "-o", new, "--as", "plz", "--player", player, "--name", NEW)
    assert (result.exit_code, result.stderr) == (0, "")
    assert [NEW, *row[1:]] in lines("palworld", "players", new)
    before, after = values_of(old), values_of(new)
    assert before.keys() == after.keys()
    changed = {place: (value, after[place]) for place, value in before.items() if value != after[place]}
    assert set(changed.values()) == {(player, NEW)}
    members = [place for place in changed if place[-1] == "player_name"]
    assert len(members) == 1
    assert {place[-1] for place in changed} - {"player_name"} == of_character
    assert run("check", new).exit_code == run("check", old).exit_code


def values_of(path):
    """Each text and number in the players and guilds of a world, by the place of the object among them and the path."""
    found = {}
    with streamsave.open(path) as events:
        for number, (_, each) in enumerate(events.select("kind = player or kind = guild", fields=["value"], sizes=False)):
            stack = [((number,), each.fields["value"])]
            while stack:
                place, value = stack.pop()
                if isinstance(value, dict):
                    stack += [((*place, name), part) for name, part in value.items()]
                elif isinstance(value, list):
                    stack += [((*place, index), part) for index, part in enumerate(value)]
                else:
                    found[place] = value
    return found


@pytest.mark.slow
def test_a_player_gets_another_level(real_save, tmp_path):
    """Level and Exp change, and nothing else; Exp is that of a player with this level, or fits those of the others."""
    old = real_save("gvas/palworld-level-plm-1.0.sav")
    words = ("edit", old, "--as", "plz", "--player", "Ron", "--level")
    before = values_of(old)
    for options, exp in (("35",), 487392), (("30", "--exp", "300000"), 300000):
        new = tmp_path / f"{exp}.sav"
        assert run(*words, *options, "-o", new).exit_code == 0
        after = values_of(new)
        changed = {place[-1]: (value, after[place]) for place, value in before.items() if value != after[place]}
        assert changed == {"Level": (7, int(options[0])), "Exp": (2151, exp)}
    for options, message in [
        (("34", "--exp", "3"), "level 34 with 3 experience points does not fit: "),
        (("66",), "no other player has level 66"),
        (("30", "--exp", str(1 << 70)), "does not fit"),
    ]:
        refused = run(*words, *options, "-o", tmp_path / "no.sav")
        assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
        assert message in refused.stderr
    assert not (tmp_path / "no.sav").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--player", "Anna"), "--player says whose"),
        (("--name", "Anna"), "--player says whose"),
        (("--player", "Anna", "--name", "Berta", "--exp", "3"), "--exp is for --level"),
        (("--player", "Anna", "--name", "\udce9"), "half a character"),
        (("--player", "Anna", "--level", "0"), "0 is not in the range"),
        (("--player", "Anna", "--name", "Berta"), "this is no world of Palworld (Level.sav)"),
    ],
)
def test_players_of_what_is_no_world(tmp_path, words, message):
    result = run("edit", SV58, "-o", tmp_path / "new.sav", *words)
    assert (result.exit_code, list(tmp_path.iterdir())) == (2, [])
    assert message in result.stderr
