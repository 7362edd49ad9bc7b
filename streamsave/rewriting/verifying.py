"""Read a new save before it appears."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from streamsave.check.check import check, check_md5
from streamsave.check.finding import FATAL, FINDING, Finding
from streamsave.errors import DamagedSave
from streamsave.events import SaveStart
from streamsave.formats.satisfactory.header import SaveHeader
from streamsave.input.source import open_source
from streamsave.limits import Limits
from streamsave.stream.stream import open_save

__all__ = ["raise_wrong", "verify_save"]

#: Findings that no save without them may have afterwards.
WRONG: Final = frozenset(("tiling", "md5"))


def verify_save(
    path: Path, limits: Limits, edited: Collection[int] | None, is_gone: Callable[[str], bool] | None = None
) -> list[Finding]:
    """Read a new save; return what was found.

    Args:
        path: of the save.
        limits: what to refuse.
        edited: where the objects start that are not as before; None: much is not.
        is_gone: as for `check`.

    Raises:
        SaveError: it cannot be decoded, or it contradicts itself.
        OSError: it cannot be read.
    """
    findings = list(check(path, limits=limits, is_gone=is_gone) if edited is None else check_edited(path, limits, edited))
    raise_wrong(findings)
    return findings


def check_edited(path: Path, limits: Limits, edited: Collection[int]) -> Iterator[Finding]:
    """Read what is in no object, and these objects: all other bytes are where they were, and what they were.

    Raises:
        SaveError: it cannot be decoded.
        OSError: it cannot be read.
    """
    with closing(open_source(path)) as source, open_save(path, limits=limits) as events:
        start = next(events)
        if isinstance(start, SaveStart) and isinstance(start.header, SaveHeader):
            yield from check_md5(source, start.header)
        events.only(lambda header: header.offset in edited)
        for _ in events:
            pass


def raise_wrong(findings: list[Finding]) -> None:
    """Raise what makes a new save unusable.

    Raises:
        SaveError: it cannot be decoded, or it contradicts itself.
    """
    for finding in findings:
        if finding.severity == FATAL and finding.error is not None:
            raise finding.error
        if finding.severity == FINDING and finding.kind in WRONG:
            raise DamagedSave(f"the new save: {finding.message}", finding.offset or 0)
