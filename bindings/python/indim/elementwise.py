# SPDX-License-Identifier: Apache-2.0
"""Functions of elements as jax.numpy has them: operands become one type, by jax's rule, and match by the builder's broadcasting rule."""

import math
import operator
from typing import Any

from . import type_lattice
from .arrays import Arrays
from .operands import refused
from .type_lattice import is_number
from .values import Operand, Value, opcode_of


_ADD, _SUBTRACT, _MULTIPLY, _DIVIDE = (opcode_of(name) for name in ("add", "subtract", "multiply", "divide"))
_MAXIMUM, _MINIMUM, _POWER, _ATAN2 = (opcode_of(name) for name in ("maximum", "minimum", "power", "atan2"))
_AND, _OR, _XOR, _NOT, _NEGATE = (opcode_of(name) for name in ("and", "or", "xor", "not", "negate"))
_LEFT, _RIGHT, _RIGHT_UNSIGNED = (
    opcode_of(name) for name in ("shift-left", "shift-right-arithmetic", "shift-right-logical")
)
_ROUND, _FINITE = opcode_of("round-nearest-even"), opcode_of("is-finite")
_ABS, _CEIL, _FLOOR, _SIGN = (opcode_of(name) for name in ("abs", "ceil", "floor", "sign"))


def _whole_number(exponent: Operand) -> Operand:
    """An exponent that is one known integer, as Python's number."""
    try:
        return exponent if isinstance(exponent, Value) else operator.index(exponent)  # type: ignore[arg-type]
    except TypeError:
        return exponent


