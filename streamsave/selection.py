"""The former place of `streamsave.query.tests`; imports of it keep working."""

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
