"""The former place of `streamsave.query.tests`, which is no part of the API: imports of it warn."""

import warnings

from streamsave.query.tests import (
    EVERYTHING,
    And,
    Compare,
    Everything,
    Facts,
    Has,
    HeaderText,
    InBox,
    Not,
    Or,
    Pattern,
    SelectedObject,
    Selection,
    Size,
)

warnings.warn("streamsave.selection will go: see streamsave.query.tests, which may change", DeprecationWarning, stacklevel=2)

__all__ = [
    "EVERYTHING",
    "And",
    "Compare",
    "Everything",
    "Facts",
    "Has",
    "HeaderText",
    "InBox",
    "Not",
    "Or",
    "Pattern",
    "SelectedObject",
    "Selection",
    "Size",
]
