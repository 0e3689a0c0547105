"""Questions, images and facts of a few lines, and the pairs that a fold makes of them."""

from collections.abc import Iterable, Mapping, Sequence

from diptych.builders.fvqa2._drafts import Draft, DraftFacts, PreparedDrafts, draft_pairs
from diptych.builders.fvqa2._folds import PAPER_RULES, FoldRules, PairFacts, PlannedPair, make_pair, plan_fold
from diptych.builders.fvqa2._images import ImageIndex, find_synonyms
from diptych.builders.fvqa2._knowledge import Knowledge, Triple
from diptych.builders.fvqa2._records import QuestionCandidate, read_candidate
from diptych.builders.fvqa2._rewordings import Wordings, reword_questions, use_templates
from diptych.builders.fvqa2._templates import merge_templates
from diptych.pairs import Pair, Skip
from diptych.sources import FvqaFact, FvqaFold, FvqaQuestion
from diptych.templates import Template, TemplateSet


def question(text: str, answer: str, head: str, relation: str, tail: str, **options: str) -> FvqaQuestion:
    """A question about the image a.jpg, with its fact."""
    fact = FvqaFact("f", "conceptnet", head, relation, tail, head, tail)
    image, concept = options.get("image", "a.jpg"), options.get("concept", "obj")
    return FvqaQuestion(options.get("id", "1"), image, text, answer, "image", concept, fact)


def templates_of(candidates: Iterable[QuestionCandidate]) -> dict[str, Template]:
    """The templates of some questions."""
    return merge_templates((each.template_id, each.reading) for each in candidates)


def fold_pairs(
    questions: Sequence[FvqaQuestion],
    things: Mapping[str, set[str]],
    triples: Iterable[Triple],
    test: str,
    *,
    train: Sequence[FvqaQuestion] = (),
    doubtful: Iterable[Triple] = (),
    other_names: Iterable[str] = (),
    templates: TemplateSet | None = None,
    split: str = "adversarial",
    rules: FoldRules = PAPER_RULES,
    train_things: Mapping[str, set[str]] | None = None,
) -> list[Pair | Skip]:
    """The pairs of one test, and why there are none, in a fold whose test side has all the images that are named."""
    candidates = [read_candidate(each) for each in (*questions, *train)]
    all_things = {**things, **(train_things or {})}
    names = {(name,): name for shown in (*all_things.values(), other_names) for name in shown}
    files = tuple(sorted({*all_things, *(each.image for each in train)}))
    index = ImageIndex(
        files,
        tuple(frozenset((name,) for name in all_things.get(file, ())) for file in files),
        names,
        find_synonyms(names) if other_names else {},
    )
    knowledge = Knowledge()
    for triple in triples:
        knowledge.add(triple)
    for triple in doubtful:
        knowledge.add(triple, is_doubtful=True)
    extracted = templates_of(candidates)
    wordings = use_templates(extracted, templates) if templates else Wordings(extracted)
    candidates = list(reword_questions(candidates, wordings))
    facts = DraftFacts(wordings, index, knowledge)
    drafts: dict[tuple[str, str], list[Draft]] = {}
    for candidate in candidates:
        for draft in draft_pairs(candidate, facts):
            drafts.setdefault((candidate.key, draft.test), []).append(draft)
    fold = FvqaFold(frozenset(each.image for each in train), frozenset(things))
    planned = plan_fold(fold, candidates, PreparedDrafts(facts, drafts), rules).get(split, [])
    hashes = {name: template.hash for name, template in facts.templates.items()}
    pair_facts = PairFacts("fold_0", hashes, index, knowledge)
    return [
        make_pair(outcome, pair_facts) if isinstance(outcome, PlannedPair) else outcome
        for outcome in planned
        if outcome.test == test
    ]


def pairs_only(outcomes: Iterable[Pair | Skip]) -> list[Pair]:
    """Only the pairs."""
    return [outcome for outcome in outcomes if isinstance(outcome, Pair)]
