"""WordNet in the package: facts anyone can check on WordNet's own site."""

import pickle
import subprocess
import sys
from pathlib import Path

import networkx as nx
import pytest

from diptych.errors import BadInputError, DiptychError, MissingFileError, UnknownNameError
from diptych.kg import Synset, hypernym_path, wordnet
from diptych.kg._wordnet_table import POS_ORDER, TABLE, load_table


def synset(name: str) -> Synset:
    return wordnet().synset(name)


def words_of(pos: str) -> list[str]:
    return list(map(wordnet().table.key, wordnet().table.entries(pos)))


def names(synsets: object) -> list[str]:
    return [synset.name for synset in synsets]  # type: ignore[attr-defined]


# Words and names.


def test_the_senses_of_a_word_come_in_the_order_of_wordnet() -> None:
    assert names(wordnet().synsets("dog")) == [
        *("dog.n.01", "frump.n.01", "dog.n.03", "cad.n.01", "frank.n.02", "pawl.n.01", "andiron.n.01", "chase.v.01")
    ]


def test_a_part_of_speech_narrows_the_senses() -> None:
    assert names(wordnet().synsets("dog", "v")) == ["chase.v.01"]


def test_adjectives_include_satellites_which_can_be_asked_for_alone() -> None:
    assert names(wordnet().synsets("red", "a")) == ["red.s.01", "crimson.s.02", "crimson.s.03"]
    assert [sense.pos for sense in wordnet().synsets("good", "a")[:3]] == ["a", "s", "a"]
    assert {sense.pos for sense in wordnet().synsets("good", "s")} == {"s"}


def test_a_word_is_found_in_any_case() -> None:
    assert wordnet().synsets("PARIS") == wordnet().synsets("paris") != ()


@pytest.mark.parametrize("word", ["xyzzy", "", " ", "fire hydrant", "ß", "\ud800", "a" * 1000, "\0", "~"])
def test_an_unknown_word_has_no_senses(word: str) -> None:
    assert wordnet().synsets(word) == ()


def test_the_first_and_the_last_word_of_each_part_of_speech_are_found() -> None:
    for pos in "nvar":
        words = words_of(pos)
        assert wordnet().synsets(words[0], pos)
        assert wordnet().synsets(words[-1], pos)


def test_there_are_as_many_words_as_wordnet_says() -> None:
    # The statistics of WordNet 3.0 (its manual page wnstats.7WN).
    assert [len(words_of(pos)) for pos in "nvar"] == [117798, 11529, 21479, 4481]
    assert len({word for pos in POS_ORDER for word in words_of(pos)}) == 147306


def test_a_synset_can_be_named_by_any_of_its_words_in_any_case() -> None:
    assert synset("Domestic_Dog.n.01") == synset("dog.n.01")


def test_a_name_may_have_dots_of_its_own() -> None:
    assert synset(".22_caliber.a.01").lemma_names[0] == ".22_caliber"
    assert synset("mr..n.01").lemma_names == ("Mister", "Mr", "Mr.")


def test_satellites_are_numbered_apart_and_by_the_adjective() -> None:
    assert synset("good.a.06").name == "good.s.04"
    assert synset("good.s.04") == synset("good.a.06")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("dog", "a name is written like dog.n.01"),
        ("dog.x.01", "with n, v, a, s or r"),
        ("dog.n.first", "a name is written like"),
        ("dog.n.00", "'dog' has these senses: 7 as noun, 1 as verb"),
        ("dog.n.08", "'dog' has these senses: 7 as noun, 1 as verb"),
        ("dog.a.01", "'dog' has these senses: 7 as noun, 1 as verb"),
        ("good.s.21", "try pos a"),
        ("umbrela.n.01", "did you mean umbrella.n.01?"),
        ("qqqqqqq.v.01", "WordNet has no verb 'qqqqqqq'"),
    ],
)
def test_an_unknown_name_is_refused_with_a_hint(name: str, hint: str) -> None:
    with pytest.raises(UnknownNameError, match="unknown synset") as caught:
        synset(name)
    assert hint in str(caught.value)


def test_an_unknown_part_of_speech_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown part of speech 'x'"):
        wordnet().synsets("dog", "x")


