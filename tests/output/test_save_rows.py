"""The rows of one save, which is opened for them."""

from __future__ import annotations

import gc
import warnings

import pytest
from cli_runs import SAMPLES

import streamsave
from streamsave.errors import SelectError
from streamsave.output.to_arrow import save_rows

SAVE = SAMPLES[-1]


def test_a_fault_in_the_selection_is_raised_before_anything_is_read():
    with pytest.raises(SelectError):
        save_rows("no such file", "class_name =", [])


@pytest.mark.slow
@pytest.mark.parametrize("ends", ["closed", "dropped"])
def test_half_read_it_closes_the_save(ends):
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", ResourceWarning)
        rows = save_rows(SAVE, None, [])
        next(rows)
        if ends == "closed":
            rows.close()
        del rows
        gc.collect()
    assert [str(warning.message) for warning in warned] == []


@pytest.mark.slow
def test_a_table_that_is_dropped_half_read_closes_the_save():
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", ResourceWarning)
        table = streamsave.to_arrow([SAVE, SAVE], batch_size=1)
        table.read_next_batch()
        del table
        gc.collect()
    assert [str(warning.message) for warning in warned] == []
