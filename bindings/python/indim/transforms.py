# SPDX-License-Identifier: Apache-2.0
"""Derivatives of functions of values, by jax's names, with its arguments, results and errors."""

import functools
import inspect
import operator
from typing import Any, Sequence

from ._refusal import COUNT, REFUSED, TYPE, VALUE, counted, refused
from ._trees import check_structure, filled, leaves_of
from .derivatives import Derivatives, Function
from .errors import NoAttribute, WrongType
from .type_lattice import is_complex, is_inexact
from .values import Value

# What jax has for the derivatives of integers: no bytes.
_FLOAT0 = [("float0", "V0")]


def _is_float0(leaf: Any) -> bool:
    return getattr(getattr(leaf, "dtype", None), "names", None) == ("float0",)


def _no_derivative(value: Value) -> Any:
    """Of integers: jax's zeros of type float0."""
    import numpy

    return numpy.zeros(value._static(), _FLOAT0)


_NO_BUILDER = 'indim.build(indim.grad(f), "f32[8]"), or arguments b.parameter("f32[8]")'


def _builder_of(tree: Any, fix: str = _NO_BUILDER) -> Derivatives:
    for leaf in leaves_of(tree):
        if isinstance(leaf, Value):
            return leaf.builder
    raise refused(TYPE, "values of a builder", "none", fix=fix, kind=WrongType)


def _places(argnums: Any, count: int, name: str) -> "tuple[list[int], bool]":
    """The arguments that argnums names, of so many, and whether it is one number."""
    single = hasattr(argnums, "__index__") and not getattr(argnums, "shape", ())
    try:
        places = [operator.index(place) for place in ([argnums] if single else argnums)]
    except TypeError as error:
        raise refused(TYPE, "an integer or several for argnums", repr(argnums), what=name, fix="argnums=0", kind=WrongType) from error
    if not places:
        raise refused(TYPE, "an integer or more for argnums", repr(argnums), what=name, fix="argnums=0", kind=WrongType)
    for place in places:
        if not -count <= place < count:
            given = counted(count, "positional argument")
            last = f"argnums={count - 1 if place > 0 else -count}" if count else ""
            raise refused(COUNT, f"argnums has {place}", given, what=name, fix=last, kind=WrongType)
    at = [place % count for place in places]
    if len(set(at)) < len(at):
        raise refused(VALUE, "argnums", argnums, "each argument once", what=name, kind=WrongType)
    return at, single


