"""A built folder, typed: its manifest, its recipe, and the tables that it names, on disk or on the Hub."""

from diptych.folder._augmentation import TrainingExample, training_examples
from diptych.folder._built import BuiltFolder, Selection, check_pairs, drop_pairs, open_folder, read_bindings, read_rows
from diptych.folder._manifest import (
    DROP,
    KEEP,
    MANIFEST,
    AuditEntry,
    ConfigEntry,
    ConfigRecipe,
    Example,
    FileEntry,
    FindingEntry,
    Level,
    Manifest,
    PictureEntry,
    PublishedEntry,
    ReleaseEntry,
    ResultEntry,
    ScoreEntry,
    SourceEntry,
    SplitEntry,
    TestStatistics,
    UnionEntry,
    VerdictEntry,
    read_manifest,
)
from diptych.folder._pair_images import SIDES, PairImages, has_recipe, picture_names
from diptych.folder._pictures import needed_pictures, picture_key
from diptych.folder._recipe import RECIPE, Recipe, read_recipe, recipe_file, recipe_templates

__all__ = ["BuiltFolder", "Selection", "check_pairs", "drop_pairs", "open_folder", "read_bindings", "read_rows"]
__all__ += ["MANIFEST", "AuditEntry", "ConfigEntry", "ConfigRecipe", "Example", "FileEntry", "FindingEntry", "Level"]
__all__ += ["Manifest", "SourceEntry", "SplitEntry", "TestStatistics", "UnionEntry", "VerdictEntry", "read_manifest"]
__all__ += ["RECIPE", "PictureEntry", "PublishedEntry", "Recipe", "ReleaseEntry", "ResultEntry", "ScoreEntry"]
__all__ += ["read_recipe", "recipe_file"]
__all__ += ["DROP", "KEEP", "SIDES", "PairImages", "has_recipe", "needed_pictures", "picture_key", "picture_names"]
__all__ += ["TrainingExample", "recipe_templates", "training_examples"]
