# SPDX-License-Identifier: Apache-2.0
"""The builder: every call records an operation, and infers its result at once."""

import ctypes
import inspect
from typing import Any, Callable

from . import _abi
from ._library import lib, made_handle, taken_diagnostics, warn
from ._names import missing
from ._refusal import TYPE, fits, refused
from ._trees import leaves_of, places_of
from .derivatives import Derivatives
from .errors import Diagnostic, Error, InvalidArgument, WrongType
from .modules import Module
from .shapes import ShapeLike
from .values import Value


class Builder(Derivatives):
    """Records a computation.

        b = Builder("affine", broadcasting="numpy")
        x, w, bias = b.parameter("f32[8,784]"), b.parameter("f32[784,10]"), b.parameter("f32[10]")
        module = b.build(b.exp(x @ w + bias))

    Methods are operations: b.add, b.dynamic_slice, ... (the names of jax.numpy and jax.lax); a wrong one raises InvalidArgument, whose diagnostics
    name the Python line, and records nothing. Operands are values of this builder; numbers and arrays become constants.

    Arrays of different ranks or sizes match by the rule that `broadcasting` names: "xla" (broadcast_dimensions, or equal ranks),
    "numpy", "pdpd", "bidirectional" or "none". Nothing guesses one.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise missing("builder", name, dir(type(self)))

    # --- Results ---------------------------------------------------------------

    def diagnostics(self) -> "tuple[Diagnostic, ...]":
        """The warnings so far."""
        return taken_diagnostics(made_handle(lib.indim_builder_diagnostics, self._handle))

    def build(
        self, root: Any = None, *, post_order: bool = False, replicas: int = 0, partitions: int = 0
    ) -> Module:
        """The module whose result is `root`: a value, or lists, tuples and dicts of them, of whose leaves it is one tuple, in jax's
        order; None: the last value. The builder is done then.

        Warnings go to Python's: warnings.simplefilter("error", indim.IndimWarning) makes them errors.
        """
        number = -1
        if root is not None:
            results = self._results(root)
            number = (self.tuple(*results) if isinstance(root, (list, tuple, dict)) else results[0]).number
        options = _abi.indim_build_options(post_order=post_order, replicas=replicas, partitions=partitions)
        found = ctypes.c_void_p()
        module = Module(made_handle(_build, self._handle, number, ctypes.byref(options), ctypes.byref(found)))
        warn(taken_diagnostics(found.value))
        return module


    def _results(self, tree: Any) -> "list[Value]":
        """The leaves of a result; a number gets the element type of the first one that is a value."""
        leaves, places = leaves_of(tree), places_of(tree)
        like = next((leaf for leaf in leaves if isinstance(leaf, Value)), None)
        made: "list[Value]" = []
        for leaf, place in zip(leaves, places):
            try:
                made.append(self._operand(leaf, like, len(made), "build"))
            except (Error, TypeError, ValueError, OverflowError) as error:
                if isinstance(leaf, Value):
                    raise  # another builder's
                taken = "values, numbers and arrays, and lists, tuples and dicts of them"
                shown = f"{getattr(leaf, '__name__', '') or repr(leaf)[:60]} at result{place}"
                fix = "call the function with values" if callable(leaf) else ""
                kind = WrongType if isinstance(error, TypeError) else InvalidArgument
                raise refused(TYPE, taken, shown, what="build", fix=fix, operand=len(made), kind=kind) from error
        return made


def _build(handle: int, number: int, options: Any, found: Any, module: Any) -> Any:
    return lib.indim_build(handle, number, options, module, found)


def build(
    function: "Callable[..., Any]", *shapes: ShapeLike, name: "str | None" = None, broadcasting: str = "xla"
) -> Module:
    """The module of a function of values: build(lambda x, w: x @ w, "f32[8,784]", "f32[784,10]").

    A function that needs the builder finds it at its values: x.builder.exp(x). The parameters have the function's names for them.
    """
    code = getattr(inspect.unwrap(function), "__code__", None)
    names = list(code.co_varnames[: code.co_argcount]) if code is not None else []
    names += [""] * (len(shapes) - len(names))
    called = str(name or getattr(function, "__name__", "computation"))
    builder = Builder("computation" if called == "<lambda>" else called, broadcasting=broadcasting)
    arguments = [builder.parameter(shape, of) for shape, of in zip(shapes, names)]
    fits(function, arguments, "shapes", '"f32[8]"')
    result = function(*arguments)
    if result is None:
        raise refused(TYPE, "a function that returns a value", "one that returns None", fix="return the result", kind=WrongType)
    return builder.build(result)
