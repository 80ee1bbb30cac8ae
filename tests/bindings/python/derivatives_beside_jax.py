# SPDX-License-Identifier: Apache-2.0
"""indim.grad and the other functions of derivatives, beside jax's of the same names: equal trees, dims and values."""

import unittest
from typing import Any

import indim
import jax
import jax.numpy as jnp
import numpy

X = numpy.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]], numpy.float32)
W = numpy.array([[1.0, -2.0], [0.5, 0.125], [-1.0, 3.0]], numpy.float32)
V = numpy.array([0.5, 1.0, -2.0], numpy.float32)
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
]


class WithParameters:
    """indim, whose arrays become parameters of the builder `b`."""

    def __init__(self, b: indim.Builder) -> None:
        self.b = b
        self.arguments: "list[Any]" = []

    def of(self, tree: Any) -> Any:
        if isinstance(tree, (numpy.ndarray, numpy.float32)):
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
                module = b.build(leaves)
                module.check().raise_for_errors()
                for got, each in zip(module.eval(*of.arguments), wanted):
                    self.assertEqual((got.shape, got.dtype), (each.shape, each.dtype))
                    numpy.testing.assert_allclose(got, each, rtol=2e-5, atol=1e-5)

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
