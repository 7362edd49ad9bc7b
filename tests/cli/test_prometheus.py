"""The text format of Prometheus."""

from __future__ import annotations

import pytest

from streamsave.cli.output import Metrics, OutputFailed

HELPS = {"a_bytes": "Bytes of a.", "b_count": "How many b.", "c_count": "Never."}


def test_samples_of_a_metric_are_together():
    metrics = Metrics(HELPS)
    metrics.add("b_count", 1)
    metrics.add("a_bytes", 5, file="x")
    metrics.add("b_count", 2.5, file="x", kind="y")
    metrics.add("a_bytes", 7, file="x")
    assert metrics.text().splitlines() == [
        "# HELP a_bytes Bytes of a.",
        "# TYPE a_bytes gauge",
        'a_bytes{file="x"} 7',
        "# HELP b_count How many b.",
        "# TYPE b_count gauge",
        "b_count 1",
        'b_count{file="x",kind="y"} 2.5',
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [('a"b', 'a\\"b'), ("a\\b", "a\\\\b"), ("a\nb", "a\\nb"), ("a\x1b[31m", "a\N{REPLACEMENT CHARACTER}[31m"), ("ß", "ß")],
)
def test_labels_are_escaped(text, shown):
    metrics = Metrics(HELPS)
    metrics.add("a_bytes", 1, file=text)
    assert f'a_bytes{{file="{shown}"}} 1' in metrics.text()


def test_a_file_appears_whole(tmp_path):
    metrics = Metrics(HELPS)
    metrics.add("a_bytes", 1, file="\udcff")
    target = tmp_path / "a.prom"
    metrics.write(str(target))
    assert target.read_text(encoding="utf-8").endswith(" 1\n")
    assert [path.name for path in tmp_path.iterdir()] == ["a.prom"]
    with pytest.raises(OutputFailed, match="No such file"):
        metrics.write(str(tmp_path / "none" / "a.prom"))
