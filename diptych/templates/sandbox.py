r"""What a template may do: a short list of Jinja's parts is admitted, everything else is refused before it runs.

A template is checked in its parsed form, before Jinja compiles (and folds constants in) any of it. What is admitted
has no arithmetic, no assignment, no macro, no inheritance, no attribute and no loop inside a loop, so a text can
grow only by what it writes out itself: its cost is at most its own length times the longest list it is given. The
sandboxed environment stands behind that as a second wall.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from inspect import signature
from typing import Any

from jinja2 import StrictUndefined, TemplateSyntaxError, nodes
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from diptych.errors import UnknownNameError
from diptych.templates.grammar import FILTERS, FUNCTIONS, TESTS, printable

MAX_TEXT = 2_000
MAX_DEPTH = 30
MAX_PARTS = 200

_ADMITTED: tuple[type[nodes.Node], ...] = (
    nodes.Template,
    nodes.Output,
    nodes.TemplateData,
    nodes.Name,
    nodes.Const,
    nodes.Filter,
    nodes.Test,
    nodes.Call,
    nodes.If,
    nodes.For,
    nodes.Concat,
    nodes.CondExpr,
    nodes.And,
    nodes.Or,
    nodes.Not,
    nodes.Compare,
    nodes.Operand,
    nodes.List,
    nodes.Tuple,
    nodes.Getitem,
    nodes.Getattr,
)
_LOOP_FACTS = ("first", "last", "index", "length")
_SIGNS: Mapping[type[nodes.Node], str] = {
    nodes.Add: "'+' (write ~ to join texts)",
    nodes.Mul: "'*'",
    nodes.Pow: "'**'",
    nodes.Mod: "'%'",
    nodes.Assign: "'set'",
    nodes.AssignBlock: "'set'",
    nodes.CallBlock: "'call'",
    nodes.FromImport: "'import'",
    nodes.FilterBlock: "'filter' as a block",
    nodes.ScopedEvalContextModifier: "'autoescape'",
    nodes.Dict: "a dictionary",
    nodes.Slice: "a slice",
    nodes.Keyword: "a named argument",
}


class RefusedError(ValueError):
    """A text that is no admissible template, with the line of the text at fault."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, slots=True)
class Program:
    """A text that was admitted and compiled, with the names it needs and the line of their first use."""

    names: Mapping[str, int]
    run: Callable[[dict[str, Any]], str]


def _environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined, autoescape=False, finalize=printable)
    environment.globals = dict(FUNCTIONS)
    environment.filters = dict(FILTERS)
    environment.tests = dict(TESTS)
    return environment


_ENVIRONMENT = _environment()


@lru_cache(maxsize=4096)
def program(text: str) -> Program:
    """Admit and compile a text, once; `RefusedError` says why not.

    >>> sorted(program("Is {{ subject }} {{ value }}?").names)
    ['subject', 'value']
    >>> program("{{ 'a' * 10 ** 9 }}?")
    Traceback (most recent call last):
    diptych.templates.sandbox.RefusedError: '*' is not allowed in a template
    """
    if len(text) > MAX_TEXT:
        raise RefusedError(f"the text is {len(text):,} characters long; at most {MAX_TEXT:,} are allowed")
    try:
        tree = _ENVIRONMENT.parse(text)
        names = _Admission().names_in(tree)
        template = _ENVIRONMENT.from_string(tree)
    except TemplateSyntaxError as error:
        raise RefusedError(f"Jinja syntax: {error.message}", error.lineno) from None
    except RecursionError:
        raise RefusedError("the text is nested too deeply") from None
    return Program(names, partial(_run, template.root_render_func))


def _run(render: Callable[[Context], Iterator[str]], values: dict[str, Any]) -> str:
    # A context made by hand takes a tenth of the time of `Template.new_context`, which chains and copies globals.
    return "".join(render(Context(_ENVIRONMENT, values | FUNCTIONS, None, {})))


