"""Is a save sound? `check` reads all of it and yields each `Finding`; `check_reader` tries a reader of yours."""

from streamsave.check.check import check
from streamsave.check.contract import check_reader
from streamsave.check.finding import FATAL, FINDING, NOTE, Finding

__all__ = ["FATAL", "FINDING", "NOTE", "Finding", "check", "check_reader"]
