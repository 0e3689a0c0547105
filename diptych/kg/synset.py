"""Synset and Lemma: light handles on one meaning and one word of it, with the relations to walk from there."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from diptych.errors import UnknownNameError
from diptych.kg.wordnet_table import Table


@dataclass(frozen=True, slots=True, repr=False)
class Synset:
    """One meaning: the words that have it and the meanings around it.

    >>> from diptych.kg import wordnet
    >>> dog = wordnet().synset("dog.n.01")
    >>> dog.lemma_names, dog.lexname
    (('dog', 'domestic_dog', 'Canis_familiaris'), 'noun.animal')
    >>> dog.hypernyms()
    (Synset('canine.n.02'), Synset('domestic_animal.n.01'))
    """

    number: int
    table: Table = field(compare=False)

    def __repr__(self) -> str:
        return f"Synset({self.name!r})"

    def __lt__(self, other: "Synset") -> bool:
        return self.name < other.name

    @property
    def name(self) -> str:
        """The name nltk gives it: first lemma, part of speech, sense number (`dog.n.01`)."""
        return self.table.name(self.number)

    @property
    def pos(self) -> str:
        """The part of speech: n(oun), v(erb), a(djective), s(atellite adjective) or (adve)r(b)."""
        return self.table.pos(self.number)

    @property
    def lexname(self) -> str:
        """The lexicographer file it comes from, a coarse kind such as `noun.animal` or `verb.motion`."""
        return self.table.lexname(self.number)

    @property
    def offset(self) -> int:
        """Its byte offset in the database (`dog.n.01`: 2084071, ImageNet's n02084071)."""
        return int(self.table.offsets[self.number])

    @property
    def lemma_names(self) -> tuple[str, ...]:
        """Its words, the most usual first, with underscores for spaces."""
        return tuple(map(self.table.lemma_name, self.table.lemmas(self.number)))

    @property
    def lemma_counts(self) -> tuple[int, ...]:
        """How often each of its words was seen with this meaning in the sense-tagged texts."""
        return tuple(map(self.table.lemma_count, self.table.lemmas(self.number)))

    @property
    def lemmas(self) -> tuple["Lemma", ...]:
        """Its words as handles."""
        return tuple(Lemma(name, self) for name in self.lemma_names)

    def lemma_count(self, lemma: str) -> int:
        """How often one of its words was seen with this meaning.

        >>> from diptych.kg import wordnet
        >>> wordnet().synset("dog.n.01").lemma_count("dog")
        42
        """
        return self.table.lemma_count(self._lemma(lemma))

    def antonyms(self, lemma: str | None = None) -> tuple["Lemma", ...]:
        """The opposites of one of its words, or of all.

        >>> from diptych.kg import wordnet
        >>> wordnet().synset("hot.a.01").antonyms("hot")
        (Lemma('cold.a.01.cold'),)
        """
        sources: Iterable[int] = self.table.lemmas(self.number) if lemma is None else [self._lemma(lemma)]
        targets = [target for source in sources for target in self.table.related(source, "antonym")]
        return tuple(
            Lemma(self.table.lemma_name(target), Synset(self.table.lemma_synset(target), self.table))
            for target in dict.fromkeys(targets)
        )

    def _lemma(self, name: str) -> int:
        names = self.lemma_names
        if name not in names:
            raise UnknownNameError.among(f"lemma of {self.name}", name, names)
        return self.table.lemmas(self.number)[names.index(name)]

    def _related(self, relation: str) -> tuple["Synset", ...]:
        return tuple(Synset(number, self.table) for number in self.table.related(self.number, relation))

    def hypernyms(self) -> tuple["Synset", ...]:
        """The kinds it is a kind of."""
        return self._related("hypernym")

    def instance_hypernyms(self) -> tuple["Synset", ...]:
        """The kinds it is an instance of (Paris: a national capital)."""
        return self._related("instance_hypernym")

    def hyponyms(self) -> tuple["Synset", ...]:
        """The kinds of it."""
        return self._related("~hypernym")

    def instance_hyponyms(self) -> tuple["Synset", ...]:
        """The instances of it."""
        return self._related("~instance_hypernym")

    def part_meronyms(self) -> tuple["Synset", ...]:
        """The parts of it."""
        return self._related("part_meronym")

    def part_holonyms(self) -> tuple["Synset", ...]:
        """The wholes it is a part of."""
        return self._related("~part_meronym")

    def similar_tos(self) -> tuple["Synset", ...]:
        """The adjectives around it: its satellites, or the head of a satellite."""
        return self._related("similar_to")

    def siblings(self) -> tuple["Synset", ...]:
        """The other kinds of the kinds it is a kind of; for an instance, the other instances.

        >>> from diptych.kg import wordnet
        >>> [sibling.name for sibling in wordnet().synset("fork.n.01").siblings()][:3]
        ['spoon.n.01', 'spork.n.01', 'table_knife.n.01']
        """
        kinds = [kind for parent in self.hypernyms() for kind in parent.hyponyms()]
        instances = [one for parent in self.instance_hypernyms() for one in parent.instance_hyponyms()]
        return tuple(other for other in dict.fromkeys(kinds + instances) if other != self)

    def parents(self) -> tuple["Synset", ...]:
        """Its hypernyms, then its instance hypernyms: one step up, of either sort."""
        return self.hypernyms() + self.instance_hypernyms()

    def closure(self, step: Callable[["Synset"], Iterable["Synset"]] | None = None) -> Iterator["Synset"]:
        """All that is reached by a step taken again and again (by default `parents`), nearest first, each once.

        >>> from diptych.kg import wordnet
        >>> [above.name for above in wordnet().synset("dog.n.01").closure()][:3]
        ['canine.n.02', 'domestic_animal.n.01', 'carnivore.n.01']
        """
        steps = self._steps(step or Synset.parents)
        return (synset for synset in steps if synset != self)

    def _steps(self, step: Callable[["Synset"], Iterable["Synset"]]) -> dict["Synset", int]:
        """All synsets within reach, itself first, with the fewest steps to each."""
        found, edge = {self: 0}, [self]
        while edge:
            near = dict.fromkeys(other for synset in edge for other in step(synset))
            edge = [synset for synset in near if synset not in found]
            found |= dict.fromkeys(edge, max(found.values()) + 1)
        return found

    def hypernym_paths(self) -> tuple[tuple["Synset", ...], ...]:
        """Every way up, each from the root down to here."""
        above = self.parents()
        if not above:
            return ((self,),)
        return tuple((*path, self) for parent in above for path in parent.hypernym_paths())

    def min_depth(self) -> int:
        """The length of the shortest way up to a root."""
        return min((1 + parent.min_depth() for parent in self.parents()), default=0)

    def max_depth(self) -> int:
        """The length of the longest way up to a root."""
        return max((1 + parent.max_depth() for parent in self.parents()), default=0)

    def is_a(self, other: "Synset") -> bool:
        """Whether it is the other, a kind of it or an instance of it.

        >>> from diptych.kg import wordnet
        >>> wordnet().synset("dog.n.01").is_a(wordnet().synset("animal.n.01"))
        True
        """
        return other in self._steps(Synset.parents)

    def shortest_path_distance(self, other: "Synset") -> int | None:
        """The fewest steps from one to the other through a hypernym of both; None where they share none.

        >>> from diptych.kg import wordnet
        >>> wordnet().synset("dog.n.01").shortest_path_distance(wordnet().synset("cat.n.01"))
        4
        """
        mine, theirs = self._steps(Synset.parents), other._steps(Synset.parents)
        return min((steps + theirs[synset] for synset, steps in mine.items() if synset in theirs), default=None)


@dataclass(frozen=True, slots=True, repr=False)
class Lemma:
    """One word of one synset."""

    name: str
    synset: Synset

    def __repr__(self) -> str:
        return f"Lemma('{self.synset.name}.{self.name}')"

    @property
    def count(self) -> int:
        """How often the word was seen with this meaning."""
        return self.synset.lemma_count(self.name)

    def antonyms(self) -> tuple["Lemma", ...]:
        """Its opposites."""
        return self.synset.antonyms(self.name)
