"""Answer phrases: which replies are one as they stand, and how one is cut out of its sentence."""

import re

from .sentences import UNSURE
from .words import stem

_QUOTED_FIRST = re.compile(r"[\"\u201c]([^\"\u201d]{1,60})[\"\u201d](?! (?:and|or)\b)")
_ANY_WORD = re.compile(r"[^\W_]+")
_ANY_PLACE = re.compile(
    r"\s(?:in|on|at|near|next to|beside|behind|under|inside|over|above|below)\s(?=((?:[\w']+ ?){1,6}$))", re.IGNORECASE
)
_IN_NAME = re.compile(r"(?<=\w) in (?-i:[A-Z])[\w ]*$")  # the Eiffel Tower in Paris

LONGEST_PHRASE = 6
"""An answer phrase has at most so many words."""

SIGNS = re.compile(
    r"\b(?:is|are|was|were|am|it's|he's|she's|that's|they're|there's|i|i'd|i'm|i've|looks?|seems?|appears?|does|do"
    r"|did|has|have|can|cannot|can't"
    r"|says?|reads?|shows?|wears?|uses?|because|answer|sorry|sure|maybe|perhaps|or|unclear|unknown|unsure|please"
    r"|wait|actually|not|must|will|would"
    r"|contains|suggests?|indicates|holds|carries|displays)\b|[\n?;=→{}<>\[\]◁▷(*`]"
    r"|:\s|(?<!\bno)(?<!\bst)(?<!\b\w)[.!] "
    r"|^\W*(?:he|she|they|it|we|these|those|its|his|her|their|my|people|no(?! \w+$|\. ?\d))\s|'s\s"
    r"|^\W*(?:some(?:thing|one|body|where)|any(?:thing|one|body)|it|he|she|they|this|that|these|those|here|there"
    r"|dark|light)\b"
    r"|^\W*(?:an?|the) (?:[a-z]+ )?(?!of\b|with\b|and\b)[a-z]+ [a-z]+[^s\W]s (?:an?|the|his|her|its|their) ",
    re.IGNORECASE,
)

_ADVERBS = re.compile(
    r"^(?:actually|really|clearly|currently|probably|likely|most likely|definitely|certainly|also|just|simply"
    r"|about|indeed|now|being|called|"
    r"most probably|possibly|apparently|equal to|equals|includes?|dated|to be|like|that|a kind of|some kind of"
    r"|a type of|some sort of|a game of"
    r"|that of|its|his|her|their|of)\s+(?=\S)",
    re.IGNORECASE,
)

_TRIM = re.compile(
    r",(?!\d{3}\b| \d{4}\b)|[;()\n]|:\s|\s+-+\s+|[\u2013\u2014]|\s(?:which|that|who|while|because|as|rather than|since"
    r"|for example"
    r"|and (?:is|are|has|have|it|he|she|they)|with|through|shaped|of some|used|made (?:out )?of|in (?:the|this) "
    r"(?:image|picture|photo|scene|background|foreground)|in (?:his|her|their) hands?|in (?:\w+ )?(?:letters"
    r"|capitals|writing)|for(?! (?-i:[A-Z]))|where|when|but|so|before \w+ing"
    r"|(?<!next )(?<!close )(?<!up )to (?!the|an?|his"
    r"|her|its|their)\w+)\b",
    re.IGNORECASE,
)

_PLACE = re.compile(
    r"(?<=\w)\s(?:in|on|at|along|near|next to|beside|behind|under|outside|inside|across|during|by|against|over"
    r"|down|up|around|past|towards?|into|through"
    r"|above|below|beneath)"
    r"\s(?:the|an?|his|her|its|their|this|that|front|one)\b.*$",
    re.IGNORECASE,
)

_POSTURE = (
    "sitting|standing|lying|leaning|resting|hanging|parked|placed|located|positioned|situated|mounted|seated|perched"
    "|attached|displayed|floating|laying"
)

_AFTER_NOUN = re.compile(
    rf"(?<=\w)(?<!and)(?<!or)\s(?:{_POSTURE}|worn|held|carried|loaded|filled|topped|covered|decorated|along|together"
    rf"|(?:right )?next)(?:\s.*)?$",
    re.IGNORECASE,
)

_ACTION_ON = re.compile(
    r"^(?:wearing|holding|carrying|using|riding|eating|drinking) (?=(?:an?|the|his|her) )", re.IGNORECASE
)
_IS_PLACED = re.compile(rf"^(?:{_POSTURE}|being sold|sold)\s+(?=(?:up|down|right )?\w)", re.IGNORECASE)

