"""Senses against a file of questions labelled by hand, beside the first-sense baseline."""

from pathlib import Path

from diptych.builders.kb.tests import KbMaker
from diptych.builders.kb.world import KbWorld
from diptych.kg import wordnet
from diptych.language import QuestionParser
from diptych.pairs import Skip
from tests.builders.conftest import vqa_row

MAKER = KbMaker(KbWorld(QuestionParser()))
LABELLED = Path(__file__).with_name("kb_senses.txt")


def labelled() -> list[tuple[str, str, str]]:
    lines = [line for line in LABELLED.read_text(encoding="utf-8").splitlines() if "|" in line]
    return [tuple(part.strip() for part in line.split("|")) for line in lines]  # type: ignore[misc]


def chosen(question: str, word: str, pos: str) -> str | None:
    read = MAKER.read(vqa_row(question, "yes"))
    assert not isinstance(read, Skip)
    found = {"n": read.nouns, "v": read.verbs, "a": read.adjectives}[pos]
    return next((each.sense.name for each in found if each.word == word and each.sense), None)


def test_the_labels_are_senses_of_their_words() -> None:
    for question, word, sense in labelled():
        pos = sense.rsplit(".", 2)[1]
        assert wordnet().synset(sense) in wordnet().synsets(word.replace(" ", "_"), pos), (question, word, sense)


def test_senses_are_right_far_more_often_than_the_first_sense() -> None:
    rows = labelled()
    assert len(rows) >= 200
    right = first = 0
    for question, word, sense in rows:
        pos = sense.rsplit(".", 2)[1]
        right += chosen(question, word, pos) == sense
        first += wordnet().synsets(word.replace(" ", "_"), pos)[0].name == sense
    assert right / len(rows) >= 0.85
    assert right > first + 0.2 * len(rows)
