"""The everyday families of words."""

import pytest

from diptych.files import read_package_toml
from diptych.kg import wordnet
from diptych.kg.families import family_of
from diptych.kg.senses import default_sense

TABLE = read_package_toml("diptych.kg", "everyday_families.toml")


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        *(("hat", "clothing"), ("bus", "vehicle"), ("couch", "furniture"), ("pizza", "food"), ("kitchen", "room")),
        *(("zebra", "animal"), ("girl", "person"), ("knee", "body part"), ("tennis", "sport"), ("wine", "drink")),
        *(("oven", "appliance"), ("street", "street and road"), ("towel", "household textile"), ("tree", "plant")),
    ],
)
def test_a_noun_is_of_the_family_that_people_would_name(word: str, expected: str) -> None:
    sense = default_sense(word, "n")
    assert sense is not None
    assert family_of(word, sense.name) == expected


def test_words_without_a_sense_or_a_family_are_others() -> None:
    assert family_of("frumbleworp", "") == family_of("frolicsome", "frolicsome.s.01") == "other"


def test_every_synset_of_the_table_is_in_wordnet_once() -> None:
    synsets = [synset for names in TABLE["noun"].values() for synset in names.split()]
    assert len(set(synsets)) == len(synsets)
    assert all(wordnet().synset(synset).pos == "n" for synset in synsets)


def test_every_adjective_of_the_table_is_in_wordnet_and_in_one_family() -> None:
    words = [word for names in TABLE["adjective"].values() for word in names.split()]
    assert len(set(words)) == len(words)
    assert all(wordnet().synsets(word, "a") for word in words)
