"""`choice-order`: a choice question and the same question with its alternatives in the other order."""

from collections import Counter
from collections.abc import Iterable, Iterator
from random import Random

from diptych.builders import BuildOptions, Candidates, Config, Dataset, DatasetSpec, Input, Parameter, Part, Plan, Tools
from diptych.pairs import Expectation, Pair, Side, Skip
from diptych.sources import VqaRow, iter_vqa, vqa_files, vqa_splits
from diptych.templates import TemplateSet
from diptych_choice_order._choices import CHOICE, Choice, is_parallel

SWAPPED_ORDER = "choice_order.swapped"
NOT_A_CHOICE = Skip("not a choice between two words of one form", test=SWAPPED_ORDER)
OTHER_ANSWER = Skip("the answer is neither alternative", test=SWAPPED_ORDER)
FEW_ANNOTATORS = Skip("too few annotators gave the answer")
ENOUGH_PAIRS = Skip("enough pairs have the same alternatives")


class ChoiceOrder(Dataset):
    """One answer for both orders: a model that prefers the first alternative, or the last, contradicts itself."""

    spec = DatasetSpec(
        name="choice-order",
        version="1.0.0",
        title="Choice order",
        description="Choice questions of VQA v2, each paired with itself in the other order; the answer is the same.",
        configs=(Config("vqa_v2", "Choice questions of VQA v2.", "vqa_v2", (SWAPPED_ORDER,)),),
        default_config="vqa_v2",
        uses_tagger=True,
        templates="package",
        score_family="carets",
        parameters=(
            Parameter("min_agreement", 3, "Annotators of ten who gave the answer.", minimum=1, maximum=10),
            Parameter("most_alike", 0, "Most pairs with the same alternatives; 0 for all.", minimum=0),
        ),
    )

    def is_present(self, options: BuildOptions) -> bool:
        """Whether the validation questions are in the data folder."""
        return "val" in vqa_splits(options.data)

    def parts(self, options: BuildOptions) -> list[Part]:
        """One split, made from the validation questions and their answers."""
        return [Part("validation", {"questions": Input("val", vqa_files(options.data).all, Choice)})]

    def records(self, source: Input, options: BuildOptions) -> Iterator[VqaRow]:
        """The questions with their answers."""
        return iter_vqa(vqa_files(options.data, split=source.name))

    def questions(self, record: VqaRow) -> Iterable[str]:
        """The question, if `read` parses it: the questions of a shard are parsed together."""
        return (record.question,) if CHOICE.fullmatch(record.question) else ()

    def read(self, record: VqaRow, tools: Tools) -> Iterator[Choice | Skip]:
        """The two alternatives of a question, or why there are none."""
        match = CHOICE.fullmatch(record.question)
        if match is None or tools.parser is None or not is_parallel(match, tools.parser(record.question)):
            yield NOT_A_CHOICE
        elif record.answer not in (match["first"].split()[-1], match["second"].split()[-1]):
            yield OTHER_ANSWER
        else:
            yield Choice(SWAPPED_ORDER, record.question_id, record, match.groupdict())

    def plan(self, candidates: Candidates, options: BuildOptions) -> Plan:
        """Choose the questions to pair; all that `make` needs to know is the templates."""
        return Plan(self.load_templates(options), self._choose(candidates, options), Choice)

    def _choose(self, candidates: Candidates, options: BuildOptions) -> Iterator[Choice | Skip]:
        min_agreement, limit = (options.parameters.get(value.name, value.default) for value in self.spec.parameters)
        pairs: Counter[frozenset[str]] = Counter()
        for choice in candidates.rows:
            alternatives = frozenset((choice.slots["first"], choice.slots["second"]))
            if choice.row.answers.count(choice.row.answer) < min_agreement:
                yield FEW_ANNOTATORS
            elif limit and pairs[alternatives] == limit:
                yield ENOUGH_PAIRS
            else:
                pairs[alternatives] += 1
                yield choice

    def make(self, item: Choice, facts: TemplateSet, rng: Random) -> Iterator[Pair]:
        """The question as it is and in the other order, both with the annotators' answers."""
        row, template = item.row, facts["swapped"]
        yield Pair(
            test=SWAPPED_ORDER,
            expectation=Expectation.SAME,
            original=Side(row.image_id, row.question, row.answer, row.answers),
            perturbed=Side(row.image_id, template.render(**item.slots), row.answer, row.answers),
            answer_type=row.answer_type,
            question_type=row.question_type,
            source=row.source,
            source_id=row.question_id,
            template_id=template.id,
            template_hash=template.hash,
            bindings={**item.slots, "choices": sorted(item.slots[name].split()[-1] for name in ("first", "second"))},
        )
