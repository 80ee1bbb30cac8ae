# SPDX-License-Identifier: Apache-2.0
"""Derivatives of a builder's values. transforms.py has those of functions; docs/gradients.md has the rules."""

import ctypes
import functools
import sys
from typing import Any, Callable, Sequence

from . import _abi
from ._library import check, encoded, lib
from ._refusal import COUNT, TYPE, VALUE, counted, refused
from ._trees import filled, leaves_of
from .errors import WrongType
from .models import Models
from .type_lattice import is_inexact
from .values import Operand, Value

# A function of values, or of lists, tuples and dicts of them.
Function = Callable[..., Any]


class Derivatives(Models):
    """A part of Builder."""

    def _derivative(self, kind: int, y: Operand, wrt: "Sequence[Operand]", others: "Sequence[Operand]" = ()) -> "list[Value]":
        """The results of a call of the library's. Those that belong to values of `wrt` are weakly typed as these are."""
        values = [self._operand(y), *(self._operand(x, None, 1 + place) for place, x in enumerate(wrt))]
        like = values[1:] if len(others) == len(wrt) else values[:1]
        values += [self._operand(other, of, len(values) + place) for place, (other, of) in enumerate(zip(others, like))]
        numbers = (ctypes.c_int64 * len(values))(*[value.number for value in values])
        made = (ctypes.c_int64 * (1 + len(wrt)))()
        count = ctypes.c_size_t()
        location = self._here(sys._getframe(1))
        check(
            lib.indim_derivative(
                self._handle, kind, numbers, len(values), len(wrt), location, made, len(made), ctypes.byref(count)
            )
        )
        return [self._value(number) for number in made[: count.value]]

    def _reverse(self, kind: int, y: Operand, wrt: Any, seed: "Operand | None", conjugate: bool) -> "tuple[list[Value], Any]":
        """What of the results is no gradient, and the gradients, as `wrt` is."""
        several = isinstance(wrt, (list, tuple))
        places = wrt if several else [wrt]
        for place in places:
            if isinstance(place, int):
                fix = "b.gradient(y, x), or indim.grad(f, argnums=0) of a function"
                raise refused(TYPE, "values for wrt", f"the number {place}", fix=fix, kind=WrongType)
        seeds = [] if seed is None else [self._operand(seed, self._operand(y))]
        made = self._derivative(kind, y, places, [self._conjugated(one) for one in seeds] if conjugate else seeds)
        value, gradients = made[: -len(places)], made[-len(places) :]
        if conjugate:
            gradients = [self._conjugated(one) for one in gradients]
        return value, type(wrt)(gradients) if several else gradients[0]

    def _conjugated(self, value: Value) -> Value:
        """A complex value's conjugate; of reals the value."""
        return self.complex(value.real, -value.imag) if value.dtype in ("c64", "c128") else value

    def gradient(self, y: Operand, wrt: Any, seed: "Operand | None" = None, *, conjugate: bool = False) -> Any:
        """The gradients of sum(seed * y) by the values `wrt`: a value, or a list or tuple of them, as the result then is. Without a
        seed, y is a scalar. A value of `wrt` counts as independent, whatever it is computed from; 0 where y doesn't depend on it.
        With `conjugate` a complex seed and complex gradients are conjugated, as in PyTorch; else they are jax's.
        """
        return self._reverse(_abi.DERIVATIVE_GRADIENT, y, wrt, seed, conjugate)[1]

    def value_and_gradient(
        self, y: Operand, wrt: Any, seed: "Operand | None" = None, *, conjugate: bool = False
    ) -> "tuple[Value, Any]":
        """y, and gradient(). A loop that the gradient needs is recorded again; a program that uses this y runs it once."""
        value, gradients = self._reverse(_abi.DERIVATIVE_VALUE_AND_GRADIENT, y, wrt, seed, conjugate)
        return value[0], gradients

    def tangent(self, y: Operand, wrt: Any, tangents: Any) -> Value:
        """The tangent of y where the values `wrt` have `tangents`: the derivative along a direction."""
        several = isinstance(wrt, (list, tuple))
        given = (list(wrt), list(tangents)) if several else ([wrt], [tangents])
        return self._derivative(_abi.DERIVATIVE_TANGENT, y, *given)[0]

    def jacobian(self, y: Operand, x: Operand) -> Value:
        """The derivative of each element of y by each of x, of y's dims and then x's."""
        value = self._operand(y)
        if value.ndim == 0:
            return self._derivative(_abi.DERIVATIVE_GRADIENT, value, [x])[0]
        return self._derivative(_abi.DERIVATIVE_JACOBIAN, value, [x])[0]

    def hessian(self, y: Operand, x: Operand) -> Value:
        """The second derivatives of a scalar y, of x's dims twice."""
        return self._derivative(_abi.DERIVATIVE_HESSIAN, y, [x])[0]

    def hessian_vector_product(self, y: Operand, x: Operand, v: Operand) -> Value:
        """The Hessian of a scalar y times `v`, which is as x is, without the Hessian."""
        return self._derivative(_abi.DERIVATIVE_HESSIAN_VECTOR_PRODUCT, y, [x], [v])[0]

    # --- Marks -----------------------------------------------------------------

    def stop_gradient(self, x: Operand) -> Value:
        """x, whose derivative is zero."""
        value = self._operand(x)
        made = self._add("convert", [value], {}, value.type)
        self._mark(made, "stop")
        return self._typed(made, value.weak_type)

    def checkpoint(self, fun: Function) -> Function:
        """fun as a call of which a gradient keeps the arguments only, and computes the rest again. Arguments and results are values, or
        lists, tuples and dicts of them.
        """
        return functools.wraps(fun)(
            lambda *args, **kwargs: self._called(fun, (args, kwargs), lambda args, kwargs: fun(*args, **kwargs), "checkpoint")
        )

    def custom_gradient(self, fun: Function) -> Function:
        """The function whose derivative is what fun says: it returns its result, and a function that takes the result's cotangents, as
        the result is, and gives the arguments' (one, or a tuple of them; None for integers). It is linear in what it takes.
        """

        def body(*args: Any) -> Any:
            made = fun(*args)
            if not (isinstance(made, (list, tuple)) and len(made) == 2 and callable(made[1])):
                taken = "a function that returns its result and a function of cotangents"
                raise refused(TYPE, taken, repr(made)[:60], what="custom_gradient", kind=WrongType)
            result, vjp = made
            self._record_rule(lambda cts: self._cotangents(args, vjp(cts)), result, "vjp")
            return result

        return functools.wraps(fun)(lambda *args: self._called(fun, args, body, "custom"))

    def custom_jvp(self, fun: Function, jvp: Function) -> Function:
        """fun with jvp(primals, tangents) as its derivative, which gives the result and its tangents. It is linear in the tangents;
        those of integers are the integers.
        """

        def body(*args: Any) -> Any:
            self._record_rule(lambda tangents: jvp(args, tangents)[1], args, "jvp")
            return fun(*args)

        return functools.wraps(fun)(lambda *args: self._called(fun, args, body, "custom"))

    def _cotangents(self, args: "tuple[Any, ...]", made: Any) -> "list[Value]":
        """What a rule gives, for the floats among its arguments: each of its argument's type and sizes."""
        given = made if isinstance(made, (list, tuple)) else (made,)
        if len(given) != len(args):
            takes = f"its rule gives a cotangent for each of {counted(len(args), 'argument')}"
            raise refused(COUNT, takes, len(given), what="custom_gradient", kind=WrongType)
        found: "list[Value]" = []
        for arg, cotangent in zip(args, given):
            wanted = [leaf for leaf in map(self._operand, leaves_of(arg)) if is_inexact(leaf.dtype)]
            leaves = [self._operand(leaf, like) for leaf, like in zip(leaves_of(cotangent), wanted)]
            if [str(leaf.type) for leaf in leaves] != [str(leaf.type) for leaf in wanted]:
                has, wants = (" and ".join(str(leaf.type) for leaf in part) or "none" for part in (leaves, wanted))
                raise refused(VALUE, "a cotangent of its rule", has, wants, what="custom_gradient", kind=WrongType)
            found += leaves
        return found

    def _record_rule(self, linear: Function, of: Any, mark: str) -> None:
        """A marked call of the function that takes the tangents of `of`, or its cotangents."""
        leaves = [self._operand(leaf) for leaf in leaves_of(of)]
        # The values themselves stand for their tangents.
        stand_ins = [leaf for leaf in leaves if is_inexact(leaf.dtype)]

        def body(*tangents: Value) -> "list[Value]":
            given = iter(tangents)
            all_of = [next(given) if is_inexact(leaf.dtype) else leaf for leaf in leaves]
            made = leaves_of(linear(filled(of, iter(all_of))))
            return made if mark == "vjp" else [leaf for leaf in made if is_inexact(self._operand(leaf).dtype)]

        made = self.call(body, *stand_ins)
        # Values from outside are operands of the call too, behind these.
        self._mark(made[0] if isinstance(made, tuple) else made, mark if mark == "vjp" else f"{mark}:{len(stand_ins)}")

    def _called(self, fun: Function, args: "tuple[Any, ...]", body: Function, mark: str) -> Any:
        """A call of body(*args), marked."""
        results: "list[Any]" = []

        def of_values(*values: Value) -> "list[Value]":
            results.append(body(*filled(args, iter(values))))
            return leaves_of(results[0])

        of_values.__name__ = getattr(fun, "__name__", "call")
        made = self.call(of_values, *leaves_of(args))
        leaves = made if isinstance(made, tuple) else (made,)
        if leaves:
            self._mark(leaves[0], mark)
        return filled(results[0], iter(leaves))

    def _mark(self, value: Value, mark: str) -> None:
        check(lib.indim_mark_gradient(self._handle, value.number, *encoded(mark)))
