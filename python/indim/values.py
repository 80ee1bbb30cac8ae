"""Values of a builder: what its calls record, with the operators and the methods of an array."""

import ctypes
import sys
from typing import TYPE_CHECKING, Any, Callable, Sequence, Union

from . import _abi
from ._library import lib, made_handle, raise_error
from .shapes import Shape, element_type_name

if TYPE_CHECKING:
    from .builder import Builder

# What calls take for an operand: a value, or a number or an array that becomes a constant.
Operand = Union["Value", float, complex, Sequence[Any], Any]

_add_binary = lib.indim_add_binary
_add_unary = lib.indim_add_unary
_frame = sys._getframe


def _opcode(name: str) -> int:
    data = name.encode()
    number: int = lib.indim_opcode_from_name(data, len(data))
    return number


def _binary(name: str) -> "Callable[[Value, Operand], Value]":
    """An operator: the shortest way to a recorded operation, since graphs are made of these."""
    opcode = _opcode(name)

    def operator(self: "Value", other: Operand) -> Any:
        builder = self.builder
        if type(other) is not Value or other.builder is not builder:
            if not builder._takes(other):
                return NotImplemented
            other = builder._operand(other, self)
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
        return Value(builder, builder._made.value)

    return operator


def _reflected(name: str) -> "Callable[[Value, Operand], Value]":
    opcode = _opcode(name)

    def operator(self: "Value", other: Operand) -> Any:
        builder = self.builder
        if not builder._takes(other):
            return NotImplemented
        return builder._binary(opcode, builder._operand(other, self), self)

    return operator


def _unary(name: str) -> "Callable[[Value], Value]":
    opcode = _opcode(name)

    def operator(self: "Value") -> "Value":
        builder = self.builder
        error = _add_unary(builder._handle, opcode, self.number, builder._here(_frame(1)), builder._made_ref)
        if error:
            raise_error(error)
        return Value(builder, builder._made.value)

    return operator


def _compare(direction: str) -> "Callable[[Value, Operand], Value]":
    def operator(self: "Value", other: Operand) -> Any:
        if not self.builder._takes(other):
            return NotImplemented
        return self.builder.compare(self, other, direction=direction)

    return operator


