"""Claim: the reader is wrong on fewer replies than simple rules, and reads at least 100,000 short replies per second.

The replies are the labeled ones of `tests/metrics/replies`, or files of your own or folders of them: JSON lines with
`question`, `reply`, `answer` (null where a careful person could not tell) and, where they apply, `choices`, `also` and
`kind`. Yours are printed with 95 % Wilson intervals, and those of more than three words once more. Every rate is
printed by kind of answer, for both halves of the replies that the reader was written against, and for natural replies
by people who had not seen it, with their rates at the first look: see
`tests/metrics/replies/README.md`.
"""

import argparse
import hashlib
import json
import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from results import Claim, record

from diptych.metrics import normalize, read_answer

REPLIES = Path(__file__).resolve().parent.parent / "tests" / "metrics" / "replies"
YES_NO = ("yes", "no")
NATURAL = {
    "natural": "natural replies",
    "natural_held_out": "natural replies, held out at first",
    "natural_a": "natural replies, many without the word",
    "natural_b": "natural replies, most without the word",
    "natural_c": "natural replies in natural proportions",
    "natural_d": "natural replies in natural proportions, held out at first",
    "rounds": "replies written in rounds by those who mended the reader",
}

Reply = Mapping[str, Any]
Reader = Callable[[Reply], str | None]


def load_replies(paths: Iterable[Path]) -> list[dict[str, Any]]:
    """The replies of some files; the kind of answer is the name of the file, unless a reply says another."""
    rows = []
    for path in paths:
        for line in path.read_text(encoding="utf-8").split("\n"):
            if not line.strip():
                continue
            row = {"kind": path.stem, "file": path.stem, **json.loads(line)}
            if row["kind"] == "yes_no" or row["answer"] in YES_NO:
                row.setdefault("choices", list(YES_NO))
            rows.append(row)
    return rows


def set_of(row: Reply) -> str:
    """The set that a reply belongs to: the natural ones, or the half of the others by a hash of what it says."""
    if row["file"] in NATURAL:
        return NATURAL[row["file"]]
    text = f"{row['question']}\n{row['reply']}"
    return "second half" if hashlib.sha256(text.encode()).digest()[0] & 1 else "first half"


def judge(row: Reply, answer: str | None) -> str:
    """What a reader made of a reply: right, wrong, unread, or unread as it should be."""
    if answer is None:
        return "rightly unread" if row["answer"] is None else "unread"
    labels = [row["answer"], *row.get("also", [])] if row["answer"] is not None else []
    return "right" if normalize(answer) in map(normalize, labels) else "wrong"


def read(row: Reply) -> str | None:
    """The reader of this package."""
    return read_answer(row["reply"], row["question"], row.get("choices", ()))


def first_word(row: Reply) -> str | None:
    """The first word, if it is a choice or there are no choices."""
    words = normalize(row["reply"]).split()
    choices = row.get("choices", ())
    if not choices:
        return words[0] if words else None
    return next((choice for choice in choices if words and normalize(choice) == words[0]), None)


def contains(row: Reply) -> str | None:
    """The first choice that the reply contains as a word; without choices, the whole reply."""
    words = f" {normalize(row['reply'])} "
    choices = row.get("choices", ())
    return next((choice for choice in choices if f" {normalize(choice)} " in words), None) if choices else row["reply"]


def official(row: Reply) -> str | None:
    """The reply as the official evaluator compares it."""
    return row["reply"] if row["reply"].strip() else None


READERS: dict[str, Reader] = {
    "this reader": read,
    "first word": first_word,
    "contains the choice": contains,
    "official evaluator": official,
}


def print_rates(title: str, rows: list[dict[str, Any]]) -> None:
    """One line per reader and kind of answer; the shares that are read wrongly are recorded."""
    wrong: dict[str, float] = {}
    print(f"\n{title}: {len(rows):,} replies")
    print(f"{'reader':<20} {'kind':<8} {'n':>5} {'wrong':>8} {'unread':>8} {'right':>8}")
    for name, reader in READERS.items():
        by_kind: dict[str, Counter[str]] = defaultdict(Counter)
        for row in rows:
            outcome = judge(row, reader(row))
            by_kind[row["kind"]][outcome] += 1
            by_kind["all"][outcome] += 1
        for kind in sorted(by_kind, key=lambda kind: (kind == "all", kind)):
            counts = by_kind[kind]
            n = counts.total()
            right = counts["right"] + counts["rightly unread"]
            shares = [100 * part / n for part in (counts["wrong"], counts["unread"], right)]
            wrong[name] = shares[0]
            print(f"{name:<20} {kind:<8} {n:>5} {shares[0]:>7.2f}% {shares[1]:>7.2f}% {shares[2]:>7.2f}%")
    record_rates(title, len(rows), wrong)


def record_rates(title: str, replies: int, wrong: dict[str, float]) -> None:
    """Record the share that the reader reads wrongly, beside that of the best simple rule."""
    ours, others = wrong.pop("this reader"), wrong
    best = min(others, key=lambda name: others[name])
    claim, statement = "reader-" + title.replace(",", "").replace(" ", "-"), f"{title}: replies that are read wrongly"
    record(Claim(claim, statement, ours, "%", others[best], best, size=f"{replies:,} replies"))


