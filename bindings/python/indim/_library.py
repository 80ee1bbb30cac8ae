# SPDX-License-Identifier: Apache-2.0
"""The library behind the package: finds and loads it, declares its functions, and turns its errors and texts into Python's."""

import contextlib
import ctypes
import dataclasses
import functools
import os
import pathlib
import re
import sys
import warnings
from typing import TYPE_CHECKING, Any, NoReturn

from . import _abi
from .errors import Diagnostic, Error, IndimWarning, WrongType, error_class

# A library elsewhere: for tests, and for systems that bring their own.
_VARIABLE = "INDIM_LIBRARY"
_NAMES = {"darwin": "libindim_c.dylib", "win32": "indim_c.dll"}


def _path() -> str:
    given = os.environ.get(_VARIABLE)
    if given:
        return given
    name = _NAMES.get(sys.platform, "libindim_c.so")
    inside = pathlib.Path(__file__).parent / name
    # Without one of its own, the package takes the system's.
    return str(inside) if inside.exists() else name


def _load() -> ctypes.CDLL:
    path = _path()
    try:
        # RTLD_LOCAL, ctypes' default: Abseil and Protobuf of another library in this process stay strangers.
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"indim can't load its library {path}: {error}; {_VARIABLE} may name another one") from error
    for name, result, arguments in _abi.FUNCTIONS:
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"{path} has no function {name}: it is older than this package") from None
        function.restype = result
        function.argtypes = arguments
    return library


lib = _load()
# Fixes and messages name the calls of this package.
lib.indim_set_language(_abi.LANGUAGE_PYTHON)
_string_at = ctypes.string_at
_byref = ctypes.byref


def text_of(function: Any, *arguments: Any) -> str:
    """The text that a function returns with its size behind the last argument."""
    size = ctypes.c_size_t()
    data = function(*arguments, _byref(size))
    return _string_at(data, size.value).decode("utf-8", "replace") if data else ""


def bytes_of(handle: "int | None") -> bytes:
    """The content of an indim_bytes, which is released."""
    size = ctypes.c_size_t()
    data = lib.indim_bytes_data(handle, _byref(size))
    try:
        return _string_at(data, size.value)
    finally:
        lib.indim_bytes_release(handle)


def made_bytes(function: Any, *arguments: Any) -> bytes:
    """What a function gives as an indim_bytes through its last argument."""
    made = ctypes.c_void_p()
    check(function(*arguments, _byref(made)))
    return bytes_of(made.value)


def made_text(function: Any, *arguments: Any) -> str:
    return made_bytes(function, *arguments).decode("utf-8", "replace")


class Address(int):
    """An object of the library that has no owner in Python yet. Only what the library gave is one."""

    __slots__ = ()


def address_of(made: ctypes.c_void_p) -> Address:
    assert made.value is not None
    return Address(made.value)


def made_handle(function: Any, *arguments: Any) -> Address:
    """What a function gives as an object through its last argument."""
    made = ctypes.c_void_p()
    check(function(*arguments, _byref(made)))
    return address_of(made)


def _text(text: Any) -> str:
    return _string_at(text.data, text.size).decode("utf-8", "replace") if text.data else ""


def _diagnostic(raw: _abi.indim_diagnostic) -> Diagnostic:
    fix_dimensions = None
    if raw.fix_dimensions:
        numbers = (ctypes.c_int64 * raw.fix_dimensions_count).from_address(raw.fix_dimensions)
        fix_dimensions = tuple(numbers)

    def place(number: int) -> "int | None":
        return None if number < 0 else number

    return Diagnostic(
        code=_text(raw.code_text),
        slug=_text(raw.slug),
        severity="warning" if raw.severity == _abi.SEVERITY_WARNING else "error",
        message=_text(raw.message),
        operand=place(raw.operand),
        dim=place(raw.dim),
        other_operand=place(raw.other_operand),
        other_dim=place(raw.other_dim),
        fix=_text(raw.fix),
        fix_dimensions=fix_dimensions,
        computation=place(raw.computation),
        instruction=place(raw.instruction),
        file=_text(raw.file),
        line=raw.line,
        text_file=_text(raw.text_file),
        text_line=raw.text_line,
        text_column=raw.text_column,
        text=_text(raw.text),
    )