class Elementwise(Arrays):
    """A part of Builder."""

    def _of_two(
        self, opcode: int, x1: Operand, x2: Operand, rule: "str | None", dimensions: Any = None, inexact: bool = False
    ) -> Value:
        if not self._are_alike(x1, x2) or inexact:
            x1, x2 = self._promoted((x1, x2), type_lattice.inexact if inexact else None)
        if dimensions is None:
            return self._binary(opcode, x1, x2, rule)
        return self._add(opcode, [x1, x2], {"broadcast_dimensions": dimensions}, None, rule or "xla")

    def _are_alike(self, x1: Operand, x2: Operand) -> bool:
        """Whether they are values of one type."""
        return (
            type(x1) is Value and type(x2) is Value and x1.builder is self and x2.builder is self and x1.dtype == x2.dtype
        )  # fmt: skip

    # --- Arithmetic ------------------------------------------------------------

    def add(self, x1: Operand, x2: Operand, *, broadcast_dimensions: Any = None, rule: "str | None" = None) -> Value:
        """x1 + x2; of truths, whether one holds."""
        return self._of_two(_ADD, x1, x2, rule, broadcast_dimensions)

    def subtract(self, x1: Operand, x2: Operand, *, broadcast_dimensions: Any = None, rule: "str | None" = None) -> Value:
        """x1 - x2."""
        lhs, rhs = self._promoted((x1, x2))
        if lhs.dtype == "pred":
            raise refused("truths have no difference", 'b.xor(x1, x2), or x1.astype("s32") - x2')
        return self._of_two(_SUBTRACT, lhs, rhs, rule, broadcast_dimensions)

    def multiply(self, x1: Operand, x2: Operand, *, broadcast_dimensions: Any = None, rule: "str | None" = None) -> Value:
        """x1 * x2; of truths, whether both hold."""
        return self._of_two(_MULTIPLY, x1, x2, rule, broadcast_dimensions)

    def divide(self, x1: Operand, x2: Operand, *, broadcast_dimensions: Any = None, rule: "str | None" = None) -> Value:
        """x1 / x2 with a fraction, of integers too; HLO's division, which cuts it off, is b.div."""
        return self._of_two(_DIVIDE, x1, x2, rule, broadcast_dimensions, inexact=True)

    true_divide = divide

    def floor_divide(self, x1: Operand, x2: Operand, *, rule: "str | None" = None) -> Value:
        """x1 // x2, rounded down."""
        return self.composite("floor_div", *self._alike((x1, x2), rule))

    def remainder(self, x1: Operand, x2: Operand, *, rule: "str | None" = None) -> Value:
        """x1 % x2, with the sign of x2; HLO's remainder, with that of x1, is b.rem."""
        return self.composite("floor_mod", *self._alike((x1, x2), rule))

    mod = remainder

    def _alike(self, operands: "tuple[Operand, Operand]", rule: "str | None", inexact: bool = False) -> "list[Value]":
        """Operands of one type, and by numpy's rule of the same sizes."""
        values = self._promoted(operands, type_lattice.inexact) if inexact else self._counted(operands)
        return self._of_equal_sizes(values, rule)

    def _of_equal_sizes(self, values: "list[Value]", rule: "str | None") -> "list[Value]":
        """By numpy's rule; by others as they are."""
        return self._matched(values) if (rule or self._rule_name) in ("numpy", "bidirectional") else values

    def power(self, x1: Operand, x2: Operand, *, broadcast_dimensions: Any = None, rule: "str | None" = None) -> Value:
        """x1 ** x2. Of an exponent that is an array of integers, to a power of integers, jax takes the low 6 bits."""
        given = self._arrays((x1, _whole_number(x2)))
        common, weak = self._common_type(given)
        base = type_lattice.numeric(given[0].dtype) if isinstance(given[0], Value) else common
        if isinstance(given[1], int) and isinstance(given[0], Value):
            # The exponent has no say in the type.
            common, weak = base, given[0].weak_type
            if type_lattice.is_integer(common) and given[1] < 0:
                fix = 'x1.astype("f32") ** x2; HLO\'s own power is b.add_op("power", x1, x2)'
                raise refused(f"integers have no power {given[1]}", fix)
            if not type_lattice.has_all_to(common, given[1]):
                return self._repeated(self._as(given[0], common, weak), given[1])
        elif type_lattice.is_inexact(base) and type_lattice.is_integer(self._common_type(given[1:])[0]):
            common, weak = base, self._is_weak(given[0]) and self._is_weak(given[1])
        elif type_lattice.is_integer(type_lattice.numeric(common)):
            alike = [self._as(operand, type_lattice.numeric(common)) for operand in given]
            return self.composite("integer_power", *self._of_equal_sizes(alike, rule))
        lhs, rhs = (self._as(operand, common, weak) for operand in given)
        return self._of_two(_POWER, lhs, rhs, rule, broadcast_dimensions)

    def _repeated(self, x: Value, exponent: int) -> Value:
        """A power by multiplying, as jax has it: of an exponent that rounds to another one in the type of x."""
        made: "Value | None" = None
        square, left = x, abs(exponent)
        while left:
            if left % 2:
                made = square if made is None else self.multiply(made, square)
            left //= 2
            square = self.multiply(square, square) if left else square
        power = self.ones_like(x) if made is None else made
        return power if exponent >= 0 else self.reciprocal(power)

    pow = power

    def maximum(self, x1: Operand, x2: Operand, *, broadcast_dimensions: Any = None, rule: "str | None" = None) -> Value:
        """The greater one; NaN where one is NaN."""
        lhs, rhs = self._ordered(x1, x2, ">")
        return self._of_two(_MAXIMUM, lhs, rhs, rule, broadcast_dimensions)

    def minimum(self, x1: Operand, x2: Operand, *, broadcast_dimensions: Any = None, rule: "str | None" = None) -> Value:
        """The smaller one; NaN where one is NaN."""
        lhs, rhs = self._ordered(x1, x2, "<")
        return self._of_two(_MINIMUM, lhs, rhs, rule, broadcast_dimensions)

    def _ordered(self, x1: Operand, x2: Operand, sign: str) -> "tuple[Value, Value]":
        """Operands of one type, whose elements have an order."""
        lhs, rhs = self._promoted((x1, x2))
        if type_lattice.is_complex(lhs.dtype):
            fix = f"b.where(x1 {sign} x2, x1, x2) is jax's meaning; b.maximum(x1.real, x2.real), b.minimum(x1.real, x2.real)"
            raise refused("complex numbers have no greatest of their own", fix)
        return lhs, rhs

    def atan2(self, x1: Operand, x2: Operand, *, broadcast_dimensions: Any = None, rule: "str | None" = None) -> Value:
        """The angle of the point (x2, x1). Integers become those of their common type first, as in jax; by b.arctan2 they don't."""
        lhs, rhs = self._promoted((x1, x2))
        return self._of_two(_ATAN2, lhs, rhs, rule, broadcast_dimensions, inexact=True)

    def arctan2(self, x1: Operand, x2: Operand, *, broadcast_dimensions: Any = None, rule: "str | None" = None) -> Value:
        """The angle of the point (x2, x1)."""
        return self._of_two(_ATAN2, x1, x2, rule, broadcast_dimensions, inexact=True)

    def logaddexp(self, x1: Operand, x2: Operand) -> Value:
        """log(exp(x1) + exp(x2)), without overflow."""
        return self.composite("log_add_exp", *self._alike((x1, x2), None, inexact=True))

    def nextafter(self, x1: Operand, x2: Operand) -> Value:
        """The float next to x1 in the direction of x2."""
        return self.composite("next_after", *self._alike((x1, x2), None, inexact=True))

    def abs(self, x: Operand) -> Value:
        """The absolute value; of a complex number its magnitude."""
        value = self._numeric(x)
        plain = type_lattice.is_unsigned(value.dtype) or value.dtype == "pred"
        return value if plain else self._unary(_ABS, value)

    def _whole(self, opcode: int, x: Operand) -> Value:
        value = self._numeric(x)
        plain = type_lattice.is_integer(value.dtype) or value.dtype == "pred"
        return value if plain else self._unary(opcode, value)

    def ceil(self, x: Operand) -> Value:
        """The nearest integer that isn't below, in the type of x."""
        return self._whole(_CEIL, x)

    def floor(self, x: Operand) -> Value:
        """The nearest integer that isn't above, in the type of x."""
        return self._whole(_FLOOR, x)

    def sign(self, x: Operand) -> Value:
        """-1, 0 or 1; of a complex number it divided by its magnitude."""
        value = self._numeric(x)
        if type_lattice.is_unsigned(value.dtype):
            fix = '(x != 0).astype(x.dtype) is jax\'s meaning; HLO has none, b.sign(x.astype("s32"))'
            raise refused(f"{value.dtype} has no signs", fix)
        return self._unary(_SIGN, value)

    def negative(self, x: Operand) -> Value:
        """-x."""
        value = self._numeric(x)
        if value.dtype == "pred":
            raise refused("a truth has no negative", '~x, or -x.astype("s32")')
        return self._unary(_NEGATE, value)

    def square(self, x: Operand) -> Value:
        """x * x."""
        return self.composite("square", *self._counted([x]))

    def reciprocal(self, x: Operand) -> Value:
        """1 / x."""
        return self.composite("reciprocal", self._inexact(x))

    def exp2(self, x: Operand) -> Value:
        """2 to the power of x."""
        return self.exp(self._inexact(x) * math.log(2))

    def log2(self, x: Operand) -> Value:
        """The logarithm to base 2."""
        log = self.log(x)
        if not type_lattice.is_complex(log.dtype):
            return log / math.log(2)
        return self.complex(log.real / math.log(2), log.imag / math.log(2))

    def atan(self, x: Operand) -> Value:
        """The arc tangent."""
        return self.composite("atan", self._inexact(x))

    arctan = atan

    def round(self, x: Operand) -> Value:
        """The nearest integer, of two the even one."""
        value = self._numeric(x)
        if type_lattice.is_complex(value.dtype):
            fix = "b.complex(b.round(x.real), b.round(x.imag)) is jax's meaning; b.round(x.real)"
            raise refused(f"{value.dtype} has two parts to round", fix)
        return value if type_lattice.is_integer(value.dtype) else self._unary(_ROUND, value)

    def real(self, x: Operand) -> Value:
        """The real part."""
        value = self._numeric(x)
        return self._add("real", [value]) if type_lattice.is_complex(value.dtype) else value

    def imag(self, x: Operand) -> Value:
        """The imaginary part: of real numbers 0."""
        value = self._numeric(x)
        return self._add("imag", [value]) if type_lattice.is_complex(value.dtype) else self.zeros_like(value)

    def copy(self, x: Operand) -> Value:
        """The same value in memory of its own."""
        return self._add("copy", [self._numeric(x)])

    # --- Truths ----------------------------------------------------------------

    def isnan(self, x: Operand) -> Value:
        """Whether it is NaN."""
        return self.composite("is_nan", self._inexact(x))

    def isinf(self, x: Operand) -> Value:
        """Whether it is infinite."""
        return self.composite("is_inf", self._inexact(x))

    def isposinf(self, x: Operand) -> Value:
        """Whether it is infinity."""
        return self.composite("is_pos_inf", self._other_than(self._inexact(x), "f4e2m1fn", "isposinf"))

    def isneginf(self, x: Operand) -> Value:
        """Whether it is minus infinity."""
        return self.composite("is_neg_inf", self._other_than(self._inexact(x), "f4e2m1fn", "isneginf"))

    def isfinite(self, x: Operand) -> Value:
        """Whether it is neither infinite nor NaN."""
        value = self._inexact(x)
        if type_lattice.is_complex(value.dtype):
            raise refused(f"{value.dtype} has two parts", "b.isfinite(x.real) & b.isfinite(x.imag) is jax's meaning; b.isfinite(x.real)")
        return self._unary(_FINITE, value)

    def _compared(self, x1: Operand, x2: Operand, direction: str, rule: "str | None") -> Value:
        return self.compare(*self._promoted((x1, x2)), direction=direction, rule=rule)

    def equal(self, x1: Operand, x2: Operand, *, rule: "str | None" = None) -> Value:
        """x1 == x2."""
        return self._compared(x1, x2, "EQ", rule)

    def not_equal(self, x1: Operand, x2: Operand, *, rule: "str | None" = None) -> Value:
        """x1 != x2."""
        return self._compared(x1, x2, "NE", rule)

    def less(self, x1: Operand, x2: Operand, *, rule: "str | None" = None) -> Value:
        """x1 < x2."""
        return self._compared(x1, x2, "LT", rule)

    def less_equal(self, x1: Operand, x2: Operand, *, rule: "str | None" = None) -> Value:
        """x1 <= x2."""
        return self._compared(x1, x2, "LE", rule)

    def greater(self, x1: Operand, x2: Operand, *, rule: "str | None" = None) -> Value:
        """x1 > x2."""
        return self._compared(x1, x2, "GT", rule)

    def greater_equal(self, x1: Operand, x2: Operand, *, rule: "str | None" = None) -> Value:
        """x1 >= x2."""
        return self._compared(x1, x2, "GE", rule)

    def _truth(self, x: Operand) -> Value:
        """Whether it is something else than 0."""
        value = self._numeric(x)
        return value if value.dtype == "pred" else self.not_equal(value, 0)

    def _truths(self, x1: Operand, x2: Operand) -> "tuple[Value, Value]":
        """Of each whether it is something else than 0, in the type that they have together: a weakly typed one may be 0 there, and
        f8e8m0fnu has no 0."""
        given = self._arrays((x1, x2))
        if any(self._is_weak(operand) or self._type_of(operand) == "f8e8m0fnu" for operand in given):
            given = self._promoted(given)
        return self._truth(given[0]), self._truth(given[1])

    def logical_and(self, x1: Operand, x2: Operand, *, rule: "str | None" = None) -> Value:
        """Whether both aren't 0."""
        return self._binary(_AND, *self._truths(x1, x2), rule)

    def logical_or(self, x1: Operand, x2: Operand, *, rule: "str | None" = None) -> Value:
        """Whether one isn't 0."""
        return self._binary(_OR, *self._truths(x1, x2), rule)

    def logical_xor(self, x1: Operand, x2: Operand, *, rule: "str | None" = None) -> Value:
        """Whether one is 0 and the other isn't."""
        return self._binary(_XOR, *self._truths(x1, x2), rule)

    def logical_not(self, x: Operand) -> Value:
        """Whether it is 0."""
        return self._unary(_NOT, self._truth(x))

    # --- Bits ------------------------------------------------------------------

    def _of_bits(self, opcode: int, name: str, x1: Operand, x2: Operand, rule: "str | None") -> Value:
        lhs, rhs = self._promoted((x1, x2))
        if type_lattice.is_inexact(lhs.dtype):
            fix = f"b.logical_{name}(x1, x2), which takes what isn't 0 for true; b.bitcast_convert(x1, ...) has the bits"
            raise refused(f"{lhs.dtype} has no bits", fix)
        return self._of_two(opcode, lhs, rhs, rule)

    def bitwise_and(self, x1: Operand, x2: Operand, *, rule: "str | None" = None) -> Value:
        """x1 & x2."""
        return self._of_bits(_AND, "and", x1, x2, rule)

    def bitwise_or(self, x1: Operand, x2: Operand, *, rule: "str | None" = None) -> Value:
        """x1 | x2."""
        return self._of_bits(_OR, "or", x1, x2, rule)

    def bitwise_xor(self, x1: Operand, x2: Operand, *, rule: "str | None" = None) -> Value:
        """x1 ^ x2."""
        return self._of_bits(_XOR, "xor", x1, x2, rule)

    def bitwise_not(self, x: Operand) -> Value:
        """~x."""
        return self._unary(_NOT, self._numeric(x))

    invert = bitwise_not

    def _shifted(self, x1: Operand, x2: Operand) -> "list[Value]":
        values = self._counted((x1, x2))
        if not type_lattice.is_integer(values[0].dtype):
            raise refused(f"{values[0].dtype} has no bits to shift", 'x1.astype("s32"), b.bitcast_convert(x1, ...)')
        return values

    def left_shift(self, x1: Operand, x2: Operand, *, rule: "str | None" = None) -> Value:
        """x1 << x2."""
        lhs, rhs = self._shifted(x1, x2)
        return self._of_two(_LEFT, lhs, rhs, rule)

    def right_shift(self, x1: Operand, x2: Operand, *, rule: "str | None" = None) -> Value:
        """x1 >> x2: the sign comes in from the left; of unsigned types 0."""
        lhs, rhs = self._shifted(x1, x2)
        return self._of_two(_RIGHT_UNSIGNED if type_lattice.is_unsigned(lhs.dtype) else _RIGHT, lhs, rhs, rule)

    # --- Arrays of one number ----------------------------------------------------

    def zeros_like(self, x: Operand) -> Value:
        """0 in the sizes and the type of x."""
        return self.composite("zeros_like", self._numeric(x))

    def ones_like(self, x: Operand) -> Value:
        """1 in the sizes and the type of x."""
        return self.composite("ones_like", self._numeric(x))

