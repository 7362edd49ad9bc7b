"""References to dropped objects that are taken out; `cli/printed/edit-drop.txt` has what goes with what."""

import pytest
from cli_runs import SAMPLES, lines, printed, run
from saves import VALID

import streamsave
from streamsave import Field
from streamsave.rewriting.actors import is_copy, shortened, with_destroyed, without
from streamsave.values import ObjectReference

# --- chains of belts without those that were dropped at their ends ---


def belt(name):
    return ObjectReference("L", name)


def chain(*segments, room=10, lead=8):
    """A chain of segments `(name, length, items)`, whose items are in the middle of their segment."""
    at = sum(length for _, length, _ in segments)
    found, items, index = [], [], lead
    for number, (name, length, count) in enumerate(segments):
        at -= length
        found.append(
            {
                "conveyor_base": belt(name),
                "starts_at_length": at,
                "ends_at_length": at + length,
                "first_item_index": index % room if count else -1,
                "last_item_index": (index + count - 1) % room if count else -1,
                "index_in_chain_array": number,
            }
        )
        items += [{"item": f"{name}{each}", "offset": at + length / 2} for each in range(count)]
        index += count
    filled = [segment for segment in found if segment["first_item_index"] >= 0]
    return {
        "object_guid": None,
        "first_conveyor": belt(segments[0][0]),
        "last_conveyor": belt(segments[-1][0]),
        "chain_spline_segments": found,
        "total_length": sum(length for _, length, _ in segments),
        "num_items": room,
        "lead_item_index": filled[0]["first_item_index"] if filled else -1,
        "tail_item_index": filled[-1]["last_item_index"] if filled else -1,
        "conveyor_chain_items": items,
    }


A, B, C, D = ("a", 100.0, 3), ("b", 50.0, 2), ("c", 20.0, 0), ("d", 70.0, 4)


@pytest.mark.parametrize(
    ("segments", "kept", "lead"),
    [
        ((A, B, C, D), (B, C, D), 11),
        ((A, B, C, D), (C, D), 13),
        ((A, B, C, D), (A, B, C), 8),
        ((A, B, C, D), (A,), 8),
        ((A, B, C, D), (B,), 11),
        ((A, B, C, D), (C,), 0),
    ],
)
def test_it_is_as_if_they_had_never_been_there(segments, kept, lead):
    gone = {segment[0] for segment in segments} - {segment[0] for segment in kept}
    assert shortened(chain(*segments), gone.__contains__) == chain(*kept, lead=lead)


@pytest.mark.parametrize("gone", ["", "b", "bc", "abcd", "x"])
def test_chains_that_stay_as_they_are(gone):
    assert shortened(chain(A, B, C, D), frozenset(gone).__contains__) is None


@pytest.mark.parametrize(("field", "value"), [("first_item_index", 7), ("last_item_index", -1), ("last_item_index", 10)])
def test_items_that_are_somewhere_else_than_the_segments_say(field, value):
    damaged = chain(A, B, C, D)
    damaged["chain_spline_segments"][1][field] = value
    assert shortened(damaged, {"a"}.__contains__) is None
    assert shortened(None, {"a"}.__contains__) is None


OLD = ObjectReference("A", "old")
NEW = ObjectReference("A", "new")
OTHER = ObjectReference("B", "other")
LIST = "ObjectReference[]"
BY_LEVEL = "{str: ObjectReference[]}"


@pytest.mark.parametrize(
    ("kind", "old", "expected"),
    [
        (LIST, [], [NEW, OTHER]),
        (LIST, [OLD], [OLD, NEW, OTHER]),
        (BY_LEVEL, [], None),
        (BY_LEVEL, [("A", [OLD])], [("A", [OLD, NEW]), ("B", [OTHER])]),
        (BY_LEVEL, [("C", [])], [("C", []), ("A", [NEW]), ("B", [OTHER])]),
    ],
)
def test_what_is_noted(kind, old, expected):
    assert with_destroyed(old, Field(0, "destroyed_actors", kind, 4, -1), [NEW, OTHER]) == expected


def test_which_is_the_copy():
    assert is_copy("toc_destroyed_actors")
    assert not is_copy("destroyed_actors")


def test_what_is_there_again():
    one, other = ObjectReference("L", "one"), ObjectReference("L", "other")
    gone = frozenset([("L", "one")])
    assert without([one, other], gone) == [other]
    assert without([("L", [one]), ("M", [other])], gone) == [("L", []), ("M", [other])]


# --- another name or level of a player of Palworld ---

SV58 = SAMPLES[2]
FILTERED = {"NickName", "FilteredNickName"}
WORLDS = [
    ("palworld-level-plz-280k.sav", "Deathsnacks", {"NickName"}),
    ("palworld-level-plz-0.5.sav", "LATROMMI", FILTERED),
    ("palworld-level-plm-1.0.sav", "espat", FILTERED),
]
NEW_NAME = "Neu é"


@pytest.mark.slow
@pytest.mark.parametrize(("name", "player", "of_character"), WORLDS)
def test_a_player_gets_another_name(real_save, tmp_path, name, player, of_character):
    """The character has it, and the member of the guild; nothing else differs."""
    old, new = real_save(f"gvas/{name}"), tmp_path / "Level.sav"
    row = next(row for row in lines("palworld", "players", old) if row[0] == player)  # the name may be that of a member, too
    text = printed("edit", old, "-o", new, "--as", "plz", "--player", row[3], "--name", NEW_NAME)
    assert [NEW_NAME, *row[1:]] in lines("palworld", "players", new)
    before, after = values_of(old), values_of(new)
    assert before.keys() == after.keys()
    changed = {place: (value, after[place]) for place, value in before.items() if value != after[place]}
    assert set(changed.values()) == {(player, NEW_NAME)}
    assert text.endswith(f", {len(changed)} values set\n")
    assert len([place for place in changed if place[-1] == "player_name"]) == 1
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


@pytest.mark.parametrize("player", ["anna", "00000000000000000000000000000001", "00000000-00000000-00000000-00000001"])
def test_a_player_to_edit_is_called_as_in_palworld(player):
    world = VALID.parent / "howto" / "Level.sav"
    wanted = printed("edit", world, "--dry-run", "--player", "Anna", "--name", NEW_NAME)
    assert printed("edit", world, "--dry-run", "--player", player, "--name", NEW_NAME) == wanted


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


def test_a_name_that_is_no_text(tmp_path):
    result = run("edit", SV58, "-o", tmp_path / "new.sav", "--player", "Anna", "--name", "\udce9")
    assert (result.exit_code, list(tmp_path.iterdir())) == (2, [])
    assert "half a character" in result.stderr
