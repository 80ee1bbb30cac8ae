# SPDX-License-Identifier: Apache-2.0
"""Derivatives: of a builder's values, and of functions of values, by jax's names. docs/gradients.md has the rules."""

import ctypes
import functools
import sys
from typing import Any, Callable, Iterator, Sequence

from . import _abi
from ._library import check, encoded, lib
from ._refusal import COUNT, TYPE, refused
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
        return functools.wraps(fun)(lambda *args: self._called(fun, args, fun, "checkpoint"))

    def custom_gradient(self, fun: Function) -> Function:
        """The function whose derivative is what fun says: it returns its result, and a function that takes the result's cotangents, as
        the result is, and gives the arguments' (one, or a tuple of them; None for integers). It is linear in what it takes.
        """

        def body(*args: Any) -> Any:
            result, vjp = fun(*args)
            self._record_rule(vjp, result, "vjp")
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

    def _record_rule(self, linear: Function, of: Any, mark: str) -> None:
        """A marked call of the function that takes the tangents of `of`, or its cotangents."""
        leaves = [self._operand(leaf) for leaf in _leaves(of)]
        # The values themselves stand for their tangents.
        stand_ins = [leaf for leaf in leaves if is_inexact(leaf.dtype)]

        def body(*tangents: Value) -> "list[Value]":
            given = iter(tangents)
            all_of = [next(given) if is_inexact(leaf.dtype) else leaf for leaf in leaves]
            made = _leaves(linear(_filled(of, iter(all_of))))
            return made if mark == "vjp" else [leaf for leaf in made if is_inexact(self._operand(leaf).dtype)]

        made = self.call(body, *stand_ins)
        # Values from outside are operands of the call too, behind these.
        self._mark(made[0] if isinstance(made, tuple) else made, mark if mark == "vjp" else f"{mark}:{len(stand_ins)}")

    def _called(self, fun: Function, args: "tuple[Any, ...]", body: Function, mark: str) -> Any:
        """A call of body(*args), marked."""
        results: "list[Any]" = []

        def of_values(*values: Value) -> "list[Value]":
            results.append(body(*_filled(args, iter(values))))
            return _leaves(results[0])

        of_values.__name__ = getattr(fun, "__name__", "call")
        made = self.call(of_values, *_leaves(args))
        leaves = made if isinstance(made, tuple) else (made,)
        self._mark(leaves[0], mark)
        return _filled(results[0], iter(leaves))

    def _mark(self, value: Value, mark: str) -> None:
        check(lib.indim_mark_gradient(self._handle, value.number, *encoded(mark)))


# --- Trees: lists, tuples and dicts of values --------------------------------


def _leaves(tree: Any) -> "list[Any]":
    """Depth first, of dicts in the order of their keys, as jax has it."""
    if tree is None:
        return []
    if isinstance(tree, dict):
        return [leaf for key in sorted(tree) for leaf in _leaves(tree[key])]
    if isinstance(tree, (list, tuple)):
        return [leaf for part in tree for leaf in _leaves(part)]
    return [tree]


