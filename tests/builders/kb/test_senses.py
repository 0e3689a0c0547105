"""Senses against a file of questions labeled by hand, beside the first-sense baseline."""

from pathlib import Path

from diptych.kg import wordnet
from tests.builders.kb.conftest import read

LABELED = Path(__file__).with_name("senses.txt")


def labeled_senses() -> list[tuple[str, str, str]]:
    lines = [line for line in LABELED.read_text(encoding="utf-8").splitlines() if "|" in line]
    return [tuple(part.strip() for part in line.split("|")) for line in lines]  # type: ignore[misc]


def chosen_sense(question: str, word: str, pos: str) -> str | None:
    candidate = read(question)
    targets = {"n": candidate.nouns, "v": candidate.verbs, "a": candidate.adjectives}[pos]
    return next((target.sense for target in targets if target.word == word and target.sense), None)


def test_the_labels_are_senses_of_their_words() -> None:
    for question, word, sense in labeled_senses():
        pos = sense.rsplit(".", 2)[1]
        assert wordnet().synset(sense) in wordnet().synsets(word.replace(" ", "_"), pos), (question, word, sense)


def test_senses_are_right_far_more_often_than_the_first_sense() -> None:
    rows = labeled_senses()
    assert len(rows) >= 200
    right = first = 0
    for question, word, sense in rows:
        pos = sense.rsplit(".", 2)[1]
        right += chosen_sense(question, word, pos) == sense
        first += wordnet().synsets(word.replace(" ", "_"), pos)[0].name == sense
    assert right / len(rows) >= 0.85
    assert right > first + 0.2 * len(rows)
