"""The yes/no questions of a test about which objects are there, of the units that all tests share."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from diptych.builders import Rows
from diptych.builders.carets import _questions as questions
from diptych.builders.carets._presence_questions import PlanFacts
from diptych.builders.carets._questions import CONJUNCTION, OBJECT, ONTOLOGICAL, RELATION, QuestionSpec
from diptych.pairs import Skip
from diptych.scenegraphs import Phrase

_COLUMNS = ("image_id", "noun", "rank", "absence", "coin", "owner")
NO_ABSENCE = "no image is surely without what the question asks about"
REPEATED = "another question asks the same of the same image"
UNEVEN = "left out to balance yes and no"
TAKEN = "the object is asked about in another test or type"


def plan_presence(facts: PlanFacts) -> Iterator[QuestionSpec | Skip]:
    """The questions of each type that a test asks, and why it does not ask more."""
    for type_ in questions.PRESENCE_TYPES:
        if facts.quotas.get(type_) and facts.units is not None:
            yield from _plan_type(type_, facts.units, facts)


def _plan_type(type_: str, units: Rows, facts: PlanFacts) -> Iterator[QuestionSpec | Skip]:
    column = "ontological" if facts.test == ONTOLOGICAL else type_
    table, others = _load_units(units, column)
    found = table.filter(pc.not_equal(table["absence"], ""))
    is_owned = pc.equal(found["owner"], f"{facts.test}/{type_}")
    causes: Counter[str] = Counter({NO_ABSENCE: table.num_rows - found.num_rows})
    found = found.append_column("is_other", pc.invert(is_owned))
    owned = found if facts.reuse else found.filter(is_owned)
    order = [(name, "ascending") for name in ("is_other", "rank", "image_id", "noun")]
    accepted = _accept(owned.sort_by(order), column, facts.quotas[type_], causes)
    causes[TAKEN] = others + found.num_rows - owned.num_rows
    kind = OBJECT if type_ == RELATION else type_
    for image_id, answer, phrases in accepted:
        yield presence_question(facts.test, kind, image_id, answer, questions.unpack_phrases(phrases))
    yield from questions.shortfall(type_, facts.quotas[type_], len(accepted), causes)


def _load_units(units: Rows, column: str) -> tuple[pa.Table, int]:
    """The units that serve a column, and how many of its questions the nouns would make that serve others."""
    names = dict.fromkeys((*_COLUMNS, column, "ontological", "second", "has_second_relation"))
    tables = list(units.tables(*names))
    if not tables:
        return pa.table(dict.fromkeys(names, pa.array([], pa.string()))), 0
    table = pa.concat_tables(tables)
    is_for_ontology = pc.not_equal(table["ontological"], "")
    if column == "ontological":
        rest = table.filter(pc.invert(is_for_ontology))
        nouns = chain(*(rest[name].to_pylist() for name in ("noun", "second")))
        return table.filter(is_for_ontology), sum(bool(noun and questions.broader_names(noun)) for noun in nouns)
    has_phrase = pc.not_equal(table[column], "")
    others = pc.sum(is_for_ontology if column != RELATION else pc.and_(is_for_ontology, has_phrase)).as_py()
    if column == CONJUNCTION:
        others //= 2
    else:
        second = table["has_second_relation"] if column == RELATION else pc.not_equal(table["second"], "")
        others += pc.sum(second).as_py()
    return table.filter(pc.and_(has_phrase, pc.invert(is_for_ontology))), others


def _accept(table: pa.Table, column: str, quota: int, causes: Counter[str]) -> list[tuple[str, str, str]]:
    """Image, answer and phrases of the first units, half of them yes; no words are used twice about one image."""
    accepted, words_in_use = list[tuple[str, str, str]](), set[tuple[str, str]]()
    counts: Counter[str] = Counter()
    for image_id, absence, coin, phrases in _rows(table, "image_id", "absence", "coin", column):
        if len(accepted) == quota:
            break
        words = {(image_id, phrases), (absence, phrases)}
        answer = "yes" if coin < 0.5 else "no"
        if not words.isdisjoint(words_in_use):
            causes[REPEATED] += 1
        elif counts[answer] == (quota + 1) // 2:
            causes[UNEVEN] += 1
        else:
            words_in_use |= words
            counts[answer] += 1
            accepted.append((image_id if answer == "yes" else absence, answer, phrases))
    more, fewer = ("yes", "no") if counts["yes"] > counts["no"] else ("no", "yes")
    surplus = counts[more] - counts[fewer] - 1
    if surplus > 0:
        causes[UNEVEN] += surplus
        dropped = [number for number, (_, answer, _) in enumerate(accepted) if answer == more][-surplus:]
        accepted = [entry for number, entry in enumerate(accepted) if number not in set(dropped)]
    return accepted


def _rows(table: pa.Table, *columns: str) -> Iterator[tuple[Any, ...]]:
    for batch in table.select(list(columns)).to_batches(max_chunksize=512):
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def presence_question(test: str, type_: str, image_id: str, answer: str, phrases: tuple[Phrase, ...]) -> QuestionSpec:
    """A question about which objects are there."""
    text = "/".join(phrase.text for phrase in phrases)
    packed = questions.pack_phrases(*phrases)
    return QuestionSpec(test, f"{image_id}/{type_}/{text}//", type_, image_id, answer, packed)
