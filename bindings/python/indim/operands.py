# SPDX-License-Identifier: Apache-2.0
"""What the functions of jax.numpy share: operands of one type, by jax's rule, and calls of the library's composites."""

import ctypes
import json
import math
import re
import sys
from typing import Any, Callable, Sequence

from . import _refusal, type_lattice
from ._library import caller, check, encoded, lib, parameters_of_called
from .errors import Error, InvalidArgument, WrongType
from .meanings import written_out
from .recorder import Recorder
from .type_lattice import is_number, is_weak_number
from .values import Operand, Value


def sizes_of(text: str) -> "list[str]":
    """The sizes in the text of an array's shape."""
    inside = text[text.index("[") + 1 : text.index("]")]
    return inside.split(",") if inside else []


def sizes_text(value: Value) -> "list[str]":
    """The sizes as the type's text has them, names included."""
    return sizes_of(str(value.type))


def refused(why: str, fix: str) -> Error:
    """The error of a call that means nothing, or one thing to some and another thing to others; the fix says how to write each. It has
    the names that the method has for its arguments, and so has the message then: "softmax(x) doesn't do this".
    """
    _, _, called = caller()
    names = [name for name in parameters_of_called() if re.search(rf"\b{name}\b(?!=)", fix)]
    return _refusal.refused(_refusal.REFUSED, why, what=f"{called}({', '.join(names)})" if names else "", fix=fix)


def _jsonable(argument: Any) -> Any:
    """As indim_composite reads it: infinities, NaNs and large integers are texts."""
    if isinstance(argument, bool) or argument is None or isinstance(argument, str):
        return argument
    if isinstance(argument, float):
        return float(argument) if math.isfinite(argument) else str(float(argument))
    if hasattr(argument, "__index__"):
        number = argument.__index__()
        return number if abs(number) < 2**53 else str(number)
    text = next((part for part in argument if isinstance(part, str)), None)
    if text is not None:
        raise _refusal.refused(_refusal.TYPE, "lists of numbers", f"one with {text!r}", kind=WrongType)
    return [_jsonable(part) for part in argument]


def _is_64_bits(operand: Any) -> bool:
    return isinstance(operand, (float, complex)) and not is_number(operand)


