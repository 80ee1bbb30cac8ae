# SPDX-License-Identifier: Apache-2.0
"""indim.grad and the other functions of derivatives, beside jax's of the same names: equal trees, dims and values."""

import collections
import unittest
from typing import Any

import indim
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy

X = numpy.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]], numpy.float32)
W = numpy.array([[1.0, -2.0], [0.5, 0.125], [-1.0, 3.0]], numpy.float32)
V = numpy.array([0.5, 1.0, -2.0], numpy.float32)
B = V.astype(ml_dtypes.bfloat16)
Z = numpy.array([1 + 2j, -0.5j, 0.25], numpy.complex64)
I = numpy.array([1, 2, 3], numpy.int32)
S = numpy.float32(1.5)
ENDS = numpy.array([0.0, -0.0, 1.0, -1.0, 100.0, -100.0], numpy.float32)
NO_BYTES = numpy.zeros(3, jax.dtypes.float0)
Pair = collections.namedtuple("Pair", "first second")
TREE = {"w": W, "b": [V[:2], (V[0],)]}


def loss(np: Any, x: Any, w: Any) -> Any:
    return np.sum(np.tanh(x @ w))


def model(np: Any, x: Any, tree: Any) -> Any:
    return np.tanh(x @ tree["w"]) * tree["b"][1][0]


def of_tree(np: Any, tree: Any, x: Any) -> Any:
    return np.sum(model(np, x, tree) * model(np, x, tree)) + np.sum(tree["b"][0])


def with_aux(np: Any, x: Any, w: Any) -> Any:
    y = np.tanh(x @ w)
    return np.sum(y * y), {"y": y}


def two(np: Any, x: Any, v: Any) -> Any:
    return np.exp(v), [np.sin(x) * v]


def cube(np: Any, v: Any) -> Any:
    return np.sum(v * v * v) * np.sum(v)


def whole(np: Any, v: Any) -> Any:
    return np.sin(v) * np.sum(v)


def captured(np: Any, v: Any) -> Any:
    return np.sum(v) * 2.0


def stopped(of: Any, np: Any, tree: Any) -> Any:
    stop = jax.lax.stop_gradient if of is jax else indim.stop_gradient
    return np.sum(tree["w"] * np.sum(stop(tree)["w"]) + stop(np.sum(tree["b"][0])))


def layers(of: Any, np: Any, w: Any, v: Any) -> Any:
    layer = of.checkpoint(lambda w, pair: (np.sin(pair[0] @ w) @ w.T, [pair[1] * 2.0]))
    out, (other,) = layer(w, (v, v))
    return np.sum(layer(w, (out, other))[0])


def own(of: Any, np: Any, x: Any, w: Any, by: float) -> Any:
    """A product whose derivative by w is `by` times as much."""

    def product(x: Any, w: Any) -> Any:
        sine = np.sin(x)
        return sine @ w, lambda ct: ((ct @ w.T) * np.cos(x), by * (sine.T @ ct))

    return of.custom_gradient(product)(x, w)


def clipped(of: Any, np: Any, tree: Any) -> Any:
    """Two results and a nested argument, whose derivatives are clipped."""

    def pull(tree: Any, cts: Any) -> Any:
        first, second = (np.clip(ct, -1, 1) for ct in cts)
        return ({"b": [first, (tree["b"][1][0],)], "w": second},)

    def same(tree: Any) -> Any:
        return (tree["b"][0] * 2.0, tree["w"]), lambda cts: pull(tree, cts)

    first, second = of.custom_gradient(same)(tree)
    return np.sum(first * 3.0) - np.sum(second * second)


def forward(of: Any, np: Any, x: Any, tree: Any) -> Any:
    """A function of a tree, whose derivative by its second part is 2 times as much. Its rule uses the function itself."""

    @(jax if of is jax else indim).custom_jvp
    def both(x: Any, tree: Any) -> Any:
        return {"sine": np.sin(x), "product": np.sin(x) @ tree[0]}

    @both.defjvp
    def rule(primals: Any, tangents: Any) -> Any:
        (x, (w,)), (dx, (dw,)) = primals, tangents
        made = both(x, (w,))
        sine = np.cos(x) * dx
        return made, {"sine": sine, "product": sine @ w + 2.0 * (made["sine"] @ dw)}

    made = both(x, (tree,))
    return np.sum(made["sine"] * made["sine"]) + np.sum(np.tanh(made["product"]))


