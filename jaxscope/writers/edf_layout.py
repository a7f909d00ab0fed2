"""How the samples of a recording are cut into data records of EDF or BDF.

A record is one length for the whole file, takes a whole number of samples of every channel, may not span a gap, and
its duration is a decimal of eight characters. The length is chosen so that all of this holds and no sample has to be
invented; only where no such length exists is the last record of a segment filled up, and told.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from jaxscope.data.annotations import Gap
from jaxscope.data.recording import Channel
from jaxscope.data.timeline import Timeline
from jaxscope.errors import WriteError
from jaxscope.writers.edf_numbers import decimal_text, rounded_text

#: What the EDF specification recommends as the most.
_RECORD_BYTES = 61440
#: A rate that is off by less, relatively, is off by a third of a millisecond an hour.
_RATE_TOLERANCE = 1e-7
_SHORTEST_S, _LONGEST_S = Fraction(1, 20), Fraction(60)


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentRecords:
    """Records ``first_record`` to ``stop_record`` (half-open) that begin at ``start_s`` and follow without a gap.

    ``first_sample`` and ``n_samples`` have one entry a channel.
    """

    first_record: int
    stop_record: int
    start_s: float
    first_sample: tuple[int, ...]
    n_samples: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordLayout:
    """The records of a file. ``rate_error`` is the greatest relative error of a rate as the header tells it."""

    duration_text: str
    samples_per_record: tuple[int, ...]
    segments: tuple[SegmentRecords, ...]
    rate_error: float

    @property
    def n_records(self) -> int:
        """Number of data records."""
        return self.segments[-1].stop_record

    @property
    def n_filled(self) -> int:
        """Greatest number of samples of a channel that had to be made up."""
        return max(
            sum((part.stop_record - part.first_record) * per_record - part.n_samples[index] for part in self.segments)
            for index, per_record in enumerate(self.samples_per_record)
        )

    def onsets_s(self) -> Iterator[float]:
        """Yield when each record begins, in seconds from the first sample."""
        duration = Fraction(self.duration_text)
        for part in self.segments:
            for record in range(part.stop_record - part.first_record):
                yield part.start_s + float(record * duration)

    def pieces(self, index: int, first: int, stop: int) -> Iterator[tuple[int, int, int, int]]:
        """Yield (record, sample in it, first sample, stop sample) runs of a channel, each within one segment.

        A run begins at a sample of a record and may go on through the records that follow it.
        """
        per_record = self.samples_per_record[index]
        for part in self.segments:
            start = max(first, part.first_sample[index])
            end = min(stop, part.first_sample[index] + part.n_samples[index])
            if start < end:
                record, within = divmod(start - part.first_sample[index], per_record)
                yield part.first_record + record, within, start, end


def plan_records(channels: Sequence[Channel], gaps: Sequence[Gap], sample_bytes: int) -> RecordLayout:
    """Choose the length of the records and lay out the samples.

    Raises
    ------
    WriteError
        If the rates have no common record of at most a minute.
    """
    rates = [Fraction(channel.rate_hz or 0).limit_denominator(1_000_000) for channel in channels]
    step = _common_period(rates)
    if step > _LONGEST_S:
        names = ", ".join(f"{float(rate):g}" for rate in sorted(set(rates)))
        raise WriteError(
            f"No data record of a minute or less holds whole samples at {names} Hz",
            hint="choose channels of one rate with --channels",
        )
    lengths = _segment_lengths(channels, gaps)
    duration = _choose_duration(step, rates, lengths, sample_bytes)
    per_record = tuple(int(rate * duration) for rate in rates)
    text = decimal_text(duration) or rounded_text(duration)
    error = max(
        abs(Fraction(count) / Fraction(text) / Fraction(channel.rate_hz or 1) - 1)
        for count, channel in zip(per_record, channels, strict=True)
    )
    return RecordLayout(
        duration_text=text,
        samples_per_record=per_record,
        segments=_lay_out(lengths, per_record),
        rate_error=float(error),
    )


def _common_period(rates: Sequence[Fraction]) -> Fraction:
    """Return the shortest time that holds whole numbers of samples at every rate."""
    period = Fraction(1) / rates[0]
    for rate in set(rates[1:]):
        other = Fraction(1) / rate
        period = Fraction(
            math.lcm(period.numerator * other.denominator, other.numerator * period.denominator),
            period.denominator * other.denominator,
        )
    return period


def _segment_lengths(channels: Sequence[Channel], gaps: Sequence[Gap]) -> list[tuple[float, list[int]]]:
    """Return (start in seconds, samples of each channel) of each continuous segment."""
    timeline = Timeline(gaps=tuple(gaps))
    starts = sorted({0.0, *(gap.stop_s for gap in gaps)})
    table: dict[float, list[int]] = {start: [0] * len(channels) for start in starts}
    for index, channel in enumerate(channels):
        for segment in timeline.segments(channel.rate_hz or 0, channel.n_samples):
            table[segment.start_s][index] = segment.stop_sample - segment.first_sample
    return [(start, counts) for start, counts in sorted(table.items()) if any(counts)]


def _choose_duration(
    step: Fraction, rates: Sequence[Fraction], lengths: list[tuple[float, list[int]]], sample_bytes: int
) -> Fraction:
    """Choose a multiple of ``step``: exact enough, without filling, of few bytes, near a second, in this order."""
    units = [Fraction(counts[index]) / rate / step for _, counts in lengths for index, rate in enumerate(rates)]
    divides = math.gcd(*(int(unit) for unit in units)) if all(unit.denominator == 1 for unit in units) else 0
    bytes_per_step = sample_bytes * sum(int(rate * step) for rate in rates)

    # of all channels of a segment, the one that lasts longest decides; few differ, and exact fractions are slow
    spans = [
        (start_s, max(count / rate for count, rate in set(zip(counts, rates, strict=True))))
        for start_s, counts in lengths
    ]
    total = max(sum(counts[index] for _, counts in lengths) / rate / step for index, rate in enumerate(rates))
    multiples = _multiples(step, divides, math.ceil(total))
    # Rates that can be told exactly are; a rate such as 116.98775 Hz never can, and is kept to a tolerance.
    tolerance = 0.0 if any(decimal_text(multiple * step) for multiple in multiples) else _RATE_TOLERANCE

    def cost(multiple: int) -> tuple[float, ...]:
        duration = multiple * step
        exact = decimal_text(duration) is not None
        error = 0.0 if exact else abs(float(Fraction(rounded_text(duration)) / duration) - 1)
        fills = 0 if divides and divides % multiple == 0 else _fill_grade(spans, duration)
        is_large = multiple * bytes_per_step > _RECORD_BYTES
        return (
            _overlaps(spans, duration),
            error > tolerance,
            fills,
            is_large,
            error,
            abs(math.log(float(duration))),
        )

    chosen = min(multiples, key=cost) * step
    if _overlaps(spans, chosen):
        raise WriteError(
            "A gap is shorter than the data record that would be filled up before it",
            hint="write a part without gaps with --start and --stop, or write CSV",
        )
    return chosen


def _fill_grade(spans: Sequence[tuple[float, Fraction]], duration: Fraction) -> int:
    """Grade the share of made-up samples: 1 up to a thousandth, then one more with each doubling."""
    filled = sum(math.ceil(lasted_s / duration) * duration - lasted_s for _, lasted_s in spans)
    return 1 + max(0, math.ceil(math.log2(max(float(filled / sum(lasted_s for _, lasted_s in spans)), 1e-9) / 1e-3)))


def _overlaps(spans: Sequence[tuple[float, Fraction]], duration: Fraction) -> bool:
    """Say whether the last record of a segment would reach into the next segment."""
    for (start_s, lasted_s), (next_s, _) in pairwise(spans):
        n_records = math.ceil(lasted_s / duration)
        if start_s + float(n_records * duration) > next_s + 1e-6:
            return True
    return False


def _multiples(step: Fraction, divides: int, total: int) -> list[int]:
    """Return the multiples of ``step`` to choose from, for a recording of ``total`` steps."""
    low = max(1, min(math.ceil(_SHORTEST_S / step), divides or total, total))
    high = max(low, int(_LONGEST_S / step))
    near = max(low, round(1 / step))
    # Multiples near a second, those that divide the segments, and those that need little filling.
    found = {low, near, high, *range(max(low, near - 500), min(high, near + 500) + 1)}
    found |= {near * factor for factor in range(1, 61) if near * factor <= high}
    found |= {
        multiple
        for n_records in range(1, 65)
        for multiple in range(-(-total // n_records), -(-total // n_records) + 12)
    }
    exact = _least_exact(step)
    found |= {exact * -(-total // (exact * n_records)) for n_records in range(1, 65)}
    for divisor in range(1, math.isqrt(divides) + 1 if divides else 1):
        if divides % divisor == 0:
            found |= {divisor, divides // divisor}
    return sorted(multiple for multiple in found if low <= multiple <= high)


def _least_exact(step: Fraction) -> int:
    """Return the least multiple of ``step`` that is a finite decimal."""
    rest = step.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest


def _lay_out(lengths: list[tuple[float, list[int]]], per_record: tuple[int, ...]) -> tuple[SegmentRecords, ...]:
    parts: list[SegmentRecords] = []
    record = 0
    first = [0] * len(per_record)
    for start_s, counts in lengths:
        n_records = max(-(-count // size) for count, size in zip(counts, per_record, strict=True))
        parts.append(
            SegmentRecords(
                first_record=record,
                stop_record=record + n_records,
                start_s=start_s,
                first_sample=tuple(first),
                n_samples=tuple(counts),
            )
        )
        record += n_records
        first = [place + count for place, count in zip(first, counts, strict=True)]
    return tuple(parts)
