"""Encoders: one interface, names with versions, and the cells of skip-thought."""

from pathlib import Path

import numpy as np
import pytest

from diptych.errors import BadInputError, MissingFileError
from diptych.ranking import get_encoder
from diptych.ranking._encoders import run_gru


def test_wordllama_encodes_offline_and_near_questions_near() -> None:
    encoder = get_encoder()
    vectors = encoder.encode(["How old is the car?", "How old is the vehicle?", "Is it raining?"])
    assert vectors.shape == (3, encoder.dimension)
    assert vectors.dtype == np.float32
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    assert unit[0] @ unit[1] > unit[0] @ unit[2]


def test_a_table_without_a_text_says_which(tmp_path: Path) -> None:
    np.savez(tmp_path / "t.npz", texts=np.array(["one"]), vectors=np.ones((1, 3)))
    encoder = get_encoder(f"table:{tmp_path / 't.npz'}")
    assert encoder.encode(["one"]).tolist() == [[1.0, 1.0, 1.0]]
    with pytest.raises(BadInputError, match="'two'"):
        encoder.encode(["two"])


def weights(rng: np.random.Generator, prefixes: list[str], word: int, size: int) -> dict[str, np.ndarray]:  # type: ignore[type-arg]
    shapes = {"W": (word, 2 * size), "b": (2 * size,), "U": (size, 2 * size), "Wx": (word, size), "bx": (size,)}
    shapes["Ux"] = (size, size)
    return {
        f"{prefix}_{name}": rng.normal(size=shape).astype(np.float32)
        for prefix in prefixes
        for name, shape in shapes.items()
    }


def plain_gru(w: dict[str, np.ndarray], words: np.ndarray, prefix: str) -> np.ndarray:  # type: ignore[type-arg]
    """The cells of Kiros et al. 2015, equations 1 to 4, one number at a time."""
    size = w[f"{prefix}_Ux"].shape[0]
    state = np.zeros(size)
    for x in words.astype(np.float64):
        reset, update, next_state = np.zeros(size), np.zeros(size), np.zeros(size)
        for i in range(size):
            for gate, out in ((i, reset), (size + i, update)):
                total = x @ w[f"{prefix}_W"][:, gate] + w[f"{prefix}_b"][gate] + state @ w[f"{prefix}_U"][:, gate]
                out[i] = 1 / (1 + np.exp(-total))
        for i in range(size):
            total = (state @ w[f"{prefix}_Ux"][:, i]) * reset[i] + x @ w[f"{prefix}_Wx"][:, i] + w[f"{prefix}_bx"][i]
            next_state[i] = update[i] * state[i] + (1 - update[i]) * np.tanh(total)
        state = next_state
    return state


def test_the_recurrent_cells_are_those_of_the_paper() -> None:
    rng = np.random.default_rng(0)
    w = weights(rng, ["encoder"], 5, 4)
    words = rng.normal(size=(6, 2, 5)).astype(np.float32)
    mask = np.ones((6, 2), np.float32)
    mask[4:, 1] = 0.0
    states = run_gru(w, words, mask)
    np.testing.assert_allclose(states[0], plain_gru(w, words[:, 0], "encoder"), atol=1e-5)
    np.testing.assert_allclose(states[1], plain_gru(w, words[:4, 1], "encoder"), atol=1e-5)


def test_skip_thought_reads_the_published_layout(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    uni, bi = weights(rng, ["encoder"], 5, 8), weights(rng, ["encoder", "encoder_r"], 5, 4)
    np.savez(tmp_path / "uni_skip.npz", **uni)  # type: ignore[arg-type]
    np.savez(tmp_path / "bi_skip.npz", **bi)  # type: ignore[arg-type]
    words = ["<eos>", "UNK", "Is", "it", "red", "?"]
    (tmp_path / "dictionary.txt").write_text("\n".join(words) + "\n")
    tables = {name: rng.normal(size=(len(words), 5)).astype(np.float32) for name in ("utable", "btable")}
    for name, table in tables.items():
        np.save(tmp_path / f"{name}.npy", table)
    encoder = get_encoder(f"skip-thought:{tmp_path}")
    assert encoder.dimension == 16
    vectors = encoder.encode(["Is it red?", "Is it blue?", "red"])
    rows = [2, 3, 1, 5]
    uni_state = plain_gru(uni, tables["utable"][rows], "encoder")
    forward = plain_gru(bi, tables["btable"][rows], "encoder")
    backward = plain_gru(bi, tables["btable"][rows[::-1]], "encoder_r")
    bi_state = np.concatenate([forward, backward])
    expected = np.concatenate([uni_state / np.linalg.norm(uni_state), bi_state / np.linalg.norm(bi_state)])
    np.testing.assert_allclose(vectors[1], expected, atol=1e-5)


def test_missing_weight_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="bi_skip"):
        get_encoder(f"skip-thought:{tmp_path}")


@pytest.mark.slow
def test_a_sentence_transformers_model_in_a_folder(tmp_path: Path) -> None:
    models = pytest.importorskip("sentence_transformers", reason="the extra sentence-transformers is not installed")
    from sentence_transformers.models import BoW

    folder = tmp_path / "model"
    models.SentenceTransformer(modules=[BoW(["car", "old", "raining"])]).save(str(folder))
    encoder = get_encoder(f"sentence-transformers:{folder}")
    assert encoder.dimension == 3
    assert encoder.encode(["old car", "raining"]).tolist() == [[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    assert encoder.encode([]).shape == (0, 3)
    with pytest.raises(MissingFileError, match="is not on this machine"):
        get_encoder(f"sentence-transformers:{tmp_path / 'nothing'}")