class _Call:
    """A call of a function whose derivative is taken by the arguments `places`."""

    def __init__(
        self, name: str, function: Function, places: "Sequence[int]", has_aux: bool, args: "tuple[Any, ...]", kwargs: "dict[str, Any]"
    ) -> None:  # fmt: skip
        self.name = name
        self.builder = _builder_of((args, kwargs))
        # Values of their own: what the function uses of outside doesn't depend on them.
        copied = {
            place: filled(args[place], iter([self.builder.copy(self.builder._operand(leaf)) for leaf in leaves_of(args[place])]))
            for place in places
        }
        self.wrt = [copied[place] for place in places]
        self._arguments = [copied.get(i, arg) for i, arg in enumerate(args)]
        self._function, self._has_aux, self._kwargs = function, has_aux, kwargs
        self.result: Any = None
        self.aux: Any = None

    def run(self) -> "_Call":
        """Calls the function."""
        result = self._function(*self._arguments, **self._kwargs)
        if self._has_aux and not (isinstance(result, (list, tuple)) and len(result) == 2):
            taken = "a function that returns two values, its result and aux"
            raise refused(TYPE, taken, repr(result)[:60], what="has_aux=True", kind=WrongType)
        self.result, self.aux = result if self._has_aux else (result, None)
        return self

    @property
    def leaves(self) -> "list[Value]":
        return leaves_of(self.wrt)

    @property
    def inexact(self) -> "list[Value]":
        """The leaves that have derivatives."""
        return [leaf for leaf in self.leaves if is_inexact(leaf.dtype)]

    def results(self) -> "list[Value]":
        """The leaves of the result."""
        return [self.builder._operand(leaf) for leaf in leaves_of(self.result)]

    def like(self, derivatives: "Sequence[Value]") -> "list[Any]":
        """The arguments, with a derivative for each leaf that has one."""
        made = iter(derivatives)
        leaves = [
            self.builder._typed(next(made), leaf.weak_type) if is_inexact(leaf.dtype) else _no_derivative(leaf) for leaf in self.leaves
        ]
        return list(filled(self.wrt, iter(leaves)))

    def directions(self, values: "Sequence[Value]", tree: Any, what: str) -> "list[Value]":
        """The leaves of a tree of tangents or cotangents, each of its value's type and sizes; of integers there are none."""
        found: "list[Value]" = []
        for value, leaf in zip(values, leaves_of(tree)):
            inexact = is_inexact(value.dtype)
            if _is_float0(leaf):
                has, fits = "type float0", not inexact
            else:
                given = self.builder._operand(leaf, value if inexact else None)
                has, fits = str(given.type), inexact and (given.dtype, given.shape) == (value.dtype, value.shape)
            if not fits:
                wanted, fix = (str(value.type), "") if inexact else ("type float0", "numpy.zeros(x.shape, jax.dtypes.float0)")
                raise refused(VALUE, f"the {what} of {value.type}", f"of {has}", f"of {wanted}", what=self.name, fix=fix, kind=WrongType)
            if inexact:
                found.append(given)
        return found

    def check_arguments(self, holomorphic: bool, real: bool = False) -> None:
        """As jax has it: floats or complex numbers; complex ones alone where the function is holomorphic, and floats alone if `real`."""
        for leaf in self.leaves:
            self._check("arguments", leaf, holomorphic, not real)

    def check_result(self, holomorphic: bool, any_inexact: bool = False) -> None:
        """Floats, or complex numbers where the function is holomorphic."""
        for leaf in self.results():
            self._check("results", leaf, holomorphic, any_inexact)

    def _check(self, what: str, leaf: Value, holomorphic: bool, any_inexact: bool) -> None:
        if holomorphic and is_complex(leaf.dtype) or not holomorphic and is_inexact(leaf.dtype) and (any_inexact or not is_complex(leaf.dtype)):
            return
        if holomorphic:
            taken, fix = f"complex {what} where holomorphic=True", "holomorphic=False"
        elif is_complex(leaf.dtype):
            taken = f"floats for {what}"
            fix = "holomorphic=True, or a function of x.real and x.imag" if what == "arguments" else "holomorphic=True, or y.real"
        else:
            taken, fix = f"floats for {what}", "x.astype('f32')" if what == "arguments" else "y.astype('f32')"
        raise refused(TYPE, taken, str(leaf.type), what=self.name, fix=fix, kind=WrongType)

    def scalar(self, holomorphic: bool) -> Value:
        """The result, which is a number."""
        fix = "return the loss alone, or has_aux=True"
        if isinstance(self.result, (list, tuple, dict, type(None))):
            raise refused(TYPE, "a function that returns a scalar", repr(self.result)[:60], what=self.name, fix=fix, kind=WrongType)
        self.check_result(holomorphic)
        value = self.builder._operand(self.result)
        if value.ndim:
            fix = "return y.sum(), or indim.jacobian(f)"
            raise refused(TYPE, "a function that returns a scalar", str(value.type), what=self.name, fix=fix, kind=WrongType)
        return value


def stop_gradient(x: Any) -> Any:
    """x, a value or lists, tuples and dicts of them, whose derivative is zero: jax.lax.stop_gradient."""
    return filled(x, iter([leaf.builder.stop_gradient(leaf) if isinstance(leaf, Value) else leaf for leaf in leaves_of(x)]))


def checkpoint(fun: Function) -> Function:
    """fun, of which a gradient keeps the arguments only, and computes the rest again: jax.checkpoint."""
    fix = "b.checkpoint(f), of a builder"
    return functools.wraps(fun)(lambda *args, **kwargs: _builder_of((args, kwargs), fix).checkpoint(fun)(*args, **kwargs))


def custom_gradient(fun: Function) -> Function:
    """The function whose derivative is what fun says, which returns its result and a function from the result's cotangents to the
    arguments': jax.custom_gradient.
    """
    fix = "b.custom_gradient(f), of a builder"
    return functools.wraps(fun)(lambda *args: _builder_of(args, fix).custom_gradient(fun)(*args))


