"""Warnings: through the application's structlog, or to stderr; the library is imported with the first."""

from __future__ import annotations

import subprocess
import sys

import structlog

from streamsave._log import warn


def test_to_stderr_without_a_configuration(capsys):
    warn("save is large", size=5)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.split() == ["level='warning'", "event='save", "is", "large'", "size=5"]


def test_to_the_configuration_of_the_application():
    try:
        with structlog.testing.capture_logs() as logs:
            warn("save is large", size=5)
    finally:
        structlog.reset_defaults()
    assert logs == [{"event": "save is large", "size": 5, "log_level": "warning"}]


def test_structlog_is_imported_with_the_first_warning():
    code = (
        "import sys, streamsave; from streamsave._log import warn; before = 'structlog' in sys.modules; warn('x');"
        "print(before, 'structlog' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout.split() == ["False", "True"]
