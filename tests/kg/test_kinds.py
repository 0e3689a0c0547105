"""Families of kinds that exclude each other."""

import pytest

from diptych.kg.kinds import FAMILIES, exclude_each_other, read_kind


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_every_member_of_a_family_can_be_read_and_has_something_it_excludes(name: str) -> None:
    family = FAMILIES[name]
    kind = sorted(family.kinds)[0]
    members = {member: read_kind(kind, member) for member in sorted(family.members)}
    for spelling, member in members.items():
        assert member is not None, spelling
        relatives = [relative for relative in members.values() if relative and relative.family == member.family]
        assert any(exclude_each_other(member, relative) for relative in relatives), spelling


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_what_is_alike_is_known_to_the_family(name: str) -> None:
    family = FAMILIES[name]
    assert family.form in {"noun", "bare", "attributive"}
    assert not family.members & family.broad
    for group in family.alike:
        assert len(group) > 1


def test_exclusion_is_symmetric_and_never_of_oneself() -> None:
    names = ["cow", "bull", "dog", "elephant", "bird", "seagull", "puppy"]
    kinds = [kind for name in names if (kind := read_kind("animal", name))]
    assert len(kinds) == len(names)
    for kind_a in kinds:
        assert not exclude_each_other(kind_a, kind_a)
        for kind_b in kinds:
            assert exclude_each_other(kind_a, kind_b) == exclude_each_other(kind_b, kind_a)


@pytest.mark.parametrize(
    ("kind", "value"), [("animal", "wood"), ("vehicle", "cat"), ("animal", "mammal"), ("gizmo", "cow"), ("room", "dog")]
)
def test_what_is_no_member_is_not_read(kind: str, value: str) -> None:
    assert read_kind(kind, value) is None