class custom_jvp:
    """The function whose derivative is the rule that defjvp() takes: rule(primals, tangents) gives the result and its tangents, and is
    linear in the tangents: jax.custom_jvp. In the rule the function itself is the operations that it records.
    """

    def __init__(self, fun: Function) -> None:
        functools.update_wrapper(self, fun)
        self._fun = fun
        self._jvp: "Function | None" = None
        self._is_in_rule = False

    def defjvp(self, jvp: Function) -> Function:
        """Takes the rule, and gives it back."""
        self._jvp = jvp
        return jvp

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            # The rule takes all arguments by their places.
            bound = inspect.signature(self._fun).bind(*args, **kwargs)
            bound.apply_defaults()
            if bound.kwargs:
                only = ", ".join(bound.kwargs)
                raise refused(TYPE, "arguments that have a place", only, what="custom_jvp", kind=WrongType)
            args = bound.args
        if self._is_in_rule:
            return self._fun(*args)
        name = getattr(self._fun, "__name__", "f")
        if self._jvp is None:
            fix = f"@{name}.defjvp in front of the rule"
            raise refused(REFUSED, f"{name} has no rule yet", what="custom_jvp", fix=fix, kind=NoAttribute)
        self._is_in_rule = True
        try:
            return _builder_of(args).custom_jvp(self._fun, self._jvp)(*args)
        finally:
            self._is_in_rule = False


def value_and_grad(
    fun: Function, argnums: "int | Sequence[int]" = 0, has_aux: bool = False, holomorphic: bool = False, *, conjugate: bool = False
) -> Function:  # fmt: skip
    """A function that gives fun's value and its gradients: (value, gradients), or ((value, aux), gradients)."""
    return _value_and_grad("value_and_grad", fun, argnums, has_aux, holomorphic, conjugate)


def _value_and_grad(name: str, fun: Function, argnums: Any, has_aux: bool, holomorphic: bool, conjugate: bool) -> Function:
    @functools.wraps(fun)
    def value_and_gradients(*args: Any, **kwargs: Any) -> Any:
        places, single = _places(argnums, len(args), name)
        call = _Call(name, fun, places, has_aux, args, kwargs)
        call.check_arguments(holomorphic)
        value = call.run().scalar(holomorphic)
        made: "Sequence[Value]" = ()
        if call.leaves:
            value, made = call.builder.value_and_gradient(value, call.leaves, conjugate=conjugate)
        gradients = call.like(made)
        return ((value, call.aux) if has_aux else value), gradients[0] if single else tuple(gradients)

    return value_and_gradients


def grad(
    fun: Function, argnums: "int | Sequence[int]" = 0, has_aux: bool = False, holomorphic: bool = False, *, conjugate: bool = False
) -> Function:  # fmt: skip
    """A function that gives the gradients of fun, whose result is a scalar, by the arguments `argnums`: jax.grad, for functions of
    a builder's values. They are as the arguments are: values, or lists, tuples and dicts of them. With `has_aux` fun returns
    (result, aux), and the function (gradients, aux). A complex result takes `holomorphic`, and complex arguments. With `conjugate`
    gradients of complex numbers are conjugated, as in PyTorch.
    """
    both = _value_and_grad("grad", fun, argnums, has_aux, holomorphic, conjugate)

    @functools.wraps(fun)
    def gradients(*args: Any, **kwargs: Any) -> Any:
        value, made = both(*args, **kwargs)
        return (made, value[1]) if has_aux else made

    return gradients


def jvp(fun: Function, primals: "Sequence[Any]", tangents: "Sequence[Any]", has_aux: bool = False) -> Any:
    """fun(*primals), and the tangents of the result where the primals have `tangents`: (result, tangents), or with aux behind them. Of
    integers tangents are numpy's arrays of jax's type float0.
    """
    for trees in (primals, tangents):
        if not isinstance(trees, (list, tuple)):
            raise refused(TYPE, "tuples or lists of primals and of tangents", repr(trees)[:60], fix="(x,)", kind=WrongType)
    check_structure(tangents, primals, "jvp")
    call = _Call("jvp", fun, range(len(primals)), has_aux, tuple(primals), {}).run()
    given = call.directions(call.leaves, tangents, "tangent")
    results = call.results()
    made = [call.builder.tangent(y, call.inexact, given) if is_inexact(y.dtype) else _no_derivative(y) for y in results]
    both = call.result, filled(call.result, iter(made))
    return (*both, call.aux) if has_aux else both