def home(of: Any) -> Any:
    """indim or jax, for calls inside of functions."""
    return jax if of is jax else indim


def nn(of: Any, np: Any) -> Any:
    return jax.nn if of is jax else np


def cond(of: Any, np: Any, *given: Any) -> Any:
    return jax.lax.cond(*given) if of is jax else np.cond(*given)


def fori(of: Any, np: Any, count: int, body: Any, state: Any) -> Any:
    return (jax.lax if of is jax else np).fori_loop(0, count, body, state)


def tripled(of: Any, np: Any) -> Any:
    """A function with a keyword, whose derivative by its first part is 3 times as much."""

    @home(of).custom_jvp
    def f(x: Any, y: Any = 2.0) -> Any:
        return np.sin(x) * y

    @f.defjvp
    def rule(primals: Any, tangents: Any) -> Any:
        return f(*primals), 3.0 * tangents[0] * primals[1] + tangents[1]

    return f


# What is done with indim or jax, `np` and arrays.
CASES = [
    lambda of, np: of.grad(lambda x, w: loss(np, x, w))(X, W),
    lambda of, np: of.grad(lambda x, w: loss(np, x, w), argnums=1)(X, W),
    lambda of, np: of.grad(lambda x, w: loss(np, x, w), argnums=-1)(X, W),
    lambda of, np: of.grad(lambda x, w: loss(np, x, w), argnums=(1, 0))(X, W),
    lambda of, np: of.grad(lambda x, w: loss(np, x, w), (0,))(X, w=W),
    lambda of, np: of.grad(lambda x, w: with_aux(np, x, w), has_aux=True)(X, W),
    lambda of, np: of.grad(lambda t, x: of_tree(np, t, x))(TREE, X),
    lambda of, np: of.value_and_grad(lambda t, x: of_tree(np, t, x), (0, 1))(TREE, X),
    lambda of, np: of.value_and_grad(lambda x, w: with_aux(np, x, w), 1, has_aux=True)(X, W),
    lambda of, np: of.grad(lambda v: captured(np, v))(V),
    lambda of, np: of.grad(lambda v: np.sum(of.grad(lambda v: cube(np, v))(v)))(V),
    lambda of, np: of.jvp(lambda x, v: two(np, x, v), (X, V), (X * 2, V + 1)),
    lambda of, np: of.jvp(lambda x, w: with_aux(np, x, w), (X, W), (X, W), has_aux=True),
    lambda of, np: of.jvp(of.grad(lambda v: cube(np, v)), (V,), (V + 2,)),
    lambda of, np: of.vjp(lambda x, w: np.tanh(x @ w), X, W)[1](X @ W),
    lambda of, np: of.vjp(lambda x, v: two(np, x, v), X, V)[1]((V, [X])),
    lambda of, np: of.vjp(lambda x, v: two(np, x, v), X, V)[0],
    lambda of, np: of.vjp(lambda x, w: with_aux(np, x, w), X, W, has_aux=True)[2],
    lambda of, np: of.jacobian(lambda v: whole(np, v))(V),
    lambda of, np: of.jacrev(lambda x, v: two(np, x, v), (0, 1))(X, V),
    lambda of, np: of.jacfwd(lambda x, v: two(np, x, v), 1)(X, V),
    lambda of, np: of.jacobian(lambda t, x: model(np, x, t))(TREE, X),
    lambda of, np: of.jacobian(lambda x, w: with_aux(np, x, w), has_aux=True)(X, W),
    lambda of, np: of.hessian(lambda v: cube(np, v))(V),
    lambda of, np: of.hessian(lambda v: whole(np, v))(V),
    lambda of, np: of.hessian(lambda x, v: np.sum(two(np, x, v)[1][0]), (0, 1))(X, V),
    lambda of, np: of.grad(lambda t: stopped(of, np, t))(TREE),
    lambda of, np: of.value_and_grad(lambda w, v: layers(of, np, w, v), (0, 1))(W, V),
    lambda of, np: of.jvp(lambda w, v: layers(of, np, w, v), (W, V), (W, V)),
    lambda of, np: of.hessian(lambda v: layers(of, np, jnp.asarray(W) if of is jax else np.constant(W), v))(V),
    lambda of, np: of.value_and_grad(lambda x, w: np.sum(own(of, np, x, w, 2.0)), (0, 1))(X, W),
    lambda of, np: of.jacobian(lambda x, w: own(of, np, x, w, 2.0), (0, 1))(X, W),
    # Of second order: the rule itself is differentiated.
    lambda of, np: of.hessian(lambda x, w: np.sum(own(of, np, x, w, 2.0)), (0, 1))(X, W),
    lambda of, np: of.grad(lambda t: clipped(of, np, t))(TREE),
    lambda of, np: of.value_and_grad(lambda x, w: forward(of, np, x, w), (0, 1))(X, W),
    lambda of, np: of.jvp(lambda x, w: forward(of, np, x, w), (X, W), (X * 2, W)),
    lambda of, np: of.jvp(of.grad(lambda w: forward(of, np, jnp.asarray(X) if of is jax else np.constant(X), w)), (W,), (W + 1,)),
    # Arguments that are named in other ways.
    lambda of, np: of.grad(lambda x, y: np.sum(x * y * y), numpy.int64(1))(V, V + 1),
    lambda of, np: of.grad(lambda x, y: np.sum(x * y * y), numpy.array([1, -2]))(V, V + 1),
    lambda of, np: of.grad(lambda x, y: x * y[0], 0)(2.0, V),
    lambda of, np: of.grad(lambda x: x)(S),
    lambda of, np: of.grad(lambda x: 3.0)(V),
    # Trees of other kinds, and of nothing.
    lambda of, np: of.grad(lambda p: np.sum(p.first * p.second * p.second))(Pair(V, V + 1)),
    lambda of, np: of.jvp(lambda p: Pair(p.first * 2, {"q": p.second}), (Pair(V, V),), (Pair(V, V + 1),)),
    lambda of, np: of.grad(lambda p: np.sum(p["z"] * p["a"] * p["a"]))(collections.OrderedDict([("z", V), ("a", V + 1)])),
    lambda of, np: of.grad(lambda p: np.sum(p["z"] * p["a"] * p["a"]))(collections.defaultdict(list, {"z": V, "a": V + 1})),
    lambda of, np: of.grad(lambda p: np.sum(p["a"] * p["c"][0]))({"a": V, "b": None, "c": [V + 1, None]}),
    lambda of, np: of.grad(lambda p, q: np.sum(q * q), (0, 1))(None, V),
    lambda of, np: of.grad(lambda p, q: np.sum(q * q))({}, V),
    lambda of, np: of.jacobian(lambda p: {"a": p.first * p.second, "b": (np.sum(p.first), None)})(Pair(V, V + 1)),
    lambda of, np: of.hessian(lambda p: np.sum(p["a"] * p["a"] * p["b"][0]) * p["b"][1])({"a": V, "b": [V, S], "n": None}),
    lambda of, np: of.vjp(lambda x, n: (x * 2, n), V, None)[1]((V, None)),
    lambda of, np: of.vjp(lambda x: (), V)[1](()),
    # aux in a list.
    lambda of, np: of.grad(lambda x: [np.sum(x * x), None], has_aux=True)(V),
    lambda of, np: of.jvp(lambda x: [x * x, x], (V,), (V,), has_aux=True),
    lambda of, np: of.jacobian(lambda x: [x * x, {"q": x}], has_aux=True)(V),
    # Of no elements.
    lambda of, np: of.value_and_grad(lambda x: np.sum(np.exp(x)))(X[:, :0]),
    lambda of, np: of.jacobian(lambda x: x * x)(V[:0]),
    lambda of, np: of.hessian(lambda x: np.sum(x * x))(X[:0]),
    lambda of, np: of.jacobian(lambda x: x[:0])(V),
    # Of other types, and of several.
    lambda of, np: of.jacrev(lambda x, y: x * y, (0, 1))(B, V),
    lambda of, np: of.jacfwd(lambda x, y: x * y, (0, 1))(B, V),
    lambda of, np: of.hessian(lambda x, y: np.sum(x * x * y * y), (0, 1))(B, V),
    lambda of, np: of.vjp(lambda x, y: (x * 2, y * 3, x * y), B, V)[1]((B, V, V)),
    lambda of, np: of.jacfwd(lambda x, y: (x * x, x * y))(2.0, V),
    lambda of, np: of.vjp(lambda x: (x * x, np.abs(x)), Z)[1]((Z * 1j, V)),
    lambda of, np: of.grad(lambda x: np.sum(np.abs(x * x)))(Z),
    lambda of, np: of.grad(lambda x: np.sum(x * x), holomorphic=True)(Z),
    lambda of, np: of.jacobian(lambda x: x * x, holomorphic=True)(Z),
    lambda of, np: of.jacfwd(lambda x: x * x, holomorphic=True)(Z),
    lambda of, np: of.jacfwd(lambda x: x * x * 1j)(V),
    lambda of, np: of.jacrev(lambda x: np.real(x * x))(Z),
    # Integers: of type float0.
    lambda of, np: of.jvp(lambda x, i: (x * i, i), (V, I), (V, NO_BYTES)),
    lambda of, np: of.vjp(lambda x, i: (x * i, x > 1), V, I)[1]((V, NO_BYTES)),
    # One inside the other.
    lambda of, np: of.grad(lambda x: x * home(of).grad(lambda y: x + y)(x))(S),
    lambda of, np: of.grad(home(of).grad(home(of).grad(lambda x: np.sin(x) * np.exp(x))))(S),
    lambda of, np: of.grad(lambda x: np.sum(home(of).jvp(lambda z: z * z * z, (x,), (x,))[1]))(V),
    lambda of, np: of.grad(lambda x: np.sum(home(of).vjp(lambda z: z * z * z, x)[1](x)[0]))(V),
    lambda of, np: of.jacfwd(home(of).jacrev(lambda x: x * x * x))(V),
    lambda of, np: of.grad(lambda x: cond(of, np, x > 1, lambda x: home(of).grad(lambda z: z * z * z)(x), lambda x: x, x))(S),
    lambda of, np: of.grad(lambda x: cond(of, np, x > 2, lambda: x * x, lambda: -x))(S),
    lambda of, np: of.grad(lambda x: fori(of, np, 2, lambda i, s: s + home(of).grad(lambda z: z * x * z)(s), x))(S),
    # At ties, and where a part that isn't chosen overflows.
    lambda of, np: of.grad(lambda x: np.sum(nn(of, np).softplus(x)))(ENDS),
    lambda of, np: of.grad(lambda x: np.sum(nn(of, np).log_sigmoid(x)))(ENDS),
    lambda of, np: of.grad(lambda x: np.sum(nn(of, np).elu(x, 0.5)))(ENDS),
    lambda of, np: of.grad(home(of).grad(lambda x: np.sum(nn(of, np).elu(x) * x)))(numpy.float32(100)),
    lambda of, np: of.hessian(lambda x: np.sum(nn(of, np).softplus(x)))(ENDS),
    lambda of, np: of.grad(lambda x, y: np.sum(np.logaddexp(x, y)), (0, 1))(ENDS, ENDS),
    # Marks.
    lambda of, np: of.grad(lambda x: np.sum(x * (jax.lax if of is jax else indim).stop_gradient((x, None, 2.0))[0]))(V),
    lambda of, np: of.grad(lambda x: np.sum(x * (jax.lax if of is jax else indim).stop_gradient(2.0)))(V),
    lambda of, np: of.grad(lambda x: np.sum(home(of).checkpoint(lambda z, k=1.0: np.sin(z) * k)(x, k=x)))(V),
    lambda of, np: of.grad(lambda x: np.sum(x) if home(of).checkpoint(lambda z: ())(x) == () else x)(V),
    lambda of, np: of.grad(lambda x: np.sum(tripled(of, np)(x, y=x)))(V),
    lambda of, np: of.hessian(lambda x: np.sum(tripled(of, np)(x, x)))(V),
    lambda of, np: of.grad(lambda x: np.sum(home(of).custom_gradient(lambda z: (z * z, lambda ct: (ct * 7.0,)))(x)))(V),
]

