"""Numbers about saves in the text format of Prometheus, as node_exporter reads it from a folder of files.

```text
# HELP streamsave_check_findings What is wrong with the save.
# TYPE streamsave_check_findings gauge
streamsave_check_findings{file="world.sav"} 0
```
"""

from __future__ import annotations

from typing import Final

from streamsave._new_file import new_file
from streamsave.cli.output import FAILED, STDOUT, report, write_line

__all__ = ["Metrics"]

ESCAPES: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


class Metrics:
    """Samples, by metric. All that a metric has is written together, as the format requires."""

    def __init__(self, helps: dict[str, str]) -> None:
        self._helps = helps
        #: Metric -> labels -> value: labels may not come twice.
        self._samples: dict[str, dict[str, float]] = {name: {} for name in helps}

    def add(self, metric: str, value: float, **labels: str) -> None:
        """Add a sample of one of the metrics that the helps name."""
        shown = ",".join(f'{name}="{_escaped(text)}"' for name, text in labels.items())
        self._samples[metric][f"{{{shown}}}" if shown else ""] = value

    def text(self) -> str:
        """Return all samples."""
        lines = []
        for name, samples in self._samples.items():
            if samples:
                lines += [f"# HELP {name} {self._helps[name]}", f"# TYPE {name} gauge"]
                lines += [f"{name}{labels} {value}" for labels, value in samples.items()]
        return "\n".join(lines)

    def write(self, target: str | None) -> int:
        """Write all to standard output, or to a file, which appears whole; return the exit code."""
        if target is None or target == STDOUT:
            write_line(self.text())
            return 0
        try:
            with new_file(target) as file:
                file.write(self.text().encode("utf-8", "backslashreplace") + b"\n")
        except OSError as error:
            report(target, error.strerror or str(error))
            return FAILED
        return 0


def _escaped(text: str) -> str:
    """Return the value of a label: only these three characters are escaped, and other controls are replaced."""
    plain = "".join(
        character if character == "\n" or character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text
    )
    return plain.translate(ESCAPES)
