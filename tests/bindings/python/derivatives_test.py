# SPDX-License-Identifier: Apache-2.0
"""Derivatives of values, of functions and of modules. derivatives_beside_jax.py plays the functions beside jax's."""

import unittest
import warnings
from typing import Any

import indim
import numpy

X = numpy.array([0.5, -1.0, 2.0], numpy.float32)
W = numpy.array([1.0, 3.0, -2.0], numpy.float32)


class OfValues(unittest.TestCase):
    def setUp(self) -> None:
        self.b = indim.Builder("f")
        self.x, self.w = self.b.parameter(X), self.b.parameter(W)

    def check(self, made: Any, *want: Any) -> None:
        module = self.b.build(list(made) if isinstance(made, (list, tuple)) else [made])
        module.check().raise_for_errors()
        got = module.eval(X, W)
        self.assertEqual(len(got), len(want))
        for one, of in zip(got, want):
            numpy.testing.assert_allclose(one, of, rtol=1e-5, atol=1e-6)
            self.assertEqual(one.shape, numpy.shape(of))

    def test_gradient(self) -> None:
        h = self.x * self.x
        y = (h * self.w).sum()
        gradients = self.b.gradient(y, [self.x, self.w])
        self.assertIsInstance(gradients, list)
        # Code goes on behind it, and any value may be differentiated by.
        self.check([*gradients, self.b.gradient(y, h), gradients[0] * 2.0], 2 * X * W, X * X, W, 4 * X * W)

    def test_seed(self) -> None:
        self.check(self.b.gradient(self.x * self.x, self.x, self.w), 2 * X * W)

    def test_value_and_gradient(self) -> None:
        (x, w) = self.b.value_and_gradient((self.x * self.w).sum(), (self.x, self.w))[1]
        y = self.b.value_and_gradient(self.b.exp(self.x), self.x, self.w)
        self.check([x, w, *y], W, X, numpy.exp(X), W * numpy.exp(X))

    def test_conjugate(self) -> None:
        z = numpy.array([1 + 2j, -3 + 0.5j], numpy.complex64)
        seed = numpy.array([1j, 2 - 1j], numpy.complex64)
        b = indim.Builder("f")
        x = b.parameter(z)
        size = (b.abs(x) * b.abs(x)).sum()
        made = [
            b.gradient(size, x),
            b.gradient(size, x, conjugate=True),
            b.gradient(x * x, x, seed, conjugate=True),
            b.value_and_gradient(x * x, [x], seed)[1][0],
            indim.grad(lambda x: (x.real * x.real + x.imag * x.imag).sum(), conjugate=True)(x),
        ]
        want = [2 * z.conj(), 2 * z, seed * 2 * z.conj(), seed * 2 * z, 2 * z]
        for got, of in zip(b.build(made).eval(z), want):
            numpy.testing.assert_allclose(got, of, rtol=1e-5)

    def test_tangent(self) -> None:
        y = self.b.sin(self.x) * self.w
        one = self.b.tangent(y, self.x, self.b.ones(3))
        both = self.b.tangent(y, [self.x, self.w], [self.w, self.x])
        self.check([one, both], numpy.cos(X) * W, numpy.cos(X) * W * W + numpy.sin(X) * X)

    def test_jacobian_and_hessian(self) -> None:
        y = self.x * self.x * self.w
        v = self.b.ones(3)
        z = (y * self.x).sum()
        made = [
            self.b.jacobian(y, self.x),
            self.b.jacobian(z, self.x),
            self.b.hessian(z, self.x),
            self.b.hessian_vector_product(z, self.x, v),
        ]
        self.check(made, numpy.diag(2 * X * W), 3 * X * X * W, numpy.diag(6 * X * W), 6 * X * W)

    def test_in_a_loop(self) -> None:
        def descend(i: Any, x: Any) -> Any:
            return x - 0.25 * indim.grad(lambda x: ((x - self.w) * (x - self.w)).sum())(x)

        self.check(self.b.fori_loop(0, 3, descend, self.x), W + (X - W) / 8)

    def test_through_a_loop(self) -> None:
        y = self.b.fori_loop(0, 3, lambda i, x: x * self.w, self.x)
        value, gradient = self.b.value_and_gradient(y.sum(), self.x)
        self.check([value, gradient], (X * W**3).sum(), W**3)

    def test_errors(self) -> None:
        b, x = self.b, self.x
        other = indim.Builder("g").parameter(X)
        whole = b.arange(3)
        cases = [
            ("IND1401", lambda: b.gradient(x, x)),
            ("IND1401", lambda: b.gradient(x.sum(), whole)),
            ("IND1401", lambda: b.gradient(whole.sum(), x)),
            ("IND1401", lambda: b.gradient(x, x, b.ones(2))),
            ("IND1300", lambda: b.tangent(x, [x], [])),
            ("IND1357", lambda: b.gradient(other, x)),
            ("IND1400", lambda: b.gradient(b.add_op("custom-call", x, result="f32[]", custom_call_target='"f"'), x)),
        ]
        for code, wrong in cases:
            with self.subTest(line=wrong.__code__.co_firstlineno):
                with self.assertRaises(indim.Error) as caught:
                    wrong()
                self.assertEqual(caught.exception.code, code, str(caught.exception))
                self.assertIn("derivatives_test.py", str(caught.exception))
        # The builder goes on as if they hadn't been made.
        self.check(b.gradient(x.sum(), x), numpy.ones(3))