# Morphology.


@pytest.mark.parametrize(
    ("form", "pos", "base"),
    [
        ("dogs", None, "dog"),
        ("geese", None, "goose"),
        ("women", "n", "woman"),
        ("firemen", "n", "fireman"),
        ("knives", "n", "knife"),
        ("boxes", "n", "box"),
        ("cities", "n", "city"),
        ("skiing", "v", "ski"),
        ("running", "v", "run"),
        ("ate", "v", "eat"),
        ("taller", "a", "tall"),
        ("happiest", "a", "happy"),
        ("bluest", "a", "blue"),
        ("better", "r", "better"),
        ("book", "a", None),
        ("xyzzy", None, None),
        ("", None, None),
    ],
)
def test_inflected_forms_lead_to_their_base(form: str, pos: str | None, base: str | None) -> None:
    senses = wordnet().synsets(form, pos)
    assert wordnet().synsets(base, pos)[0] in senses if base else not senses


def test_an_irregular_form_brings_the_senses_of_its_base() -> None:
    assert names(wordnet().synsets("mice")) == names(wordnet().synsets("mouse", "n"))


def test_a_form_that_is_also_a_word_has_both_senses() -> None:
    senses = names(wordnet().synsets("glasses", "n"))
    assert senses[0] == "spectacles.n.01"
    assert "glass.n.01" in senses


# Relations.


def test_hypernyms_come_in_the_order_of_the_database() -> None:
    assert names(synset("dog.n.01").hypernyms()) == ["canine.n.02", "domestic_animal.n.01"]


def test_hyponyms_are_hypernyms_read_backwards() -> None:
    assert synset("dog.n.01") in synset("canine.n.02").hyponyms()
    assert synset("entity.n.01").hypernyms() == ()
    assert names(synset("entity.n.01").hyponyms()) == ["physical_entity.n.01", "abstraction.n.06", "thing.n.08"]


def test_an_instance_is_no_kind() -> None:
    paris = synset("paris.n.01")
    assert paris.hypernyms() == ()
    assert names(paris.instance_hypernyms()) == ["national_capital.n.01"]
    assert paris in synset("national_capital.n.01").instance_hyponyms()


def test_siblings_share_a_hypernym_and_leave_the_synset_itself_out() -> None:
    siblings = synset("fork.n.01").siblings()
    assert {"spoon.n.01", "table_knife.n.01"} <= set(names(siblings))
    assert synset("fork.n.01") not in siblings
    assert len(siblings) == len(set(siblings))


def test_the_siblings_of_an_instance_are_instances() -> None:
    assert "london.n.01" in names(synset("paris.n.01").siblings())


def test_a_satellite_is_similar_to_its_head() -> None:
    assert names(synset("red.s.01").similar_tos()) == ["chromatic.a.03"]
    assert synset("red.s.01") in synset("chromatic.a.03").similar_tos()


def test_every_way_leads_up_to_a_root() -> None:
    paths = [names(path) for path in synset("dog.n.01").hypernym_paths()]
    assert len(paths) == 2
    assert {(path[0], path[-1]) for path in paths} == {("entity.n.01", "dog.n.01")}
    assert sorted(map(len, paths)) == [9, 14]


@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        ("dog.n.01", "animal.n.01", True),
        ("dog.n.01", "dog.n.01", True),
        ("paris.n.01", "city.n.01", True),
        ("animal.n.01", "dog.n.01", False),
        ("dog.n.01", "cat.n.01", False),
        ("dog.n.01", "run.v.01", False),
    ],
)
def test_is_a_follows_kinds_and_instances_upwards(name: str, kind: str, expected: bool) -> None:
    assert synset(name).is_a(synset(kind)) is expected


@pytest.mark.parametrize(
    ("start", "end", "steps"),
    [
        ("dog.n.01", "dog.n.01", 0),
        ("dog.n.01", "canine.n.02", 1),
        ("dog.n.01", "cat.n.01", 4),
        ("red.s.01", "dog.n.01", None),
    ],
)
def test_the_distance_goes_through_a_shared_hypernym(start: str, end: str, steps: int | None) -> None:
    assert synset(start).shortest_path_distance(synset(end)) == steps
    assert synset(end).shortest_path_distance(synset(start)) == steps


