"""Models that run on this machine with `transformers`: chat models that see, and classifiers of answers.

They need the extra `diptych[models]`. Code that comes with a model is never run.
"""

import io
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from itertools import islice
from typing import Any

from diptych.errors import BadInputError, MissingExtraError
from diptych.models._endpoint import EndpointSettings
from diptych.models._model import Query, Reply
from diptych.models._pictures import image_rule, prepare_picture

LOCAL = "transformers:"  # what the name of such a model begins with

_GENERATED, _CLASSIFIED = "image-text-to-text", "visual-question-answering"


@dataclass(frozen=True, slots=True)
class _Shown:
    """A query with its picture as it is shown."""

    query: Query
    image: Any = None
    size: tuple[int, int] | None = None


class LocalModel:
    """A model of the Hub, or of a folder, that is loaded once and asked batch by batch."""

    def __init__(self, model_id: str, settings: EndpointSettings) -> None:
        """Load it; `concurrency` queries are asked together, and `extra` goes to `generate`."""
        try:
            import torch
            import transformers
        except ImportError:
            raise MissingExtraError.for_extra("transformers", "models") from None
        self.name, self.settings = f"{LOCAL}{model_id}", settings
        source: dict[str, Any] = {"revision": settings.revision or "main"}
        try:
            config = transformers.AutoConfig.from_pretrained(model_id, **source)
            is_answerer = any("QuestionAnswering" in name for name in config.architectures or ())
            loader = "AutoModelForVisualQuestionAnswering" if is_answerer else "AutoModelForImageTextToText"
            self._processor = transformers.AutoProcessor.from_pretrained(model_id, **source)
            self._model = getattr(transformers, loader).from_pretrained(model_id, dtype="auto", **source)
        except (OSError, ValueError, ImportError) as error:
            reason = " ".join(str(error).split())[:300]
            raise BadInputError(
                f"{self.name}: cannot be loaded: {reason}; choose a model that answers questions about pictures"
            ) from None
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._model.to(self._device).eval()
        self._task = _GENERATED if self._model.can_generate() else _CLASSIFIED
        self._revision = getattr(config, "_commit_hash", None) or settings.revision
        self._version = transformers.__version__
        if tokenizer := getattr(self._processor, "tokenizer", None):
            tokenizer.padding_side = "left"  # so that every reply begins where its prompt ends
            tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token

    def header(self) -> Mapping[str, Any]:
        """What decides replies: revision, library, precision, decoding, and how many are asked together."""
        decoding = self._decoding() if self._task == _GENERATED else {}
        software = {"transformers": self._version, "dtype": str(self._model.dtype), "device": self._device}
        rule = image_rule(self.settings.image_size)
        return {"revision": self._revision, "task": self._task, **software, "decoding": decoding,
                "batch": self.settings.concurrency, "image_rule": rule}  # fmt: skip

    def _decoding(self) -> dict[str, Any]:
        settings = self.settings
        sampling: dict[str, Any] = {"do_sample": settings.temperature > 0}
        if settings.temperature > 0:
            sampling |= {"temperature": settings.temperature, "seed": settings.seed or 0}
        values = {"max_tokens": settings.max_tokens, **sampling, **settings.extra}
        return {name: value for name, value in values.items() if value is not None}

    def ask(self, queries: Iterable[Query]) -> Iterator[tuple[Query, Reply]]:
        """Reply to queries, a batch at a time."""
        remaining = iter(queries)
        while batch := list(islice(remaining, self.settings.concurrency)):
            shown: list[_Shown] = []
            for query in batch:
                try:
                    shown.append(self._show(query))
                except BadInputError as error:
                    yield query, Reply(None, error=str(error))
            # A processor takes a batch in which every prompt has a picture, or none has.
            for part in ([item for item in shown if item.image], [item for item in shown if not item.image]):
                if part:
                    yield from zip((item.query for item in part), self._reply(part), strict=True)

    def _show(self, query: Query) -> _Shown:
        from PIL import Image

        if query.picture is None:
            return _Shown(query)
        picture = prepare_picture(query.picture(), self.settings.image_size)
        with Image.open(io.BytesIO(picture.content)) as image:
            return _Shown(query, image.convert("RGB"), picture.size)

    def _reply(self, batch: Sequence[_Shown]) -> list[Reply]:
        import torch

        if self._task == _CLASSIFIED and not batch[0].image:
            return [Reply(None, error="this model needs a picture") for _ in batch]
        began = time.perf_counter()
        try:
            with torch.inference_mode():
                replies = self._generate(batch) if self._task == _GENERATED else self._classify(batch)
        except torch.OutOfMemoryError:
            problem = f"{self.name}: out of memory with {len(batch)} queries at once"
            raise BadInputError(f"{problem}; use a smaller --concurrency or --image-size") from None
        seconds = (time.perf_counter() - began) / len(batch)
        return [
            Reply(seconds=seconds, image_size=item.size, **values) for item, values in zip(batch, replies, strict=True)
        ]

    def _inputs(self, batch: Sequence[_Shown]) -> Any:
        """The prompts of a batch as tensors: in the model's own chat format where it has one."""
        if getattr(self._processor, "chat_template", None):
            render = self._processor.apply_chat_template
            tensors: dict[str, Any] = {"padding": True, "return_tensors": "pt"}
            if "processor_kwargs" in signature(render).parameters:  # later releases of transformers
                tensors = {"processor_kwargs": tensors}
            chats = [_chat(item) for item in batch]
            inputs = render(chats, add_generation_prompt=True, tokenize=True, return_dict=True, **tensors)
        else:
            texts = [item.query.question if self._task == _CLASSIFIED else item.query.prompt for item in batch]
            images = [item.image for item in batch] if batch[0].image else None
            inputs = self._processor(images=images, text=texts, padding=True, return_tensors="pt")
        return inputs.to(self._device, dtype=self._model.dtype)

    def _generate(self, batch: Sequence[_Shown]) -> list[dict[str, Any]]:
        import torch

        inputs, decoding = self._inputs(batch), self._decoding()
        torch.manual_seed(decoding.pop("seed", 0))
        longest = decoding.pop("max_tokens")
        options = {"max_new_tokens": longest, "return_dict_in_generate": True, "output_scores": self.settings.logprobs}
        output = self._model.generate(**inputs, **options, **decoding)
        is_whole = getattr(self._model.config, "is_encoder_decoder", False)
        prompt_length = 0 if is_whole else inputs["input_ids"].shape[1]
        sequences = output.sequences[:, prompt_length:]
        scores = None
        if self.settings.logprobs:
            scores = self._model.compute_transition_scores(output.sequences, output.scores, normalize_logits=True)
        return [self._read(tokens, inputs["attention_mask"][row], None if scores is None else scores[row], longest)
                for row, tokens in enumerate(sequences)]  # fmt: skip

    def _read(self, tokens: Any, mask: Any, scores: Any, longest: int) -> dict[str, Any]:
        """The text of a reply, whether it came to its end, and how many tokens it has."""
        ends = self._model.generation_config.eos_token_id
        ends = ends if isinstance(ends, list) else [ends]
        places = [place for place, token in enumerate(tokens.tolist()) if token in ends]
        length = places[0] + 1 if places else len(tokens)
        text = self._processor.decode(tokens[:length], skip_special_tokens=True).strip()
        logprob = None if scores is None else float(scores[:length].sum())
        reason = "stop" if places or length < longest else "length"
        counts = {"input_tokens": int(mask.sum()), "output_tokens": length}
        return {"text": text, "finish_reason": reason, "logprob": logprob, **counts}

    def _classify(self, batch: Sequence[_Shown]) -> list[dict[str, Any]]:
        logits = self._model(**self._inputs(batch)).logits
        replies = []
        for row in logits.float().log_softmax(dim=-1):
            best = int(row.argmax())
            text = self._model.config.id2label[best]
            replies.append({"text": text, "finish_reason": "stop", "logprob": float(row[best])})
        return replies


def _chat(item: _Shown) -> list[dict[str, Any]]:
    picture = [{"type": "image", "image": item.image}] if item.image else []
    return [{"role": "user", "content": [*picture, {"type": "text", "text": item.query.prompt}]}]
