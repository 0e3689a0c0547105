"""Prompts: one Jinja template per answer type, those that ship with the package or a user's own, in the sandbox."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path

import orjson

from diptych.errors import BadTemplateError, MissingFileError
from diptych.files import read_text
from diptych.models._model import ANSWER_TYPES
from diptych.templates import RefusedError, compile_text

PROMPT_VERSION = "1"  # a new one wherever the text of a prompt that ships changes
SLOTS = ("question", "answer_type", "choices")
_FILES = {answer_type: f"{answer_type.replace('/', '_')}.jinja" for answer_type in ANSWER_TYPES}


@dataclass(frozen=True)
class Prompts:
    """The template of every answer type, and the version of those that ship, or the name of the user's own."""

    version: str
    texts: Mapping[str, str]

    @cached_property
    def hash(self) -> str:
        """A short hash of all templates."""
        content = orjson.dumps(dict(self.texts), option=orjson.OPT_SORT_KEYS)
        return hashlib.sha256(content).hexdigest()[:16]

    def render(self, question: str, answer_type: str, choices: tuple[str, ...]) -> str:
        """The text that a model is given; line breaks stay as the template has them.

        >>> print(load_prompts().render("Is it red?", "yes/no", ("yes", "no")))
        Is it red?
        Answer with yes or no.
        """
        values = {"question": question, "answer_type": answer_type, "choices": list(choices)}
        program = compile_text(self.texts[answer_type])
        try:
            return program.run({slot: values[slot] for slot in program.names}).strip()
        except Exception as error:  # any failure inside a text is an error of that text
            problem = " ".join(str(error).split())
            raise BadTemplateError(f"the prompt for {answer_type} questions: {problem}; asked {question!r}") from None


def load_prompts(path: Path | None = None) -> Prompts:
    """The prompts that ship, or a user's: a file for every answer type, or a folder with some of the files.

    A folder is named like that of the package: `yes_no.jinja`, `number.jinja`, `choice.jinja`, `open.jinja`; a type
    without a file has the prompt that ships.
    """
    folder = files(__package__) / "prompts"
    texts = {answer_type: (folder / name).read_text("utf-8") for answer_type, name in _FILES.items()}
    if path is None:
        return Prompts(PROMPT_VERSION, texts)
    own_files = _own_files(path)
    texts |= {answer_type: _read_prompt(file) for answer_type, file in own_files.items()}
    return Prompts(path.name, texts)


def _own_files(path: Path) -> dict[str, Path]:
    if not path.is_dir():
        return dict.fromkeys(ANSWER_TYPES, path)
    own_files = {answer_type: path / name for answer_type, name in _FILES.items() if (path / name).is_file()}
    if not own_files:
        raise MissingFileError(f"{path}: has no prompt: name one of its files {', '.join(_FILES.values())}")
    return own_files


def _read_prompt(path: Path) -> str:
    text = read_text(path)
    try:
        names = compile_text(text).names
    except RefusedError as error:
        raise BadTemplateError(f"{path}:{error.line}: {error}") from None
    for name, line in names.items():
        if name not in SLOTS:
            raise BadTemplateError(f"{path}:{line}: a prompt has no slot {name!r}; it has {', '.join(SLOTS)}")
    if "question" not in names:
        raise BadTemplateError(f"{path}: does not contain the question: add {{{{ question }}}}")
    return text
