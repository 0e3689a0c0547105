"""`diptych rank`: the basic questions nearest to one question, as in the paper's Table 1."""

from pathlib import Path
from typing import Annotated

import orjson
import typer


def rank(
    question: Annotated[str, typer.Argument(help="The main question.")],
    data: Annotated[Path, typer.Option("--data", help="Folder with the official source files.")],
    ranker: Annotated[str, typer.Option("--ranker", help="lasso, bleu1 to bleu4, rouge-l, cider or meteor.")] = "lasso",
    encoder: Annotated[
        str, typer.Option("--encoder", help="For the LASSO: wordllama, table:FILE, skip-thought:FOLDER, …")
    ] = "wordllama",
    lam: Annotated[float, typer.Option("--lam", help="The penalty λ of the LASSO.")] = 1e-6,
    k: Annotated[int, typer.Option("-k", min=1, help="How many basic questions.")] = 21,
    yes_no: Annotated[bool, typer.Option("--yes-no", help="Only yes/no basic questions.")] = False,
    nonneg: Annotated[bool, typer.Option("--nonneg", help="Coefficients may not be negative.")] = False,
    source: Annotated[str, typer.Option("--source", help="vqa_v2 or vqa_v1.")] = "vqa_v2",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Rank all basic questions under --data for one question, and print the best with their scores."""
    from diptych.builders.bqd.inputs import read_pool, splits_with_answers
    from diptych.builders.bqd.ranked import rank_one
    from diptych.builders.bqd.settings import RANKERS, Settings, encoder_under
    from diptych.errors import BadInputError, MissingFileError, UnknownNameError

    if ranker not in RANKERS:
        raise UnknownNameError.among("ranker", ranker, RANKERS)
    if not question.strip():
        raise BadInputError("the main question is empty")
    if not data.is_dir():
        raise MissingFileError(f"{data}: no such data folder; see `diptych sources` for what goes into it")
    settings = Settings.of(
        {"source": source, "basic": "+".join(splits_with_answers(source, data)) or "others", "ranker": ranker}
        | {"encoder": encoder_under(data, encoder), "lam": lam, "k": k, "partitions": 1, "per_partition": 1}
        | {"nonneg": nonneg}
    )
    pool = read_pool(settings, data, yes_no).questions
    found = rank_one(question, pool, settings)
    if as_json:
        told = {"main": question, "basic": found.basic, "scores": found.scores, "same_vector": found.same}
        proof = {"pool": len(pool), "gap": found.gap, "excess": found.excess, "support": found.support}
        typer.echo(orjson.dumps(told | proof, option=orjson.OPT_INDENT_2).decode())
        return
    typer.echo(f"MQ    {question}")
    for number, (text, score) in enumerate(zip(found.basic, found.scores, strict=True), start=1):
        typer.echo(f"BQ{number:02d}  {score:.4f}  {text}")
    if found.gap is not None:
        typer.echo(
            f"optimal over all {len(pool):,} basic questions: relative duality gap at most {found.gap:.0e}, "
            f"no column above the penalty by more than {found.excess:.0e} of it, {found.support} coefficients"
        )
