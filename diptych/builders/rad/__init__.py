"""`rad-cads`: counterfactual yes/no questions from colour, count and kind questions (RAD, Rosenberg et al. 2021)."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import datasets
import pyarrow as pa

from diptych.builders.base import PairBuilder, PairConfig, SplitInput
from diptych.builders.engine import World
from diptych.builders.rad import baselines, color, how_many, what_kind
from diptych.builders.rad.baselines import ImportMaker
from diptych.builders.rad.inputs import downloads_of, read_inputs, splits_present
from diptych.builders.rad.matched import matched_values
from diptych.builders.rad.reading import RadWorld
from diptych.builders.rad.tests import RadMaker, middle_of, values_of
from diptych.language import QuestionParser
from diptych.templates import TemplateSet

THREE = (color.TEST, how_many.TEST, what_kind.TEST)


def _config(name: str, description: str, source: str, *tests: str, **more: Any) -> PairConfig:
    return PairConfig(name=name, description=description, source=source, tests=tests, **more)


class RadCads(PairBuilder):
    """RAD's counterfactual pairs and the augmentations the paper compares them with."""

    DATASET = "rad-cads"
    VERSION = datasets.Version("1.0.0")
    DEFAULT_CONFIG_NAME = "vqa_v2"
    EXTRA: ClassVar = {"agreement": pa.int8()}
    BUILDER_CONFIGS: ClassVar = [
        _config(
            "vqa_v2",
            "The paper's three tests on VQA v2.",
            "vqa_v2",
            *THREE,
            unites=("yn_from_color", "yn_from_how_many", "yn_from_what_kind"),
        ),
        _config("yn_from_color", "Y/N←C: what color is the …", "vqa_v2", color.TEST),
        _config("yn_from_how_many", "Y/N←HM: how many …", "vqa_v2", how_many.TEST),
        _config("yn_from_what_kind", "Y/N←WK: what kind of … is this", "vqa_v2", what_kind.TEST),
        _config("yn_from_colors", "What color are the …: beyond the paper.", "vqa_v2", color.PLURAL_TEST),
        _config(
            "matched",
            "The three tests with wrong values that the text does not give away.",
            "vqa_v2",
            *THREE,
            parameters={"values": "matched"},
        ),
        _config(
            "with_zero",
            "Y/N←HM with counts of zero, as in the paper: 'Are there zero dogs?'.",
            "vqa_v2",
            how_many.TEST,
            parameters={"zero": True},
        ),
        _config("vqa_v1", "The three tests on VQA v1.", "vqa_v1", *THREE),
        _config("vqa_cp_v2", "The three tests on VQA-CP v2.", "vqa_cp_v2", *THREE),
        _config("visdial", "Colours and counts in VisDial's dialogs.", "visdial", color.TEST, how_many.TEST),
        _config("convqa_l", "ConVQA's logical sets.", "convqa_l", baselines.CONVQA_L),
        _config("convqa_cs", "ConVQA's common-sense sets.", "convqa_cs", baselines.CONVQA_CS),
        _config("rephrasings", "VQA-Rephrasings.", "rephrasings", baselines.REPHRASING),
        _config("back_translations", "Back-translations.", "back_translations", baselines.BACK_TRANSLATION),
    ]

    @classmethod
    def present(cls, part: PairConfig, data: Path) -> bool:
        """Whether a split of the config's source is there."""
        return bool(splits_present(part.source, data))

    def downloads(self, part: PairConfig) -> Mapping[str, tuple[str, ...]]:
        """The files of the config's source."""
        return downloads_of(part.source)

    def inputs(self, part: PairConfig, data: Path) -> list[SplitInput]:
        """The questions each test may be for, by split."""
        return read_inputs(part.source, part.tests, data)

    def world(self, part: PairConfig, given: SplitInput, templates: TemplateSet) -> World:
        """Templates, parser and the values that answer these questions."""
        if part.tests[0].startswith(("rad.convqa", "rad.rephrasing", "rad.back")):
            return ImportMaker(part.tests[0])
        known = RadWorld(
            templates,
            QuestionParser(part.tagger),
            values={test: values_of(test, given.rows) for test in part.tests},
            seed=part.seed,
            zero=bool(part.parameters.get("zero")),
        )
        known = replace(known, middle={test: middle_of(test, given.rows, known) for test in part.tests})
        if part.parameters.get("values") == "matched":
            planned = matched_values(RadMaker(known, part.tests).readings(given.rows), part.seed)
            known = replace(known, matched=planned)
        return RadMaker(known, part.tests)
