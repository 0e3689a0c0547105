"""Inflection of every object, attribute and relation name of GQA and Visual Genome."""

import re
from pathlib import Path

import pytest

from diptych import language
from scripts.check_vocabulary import Vocabulary, read_vocabulary

# First sounds that differ from first letters, found here without the libraries that the package uses.
CONSONANT_SOUNDS = re.compile(r"one(?!r)|once|eu|ew|uni(?!n|m)|us[ae]|ut[ei]|uri|uku")
VOWEL_SOUNDS = re.compile(r"hour|heir|hono|hones|herb|(?:suv|rv|xbox|led|[fhlmnrsx])\b")

# Clipped nouns without a singular ("a pant"), names truncated by a bad stemmer, and words that are not nouns.
NO_ROUND_TRIP = {
    "baked good", "cactu", "earphone", "glass", "grocery", "headphone", "jean", "mashed potato", "octopu", "pajama",
    "pant", "pizza slouse", "plier", "scissor", "she", "short", "sunglass", "tenni", "toiletry", "trouser", "skiis",
}  # fmt: skip
MASS_PLURALS = {"candies", "fruits", "grasses", "meats", "papers", "wines"}


def expected_article(phrase: str) -> str:
    word = phrase.lower()
    vowel = VOWEL_SOUNDS.match(word) or (word[0] in "aeiou" and not CONSONANT_SOUNDS.match(word))
    return "an" if vowel else "a"


@pytest.fixture(scope="module")
def vocabulary(real_data: Path) -> Vocabulary:
    if not (real_data / "gqa" / "graphvqa_name_gqa.txt").is_file():
        pytest.skip("no vocabularies in the real data")
    return read_vocabulary(real_data)


pytestmark = pytest.mark.real_data


def test_the_article_follows_the_first_sound(vocabulary: Vocabulary) -> None:
    names = [*vocabulary.objects, *vocabulary.attributes]
    assert [name for name in names if language.article(name) != expected_article(name)] == []


def test_an_attribute_before_an_object_decides_the_article(vocabulary: Vocabulary) -> None:
    mistakes = [
        phrase
        for attribute in vocabulary.attributes
        for name in vocabulary.objects[::40]
        if language.article(phrase := f"{attribute} {name}") != expected_article(attribute)
    ]
    assert mistakes == []


def test_an_attribute_does_not_change_the_number_of_an_object(vocabulary: Vocabulary) -> None:
    compounds = {"drinking glasses", "toilet tissue", "water glasses", "wine glasses"}
    phrases = [(attribute, name) for attribute in vocabulary.attributes for name in vocabulary.objects[::40]]
    phrases += [
        (attribute, name) for attribute in ("elevated", "one-story", "black and white") for name in vocabulary.objects
    ]
    mistakes = [
        phrase
        for attribute, name in phrases
        if (phrase := f"{attribute} {name}") not in compounds
        and not (
            language.plural(phrase) == f"{attribute} {language.plural(name)}"
            and language.singular(phrase) == f"{attribute} {language.singular(name)}"
            and language.is_plural(phrase) == language.is_plural(name)
            and language.is_mass(phrase) == language.is_mass(name)
        )
    ]
    assert mistakes == []


def test_plurals_are_plural_and_stay(vocabulary: Vocabulary) -> None:
    names = [name for name in vocabulary.objects if name not in NO_ROUND_TRIP]
    invariants = {name for name in names if language.is_plural(f"two {name}") != language.is_plural(name)}
    count_nouns = [name for name in names if not language.is_mass(name) and name not in invariants]
    assert [name for name in count_nouns if not language.is_plural(language.plural(name))] == []
    assert [name for name in names if language.plural(language.plural(name)) != language.plural(name)] == []


def test_count_nouns_go_there_and_back(vocabulary: Vocabulary) -> None:
    exceptions = NO_ROUND_TRIP | MASS_PLURALS
    names = [name for name in vocabulary.objects if name not in exceptions and not language.is_mass(name)]
    plurals = [name for name in names if language.is_plural(name)]
    singulars = [name for name in names if not language.is_plural(name)]
    assert [name for name in singulars if language.singular(language.plural(name)) != name] == []
    assert [name for name in plurals if language.plural(language.singular(name)) != name] == []


def test_names_listed_with_an_s_are_plurals_unless_mass_or_irregular(real_data: Path) -> None:
    """Alias lines pair a name with itself and an s, whether or not that is English."""
    lines = (real_data / "vg" / "object_alias.txt").read_text(encoding="utf-8").splitlines()
    pairs = [line.split(",") for line in lines if re.fullmatch(r"(\w{3,}[^\Wsyfxhzo]),\1s", line)]
    irregular_nouns = {"bison", "candelabra", "cattle", "chilli", "craft", "deer", "hellman", "shrimp"}
    truncated_nouns = {"barrack", "chari", "crossroad", "kansa", "physic", "specie", "vega"}
    exceptions = irregular_nouns | truncated_nouns
    pairs = [(noun, plural) for noun, plural in pairs if noun not in exceptions and not language.is_mass(noun)]
    assert len(pairs) > 2000
    assert [noun for noun, plural in pairs if language.plural(noun) != plural or not language.is_plural(plural)] == []


def test_verbs_of_relations_lead_to_one_base(vocabulary: Vocabulary) -> None:
    verbs = [name for name in vocabulary.relations if language.base(name) != name]
    forms = (language.gerund, language.third_person, language.base)
    assert len(verbs) > 200
    assert [verb for verb in verbs if {language.base(form(verb)) for form in forms} != {language.base(verb)}] == []


def test_every_ing_relation_is_its_own_gerund(vocabulary: Vocabulary) -> None:
    names = [name for name in vocabulary.relations if name.split()[0].endswith("ing")]
    assert [name for name in names if language.gerund(name) != name] == []
