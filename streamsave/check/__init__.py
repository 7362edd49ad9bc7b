"""Is a save sound? `check` reads all of it and yields each `Finding`."""

from streamsave.check.check import check
from streamsave.check.finding import FATAL, FINDING, NOTE, Finding

__all__ = ["FATAL", "FINDING", "NOTE", "Finding", "check"]
