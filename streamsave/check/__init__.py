"""Is a save sound? `check` reads all of it and yields each `Finding`."""

from streamsave.check.check import FATAL, FINDING, NOTE, Finding, check

__all__ = ["FATAL", "FINDING", "NOTE", "Finding", "check"]
