# SPDX-License-Identifier: Apache-2.0
"""Values of a builder: what its calls record, with the operators and the methods of an array."""

import ctypes
import functools
import sys
from typing import TYPE_CHECKING, Any, Callable, Iterator, Sequence, Union

from . import _abi
from ._library import address_of, lib, made_handle, raise_error
from ._names import missing
from ._refusal import AFTER_BUILD, NAME, RECORDED, REFUSED, REGION_ENDED, SIZE, TYPE, nearest, refused
from .errors import Error, NoAttribute, WrongType
from .shapes import DTYPE_NAMES, Shape, element_type_name
from .type_lattice import is_inexact

if TYPE_CHECKING:
    from .builder import Builder

# What calls take for an operand: a value, or a number or an array that becomes a constant.
Operand = Union["Value", float, complex, Sequence[Any], Any]

_add_binary = lib.indim_add_binary
_frame = sys._getframe
_type_name = functools.lru_cache(maxsize=None)(element_type_name)


def opcode_of(name: str) -> int:
    """The number of an operation."""
    data = name.encode()
    number: int = lib.indim_opcode_from_name(data, len(data))
    return number


# Types for which some operators of numpy mean something else than HLO's operation; "": not known.
_OTHERWISE = frozenset(("", "pred"))
_WITHOUT_BITS = _OTHERWISE | {of for of in DTYPE_NAMES if is_inexact(of)}


def _arithmetic(name: str, method: str, otherwise: "frozenset[str]" = _OTHERWISE) -> "Callable[[Value, Operand], Value]":
    """An operator of one HLO operation: the shortest way to record it, since graphs are made of these. Operands of other types than
    this value's, and of types `otherwise`, go through the builder's method, which has jax's promotion."""
    opcode = opcode_of(name)

    def operator(self: "Value", other: Operand) -> Any:
        builder = self.builder
        dtype = self.dtype
        if type(other) is not Value or other.builder is not builder or other.dtype != dtype or dtype in otherwise:
            if not builder._takes(other):
                return builder._stranger(name, other)
            return getattr(builder, method)(self, other)
        frame = _frame(1)
        file = builder._files.get(frame.f_code.co_filename)
        error = _add_binary(
            builder._handle,
            opcode,
            self.number,
            other.number,
            builder._rule,
            file + frame.f_lineno if file else builder._here(frame),
            builder._made_ref,
        )
        if error:
            raise_error(error)
        return Value(builder, builder._made.value, dtype, self.weak_type and other.weak_type)

    return operator


_COMPARISONS = frozenset(("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"))


def _by_method(method: str) -> "Callable[[Value, Operand], Value]":
    def operator(self: "Value", other: Operand) -> Any:
        builder = self.builder
        if not builder._takes(other):
            return builder._stranger("compare" if method in _COMPARISONS else method, other)
        return getattr(builder, method)(self, other)

    return operator


def _reflected(method: str) -> "Callable[[Value, Operand], Value]":
    def operator(self: "Value", other: Operand) -> Any:
        builder = self.builder
        if not builder._takes(other):
            return builder._stranger(method, other)
        return getattr(builder, method)(other, self)

    return operator


def _unary(method: str) -> "Callable[[Value], Value]":
    def operator(self: "Value") -> Any:
        return getattr(self.builder, method)(self)

    return operator


# The operator of a value, behind an array, that a function of numpy means.
_OPERATORS = {
    "add": "__radd__",
    "bitwise_and": "__rand__",
    "bitwise_or": "__ror__",
    "bitwise_xor": "__rxor__",
    "divide": "__rtruediv__",
    "equal": "__eq__",
    "floor_divide": "__rfloordiv__",
    "greater": "__lt__",
    "greater_equal": "__le__",
    "left_shift": "__rlshift__",
    "less": "__gt__",
    "less_equal": "__ge__",
    "matmul": "__rmatmul__",
    "multiply": "__rmul__",
    "not_equal": "__ne__",
    "power": "__rpow__",
    "remainder": "__rmod__",
    "right_shift": "__rrshift__",
    "subtract": "__rsub__",
}
# Functions of numpy that have another name here.
_FUNCTIONS = {"absolute": "abs", "conjugate": "conj"}


