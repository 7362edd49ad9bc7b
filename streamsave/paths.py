"""The former place of `streamsave.query.paths`; imports of it keep working."""

from streamsave.query.paths import EACH, MISSING, Each, Key, Path, Step, leaves, parse_path, read_path, text_of

__all__ = ["EACH", "MISSING", "Each", "Key", "Path", "Step", "leaves", "parse_path", "read_path", "text_of"]
