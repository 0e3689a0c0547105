"""How plausible an object is in an image, judged by what else the image shows.

The score is the log-odds of a naive Bayes classifier: whether the object is there, given the names of the objects
around it. It is learned from the scene graphs of the split, each image left out of its own score, and whatever the name
asked about may mean, contain or be part of is no company of it. So a scene that merely looks right scores high, with
the object or without it.
"""

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from diptych.scenegraphs import base_name, ontology

SIZE_WEIGHT = 1.0
"""What one object more or less around the one asked about weighs, in units of the score."""
_SMOOTHING = 0.5  # images that are assumed beside those with a noun, in which names are as frequent as without it

Numbers = npt.NDArray[np.int32]
Scores = npt.NDArray[np.float64]


@cache
def _name_codes() -> dict[str, int]:
    """Every name of the tables with its number; so neither vocabulary nor memory grows with the graphs."""
    names = {base_name(name) for name in ontology().synsets} | set(ontology().members)
    return {name: code for code, name in enumerate(sorted(names))}


@cache
def _kind_codes(name: str) -> tuple[int, ...]:
    """The numbers of a name and of all kinds above it."""
    codes = _name_codes()
    return tuple(codes[kind] for kind in sorted({name, *ontology().kinds_of(name)}) if kind in codes)


class Company:
    """Which names occur together in the images of a split, by the numbers of the images.

    Where only some images are learned from, the others are judged; else each is judged by all but itself.
    """

    def __init__(self, names_by_image: Iterable[Iterable[str]], is_learned: Sequence[bool] | None = None) -> None:
        codes = _name_codes()
        nouns = [sorted({base_name(name) for name in names} & codes.keys()) for names in names_by_image]
        self._end = len(codes)  # stands at the end of every image, so that none is empty
        self._codes = [np.array([*(codes[noun] for noun in of_image), self._end], np.int32) for of_image in nouns]
        learned = (
            nouns
            if is_learned is None
            else [of_image for of_image, is_in in zip(nouns, is_learned, strict=True) if is_in]
        )
        self._left_out = int(is_learned is None)
        self._images = len(learned) - self._left_out
        kinds = [sorted({code for noun in of_image for code in _kind_codes(noun)}) for of_image in learned]
        presence = _incidence([[codes[noun] for noun in of_image] for of_image in learned], len(codes))
        self._together = csr_array(_incidence(kinds, len(codes)).T @ presence)
        self._kind_counts = np.bincount(np.concatenate([[], *kinds]).astype(int), minlength=len(codes))
        self._counts = presence.sum(axis=0)
        self._weights: dict[tuple[str, bool], Scores] = {}

    def measure(
        self, nouns: Sequence[str], images: Sequence[int] | Numbers, is_own: bool = False, among: Sequence[str] = ()
    ) -> Scores:
        """How plausible some nouns are together in each of some images, and the number of objects around them.

        `is_own` says that the nouns are true of the images, so that these are to be left out of what was learned;
        `among` names other nouns whose relatives are no company either.
        """
        is_company = np.prod([_company_mask(noun) for noun in (*nouns, *among)], axis=0)
        weights = np.sum([self._noun_weights(noun, is_own) for noun in nouns], axis=0) * is_company
        codes = [self._codes[image] for image in images]
        starts = np.cumsum([0, *(len(of_image) for of_image in codes[:-1])])
        joined = np.concatenate(codes)
        return np.stack([np.add.reduceat(values[joined], starts) for values in (weights, is_company)], axis=1)

    def _noun_weights(self, noun: str, is_own: bool) -> Scores:
        """By name, how much its presence speaks for the noun; computed once for each noun that is asked about."""
        if (noun, is_own) not in self._weights:
            code, images, own = _name_codes().get(noun), self._images, self._left_out * is_own
            others = np.maximum(self._counts - self._left_out, 0)
            together, count = np.zeros(self._end), 0.0
            if code is not None:
                together = np.maximum(self._together[[code]].toarray()[0] - own, 0)
                count = max(self._kind_counts[code] - own, 0)
            without_noun = (np.maximum(others - together, 0) + _SMOOTHING) / (max(images - count, 0) + 1)
            with_noun = (together + _SMOOTHING * without_noun) / (count + _SMOOTHING)
            self._weights[noun, is_own] = np.append(np.log(with_noun / without_noun), 0.0)
        return self._weights[noun, is_own]


@cache
def _company_mask(noun: str) -> Scores:
    """By name, 1 unless the name is related to the noun."""
    codes = _name_codes()
    mask = np.ones(len(codes) + 1)
    mask[[codes[name] for name in ontology().related_names(noun) if name in codes]] = 0
    mask[-1] = 0
    return mask


def _incidence(rows: Sequence[Sequence[int] | Numbers], width: int) -> csr_array:
    ends = np.cumsum([0, *map(len, rows)])
    indices = np.concatenate([[], *rows]).astype(np.int32)
    return csr_array((np.ones(len(indices), np.int32), indices, ends), shape=(len(rows), width))
