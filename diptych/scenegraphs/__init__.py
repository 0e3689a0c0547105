"""Scene graphs: the objects of an image, the ontology of their names, and what follows from both for certain.

Image operations are in `diptych.scenegraphs.image_operations`, which needs OpenCV.
"""

from diptych.scenegraphs._graph import Box, Problem, SceneGraph, SceneObject, clip
from diptych.scenegraphs._names import Aliases
from diptych.scenegraphs._ontology import (
    ATTRIBUTE_CLASSES,
    RELATION_WORDS,
    antonyms,
    base_name,
    class_of,
    ontology,
    read_table,
    split_entries,
)
from diptych.scenegraphs._phrases import Phrase, fits, referent, truth
from diptych.scenegraphs._readers import (
    VG_FILES,
    VgImage,
    has_vg,
    parse_graph,
    parse_vg_image,
    read_aliases,
    read_images,
    vg_files,
)

__all__ = ["ATTRIBUTE_CLASSES", "RELATION_WORDS", "antonyms", "class_of"]
__all__ += ["Aliases", "Box", "Problem", "SceneGraph", "SceneObject", "clip"]
__all__ += ["base_name", "ontology", "read_table", "split_entries"]
__all__ += ["Phrase", "fits", "referent", "truth"]
__all__ += ["VG_FILES", "VgImage", "has_vg", "parse_graph", "parse_vg_image", "read_aliases", "read_images", "vg_files"]
