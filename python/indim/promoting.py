"""What the functions of jax.numpy share: operands of one type, by jax's rule, and calls of the library's composites."""

import ctypes
import json
import math
import sys
from typing import Any, Sequence

from . import _refusal, promotion
from ._library import check, encoded, lib
from .errors import Error
from .recorder import Recorder
from .values import Operand, Value


def sizes_of(text: str) -> "list[str]":
    """The sizes in the text of an array's shape."""
    inside = text[text.index("[") + 1 : text.index("]")]
    return inside.split(",") if inside else []


def sizes_text(value: Value) -> "list[str]":
    """The sizes as the type's text has them, names included."""
    return sizes_of(str(value.type))


def refused(why: str, fix: str) -> Error:
    """The error of a call that means nothing, or one thing to some and another thing to others; the fix says how to write each."""
    return _refusal.refused(_refusal.REFUSED, why, fix=fix)


def is_number(operand: Any) -> bool:
    """Whether it is a number of Python's own, which takes the type of what it meets."""
    return type(operand) in (bool, int, float, complex)


def _jsonable(argument: Any) -> Any:
    """As indim_composite reads it: infinities, NaNs and large integers are texts."""
    if isinstance(argument, bool) or argument is None or isinstance(argument, str):
        return argument
    if isinstance(argument, float):
        return float(argument) if math.isfinite(argument) else str(float(argument))
    if hasattr(argument, "__index__"):
        number = argument.__index__()
        return number if abs(number) < 2**53 else str(number)
    return [_jsonable(part) for part in argument]


class Promoting(Recorder):
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
        return tuple(self._value(number) for number in range(first, first + count.value))

    def composite(self, name: str, *operands: Operand, **arguments: Any) -> Value:
        """A composite with one result: b.composite("layer_norm", x, scale, offset, epsilon=1e-6)."""
        results = self.composites(name, *operands, **arguments)
        if len(results) != 1:
            raise refused(f"{name} has {len(results)} results", f'b.composites("{name}", ...), which gives all')
        return results[0]

    # --- Types -----------------------------------------------------------------

    def _converted(self, value: Value, element_type: str) -> Value:
        if value.dtype == element_type:
            return value
        if promotion.is_complex(value.dtype) and not promotion.is_complex(element_type):
            value = self._add("real", [value])
        return self._add("convert", [value], {}, f"{element_type}[{','.join(sizes_text(value))}]")

    def _type_of(self, operand: Operand) -> str:
        """The element type of an operand, which may be weak."""
        return promotion.weak_type(operand) if is_number(operand) else operand.dtype  # type: ignore[union-attr]

    def _arrays(self, operands: "Sequence[Operand]") -> "list[Any]":
        """Values for all but Python's own numbers."""
        return [
            operand if is_number(operand) else self._operand(operand, None, place) for place, operand in enumerate(operands)
        ]

    def _common_type(self, operands: "Sequence[Any]") -> str:
        if not operands:
            raise refused("there is no array", "one or more: [x, y]")
        types = [self._type_of(operand) for operand in operands]
        common = promotion.promoted(*types)
        if common is None:
            names = " and ".join(dict.fromkeys(types))
            raise refused(f"{names} have no common type", f'convert one: x.astype("{types[0]}")')
        return common

    def _as(self, operand: Any, element_type: str) -> Value:
        """An operand of _arrays in a type that holds it."""
        if is_number(operand):
            return self.constant(operand, element_type)
        return self._converted(operand, element_type)

    def _promoted(self, operands: "Sequence[Operand]", inexact: bool = False) -> "list[Value]":
        """Operands in their common type, in which, if `inexact`, numbers have fractions."""
        given = self._arrays(operands)
        if self._strict_types or any(not self._type_of(operand) for operand in given):
            # The library refuses types that differ, and what is no array.
            like = next((operand for operand in given if isinstance(operand, Value)), None)
            if like is not None:
                return [self._operand(operand, like if like.dtype else None) for operand in given]
        common = self._common_type(given)
        if inexact:
            common = promotion.inexact(common)
        return [self._as(operand, common) for operand in given]

    def _inexact(self, operand: Operand) -> Value:
        if type(operand) is Value and operand.builder is self and promotion.is_float(operand.dtype):
            return operand
        return self._promoted([operand], inexact=True)[0]

    def _counted(self, operands: "Sequence[Operand]") -> "list[Value]":
        """Operands in their common type, in which truths are 0 and 1."""
        return self._promoted(operands if self._strict_types else [*operands, 0])[: len(operands)]

    def _numeric(self, operand: Operand) -> Value:
        if type(operand) is Value and operand.builder is self:
            return operand
        return self._promoted([operand])[0]
