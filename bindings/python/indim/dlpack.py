# SPDX-License-Identifier: Apache-2.0
"""DLPack: arrays of other packages without numpy between, through their memory.

    torch.from_dlpack(literal)          # a Literal, or a Buffer of a plugin
    indim.Literal.from_dlpack(tensor)   # of anything with __dlpack__, in the memory of the CPU
"""

import ctypes
from typing import Any

from . import _abi
from ._refusal import TYPE, refused
from .errors import NoAttribute, WrongType

_NAME, _USED = b"dltensor", b"used_dltensor"

_python = ctypes.pythonapi
_new = _python.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
# By address, for the destructor: there the capsule is no object any more.
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", _python))
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", _python))
_set_name = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_SetName", _python))

_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def delete(address: int) -> None:
    """Gives a tensor back to whom it came from."""
    deleter = _abi.indim_dlpack.from_address(address).deleter
    if deleter:
        _Deleter(deleter)(address)


def _destroy(capsule: int) -> None:
    """Of a capsule that nobody took the tensor out of."""
    if _is_valid(capsule, _NAME):
        delete(_pointer(capsule, _NAME))


_destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(_destroy)


def capsule(address: int) -> Any:
    """A tensor of the library as other packages take it, of DLPack before its version 1.0."""
    return _new(address, _NAME, ctypes.cast(_destructor, ctypes.c_void_p))


def device_of(address: int) -> "tuple[int, int]":
    """The device of a tensor: its kind and its number."""
    tensor = _abi.indim_dlpack.from_address(address)
    return tensor.device_type, tensor.device_id


class Taken:
    """A tensor of another package, for a call of the library, which calls its deleter when it succeeds."""

    def __init__(self, source: Any) -> None:
        if not hasattr(source, "__dlpack__"):
            fix = "indim.Literal(...)" if isinstance(source, (int, float, list)) else ""
            raise refused(TYPE, "something with __dlpack__", type(source).__name__, fix=fix, kind=NoAttribute)
        self._capsule = source.__dlpack__()
        if not _is_valid(id(self._capsule), _NAME):
            taken = "tensors that nobody has taken"
            raise refused(TYPE, taken, f"what __dlpack__ of {type(source).__name__} gives", kind=WrongType)
        self.address: int = _pointer(id(self._capsule), _NAME)

    def done(self) -> None:
        """The library has it now."""
        _set_name(id(self._capsule), _USED)
