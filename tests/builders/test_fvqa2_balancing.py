"""How evenly images are used: as evenly as any assignment could, on small cases and on FVQA's folds."""

from collections import Counter
from collections.abc import Sequence
from itertools import product

from diptych.builders.fvqa2.balancing import Choice, balanced
from hypothesis import given, settings
from hypothesis import strategies as st


def assert_even(choices: Sequence[Choice]) -> None:
    """No pair could take another of its images that is used at least two times less."""
    uses = Counter(choice.image for choice in choices)
    asked = {(choice.question, choice.image) for choice in choices}
    assert len(asked) == len(choices)
    for choice in choices:
        assert choice.image in choice.images
        free = [image for image in choice.images if (choice.question, image) not in asked]
        assert all(uses[image] > uses[choice.image] - 2 for image in free), choice


suited = st.lists(st.sampled_from("abcd"), min_size=1, max_size=4, unique=True).map(sorted)


@settings(deadline=None)
@given(st.lists(suited, min_size=1, max_size=5))
def test_no_assignment_is_more_even(images: list[list[str]]) -> None:
    choices = [Choice(f"question {number}", mine[0], tuple(mine)) for number, mine in enumerate(images)]
    found = balanced(choices)
    assert_even(found)
    # The sum of squares is least where uses are most even; every assignment is tried.
    best = min(sum(n * n for n in Counter(way).values()) for way in product(*images))
    assert sum(n * n for n in Counter(choice.image for choice in found).values()) == best


def test_a_chain_of_moves_is_found() -> None:
    # The first can only go to b, which is taken; the second makes room by going to c.
    choices = [Choice("1", "a", ("a",)), Choice("2", "a", ("a", "b")), Choice("3", "b", ("b", "c"))]
    assert [choice.image for choice in balanced(choices)] == ["a", "b", "c"]


def test_a_question_is_never_asked_twice_of_one_image() -> None:
    choices = [Choice("same", "a", ("a", "b")), Choice("same", "b", ("a", "b")), Choice("x", "a", ("a",))]
    found = balanced(choices)
    assert len({(choice.question, choice.image) for choice in found}) == 3


def test_the_order_of_names_decides_and_nothing_else() -> None:
    choices = [Choice(str(number), "a", ("a", "b", "c")) for number in range(7)]
    assert balanced(choices) == balanced(list(choices))
    assert sorted(Counter(choice.image for choice in balanced(choices)).values()) == [2, 2, 3]
