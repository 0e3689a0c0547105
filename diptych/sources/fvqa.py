"""FVQA: questions about an image that need a fact, the facts, and the five folds of images.

Facts are read from the official `all_fact_triples_release.json`; where that is absent, from `question_facts.json`
(the facts that the questions use); a fact that neither holds is read off the sentence the question carries.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from diptych.errors import BadInputError
from diptych.sources.files import AGAIN, SourceFile, find_file, require_file
from diptych.sources.records import Complain, complainer, described, get_list, get_text

FOLDS = 5
QUESTIONS = "all_qs_dict_release.json"
ALL_FACTS, USED_FACTS = "all_fact_triples_release.json", "question_facts.json"
_SPAN = re.compile(r"\[\[(.+?)\]\]")
_TRIPLE = re.compile(r"\((?P<head>[^,]+),\s*(?P<relation>[^,]+),\s*(?P<tail>.+)\)$")


@dataclass(frozen=True, slots=True)
class FvqaFact:
    """A fact: its two entities, the relation, and how the entities are said in its sentence."""

    fact_id: str
    base: str
    """`conceptnet`, `dbpedia` or `webchild`."""
    head: str
    relation: str
    """Without ConceptNet's `/r/`; empty where only the sentence is known."""
    tail: str
    head_said: str
    tail_said: str

    @property
    def whole(self) -> bool:
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
    """What of the image is meant: `obj`, `scn` or `act`."""
    fact: FvqaFact


@dataclass(frozen=True, slots=True)
class FvqaFold:
    """The images of a fold's two sides."""

    train: frozenset[str]
    test: frozenset[str]


def fvqa_files(data_dir: Path) -> tuple[SourceFile, ...]:
    """The files that are read: questions, facts where present, and the lists of the folds."""
    facts = find_file(data_dir, "fvqa", ALL_FACTS) or find_file(data_dir, "fvqa", USED_FACTS)
    lists = [require_file(data_dir, "fvqa", _list_name(side, fold)) for fold in range(FOLDS) for side in _SIDES]
    return (require_file(data_dir, "fvqa", QUESTIONS), *([facts] if facts else []), *lists)


def read_fvqa(data_dir: Path) -> list[FvqaQuestion]:
    """All questions with their facts, in the order of their file."""
    facts = {fact.fact_id: fact for fact in read_facts(data_dir)}
    file = require_file(data_dir, "fvqa", QUESTIONS)
    complain = complainer(file, "question", "question_id")
    return [_question(record, facts, complain) for _, record in _entries(file, "questions")]


def read_facts(data_dir: Path) -> Iterator[FvqaFact]:
    """The facts of the file that is there, in its order."""
    file = find_file(data_dir, "fvqa", ALL_FACTS) or find_file(data_dir, "fvqa", USED_FACTS)
    for fact_id, record in _entries(file, "facts") if file else ():
        yield _fact(fact_id, record, file.where if file else "")


def read_folds(data_dir: Path) -> list[FvqaFold]:
    """The official folds; an image on both sides of one is an error."""
    return [_fold(data_dir, number) for number in range(FOLDS)]


_SIDES = ("train", "test")


def _list_name(side: str, fold: int) -> str:
    return f"Name_Lists/{side}_list_{fold}.txt"


def _fold(data_dir: Path, number: int) -> FvqaFold:
    files = [require_file(data_dir, "fvqa", _list_name(side, number)) for side in _SIDES]
    train, test = (frozenset(file.read_bytes().decode("utf-8", "replace").split()) for file in files)
    both = sorted(train & test)
    if both:
        raise BadInputError(f"{files[0].where}: image {both[0]} is also in {files[1].where}; a fold's sides are apart")
    return FvqaFold(train, test)


def _entries(file: SourceFile, what: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    content = file.read_bytes()
    try:
        entries = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        fault = "is cut short" if error.pos >= len(content.rstrip()) else "is not valid JSON"
        raise BadInputError(f"{file.where}: the file {fault} at byte {error.pos:,}; {AGAIN}") from None
    if not isinstance(entries, dict):
        raise BadInputError(f"{file.where}: the file is {described(entries)}, not an object of {what}")
    for key, record in entries.items():
        if not isinstance(record, dict):
            raise BadInputError(f"{file.where}: {what} {key}: it is {described(record)}, not an object")
        yield key, record


def _question(record: Mapping[str, Any], facts: Mapping[str, FvqaFact], complain: Complain) -> FvqaQuestion:
    keys = get_list(record, "fact", complain)
    if not keys or not isinstance(keys[0], str):
        raise complain(record, "its fact is not a list of ids")
    surface = record.get("fact_surface") or ""
    fact = facts.get(keys[0]) or _fact(keys[0], {"KB": record.get("kb_source"), "surface": surface}, "")
    return FvqaQuestion(
        get_text(record, "question_id", complain),
        get_text(record, "img_file", complain),
        " ".join(get_text(record, "question", complain).split()),
        get_text(record, "answer", complain).strip(),
        get_text(record, "ans_source", complain),
        get_text(record, "visual_concept", complain),
        fact,
    )


def _fact(fact_id: str, record: Mapping[str, Any], where: str) -> FvqaFact:
    surface = record.get("surface") or ""
    if not isinstance(surface, str):
        raise BadInputError(f"{where}: fact {fact_id}: its surface is {described(surface)}, not text")
    head, relation, tail = _triple(fact_id, record)
    spans = _SPAN.findall(surface)
    if len(spans) == 2 and _reversed(spans, head, tail):
        spans.reverse()
    said = spans if len(spans) == 2 else (head, tail)
    base = str(record.get("KB") or fact_id.partition("/")[0])
    return FvqaFact(fact_id, base, head or (said[0] if spans else ""), relation, tail or said[1], said[0], said[1])


def _reversed(spans: list[str], head: str, tail: str) -> bool:
    """Some sentences name the tail first: "Something you find at [[a zoo]] is [[an elephant]]"."""
    first, second = ({*re.findall(r"\w{3,}", span.lower())} for span in spans)
    heads, tails = ({*re.findall(r"\w{3,}", end.lower())} for end in (head, tail))
    return len(first & tails) + len(second & heads) > len(first & heads) + len(second & tails)


def _triple(fact_id: str, record: Mapping[str, Any]) -> tuple[str, str, str]:
    clean = record.get("e1_r_e2_clean")
    if isinstance(clean, list) and len(clean) == 3:
        return _term(clean[0]), str(clean[1]).removeprefix("/r/"), _term(clean[2])
    if record.get("r"):
        ends = [record.get(f"{end}_label") or record.get(end) or "" for end in ("e1", "e2")]
        return _term(ends[0]), str(record["r"]).removeprefix("/r/"), _term(ends[1])
    match = _TRIPLE.match(fact_id)
    if match:
        return _term(match["head"]), match["relation"].removeprefix("/r/"), _term(match["tail"])
    return "", "", ""


def _term(text: object) -> str:
    """The words of an entity.

    >>> _term("Category:Tropical_flora"), _term("/c/en/jazz_club")
    ('Tropical flora', 'jazz club')
    """
    last = str(text).rsplit("/", 1)[-1] if str(text).startswith(("/c/", "http")) else str(text)
    return last.removeprefix("Category:").replace("_", " ").strip()
