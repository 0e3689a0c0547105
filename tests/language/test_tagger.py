"""The question tagger: its output, how it loads, and its agreement with its teacher."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import spacy

from diptych.errors import BadInputError, DiptychError, UnknownNameError
from diptych.language import tagger, tagger_version
from diptych.language._tagger import MODEL
from scripts.tagged_questions import Agreement, agreement, is_held_out, read_conllu


def tags(text: str) -> list[str]:
    return [word.tag_ for word in tagger()(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What color is the cat?", "WDT NN VBZ DT NN ."),
        ("what color is the cat", "WDT NN VBZ DT NN"),
        ("how many zebras are there", "WRB JJ NNS VBP RB"),
        ("Is the man wearing a red hat?", "VBZ DT NN VBG DT JJ NN ."),
        ("How many people are riding bikes?", "WRB JJ NNS VBP VBG NNS ."),
        ("Does the dog have a collar?", "VBZ DT NN VB DT NN ."),
        ("Are there any clouds in the sky?", "VBP EX DT NNS IN DT NN ."),
        ("is it sunny outside", "VBZ PRP JJ RB"),
    ],
)
def test_penn_tags(text: str, expected: str) -> None:
    assert tags(text) == expected.split()


def test_coarse_tags() -> None:
    doc = tagger()("Is someone not riding the horses?")
    assert [word.pos_ for word in doc] == ["AUX", "PRON", "PART", "VERB", "DET", "NOUN", "PUNCT"]


def test_lemmas() -> None:
    doc = tagger()("How many women were holding the knives?")
    assert [word.lemma_ for word in doc] == ["how", "many", "woman", "be", "hold", "the", "knife", "?"]


def test_the_subject_of_a_question_hangs_on_its_verb() -> None:
    doc = tagger()("How many dogs are sitting on the big bed?")
    noun, adjective, object_noun = doc[2], doc[7], doc[8]
    assert (noun.dep_, noun.head.text) == ("nsubj", "sitting")
    assert (object_noun.dep_, object_noun.head.text) == ("pobj", "on")
    assert (adjective.dep_, adjective.head) == ("amod", object_noun)


@pytest.mark.parametrize("text", ["what's on the pizza", "what’s on the pizza"])
def test_straight_and_curly_apostrophes_are_read_alike(text: str) -> None:
    verb = tagger()(text)[1]
    assert (verb.pos_, verb.lemma_) == ("AUX", "be")


@pytest.mark.parametrize("text", ["", " ", "?", "\n", "a" * 5000, "🐱 ?", "What  color?"])
def test_odd_texts_are_tagged_without_an_error(text: str) -> None:
    doc = tagger()(text)
    assert doc.text == text
    assert all(word.tag_ and word.pos_ for word in doc)


def test_spacy_is_imported_only_with_a_pipeline() -> None:
    code = "import sys, diptych.templates; print('spacy' in sys.modules)"
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    output = subprocess.run([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, check=True).stdout
    assert output.strip() == b"False"


def test_a_pipeline_is_loaded_once() -> None:
    assert tagger() is tagger(None)


def test_another_process_and_hash_seed_give_the_same_parse() -> None:
    text = "Which of the two boys is throwing the frisbee?"
    code = (
        "import json; from diptych.language import tagger; "
        f"print(json.dumps([(w.tag_, w.lemma_, w.head.i, w.dep_) for w in tagger()({text!r})]))"
    )
    env = os.environ | {"PYTHONHASHSEED": "7", "PYTHONPATH": os.pathsep.join(sys.path)}
    output = subprocess.run([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, check=True).stdout
    assert json.loads(output) == [[w.tag_, w.lemma_, w.head.i, w.dep_] for w in tagger()(text)]


def test_batches_give_the_same_parses_as_single_calls() -> None:
    texts = ["What is this?", "How many dogs are on the bed?", "is the tv on", "Why is the woman smiling?"]
    batch = [[(w.tag_, w.head.i) for w in doc] for doc in tagger().pipe(texts)]
    assert batch == [[(w.tag_, w.head.i) for w in tagger()(text)] for text in texts]


def test_the_version_ends_in_a_hash_of_the_weights() -> None:
    name, version = tagger_version(tagger()).split("==")
    assert name == "en_diptych_questions"
    assert len(version.split("+")[1]) == 8


def test_a_model_that_is_not_installed_is_one_line_with_the_remedy() -> None:
    with pytest.raises(UnknownNameError, match="python -m spacy download xx_no_such_model") as caught:
        tagger("xx_no_such_model")
    assert isinstance(caught.value, DiptychError)
    assert "\n" not in str(caught.value)


def test_a_folder_that_is_no_model_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="cannot be loaded") as caught:
        tagger(str(tmp_path))
    assert "\n" not in str(caught.value)


def test_another_spacy_model_takes_its_place(tmp_path: Path) -> None:
    nlp = spacy.blank("en", meta={"name": "mine", "version": "2.0"})
    nlp.to_disk(tmp_path / "mine")
    assert tagger_version(tagger(str(tmp_path / "mine"))) == "en_mine==2.0"


def test_the_model_is_small_and_holds_no_training_text() -> None:
    assert sum(path.stat().st_size for path in MODEL.rglob("*") if path.is_file()) <= 8_000_000
    strings = set(json.loads((MODEL / "vocab" / "strings.json").read_text(encoding="utf-8")))
    assert not strings & {"frisbee", "giraffe", "zebras"}


@pytest.fixture(scope="module")
def held_out(real_data: Path) -> Agreement:
    questions = [q for q in read_conllu(real_data / "tagged" / "vqa_questions.conllu.gz") if is_held_out(q.text)]
    return agreement(tagger(), questions)


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.parametrize(("share", "threshold"), [("tag", 0.98), ("upos", 0.985), ("uas", 0.95), ("lemma", 0.98)])
def test_it_agrees_with_its_teacher_on_unseen_questions(held_out: Agreement, share: str, threshold: float) -> None:
    assert held_out.questions > 3000
    assert getattr(held_out, share) >= threshold
