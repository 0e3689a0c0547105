"""Builds at the size of the official sources: time, memory and output at a tenth, a third and the full size.

    python benchmarks/bench_full_size.py rad kb [--shares 0.1,0.333,1] [--workers 2] [--engine ray] [--json FILE]

Every run is one `diptych build` in a process of its own, audit and card included. Memory is that of all processes
together, shared pages counted once; `private` leaves out mapped files, and `largest` is the largest process. Without
names, all cases run at a thousandth of their size, to see that they do. `--json` appends one line per run.
"""

import argparse
import datetime
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import official_inputs as inputs
import orjson
from process_tree import Usage, watch

from diptych.folder import read_manifest

_TEXT_TESTS = ("rephrase", "ontological", "order", "negation", "antonym")
_PACKAGES = ("diptych", "numpy", "pyarrow", "spacy", "numba", "opencv-python-headless", "ray")
_BQD_SHARE = 0.02  # of the main questions; the pool is whole at the full size


@dataclass(frozen=True)
class Case:
    """A build at the size of its official source."""

    dataset: str
    size: int
    unit: str
    write: Callable[[Path, float], str]
    arguments: tuple[str, ...] = ()

    def configs(self, *names: str) -> "Case":
        """The same with some configs alone."""
        chosen = tuple(argument for name in names for argument in ("--config", name))
        return Case(self.dataset, self.size, self.unit, self.write, (*self.arguments, *chosen))


def _gqa(folder: Path, share: float) -> str:
    sizes = {"train": round(inputs.GQA_TRAIN * share), "val": round(inputs.GQA_VAL * share)}
    return inputs.write_gqa(folder, sizes)


def _bqd(folder: Path, share: float) -> str:
    main, basic = round(inputs.MAIN_QUESTIONS * _BQD_SHARE * share), round(inputs.BASIC_QUESTIONS * share)
    return f"{main:,} main over {basic:,} basic questions: {inputs.write_bqd(folder, main, basic)}"


def _scaled(write: Callable[[Path, int], str], size: int) -> Callable[[Path, float], str]:
    return lambda folder, share: write(folder, round(size * share))


_VQA = inputs.VQA_TRAIN + inputs.VQA_VAL
_GQA = inputs.GQA_TRAIN + inputs.GQA_VAL
_FVQA = _scaled(inputs.write_fvqa, inputs.CONCEPTNET_LINES)
_PICTURES = _scaled(inputs.write_pictures, inputs.VISUAL_IMAGES)
_VISUAL_QUESTIONS = 2  # per image
CASES = {
    "rad": Case("rad-cads", _VQA, "questions", inputs.write_vqa).configs("vqa_v2"),
    "rad_all": Case("rad-cads", _VQA, "questions", inputs.write_vqa),
    "kb": Case("kb-counterfactuals", _VQA, "questions", inputs.write_vqa),
    "kb_vg": Case("kb-counterfactuals", inputs.VG_QUESTIONS, "questions", inputs.write_vg_questions),
    "carets_text": Case("carets", _GQA, "scene graphs", _gqa).configs(*_TEXT_TESTS),
    "carets_vg": Case("carets", inputs.VG_IMAGES, "images", _scaled(inputs.write_vg, inputs.VG_IMAGES)).configs(
        *_TEXT_TESTS
    ),
    "carets_visual": Case("carets", inputs.VISUAL_IMAGES, "images", _PICTURES).configs("visual"),
    "fvqa2": Case("fvqa2", inputs.CONCEPTNET_LINES, "lines of ConceptNet", _FVQA),
    "bqd": Case("bqd", inputs.BASIC_QUESTIONS, "basic questions", _bqd).configs("gbqd"),
}


