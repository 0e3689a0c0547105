"""Scene graphs: what is in an image, what its things are, and what can be said of them for certain."""

from diptych.scenegraphs.attributes import AttributeClass, antonyms, attribute_classes, class_of, relation_words
from diptych.scenegraphs.gqa import read_gqa
from diptych.scenegraphs.graph import Box, Problem, SceneGraph, SceneObject
from diptych.scenegraphs.ontology import Ontology, base_name, ontology
from diptych.scenegraphs.phrases import Phrase, has_attribute, referent, truth
from diptych.scenegraphs.vg import has_vg, read_vg, vg_files

__all__ = [
    "AttributeClass",
    "Box",
    "Ontology",
    "Phrase",
    "Problem",
    "SceneGraph",
    "SceneObject",
    "antonyms",
    "attribute_classes",
    "base_name",
    "class_of",
    "has_attribute",
    "has_vg",
    "ontology",
    "read_gqa",
    "read_vg",
    "referent",
    "relation_words",
    "truth",
    "vg_files",
]
