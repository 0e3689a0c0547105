"""The reviewed synonyms of adjectives and verbs: the tables against WordNet, and what stands in where."""

import re
from pathlib import Path

import pytest

from diptych.builders.kb._synonym_links import link_synonym
from diptych.builders.kb._tables import load_tables
from diptych.errors import BadTemplateError
from diptych.pairs import Pair
from tests.builders.kb.conftest import make_facts, make_pair, outcome, reworded

ENTRIES = [
    (part, word, entry)
    for part, by_word in load_tables().synonyms.entries.items()
    for word, entries in by_word.items()
    for entry in entries
]


def test_the_tables_cover_hundreds_of_everyday_words() -> None:
    words = {part: {word for table, word, _ in ENTRIES if table == part} for part in ("adjective", "verb")}
    assert min(map(len, words.values())) >= 300


def test_most_synonyms_are_near_in_wordnet_and_the_others_say_so() -> None:
    links = [link_synonym(part, word, entry.tail, new) for part, word, entry in ENTRIES for new in entry.stand_ins]
    near = [link for link in links if link.path == "wordnet"]
    assert len(near) > 0.8 * len(links)
    assert all((link.distance <= 4) == (link.path == "wordnet") for link in links)


def test_a_word_never_stands_in_for_itself() -> None:
    assert all(word not in entry.stand_ins for _, word, entry in ENTRIES if not entry.tail)


def test_what_keeps_an_answer_is_in_wordnet_too() -> None:
    """An exact synonym of the table asserts an answer only where WordNet has both words in one sense."""
    pair = make_pair("synonym_adjective", "Is there a small dog?")
    assert (pair.expectation, pair.extra["distance"]) == ("same", 0)
    assert make_pair("synonym_adjective", "Is there a happy dog?").expectation == "open"
    assert make_pair("synonym_verb", "Is there a man sitting here?").expectation in {"same", "open"}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Is this an old man?", "Is this an elderly man?"),
        ("Is this an old car?", "Is this an antique car?"),
        ("Is the door open?", "Is the door opened?"),
        ("Is this open land?", "no synonym of its adjectives fits the neighboring words"),
        ("Is the sky clear?", "Is the sky cloudless?"),
        ("Is the glass clear?", "Is the glass transparent?"),
        ("Is the meal healthy?", "Is the meal nutritious?"),
        ("Is the dog healthy?", "Is the dog in good health?"),
        ("Is it a little kids room?", "no synonym of its adjectives fits the neighboring words"),
        ("Is this a little bird?", "Is this a small bird?"),
        ("Is the tame horse big?", "Is the domesticated horse big?"),
        ("Is he aware?", "the tables have no synonym for its adjectives"),
    ],
)
def test_an_adjective_is_replaced_by_what_is_said_of_its_noun(question: str, expected: str) -> None:
    assert reworded("synonym_adjective", question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Is the man wearing a suit?", "Is the man (dressed|clad) in a suit?"),
        ("Does he wear a hat?", "Does he sport a hat?"),
        ("Is the TV turned on?", "Is the TV switched on?"),
        ("Are they getting on the bus?", "Are they boarding the bus?"),
        ("Is he looking at the camera?", "Is he (gazing|staring) at the camera?"),
        ("Does he look happy?", "Does he (appear|seem) happy?"),
        ("What does the sign say?", "What does the sign (read|state)?"),
        ("Is he getting ready to swing?", "Is he preparing to swing?"),
        ("What is the wall made of?", "What is the wall constructed of?"),
        ("What is going on here?", "What is happening here?"),
        ("Who is sitting on the bench?", "Who is seated on the bench?"),
        ("What is sitting on the table?", "What is resting on the table?"),
        ("Is the person standing?", "Is the person standing up?"),
        ("What are they waiting for?", "What are they awaiting?"),
        ("Did he pick up the box?", "Did he lift the box?"),
        ("Was he cutting the pizza?", "Was he slicing the pizza?"),
        ("Is he putting on his shoes?", "Is he donning his shoes?"),
        ("Does she carry an umbrella?", "Does she tote an umbrella?"),
        ("Is the truck carrying boxes?", "Is the truck transporting boxes?"),
        ("Is he walking his dog?", "no synonym of its verbs fits the neighboring words"),
    ],
)
def test_a_verb_is_replaced_with_its_particles_and_in_its_form(question: str, expected: str) -> None:
    assert re.fullmatch(expected.replace("?", r"\?"), reworded("synonym_verb", question))


def test_of_several_stand_ins_the_id_of_the_question_decides() -> None:
    question = "What is the man holding?"

    def new_words() -> list[str]:
        return [make_pair("synonym_verb", question, question_id=str(n)).extra["replacement"] for n in range(40)]

    assert set(new_words()) == {"clutch", "grip", "grasp"}
    assert new_words() == new_words()


def test_no_synonym_is_said_that_the_question_or_its_answers_have() -> None:
    reason = "the synonym is in the question or its answer already"
    assert reworded("synonym_adjective", "Is the big dog near the large cat?") == reason
    result = outcome("synonym_adjective", "Is the dog tired?", answer="weary")
    assert not isinstance(result, Pair)
    assert result.reason == reason


def write_tables(folder: Path, verbs: str) -> Path:
    (folder / "verbs.more.toml").write_text(f"[verb]\n{verbs}\n")
    return folder


def test_a_users_table_adds_and_replaces_entries(tmp_path: Path) -> None:
    folder = write_tables(tmp_path, 'wear = [{ to = "don" }]\nyawn = [{ to = "gape", subject = "@animal" }]')
    facts = make_facts(tables=load_tables(folder))
    assert make_pair("synonym_verb", "Is he wearing a hat?", facts=facts).extra["replacement"] == "don"
    assert make_pair("synonym_verb", "Is the lion yawning?", facts=facts).extra["replacement"] == "gape"
    assert not isinstance(outcome("synonym_verb", "Is the man yawning?", facts=facts), Pair)


def test_the_example_of_the_documentation_is_a_table(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "counterfactuals.md").read_text()
    example = page.partition("<!-- example: verbs.more.toml -->\n```toml\n[verb]\n")[2].partition("```")[0]
    facts = make_facts(tables=load_tables(write_tables(tmp_path, example)))
    assert make_pair("synonym_verb", "Does he wear a hat?", facts=facts).perturbed.question == "Does he sport a hat?"
    assert make_pair("synonym_verb", "Is the lamp turned on?", facts=facts).extra["replacement"] == "switch on"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ('yawn = "gape"', "'yawn' must be a list of entries"),
        ("yawn = [{ to = 'gape', on = 'x' }]", "'yawn' has 'on', which is not one of"),
        ("yawn = [{ subject = 'man' }]", "'yawn' must have either `to` or `as`"),
        ("yawn = [{ to = 'gape', share = 2 }]", "'yawn' must have a share"),
        ("yawn = [{ to = 'frumbleworp' }]", "WordNet does not have: 'frumbleworp'"),
        ("yawn = [{ to = '' }]", "'yawn' has no replacement"),
    ],
)
def test_an_entry_that_cannot_be_understood_is_named_with_its_line(entry: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(BadTemplateError, match=r"verbs\.more\.toml:2: ") as error:
        load_tables(write_tables(tmp_path, entry))
    assert message in str(error.value)
