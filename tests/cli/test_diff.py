"""`streamsave diff`: exit codes, options, and `git diff` with it."""

import shutil
import subprocess
import sys

import orjson
import pytest
from cli_runs import LEVEL, ROOT, environment, run, terminal, thing, write
from writer.tags import INT, STR, Fields, Map, Prop

import streamsave
from streamsave.cli.differences import Differences
from streamsave.cli.output import flush
from streamsave.compare.pair import Pair
from streamsave.events import BlobSkip, ObjectHeader

VALID = ROOT / "corpora" / "valid"


def git(folder, *arguments):
    names = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(folder)}
    for role in ("AUTHOR", "COMMITTER"):
        names |= {f"GIT_{role}_NAME": "Somebody", f"GIT_{role}_EMAIL": "somebody@example.org"}
    result = subprocess.run(
        [shutil.which("git") or "git", *arguments],
        cwd=folder,
        env=environment(**names),
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_git_diff(tmp_path):
    """The two lines of the page."""
    section = (ROOT / "streamsave" / "cli" / "DIFF.md").read_text(encoding="utf-8")
    attributes, config = section.split("```text\n")[1].split("```")[0].strip().splitlines()
    assert attributes == "echo '*.sav diff=streamsave' >> .gitattributes"
    assert config == "git config diff.streamsave.textconv 'streamsave diff --textconv'"
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitattributes").write_text(attributes.split("'")[1] + "\n", encoding="utf-8")
    git(
        tmp_path,
        "config",
        "diff.streamsave.textconv",
        config.split("'")[1].replace("streamsave", f"{sys.executable} -m streamsave", 1),
    )
    path = write(tmp_path, "world.sav", thing("Chest", Prop("mLabel", STR, "a\x1b[31m"), Prop("mUploadTimer", INT, 1)))
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")
    write(tmp_path, path.name, thing("Chest", Prop("mLabel", STR, "b\x1b[31m"), Prop("mUploadTimer", INT, 2)))
    changed = [line for line in git(tmp_path, "diff").splitlines() if line[:1] in "+-" and line[:3] not in {"+++", "---"}]
    name = f"Persistent_Level/{LEVEL}Chest/mLabel"
    assert changed == [f'-{name} = "a\\u001b[31m"', f'+{name} = "b\\u001b[31m"']


HEADER = (0, "actor", "C", "N", "L", "", None, 0, 1, 0, 0, 0)


def test_summary_counts_an_object_once(capsys):
    """Values of a subsystem, of a foundation in it, and of the subsystem again."""
    outer, inner = ObjectHeader(*HEADER, 100), ObjectHeader(*HEADER, 10)
    both = Pair(outer, ObjectHeader(*HEADER, 103))
    summary = Differences(summary=True, long=False, as_json=True)
    for one, path in ((both, "a"), (Pair(inner, inner), "b"), (both, "c")):
        summary.add(one, path, "1", "2")
    summary.growth = {"C": 3}
    summary.close()
    flush()
    counted = orjson.loads(capsys.readouterr().out)
    assert (counted["changed"], counted["bytes"]) == (2, 3)


def test_colours_on_a_terminal(tmp_path):
    code, text = terminal("diff", *(write(tmp_path, f"{number}.sav", thing("A", Prop("n", INT, number))) for number in (1, 2)))
    assert (code, "\x1b[33m~\x1b[0m \x1b[36mBP_Thing_C\x1b[0m" in text) == (1, True)


def test_a_folder_is_no_save(tmp_path):
    assert run("diff", VALID / "satisfactory" / "sv46.sav", tmp_path).exit_code == 2


@pytest.mark.parametrize("name", ["v1.0", "v1.1", "v2.1"])
def test_an_arx_save_that_is_packed_anew_is_the_same(tmp_path, name):
    old, entries, new = VALID / "arx" / f"{name}.sav", tmp_path / "entries", tmp_path / "new.sav"
    run("arx", "extract", old, "-o", entries)
    run("arx", "pack", entries, "-o", new)
    result = run("diff", old, new)
    assert (result.exit_code, result.stdout) == (0, "")
    assert run("diff", old, old).stdout == ""
    assert "@header/table_offset" in run("diff", old, new, "--all").stdout


@pytest.mark.parametrize("path", ["PlayerAttributes[1]/value", "PlayerAttributes[0]/key/AttributeOwner"])
def test_parts_of_a_map_whose_keys_have_parts(real_save, tmp_path, path):
    """They have the path of `cat --flat`, which `--set` and `--ignore` take."""
    old, new = real_save("gvas/deadlink-ue427.sav"), tmp_path / "new.sav"
    assert run("edit", old, "-o", new, "--set", f"{path} = {5 if path.endswith('value') else 'Me'}").exit_code == 0
    (line,) = run("diff", old, new, "--all").stdout.splitlines()
    assert line.rpartition("\t")[2].partition(": ")[0] == path
    assert run("diff", old, new, "--all", "--ignore", path).exit_code == 0


def test_entries_of_a_large_map_belong_together_by_their_keys(real_save):
    """Those of 264 KB of removed plants come as events, and their keys have parts."""
    saves = [real_save(f"pairs/sv52-{each}.sav") for each in "ab"]
    old, new = ({repr(key): value for key, value in found["mSaveData"]} for found in map(plants, saves))
    rows = [row["path"] for row in map(orjson.loads, run("diff", *saves, "--where", PLANTS, "--json").stdout.splitlines())]
    assert sum(path.endswith("]/key") for path in rows) == len(old.keys() ^ new.keys()) == 254
    changed = {path[: path.find("]")] for path in rows if "RemovedLocation" in path or '["' in path}
    assert len(changed) == sum(old[key] != new[key] for key in old.keys() & new.keys()) == 39


PLANTS = "class_name = *FoliageRemovalSubsystem"


def plants(save):
    (found,) = streamsave.objects(save, PLANTS, ["mSaveData"])
    return found.fields


def test_padding_has_the_path_of_cat_flat():
    """A size that differs is a line of each save that has it."""
    saves = VALID / "shapez2" / "backwards.spz2", VALID / "shapez2" / "checkpoints.spz2"
    differences = [orjson.loads(line) for line in run("diff", "--all", "--json", *saves).stdout.splitlines()]
    padding = [each for each in differences if "/padding/" in each.get("path", "")]
    assert padding
    for save, side in zip(saves, ("old", "new"), strict=True):
        flat = run("cat", "--flat", save).stdout.splitlines()
        assert {f"{each['path']} = {each[side]}" for each in padding if each[side] is not None} <= set(flat)


@pytest.mark.parametrize("name", ["astroneer/bare.gvas", "shapez2/old.spz2", "gvas/server-settings.sav"])
def test_other_bytes_without_a_layout_are_a_difference(tmp_path, name):
    """Also where they are as many, and where equal bytes may be other values."""
    new = tmp_path / "new"
    with streamsave.rewrite(VALID / name, new) as save:
        blob = next(
            event for event in save if isinstance(event, BlobSkip) and event.reason.startswith(("custom", "member", "bytes"))
        )
        save.replace_raw(bytes(save.opaque(blob).data[:-1]) + b"~")
    result = run("diff", VALID / name, new)
    assert result.exit_code == 1
    assert f'{blob.reason}"/base64: "' in result.stdout


def test_a_value_of_a_large_map_has_the_path_of_cat_flat(tmp_path):
    """Also the first one that differs: its key is in the bytes that both saves have in common."""
    kind, most = Fields("Stack"), 9000

    def save(name, count):
        stacks = [(f"k{at}", [Prop("Count", INT, count if at == 11 else at)]) for at in range(most)]
        return write(tmp_path, name, thing("Store", Prop("mStacks", Map(STR, kind), stacks)))

    result = run("diff", save("old.sav", 11), save("new.sav", 999))
    assert result.stdout.splitlines()[-1].split("\t")[-1] == 'mStacks["k11"]/Count: 11 -> 999'