class Value:
    """A value of a builder. Operators record operations, by the broadcasting rule that the builder names."""

    __slots__ = ("builder", "number", "_dtype", "weak_type")

    def __init__(self, builder: "Builder", number: int, dtype: "str | None" = None, weak_type: bool = False) -> None:
        self.builder = builder
        self.number = number
        self._dtype = dtype
        # As jax has it: it came of Python's numbers, and takes, as they do, the type of what it meets. The module knows nothing of it.
        self.weak_type = weak_type

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **_given: Any) -> Any:
        """numpy leaves the operators of an array and a value to the value, and has no functions of values."""
        name = _OPERATORS.get(ufunc.__name__)
        if method == "__call__" and name is not None and len(inputs) == 2 and inputs[1] is self and hasattr(self, name):
            return getattr(self, name)(inputs[0])
        known = [of for of in dir(type(self.builder)) if not of.startswith("_")]
        fix = nearest(_FUNCTIONS.get(ufunc.__name__, ufunc.__name__), known, "b.{}(x)")
        raise refused(TYPE, "arrays", repr(self), what=f"numpy.{ufunc.__name__}", fix=fix, kind=WrongType)

    def __array_function__(self, function: Any, _types: Any, _args: Any, _kwargs: Any) -> Any:
        """numpy's other functions: only what needs no elements."""
        name = function.__name__
        if name in ("shape", "ndim", "size"):
            return getattr(self, name)
        known = [of for of in dir(type(self.builder)) if not of.startswith("_")]
        fix = nearest(_FUNCTIONS.get(name, name), known, "b.{}(x)", most=0) or "b.build(x).eval(...) gives an array"
        raise refused(TYPE, "arrays", repr(self), what=f"numpy.{name}", fix=fix, kind=WrongType)

    __add__ = _arithmetic("add", "add")
    __sub__ = _arithmetic("subtract", "subtract")
    __mul__ = _arithmetic("multiply", "multiply")
    __truediv__ = _by_method("divide")
    __floordiv__ = _by_method("floor_divide")
    __mod__ = _by_method("remainder")
    __pow__ = _by_method("power")
    __and__ = _arithmetic("and", "bitwise_and", _WITHOUT_BITS)
    __or__ = _arithmetic("or", "bitwise_or", _WITHOUT_BITS)
    __xor__ = _arithmetic("xor", "bitwise_xor", _WITHOUT_BITS)
    __lshift__ = _by_method("left_shift")
    __rshift__ = _by_method("right_shift")
    __radd__ = _reflected("add")
    __rsub__ = _reflected("subtract")
    __rmul__ = _reflected("multiply")
    __rtruediv__ = _reflected("divide")
    __rfloordiv__ = _reflected("floor_divide")
    __rmod__ = _reflected("remainder")
    __rpow__ = _reflected("power")
    __rand__ = _reflected("bitwise_and")
    __ror__ = _reflected("bitwise_or")
    __rxor__ = _reflected("bitwise_xor")
    __rlshift__ = _reflected("left_shift")
    __rrshift__ = _reflected("right_shift")
    __neg__ = _unary("negative")
    __invert__ = _unary("bitwise_not")
    __abs__ = _unary("abs")

    def __round__(self, decimals: "int | None" = None) -> "Value":
        if decimals:
            raise refused(REFUSED, f"a value isn't rounded to {decimals} decimals", fix=f"b.round(x * {10**decimals}) / {10**decimals}")
        return self.builder.round(self)

    def __divmod__(self, other: Operand) -> "tuple[Value, Value]":
        return self // other, self % other

    __lt__ = _by_method("less")
    __le__ = _by_method("less_equal")
    __gt__ = _by_method("greater")
    __ge__ = _by_method("greater_equal")
    # As arrays have it: x == y records a comparison.
    __eq__ = _by_method("equal")  # type: ignore[assignment]
    __ne__ = _by_method("not_equal")  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]

    def __matmul__(self, other: Operand) -> "Value":
        return self.builder.matmul(self, other)

    def __rmatmul__(self, other: Operand) -> "Value":
        return self.builder.matmul(other, self)

    def _not_yet(self, fix: str) -> Error:
        return refused(RECORDED, repr(self), fix=fix, kind=WrongType)

    def __bool__(self) -> bool:
        raise self._not_yet("b.where(condition, x, y) for elements, b.cond(condition, f, g) for functions")

    def __float__(self) -> float:
        raise self._not_yet("x.astype('f32') records another type; module.eval() or module.run() gives numbers")

    def __int__(self) -> int:
        raise self._not_yet("x.astype('s32') records another type; module.eval() or module.run() gives numbers")

    def __complex__(self) -> complex:
        raise self._not_yet("x.astype('c64') records another type; module.eval() or module.run() gives numbers")

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise self._not_yet("b.build(x).eval(...) gives an array; functions of values are the builder's: b.exp(x)")

    def __setitem__(self, index: Any, update: Any) -> None:
        fix = "y = b.dynamic_update_slice(x, update, [0, 0]) or y = b.where(mask, update, x)"
        raise refused(REFUSED, "a value never changes; another one is recorded", operand=0, fix=fix, kind=WrongType)

    def __getattr__(self, name: str) -> Any:
        # Python and others ask for names with underscores, and mean it when they are not there.
        if name.startswith("_") or name in Value.__slots__:
            raise AttributeError(name)
        if callable(getattr(type(self.builder), name, None)):
            raise refused(NAME, repr(name), "method of values, but of their builder", fix=f"b.{name}(x)", kind=NoAttribute)
        raise missing("value", name, dir(self))

    # --- Looking ---------------------------------------------------------------

    @property
    def type(self) -> Shape:
        """The inferred shape, with its element type."""
        return Shape(made_handle(lib.indim_value_shape, self.builder._handle, self.number))

    def _dims(self) -> "tuple[str, tuple[int, ...], tuple[int, ...]]":
        kind = ctypes.c_int32()
        rank = lib.indim_value_dims(self.builder._handle, self.number, ctypes.byref(kind), None, None, 0)
        if rank < 0:
            raise self._no_array()
        sizes = (ctypes.c_int64 * rank)()
        kinds = (ctypes.c_int32 * rank)()
        lib.indim_value_dims(self.builder._handle, self.number, None, sizes, kinds, rank)
        return element_type_name(kind.value), tuple(sizes), tuple(kinds)

    @property
    def dtype(self) -> str:
        """The element type: "f32"; "": it is no array."""
        if self._dtype is None:
            kind = ctypes.c_int32()
            lib.indim_value_dims(self.builder._handle, self.number, ctypes.byref(kind), None, None, 0)
            if not kind.value:
                return self._type_without_rank()
            self._dtype = _type_name(kind.value)
        return self._dtype

    def _type_without_rank(self) -> str:
        made = ctypes.c_void_p()
        error = lib.indim_value_shape(self.builder._handle, self.number, ctypes.byref(made))
        if error:  # a value that can't be used any more: what uses it says so
            lib.indim_error_release(error)
            return ""
        return Shape(address_of(made)).element_type

    @property
    def shape(self) -> "tuple[int, ...]":
        """The sizes: the upper end of one that isn't static, and -1 if it has none; `type` says all of them."""
        return self._dims()[1]

    def _no_array(self) -> Error:
        """Why the value has no rank."""
        try:
            self.type
        except Error as error:
            if error.code not in (REGION_ENDED, AFTER_BUILD):
                raise
            return refused(error.code, 0, operand=0)
        is_tuple = self.type.kind == "tuple"
        fix = "x[0], or b.get_tuple_element(x, index=0), is an element of a tuple" if is_tuple else ""
        return refused(TYPE, "an array with a rank", repr(self), fix=fix, kind=WrongType)

    @property
    def ndim(self) -> int:
        """The number of dims."""
        rank: int = lib.indim_value_dims(self.builder._handle, self.number, None, None, None, 0)
        if rank < 0:
            raise self._no_array()
        return rank

    @property
    def size(self) -> int:
        """The number of elements. Raises InvalidArgument where a size isn't known."""
        total = 1
        for size in self._static():
            total *= size
        return total

    def _static(self, dims: "Sequence[int] | None" = None) -> "tuple[int, ...]":
        """The sizes, those of `dims`, or all, known."""
        _, sizes, kinds = self._dims()
        for dim in range(len(sizes)) if dims is None else dims:
            if kinds[dim] != _abi.DIM_STATIC:
                size = str(self.type).split("[")[1].split("]")[0].split(",")[dim]
                fix = f"module.infer({size}=8) gives it a number" if size.isidentifier() else "a parameter of known sizes"
                raise refused(SIZE, self.type, dim, size, operand=0, dim=dim, fix=fix)
        return sizes

    @property
    def opcode(self) -> str:
        """The operation that was recorded: "add"."""
        number = lib.indim_value_opcode(self.builder._handle, self.number)
        size = ctypes.c_size_t()
        data = lib.indim_opcode_name(number, ctypes.byref(size))
        return ctypes.string_at(data, size.value).decode()

    def __len__(self) -> int:
        if self.type.kind == "tuple":
            return len(self.type.elements)
        if self.ndim == 0:
            raise refused(TYPE, "an array with dims", repr(self), fix="x.reshape(1)", kind=WrongType)
        return self._static([0])[0]

    def __iter__(self) -> "Iterator[Value]":
        """The rows of an array, or the elements of a tuple."""
        return (self[position] for position in range(len(self)))

    def __repr__(self) -> str:
        try:
            return f"<indim.Value {self.number}: {self.type} {self.opcode}>"
        except Exception:
            return f"<indim.Value {self.number}>"

    # --- As an array has it ----------------------------------------------------

    def named(self, name: str) -> "Value":
        """Gives the instruction a name; returns this value."""
        self.builder.set_name(self, name)
        return self

    def astype(self, dtype: Any) -> "Value":
        """Another element type: x.astype("bf16")."""
        return self.builder.convert(self, dtype)

    def reshape(self, *dims: "int | Sequence[int]") -> "Value":
        """One size may be -1, as numpy has it."""
        return self.builder.reshape(self, _spread(dims))

    def transpose(self, *axes: "int | Sequence[int]") -> "Value":
        """Without axes: all dims reversed."""
        return self.builder.transpose(self, _spread(axes) or None)

    @property
    def T(self) -> "Value":
        """With all dims reversed."""
        return self.builder.transpose(self)

    def broadcast_to(self, *dims: "int | Sequence[int]") -> "Value":
        """By numpy's rule, which the name says."""
        return self.builder.broadcast_to(self, _spread(dims))

    def sum(self, axis: "int | Sequence[int] | None" = None, dtype: Any = None, keepdims: bool = False) -> "Value":
        """The sum; of truths and of small integers in 32 bits."""
        return self.builder.sum(self, axis, dtype, keepdims)

    def prod(self, axis: "int | Sequence[int] | None" = None, dtype: Any = None, keepdims: bool = False) -> "Value":
        """The product; of truths and of small integers in 32 bits."""
        return self.builder.prod(self, axis, dtype, keepdims)

    def max(self, axis: "int | Sequence[int] | None" = None, keepdims: bool = False) -> "Value":
        """The greatest element."""
        return self.builder.max(self, axis, keepdims)

    def min(self, axis: "int | Sequence[int] | None" = None, keepdims: bool = False) -> "Value":
        """The least element."""
        return self.builder.min(self, axis, keepdims)

    def mean(self, axis: "int | Sequence[int] | None" = None, dtype: Any = None, keepdims: bool = False) -> "Value":
        """The mean; of integers a float."""
        return self.builder.mean(self, axis, dtype, keepdims)

    def all(self, axis: "int | Sequence[int] | None" = None, keepdims: bool = False) -> "Value":
        """Whether all elements aren't 0."""
        return self.builder.all(self, axis, keepdims)

    def any(self, axis: "int | Sequence[int] | None" = None, keepdims: bool = False) -> "Value":
        """Whether an element isn't 0."""
        return self.builder.any(self, axis, keepdims)

    def var(self, axis: "int | Sequence[int] | None" = None, ddof: int = 0, keepdims: bool = False) -> "Value":
        """The mean of the squared distances from the mean."""
        return self.builder.var(self, axis, ddof, keepdims)

    def std(self, axis: "int | Sequence[int] | None" = None, ddof: int = 0, keepdims: bool = False) -> "Value":
        """The square root of var()."""
        return self.builder.std(self, axis, ddof, keepdims)

    def argmax(self, axis: "int | None" = None, keepdims: bool = False) -> "Value":
        """Where the greatest element is; without an axis, among all elements."""
        return self.builder.argmax(self, axis, keepdims)

    def argmin(self, axis: "int | None" = None, keepdims: bool = False) -> "Value":
        """Where the least element is; without an axis, among all elements."""
        return self.builder.argmin(self, axis, keepdims)

    def cumsum(self, axis: "int | None" = None, dtype: Any = None) -> "Value":
        """Running sums along a dim; None: of all elements, in one."""
        return self.builder.cumsum(self, axis, dtype)

    def cumprod(self, axis: "int | None" = None, dtype: Any = None) -> "Value":
        """Running products along a dim; None: of all elements, in one."""
        return self.builder.cumprod(self, axis, dtype)

    def take(self, indices: Operand, axis: "int | None" = None, mode: "str | None" = None) -> "Value":
        """The slices along a dim that integers name; None: of all elements."""
        return self.builder.take(self, indices, axis, mode)

    def clip(self, min: "Operand | None" = None, max: "Operand | None" = None) -> "Value":
        """At least `min`, at most `max`."""
        return self.builder.clip(self, min, max)

    def round(self) -> "Value":
        """The nearest integers, of two the even one."""
        return self.builder.round(self)

    @property
    def real(self) -> "Value":
        """The real parts."""
        return self.builder.real(self)

    @property
    def imag(self) -> "Value":
        """The imaginary parts."""
        return self.builder.imag(self)

    def dot(self, other: Operand) -> "Value":
        """Sums over the last dim and the last but one of the other, or its only one."""
        return self.builder.dot(self, other)

    def flatten(self) -> "Value":
        """All elements in one dim."""
        return self.builder.reshape(self, [-1])

    ravel = flatten

    def squeeze(self, axis: "int | Sequence[int] | None" = None) -> "Value":
        """Without the dims of size 1 that `axis` names; None: all of them."""
        return self.builder.squeeze(self, axis)

    def swapaxes(self, axis1: int, axis2: int) -> "Value":
        """With two dims exchanged."""
        return self.builder.swapaxes(self, axis1, axis2)

    def __getitem__(self, index: Any) -> "Value":
        """As numpy has it: x[i], x[a:b:c], x[..., None], x[[0, 2]]; a Value of integers is places at run time, which the nearest inside
        stand for where they are outside; x[mask] of a numpy array of bools takes what it marks.
        """
        return self.builder.index(self, index)


def _spread(dims: "Sequence[Any]") -> "list[int]":
    """f(2, 3) and f((2, 3)) are the same."""
    if len(dims) == 1 and not hasattr(dims[0], "__index__"):
        return list(dims[0])
    return list(dims)


# A pair of the classes that mean a value of a builder or something that becomes one.
Reducer = Callable[..., Any]
