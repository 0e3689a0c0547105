from collections import Counter
from pathlib import Path

import pytest

from diptych.kg import wordnet
from diptych.scenegraphs import antonyms, attribute_classes, class_of, ontology, read_gqa, relation_words
from diptych.scenegraphs.ontology import read_table
from diptych.sources import require_file


def test_every_synset_of_the_table_exists() -> None:
    for name in ontology().synsets.values():
        assert wordnet().synset(name).name == name


@pytest.mark.parametrize(
    ("name", "synset"), [("bat", "bat.n.05"), ("glasses", "spectacles.n.01"), ("table", "table.n.02")]
)
def test_a_name_means_what_is_seen(name: str, synset: str) -> None:
    assert ontology().synsets[name] == synset


def test_nothing_is_above_itself() -> None:
    assert not [name for name, kinds in ontology().above.items() if name in kinds]


def test_a_toy_bear_is_no_animal() -> None:
    assert "animal" not in ontology().kinds_of("teddy bear") | ontology().kinds_of("stuffed animals")


def test_tires_make_the_absence_of_a_car_doubtful_and_the_reverse() -> None:
    assert "tire" in ontology().hides("car")
    assert "car" in ontology().hides("tire")


def test_opposites_are_opposite_both_ways_and_exclude_each_other() -> None:
    for (group, one), other in antonyms().items():
        assert antonyms()[group, other] == one
        assert attribute_classes()[group].excludes(one, other), (group, one, other)


def test_every_word_of_the_near_lists_is_a_value_or_harmless() -> None:
    for group in attribute_classes().values():
        assert len(group.values) == len(set(group.values)), group.name


@pytest.mark.real_data
def test_the_tables_cover_the_real_vocabulary(real_data: Path) -> None:
    graphs = list(read_gqa(require_file(real_data, "gqa", "val_sceneGraphs.json")))
    things = [thing for graph in graphs for thing in graph.objects]
    assert all(ontology().knows(thing.name) for thing in things)
    attributes = Counter(class_of(one, t.name) is not None for t in things for one in t.attributes)
    relations = Counter(name in relation_words() for t in things for name, _ in t.relations)
    assert attributes[True] / attributes.total() > 0.93
    assert relations[True] / relations.total() > 0.95


def test_relations_imply_relations_that_can_be_said() -> None:
    implies = read_table("relations")["implies"]
    assert set(implies) <= set(relation_words())
