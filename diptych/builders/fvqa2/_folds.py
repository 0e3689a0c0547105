"""The splits of a fold: which questions, templates and images each side may use, and the pairs that are made of them.

Nothing of a fold's train side reaches its test side, and the other way round: neither images nor questions, and no
template that a question of the train side has makes pairs on the test side.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from diptych.builders import Item
from diptych.builders.fvqa2._assignments import ImageAssignment, ImageUses, balance
from diptych.builders.fvqa2._drafts import FIX_A, FIX_Q, Draft, PreparedDrafts, answer_text, plain, worded_question
from diptych.builders.fvqa2._entities import EntityKey, entity_key
from diptych.builders.fvqa2._guards import TOO_GENERAL, is_general
from diptych.builders.fvqa2._images import ImageIndex
from diptych.builders.fvqa2._knowledge import Knowledge, PossibleAnswers, Triple
from diptych.builders.fvqa2._readings import Reading
from diptych.builders.fvqa2._records import QuestionCandidate
from diptych.builders.fvqa2._rewordings import Wordings, is_borrowed
from diptych.builders.fvqa2._templates import NOT_ACCEPTED, template_id
from diptych.pairs import Expectation, Pair, Side, Skip
from diptych.sources import FvqaFold, FvqaQuestion, by_number

STANDARD = "fvqa2.standard"

NO_OTHER_ANSWER = Skip("no other thing in the side's images is known to fit the question")
NO_OTHER_FACT = Skip("no other fact of the answer can be asked with the template")
NOT_UNIQUE = Skip("another thing in every image that fits may be the answer")
ENOUGH = Skip("the template has made its pairs")
HELD_OUT = Skip("all suitable facts are used by adversarial pairs")
TRAIN_TEMPLATE = Skip("the template is also one of the train side")
MOST_PAIRS = 5  # of each kind that a template makes on one side (the paper, section 3)

_FREQUENCIES = ((0, "0"), (2, "1-2"), (9, "3-9"), (49, "10-49"))
_MOST_ANSWERS = 9  # ten answers would mean ten annotators


@dataclass(frozen=True, slots=True)
class PlannedPair(Item):
    """A pair to be worded: a draft and the number of the image it is asked of; without a draft, FVQA's question."""

    question: FvqaQuestion
    answer_in_train: str  # how often the perturbed answer occurs in training, as a class of counts (the paper's Fig. 3)
    template_id: str = ""
    reading: Reading | None = None
    draft: Draft | None = None
    image: int = 0


SelectedDraft = tuple[QuestionCandidate, Draft, ImageAssignment]  # with its question and the image kept for it
Selection = SelectedDraft | Skip


FactKey = tuple[str, EntityKey, EntityKey]  # a relation and the keys of both ends


def fact_key(triple: Triple) -> FactKey:
    """What two ways of writing one fact have in common."""
    return triple.relation, entity_key(triple.head), entity_key(triple.tail)


@dataclass(frozen=True, slots=True)
class FoldRules:
    """How many pairs of each kind a template makes, and whether the two sides share no fact either."""

    most_pairs: int = MOST_PAIRS
    keeps_facts_apart: bool = False


PAPER_RULES = FoldRules()


@dataclass(slots=True)
class FoldSide:
    """One side of a fold while its pairs are selected."""

    images: int  # as a set
    banned: frozenset[str]  # questions that must not be asked on this side, in plain form
    prepared: PreparedDrafts
    most_pairs: int = MOST_PAIRS  # of each kind that a template makes
    banned_facts: frozenset[FactKey] = frozenset()  # no pair of this side may rest on one of them
    uses: ImageUses = field(default_factory=ImageUses)

    def select(self, candidate: QuestionCandidate, test: str, most: int, otherwise: Skip) -> list[Selection]:
        """The first drafts that can be asked of an image, each of the least used one; where there are none, why."""
        selected: list[Selection] = []
        for draft in self.prepared(candidate, test):
            if draft.plain_question in self.banned:
                continue
            if self.banned_facts and fact_key(draft.triple) in self.banned_facts:
                otherwise = HELD_OUT
                continue
            suitable = int.from_bytes(draft.suitable, "little") & self.images
            images = self.uses.without_question(draft.plain_question, suitable)
            if images:
                image = self.uses.least_used(images)
                self.uses.add(draft.plain_question, image)
                assignment = ImageAssignment(draft.plain_question, image, suitable)
                selected.append((candidate, draft, assignment))
                if len(selected) == most:
                    break
            elif not suitable and int.from_bytes(draft.showing, "little") & self.images:
                otherwise = NOT_UNIQUE
        return selected or [otherwise]


