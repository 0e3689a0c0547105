"""The reviewed tables: every entry against WordNet, the user's own beside them, and the same in every build."""

import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from diptych.builders.kb._noun_tables import NounTables
from diptych.builders.kb._table_files import PACKAGE
from diptych.builders.kb._tables import load_tables
from diptych.errors import DiptychError
from diptych.kg import Synset, wordnet
from diptych.kg.senses import default_sense
from diptych.scenegraphs import ontology
from tests.builders.conftest import run
from tests.builders.kb.conftest import build_kb, make_facts, reworded

TOO_GENERAL = frozenset(
    "being structure device transport artifact implement object thing entity instrumentality".split()
)


@pytest.fixture(scope="module")
def tables() -> NounTables:
    return load_tables().nouns


def sense_of(entry: str) -> Synset:
    """The sense of an entry: a word, a synset, or a key of both."""
    sense = wordnet().synset(entry.split()[-1]) if "." in entry else default_sense(entry, "n")
    assert sense is not None, entry
    return sense


def all_entries(tables: NounTables) -> Iterator[tuple[str, str]]:
    yield from ((word, stand_in) for word, words in tables.narrower.items() for stand_in in words)
    yield from ((word, stand_in) for word, words in tables.contrasts.items() for stand_in in words)
    yield from ((member, kind.word) for kind in tables.kinds for member in kind.members)


def test_every_word_of_the_tables_is_a_noun_of_wordnet(tables: NounTables) -> None:
    for word, stand_in in all_entries(tables):
        assert sense_of(word).pos == "n"
        assert " of " in stand_in or sense_of(stand_in).pos == "n"


def test_no_kind_is_more_general_than_people_speak(tables: NounTables) -> None:
    assert not {kind.word for kind in tables.kinds} & TOO_GENERAL
    for kind in tables.kinds:
        for member in kind.members:
            assert sense_of(kind.sense).name != sense_of(member).name or member not in {kind.word}, (kind.word, member)


def test_no_kind_is_below_its_members(tables: NounTables) -> None:
    for kind in tables.kinds:
        for member in kind.members:
            sense = sense_of(member)
            is_below = sense != sense_of(kind.sense) and sense_of(kind.sense).is_a(sense)
            assert not is_below, (member, kind.word)


def test_a_contrast_is_neither_a_kind_of_the_other(tables: NounTables) -> None:
    for word, stand_ins in tables.contrasts.items():
        for stand_in in stand_ins:
            one, other = sense_of(word), sense_of(stand_in)
            for lower, upper in ((one, other), (other, one)):
                assert not lower.is_a(upper), (word, stand_in)
            for lower_name, upper_name in ((word, stand_in), (stand_in, word)):
                assert not ontology().is_a(lower_name, upper_name), (word, stand_in)


def test_a_narrower_word_is_no_wider_one(tables: NounTables) -> None:
    for word, stand_ins in tables.narrower.items():
        for stand_in in stand_ins:
            assert not sense_of(word).is_a(sense_of(stand_in)) or word == "people", (word, stand_in)
            assert not ontology().is_a(word, stand_in), (word, stand_in)


def test_the_tables_know_the_everyday_vocabulary(tables: NounTables) -> None:
    members = frozenset[str]().union(*(kind.members for kind in tables.kinds))
    assert len(members) >= 600
    assert len(tables.contrasts) >= 600
    assert len(tables.narrower) >= 180


# Every build makes the same of a question.


def test_two_halves_of_the_data_make_what_the_whole_makes(data: Path, tmp_path: Path) -> None:
    source = json.loads((data / "vg" / "question_answers.json").read_text())
    pairs = []
    for name, images in (("whole", source), ("first", source[::2]), ("second", source[1::2])):
        folder = tmp_path / name / "data" / "vg"
        folder.mkdir(parents=True)
        (folder / "question_answers.json").write_text(json.dumps(images))
        out = build_kb(folder.parent, tmp_path / name, "visual_genome").path
        rows = pq.read_table(out / "data" / "visual_genome").to_pylist()
        nouns = [row for row in rows if "_noun" in row["test"]]
        pairs.append({(row["test"], row["source_id"]): row["perturbed_question"] for row in nouns})
    whole, first, second = pairs
    assert first | second == whole
    assert len(whole) > 100


# The user's own tables.


def write_tables(folder: Path, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name.replace('_', '.')}.toml").write_text(text)
    return folder


def test_a_table_of_more_entries_extends_the_packages(tmp_path: Path) -> None:
    more = '[narrower]\ndog = "beagle"\ncat = ""\n'
    facts = make_facts(tables=load_tables(write_tables(tmp_path, narrower_more=more)))
    assert reworded("hyponym_noun", "Is the dog wet?", facts=facts) == "Is the beagle wet?"
    assert reworded("hyponym_noun", "Is the horse wet?", facts=facts) == "Is the pony wet?"
    assert reworded("hyponym_noun", "Is the cat wet?", facts=facts) == "the tables have no hyponym for its nouns"


