"""Everything that Diptych reads and somebody else may have written, as functions of a folder."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from diptych import _api
from diptych.builders import BuildOptions, build_into, get_dataset, read_verdicts, recipe_options, source_differences
from diptych.builders.bqd._rankings import read_table
from diptych.cards import check_card, write_card
from diptych.folder import BuiltFolder, open_folder
from diptych.folder.hub import hub_dataset
from diptych.images import open_images
from diptych.kg.screen import read_rejects
from diptych.metrics import predict_baseline
from diptych.publishing import compare_builds, difference_lines
from diptych.publishing.export import FORMATS, export_folder
from diptych.ranking import get_encoder
from diptych.report.review import PagePictures, ReviewItem, choose_items, merge_files, merge_tasks, write_folder
from diptych.report.review._pictures import read_picture
from diptych.scenegraphs.image_operations import decode
from diptych.sources import (
    BENCHMARKS,
    backtranslation_files,
    benchmark_files,
    convqa_files,
    find_file,
    fvqa_files,
    iter_questions,
    iter_vqa,
    read_backtranslations,
    read_benchmark,
    read_convqa,
    read_folds,
    read_fvqa,
    read_released,
    read_rephrasings,
    read_vg_objects,
    read_vg_questions,
    read_visdial,
    rephrasings_files,
    require_file,
    visdial_file,
    visdial_splits,
    vqa_files,
    vqa_splits,
)
from diptych.templates import check_templates, load_templates
from tests.kg.dumps import read_dump
from tests.metrics.logs import WRITERS
from tests.robustness import corpus
from tests.robustness.corpus import Prepare
from tests.scenegraphs.readers import read_gqa, read_vg


@dataclass(frozen=True, slots=True)
class Reader:
    """Something that reads files: how to write sound ones, which of them are mutated, and how they are read."""

    name: str
    prepare: Prepare
    files: str
    """A pattern of the files that are mutated."""
    read: Callable[[Path], object]
    names_file: bool = True
    """Whether an error must name the file; the value of an option is named by its option."""
    share: int = 1
    """How often it is drawn; a reader that takes seconds is drawn less often than once."""
    compiles: bool = False
    """Whether its first run compiles something, which takes seconds once on a machine."""


def _exhaust(rows: Iterable[object]) -> int:
    return sum(1 for _ in rows)


# Sources.


def _vqa(source: str) -> Callable[[Path], object]:
    def read(folder: Path) -> object:
        data = folder / "data"
        return [_exhaust(iter_vqa(vqa_files(data, source, split))) for split in vqa_splits(data, source)]

    return read


def _questions(folder: Path) -> object:
    return [list(iter_questions(vqa_files(folder / "data", "vqa_v2", split))) for split in ("val", "train")]


def _visdial(folder: Path) -> object:
    data = folder / "data"
    return [_exhaust(read_visdial(visdial_file(data, split), split)) for split in visdial_splits(data)]


def _gqa(folder: Path) -> object:
    return _exhaust(read_gqa(require_file(folder / "data", "gqa", "val_sceneGraphs.json")))


def _fvqa(folder: Path) -> object:
    data = folder / "data"
    return fvqa_files(data), read_fvqa(data), read_folds(data)


def _benchmark(source: str) -> Callable[[Path], object]:
    return lambda folder: _exhaust(read_benchmark(source, benchmark_files(folder / "data", source)))


def _convqa(folder: Path) -> object:
    files = convqa_files(folder / "data")
    return [_exhaust(read_convqa(file, source)) for source, found in files.items() for file in found]


def _backtranslations(folder: Path) -> object:
    return [read_backtranslations(file) for file in backtranslation_files(folder / "data")]


def _conceptnet(folder: Path) -> object:
    path = next((folder / "data" / "conceptnet").iterdir())
    file = find_file(folder / "data", "conceptnet", path.name.removesuffix(".gz"))
    return file and read_dump(file)


# What a dataset carries.


def _open(folder: Path) -> BuiltFolder:
    return open_folder(folder / "out")


def _describe(folder: Path) -> object:
    built = _open(folder)
    for config in built.configs:
        built.description(config), built.tests(config), built.features(config), built.patterns(config)
    return built.pairs(built.select())


def _recipe(folder: Path) -> object:
    built = _open(folder)
    dataset = get_dataset(built.manifest.dataset)
    options = recipe_options(built, dataset, folder)
    return dataset.load_templates(options), list(source_differences(built.manifest, folder))


def _card(folder: Path) -> object:
    return check_card(_open(folder)), write_card(_open(folder))


def _errata(folder: Path) -> object:
    from diptych.publishing import read_errata

    return read_errata(_open(folder))


def _export(folder: Path) -> object:
    return [export_folder(_open(folder), name, folder / "export" / name) for name in FORMATS]


def _explain(folder: Path) -> object:
    built = _open(folder)
    selection = built.select()
    pair_ids = built.table(selection.config, selection.split, ("pair_id",))["pair_id"].to_pylist()
    explanation = _api.explain(folder / "out", str(pair_ids[0]) if pair_ids else "none")
    return list(explanation.lines()), explanation.as_json()


def _diff(folder: Path) -> object:
    if not (folder / "other").exists():
        corpus.built(folder / "other")
    return list(difference_lines(compare_builds(str(folder / "out"), str(folder / "other" / "out"))))


def _baselines(folder: Path) -> object:
    names = ("majority", "random", "copy-original")
    return [predict_baseline(_open(folder), name, None, None, 0, None) for name in names]


def _score(folder: Path) -> object:
    files = sorted(folder.glob("predictions.*"))
    report = _api.score(folder / "out", files[0], bootstrap=10, explain=5, allow_missing=True)
    return report.as_text(), report.as_dict()


def _score_nodes(folder: Path) -> object:
    return _api.score(folder / "out", folder / "predictions.jsonl", bootstrap=0, nodes=folder / "nodes.txt").as_text()


def _items(folder: Path) -> list[ReviewItem]:
    built = _open(folder)
    return choose_items(built.pairs(built.select(), complete=True).to_pylist(), {"template": ("template_id",)})


def _page(folder: Path) -> object:
    pictures = PagePictures(open_images(folder / "images"))
    return write_folder(folder / "pages", "A page", _items(folder), pictures, overwrite=True)


def _merge(folder: Path) -> object:
    return merge_files(sorted(folder.glob("*.json")), _items(folder), 2)


def _merge_tasks(folder: Path) -> object:
    return merge_tasks(sorted(folder.glob("*.json")), _items(folder))


def _images(folder: Path) -> object:
    images = open_images(folder / "images")
    rows = [{"original_image_id": path.stem} for path in images.root.iterdir()]
    return [
        (read_picture(row, "original", images), decode(images.read(f"{row['original_image_id']}.jpg"))) for row in rows
    ]


# Values of the command line.


def _text(folder: Path) -> str:
    return (folder / "text.value").read_bytes().decode("utf-8", "surrogateescape")


def _setting(dataset: str, *configs: str) -> Callable[[Path], object]:
    def read(folder: Path) -> object:
        return get_dataset(dataset).spec.parse_parameters((_text(folder),))

    return read


def _encoder(folder: Path) -> object:
    encoder = get_encoder(f"table:{folder / 'vectors.npz'}")
    return encoder.encode(corpus.TEXTS)


def _skip_thought(folder: Path) -> object:
    return get_encoder(f"skip-thought:{folder / 'skip'}").encode(corpus.TEXTS)


# Whole builds.


def _build(dataset: str, *configs: str, **parameters: str | int) -> Callable[[Path], object]:
    def read(folder: Path) -> object:
        options = BuildOptions(folder / "data", configs, parameters=parameters)
        manifest = build_into(folder / "new", get_dataset(dataset), options, str(folder / "work"))
        write_card(replace(BuiltFolder(folder / "new", manifest)))
        return manifest

    return read


READERS: tuple[Reader, ...] = (
    Reader("vqa", corpus.world("vqa"), "data/vqa/*val2014*", _vqa("vqa_v2"), share=3),
    Reader("vqa-cp", corpus.world("vqacp"), "data/vqacp/*test*", _vqa("vqa_cp_v2")),
    Reader("vqa-zip", corpus.zipped_vqa, "data/vqa/*val2014*", _vqa("vqa_v2"), share=3),
    Reader("vqa-gz", corpus.gzipped_vqa, "data/vqa/*val2014*", _vqa("vqa_v2"), share=2),
    Reader("vqa-questions", corpus.world("vqa"), "data/vqa/*val2014_questions*", _questions),
    Reader("visdial", corpus.world("visdial"), "data/visdial/*", _visdial, share=2),
    Reader("gqa", corpus.world("gqa"), "data/gqa/val*", _gqa, share=2),
    Reader("vg", corpus.world("vg"), "data/vg/*", lambda folder: _exhaust(read_vg(folder / "data")), share=2),
    Reader(
        "vg-questions",
        corpus.world("vg"),
        "data/vg/question_answers.json",
        lambda folder: _exhaust(read_vg_questions(require_file(folder / "data", "vg", "question_answers.json"))),
    ),
    Reader(
        "vg-objects",
        corpus.world("vg"),
        "data/vg/[io]*.json",
        lambda folder: read_vg_objects(folder / "data", range(10**7)),
    ),
    Reader("fvqa", corpus.world("fvqa"), "data/fvqa/**/*", _fvqa, share=2),
    Reader("convqa", corpus.world("convqa"), "data/convqa/*", _convqa, share=2),
    *(Reader(name, corpus.world(name), f"data/{name}/**/*", _benchmark(name)) for name in BENCHMARKS),
    Reader(
        "rephrasings",
        corpus.rephrasings,
        "data/rephrasings/*",
        lambda folder: _exhaust(read_rephrasings(rephrasings_files(folder / "data"))),
    ),
    *(
        Reader(f"translations{suffix}", corpus.backtranslations(suffix), "data/backtranslations/*", _backtranslations)
        for suffix in (".csv", ".tsv", ".jsonl", ".parquet")
    ),
    Reader(
        "carets-release", corpus.carets_release, "data/carets/*", lambda folder: list(read_released(folder / "data"))
    ),
    Reader("conceptnet", corpus.world("conceptnet"), "data/conceptnet/*", _conceptnet),
    Reader("templates", corpus.templates, "templates/*/*.toml", lambda folder: check_templates(folder / "templates")),
    Reader(
        "own-templates",
        corpus.templates,
        "templates/rad-cads/*.toml",
        lambda folder: load_templates("rad-cads", folder / "templates").hash,
    ),
    Reader("manifest", corpus.built, "out/manifest.json", _describe, share=3),
    Reader("manifest-check", corpus.built, "out/manifest.json", lambda folder: _api.check(folder / "out")),
    Reader("manifest-export", corpus.built, "out/manifest.json", _export),
    Reader("recipe", corpus.built, "out/recipe/recipe.json", _recipe, share=2),
    Reader("recipe-templates", corpus.built, "out/recipe/templates/*/*.toml", _recipe),
    Reader("card", corpus.built, "out/README.md", _card, share=2),
    Reader("manifest-card", corpus.built, "out/manifest.json", _card),
    Reader("errata", corpus.built, "out/errata.jsonl", _errata),
    Reader("pairs-check", corpus.built, "out/data/**/*.parquet", lambda folder: _api.check(folder / "out"), share=3),
    Reader("pairs-export", corpus.built, "out/data/**/*.parquet", _export, share=2),
    Reader("pairs-explain", corpus.built, "out/data/**/*.parquet", _explain, share=2),
    Reader("pairs-diff", corpus.built, "out/data/**/*.parquet", _diff, share=2),
    Reader("pairs-baseline", corpus.built, "out/data/**/*.parquet", _baselines, share=2),
    Reader("pairs-review", corpus.pictures, "out/data/**/*.parquet", _page, share=2),
    Reader("pairs-score", corpus.predictions(".jsonl"), "out/data/**/*.parquet", _score, share=3),
    *(
        Reader(f"predictions{suffix}-{shape}", corpus.predictions(suffix, shape), f"predictions{suffix}", _score)
        for suffix in (".jsonl", ".csv", ".parquet")
        for shape in ("pair", "side", "question")
    ),
    *(Reader(f"predictions-{name}", corpus.log(name), f"predictions.{name}", _score) for name in WRITERS),
    Reader("nodes", corpus.nodes, "nodes.txt", _score_nodes),
    Reader("sheets", corpus.sheets("judge"), "ann.json", _merge, share=2),
    Reader("answer-sheets", corpus.sheets("answer"), "ann.json", _merge_tasks, share=2),
    Reader("verdicts", corpus.verdicts, "verdicts.jsonl", lambda folder: read_verdicts(folder / "verdicts.jsonl")),
    Reader(
        "rejects",
        corpus.rejects,
        "rejects.txt",
        lambda folder: read_rejects(folder / "rejects.txt", lambda text: tuple(text.split())),
    ),
    Reader("ranked-table", corpus.ranked_table, "table.jsonl", lambda folder: read_table(folder / "table.jsonl")),
    Reader("vectors", corpus.vectors, "vectors.npz", _encoder, share=2),
    Reader("skip-thought", corpus.skip_thought, "skip/*", _skip_thought, share=2),
    Reader("images", corpus.pictures, "images/*", _images),
    *(
        Reader(f"set-{text.partition('=')[0]}", corpus.value(text), "text.value", _setting(dataset), names_file=False)
        for dataset, text in (
            ("bqd", "k=21"),
            ("bqd", "lam=1e-6"),
            ("bqd", "partitions=7"),
            ("bqd", "encoder=wordllama"),
            ("rad-cads", "zero=true"),
            ("carets", "counts=verify:5,rephrase.choice:7"),
            ("carets", "means=1,2,3"),
            ("carets", "pairs=100"),
        )
    ),
    Reader("repository", corpus.value("org/name@v1.0.0"), "*.value", lambda folder: hub_dataset(_text(folder)), False),
    Reader("build-rad", corpus.world("vqa", "visdial"), "data/*/*val*", _build("rad-cads", "vqa_v2", "visdial")),
    Reader("build-kb", corpus.world("vqa"), "data/*/*val*", _build("kb-counterfactuals", "vqa_v2")),
    Reader(
        "build-carets",
        corpus.world("gqa", "images", pictures=True),
        "data/gqa/*",
        _build("carets", "default", pairs=10, images="recipe"),
    ),
    Reader(
        "build-visual",
        corpus.world("gqa", "images", pictures=True),
        "data/images/*",
        _build("carets", "visual", pairs=10),
    ),
    Reader("build-released", corpus.carets_release, "data/carets/*", _build("carets", "released")),
    Reader("build-fvqa2", corpus.world("fvqa", "conceptnet", "vg"), "data/[fcv]*/**/*", _build("fvqa2")),
    Reader("build-bqd", corpus.world("vqa"), "data/*/*", _build("bqd", "gbqd", "shuffled", limit=10), compiles=True),
)
"""At least one for everything that is read."""
