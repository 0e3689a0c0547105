"""What must hold for every object, attribute and relation name of GQA and Visual Genome."""

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from diptych import language

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "check_vocabulary.py"

# First sounds that differ from first letters, told apart here without the libraries the room stands on.
CONSONANT_SOUNDS = re.compile(r"one(?!r)|once|eu|ew|uni(?!n|m)|us[ae]|ut[ei]|uri|uku")
VOWEL_SOUNDS = re.compile(r"hour|heir|hono|hones|herb|(?:suv|rv|xbox|led|[fhlmnrsx])\b")

# Clippings of nouns that have no singular ("a pant"), names cut off by a bad stemmer, and words that are no nouns.
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
def words(real_data: Path) -> Any:
    if not (real_data / "gqa" / "graphvqa_name_gqa.txt").is_file():
        pytest.skip("no vocabularies in the real data")
    spec = importlib.util.spec_from_file_location("check_vocabulary", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module.read_vocabulary(real_data)


pytestmark = pytest.mark.real_data


def test_the_article_follows_the_first_sound(words: Any) -> None:
    names = [*words.objects, *words.attributes]
    assert [name for name in names if language.article(name) != expected_article(name)] == []


def test_an_attribute_before_an_object_decides_the_article(words: Any) -> None:
    wrong = [
        phrase
        for attribute in words.attributes
        for name in words.objects[::40]
        if language.article(phrase := f"{attribute} {name}") != expected_article(attribute)
    ]
    assert wrong == []


def test_an_attribute_does_not_change_the_number_of_an_object(words: Any) -> None:
    compounds = {"drinking glasses", "toilet tissue", "water glasses", "wine glasses"}
    phrases = [(attribute, name) for attribute in words.attributes for name in words.objects[::40]]
    phrases += [
        (attribute, name) for attribute in ("elevated", "one-story", "black and white") for name in words.objects
    ]
    wrong = [
        phrase
        for attribute, name in phrases
        if (phrase := f"{attribute} {name}") not in compounds
        and not (
            language.plural(phrase) == f"{attribute} {language.plural(name)}"
            and language.singular(phrase) == f"{attribute} {language.singular(name)}"
            and language.be(phrase) == language.be(name)
            and language.is_mass(phrase) == language.is_mass(name)
        )
    ]
    assert wrong == []


def test_plurals_are_plural_and_stay(words: Any) -> None:
    invariant = {name for name in words.objects if language.be(f"two {name}") != language.be(name)}
    count = [name for name in words.objects if not language.is_mass(name) and name not in invariant | NO_ROUND_TRIP]
    wrong = [name for name in count if not language.is_plural(language.plural(name))]
    unstable = [name for name in words.objects if language.plural(language.plural(name)) != language.plural(name)]
    assert (wrong, set(unstable) - NO_ROUND_TRIP) == ([], set())


def test_count_nouns_go_there_and_back(words: Any) -> None:
    names = [name for name in words.objects if name not in NO_ROUND_TRIP | MASS_PLURALS and not language.is_mass(name)]
    there = [name for name in names if not language.is_plural(name)]
    back = [name for name in names if language.is_plural(name)]
    assert [name for name in there if language.singular(language.plural(name)) != name] == []
    assert [name for name in back if language.plural(language.singular(name)) != name] == []


def test_names_listed_with_an_s_are_plurals_unless_stuff_or_irregular(words: Any, real_data: Path) -> None:
    """Alias lines pair a name with itself and an s, whether or not that is English."""
    lines = (real_data / "vg" / "object_alias.txt").read_text(encoding="utf-8").splitlines()
    listed = [line.split(",") for line in lines if re.fullmatch(r"(\w{3,}[^\Wsyfxhzo]),\1s", line)]
    irregular = {"bison", "candelabra", "cattle", "chilli", "craft", "deer", "hellman", "shrimp"}
    cut_off = {"barrack", "chari", "crossroad", "kansa", "physic", "specie", "vega"}
    regular = [(one, many) for one, many in listed if one not in irregular | cut_off and not language.is_mass(one)]
    assert len(regular) > 2000
    assert [one for one, many in regular if language.plural(one) != many or not language.is_plural(many)] == []


def test_verbs_of_relations_lead_to_one_base(words: Any) -> None:
    verbs = [name for name in words.relations if language.base(name) != name]
    forms = (language.gerund, language.third_person, language.base)
    assert len(verbs) > 200
    assert [verb for verb in verbs if {language.base(form(verb)) for form in forms} != {language.base(verb)}] == []


def test_every_ing_relation_is_its_own_gerund(words: Any) -> None:
    names = [name for name in words.relations if name.split()[0].endswith("ing")]
    assert [name for name in names if language.gerund(name) != name] == []
