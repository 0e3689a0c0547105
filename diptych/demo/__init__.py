"""A miniature world in the official file formats: any size, always the same, and its truth is known exactly.

>>> from diptych.demo import make_scene
>>> scene = make_scene(seed=0, number=0)
>>> sorted({thing.name for thing in scene.things})
['apple', 'ball', 'boy', 'hat', 'kite', 'shirt', 'tree', 'woman']
"""

from diptych.demo._drawing import draw_scene
from diptych.demo._questions import Question, ask_questions
from diptych.demo._scenes import Item, Relation, Scene
from diptych.demo._stage import make_scene
from diptych.demo._world import WorldSummary, make_world

__all__ = ["Item", "Question", "Relation", "Scene", "ask_questions", "draw_scene", "make_scene"]
__all__ += ["WorldSummary", "make_world"]
