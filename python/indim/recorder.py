"""What all calls of a builder share."""

import ctypes
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Iterator, Sequence, cast

from . import _abi
from ._library import Handle, check, encoded, lib, made_handle, raise_error
from .attributes import Attributes, rule_number
from .literals import Literal
from .shapes import ShapeLike, as_shape, element_type_number, element_type_of
from .values import Operand, Value

if TYPE_CHECKING:
    from .builder import Builder

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


class Recorder(Handle):
    """What all calls of a builder share, parameters, constants and properties: the first part of Builder."""

    _release = lib.indim_builder_release

    def __init__(
        self, name: str = "computation", *, broadcasting: str = "xla", strict_types: bool = False, locations: bool = True
    ) -> None:
        options = _abi.indim_builder_options(struct_size=ctypes.sizeof(_abi.indim_builder_options))
        options.strict_types = strict_types
        options.omit_locations = not locations
        super().__init__(made_handle(lib.indim_builder_create, *encoded(name), ctypes.byref(options)))
        self._start(broadcasting)

    def _start(self, broadcasting: str) -> None:
        self._rule = rule_number(broadcasting)
        self._rule_name = broadcasting
        # By file name: its number times 2^32; 0: a file of this package, whose lines nobody wants to see.
        self._files: "dict[str, int]" = {}
        # The threads of asynchronous calls, by the number of the value.
        self._threads: "dict[int, str]" = {}
        # Where calls write the number of their value.
        self._made = ctypes.c_int64()
        self._made_ref = ctypes.byref(self._made)

    @contextmanager
    def broadcasting(self, rule: str) -> "Iterator[None]":
        """Another rule for the calls inside: with b.broadcasting("numpy"): ..."""
        before = self._rule, self._rule_name
        self._rule, self._rule_name = rule_number(rule), rule
        try:
            yield
        finally:
            self._rule, self._rule_name = before

    def _value(self, number: int) -> Value:
        return Value(cast("Builder", self), number)

    # --- What calls share ------------------------------------------------------

    def _here(self, frame: Any) -> int:
        """The location of the first frame, from this one outwards, that isn't of this package."""
        while frame is not None:
            name = frame.f_code.co_filename
            file = self._files.get(name)
            if file is None:
                file = 0
                if not os.path.abspath(name).startswith(_PACKAGE):
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

    def _operand(self, operand: Operand, like: "Value | None" = None) -> Value:
        """A value of this builder. A number gets the element type of `like`."""
        if isinstance(operand, Value):
            if operand.builder is not self:
                raise ValueError("the operand belongs to another builder")
            return operand
        if isinstance(operand, (bool, int, float, complex)):
            return self.constant(operand, None if like is None else like.dtype)
        return self.constant(operand)

    def _operands(self, operands: "Sequence[Operand]") -> "list[Value]":
        """Values; a number gets the element type of the first operand that is a value."""
        like = next((operand for operand in operands if isinstance(operand, Value)), None)
        return [self._operand(operand, like) for operand in operands]

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
        return self._value(self._made.value)

    def _unary(self, opcode: int, operand: Operand) -> Value:
        value = operand if type(operand) is Value and operand.builder is self else self._operand(operand)
        error = lib.indim_add_unary(
            self._handle, opcode, value.number, self._here(sys._getframe(1)), self._made_ref
        )
        if error:
            raise_error(error)
        return self._value(self._made.value)

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
        op = _abi.indim_op(struct_size=ctypes.sizeof(_abi.indim_op))
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
        op, _keep = self._op(opcode, operands, attributes or {}, result, rule)
        check(lib.indim_add(self._handle, ctypes.byref(op), self._made_ref))
        return self._value(self._made.value)

    def add_op(
        self, name: str, *operands: Operand, result: "ShapeLike | None" = None, rule: "str | None" = None, **attributes: Any
    ) -> Value:
        """Any operation by its name, attributes as HLO text has them: b.add_op("reverse", x, dimensions=[0])."""
        return self._add(name, operands, attributes, result, rule)

    # --- Parameters and constants ----------------------------------------------

    def parameter(self, shape: ShapeLike, name: str = "", *, number: int = -1) -> Value:
        """A parameter; -1: the lowest number that is free. `shape` is a text such as "f32[8,784]", a Shape, or an array."""
        of = as_shape(shape)
        location = self._here(sys._getframe(1))
        check(lib.indim_parameter(self._handle, number, of._handle, *encoded(name), location, self._made_ref))
        return self._value(self._made.value)

    def constant(self, value: Any, dtype: Any = None) -> Value:
        """A number, an array, nested lists, a Literal. Without a dtype numbers become f32, s32, pred or c64, as jax has it."""
        location = self._here(sys._getframe(1))
        if isinstance(value, Literal):
            literal = value
        elif dtype is None:
            literal = Literal.of(value)
        else:
            element_type = element_type_of(dtype)
            if isinstance(value, float) and not isinstance(value, bool):
                number = element_type_number(element_type)
                check(lib.indim_constant_double(self._handle, number, value, location, self._made_ref))
                return self._value(self._made.value)
            if isinstance(value, int):
                number = element_type_number(element_type)
                if not -(2**63) <= value < 2**63:
                    raise ValueError(f"{value} doesn't fit 64 bits")
                check(lib.indim_constant_int64(self._handle, number, int(value), location, self._made_ref))
                return self._value(self._made.value)
            if isinstance(value, (list, tuple, complex)):
                literal = Literal.of(list(value) if isinstance(value, tuple) else value, f"{element_type}[]")
            else:
                literal = Literal.of(value)
                if literal.shape.element_type != element_type:
                    raise TypeError(f"an array of {literal.shape.element_type} is no {element_type}; to fix: .astype()")
        check(lib.indim_constant(self._handle, literal._handle, location, self._made_ref))
        return self._value(self._made.value)

    # --- Properties ------------------------------------------------------------

    def set_name(self, value: Value, name: str) -> None:
        check(lib.indim_set_name(self._handle, value.number, *encoded(name)))

    def set_frontend_attribute(self, value: Value, key: str, text: str) -> None:
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
