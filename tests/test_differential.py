"""The compiled build and the plain sources do the same: the same events, values and errors, for sound and damaged saves."""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from saves import ROOT, VALID

from streamsave.decode.known_bytes import COMPILED

DIGEST = Path(__file__).resolve().parent / "digest.py"


def run(arguments: list[str], folder: Path, **environment: str) -> str:
    """What a Python of its own prints; warnings about strange versions go to its stderr."""
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=os.environ | {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"} | environment,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def plain_sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with nothing but the `.py` files of the package."""
    if not (ROOT / "streamsave" / "__init__.py").is_file():
        pytest.skip("the sources are not here")
    folder = tmp_path_factory.mktemp("plain")
    shutil.copytree(ROOT / "streamsave", folder / "streamsave", ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"))
    return folder


def test_the_copy_is_plain(plain_sources):
    code = "from streamsave.decode.known_bytes import COMPILED; import streamsave; print(COMPILED, streamsave.__file__)"
    told = run(["-c", code], plain_sources, PYTHONPATH=str(plain_sources), PYTHONSAFEPATH="")
    assert told.split() == ["False", str(plain_sources / "streamsave" / "__init__.py")]


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="this build is the plain one")
def test_compiled_and_plain_agree(plain_sources):
    """Nor does anything hang on the order of sets, on addresses, or on the time."""
    plain = run([str(DIGEST), str(VALID)], plain_sources, PYTHONPATH=str(plain_sources), PYTHONSAFEPATH="1", PYTHONHASHSEED="1")
    assert plain.count("\n") > 20
    assert digests_of(VALID).splitlines() == plain.splitlines()


def inherited_path() -> dict[str, str]:
    """Let another Python find the package where this one has found it."""
    import streamsave

    return {"PYTHONPATH": str(Path(streamsave.__file__).resolve().parent.parent)}


@cache
def digests_of(saves: Path) -> str:
    """What the build that is under test gives, asked once."""
    return run([str(DIGEST), str(saves)], saves, PYTHONSAFEPATH="1", **inherited_path())


#: Runs a script in a Python that has no zlib-ng.
WITHOUT_ZLIB_NG = """
import runpy, sys
sys.modules["zlib_ng"] = None
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
import zlib, streamsave.input.chunk_table
assert streamsave.input.chunk_table.fast_zlib is zlib
"""


@pytest.mark.slow
def test_both_zlibs_agree(plain_sources):
    """Without zlib-ng, the standard library inflates: the same events, values and errors; in plain Python of one format."""
    pytest.importorskip("zlib_ng")
    saves = VALID if COMPILED else VALID / "satisfactory"
    code = ["-c", WITHOUT_ZLIB_NG, str(DIGEST), str(saves)]
    standard = run(code, plain_sources.parent, PYTHONSAFEPATH="1", **inherited_path())
    assert standard.count("\n") > 20
    assert standard.splitlines() == digests_of(saves).splitlines()