def wilson(part: int, n: int) -> str:
    """A share in percent with its 95 % interval."""
    share, z2 = part / n, 1.96**2
    middle, half = share + z2 / (2 * n), 1.96 * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    low, high = ((middle + sign * half) / (1 + z2 / n) for sign in (-1, 1))
    return f"{part} of {n}, {100 * share:.2f} % [{100 * max(low, 0):.2f}, {100 * high:.2f}]"


def print_intervals(title: str, rows: list[dict[str, Any]]) -> None:
    """How many replies this reader reads wrongly and leaves unread, with intervals."""
    counts = Counter(judge(row, read(row)) for row in rows)
    for outcome in ("wrong", "unread") if rows else ():
        print(f"{title}, {outcome}: {wilson(counts[outcome], len(rows))}")


def short_replies(size: int) -> list[tuple[str, str, tuple[str, ...]]]:
    """Distinct questions with the short replies of models that were asked for a word or a short phrase."""
    things = [f"{color} {noun}" for color in ("red", "old", "big", "wet") for noun in ("dog", "car", "kite", "bench")]
    forms: list[tuple[str, str, tuple[str, ...]]] = [
        ("Is there a {thing} near gate {number}?", "Yes", YES_NO),
        ("Is the {thing} beside gate {number}?", "No.", YES_NO),
        ("Is the {thing} wet near gate {number}?", "Yes, it is.", YES_NO),
        ("How many {thing}s are there?", "{number}", ()),
        ("How many {thing}s are in row {number}?", "three", ()),
        ("What color is the {thing} of house {number}?", "dark blue", ()),
        ("What color is the {thing} near gate {number}?", "Red", ()),
        ("What is behind house {number}?", "a {thing}", ()),
        ("What is near gate {number}?", "{thing}", ()),
        ("Where is the {thing} of house {number}?", "on table", ()),
    ]
    replies = []
    for index in range(size):
        question, reply, choices = forms[index % len(forms)]
        names = {"thing": things[index % len(things)], "number": index // len(forms)}
        replies.append((question.format(**names), reply.format(**names), choices))
    return replies


def sentences(size: int) -> list[tuple[str, str, tuple[str, ...]]]:
    """Distinct questions with replies in whole sentences, some of them wrapped."""
    forms: list[tuple[str, str, tuple[str, ...]]] = [
        ("Is there a dog near gate {number}?", "Yes, there is a dog near gate {number}.", YES_NO),
        ("Are there two dogs near gate {number}?", "There are three dogs near gate {number}.", YES_NO),
        ("What color is car {number}?", "The color of car {number} is blue.", ()),
        ("How many dogs are near gate {number}?", "<think>Two? No.</think>There are 3 dogs.", ()),
        ("What is the man near gate {number} holding?", "The man is holding a red umbrella.", ()),
    ]
    return [
        (question.format(number=index), reply.format(number=index), choices)
        for index, (question, reply, choices) in ((i, forms[i % len(forms)]) for i in range(size))
    ]


def print_speed(title: str, replies: list[tuple[str, str, tuple[str, ...]]]) -> None:
    """How many replies are read per second of one core, beside the official normalization alone."""
    seconds = []
    for function in (lambda q, r, c: read_answer(r, q, c), lambda q, r, c: normalize(r)):
        start = time.process_time()
        for question, reply, choices in replies:
            function(question, reply, choices)
        seconds.append(time.process_time() - start)
    rates = [len(replies) / duration for duration in seconds]
    print(f"{title}: {rates[0]:,.0f} replies/s, {rates[0] / rates[1]:.2f} times the official normalization alone")
    claim, beside, kind = f"reader-speed-{title.split()[0]}", "official normalization alone", title.partition(",")[0]
    numbers = rates[0], "replies/s", rates[1], beside, rates[0] / rates[1], f"{len(replies):,} replies"
    bound = 1e5 if kind.startswith("short") else None
    record(
        Claim(claim, f"the reader, one core, {kind}", rates[0], "replies/s", size=numbers[-1], at_least=bound),
        Claim(f"{claim}-ratio", f"the reader beside {beside}, {kind}", *numbers),
    )


def main() -> None:
    """Print the rates and the speed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="labeled replies of your own, or folders of them")
    parser.add_argument("--errors", action="store_true", help="show every reply that is read wrongly")
    parser.add_argument("--replies", type=int, default=200_000, help="replies to measure the speed with")
    options = parser.parse_args()
    places = options.files or [REPLIES]
    rows = load_replies(
        path for place in places for path in (sorted(place.rglob("*.jsonl")) if place.is_dir() else [place])
    )
    if options.files:
        print_rates("replies of your own", rows)
        print()
        print_intervals("this reader, all", rows)
        print_intervals("this reader, more than three words", [row for row in rows if len(row["reply"].split()) > 3])
    else:
        for name in ("first half", "second half", *NATURAL.values()):
            print_rates(name, [row for row in rows if set_of(row) == name])
    for row in rows if options.errors else ():
        if judge(row, answer := read(row)) == "wrong":
            print(f"\nquestion: {row['question']}\nreply: {row['reply']!r}\nlabel: {row['answer']}, read as: {answer}")
    print()
    print_speed("short replies, all distinct questions", short_replies(options.replies))
    print_speed("sentences, all distinct questions", sentences(options.replies // 10))


if __name__ == "__main__":
    main()
