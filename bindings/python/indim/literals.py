# SPDX-License-Identifier: Apache-2.0
"""Values: numpy arrays, Python numbers and lists on one side, literals of the library on the other."""

import ctypes
import math
import sys
from typing import Any, Sequence, Union

from ._library import Address, Handle, check, handles_array, lib, made_handle, made_text
from ._refusal import COUNT, REFUSED, TYPE, VALUE, refused
from .dlpack import Taken, capsule
from .errors import WrongType
from .shapes import DTYPE_NAMES, Shape, as_shape, element_type_number, element_type_of

# What stands for a value: an array, a number, a list of numbers, a tuple of such, a Literal.
ArrayLike = Union["Literal", float, Sequence[Any], Any]

# The formats of buffers that don't come from numpy, by what struct calls them, where their size is the machine's.
_FORMATS = {"?": "pred", "f": "f32", "d": "f64", "e": "f16", "Zf": "c64", "Zd": "c128"}
_INTEGERS = {"b": "s", "h": "s", "i": "s", "l": "s", "q": "s", "B": "u", "H": "u", "I": "u", "L": "u", "Q": "u"}


class Literal(Handle):
    """A value of a known shape. It never changes. numpy.asarray(literal) has its elements."""

    __slots__ = ()
    _release = lib.indim_literal_release

    def __init__(self, value: "ArrayLike | Address", shape: "Shape | str | None" = None) -> None:
        """As Literal.of()."""
        if not isinstance(value, Address):
            if isinstance(value, Literal):
                raise refused(TYPE, "arrays, numbers and lists", "a Literal", fix="the literal itself", kind=WrongType)
            made = Literal.of(value, shape)
            value = Address(made._handle or 0)
            made._handle = None
        super().__init__(value)

    @staticmethod
    def of(value: ArrayLike, shape: "Shape | str | None" = None) -> "Literal":
        """A literal of an array, or of numbers, which get the element type of `shape`; their sizes must be the shape's."""
        made = literal_like(value, shape)
        if shape is not None:
            _expect(made.shape, as_shape(shape))
        return made

    @staticmethod
    def tuple_of(elements: "Sequence[Literal]") -> "Literal":
        """A tuple of literals."""
        handles = [element._handle or 0 for element in elements]
        return Literal(made_handle(lib.indim_literal_tuple, handles_array(handles), len(handles)))

    @staticmethod
    def from_dlpack(source: Any) -> "Literal":
        """A copy of anything with __dlpack__ in the memory of the CPU: a tensor of torch, an array of jax."""
        taken = Taken(source)
        made = made_handle(lib.indim_literal_from_dlpack, taken.address)
        taken.done()
        return Literal(made)

    def __dlpack__(
        self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: "bool | None" = None
    ) -> Any:
        """The literal's own memory, which nobody may write to; `copy`: memory that is the caller's."""
        of = self
        if copy:
            data, shape = self.tobytes(), self.shape
            of = _of_memory(shape.element_type, shape.dims, data, len(data))
        return capsule(made_handle(lib.indim_literal_to_dlpack, of._handle))

    def __dlpack_device__(self) -> "tuple[int, int]":
        return 1, 0

    @property
    def shape(self) -> Shape:
        """The element type and the sizes, or a tuple's elements."""
        return Shape(made_handle(lib.indim_literal_shape, self._handle))

    @property
    def elements(self) -> "tuple[Literal, ...]":
        """The parts of a tuple; none of other literals."""
        count = lib.indim_literal_element_count(self._handle)
        return tuple(Literal(made_handle(lib.indim_literal_element, self._handle, index)) for index in range(count))

    def tobytes(self) -> bytes:
        """The elements of an array: row-major, little-endian, types below 8 bits a byte each."""
        data, size = ctypes.c_void_p(), ctypes.c_size_t()
        check(lib.indim_literal_data(self._handle, ctypes.byref(data), ctypes.byref(size)))
        return ctypes.string_at(data, size.value)

    def value(self) -> Any:
        """A numpy array, or a tuple of them; the literal itself where numpy or the dtype isn't there."""
        shape = self.shape
        if shape.kind == "tuple":
            return tuple(element.value() for element in self.elements)
        dtype = _dtype(shape.element_type) if shape.kind == "array" else None
        if dtype is None:
            return self
        import numpy

        # A copy: arrays may be changed, literals not.
        return numpy.frombuffer(bytearray(self.tobytes()), dtype).reshape(shape.dims)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        value = self.value()
        if isinstance(value, Literal) or isinstance(value, tuple):
            fix = "literal.elements" if self.shape.kind == "tuple" else "literal.tobytes(); numpy and ml_dtypes know more types"
            raise refused(TYPE, "a literal that is a numpy array", f"one of {self.shape}", fix=fix, kind=WrongType)
        return value if dtype is None else value.astype(dtype)

    def text(self, max_elements: int = 0) -> str:
        """As XLA prints it; 0: at most 1000 elements."""
        return made_text(lib.indim_literal_text, self._handle, max_elements)

    def __repr__(self) -> str:
        return f"Literal({self.shape}, {self.text(10)})"

    def __eq__(self, other: object) -> bool:
        """Equal shapes and bits."""
        if not isinstance(other, Literal):
            return NotImplemented
        return bool(lib.indim_literal_equal(self._handle, other._handle))

    def __hash__(self) -> int:
        return hash(self.text(100))


