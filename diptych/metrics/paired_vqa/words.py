"""Words that the answer reader knows: numbers, colors, yes and no, and which words mean the same or the opposite."""

import re
from functools import lru_cache

_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
NUMBERS: dict[str, int] = {
    **{word: value for value, word in enumerate(f"{_UNITS} seventeen eighteen nineteen".split())},
    **{word: 10 * value for value, word in enumerate(_TENS.split(), start=2)},
}
"""The number words up to ninety that stand alone."""

_FOREIGN_NUMBERS = (
    "uno un una eins ein eine une um uma 一 하나 один; dos zwei deux dois duas 二 两 둘 два; "
    "tres drei trois três 三 셋 три; "
    "cuatro vier quatre quatro 四 넷 четыре; cinco fünf cinq 五 다섯 пять; seis sechs 六 여섯 шесть; "
    "siete sieben sept sete 七 일곱 семь; ocho acht huit oito 八 여덟 восемь; nueve neun neuf nove 九 아홉 девять; "
    "diez zehn dix dez 十 열 десять"
)
FOREIGN_NUMBERS: dict[str, int] = {
    word: value for value, words in enumerate(_FOREIGN_NUMBERS.split("; "), start=1) for word in words.split()
}
"""Number words of other languages, for replies that are nothing but a count."""

_NUMBER_OF = {"none": 0, "nil": 0, "nobody": 0, "nothing": 0, "single": 1, "pair": 2, "couple": 2, "both": 2}
_NUMBER_OF |= {"dozen": 12, "solo": 1, "duo": 2, "trio": 3, "quartet": 4, "quintet": 5}

COLORS: frozenset[str] = frozenset(
    """amber aqua aquamarine auburn azure beige black blond blonde blue brass bronze brown brunette burgundy camel
    caramel charcoal chestnut chocolate copper coral cream crimson cyan ebony emerald fuchsia ginger gold golden gray
    green grey indigo ivory khaki lavender lilac lime magenta maroon mauve mint mustard navy ochre olive orange peach
    pink plum purple red rose rust salmon scarlet sienna silver tan taupe teal turquoise violet white yellow
    multicolored multicoloured multicolor multicolour rainbow transparent clear colorless colourless reddish bluish
    greenish yellowish pinkish brownish grayish greyish purplish whitish blackish""".split()
)
"""The names of colors."""

SHADES: frozenset[str] = frozenset(
    """light dark pale bright deep medium hot neon off sky royal baby forest lime olive navy dull vivid pastel soft
    electric blood brick rose steel slate sea teal warm cool burnt""".split()
)
"""The words that go before a color and belong to it."""

_FOREIGN_COLORS = (
    "red rojo roja rouge rot rote rosso rossa vermelho vermelha 红 红色 赤 красный; "
    "blue azul bleu bleue blau blaue blu 蓝 蓝色 青 синий; green verde vert verte grün grüne 绿 绿色 緑 зеленый; "
    "white blanco blanca blanc blanche weiß weiss bianco branco branca 白 白色 белый; "
    "black negro negra noir noire schwarz nero preto preta 黑 黑色 黒 черный; "
    "yellow amarillo amarilla jaune gelb giallo amarelo amarela 黄 黄色 желтый; "
    "brown marrón marron braun marrone marrom 棕色 茶色 коричневый; gray gris grau grigio cinza 灰色 серый"
)
FOREIGN_COLORS: dict[str, str] = {
    word: names.split()[0] for names in _FOREIGN_COLORS.split("; ") for word in names.split()[1:]
}
"""Colors of other languages in English."""

YES_WORDS: frozenset[str] = frozenset(
    """yes yeah yep yup yea yess yesss aye ye true correct affirmative indeed ja oui si sí sì sim da да 是 是的
    对 对的 有 はい ええ     そうです 네 예 نعم हाँ हां evet tak 👍 ✅ ✓ ✔""".split()
)
"""The words that are a yes where they stand alone or at the beginning, also of other languages."""

NO_WORDS: frozenset[str] = frozenset(
    """no nope nah nay naw noo nooo false incorrect negative nein non não nao nee нет 不 不是
    否 没有 不对 いいえ いや 아니요 아니오     아니 لا नहीं hayır nie 👎 ❌ ✗ ✘""".split()
)
"""The words that are a no where they stand alone or at the beginning, also of other languages."""

BARE_WORDS: dict[str, str] = dict.fromkeys(YES_WORDS | {"y", "y e s", "yes yes"}, "yes") | dict.fromkeys(
    NO_WORDS | {"n", "none", "never", "no no no", "not"}, "no"
)
"""Yes or no for replies that are a single word, in lower case and without marks around it."""

