"""How much time is said to be left."""

from itertools import count

from diptych.progress import Pace


def test_the_time_left_is_told_at_the_pace_so_far() -> None:
    ticks = count(0, 30)
    pace = Pace(100, clock=lambda: float(next(ticks)))
    assert pace.left() == ""
    pace.step(10)  # after 30 s
    assert pace.left() == "about 4.5 min left"
    pace.step(40)  # after 60 s
    assert pace.left() == "about 60 s left"
    pace.step(50)
    assert pace.left() == ""


def test_nothing_is_told_before_every_worker_has_come_in_once() -> None:
    ticks = iter([0.0, 10.0, 10.0])
    pace = Pace(100, first_round=20, clock=lambda: next(ticks))
    pace.step(10)
    assert pace.left() == ""
    pace.step(10)
    assert pace.left() == "about 40 s left"
