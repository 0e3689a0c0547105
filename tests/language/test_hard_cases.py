"""The table of hard cases: one test an entry."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from diptych import language

CASES: dict[str, Any] = tomllib.loads(Path(__file__).with_name("hard_cases.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("expected", CASES["articles"])
def test_article(expected: str) -> None:
    assert language.with_article(expected.split(" ", 1)[1]) == expected


@pytest.mark.parametrize(("one", "many"), CASES["plurals"].items())
def test_plural_and_singular(one: str, many: str) -> None:
    assert (language.plural(one), language.singular(many)) == (many, one)
    assert (language.is_plural(one), language.is_plural(many)) == (False, True)


@pytest.mark.parametrize("word", CASES["bare"]["mass"])
def test_mass_nouns_have_one_form_and_a_singular_verb(word: str) -> None:
    assert language.is_mass(word)
    assert {language.plural(word), language.singular(word), language.indefinite(word)} == {word}
    assert (language.be(word), language.does(word)) == ("is", "does")


@pytest.mark.parametrize("word", CASES["bare"]["plural_only"])
def test_plural_only_nouns_have_one_form_and_a_plural_verb(word: str) -> None:
    assert language.is_plural_only(word)
    assert {language.plural(word), language.singular(word), language.indefinite(word)} == {word}
    assert (language.be(word), language.does(word)) == ("are", "do")


@pytest.mark.parametrize("word", CASES["bare"]["invariant"])
def test_invariant_nouns_have_one_form_and_an_article(word: str) -> None:
    assert {language.plural(word), language.singular(word)} == {word}
    assert language.indefinite(word) == f"{language.article(word)} {word}"
    assert language.be(f"two {word}") == "are"


@pytest.mark.parametrize(("phrase", "question"), CASES["existence"].items())
def test_existence(phrase: str, question: str) -> None:
    assert f"{language.be(phrase).title()} there {language.with_any(phrase)}" == question


@pytest.mark.parametrize(("text", "count"), CASES["counts"].items())
def test_count(text: str, count: int) -> None:
    assert language.parse_count(text) == (None if count < 0 else count)


@pytest.mark.parametrize(("verb", "forms"), CASES["verbs"].items())
def test_verb_forms(verb: str, forms: list[str]) -> None:
    made = [language.gerund(verb), language.third_person(verb), language.past(verb), language.participle(verb)]
    assert made == forms
    assert {language.base(form) for form in (verb, *forms[:2])} == {verb}


@pytest.mark.parametrize(("form", "base"), CASES["bases"].items())
def test_base(form: str, base: str) -> None:
    assert language.base(form) == base


def test_the_table_holds_at_least_three_hundred_cases() -> None:
    bare = sum(map(len, CASES["bare"].values()))
    assert bare + sum(len(cases) for name, cases in CASES.items() if name != "bare") >= 300
