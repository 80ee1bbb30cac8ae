"""Functions of several operations: as jax.numpy and jax.nn have them, by numpy's rule where sizes differ."""

import math
from typing import Any, Sequence

from ._refusal import VALUE, refused
from .arrays import INTEGER_ENDS, Arrays, axes_of, sizes_text
from .shapes import Shape, ShapeLike, as_shape, element_type_of
from .values import Operand, Value


def _shape(shape: "ShapeLike | int | Sequence[int]", dtype: Any) -> Shape:
    """A shape, or sizes with a dtype."""
    if hasattr(shape, "__index__"):
        return Shape.array(element_type_of(dtype), [shape])  # type: ignore[list-item]
    if isinstance(shape, (tuple, list)):
        return Shape.array(element_type_of(dtype), [int(size) for size in shape])
    return as_shape(shape)


class Numeric(Arrays):
    """A part of Builder."""

    # --- Making ----------------------------------------------------------------

    def full(self, shape: "ShapeLike | int | Sequence[int]", number: "float | complex", dtype: Any = "f32") -> Value:
        """An array of equal elements: b.full("f32[2,3]", 1.0), b.full((2, 3), 1.0)."""
        of = _shape(shape, dtype)
        return self.broadcast_in_dim(self.constant(number, of.element_type), of, [])

    def zeros(self, shape: "ShapeLike | int | Sequence[int]", dtype: Any = "f32") -> Value:
        """An array of zeros: b.zeros((2, 3))."""
        return self.full(shape, 0, dtype)

    def ones(self, shape: "ShapeLike | int | Sequence[int]", dtype: Any = "f32") -> Value:
        """An array of ones: b.ones((2, 3))."""
        return self.full(shape, 1, dtype)

    def arange(self, start: int, stop: "int | None" = None, step: int = 1, dtype: Any = "s32") -> Value:
        """start, start + step, ... before stop; of one number, 0, 1, ... before it."""
        first, end = (0, start) if stop is None else (start, stop)
        made = self.iota(Shape.array(element_type_of(dtype), [len(range(first, end, step))]))
        scaled = made if step == 1 else made * self.full(made.type, step)
        return scaled if first == 0 else scaled + self.full(made.type, first)

    # --- Sizes and order -------------------------------------------------------

    def stack(self, operands: "Sequence[Operand]", axis: int = 0) -> Value:
        """Arrays of equal sizes along a new dim."""
        values = self._operands(operands)
        place = axis if axis >= 0 else values[0].ndim + 1 + axis
        return self.concatenate([self.expand_dims(value, place) for value in values], place)

    def squeeze(self, operand: Operand, axis: Any = None) -> Value:
        """Without the dims of size 1 that `axis` names; None: all of them."""
        value = self._operand(operand)
        sizes = sizes_text(value)
        dims = [dim for dim, size in enumerate(sizes) if size == "1"] if axis is None else axes_of(value, axis)
        for dim in dims:
            if sizes[dim] != "1":
                raise refused(VALUE, f"dim {dim} of {value.type}", f"of size {sizes[dim]}", "of size 1", operand=0, dim=dim)
        return self.reshape(value, [size for dim, size in enumerate(sizes) if dim not in dims])

    def swapaxes(self, operand: Operand, axis1: int, axis2: int) -> Value:
        """With two dims exchanged."""
        value = self._operand(operand)
        order = list(range(value.ndim))
        order[axis1], order[axis2] = order[axis2], order[axis1]
        return self.transpose(value, order)

    def tile(self, operand: Operand, repetitions: "int | Sequence[int]") -> Value:
        """The array again and again, so many times along each of the last dims."""
        value = self._operand(operand)
        times = [repetitions] if isinstance(repetitions, int) else list(repetitions)
        times = [1] * (value.ndim - len(times)) + times
        sizes = [1] * (len(times) - value.ndim) + list(value._static())
        paired = [part for pair in zip(times, sizes) for part in pair]
        kept = range(1 + 2 * (len(times) - value.ndim), len(paired), 2)
        made = self.broadcast_in_dim(value, Shape.array(value.dtype, paired), list(kept))
        return self.reshape(made, [time * size for time, size in zip(times, sizes)])

    def take(self, operand: Operand, indices: Operand, axis: int = 0) -> Value:
        """The slices along a dim that integers name; one outside is the nearest inside, as XLA's gather has it."""
        value, places = self._operand(operand), self._operand(indices)
        sizes = list(value._static())
        dim = axes_of(value, axis)[0]
        batch = places.ndim
        return self.gather(
            value,
            places,
            offset_dims=[d if d < dim else d - 1 + batch for d in range(value.ndim) if d != dim],
            collapsed_slice_dims=[dim],
            start_index_map=[dim],
            index_vector_dim=batch,
            slice_sizes=[1 if d == dim else size for d, size in enumerate(sizes)],
        )

    # --- Elements --------------------------------------------------------------

    def where(self, condition: Operand, x: Operand, y: Operand) -> Value:
        """Element by element x where the condition holds, else y."""
        return self.select(condition, x, y, rule="numpy")

    def clip(self, operand: Operand, least: Operand, greatest: Operand) -> Value:
        """At least `least`, at most `greatest`."""
        return self.clamp(least, operand, greatest)

    def relu(self, operand: Operand) -> Value:
        """The elements above 0, and 0 for the others."""
        return self.maximum(operand, 0, rule="numpy")

    def sigmoid(self, operand: Operand) -> Value:
        """1 / (1 + exp(-x))."""
        return self.logistic(operand)

    def silu(self, operand: Operand) -> Value:
        """x * sigmoid(x)."""
        value = self._operand(operand)
        return value * self.logistic(value)

    def one_hot(self, indices: Operand, size: int, dtype: Any = "f32") -> Value:
        """For each integer a row of zeros, with a one where it says."""
        places = self.expand_dims(indices, -1)
        classes = self.arange(size, dtype=places.dtype)
        return self.convert(self.compare(places, classes, direction="EQ", rule="numpy"), dtype)

    # --- Along dims ------------------------------------------------------------

    def logsumexp(self, operand: Operand, axis: Any = None, keepdims: bool = False) -> Value:
        """log(sum(exp(x))), without overflow."""
        value = self._operand(operand)
        most = self._finite_max(value, axis)
        total = self.reduce_sum(self.exp(self.subtract(value, most, rule="numpy")), axis, True)
        result = self.log(total) + most
        return result if keepdims else self.squeeze(result, axes_of(value, axis))

    def softmax(self, operand: Operand, axis: Any = -1) -> Value:
        """exp(x) / sum(exp(x)), without overflow."""
        value = self._operand(operand)
        powers = self.exp(self.subtract(value, self.reduce_max(value, axis, True), rule="numpy"))
        return self.divide(powers, self.reduce_sum(powers, axis, True), rule="numpy")

    def log_softmax(self, operand: Operand, axis: Any = -1) -> Value:
        """log(softmax(x)), without overflow."""
        value = self._operand(operand)
        shifted = self.subtract(value, self.reduce_max(value, axis, True), rule="numpy")
        return self.subtract(shifted, self.log(self.reduce_sum(self.exp(shifted), axis, True)), rule="numpy")

    def _finite_max(self, value: Value, axis: Any) -> Value:
        """The greatest element; 0 where that is infinite."""
        most = self.reduce_max(value, axis, True)
        return self.where(self.is_finite(most), most, 0)

    def var(self, operand: Operand, axis: Any = None, keepdims: bool = False) -> Value:
        """The variance along an axis, several, or all (None)."""
        value = self._operand(operand)
        off = self.subtract(value, self.reduce_mean(value, axis, True), rule="numpy")
        return self.reduce_mean(off * off, axis, keepdims)

    def std(self, operand: Operand, axis: Any = None, keepdims: bool = False) -> Value:
        """The standard deviation along an axis, several, or all (None)."""
        return self.sqrt(self.var(operand, axis, keepdims))

    def cumsum(self, operand: Operand, axis: int) -> Value:
        """The sums so far along an axis."""
        value = self._operand(operand)
        dim = axes_of(value, axis)[0]
        sizes = value._static()
        window = "x".join(str(size) if d == dim else "1" for d, size in enumerate(sizes))
        padding = "x".join(f"{max(size - 1, 0)}_0" if d == dim else "0_0" for d, size in enumerate(sizes))
        if sizes[dim] == 0:
            return value
        made: Value = self.reduce_window(
            value, self.constant(0, value.dtype), lambda a, b: a + b, f"{{size={window} pad={padding}}}"
        )
        return made

    def argmax(self, operand: Operand, axis: int) -> Value:
        """Where the greatest element is, the first of equals, as s32; a NaN is greater than all."""
        return self._arg(operand, axis, "GT", lambda ends: ends[0], -math.inf)

    def argmin(self, operand: Operand, axis: int) -> Value:
        """Where the least element is, the first of equals, as s32; a NaN is less than all."""
        return self._arg(operand, axis, "LT", lambda ends: ends[-1], math.inf)

    def _arg(self, operand: Operand, axis: int, direction: str, end: Any, infinity: float) -> Value:
        value = self._operand(operand)
        dim = axes_of(value, axis)[0]
        if value._static()[dim] == 0:
            raise refused(VALUE, f"dim {dim} of {value.type}", "of size 0", "of at least 1", operand=0, dim=dim)
        ends = INTEGER_ENDS.get(value.dtype)
        worst = self.constant(infinity if ends is None else end(ends), value.dtype)
        places = self.iota(Shape.array("s32", value.shape), dim)

        def better(a: Value, i: Value, b: Value, j: Value) -> "tuple[Value, Value]":
            wins = self.compare(a, b, direction=direction) | self.compare(a, a, direction="NE")
            first = wins | (self.compare(a, b, direction="EQ") & (i < j))
            # Of two NaNs the first one.
            first = first & ~(self.compare(a, a, direction="NE") & self.compare(b, b, direction="NE") & (j < i))
            return self.select(wins, a, b), self.select(first, i, j)

        _, index = self.reduce([value, places], [worst, self.constant(0, "s32")], better, [dim])
        result: Value = index
        return result