class Value:
    """A value of a builder. Operators record operations, by the broadcasting rule that the builder names."""

    __slots__ = ("builder", "number")

    def __init__(self, builder: "Builder", number: int) -> None:
        self.builder = builder
        self.number = number

    # numpy leaves the operators of an array and a value to the value.
    __array_ufunc__ = None

    __add__ = _binary("add")
    __sub__ = _binary("subtract")
    __mul__ = _binary("multiply")
    __truediv__ = _binary("divide")
    __mod__ = _binary("remainder")
    __pow__ = _binary("power")
    __and__ = _binary("and")
    __or__ = _binary("or")
    __xor__ = _binary("xor")
    __lshift__ = _binary("shift-left")
    __rshift__ = _binary("shift-right-arithmetic")
    __radd__ = _reflected("add")
    __rsub__ = _reflected("subtract")
    __rmul__ = _reflected("multiply")
    __rtruediv__ = _reflected("divide")
    __rmod__ = _reflected("remainder")
    __rpow__ = _reflected("power")
    __rand__ = _reflected("and")
    __ror__ = _reflected("or")
    __rxor__ = _reflected("xor")
    __neg__ = _unary("negate")
    __invert__ = _unary("not")
    __abs__ = _unary("abs")
    __lt__ = _compare("LT")
    __le__ = _compare("LE")
    __gt__ = _compare("GT")
    __ge__ = _compare("GE")
    # As arrays have it: x == y records a comparison.
    __eq__ = _compare("EQ")  # type: ignore[assignment]
    __ne__ = _compare("NE")  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]

    def __matmul__(self, other: Operand) -> "Value":
        return self.builder.matmul(self, other)

    def __rmatmul__(self, other: Operand) -> "Value":
        return self.builder.matmul(other, self)

    def __bool__(self) -> bool:
        raise TypeError("a recorded value is neither true nor false yet; to fix: Builder.select or Builder.cond")

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError(f"{self!r} is recorded and has no elements yet; to fix: Builder.build, then Module.eval or Module.run")

    # --- Looking ---------------------------------------------------------------

    @property
    def type(self) -> Shape:
        """The inferred shape, with its element type."""
        return Shape(made_handle(lib.indim_value_shape, self.builder._handle, self.number))

    def _dims(self) -> "tuple[str, tuple[int, ...], tuple[int, ...]]":
        kind = ctypes.c_int32()
        rank = lib.indim_value_dims(self.builder._handle, self.number, ctypes.byref(kind), None, None, 0)
        if rank < 0:
            raise TypeError(f"{self!r} is no array with a rank")
        sizes = (ctypes.c_int64 * rank)()
        kinds = (ctypes.c_int32 * rank)()
        lib.indim_value_dims(self.builder._handle, self.number, None, sizes, kinds, rank)
        return element_type_name(kind.value), tuple(sizes), tuple(kinds)

    @property
    def dtype(self) -> str:
        """The element type: "f32"."""
        return self._dims()[0]

    @property
    def shape(self) -> "tuple[int, ...]":
        """The sizes: the upper end of one that isn't static, and -1 if it has none; `type` says all of them."""
        return self._dims()[1]

    @property
    def ndim(self) -> int:
        rank: int = lib.indim_value_dims(self.builder._handle, self.number, None, None, None, 0)
        if rank < 0:
            raise TypeError(f"{self!r} is no array with a rank")
        return rank

    @property
    def size(self) -> int:
        """The number of elements. Raises ValueError where a size isn't known."""
        total = 1
        for size in self._static("size"):
            total *= size
        return total

    def _static(self, what: str) -> "tuple[int, ...]":
        _, sizes, kinds = self._dims()
        if any(kind != _abi.DIM_STATIC for kind in kinds):
            raise ValueError(f"{what} needs known sizes, and this is {self.type}")
        return sizes

    @property
    def opcode(self) -> str:
        number = lib.indim_value_opcode(self.builder._handle, self.number)
        size = ctypes.c_size_t()
        data = lib.indim_opcode_name(number, ctypes.byref(size))
        return ctypes.string_at(data, size.value).decode()

    def __len__(self) -> int:
        shape = self._static("len()")
        if not shape:
            raise TypeError("a scalar has no len()")
        return shape[0]

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
        return self.builder.convert(self, dtype)

    def reshape(self, *dims: "int | Sequence[int]") -> "Value":
        """One size may be -1, as numpy has it."""
        return self.builder.reshape(self, _spread(dims))

    def transpose(self, *axes: "int | Sequence[int]") -> "Value":
        """Without axes: all dims reversed."""
        return self.builder.transpose(self, _spread(axes) or None)

    @property
    def T(self) -> "Value":
        return self.builder.transpose(self)

    def broadcast_to(self, *dims: "int | Sequence[int]") -> "Value":
        """By numpy's rule, which the name says."""
        return self.builder.broadcast_to(self, _spread(dims))

    def sum(self, axis: "int | Sequence[int] | None" = None, keepdims: bool = False) -> "Value":
        return self.builder.reduce_sum(self, axis, keepdims)

    def prod(self, axis: "int | Sequence[int] | None" = None, keepdims: bool = False) -> "Value":
        return self.builder.reduce_prod(self, axis, keepdims)

    def max(self, axis: "int | Sequence[int] | None" = None, keepdims: bool = False) -> "Value":
        return self.builder.reduce_max(self, axis, keepdims)

    def min(self, axis: "int | Sequence[int] | None" = None, keepdims: bool = False) -> "Value":
        return self.builder.reduce_min(self, axis, keepdims)

    def mean(self, axis: "int | Sequence[int] | None" = None, keepdims: bool = False) -> "Value":
        return self.builder.reduce_mean(self, axis, keepdims)

    def all(self, axis: "int | Sequence[int] | None" = None, keepdims: bool = False) -> "Value":
        return self.builder.reduce_and(self, axis, keepdims)

    def any(self, axis: "int | Sequence[int] | None" = None, keepdims: bool = False) -> "Value":
        return self.builder.reduce_or(self, axis, keepdims)

    def var(self, axis: "int | Sequence[int] | None" = None, keepdims: bool = False) -> "Value":
        return self.builder.var(self, axis, keepdims)

    def std(self, axis: "int | Sequence[int] | None" = None, keepdims: bool = False) -> "Value":
        return self.builder.std(self, axis, keepdims)

    def argmax(self, axis: int) -> "Value":
        return self.builder.argmax(self, axis)

    def argmin(self, axis: int) -> "Value":
        return self.builder.argmin(self, axis)

    def cumsum(self, axis: int) -> "Value":
        return self.builder.cumsum(self, axis)

    def dot(self, other: Operand) -> "Value":
        return self.builder.matmul(self, other)

    def flatten(self) -> "Value":
        return self.builder.reshape(self, [-1])

    ravel = flatten

    def squeeze(self, axis: "int | Sequence[int] | None" = None) -> "Value":
        return self.builder.squeeze(self, axis)

    def swapaxes(self, axis1: int, axis2: int) -> "Value":
        return self.builder.swapaxes(self, axis1, axis2)

    def __getitem__(self, index: Any) -> "Value":
        """x[i], x[a:b:c], x[..., None]: numbers, slices with positive steps, new dims; a scalar Value is a place at run time."""
        return self.builder.index(self, index)


def _spread(dims: "Sequence[Any]") -> "list[int]":
    """f(2, 3) and f((2, 3)) are the same."""
    if len(dims) == 1 and not hasattr(dims[0], "__index__"):
        return list(dims[0])
    return list(dims)


# A pair of the classes that mean a value of a builder or something that becomes one.
Reducer = Callable[..., Any]
