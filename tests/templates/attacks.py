"""Malicious templates and files, and a program that checks each of them under limits of time and memory.

Run as `python -m tests.templates.attacks FOLDER`: prints one JSON line per attack with the errors it gets.
"""

import json
import resource
import signal
import sys
import time
from pathlib import Path

from diptych.templates import check_templates

SECONDS = 10.0
BYTES = 3 << 30

HEAD = 'test = "rad.yn_from_color"\n[slots]\nsubject = ["the cat", "the dog"]\nvalue = [["red", "blue"]]\n'

TEXTS = {
    "attribute walk": "{{ subject.__class__.__mro__[1].__subclasses__() }}?",
    "function globals": "{{ be.__globals__['os'].system('id') }}?",
    "item walk": "{{ subject['__class__'] }}?",
    "attr filter": "{{ subject | attr('__class__') }}?",
    "format string": "{{ '{0.__class__}'.format(subject) }}?",
    "self": "{{ self.__init__.__globals__ }}?",
    "lipsum": "{{ lipsum.__globals__ }}?",
    "cycler": "{{ cycler('a', 'b') }}?",
    "namespace": "{% set ns = namespace(a=1) %}{{ ns.a }}?",
    "range": "{% for i in range(10**9) %}{{ i }}{% endfor %}?",
    "range by name": "{% for i in range %}{{ i }}{% endfor %}?",
    "long string": "{{ 'a' * 10**9 }}?",
    "power": "{{ 9 ** 9 ** 9 ** 9 }}?",
    "old formatting": "{{ '%1000000000d' % 1 }}?",
    "center filter": "{{ subject | center(1000000000) }}?",
    "format filter": "{{ '%1000000000d' | format(1) }}?",
    "macro": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}?",
    "recursive loop": "{% for x in value recursive %}{{ loop(value) }}{% endfor %}?",
    "loop call": "{% for x in value %}{{ loop(value) }}{% endfor %}?",
    "loop object": "{% for x in value %}{{ loop }}{% endfor %}?",
    "loop internals": "{% for x in value %}{{ loop.__init__ }}{% endfor %}?",
    "nested loops": "{% for a in value %}{% for b in value %}{{ b }}{% endfor %}{% endfor %}?",
    "loop over text": "{% for a in 'aaaaaaaaaa' %}{{ a }}{% endfor %}?",
    "doubling": "{% set a = subject %}{% set a = a ~ a %}{{ a }}?",
    "include": "{% include '/etc/passwd' %}?",
    "import": "{% import 'os' as os %}?",
    "from import": "{% from 'os' import path %}?",
    "extends": "{% extends 'base' %}?",
    "block": "{% block a %}{{ self.a() }}{% endblock %}?",
    "call block": "{% call be('x') %}{% endcall %}?",
    "filter block": "{% filter plural %}x{% endfilter %}?",
    "with": "{% with a = subject %}{{ a }}{% endwith %}?",
    "star arguments": "{{ be(*value) }}?",
    "named argument": "{{ be(subject=subject) }}?",
    "filter keyword": "{{ subject | a(**value) }}?",
    "call of a text": "{{ 'x'() }}?",
    "call of a slot": "{{ subject() }}?",
    "deep brackets": "{{ " + "(" * 900 + "subject" + ")" * 900 + " }}?",
    "deep lists": "{{ " + "[" * 900 + "]" * 900 + " }}?",
    "deep nots": "{{ " + "not " * 450 + "subject }}?",
    "deep ifs": "{% if subject %}" * 60 + "x" + "{% endif %}" * 60 + "?",
    "long filter chain": "{{ subject" + " | a" * 450 + " }}?",
    "huge number": "{{ " + "9" * 1900 + " | word }}?",
    "long text": "a" * 100_000 + "?",
    "unclosed": "{{ " * 600,
    "unclosed comment": "{#" * 900,
    "dictionary": "{{ {'a': subject}.items() }}?",
    "slice": "{{ subject[::-1] }}?",
    "raw bytes": "{{ subject.encode('utf-8') }}?",
}

FILES = {
    "dotted key": "a" + ".a" * 60_000 + " = 1",
    "dotted quoted key": '"a"' + '."a"' * 30_000 + " = 1",
    "deep arrays": "a = " + "[" * 100_000,
    "deep tables": "a = " + "{a=" * 30_000,
    "huge integer": "a = " + "9" * 100_000,
    "open strings": '"""\n' + '\\"""\n' * 25_000,
    "open quotes": "a = " + '"\\' * 60_000,
    "many tables": "".join(f"[a{n}]\n" for n in range(12_000)),
    "many empty templates": HEAD + "[[template]]\n" * 9_000,
    "long key": HEAD + "[[template]]\n" + "a" * 120_000 + " = 1",
    "long slot": HEAD + f'kind = "{"a" * 100_000}"',
    "many slots": HEAD + "".join(f"s{n} = 1\n" for n in range(12_000)),
    "many examples": HEAD + "kind = [" + "1, " * 40_000 + "]",
    "large file": "#" * 1_000_000,
    "not text": "\x00\x01\x02",
}


def write_attacks(folder: Path) -> dict[str, Path]:
    """Write each attack into its own folder."""
    sources = {name: f"{HEAD}[[template]]\nid = 'bad'\ntext = {json.dumps(text)}\n" for name, text in TEXTS.items()}
    folders: dict[str, Path] = {}
    for name, source in (sources | FILES).items():
        folders[name] = folder / name.replace(" ", "-")
        folders[name].mkdir(parents=True)
        (folders[name] / "yn_from_color.toml").write_text(source, encoding="utf-8")
    return folders


def _too_long(*_: object) -> None:
    raise TimeoutError(f"not stopped within {SECONDS} s")


def main() -> None:
    """Check each attack and report those that are not stopped in time."""
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    signal.signal(signal.SIGALRM, _too_long)
    for name, folder in write_attacks(Path(sys.argv[1])).items():
        start = time.perf_counter()
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        try:
            errors = [str(problem) for problem in check_templates(folder).problems if problem.is_error]
        except (TimeoutError, MemoryError) as error:
            errors = [f"{type(error).__name__} {error}"]
        signal.setitimer(signal.ITIMER_REAL, 0)
        seconds = time.perf_counter() - start
        sys.stdout.write(json.dumps({"name": name, "errors": errors[:3], "seconds": seconds}) + "\n")


if __name__ == "__main__":
    main()