def diagnostics_of(handle: "int | None") -> "tuple[Diagnostic, ...]":
    """All of an indim_diagnostics, which stays the caller's."""
    found = []
    for index in range(lib.indim_diagnostics_count(handle)):
        raw = _abi.indim_diagnostic()
        check(lib.indim_diagnostics_get(handle, index, _byref(raw)))
        found.append(_diagnostic(raw))
    return tuple(found)


def taken_diagnostics(handle: "int | None") -> "tuple[Diagnostic, ...]":
    """As diagnostics_of, and releases them."""
    try:
        return diagnostics_of(handle)
    finally:
        lib.indim_diagnostics_release(handle)


# What comes from a file of this folder is the package's own.
PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


@functools.lru_cache(maxsize=None)
def is_own(file: str) -> bool:
    """Whether a file is this package's, whose lines nobody wants to see."""
    return os.path.abspath(file).startswith(PACKAGE) or file == contextlib.__file__


# The code of functions that only call others (_calls.py); no message names them.
GUARDS: "set[Any]" = set()


def caller() -> "tuple[str, int, str]":
    """The file and the line outside this package that called, and the function of the package that was called there."""
    called = ""
    frame: Any = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if not is_own(code.co_filename):
            return code.co_filename, frame.f_lineno or 0, called
        if code not in GUARDS:
            called = code.co_name
            if "<locals>" in getattr(code, "co_qualname", ""):  # from Python 3.11 on: of a function that another one made
                called = code.co_qualname.split(".<locals>")[0].rpartition(".")[2]
            if called == "__init__":
                called = type(frame.f_locals.get("self")).__name__
            elif code.co_name == "operator":  # of Value: made for each one
                called = str(frame.f_locals.get("name", frame.f_locals.get("method", called)))
        frame = frame.f_back
    return "", 0, called


def parameters_of_called() -> "list[str]":
    """The names that the function of the package which was called from outside has for its arguments."""
    frame: Any = sys._getframe(1)
    code = frame.f_code
    while frame is not None and is_own(frame.f_code.co_filename):
        code = code if frame.f_code in GUARDS else frame.f_code
        frame = frame.f_back
    return [name for name in code.co_varnames[: code.co_argcount] if name != "self"]


def error_of(handle: int) -> Error:
    """The exception for an indim_error, which is released."""
    try:
        status = lib.indim_error_status(handle)
        message = text_of(lib.indim_error_message, handle)
        diagnostics = diagnostics_of(lib.indim_error_diagnostics(handle))
    finally:
        lib.indim_error_release(handle)
    file, line, called = caller()
    message = _in_python(message, called)
    diagnostics = tuple(
        dataclasses.replace(
            d, message=_in_python(_alone(d), called), fix=_in_python(d.fix, called), text=_in_python(d.text, called)
        )
        for d in diagnostics
    )
    # What no builder's call and no instruction's line tells, the line of this call does.
    placed = tuple(
        dataclasses.replace(d, file=file, line=line) if not d.line and not d.text_line and d.instruction is None else d
        for d in diagnostics
    )
    if line and not any(d.line for d in diagnostics):
        code = next((d.code for d in diagnostics if d.severity == "error"), "")
        end = "" if code in message or "\n" in message else f"  [{code}]"
        if not message.startswith(f"{file}:{line}: "):
            message = f"{file}:{line}: error: {_beginning(called, message.removeprefix('error: '))}{end}"
    return error_class(status)(message, status, placed, (file, line))


def _alone(diagnostic: Diagnostic) -> str:
    """The message without its severity, its code and its fix, which have fields of their own."""
    message = diagnostic.message.removeprefix(f"{diagnostic.severity}: ").removesuffix(f"  [{diagnostic.code}]")
    return message.removesuffix(f"; to fix: {diagnostic.fix}") if diagnostic.fix else message


# A function of C++, "MatMul: ...", "f.py:3: error: Inline's call: ..." or "Where can't match".
_CPP_NAME = re.compile(r"(\A|error: )([A-Z][A-Za-z0-9]*)(?=(?:'s [a-z-]+)?: | can't match )")


