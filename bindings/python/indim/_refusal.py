# SPDX-License-Identifier: Apache-2.0
"""What the package refuses itself, before the library sees it: errors that look like the library's. Their messages are the rows of
shape/diagnostics/codes.def from IND1350 on (docs/codes.md)."""

import ctypes
import difflib
import inspect
from typing import Any, Sequence

from . import _abi
from ._library import caller, encoded, error_of, lib, texts_array
from .errors import Error, InvalidArgument, WrongType

# The numbers of statuses, by the name of the exception.
_OUT_OF_RANGE, _NOT_FOUND, _UNIMPLEMENTED, _INVALID = 11, 5, 12, 3
_STATUSES = {"OutOfRange": _OUT_OF_RANGE, "NotFound": _NOT_FOUND, "Unimplemented": _UNIMPLEMENTED, "Unshared": _UNIMPLEMENTED}

# Of the C interface: arguments that can't be read.
ARGUMENTS = "IND1300"
TYPE = "IND1350"
VALUE = "IND1351"
NAME = "IND1352"
AXIS = "IND1353"
INDEX = "IND1354"
RECORDED = "IND1355"
SIZE = "IND1356"
OTHER_BUILDER = "IND1357"
COUNT = "IND1358"
REFUSED = "IND1359"
# Of the library's own: one that says all in its message; of a builder.
NO_CODE = "IND1301"
TYPE_CLASS = "IND0102"
RESULT_SHAPE = "IND0104"
BROADCAST_DIMS = ("IND0217", "IND0219")
SLICE_LENGTH = "IND0222"
PAD_INTERIOR = "IND0226"
CALLEE_RESULT = "IND0403"
REDUCER_PARAMETER = "IND0323"
NO_OPERATION = "IND0700"
REGION_ENDED = "IND0601"
AFTER_BUILD = "IND0603"


# Methods that Python calls for what a program writes.
_SPECIAL = {
    "__array__": "numpy.asarray()",
    "__array_ufunc__": "a function of numpy",
    "__bool__": "bool()",
    "__complex__": "complex()",
    "__dlpack__": "__dlpack__()",
    "__float__": "float()",
    "__getattr__": "an attribute",
    "__getitem__": "an index",
    "__int__": "int()",
    "__iter__": "iter()",
    "__len__": "len()",
    "__matmul__": "@",
    "__rmatmul__": "@",
    "__round__": "round()",
    "__setitem__": "an assignment to an index",
    "operator": "an operator",
}


def refused(
    code: str,
    *arguments: Any,
    what: str = "",
    fix: str = "",
    operand: "int | None" = None,
    dim: "int | None" = None,
    kind: "type[Error]" = InvalidArgument,
) -> Error:
    """The exception, of the class `kind`, of one diagnostic, whose message is the code's with the arguments. It names the line outside
    this package that called, and the function that it called, unless `what` names another."""
    file, line, called = caller()
    what = what or _SPECIAL.get(called, called)
    given, keep = texts_array([str(argument) for argument in arguments])
    refusal = _abi.indim_refusal()
    refusal.status = _STATUSES.get(kind.__name__, _INVALID)
    refusal.operand = -1 if operand is None else operand
    refusal.dim = -1 if dim is None else dim
    refusal.line = line
    refusal.arguments = ctypes.addressof(given)
    refusal.argument_count = len(arguments)
    for field, text in (("file", file), ("code", code), ("what", what), ("fix", fix)):
        data, size = encoded(text)
        buffer = ctypes.create_string_buffer(data, size + 1)
        keep.append(buffer)
        place = getattr(refusal, field)
        place.data, place.size = ctypes.addressof(buffer), size
    made = error_of(lib.indim_refuse(ctypes.byref(refusal)))
    return kind(made.message, made.status, made.diagnostics, (file, line))


def fits(function: Any, arguments: "Sequence[Any]", given: str, example: str = "") -> None:
    """Raises WrongType where a function of the program's doesn't take so many arguments; `given` says what these are, and `example` is one
    in a call that had more of them."""
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError as error:
        if not callable(function):
            raise refused(TYPE, "a function", repr(function)[:60], fix="lambda *values: ...", kind=WrongType) from error
        named = getattr(function, "__name__", "the function")
        takes = f"{named} is a function of {str(inspect.signature(function)).replace('()', 'no parameters')}"
        fix = f"a function of {counted(len(arguments), 'parameter')}"
        wanted = sum(of.default is of.empty and of.kind <= of.POSITIONAL_OR_KEYWORD for of in inspect.signature(function).parameters.values())
        if example and wanted > len(arguments):
            fix = f"{given.rstrip('s')} {example} for each parameter"
        raise refused(COUNT, takes, counted(len(arguments), given.rstrip("s")), fix=fix, kind=WrongType) from error
    except ValueError:
        pass  # a function of C, which tells nothing


def counted(number: int, of: str) -> str:
    """A number and what it counts, in the plural where there are more or none."""
    return f"{number} {of}{'s' if number != 1 else ''}"


def listed(names: "Any", most: int = 12) -> str:
    """Names for a message, some of many."""
    known = [str(name) for name in names]
    return ", ".join(known[:most]) + (f" and {len(known) - most} more" if len(known) > most else "")


def nearest(name: str, names: "Any", form: str = '"{}"', most: "int | None" = None) -> str:
    """A fix: the name that was meant in the place of {}, or all names; "": there are more than `most`."""
    known = [str(of) for of in names]
    # A word of which a third is other letters is another word.
    close = difflib.get_close_matches(name, known, 1, 0.66) or difflib.get_close_matches(name.lower(), known, 1, 0.66)
    if close:
        return form.format(close[0])
    return "" if most is not None and len(known) > most else f"one of {listed(known)}"
