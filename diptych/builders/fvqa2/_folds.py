"""The splits of a fold: which questions, templates and images each side may use, and the pairs that are made of them.

Nothing of a fold's train side reaches its test side, and the other way round: neither images nor questions, and no
template that a question of the train side has makes pairs on the test side.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from diptych.builders import Item
from diptych.builders.fvqa2._assignments import ImageAssignment, ImageUses, balance
from diptych.builders.fvqa2._candidates import QuestionCandidate
from diptych.builders.fvqa2._drafts import (
    FIX_A,
    FIX_Q,
    MOST_DRAFTS,
    Draft,
    DraftFacts,
    all_drafts,
    plain,
    worded_question,
)
from diptych.builders.fvqa2._entities import EntityKey, entity_key
from diptych.builders.fvqa2._knowledge import Query, Triple
from diptych.builders.fvqa2._templates import NOT_ACCEPTED
from diptych.pairs import Skip
from diptych.sources import FvqaFold, FvqaQuestion, by_number

STANDARD = "fvqa2.standard"

NO_OTHER_ANSWER = Skip("no other thing in the side's images is known to fit the question")
NO_OTHER_FACT = Skip("no other fact of the answer can be asked with the template")
NOT_UNIQUE = Skip("another thing in every image that fits may be the answer")
ENOUGH = Skip("the template has made its pairs")
TRAIN_TEMPLATE = Skip("the template is also one of the train side")
MOST_PAIRS = 5
"""Pairs of each kind that a template makes on one side (the paper, section 3)."""

_FREQUENCIES = ((0, "0"), (2, "1-2"), (9, "3-9"), (49, "10-49"))


@dataclass(frozen=True, slots=True)
class Variant:
    """The perturbed side of a pair, and what its answers rest on."""

    question: str
    answer: str
    image: int
    """The number of the image that it is asked of."""
    triple: Triple
    entity: EntityKey
    answer_side: int
    kind: str
    template_id: str
    original_question: str
    """The question that it varies, in good English."""
    is_corrected: bool
    original_head: str
    original_tail: str

    @property
    def query(self) -> Query:
        """Which facts answer the question."""
        return self.triple.relation, 1 - self.answer_side, self.entity


@dataclass(frozen=True, slots=True)
class PlannedPair(Item):
    """A pair to be worded; without a variant, a question of FVQA as it is."""

    question_id: str
    image: str
    question: str
    answer: str
    answer_source: str
    relation: str
    fact_id: str
    answer_in_train: str
    """How often the perturbed answer occurs in training, as a class of counts (the paper's Fig. 3)."""
    variant: Variant | None = None


@dataclass(frozen=True, slots=True)
class PreparedDrafts:
    """The drafts that a stage prepared, and what others are made from."""

    facts: DraftFacts
    by_question: Mapping[tuple[str, str], list[Draft]]
    """By id of the question and test."""

    def __call__(self, candidate: QuestionCandidate, test: str) -> Iterator[Draft]:
        """All drafts of one kind for a question: those that are prepared, then the rest."""
        prepared = self.by_question.get((candidate.key, test), [])
        yield from prepared
        if len(prepared) == MOST_DRAFTS:
            yield from islice(all_drafts(candidate, test, self.facts), MOST_DRAFTS, None)


@dataclass(frozen=True, slots=True)
class SelectedDraft:
    """A draft that is made into a pair, with the image that is kept for it."""

    candidate: QuestionCandidate
    draft: Draft
    assignment: ImageAssignment


Selection = SelectedDraft | Skip


@dataclass(slots=True)
class FoldSide:
    """One side of a fold while its pairs are selected."""

    images: int
    """The set of its images."""
    banned: frozenset[str]
    """Questions that must not be asked on this side, in plain form."""
    uses: ImageUses = field(default_factory=ImageUses)

    def select(
        self, candidate: QuestionCandidate, drafts: Iterable[Draft], most: int, otherwise: Skip
    ) -> list[Selection]:
        """The first drafts that can be asked of an image, each of the least used one; where there are none, why."""
        selected: list[Selection] = []
        for draft in drafts:
            if draft.plain_question in self.banned:
                continue
            suitable = int.from_bytes(draft.suitable, "little") & self.images
            images = self.uses.without_question(draft.plain_question, suitable)
            if images:
                image = self.uses.least_used(images)
                self.uses.add(draft.plain_question, image)
                assignment = ImageAssignment(draft.plain_question, image, suitable)
                selected.append(SelectedDraft(candidate, draft, assignment))
                if len(selected) == most:
                    break
            elif not suitable and int.from_bytes(draft.showing, "little") & self.images:
                otherwise = NOT_UNIQUE
        return selected or [otherwise]


def plan_fold(
    fold: FvqaFold, candidates: Iterable[QuestionCandidate], prepared: PreparedDrafts
) -> dict[str, list[PlannedPair | Skip]]:
    """Everything that a fold publishes, by split."""
    train: list[QuestionCandidate] = []
    test: list[QuestionCandidate] = []
    for candidate in candidates:
        if candidate.question.image in fold.train:
            train.append(candidate)
        elif candidate.question.image in fold.test:
            test.append(candidate)
    train_templates = {candidate.template_id for candidate in train}
    images = prepared.facts.images
    test_side = FoldSide(images.image_set(fold.test), frozenset(_plain_questions(train)))
    adversarial = _select_side(test, test_side, prepared, train_templates)
    new_questions = {choice.draft.plain_question for choice in adversarial if isinstance(choice, SelectedDraft)}
    train_side = FoldSide(images.image_set(fold.train), frozenset(_plain_questions(test)) | new_questions)
    augmentation = _select_side(train, train_side, prepared, set())
    answer_counts = Counter(candidate.answer for candidate in train)
    standard = {
        name: [_standard_pair(q, answer_counts) for q in side] for name, side in (("train", train), ("test", test))
    }
    originating = {choice.candidate.key for choice in adversarial if isinstance(choice, SelectedDraft)}
    splits: dict[str, list[PlannedPair | Skip]] = {
        "train": [*standard["train"]],
        "test": [*standard["test"]],
        "originating": [pair for pair in standard["test"] if pair.key in originating],
        "adversarial": _planned_pairs(adversarial, answer_counts),
        "augmentation": _planned_pairs(augmentation, answer_counts),
    }
    return {name: pairs for name, pairs in splits.items() if pairs}


def _plain_questions(candidates: Iterable[QuestionCandidate]) -> Iterator[str]:
    return (plain(candidate.question.question) for candidate in candidates)


def _select_side(
    candidates: Iterable[QuestionCandidate], side: FoldSide, prepared: PreparedDrafts, train_templates: set[str]
) -> list[Selection]:
    """All pairs of a side, and why its other questions make none, once its images are shared out evenly."""
    selections: list[Selection] = []
    by_template: dict[str, list[QuestionCandidate]] = {}
    for candidate in sorted(candidates, key=lambda candidate: by_number(candidate.key)):
        problem = _problem(candidate, prepared.facts, train_templates)
        if problem:
            selections += [problem.of(FIX_Q), problem.of(FIX_A)]
        else:
            by_template.setdefault(candidate.template_id, []).append(candidate)
    for _, of_template in sorted(by_template.items()):
        selections += _select_template(of_template, side, prepared)
    return _balanced(selections)


def _problem(candidate: QuestionCandidate, facts: DraftFacts, train_templates: set[str]) -> Skip | None:
    if candidate.problem:
        return Skip(candidate.problem)
    if candidate.template_id not in facts.templates:
        return NOT_ACCEPTED
    return TRAIN_TEMPLATE if candidate.template_id in train_templates else None


def _select_template(
    candidates: Iterable[QuestionCandidate], side: FoldSide, prepared: PreparedDrafts
) -> Iterator[Selection]:
    """All pairs of one template on one side: at most five of each kind, over all its questions."""
    counts: Counter[str] = Counter()
    for candidate in candidates:
        for test, otherwise in ((FIX_Q, NO_OTHER_ANSWER), (FIX_A, NO_OTHER_FACT)):
            most = MOST_PAIRS - counts[test]
            selections = side.select(candidate, prepared(candidate, test), most, otherwise) if most else [ENOUGH]
            for selection in selections:
                counts[test] += isinstance(selection, SelectedDraft)
                yield selection.of(test) if isinstance(selection, Skip) else selection


def _balanced(selections: list[Selection]) -> list[Selection]:
    drafts = (selection for selection in selections if isinstance(selection, SelectedDraft))
    assignments = iter(balance(draft.assignment for draft in drafts))
    return [
        selection
        if isinstance(selection, Skip)
        else SelectedDraft(selection.candidate, selection.draft, next(assignments))
        for selection in selections
    ]


def _standard_pair(candidate: QuestionCandidate, answer_counts: Mapping[EntityKey, int]) -> PlannedPair:
    return _pair(STANDARD, candidate.key, candidate.question, _frequency(candidate.answer, answer_counts))


def _pair(
    test: str, key: str, question: FvqaQuestion, answer_in_train: str, variant: Variant | None = None
) -> PlannedPair:
    return PlannedPair(
        test=test,
        key=key,
        question_id=question.question_id,
        image=question.image,
        question=question.question,
        answer=question.answer,
        answer_source=question.answer_source,
        relation=question.fact.relation,
        fact_id=question.fact.fact_id,
        answer_in_train=answer_in_train,
        variant=variant,
    )


def _planned_pairs(selections: Iterable[Selection], answer_counts: Mapping[EntityKey, int]) -> list[PlannedPair | Skip]:
    return [
        selection if isinstance(selection, Skip) else _planned_pair(selection, answer_counts)
        for selection in selections
    ]


def _planned_pair(selection: SelectedDraft, answer_counts: Mapping[EntityKey, int]) -> PlannedPair:
    candidate, draft = selection.candidate, selection.draft
    question, reading = candidate.question, candidate.reading
    assert reading is not None
    variant = Variant(
        question=draft.question,
        answer=draft.answer,
        image=selection.assignment.image,
        triple=Triple(draft.head, draft.relation, draft.tail, draft.weight, draft.base),
        entity=draft.entity,
        answer_side=reading.answer_side,
        kind=reading.kind,
        template_id=candidate.template_id,
        original_question=worded_question(candidate),
        is_corrected=bool(reading.corrected),
        original_head=question.fact.head_text,
        original_tail=question.fact.tail_text,
    )
    return _pair(draft.test, draft.key, question, _frequency(entity_key(draft.answer), answer_counts), variant)


def _frequency(answer: EntityKey, answer_counts: Mapping[EntityKey, int]) -> str:
    count = answer_counts.get(answer, 0)
    return next((name for limit, name in _FREQUENCIES if count <= limit), "50+")