def _expect(made: Shape, wanted: Shape) -> None:
    if wanted.kind != "array" or not wanted.is_static or (made.element_type, made.dims) == (wanted.element_type, wanted.dims):
        return
    dtype = DTYPE_NAMES.get(wanted.element_type, wanted.element_type)
    fix = f'array.astype("{dtype}")' if made.dims == wanted.dims else f'"{wanted.element_type}[{",".join(map(str, made.dims))}]"'
    raise refused(VALUE, "the value", made, wanted, fix=fix)


def literal_like(value: ArrayLike, shape: "Shape | str | None" = None) -> Literal:
    """A literal, whose numbers get the element type of `shape`, whatever its sizes are."""
    if isinstance(value, Literal):
        return value
    if isinstance(value, tuple) and (shape is None or as_shape(shape).kind == "tuple"):
        elements = [None] * len(value) if shape is None else as_shape(shape).elements
        if len(elements) != len(value):
            raise refused(COUNT, f"{shape} has {len(elements)} elements", f"{len(value)} values")
        return Literal.tuple_of([literal_like(part, of) for part, of in zip(value, elements)])
    if isinstance(value, (bool, int, float, complex, list, tuple)):
        return _of_numbers(value, None if shape is None else as_shape(shape))
    return _of_buffer(value)


def _dtype(element_type: str) -> Any:
    """The numpy dtype; None: numpy or the package that defines it isn't there."""
    name = DTYPE_NAMES.get(element_type)
    try:
        import numpy
    except ImportError:
        return None
    if name is None:
        return None
    try:
        return numpy.dtype(name)
    except TypeError:
        pass
    try:
        import ml_dtypes
    except ImportError:
        return None
    found = getattr(ml_dtypes, name, None)
    return None if found is None else numpy.dtype(found)


def _of_memory(element_type: str, sizes: "Sequence[int]", data: Any, size: int) -> Literal:
    number = element_type_number(element_type)
    array = (ctypes.c_int64 * len(sizes))(*sizes)
    return Literal(made_handle(lib.indim_literal_array, number, array, len(sizes), data, size))


def _of_buffer(value: Any) -> Literal:
    """Of a numpy array, of something that becomes one, or of a plain buffer."""
    if hasattr(value, "__array__") and "numpy" in sys.modules:
        import numpy

        array = numpy.asarray(value)
        if array.dtype.byteorder == ">" or (array.dtype.byteorder == "=" and sys.byteorder == "big"):
            array = array.astype(array.dtype.newbyteorder("<"))
        # ascontiguousarray gives a scalar a dim.
        array = array if array.flags.c_contiguous else numpy.ascontiguousarray(array)
        return _of_memory(element_type_of(array.dtype), array.shape, array.ctypes.data, array.nbytes)
    try:
        view = memoryview(value)
    except TypeError:
        if hasattr(value, "__dlpack__"):
            return Literal.from_dlpack(value)
        taken = "arrays, buffers, numbers, lists and Literals"
        raise refused(TYPE, taken, _shown(value), kind=WrongType) from None
    form = view.format.lstrip("<=@")
    if form in _INTEGERS:
        element_type = f"{_INTEGERS[form]}{8 * view.itemsize}"
    elif form in _FORMATS:
        element_type = _FORMATS[form]
    else:
        raise refused(TYPE, "buffers of elements that XLA has", f"one of format {view.format!r}", kind=WrongType)
    data = view.tobytes()
    return _of_memory(element_type, view.shape or (), data, len(data))