# Attributes and the handle itself.


def test_a_synset_says_what_it_is() -> None:
    dog = synset("dog.n.01")
    assert (dog.name, dog.pos, dog.lexname) == ("dog.n.01", "n", "noun.animal")
    assert dog.lemma_names == ("dog", "domestic_dog", "Canis_familiaris")
    assert dog.lemma_counts == (42, 0, 0)
    assert repr(dog) == "Synset('dog.n.01')"


def test_words_keep_their_capitals() -> None:
    assert synset("march.n.01").lemma_names == ("March", "Mar")
    assert synset("march.n.02").lemma_names[0] == "march"


def test_synsets_are_equal_hashable_and_sorted_by_name() -> None:
    assert {synset("dog.n.01"), synset("domestic_dog.n.01")} == {synset("dog.n.01")}
    assert names(sorted(wordnet().synsets("dog"))) == sorted(names(wordnet().synsets("dog")))


def test_a_synset_survives_pickling_in_few_bytes() -> None:
    pickled = pickle.dumps(synset("dog.n.01"))
    assert pickle.loads(pickled) == synset("dog.n.01")
    assert pickle.loads(pickled).name == "dog.n.01"
    assert len(pickled) < 300


# Graphs.


def test_a_path_leads_up_to_the_lowest_common_hypernym() -> None:
    path = hypernym_path("dog.n.01", "cat.n.01")
    assert len(path.edges) == synset("dog.n.01").shortest_path_distance(synset("cat.n.01"))
    assert [name for name, steps in path.out_degree() if not steps] == ["carnivore.n.01"]


@pytest.mark.parametrize(
    ("start", "end", "edges"),
    [
        ("dog.n.01", "canine.n.02", [("dog.n.01", "canine.n.02")]),
        ("canine.n.02", "dog.n.01", [("dog.n.01", "canine.n.02")]),
        ("paris.n.01", "national_capital.n.01", [("paris.n.01", "national_capital.n.01")]),
        ("dog.n.01", "dog.n.01", []),
        ("hot.a.01", "dog.n.01", []),
    ],
)
def test_a_path_may_be_straight_or_missing(start: str, end: str, edges: list[tuple[str, str]]) -> None:
    path = hypernym_path(start, end)
    assert list(path.edges) == edges
    assert set(path) == {start, end}


def test_paths_are_as_short_as_the_distance() -> None:
    nouns = [wordnet().synsets(word, "n")[0] for word in words_of("n")[::12001]]
    for start in nouns:
        for end in nouns:
            assert len(hypernym_path(start.name, end.name).edges) == start.shortest_path_distance(end)


def test_the_kinds_of_wordnet_form_no_circle() -> None:
    # hypernym_paths walks upwards without looking back.
    kinds = {synset for pos in POS_ORDER for word in words_of(pos) for synset in wordnet().synsets(word, pos)}
    graph = nx.DiGraph((kind.number, parent.number) for kind in kinds for parent in kind.parents())
    assert nx.is_directed_acyclic_graph(graph)


# The file.


def test_the_table_is_small_and_its_license_lies_beside_it() -> None:
    assert TABLE.stat().st_size < 5_000_000
    assert "Princeton" in TABLE.with_name("WORDNET_LICENSE.txt").read_text(encoding="utf-8")


def test_importing_opens_neither_the_table_nor_networkx() -> None:
    code = (
        "import sys, diptych.kg._wordnet_table as table, diptych.kg; "
        "print(table.load_table.cache_info().currsize, 'networkx' in sys.modules)"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=TABLE.parents[2]
    )
    assert process.stdout.split() == ["0", "False"]


def test_a_missing_table_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="make_wordnet"):
        load_table(tmp_path / "none.bin")


@pytest.mark.parametrize("size", [0, 10, 100, 1000, 4_000_000])
def test_a_damaged_table_is_refused(tmp_path: Path, size: int) -> None:
    path = tmp_path / "cut.bin"
    path.write_bytes(TABLE.read_bytes()[:size])
    with pytest.raises(BadInputError, match=r"cut\.bin") as caught:
        load_table(path)
    assert isinstance(caught.value, DiptychError)
