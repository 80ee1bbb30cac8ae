# SPDX-License-Identifier: Apache-2.0
"""Shapes: f32[8,784], (f32[2], s32[]), f32[n,<=8,?]."""

import ctypes
import functools
import math
import re
from typing import Any, Sequence, Union

from . import _abi
from ._library import Address, Handle, check, encoded, lib, made_handle, text_of
from ._refusal import NAME, TYPE, nearest, refused
from .errors import WrongType

_KINDS = {
    _abi.SHAPE_NONE: "none",
    _abi.SHAPE_ARRAY: "array",
    _abi.SHAPE_TUPLE: "tuple",
    _abi.SHAPE_TOKEN: "token",
    _abi.SHAPE_OPAQUE: "opaque",
    _abi.SHAPE_BUFFER: "buffer",
}

# What functions take for a shape: a Shape, its text, or something with a dtype and a shape, such as a numpy array.
ShapeLike = Union["Shape", str, Any]


class Shape(Handle):
    """The type of a value: an array, a tuple or a token. It never changes; its text is what HLO has."""

    __slots__ = ()
    _release = lib.indim_shape_release

    def __init__(self, shape: "ShapeLike | Address") -> None:
        """Of a text, Shape("f32[n,4]"), or of something with a dtype and a shape."""
        if not isinstance(shape, Address):
            text = shape if isinstance(shape, str) else str(as_shape(shape))
            shape = made_handle(lib.indim_shape_parse, *encoded(text))
        super().__init__(shape)

    @staticmethod
    def parse(text: str) -> "Shape":
        """Reads the text of a shape, sizes with names included: Shape.parse("f32[n,4]")."""
        return Shape(made_handle(lib.indim_shape_parse, *encoded(text)))

    @staticmethod
    def array(element_type: str, dims: Sequence[int]) -> "Shape":
        """An array of known sizes; -1 is an unknown size."""
        number = element_type_number(element_type)
        sizes = (ctypes.c_int64 * len(dims))(*dims)
        return Shape(made_handle(lib.indim_shape_array, number, sizes, None, len(dims)))

    @staticmethod
    def tuple_of(elements: "Sequence[ShapeLike]") -> "Shape":
        """The shape of a tuple."""
        shapes = [as_shape(element) for element in elements]
        array = (ctypes.c_void_p * len(shapes))(*[shape._handle for shape in shapes])
        return Shape(made_handle(lib.indim_shape_tuple, array, len(shapes)))

    @property
    def kind(self) -> str:
        """ "array", "tuple", "token", "opaque" or "buffer"; "none": not inferred."""
        return _KINDS.get(lib.indim_shape_kind_of(self._handle), "none")

    @property
    def element_type(self) -> str:
        """ "f32"; "" for what is no array."""
        return element_type_name(lib.indim_shape_element_type(self._handle))

    @property
    def rank(self) -> "int | None":
        """The number of dims of an array; None: unranked, or no array."""
        rank: int = lib.indim_shape_rank(self._handle)
        return None if rank < 0 else rank

    def _dims(self) -> "list[tuple[int, int]]":
        rank = self.rank or 0
        sizes = (ctypes.c_int64 * rank)()
        kinds = (ctypes.c_int32 * rank)()
        lib.indim_shape_dims(self._handle, sizes, kinds, rank)
        return list(zip(sizes, kinds))

    @property
    def dims(self) -> "tuple[int, ...]":
        """The sizes of an array: the upper end of one that isn't static, and -1 if it has none."""
        return tuple(size for size, _ in self._dims())

    @property
    def is_static(self) -> bool:
        """Whether it is an array whose sizes are all known."""
        return self.rank is not None and all(kind == _abi.DIM_STATIC for _, kind in self._dims())

    @property
    def elements(self) -> "tuple[Shape, ...]":
        """The shapes of a tuple's parts; none of others."""
        count = lib.indim_shape_element_count(self._handle)
        return tuple(Shape(made_handle(lib.indim_shape_element, self._handle, index)) for index in range(count))

    @property
    def byte_size(self) -> int:
        """How many bytes its elements take, of a tuple those of all parts: as XLA counts, a byte for types below 8 bits, of a bounded
        dim the bound. -1: an array whose sizes aren't known; 0: a token."""
        if self.kind == "tuple":
            sizes = [part.byte_size for part in self.elements]
            return -1 if -1 in sizes else sum(sizes)
        if self.kind != "array":
            return 0
        bits = re.match(r"[a-z]+(\d+)", self.element_type)
        known = self.rank is not None and -1 not in self.dims
        return math.prod(self.dims) * max(int(bits[1]) // 8 if bits else 1, 1) if known else -1

    @property
    def minor_to_major(self) -> "tuple[int, ...] | None":
        """The layout of an array, the most minor dim first; None: it has none."""
        rank = self.rank or 0
        dims = (ctypes.c_int64 * rank)()
        return None if lib.indim_shape_minor_to_major(self._handle, dims, rank) < 0 else tuple(dims)

    def __str__(self) -> str:
        return text_of(lib.indim_shape_text, self._handle)

    def __repr__(self) -> str:
        return f"Shape({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return str(self) == other
        if not isinstance(other, Shape):
            return NotImplemented
        return bool(lib.indim_shape_equal(self._handle, other._handle))

    def __hash__(self) -> int:
        return hash(str(self))

    def __reduce__(self) -> "tuple[Any, ...]":
        return Shape.parse, (str(self),)


# Words for element types in other packages, and what they may mean.
_OTHER_TYPES = {
    "byte": '"int8"',
    "complex": '"complex64" is jax\'s meaning; "complex128" is numpy\'s',
    "double": '"float64"',
    "float": '"float32" is jax\'s meaning; "float64" is numpy\'s',
    "half": '"float16"',
    "int": '"int32" is jax\'s meaning; "int64" is numpy\'s',
    "long": '"int64"',
    "short": '"int16"',
    "single": '"float32"',
    "uint": '"uint32" is jax\'s meaning; "uint64" is numpy\'s',
}


def _no_type(name: Any) -> Exception:
    known = [*DTYPE_NAMES, *_DTYPES]
    return refused(NAME, repr(name), "element type", fix=_OTHER_TYPES.get(str(name)) or nearest(str(name), known))


def element_type_name(number: int) -> str:
    return text_of(lib.indim_element_type_name, number)


def element_type_number(name: str) -> int:
    number: int = lib.indim_element_type_from_name(*encoded(name))
    if number == 0:
        raise _no_type(name)
    return number


# Numpy's names of dtypes, of ml_dtypes too.
_DTYPES = {
    "bool": "pred",
    "int8": "s8",
    "int16": "s16",
    "int32": "s32",
    "int64": "s64",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
    "complex64": "c64",
    "complex128": "c128",
    "bfloat16": "bf16",
    "int2": "s2",
    "uint2": "u2",
    "int4": "s4",
    "uint4": "u4",
    "float4_e2m1fn": "f4e2m1fn",
    "float8_e3m4": "f8e3m4",
    "float8_e4m3": "f8e4m3",
    "float8_e4m3fn": "f8e4m3fn",
    "float8_e4m3b11fnuz": "f8e4m3b11fnuz",
    "float8_e4m3fnuz": "f8e4m3fnuz",
    "float8_e5m2": "f8e5m2",
    "float8_e5m2fnuz": "f8e5m2fnuz",
    "float8_e8m0fnu": "f8e8m0fnu",
}
DTYPE_NAMES = {element_type: dtype for dtype, element_type in _DTYPES.items()}


def element_type_of(dtype: Any) -> str:
    """The element type of a dtype, of its name, or of an element type's own name: "f32" of numpy.float32."""
    if isinstance(dtype, (int, float)):
        several = "several sizes or axes in parentheses, as one argument: (2, 3)"
        raise refused(TYPE, "the name of an element type, or a dtype", repr(dtype), fix=several, kind=WrongType)
    name = str(dtype if isinstance(dtype, str) else getattr(dtype, "name", None) or getattr(dtype, "__name__", dtype))
    if name in _DTYPES:
        return _DTYPES[name]
    if lib.indim_element_type_from_name(*encoded(name)) == 0:
        raise _no_type(name)
    return name


@functools.lru_cache(maxsize=4096)
def _parsed(text: str) -> Shape:
    return Shape.parse(text)


def as_shape(given: ShapeLike) -> Shape:
    """A Shape of a Shape, of a text, or of something with a dtype and a shape."""
    if isinstance(given, Shape):
        return given
    if isinstance(given, str):
        return _parsed(given)
    dtype = None if isinstance(given, type) else getattr(given, "dtype", None)
    dims = getattr(given, "shape", None)
    if isinstance(dims, Shape):
        return dims
    if dtype is None or dims is None:
        taken = "a text, a Shape or an array for a shape"
        if not isinstance(given, (list, tuple)):
            raise refused(TYPE, taken, type(given).__name__, fix='"f32[8,784]"', kind=WrongType)
        if given and all(isinstance(of, (str, Shape)) for of in given):
            fix = ", ".join(f'"{of}"' for of in given) + ", each an argument of its own; or one tuple: " + f'"({", ".join(map(str, given))})"'
        else:
            fix = f'"f32[{",".join(map(str, given))}]"'
        raise refused(TYPE, taken, given, fix=fix, kind=WrongType)
    return Shape.array(element_type_of(dtype), [int(size) for size in dims])


def shape_handles(shapes: "Sequence[ShapeLike]") -> "tuple[Any, list[Shape]]":
    """Shapes as an array of handles, and what must live as long as it is used."""
    keep = [as_shape(shape) for shape in shapes]
    return (ctypes.c_void_p * len(keep))(*[shape._handle for shape in keep]), keep


__all__ = ["Shape", "ShapeLike", "as_shape", "check"]
