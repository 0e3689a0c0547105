"""What a dataset is, as data: its configs, parameters, columns, scores, and what its audit and card must show."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf, isfinite
from typing import Any, cast

import pyarrow as pa

from diptych.builders._printed import PrintedTable
from diptych.errors import BadInputError, UnknownNameError, look_up
from diptych.pairs import pair_schema

ParameterValue = str | int | float | bool

LONGEST_VALUE = 4096  # characters of a parameter's value
_LARGEST_INTEGER = 2**63 - 1  # what JSON and Arrow can store
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_BOOLEANS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A value that a user may set, with its type (that of the default), its choices and its range."""

    name: str
    default: ParameterValue
    help: str
    choices: tuple[ParameterValue, ...] = ()
    minimum: float = -inf
    maximum: float = inf
    names_resource: bool = False
    """Whether its value names a file or a model that is loaded: one that a recipe names must be confirmed."""
    validate: Callable[[Any], object] | None = None  # refuses a text that cannot be read as what it stands for

    @property
    def type(self) -> type:
        """The type of the value."""
        return type(self.default)

    def parse(self, text: str) -> ParameterValue:
        """Read a value from the command line.

        >>> Parameter("k", 21, "How many questions are ranked.", minimum=1).parse("5")
        5
        """
        try:
            value: Any = _BOOLEANS[text.lower()] if self.type is bool else self.type(text)
        except (KeyError, ValueError):
            raise BadInputError(f"{self.name}={text}: {text!r} is not {_TYPE_NAMES[self.type]}") from None
        return self.check(value)

    def check(self, value: Any) -> ParameterValue:
        """A value of the right type and within its range, or one clear line."""
        if self.type is float and type(value) is int and abs(value) <= _LARGEST_INTEGER:
            value = float(value)
        if type(value) is not self.type:
            raise BadInputError(f"{self.name}={value!r}: must be {_TYPE_NAMES[self.type]}")
        if self.choices and value not in self.choices:
            raise UnknownNameError.among(f"value of {self.name}", str(value), map(str, self.choices))
        if isinstance(value, str) and len(value) > LONGEST_VALUE:
            raise BadInputError(f"{self.name}: longer than {LONGEST_VALUE:,} characters")
        if isinstance(value, str) and _UNSTORABLE.search(value):
            raise BadInputError(f"{self.name}={value!r}: contains a character that cannot be stored in a file")
        if isinstance(value, int | float) and not self._in_range(value):
            raise BadInputError(f"{self.name}={value}: must be {self._range_text()}")
        if self.validate is not None:
            self.validate(value)
        return cast("ParameterValue", value)

    def _in_range(self, value: float) -> bool:
        is_storable = abs(value) <= _LARGEST_INTEGER if isinstance(value, int) else isfinite(value)
        return is_storable and self.minimum <= value <= self.maximum

    def _range_text(self) -> str:
        if self.maximum == inf:
            return "finite" if self.minimum == -inf else f"at least {self.minimum:g}"
        return f"at most {self.maximum:g}" if self.minimum == -inf else f"{self.minimum:g} to {self.maximum:g}"


IMAGES, EMBED = "images", "embed"
_IMAGES_HELP = (
    "What rows contain of their pictures: file names (and pictures drawn by the build), all pictures, or only recipes."
)
IMAGES_PARAMETER = Parameter(IMAGES, "file", _IMAGES_HELP, choices=("file", EMBED, "recipe"))
"""What every dataset publishes of its pictures."""

_TYPE_NAMES: Mapping[type, str] = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


@dataclass(frozen=True, slots=True)
class Config:
    """One config of a dataset; a config that unites others has no files of its own."""

    name: str
    description: str
    source: str = ""  # the source of its records, by its name in the catalog
    tests: tuple[str, ...] = ()  # the tests its pairs belong to; a config without tests holds rows that are not pairs
    unites: tuple[str, ...] = ()
    splits: tuple[str, ...] = ()  # of the configs it unites, only these splits; empty means all
    parameters: Mapping[str, ParameterValue] = field(default_factory=dict)
    """Values that differ from the defaults of the dataset."""
    requires: str = ""  # a parameter without which the config is not built
    on_request: bool = False  # whether it is built only where it is named
    columns: Mapping[str, pa.DataType] = field(default_factory=dict)  # typed columns that only its pairs have
    schema: pa.Schema | None = None  # its columns, where its rows are not pairs


