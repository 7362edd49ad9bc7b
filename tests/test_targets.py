"""Where commands write: files, links, pipes, devices, full disks, missing folders.

The file is long because each command that writes is tried on each kind of target.
"""

import os
import signal
import stat
import threading
import time
from contextlib import contextmanager
from subprocess import PIPE

import pytest
from cli_runs import SAMPLES, large_world, process, run, started
from saves import VALID, file_with

import streamsave

posix = pytest.mark.skipif(os.name != "posix", reason="needs named pipes, devices, permissions or signals")
root = pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root makes devices")

SV58 = SAMPLES[2]
DROP = ("--drop", "class_name = *Spawner*")
#: What writes as it reads or draws -> the ending of its file. `OUT` and `SAVE` are the paths.
TEXTS = {
    "json": (".json", "json", "SAVE", "-o", "OUT"),
    "ndjson": (".json", "json", "--ndjson", "SAVE", "-o", "OUT"),
    "csv": (".csv", "export", "SAVE", "-o", "OUT"),
    "parquet": (".parquet", "export", "SAVE", "-o", "OUT"),
    "arrow": (".arrow", "export", "SAVE", "-o", "OUT"),
    "salvage": (".json", "salvage", "SAVE", "-o", "OUT"),
    "report": (".html", "report", "SAVE", "-o", "OUT"),
    "map.png": (".png", "map", "SAVE", "-o", "OUT"),
    "treemap.svg": (".svg", "treemap", "SAVE", "-o", "OUT"),
    "treemap.pdf": (".pdf", "treemap", "SAVE", "-o", "OUT"),
    "check": (".prom", "check", "--format", "prometheus", "SAVE", "-o", "OUT"),
    "ls": (".prom", "ls", "--by-class", "--format", "prometheus", "SAVE", "-o", "OUT"),
}
#: What writes a save.
SAVES = {"edit": (".sav", "edit", "SAVE", "-o", "OUT", *DROP), "salvage --save": (".sav", "salvage", "SAVE", "--save", "OUT")}
ARROW = {"parquet", "arrow"}
#: They say of a save that it cannot be read.
METRICS = {"check", "ls"}
#: Their files are not the same twice: times.
VARYING = METRICS | {"treemap.svg", "treemap.pdf"}


def each_of(names):
    """A fixture that is each of these writers."""
    return pytest.fixture(params=names)(lambda request: known(request.param))


writer, text_writer, save_writer = each_of([*TEXTS, *SAVES]), each_of(TEXTS), each_of(SAVES)


def known(name):
    """The name of a writer; skipped if what it needs is not installed."""
    if name in ARROW:
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    if "map" in name:
        pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    return name


def call(name, save, out):
    return [{"SAVE": save, "OUT": out}.get(part, part) for part in {**TEXTS, **SAVES}[name][1:]]


def ending(name):
    return {**TEXTS, **SAVES}[name][0]


def ran_alone(name, save, out):
    """Run a writer in a process of its own, where it meets limits and the real standard output."""
    done = process(*call(name, save, out))
    return done.returncode, done.stderr.decode().splitlines()


def ran(name, save, out):
    """Run a writer; give the exit code and the lines of its errors."""
    if name in ARROW:  # it imports pyarrow as nothing else here has done
        return ran_alone(name, save, out)
    done = run(*call(name, save, out))
    return done.exit_code, done.stderr.splitlines()


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return large_world(tmp_path_factory.mktemp("world"), 10000)


