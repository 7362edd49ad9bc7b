"""Values: what they print, convert to, and compare with."""

from datetime import datetime, timedelta

import attrs
import pytest

from streamsave import frequent_values, values
from streamsave.values import DateTime, Loss, Timespan, Vector2D, Vector4

TICKS_OF_A_DAY = 24 * 60 * 60 * 10_000_000


@pytest.mark.parametrize(
    ("ticks", "moment", "text"),
    [
        (0, datetime(1, 1, 1), "0001-01-01 00:00:00"),  # noqa: DTZ001 - as the save, without a zone
        (TICKS_OF_A_DAY, datetime(1, 1, 2), "0001-01-02 00:00:00"),  # noqa: DTZ001
        (19, datetime(1, 1, 1, microsecond=1), "0001-01-01 00:00:00.000001"),  # noqa: DTZ001
        (-1, None, "-1 ticks"),
        ((1 << 63) - 1, None, f"{(1 << 63) - 1} ticks"),
        (-(1 << 63), None, f"{-(1 << 63)} ticks"),
        (3_652_059 * TICKS_OF_A_DAY - 1, datetime.max, "9999-12-31 23:59:59.999999"),  # noqa: DTZ901
        (3_652_059 * TICKS_OF_A_DAY, None, f"{3_652_059 * TICKS_OF_A_DAY} ticks"),
    ],
)
def test_moments(ticks, moment, text):
    value = DateTime(ticks)
    assert value.to_datetime() == moment
    assert str(value) == text


def test_moments_and_durations_sort():
    assert sorted([DateTime(3), DateTime(1)]) == [DateTime(1), DateTime(3)]
    assert max(Timespan(5), Timespan(-7)) == Timespan(5)


@pytest.mark.parametrize(
    ("ticks", "span"),
    [
        (0, timedelta(0)),
        (10_000_000, timedelta(seconds=1)),
        (-10, timedelta(microseconds=-1)),
        (19, timedelta(microseconds=1)),
        ((1 << 63) - 1, timedelta(microseconds=((1 << 63) - 1) // 10)),
        (-(1 << 63), timedelta(microseconds=-(1 << 63) // 10)),
    ],
)
def test_durations(ticks, span):
    assert Timespan(ticks).to_timedelta() == span
    assert str(Timespan(ticks)) == str(span)


CLASSES = [getattr(values, name) for name in values.__all__ if name not in frequent_values.__all__]


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_values_are_attrs_classes_that_can_be_keys(kind):
    assert attrs.has(kind)
    assert kind.__doc__
    arguments = [number for number, _ in enumerate(attrs.fields(kind))]
    if kind is not values.Header:  # headers are filled while they are read
        assert hash(kind(*arguments)) == hash(kind(*arguments))
    assert kind(*arguments) == kind(*arguments)
    for at in range(len(arguments)):
        assert kind(*arguments) != kind(*arguments[:at], -1, *arguments[at + 1 :])


@pytest.mark.parametrize("value", [Vector4(1.0, 2.0, 3.0, 4.0), Vector2D(1.0, 2.0), Loss("object", "", (), -1)])
def test_values_are_frozen(value):
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        setattr(value, attrs.fields(type(value))[0].name, 5)


def test_a_loss_is_of_one_object_of_an_unknown_class():
    assert (Loss("object", "", (), -1).class_name, Loss("object", "", (), -1).count) == ("", 1)
