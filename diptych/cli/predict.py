"""`diptych predict`: asking a model."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer
from typer import Argument, Option

import diptych
from diptych.cli._options import AsJson, Config, Split, json_text
from diptych.errors import BadInputError

if TYPE_CHECKING:
    from diptych.models import PredictionRun

_MODEL = "The model's name at the endpoint, or a built-in model: always-yes, majority, random, …"
_BASE_URL = "The URL of an OpenAI-compatible endpoint; by default the Hub's inference providers."
_ARM = (
    "no-image, blank, other-image or repeat: the same questions with no picture, a gray one, another image's, or again."
)
_PROMPT = "A prompt template (Jinja) for all questions, or a folder with one per answer type."
_PRICE = "IN,OUT: dollars per million tokens of prompts and replies, to show the cost."
_EXTRA = "KEY=VALUE (repeatable): an extra request parameter, as JSON; null removes a parameter."
_SEED = "The seed of the sample and the arm; also sent to the endpoint."
_BATCH_FILE = "Write the requests as an OpenAI batch file instead of sending them."
_SAMPLE = "Sample about N pairs: whole groups, with each test in proportion."


def predict(
    dataset: Annotated[str, Argument(metavar="OUT_OR_HUB_ID", help="A built folder, or org/name@revision on the Hub.")],
    model: Annotated[str, Option(help=_MODEL)],
    out: Annotated[Path, Option(help="The file of predictions; a second run asks only what has no reply yet.")],
    base_url: Annotated[str | None, Option(help=_BASE_URL)] = None,
    images: Annotated[Path | None, Option(help="The folder of the pictures.")] = None,
    config: Config = None,
    split: Split = None,
    arm: Annotated[str, Option(help=_ARM)] = "full",
    prompt: Annotated[Path | None, Option(help=_PROMPT)] = None,
    limit: Annotated[int | None, Option(min=1, help="Only the first N pairs.")] = None,
    sample: Annotated[int | None, Option(min=1, help=_SAMPLE)] = None,
    seed: Annotated[int | None, Option(help=_SEED)] = None,
    concurrency: Annotated[int, Option(help="Number of concurrent requests.")] = 8,
    timeout: Annotated[float, Option(help="Timeout of a request in seconds.")] = 120.0,
    tries: Annotated[int, Option(help="Attempts per query before it counts as failed.")] = 8,
    image_size: Annotated[int, Option(help="The longest side of a picture that is sent, in pixels.")] = 1024,
    max_tokens: Annotated[int, Option(help="The most tokens of a reply.")] = 1024,
    temperature: Annotated[float, Option(help="The sampling temperature.")] = 0.0,
    logprobs: Annotated[bool, Option("--logprobs", help="Ask for log-probabilities.")] = False,
    stream: Annotated[bool, Option("--stream", help="Stream the replies, for long ones.")] = False,
    revision: Annotated[str | None, Option(help="The revision of the model, for the record.")] = None,
    extra: Annotated[list[str] | None, Option(help=_EXTRA)] = None,
    price: Annotated[str | None, Option(help=_PRICE)] = None,
    data: Annotated[Path | None, Option(help="The source files, for the oracle.")] = None,
    batch_file: Annotated[Path | None, Option(help=_BATCH_FILE)] = None,
    batch_results: Annotated[list[Path] | None, Option(help="A result file of the batch (repeatable).")] = None,
    overwrite: Annotated[bool, Option("--overwrite", help="Start over and replace the file.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Count requests and tokens, but send nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Ask a model every question of a built dataset; the API key is read from DIPTYCH_API_KEY or HF_TOKEN."""
    settings: dict[str, Any] = {"base_url": base_url, "revision": revision, "concurrency": concurrency, "seed": seed}
    settings |= {"timeout": timeout, "tries": tries, "image_size": image_size, "max_tokens": max_tokens, "data": data}
    settings |= {"temperature": temperature, "logprobs": logprobs, "stream": stream, "extra": _parse_extra(extra or [])}
    options: dict[str, Any] = {"config": config, "split": split, "images": images, "prompt": prompt, "arm": arm}
    options |= {"limit": limit, "sample": sample, "seed": seed or 0, "price": _parse_price(price), "dry_run": dry_run}
    options |= {"overwrite": overwrite, "batch_file": batch_file, "batch_results": tuple(batch_results or ())}
    run = diptych.predict(dataset, model, out, settings=settings, **options)
    typer.echo(json_text(run.as_dict()) if as_json else "\n".join(_lines(run, dry_run)))
    is_done = dry_run or run.batch_files or not run.unanswered
    raise typer.Exit(0 if is_done else 1)


def _lines(run: "PredictionRun", dry_run: bool) -> list[str]:
    """What became of a run, for people."""
    from diptych.models import ESTIMATE_RULE

    usage = run.usage
    asked = f"{run.sides:,} sides: {run.queries:,} distinct queries about {run.pictures:,} pictures"
    asked += f", {run.earlier:,} of them answered before" if run.earlier else ""
    if dry_run:
        cost = f", at most ${usage.cost:,.2f}" if usage.cost is not None else ""
        tokens = f"about {usage.input_tokens:,} tokens in, at most {usage.output_tokens:,} out{cost}"
        return [asked, f"{run.queries - run.earlier:,} requests, {tokens}", f"the rule: {ESTIMATE_RULE}"]
    if run.batch_files:
        requests = f"{run.queries - run.earlier:,} requests in {', '.join(map(str, run.batch_files))}"
        return [asked, f"{requests}; read their results with --batch-results FILE"]
    lines = [f"{asked}; in {run.out}", *([str(usage)] if str(usage) else [])]
    if run.unanswered:
        reason = f" ({run.problem})" if run.problem else ""
        lines.append(f"{run.unanswered:,} queries have no reply{reason}: run the same command again to ask only those")
    return lines


def _parse_extra(settings: list[str]) -> dict[str, Any]:
    extra = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not name or not equals:
            raise BadInputError(f"--extra {setting}: must be KEY=VALUE")
        try:
            extra[name] = orjson.loads(value)
        except orjson.JSONDecodeError:
            extra[name] = value
    return extra


def _parse_price(price: str | None) -> tuple[float, float] | None:
    try:
        prices = [float(part) for part in price.split(",")] if price is not None else None
    except ValueError:
        prices = []
    if prices is None:
        return None
    if len(prices) != 2 or not all(0 <= part < float("inf") for part in prices):
        raise BadInputError(f"--price {price}: must be IN,OUT in dollars per million tokens, such as 0.15,0.6")
    return prices[0], prices[1]
