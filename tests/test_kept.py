"""Inputs that are kept come back as they were, whatever else a seed makes by then."""

import json

import mutate
import pytest
from attack.edited import Edited
from attack.kept import KEPT, read_kept, remake
from attack.mutator import make_mutator
from attrs import evolve
from click.testing import CliRunner
from saves import VALID


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sample", "truths"),
    [
        ("gvas/palworld-1.0.sav", {"StreamTruth", "NoneType"}),
        ("satisfactory/sv46.sav", {"Truth"}),
        ("arx/v1.1.sav", {"Contents", "Rows"}),
        ("shapez2/small.spz2", {"StreamTruth", "Sound"}),
    ],
)
def test_what_is_kept_is_made_again(sample, truths, tmp_path):
    """The bytes, and what may be given of them; of objects that were operated on, less may be."""
    path, file = VALID / sample, tmp_path / "kept.jsonl"
    ran = CliRunner().invoke(mutate.main, ["--seed", "10", "--count", "30", "--keep", str(file), str(path)])
    assert (ran.exit_code, ran.exception) == (0, None)
    mutator = make_mutator([path])
    kinds = set()
    for kept in read_kept(file):
        mutant, again = mutator.make(kept.seed), remake(kept)
        assert kept.sample == f"valid/{sample}"
        assert (again.seed, again.change.part) == (mutant.seed, mutant.change.part)
        assert again.data == mutant.data
        assert list(again.change.data.edits()) == list(mutant.change.data.edits())
        assert type(again.truth) is type(mutant.truth)
        kinds.add(type(mutant.truth).__name__)
    assert kinds == truths


@pytest.mark.slow
def test_where_operations_are_exact_their_objects_are_where_they_are(tmp_path):
    """An object elsewhere is a lie then, unless one came in or was swapped; so is one under a header whose entry is gone."""
    path, file = VALID / "satisfactory" / "sv46.sav", tmp_path / "kept.jsonl"
    CliRunner().invoke(mutate.main, ["--count", "60", "--keep", str(file), str(path)])
    made = [(kept, remake(kept).truth) for kept in read_kept(file) if kept.part]
    assert {(kept.is_exact, kept.is_moving) for kept, _ in made} >= {(True, True), (True, False), (False, False)}
    gone = 0
    for kept, truth in made:
        assert (truth.kept is None) == (kept.is_exact and not kept.is_moving)
        if kept.is_exact:
            assert not any(truth.others())
        if truth.kept is None:
            answers = [answer for answer in truth.answers.values() if answer.is_gone]
            assert all(answer.data == () for answer in answers)
            gone += len(answers)
    assert gone


def test_a_sample_that_has_changed_makes_no_other_input():
    kept = read_kept(KEPT / "gvas.jsonl")[0]
    assert remake(kept).seed == kept.seed
    with pytest.raises(ValueError, match=f"is not the save that the input of seed {kept.seed} was made of"):
        remake(evolve(kept, sample="valid/gvas/ue5-1011.sav"))


def test_a_save_of_ones_own_is_found_by_its_name(tmp_path, monkeypatch):
    """In the folder that STREAMSAVE_CORPUS names; elsewhere, it cannot be found again."""
    path, file = tmp_path / "own" / "one.sav", tmp_path / "kept.jsonl"
    path.parent.mkdir()
    path.write_bytes((VALID / "gvas" / "deltas.sav").read_bytes())
    monkeypatch.setenv("STREAMSAVE_CORPUS", str(tmp_path))
    CliRunner().invoke(mutate.main, ["--keep", str(file), str(path)])
    assert json.loads(file.read_text())["sample"] == "own/one.sav"
    (kept,) = read_kept(file)
    assert remake(kept).data == make_mutator([path]).make(0).data
    monkeypatch.delenv("STREAMSAVE_CORPUS")
    ran = CliRunner().invoke(mutate.main, ["--keep", str(file), str(path)])
    assert "is neither in corpora/ nor in the folder that STREAMSAVE_CORPUS names" in str(ran.exception)


def test_edits_of_changed_bytes():
    changed = Edited(b"abcdefgh")
    changed[6:6] = b"12"
    changed[3:5] = b""
    changed[0] = ord("x")
    assert list(changed.edits()) == [(0, 1, b"x"), (3, 2, b""), (6, 0, b"12")]
    changed[:] = b""
    assert list(changed.edits()) == [(0, 8, b"")]
    assert list(Edited(b"").edits()) == []
