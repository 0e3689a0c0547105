"""Images shared out evenly: no pair could take a less used image without making things worse.

Pairs that need an image and the images that suit them are a bipartite graph; an assignment is as even as it can be
when no chain of moves leads from an image to one with at least two uses fewer (Harvey et al. 2006, semi-matchings).
"""

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from diptych.builders.fvqa2._images import image_numbers


@dataclass(frozen=True, slots=True)
class ImageAssignment:
    """A question, the number of the image it is asked of, and the set of images it could be asked of."""

    question: str
    image: int
    suitable: int


@dataclass(slots=True)
class ImageUses:
    """How often each image is used, and which questions are asked of it."""

    counts: Counter[int] = field(default_factory=Counter)
    levels: list[int] = field(default_factory=list)  # the sets of images that are used once or more, twice or more, …
    questions: dict[str, int] = field(default_factory=dict)  # by question, the set of images it is asked of

    def used_at_most(self, count: int, images: int) -> int:
        """Those of some images that are used so many times or less."""
        if count < 0:
            return 0
        return images & ~self.levels[count] if count < len(self.levels) else images

    def least_used(self, images: int) -> int:
        """The number of the least used of some images; of equally used ones, of the first by name."""
        candidates = (images & ~level for level in self.levels)
        return next(image_numbers(next(filter(None, candidates), images)))

    def without_question(self, question: str, images: int) -> int:
        """Those of some images that a question is not asked of."""
        return images & ~self.questions.get(question, 0)

    def add(self, question: str, image: int) -> None:
        """Ask a question of an image."""
        count = self.counts[image]
        if count == len(self.levels):
            self.levels.append(0)
        self.counts[image] = count + 1
        self.levels[count] |= 1 << image
        self.questions[question] = self.questions.get(question, 0) | 1 << image

    def remove(self, question: str, image: int) -> None:
        """Take a question back from an image."""
        self.counts[image] -= 1
        self.levels[self.counts[image]] ^= 1 << image
        self.questions[question] ^= 1 << image


def balance(assignments: Iterable[ImageAssignment]) -> list[ImageAssignment]:
    """The same assignments with images moved so that they are used as evenly as they can be."""
    board = _Board(list(assignments))
    has_moved = True
    while has_moved:
        has_moved = False
        overused = [(-count, image) for image, count in board.uses.counts.items() if count > 1]
        for _, image in sorted(overused):
            chain = board.find_chain(image)
            for number, target in chain:
                board.move(number, target)
            has_moved = has_moved or bool(chain)
    return board.assignments


@dataclass(slots=True)
class _Board:
    """Assignments that are being balanced."""

    assignments: list[ImageAssignment]
    uses: ImageUses = field(default_factory=ImageUses)
    by_image: dict[int, set[int]] = field(default_factory=dict)  # the numbers of the assignments that have it now
    # Images from which no chain was found since the last move, tried from one with `barren_count` uses or more.
    barren: int = 0
    barren_count: int = 0

    def __post_init__(self) -> None:
        for number in range(len(self.assignments)):
            self._place(number)

    def _place(self, number: int) -> None:
        assignment = self.assignments[number]
        self.uses.add(assignment.question, assignment.image)
        self.by_image.setdefault(assignment.image, set()).add(number)

    def move(self, number: int, image: int) -> None:
        """Give an assignment another image."""
        assignment = self.assignments[number]
        self.uses.remove(assignment.question, assignment.image)
        self.by_image[assignment.image].remove(number)
        self.assignments[number] = replace(assignment, image=image)
        self._place(number)
        self.barren = 0

    def find_chain(self, first: int) -> list[tuple[int, int]]:
        """Moves that take one use from an image to one with at least two uses fewer; none if there is no such chain."""
        count = self.uses.counts[first]
        # What is reached from a barren image is barren too, for images that are used no more often.
        if self.barren >> first & 1 and count <= self.barren_count:
            return []
        visited, steps, queue = 1 << first, dict[int, tuple[int, int]](), deque([first])
        while queue:
            image = queue.popleft()
            for number in sorted(self.by_image.get(image, ())):
                assignment = self.assignments[number]
                reachable = self.uses.without_question(assignment.question, assignment.suitable & ~visited)
                target = next(image_numbers(self.uses.used_at_most(count - 2, reachable)), None)
                if target is not None:
                    steps[target] = image, number
                    path = [target]  # the last move first, so that an image is free of its question when it is taken
                    while path[-1] != first:
                        path.append(steps[path[-1]][0])
                    return [(steps[place][1], place) for place in path[:-1]]
                visited |= reachable
                for neighbor in image_numbers(reachable):
                    steps[neighbor] = image, number
                    queue.append(neighbor)
        self.barren_count = min(count, self.barren_count) if self.barren else count
        self.barren |= visited
        return []
