import tomllib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from diptych.kg import wordnet
from diptych.scenegraphs import (
    ATTRIBUTE_CLASSES,
    RELATION_WORDS,
    SceneObject,
    antonyms,
    base_name,
    class_of,
    ontology,
    read_table,
    split_entries,
)
from diptych.sources import require_file
from tests.scenegraphs.readers import read_gqa

DECLINED = Path(__file__).parents[2] / "scripts" / "declined_neighbors.toml"


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


NEIGHBORS = read_table("neighbors")
NEIGHBOR_ENTRIES = [
    (section, key, split_entries(text))
    for section in ("called", "uses", "beside")
    for key, text in NEIGHBORS[section].items()
]


def is_known(name: str) -> bool:
    return ontology().knows(name) or name in ontology().members


def test_every_neighbor_is_an_object_name_and_is_listed_once() -> None:
    for section, key, names in NEIGHBOR_ENTRIES:
        assert is_known(key), (section, key)
        assert [name for name in names if not is_known(name)] == [], (section, key)
        assert names == sorted(set(names) - {key}), (section, key)


def test_a_person_in_the_tables_is_a_person_in_wordnet() -> None:
    person = wordnet().synset("person.n.01")
    names = [key for section, key, _ in NEIGHBOR_ENTRIES if section == "uses" and key in ontology().kinds]
    names += [name for key in ("male", "female", "roles") for name in split_entries(NEIGHBORS["persons"][key])]
    assert [name for name in names if not wordnet().synset(ontology().synsets[name]).is_a(person)] == []


def test_all_persons_but_men_and_women_may_be_called_alike() -> None:
    persons = {name for name, synset in ontology().synsets.items() if wordnet().synset(synset).lexname == "noun.person"}
    persons = {base_name(name) for name in persons} & ontology().members["person"]
    male, female = (set(split_entries(NEIGHBORS["persons"][key])) for key in ("male", "female"))
    assert len(persons) > 60
    for name in persons:
        others = persons - female if name in male else persons - male if name in female else persons
        assert others <= ontology().possible_names(name), name


def test_what_is_a_kind_in_wordnet_is_related_or_declined() -> None:
    """Every name below another by its synset; scripts/propose_neighbors.py asks for parts and usual senses as well."""
    names = {name: wordnet().synset(synset) for name, synset in ontology().synsets.items() if base_name(name) == name}
    own = {name: synset for name, synset in names.items() if name.replace(" ", "_") in synset.lemma_names}
    declined = tomllib.loads(DECLINED.read_text(encoding="utf-8"))["declined"]
    pairs = {frozenset((key, name)) for key, text in declined.items() for name in split_entries(text)}
    unrelated = [
        (name, kind)
        for name, synset in own.items()
        for kind, other in own.items()
        if name != kind and synset.is_a(other) and (ontology().is_foreground(name) or ontology().is_foreground(kind))
        if kind not in ontology().related_names(name) and frozenset((name, kind)) not in pairs
    ]
    assert unrelated == []


@pytest.mark.parametrize(
    ("asked", "annotated"),
    [
        ("man", "surfer"),
        ("woman", "skier"),
        ("snowboard", "snowboarder"),
        ("bicycle", "cyclist"),
        ("bun", "hot dog"),
        ("container", "bowl"),
        ("garment", "shirt"),
        ("shirt", "suit"),
        ("table", "tablecloth"),
        ("stool", "bar stool"),
        ("pizza", "pizza box"),
        ("roll", "hot dog"),
        ("man", "crowd"),
        ("catcher", "umpire"),
        ("frying pan", "skillet"),
    ],
)
def test_what_may_be_meant_or_seen_is_not_called_absent(asked: str, annotated: str) -> None:
    assert annotated in ontology().related_names(asked)


@pytest.mark.parametrize(
    ("asked", "annotated"),
    [("man", "woman"), ("girl", "man"), ("cat", "dog"), ("car", "boat"), ("bird", "tree"), ("cow", "horse")],
)
def test_what_is_another_thing_is_called_absent(asked: str, annotated: str) -> None:
    assert annotated not in ontology().related_names(asked)


def test_what_a_name_may_be_called_holds_both_ways() -> None:
    possible = ontology().possible_names_of
    assert [(name, other) for name, others in possible.items() for other in others if name not in possible[other]] == []
