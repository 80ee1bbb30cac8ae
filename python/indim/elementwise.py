"""Functions of elements as jax.numpy has them: operands become one type, by jax's rule, and match by the builder's broadcasting rule."""

from typing import Any

from . import promotion
from ._library import lib
from .arrays import Arrays
from .promoting import is_number, refused, sizes_text
from .values import Operand, Value


def _opcode(name: str) -> int:
    data = name.encode()
    number: int = lib.indim_opcode_from_name(data, len(data))
    return number


_ADD, _SUBTRACT, _MULTIPLY, _DIVIDE = (_opcode(name) for name in ("add", "subtract", "multiply", "divide"))
_MAXIMUM, _MINIMUM, _POWER, _ATAN2 = (_opcode(name) for name in ("maximum", "minimum", "power", "atan2"))
_AND, _OR, _XOR, _NOT, _NEGATE = (_opcode(name) for name in ("and", "or", "xor", "not", "negate"))
_LEFT, _RIGHT, _RIGHT_UNSIGNED = (
    _opcode(name) for name in ("shift-left", "shift-right-arithmetic", "shift-right-logical")
)
_ROUND, _FINITE = _opcode("round-nearest-even"), _opcode("is-finite")
_ABS, _CEIL, _FLOOR = (_opcode(name) for name in ("abs", "ceil", "floor"))


