# SPDX-License-Identifier: Apache-2.0
"""Operations on arrays that take more than operands: as jax.lax and jax.numpy have them."""

import json
import operator
from typing import TYPE_CHECKING, Any, Sequence, cast

from . import _abi
from ._library import caller
from ._refusal import AXIS, BROADCAST_DIMS, COUNT, NAME, PAD_INTERIOR, SLICE_LENGTH, TYPE, VALUE, nearest, refused
from .attributes import dim_labels_text
from .control import Control
from .errors import InvalidArgument, OutOfRange, WrongType
from .indexing import SMALL_INTEGERS, from_end, index_of
from .inference import infer
from .operands import sizes_of, sizes_text
from .shapes import Shape, ShapeLike, as_shape, element_type_of
from .values import Operand, Value

if TYPE_CHECKING:
    from .builder import Builder


# By how Python writes them.
_DIRECTIONS = {"==": "EQ", "!=": "NE", "<": "LT", "<=": "LE", ">": "GT", ">=": "GE"}

# What takes values where a function with an axis was called.
_OF_VALUES = {
    "concatenate": "b.concatenate([x, y])",
    "max": "b.maximum(x, y)",
    "min": "b.minimum(x, y)",
    "stack": "b.stack([x, y])",
    "sum": "x + y",
}


def axes_of(value: Value, axis: Any) -> "list[int]":
    """The dims that an axis means, ascending; None: all."""
    rank = value.ndim
    if axis is None:
        return list(range(rank))
    several = hasattr(axis, "__iter__") and not isinstance(axis, (str, Value))
    given = list(axis) if several else [axis]
    dims = sorted(axis_of(value, dim) for dim in given)
    if len(set(dims)) < len(dims):
        raise refused(VALUE, "axis", axis, "each dim once", operand=0)
    return dims


def axis_of(value: Value, axis: Any, new: int = 0) -> int:
    """The dim that an axis means, counted from the end where it is negative; `new`: among so many dims more."""
    rank = value.ndim + new
    if isinstance(axis, Value):
        raise refused(TYPE, "integers for an axis", "a value", operand=0, fix=_OF_VALUES.get(caller()[2], "axis=0"), kind=WrongType)
    if not hasattr(axis, "__index__"):
        raise refused(TYPE, "integers for an axis", repr(axis), operand=0, fix="axis=0", kind=WrongType)
    dim = int(axis) + rank if axis < 0 else int(axis)
    if not 0 <= dim < rank:
        nearest = f"axis={min(max(int(axis), -rank), rank - 1)}" if rank else "no axis: it is a scalar"
        dims = f"{rank} dims" if rank != 1 else "1 dim"
        raise refused(AXIS, axis, value.type, dims if not new else f"{dims} with the new one", operand=0, fix=nearest, kind=OutOfRange)
    return dim


def _placed(sizes: "list[str]", target: "list[str]") -> str:
    """The call that has each dim match an equal one of the target, in order, or in another one; "": there is none."""
    with_ones: "list[str]" = []
    left = list(sizes)
    for size in target:
        with_ones.append(left.pop(0) if left and left[0] == size else "1")
    if left and sorted(sizes) == sorted(target):
        order = [position for size in dict.fromkeys(target) for position, of in enumerate(sizes) if of == size]
        places = sorted(range(len(target)), key=lambda at: target.index(target[at]))
        axes = [order[places.index(at)] for at in range(len(target))]
        return "x.T" if axes == list(range(len(axes)))[::-1] else f"x.transpose({', '.join(map(str, axes))})"
    return "" if left else f"x.reshape({', '.join(with_ones)}).broadcast_to({', '.join(target)})"


def _dims_of_sizes(sizes: "list[str]", target: "list[str]") -> "list[int] | None":
    """The first dims of the target that have these sizes, in order; None: it doesn't have them."""
    dims: "list[int]" = []
    for size in sizes:
        first = dims[-1] + 1 if dims else 0
        if size not in target[first:]:
            return None
        dims.append(target.index(size, first))
    return dims


