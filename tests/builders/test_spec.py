"""Parameters and configs: what a user or a recipe may set, and what is refused in one line."""

from typing import Any

import pyarrow as pa
import pytest

from diptych.builders import Config, DatasetSpec, Parameter, ParameterValue
from diptych.errors import BadInputError, DiptychError, UnknownNameError
from diptych.pairs import CORE_COLUMNS

TEXT = Parameter("ranker", "lasso", "A choice.", choices=("lasso", "bleu"))
NAME = Parameter("pool", "", "Any text.")
COUNT = Parameter("k", 21, "A count.", minimum=1, maximum=100)
SHARE = Parameter("share", 0.5, "A share.", minimum=0, maximum=1)
NUMBER = Parameter("weight", 2.0, "Any number.")
AT_LEAST = Parameter("limit", 0, "Zero or more.", minimum=0)
AT_MOST = Parameter("most", 5, "Five or less.", maximum=5)
SWITCH = Parameter("zero", False, "Yes or no.")

SPEC = DatasetSpec(
    name="toy",
    version="1.0.0",
    default_config="plain",
    columns={"rank": pa.int32()},
    parameters=(TEXT, COUNT, SWITCH),
    configs=(
        Config("plain", "Pairs.", tests=("toy.plain",)),
        Config("rows", "Rows.", schema=pa.schema([("id", pa.string())])),
    ),
)


@pytest.mark.parametrize(
    ("parameter", "text", "value"),
    [
        (TEXT, "bleu", "bleu"),
        (NAME, "", ""),
        (COUNT, "5", 5),
        (SHARE, "0.25", 0.25),
        (SHARE, "1", 1.0),
        (NUMBER, "-1e3", -1000.0),
        (SWITCH, "yes", True),
        (SWITCH, "TRUE", True),
        (SWITCH, "0", False),
    ],
)
def test_a_setting_is_read_as_the_type_of_its_parameter(parameter: Parameter, text: str, value: ParameterValue) -> None:
    parsed = parameter.parse(text)
    assert (parsed, type(parsed)) == (value, type(value))


@pytest.mark.parametrize(
    ("parameter", "text", "message"),
    [
        (COUNT, "five", "k=five: 'five' is not a whole number"),
        (COUNT, "5.5", "is not a whole number"),
        (COUNT, "0", "k=0: must be 1 to 100"),
        (COUNT, "101", "must be 1 to 100"),
        (COUNT, "9" * 400, "must be 1 to 100"),
        (COUNT, "9" * 5000, "is not a whole number"),
        (SHARE, "much", "'much' is not a number"),
        (SHARE, "1.5", "share=1.5: must be 0 to 1"),
        (SHARE, "nan", "must be 0 to 1"),
        (NUMBER, "inf", "must be finite"),
        (NUMBER, "nan", "must be finite"),
        (AT_LEAST, "-1", "must be at least 0"),
        (AT_MOST, "6", "must be at most 5"),
        (SWITCH, "maybe", "'maybe' is not true or false"),
        (TEXT, "blue", "did you mean 'bleu'?"),
        (NAME, "x" * 5000, "longer than 4,096 characters"),
    ],
)
def test_a_setting_that_cannot_be_used_is_one_line(parameter: Parameter, text: str, message: str) -> None:
    with pytest.raises(DiptychError) as refusal:
        parameter.parse(text)
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("parameter", "value", "message"),
    [
        (COUNT, "5", "k='5': must be a whole number"),
        (COUNT, True, "must be a whole number"),
        (COUNT, 5.0, "must be a whole number"),
        (COUNT, None, "must be a whole number"),
        (SHARE, float("inf"), "must be 0 to 1"),
        (SWITCH, 1, "must be true or false"),
        (TEXT, ["lasso"], "must be text"),
    ],
)
def test_a_value_of_the_wrong_type_is_refused(parameter: Parameter, value: Any, message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        parameter.check(value)


def test_a_whole_number_serves_where_any_number_does() -> None:
    value = SHARE.check(1)
    assert (value, type(value)) == (1.0, float)


def test_settings_are_read_by_name() -> None:
    assert SPEC.parse_parameters(("k=5", "zero=yes")) == {"k": 5, "zero": True}


def test_the_value_of_a_setting_may_hold_an_equals_sign() -> None:
    spec = DatasetSpec("toy", "1.0.0", SPEC.configs, "plain", parameters=(NAME,))
    assert spec.parse_parameters(("pool=a=b",)) == {"pool": "a=b"}


def test_a_setting_without_a_value_is_refused() -> None:
    with pytest.raises(BadInputError, match="--set k: must be KEY=VALUE"):
        SPEC.parse_parameters(("k",))


def test_an_unknown_parameter_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="unknown parameter of toy 'rankr'; did you mean 'ranker'"):
        SPEC.check_parameters({"rankr": "lasso"})


def test_an_unknown_config_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="unknown config of toy 'plane'; did you mean 'plain'"):
        SPEC.config("plane")


def test_pairs_have_the_core_columns_and_those_of_the_dataset() -> None:
    assert SPEC.schema(SPEC.config("plain")).names == [*CORE_COLUMNS, "rank"]


def test_rows_that_are_not_pairs_have_columns_of_their_own() -> None:
    assert SPEC.schema(SPEC.config("rows")).names == ["id"]
