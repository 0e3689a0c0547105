"""FVQA: questions about an image that need a fact, the facts, and the five folds of images.

Facts are read from the official `all_fact_triples_release.json`; where that is absent, from `question_facts.json`
(the facts that the questions use); a fact that neither has is read from the sentence in the question's record.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diptych.errors import BadInputError
from diptych.sources._files import SourceFile, find_file, require_file
from diptych.sources._json import members
from diptych.sources._records import Fields, describe

_LARGEST_LIST = 10_000_000
FOLD_COUNT = 5
_SIDES = ("train", "test")
_QUESTIONS = "all_qs_dict_release.json"
_ALL_FACTS, _USED_FACTS = "all_fact_triples_release.json", "question_facts.json"
_SPAN = re.compile(r"\[\[(.+?)\]\]")
_TRIPLE = re.compile(r"\((?P<head>[^,]+),\s*(?P<relation>[^,]+),\s*(?P<tail>.+)\)$")


@dataclass(frozen=True, slots=True)
class FvqaFact:
    """A fact: its two entities, the relation, and the words for the entities in its sentence."""

    fact_id: str
    base: str
    """`conceptnet`, `dbpedia` or `webchild`."""
    head: str
    relation: str
    """Without ConceptNet's `/r/`; empty where only the sentence is known."""
    tail: str
    head_text: str
    tail_text: str

    @property
    def is_complete(self) -> bool:
        """Whether both entities and the relation are known."""
        return bool(self.head and self.tail and self.relation)


@dataclass(frozen=True, slots=True)
class FvqaQuestion:
    """A question about an image, its answer, and the fact behind it."""

    question_id: str
    image: str
    """COCO's or ILSVRC's file name."""
    question: str
    answer: str
    answer_source: str
    """`image` or `kb`."""
    concept: str
    """The part of the image that is meant: `obj`, `scn` or `act`."""
    fact: FvqaFact


@dataclass(frozen=True, slots=True)
class FvqaFold:
    """The images of a fold's two sides."""

    train: frozenset[str]
    test: frozenset[str]


def fvqa_files(data_dir: Path) -> tuple[SourceFile, ...]:
    """The files that are read: questions, facts where present, and the lists of the folds."""
    facts = _facts_file(data_dir)
    lists = [_fold_file(data_dir, side, number) for number in range(FOLD_COUNT) for side in _SIDES]
    return (require_file(data_dir, "fvqa", _QUESTIONS), *([facts] if facts else []), *lists)


def _facts_file(data_dir: Path) -> SourceFile | None:
    return find_file(data_dir, "fvqa", _ALL_FACTS) or find_file(data_dir, "fvqa", _USED_FACTS)


def _fold_file(data_dir: Path, side: str, number: int) -> SourceFile:
    return require_file(data_dir, "fvqa", f"Name_Lists/{side}_list_{number}.txt")


def read_fvqa(data_dir: Path) -> list[FvqaQuestion]:
    """All questions with their facts, in file order."""
    facts = {fact.fact_id: fact for fact in read_facts(data_dir)}
    file = require_file(data_dir, "fvqa", _QUESTIONS)
    fields = Fields(file, "question", "question_id")
    return [_parse_question(record, facts, fields) for record in dict(_iter_objects(file, "questions")).values()]


def read_facts(data_dir: Path) -> Iterator[FvqaFact]:
    """Stream the facts of the file that exists, in its order."""
    file = _facts_file(data_dir)
    if file:
        for fact_id, record in _iter_objects(file, "facts"):
            yield _parse_fact(fact_id, record, file.where)


def read_folds(data_dir: Path) -> list[FvqaFold]:
    """The official folds; an image on both sides of one is an error."""
    folds = []
    for number in range(FOLD_COUNT):
        files = [_fold_file(data_dir, side, number) for side in _SIDES]
        train, test = (frozenset(file.read_bytes(_LARGEST_LIST).decode("utf-8", "replace").split()) for file in files)
        if common := sorted(train & test):
            place = f"{files[0].where}: image {common[0]} is also in {files[1].where}"
            raise BadInputError(f"{place}; a fold's sides are apart")
        folds.append(FvqaFold(train, test))
    return folds


def _iter_objects(file: SourceFile, kind: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for key, record in members(file):
        if not isinstance(record, dict):
            raise BadInputError(f"{file.where}: {kind} {key}: it is {describe(record)}, not an object")
        yield key, record


def _parse_question(record: Mapping[str, Any], facts: Mapping[str, FvqaFact], fields: Fields) -> FvqaQuestion:
    fact_ids = fields.get_list(record, "fact")
    if not fact_ids or not isinstance(fact_ids[0], str):
        raise fields.error(record, "its fact is not a list of ids")
    fact = facts.get(fact_ids[0])
    if fact is None:
        surface = record.get("fact_surface") or ""
        fact = _parse_fact(fact_ids[0], {"KB": record.get("kb_source"), "surface": surface}, "")
    return FvqaQuestion(
        fields.get_text(record, "question_id"),
        fields.get_text(record, "img_file"),
        " ".join(fields.get_text(record, "question").split()),
        fields.get_text(record, "answer").strip(),
        fields.get_text(record, "ans_source"),
        fields.get_text(record, "visual_concept"),
        fact,
    )


def _parse_fact(fact_id: str, record: Mapping[str, Any], location: str) -> FvqaFact:
    surface = record.get("surface") or ""
    if not isinstance(surface, str):
        raise BadInputError(f"{location}: fact {fact_id}: its surface is {describe(surface)}, not text")
    head, relation, tail = _parse_triple(fact_id, record)
    spans = _SPAN.findall(surface)
    if len(spans) == 2 and _is_reversed(spans, head, tail):
        spans.reverse()
    head_text, tail_text = spans if len(spans) == 2 else (head, tail)
    base = str(record.get("KB") or fact_id.partition("/")[0])
    head = head or (head_text if spans else "")
    return FvqaFact(fact_id, base, head, relation, tail or tail_text, head_text, tail_text)


def _is_reversed(spans: list[str], head: str, tail: str) -> bool:
    """Some sentences name the tail first: "Something you find at [[a zoo]] is [[an elephant]]"."""
    first, last, head_words, tail_words = (
        {*re.findall(r"\w{3,}", text.lower())} for text in (spans[0], spans[1], head, tail)
    )
    return len(first & tail_words) + len(last & head_words) > len(first & head_words) + len(last & tail_words)


def _parse_triple(fact_id: str, record: Mapping[str, Any]) -> tuple[str, str, str]:
    triple = record.get("e1_r_e2_clean")
    if isinstance(triple, list) and len(triple) == 3:
        head, relation, tail = triple
    elif record.get("r"):
        head, tail = (record.get(f"{end}_label") or record.get(end) or "" for end in ("e1", "e2"))
        relation = record["r"]
    elif match := _TRIPLE.match(fact_id):
        head, relation, tail = match.groups()
    else:
        return "", "", ""
    return _parse_entity(head), str(relation).removeprefix("/r/"), _parse_entity(tail)


def _parse_entity(value: object) -> str:
    """The words of an entity such as `Category:Tropical_flora` or `/c/en/jazz_club`."""
    text = str(value)
    term = text.rsplit("/", 1)[-1] if text.startswith(("/c/", "http")) else text
    return term.removeprefix("Category:").replace("_", " ").strip()
