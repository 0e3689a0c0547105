"""Scene graphs: the objects of an image, the ontology of their names, and what follows from both for certain.

Image operations are in `diptych.scenegraphs.image_operations`, which needs OpenCV.
"""

from diptych.scenegraphs._attributes import AttributeClass, antonyms, attribute_classes, class_of, relation_words
from diptych.scenegraphs._gqa import parse_graph, read_gqa
from diptych.scenegraphs._graph import Box, Problem, SceneGraph, SceneObject, clip
from diptych.scenegraphs._names import Aliases
from diptych.scenegraphs._ontology import Ontology, base_name, ontology, read_table, split_entries
from diptych.scenegraphs._phrases import Phrase, fits, indefinite, referent, truth
from diptych.scenegraphs._vg import (
    VG_FILES,
    VgImage,
    has_vg,
    parse_vg_image,
    read_aliases,
    read_images,
    read_vg,
    vg_files,
)
from diptych.sources import members

__all__ = [
    "VG_FILES",
    "Aliases",
    "AttributeClass",
    "Box",
    "Ontology",
    "Phrase",
    "Problem",
    "SceneGraph",
    "SceneObject",
    "VgImage",
    "antonyms",
    "attribute_classes",
    "base_name",
    "class_of",
    "clip",
    "fits",
    "has_vg",
    "indefinite",
    "members",
    "ontology",
    "parse_graph",
    "parse_vg_image",
    "read_aliases",
    "read_gqa",
    "read_images",
    "read_table",
    "read_vg",
    "referent",
    "relation_words",
    "split_entries",
    "truth",
    "vg_files",
]