# Of functions by hand: what they call an attribute of HLO, or an argument of the composite that they record.
_OWN_NAMES = {
    "dynamic_slice": (r"\bdynamic_slice_sizes=", "sizes="),
    "sort": (r"\bdimensions=\[(\d+)\]", r"dimension=\1"),
    "squeeze": (r"\bdims=", "axis="),
    "transpose": (r"\bdimensions=", "axes="),
}


def _in_python(text: str, called: str) -> str:
    """The text with this package's names for the function that refuses and its arguments."""

    def name(found: "re.Match[str]") -> str:
        known = called.strip("_")
        same = found[2].lower() == known.replace("_", "")
        return found[1] + (known if same else re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", found[2]).lower())

    if called in _OWN_NAMES:
        text = re.sub(*_OWN_NAMES[called], text)
    return _CPP_NAME.sub(name, text)


def _beginning(called: str, message: str) -> str:
    """The message behind the name of the function, in the place of C++'s name for it."""
    head, colon, rest = message.partition(": ")
    if colon and head.lower().replace("_", "") == called.replace("_", ""):
        message = rest
    return f"{called}: {message}"


def raise_error(handle: int) -> NoReturn:
    """Raises the error, which there is."""
    raise error_of(handle)


def warn(diagnostics: "tuple[Diagnostic, ...]") -> None:
    """Hands warnings to Python's, each at the line that caused it."""
    here = None
    for diagnostic in diagnostics:
        if diagnostic.severity != "warning":
            continue
        here = here or caller()
        file, line = (diagnostic.file, diagnostic.line) if diagnostic.line else here[:2]
        warnings.warn_explicit(IndimWarning(diagnostic), None, file or "<unknown>", line)


def check(handle: "int | None") -> None:
    """Raises the error that a function of the library returned."""
    if handle:
        raise error_of(handle)


def encoded(text: "str | bytes") -> "tuple[bytes, int]":
    """A text as the two arguments that functions take."""
    if not isinstance(text, (str, bytes)):
        from ._refusal import TYPE, refused

        raise refused(TYPE, "a text", repr(text), fix=repr(str(text)), kind=WrongType)
    data = text.encode("utf-8") if isinstance(text, str) else text
    return data, len(data)


def texts_array(texts: "list[str]") -> "tuple[Any, list[Any]]":
    """Texts as an array of indim_text, and what must live as long as it is used."""
    array = (_abi.indim_text * len(texts))()
    keep = []
    for index, text in enumerate(texts):
        data = text.encode("utf-8")
        buffer = ctypes.create_string_buffer(data, len(data) + 1)
        keep.append(buffer)
        array[index].data = ctypes.addressof(buffer)
        array[index].size = len(data)
    return array, keep


def handles_array(handles: "list[int]") -> Any:
    return (ctypes.c_void_p * len(handles))(*handles)


def int64_array(numbers: Any) -> Any:
    return (ctypes.c_int64 * len(numbers))(*numbers)


def version() -> str:
    return text_of(lib.indim_version)


class Handle:
    """An object of the library, released when Python forgets it."""

    __slots__ = ("_handle", "__weakref__")
    _release: Any = None
    # What makes such objects, for who calls the class.
    _comes_from = "the functions that return one"

    def __init__(self, handle: Address) -> None:
        # Anything else would be taken for an address, and what lies there be released.
        if not isinstance(handle, Address):
            from ._refusal import TYPE, refused

            raise refused(TYPE, "an object of the library", type(handle).__name__, fix=self._comes_from, kind=WrongType)
        self._handle: "int | None" = handle

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            from ._names import missing

            raise missing(type(self).__name__.lower(), name, dir(self))

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        # At the end of the process the function may be gone before the object.
        if handle and self._release is not None:
            self._release(handle)
            self._handle = None


def address(thing: Any, of: "type[Handle]") -> "int | None":
    """The library's object of an argument, which is one of that class."""
    if not isinstance(thing, of):
        from ._refusal import TYPE, refused

        raise refused(TYPE, f"an indim.{of.__name__}", type(thing).__name__, fix=of._comes_from, kind=WrongType)
    return thing._handle