_AND_DOING = re.compile(r" and \w+ing (?:at|to|towards?|on|in|an?|the|his|her|down|along|with|for)\b.*")
_APPOSITION = re.compile(r"^((?:[A-Z][\w'.-]* ?){2,5}), an? [a-z].*$")
_ADJECTIVES = re.compile(
    r"^((?:an?|the) [a-z]+), ((?!(?:an?|the|and|which|with|in|on|as|next|near|to|at|by|behind|beside|under|where"
    r"|just)\b)[a-z-]+ [a-z]+)"
)
_QUANTITY = re.compile(
    r"^(?:what (?:looks like|appears to be|seems to be) )?(?:an? (?:bunch|pair|cluster|group|set|couple|number"
    r"|few|variety|lot"
    r"|large number|small number|serving|portion|helping) of|(?:a few|several|some)(?: of)?"
    r"|(?:around|approximately|about|roughly))\s+(?=\w)",
    re.IGNORECASE,
)

_KIND_OF_THIS = re.compile(
    r"\W*what (?:kind|type|sort) of \w+ (?:is|are) (?:this|that|these|those|it)\b", re.IGNORECASE
)
_WHERE = re.compile(r"\W*where\b", re.IGNORECASE)

KEEPS_PLACE = re.compile(
    r"\bwhat (?:should|will|can|did|does|do|is|are) .{2,40} do\b|\b(?:where|when|how|why|who|doing|happening|kind"
    r"|type|say|says|read|written)\b",
    re.IGNORECASE,
)

COVERED = re.compile(r"\b(?:covered|filled|decorated|topped|lined|contains?|holds?)\b")

ENDING = re.compile(r" (for|from|through|into|over|at|on|with|in|about|against|under)\W*$")

LISTED = re.compile(
    r"^[\w' -]{2,30}(?:, (?!\w+ing\b|with\b|such\b|along\b|as\b)[\w' -]{2,30}){1,4},? and [\w' -]{2,30}$"
)

_LITTLE = frozenset(("a", "an", "the", "and", "of"))  # words that do not make a phrase longer

_ENDS_OPEN = re.compile(
    r"\bfollowing$|^(?:an? )?\w+ and (?!white|black|gr[ae]y|brown|blue|red|green)\w+(?:esque|ful|ous|ic|ne)$"
    r"|^(?:often|commonly|typically|generally|usually|widely) \w+ed$"
    r"|\b(?:the|a|an|is|are|of|at|to|in|on|and|with|for|by|this|that|his|her)$",
    re.IGNORECASE,
)

EDGES = re.compile(r"^[\s\"'(\[.,!*]+|[\s\"'\])!,;:]+$|(?<=\w)\.+$|[^\w%°$€£.)\"']+$")


_UNSAFE_WORDS = frozenset(
    """is are was were am i looks look seems seem appears appear does do did has have can cannot says say reads read
    shows show wears wear uses use because answer sorry sure maybe perhaps or unclear unknown unsure please wait
    actually not unanswerable
    must will would he she they it we these those this that its his her their my people no some something someone
    somebody somewhere anything anyone anybody here there dark light uncertain impossible depends ambiguous inconclusive
    insufficient undecided idea clue hard difficult way none neither image traceback consult probably likely most think
    guess believe suppose un une una ein eine el der das les los yes mean correction oops game
    contains suggest suggests indicates holds carries displays""".split()
)

_WORDS_OF_ANY_PHRASE = 3  # a longer phrase must begin as one, since "people skiing down a slope" is half a sentence

_NOUN_PHRASE = re.compile(
    r"(?:an?|the|about|almost|on|in|at|under|over|behind|near|next|by|to|between|above|below|inside|outside|around|from|with"
    r"|for|along|against|\d+)\s",
    re.IGNORECASE,
)

_TWO_THINGS = re.compile(
    r"^(?:an? |the |some )?\w+(?: (?:of )?\w+)? and (?:an? |the |some |a lot of )?\w+(?: (?:of )?\w+)?[.!]?$",
    re.IGNORECASE,
)


def is_plain_phrase(text: str) -> bool:
    """Whether a reply is a short phrase and no sentence: it is then read as it is.

    >>> is_plain_phrase("red umbrella"), is_plain_phrase("It is red.")
    (True, False)
    """
    if is_bare(text):
        return True
    if len(text) > 60 or SIGNS.search(text) or text.count(" ") >= 2 * LONGEST_PHRASE:
        return False
    if LISTED.match(text) and (text.count(" ") < LONGEST_PHRASE or not re.search(r"\d", text)):
        return True
    if _TWO_THINGS.match(text):
        return True
    if text.count(" ") >= LONGEST_PHRASE:
        return False
    return text.count(" ") < _WORDS_OF_ANY_PHRASE or bool(_NOUN_PHRASE.match(text))