@contextmanager
def small_files(size):
    """Let no process write more into a file: it is as if the disk were full."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


# --- pipes and devices ---


@posix
@pytest.mark.slow
def test_a_pipe_gets_what_a_file_gets(text_writer, tmp_path):
    plain, pipe, got = tmp_path / f"plain{ending(text_writer)}", tmp_path / f"pipe{ending(text_writer)}", []
    assert ran(text_writer, SV58, plain) == (0, [])
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    assert ran(text_writer, SV58, pipe) == (0, [])
    reader.join(60)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    if text_writer in VARYING:
        assert got[0][:20] == plain.read_bytes()[:20]
    else:
        assert got[0] == plain.read_bytes()
    assert sorted(tmp_path.iterdir()) == sorted([plain, pipe])


@posix
@pytest.mark.slow
@root
def test_a_device_stays_one(text_writer, tmp_path):
    device = tmp_path / f"null{ending(text_writer)}"
    os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    assert ran(text_writer, SV58, device) == (0, [])
    assert stat.S_ISCHR(device.stat().st_mode)
    assert list(tmp_path.iterdir()) == [device]


@posix
@pytest.mark.parametrize("kind", ["pipe", "device", "standard output"])
def test_a_save_is_written_to_a_file_only(save_writer, tmp_path, kind):
    target = tmp_path / "new.sav"
    if kind == "pipe":
        os.mkfifo(target)
    else:
        target.symlink_to("/dev/null" if kind == "device" else "/dev/stdout")
    code, errors = ran_alone(save_writer, SV58, target)
    assert (code, len(errors)) == (2, 1)
    assert f"{target}: is no file, so no save is written to it" in errors[0]
    assert not stat.S_ISREG(target.stat().st_mode) or kind == "standard output"
    assert list(tmp_path.iterdir()) == [target]


@posix
@pytest.mark.slow
def test_pack_needs_a_file(tmp_path):
    entries = tmp_path / "entries"
    assert process("arx", "extract", VALID / "arx" / "v2.1.sav", "-o", entries).returncode == 0
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    done = process("arx", "pack", entries, "-o", pipe)
    assert (done.returncode, done.stderr) == (2, f"streamsave: {pipe}: is no file, so no save is written to it\n".encode())
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@posix
def test_extract_replaces_no_pipe(tmp_path):
    pipe = tmp_path / "pld"
    os.mkfifo(pipe)
    done = process("arx", "extract", VALID / "arx" / "v2.1.sav", "pld", "lvl*", "-o", tmp_path, "--force")
    assert (done.returncode, done.stderr) == (2, f"streamsave: pld: is no file: {pipe}\n".encode())
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert len(list(tmp_path.iterdir())) > 1  # the other entries


# --- files ---


@posix
@pytest.mark.slow
def test_a_link_is_followed_and_the_permissions_stay(writer, tmp_path):
    far, link, plain = tmp_path / "far", tmp_path / f"link{ending(writer)}", tmp_path / f"plain{ending(writer)}"
    assert ran(writer, SV58, plain)[0] == 0
    far.write_bytes(b"old")
    far.chmod(0o602)
    link.symlink_to("far")
    assert ran(writer, SV58, link)[0] == 0
    assert link.is_symlink()
    assert stat.S_IMODE(far.stat().st_mode) == 0o602
    assert writer in VARYING or far.read_bytes() == plain.read_bytes()
    assert sorted(tmp_path.iterdir()) == sorted([far, link, plain])


@pytest.mark.parametrize("kind", ["itself", "hard link", "link"])
def test_the_save_is_not_its_own_output(writer, tmp_path, kind):
    save = file_with(tmp_path / f"world{ending(writer)}", SV58.read_bytes())
    out = save if kind == "itself" else tmp_path / f"other{ending(writer)}"
    if kind == "hard link":
        out.hardlink_to(save)
    elif kind == "link":
        out.symlink_to(save)
    before = set(tmp_path.iterdir())
    code, errors = ran(writer, save, out)
    assert code == 2
    assert "the save itself" in errors[-1]
    assert save.read_bytes() == SV58.read_bytes()
    assert set(tmp_path.iterdir()) == before


@pytest.mark.slow
def test_nor_is_standard_input(tmp_path):
    save = file_with(tmp_path / "world.sav", SV58.read_bytes())
    with save.open("rb") as file:
        done = process("json", "-", "-o", save, stdin=file)
    assert (done.returncode, b"the save itself" in done.stderr) == (2, True)
    assert save.read_bytes() == SV58.read_bytes()


# --- what cannot be written ---


def test_a_missing_folder_is_reported_before_anything_is_read(writer, tmp_path):
    out = tmp_path / "none" / f"out{ending(writer)}"
    code, errors = ran(writer, tmp_path / "missing.sav", out)
    assert (code, len(errors)) == (2, 1)
    assert errors[0].endswith(f"{out}: No such file or directory")


@posix
@pytest.mark.slow
def test_a_folder_that_may_not_be_written(writer, tmp_path):
    if os.getuid() == 0:
        folder = "/proc"  # no user can make files in it
    else:
        tmp_path.chmod(0o500)
        folder = str(tmp_path)
    out = f"{folder}/out{ending(writer)}"
    code, errors = ran(writer, tmp_path / "missing.sav", out)
    assert (code, len(errors)) == (2, 1)
    assert f"{out}: " in errors[0]
    assert "missing.sav: No such" not in errors[0]


@posix
@pytest.mark.slow
def test_a_full_disk_leaves_the_old_file(writer, tmp_path):
    out = file_with(tmp_path / f"out{ending(writer)}", b"old")
    with small_files(16):
        code, errors = ran_alone(writer, SV58, out)
    assert (code, len(errors)) == (2, 1)
    assert errors[0].endswith(f"{out}: File too large")
    assert out.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [out]


@posix
@pytest.mark.slow
def test_a_full_device(text_writer, tmp_path):
    full = tmp_path / f"full{ending(text_writer)}"
    full.symlink_to("/dev/full")
    code, errors = ran(text_writer, SV58, full)
    assert (code, errors) == (2, [f"streamsave: {full}: No space left on device"])
    assert full.is_symlink()


@pytest.mark.slow
def test_a_damaged_save_leaves_the_old_document(tmp_path):
    cut, out = tmp_path / "cut.sav", tmp_path / "out.json"
    cut.write_bytes(large_world(tmp_path).read_bytes()[:-10])
    out.write_bytes(b"old")
    assert ran("json", cut, out)[0] == ran("ndjson", cut, out)[0] == 2
    assert out.read_bytes() == b"old"


@pytest.mark.parametrize("name", [name for name in (*TEXTS, *SAVES) if name not in METRICS])
@pytest.mark.parametrize("content", [None, b"this is no save of any game"])
def test_what_cannot_be_read_leaves_the_old_file(tmp_path, name, content):
    save, out = tmp_path / "bad.sav", tmp_path / f"out{ending(known(name))}"
    if content is not None:
        save.write_bytes(content)
    out.write_bytes(b"old")
    code, errors = ran(name, save, out)
    assert (code, str(save) in errors[0]) == (2, True)
    assert content is not None or errors[0] == f"streamsave: {save}: No such file or directory"
    assert out.read_bytes() == b"old"


# --- signals ---


def begun(folder):
    """Wait until an unfinished file has bytes."""
    for _ in range(20000):
        for path in folder.glob(".streamsave-*"):
            try:
                if path.stat().st_size > 0:
                    return
            except FileNotFoundError:
                continue
        time.sleep(0.001)
    pytest.fail("nothing was written")


@posix
@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, getattr(signal, "SIGHUP", 1), signal.SIGINT])
@pytest.mark.parametrize("name", ["json", "csv", "salvage", "report", "edit", "salvage --save"])
def test_a_signal_while_it_writes_leaves_the_old_file(name, number, world, tmp_path):
    out = tmp_path / f"out{ending(name)}"
    args = ("edit", world, "-o", out, "--drop", "instance_name = *_1") if name == "edit" else call(name, world, out)
    for _ in range(9):
        out.write_bytes(b"old")
        with started(*args) as child:
            begun(tmp_path)
            child.send_signal(number)
            _, errors = child.communicate(timeout=60)
        if out.read_bytes() == b"old":  # else it was done before the signal came
            break
    assert child.returncode == (130 if number == signal.SIGINT else -number)
    assert b"Traceback" not in errors
    assert out.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [out]


#: Commands that have whole files in a temporary folder.
IN_FOLDERS = {
    "edit --references": ("edit", "SAVE", "-o", "OUT", "--set", "@class_name = x", "--references"),
    "edit --open": ("edit", "SAVE", "-o", "OUT", "--open", "NAME", "-y"),
    "from-json": ("from-json", "JSON", "--like", "SAVE", "-o", "OUT"),
    "from-json --references": ("from-json", "JSON", "--like", "SAVE", "-o", "OUT", "--references"),
    "export": ("export", "-", "-o", "OUT", "--format", "arrow"),
}


@posix
@pytest.mark.slow
@pytest.mark.parametrize("name", IN_FOLDERS)
def test_a_signal_leaves_no_temporary_folder(name, world, tmp_path, monkeypatch):
    if name == "export":
        pytest.importorskip("pyarrow", reason="the extra `arrow` is not installed")
    scratch, document = tmp_path / "scratch", tmp_path / "world.json"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    monkeypatch.setenv("VISUAL", "tail -f")
    document.write_bytes(process("json", world).stdout)
    first = next(iter(streamsave.objects(world))).instance_name
    names = {"SAVE": world, "JSON": document, "OUT": tmp_path / "out.sav", "NAME": first}
    with started(*(names.get(each, each) for each in IN_FOLDERS[name]), stdin=PIPE, start_new_session=True) as child:
        while not list(scratch.iterdir()):
            assert child.poll() is None
        os.killpg(child.pid, signal.SIGTERM)
        _, errors = child.communicate(timeout=60)
    assert (child.returncode, errors) == (-signal.SIGTERM, b"")
    assert list(scratch.iterdir()) == []


# --- in place ---


@posix
def test_a_linked_save_is_edited_where_it_is(tmp_path):
    (tmp_path / "real").mkdir()
    real, link = tmp_path / "real" / "a.sav", tmp_path / "world.sav"
    real.write_bytes(SV58.read_bytes())
    link.symlink_to(real)
    assert process("edit", link, "--in-place", *DROP).returncode == 0
    assert link.is_symlink()
    assert not list(streamsave.objects(real, "class_name = *Spawner*"))
    assert (tmp_path / "world.sav.bak").read_bytes() == SV58.read_bytes()


@pytest.mark.parametrize("references", [(), ("--references",)])
def test_without_changes_a_save_stays_as_it_is(tmp_path, references):
    document, before = tmp_path / "world.json", SV58.read_bytes()
    world = file_with(tmp_path / "world.sav", before)
    document.write_text(run("json", world).stdout)
    kept, written = sorted(tmp_path.iterdir()), world.stat().st_mtime_ns
    assert run("from-json", document, "--like", world, "--in-place", *references).exit_code == 0
    if not references:
        assert run("edit", world, "--in-place", "--where", "kind = actor", "--set", "@level = {}").exit_code == 0
        with streamsave.rewrite(world, world):
            pass
    assert (world.read_bytes(), world.stat().st_mtime_ns, sorted(tmp_path.iterdir())) == (before, written, kept)
    assert run("from-json", document, "--like", world, "-o", tmp_path / "new.sav", *references).exit_code == 0
    assert (tmp_path / "new.sav").read_bytes() == before


@posix
@pytest.mark.slow
@pytest.mark.parametrize("in_place", [True, False])
@pytest.mark.parametrize("change", ["written", "replaced"])
def test_a_game_that_saves_meanwhile(world, tmp_path, change, in_place):
    save, other = tmp_path / "world.sav", tmp_path / "other"
    save.write_bytes(world.read_bytes())
    with started("edit", save, *(["--in-place"] if in_place else ["-o", other]), "--drop", "instance_name = *_1") as child:
        begun(tmp_path)
        child.send_signal(signal.SIGSTOP)
        if change == "written":
            save.write_bytes(b"what the game has written")
        else:
            other.write_bytes(b"what the game has written")
            other.replace(save)
        child.send_signal(signal.SIGCONT)
        _, errors = child.communicate(timeout=60)
    assert (child.returncode, errors.count(b"\n")) == (2, 1)
    # Where the new save refers to the old one, a reader may meet the change first.
    assert change == "written" or b"has changed while it was read" in errors
    assert save.read_bytes() == b"what the game has written"
    assert list(tmp_path.iterdir()) == [save]


@posix
@pytest.mark.slow
def test_two_edits_at_once_lose_nothing(tmp_path):
    """Each edit that says that it went well is in the save."""
    world = large_world(tmp_path, 3000)
    numbers = (11, 22, 33)
    children = [started("edit", world, "--in-place", "--drop", f'instance_name = "*_{number}"') for number in numbers]
    done = [(child, *child.communicate(timeout=60)) for child in children]
    names = {found.instance_name.rpartition("_")[2] for found in streamsave.objects(world)}
    for number, (child, _, errors) in zip(numbers, done, strict=True):
        assert child.returncode in {0, 2}
        assert (str(number) in names) == (child.returncode == 2)
        if child.returncode:
            assert b"has changed while it was read" in errors or b"in use by another process" in errors
    assert any(child.returncode == 0 for child, *_ in done)
    assert process("check", world).returncode == 0
