"""Built-in models that learn: `blind` from questions alone, `seeing` from questions and their pictures."""

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from diptych.errors import BadInputError
from diptych.metrics.paired_vqa.columns import SIDES
from diptych.metrics.paired_vqa.references import encode_references
from diptych.models._blind import Blind
from diptych.models._lessons import read_course
from diptych.models._model import Model, Query

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
            place = "" if self.data is None or course else f"{self.data}: has no training questions of VQA; "
            raise BadInputError(f"{place}seeing learns from pictures and questions: pass --data DIR and --images DIR")
        from diptych.models._seeing import Seeing  # OpenCV is slow to import

        return Seeing(course, images)


def predict_blind(pairs: pa.Table) -> tuple[list[str], list[str]]:
    """What `blind` answers to both sides of pairs, each half of the images after learning from the other half."""
    order = pc.sort_indices(pairs["pair_id"])  # files and splits decide nothing
    ordered = pairs.take(order)
    references, model = encode_references(ordered), Blind(ordered)
    queries = []
    for number, row in enumerate(ordered.select(_own_columns(ordered)).to_pylist()):
        for side in SIDES:
            answer_type, choices = references.answer_type(side, number)
            key, question = f"{number} {side}", row[f"{side}_question"]
            queries.append(Query(key, question, question, answer_type, choices, fold=model.fold(row)))
    replies = {query.key: reply.text or "" for query, reply in model.ask(queries)}
    places = pc.sort_indices(order).to_pylist()
    first, second = ([replies[f"{place} {side}"] for place in places] for side in SIDES)
    return first, second


def _own_columns(pairs: pa.Table) -> list[str]:
    names = ("pair_id", "group_id", "original_image_id", "original_question", "perturbed_question")
    return [name for name in names if name in pairs.column_names]