_SAME = """
    same equal equally identical alike; fake artificial; empty deserted vacant unoccupied;
    close closed shut; open ajar; all entire whole; sit seated sat sitting; stand stood standing; large big huge giant
    larger bigger; small little tiny smaller; bicycle bike; sofa couch; tv television; photograph photo picture image;
    gray grey; color colour; wear worn wore dressed don donning; hold held; ride ridden rode; eat ate eaten; make made;
    see seen saw; come came; inside in into within; front ahead; above over; under below beneath underneath;
    near beside next; glad happy;
    begin start begun; child kid; automobile car; person someone anyone somebody anybody; people persons;
    night nighttime; day daytime; run ran running; break broke broken; lie lay lying laid; sleep asleep slept;
    wake awake;     intersect meet cross; write wrote written; fly flew flown; drive drove driven; take took taken;
    tall high height; long length;
    use used uses; catch caught; throw threw thrown; give gave given; bring brought; swim swam; draw drew drawn;
    build built;     man men gentleman gentlemen male; woman women lady ladies female; foot feet; far farther further;
    motorcycle motorbike; airplane plane aeroplane jet; rain rainy raining; snow snowy snowing; wood wooden;
    middle center centre; round circular circle; rectangular rectangle; triangular triangle; fall fell fallen;
    grow grew grown; win won; lose lost; tooth teeth; mouse mice; goose geese; knife knives; leaf
    leaves; shelf shelves
"""
_OPPOSITES = """
    open/close same/different same/opposite left/right on/off day/night full/empty straight/curved straight/bent
    large/small tall/short long/short longer/shorter taller/shorter higher/lower above/under front/behind sit/stand
    indoors/outdoors inside/outside wet/dry raw/cooked up/down awake/sleep clean/dirty new/old young/old male/female
    horizontal/vertical lit/unlit hot/cold odd/even parallel/perpendicular increase/decrease light/dark
    greater/less first/last
    more/fewer more/less most/least largest/smallest highest/lowest forward/backward forwards/backwards
    man/woman boy/girl lock/unlock whole/broken neat/messy tidy/messy crowded/empty crowded/deserted
    empty/occupied round/square correct/wrong correct/incorrect correct/reverse correct/backwards
    clockwise/counterclockwise clockwise/anticlockwise east/west north/south allow/prohibit allow/forbid closer/further
    closer/farther uphill/downhill top/bottom middle/left middle/right real/fake alive/dead calm/rough
    smooth/rough happy/sad thick/thin thicker/thinner wide/narrow wider/narrower deep/shallow fast/slow faster/slower
    heavier/lighter brighter/darker older/younger bright/dim bright/dark striped/plain sharp/blunt safe/dangerous
    moving/parked moving/stopped moving/stationary indoors/outside outdoors/inside
     smiling/frowning sunny/cloudy sunny/overcast sunny/rainy sunny/snowy sit/walk
    sit/run lie/walk lie/run sit/lie stand/lie opaque/transparent indoor/outdoor standing/kneeling shoe/barefoot
    calm/choppy calm/stormy new/worn cry/smile cry/laugh empty/fill rise/fall rise/drop rise/decline increase/decline
    increase/drop increase/fall grow/shrink grow/decline win/lose push/pull enter/exit ascend/descend rich/poor
    strong/weak stronger/weaker loud/quiet ripe/unripe healthy/unhealthy tied/untied peeled/unpeeled true/false
    legal/illegal hotter/colder warmer/colder warmer/cooler earlier/later before/after nearer/farther richer/poorer
    broken/intact damaged/intact blurry/sharp northern/southern eastern/western northernmost/southernmost
    easternmost/westernmost vertical/diagonal horizontal/diagonal straight/crooked straight/wavy upright/tilted
    modern/antique tame/wild soft/hard fresh/rotten fresh/stale attach/detach load/unload fold/unfold wrapped/unwrapped
    symmetrical/asymmetrical flat/hilly flat/mountainous convex/concave positive/negative maximum/minimum best/worst
    made/unmade toward/away towards/away taller/lower heavy/light tallest/shortest longest/shortest
    biggest/smallest oldest/youngest heaviest/lightest fastest/slowest widest/narrowest darkest/lightest
    closest/farthest
    hottest/coldest acute/obtuse digital/analog
"""
_IRREGULAR = frozenset("is was has does this his its us bus gas less thing sing ring king".split())


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A word without its ending, and one word for all that mean the same.

    >>> stem("sitting"), stem("dogs"), stem("bigger"), stem("closed"), stem("shut")
    ('sit', 'dog', 'larg', 'clos', 'clos')
    """
    base = _CANONICAL.get(word) or _cut(word)
    return _CANONICAL.get(base, base)


def _cut(word: str) -> str:
    text = word.removesuffix("'s").removesuffix("s'")
    if text in _IRREGULAR or len(text) < 4 or not text.isalpha():
        return text
    for ending in ("ies", "ing", "ed", "es", "s", "e", "y"):
        rest = text[: -len(ending)]
        if text.endswith(ending) and len(rest) >= 3 and re.search("[aeiouy]", rest) and not text.endswith("ss"):
            text = rest
            break
    if len(text) > 3 and text[-1] == text[-2]:
        text = text[:-1]
    return text.removesuffix("e") if len(text) > 3 else text


def _canonical_words() -> dict[str, str]:
    words: dict[str, str] = {}
    for line in _SAME.replace("\n", " ").split(";"):
        head, *rest = line.split()
        words |= dict.fromkeys((head, *rest, *map(_cut, rest)), _cut(head))
    return words


_CANONICAL: dict[str, str] = {}
_CANONICAL.update(_canonical_words())

SAME_WORDS: dict[str, set[str]] = {}
"""The words that mean the same as a stem."""
for _word, _base in _CANONICAL.items():
    SAME_WORDS.setdefault(_base, set()).add(_word)

OPPOSITES: dict[str, set[str]] = {}
"""The stems of the opposites of a stem."""
for _pair in _OPPOSITES.split():
    _first, _second = map(stem, _pair.split("/"))
    OPPOSITES.setdefault(_first, set()).add(_second)
    OPPOSITES.setdefault(_second, set()).add(_first)

_EXCLUSIVE = """
    dog cat horse cow sheep goat pig duck chicken elephant giraffe zebra bear lion tiger monkey rabbit deer fox wolf
    camel kangaroo penguin turtle snake frog squirrel parrot owl eagle swan;
    bird dog cat horse cow sheep goat pig elephant giraffe zebra bear lion tiger monkey rabbit deer fox wolf camel
    kangaroo turtle snake frog squirrel;
    car truck bus train bicycle motorcycle boat airplane helicopter skateboard tractor;
    apple banana orange pear grape strawberry lemon peach cherry pineapple watermelon mango tomato potato carrot onion
    broccoli cucumber; pizza sandwich salad soup cake pasta sushi; vanilla chocolate;
    tennis baseball soccer basketball golf hockey volleyball rugby cricket badminton;
    ski snowboard surf skateboard swim;
    winter summer spring autumn; wood metal plastic glass stone brick concrete leather ceramic paper rubber;
    bronze steel copper marble granite wood plastic glass ceramic leather rubber;
    round square rectangular triangular oval hexagonal pentagon hexagon octagon;
    english japanese chinese french german spanish italian russian korean arabic hindi portuguese dutch greek turkish
    thai vietnamese polish swedish latin hebrew; kitchen bathroom bedroom garage classroom;
    monday tuesday wednesday thursday friday saturday sunday; breakfast lunch dinner;
    january february april june july august september october november december;
    guitar piano violin drum trumpet flute saxophone cello; coffee tea beer wine milk juice;
    rain snow
