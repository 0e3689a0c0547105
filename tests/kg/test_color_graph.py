"""The graph of named colors: the paper's printed distances, the right ones, and CIEDE2000's own test data."""

import numpy as np
import pytest

from diptych.errors import UnknownNameError
from diptych.kg import colors
from diptych.kg.colors import EVERYDAY_COLORS, ciede2000, color_graph, lab_of, palette_colors

# Sharma, Wu and Dalal (2005), Table 1: some of the pairs that tell a right implementation from a wrong one.
SHARMA = [
    ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
    ((50, 3.1571, -77.2803), (50, 0, -82.7485), 2.8615),
    ((50, 2.49, -0.001), (50, -2.49, 0.0009), 7.1792),
    ((50, 2.49, -0.001), (50, -2.49, 0.0011), 7.2195),
    ((50, 2.5, 0), (73, 25, -18), 27.1492),
    ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ((2.0776, 0.0795, -1.135), (0.9033, -0.0636, -0.5514), 0.9082),
]


@pytest.mark.parametrize(("lab_a", "lab_b", "expected"), SHARMA)
def test_ciede2000(lab_a: tuple[float, ...], lab_b: tuple[float, ...], expected: float) -> None:
    assert float(ciede2000(np.array(lab_a, float), np.array(lab_b, float))) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(
    ("metric", "name", "expected"),
    [
        ("paper", "orchid", 6.16),
        ("paper", "deepskyblue", 207.88),
        ("ciede2000", "orchid", 5.65),
        ("ciede2000", "deepskyblue", 49.92),
    ],
)
def test_the_distances_the_paper_prints_and_the_right_ones(metric: str, name: str, expected: float) -> None:
    distances = {color.name: distance for distance, color in color_graph(metric=metric).ordered("violet")}
    assert round(distances[name], 2) == expected


def test_the_palettes_have_all_their_names() -> None:
    assert len(color_graph("css4").names) == 148
    assert len(color_graph("xkcd").names) == 949


def test_a_color_is_never_its_own_neighbor() -> None:
    graph = color_graph()
    for name in ("cyan", "gray", "magenta"):
        assert all(distance > 0 for distance, _ in graph.ordered(name))
    assert "aqua" not in {color.name for _, color in graph.ordered("cyan")}


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="orchid"):
        color_graph().ordered("orchidd")
    with pytest.raises(UnknownNameError, match="ciede2000"):
        color_graph(metric="rgb")


def test_names_that_css_gives_to_another_color_are_placed_by_the_survey() -> None:
    survey = {color.name: color.rgb for color in palette_colors("xkcd")}
    names = {
        color.text
        for color in palette_colors("css4")
        if color.text in survey
        and color.text.isalpha()
        and ciede2000(*(lab_of(np.array(rgb) / 255) for rgb in (color.rgb, survey[color.text]))) > 15
    }
    assert names - EVERYDAY_COLORS - {"violet"} == colors._SURVEYED_COLORS - EVERYDAY_COLORS


def test_brown_is_no_red_but_for_the_paper() -> None:
    def nearest(metric: str) -> list[str]:
        return [color.name for _, color in color_graph(metric=metric).ordered("brown")[:2]]

    assert nearest("ciede2000") == ["saddlebrown", "chocolate"]
    assert nearest("paper")[0] == "firebrick"


def test_a_phrase_is_a_name_of_the_palette_or_of_the_survey() -> None:
    graph = color_graph()
    assert [graph.spelling(words) for words in ("light green", "dark pink", "greyish")] == [
        *("lightgreen", "xkcd:dark pink"),
        "xkcd:greyish",
    ]
    assert graph.ordered("xkcd:dark pink")[0][1].name in graph.names
