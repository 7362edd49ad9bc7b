"""The former place of `streamsave.query.parser`; imports of it keep working."""

from streamsave.query.parser import parse_selection

__all__ = ["parse_selection"]