class Elementwise(Arrays):
    """A part of Builder."""

    def _of_two(
        self, opcode: int, x1: Operand, x2: Operand, rule: "str | None", dimensions: Any = None, inexact: bool = False
    ) -> Value:
        if not self._are_alike(x1, x2) or inexact:
            x1, x2 = self._promoted((x1, x2), inexact)
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
        values = self._promoted(operands, True) if inexact else self._counted(operands)
        return self._matched(values) if (rule or self._rule_name) in ("numpy", "bidirectional") else values

    def power(self, x1: Operand, x2: Operand, *, broadcast_dimensions: Any = None, rule: "str | None" = None) -> Value:
        """x1 ** x2. Integers to a negative power aren't taken: their powers have fractions."""
        given = self._arrays((x1, x2))
        common = self._common_type(given)
        if common == "pred":
            common = "s32"
        if promotion.is_integer(common):
            self._check_integer_power(x2)
        lhs, rhs = (self._as(operand, common) for operand in given)
        return self._of_two(_POWER, lhs, rhs, rule, broadcast_dimensions)

    pow = power

    def _check_integer_power(self, exponent: Operand) -> None:
        fix = 'x1.astype("f32") ** x2; HLO\'s own power is b.add_op("power", x1, x2)'
        if not is_number(exponent):
            raise refused("a power of integers whose exponents aren't known: jax takes 6 bits of them, HLO all", fix)
        if isinstance(exponent, int) and exponent < 0:
            raise refused(f"integers have no power {exponent}", fix)

    def maximum(self, x1: Operand, x2: Operand, *, broadcast_dimensions: Any = None, rule: "str | None" = None) -> Value:
        """The greater one; NaN where one is NaN."""
        return self._of_two(_MAXIMUM, x1, x2, rule, broadcast_dimensions)

    def minimum(self, x1: Operand, x2: Operand, *, broadcast_dimensions: Any = None, rule: "str | None" = None) -> Value:
        """The smaller one; NaN where one is NaN."""
        return self._of_two(_MINIMUM, x1, x2, rule, broadcast_dimensions)

    def atan2(self, x1: Operand, x2: Operand, *, broadcast_dimensions: Any = None, rule: "str | None" = None) -> Value:
        """The angle of the point (x2, x1)."""
        return self._of_two(_ATAN2, x1, x2, rule, broadcast_dimensions, inexact=True)

    arctan2 = atan2

    def logaddexp(self, x1: Operand, x2: Operand) -> Value:
        """log(exp(x1) + exp(x2)), without overflow."""
        return self.composite("log_add_exp", *self._alike((x1, x2), None, inexact=True))

    def nextafter(self, x1: Operand, x2: Operand) -> Value:
        """The float next to x1 in the direction of x2."""
        return self.composite("next_after", *self._alike((x1, x2), None, inexact=True))

    def abs(self, x: Operand) -> Value:
        """The absolute value; of a complex number its magnitude."""
        value = self._numeric(x)
        plain = promotion.is_unsigned(value.dtype) or value.dtype == "pred"
        return value if plain else self._unary(_ABS, value)

    def _whole(self, opcode: int, x: Operand) -> Value:
        value = self._numeric(x)
        plain = promotion.is_integer(value.dtype) or value.dtype == "pred"
        return value if plain else self._unary(opcode, value)

    def ceil(self, x: Operand) -> Value:
        """The nearest integer that isn't below, in the type of x."""
        return self._whole(_CEIL, x)

    def floor(self, x: Operand) -> Value:
        """The nearest integer that isn't above, in the type of x."""
        return self._whole(_FLOOR, x)

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

    def atan(self, x: Operand) -> Value:
        """The arc tangent."""
        return self.composite("atan", self._inexact(x))

    arctan = atan

    def round(self, x: Operand) -> Value:
        """The nearest integer, of two the even one."""
        value = self._numeric(x)
        return value if promotion.is_integer(value.dtype) else self._unary(_ROUND, value)

    def real(self, x: Operand) -> Value:
        """The real part."""
        value = self._numeric(x)
        return self._add("real", [value]) if promotion.is_complex(value.dtype) else value

    def imag(self, x: Operand) -> Value:
        """The imaginary part: of real numbers 0."""
        value = self._numeric(x)
        return self._add("imag", [value]) if promotion.is_complex(value.dtype) else self.zeros_like(value)

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
        return self.composite("is_pos_inf", self._inexact(x))

    def isneginf(self, x: Operand) -> Value:
        """Whether it is minus infinity."""
        return self.composite("is_neg_inf", self._inexact(x))

    def isfinite(self, x: Operand) -> Value:
        """Whether it is neither infinite nor NaN."""
        return self._unary(_FINITE, self._inexact(x))

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

    def logical_and(self, x1: Operand, x2: Operand, *, rule: "str | None" = None) -> Value:
        """Whether both aren't 0."""
        return self._binary(_AND, self._truth(x1), self._truth(x2), rule)

    def logical_or(self, x1: Operand, x2: Operand, *, rule: "str | None" = None) -> Value:
        """Whether one isn't 0."""
        return self._binary(_OR, self._truth(x1), self._truth(x2), rule)

    def logical_xor(self, x1: Operand, x2: Operand, *, rule: "str | None" = None) -> Value:
        """Whether one is 0 and the other isn't."""
        return self._binary(_XOR, self._truth(x1), self._truth(x2), rule)

    def logical_not(self, x: Operand) -> Value:
        """Whether it is 0."""
        return self._unary(_NOT, self._truth(x))

    # --- Bits ------------------------------------------------------------------

    def bitwise_and(self, x1: Operand, x2: Operand, *, rule: "str | None" = None) -> Value:
        """x1 & x2."""
        return self._of_two(_AND, x1, x2, rule)

    def bitwise_or(self, x1: Operand, x2: Operand, *, rule: "str | None" = None) -> Value:
        """x1 | x2."""
        return self._of_two(_OR, x1, x2, rule)

    def bitwise_xor(self, x1: Operand, x2: Operand, *, rule: "str | None" = None) -> Value:
        """x1 ^ x2."""
        return self._of_two(_XOR, x1, x2, rule)

    def bitwise_not(self, x: Operand) -> Value:
        """~x."""
        return self._unary(_NOT, self._numeric(x))

    invert = bitwise_not

    def _shifted(self, x1: Operand, x2: Operand) -> "list[Value]":
        values = self._counted((x1, x2))
        if not promotion.is_integer(values[0].dtype):
            raise refused(f"{values[0].dtype} has no bits to shift", 'x1.astype("s32"), b.bitcast_convert(x1, ...)')
        return values

    def left_shift(self, x1: Operand, x2: Operand, *, rule: "str | None" = None) -> Value:
        """x1 << x2."""
        lhs, rhs = self._shifted(x1, x2)
        return self._of_two(_LEFT, lhs, rhs, rule)

    def right_shift(self, x1: Operand, x2: Operand, *, rule: "str | None" = None) -> Value:
        """x1 >> x2: the sign comes in from the left; of unsigned types 0."""
        lhs, rhs = self._shifted(x1, x2)
        return self._of_two(_RIGHT_UNSIGNED if promotion.is_unsigned(lhs.dtype) else _RIGHT, lhs, rhs, rule)

    # --- Arrays of one number ----------------------------------------------------

    def zeros_like(self, x: Operand) -> Value:
        """0 in the sizes and the type of x."""
        return self.composite("zeros_like", self._numeric(x))

    def ones_like(self, x: Operand) -> Value:
        """1 in the sizes and the type of x."""
        return self.composite("ones_like", self._numeric(x))

