"""The build hook decides which build a wheel is of."""

import subprocess
import sys
import sysconfig
from types import SimpleNamespace

import pytest

pytest.importorskip("hatchling", reason="hatchling is not installed")


@pytest.fixture
def build(monkeypatch):
    """Return what a build is asked to do, and its warnings. No compiler runs: it ends with this exit code."""
    import build_hook

    def built(code: int = 4, version: str = "standard", **variables: str):
        calls, warnings = [], []

        def run(words, env, **_):
            calls.append((words, env))
            return subprocess.CompletedProcess(words, code)

        for name in ("STREAMSAVE_PURE", "STREAMSAVE_REQUIRE_COMPILED"):
            monkeypatch.delenv(name, raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(build_hook.subprocess, "run", run)
        app, data = SimpleNamespace(display_warning=warnings.append), {"force_include": {}}
        hook = build_hook.CompiledWheel(".", {}, None, None, ".", "wheel", app)
        hook.initialize(version, data)
        hook.finalize(version, data, "")
        built.calls = calls
        return len(calls), data.get("pure_python", True), warnings

    return built


def test_compiled(build):
    assert build(0) == (1, False, [])


def test_plain_where_it_cannot_be_compiled(build):
    calls, is_pure, (warning,) = build(4)
    assert (calls, is_pure) == (1, True)
    assert "no working C compiler" in warning


def test_the_compiler_finds_what_it_imports(build):
    """It is in the folder of the script, which `PYTHONSAFEPATH` keeps out."""
    build(PYTHONSAFEPATH="1")
    ((words, env),) = build.calls
    assert subprocess.call([*words[:2], "--help"], env=env, stdout=subprocess.DEVNULL) == 0


@pytest.mark.parametrize("options", [{"STREAMSAVE_PURE": "1"}, {"version": "editable"}])
def test_plain_if_asked_for(build, options):
    assert build(0, **options) == (0, True, [])


def test_a_compiled_build_that_is_required(build):
    with pytest.raises(RuntimeError, match="not compiled: there is no working C compiler"):
        build(4, STREAMSAVE_REQUIRE_COMPILED="1")
    with pytest.raises(RuntimeError, match="contradict"):
        build(0, STREAMSAVE_REQUIRE_COMPILED="1", STREAMSAVE_PURE="1")


def test_free_threaded(build, monkeypatch):
    """Nothing is compiled: mypyc would declare that the modules need no GIL."""
    import compile  # noqa: A004 - the script's name

    real = sysconfig.get_config_var
    monkeypatch.setattr(sysconfig, "get_config_var", lambda name: 1 if name == "Py_GIL_DISABLED" else real(name))
    monkeypatch.setattr(sys, "argv", ["compile.py", "--inplace"])
    code = compile.main()
    calls, is_pure, (warning,) = build(code)
    assert (calls, is_pure) == (1, True)
    assert "without the GIL" in warning
    with pytest.raises(RuntimeError, match=r"not compiled: .* without the GIL"):
        build(code, STREAMSAVE_REQUIRE_COMPILED="1")
