"""`diptych rank`: the basic questions nearest to one question, as in the paper's Table 1."""

from typing import Annotated, Any

import typer
from typer import Argument, Option

from diptych.cli._options import AsJson, Data, json_text

_ENCODERS = "wordllama, table:FILE, skip-thought:FOLDER, sentence-transformers:FOLDER"
_RANKERS = "lasso; bleu1 to bleu4, rouge-l (F1), rouge-l-coco (β = 1.2), cider (CIDEr-D) or meteor (nltk's)."
_VARIANTS = "Keep basic questions that differ from others only in determiners or contractions."


def rank(
    question: Annotated[str, Argument(help="The main question.")],
    data: Data,
    ranker: Annotated[str, Option("--ranker", help=_RANKERS)] = "lasso",
    encoder: Annotated[str, Option("--encoder", help=f"For the LASSO: {_ENCODERS}.")] = "wordllama",
    lam: Annotated[float, Option("--lam", help="The penalty λ of the LASSO; the paper uses 1e-6.")] = 1e-2,
    k: Annotated[int, Option("-k", help="How many basic questions to print.")] = 21,
    yes_no: Annotated[bool, Option("--yes-no", help="Only yes/no basic questions.")] = False,
    nonneg: Annotated[bool, Option("--nonneg", help="Coefficients may not be negative.")] = False,
    keep_variants: Annotated[bool, Option("--keep-variants", help=_VARIANTS)] = False,
    source: Annotated[str, Option("--source", help="vqa_v2 or vqa_v1.")] = "vqa_v2",
    as_json: AsJson = False,
) -> None:
    """Rank all basic questions under --data for one question, and print the best with their scores."""
    from diptych.builders.bqd import rank_question

    parameters: dict[str, Any] = {"source": source, "ranker": ranker, "encoder": encoder, "lam": lam, "k": k}
    parameters |= {"nonneg": nonneg, "variants": "keep" if keep_variants else "drop"}
    ranking = rank_question(question, data, parameters, yes_no)
    if as_json:
        scores = {"main": question, "basic": ranking.texts, "scores": ranking.scores}
        proof = {name: getattr(ranking, name) for name in ("gap", "excess", "support", "certified")}
        pool = {"same_vector": ranking.same_vector, "pool": ranking.pool_size}
        return typer.echo(json_text({**scores, **pool, **proof}))
    typer.echo(f"MQ    {question}")
    for number, (text, score) in enumerate(zip(ranking.texts, ranking.scores, strict=True), start=1):
        typer.echo(f"BQ{number:02d}  {format_score(score)}  {text}")
    if ranking.gap is not None:
        verdict = "optimal" if ranking.certified else "NOT CERTIFIED as optimal"
        typer.echo(
            f"{verdict} over all {ranking.pool_size:,} basic questions: relative duality gap at most {ranking.gap:.0e},"
            f" no column above the penalty by more than {ranking.excess:.0e} of it, {ranking.support} coefficients"
        )
    return None


def format_score(score: float) -> str:
    """A score in eight places, never as 0 unless it is 0.

    >>> [format_score(score) for score in (1.0571, 0.00231, 3.1e-05)]
    ['  1.0571', '  0.0023', ' 3.1e-05']
    """
    return f"{score:8.4f}" if score >= 1e-3 or not score else f"{score:8.1e}"
