"""The question tagger: a spaCy pipeline that ships with the package, or any installed one in its place."""

from functools import cache
from pathlib import Path

import spacy
from spacy.language import Language

from diptych.errors import BadInputError, UnknownNameError
from diptych.language import reader as _  # noqa: F401  registers the step of our own that the model names

MODEL = Path(__file__).parent / "model"

# Steps of larger models that nothing here reads.
_UNREAD = ("ner", "textcat")


def tagger(name: str | None = None, *, parse: bool = True) -> Language:
    """A pipeline that gives words their tags, lemmas and dependencies: ours, or an installed spaCy model by name.

    Without `parse` no dependencies are found and tagging takes half the time. A pipeline is loaded once a process;
    many questions go through `tagger().pipe(texts)`, which is far faster than one call a question.

    >>> [(word.text, word.tag_, word.lemma_) for word in tagger()("What color are the cats?")][-3:]
    [('the', 'DT', 'the'), ('cats', 'NNS', 'cat'), ('?', '.', '?')]
    """
    return _load(name, parse)


def tagger_version(nlp: Language) -> str:
    """What a recipe says of the tagger: its name and version; ours ends in a hash of its weights.

    >>> tagger_version(tagger()).split("==")[0]
    'en_diptych_questions'
    """
    return f"{nlp.meta['lang']}_{nlp.meta['name']}=={nlp.meta['version']}"


@cache
def _load(name: str | None, parse: bool) -> Language:
    exclude = [*_UNREAD] if parse else [*_UNREAD, "parser"]
    if name is None:
        return spacy.load(MODEL, exclude=exclude)
    if not (spacy.util.is_package(name) or Path(name).is_dir()):
        raise UnknownNameError(f"no spaCy model {name!r} is installed: python -m spacy download {name}")
    try:
        return spacy.load(name, exclude=exclude)
    except (OSError, ValueError) as error:
        line = " ".join(str(error).split())
        raise BadInputError(f"the spaCy model {name!r} cannot be loaded: {line}") from error