class Operands(Recorder):
    """A part of Builder."""

    # --- Composites ------------------------------------------------------------

    def composites(self, name: str, *operands: Operand, **arguments: Any) -> "tuple[Value, ...]":
        """All results of a composite of the library, by its name and its own arguments (indim_composite_table_json)."""
        values = self._operands(operands)
        numbers = (ctypes.c_int64 * len(values))(*[value.number for value in values])
        given = {key: _jsonable(argument) for key, argument in arguments.items()}
        text = json.dumps(given) if given else ""
        first = lib.indim_next_value(self._handle)
        count = ctypes.c_size_t()
        try:
            check(
                lib.indim_composite(
                    self._handle,
                    *encoded(name),
                    numbers,
                    len(values),
                    *encoded(text),
                    self._here(sys._getframe(1)),
                    None,
                    0,
                    ctypes.byref(count),
                )
            )
        except InvalidArgument as error:
            called = caller()[2]
            # jax's name where the program called it by that: take_along_axis, and not take_along_dim.
            own = called if hasattr(self, called) and not called.startswith("composite") else name
            if error.code != _refusal.TYPE_CLASS or error.diagnostics[0].operand is None:
                raise error.named(own, name) from None
            of = values[error.diagnostics[0].operand].dtype
            fix = written_out(name, of, called)
            if error.fix and "jax's meaning" not in fix and of != "pred":
                raise error.named(own, name) from None  # its own fix names the operand
            raise error.named(own, name).with_fix(fix) from None
        weak = bool(values) and all(value.weak_type for value in values)
        return tuple(self._value(number, weak) for number in range(first, first + count.value))

    def composite(self, name: str, *operands: Operand, **arguments: Any) -> Value:
        """A composite with one result: b.composite("layer_norm", x, scale, offset, epsilon=1e-6)."""
        results = self.composites(name, *operands, **arguments)
        if len(results) != 1:
            raise refused(f"{name} has {len(results)} results", f'b.composites("{name}", ...), which gives all')
        return results[0]

    # --- Types -----------------------------------------------------------------

    def _converted(self, value: Value, element_type: str, weak: bool = False) -> Value:
        if value.dtype == element_type:
            return self._typed(value, weak)
        if type_lattice.is_complex(value.dtype) and not type_lattice.is_complex(element_type):
            value = self._add("real", [value])
        return self._typed(self._add("convert", [value], {}, f"{element_type}[{','.join(sizes_text(value))}]"), weak)

    def _typed(self, value: Value, weak: bool = False) -> Value:
        """The same value, of which others count as its element type, or, if `weak`, as one of Python's numbers."""
        return value if value.weak_type == weak else Value(value.builder, value.number, value._dtype, weak)

    def _is_weak(self, operand: Any) -> bool:
        """Whether an operand of _arrays takes the type of what it meets."""
        return is_weak_number(operand) or isinstance(operand, Value) and operand.weak_type

    def _type_of(self, operand: Operand) -> str:
        """The type of an operand, as type_lattice.promoted() takes it; "": it is no array."""
        if is_number(operand):
            return type_lattice.number_type(operand)
        of: str = operand.dtype  # type: ignore[union-attr]
        return type_lattice.WEAK + of if of and operand.weak_type else of  # type: ignore[union-attr]

    def _arrays(self, operands: "Sequence[Operand]") -> "list[Any]":
        """Values for all but Python's own numbers."""
        given = [
            operand if is_number(operand) or _is_64_bits(operand) else self._operand(operand, None, place)
            for place, operand in enumerate(operands)
        ]
        if any(_is_64_bits(operand) for operand in given):
            # Floats of 64 bits beside others of 64, as with jax_enable_x64; else of 32.
            wide = any(isinstance(operand, Value) and type_lattice.has_64_bits(operand.dtype) for operand in given)
            given = [self._of_numpy(operand, wide) if _is_64_bits(operand) else operand for operand in given]
        return given

    def _of_numpy(self, number: Any, wide: bool) -> Value:
        """A constant of a float64 or complex128 of numpy's, which are Python's numbers too, but no weak ones."""
        of = "f64" if isinstance(number, float) else "c128"
        return self._typed(self.constant(number, of if wide else type_lattice.half(of)))

    def _common_type(self, operands: "Sequence[Any]") -> "tuple[str, bool]":
        """The type that operands of _arrays have together, and whether it is weak."""
        if not operands:
            raise refused("there is no array", "one or more: [x, y]")
        types = [self._type_of(operand) for operand in operands]
        common = type_lattice.promoted(*types)
        if common is None:
            names = " and ".join(dict.fromkeys(of.lstrip(type_lattice.WEAK) for of in types))
            raise refused(f"{names} have no common type", f'convert one: x.astype("{types[0].lstrip(type_lattice.WEAK)}")')
        return common

    def _as(self, operand: Any, element_type: str, weak: bool = False) -> Value:
        """An operand of _arrays in a type that holds it."""
        if is_number(operand):
            return self._typed(self.constant(operand, element_type), weak)
        return self._converted(operand, element_type, weak)

    def _promoted(self, operands: "Sequence[Operand]", become: "Callable[[str], str] | None" = None) -> "list[Value]":
        """Operands in their common type, or what `become` makes of it."""
        given = self._arrays(operands)
        if self._strict_types or any(not self._type_of(operand) for operand in given):
            # The library refuses types that differ, and what is no array.
            like = next((operand for operand in given if isinstance(operand, Value)), None)
            if like is not None:
                return [self._operand(operand, like if like.dtype else None) for operand in given]
        common, weak = self._common_type(given)
        if become is type_lattice.inexact and common in ("s2", "u2"):
            raise refused(f"{common} has no type with fractions in jax, whose x / y of it is whole", 'x.astype("f32"); HLO\'s division is b.div(x, y)')
        if become is not None:
            common = become(common)
        return [self._as(operand, common, weak) for operand in given]

    def _beside(self, operand: Operand, number: "int | float", become: "Callable[[str], str]") -> Value:
        """A value as it is beside one of Python's numbers, with which jax computes."""
        given = self._arrays([operand])
        if self._strict_types or not self._type_of(given[0]):
            return self._promoted(given, become)[0]
        common, weak = self._common_type([*given, number])
        return self._as(given[0], become(common), weak)

    def _other_than(self, value: Value, element_type: str, name: str) -> Value:
        """The value, which isn't of a type whose missing numbers jax replaces by others."""
        if value.dtype == element_type:
            missing = "0 or less" if element_type == "f8e8m0fnu" else "infinity"
            raise refused(f"{element_type} has no {missing}, for which jax takes another number", f'b.{name}(x.astype("f32"))')
        return value

    def _inexact(self, operand: Operand) -> Value:
        """A value whose numbers have fractions."""
        if type(operand) is Value and operand.builder is self and type_lattice.is_float(operand.dtype):
            return operand
        return self._promoted([operand], type_lattice.inexact)[0]

    def _counted(self, operands: "Sequence[Operand]") -> "list[Value]":
        """Operands in their common type, in which truths are 0 and 1."""
        return self._promoted(operands, type_lattice.numeric)

    def _numeric(self, operand: Operand) -> Value:
        if type(operand) is Value and operand.builder is self:
            return operand
        return self._promoted([operand])[0]