def plan_fold(
    fold: FvqaFold, candidates: Sequence[QuestionCandidate], prepared: PreparedDrafts, rules: FoldRules = PAPER_RULES
) -> dict[str, list[PlannedPair | Skip]]:
    """Everything that a fold publishes, by split."""
    wordings = prepared.facts.wordings
    train, test = ([q for q in candidates if q.question.image in images] for images in (fold.train, fold.test))
    own_train, own_test = ([q for q in side if not is_borrowed(q)] for side in (train, test))
    # A template of the train side stays there: it borrows questions of that side alone.
    train_templates = {wording_id(q) for q in own_train}
    train = [q for q in train if _serves(q, train_templates, "augmentation", wordings)]
    train_templates |= {wording_id(q) for q in train}
    test = [q for q in test if _serves(q, set(), "adversarial", wordings)]
    train_questions, test_questions = ({plain(q.question.question) for q in side} for side in (own_train, own_test))
    train_images, test_images = (prepared.facts.images.image_set(images) for images in (fold.train, fold.test))
    test_side = FoldSide(test_images, frozenset(train_questions), prepared, rules.most_pairs)
    adversarial = _select_side(test, test_side, train_templates)
    chosen = [choice for choice in adversarial if not isinstance(choice, Skip)]
    test_questions.update(draft.plain_question for _, draft, _ in chosen)
    test_facts = frozenset(fact_key(draft.triple) for _, draft, _ in chosen) if rules.keeps_facts_apart else frozenset()
    train_side = FoldSide(train_images, frozenset(test_questions), prepared, rules.most_pairs, test_facts)
    augmentation = _select_side(train, train_side, set())
    answer_counts = Counter(candidate.answer for candidate in own_train)
    standard = {
        name: [PlannedPair(STANDARD, q.key, q.question, _frequency(q.answer, answer_counts)) for q in side]
        for name, side in (("train", own_train), ("test", own_test))
    }
    originating = {candidate.question.question_id for candidate, _, _ in chosen}
    splits: dict[str, list[PlannedPair | Skip]] = {
        "train": [*standard["train"]],
        "test": [*standard["test"]],
        "originating": [pair for pair in standard["test"] if pair.key in originating],
        "adversarial": [*_planned_pairs(adversarial, answer_counts)],
        "augmentation": [*_planned_pairs(augmentation, answer_counts)],
    }
    return {name: pairs for name, pairs in splits.items() if pairs}


def _serves(candidate: QuestionCandidate, templates: set[str], split: str, wordings: Wordings) -> bool:
    """Whether a question is asked for a split: a borrowed one by some templates alone, and by the split's new ones."""
    if not is_borrowed(candidate):
        return True
    if candidate.template_id in wordings.new:
        return wordings.serves(candidate.template_id, split)
    return not templates or candidate.template_id in templates


def wording_id(candidate: QuestionCandidate) -> str:
    """The id of the template that a question's words make: people may write one that other questions have already."""
    return template_id(candidate.reading) if candidate.reading else ""


def _select_side(candidates: list[QuestionCandidate], side: FoldSide, train_templates: set[str]) -> list[Selection]:
    """All pairs of a side, and why its other questions make none."""
    selections: list[Selection] = []
    by_template: dict[str, list[QuestionCandidate]] = {}
    wordings = side.prepared.facts.wordings
    templates = wordings.templates
    # Borrowed questions come last, in the order that their template has them in.
    order = {q.key: (1,) if is_borrowed(q) else (0, *by_number(q.key)) for q in candidates}
    for candidate in sorted(candidates, key=lambda candidate: order[candidate.key]):
        name = candidate.template_id
        if not candidate.problem and name in templates and wording_id(candidate) not in train_templates:
            by_template.setdefault(name, []).append(candidate)
            continue
        if is_borrowed(candidate) and name not in wordings.new:
            continue
        skip = TRAIN_TEMPLATE if name in templates else NOT_ACCEPTED
        skip = Skip(candidate.problem) if candidate.problem else skip
        selections += [skip.of(FIX_Q), skip.of(FIX_A)]
    for _, of_template in sorted(by_template.items()):
        selections += _select_template(of_template, side)
    return selections


