"""What stands around an answer taken off: reasoning, tags, boxes, JSON, Markdown, and the prompt repeated.

Every pattern is bounded or scans once, so that a reply of a megabyte takes as long per character as a short one.
"""

import ast
import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

LONGEST_REPLY = 8_000
"""Of what is left of a longer reply without its reasoning, only this many last characters are read."""

_REASONING = (
    "think|thinking|thought|thoughts|reasoning|reason|scratchpad|scratch_pad|analysis|reflection|rationale|cot"
    "|chain_of_thought|inner_monologue|concept|caption|summary|explanation|observation|planning|plan|details"
)
_ANSWER = "answer|ans|final|final_answer|finalanswer|solution|conclusion|response|output|result|verdict"
_TAG = re.compile(
    rf"(?P<open>[<\[◁](?:\w{{1,12}}:)?(?:{_REASONING})[>\]▷]|<\|(?:begin_of_|start_of_)?(?:{_REASONING})\|>"
    rf"|<\|channel>thought\b|<unused94>"
    r"|^thinking\.\.\.\s*$)"
    rf"|(?P<close>[<\[◁]/(?:\w{{1,12}}:)?(?:{_REASONING})[>\]▷]|<\|(?:end_of_|/)(?:{_REASONING})\|>|<channel\|>|<unused95>"
    r"|^\.\.\.done thinking\.\s*$)"
    rf"|(?P<answer>[<\[](?:{_ANSWER})[>\]]|<\|begin_of_(?:box|solution|answer)\|>|\\f?box(?:ed)?\{{)",
    re.IGNORECASE | re.MULTILINE,
)
_ANSWER_END = re.compile(rf"[<\[]/(?:{_ANSWER})[>\]]|<\|end_of_(?:box|solution|answer)\|>", re.IGNORECASE)
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)[^<]{0,80}(?:<\|constrain\|>[^<]{0,40})?<\|message\|>", re.IGNORECASE)
_TURN = re.compile(
    r"(?:<\|im_start\|>|<\|start_header_id\|>|<start_of_turn>|^[#* \t]{0,6}|\[)"
    r"(?:assistant|model|ai|gpt)(?:<\|end_header_id\|>|\]|:\**|\s*$)",
    re.IGNORECASE | re.MULTILINE,
)
_TOKEN = re.compile(r"<\|[\w-]{1,30}\|>|</?s>|<eos>|<pad>|<unk>|</?\w{1,20}>|<end_of_turn>|\[/?INST\]")
_LATEX = re.compile(r"\\(?:text|textbf|textit|mathrm|mathbf|mbox|rm)\s*\{([^{}]{0,500})\}")
_PROMPT = re.compile(
    r"(?:please\s+)?answer\s+(?:the\s+question\s+)?(?:using|with|in)\s+(?:only\s+)?(?:a|one|yes"
    r"|the)\b[^.\n]{0,80}(?:[.\n]|$)"
    r"|(?:please\s+)?answer\s+(?:only\s+)?yes\s+or\s+no(?:\s+only)?(?:[.\n]|$)"
    r"|^\s*options?:[^\n]{0,500}?(?=\n|$|\banswer:)",
    re.IGNORECASE | re.MULTILINE,
)
_ROLE = re.compile(
    r"^\W{0,4}(?:question|q|user|human|prompt|you asked)\s*[:.]\s*[\"'“”]{0,2}(?=\n|\s|$)", re.IGNORECASE
)
_ASKED = re.compile(r"(?:^|\n)\W*(?:to answer|regarding|for) (?:the|your|this) question:?\s*$", re.IGNORECASE)
_NEXT_TURN = re.compile(
    r"\n\W{0,4}(?:question|q|user|human)\s*:", re.IGNORECASE
)  # what a model invents after its answer
_OWN_QUESTION = re.compile(  # a paragraph of its own after the answer
    r"(?<=\S)\s*\n\s*\n(?=(?:is|are|was|were|do|does|did|can|what|which|who|where|why|how)\b[^\n?.]{3,120}\?)",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(r"\b(?:answer|therefore|thus|hence|conclusion|so|overall)\b", re.IGNORECASE)
_FENCE = re.compile(r"```[a-zA-Z]{0,12}[ \t]*\n?|~~~[a-zA-Z]{0,12}\n")
_STRUCK = re.compile(r"~~[^~\n]{1,200}~~")
_TABLE_RULE = re.compile(r"^\s*\|[\s:|-]{3,}$", re.MULTILINE)
_TABLE_ROW = re.compile(r"^\s*\|(.{1,500})\|\s*$", re.MULTILINE)
_MARKDOWN = re.compile(r"\*+|__+|`+|^[ \t]*(?:#{1,6}|>+|[-•+*](?!\d))[ \t]+|(?<!\w)_|_(?!\w)|#+\s*$", re.MULTILINE)
_BOLD = re.compile(r"(?<!\bnot )(?<!\bnot a )(?<!n't )(?<!n't a )(?<!\bno )\*\*([^*\n]{1,60})\*\*(?!\s*:)")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "…": "...", "\u00a0": " ", "，": ", ", "。": ". "})
_KEYS = (
    "answer final_answer finalanswer final response prediction choice selected option output label verdict result "
    "value count number color colour arguments"
).split()
_BROKEN_JSON = re.compile(r"""["'{ ](?:final_)?answer["']?\s*:\s*["']?([^"'{}\[\],\n]{1,200})["',}\n]""", re.IGNORECASE)
_COURTESY = re.compile(
    r"(?:^|(?<=[.!?\n] )|(?<=\n))(?:(?:sure|certainly|of course|absolutely)[,!.]? )?"
    r"(?:i(?:'d| would) be (?:happy|glad) to|let me know|is there anything else|anything else|(?:great"
    r"|good) question|thanks?(?: you)? for"
    r"|thanks|happy to help|i hope (?:this|that|it)|feel free|what a \w+ (?:scene|picture|photo|image)|here(?:'s"
    r"| is) (?:the|my) (?:answer|count)"
    r"|(?:sure|certainly|of course)(?=[!.,] (?!(?:it|they|he|she) )\S))[^.!?:\n]{0,100}[.!?:\n,]\s*",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"[^<>\[\]{}\\|*_`#~◁▷’‘“”…:?\n\u00a0，。]*")


def unwrap(reply: str, question: str = "") -> str | None:
    r"""The answer without what stands around it, or None where there is none.

    >>> unwrap("<think>Not a cat.</think>**Yes**"), unwrap("so \\boxed{\\text{red}}"), unwrap('{"answer": 2}')
    ('Yes', 'red', '2')
    >>> unwrap("<think>It may be a boat, or"), unwrap("Is it red? Yes.", "Is it red?")
    (None, 'Yes.')
    """
    repeats_question = bool(question) and reply[:12].lower() == question[:12].lower()
    is_plain = _PLAIN.fullmatch(reply) and not repeats_question and "assistantfinal" not in reply
    if is_plain and not _COURTESY.search(reply):
        return reply[-LONGEST_REPLY:].strip() or None
    text = _final_part(reply)
    if text is None:
        return None
    text = _without_prompt(text, question)
    for _ in range(3):  # one wrapper may hold another: tags around JSON, JSON inside a fence
        inner = _inside(text)
        if inner == text:
            break
        if inner is None or not inner.strip():
            return None
        text = inner
    return _COURTESY.sub(" ", _without_markdown(text)).strip() or None


def unwrap_reply(reply: str, question: str) -> str | None:
    """As `unwrap`; a short reply that does not repeat the question is unwrapped once for all questions."""
    repeats_question = "?" in reply or reply[:12].lower() == question[:12].lower() or len(reply) > 200
    return unwrap(reply, question) if repeats_question or question.lower() in reply.lower() else _unwrap_alone(reply)


@lru_cache(maxsize=10_000)
def _unwrap_alone(reply: str) -> str | None:
    return unwrap(reply)


@lru_cache(maxsize=16)  # of a long reply to many questions, such as the answer of a degenerate model
def _final_part(reply: str) -> str | None:
    """A reply after its reasoning and the turns before it, cut to a length that no answer has."""
    text = _without_reasoning(reply.translate(_QUOTES))
    return None if text is None else _TURN.split(text[-LONGEST_REPLY:])[-1]


def bold_parts(reply: str) -> tuple[str, ...]:
    """The distinct short parts that a reply prints bold after its reasoning, but for labels and what it denies.

    >>> bold_parts("There are **two** dogs."), bold_parts("**Color:** red"), bold_parts("It is not **red**.")
    (('two',), (), ())
    """
    text = (_final_part(reply) or "") if "**" in reply else ""
    parts = [match[1].strip(" .") for match in _BOLD.finditer(text)]
    return tuple(dict.fromkeys(part for part in parts if part and not part.endswith(":")))


def _without_reasoning(text: str) -> str | None:
    if text.startswith("analysis") and "assistantfinal" in text:  # the markers of channels without their signs
        return text.rpartition("assistantfinal")[2].strip() or None
    channels = list(_CHANNEL.finditer(text))
    if channels:
        last = channels[-1]
        if last[1].lower() != "final":
            return None
        text = text[last.end() :]
    pieces: list[str] = []
    start, is_reasoning = 0, False
    for tag in _TAG.finditer(text):
        if tag["close"]:
            pieces = [] if not is_reasoning else pieces
            start, is_reasoning = tag.end(), False
        elif tag["open"] and not is_reasoning:
            pieces.append(text[start : tag.start()])
            is_reasoning = True
        elif tag["answer"] and is_reasoning and "box" not in tag["answer"]:
            # An answer after reasoning that was never closed; its end may still follow.
            start, is_reasoning = tag.start(), False
    if not is_reasoning:
        pieces.append(text[start:])
    return " ".join(pieces) if any(map(str.strip, pieces)) else None


def _without_prompt(text: str, question: str) -> str:
    plain_question = question.strip()
    if len(plain_question) > 5:
        start = text.lower().find(plain_question.lower())
        if start >= 0:
            before, after = text[:start].rstrip("\"' "), text[start + len(plain_question) :]
            text = _ASKED.sub("", before) + re.sub(r"^[\"']+:?", "", after)
    text = _PROMPT.sub(" ", _ROLE.sub("", text.strip(), count=1)).strip()
    text = _NEXT_TURN.split(text, maxsplit=1)[0].strip()
    asks_on = _OWN_QUESTION.search(text) if "?" in text else None
    return text[: asks_on.start()].strip() if asks_on and not _CONCLUDES.search(text, asks_on.end()) else text


def _inside(text: str) -> str | None:
    """What the outermost wrapper holds, the text itself where there is none, None where it holds nothing sure."""
    contents = list(dict.fromkeys(content.strip() for content in _marked_contents(text)))
    if contents:
        return contents[0] if len({content.lower().strip(" .") for content in contents}) == 1 else None
    body = _FENCE.sub("\n", text).strip() if "```" in text or "~~~" in text else text
    if "{" in body or body.startswith(("[", '"')):
        return _json_answer(body)
    return body


def _marked_contents(text: str) -> Iterator[str]:
    """The contents of all answer tags and boxes that are not inside another one."""
    last = 0
    for tag in _TAG.finditer(text):
        mark = tag["answer"]
        if not mark or tag.start() < last:
            continue
        if mark.endswith("{"):
            yield _LATEX.sub(r"\1", _braced(text, tag.end())).replace("$", "")
        else:
            end = _ANSWER_END.search(text, tag.end())
            last = end.start() if end else len(text)
            yield text[tag.end() : last]


def _braced(text: str, start: int) -> str:
    depth = 1
    for index in range(start, min(len(text), start + 500)):
        depth += {"{": 1, "}": -1}.get(text[index], 0)
        if not depth:
            return text[start:index]
    return text[start : start + 500]


class _AmbiguousError(Exception):
    """JSON with several answers."""


def _json_answer(text: str) -> str | None:
    body = _TOKEN.sub(" ", text).strip()
    start = body.find("{") if not body.startswith(("[", '"')) else 0
    end = max(body.rfind("}"), body.rfind("]"), body.rfind('"') if body.startswith('"') else -1) + 1
    try:
        value = _parse_json(body[start:end])
    except _AmbiguousError:
        return None
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        broken = {match.strip().lower() for match in _BROKEN_JSON.findall(body)}
        return broken.pop() if len(broken) == 1 else None if body.startswith("{") else text
    answer = _json_value(value)
    return answer if answer is not None or body[:start].strip() == "" else None


def _parse_json(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_unique_keys)
    except ValueError:
        if len(text) > 2_000:
            raise
        return ast.literal_eval(text)


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if any(values[key] != value for key, value in pairs):
        raise _AmbiguousError
    return values


def _json_value(value: Any) -> str | None:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str | int | float):
        return str(value)
    if isinstance(value, list):
        return _json_value(value[0]) if len(value) == 1 else None
    if not isinstance(value, dict) or not value:
        return None
    values = {str(key).lower().replace(" ", "_"): content for key, content in value.items()}
    for key in _KEYS:
        if key in values:
            return _json_value(values[key])
    if all(isinstance(content, float | int) and not isinstance(content, bool) for content in values.values()):
        ranked = sorted(values, key=lambda key: -values[key])
        return None if len(ranked) > 1 and values[ranked[0]] == values[ranked[1]] else ranked[0]
    return _json_value(next(iter(values.values()))) if len(values) == 1 else None


def _without_markdown(text: str) -> str:
    text = _TOKEN.sub(" ", _STRUCK.sub(" ", text)) if "<" in text or "~" in text or "[" in text else text
    text = _LATEX.sub(r"\1", text).replace("$", " ") if "\\" in text else text
    if _TABLE_RULE.search(text):
        text = _TABLE_ROW.sub(_table_line, _TABLE_RULE.sub("\0", text)).rpartition("\0")[2]
    return _MARKDOWN.sub("", text).strip()


def _table_line(row: re.Match[str]) -> str:
    """A row of a table as "first: second"."""
    return ": ".join(cell.strip() for cell in row[1].split("|"))
