"""Images shared out evenly: no pair could take an image that is less used without making things worse.

Pairs that need an image and images that suit them are a bipartite graph; an assignment is as even as can be when no
chain of moves leads from an image to one that is used at least two times less (Harvey et al. 2006, semi-matchings).
"""

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Choice:
    """A question, the image it is asked of, and all images it could be asked of."""

    question: str
    image: str
    images: tuple[str, ...]


@dataclass(slots=True)
class _Board:
    """An assignment under way."""

    choices: list[Choice]
    uses: Counter[str] = field(default_factory=Counter)
    asked: set[tuple[str, str]] = field(default_factory=set)
    on: dict[str, list[int]] = field(default_factory=dict)
    """The choices that have an image now, by number."""

    def move(self, number: int, image: str) -> None:
        choice = self.choices[number]
        self.uses[choice.image] -= 1
        self.on[choice.image].remove(number)
        self.asked.remove((choice.question, choice.image))
        self.choices[number] = replace(choice, image=image)
        self.place(number)

    def place(self, number: int) -> None:
        choice = self.choices[number]
        self.uses[choice.image] += 1
        self.on.setdefault(choice.image, []).append(number)
        self.asked.add((choice.question, choice.image))

    def steps(self, image: str) -> Iterator[tuple[int, str]]:
        """The choices of an image and where each may go: never where its question is asked already."""
        for number in sorted(self.on.get(image, ())):
            choice = self.choices[number]
            yield from ((number, other) for other in choice.images if (choice.question, other) not in self.asked)


def balanced(choices: Sequence[Choice]) -> list[Choice]:
    """The same choices with images moved so that they are used as evenly as they can be.

    >>> flexible, bound = Choice("q", "a", ("a", "b")), Choice("r", "a", ("a",))
    >>> [choice.image for choice in balanced([flexible, bound, Choice("s", "a", ("a", "b"))])]
    ['b', 'a', 'a']
    """
    board = _Board(list(choices))
    for number in range(len(choices)):
        board.place(number)
    moved = True
    while moved:
        moved = False
        often = [image for image in board.on if board.uses[image] > 1]
        for image in sorted(often, key=lambda name: (-board.uses[name], name)):
            chain = _chain(board, image)
            for number, other in chain:
                board.move(number, other)
            moved = moved or bool(chain)
    return board.choices


def _chain(board: _Board, first: str) -> list[tuple[int, str]]:
    """Moves that take one use from an image to one used at least two times less; none if there is no such chain."""
    came: dict[str, tuple[str, int]] = {}
    queue = deque([first])
    while queue:
        image = queue.popleft()
        for number, other in board.steps(image):
            if other == first or other in came:
                continue
            came[other] = image, number
            if board.uses[other] <= board.uses[first] - 2:
                return _back(came, other, first)
            queue.append(other)
    return []


def _back(came: dict[str, tuple[str, int]], last: str, first: str) -> list[tuple[int, str]]:
    """The moves of a chain, the last one first, so that every image is free of its question when it is taken."""
    chain = []
    while last != first:
        before, number = came[last]
        chain.append((number, last))
        last = before
    return chain
