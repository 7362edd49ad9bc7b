"""`streamsave check`: is a save sound?"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from multiprocessing import parent_process
from typing import Final

import click

from streamsave.check import FATAL, FINDING, NOTE, Finding, check, check_reader
from streamsave.cli.options import (
    Saves,
    check_metrics,
    current_limits,
    current_reader,
    jobs_option,
    json_option,
    limit_hint,
    limit_option,
    metrics_options,
    refuse,
    saves_argument,
    time_options,
)
from streamsave.cli.output import FAILED, Metrics, on_terminal, styled, write_json, write_line, write_row
from streamsave.cli.save import attempt, visit_saves
from streamsave.cli.save_names import label_of, source_of
from streamsave.cli.text import clean
from streamsave.errors import format_path

__all__ = ["command"]

#: The exit code for each severity.
SEVERITIES: Final = {NOTE: 0, FINDING: 1, FATAL: 4}
#: The exit code of a save -> the word for it.
RESULTS: Final = {0: "sound", 1: "findings", 4: "undecodable"}
#: The severities in a terminal, as `output.STYLES` has it.
COLOURED: Final = {NOTE: "hint", FINDING: "findings", FATAL: "undecodable"}
#: What `--format prometheus` writes.
METRICS: Final = {
    "streamsave_check_result": "0: the save is sound, 1: it has findings, 4: it cannot be decoded, 2: it cannot be read.",
    "streamsave_check_findings": "What is wrong with the save.",
    "streamsave_check_notes": "What is worth knowing of the save, though a sound one may have it.",
    "streamsave_check_seconds": "Seconds of CPU that the check took.",
    "streamsave_check_time_seconds": "When the save was checked, in seconds since 1970.",
}


def _line(finding: Finding) -> str:
    """Write a finding on one line: severity, offset, path, message."""
    parts = [finding.severity]
    if finding.severity != FATAL:  # its message starts with the place
        if finding.offset is not None:
            parts.append(f"offset {finding.offset:#x}")
        if finding.path:
            parts.append(format_path(finding.path))
    hint = "" if finding.error is None else limit_hint(finding.error)
    severity, colon, rest = clean(": ".join([*parts, finding.message + hint])).partition(":")
    return styled(severity, COLOURED[severity]) + colon + rest


def _examine(name: str, counts: Counter[str]) -> Iterator[Finding]:
    """Yield what is to be said of a save, and count it by severity."""
    source, limits, reader = source_of(name), current_limits(), current_reader()
    for finding in check(source, limits=limits) if reader is None else check_reader(source, reader, limits=limits):
        counts[finding.severity] += 1
        yield finding


def _verdict(noted: int, found: int) -> str:
    """Return the verdict for people, from how many notes and findings there are."""
    notes = "" if not noted else ", 1 note" if noted == 1 else f", {noted} notes"
    return f"{'sound' if not found else '1 finding' if found == 1 else f'{found} findings'}{notes}"


@click.command("check", short_help="Is the save sound? MD5, sizes, every byte, references.")
@saves_argument
@click.option("-q", "--quiet", is_flag=True, help="Write findings only: nothing of a sound save.")
@click.option("-v", "--verbose", is_flag=True, help="Write notes, too.")
@click.option(
    "--summary", is_flag=True, help="Write a line for each save only: file, result, notes, findings, and the worst of them."
)
@metrics_options
@time_options
@json_option
@limit_option
@jobs_option
def command(saves: Saves, quiet: bool, verbose: bool, summary: bool, kind: str | None, output: str | None, as_json: bool) -> int:
    """Read every byte and report contradictions: MD5, sizes and counts, bytes without a meaning, missing lists.

    Notes (old objects, unknown bytes of mods, references to objects that are not in the save) are not findings: -v shows them,
    --json has them in any case. With --json, each save has a record of its own after those of its findings, unless -q is given.

    Exit code: 0 if all saves are sound, 1 if there are findings, 4 if a save cannot be decoded, 2 if a file cannot be read.
    """
    refuse(quiet + verbose + summary + (kind is not None) > 1, "-q, -v, --summary and --format exclude each other.")
    check_metrics(kind, output, as_json=as_json)
    if kind is not None:
        return _write_metrics(saves, output)

    def visit(name: str) -> int:
        label = label_of(name)
        counts = Counter[str]()
        reason = ""
        for finding in _examine(name, counts):
            if finding.severity == FATAL or (finding.severity == FINDING and not reason):
                reason = finding.message
            if summary or (quiet and finding.severity == NOTE):
                continue
            if as_json:
                said = {each: getattr(finding, each) for each in ("severity", "kind", "offset", "path", "message")}
                write_json({"file": label, **said})
            elif verbose or finding.severity != NOTE:
                write_line(f"{clean(label)}: {_line(finding)}")
        code = max((SEVERITIES[severity] for severity in counts), default=0)
        notes, found = counts[NOTE], counts.total() - counts[NOTE]
        if quiet:
            return code
        if as_json:
            worst = {"reason": reason or None} if summary else {}
            write_json({"file": label, "result": RESULTS[code], "notes": notes, "findings": found, **worst})
        elif summary and on_terminal():
            cells = (
                styled(f"{RESULTS[code]:<11}", RESULTS[code]),
                f"{notes:>6}",
                f"{found:>9}",
                clean(label),
                clean(reason),
            )
            write_line("  ".join(cells).rstrip())
        elif summary:
            write_row((clean(label), RESULTS[code], str(notes), str(found), clean(reason)))
        else:
            write_line(f"{clean(label)}: {_verdict(notes, found)}")
        return code

    if as_json or not (summary and on_terminal()) or parent_process() is not None:  # one of --jobs writes only its lines
        return visit_saves(saves, visit)
    write_line(styled(f"{'result':<11}  {'notes':>6}  {'findings':>9}  file", "heading"))

    def sum_up(codes: Sequence[int]) -> int:
        damaged, unread = sum(each in RESULTS and each > 0 for each in codes), codes.count(FAILED)
        end = f"; {unread} cannot be read" if unread else ""
        verb = "is" if damaged == 1 else "are"
        write_line(styled(f"{damaged} of {len(codes)} {verb} damaged{end}", "heading"))
        return max(codes)

    return visit_saves(saves, visit, combine=sum_up)


def _worst(counts: Counter[str], name: str) -> int:
    """Count the findings of a save, and return its exit code."""
    return max((SEVERITIES[finding.severity] for finding in _examine(name, counts)), default=0)


def _write_metrics(saves: Saves, target: str | None) -> int:
    """Check saves one after the other, and write the numbers of all of them; return the exit code."""
    metrics = Metrics(METRICS)
    codes = []
    for name in saves:
        label = str(name.filename) if isinstance(name, OSError) else label_of(name)
        counts = Counter[str]()
        begun = time.process_time()
        code = attempt(name, partial(_worst, counts))
        codes.append(code)
        numbers: dict[str, float] = {"result": code, "time_seconds": round(time.time())}
        if code != FAILED:
            numbers |= {"findings": counts.total() - counts[NOTE], "notes": counts[NOTE]}
            numbers["seconds"] = round(time.process_time() - begun, 3)
        metrics.add({f"streamsave_check_{name}": number for name, number in numbers.items()}, file=label)
    metrics.write(target)
    return max(codes, default=0)
