"""Tiny models of transformers with random weights, made where they are needed."""

from pathlib import Path
from typing import Any

LABELS = ("yes", "no", "red", "blue")
_WORDS = (
    *LABELS,
    *"green white 1 2 is the color of what cat car hat umbrella kite chair bus apple user assistant ? . ,".split(),
)
_MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "<image>")
_LAYERS: dict[str, Any] = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
_CHAT = (
    "{% for message in messages %}user {% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<image> {% else %}{{ part['text'] }} {% endif %}{% endfor %}{% endfor %}assistant "
)


def make_generator(path: Path) -> Path:
    """A model that writes: a Llava of two layers with a vocabulary of a few words."""
    import torch
    import transformers as hf

    words = _vocabulary()
    marks = {"pad_token": "[PAD]", "unk_token": "[UNK]", "bos_token": "[CLS]", "eos_token": "[SEP]"}
    tokenizer = hf.PreTrainedTokenizerFast(
        tokenizer_object=_tokenizer(words), extra_special_tokens={"image_token": "<image>"}, **marks
    )
    vision = hf.CLIPVisionConfig(image_size=16, patch_size=8, **_LAYERS)
    ids = {"pad_token_id": words["[PAD]"], "bos_token_id": words["[CLS]"], "eos_token_id": words["[SEP]"]}
    text = hf.LlamaConfig(vocab_size=len(words), num_key_value_heads=2, **ids, **_LAYERS)
    config = hf.LlavaConfig(
        vision_config=vision, text_config=text, image_token_index=words["<image>"], vision_feature_layer=-1
    )
    torch.manual_seed(0)
    hf.LlavaForConditionalGeneration(config).save_pretrained(path)
    size = {"height": 16, "width": 16}
    pictures = hf.CLIPImageProcessor(size=size, crop_size=size, do_center_crop=False)
    options = {"patch_size": 8, "vision_feature_select_strategy": "default", "num_additional_image_tokens": 1}
    hf.LlavaProcessor(image_processor=pictures, tokenizer=tokenizer, chat_template=_CHAT, **options).save_pretrained(
        path
    )
    return path


def make_classifier(path: Path) -> Path:
    """A model that chooses one of a few answers: a ViLT of two layers."""
    import torch
    import transformers as hf

    words = _vocabulary()
    path.mkdir(parents=True)
    (path / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    labels = {"id2label": dict(enumerate(LABELS)), "label2id": {label: place for place, label in enumerate(LABELS)}}
    shape = {"image_size": 32, "patch_size": 16, "max_position_embeddings": 64}
    config = hf.ViltConfig(vocab_size=len(words), **shape, **labels, **_LAYERS)
    torch.manual_seed(0)
    hf.ViltForQuestionAnswering(config).save_pretrained(path)
    pictures = hf.ViltImageProcessor(size={"shortest_edge": 32}, size_divisor=16)
    hf.ViltProcessor(pictures, hf.BertTokenizer(str(path / "vocab.txt"))).save_pretrained(path)
    return path


def make_translator(path: Path) -> Path:
    """A model that turns a text into another: a BART of two layers."""
    import torch
    import transformers as hf

    words = _vocabulary()
    marks = {"pad_token": "[PAD]", "unk_token": "[UNK]", "bos_token": "[CLS]", "eos_token": "[SEP]"}
    hf.PreTrainedTokenizerFast(tokenizer_object=_tokenizer(words), **marks).save_pretrained(path)
    layers = {f"{part}_{name}": value for part in ("encoder", "decoder")
              for name, value in (("layers", 2), ("attention_heads", 2), ("ffn_dim", 32))}  # fmt: skip
    ids = {"pad_token_id": words["[PAD]"], "bos_token_id": words["[CLS]"], "eos_token_id": words["[SEP]"]}
    ids |= {"decoder_start_token_id": words["[CLS]"], "forced_eos_token_id": words["[SEP]"]}
    config = hf.BartConfig(vocab_size=len(words), d_model=16, max_position_embeddings=160, **layers, **ids)
    torch.manual_seed(0)
    hf.BartForConditionalGeneration(config).save_pretrained(path)
    return path


def _vocabulary() -> dict[str, int]:
    return {word: place for place, word in enumerate((*_MARKS, *_WORDS))}


def _tokenizer(words: dict[str, int]) -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers

    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer
