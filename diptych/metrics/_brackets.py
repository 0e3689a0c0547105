"""Questions with what differs between them in brackets."""

from collections.abc import Iterator, Sequence
from itertools import takewhile

_MARKS = "?.,!"


def mark_difference(original_question: str, perturbed_question: str, new_words: str = "") -> tuple[str, str]:
    """Two questions with what differs in brackets; nothing is shown as `_`, and other questions as they are.

    `new_words` are those that were put into the second question: brackets hold all of them, also where the first
    question has some of them already.

    >>> mark_difference("Is there a dog?", "Is there an animal?")
    ('Is there [a dog]?', 'Is there [an animal]?')
    >>> mark_difference("Is the red car old?", "Is the dark red car old?", "dark red")
    ('Is the [red] car old?', 'Is the [dark red] car old?')
    """
    questions = original_question, perturbed_question
    words = [list(_words(question)) for question in questions]
    start, stop = _difference(words, ("", new_words))
    if words[0] == words[1] or (not start and stop < 2):  # nothing differs, or all but the question mark
        return questions
    return _bracket(words[0], start, stop), _bracket(words[1], start, stop)


def mark_alternatives(questions: Sequence[str], new_words: Sequence[str]) -> str:
    """Several wordings of a question as one, as the knowledge-based paper's figures print them.

    >>> mark_alternatives(["Is the red car old?", "Is the dark red car old?", "Is the lime car old?"],
    ...                   ["", "dark red", "lime"])
    'Is the [red/dark red/lime] car old?'
    """
    words = [list(_words(question)) for question in questions]
    start, stop = _difference(words, new_words)
    if not start and stop < 2:
        return " / ".join(questions)
    choices = (" ".join(each[start : len(each) - stop]) or "_" for each in words)
    return _join([*words[0][:start], f"[{'/'.join(choices)}]", *words[0][len(words[0]) - stop :]])


def _difference(wordings: Sequence[Sequence[str]], new_words: Sequence[str]) -> tuple[int, int]:
    """How many words all have in common from their start, and to their end, without the new words of any."""
    start = _common_length(wordings)
    rest = min(map(len, wordings)) - start
    stop = min(_common_length([words[::-1] for words in wordings]), rest)
    first, last = start, stop
    for words, phrase in zip(wordings, (words.split() for words in new_words), strict=True):
        for place in range(len(words) - len(phrase) + 1) if phrase else ():
            end = len(words) - place - len(phrase)  # how many words come after the phrase
            touches_difference = place <= len(words) - stop and end <= len(words) - start
            if touches_difference and [word.lower() for word in words[place : place + len(phrase)]] == [
                word.lower() for word in phrase
            ]:
                first, last = min(first, place), min(last, end)
                break
    return first, last


def _common_length(wordings: Sequence[Sequence[str]]) -> int:
    return sum(takewhile(bool, (len(set(words)) == 1 for words in zip(*wordings, strict=False))))


def _words(text: str) -> Iterator[str]:
    for word in text.split():
        stem = word.rstrip(_MARKS)
        yield from (part for part in (stem, word[len(stem) :]) if part)


def _bracket(words: Sequence[str], start: int, stop: int) -> str:
    end = len(words) - stop
    return _join([*words[:start], f"[{' '.join(words[start:end]) or '_'}]", *words[end:]])


def _join(words: Sequence[str]) -> str:
    text = " ".join(words)
    for mark in _MARKS:
        text = text.replace(f" {mark}", mark)
    return text
