"""`diptych score`: what a model's answers are worth, with n, intervals and what degenerate models score."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from diptych.cards.errata import read_errata
from diptych.errors import BadInputError
from diptych.metrics.built import BuiltPairs, drop_pairs, read_built, without
from diptych.metrics.explanations import Explanation, local_explanations, paper_tables
from diptych.metrics.paired_vqa.baselines import baseline_scores
from diptych.metrics.paired_vqa.comparing import compare
from diptych.metrics.paired_vqa.errors import ScoringError
from diptych.metrics.paired_vqa.folds import originating, over_folds
from diptych.metrics.paired_vqa.outcomes import Rules
from diptych.metrics.paired_vqa.references import References, encode_references
from diptych.metrics.paired_vqa.rules import rules_of
from diptych.metrics.paired_vqa.scores import SCORES_OF
from diptych.metrics.paired_vqa.scoring import Options, Scored, score_pairs, settings
from diptych.metrics.paired_vqa.summaries import groupings, summary
from diptych.metrics.predictions import read_predictions
from diptych.metrics.tables import (
    comparison_table,
    explanation_table,
    fold_lines,
    group_table,
    paper_table,
    score_table,
)

_RULES_SHOWN = 20


@contextmanager
def mendable() -> Iterator[None]:
    """Say a scoring mistake as the command line says all mistakes."""
    try:
        yield
    except ScoringError as error:
        raise BadInputError(str(error)) from None


def score(
    out: Annotated[str, typer.Argument(help="A built folder, or org/name@revision on the Hub.")],
    predictions: Annotated[Path, typer.Argument(help="JSON lines, CSV or Parquet: pair_id, original, perturbed.")],
    config: Annotated[str | None, typer.Option(help="The dataset's config; by default its default one.")] = None,
    split: Annotated[str | None, typer.Option(help="The split; by default test, then validation.")] = None,
    against: Annotated[Path | None, typer.Option(help="Another model's predictions to compare with.")] = None,
    by: Annotated[
        list[str] | None, typer.Option(help="A column, bindings.KEY or choices to group by (repeatable).")
    ] = None,
    scores: Annotated[str | None, typer.Option(help=f"{', '.join(SCORES_OF)}; by default the tests' own.")] = None,
    right: Annotated[str, typer.Option(help="What counts as right: vqa, vqa-full, any or shown.")] = "vqa",
    normaliser: Annotated[str, typer.Option(help="How answers are compared: vqa, vqa-official or exact.")] = "vqa",
    nodes: Annotated[Path | None, typer.Option(help="Knowledge-graph node names, one a line, for FVQA's rule.")] = None,
    bootstrap: Annotated[int, typer.Option(min=0, help="Rounds of the bootstrap over images; 0 for none.")] = 1000,
    seed: Annotated[int, typer.Option(help="The seed of the bootstrap.")] = 0,
    explain: Annotated[int, typer.Option(min=0, help="Show so many pairs whose answer changed, side by side.")] = 0,
    without_errata: Annotated[bool, typer.Option("--without-errata", help="Leave out pairs listed as wrong.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Score a model's predictions on a built dataset."""
    with mendable():
        listed = {erratum.pair_id for erratum in read_errata(out)} if without_errata else set()
        built = without(read_built(out, config, split), listed)
        known = encode_references(built.table, normaliser, _lines(nodes))
        options = Options(scores or scoring_config(known), Rules(right), bootstrap=bootstrap, seed=seed)
        groups = groupings(known, options, by or ())
        said = _said(predictions, built, listed)
        scored = score_pairs(said, known, options, groups)
        changed = local_explanations(scored, said, explain) if explain else []
        other = score_pairs(_said(against, built, listed), known, options, ()) if against else None
        tell = _as_json if as_json else _as_text
        typer.echo(tell(built, scored, other, options, changed))


def _said(path: Path, built: BuiltPairs, listed: Collection[str]) -> Any:
    return drop_pairs(read_predictions(path, built.table), listed)


def scoring_config(references: References) -> str:
    """The scores that belong to the tests: those of their common family, or all."""
    if "test" not in references.table.column_names:
        return "all"
    families = {test.partition(".")[0] for test in references.column("test").values}
    family = families.pop() if len(families) == 1 else "all"
    return family if family in SCORES_OF else "all"


def _as_json(
    built: BuiltPairs, scored: Scored, other: Scored | None, options: Options, changed: Sequence[Explanation]
) -> str:
    told: dict[str, Any] = {"config": built.config, "split": built.split, "left_out": built.left_out}
    told |= summary(scored, options)
    if options.config == "kb":
        told["paper_tables"] = [asdict(row) for row in paper_tables(scored)]
    if changed:
        told["explanations"] = [each.as_dict() for each in changed]
    if other is not None:
        found = compare(scored, other, options)
        told["against"] = {test: {name: asdict(each) for name, each in row.items()} for test, row in found.items()}
    return orjson.dumps(told, option=orjson.OPT_INDENT_2).decode()


def _as_text(
    built: BuiltPairs, scored: Scored, other: Scored | None, options: Options, changed: Sequence[Explanation]
) -> str:
    known = scored.references
    how = settings(known, options)
    pairs = f"{len(known):,} pairs of {built.config}/{built.split}"
    left_out = f" ({built.left_out:,} errata left out)" if built.left_out else ""
    parts = [
        f"{pairs}{left_out}; normaliser {how['normaliser']}; {how['right_means']}",
        score_table(scored.overall, baseline_scores(known, options)),
        *(group_table(column, groups) for column, groups in scored.by.items()),
    ]
    if "fold" in scored.by:
        parts += fold_lines(over_folds(scored.by["fold"]))
        parts += fold_lines(originating(known, scored.outcome))
    if options.config == "kb":
        rules = rules_of(known, scored.outcome)[:_RULES_SHOWN]
        parts += [paper_table(paper_tables(scored)), *(["\n".join(rule.sentence() for rule in rules)] if rules else [])]
    if changed:
        parts.append(explanation_table(changed))
    if other is not None:
        parts.append(comparison_table(compare(scored, other, options)))
    return "\n\n".join(parts)


def _lines(path: Path | None) -> list[str]:
    if path is None:
        return []
    try:
        return [line for line in path.read_text(encoding="utf-8").splitlines() if line]
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"{path}: cannot be read: {error}") from None
