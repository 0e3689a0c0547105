"""The training script: the same seed gives the same model."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from diptych.language import tagger

ROOT = Path(__file__).resolve().parent.parent.parent
SCRIPT = ROOT / "scripts" / "train_tagger.py"
NOUNS = "cat dog horse bird boat table lamp tree shirt kite train plane cup hat".split()
ADJECTIVES = "red big old small wet open dirty empty".split()


def question(noun: str, adjective: str) -> str:
    rows = (
        ("Is", "be", "AUX", "VBZ", 0, "ROOT"),
        ("the", "the", "DET", "DT", 3, "det"),
        (noun, noun, "NOUN", "NN", 1, "nsubj"),
        (adjective, adjective, "ADJ", "JJ", 1, "acomp"),
        ("?", "?", "PUNCT", ".", 1, "punct"),
    )
    lines = [f"# text = Is the {noun} {adjective}?"]
    for index, (form, lemma, upos, tag, head, relation) in enumerate(rows, start=1):
        lines.append(f"{index}\t{form}\t{lemma}\t{upos}\t{tag}\t_\t{head}\t{relation}\t_\t_")
    return "\n".join(lines) + "\n\n"


def train(data: Path, out: Path, seed: int) -> dict[str, bytes]:
    command = [sys.executable, SCRIPT, "--data", data, "--out", out, "--seed", str(seed), "--steps", "12"]
    env = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


@pytest.mark.slow
def test_trained_twice_with_one_seed_it_is_the_same_model(tmp_path: Path) -> None:
    data = tmp_path / "made.conllu"
    data.write_text("".join(question(n, a) for n in NOUNS for a in ADJECTIVES), encoding="utf-8")
    first = train(data, tmp_path / "first", seed=3)
    assert train(data, tmp_path / "second", seed=3) == first
    assert train(data, tmp_path / "third", seed=4)["tagger/model"] != first["tagger/model"]
    doc = tagger(str(tmp_path / "first"))("is the zebra old")
    assert len({word.tag_ for word in doc}) > 1


def test_no_questions_is_one_line(tmp_path: Path) -> None:
    data = tmp_path / "none.conllu"
    data.write_text("", encoding="utf-8")
    process = subprocess.run(
        [sys.executable, SCRIPT, "--data", data, "--out", tmp_path / "out"],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 1
    assert process.stderr.strip() == f"no questions to train on in {data}"
