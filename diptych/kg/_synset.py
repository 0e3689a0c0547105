"""`Synset` and `Lemma`: light handles on one meaning and on one word of it, and the relations that start there."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from diptych.errors import UnknownNameError
from diptych.kg._wordnet_table import Table


@dataclass(frozen=True, slots=True, repr=False)
class Synset:
    """One meaning: the words that share it and the meanings related to it.

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
        """Its lexicographer file, a coarse kind such as `noun.animal` or `verb.motion`."""
        return self.table.lexname(self.number)

    @property
    def offset(self) -> int:
        """Its byte offset in the database (`dog.n.01`: 2084071, ImageNet's n02084071)."""
        return int(self.table.offsets[self.number])

    @property
    def lemma_names(self) -> tuple[str, ...]:
        """Its words, the most frequent first, with underscores for spaces."""
        return tuple(map(self.table.lemma_name, self.table.lemmas(self.number)))

    @property
    def lemma_counts(self) -> tuple[int, ...]:
        """How often each of its words occurs with this meaning in the sense-tagged texts."""
        return tuple(map(self.table.lemma_count, self.table.lemmas(self.number)))

    @property
    def lemmas(self) -> tuple["Lemma", ...]:
        """Its words as `Lemma` objects."""
        return tuple(Lemma(name, self) for name in self.lemma_names)

    def lemma_count(self, lemma: str) -> int:
        """How often one of its words occurs with this meaning in the sense-tagged texts.

        >>> from diptych.kg import wordnet
        >>> wordnet().synset("dog.n.01").lemma_count("dog")
        42
        """
        return self.table.lemma_count(self._lemma(lemma))

    def antonyms(self, lemma: str | None = None) -> tuple["Lemma", ...]:
        """The opposites of one of its words, or of all of them.

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
        """The kinds that it is a kind of (dog: canine, domestic animal)."""
        return self._related("hypernym")

    def instance_hypernyms(self) -> tuple["Synset", ...]:
        """The kinds that it is an instance of (Paris: national capital)."""
        return self._related("instance_hypernym")

    def hyponyms(self) -> tuple["Synset", ...]:
        """Its own kinds (dog: poodle, puppy)."""
        return self._related("~hypernym")

    def instance_hyponyms(self) -> tuple["Synset", ...]:
        """Its instances (national capital: Paris)."""
        return self._related("~instance_hypernym")

    def part_meronyms(self) -> tuple["Synset", ...]:
        """Its parts."""
        return self._related("part_meronym")

    def part_holonyms(self) -> tuple["Synset", ...]:
        """The wholes that it is a part of."""
        return self._related("~part_meronym")

    def similar_tos(self) -> tuple["Synset", ...]:
        """Similar adjectives: the satellites of a head, or the head of a satellite."""
        return self._related("similar_to")

    def siblings(self) -> tuple["Synset", ...]:
        """The other hyponyms of its hypernyms; for an instance, the other instances.

        >>> from diptych.kg import wordnet
        >>> [sibling.name for sibling in wordnet().synset("fork.n.01").siblings()][:3]
        ['spoon.n.01', 'spork.n.01', 'table_knife.n.01']
        """
        kinds = [kind for parent in self.hypernyms() for kind in parent.hyponyms()]
        instances = [instance for parent in self.instance_hypernyms() for instance in parent.instance_hyponyms()]
        return tuple(sibling for sibling in dict.fromkeys(kinds + instances) if sibling != self)

    def parents(self) -> tuple["Synset", ...]:
        """Its hypernyms, then its instance hypernyms."""
        return self.hypernyms() + self.instance_hypernyms()

    def closure(self, step: Callable[["Synset"], Iterable["Synset"]] | None = None) -> Iterator["Synset"]:
        """All synsets reached by repeating a step (by default `parents`), the nearest first, each once.

        >>> from diptych.kg import wordnet
        >>> [ancestor.name for ancestor in wordnet().synset("dog.n.01").closure()][:3]
        ['canine.n.02', 'domestic_animal.n.01', 'carnivore.n.01']
        """
        return (synset for synset in self._distances(step or Synset.parents) if synset != self)

    def _distances(self, step: Callable[["Synset"], Iterable["Synset"]]) -> dict["Synset", int]:
        """All synsets that can be reached, itself first, with the fewest steps to each."""
        distances, frontier = {self: 0}, [self]
        while frontier:
            neighbors = dict.fromkeys(neighbor for synset in frontier for neighbor in step(synset))
            frontier = [synset for synset in neighbors if synset not in distances]
            distances |= dict.fromkeys(frontier, max(distances.values()) + 1)
        return distances

    def hypernym_paths(self) -> tuple[tuple["Synset", ...], ...]:
        """All paths through parents, each from the root down to this synset."""
        parents = self.parents()
        if not parents:
            return ((self,),)
        return tuple((*path, self) for parent in parents for path in parent.hypernym_paths())

    def min_depth(self) -> int:
        """The length of the shortest path to a root."""
        return min((1 + parent.min_depth() for parent in self.parents()), default=0)

    def max_depth(self) -> int:
        """The length of the longest path to a root."""
        return max((1 + parent.max_depth() for parent in self.parents()), default=0)

    def is_a(self, kind: "Synset") -> bool:
        """Whether it is the given synset, a kind of it or an instance of it.

        >>> from diptych.kg import wordnet
        >>> wordnet().synset("dog.n.01").is_a(wordnet().synset("animal.n.01"))
        True
        """
        return kind in self._distances(Synset.parents)

    def shortest_path_distance(self, target: "Synset") -> int | None:
        """The fewest steps to another synset through a common hypernym; None if there is none.

        >>> from diptych.kg import wordnet
        >>> wordnet().synset("dog.n.01").shortest_path_distance(wordnet().synset("cat.n.01"))
        4
        """
        up, down = self._distances(Synset.parents), target._distances(Synset.parents)
        return min((steps + down[synset] for synset, steps in up.items() if synset in down), default=None)


@dataclass(frozen=True, slots=True, repr=False)
class Lemma:
    """One word of one synset."""

    name: str
    synset: Synset

    def __repr__(self) -> str:
        return f"Lemma('{self.synset.name}.{self.name}')"

    @property
    def count(self) -> int:
        """How often the word occurs with this meaning in the sense-tagged texts."""
        return self.synset.lemma_count(self.name)

    def antonyms(self) -> tuple["Lemma", ...]:
        """Its opposites."""
        return self.synset.antonyms(self.name)