def test_a_table_of_the_same_name_replaces_the_packages(tmp_path: Path) -> None:
    facts = make_facts(tables=load_tables(write_tables(tmp_path, contrasts='sets = "dog, horse"\n')))
    assert reworded("sibling_noun", "Is the dog wet?", facts=facts) == "Is the horse wet?"
    assert reworded("sibling_noun", "Is the fork wet?", facts=facts) == "the tables have no sibling for its nouns"
    assert reworded("hyponym_noun", "Is the horse wet?", facts=facts) == "Is the pony wet?"


def test_the_hash_changes_with_the_tables(tmp_path: Path) -> None:
    own = load_tables(write_tables(tmp_path, narrower_more='[narrower]\ndog = "beagle"\n'))
    assert own.hash != load_tables().hash == load_tables(PACKAGE).hash


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "narrower",
            '[narrower]\ndog = "puppy"\ncat = "kittten"\n',
            "narrower.toml:3: 'kittten' is not a noun in WordNet",
        ),
        ("narrower", '[narower]\ndog = "puppy"\n', "narrower.toml:1: 'narower' is not a section of this table"),
        ("narrower", "[narrower]\ndog = 3\n", "narrower.toml:2: 'dog' must be words in one string"),
        ("kinds", '[[kind]]\nword = "pet"\nsense = "pet.n.77"\n', "kinds.toml:3: 'pet.n.77' needs `word` and `sense`"),
        ("kinds", '[[kind]]\nword = "pet"\nsense = "pet.n.01"\nof = ""\n', "kinds.toml:4: 'of' is not a key of a kind"),
        ("contrasts", 'sets = "dog, catt"\n', "contrasts.toml:1: 'catt' is not a noun in WordNet"),
        ("ambiguous", '[only_with]\nbat = { "bat.n.99" = "cave" }\n', "ambiguous.toml:2: 'bat.n.99' is not a synset"),
        ("narrower", "[narrower\n", "narrower.toml: not valid TOML"),
        ("narrower", 'narrower = "dog"\n', "narrower.toml:1: 'narrower' must be a table"),
        ("kinds", 'kind = "dog"\n', "kinds.toml:1: 'kind' must be tables that begin with [[kind]]"),
        ("contrasts", "sets = 3\n", "contrasts.toml:1: 'sets' must be"),
        ("ambiguous", '[only_with]\nbat = "cave"\n', "ambiguous.toml:2: 'bat' must be senses with their words"),
        ("narrow", "", "unknown table in"),
    ],
)
def test_a_mistake_is_one_line_with_its_place(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(DiptychError) as caught:
        load_tables(write_tables(tmp_path, **{name: text}))
    assert message in str(caught.value)


def test_a_folder_without_tables_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DiptychError, match="no tables found"):
        load_tables(tmp_path)


def test_a_build_with_own_tables_keeps_them_and_is_built_again(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own, out = write_tables(tmp_path / "own", narrower_more='[narrower]\ndog = "beagle"\n'), tmp_path / "out"
    base = ("build", "kb-counterfactuals", "--data", data, "--config", "vqa_v2", "--no-pictures")
    assert run(*base, "--out", out, "--tables", own) == 0
    stored = out / "recipe" / "templates" / "kb-counterfactuals"
    assert {"narrower.toml", "narrower.more.toml", "kinds.toml"} <= {path.name for path in stored.iterdir()}
    recipe = json.loads((out / "manifest.json").read_text())["recipes"]["vqa_v2"]
    assert recipe["templates"] == load_tables(own).hash
    assert run("build", out, "--data", data) == 0
    assert "bit-identical" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("dataset", "option", "message"),
    [("kb-counterfactuals", "--templates", "pass --tables"), ("rad-cads", "--tables", "leave out --tables")],
)
def test_tables_are_no_templates(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], dataset: str, option: str, message: str
) -> None:
    assert run("build", dataset, "--data", data, "--out", tmp_path / "out", option, tmp_path) == 2
    assert message in capsys.readouterr().err


def test_the_example_of_the_documentation_does_what_it_says(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "counterfactuals.md").read_text()
    example = page.partition("<!-- example: narrower.more.toml -->\n```toml\n")[2].partition("```")[0]
    own = load_tables(write_tables(tmp_path, narrower_more=example))
    assert [stand_in.word for stand_in in own.nouns.find("hyponym", "dog", "dog.n.01")] == ["beagle", "dachshund"]
    assert own.nouns.find("hyponym", "cat", "cat.n.01") == []
    with pytest.raises(
        DiptychError, match=r"narrower.more.toml:3: 'beagel' is not a noun in WordNet; check the spelling"
    ):
        load_tables(write_tables(tmp_path, narrower_more=example.replace("beagle", "beagel")))
