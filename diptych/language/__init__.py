"""English: the question tagger."""

from diptych.language.pipeline import tagger, tagger_version

__all__ = ["tagger", "tagger_version"]