def run_case(name: str, share: float, options: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    """Generate an input, build it, and describe the run."""
    case, data = CASES[name], (options.folder or scratch) / f"{name}-{share:g}"
    note = data / "note.txt"
    if not note.is_file():
        shutil.rmtree(data, ignore_errors=True)
        data.mkdir(parents=True)
        note.write_text(case.write(data, share))
    out = scratch / "out"
    shutil.rmtree(out, ignore_errors=True)
    command = [sys.executable, "-c", "import sys; from diptych.cli import main; main(sys.argv[1:])", "build"]
    command += [case.dataset, "--data", str(data), "--out", str(out), "--num-proc", str(options.workers)]
    command += [*case.arguments, "--engine", options.engine, *options.arguments]
    if name == "carets_visual":  # the paper's numbers of questions do not grow with the number of images
        command += ["--set", f"pairs={_VISUAL_QUESTIONS * round(case.size * share)}"]
    log = scratch / "log.txt"
    usage = watch(command, log)
    if usage.exit_code:
        raise SystemExit(f"{name}: the build failed with {usage.exit_code}:\n{log.read_text()[-2000:]}")
    manifest = read_manifest(out)
    record = {
        "case": name,
        "dataset": case.dataset,
        "share": share,
        "size": round(case.size * share),
        "unit": case.unit,
        "input": note.read_text(),
        "engine": options.engine,
        "workers": options.workers,
        "alone": options.alone,
        **describe_usage(usage),
        "input_mb": _megabytes(data),
        "output_mb": _megabytes(out),
        "pairs": sum(split.rows for _, _, split in manifest.own_splits()),
        "hashes": {f"{config}/{split}": entry.content_hash for config, split, entry in manifest.own_splits()},
        "note": options.note,
        **describe_machine(),
    }
    shutil.rmtree(out)
    if not options.folder:
        shutil.rmtree(data)
    return record


def describe_usage(usage: Usage) -> dict[str, Any]:
    """Seconds, and megabytes at the peak."""
    return {
        "wall_s": round(usage.seconds, 1),
        "cpu_s": round(usage.processor_seconds, 1),
        "first_process_cpu_s": round(usage.first_processor_seconds, 1),
        "others_cpu_s": round(usage.others, 1),
        "peak_mb": round(usage.peak / 1e6),
        "peak_private_mb": round(usage.peak_private / 1e6),
        "largest_process_mb": round(usage.largest / 1e6),
        "processes": usage.processes,
        "peak_at_s": round(usage.peak_at, 1),
        "at_peak_mb": [round(size / 1e6) for size in usage.at_peak[:6]],
    }


def _megabytes(folder: Path) -> float:
    return round(sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6, 1)


def describe_machine() -> dict[str, Any]:
    """Where and with what a run was made."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").is_file() else []
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    versions = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "machine": f"{model or platform.processor()}, {os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()}",
        "versions": versions,
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"),
    }


def main() -> None:
    """Run the cases and print a line for each run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", choices=[*CASES, []])
    parser.add_argument("--shares", type=lambda text: [float(part) for part in text.split(",")])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--engine", choices=("local", "ray"), default="local")
    parser.add_argument("--folder", type=Path, help="where inputs are kept for the next run")
    parser.add_argument("--json", type=Path, help="a file to which a line is appended for each run")
    parser.add_argument("--alone", action="store_true", help="note that nothing else runs, so that wall times count")
    parser.add_argument("--note", default="", help="a remark for the records")
    parser.add_argument("--arguments", default=[], type=str.split, help="further arguments of `diptych build`")
    options = parser.parse_args()
    shares = options.shares or ([0.1, 1 / 3, 1.0] if options.cases else [0.001])
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for name in options.cases or CASES:
            for share in shares:
                record = run_case(name, share, options, Path(folder))
                print(
                    f"{name} {record['size']:,} {record['unit']}, {record['workers']} workers ({record['engine']}): "
                    f"{record['wall_s']} s, {record['cpu_s']} s of the processors, {record['peak_mb']:,} MB "
                    f"({record['peak_private_mb']:,} private, largest process {record['largest_process_mb']:,}), "
                    f"{record['pairs']:,} pairs, {record['output_mb']:,} MB",
                    flush=True,
                )
                if options.json:
                    with options.json.open("ab") as file:
                        file.write(orjson.dumps(record) + b"\n")


if __name__ == "__main__":
    main()