class Arrays(Control):
    """A part of Builder."""

    # --- Elements --------------------------------------------------------------

    def convert(self, operand: Operand, dtype: Any) -> Value:
        """Another element type: b.convert(x, "bf16"). Of a complex number the real part stays."""
        return self._converted(self._operand(operand), element_type_of(dtype))

    def bitcast_convert(self, operand: Operand, shape: ShapeLike) -> Value:
        """The same bits as another type."""
        return self._add("bitcast-convert", [operand], {}, shape)

    def compare(
        self,
        lhs: Operand,
        rhs: Operand,
        *,
        direction: str,
        type: "str | None" = None,
        broadcast_dimensions: Any = None,
        rule: "str | None" = None,
    ) -> Value:
        """direction: "EQ", "NE", "LT", "LE", "GT" or "GE"; type: "TOTALORDER" for floats' total order."""
        if direction not in _DIRECTIONS.values():
            meant = _DIRECTIONS.get(direction) or str(direction).upper()
            raise refused(NAME, repr(direction), "direction", fix=nearest(meant, _DIRECTIONS.values(), 'direction="{}"'))
        attributes = {"direction": direction, "type": type, "broadcast_dimensions": broadcast_dimensions}
        rule = rule or ("xla" if broadcast_dimensions is not None else self._rule_name)
        return self._add("compare", [lhs, rhs], attributes, None, rule)

    def select(self, predicate: Operand, on_true: Operand, on_false: Operand, *, rule: "str | None" = None) -> Value:
        """Element by element on_true or on_false. By the rule "numpy" all three match; else their sizes are equal, or the
        predicate is a scalar.
        """
        values = [self._operand(predicate), *self._operands((on_true, on_false))]
        if (rule or self._rule_name) == "numpy":
            values = self._matched(values)
        return self._add("select", values)

    def _matched(self, values: "list[Value]") -> "list[Value]":
        """All of the same sizes, by numpy's rule."""
        sizes = [sizes_text(value) for value in values]
        if all(of == sizes[0] for of in sizes):
            return values
        # What they give together, an operation that has the rule says.
        plain = [f"f32[{','.join(of)}]" for of in sizes]
        together = plain[0]
        for of in plain[1:]:
            together = str(infer("add", together, of, rule="numpy"))
        target = sizes_of(together)
        return [value if of == target else self.broadcast_to(value, target) for value, of in zip(values, sizes)]

    def clamp(self, least: Operand, operand: Operand, greatest: Operand) -> Value:
        """At least `least`, at most `greatest`."""
        value = self._operand(operand, next((o for o in (least, greatest) if isinstance(o, Value)), None))
        return self._add("clamp", [self._operand(least, value), value, self._operand(greatest, value)])

    # --- Sizes and order -------------------------------------------------------

    def iota(self, shape: ShapeLike, dimension: int = 0) -> Value:
        """0, 1, 2, ... along a dim: b.iota("s32[8,4]", 1)."""
        return self._add("iota", [], {"iota_dimension": dimension}, shape)

    def reshape(self, operand: Operand, dims: "Sequence[int | str]") -> Value:
        """Other sizes for as many elements; one may be -1, as numpy has it."""
        value = self._operand(operand)
        sizes = list(dims)
        if -1 in sizes:
            known = 1
            for size in sizes:
                if size != -1:
                    known *= int(size)
            if sizes.count(-1) > 1 or known == 0 or value.size % known:
                why = "sizes of which one is -1, and the others divide the number of elements"
                raise refused(VALUE, "dims of " + str(value.type), list(dims), why, operand=0, fix="x.reshape(-1)")
            sizes[sizes.index(-1)] = value.size // known
        return self._add("reshape", [value], {}, f"{value.dtype}[{','.join(map(str, sizes))}]")

    def transpose(self, operand: Operand, axes: "Sequence[int] | None" = None) -> Value:
        """Dim i of the result is dim axes[i]; None: all reversed."""
        value = self._operand(operand)
        rank = value.ndim
        order = [axis + rank if axis < 0 else axis for axis in axes] if axes is not None else list(range(rank))[::-1]
        return self._add("transpose", [value], {"dimensions": order})

    def broadcast_in_dim(self, operand: Operand, shape: ShapeLike, dimensions: "Sequence[int]") -> Value:
        """Dim i of the operand becomes dim dimensions[i] of `shape`; dims of size 1 stretch."""
        value = self._operand(operand)
        target = as_shape(shape)
        text = str(target)
        sizes = text[text.index("[") : text.index("]") + 1]
        kept = [i for i, dim in enumerate(dimensions) if not self._stretches(value, target, i, dim)]
        if len(kept) < len(dimensions):
            of = sizes_text(value)
            value = self.reshape(value, [of[i] for i in kept])
        try:
            return self._add("broadcast", [value], {"dimensions": [dimensions[i] for i in kept]}, value.dtype + sizes)
        except InvalidArgument as error:
            fitting = _dims_of_sizes(sizes_text(value), sizes_of(sizes)) if error.code in BROADCAST_DIMS else None
            if fitting is None or len(kept) < len(dimensions):
                raise
            raise error.with_fix(f"dimensions=[{','.join(map(str, fitting))}]") from None

    def _stretches(self, value: Value, target: Shape, index: int, dim: int) -> bool:
        of, to = value.shape, target.dims
        return index < len(of) and 0 <= dim < len(to) and of[index] == 1 and to[dim] != 1

    def broadcast_to(self, operand: Operand, dims: "Sequence[int | str]") -> Value:
        """By numpy's rule: the last dims match, sizes of 1 stretch."""
        value = self._operand(operand)
        rank = value.ndim
        first = len(dims) - rank
        if first < 0:
            raise refused(COUNT, f"{value.type} has {rank} dims, and none goes", f"{len(dims)} sizes", operand=0, fix=f"{rank} sizes")
        sizes, target = sizes_text(value), [str(size) for size in dims]
        for dim, size in enumerate(sizes):
            if size not in ("1", target[first + dim]) and size.isdigit() and target[first + dim].isdigit():
                has, wanted = f"of size {size}", f"of size 1 or {target[first + dim]}, as dim {first + dim} of the target"
                fix = _placed(sizes, target)
                raise refused(VALUE, f"dim {dim} of {value.type}", has, wanted, operand=0, dim=dim, fix=fix)
        shape = f"{value.dtype}[{','.join(target)}]"
        return self.broadcast_in_dim(value, shape, range(first, first + rank))

    def slice(
        self,
        operand: Operand,
        starts: "Sequence[int]",
        limits: "Sequence[int]",
        strides: "Sequence[int] | None" = None,
    ) -> Value:
        """From `starts` to before `limits`, each dim by its stride."""
        steps = [1] * len(starts) if strides is None else list(strides)
        ranges = [slice(start, limit, step) for start, limit, step in zip(starts, limits, steps)]
        if not len(starts) == len(limits) == len(steps):
            has = f"{len(starts)} starts, {len(limits)} limits and {len(steps)} strides"
            raise refused(COUNT, "starts, limits and strides are one for each dim", has, operand=0, fix="x[1:3, :]")
        try:
            return self._add("slice", [operand], {"slice": ranges})
        except InvalidArgument as error:
            value = self._operand(operand)
            if error.code != SLICE_LENGTH or len(starts) > value.ndim:
                raise
            # The dims that aren't named stay whole.
            sizes = value._static(range(len(starts), value.ndim))[len(starts) :]
            whole = {"starts": [*starts, *(0 for _ in sizes)], "limits": [*limits, *sizes]}
            if strides is not None:
                whole["strides"] = [*steps, *(1 for _ in sizes)]
            raise error.with_fix(", ".join(f"{name}=[{','.join(map(str, of))}]" for name, of in whole.items())) from None

    def dynamic_slice(
        self, operand: Operand, starts: "Sequence[Operand]", sizes: "Sequence[int]", *, allow_negative_indices: bool = True
    ) -> Value:  # fmt: skip
        """Sizes known, starts at run time: scalars. Those below 0 count from the end, as in jax, or are 0, as in HLO, where
        `allow_negative_indices` is False. A slice that doesn't fit is the nearest that does.
        """
        value = self._operand(operand)
        places = self._starts(value, starts, allow_negative_indices)
        return self._add("dynamic-slice", [value, *places], {"dynamic_slice_sizes": list(sizes)})

    def dynamic_update_slice(
        self, operand: Operand, update: Operand, starts: "Sequence[Operand]", *, allow_negative_indices: bool = True
    ) -> Value:  # fmt: skip
        """The operand with `update` at a place that is known at run time, as dynamic_slice() has it."""
        value = self._operand(operand)
        places = self._starts(value, starts, allow_negative_indices)
        return self._add("dynamic-update-slice", [value, self._operand(update, value), *places])

    def _starts(self, value: Value, starts: "Sequence[Operand]", allow_negative: bool) -> "list[Value]":
        """Scalars of one type for each dim."""
        given = [start for start in starts if isinstance(start, Value)]
        known = [start for start in starts if not isinstance(start, Value)]
        are_integers = all(start.dtype[:1] in ("s", "u") and not start.ndim for start in given) and all(hasattr(start, "__index__") for start in known)
        if len(starts) != value.ndim or not are_integers:
            # They are refused, by what reads them.
            return [start if isinstance(start, Value) else self.constant(start, "s32") for start in starts]
        kinds = {"s32" if start.dtype in SMALL_INTEGERS else start.dtype for start in given} or {"s32"}
        kind = kinds.pop() if len(kinds) == 1 else "s64"
        made: "list[Value]" = []
        for dim, start in enumerate(starts):
            if isinstance(start, Value):
                place = self._converted(start, kind)
                made.append(from_end(cast("Builder", self), place, self._size(value, dim)) if allow_negative else place)
            else:
                number = operator.index(cast(Any, start))
                made.append(self.constant(number + value._static([dim])[dim] if number < 0 and allow_negative else number, kind))
        return made

    def _size(self, value: Value, dim: int) -> "int | Value":
        """A number, or what the module computes where none is known."""
        _, sizes, kinds = value._dims()
        return sizes[dim] if kinds[dim] == _abi.DIM_STATIC else self._add("get-dimension-size", [value], {"dimensions": [dim]})

    def pad(self, operand: Operand, value: Operand, padding: "Sequence[Sequence[int]]") -> Value:
        """`padding` has for each dim how much comes before it, behind it and, if given, between its elements."""
        array = self._operand(operand)
        pairs = [tuple(dim) if isinstance(dim, (tuple, list)) else dim for dim in padding]
        if not all(isinstance(dim, tuple) and 2 <= len(dim) <= 3 for dim in pairs):
            wanted = "for each dim how much comes before, behind and, if given, between"
            raise refused(VALUE, "padding", list(padding), wanted, operand=0, fix="[(1, 0), (0, 2)]", kind=WrongType)
        text = "x".join("_".join(map(str, dim)) for dim in pairs)
        try:
            return self._add("pad", [array, self._operand(value, array)], {"padding": text})
        except InvalidArgument as error:
            if error.code != PAD_INTERIOR:
                raise
            mended = [(*dim[:2], max(dim[2], 0)) if len(dim) == 3 else dim for dim in pairs]
            raise error.with_fix(f"padding={mended}") from None

    def top_k(self, operand: Operand, k: int, *, largest: bool = True, is_stable: "bool | None" = None) -> Value:
        """The k largest along the last dim and, as s32, where they were: values, places = b.top_k(x, 2)."""
        return self._add("topk", [operand], {"k": k, "largest": largest, "is_stable": is_stable})

    def convolution(self, lhs: Operand, rhs: Operand, *, dim_labels: Any, window: Any = None, **attributes: Any) -> Value:
        """Sums of products under a kernel, rhs, that moves over spatial dims: b.convolution(x, w, dim_labels="NHWC,HWIO->NHWC").

        Without a window each step is one element, and nothing is padded: window="{size=5x5 stride=2x2 pad=2_2x2_2}" says otherwise.
        """
        array, kernel = self._operands((lhs, rhs))
        labels = dim_labels_text(dim_labels)
        if window is None:
            of = labels.partition("_")[2].partition("->")[0]
            spatial = sorted((letter, dim) for dim, letter in enumerate(of) if letter.isdigit())
            if all(dim < kernel.ndim for _, dim in spatial) and spatial:
                sizes = kernel._static([dim for _, dim in spatial])
                window = f"{{size={'x'.join(str(sizes[dim]) for _, dim in spatial)}}}"
        given = {"window": window, "dim_labels": labels, **attributes}
        return self._add("convolution", [array, kernel], given)

    def custom_call(self, target: str, *operands: Operand, result: ShapeLike, **attributes: Any) -> Value:
        """A function of the compiler's or the program's, by its name."""
        return self._add("custom-call", operands, {"custom_call_target": json.dumps(target), **attributes}, result)

    def index(self, operand: Operand, index: Any) -> Value:
        """What operand[index] means (Value.__getitem__)."""
        return index_of(cast("Builder", self), self._operand(operand), index)

    # --- Products --------------------------------------------------------------

    def dot_general(
        self,
        lhs: Operand,
        rhs: Operand,
        contracting: "tuple[Sequence[int], Sequence[int]]",
        batch: "tuple[Sequence[int], Sequence[int]]" = ((), ()),
        **attributes: Any,
    ) -> Value:
        """Sums over the contracting dims, for each place of the batch dims; the result has batch, lhs, rhs dims."""
        given: "dict[str, Any]" = {}
        if batch[0] or batch[1]:
            given.update(lhs_batch_dims=list(batch[0]))
        given.update(lhs_contracting_dims=list(contracting[0]))
        if batch[0] or batch[1]:
            given.update(rhs_batch_dims=list(batch[1]))
        given.update(rhs_contracting_dims=list(contracting[1]))
        return self._add("dot", [lhs, rhs], {**given, **attributes})

    # --- Reductions of jax.lax: HLO's, which keep the type -----------------------

    def _reduction(self, name: str, operand: Operand, axis: Any, keepdims: bool, **more: Any) -> Value:
        value = self._operand(operand)
        return self.composite(name, value, dims=axes_of(value, axis), keep_dims=keepdims, **more)

    def reduce_sum(self, operand: Operand, axis: Any = None, keepdims: bool = False) -> Value:
        """The sum in the operand's type; floats below 32 bits are summed in f32."""
        return self._reduction("reduce_sum", operand, axis, keepdims)

    def reduce_prod(self, operand: Operand, axis: Any = None, keepdims: bool = False) -> Value:
        """The product in the operand's type."""
        return self._reduction("reduce_prod", operand, axis, keepdims)

    def reduce_max(self, operand: Operand, axis: Any = None, keepdims: bool = False) -> Value:
        """The greatest element; of none the type's least value."""
        return self._reduction("reduce_max", operand, axis, keepdims)

    def reduce_min(self, operand: Operand, axis: Any = None, keepdims: bool = False) -> Value:
        """The least element; of none the type's greatest value."""
        return self._reduction("reduce_min", operand, axis, keepdims)

    def reduce_and(self, operand: Operand, axis: Any = None, keepdims: bool = False) -> Value:
        """Whether all truths hold; of integers the bits that all have."""
        return self._reduction("reduce_and", self._typed(self._operand(operand)), axis, keepdims)

    def reduce_or(self, operand: Operand, axis: Any = None, keepdims: bool = False) -> Value:
        """Whether a truth holds; of integers the bits that some have."""
        return self._reduction("reduce_or", self._typed(self._operand(operand)), axis, keepdims)

    def reduce_mean(self, operand: Operand, axis: Any = None, keepdims: bool = False) -> Value:
        """The mean of floats or complex numbers."""
        return self._reduction("mean", operand, axis, keepdims)
