# SPDX-License-Identifier: Apache-2.0
"""What all calls of a builder share."""

import ctypes
import re
import sys
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, Iterator, Sequence, cast

from . import _abi
from ._library import Handle, check, encoded, is_own, lib, made_handle, raise_error
from ._refusal import NO_CODE, NO_OPERATION, OTHER_BUILDER, TYPE, VALUE, nearest, refused
from .attributes import Attributes, fix_of_call, rule_number
from .errors import Error, InvalidArgument, WrongType
from .literals import Literal, literal_like
from .shapes import DTYPE_NAMES, ShapeLike, as_shape, element_type_number, element_type_of
from .type_lattice import is_weak_number
from .values import Operand, Value, opcode_of

if TYPE_CHECKING:
    from .builder import Builder

# What has no meaning as an operand, and no operators of its own for it.
_STRANGERS = (str, bytes, list, tuple, dict, set, type(None))

# The operands that decide whether the result is weakly typed, where that aren't all of them.
_NONE, _FIRST = slice(0), slice(1)
_DECIDING_BY_NAME: "dict[int | str, slice]" = {
    "bitcast": _NONE,
    "bitcast-convert": _NONE,
    "convert": _NONE,
    "custom-call": _NONE,
    "dynamic-slice": _FIRST,
    "gather": _FIRST,
    "get-dimension-size": _NONE,
    "rng": _NONE,
    "rng-bit-generator": _NONE,
    "select": slice(1, None),
    "set-dimension-size": _FIRST,
}
_DECIDING: "dict[int | str, slice]" = {**_DECIDING_BY_NAME, **{opcode_of(str(name)): of for name, of in _DECIDING_BY_NAME.items()}}


def _astype(element_type: str) -> str:
    name = DTYPE_NAMES.get(element_type, element_type)
    return f'array.astype("{name}")'


def _number_in(operand: Any) -> str:
    """A fix: the number that a text is; "": it is none."""
    return operand if isinstance(operand, str) and re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?", operand) else ""


# Copied for each call, which is faster than to make one.
_EMPTY_OP = bytes(_abi.indim_op())


