from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from diptych.kg import wordnet
from diptych.scenegraphs import ATTRIBUTE_CLASSES, RELATION_WORDS, SceneObject, antonyms, class_of, ontology
from diptych.scenegraphs._ontology import read_table
from diptych.sources import require_file
from tests.scenegraphs.readers import read_gqa


def test_every_synset_of_the_table_exists() -> None:
    for name in ontology().synsets.values():
        assert wordnet().synset(name).name == name


@pytest.mark.parametrize(
    ("name", "synset"), [("bat", "bat.n.05"), ("glasses", "spectacles.n.01"), ("table", "table.n.02")]
)
def test_a_name_means_what_is_seen(name: str, synset: str) -> None:
    assert ontology().synsets[name] == synset


def test_nothing_is_above_itself() -> None:
    assert not [name for name, kinds in ontology().kinds.items() if name in kinds]


def test_a_toy_bear_is_no_animal() -> None:
    assert "animal" not in ontology().kinds_of("teddy bear") | ontology().kinds_of("stuffed animals")


def test_tires_make_the_absence_of_a_car_doubtful_and_the_reverse() -> None:
    assert "tire" in ontology().related_names("car")
    assert "car" in ontology().related_names("tire")


def test_opposites_are_opposite_both_ways_and_exclude_each_other() -> None:
    for (group, one), others in antonyms().items():
        for other in others:
            assert one in antonyms()[group, other]
            assert ATTRIBUTE_CLASSES[group].excludes(one, other), (group, one, other)


def test_every_word_of_the_near_lists_is_a_value_or_harmless() -> None:
    for group in ATTRIBUTE_CLASSES.values():
        assert len(group.values) == len(set(group.values)), group.name


@pytest.fixture(scope="module")
def real_things(real_data: Path) -> list[SceneObject]:
    graphs = read_gqa(require_file(real_data, "gqa", "val_sceneGraphs.json"))
    return [thing for graph in graphs for thing in graph.objects]


def share(outcomes: Iterable[bool]) -> float:
    """The share of occurrences that are covered."""
    counts = Counter(outcomes)
    assert counts.total() > 300
    return counts[True] / counts.total()


def is_action(attribute: str, name: str) -> bool:
    group = class_of(attribute, name)
    return group is not None and group.is_action


@pytest.mark.real_data
def test_the_object_table_covers_the_real_names(real_things: list[SceneObject]) -> None:
    assert share(ontology().knows(thing.name) for thing in real_things) >= 0.95


@pytest.mark.real_data
def test_the_attribute_table_covers_the_real_attributes(real_things: list[SceneObject]) -> None:
    assert share(class_of(word, thing.name) is not None for thing in real_things for word in thing.attributes) >= 0.95


@pytest.mark.real_data
def test_the_relation_table_covers_the_real_relations(real_things: list[SceneObject]) -> None:
    assert share(name in RELATION_WORDS for thing in real_things for name, _ in thing.relations) >= 0.95


@pytest.mark.real_data
def test_the_action_classes_cover_what_real_people_and_animals_do(real_things: list[SceneObject]) -> None:
    actors = [thing for thing in real_things if {"person", "animal"} & {thing.name, *ontology().kinds_of(thing.name)}]
    actions = [(word, t.name) for t in actors for word in t.attributes if word.partition(" ")[0].endswith("ing")]
    assert share(is_action(*action) for action in actions) >= 0.95


def test_relations_imply_relations_that_can_be_said() -> None:
    implies = read_table("relations")["implies"]
    assert set(implies) <= set(RELATION_WORDS)
