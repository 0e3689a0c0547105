"""The table of hard cases: one test per entry."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from diptych import language

CASES: dict[str, Any] = tomllib.loads(Path(__file__).with_name("hard_cases.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("expected", CASES["articles"])
def test_article(expected: str) -> None:
    article, phrase = expected.split(" ", 1)
    assert language.article(phrase) == article


@pytest.mark.parametrize(("singular", "plural"), CASES["plurals"].items())
def test_plural_and_singular(singular: str, plural: str) -> None:
    assert (language.plural(singular), language.singular(plural)) == (plural, singular)
    assert (language.is_plural(singular), language.is_plural(plural)) == (False, True)


@pytest.mark.parametrize("word", CASES["bare"]["mass"])
def test_mass_nouns_have_one_form_and_a_singular_verb(word: str) -> None:
    assert language.is_mass(word)
    assert {language.plural(word), language.singular(word), language.indefinite(word)} == {word}
    assert not language.is_plural(word)


@pytest.mark.parametrize("word", CASES["bare"]["plural_only"])
def test_plural_only_nouns_have_one_form_and_a_plural_verb(word: str) -> None:
    assert language.is_plural_only(word)
    assert {language.plural(word), language.singular(word), language.indefinite(word)} == {word}
    assert language.is_plural(word)


@pytest.mark.parametrize("word", CASES["bare"]["invariant"])
def test_invariant_nouns_have_one_form_and_an_article(word: str) -> None:
    assert {language.plural(word), language.singular(word)} == {word}
    assert language.indefinite(word) == f"{language.article(word)} {word}"
    assert language.is_plural(f"two {word}")


@pytest.mark.parametrize(("phrase", "question"), CASES["existence"].items())
def test_existence(phrase: str, question: str) -> None:
    verb = "Are" if language.is_plural(phrase) else "Is"
    assert f"{verb} there {language.with_any(phrase)}" == question


@pytest.mark.parametrize(("text", "count"), CASES["counts"].items())
def test_count(text: str, count: int) -> None:
    assert language.parse_count(text) == (None if count < 0 else count)


@pytest.mark.parametrize(("verb", "forms"), CASES["verbs"].items())
def test_verb_forms(verb: str, forms: list[str]) -> None:
    inflected = [language.gerund(verb), language.third_person(verb), language.past(verb), language.participle(verb)]
    assert inflected == forms
    assert {language.base(form) for form in (verb, *forms[:2])} == {verb}


@pytest.mark.parametrize(("form", "base"), CASES["bases"].items())
def test_base(form: str, base: str) -> None:
    assert language.base(form) == base


def test_the_table_holds_at_least_three_hundred_cases() -> None:
    noun_count = sum(map(len, CASES["bare"].values()))
    assert noun_count + sum(len(cases) for name, cases in CASES.items() if name != "bare") >= 300
