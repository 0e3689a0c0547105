"""CoNLL-U files and the agreement of a pipeline with them."""

import gzip
from pathlib import Path

import pytest
import spacy

from diptych.errors import BadInputError, MissingFileError
from scripts.tagged_questions import TaggedWord, agreement, is_held_out, plain_lemma, read_conllu

CONLLU = """\
# text = How old?
1\tHow\tHow\tADV\tWRB\t_\t2\tadvmod\t_\t_
2\told\told\tADJ\tJJ\t_\t0\tROOT\t_\tSpaceAfter=No
3\t?\t?\tPUNCT\t.\t_\t2\tpunct\t_\t_

# sent_id = 2
# text = Paris
1\tParis\tParis\tPROPN\tNNP\t_\t0\tROOT\t_\t_
"""


def test_questions_are_read_with_roots_as_their_own_heads(tmp_path: Path) -> None:
    path = tmp_path / "two.conllu"
    path.write_text(CONLLU, encoding="utf-8")
    how_old, paris = read_conllu(path)
    assert how_old.text == "How old?"
    assert [word.head for word in how_old.words] == [1, 1, 1]
    assert how_old.words[0].lemma == "how"
    assert paris.words == (TaggedWord("Paris", "Paris", "PROPN", "NNP", 0, "ROOT"),)


def test_gzipped_files_are_read_alike(tmp_path: Path) -> None:
    path, gzip_path = tmp_path / "two.conllu", tmp_path / "two.conllu.gz"
    path.write_text(CONLLU, encoding="utf-8")
    gzip_path.write_bytes(gzip.compress(CONLLU.encode()))
    assert list(read_conllu(path)) == list(read_conllu(gzip_path))


def test_a_bad_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.conllu"
    path.write_text(CONLLU + "\n1\tno columns\n", encoding="utf-8")
    with pytest.raises(BadInputError, match=r"bad\.conllu:10: "):
        list(read_conllu(path))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"none\.conllu"):
        list(read_conllu(tmp_path / "none.conllu"))


def test_about_a_tenth_is_held_out() -> None:
    count = sum(is_held_out(f"How many {n} are there?") for n in range(5000))
    assert 400 < count < 600


def test_letter_case_does_not_decide_what_is_held_out() -> None:
    texts = [f"What color is the cat {n}?" for n in range(100)]
    assert [is_held_out(text) for text in texts] == [is_held_out(text.lower()) for text in texts]


def test_a_pronoun_is_its_own_lemma_and_a_name_keeps_its_capitals() -> None:
    assert plain_lemma("They", "-PRON-", "PRON") == "they"
    assert plain_lemma("Boston", "Boston", "PROPN") == "Boston"


def test_an_untrained_pipeline_agrees_on_nothing_but_attachment_to_itself(tmp_path: Path) -> None:
    path = tmp_path / "two.conllu"
    path.write_text(CONLLU, encoding="utf-8")
    shares = agreement(spacy.blank("en"), list(read_conllu(path)))
    assert (shares.questions, shares.words, shares.tag, shares.upos) == (2, 4, 0.0, 0.0)
    assert shares.uas == 0.5