"""

COLOR_STEMS: frozenset[str] = frozenset(map(stem, COLORS))
"""The stems of the names of colors."""

SIBLINGS: dict[str, frozenset[str]] = {}
"""The stems of the words of which a thing is only one: another color than that of a stem, another animal."""
for _group in (*(line.split() for line in _EXCLUSIVE.split(";")), sorted(COLORS - {"clear", "orange", "peach"})):
    _stems = frozenset(map(stem, _group))
    SIBLINGS.update({_stem: SIBLINGS.get(_stem, frozenset()) | _stems - {_stem} for _stem in _stems})

_TENS_WORD = "|".join(_TENS.split())
_NUMBER_WORDS = "|".join(sorted([*NUMBERS, *_NUMBER_OF], key=len, reverse=True))
NUMBER = re.compile(
    r"(?<![\w.,:$/-])(?<!number )(?<!no\. )(?<!room )(?<!page )(?:"
    r"(?P<digits>\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(?![\d:/%]|(?:st|nd|rd|th)\b)"
    r"|(?P<hundred>(?:a|one) hundred)|(?P<half>half a dozen)"
    rf"|(?P<dozens>(?:(?:a|one|{'|'.join(_UNITS.split()[1:])}) )?(?:dozen|pair|couple))(?! s)"
    rf"|(?P<tens>{_TENS_WORD})[ -](?P<unit>{'|'.join(_UNITS.split()[1:10])})"
    rf"|(?P<word>{_NUMBER_WORDS})"
    r")(?!\w)(?!-\w)"
)
"""A number in digits or words, in lower-case text."""


def number_value(match: re.Match[str]) -> str:
    """The digits of a number that `NUMBER` matches.

    >>> [number_value(match) for match in NUMBER.finditer("twenty-one of 1,000, two dozen and none")]
    ['21', '1000', '24', '0']
    """
    if digits := match["digits"]:
        return digits.replace(",", "")
    if match["hundred"]:
        return "100"
    if match["half"]:
        return "6"
    if dozens := match["dozens"]:
        *factor, unit = dozens.split()
        return str(NUMBERS.get(factor[0] if factor else "one", 1) * _NUMBER_OF[unit])
    if match["tens"]:
        return str(NUMBERS[match["tens"]] + NUMBERS[match["unit"]])
    word = match["word"]
    return str(NUMBERS.get(word, _NUMBER_OF.get(word, 0)))
