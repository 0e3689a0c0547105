"""The audit finds each fault that is put into a sound folder, and nothing in a sound one."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from diptych.cards.audit import Audit, Finding, audit_folder, register_oracle
from diptych.cards.audit.grammar import slips
from diptych.cards.audit.images import image_fault
from diptych.cards.audit.oracle import ORACLES
from diptych.errors import BadInputError, MissingFileError
from diptych.pairs import Expectation, Side, pairs_table
from tests.cards.folders import make_folder, make_pair, read_manifest, reworded, some_pairs, write_manifest

WRONG = '{"dataset": "x", "version": 1, "default": 1, "sources": 1, "recipes": 1, "unions": 1, "configs": %s}'


def found(audit: Audit, name: str) -> Finding:
    return max((each for each in audit.findings if each.name == name), key=lambda each: each.level != "ok")


def wanting(audit: Audit) -> set[str]:
    return {finding.name for finding in audit.findings if finding.level == "wanting"}


def test_a_sound_folder_has_nothing_wanting(tmp_path: Path) -> None:
    audit = audit_folder(make_folder(tmp_path, some_pairs()))
    assert [finding for finding in audit.findings if finding.level != "ok"] == []
    assert found(audit, "answer balance").numbers["yes"] == 0.5


def test_the_audit_is_the_same_every_time(tmp_path: Path) -> None:
    make_folder(tmp_path, some_pairs())
    assert audit_folder(tmp_path).as_json() == audit_folder(tmp_path).as_json()


def test_a_truncated_file_is_a_finding(tmp_path: Path) -> None:
    make_folder(tmp_path, some_pairs())
    (file,) = tmp_path.glob("data/*/*.parquet")
    file.write_bytes(file.read_bytes()[:-100])
    audit = audit_folder(tmp_path)
    assert wanting(audit) == {"schema", "file hashes"}
    assert "cannot be read" in found(audit, "schema").what


def test_a_missing_file_is_a_finding(tmp_path: Path) -> None:
    make_folder(tmp_path, some_pairs())
    next(tmp_path.glob("data/*/*.parquet")).unlink()
    assert "is missing" in found(audit_folder(tmp_path), "file hashes").what


def test_a_file_beside_the_known_ones_is_a_finding(tmp_path: Path) -> None:
    make_folder(tmp_path, some_pairs())
    (file,) = tmp_path.glob("data/*/*.parquet")
    file.with_name("validation-00001-of-00001.parquet").write_bytes(file.read_bytes())
    assert "is not in the manifest" in found(audit_folder(tmp_path), "file hashes").what


def test_other_rows_than_the_manifest_tells_are_a_finding(tmp_path: Path) -> None:
    make_folder(tmp_path, some_pairs())
    (file,) = tmp_path.glob("data/*/*.parquet")
    pq.write_table(pairs_table(some_pairs()[1:]), file, write_page_index=True)
    assert wanting(audit_folder(tmp_path)) == {"file hashes", "row counts"}
    pq.write_table(pairs_table([*some_pairs()[1:], make_pair(1000)]), file, write_page_index=True)
    assert wanting(audit_folder(tmp_path)) == {"file hashes", "content hashes"}


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (pairs_table(some_pairs()).drop_columns(["bindings"]), "lacks the column bindings"),
        (pairs_table(some_pairs()).set_column(3, "original_image_id", pa.array(range(384))), "is int64, not string"),
        (pairs_table(some_pairs()).set_column(3, "original_image_id", pa.nulls(384, pa.string())), "null in"),
    ],
)
def test_other_columns_are_a_finding(table: pa.Table, said: str, tmp_path: Path) -> None:
    assert said in found(audit_folder(make_folder(tmp_path, table)), "schema").what


def test_an_id_used_twice_is_a_finding(tmp_path: Path) -> None:
    assert "unique ids" in wanting(audit_folder(make_folder(tmp_path, [*some_pairs(), make_pair(0)])))


def test_an_id_that_is_not_its_pairs_hash_is_a_finding(tmp_path: Path) -> None:
    table = pairs_table(some_pairs())
    ids = ["0" * 24, *table["pair_id"].to_pylist()[1:]]
    audit = audit_folder(make_folder(tmp_path, table.set_column(0, "pair_id", pa.array(ids))))
    assert wanting(audit) == {"true ids"}
    assert "0" * 24 in found(audit, "true ids").what


@pytest.mark.parametrize("expectation", [Expectation.SAME, Expectation.DIFFERENT])
def test_answers_that_break_the_expectation_are_a_finding(expectation: Expectation, tmp_path: Path) -> None:
    answer = "red" if expectation == Expectation.DIFFERENT else "blue"
    pair = make_pair(1000, expectation=expectation, original=Side("1000", "What color is it?", "red"))
    broken = replace(pair, perturbed=Side("1000", "Which color is it?", answer))
    assert "expectations" in wanting(audit_folder(make_folder(tmp_path, [*some_pairs(), broken])))


def test_an_unknown_expectation_and_unreadable_bindings_are_findings(tmp_path: Path) -> None:
    table = pairs_table(some_pairs())
    table = table.set_column(2, "expectation", pa.array(["perhaps", *["given"] * 383]))
    table = table.set_column(17, "bindings", pa.array(["[]", "{", *["{}"] * 382]))
    assert {"expectations", "bindings"} <= wanting(audit_folder(make_folder(tmp_path, table)))


def test_answers_out_of_balance_are_wanting(tmp_path: Path) -> None:
    pairs = [pair for pair in some_pairs() if pair.perturbed.answer == "yes" or int(pair.source_id) % 64_000 < 16_000]
    audit = audit_folder(make_folder(tmp_path, pairs))
    assert "answer balance" in wanting(audit)
    numbers = found(audit, "answer balance").numbers
    assert 0.53 < numbers["low"] < numbers["yes"] < numbers["high"]


def test_a_balance_that_is_the_sources_is_a_note(tmp_path: Path) -> None:
    pairs = [
        replace(pair, expectation=Expectation.SAME, original=replace(pair.original, answer="yes", answers=()))
        for pair in some_pairs()
        if pair.perturbed.answer == "yes"
    ]
    assert found(audit_folder(make_folder(tmp_path, pairs)), "answer balance").level == "note"


def test_open_pairs_have_no_balance(tmp_path: Path) -> None:
    pairs = [
        replace(pair, expectation=Expectation.OPEN, perturbed=replace(pair.perturbed, answer=""))
        for pair in some_pairs()
    ]
    audit = audit_folder(make_folder(tmp_path, pairs))
    assert "answer balance" not in {finding.name for finding in audit.findings}
    assert not audit.wanting


def test_too_few_pairs_to_tell_are_not_out_of_balance(tmp_path: Path) -> None:
    pairs = [*[pair for pair in some_pairs() if pair.perturbed.answer == "yes"][:4], make_pair(0)]
    assert "answer balance" not in wanting(audit_folder(make_folder(tmp_path, pairs)))


def leaking() -> list[object]:
    pairs = some_pairs()
    said = {"yes": "Is the color of the {} really red?", "no": "Is the color of the {} perhaps red?"}
    return [reworded(pair, said[pair.perturbed.answer].format(pair.bindings["subject"][4:])) for pair in pairs]


def test_wording_that_gives_the_answer_away_is_a_note(tmp_path: Path) -> None:
    finding = found(audit_folder(make_folder(tmp_path, leaking())), "question only")  # type: ignore[arg-type]
    assert finding.level == "note"
    assert finding.numbers["accuracy"] == 1


def test_wording_that_gives_the_answer_away_is_wanting_where_it_must_not(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, leaking())  # type: ignore[arg-type]
    manifest = read_manifest(folder)
    manifest["recipes"]["yn_from_color"]["parameters"] = {"values": "matched"}
    write_manifest(folder, manifest)
    assert wanting(audit_folder(folder)) == {"question only"}


def test_duplicates_and_near_duplicates_are_counted(tmp_path: Path) -> None:
    pairs = some_pairs()
    again = replace(pairs[0], source_id="other")
    nearly = replace(reworded(pairs[1], pairs[1].perturbed.question.replace("?", " in this picture?")), source_id="x")
    numbers = found(audit_folder(make_folder(tmp_path, [*pairs, again, nearly])), "duplicates").numbers
    assert (numbers["exact"], numbers["near"]) == (1, 1)


def test_a_question_answered_both_ways_is_wanting(tmp_path: Path) -> None:
    pairs = some_pairs()
    other = {"yes": "no", "no": "yes"}[pairs[0].perturbed.answer]
    audit = audit_folder(make_folder(tmp_path, [*pairs, reworded(pairs[0], pairs[0].perturbed.question, other)]))
    assert wanting(audit) == {"contradictions"}


@pytest.mark.parametrize(
    ("question", "rule"),
    [
        ("Is there a elephant?", "article"),
        ("Is there an uniform?", "article"),
        ("Is the the cat red?", "doubled word"),
        ("Is the cat red", "punctuation"),
        ("Is the cat red??", "punctuation"),
        ("Is the cat red ?", "spacing"),
        ("Is the  cat red?", "spacing"),
        ("is the cat red?", "capital"),
        ("Is there three cats?", "agreement"),
        ("Are there one cat?", "agreement"),
        ('Does it say "stop?', "quotes"),
        ("Is the {{ subject }} red?", "unfilled template"),
    ],
)
def test_a_slip_is_seen(question: str, rule: str) -> None:
    assert {name for name, _ in slips(question)} == {rule}


@pytest.mark.parametrize(
    "question",
    [
        "Is there an hour hand on the clock?",
        "Are there one hundred books?",
        "Are there a few dogs?",
        "Is there a pair of shoes?",
        "Are there zero dogs?",
        "Does it say \"stop\" (or 'go')?",
        "iPods are red?",
        "Is it 3.5 feet?",
        "Is that that cat?",
        "Is the color of the orange orange?",
    ],
)
def test_what_is_right_is_no_slip(question: str) -> None:
    assert slips(question) == []


def test_slips_of_ours_are_wanting_and_peoples_are_not(tmp_path: Path) -> None:
    pairs = some_pairs()
    theirs = [
        replace(
            reworded(pair, pair.perturbed.question.replace("the color", "a old color")),
            original=replace(pair.original, question="What is a old color?"),
        )
        for pair in pairs
    ]
    assert found(audit_folder(make_folder(tmp_path / "theirs", theirs)), "grammar").level == "ok"
    ours = [reworded(pair, pair.perturbed.question.replace("the color", "a old color")) for pair in pairs]
    assert wanting(audit_folder(make_folder(tmp_path / "ours", ours))) == {"grammar"}
    once = audit_folder(make_folder(tmp_path / "once", [ours[0], *pairs[1:]]))
    assert found(once, "grammar").level == "note"


def test_large_row_groups_and_a_lacking_page_index_are_wanting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_folder(tmp_path, some_pairs(), write_page_index=False)
    assert "no page index" in found(audit_folder(folder), "row groups").what
    monkeypatch.setattr("diptych.cards.audit.files.LARGEST_ROW_GROUP", 1000)
    assert "a row group of" in found(audit_folder(folder), "row groups").what


def with_images(*images: bytes) -> pa.Table:
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    values = [{"bytes": image, "path": None} for image in images]
    return pairs_table(some_pairs(len(images))).append_column("original_image", pa.array(values, kind))


def png(width: int = 4, height: int = 4) -> bytes:
    import io

    from PIL import Image

    out = io.BytesIO()
    Image.new("RGB", (width, height)).save(out, "PNG")
    return out.getvalue()


def test_images_that_cannot_be_opened_are_wanting(tmp_path: Path) -> None:
    audit = audit_folder(make_folder(tmp_path / "sound", with_images(png(), png())))
    assert found(audit, "images").what == "2 images open"
    audit = audit_folder(make_folder(tmp_path / "torn", with_images(png(), png()[:40])))
    assert "row 1: cannot be opened" in found(audit, "images").what


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (None, "has no bytes"),
        ({"bytes": b""}, "has no bytes"),
        ({"bytes": b"text"}, "cannot be opened"),
        ({"bytes": png(5000, 2)}, "5000 × 2 pixels, more than 4096"),
        ({"bytes": b"0" * 10_000_001}, "10.0 MB, more than 10"),
        ({"bytes": png()}, ""),
    ],
)
def test_what_is_wrong_with_an_image_is_said(value: object, fault: str) -> None:
    assert image_fault(value) == fault


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("num_examples: 384", "num_examples: 383", "other dataset_info"),
        ("config_name: yn_from_color", "config_name: mine", "other configs"),
        ("license: cc-by-4.0", "license: mit", "other license"),
        ("license: cc-by-4.0", "license: [", "cannot be read"),
    ],
)
def test_a_card_that_tells_something_else_is_wanting(old: str, new: str, said: str, tmp_path: Path) -> None:
    path = make_folder(tmp_path, some_pairs()) / "README.md"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    audit = audit_folder(tmp_path)
    assert wanting(audit) == {"card"}
    assert said in found(audit, "card").what


def test_a_missing_card_is_wanting(tmp_path: Path) -> None:
    (make_folder(tmp_path, some_pairs()) / "README.md").unlink()
    assert "README.md is missing" in found(audit_folder(tmp_path), "card").what


def test_a_dataset_can_bring_checks_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ORACLES, "rad-cads", [])
    register_oracle("rad-cads", lambda built: [Finding("oracle", "wanting", f"{len(built.tables)} tables")])
    assert found(audit_folder(make_folder(tmp_path, some_pairs(8))), "oracle").what == "1 tables"


def test_a_folder_that_was_not_built_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="not a built folder"):
        audit_folder(tmp_path)


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"dataset": 1, "configs": 2}', WRONG % "2", WRONG % '{"a": 3}'])
def test_a_manifest_that_is_none_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(BadInputError, match=r"manifest\.json"):
        audit_folder(tmp_path)


@pytest.mark.slow
def test_nothing_is_wanting_in_real_pairs(real_data: Path, tmp_path: Path) -> None:
    from diptych.builders import get_builder
    from diptych.builders.folder import BuildOptions, build_into

    build_into(tmp_path, get_builder("rad-cads"), BuildOptions(real_data, configs=("vqa_v2", "matched")))
    audit = audit_folder(tmp_path, with_card=False)
    assert wanting(audit) == set()
    assert found(audit, "grammar").level == "ok"
