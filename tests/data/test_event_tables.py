"""Events as tables: what is written comes back, what others write is read, what is wrong is named by its line."""

from __future__ import annotations

import pytest

from jaxscope.data.annotations import Annotation, in_order
from jaxscope.data.event_tables import events_table, parse_events
from jaxscope.errors import ReadError

EVENTS = in_order(
    (
        Annotation(onset_s=0.1 + 0.2, duration_s=1e-7, text='a, "quoted"\ttext'),
        Annotation(onset_s=-1.5, text="é"),
        Annotation(onset_s=1e5, duration_s=0.0, text="", channels=("Fp1", "T7, left"), is_bad=True),
    )
)


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_a_table_comes_back_to_the_last_digit(delimiter: str) -> None:
    assert parse_events(events_table(EVENTS, delimiter)) == EVENTS


@pytest.mark.parametrize(
    "text",
    [
        "onset,duration,text\n1,0.5,go\n2,,stop\n",
        "\ufeffOnset;Duration;Description\r\n1;0.5;go\r\n\r\n2;n/a;stop\r\n",
        "trial_type\tonset\tduration\tresponse\nstop\t2\tn/a\t7\ngo\t1\t0.5\t8\n",
        "start,end,label\n1,1.5,go\n2,,stop\n",
        "1,0.5,go\n2,,stop\n",
        "1\t0.5\tgo\n2\t\tstop",
    ],
)
def test_tables_of_other_programs_are_read(text: str) -> None:
    assert parse_events(text) == (
        Annotation(onset_s=1.0, duration_s=0.5, text="go"),
        Annotation(onset_s=2.0, text="stop"),
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b,c\n1,2,3\n", "no column of a, b, c is an onset"),
        ("onset,text\n1,a\nsoon,b\n", 'line 3: the onset "soon" is no time'),
        ("onset,text\n1,a\n,b\n", "line 3 has no onset"),
        ("onset,duration\n1,inf\n", 'line 2: the duration "inf" is no time'),
        ("onset,end\n2,1.5\n", "line 2 ends 0.5 s before it begins"),
    ],
)
def test_what_is_no_event_is_named_by_its_line(text: str, words: str) -> None:
    with pytest.raises(ReadError) as caught:
        parse_events(text)
    assert words in str(caught.value)


def test_an_empty_table_has_no_events() -> None:
    assert parse_events(" \n") == parse_events("onset,duration,text\n") == ()