def _filled(tree: Any, leaves: "Iterator[Any]") -> Any:
    """The tree with other leaves."""
    if tree is None:
        return None
    if isinstance(tree, dict):
        made = {key: _filled(tree[key], leaves) for key in sorted(tree)}
        return type(tree)((key, made[key]) for key in tree)
    if isinstance(tree, (list, tuple)):
        parts = [_filled(part, leaves) for part in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return next(leaves)


def _builder_of(tree: Any) -> Derivatives:
    for leaf in _leaves(tree):
        if isinstance(leaf, Value):
            return leaf.builder
    fix = 'indim.build(indim.grad(f), "f32[8]"), or arguments b.parameter("f32[8]")'
    raise refused(TYPE, "values of a builder", "none", fix=fix, kind=WrongType)


class _Call:
    """A call of a function whose derivative is taken by some of its arguments."""

    def __init__(self, function: Function, argnums: Any, has_aux: bool, args: "tuple[Any, ...]", kwargs: "dict[str, Any]") -> None:
        self.builder = _builder_of((args, kwargs))
        self.single = isinstance(argnums, int)
        places = [argnums] if self.single else list(argnums)
        for place in places:
            if not -len(args) <= place < len(args):
                raise refused(COUNT, f"argnums has {place}, of {len(args)} or more", f"{len(args)} arguments", kind=WrongType)
        # Values of their own: what the function uses of outside doesn't depend on them.
        copied = {
            place % len(args): _filled(
                args[place], iter([self.builder.copy(self.builder._operand(leaf)) for leaf in _leaves(args[place])])
            )
            for place in places
        }
        self.wrt = [copied[place % len(args)] for place in places]
        result = function(*[copied.get(i, arg) for i, arg in enumerate(args)], **kwargs)
        if has_aux and not (isinstance(result, tuple) and len(result) == 2):
            taken = "a function that returns two values, its result and aux"
            raise refused(TYPE, taken, repr(result)[:60], what="has_aux=True", kind=WrongType)
        self.result: Any = result[0] if has_aux else result
        self.aux: Any = result[1] if has_aux else None

    @property
    def leaves(self) -> "list[Value]":
        return _leaves(self.wrt)

    def like(self, derivatives: "Sequence[Value]") -> Any:
        """A derivative for each leaf, as the arguments are."""
        weak = (self.builder._typed(made, of.weak_type) for made, of in zip(derivatives, self.leaves))
        made = [_filled(tree, weak) for tree in self.wrt]
        return made[0] if self.single else tuple(made)

    def scalar(self) -> Value:
        if isinstance(self.result, (list, tuple, dict, type(None))):
            fix = "return the loss alone, or has_aux=True"
            raise refused(TYPE, "a function that returns a scalar", repr(self.result)[:60], fix=fix, kind=WrongType)
        return self.builder._operand(self.result)


def stop_gradient(x: Any) -> Any:
    """x, a value or lists, tuples and dicts of them, whose derivative is zero: jax.lax.stop_gradient."""
    return _filled(x, iter([_builder_of(x).stop_gradient(leaf) for leaf in _leaves(x)]))


def checkpoint(fun: Function) -> Function:
    """fun, of which a gradient keeps the arguments only, and computes the rest again: jax.checkpoint."""
    return functools.wraps(fun)(lambda *args: _builder_of(args).checkpoint(fun)(*args))


def custom_gradient(fun: Function) -> Function:
    """The function whose derivative is what fun says, which returns its result and a function from the result's cotangents to the
    arguments': jax.custom_gradient.
    """
    return functools.wraps(fun)(lambda *args: _builder_of(args).custom_gradient(fun)(*args))


class custom_jvp:
    """The function whose derivative is the rule that defjvp() takes: rule(primals, tangents) gives the result and its tangents, and is
    linear in the tangents: jax.custom_jvp. In the rule the function itself is the operations that it records.
    """

    def __init__(self, fun: Function) -> None:
        functools.update_wrapper(self, fun)
        self._fun = fun
        self._jvp: "Function | None" = None

    def defjvp(self, jvp: Function) -> Function:
        """Takes the rule, and gives it back."""
        self._jvp = jvp
        return jvp

    def __call__(self, *args: Any) -> Any:
        if self._jvp is None:
            return self._fun(*args)
        jvp, self._jvp = self._jvp, None
        try:
            return _builder_of(args).custom_jvp(self._fun, jvp)(*args)
        finally:
            self._jvp = jvp


def value_and_grad(
    fun: Function, argnums: "int | Sequence[int]" = 0, has_aux: bool = False, *, conjugate: bool = False
) -> Function:
    """A function that gives fun's value and its gradients: (value, gradients), or ((value, aux), gradients)."""

    @functools.wraps(fun)
    def value_and_gradients(*args: Any, **kwargs: Any) -> Any:
        call = _Call(fun, argnums, has_aux, args, kwargs)
        value, made = call.builder.value_and_gradient(call.scalar(), call.leaves, conjugate=conjugate)
        return ((value, call.aux) if has_aux else value), call.like(made)

    return value_and_gradients


def grad(fun: Function, argnums: "int | Sequence[int]" = 0, has_aux: bool = False, *, conjugate: bool = False) -> Function:
    """A function that gives the gradients of fun, whose result is a scalar, by the arguments `argnums`: jax.grad, for functions of
    a builder's values. They are as the arguments are: values, or lists, tuples and dicts of them. With `has_aux` fun returns
    (result, aux), and the function (gradients, aux). With `conjugate` gradients of complex numbers are conjugated, as in PyTorch.
    """
    both = value_and_grad(fun, argnums, has_aux, conjugate=conjugate)

    @functools.wraps(fun)
    def gradients(*args: Any, **kwargs: Any) -> Any:
        value, made = both(*args, **kwargs)
        return (made, value[1]) if has_aux else made

    return gradients


def jvp(fun: Function, primals: "Sequence[Any]", tangents: "Sequence[Any]", has_aux: bool = False) -> Any:
    """fun(*primals), and the tangents of the result where the primals have `tangents`: (result, tangents), or with aux behind them."""
    call = _Call(fun, range(len(primals)), has_aux, tuple(primals), {})
    given = _leaves(list(tangents))
    if len(given) != len(call.leaves):
        raise refused(COUNT, f"it takes a tangent for each of {len(call.leaves)}", len(given), kind=WrongType)
    made = [call.builder.tangent(y, call.leaves, given) for y in _leaves(call.result)]
    both = call.result, _filled(call.result, iter(made))
    return (*both, call.aux) if has_aux else both


def vjp(fun: Function, *primals: Any, has_aux: bool = False) -> Any:
    """fun(*primals), and a function that takes a cotangent for each value of the result, and gives the tuple of the primals' cotangents;
    with `has_aux`, aux behind them.
    """
    call = _Call(fun, range(len(primals)), has_aux, primals, {})
    results = [call.builder._operand(y) for y in _leaves(call.result)]

    def pull(cotangents: Any) -> Any:
        given = _leaves(cotangents)
        if len(given) != len(results):
            raise refused(COUNT, f"it takes a cotangent for each of {len(results)}", len(given), what="vjp", kind=WrongType)
        b = call.builder
        if len(results) == 1:
            return call.like(b.gradient(results[0], call.leaves, given[0]))
        terms = b._promoted([b.sum(y * b._operand(seed, y)) for y, seed in zip(results, given)])
        return call.like(b.gradient(functools.reduce(lambda x, y: x + y, terms), call.leaves))

    return (call.result, pull, call.aux) if has_aux else (call.result, pull)


def jacobian(fun: Function, argnums: "int | Sequence[int]" = 0, has_aux: bool = False) -> Function:
    """A function that gives the derivatives of each value of fun's result by the arguments `argnums`, of the result's dims and then the
    argument's.
    """

    @functools.wraps(fun)
    def jacobians(*args: Any, **kwargs: Any) -> Any:
        call = _Call(fun, argnums, has_aux, args, kwargs)
        rows = [call.like([call.builder.jacobian(y, x) for x in call.leaves]) for y in _leaves(call.result)]
        made = _filled(call.result, iter(rows))
        return (made, call.aux) if has_aux else made

    return jacobians


def jacrev(fun: Function, argnums: "int | Sequence[int]" = 0, has_aux: bool = False) -> Function:
    """jacobian()."""
    return jacobian(fun, argnums, has_aux)


def jacfwd(fun: Function, argnums: "int | Sequence[int]" = 0, has_aux: bool = False) -> Function:
    """jacobian(), whose values are the same; it is computed row by row here."""
    return jacobian(fun, argnums, has_aux)


def hessian(fun: Function, argnums: "int | Sequence[int]" = 0, has_aux: bool = False) -> Function:
    """A function that gives the second derivatives of fun: the jacobian() of its jacobian()."""
    return jacobian(jacobian(fun, argnums, has_aux), argnums, has_aux)
