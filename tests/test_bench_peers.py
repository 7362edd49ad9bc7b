"""`tools/bench_peers.py`: programs that others wrote, and ours."""

import os
import subprocess
import sys
from pathlib import Path

import bench_peers
import pytest
from cli_runs import PACKAGE_FOLDER, environment
from saves import VALID

TOOLS = Path(bench_peers.__file__).parent
SAMPLE = VALID / "satisfactory" / "sv46.sav"


@pytest.mark.parametrize("sample", ["ue4-522", "ue5-1008", "ue5-1018"])
def test_maps_with_keys_that_are_property_lists(sample):
    """uesave takes other keys for GUIDs, and cannot read on."""
    assert bench_peers.keys_of_maps(VALID / "gvas" / f"{sample}.sav") == ["ByItem"]


@pytest.mark.skipif(sys.platform != "linux", reason="waits for a process as Linux does")
def test_cost_is_that_of_the_program_alone():
    held = bytearray(60 << 20)  # no process would have less, if this one had started it
    held[::4096] = bytes(len(held) // 4096)
    cost = bench_peers.cost_of([sys.executable, "-I", "-S", "-c", "sum(range(10**6))"])
    assert cost.seconds > 0
    assert 2 < cost.rss_mb < 50
    assert bench_peers.cost_of([sys.executable, "-c", "raise SystemExit(1)"]) is None


@pytest.mark.slow
def test_what_is_missing_is_named_with_the_way_to_install_it(tmp_path):
    command = [sys.executable, str(TOOLS / "bench_peers.py"), "--repeats", "1", "--folder", str(tmp_path), str(SAMPLE)]
    places = os.pathsep.join([PACKAGE_FOLDER, str(TOOLS)])
    ended = subprocess.run(command, capture_output=True, check=True, text=True, env=environment() | {"PYTHONPATH": places})
    for peer in bench_peers.all_peers():
        assert f"{peer.name} is missing. To install it: {peer.install.format(folder=tmp_path)}" in ended.stdout
    lines = [line.split() for line in ended.stdout.splitlines() if line.startswith("streamsave")]
    assert [(line[-5], line[-3]) for line in lines] == [
        ("read", "1.0"),
        ("read", lines[1][-3]),
        ("json", "1.0"),
        ("from-json", "1.0"),
    ]