class OfFunctions(unittest.TestCase):
    def test_build(self) -> None:
        def loss(w: Any, x: Any) -> Any:
            return (w * w * x).sum()

        module = indim.build(indim.grad(loss), W, X)
        self.assertEqual([p.name for p in module.graph.entry.parameters], ["w", "x"])
        numpy.testing.assert_allclose(module.eval(W, X), 2 * W * X)

    def test_what_it_uses_of_outside_is_constant(self) -> None:
        def twice(x: Any) -> Any:
            square = x * x
            return indim.grad(lambda x: (square * x).sum())(x)

        numpy.testing.assert_allclose(indim.build(twice, X).eval(X), X * X)


    def test_what_is_no_function_of_values(self) -> None:
        x = indim.Builder("f").parameter(X)
        cases = [
            ("an order", lambda: indim.grad(lambda t: t[1].sum())({1: x, "a": x})),
            ("b.checkpoint(f), of a builder", lambda: indim.checkpoint(lambda: x * x)()),
            ("values of a builder, not none", lambda: indim.grad(lambda x: x)(2.0)),
            ("tuples or lists of primals", lambda: indim.jvp(lambda x: x, x, x)),
        ]
        for said, wrong in cases:
            with self.subTest(said):
                with self.assertRaises(indim.WrongType) as caught:
                    wrong()
                self.assertIn(said, str(caught.exception))


class OfModules(unittest.TestCase):
    def test_both_modes(self) -> None:
        module = indim.build(lambda x, w: x * x * w, X, W)
        one = numpy.ones(3, numpy.float32)
        numpy.testing.assert_allclose(module.gradient(0).eval(X, W, one), 2 * X * W)
        numpy.testing.assert_allclose(module.gradient().eval(X, W, one)[1], X * X)
        numpy.testing.assert_allclose(module.tangents([1]).eval(X, W, one), X * X)
        with self.assertRaises(indim.InvalidArgument) as caught:
            module.gradient(2)
        self.assertIn("no parameter 2", str(caught.exception))

    def test_conjugate(self) -> None:
        z = numpy.array([1 + 2j, -3 + 0.5j], numpy.complex64)
        module = indim.build(lambda x: (x.real * x.real + x.imag * x.imag).sum(), z)
        one = numpy.float32(1)
        numpy.testing.assert_allclose(module.gradient(0).eval(z, one), 2 * z.conj())
        numpy.testing.assert_allclose(module.gradient(0, conjugate=True).eval(z, one), 2 * z)

    def test_warnings(self) -> None:
        module = indim.build(lambda x, w: x.builder.floor(x), X, W)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            module.gradient()
            indim.build(lambda x: x * x, X).gradient()
        self.assertEqual([w.category for w in caught], [indim.IndimWarning] * 2)
        codes = [w.message.diagnostic.code for w in caught if isinstance(w.message, indim.IndimWarning)]
        self.assertEqual(codes, ["IND1402", "IND1403"])
        self.assertIn("floor", str(caught[0].message))
        for warning in caught:
            self.assertEqual(warning.filename, __file__)

    def test_loops(self) -> None:
        def f(x: Any, w: Any) -> Any:
            return x.builder.while_loop(lambda x: x[0] < 5.0, lambda x: x * x + 1.0, x)

        module = indim.build(f, X, W)
        one = numpy.ones(3, numpy.float32)
        with self.assertRaises(indim.InvalidArgument) as caught:
            module.gradient(0)
        self.assertEqual(caught.exception.code, "IND1400")
        want = module.tangents(0).eval(X, W, one)
        for how in ({"loop_bound": 9}, {"loops": "states", "loop_bound": 9}, {"loops": "nothing"}):
            with self.subTest(**how):
                numpy.testing.assert_allclose(module.gradient(0, **how).eval(X, W, one), want, rtol=1e-5)


if __name__ == "__main__":
    unittest.main()