class _Admission:
    """One walk over a parsed text, remembering the names it needs."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self.parts = 0

    def names_in(self, tree: nodes.Template) -> dict[str, int]:
        self.admit(tree, frozenset(), 0)
        return self.names

    def admit(self, node: nodes.Node, loop: frozenset[str], depth: int) -> None:
        """Admit a node and all below it; `loop` holds the names that the loop around it binds."""
        self.parts += 1
        if not isinstance(node, _ADMITTED):
            sign = _SIGNS.get(type(node), f"'{type(node).__name__.lower()}'")
            raise RefusedError(f"{sign} is not allowed in a template", node.lineno)
        if depth > MAX_DEPTH:
            raise RefusedError("the text is nested too deeply", node.lineno)
        if self.parts > MAX_PARTS:
            raise RefusedError(f"the text has more than {MAX_PARTS} parts; split it", node.lineno)
        for child, inner in self.children(node, loop):
            self.admit(child, inner, depth + 1)

    def children(self, node: nodes.Node, loop: frozenset[str]) -> Iterator[tuple[nodes.Node, frozenset[str]]]:
        """The nodes below a node that remain to be admitted, each with the names bound around it."""
        match node:
            case nodes.For():
                yield from self.for_loop(node, loop)
                return
            case nodes.Name():
                self.name(node, loop)
            case nodes.Getattr():
                _loop_fact(node, loop)
                return
            case nodes.Getitem():
                _index(node)
            case nodes.Filter():
                _known("filter", node.name, FILTERS, node, given=1)
            case nodes.Test():
                _known("test", node.name, TESTS, node, given=1)
            case nodes.Call(node=nodes.Name(name=name)):
                _known("function", name, FUNCTIONS, node, given=0)
                for argument in node.args:
                    yield argument, loop
                return
            case nodes.Call(node=nodes.Getattr() as attribute):
                _loop_fact(attribute, frozenset())
            case nodes.Call():
                raise RefusedError(f"only {' and '.join(FUNCTIONS)} can be called", node.lineno)
        for child in node.iter_child_nodes():
            yield child, loop

    def name(self, node: nodes.Name, loop: frozenset[str]) -> None:
        if node.name in FUNCTIONS:
            raise RefusedError(f"'{node.name}' is a function: write {node.name}(…)", node.lineno)
        if node.name == "loop" and loop:
            raise RefusedError("'loop' cannot be used by itself", node.lineno)
        if node.name not in loop:
            self.names.setdefault(node.name, node.lineno)

    def for_loop(self, node: nodes.For, loop: frozenset[str]) -> Iterator[tuple[nodes.Node, frozenset[str]]]:
        if loop:
            raise RefusedError("a 'for' inside a 'for' is not allowed in a template", node.lineno)
        if node.recursive or not isinstance(node.target, nodes.Name):
            raise RefusedError("a 'for' must be plain: for NAME in SLOT", node.lineno)
        if not isinstance(node.iter, nodes.Name):
            raise RefusedError("a 'for' must run over a slot", node.lineno)
        inner = frozenset({node.target.name, "loop"})
        yield node.iter, loop
        if node.test is not None:
            yield node.test, inner
        for child in node.body:
            yield child, inner
        for child in node.else_:
            yield child, loop


def _loop_fact(node: nodes.Getattr, loop: frozenset[str]) -> None:
    of_loop = isinstance(node.node, nodes.Name) and node.node.name == "loop" and "loop" in loop
    if not (of_loop and node.attr in _LOOP_FACTS):
        facts = ", ".join(f"loop.{fact}" for fact in _LOOP_FACTS)
        raise RefusedError(f"'.{_short(node.attr)}' is not allowed in a template; only {facts} are", node.lineno)


def _index(node: nodes.Getitem) -> None:
    if not (isinstance(node.arg, nodes.Const) and type(node.arg.value) is int):
        raise RefusedError("only a plain number may stand in […]", node.lineno)


def _known(
    kind: str,
    name: str,
    known: Mapping[str, Callable[..., Any]],
    node: nodes.Filter | nodes.Test | nodes.Call,
    given: int,
) -> None:
    """Refuse an unknown name, and a known one with other arguments than it takes beside the `given` ones."""
    if name not in known:
        raise RefusedError(str(UnknownNameError.among(kind, _short(name), known)), node.lineno)
    wanted = len(signature(known[name]).parameters) - given
    if len(node.args) != wanted or node.kwargs or node.dyn_args or node.dyn_kwargs:
        raise RefusedError(f"{kind} {name!r} takes {wanted or 'no'} argument{'s' * (wanted != 1)}", node.lineno)


def _short(name: str) -> str:
    return name if len(name) <= 40 else name[:40] + "…"
