"""What ``bench`` says of reading: beside a plain read, and beside what the memory of the machine allows."""

from __future__ import annotations

import pytest

from jaxscope.cli.bench import READ_WORDS, sentences
from jaxscope.compute.bench import summary
from jaxscope.compute.bench_read import CAST, PLAIN


def row(source: str, reference: str, ratio: float) -> dict[str, object]:
    return {"name": "read: x", "source": source, "reference": reference, "ratio": ratio}


def test_reading_is_said_from_the_least_to_the_greatest_ratio() -> None:
    rows = [row("from the drive", PLAIN, 0.9), row("from the drive", PLAIN, 0.651), row("from the cache", PLAIN, 0.1)]
    said = sentences({"scenes": rows, **summary(rows)})
    assert said[0] == "reading from the drive reaches 0.65 to 0.90 of a plain read"
    assert said[1].startswith("reading from the cache reaches 0.10 to 0.10 of a plain read, which writes no 8 bytes")


@pytest.mark.parametrize("reference", [PLAIN, CAST])
def test_each_plain_read_has_its_words(reference: str) -> None:
    assert f"from the cache, {reference}" in READ_WORDS
    other = [row("from the cache", "numpy", 2.0)]
    assert sentences({"scenes": other, **summary(other)}) == []