@dataclass(frozen=True, slots=True)
class LeakRule:
    """Where neither wording nor gist may give the answer away: in some configs, or with some values of parameters."""

    configs: tuple[str, ...] = ()
    parameters: Mapping[str, ParameterValue] = field(default_factory=dict)
    unless: Mapping[str, ParameterValue] = field(default_factory=dict)  # with these values nothing is required

    def applies(self, config: str, parameters: Mapping[str, ParameterValue]) -> bool:
        """Whether it applies to a config with some parameters."""
        is_named = config in self.configs or _any_equal(self.parameters, parameters)
        return is_named and not _any_equal(self.unless, parameters)


def _any_equal(wanted: Mapping[str, ParameterValue], parameters: Mapping[str, ParameterValue]) -> bool:
    return any(parameters.get(name) == value for name, value in wanted.items())


@dataclass(frozen=True, slots=True)
class AuditRules:
    """What the audit of a dataset must show."""

    leak_free: LeakRule = LeakRule()
    broken_grammar: frozenset[str] = frozenset()
    """Tests whose questions are broken on purpose: slips of English are no errors there."""
    several_questions: frozenset[str] = frozenset()
    """Tests whose perturbed side is several questions, or words in no order: English is not checked there."""


@dataclass(frozen=True, slots=True)
class DatasetSpec:
    """All facts about a dataset. Other rooms ask the spec and never test for a dataset's name."""

    name: str
    version: str
    configs: tuple[Config, ...]
    default_config: str
    title: str = ""  # what the card calls it, where there are no release notes
    description: str = ""
    parameters: tuple[Parameter, ...] = ()
    columns: Mapping[str, pa.DataType] = field(default_factory=dict)  # typed columns of its own, after the core columns
    uses_tagger: bool = False
    templates: str = ""
    """`package` where templates ship with the dataset, `sources` where they are read off the sources, `tables` where
    reviewed tables of words take their place, else empty."""
    score_family: str = "all"  # the family of scores that fits it, as `diptych.metrics` names them
    group_columns: tuple[str, ...] = ()  # columns by which its scores are reported, besides those of the family
    judged_splits: tuple[str, ...] = ("test", "validation", "train")
    """The split that models are judged on: the first of these that a config has."""
    audit: AuditRules = AuditRules()
    authors_names: Mapping[str, str] = field(default_factory=dict)
    """Test to the name that the paper's authors gave its files."""
    review_causes: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: {"template": ("template_id",)})
    """What pairs rest on and people may reject as a whole: a name, and the columns (or `bindings.KEY`) that say it."""
    dependent_splits: Mapping[str, str] = field(default_factory=dict)
    """A split of records that are there because of the pairs that another split makes from them, to that split."""
    oracle: str = ""  # `module:function` that answers every question again from the source files
    printed: tuple[PrintedTable, ...] = ()  # what the paper prints for models
    card: str = ""  # `package:file` of the template of its card, for a dataset of another package

    @property
    def all_parameters(self) -> dict[str, Parameter]:
        """Its parameters by name, with those that every dataset has."""
        return {IMAGES: IMAGES_PARAMETER} | {parameter.name: parameter for parameter in self.parameters}

    def config(self, name: str) -> Config:
        """A config by name; an unknown name lists the known ones."""
        return look_up(f"config of {self.name}", name, {config.name: config for config in self.configs})

    def parameter(self, name: str) -> Parameter:
        """A parameter by name; an unknown name lists the known ones."""
        return look_up(f"parameter of {self.name}", name, self.all_parameters)

    def schema(self, config: Config) -> pa.Schema:
        """The columns of a config."""
        return config.schema or pair_schema({**self.columns, **config.columns})

    def check_parameters(self, values: Mapping[str, Any]) -> dict[str, ParameterValue]:
        """The values of parameters, each of its type and within its range."""
        return {name: self.parameter(name).check(value) for name, value in values.items()}

    def parse_parameters(self, settings: tuple[str, ...]) -> dict[str, ParameterValue]:
        """The values of `KEY=VALUE` settings."""
        values: dict[str, ParameterValue] = {}
        for setting in settings:
            name, equals, text = setting.partition("=")
            if not equals:
                raise BadInputError(f"--set {setting}: must be KEY=VALUE")
            values[name] = self.parameter(name).parse(text)
        return values
