"""Lines of Python or MATLAB, read and never run: assignments, arithmetic, and the calls that design a filter.

The source is parsed to a tree. Only numbers, lists, names that were assigned before and a table of design functions
have a meaning here; every other line is passed over until a filter needs what it defines, and then it is named. Nothing
of what is read can reach the interpreter, a file or another module.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from jaxscope.errors import ChainError
from jaxscope.filters.imports_designs import SCIPY, Call, Designed, DesignFunction
from jaxscope.filters.imports_numbers import (
    MAX_NUMBERS,
    Imported,
    NothingFoundError,
    RateNeededError,
    imported,
    stages_of,
)
from jaxscope.filters.values import shown

#: names that mean the sampling rate where a source does not define them
RATE_NAMES = frozenset({"fs", "f_s", "sfreq", "rate", "sr", "srate", "fsamp", "samplerate", "sample_rate", "rate_hz"})
CONSTANTS: dict[str, Any] = {"pi": np.pi, "e": np.e, "True": True, "False": False, "None": None, "inf": np.inf}
#: calls that only wrap their first argument
WRAPPERS = frozenset({"array", "asarray", "float", "list", "tuple", "double", "single", "atleast_1d"})
#: calls that apply a filter: their arguments may design it
APPLYING: dict[str, str] = {
    "sosfilt": "", "lfilter": "", "filter": "", "sosfiltfilt": "zero", "filtfilt": "zero",
}  # fmt: skip
#: calls that turn one form into another: the filter stays what it is
PASSING = frozenset(
    {"tf2sos", "sos2tf", "zpk2sos", "zp2sos", "zpk2tf", "zp2tf", "tf2zpk", "sos2zp", "sos2zpk", "dfilt"}
)
_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.FloorDiv: operator.floordiv,
}


class _UnreadableError(ChainError):
    """A piece of source that has no meaning here."""


@dataclass(slots=True, kw_only=True)
class Scope:
    """What a source has said so far.

    ``rate_hz`` is that of the recording, or None; ``first_line`` of a piece is added to line numbers in errors.
    """

    rate_hz: float | None
    functions: Mapping[str, DesignFunction]
    names: dict[str, Any] = field(default_factory=dict)
    #: why a name has no value
    unread: dict[str, str] = field(default_factory=dict)
    designed: list[Designed] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    #: the first line that could not be read
    trouble: str = ""

    @property
    def own_rate_hz(self) -> float | None:
        """The rate that the source itself gives, or None."""
        for name, value in self.names.items():
            is_number = isinstance(value, float | int) and not isinstance(value, bool)
            if name.lower() in RATE_NAMES and is_number and value > 0:
                return float(value)
        return None

    def run(self, statement: ast.stmt, line: int) -> None:
        """Take one statement in; a line that has no meaning here is remembered, not refused."""
        try:
            self._run(statement)
        except _UnreadableError as error:
            self.trouble = self.trouble or f"line {line}: {error.message}"
            for name in _targets_of(statement):
                self.unread[name] = f"line {line}: {error.message}"
        except ChainError as error:
            error.message = f"line {line}: {error.message}"
            error.args = (error.message,)
            raise
        except (ArithmeticError, ValueError, TypeError, RecursionError) as error:
            raise ChainError(f"line {line}: {error}", hint="check that line") from error

    def _run(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assign(targets=[target], value=value):
                self._assign(target, self.value(value))
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign(target, self.value(value))
            case ast.Expr(value=ast.Constant(value=str())):
                return  # a docstring
            case ast.Expr(value=value):
                self._assign(ast.Name(id=f"_{len(self.names)}"), self.value(value))
            case _:
                return  # imports, functions, loops: they define no numbers by themselves

    def _assign(self, target: ast.expr, value: Any) -> None:
        match target:
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                whole = isinstance(value, Designed) or not isinstance(value, tuple | list | np.ndarray)
                for place, part in enumerate(parts):
                    self._assign(part, value if whole else value[place])
            case ast.Name(id=name):
                self.names[name] = value
                self.unread.pop(name, None)
            case ast.Attribute():
                self.names[ast.unparse(target)] = value
            case _:
                raise _UnreadableError(f"{shown(ast.unparse(target))} cannot be assigned to")

    def value(self, node: ast.expr) -> Any:
        """Return what an expression means; _UnreadableError where it means nothing here."""
        match node:
            case ast.Constant(value=value) if not isinstance(value, bytes):
                return value
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                return self._sequence(node, parts)
            case ast.Name(id=name):
                return self._named(name)
            case ast.Attribute(attr=name):
                return self._attribute(node, name)
            case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATORS:
                return self._combined(type(sign), self.value(left), self.value(right))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -_number(self.value(operand))
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return _number(self.value(operand))
            case ast.Starred(value=inner):
                return self.value(inner)
            case ast.Call():
                return self._called(node)
            case _:
                raise _UnreadableError(f"{shown(ast.unparse(node))} cannot be read here")

    def _sequence(self, node: ast.expr, parts: list[ast.expr]) -> Any:
        values = [self.value(part) for part in parts]
        if any(isinstance(value, str | Designed) or value is None for value in values):
            return tuple(values)
        try:
            array = np.asarray(values)
        except ValueError:
            raise ChainError(
                f"the rows of {shown(ast.unparse(node))} are not equally long", hint="give as many numbers in each"
            ) from None
        if array.size > MAX_NUMBERS:
            raise ChainError(f"there are {array.size} numbers in a list", hint=f"give {MAX_NUMBERS} or fewer")
        return array

    def _named(self, name: str) -> Any:
        if name in self.names:
            return self.names[name]
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name.lower() in RATE_NAMES and name not in self.unread:
            if self.rate_hz is None:
                raise RateNeededError(f"{name} is not given", hint=f"write {name} = 1000 above it, or open a recording")
            self.notes.append(f"{name} is taken as {shown(self.rate_hz)} Hz, the rate of the recording")
            return self.rate_hz
        raise _UnreadableError(self.unread.get(name, f"{name} is not given"))

    def _attribute(self, node: ast.Attribute, name: str) -> Any:
        whole = ast.unparse(node)
        if whole in self.names:
            return self.names[whole]
        if name in CONSTANTS and isinstance(node.value, ast.Name):
            return CONSTANTS[name]
        if name == "T":
            return np.asarray(self.value(node.value)).T
        raise _UnreadableError(f"{shown(whole)} cannot be read here")

    def _combined(self, sign: type[ast.operator], left: Any, right: Any) -> Any:
        left, right = _number(left), _number(right)
        if sign is ast.Pow and (np.abs(right).max(initial=0) > 1000 or np.abs(left).max(initial=0) > 1e6):
            raise ChainError("a power is too large", hint="write the number itself")
        return _OPERATORS[sign](left, right)

    def _called(self, node: ast.Call) -> Any:
        name = _name_of(node.func)
        if name in self.functions:
            call = Call(
                name=name,
                given=tuple(self._argument(part) for part in node.args),
                named={word.arg: self._argument(word.value) for word in node.keywords if word.arg},
                rate_hz=self.rate_hz,
                own_rate_hz=self.own_rate_hz,
                notes=self.notes,
            )
            made = self.functions[name](call)
            if self.functions is SCIPY:
                self.notes += [f"{word} of {name} is not read: the filter is the one without" for word in call.unread()]
            if isinstance(made, Designed):
                self.designed.append(made)
            return made
        if name in WRAPPERS and node.args:
            return self.value(node.args[0])
        if name in ("int", "round") and len(node.args) == 1:
            return _whole(name, self.value(node.args[0]))
        if name == "sqrt" and len(node.args) == 1:
            return np.sqrt(_number(self.value(node.args[0])))
        if name in APPLYING or name in PASSING:
            return self._through(name, node)
        near = _nearest(name, self.functions)
        told = f"; did you mean {near}" if near else ""
        raise _UnreadableError(f"{name} is not a filter design that can be read{told}")

    def _argument(self, node: ast.expr) -> Any:
        """Return an argument, or None for a signal that the source has from elsewhere."""
        try:
            return self.value(node)
        except RateNeededError:
            raise
        except _UnreadableError as error:
            return _Missing(error.message)

    def _through(self, name: str, node: ast.Call) -> Any:
        """Look at the arguments of a call that applies or converts a filter; a design among them is the result."""
        values = [self._argument(part) for part in node.args]
        if APPLYING.get(name) == "zero":
            self.notes.append(f"{name} filters forward and backward: choose zero-phase for the same")
        for value in values:
            if isinstance(value, Designed):
                return value
        if name in PASSING and values and not any(isinstance(value, _Missing) for value in values):
            keys = {"z": ("z", "p", "k"), "t": ("b", "a"), "s": ("sos", "g")}[name[0]]
            for key, value in zip(keys, values, strict=False):
                self.names.setdefault(f"_{key}" if key in self.names else key, value)
            return values[0]
        raise _UnreadableError(f"what {name} is applied to comes from elsewhere")


class _Missing:
    """An argument that has no value here: the signal, most often."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


