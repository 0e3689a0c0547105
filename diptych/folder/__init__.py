"""A built folder, typed: its manifest, its recipe, and the tables that it names, on disk or on the Hub."""

from diptych.folder._built import BuiltFolder, Selection, drop_pairs, open_folder, read_plain
from diptych.folder._manifest import (
    MANIFEST,
    AuditEntry,
    ConfigEntry,
    ConfigRecipe,
    Example,
    FileEntry,
    FindingEntry,
    Level,
    Manifest,
    SourceEntry,
    SplitEntry,
    TestStatistics,
    UnionEntry,
    VerdictEntry,
    read_manifest,
)
from diptych.folder._recipe import RECIPE, Recipe, read_recipe, recipe_file, recipe_templates

__all__ = [
    "MANIFEST",
    "RECIPE",
    "AuditEntry",
    "BuiltFolder",
    "ConfigEntry",
    "ConfigRecipe",
    "Example",
    "FileEntry",
    "FindingEntry",
    "Level",
    "Manifest",
    "Recipe",
    "Selection",
    "SourceEntry",
    "SplitEntry",
    "TestStatistics",
    "UnionEntry",
    "VerdictEntry",
    "drop_pairs",
    "open_folder",
    "read_manifest",
    "read_plain",
    "read_recipe",
    "recipe_file",
    "recipe_templates",
]
