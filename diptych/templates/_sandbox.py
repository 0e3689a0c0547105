"""The sandbox: templates may use a short list of Jinja's constructs, and everything else is refused before it runs.

The syntax tree of a text is checked before Jinja compiles any of it or folds its constants. There is no arithmetic,
assignment, macro, inheritance, nested loop or attribute other than those of `loop`, so the cost of rendering is at most
the length of the text times the longest list that fills a slot. Jinja's sandboxed environment is a second line of
defense.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from inspect import signature
from typing import Any

from jinja2 import StrictUndefined, TemplateSyntaxError, nodes
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from diptych.errors import UnknownNameError, printable
from diptych.templates._grammar import FILTERS, FUNCTIONS, TESTS, finalize

MAX_TEXT = 2_000
MAX_DEPTH = 30
MAX_NODES = 200

_ALLOWED_NODES = frozenset(
    "Template Output TemplateData Name Const Filter Test Call If For Concat CondExpr And Or Not Compare Operand"
    " List Tuple Getitem Getattr".split()
)
_LOOP_ATTRIBUTES = ("first", "last", "index", "length")
_NODE_NAMES = {"Add": "'+' (write ~ to join strings)", "Mul": "'*'", "Pow": "'**'", "Mod": "'%'", "Assign": "'set'"}
_NODE_NAMES |= {"AssignBlock": "'set'", "CallBlock": "'call'", "FromImport": "'import'", "Dict": "a dictionary"}
_NODE_NAMES |= {"FilterBlock": "'filter' as a block", "ScopedEvalContextModifier": "'autoescape'"}
_NODE_NAMES |= {"Slice": "a slice", "Keyword": "a named argument"}


class RefusedError(ValueError):
    """A text that is not an allowed template, and the line of the text that is at fault."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled text, and the names of its slots with the line of their first use."""

    names: Mapping[str, int]
    render: Callable[[Context], Iterator[str]]

    def run(self, values: dict[str, Any]) -> str:
        """Fill the slots."""
        # `Template.new_context`, which chains and copies globals, takes ten times as long.
        return "".join(self.render(Context(_ENVIRONMENT, values | FUNCTIONS, None, {})))


_ENVIRONMENT = ImmutableSandboxedEnvironment(undefined=StrictUndefined, autoescape=False, finalize=finalize)
_ENVIRONMENT.globals, _ENVIRONMENT.filters, _ENVIRONMENT.tests = dict(FUNCTIONS), dict(FILTERS), dict(TESTS)


@lru_cache(maxsize=4096)
def compile_text(text: str) -> Program:
    """Check and compile a text; one that is not allowed raises `RefusedError`.

    >>> sorted(compile_text("Is {{ subject }} {{ value }}?").names)
    ['subject', 'value']
    >>> compile_text("{{ 'a' * 10 ** 9 }}?")
    Traceback (most recent call last):
    diptych.templates._sandbox.RefusedError: '*' is not allowed in a template
    """
    if len(text) > MAX_TEXT:
        raise RefusedError(f"the text is {len(text):,} characters long; at most {MAX_TEXT:,} are allowed")
    try:
        tree = _ENVIRONMENT.parse(text)
        checker = _Checker()
        checker.check(tree, frozenset(), 0)
        template = _ENVIRONMENT.from_string(tree)
    except TemplateSyntaxError as error:
        raise RefusedError(f"Jinja syntax: {error.message}", error.lineno) from None
    except RecursionError:
        raise RefusedError("the text is nested too deeply") from None
    return Program(checker.names, template.root_render_func)