def _select_template(candidates: Iterable[QuestionCandidate], side: FoldSide) -> Iterator[Selection]:
    """All pairs of one template on one side, over all its questions; no borrowed one makes two pairs of a kind."""
    counts: Counter[str] = Counter()
    new = side.prepared.facts.wordings.new
    for candidate in candidates:
        reading, borrowed = candidate.reading, is_borrowed(candidate)
        assert reading is not None
        general = is_general(reading.relation, reading.entity, reading.kind)
        for test, reason in ((FIX_Q, TOO_GENERAL if general else NO_OTHER_ANSWER), (FIX_A, NO_OTHER_FACT)):
            most = min(side.most_pairs - counts[test], 1 if borrowed else side.most_pairs)
            selections = side.select(candidate, test, most, reason) if most else [ENOUGH]
            for selection in selections:
                counts[test] += not isinstance(selection, Skip)
                if not isinstance(selection, Skip):
                    yield selection
                elif not borrowed or candidate.template_id in new:  # what is borrowed is in the ledger by its own
                    yield selection.of(test)


def _planned_pairs(selections: list[Selection], answer_counts: Mapping[EntityKey, int]) -> Iterator[PlannedPair | Skip]:
    """The selected pairs, once the images are shared out evenly among them."""
    drafts = [selection for selection in selections if not isinstance(selection, Skip)]
    assignments = iter(balance(assignment for _, _, assignment in drafts))
    for selection in selections:
        if isinstance(selection, Skip):
            yield selection
        else:
            candidate, draft, _ = selection
            frequency = _frequency(entity_key(draft.answer), answer_counts)
            origin = (candidate.question, frequency, candidate.template_id, candidate.reading)
            yield PlannedPair(draft.test, draft.key, *origin, draft, next(assignments).image)


def _frequency(answer: EntityKey, answer_counts: Mapping[EntityKey, int]) -> str:
    count = answer_counts.get(answer, 0)
    return next((name for limit, name in _FREQUENCIES if count <= limit), "50+")


# Planned pairs in words.


@dataclass(frozen=True, slots=True)
class PairFacts:
    """What the pairs of a fold are worded with."""

    fold: str
    template_hashes: Mapping[str, str]  # by id of the template
    images: ImageIndex
    knowledge: Knowledge


def make_pair(planned: PlannedPair, facts: PairFacts) -> Pair:
    """The pair that was planned; a draft accepts all answers that its image and the graph support."""
    question, fact = planned.question, planned.question.fact
    draft, reading, images = planned.draft, planned.reading, facts.images
    file, answer = question.image, answer_text(question.answer)  # an image is known by its file
    columns: dict[str, Any] = {
        "question_type": fact.relation,
        "source": "fvqa",
        "source_id": f"{facts.fold}/{question.question_id}",
        "extra": {"fold": facts.fold, "answer_in_train": planned.answer_in_train},
    }
    if draft is None or reading is None:  # both sides are the question itself
        side = Side(file, worded_question(question), answer, image_file=file)
        bindings = {"fact": fact.fact_id}
        return Pair(STANDARD, Expectation.SAME, side, side, question.answer_source, bindings=bindings, **columns)
    triple, other_file = draft.triple, images.images[planned.image]
    answers = PossibleAnswers(reading.query(draft.entity), reading.kind, facts.knowledge, images)
    names = answers.names(planned.image, draft.answer)[:_MOST_ANSWERS]
    return Pair(
        test=planned.test,
        expectation=Expectation.DIFFERENT if planned.test == FIX_Q else Expectation.SAME,
        original=Side(file, worded_question(question, reading.corrected), answer, image_file=file),
        perturbed=Side(other_file, draft.question, draft.answer, names, other_file),
        answer_type="image",
        template_id=planned.template_id,
        template_hash=facts.template_hashes[planned.template_id],
        bindings={
            "fact": [triple.head, triple.relation, triple.tail],
            "base": triple.base,
            "weight": triple.weight,
            "original_fact": [fact.head_text, fact.relation, fact.tail_text],
            "original_fact_id": fact.fact_id,
            **({"asked": question.question} if reading.corrected else {}),
        },
        **columns,
    )