def _number(value: Any) -> Any:
    if isinstance(value, bool | int | float | complex | np.ndarray | np.number):
        return value
    if isinstance(value, _Missing):
        raise _UnreadableError(value.reason)
    raise _UnreadableError(f"{shown(value)} is not a number")


def _whole(name: str, value: Any) -> float:
    number = float(_number(value))
    if name == "int":
        return math.trunc(number)
    if abs(number - math.trunc(number)) == 0.5:
        raise _UnreadableError(f"{shown(number)} is rounded up or down, as the language has it")
    return round(number)


def _name_of(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ast.unparse(node)


def _targets_of(statement: ast.stmt) -> list[str]:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]


def _nearest(name: str, known: Mapping[str, Any]) -> str:
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, list(known), n=1, cutoff=0.6)), "")


def found_in(scope: Scope) -> Imported:
    """Return what a source has designed, or else the arrays that it names."""
    if scope.designed:
        return imported([one.spec for one in scope.designed], scope.notes)
    arrays = {
        name: value
        for name, value in scope.names.items()
        if isinstance(value, np.ndarray) or (isinstance(value, float | int | complex) and not isinstance(value, bool))
    }
    lists = {name: value for name, value in arrays.items() if isinstance(value, np.ndarray)}
    try:
        found = _stages_of_names(arrays, lists)
    except NothingFoundError as error:
        if scope.trouble:
            raise NothingFoundError(f"no filter was found; {scope.trouble}", hint=error.hint) from error
        raise
    return Imported(stages=found.stages, notes=tuple(dict.fromkeys([*found.notes, *scope.notes])))


