"""Built-in models that learn: `blind` from questions alone, `seeing` from questions and their pictures."""

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from diptych.errors import BadInputError
from diptych.models._blind import Blind
from diptych.models._lessons import read_course
from diptych.models._model import Model

_PICTURE_COLUMNS = ("original_image_file", "perturbed_image_file")


@dataclass(frozen=True, slots=True)
class Learner:
    """A built-in model that has yet to learn, from the training files in `data` where there are any."""

    name: str
    data: Path | None = None

    NAMES = (Blind.name, "seeing")

    def learn(self, pairs: pa.Table, images: Path | None) -> Model:
        """The model that is asked about pairs: it learns nothing about their pictures."""
        columns = [pairs[name] for name in _PICTURE_COLUMNS if name in pairs.column_names]
        without = {name for column in columns for name in pc.unique(column).to_pylist()}
        course = None if self.data is None else read_course(self.data, without)
        if self.name == Blind.name:
            return Blind(pairs, course)
        if course is None or images is None:
            place = "" if self.data is None or course else f"{self.data}: holds no training questions of VQA; "
            raise BadInputError(f"{place}seeing learns from pictures and questions: say --data DIR and --images DIR")
        from diptych.models._seeing import Seeing  # OpenCV is slow to import

        return Seeing(course, images)
