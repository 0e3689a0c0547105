"""The tables of a card, from the manifest."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from diptych.audit import finding
from diptych.cards._pictures import examples_by_test
from diptych.folder import Example, FindingEntry, Manifest, PictureEntry, ResultEntry, ScoreEntry, SourceEntry
from diptych.metrics import format_number

_SCORES = 6  # columns of a table of scores
_TO = "\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}"
_OWN_MODELS = {
    "seeing": "is trained on pictures and the questions about them",
    "blind": "is trained on questions alone and sees no picture",
    "always-yes": "and `always-no` always give that answer",
    "majority": "gives the most frequent answer",
    "first-choice": "gives the first choice of a question",
    "copy-original": "repeats the correct answer to the original question",
}
_FILES = 24  # source files of the same configs that are listed


def card_tables(manifest: Manifest) -> dict[str, Any]:
    """Every table of a card by its name in the templates."""
    return {
        "shown": shown_pairs(manifest),
        "examples": examples(manifest),
        "pairs": pair_rows(manifest),
        "provenance": provenance_rows(manifest),
        "settings": recipe_settings(manifest),
        "ledger": ledger_rows(manifest),
        "problems": problem_rows(manifest),
        "findings": audit_rows(manifest),
        "leaks": leak_rows(manifest),
        "baselines": baseline_rows(manifest),
        "results": result_rows(manifest),
        "leads": lead_rows(manifest),
        "same_pairs": len({(row.config, row.split, row.pairs) for row in manifest.results or ()}) == 1,
        "own_models": own_models(manifest),
        "sources": sources(manifest),
    }


def ledger_rows(manifest: Manifest) -> list[dict[str, Any]]:
    """The ledger as rows of a table: config, split, test, seen, paired, skipped and why."""
    return [
        {"config": name, "split": split, "test": test, **counts.model_dump()}
        for name, config in manifest.configs.items()
        for split, ledger in config.ledger.items()
        for test, counts in ledger.items()
    ]


def problem_rows(manifest: Manifest) -> list[dict[str, Any]]:
    """Parts of the sources that could not be used; a problem that several configs share is listed once."""
    rows: dict[tuple[str, str, int], dict[str, Any]] = {}
    for row in ledger_rows(manifest):
        for reason, problem in row["problems"].items():
            key = (row["split"], reason, problem["count"])
            rows.setdefault(key, {"config": row["config"], "split": row["split"], "reason": reason, **problem})
    return list(rows.values())


def pair_rows(manifest: Manifest) -> list[dict[str, Any]]:
    """Pairs, images and answer balance by config, split and test."""
    return [
        {"config": name, "split": split, "test": test, **numbers.model_dump()}
        for name, split, entry in manifest.own_splits()
        for test, numbers in entry.statistics.items()
    ]


def examples(manifest: Manifest) -> list[Example]:
    """Three pairs of every test, each test once: from the first config and split that has it."""
    return [row for _, _, rows in examples_by_test(manifest).values() for row in rows]


def shown_pairs(manifest: Manifest) -> list[dict[str, Any]]:
    """The examples whose pictures are on the card, with the file and the text that stands for it."""
    rows = {row.pair_id: row for row in examples(manifest)}
    return [
        {"file": name, "example": rows[entry.pair_id], "names": entry.names, "text": _picture_text(entry)}
        for name, entry in (manifest.pictures or {}).items()
        if entry.pair_id in rows
    ]


def _picture_text(entry: PictureEntry) -> str:
    """What a picture shows, in words."""
    boxes = f" with {'a box' if entry.boxes == 1 else f'{entry.boxes} boxes'}" if entry.boxes else ""
    first, *others = (*entry.names, "")[:2]
    if entry.operation:
        return f"Left, the original picture {first}{boxes}; right, what the operation {entry.operation} makes of it"
    if others[0]:
        return f"Left, the original picture {first}{boxes}; right, the perturbed picture {others[0]}"
    return f"The picture {first}{boxes}, which both questions are about"


def provenance_rows(manifest: Manifest) -> list[dict[str, Any]]:
    """Every source file once, with the configs that were made from it; of many of the same configs, the first ones."""
    configs: dict[tuple[str, str], list[str]] = {}
    for name, recipe in manifest.recipes.items():
        for source in recipe.sources.items():
            configs.setdefault(source, []).append(name)
    groups: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for source, config_names in configs.items():
        groups.setdefault(tuple(config_names), []).append(source)
    rows = []
    for names, sources in groups.items():
        users = {"configs": () if len(names) == len(manifest.recipes) else names}
        rows += [{"file": file, "sha256": f"{digest[:16]}…", **users} for file, digest in sources[:_FILES]]
        more = len(sources) - _FILES
        rows += [{"file": f"and {more:,} more files", "sha256": "in manifest.json", **users}] if more > 0 else []
    return rows


def recipe_settings(manifest: Manifest) -> list[tuple[int, str, tuple[str, ...]]]:
    """Seed and tagger of every config; no configs where all have the same."""
    settings: dict[tuple[int, str], list[str]] = {}
    for name, recipe in manifest.recipes.items():
        settings.setdefault((recipe.seed, recipe.tagger or ""), []).append(name)
    return [(*setting, tuple(names) if len(settings) > 1 else ()) for setting, names in settings.items()]


def sources(manifest: Manifest) -> list[SourceEntry]:
    """Every source once, by its title."""
    return list({source.title: source for source in manifest.sources.values()}.values())


def _findings(manifest: Manifest, name: str | None = None) -> list[FindingEntry]:
    findings = manifest.audit.findings if manifest.audit else ()
    return [entry for entry in findings if name is None or entry.name == name]


def audit_rows(manifest: Manifest) -> list[FindingEntry]:
    """One row per check where all is well, and one more for everything that is not."""
    rows = []
    for name in dict.fromkeys(entry.name for entry in _findings(manifest)):
        of_check = _findings(manifest, name)
        fine = [entry for entry in of_check if entry.level == "ok"]
        rows += fine if len(fine) < 2 else [finding(name, "ok", "no problems", f"{len(fine)} of {len(of_check)}")]
        rows += [entry for entry in of_check if entry.level != "ok"]
    return rows


def leak_rows(manifest: Manifest) -> list[dict[str, Any]]:
    """Answer balance and the question-only classifier side by side, by config and test."""
    balances = {entry.place: entry.numbers for entry in _findings(manifest, "answer balance")}
    leaks = {entry.place: entry.numbers for entry in _findings(manifest, "question only")}
    rows = []
    for place, numbers in balances.items():
        if "yes" in numbers:
            leak = leaks.get(place, {})
            shares = {"question": _interval(leak, "accuracy"), "chance": _share(leak.get("chance"))}
            n = numbers.get("n")
            counts = {"n": n if isinstance(n, int) else 0, "yes": _interval(numbers, "yes")}
            rows.append({"place": place, **counts, **shares})
    return rows


def baseline_rows(manifest: Manifest) -> list[dict[str, Any]]:
    """What every model that does not look scores in every config, the default one first; undefined ones are dashes."""
    default = manifest.filled_configs().get(manifest.default, ())
    entries = sorted(_findings(manifest, "degenerate baselines"), key=lambda entry: entry.place not in default)
    rows = []
    for entry in entries:
        for model, scores in entry.numbers.items():
            if isinstance(scores, dict):
                cells = {name: _number(name, value) for name, value in islice(scores.items(), _SCORES)}
                rows.append({"config": entry.place, "model": model, "scores": cells})
    return rows


def result_rows(manifest: Manifest) -> list[dict[str, Any]]:
    """The scores of models with their intervals."""
    results = manifest.results or ()
    return [_result_row(manifest, entry, entry.scores) for entry in results]


def lead_rows(manifest: Manifest) -> list[dict[str, Any]]:
    """How far the first model is ahead of each of the others."""
    results = manifest.results or ()
    return [_result_row(manifest, entry, entry.lead) for entry in results if entry.lead]


def own_models(manifest: Manifest) -> dict[str, str]:
    """What those of the models are that come with Diptych."""
    names = {entry.model for entry in manifest.results or ()}
    return {name: text for name, text in _OWN_MODELS.items() if name in names}


def _result_row(manifest: Manifest, entry: ResultEntry, scores: Mapping[str, ScoreEntry]) -> dict[str, Any]:
    names = islice((manifest.results or (entry,))[0].scores, _SCORES)
    cells = {name: _score_cell(name, scores.get(name)) for name in names}
    return {"model": entry.model, "place": f"{entry.config}/{entry.split}", "pairs": entry.pairs, "scores": cells}


def _score_cell(name: str, score: ScoreEntry | None) -> str:
    """A score with its interval, which no line ends inside of."""
    if score is None or score.low is None:
        return _number(name, score.value if score else None)
    return f"{_number(name, score.value)} ({_number(name, score.low)}{_TO}{_number(name, score.high)})"


def _number(name: str, value: object) -> str:
    return format_number(name, value, decimals=1) if isinstance(value, int | float) else "–"


def _interval(numbers: Mapping[str, Any], name: str) -> str:
    if name not in numbers:
        return "–"
    if "low" not in numbers:
        return _share(numbers[name])
    low, high = (_share(numbers.get(end)).removesuffix(" %") for end in ("low", "high"))
    return f"{_share(numbers[name])} ({low}{_TO}{high})"


def _share(value: object) -> str:
    return f"{100 * value:.1f} %" if isinstance(value, int | float) else "–"