def _sizes(value: Any) -> "list[int]":
    sizes = []
    while isinstance(value, (list, tuple)):
        sizes.append(len(value))
        if not value:
            break
        value = value[0]
    return sizes


def _flat(value: Any, sizes: "Sequence[int]", into: "list[Any]") -> None:
    is_list = isinstance(value, (list, tuple))
    if is_list != bool(sizes) or (is_list and len(value) != sizes[0]):
        wanted = f"a list of {sizes[0]}" if sizes else "a number"
        raise refused(VALUE, "a part of the lists", f"{value!r:.60}", f"{wanted}, as its neighbours, to make an array")
    if not is_list:
        if not isinstance(value, (bool, int, float, complex)) and not hasattr(value, "__array__"):
            raise refused(TYPE, "lists of numbers", f"lists with {_shown(value)}", kind=WrongType)
        into.append(value)
        return
    for part in value:
        _flat(part, sizes[1:], into)


def _shown(value: Any) -> str:
    """A value that nobody takes, for a message."""
    text = repr(value)
    return text if len(text) <= 60 else f"something of type {type(value).__name__}"


def flat_numbers(value: Any) -> "tuple[tuple[int, ...], list[Any]]":
    """The sizes of nested lists, and their elements."""
    sizes = _sizes(value)
    flat: "list[Any]" = []
    _flat(value, sizes, flat)
    return tuple(sizes), flat


def _default_type(numbers: "list[Any]") -> str:
    """The element type of numbers for which nobody says one: as jax has it."""
    if any(isinstance(number, complex) for number in numbers):
        return "c64"
    if any(isinstance(number, float) for number in numbers) or not numbers:
        return "f32"
    return "pred" if all(isinstance(number, bool) for number in numbers) else "s32"


# The integer types by which Python's own numbers become bytes, without loss.
_EXACT = {f"{sign}{bits}": (bits // 8, sign == "s") for sign in "su" for bits in (8, 16, 32, 64)}


def _of_numbers(value: Any, shape: "Shape | None") -> Literal:
    sizes = _sizes(value)
    flat: "list[Any]" = []
    _flat(value, sizes, flat)
    element_type = shape.element_type if shape is not None else _default_type(flat)
    if shape is not None and shape.kind != "array":
        raise refused(VALUE, "the value", "numbers", f"what {shape} has", fix="a tuple of values" if shape.kind == "tuple" else "")
    if element_type in _EXACT and all(isinstance(number, int) for number in flat):
        width, signed = _EXACT[element_type]
        try:
            data = b"".join(int(number).to_bytes(width, "little", signed=signed) for number in flat)
        except OverflowError:
            least, most = (-(2 ** (8 * width - 1)), 2 ** (8 * width - 1) - 1) if signed else (0, 2 ** (8 * width) - 1)
            outside = next(number for number in flat if not least <= number <= most)
            raise refused(VALUE, "a number", outside, f"in {least}..{most}, as {element_type} has it") from None
        return _of_memory(element_type, sizes, data, len(data))
    if any(isinstance(number, complex) for number in flat) or element_type in ("c64", "c128"):
        return _of_complex(element_type, sizes, flat)
    number = element_type_number(element_type)
    array = (ctypes.c_int64 * len(sizes))(*sizes)
    doubles = (ctypes.c_double * len(flat))(*flat)
    assert math.prod(sizes) == len(flat)
    return Literal(made_handle(lib.indim_literal_doubles, number, array, len(sizes), doubles, len(flat)))


def _of_complex(element_type: str, sizes: "Sequence[int]", flat: "list[Any]") -> Literal:
    component: Any = {"c64": ctypes.c_float, "c128": ctypes.c_double}.get(element_type)
    if component is None:
        raise refused(VALUE, "the element type", element_type, "c64 or c128 for complex numbers", fix='"c64"', kind=WrongType)
    parts = [part for number in flat for part in (complex(number).real, complex(number).imag)]
    memory = (component * len(parts))(*parts)
    return _of_memory(element_type, sizes, memory, ctypes.sizeof(memory))
