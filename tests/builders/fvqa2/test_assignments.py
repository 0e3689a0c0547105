"""How evenly images are used: as evenly as any assignment could, on small cases."""

from collections import Counter
from collections.abc import Sequence
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from diptych.builders.fvqa2._assignments import ImageAssignment, balance
from diptych.builders.fvqa2._images import image_numbers


def assignment(question: str, image: int, *images: int) -> ImageAssignment:
    return ImageAssignment(question, image, sum(1 << number for number in images))


def assert_even(assignments: Sequence[ImageAssignment]) -> None:
    """No pair could take another of its images that is used at least two times less."""
    uses = Counter(each.image for each in assignments)
    questions = {(each.question, each.image) for each in assignments}
    assert len(questions) == len(assignments)
    for each in assignments:
        images = list(image_numbers(each.suitable))
        assert each.image in images
        free = [image for image in images if (each.question, image) not in questions]
        assert all(uses[image] > uses[each.image] - 2 for image in free), each


image_lists = st.lists(st.integers(0, 3), min_size=1, max_size=4, unique=True).map(sorted)


@settings(deadline=None)
@given(st.lists(image_lists, min_size=1, max_size=5))
def test_no_assignment_is_more_even(images: list[list[int]]) -> None:
    result = balance([assignment(f"question {number}", mine[0], *mine) for number, mine in enumerate(images)])
    assert_even(result)
    # The sum of squares is least where uses are most even; every assignment is tried.
    best = min(sum(n * n for n in Counter(way).values()) for way in product(*images))
    assert sum(n * n for n in Counter(each.image for each in result).values()) == best


def test_a_chain_of_moves_is_found() -> None:
    # The first can only go to 1, which is taken; the second makes room by going to 2.
    result = balance([assignment("1", 0, 0), assignment("2", 0, 0, 1), assignment("3", 1, 1, 2)])
    assert [each.image for each in result] == [0, 1, 2]


def test_a_question_is_never_asked_twice_of_one_image() -> None:
    result = balance([assignment("same", 0, 0, 1), assignment("same", 1, 0, 1), assignment("x", 0, 0)])
    assert len({(each.question, each.image) for each in result}) == 3


def test_the_order_of_images_decides_and_nothing_else() -> None:
    assignments = [assignment(str(number), 0, 0, 1, 2) for number in range(7)]
    assert balance(assignments) == balance(list(assignments))
    assert sorted(Counter(each.image for each in balance(assignments)).values()) == [2, 2, 3]