def vjp(fun: Function, *primals: Any, has_aux: bool = False) -> Any:
    """fun(*primals), and a function that takes a cotangent for each value of the result, and gives the tuple of the primals' cotangents;
    with `has_aux`, aux behind them. Of integers cotangents are numpy's arrays of jax's type float0.
    """
    call = _Call("vjp", fun, range(len(primals)), has_aux, primals, {}).run()
    results = call.results()

    def pull(cotangents: Any) -> Any:
        check_structure(cotangents, call.result, "vjp")
        seeds = call.directions(results, cotangents, "cotangent")
        b, of = call.builder, [y for y in results if is_inexact(y.dtype)]
        if not seeds or not call.inexact:
            made = [b.zeros_like(leaf) for leaf in call.inexact]
        elif len(seeds) == 1:
            made = b.gradient(of[0], call.inexact, seeds[0])
        else:
            terms = b._promoted([b.sum(y * seed) for y, seed in zip(of, seeds)])
            made = b.gradient(functools.reduce(lambda x, y: x + y, terms), call.inexact)
        return tuple(call.like(made))

    return (call.result, pull, call.aux) if has_aux else (call.result, pull)


def _jacobian(name: str, fun: Function, argnums: Any, has_aux: bool, holomorphic: bool) -> Function:
    forward = name == "jacfwd"

    @functools.wraps(fun)
    def jacobians(*args: Any, **kwargs: Any) -> Any:
        places, single = _places(argnums, len(args), name)
        call = _Call(name, fun, places, has_aux, args, kwargs)
        call.check_arguments(holomorphic, real=forward)
        call.run().check_result(holomorphic, any_inexact=forward)
        rows = []
        for y in call.results():
            made = call.like([_jacobian_of(call.builder, y, x) for x in call.leaves])
            if forward:  # of tangents, which have the result's type
                of_result = iter([call.builder._converted(leaf, y.dtype, y.weak_type) for leaf in leaves_of(made)])
                made = filled(made, of_result)
            rows.append(made[0] if single else tuple(made))
        result = filled(call.result, iter(rows))
        return (result, call.aux) if has_aux else result

    return jacobians


def _jacobian_of(b: Derivatives, y: Value, x: Value) -> Value:
    if is_complex(y.dtype) and not is_complex(x.dtype):
        return b.complex(b.jacobian(y.real, x), b.jacobian(y.imag, x))
    return b.jacobian(y, x)


def jacobian(
    fun: Function, argnums: "int | Sequence[int]" = 0, has_aux: bool = False, holomorphic: bool = False
) -> Function:  # fmt: skip
    """A function that gives the derivatives of each value of fun's result by the arguments `argnums`, of the result's dims and then the
    argument's, in the argument's type.
    """
    return _jacobian("jacobian", fun, argnums, has_aux, holomorphic)


def jacrev(
    fun: Function, argnums: "int | Sequence[int]" = 0, has_aux: bool = False, holomorphic: bool = False
) -> Function:  # fmt: skip
    """jacobian()."""
    return _jacobian("jacrev", fun, argnums, has_aux, holomorphic)


def jacfwd(
    fun: Function, argnums: "int | Sequence[int]" = 0, has_aux: bool = False, holomorphic: bool = False
) -> Function:  # fmt: skip
    """jacobian(), in the result's type. It is computed row by row here too, so of loops those whose length is known have one."""
    return _jacobian("jacfwd", fun, argnums, has_aux, holomorphic)


def hessian(
    fun: Function, argnums: "int | Sequence[int]" = 0, has_aux: bool = False, holomorphic: bool = False
) -> Function:  # fmt: skip
    """A function that gives the second derivatives of fun: the jacfwd() of its jacrev()."""
    return jacfwd(jacrev(fun, argnums, has_aux, holomorphic), argnums, has_aux, holomorphic)
