"""Check what a release uploads: `python tools/check_sdist.py` builds the source archive, and from it the wheel of plain Python.

It builds both a second time from the unpacked archive, in another folder and with other times of files: the bytes are the same.
Then it runs tests that need all folders of the source archive, from the unpacked archive, with that wheel in an environment of
its own. `twine` checks what the package index shows.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Of each kind: samples, goldens, tools, pages, what is installed.
TESTS = ("test_golden.py", "test_wheel.py", "test_make_corpora.py", "test_make_man.py", "test_public_api.py", "test_exports.py")


def run(*command: str | Path, cwd: Path = ROOT, **variables: str) -> None:
    """Run a command; its failure ends this one.

    Raises:
        SystemExit: it fails.
    """
    words = [str(word) for word in command]
    print("$", *words, flush=True)
    if subprocess.run(words, cwd=cwd, env={**os.environ, **variables}, check=False).returncode != 0:
        sys.exit(f"failed: {' '.join(words)}")


def check(folder: Path) -> None:
    """Build and test in a folder."""
    # In this environment: plain Python needs nothing else, and what a compiled build needs is installed for the other wheels.
    run(sys.executable, "-m", "build", "--no-isolation", "--skip-dependency-check", "--outdir", folder, STREAMSAVE_PURE="1")
    (archive,) = folder.glob("*.tar.gz")
    (wheel,) = folder.glob("*.whl")
    run(sys.executable, "-m", "twine", "check", "--strict", archive, wheel)
    shutil.unpack_archive(archive, folder)
    tree = folder / archive.name.removesuffix(".tar.gz")
    again = folder / "again"
    for path in tree.rglob("*"):
        os.utime(path, (1, 1_000_000_000))
    run(sys.executable, "-m", "hatchling", "build", "-d", again, cwd=tree, STREAMSAVE_PURE="1")
    for first in (archive, wheel):
        if first.read_bytes() != (again / first.name).read_bytes():
            sys.exit(f"failed: {first.name} has other bytes when it is built again")
    venv.create(folder / "venv")
    python = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = (sys.executable, "-m", "pip", "--python", python)
    run(*pip, "install", "--quiet", f"{wheel}[cli]", "--group", f"{tree / 'pyproject.toml'}:test")
    tests = [f"tests/{name}" for name in TESTS]
    options = ["-q", "-n", "2", "-p", "no:cacheprovider"]
    run(python, "-m", "pytest", *options, *tests, cwd=tree, PYTHONSAFEPATH="1", STREAMSAVE_EXPECT="pure")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        check(Path(temporary))
