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
_QUESTIONS = "all_qs_dict_release.json"
_ALL_FACTS, _USED_FACTS = "all_fact_triples_release.json", "question_facts.json"
_SPAN = re.compile(r"\[\[(.+?)\]\]")
_TRIPLE = re.compile(r"\((?P<head>[^,]+),\s*(?P<relation>[^,]+),\s*(?P<tail>.+)\)$")


@dataclass(frozen=True, slots=True)
class FvqaFact:
    """A fact: its two entities, the relation, and the words for the entities in its sentence."""

    fact_id: str
    base: str  # `conceptnet`, `dbpedia` or `webchild`
    head: str
    relation: str  # without ConceptNet's `/r/`; empty where only the sentence is known
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
    image: str  # COCO's or ILSVRC's file name
    question: str
    answer: str
    answer_source: str  # `image` or `kb`
    concept: str  # the part of the image that is meant: `obj`, `scn` or `act`
    fact: FvqaFact


@dataclass(frozen=True, slots=True)
class FvqaFold:
    """The images of a fold's two sides."""

    train: frozenset[str]
    test: frozenset[str]


def fvqa_files(data_dir: Path) -> tuple[SourceFile, ...]:
    """The files that are read: questions, facts where present, and the lists of the folds."""
    lists = (file for number in range(FOLD_COUNT) for file in _fold_files(data_dir, number))
    return tuple(filter(None, (require_file(data_dir, "fvqa", _QUESTIONS), _facts_file(data_dir), *lists)))


def _facts_file(data_dir: Path) -> SourceFile | None:
    return find_file(data_dir, "fvqa", _ALL_FACTS) or find_file(data_dir, "fvqa", _USED_FACTS)


def _fold_files(data_dir: Path, number: int) -> list[SourceFile]:
    return [require_file(data_dir, "fvqa", f"Name_Lists/{side}_list_{number}.txt") for side in ("train", "test")]


def read_fvqa(data_dir: Path) -> list[FvqaQuestion]:
    """All questions with their facts, in file order."""
    facts = {fact.fact_id: fact for fact in read_facts(data_dir)}
    file = require_file(data_dir, "fvqa", _QUESTIONS)
    fields = Fields(file, "question", "question_id")
    return [_parse_question(record, facts, fields) for record in dict(_iter_objects(file, "questions")).values()]


def read_facts(data_dir: Path) -> Iterator[FvqaFact]:
    """Stream the facts of the file that exists, in its order."""
    if file := _facts_file(data_dir):
        for fact_id, record in _iter_objects(file, "facts"):
            yield _parse_fact(fact_id, record, file.where)


def read_folds(data_dir: Path) -> list[FvqaFold]:
    """The official folds; an image on both sides of one is an error."""
    folds = []
    for number in range(FOLD_COUNT):
        files = _fold_files(data_dir, number)
        train, test = (frozenset(file.read_bytes(_LARGEST_LIST).decode("utf-8", "replace").split()) for file in files)
        if common := min(train & test, default=None):
            fault = f"image {common} is also in {files[1].where}; a fold's sides are apart"
            raise BadInputError(f"{files[0].where}: {fault}")
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
    sentence = {"KB": record.get("kb_source"), "surface": record.get("fact_surface")}
    fact = facts.get(fact_ids[0]) or _parse_fact(fact_ids[0], sentence, fields.file.where)
    names = ("question_id", "img_file", "question", "answer", "ans_source", "visual_concept")
    question_id, image, text, answer, source, concept = (fields.get_text(record, name) for name in names)
    return FvqaQuestion(question_id, image, " ".join(text.split()), answer.strip(), source, concept, fact)


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
    texts = (*spans, head, tail)
    first, last, head_words, tail_words = ({*re.findall(r"\w{3,}", text.lower())} for text in texts)
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
