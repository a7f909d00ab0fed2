"""Errors as users meet them."""

import pickle

import pytest

from jaxscope.errors import DeviceError, JaxscopeError, ReadError, SpecError, UnstableError, UsageError


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("a", hint="b"), 2),
        (ReadError("a"), 3),
        (SpecError("cutoff_hz", "266 Hz is above fs/2 = 256 Hz"), 4),
        (UnstableError("a", pole_radius=1.018), 4),
        (DeviceError("a"), 5),
        (JaxscopeError("a"), 1),
    ],
)
def test_every_error_has_its_exit_code_and_crosses_processes(error: JaxscopeError, code: int) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert copy.exit_code == code
    assert copy.__dict__ == error.__dict__
    assert str(copy) == str(error)


def test_sentence_joins_what_is_wrong_with_what_to_do() -> None:
    assert ReadError("night.edf is empty", hint="copy it again").sentence() == "night.edf is empty; copy it again"
    assert ReadError("night.edf is empty").sentence() == "night.edf is empty"


def test_spec_error_names_its_field() -> None:
    assert SpecError("order", "order 0 is too low").field == "order"


def test_a_sentence_is_one_line_that_any_terminal_can_show() -> None:
    error = ReadError("a\nb\x1b[31m\udcff.edf is empty", hint="copy\r\nit")
    assert error.sentence() == "a b [31m .edf is empty; copy it"
    error.sentence().encode()
