"""A miniature world in the official file formats: any size, always the same, and its truth is known exactly.

>>> from diptych.demo import make_scene
>>> scene = make_scene(seed=0, number=0)
>>> sorted({thing.name for thing in scene.things})
['apple', 'ball', 'boy', 'hat', 'kite', 'shirt', 'tree', 'woman']
"""

from diptych.demo.drawing import draw_scene
from diptych.demo.questions import ask, question_type
from diptych.demo.scenes import Item, Relation, Scene
from diptych.demo.staging import make_scene
from diptych.demo.things import THINGS, Thing
from diptych.demo.view import Question
from diptych.demo.world import WorldSummary, make_world

__all__ = [
    "THINGS",
    "Item",
    "Question",
    "Relation",
    "Scene",
    "Thing",
    "WorldSummary",
    "ask",
    "draw_scene",
    "make_scene",
    "make_world",
    "question_type",
]