class _Checker:
    """Checks the syntax tree of one text and collects the names of its slots."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self.node_count = 0

    def check(self, node: nodes.Node, loop: frozenset[str], depth: int) -> None:
        """Check a node and all nodes below it; `loop` holds the names that the loop around it binds."""
        self.node_count += 1
        kind = type(node).__name__
        if kind not in _ALLOWED_NODES:
            name = _NODE_NAMES.get(kind, f"'{kind.lower()}'")
            raise RefusedError(f"{name} is not allowed in a template", node.lineno)
        if depth > MAX_DEPTH:
            raise RefusedError("the text is nested too deeply", node.lineno)
        if self.node_count > MAX_NODES:
            raise RefusedError(f"the text has more than {MAX_NODES} parts; split it", node.lineno)
        for child, child_loop in self.children(node, loop):
            self.check(child, child_loop, depth + 1)

    def children(self, node: nodes.Node, loop: frozenset[str]) -> Iterator[tuple[nodes.Node, frozenset[str]]]:
        """The nodes below a node that are still to be checked, each with the names that its loop binds."""
        match node:
            case nodes.For():
                yield from self.loop_children(node, loop)
                return
            case nodes.Name():
                self.add_name(node, loop)
            case nodes.Getattr():
                _check_attribute(node, loop)
                return
            case nodes.Getitem() if not (isinstance(node.arg, nodes.Const) and type(node.arg.value) is int):
                raise RefusedError("only an integer is allowed in […]", node.lineno)
            case nodes.Filter():
                _check_call("filter", node.name, FILTERS, node)
            case nodes.Test():
                _check_call("test", node.name, TESTS, node)
            case nodes.Call(node=nodes.Name(name=name)):
                _check_call("function", name, FUNCTIONS, node)
                yield from ((argument, loop) for argument in node.args)
                return
            case nodes.Call(node=nodes.Getattr() as attribute):
                _check_attribute(attribute, frozenset())
            case nodes.Call():
                raise RefusedError(f"only {' and '.join(FUNCTIONS)} can be called", node.lineno)
        yield from ((child, loop) for child in node.iter_child_nodes())

    def add_name(self, node: nodes.Name, loop: frozenset[str]) -> None:
        if node.name in FUNCTIONS:
            raise RefusedError(f"'{node.name}' is a function: write {node.name}(…)", node.lineno)
        if node.name == "loop" and loop:
            raise RefusedError("'loop' cannot be used by itself", node.lineno)
        if node.name not in loop:
            self.names.setdefault(node.name, node.lineno)

    def loop_children(self, node: nodes.For, loop: frozenset[str]) -> Iterator[tuple[nodes.Node, frozenset[str]]]:
        if loop:
            raise RefusedError("a 'for' inside a 'for' is not allowed in a template", node.lineno)
        if node.recursive or not isinstance(node.target, nodes.Name):
            raise RefusedError("a 'for' must be plain: for NAME in SLOT", node.lineno)
        if not isinstance(node.iter, nodes.Name):
            raise RefusedError("a 'for' must loop over a slot", node.lineno)
        names = frozenset({node.target.name, "loop"})
        yield node.iter, loop
        yield from ((child, names) for child in ([node.test, *node.body] if node.test else node.body))
        yield from ((child, loop) for child in node.else_)


def _check_attribute(node: nodes.Getattr, loop: frozenset[str]) -> None:
    is_loop = isinstance(node.node, nodes.Name) and node.node.name == "loop" and "loop" in loop
    if not (is_loop and node.attr in _LOOP_ATTRIBUTES):
        attributes = ", ".join(f"loop.{name}" for name in _LOOP_ATTRIBUTES)
        name = printable(node.attr, 40)
        raise RefusedError(f"'.{name}' is not allowed in a template; only {attributes} are", node.lineno)


def _check_call(
    kind: str, name: str, functions: Mapping[str, Callable[..., Any]], node: nodes.Filter | nodes.Test | nodes.Call
) -> None:
    """Refuse an unknown name and a wrong number of arguments."""
    if name not in functions:
        raise RefusedError(str(UnknownNameError.among(kind, printable(name, 40), functions)), node.lineno)
    # What a filter or a test is applied to does not stand in the parentheses.
    count = len(signature(functions[name]).parameters) - (kind != "function")
    if len(node.args) != count or node.kwargs or node.dyn_args or node.dyn_kwargs:
        raise RefusedError(f"{kind} {name!r} takes {count or 'no'} argument{'s' * (count != 1)}", node.lineno)
