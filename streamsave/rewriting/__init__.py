"""Write a save again with edits: they are recorded while the save is read, then applied to a copy."""

from streamsave.rewriting.cutting import CutStream, cut
from streamsave.rewriting.family import Cutting
from streamsave.rewriting.rewrite import rewrite
from streamsave.rewriting.stream import RewriteStream

__all__ = ["CutStream", "Cutting", "RewriteStream", "cut", "rewrite"]