class Recorder(Handle):
    """What all calls of a builder share, parameters, constants and properties: the first part of Builder."""

    _release = lib.indim_builder_release

    def __init__(
        self, name: str = "computation", *, broadcasting: str = "xla", strict_types: bool = False, locations: bool = True
    ) -> None:
        options = _abi.indim_builder_options(strict_types=strict_types, omit_locations=not locations)
        super().__init__(made_handle(lib.indim_builder_create, *encoded(name), ctypes.byref(options)))
        self._start(broadcasting, name, strict_types)

    def _start(self, broadcasting: str, name: str = "an insertion", strict_types: bool = False) -> None:
        self._name = name
        self._strict_types = strict_types
        self._rule = rule_number(broadcasting)
        self._rule_name = broadcasting
        # By file name: its number times 2^32; 0: a file of this package, whose lines nobody wants to see.
        self._files: "dict[str, int]" = {}
        # The threads of asynchronous calls, by the number of the value.
        self._threads: "dict[int, str]" = {}
        # Where calls write the number of their value.
        self._made = ctypes.c_int64()
        self._made_ref = ctypes.byref(self._made)

    def broadcasting(self, rule: str) -> "AbstractContextManager[None]":
        """Another rule for the calls inside: with b.broadcasting("numpy"): ..."""
        return self._with_rule(rule_number(rule), rule)

    @contextmanager
    def _with_rule(self, number: int, rule: str) -> "Iterator[None]":
        before = self._rule, self._rule_name
        self._rule, self._rule_name = number, rule
        try:
            yield
        finally:
            self._rule, self._rule_name = before

    def _value(self, number: int, weak: bool = False) -> Value:
        return Value(cast("Builder", self), number, None, weak)

    # --- What calls share ------------------------------------------------------

    def _here(self, frame: Any) -> int:
        """The location of the first frame, from this one outwards, that isn't of this package."""
        while frame is not None:
            name = frame.f_code.co_filename
            file = self._files.get(name)
            if file is None:
                file = 0
                if not is_own(name):
                    number = ctypes.c_int64()
                    check(lib.indim_builder_file(self._handle, *encoded(name), ctypes.byref(number)))
                    file = number.value << 32
                self._files[name] = file
            if file:
                return file + (frame.f_lineno or 0)
            frame = frame.f_back
        return 0

    def _takes(self, operand: Any) -> bool:
        return isinstance(operand, (Value, bool, int, float, complex, Literal)) or hasattr(operand, "__array__")

    def _stranger(self, what: str, operand: Any) -> Any:
        """What an operator says to an operand that _takes() refuses: NotImplemented, where that may know what to do."""
        if not isinstance(operand, _STRANGERS) or (operand is None and what == "compare"):
            return NotImplemented
        fix = "b.constant([...])" if isinstance(operand, (list, tuple)) else _number_in(operand)
        raise refused(TYPE, "a value, a number or an array", repr(operand)[:60], what=what, fix=fix, kind=WrongType)

    def _operand(self, operand: Operand, like: "Value | None" = None, place: int = 0, what: str = "") -> Value:
        """A value of this builder, operand `place` of `what`. A number gets the element type of `like`."""
        if isinstance(operand, Value):
            if operand.builder is not self:
                raise self._of_other(operand, place, what)
            return operand
        if isinstance(operand, (bool, int, float, complex)):
            made = self.constant(operand, None if like is None else like.dtype)
            made.weak_type = is_weak_number(operand)
            return made
        if isinstance(operand, (str, bytes, dict, set, type(None))) or callable(operand):
            shown = getattr(operand, "__name__", "") or repr(operand)[:60]
            fix = "call the function with values" if callable(operand) else ""
            fix = fix or _number_in(operand)
            taken = "values, numbers and arrays"
            raise refused(TYPE, taken, f"{shown} as operand {place}", what=what, fix=fix, operand=place, kind=WrongType)
        if isinstance(operand, (list, tuple)) and any(isinstance(part, Value) for part in operand):
            taken, fix = "values, numbers and arrays", "x, y for several operands; b.stack([x, y]) makes an array of values"
            raise refused(TYPE, taken, f"a list of values as operand {place}", what=what, fix=fix, operand=place, kind=WrongType)
        return self.constant(operand)

    def _of_other(self, operand: Value, place: int, what: str) -> Exception:
        fix = "b.call(function, x) hands a value to a function; another builder's module becomes a part by b.inline(module, x)"
        other, name = operand.builder._name, self._name
        return refused(OTHER_BUILDER, place, repr(operand), other, name, what=what, operand=place, fix=fix)

    def _operands(self, operands: "Sequence[Operand]") -> "list[Value]":
        """Values; a number gets the element type of the first operand that is a value."""
        like = next((operand for operand in operands if isinstance(operand, Value)), None)
        return [self._operand(operand, like, place) for place, operand in enumerate(operands)]

    def _binary(self, opcode: int, lhs: Operand, rhs: Operand, rule: "str | None" = None) -> Value:
        if type(lhs) is not Value or type(rhs) is not Value or lhs.builder is not self or rhs.builder is not self:
            lhs, rhs = self._operands((lhs, rhs))
        error = lib.indim_add_binary(
            self._handle,
            opcode,
            lhs.number,
            rhs.number,
            self._rule if rule is None else rule_number(rule),
            self._here(sys._getframe(1)),
            self._made_ref,
        )
        if error:
            raise_error(error)
        return self._value(self._made.value, lhs.weak_type and rhs.weak_type)

    def _unary(self, opcode: int, operand: Operand) -> Value:
        value = operand if type(operand) is Value and operand.builder is self else self._operand(operand)
        error = lib.indim_add_unary(
            self._handle, opcode, value.number, self._here(sys._getframe(1)), self._made_ref
        )
        if error:
            raise_error(error)
        return self._value(self._made.value, value.weak_type)

    def _op(
        self,
        opcode: "int | str",
        operands: "Sequence[Operand]",
        attributes: "dict[str, Any]",
        result: "ShapeLike | None",
        rule: "str | None",
    ) -> "tuple[_abi.indim_op, list[Any]]":
        """A call's struct, and what must live as long as it is used."""
        values = self._operands(operands)
        numbers = (ctypes.c_int64 * len(values))(*[value.number for value in values])
        given = Attributes.of(rule or "xla", attributes)
        op = _abi.indim_op.from_buffer_copy(_EMPTY_OP)
        keep: "list[Any]" = [numbers, given]
        if isinstance(opcode, int):
            op.opcode = opcode
        else:
            name = ctypes.create_string_buffer(opcode.encode("utf-8"))
            keep.append(name)
            op.name = ctypes.addressof(name)
            op.name_size = len(name) - 1
        op.operands = ctypes.addressof(numbers)
        op.operand_count = len(values)
        if given.pointer() is not None:
            op.attributes = ctypes.addressof(given.raw)
        if result is not None:
            shape = as_shape(result)
            keep.append(shape)
            op.result = shape._handle
        op.location = self._here(sys._getframe(1))
        return op, keep

    def _add(
        self,
        opcode: "int | str",
        operands: "Sequence[Operand]",
        attributes: "dict[str, Any] | None" = None,
        result: "ShapeLike | None" = None,
        rule: "str | None" = None,
    ) -> Value:
        values = self._operands(operands)
        op, _keep = self._op(opcode, values, attributes or {}, result, rule)
        try:
            check(lib.indim_add(self._handle, ctypes.byref(op), self._made_ref))
        except InvalidArgument as error:
            fix = fix_of_call(error, attributes or {})
            if not fix:
                raise
            raise error.with_fix(fix) from None
        deciding = values[_DECIDING[opcode]] if opcode in _DECIDING else values
        return self._value(self._made.value, bool(deciding) and all(value.weak_type for value in deciding))

    def add_op(
        self, name: str, *operands: Operand, result: "ShapeLike | None" = None, rule: "str | None" = None, **attributes: Any
    ) -> Value:
        """Any operation by its name, attributes as HLO text has them: b.add_op("reverse", x, dimensions=[0])."""
        try:
            return self._add(name, operands, attributes, result, rule)
        except Error as error:
            if error.code != NO_OPERATION:
                raise
            from .inference import op_table

            raise error.with_fix(nearest(name, op_table())) from None

    # --- Parameters and constants ----------------------------------------------

    def parameter(self, shape: ShapeLike, name: str = "", *, number: int = -1) -> Value:
        """A parameter; -1: the lowest number that is free. `shape` is a text such as "f32[8,784]", a Shape, or an array."""
        of = as_shape(shape)
        location = self._here(sys._getframe(1))
        check(lib.indim_parameter(self._handle, number, of._handle, *encoded(name), location, self._made_ref))
        return self._value(self._made.value)

    def constant(self, value: Any, dtype: Any = None) -> Value:
        """A number, an array, nested lists, a Literal. Without a dtype numbers become f32, s32, pred or c64, as jax has it; one number of
        Python's is weakly typed then.
        """
        location = self._here(sys._getframe(1))
        if isinstance(value, Literal):
            literal = value
        elif dtype is None:
            literal = Literal.of(value)
        else:
            element_type = element_type_of(dtype)
            if isinstance(value, float) and not isinstance(value, bool):
                number = element_type_number(element_type)
                self._check_number(lib.indim_constant_double(self._handle, number, value, location, self._made_ref), value, element_type)
                return self._value(self._made.value)
            if isinstance(value, int):
                number = element_type_number(element_type)
                if not -(2**63) <= value < 2**63:
                    raise refused(VALUE, "the number", value, "one of 64 bits", fix="a Literal of u64 elements")
                self._check_number(lib.indim_constant_int64(self._handle, number, int(value), location, self._made_ref), value, element_type)
                return self._value(self._made.value)
            if isinstance(value, (list, tuple, complex)):
                literal = literal_like(list(value) if isinstance(value, tuple) else value, f"{element_type}[]")
            else:
                literal = Literal.of(value)
                if literal.shape.element_type != element_type:
                    of = literal.shape.element_type
                    raise refused(VALUE, "the array", f"of {of}", f"of {element_type}", fix=_astype(element_type), kind=WrongType)
        check(lib.indim_constant(self._handle, literal._handle, location, self._made_ref))
        return self._value(self._made.value, dtype is None and is_weak_number(value))

    def _check_number(self, error: "int | None", value: "float | int", element_type: str) -> None:
        """Of a number that becomes a constant."""
        if not error:
            return
        try:
            raise_error(error)
        except InvalidArgument as found:
            if found.code != NO_CODE:
                raise
        wider = "f32" if isinstance(value, float) and not value.is_integer() else "s32"
        fix = f'x.astype("{wider}"), or b.constant({value}) of its own type'
        raise refused(VALUE, "the number", value, f"one that {element_type} has", fix=fix)

    # --- Properties ------------------------------------------------------------

    def set_name(self, value: Value, name: str) -> None:
        """Gives the instruction of a value a name."""
        check(lib.indim_set_name(self._handle, value.number, *encoded(name)))

    def set_frontend_attribute(self, value: Value, key: str, text: str) -> None:
        """Adds an entry to the frontend_attributes of a value's instruction, which compilers hand on."""
        check(lib.indim_set_frontend_attribute(self._handle, value.number, *encoded(key), *encoded(text)))

    @contextmanager
    def op_name(self, name: str) -> "Iterator[None]":
        """op_name in the metadata of what is recorded inside."""
        check(lib.indim_set_op_name(self._handle, *encoded(name)))
        try:
            yield
        finally:
            check(lib.indim_set_op_name(self._handle, b"", 0))

    @contextmanager
    def sharding(self, sharding: bytes) -> "Iterator[None]":
        """The sharding, an OpSharding's bytes, of what is recorded inside."""
        check(lib.indim_set_sharding(self._handle, bytes(sharding), len(sharding)))
        try:
            yield
        finally:
            check(lib.indim_set_sharding(self._handle, None, 0))