def is_bare(text: str) -> bool:
    """Whether a text is one to three words of which none is a sign of a sentence, of doubt or of a refusal."""
    words = text.rstrip(".! ").lower().split(" ")
    if words in (["light"], ["dark"]):
        return True
    return len(words) <= _WORDS_OF_ANY_PHRASE and text.isascii() and all(map(_is_safe_word, words))


def _is_safe_word(word: str) -> bool:
    return word.isalpha() and word not in _UNSAFE_WORDS


def _without_asked(text: str, question: str) -> str:
    """A phrase without the place at its end that the question names: "cream | on top of the cake"."""
    asked = {stem(word) for word in _ANY_WORD.findall(question.lower())}
    for place in _ANY_PLACE.finditer(text):
        words = [word for word in _ANY_WORD.findall(place[1].lower()) if word not in _LITTLE]
        if place.start() and {stem(word) for word in words} <= asked:
            return text[: place.start()]
    return text


def trim_phrase(phrase: str, question: str = "") -> str | None:
    """The phrase that answers a question, or None where what is left is none.

    >>> trim_phrase("sitting on the chair", "Where is the cat?"), trim_phrase("a few books on the pew", "What is it?")
    ('on the chair', 'books')
    """
    if (quoted := _QUOTED_FIRST.match(phrase.strip())) and not _WHERE.match(question):
        return str(quoted[1]).strip(" .,")
    text = EDGES.sub("", phrase.strip())
    if question and not re.search(r"\b(?:where|when|how|why|doing)\b", question, re.IGNORECASE):
        text = re.sub(
            rf"^(?:(?:(?:made|built|constructed|composed)(?: out)?|{COVERED.pattern}) )?"
            r"(?:in|on|at|by|of|to|with|from)\s+",
            "",
            text,
        )
        text = text if re.match(r"\W*who\b", question, re.IGNORECASE) else _ACTION_ON.sub("", text)
        text = re.sub(r"^(?:contains?|holds?)\s+", "", text)
    if ENDING.search(question):
        text = re.sub(r"^(?:for|from|through|into|over|at|on|with|against|in|to|by|of|under)\s+", "", text)
    for _ in range(3):
        text = _ADVERBS.sub("", text, count=1)
    longest = LONGEST_PHRASE
    if question and _WHERE.match(question):
        text = re.sub(r"^(?:in(?! front)|at)\s+", "", _AFTER_NOUN.sub("", _IS_PLACED.sub("", text)))
        longest += 2
    elif question:
        text = _QUANTITY.sub("", text)
        text = text if KEEPS_PLACE.search(question) else _AFTER_NOUN.sub("", text)
    text = text if re.match(r"\w+ing\b", text) else _AND_DOING.sub("", text)
    text = _APPOSITION.sub(r"\1", text)  # "Ada Lovelace, an English mathematician and writer"
    text = _ADJECTIVES.sub(r"\1 \2", text)  # "a small, light-colored dog"
    text = _PLACE.sub("", text) if LISTED.match(_PLACE.sub("", text)) and not KEEPS_PLACE.search(question) else text
    text = (
        text.strip() if LISTED.match(text.strip()) else EDGES.sub("", _TRIM.split(text.strip(), maxsplit=1)[0].strip())
    )
    text = _PLACE.sub("", text) if question and not KEEPS_PLACE.search(question) else text
    text = _PLACE.sub("", text) if _KIND_OF_THIS.match(question) else text
    text = _IN_NAME.sub("", text) if question and not KEEPS_PLACE.search(question) else text
    text = re.sub(r" and \w+ed$", "", _without_asked(text, question))  # "dressed in blue and adorned | with"
    words = text.split()
    if len(words) > longest and " doing" in question:  # "brushing her teeth in front of the mirror"
        text = _PLACE.sub("", text)
        words = text.split()
    size = sum(word not in _LITTLE for word in words)
    is_phrase = (
        0 < size <= (2 * longest if LISTED.match(text) else longest)
        and not _ENDS_OPEN.search(text)
        and not UNSURE.search(text)
    )
    if len(words) == 1 and text.endswith("ed") and "-" not in text and not KEEPS_PLACE.search(question):
        return None  # "is displayed"
    is_action = bool(re.match(r"\w+ing\b", text))
    if re.match(r"\W*who\b", question, re.IGNORECASE) if is_action else len(words) == 1 and " doing" in question:
        return None
    return text if is_phrase and not SIGNS.search(text) else None