# What both refuse, by an exception of one class.
ERRORS = [
    (TypeError, lambda of, np: of.grad(lambda x: np.sum(x), 1)(V)),
    (ValueError, lambda of, np: of.grad(lambda x: np.sum(x), -2)(V)),
    (TypeError, lambda of, np: of.grad(lambda x, y: np.sum(x * y), 1)(V, y=V)),
    (TypeError, lambda of, np: of.grad(lambda x: np.sum(x), "0")(V)),
    (TypeError, lambda of, np: of.grad(lambda x: np.sum(x), 0.0)(V)),
    (ValueError, lambda of, np: of.grad(lambda x: np.sum(x), ())(V)),
    (TypeError, lambda of, np: of.grad(lambda x, y: np.sum(x * y * 1.5), (0, -2))(V, V)),
    (TypeError, lambda of, np: of.grad(lambda x: np.sum(x * 1.5))(I)),
    (TypeError, lambda of, np: of.grad(lambda x: np.sum(x["v"] * x["i"]))({"v": V, "i": I})),
    (TypeError, lambda of, np: of.grad(lambda x: np.sum(x * x))(Z)),
    (TypeError, lambda of, np: of.grad(lambda x: np.sum(x), holomorphic=True)(V)),
    (TypeError, lambda of, np: of.grad(lambda x: np.sum(np.abs(x)), holomorphic=True)(Z)),
    (TypeError, lambda of, np: of.grad(lambda x: x[0] > 1)(V)),
    (TypeError, lambda of, np: of.grad(lambda x: 3)(V)),
    (TypeError, lambda of, np: of.grad(lambda x: x[:1])(V)),
    (TypeError, lambda of, np: of.grad(lambda x: (x[0],))(V)),
    (TypeError, lambda of, np: of.grad(lambda x: None)(V)),
    (TypeError, lambda of, np: of.grad(lambda x: "s")(V)),
    (TypeError, lambda of, np: of.grad(lambda x: np.sum(x), has_aux=True)(V)),
    (TypeError, lambda of, np: of.jacrev(lambda x: x * 1j)(V)),
    (TypeError, lambda of, np: of.jacfwd(lambda x: np.real(x))(Z)),
    (TypeError, lambda of, np: of.jacobian(lambda x: x > 1)(V)),
    (TypeError, lambda of, np: of.jvp(lambda x: x, [V], (V,))),
    (TypeError, lambda of, np: of.jvp(lambda x: x, (V,), (V, V))),
    (TypeError, lambda of, np: of.jvp(lambda x: x["a"], ({"a": V},), ([V],))),
    (ValueError, lambda of, np: of.jvp(lambda x: x, (V,), (V[:2],))),
    (TypeError, lambda of, np: of.jvp(lambda x: x, (V,), (B,))),
    (TypeError, lambda of, np: of.jvp(lambda x, i: x * i, (V, I), (V, I))),
    (ValueError, lambda of, np: of.vjp(lambda x: {"a": x, "b": x}, V)[1]([V, V])),
    (ValueError, lambda of, np: of.vjp(lambda x: (x, x), V)[1]((V, None))),
    (ValueError, lambda of, np: of.vjp(lambda x: x * 2, V)[1](S)),
    (ValueError, lambda of, np: of.vjp(lambda x: x * 2, V)[1](B)),
    (AttributeError, lambda of, np: of.grad(lambda x: np.sum(home(of).custom_jvp(np.sin)(x)))(V)),
    (ValueError, lambda of, np: of.grad(lambda x: np.sum(home(of).custom_gradient(lambda z: z * z)(x)))(V)),
    (ValueError, lambda of, np: of.grad(lambda x: np.sum(home(of).custom_gradient(lambda z: (z, lambda ct: np.sum(ct)))(x)))(V)),
    (TypeError, lambda of, np: of.grad(lambda x: np.sum(home(of).custom_gradient(lambda z: (z, lambda ct: (ct, ct)))(x)))(V)),
]


