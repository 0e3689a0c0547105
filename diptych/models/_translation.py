"""Questions translated to another language and back by two models of `transformers`: the table that `build` reads.

RAD's baseline uses Helsinki-NLP's `opus-mt-en-de` and `opus-mt-de-en`; any two models that translate will do. They need
the extra `diptych[models]`; code that comes with a model is never run.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from diptych.errors import BadInputError, MissingExtraError
from diptych.files import write_json_lines
from diptych.progress import progress
from diptych.sources import iter_questions, vqa_files

_LONGEST = 128  # tokens of a translation: the longest questions of VQA have about thirty


class _Translator:
    """A model that translates, loaded once; it decodes without sampling, so that the same text gives the same words."""

    def __init__(self, model_id: str) -> None:
        try:
            import torch
            import transformers
        except ImportError:
            raise MissingExtraError.for_extra("transformers", "models") from None
        try:
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(model_id)
            model = transformers.AutoModelForSeq2SeqLM.from_pretrained(model_id, dtype="auto")
        except (OSError, ValueError, ImportError) as error:
            reason = " ".join(str(error).split())[:300]
            raise BadInputError(f"{model_id}: cannot be loaded: {reason}; choose a model that translates") from None
        self._model = model.to("cuda" if torch.cuda.is_available() else "cpu").eval()

    def translate(self, texts: Sequence[str]) -> list[str]:
        """The texts in the other language."""
        import torch

        inputs = self._tokenizer(list(texts), return_tensors="pt", padding=True, truncation=True, max_length=_LONGEST)
        with torch.inference_mode():
            tokens = self._model.generate(**inputs.to(self._model.device), do_sample=False, max_new_tokens=_LONGEST)
        translations: list[str] = self._tokenizer.batch_decode(tokens, skip_special_tokens=True)
        return [" ".join(text.split()) for text in translations]


def back_translate(
    data: str | Path, out: str | Path, there: str, back: str, *, split: str = "val", batch: int = 32
) -> int:
    """Translate VQA v2's questions with the model `there` and back with the model `back`, and write the table.

    `out` is a file of JSON lines with `question_id` and `text`; in the folder `backtranslations/` of the data folder,
    the config `back_translations` reads it. Returns how many questions it holds; an empty translation is left out.
    """
    if Path(out).suffix != ".jsonl":
        raise BadInputError(f"{out}: the file name must end in .jsonl")
    if batch < 1:
        raise BadInputError(f"batch={batch}: must be at least 1")
    questions = list(iter_questions(vqa_files(Path(data), "vqa_v2", split)))
    models = _Translator(there), _Translator(back)
    count = 0

    def rows() -> Iterator[dict[str, Any]]:
        nonlocal count
        with progress("back-translation", len(questions)) as advance:
            for start in range(0, len(questions), batch):
                group = questions[start : start + batch]
                texts = [question.question for question in group]
                for model in models:
                    texts = model.translate(texts)
                for question, text in zip(group, texts, strict=True):
                    if text:
                        count += 1
                        yield {"question_id": question.question_id, "text": text}
                advance(len(group))

    Path(out).parent.mkdir(parents=True, exist_ok=True)
    write_json_lines(Path(out), rows())
    return count
