"""`streamsave check`: is a save sound?"""

from __future__ import annotations

from typing import Final

import click

from streamsave.check.check import FATAL, FINDING, NOTE, Finding, check
from streamsave.cli.inputs import Saves, jobs_option, json_option, saves_argument
from streamsave.cli.limits import current_limits, limit_hint, limit_option
from streamsave.cli.objects_option import objects_option
from streamsave.cli.output import write_json, write_line
from streamsave.cli.run import visit_saves
from streamsave.cli.save_names import label_of, reading, source_of
from streamsave.cli.text import clean
from streamsave.errors import format_path
from streamsave.output.json_values import json_value

__all__ = ["command"]

#: The exit code for each severity.
SEVERITIES: Final = {NOTE: 0, FINDING: 1, FATAL: 4}


def _line(finding: Finding) -> str:
    """Write a finding on one line: severity, offset, path, message."""
    parts = [finding.severity]
    if finding.severity != FATAL:  # its message starts with the place
        if finding.offset is not None:
            parts.append(f"offset {finding.offset:#x}")
        if finding.path:
            parts.append(format_path(finding.path))
    hint = "" if finding.error is None else limit_hint(finding.error)
    return clean(": ".join([*parts, finding.message + hint]))


def _verdict(count: int) -> str:
    """Write how many findings a save has; notes do not count."""
    if count == 0:
        return "sound"
    return "1 finding" if count == 1 else f"{count} findings"


@click.command("check", short_help="Is the save sound? MD5, sizes, every byte, references.")
@saves_argument
@json_option
@objects_option
@limit_option
@jobs_option
def command(saves: Saves, as_json: bool) -> int:
    """Read every byte and report contradictions: MD5, sizes and counts, bytes without a meaning, missing lists.

    Notes (old objects, unknown bytes of mods, references to objects that are not in the save) are not findings.

    Exit code: 0 if all saves are sound, 1 if there are findings, 4 if a save cannot be decoded, 2 if a file cannot be read.
    """

    def visit(name: str) -> int:
        label = label_of(name)
        worst = 0
        count = 0
        with reading(name):
            for finding in check(source_of(name), limits=current_limits()):
                worst = max(worst, SEVERITIES[finding.severity])
                count += finding.severity != NOTE
                if as_json:
                    write_json(
                        {
                            "file": json_value(label),
                            "severity": finding.severity,
                            "kind": finding.kind,
                            "offset": finding.offset,
                            "path": json_value(finding.path),
                            "message": json_value(finding.message),
                        }
                    )
                else:
                    write_line(f"{clean(label)}: {_line(finding)}")
        if not as_json:
            write_line(f"{clean(label)}: {_verdict(count)}")
        return worst

    return visit_saves(saves, visit)
