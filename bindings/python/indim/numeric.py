# SPDX-License-Identifier: Apache-2.0
"""Functions of several operations as jax.numpy and jax.nn have them: their names, arguments and types; the library computes."""

import math
import operator
from typing import Any, Sequence

from . import type_lattice
from .arrays import axes_of, axis_of
from .elementwise import Elementwise
from .operands import refused, sizes_text
from .shapes import Shape, ShapeLike, as_shape, element_type_of
from .values import Operand, Value

Axis = Any  # an int, several, or None for all


def _shape(shape: "ShapeLike | int | Sequence[int]", dtype: Any) -> Shape:
    """A shape, or sizes with a dtype."""
    if hasattr(shape, "__index__"):
        return Shape.array(element_type_of(dtype), [shape])  # type: ignore[list-item]
    if isinstance(shape, (tuple, list)):
        # By its text, so that sizes may have names, and negative ones are errors.
        return as_shape(f"{element_type_of(dtype)}[{','.join(map(str, shape))}]")
    return as_shape(shape)


class Numeric(Elementwise):
    """A part of Builder."""

    # --- Making ----------------------------------------------------------------

    def full(self, shape: "ShapeLike | int | Sequence[int]", fill_value: Operand, dtype: Any = None) -> Value:
        """An array of equal elements: b.full("f32[2,3]", 1.0), b.full((2, 3), 1.0); without a dtype of the number's type."""
        given = self._arrays([fill_value])[0]
        of = _shape(shape, dtype if dtype is not None else self._common_type([given])[0])
        value = self._as(given, of.element_type, dtype is None and self._is_weak(given))
        text = str(of)
        return self.broadcast_to(value, text[text.index("[") + 1 : text.index("]")].split(",") if of.rank else [])

    def zeros(self, shape: "ShapeLike | int | Sequence[int]", dtype: Any = "f32") -> Value:
        """An array of 0."""
        return self.full(shape, 0, dtype)

    def ones(self, shape: "ShapeLike | int | Sequence[int]", dtype: Any = "f32") -> Value:
        """An array of 1."""
        return self.full(shape, 1, dtype)

    def full_like(self, x: Operand, fill_value: Operand, dtype: Any = None) -> Value:
        """One number in the sizes and the type of x."""
        value = self._numeric(x)
        of = value.dtype if dtype is None else element_type_of(dtype)
        filler = self._as(self._arrays([fill_value])[0], of, dtype is None and value.weak_type)
        return self.broadcast_to(filler, sizes_text(value))

    def arange(self, start: float, stop: "float | None" = None, step: "float | None" = None, dtype: Any = None) -> Value:
        """start, start + step, ... before stop; of one number, 0, 1, ... before it."""
        first, end = (0, start) if stop is None else (start, stop)
        given = [number for number in (start, stop, step) if number is not None]
        if step == 0 or any(isinstance(number, complex) for number in given):
            raise refused(f"arange() of {', '.join(map(str, given))}", "real numbers, of which the step isn't 0")
        whole = all(hasattr(number, "__index__") for number in given)
        of = element_type_of(dtype) if dtype is not None else "s32" if whole else "f32"
        count = max(0, math.ceil((end - first) / step if step is not None else end - first))
        # As jax: of a type below 32 bits only where there is no step.
        working = "f32" if step is not None and type_lattice.is_float(of) and of != "f64" else of
        numbers = [type_lattice.wrapped(number, working) for number in (first, 1 if step is None else step)]
        return self._converted(self.composite("progression", type=working, count=count, start=numbers[0], step=numbers[1]), of)

    def eye(self, N: int, M: "int | None" = None, k: int = 0, dtype: Any = "f32") -> Value:
        """1 on the diagonal, else 0."""
        if k:
            raise refused(f"eye() of diagonal {k}", 'b.composite("triangle_mask", x, k=k)')
        return self.composite("identity_matrix", type=element_type_of(dtype), rows=N, columns=N if M is None else M)

    # --- Sizes and order -------------------------------------------------------

    def concatenate(self, arrays: "Sequence[Operand]", axis: "int | None" = 0) -> Value:
        """Arrays one behind the other along a dim; None: of all their elements."""
        values = self._promoted(arrays)
        if axis is None:
            values, axis = [self.reshape(value, [-1]) for value in values], 0
        return self._add("concatenate", values, {"dimensions": [axis_of(values[0], axis)]})

    def stack(self, arrays: "Sequence[Operand]", axis: int = 0) -> Value:
        """Arrays of equal sizes along a new dim."""
        return self.composite("stack", *self._promoted(arrays), dim=axis)

    def split(self, x: Operand, indices_or_sections: "int | Sequence[int]", axis: int = 0) -> "list[Value]":
        """As many equal parts, or parts that begin at 0 and at each index."""
        value = self._operand(x)
        axis = axis_of(value, axis)
        if hasattr(indices_or_sections, "__index__"):
            return list(self.composites("split", value, count=indices_or_sections, dim=axis))
        size = value._static()[axis]
        ends = [min(i + size if i < 0 else i, size) for i in map(operator.index, indices_or_sections)]
        starts = [0, *ends]
        sizes = [max(0, end - start) for start, end in zip(starts, [*ends, size])]
        if sum(sizes) != size:
            raise refused(f"split() at {list(indices_or_sections)}, which isn't ascending", "x[a:b] for each part")
        return list(self.composites("split_by_sizes", value, sizes=sizes, dim=axis))

    def expand_dims(self, x: Operand, axis: "int | Sequence[int]") -> Value:
        """New dims of size 1, which are these of the result."""
        value = self._operand(x)
        new = [axis] if hasattr(axis, "__index__") else list(axis)
        return self.composite("expand_dims", value, dims=[axis_of(value, dim, len(new)) for dim in new])

    def squeeze(self, x: Operand, axis: Axis = None) -> Value:
        """Without the dims of size 1 that `axis` names; None: all of them."""
        value = self._operand(x)
        return self.composite("squeeze", value, dims=None if axis is None else axes_of(value, axis))

    def swapaxes(self, x: Operand, axis1: int, axis2: int) -> Value:
        """Two dims in each other's place."""
        value = self._operand(x)
        order = list(range(value.ndim))
        first, second = axis_of(value, axis1), axis_of(value, axis2)
        order[first], order[second] = order[second], order[first]
        return self.transpose(value, order)

    def tile(self, x: Operand, reps: "int | Sequence[int]") -> Value:
        """The array again and again, so many times along each of the last dims."""
        return self.composite("tile", x, reps=[reps] if hasattr(reps, "__index__") else list(reps))

    # --- Choosing --------------------------------------------------------------

    def where(self, condition: Operand, x: Operand, y: Operand) -> Value:
        """Element by element x where the condition isn't 0, else y."""
        values = self._promoted((x, y))
        return self._typed(self.composite("where", self._truth(condition), *values), values[0].weak_type)

    def clip(self, x: Operand, min: "Operand | None" = None, max: "Operand | None" = None) -> Value:
        """At least `min`, at most `max`: HLO's maximum and minimum of operands of one type, either of which may be missing."""
        value = self._promoted([x])[0]
        if type_lattice.is_complex(value.dtype):
            raise refused("complex numbers have no order", "x.real, x.imag")
        # As in jax, the least one meets x before the greatest one does, in the type that these two have.
        if min is not None:
            value = self.maximum(min, value, rule="numpy")
        return value if max is None else self.minimum(max, value, rule="numpy")

    def _taking(self, x: Operand, indices: Operand, axis: "int | None") -> "tuple[Value, Value, int]":
        value, places = self._numeric(x), self._numeric(indices)
        if axis is None:
            value, axis = self.reshape(value, [-1]), 0
        axis = axis_of(value, axis)
        if value.shape[axis] == 0 and 0 not in places.shape:
            raise refused(f"{value.type} has nothing to take along axis {axis}", "no indices, or another axis")
        return value, places, axis

    def take(self, x: Operand, indices: Operand, axis: "int | None" = None, mode: "str | None" = None) -> Value:
        """The slices along a dim that integers name, -1 the last one; None: of all elements.

        One outside gives NaN, or the least integer (unsigned: the greatest; a truth: True). With mode="clip" it is the nearest
        inside, and those below 0 are the first; with mode="wrap" they count on from the other end.
        """
        value, places, dim = self._taking(x, indices, axis)
        if mode == "clip":
            made = self.composite("index_select", value, places, dim=dim)
        elif mode == "wrap":
            size = self.constant(value._static()[dim], places.dtype)
            made = self.composite("take", value, self.composite("floor_mod", places, size), dim=dim)
        elif mode in (None, "fill"):
            made = self.composite("take", value, places, dim=dim, fill=True)
        else:
            raise refused(f"take() with mode {mode!r}", '"fill", "clip" or "wrap"')
        return self._typed(made, value.weak_type)

    def take_along_axis(self, x: Operand, indices: Operand, axis: "int | None" = -1, mode: "str | None" = None) -> Value:
        """result[i, j] = x[i, indices[i, j]] for the last dim; indices as in take(). The other dims match by numpy's rule."""
        value, places, dim = self._taking(x, indices, axis)
        if axis is None:
            places = self.reshape(places, [-1])
        if mode not in (None, "fill"):
            raise refused(f"take_along_axis() with mode {mode!r}", '"fill"')
        if value.ndim == places.ndim:
            value, places = self._stretched(value, places, dim), self._stretched(places, value, dim)
        return self._typed(self.composite("take_along_dim", value, places, dim=dim, fill=True), value.weak_type)

    def _stretched(self, value: Value, other: Value, dim: int) -> Value:
        """The value with the other's sizes where its own are 1, but along `dim`: numpy's rule."""
        sizes = [to if of == "1" and at != dim else of for at, (of, to) in enumerate(zip(sizes_text(value), sizes_text(other)))]
        return value if sizes == sizes_text(value) else self.broadcast_to(value, sizes)

    def tril(self, x: Operand, k: int = 0) -> Value:
        """The elements of matrices up to diagonal k, else 0."""
        value = self._numeric(x)
        return self.where(self.composite("triangle_mask", value, k=k), value, self.zeros_like(value))

    def triu(self, x: Operand, k: int = 0) -> Value:
        """The elements of matrices from diagonal k on, else 0."""
        value = self._numeric(x)
        return self.where(self.composite("triangle_mask", value, k=k - 1), self.zeros_like(value), value)

    # --- Products --------------------------------------------------------------

    def matmul(self, a: Operand, b: Operand) -> Value:
        """a @ b: of vectors, matrices and stacks of matrices, whose batch dims match by numpy's rule."""
        lhs, rhs = self._promoted((a, b))
        if 0 < lhs.ndim <= 2 and 0 < rhs.ndim <= 2:
            return self.dot(lhs, rhs)
        if not lhs.ndim or not rhs.ndim:
            raise refused("a scalar has no rows", "x * y")
        return self.composite("mat_mul", lhs, rhs)

    def dot(self, a: Operand, b: Operand) -> Value:
        """Sums over the last dim of a and the last but one of b, or its only one; of scalars the product."""
        lhs, rhs = self._promoted((a, b))
        if lhs.ndim == 0 or rhs.ndim == 0:
            return self.multiply(lhs, rhs)
        return self.dot_general(lhs, rhs, ([lhs.ndim - 1], [max(rhs.ndim - 2, 0)]))

    def einsum(self, subscripts: str, *operands: Operand) -> Value:
        """Sums of products, by naming the dims: b.einsum("ij,jk->ik", x, y)."""
        return self.composite("einsum", *self._promoted(operands), subscripts=subscripts)

    # --- Along dims ------------------------------------------------------------

    def _summed(self, x: Operand, dtype: Any) -> Value:
        value = self._numeric(x)
        return self._converted(value, type_lattice.of_sum(value.dtype) if dtype is None else element_type_of(dtype))

    def sum(self, x: Operand, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Value:
        """The sum; of truths and of small integers in 32 bits."""
        return self._reduction("reduce_sum", self._summed(x, dtype), axis, keepdims)

    def prod(self, x: Operand, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Value:
        """The product; of truths and of small integers in 32 bits."""
        return self._reduction("reduce_prod", self._summed(x, dtype), axis, keepdims)

    def mean(self, x: Operand, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Value:
        """The mean; of integers a float."""
        value = self._typed(self._inexact(x)) if dtype is None else self._converted(self._numeric(x), element_type_of(dtype))
        return self._reduction("mean", value, axis, keepdims)

    def _spread(self, name: str, x: Operand, axis: Axis, ddof: int, keepdims: bool) -> Value:
        return self._reduction(name, self._typed(self._inexact(x)), axis, keepdims, correction=ddof)

    def var(self, x: Operand, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Value:
        """The mean of the squared distances from the mean; ddof=1: the unbiased estimate."""
        return self._spread("variance", x, axis, ddof, keepdims)

    def std(self, x: Operand, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Value:
        """The square root of var()."""
        return self._spread("std_dev", x, axis, ddof, keepdims)

    def _with_elements(self, x: Operand, axis: Axis) -> Value:
        value = self._typed(self._numeric(x))
        sizes = value.shape
        if any(sizes[dim] == 0 for dim in axes_of(value, axis)):
            fix = "b.reduce_max(x) or b.reduce_min(x), which give the least or the greatest value of the type"
            raise refused(f"{value.type} has no elements along axis {axis}, of which none is the greatest or the least", fix)
        return value

    def max(self, x: Operand, axis: Axis = None, keepdims: bool = False) -> Value:
        """The greatest element; a NaN is greater than all."""
        return self._reduction("reduce_max", self._with_elements(x, axis), axis, keepdims)

    def min(self, x: Operand, axis: Axis = None, keepdims: bool = False) -> Value:
        """The least element; a NaN is less than all."""
        return self._reduction("reduce_min", self._with_elements(x, axis), axis, keepdims)

    def all(self, x: Operand, axis: Axis = None, keepdims: bool = False) -> Value:
        """Whether all elements aren't 0."""
        return self._reduction("all", self._typed(self._numeric(x)), axis, keepdims)

    def any(self, x: Operand, axis: Axis = None, keepdims: bool = False) -> Value:
        """Whether an element isn't 0."""
        return self._reduction("any", self._typed(self._numeric(x)), axis, keepdims)

    def _arg(self, name: str, x: Operand, axis: "int | None", keepdims: bool) -> Value:
        value = self._other_than(self._with_elements(x, axis), "f8e8m0fnu", name.replace("_", ""))
        index_type = "s64" if type_lattice.has_64_bits(value.dtype) else "s32"
        if axis is not None:
            return self.composite(name, value, dim=axis_of(value, axis), index_type=index_type, keep_dims=keepdims)
        found = self.composite(name, self.reshape(value, [-1]), dim=0, index_type=index_type)
        return self.reshape(found, [1] * value.ndim) if keepdims else found

    def argmax(self, x: Operand, axis: "int | None" = None, keepdims: bool = False) -> Value:
        """Where the greatest element is, the first of equals; a NaN is greater than all. Without an axis, among all elements."""
        return self._arg("arg_max", x, axis, keepdims)

    def argmin(self, x: Operand, axis: "int | None" = None, keepdims: bool = False) -> Value:
        """Where the least element is, the first of equals; a NaN is less than all. Without an axis, among all elements."""
        return self._arg("arg_min", x, axis, keepdims)

    def _running(self, name: str, value: Value, axis: "int | None", **more: Any) -> Value:
        if axis is None:
            value, axis = self.reshape(value, [-1]), 0
        return self.composite(name, value, dim=axis_of(value, axis), **more)

    def cumsum(self, x: Operand, axis: "int | None" = None, dtype: Any = None) -> Value:
        """Running sums along a dim; None: of all elements, in one."""
        return self._running("cum_sum", self._run(x, dtype), axis)

    def cumprod(self, x: Operand, axis: "int | None" = None, dtype: Any = None) -> Value:
        """Running products along a dim; None: of all elements, in one."""
        return self._running("cum_prod", self._run(x, dtype), axis)

    def _run(self, x: Operand, dtype: Any) -> Value:
        value = self._numeric(x)
        of = element_type_of(dtype) if dtype is not None else "s32" if value.dtype == "pred" else value.dtype
        return self._converted(value, of)

    def logsumexp(self, x: Operand, axis: Axis = None, keepdims: bool = False) -> Value:
        """log(sum(exp(x))), without overflow."""
        return self._reduction("log_sum_exp", self._typed(self._inexact(x)), axis, keepdims)

    def _fractions(self, x: Operand, name: str) -> Value:
        """A value that is no integer."""
        value = self._numeric(x)
        if type_lattice.is_integer(value.dtype) or value.dtype == "pred":
            why = f"x is of {value.dtype}, in which jax subtracts numbers before it makes fractions of them, and the differences may wrap around"
            raise refused(why, f'b.{name}(x.astype("f32"))')
        return value

    def softmax(self, x: Operand, axis: Axis = -1) -> Value:
        """exp(x) divided by its sum along dims."""
        value = self._typed(self._fractions(x, "softmax"))
        return self.composite("softmax", value, dims=axes_of(value, axis))

    def log_softmax(self, x: Operand, axis: Axis = -1) -> Value:
        """The logarithm of softmax()."""
        value = self._typed(self._fractions(x, "log_softmax"))
        return self.composite("log_softmax", value, dims=axes_of(value, axis))

    # --- Activations -----------------------------------------------------------

    def relu(self, x: Operand) -> Value:
        """max(x, 0)."""
        return self.composite("relu", self._beside(x, 0, type_lattice.numeric))

    def relu6(self, x: Operand) -> Value:
        """min(max(x, 0), 6)."""
        return self.composite("relu6", self._beside(x, 0.0, type_lattice.inexact))

    def leaky_relu(self, x: Operand, negative_slope: float = 0.01) -> Value:
        """x where it is positive, else x * negative_slope."""
        return self.composite("leaky_relu", self._other_than(self._beside(x, 0.0, type_lattice.inexact), "f8e8m0fnu", "leaky_relu"), slope=negative_slope)

    def elu(self, x: Operand, alpha: float = 1.0) -> Value:
        """x where it is positive, else alpha * (exp(x) - 1)."""
        return self.composite("elu", self._beside(x, 0.0, type_lattice.inexact), alpha=alpha)

    def sigmoid(self, x: Operand) -> Value:
        """1 / (1 + exp(-x))."""
        return self.logistic(x)

    def silu(self, x: Operand) -> Value:
        """x * sigmoid(x)."""
        return self.composite("silu", self._numeric(x))

    def softplus(self, x: Operand) -> Value:
        """log(1 + exp(x))."""
        return self.composite("softplus", self._beside(x, 0, type_lattice.inexact))

    def log_sigmoid(self, x: Operand) -> Value:
        """log(sigmoid(x))."""
        return self.composite("log_sigmoid", self._fractions(x, "log_sigmoid"))

    def gelu(self, x: Operand, approximate: bool = True) -> Value:
        """x times the normal distribution's cumulative probability at x; approximate, as jax.nn has it, by a tanh."""
        return self.composite("gelu", self._typed(self._inexact(x)), approximate=approximate)

    def one_hot(self, x: Operand, num_classes: int, *, dtype: Any = None, axis: int = -1) -> Value:
        """For each integer a row of zeros, with a one where it says; f32, of 64-bit integers f64."""
        value = self._numeric(x)
        of = type_lattice.inexact(value.dtype) if dtype is None else element_type_of(dtype)
        if type_lattice.is_integer(value.dtype) and num_classes - 1 != type_lattice.wrapped(num_classes - 1, value.dtype):
            why = f"{value.dtype} doesn't have all numbers below {num_classes}: in jax they wrap around"
            raise refused(why, f'b.one_hot(x.astype("s32"), {num_classes})')
        return self.composite("one_hot", self._typed(value), depth=num_classes, type=of, dim=axis)

    def dot_product_attention(
        self,
        query: Operand,
        key: Operand,
        value: Operand,
        bias: "Operand | None" = None,
        mask: "Operand | None" = None,
        *,
        scale: "float | None" = None,
        is_causal: bool = False,
    ) -> Value:
        """A mean of values, weighted by how queries match keys; all are [batch, positions, heads, size]."""
        operands = [self._typed(operand) for operand in self._promoted((query, key, value))]
        arguments: "dict[str, Any]" = {"causal": is_causal, "scale": scale}
        for name, more in (("bias", bias), ("mask", mask)):
            if more is not None:
                arguments[name] = len(operands)
                operands.append(self._operand(more))
        return self.composite("dot_product_attention", *operands, **arguments)