def _stages_of_names(arrays: Mapping[str, Any], lists: Mapping[str, Any]) -> Imported:
    try:
        return stages_of(arrays)
    except NothingFoundError:
        if len(lists) != 1:
            raise
        return stages_of(lists)  # the only list there is, whatever it is called


def import_python(text: str, *, rate_hz: float | None = None) -> Imported:
    """Return the filters that lines of Python describe, read from their tree and never run.

    Parameters
    ----------
    text : str
    rate_hz : float or None
        Rate of the recording: what normalised cutoffs are parts of half of, where the source gives no ``fs``.

    Raises
    ------
    ChainError
        It is no Python, describes no filter, or one that cannot be; the line is named.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        raise ChainError(f"line {line}: this is not Python", hint="check that line") from error
    scope = Scope(rate_hz=rate_hz, functions=SCIPY)
    for statement in tree.body:
        scope.run(statement, statement.lineno)
    return found_in(scope)


def import_statements(
    statements: list[tuple[int, str]], functions: Mapping[str, DesignFunction], *, rate_hz: float | None
) -> Imported:
    """Return the filters of statements that were rewritten as Python, each with its line."""
    scope = Scope(rate_hz=rate_hz, functions=functions)
    for line, text in statements:
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            scope.trouble = scope.trouble or f"line {line}: {shown(text)} cannot be read here"
            continue
        for statement in tree.body:
            scope.run(statement, line)
    return found_in(scope)