class WithParameters:
    """indim, whose arrays become parameters of the builder `b`."""

    def __init__(self, b: indim.Builder) -> None:
        self.b = b
        self.arguments: "list[Any]" = []

    def of(self, tree: Any) -> Any:
        if isinstance(tree, (numpy.ndarray, numpy.float32)) and tree.dtype != NO_BYTES.dtype:
            self.arguments.append(tree)
            return self.b.parameter(tree)
        return jax.tree.map(self.of, tree) if isinstance(tree, (list, tuple, dict)) else tree

    def __getattr__(self, name: str) -> Any:
        made = getattr(indim, name)
        if name == "jvp":
            return lambda f, *trees, **more: made(f, *map(self.of, trees), **more)
        if name == "vjp":
            return lambda f, *trees, **more: self.pulled(made(f, *map(self.of, trees), **more))
        return lambda f, *how, **more: self.calling(made(f, *how, **more))

    def calling(self, f: Any) -> Any:
        return lambda *trees, **named: f(*map(self.of, trees), **{key: self.of(tree) for key, tree in named.items()})

    def pulled(self, made: Any) -> Any:
        return (made[0], lambda tree: made[1](self.of(tree)), *made[2:])


class BesideJax(unittest.TestCase):
    def test_cases(self) -> None:
        for case in CASES:
            with self.subTest(line=case.__code__.co_firstlineno):
                want = case(jax, jnp)
                b = indim.Builder("f", broadcasting="numpy")
                of = WithParameters(b)
                made = case(of, b)
                leaves, tree = jax.tree.flatten(made, is_leaf=lambda leaf: isinstance(leaf, indim.Value))
                wanted, want_tree = jax.tree.flatten(want)
                self.assertEqual(tree, want_tree)
                values = [leaf for leaf in leaves if isinstance(leaf, indim.Value)]
                if values:
                    module = b.build(values)
                    module.check().raise_for_errors()
                    found = iter(module.eval(*of.arguments))
                for leaf, each in zip(leaves, wanted):
                    got = next(found) if isinstance(leaf, indim.Value) else leaf
                    self.assertEqual((got.shape, got.dtype), (each.shape, each.dtype))
                    if got.dtype != NO_BYTES.dtype:
                        self.check_near(got, each)

    def check_near(self, got: Any, want: Any) -> None:
        if got.dtype == B.dtype:
            numpy.testing.assert_allclose(got.astype(numpy.float32), want.astype(numpy.float32), rtol=2e-2, atol=2e-2)
        else:
            numpy.testing.assert_allclose(got, want, rtol=2e-5, atol=1e-5)

    def test_errors(self) -> None:
        for kind, case in ERRORS:
            with self.subTest(line=case.__code__.co_firstlineno):
                with self.assertRaises(kind):
                    case(jax, jnp)
                b = indim.Builder("f", broadcasting="numpy")
                with self.assertRaises(kind) as caught:
                    case(WithParameters(b), b)
                self.assertIsInstance(caught.exception, indim.Error)
                self.assertRegex(str(caught.exception), r"derivatives_beside_jax.py:\d+: error: .*\[IND13")

    def test_signatures(self) -> None:
        """jax's arguments, those that are here, in their order and with their defaults."""
        import inspect

        for name in ("grad", "value_and_grad", "jacobian", "jacrev", "jacfwd", "hessian", "jvp", "vjp"):
            ours = inspect.signature(getattr(indim, name)).parameters
            theirs = inspect.signature(getattr(jax, name)).parameters
            with self.subTest(name):
                # conjugate is ours.
                shared = [key for key in ours if key != "conjugate"]
                self.assertEqual([key for key in theirs if key in ours], shared)
                for key in shared:
                    self.assertEqual(ours[key].default, theirs[key].default)


if __name__ == "__main__":
    unittest.main()
